"""What a language model may reply when it is held to what was retrieved: line numbers, or the answers' names.

A reply is a list of keys, each spelled as tokens: at each state (the key that was said last) there are choices, and no
choice is the start of another, so that the probabilities of all replies sum to one. What follows from the cited lines
(the answer's text, which is the end of each of them) is never decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from kgask.errors import ModelError
from kgask.read.gguf.decode import START, Tokens
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.prompts import DONT_KNOW
from kgask.read.reply import MAX_LINES
from kgask.verbalise import Line

ANSWER = " =>"  # after the numbers
NEXT_NAME = "\n"  # between names
NO_NAME_HAS_IT = " ||"  # ends a reply of a model that has no token for the end of a turn
LAST = 1 << 20  # key of "this name, and then the end" is the line plus this


class Replies:
    """Ascending line numbers, then a stop; or "I don't know". A key is a line.

    ``first`` and ``later`` spell a number at the start of the reply and after another one.
    """

    def __init__(
        self,
        keys: Iterable[int],
        first: Mapping[int, Tokens],
        later: Mapping[int, Tokens],
        stop: Tokens,
        dont_know: Tokens,
    ):
        self.keys = sorted(keys)
        self._first, self._later, self._stop, self._dont_know = first, later, stop, dont_know

    def choices(self, state: int) -> dict[int | None, Tokens]:
        """Next key -> tokens; None ends the reply ("I don't know" at the start)."""
        if state == START:
            return {None: self._dont_know, **{line: self._first[line] for line in self.keys}}
        return {None: self._stop, **{line: self._later[line] for line in self.keys if line > state}}

    def tokens_of(self, keys: Iterable[int], state: int = START) -> Tokens:
        """The rest of the reply that gives ``keys``, from ``state`` on; as far as it is possible."""
        tokens: Tokens = ()
        for key in sorted(key for key in keys if key > state):
            choices = self.choices(state)
            if key not in choices:
                return tokens
            tokens, state = tokens + choices[key], key
        return tokens + self.choices(state).get(None, ())

    def keys_of(self, lines: Iterable[int]) -> list[int]:
        """The keys of the reply that cites these lines (1-based)."""
        return list(lines)

    def lines(self, keys: Iterable[int]) -> tuple[int, ...]:
        """Every line that a reply of these keys cites, ascending."""
        return tuple(keys)


class NameReplies(Replies):
    """Lists of names. A key is the first line that ends in a name; plus ``LAST`` for the last name.

    That the list ends is part of the choice of its last name: so a model that ends its turn after
    a name is not asked what would have come in the next line.
    """

    def __init__(
        self, names: Mapping[int, Tokens], same: Mapping[int, Sequence[int]], following: Tokens, end: Tokens, no: Tokens
    ):
        last = {line + LAST: name + end for line, name in names.items()}
        spelled = {line: name + following for line, name in names.items()} | last
        super().__init__(spelled, spelled, spelled, (), no + end)
        self._names, self._same = list(names), same

    def choices(self, state: int) -> dict[int | None, Tokens]:
        """Next key -> tokens; None ends the reply ("I don't know" at the start)."""
        if state >= LAST:
            return {None: ()}
        later = [line for line in self._names if line > state]
        keys = [*(line + LAST for line in later), *later[:-1]]
        no: dict[int | None, Tokens] = {None: self._dont_know} if state == START else {}
        return no | {key: self._first[key] for key in keys}

    def keys_of(self, lines: Iterable[int]) -> list[int]:
        wanted = set(lines)
        firsts = [first for first in self._names if wanted.intersection(self._same[first])]
        return [*firsts[:-1], firsts[-1] + LAST] if firsts else []

    def lines(self, keys: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(line for key in keys for line in self._same[key % LAST]))


class NumberVocabulary:
    """Replies like ``[2] [5] =>`` in a model's tokens."""

    def __init__(self, engine: Engine):
        def spelled(form: str) -> dict[int, Tokens]:
            return {line: tuple(engine.tokenize(form.format(line))) for line in range(1, MAX_LINES + 1)}

        self._first, self._later = spelled("[{}]"), spelled(" [{}]")
        self._stop, self._dont_know = tuple(engine.tokenize(ANSWER)), tuple(engine.tokenize(DONT_KNOW))
        for choices in ([*self._first.values(), self._dont_know], [*self._later.values(), self._stop]):
            if not _prefix_free(choices):
                raise ModelError(
                    f"{engine.path}: its vocabulary cannot spell line numbers; use a prompt without them "
                    "(--prompt kaping) or another reader"
                )

    def replies(self, lines: Sequence[Line], citable: Sequence[int]) -> Replies:
        """The replies that cite some of the ``citable`` lines (1-based)."""
        return Replies(citable, self._first, self._later, self._stop, self._dont_know)


class NameVocabulary:
    """Replies like ``Emma\\nPersuasion``: each name once, in the order of the lines, then the end of the turn."""

    kind = NameReplies

    def __init__(self, engine: Engine):
        self._engine = engine
        self._next = tuple(engine.tokenize(NEXT_NAME))
        end = engine.end_token
        self._end = (end,) if end is not None else tuple(engine.tokenize(NO_NAME_HAS_IT))
        self._dont_know = tuple(engine.tokenize(DONT_KNOW))

    def replies(self, lines: Sequence[Line], citable: Sequence[int]) -> NameReplies:
        """The replies that name some ends of the ``citable`` lines (1-based); lines with one end are one choice."""
        groups: dict[str, list[int]] = {}
        for number in sorted(citable):
            groups.setdefault(lines[number - 1].end, []).append(number)
        names = {numbers[0]: tuple(self._engine.tokenize(name)) for name, numbers in groups.items()}
        names = self._told_apart({line: name for line, name in names.items() if name})
        same = {numbers[0]: numbers for numbers in groups.values()}
        return self.kind(names, same, self._next, self._end, self._dont_know)

    def _told_apart(self, names: dict[int, Tokens]) -> dict[int, Tokens]:
        """Names that the vocabulary can spell, each differently: of those that it cannot tell apart, the first."""
        if self._clear(names.values()):
            return names
        kept: dict[int, Tokens] = {}
        for line, name in names.items():
            if self._clear([*kept.values(), name]):
                kept[line] = name
        return kept

    def _clear(self, names: Iterable[Tokens]) -> bool:
        choices = [name + after for name in names for after in (self._next, self._end)]
        return _prefix_free([*choices, self._dont_know + self._end])


def _prefix_free(choices: Sequence[Tokens]) -> bool:
    ordered = sorted(choices)
    return () not in ordered and all(following[: len(choice)] != choice for choice, following in pairwise(ordered))
