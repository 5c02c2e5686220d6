"""A turn that says what a relation is called and little else: "wives?", "how many children?", "who of them died last?".

The query is made of that relation and of what was spoken of; the words are not read as a question of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.chat.form import THOSE
from kgask.chat.of_answers import OfAnswers, whole_of
from kgask.chat.turns import Way
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, OPERATOR_WORDS, is_all_called
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import NUMBER, WHEN
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import SetNode
from kgask.retrieve.follow import relations_of
from kgask.types import DirectedRelationId, EntityId, opposite

_OF_SEX = frozenset(
    "son daughter brother sister father mother uncle aunt nephew niece".split()
)  # some of a relation's ends
CALLED = 0.8  # confidence that a relation is meant which is called so and which the thing has
MOST_WORDS = 4
_LITTLE = CARRY_NOTHING | frozenset("any his her its their him them they he she it these those".split())
_NOUN = re.compile(
    r"(?:(?:what|who)(?:['\u2019]s| is| are| was| were) )?"
    r"(?:(?:the|any|his|her|its|their) )?(?P<noun>[a-z]+(?:[ -](?:of )?[a-z]+){0,2})\W*",
    re.I,
)
_HOW_MANY = re.compile(
    r"how many (?P<noun>[a-z]+(?: [a-z]+)?)(?: (?:does|did|do|has|have|had) (?:he|she|it|they)(?: have| had)?|"
    r" (?:are|were) there)?\W*",
    re.I,
)
_BY_DATE = re.compile(
    rf"(?:(?:which|who)(?: ones?)?(?: (?:of|among) {THOSE})?|(?:of|among) {THOSE},? (?:which|who)(?: one)?) "
    r"(?P<what>[a-z]+(?: [a-z]+){0,3}?) (?P<order>(?:the )?(?:first|earliest|last|latest|most recently))\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Called:
    """Understands turns by what the relations of a pack are called."""

    answers: OfAnswers

    def of_things(self, text: str, things: Sequence[EntityId]) -> Iterator[Way]:
        """What the first of some things that has it has: "wives?"; or how many that are."""
        counted = _HOW_MANY.fullmatch(text.strip())
        found = counted or _NOUN.fullmatch(text.strip())
        words = _said(found["noun"]) if found is not None else ()
        for one in things if words else ():
            relation = self._relation(words, one)
            if relation is not None and found is not None:
                every = nodes.Follow(nodes.Entities((one,)), relation)
                said = f"{'how many ' if counted else ''}{found['noun']} of {self.answers.label(one)}?"
                is_number = (
                    relation < self.answers.pack.n_relations and relation_axis(self.answers.pack, relation) == NUMBER
                )
                query = nodes.Count(every) if counted and not is_number else every
                yield Way(said, query=query, confidence=CALLED)
                return

    def by_date(self, text: str) -> Iterator[Way]:
        """The first or the last of several, by what a dated relation is called: "which became independent last?"."""
        found, last = _BY_DATE.fullmatch(text.strip()), self.answers.memory.last_set()
        if found is None or last is None:
            return
        words = [word for word in normalise(found["what"]).split() if word not in _LITTLE]
        has = relations_of(self.answers.pack, np.array(last.ends))[: self.answers.pack.n_relations]
        dated = [int(one) for one in np.flatnonzero(has) if relation_axis(self.answers.pack, int(one)) in WHEN]
        called = self.answers.memory.referents.words
        meant = [one for one in dated if words and any(is_all_called(word, called.of([one])) for word in words)]
        if len(meant) == 1:
            is_last = found["order"].lower().split()[-1] in ("last", "latest", "recently")
            query = nodes.Best(whole_of(last, last.ends), nodes.ValueOf((meant[0],)), is_last)
            sure = min(CALLED, last.answer.confidence if last.answer is not None else 0.0)
            yield Way(text, query=query, confidence=sure, among=self.answers.listed(last.ends))

    def of_each(self, text: str, members: Sequence[EntityId], whole: SetNode) -> Iterator[Way]:
        """What all of several have together: "their capitals?"."""
        found = _NOUN.fullmatch(text.strip())
        words = _said(found["noun"]) if found is not None and " their " in f" {text.lower()}" else ()
        relation = self._relation(words, members[0]) if words else None
        if relation is not None and found is not None:
            said = f"{found['noun']} of {self.answers.listed(members)}?"
            yield Way(said, query=nodes.Follow(whole, relation), confidence=CALLED)

    def _relation(self, words: tuple[str, ...], one: EntityId) -> DirectedRelationId | None:
        """The relation of a thing that is called so, or the only one part of whose name that is; None else."""
        pack = self.answers.pack
        has, texts = relations_of(pack, np.array([one])), pack.relations()
        names = {
            int(at): [_content(name) for name in (texts[at].label, *texts[at].aliases)]
            for at in np.flatnonzero(has[: pack.n_relations])
        }
        names |= {
            opposite(int(at), pack.n_relations): [_content(texts[at].inverse_label)]
            for at in np.flatnonzero(has[pack.n_relations :])
            if texts[at].inverse_label
        }
        labels = [one for one, called in names.items() if called[0] == words]
        whole = labels or [one for one, called in names.items() if words in called]
        part = whole or [one for one, called in names.items() if {*words} < {*called[0]}]
        return part[0] if len(part) == 1 else None


def _said(noun: str) -> tuple[str, ...]:
    """The words of a noun in the singular; none for another phrase, and for what only some of a relation's ends are."""
    others = {*noun.lower().split()} & (_LITTLE | OPERATOR_WORDS) - {"of"}
    words = () if others else _content(noun)
    return words if len(words) <= MOST_WORDS and _OF_SEX.isdisjoint(words) else ()


def _content(name: str) -> tuple[str, ...]:
    """The words of a name that say something, in the singular."""
    words = normalise(relation_phrase(name)).split()
    return tuple(next(iter(singulars(word)), word) for word in words if word not in _LITTLE)
