"""The first or the last of some answers, by a relation that a turn calls: "the highest melting point among those".

The planner is asked first; here the words are matched with what the graph says of these things, and all that a turn
says is accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kgask.chat.form import THOSE
from kgask.chat.lists import ListMeant
from kgask.chat.of_answers import OfAnswers, whole_of
from kgask.chat.order import rank_said
from kgask.chat.turns import Turn, Way
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.relation_words import plural
from kgask.retrieve.follow import relations_of
from kgask.types import EntityId, RelationId

ORDERED = 0.8  # confidence that an order is meant by the one relation that is called so
_OF = re.compile(
    rf"\b(?:of|among|amongst|out of|from|in) (?:{THOSE}|all|both)(?: (?:of )?(?:{THOSE}))?\b", re.IGNORECASE
)
_OF_ALL = re.compile(r"\b(?:of|among) all\b", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:and )?(?:which|what) (?!(?:one|ones|is|are|was|were|has|have|had|covers?)\b)[a-z]+", re.IGNORECASE
)
_SIZE = re.compile(
    r"\b(?:(?P<most>largest|biggest|greatest|highest|most)|(?P<least>smallest|lowest|fewest|least))\b", re.IGNORECASE
)
_TIME = re.compile(r"\b(?:(?P<least>first|earliest)|(?P<most>last|latest|most recent(?:ly)?))\b", re.IGNORECASE)
_LITTLE = CARRY_NOTHING | frozenset(
    "who which what one ones by in terms of the at with very it covers cover to all among them those these".split()
)
_ASKS = re.compile(r"(?:(?:and|who|which|what|the|of|among)\b|\S+est\b|most\b|least\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ordering:
    """Orders answers of one pack."""

    answers: OfAnswers

    def ways(self, text: str) -> Iterator[Way]:
        """The one of the last answers that a turn asks for by an order."""
        memory = self.answers.memory
        if _OF_ALL.search(text) and (whole := memory.set_meant(ListMeant("", "", 0, "", "", True))) is not None:
            memory = whole[0]
        last = memory.last_set()
        if last is None or not _ASKS.match(text.strip()) or (_NOUN.match(text.strip()) and not _OF.search(text)):
            return
        rest = _OF.sub(" ", text)
        found = _TIME.search(rest) or _SIZE.search(rest)
        if found is None:
            return
        is_time, is_most = found.re is _TIME, found["most"] is not None
        words, rank = self._words(f"{rest[: found.start()]} {rest[found.end() :]}", last), rank_said(text) or 1
        relation = self._relation(words, last.ends, is_time) or (None if words or is_time else _chosen_by(last))
        if relation is not None:
            query = nodes.Best(whole_of(last, last.ends), nodes.ValueOf((relation,)), is_most, rank, rank)
            sure = min(ORDERED, last.answer.confidence if last.answer is not None else 0.0)
            yield Way(text, query=query, confidence=sure, among=self.answers.listed(last.ends))

    def _words(self, text: str, last: Turn) -> list[str]:
        """What a turn says besides how it orders, and what the things are called."""
        kinds = {kind for one in last.ends[:3] for kind in self.answers.memory.referents.called(one)}
        called = {word for kind in kinds for word in (*kind.split(), *plural(kind).split())}
        words = [word for word in normalise(text).split() if rank_said(word) is None]
        return [word for word in words if word not in _LITTLE and not {word, *singulars(word)} & called]

    def _relation(self, words: list[str], things: tuple[EntityId, ...], is_time: bool) -> RelationId | None:
        """The one relation that most of the things have, which leads to values and is called by all the words."""
        pack = self.answers.pack
        has = relations_of(pack, np.array(things))[: pack.n_relations]
        axes = {int(one): relation_axis(pack, int(one)) for one in np.flatnonzero(has)} if words else {}
        called = self.answers.memory.referents.words
        meant = [
            one
            for one, axis in axes.items()
            if axis is not None
            and (axis in WHEN) == is_time
            and all(is_all_called(word, called.of([one])) for word in words)
        ]
        named = [one for one in meant if {*normalise(pack.relations()[one].label).split()} == {*words}]
        best = named or meant
        return best[0] if len(best) == 1 else None


def _chosen_by(last: Turn) -> RelationId | None:
    """By what some answers were chosen: after "cities of more than 100,000 people" the biggest is of these."""
    wheres = [node for node in (last.query.walk() if last.query is not None else ()) if isinstance(node, nodes.Where)]
    by = [node.by.path for node in wheres if isinstance(node.by, nodes.ValueOf)]
    return int(by[0][0]) if len({*by}) == 1 and len(by[0]) == 1 else None
