"""A list of answers that a turn tells by what it holds: "of the African ones", "out of all the Greek islands".

It is the list that was asked for by these words, or those of the last list of which that is so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.chat.form import several_meant
from kgask.chat.lists import list_meant
from kgask.chat.memory import REMEMBERED, Memory
from kgask.chat.narrowing import Narrowing
from kgask.chat.order import NUMBER
from kgask.chat.turns import Turn
from kgask.errors import BudgetError, QueryError
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING
from kgask.pack.normalise import normalise
from kgask.query import nodes
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
    rf"(?: (?!(?:{_BE}|both|either|neither)\b)[\w\u2019'-]+){{0,4}}?)"
    rf"(?: from before| from the list)?(?P<behind>,? (?:which|who|what|how many|any)\b.*| {_BE}\b.*)?\W*",
    re.IGNORECASE,
)
_ONES = re.compile(r" ones?\Z", re.IGNORECASE)
_LITTLE = CARRY_NOTHING - {"world"}


@dataclass(frozen=True, slots=True)
class Described:
    """Finds the list of answers that a turn describes."""

    narrowing: Narrowing

    def back_to(self, name: str, text: str) -> tuple[str, Memory] | None:
        """The same of a turn that goes back to a list: "back to the Greek islands: which is the largest?"."""
        text = re.sub(r" (?:of|among) (?:them|those|these)\b", "", text, flags=re.IGNORECASE)
        said = f"of the {re.sub(r'^(?:the|these|those) ', '', name, flags=re.IGNORECASE)}, {text}"
        listed, memory = list_meant(said), self.narrowing.answers.memory
        if listed is not None and (found := memory.set_meant(listed)) is not None:
            return listed.of_them(found[1]), found[0]
        return self.meant(said)

    def renamed(self, text: str) -> tuple[str, Memory] | None:
        """The same of a turn that says what a list before the last was asked for as: "which of the rivers ..."."""
        noun, memory = several_meant(text), self.narrowing.answers.memory
        last = memory.last_set()
        if last is None or not noun or noun in last.line.lower():
            return None
        turns = [one for one in memory.turns if len(one.ends) > 1 and isinstance(one.query, SetNode)]
        found = next((one for one in reversed(turns) if re.search(rf"\b{noun}\w*\b", one.line, re.I)), None)
        if found is None:
            return None
        of_them = re.sub(rf"\b(of|among) (?:the|these|those) {noun}\w*", r"\1 them", text, flags=re.IGNORECASE)
        return of_them, Memory([one for one in memory.turns if one.number <= found.number], memory.referents)

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
        """The last list all words of which stand in the turn that asked for it, and more than what they are called, or
        what alone it was about: "of Finland" is of that country."""
        words, turns = _content(phrase), self.narrowing.answers.memory.turns[-REMEMBERED:]
        lists = [one for one in reversed(turns) if len(one.ends) > 1 and isinstance(one.query, SetNode)]
        told = [(one, getattr(one, text), False) for text in ("line", "understood") for one in lists]
        for turn, text, by_topic in (*told, *((one, one.line, True) for one in reversed(lists))):
            called = {one for end in turn.ends[:3] for one in self.narrowing.answers.memory.referents.called(end)}
            kinds = {word for kind in called for word in (*kind.split(), *plural(kind).split())}
            said = _content(text)
            is_told = [
                word in kinds or _is_in(word, said) or (by_topic and self._names_topic(word, turn)) for word in words
            ]
            topics = self.narrowing.answers.pack.labels(list(turn.topics))
            is_topic = normalise(phrase) in map(normalise, topics)
            if any(word not in kinds for word in words) and all(is_told) and not is_topic:
                return turn
        return None

    def _names_topic(self, word: str, turn: Turn) -> bool:
        """Whether a word says what a turn was about: "Greek" of Greece. Of what is left out, it says nothing."""
        if turn.query is None or any(isinstance(node, nodes.Minus) for node in turn.query.walk()):
            return False
        return bool(self.narrowing.called(word, (), np.array(turn.topics, np.int64)))

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
