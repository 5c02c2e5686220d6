"""A list of answers that a turn tells by what it holds: "of the African ones", "out of all the Greek islands".

It is the list that was asked for by these words, or those of the last list of which that is so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kgask.chat.memory import REMEMBERED, Memory
from kgask.chat.narrowing import Narrowing
from kgask.chat.order import NUMBER
from kgask.chat.turns import Turn
from kgask.errors import BudgetError, QueryError
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING
from kgask.pack.normalise import normalise
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run

SECONDS = 8.0  # of a query that narrows a list
ALIKE = 5  # letters that "Greek" and "Greece", "Portuguese" and "Portugal" begin with
_BE = r"(?:is|are|was|were|has|have|had|do|does|did|can|could|lies?|became|become|won|got|died|lived?|came)"
_DESCRIBED = re.compile(
    r"(?P<before>.{0,60}?)\b(?:of|among|amongst|out of|from) (?:all )?(?:of )?(?:the |these |those )?"
    rf"(?P<phrase>(?!{NUMBER}\b|{_BE}\b|\d|them\b|those\b|these\b|all\b)[\w\u2019'-]+"
    rf"(?: (?!{_BE}\b)[\w\u2019'-]+){{0,4}}?)"
    rf"(?: from before| from the list)?(?P<behind>,? (?:which|who|what|how many|any)\b.*| {_BE}\b.*)?\W*",
    re.IGNORECASE,
)
_ONES = re.compile(r" ones?\Z", re.IGNORECASE)
_LITTLE = CARRY_NOTHING - {"world"}


@dataclass(frozen=True, slots=True)
class Described:
    """Finds the list of answers that a turn describes."""

    narrowing: Narrowing

    def meant(self, text: str) -> tuple[str, Memory] | None:
        """The turn with "of them" in the place of the list, and the memory as it was when that was told."""
        found = _DESCRIBED.fullmatch(text.strip())
        if found is None:
            return None
        phrase, n_ones = _ONES.subn("", found["phrase"])
        turn = self._told(phrase) or (self._narrowed(phrase) if n_ones else None)
        if turn is None:
            return None
        memory = self.narrowing.answers.memory
        turns = [one for one in memory.turns if one.number < turn.number]
        of_them = f"{found['before']}of them{found['behind'] or ''}"
        return of_them, Memory([*turns, turn], memory.referents)

    def _told(self, phrase: str) -> Turn | None:
        """The last list all words of which stand in the turn that asked for it, and more than what they are called."""
        words, turns = _content(phrase), self.narrowing.answers.memory.turns[-REMEMBERED:]
        lists = [one for one in reversed(turns) if len(one.ends) > 1 and isinstance(one.query, SetNode)]
        for turn, text in ((one, text) for text in ("line", "understood") for one in lists):
            called = {one for end in turn.ends[:3] for one in self.narrowing.answers.memory.referents.called(end)}
            kinds = {word for kind in called for word in (*kind.split(), *plural(kind).split())}
            said = _content(getattr(turn, text))
            if any(word not in kinds for word in words) and all(word in kinds or _is_in(word, said) for word in words):
                return turn
        return None

    def _narrowed(self, phrase: str) -> Turn | None:
        """Those of the last list, or of what that was chosen from, that are what a phrase says."""
        way = next(iter(self.narrowing.ways(f"only the {phrase} ones", False, True)), None)
        last = self.narrowing.answers.memory.turns[-1]
        if way is None or not isinstance(way.query, SetNode):
            return None
        ends = self._members(way.query)
        return replace(last, query=way.query, ends=ends, number=last.number + 1) if len(ends) > 1 else None

    def _members(self, query: Query) -> tuple[int, ...]:
        try:
            return tuple(run(query, self.narrowing.answers.pack, Budget(SECONDS)).certain.tolist())
        except (QueryError, BudgetError):
            return ()


def _content(text: str) -> Sequence[str]:
    return [word for word in normalise(text.replace("'s", " ").replace("\u2019s", " ")).split() if word not in _LITTLE]


def _is_in(word: str, said: Collection[str]) -> bool:
    """Whether a word is one of those said, up to how they end."""
    forms = {word, *singulars(word)}
    return any(
        forms & {one, *singulars(one)} or (min(len(word), len(one)) >= ALIKE and word[:ALIKE] == one[:ALIKE])
        for one in said
    )
