"""What of a graph was asked for, what is known of it, and the query that fetches the difference.

A *code* is an entity and what of its triples: ``entity * W + what``, W = 2R + 3, where ``what`` is a directed relation,
or one of :data:`OUT`, :data:`IN` and :data:`SEEN` after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgask.pack.arrays import distinct
from kgask.remote.stated import COLUMNS, Statements

OUT, IN, SEEN = 0, 1, 2  # + 2R: all triples out of an entity, all into it, one of each relation into a hub
HUB = 5000  # triples into an entity from which on they are not fetched for the sake of which relations there are
MOST_LOOKED_AT = 250  # relations of a hub that are looked at, those with most triples first
MOST_TERMS = 20_000  # in the VALUES of one query; more are asked for in another one

NONE = np.empty(0, np.int64)


@dataclass(slots=True)
class Wanted:
    """The codes that were asked for and are not known, relations of entities whose statements are wanted, directed
    relations of which all owners are, and entities without a label."""

    codes: list[np.ndarray] = field(default_factory=list)
    stated: list[np.ndarray] = field(default_factory=list)  # of triples out of an entity: entity * R + relation
    owners: set[int] = field(default_factory=set)
    labels: set[int] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.codes or self.stated or self.owners or self.labels)


class Known:
    """Which triples of a graph with R relations were fetched."""

    def __init__(self, n_relations: int) -> None:
        self.n_relations, self.width = n_relations, 2 * n_relations + 3
        self.codes = self.stated = NONE  # ascending
        self.owners: set[int] = set()
        self.labels: set[int] = set()

    def missing(self, entities: np.ndarray, relations: np.ndarray) -> np.ndarray:
        """The codes of the entities' directed relations that are not known."""
        codes = (entities[:, None] * self.width + relations).ravel()
        whole = entities[:, None] * self.width + 2 * self.n_relations + (relations >= self.n_relations)
        return codes[~(_has(self.codes, codes) | _has(self.codes, whole.ravel()))]

    def missing_rows(self, entities: np.ndarray, inverse: bool, is_hub: np.ndarray) -> np.ndarray:
        """The codes of the entities' triples in one direction that are not known; of a hub they are looked at only."""
        row = entities * self.width + 2 * self.n_relations
        whole = row + (IN if inverse else OUT)
        wanted = np.where(is_hub & inverse, row + SEEN, whole)
        return wanted[~(_has(self.codes, wanted) | _has(self.codes, whole))]

    def missing_statements(self, entities: np.ndarray, relations: np.ndarray) -> np.ndarray:
        """The codes of the entities' (plain) relations beside them whose statements are not known."""
        codes = distinct(entities * self.n_relations + relations)
        return codes[~_has(self.stated, codes)]

    def covers_statements(self, entities: np.ndarray, relations: np.ndarray) -> np.ndarray:
        """bool [n]: whether the statements of each entity's triples with the relation beside it were fetched."""
        return _has(self.stated, entities * self.n_relations + relations)

    def learn(self, wanted: Wanted) -> None:
        self.codes = distinct(np.concatenate([self.codes, *wanted.codes]))
        self.stated = distinct(np.concatenate([self.stated, *wanted.stated]))
        self.owners |= wanted.owners
        self.labels |= wanted.labels

    def covers(self, entities: np.ndarray, relations: np.ndarray, inverse: bool) -> np.ndarray:
        """bool [n]: whether the triples of each entity with the directed relation beside it were fetched."""
        whole = entities * self.width + 2 * self.n_relations + (IN if inverse else OUT)
        return _has(self.codes, entities * self.width + relations) | _has(self.codes, whole)


