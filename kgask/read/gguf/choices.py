"""What a model that is not ours may reply, as token sequences: line numbers, or the answers' names.

Both kinds are grammars for :func:`kgask.read.gguf.constrain.decode_reply`: a choice at each state, no choice the start
of another, so that the probabilities of all replies sum to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol

from kgask.errors import ModelError
from kgask.read.gguf.constrain import START, Reply, ReplyGrammar, Tokens
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.prompts import DONT_KNOW
from kgask.verbalise import Line

MAX_LINES = 60
ANSWER = " =>"  # after the numbers
NEXT_NAME = "\n"  # between names
NO_NAME_HAS_IT = " ||"  # ends a reply of a model that has no token for the end of a turn
LAST = 1 << 20  # key of "this name, and then the end" is the line plus this


class Choices(Protocol):
    """The replies over some lines, and what a reply's keys mean."""

    def grammar(self, lines: Sequence[Line], citable: Sequence[int]) -> NumberGrammar | NameGrammar: ...


def number_text(line: int, first: bool) -> str:
    """A line number in a reply."""
    return f"[{line}]" if first else f" [{line}]"


class NumberGrammar(ReplyGrammar):
    """Its keys are the lines themselves."""

    def keys(self, lines: Iterable[int]) -> list[int]:
        return list(lines)

    def read(self, reply: Reply) -> Reply:
        return reply


class NumberChoices:
    """Replies like ``[2] [5] =>``."""

    def __init__(self, engine: Engine):
        numbers = range(1, MAX_LINES + 1)
        self._first = {line: tuple(engine.tokenize(number_text(line, True))) for line in numbers}
        self._later = {line: tuple(engine.tokenize(number_text(line, False))) for line in numbers}
        self._stop = tuple(engine.tokenize(ANSWER))
        self._dont_know = tuple(engine.tokenize(DONT_KNOW))
        for choices in ([*self._first.values(), self._dont_know], [*self._later.values(), self._stop]):
            if not _prefix_free(choices):
                raise ModelError(
                    f"{engine.path}: its vocabulary cannot spell line numbers; use a prompt without them "
                    "(--prompt kaping) or another reader"
                )

    def grammar(self, lines: Sequence[Line], citable: Sequence[int]) -> NumberGrammar:
        return NumberGrammar(citable, self._first, self._later, self._stop, self._dont_know)


class NameChoices:
    """Replies like ``Emma\\nPersuasion``: each name once, in the order of the lines, then the end of the turn."""

    def __init__(self, engine: Engine):
        self._engine = engine
        self._next = tuple(engine.tokenize(NEXT_NAME))
        end = engine.end_token
        self._end = (end,) if end is not None else tuple(engine.tokenize(NO_NAME_HAS_IT))
        self._dont_know = tuple(engine.tokenize(DONT_KNOW))

    def grammar(self, lines: Sequence[Line], citable: Sequence[int]) -> NameGrammar:
        """``citable`` are 1-based; lines that end in the same name are one choice."""
        groups: dict[str, list[int]] = {}
        for number in sorted(citable):
            groups.setdefault(lines[number - 1].end, []).append(number)
        names = {numbers[0]: tuple(self._engine.tokenize(name)) for name, numbers in groups.items()}
        return NameGrammar(
            self._told_apart({line: name for line, name in names.items() if name}),
            {numbers[0]: tuple(numbers) for numbers in groups.values()},
            self._next, self._end, self._dont_know,
        )  # fmt: skip

    def _told_apart(self, names: Mapping[int, Tokens]) -> dict[int, Tokens]:
        """Names that the vocabulary can spell, each differently: of those that it cannot tell apart, the first."""
        if self._clear(names.values()):
            return dict(names)
        kept: dict[int, Tokens] = {}
        for line, name in names.items():
            if self._clear([*kept.values(), name]):
                kept[line] = name
        return kept

    def _clear(self, names: Iterable[Tokens]) -> bool:
        choices = [name + after for name in names for after in (self._next, self._end)]
        return _prefix_free([*choices, self._dont_know + self._end])


class NameGrammar:
    """The possible lists of names. A key is the first line that ends in a name; plus ``LAST`` for the last name.

    That the list ends is part of the choice of its last name: so a model that ends its turn after
    a name is not asked what would have come in the next line.
    """

    def __init__(
        self,
        names: Mapping[int, Tokens],
        same: Mapping[int, tuple[int, ...]],
        following: Tokens,
        end: Tokens,
        no: Tokens,
    ):
        self._names, self._same = names, same
        self._following, self._end, self._no = following, end, no
        self.citable = sorted([*names, *(line + LAST for line in names)])

    def choices(self, state: int) -> dict[int | None, Tokens]:
        """Next key -> tokens; None ends the reply ("I don't know" at the start)."""
        if state >= LAST:
            return {None: ()}
        later = [line for line in self._names if line > state]
        found: dict[int | None, Tokens] = {line + LAST: self._names[line] + self._end for line in later}
        found |= {line: self._names[line] + self._following for line in later[:-1]}
        return found | ({None: self._no + self._end} if state == START else {})

    def keys(self, lines: Iterable[int]) -> list[int]:
        """The keys of the reply that names the ends of these lines, in the order of the reply."""
        wanted = set(lines)
        firsts = [first for first in self._names if wanted.intersection(self._same[first])]
        return [*firsts[:-1], firsts[-1] + LAST] if firsts else []

    def read(self, reply: Reply) -> Reply:
        """A decoded reply with lines instead of keys: every line that ends in a name that it gives."""
        lines = sorted(line for key in reply.lines for line in self._same[key % LAST])
        return Reply(tuple(lines), reply.log_prob, reply.n_decisions)

    def tokens_of(self, keys: Iterable[int]) -> Tokens:
        tokens: Tokens = ()
        state = START
        for key in sorted(keys):
            tokens += self.choices(state)[key]
            state = key
        return tokens + self.choices(state)[None]


def _prefix_free(choices: Sequence[Tokens]) -> bool:
    ordered = sorted(choices)
    return () not in ordered and all(following[: len(choice)] != choice for choice, following in pairwise(ordered))
