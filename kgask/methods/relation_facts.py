"""What a pack's relations lead to, and numbers and dates of a question as such a relation has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache, partial

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import NUMBER, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import qualifier_axis, relation_axis
from kgask.query.base import Node
from kgask.query.own_units import in_unit, usual_unit
from kgask.retrieve.follow import reached_by, relations_of

_GENDER = frozenset({"gender", "sex", "sex or gender"})
SMALL = 10_000  # entities of a graph in which more is proposed and judged
TABLE = 1_000  # entities of one in which the judge's word counts otherwise: in one of 7,000 it was far too sure so
KEPT = 1000  # entities whose relations are remembered
MOST_SEXES, NAMED_SO = 50, 2  # entities whose sex is asked for; people who say what a first name's is
LOOKED_AT, ONE = 5000, 1.1  # triples of a relation that tell how many things it leads to, and how many are one


def is_small(pack: Pack) -> bool:
    """Whether a graph is somebody's own, as far as its size tells: its labels are as its owner thought of them."""
    return pack.n_entities <= SMALL


def is_table(pack: Pack) -> bool:
    """Whether it is as small as what somebody keeps by hand."""
    return pack.n_entities <= TABLE


class RelationFacts:
    """What the relations of a pack lead to, for queries; each is looked at once.

    ``paths`` and ``qualifiers`` (bool [2R]) are the directed relations that triples have, and statements.
    """

    def __init__(self, pack: Pack) -> None:
        self.pack, self.n_relations = pack, pack.n_relations
        self.of = lru_cache(None)(self._of)
        self._of_entity = lru_cache(KEPT)(lambda entity, _: relations_of(pack, np.array([entity])))
        self.leads_to_one = lru_cache(None)(partial(leads_to_one, pack))
        self.paths, self.qualifiers = np.zeros((2, 2 * pack.n_relations), bool)
        self.paths[np.concatenate([pack.path_relations, pack.path_relations + pack.n_relations])] = True
        self.qualifiers[distinct(pack.qualifier_relation).astype(np.int64)] = True

    def of_entity(self, entity: int) -> np.ndarray:
        """bool [2R]: the directed relations that leave an entity, as far as the graph is known."""
        return self._of_entity(entity, self.pack.n_fetches)

    def beside(self, entities: Iterable[int]) -> set[int]:
        """The relations that any of them has, in either direction."""
        return {int(one) % self.n_relations for entity in entities for one in np.flatnonzero(self.of_entity(entity))}

    def sexes_of(self, entities: np.ndarray) -> set[str]:
        """What the pack's relation of gender, if it has one, says of any of them, in lower case.

        Of one of whom it says nothing, that of all others who have the first name.
        """
        return set[str]().union(*(self._sexes_of(int(one)) for one in entities[:MOST_SEXES]))

    def are_all(self, entities: np.ndarray, sex: str) -> bool:
        """Whether each is known to be of a sex, as :meth:`sexes_of` says it."""
        return all(self._sexes_of(int(one)) == {sex} for one in entities[:MOST_SEXES])

    def _sexes_of(self, entity: int) -> set[str]:
        ends = {int(end) for relation in self._genders for end in reached_by(self.pack, np.array([entity]), relation)}
        if ends:
            return {label.lower() for label in self.pack.labels(sorted(ends))}
        found = self._first_names.get(_first_name(self.pack.labels([entity])[0]), {})
        return set(found) if len(found) == 1 and sum(found.values()) >= NAMED_SO else set()

    @cached_property
    def _genders(self) -> list[int]:
        return [at for at, text in enumerate(self.pack.relations()) if relation_phrase(text.label) in _GENDER]

    @cached_property
    def _first_names(self) -> dict[str, dict[str, int]]:
        """How many there are of each sex who have a first name, among those whose sex is known."""
        pack, found = self.pack, dict[str, dict[str, int]]()
        for relation in self._genders:
            places = np.flatnonzero(np.asarray(pack.out_relation) == relation)[:LOOKED_AT]
            people = np.searchsorted(pack.out_indptr, places.astype(pack.out_indptr.dtype), side="right") - 1
            sexes = pack.labels(np.asarray(pack.out_object)[places].tolist())
            for label, sex in zip(pack.labels(people.tolist()), sexes, strict=True):
                of_name = found.setdefault(_first_name(label), {})
                of_name[sex.lower()] = of_name.get(sex.lower(), 0) + 1
        return found

    def _of(self, relation: int) -> tuple[str | None, str]:
        """On which axis a relation says numbers or dates (None: it does not), and its usual unit."""
        pack, plain = self.pack, relation % self.n_relations
        axis = relation_axis(pack, plain)
        if axis is None:  # of plain numbers it is the empty text
            axis = qualifier_axis(pack, plain)
        values = pack.out_object[pack.out_relation == plain]
        if not len(values):
            values = pack.qualifier_value[pack.qualifier_relation == plain]
        return axis, usual_unit(pack, np.asarray(values))

    def fitting(self, options: Sequence[Node], relation: int | None) -> Node:
        """Of what a number or date may mean, the first that can be compared with what a relation leads to.

        A number without a unit is in the relation's own unit.
        """
        values: list[nodes.Constant] = [
            one for one in options if isinstance(one, nodes.Number | nodes.Date | nodes.Range)
        ]
        if relation is None or not values:
            return options[0]
        axis, unit = self.of(relation)
        alike = [value for value in values if value.quantity.axis == axis]
        if axis not in (None, *WHEN, NUMBER) and unit:
            alike += [found for value in values if (found := in_unit(value, unit)) is not None]
        return (alike or values)[0]


def leads_to_one(pack: Pack, relation: int) -> bool:
    """Whether a directed relation seldom leads from one thing to several, by :data:`LOOKED_AT` triples of it."""
    if counted := pack.counted(relation):
        return counted[0] <= ONE * counted[1]
    plain, out = relation % pack.n_relations, relation < pack.n_relations
    relations, indptr = (pack.out_relation, pack.out_indptr) if out else (pack.in_relation, pack.in_indptr)
    places = np.flatnonzero(np.asarray(relations) == plain)[:LOOKED_AT]
    owners = distinct(np.searchsorted(indptr, places.astype(indptr.dtype), side="right"))
    return len(places) <= ONE * len(owners)


def _first_name(label: str) -> str:
    return label.split(maxsplit=1)[0].lower() if " " in label else ""