def _has(known: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """bool [n]: which codes are among those that are known (ascending)."""
    if not len(known):
        return np.zeros(len(codes), bool)
    return known[np.minimum(np.searchsorted(known, codes), len(known) - 1)] == codes


class Writer:
    """Writes one SELECT for what is wanted; every part has at most ``most`` rows.

    ``terms`` gives the SPARQL terms of entities, ``relations`` are the IRIs of relations in angle brackets, ``common``
    the relations in the order of how often they are said, ``texts`` the IRIs of labels, ``statements`` how the endpoint
    tells statements.
    """

    def __init__(
        self,
        terms: Callable[[Sequence[int]], list[list[str]]],
        relations: Sequence[str],
        common: Sequence[int],
        texts: Sequence[str],
        most: int,
        statements: Statements,
    ) -> None:
        self._terms, self._relations, self._texts, self._most = terms, relations, texts, most
        self._statements = statements
        self._looked_at = list(common)[:MOST_LOOKED_AT]

    def queries(self, wanted: Wanted) -> Iterator[str]:
        """One, as a rule."""
        parts: list[str] = []
        size = 0
        for n_terms, part in self._parts(wanted):
            if parts and size + n_terms > MOST_TERMS:
                yield _together(parts)
                parts, size = [], 0
            parts.append(part)
            size += n_terms
        if parts:
            yield _together(parts)

    def _parts(self, wanted: Wanted) -> Iterator[tuple[int, str]]:
        """Each with the number of terms in it."""
        n = len(self._relations)
        codes = distinct(np.concatenate([NONE, *wanted.codes]))
        entities, what = codes // (2 * n + 3), codes % (2 * n + 3)
        of_whole = {end: entities[what == 2 * n + end] for end in (OUT, IN)}
        for one in distinct(what).tolist():
            members = entities[what == one]
            if one == 2 * n + SEEN:
                for entity in members.tolist():
                    yield from self._look_at(entity)
            elif one >= 2 * n:
                yield from self._rows(one == 2 * n + IN, members, None)
            else:
                members = members[~np.isin(members, of_whole[IN if one >= n else OUT])]
                yield from self._rows(one >= n, members, self._relations[one % n])
        yield from self._stated(distinct(np.concatenate([NONE, *wanted.stated])))
        for relation in sorted(wanted.owners):
            end, said = "?o" if relation >= n else "?s", self._relations[relation % n]
            yield 1, f"SELECT DISTINCT {end} ?p WHERE {{ ?s {said} ?o BIND({said} AS ?p) }} LIMIT {self._most}"
        labels = np.array(sorted(wanted.labels), np.int64)
        for text in self._texts:
            yield from self._rows(False, labels, text)

    def _rows(self, inverse: bool, entities: np.ndarray, relation: str | None) -> Iterator[tuple[int, str]]:
        """The relation is written into the pattern: some engines read all triples where it is one of VALUES."""
        variable = "?o" if inverse else "?s"
        pattern = "?s ?p ?o" if relation is None else f"?s {relation} ?o BIND({relation} AS ?p)"
        for start in range(0, len(entities), MOST_TERMS // 2):
            terms = [term for of in self._terms(entities[start : start + MOST_TERMS // 2].tolist()) for term in of]
            terms = [term for term in terms if inverse or term.startswith("<")]  # no literal is a subject
            if terms:
                values = f"VALUES {variable} {{ {' '.join(terms)} }}"
                yield len(terms), f"SELECT ?s ?p ?o WHERE {{ {values} {pattern} }} LIMIT {self._most}"

    def _stated(self, codes: np.ndarray) -> Iterator[tuple[int, str]]:
        """The statements of entities' triples, by relation."""
        n = len(self._relations)
        for relation in distinct(codes % n).tolist():
            terms = [term for of in self._terms((codes[codes % n == relation] // n).tolist()) for term in of]
            for start in range(0, len(terms), MOST_TERMS // 2):
                some = terms[start : start + MOST_TERMS // 2]
                values = f"VALUES ?s {{ {' '.join(some)} }}"
                yield len(some), self._statements.query(self._relations[relation][1:-1], values, self._most)

    def _look_at(self, entity: int) -> Iterator[tuple[int, str]]:
        """One triple of each relation that leads to a hub."""
        for term in self._terms([entity])[0]:
            for relation in self._looked_at:
                said = self._relations[relation]
                pattern = f"?s {said} ?o BIND({said} AS ?p)"
                yield 1, f"SELECT ?s ?p ?o WHERE {{ VALUES ?o {{ {term} }} {pattern} }} LIMIT 1"


def _together(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"SELECT {COLUMNS} WHERE {{\n" + "\nUNION\n".join(f"{{ {part} }}" for part in parts) + "\n}"
