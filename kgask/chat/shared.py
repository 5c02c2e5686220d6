"""What two things that were asked about one after the other have in common, or one of them alone.

"Which languages do the two have in common?" after "which languages are official in Peru?", "and in Bolivia?" is what
both of these questions come to: the query is made of theirs, and nothing is read anew.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from kgask.chat.changes import entities_of
from kgask.chat.form import sex_meant
from kgask.chat.memory import REMEMBERED
from kgask.chat.of_answers import OfAnswers
from kgask.chat.turns import Turn, Way
from kgask.errors import QueryError
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.types import EntityId

_ASKS = re.compile(r"(?:(?:in|on|for|by|from|with) )?(?:which|what|who|where)\b", re.IGNORECASE)
_IN_COMMON = re.compile(r"\bin common\b|\bshare[ds]?\b|\bboth\b|\bcommon to\b|\bthe same for\b", re.IGNORECASE)
_NOTHING_ELSE = re.compile(r"\b(?:they|the two|these|those)\b.*\b(?:share|in common)\W*\Z", re.IGNORECASE)
_BUT_NOT = re.compile(
    r"\b(?:that|which|but|and|where|whom?) (?P<other>(?:not )?(?:he|she|it|they|the other(?: one)?))"
    r"(?: (?:does|do|did|is|was|are|were|has|had)(?:n['\u2019]t| not|nt))?\W*\Z",
    re.IGNORECASE,
)
_IS_DENIED = re.compile(r"n['\u2019]?t\W*\Z|\bnot\b", re.IGNORECASE)
_LITTLE = CARRY_NOTHING | frozenset(
    "common share shared shares same two three these those them use uses used make made win won go went play".split()
)


def asks_of_two(text: str) -> bool:
    """Whether a turn asks for nothing but what several have in common: of one alone it is never asked.

    >>> asks_of_two("Which genres do they share?"), asks_of_two("Which of them share a border with Peru?")
    (True, False)
    """
    return _ASKS.match(text) is not None and _NOTHING_ELSE.search(text) is not None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two turns that ask the same of two things, the earlier first."""

    turns: tuple[Turn, Turn]
    of: tuple[EntityId, EntityId]


@dataclass(frozen=True, slots=True)
class Shared:
    """Understands turns as being about what two earlier ones came to, together."""

    answers: OfAnswers

    def ways(self, text: str) -> Iterator[Way]:
        """What both of two things have, or one alone, where a turn asks for that."""
        but_not = _BUT_NOT.search(text)
        is_less = but_not is not None and _IS_DENIED.search(but_not[0]) is not None
        if _ASKS.match(text) is None or not (is_less or _IN_COMMON.search(text)):
            return
        for pair in self._pairs():
            first, second = pair.turns
            if not self._speaks_of(text, pair):
                continue
            if is_less and but_not is not None:
                later = self._is_of_later(text[: but_not.start()], pair)
                if later is None:
                    return
                query: SetNode = nodes.Minus(*((second.query, first.query) if later else (first.query, second.query)))  # type: ignore[arg-type]
            else:
                query = nodes.And(first.query, second.query)  # type: ignore[arg-type]  # of _pairs: both are sets
            sure = min(one.answer.confidence if one.answer is not None else 0.0 for one in pair.turns)
            yield Way(f"{verbalise(query, self.answers.pack)}?", query=query, confidence=sure)
            return

    def _pairs(self) -> Iterator[_Pair]:
        """Those that ask the same of two things, the latest first."""
        asked = [one for one in reversed(self.answers.memory.turns[-REMEMBERED:]) if isinstance(one.query, SetNode)]
        for later, earlier in combinations(asked, 2):
            if (of := _same_of(earlier, later)) is not None:
                yield _Pair((earlier, later), of)

    def _is_of_later(self, text: str, pair: _Pair) -> bool | None:
        """Whether "which languages does he speak" is about the later of two; None where that is not told."""
        may_be, sex = self.answers.memory.referents.may_be, sex_meant(text)
        fits = [bool(sex) and may_be(one, sex) for one in pair.of]
        return fits[1] if fits[0] != fits[1] else None

    def _speaks_of(self, text: str, pair: _Pair) -> bool:
        """Whether all words of a text are those of two questions, of what these are about or came to.

        Where it says nothing ("what do they have in common?") the last question is one of them.
        """
        referents = self.answers.memory.referents
        known: set[str] = set()
        for turn in pair.turns:
            known.update(normalise(f"{turn.line} {turn.understood}").split())
        for one in (*pair.of, *(one for turn in pair.turns for one in turn.ends[:3])):
            known.update(word for kind in referents.called(one) for word in kind.split())
        every = [node for turn in pair.turns if turn.query is not None for node in turn.query.walk()]
        relations = [node.relation for node in every if isinstance(node, nodes.Follow)]
        called = referents.words.of(relations)
        words = [word for word in normalise(_BUT_NOT.sub("", text)).split() if word not in _LITTLE]
        if not words:
            return pair.turns[1] is self.answers.memory.last_asked()
        return all(_is_known(word, known) or is_all_called(word, called) for word in words)


def _is_known(word: str, known: Collection[str]) -> bool:
    forms = {word, *singulars(word)}
    return any(forms & {one, *singulars(one)} for one in known)


def _same_of(earlier: Turn, later: Turn) -> tuple[EntityId, EntityId] | None:
    """The two things of which two turns ask the same; None where they ask something else."""
    assert earlier.query is not None and later.query is not None  # of _pairs
    olds, news = ([one for node in turn.query.walk() for one in entities_of(node)] for turn in (earlier, later))  # type: ignore[union-attr]
    for old in olds:
        for new in news if earlier.query != later.query else ():
            try:
                query = replaced(earlier.query, nodes.Entities((old,)), nodes.Entities((new,)))
            except QueryError:
                continue
            if old != new and query == later.query:
                return old, new
    return None
