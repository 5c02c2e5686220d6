"""All kin of a kind: "parents" are fathers and mothers, "siblings" what the parents have beside oneself.

A graph of a family says who is whose father and mother, and people ask for parents, grandchildren and siblings. What
such a word asks for takes several of its relations, and one of them alone leaves some out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from kgask.methods.kinship import KIN_WORDS, kin_of, steps_of
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.types import DirectedRelationId

MOST_RELATIONS = 6  # of one kind of kin; a graph with more is no family's
_SIDE = re.compile(r"\b(?:maternal|paternal) ", re.IGNORECASE)
_PARENTS = {"maternal": "mother", "paternal": "father"}
_OF_SIDES = {"maternal": frozenset(("mother", "dam", "mum")), "paternal": frozenset(("father", "sire", "dad"))}
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_WHETHER = re.compile(r"\W*(?:and |so )?(?:do|does|did|has|have|had)\b", re.IGNORECASE)
_GENERIC = re.compile(r"(?:grand-?)?(?:child(?:ren)?|kids?|offspring|parents?)|siblings?|cousins?|parents?-in-law")


@dataclass(frozen=True, slots=True)
class _Family:
    """The directed relations of a pack by the kin that they lead to, and their labels."""

    relations: dict[str, tuple[DirectedRelationId, ...]]
    labels: Sequence[str]

    @classmethod
    def of(cls, pack: Pack) -> _Family:
        labels, found = [relation_phrase(one.label).lower() for one in pack.relations()], dict[str, list[int]]()
        for relation in range(2 * pack.n_relations):
            kin = kin_of(labels[relation % pack.n_relations], relation, pack)
            if kin is not None:
                found.setdefault(kin, []).append(relation)
        return cls({kin: tuple(several) for kin, several in found.items()}, labels)

    def called(self, kin: str, word: str) -> tuple[DirectedRelationId, ...]:
        """Those of a kin whose label is a word for one sex of it."""
        n = len(self.labels)
        return tuple(one for one in self.relations.get(kin, ()) if one < n and self.labels[one] == word)

    def step(self, base: SetNode, relations: Sequence[DirectedRelationId]) -> SetNode | None:
        if not 0 < len(relations) <= MOST_RELATIONS:
            return None
        every: list[SetNode] = [nodes.Follow(base, relation) for relation in relations]
        return reduce(nodes.Or, every)

    def kin(self, base: SetNode, kin: str) -> SetNode | None:
        """All of a kind; siblings are told by their parents where nothing else tells them."""
        if kin == "sibling" and kin not in self.relations:
            parents = self.kin(base, "parent")
            children = self.kin(parents, "child") if parents is not None else None
            return None if children is None else nodes.Minus(children, base)
        return self.step(base, self.relations.get(kin, ()))


def whole_kin(text: str, start: int, end: int, entity: int, pack: Pack) -> Query | None:
    """What a question asks for that asks for all kin of a kind of what it names at [start, end) of its characters.

    None where it asks for no kin, for one sex that a relation of the graph tells, or for what one relation leads to.
    """
    side = _SIDE.search(text)
    found = steps_of(_SIDE.sub("", f"{text[:start]}[MASK]{text[end:]}"))
    if found is None or (side is not None and (len(found[1]) < 2 or found[1][0] != "parent")):
        return None
    word, steps = found
    family, topic = _Family.of(pack), nodes.Entities((entity,))
    base: SetNode | None = topic
    if side is not None:
        base = family.step(topic, family.called("parent", _PARENTS[side[0].strip().lower()]))
    for kin in steps[side is not None : -1]:
        base = family.kin(base, kin) if base is not None else None
    if base is None:
        return None
    if _GENERIC.fullmatch(word):
        base = family.kin(base, steps[-1])
    else:
        base = family.step(base, family.called(steps[-1], _of_sex(word)))
    is_planned = len(steps) == 1 and not _WHETHER.match(text)
    if base is None or (is_planned and len(_undirected(base, pack)) < 2):
        return None  # the planner's matter
    whole = nodes.Count if _HOW_MANY.search(text) else nodes.Some if _WHETHER.match(text) else None
    return whole(base) if whole is not None else base


def is_of_other_side(query: Query, text: str, pack: Pack) -> bool:
    """Whether a query does not go by the mother of somebody whose maternal kin is asked for, or by the father for
    paternal kin."""
    side = _SIDE.search(text)
    if side is None:
        return False
    said, texts = side[0].strip().lower(), pack.relations()
    walked = [node for node in query.walk() if isinstance(node, nodes.Follow)]
    words = [relation_phrase(texts[node.relation % pack.n_relations].label).lower().split() for node in walked]
    by_parent = [not _OF_SIDES[said].isdisjoint(one) for one in words]
    firsts = [isinstance(node.base, nodes.Entities) for node in walked]
    is_meant = all(by for by, is_first in zip(by_parent, firsts, strict=True) if is_first)
    return not is_meant and not any(said in one for one in words)


def _undirected(query: Query, pack: Pack) -> set[int]:
    """The relations of a query, whichever way it follows them."""
    return {node.relation % pack.n_relations for node in query.walk() if isinstance(node, nodes.Follow)}


def _of_sex(word: str) -> str:
    """ "mother" of "grandmothers", as a relation is called."""
    last = re.sub(r"^grand-?", "", word.removesuffix("-in-law")).removesuffix("s")
    return last if last in KIN_WORDS else word
