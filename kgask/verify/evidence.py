"""What a graph says of what a claim names, in lines that a judge reads beside the claim.

A line is a name's relation with all that it leads to, or one behind another ("the birthplace of the author of Emma").
The lines whose relations are alike to what is said of the names come first (KAPING, section 3.2, of relations instead
of triples), more so those that lead from one name to another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.answer.readings import several
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.methods.relation_likeness import RelationLikeness
from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.words import verbalise
from kgask.retrieve.follow import edges_of, reached_by, relations_of
from kgask.retrieve.trace import triple_ids
from kgask.types import DirectedRelationId, EntityId, Seed, TripleId, opposite
from kgask.verbalise import qualifiers_text, statements_in_words

MOST_LINES = 12  # of a claim
MOST_NAMES = 4
SURELY, WITH_CAPITAL = 0.1, 0.005  # score from which a name is looked at; beside surer ones a sure one has little
CONNECTS = 0.3  # of likeness, that a line leads to another name
FURTHER = 0.1  # ... that it takes two steps to lead anywhere
FIRSTS = 4  # relations of a name that another is put behind
FEW = 3  # things of which more is told
MOST_TRIPLES = 5


@dataclass(frozen=True, slots=True)
class Line:
    """What a path from a name leads to."""

    start: EntityId
    relations: tuple[DirectedRelationId, ...]
    words: str
    outcome: str

    @property
    def told(self) -> tuple[str, str]:
        return self.words, self.outcome


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    start: int
    relations: tuple[int, ...]
    ends: np.ndarray  # int64
    connects: bool  # some of the ends are other names
    likeness: float

    @property
    def worth(self) -> float:
        return self.likeness + CONNECTS * self.connects - FURTHER * (len(self.relations) - 1)


class Evidence:
    """Finds it in one pack."""

    def __init__(self, pack: Pack, linker: Linker, likeness: RelationLikeness) -> None:
        self._pack, self._linker, self._likeness, self._n = pack, linker, likeness, pack.n_relations

    def of(self, claim: str, about: Sequence[EntityId] = (), most: int = MOST_LINES) -> list[Line]:
        """At most so many lines, the likeliest first; none for a claim that names nothing.

        ``about`` are entities that it is about, beside those that it names.
        """
        named = self._names(claim)
        text, ids = _masked(claim, named), {*about, *(one.entity for one in named)}
        found = list(self._nearest(text, ids))
        found += self._behind(text, ids, found)
        return [self._line(path, ids) for path in sorted(found, key=lambda path: (-path.worth, len(path.ends)))[:most]]

    def triples(self, line: Line) -> list[TripleId]:
        """The triples of a line, the first :data:`MOST_TRIPLES` of each step."""
        here, found = np.array([line.start]), list[int]()
        for relation in line.relations:
            edges = edges_of(self._pack, here, relation)
            found += triple_ids(self._pack, edges.where(np.arange(len(edges)) < MOST_TRIPLES)).tolist()
            here = distinct(edges.targets)
        return found

    def _names(self, claim: str) -> list[Seed]:
        """The surest names of mentions apart; numbers and dates are none."""
        kept: list[Seed] = []
        firsts = [mention.seeds[0] for mention in self._linker.link(read_marks(claim))]
        first_literal = self._pack.n_entities - self._pack.n_literals
        for one in sorted(firsts, key=lambda seed: -seed.score):
            start, end = one.span
            least = WITH_CAPITAL if claim[start].isupper() else SURELY
            if (
                one.score >= least
                and one.entity < first_literal
                and all(end <= seed.span[0] or seed.span[1] <= start for seed in kept)
            ):
                kept.append(one)
        return kept[:MOST_NAMES]

    def _nearest(self, text: str, ids: set[int]) -> Iterator[_Path]:
        starts = [(one, np.flatnonzero(relations_of(self._pack, np.array([one]))).tolist()) for one in sorted(ids)]
        steps = [(one, (relation,)) for one, relations in starts for relation in relations]
        yield from self._paths(text, ids, steps, [np.array([one]) for one, _ in steps])

    def _behind(self, text: str, ids: set[int], nearest: Sequence[_Path]) -> Iterator[_Path]:
        """Of the few things that the likeliest relations of each name lead to, what they lead to."""
        steps, before = list[tuple[int, tuple[int, ...]]](), list[np.ndarray]()
        first_literal = self._pack.n_entities - self._pack.n_literals
        for one in sorted(ids):
            usable = [path for path in nearest if path.start == one and len(path.ends) <= FEW]
            usable = [path for path in usable if (path.ends < first_literal).all()]
            for path in sorted(usable, key=lambda path: -path.likeness)[:FIRSTS]:
                for relation in np.flatnonzero(relations_of(self._pack, path.ends)).tolist():
                    if relation != opposite(path.relations[0], self._n):
                        steps.append((one, (*path.relations, relation)))
                        before.append(path.ends)
        yield from self._paths(text, ids, steps, before)

    def _paths(
        self, text: str, ids: set[int], steps: Sequence[tuple[int, tuple[int, ...]]], before: Sequence[np.ndarray]
    ) -> Iterator[_Path]:
        alike = self._likeness.of(text, [relations for _, relations in steps])
        for (one, relations), ends, like in zip(steps, before, alike, strict=True):
            reached = reached_by(self._pack, ends, relations[-1])
            others = np.array(sorted(ids - {one}), np.int64)
            yield _Path(one, relations, reached, bool(np.isin(reached, others).any()), like)

    def _line(self, path: _Path, ids: set[int]) -> Line:
        query: SetNode = nodes.Entities((path.start,))
        for relation in path.relations:
            query = nodes.Follow(query, relation)
        named = np.isin(path.ends, sorted(ids))
        ends = [*path.ends[named].tolist(), *path.ends[~named].tolist()]  # what is named is not cut off
        number = f"{len(ends):,}: " if len(ends) > 1 else ""
        said = self._statements(path) if len(ends) <= FEW else {}
        if any(said.values()):
            told = zip(self._pack.labels(ends), map(said.__getitem__, ends), strict=True)
            outcome = ", ".join(f"{label} ({about})" if about else label for label, about in told)
        else:
            outcome = several(ends, self._pack)
        return Line(path.start, path.relations, verbalise(query, self._pack), number + outcome)

    def _statements(self, path: _Path) -> dict[int, str]:
        """What qualifiers say of the triples that lead to each end; of paths of one step forwards."""
        if len(path.relations) > 1 or path.relations[0] >= self._n or not self._pack.n_statements:
            return {}
        edges = edges_of(self._pack, np.array([path.start]), path.relations[0])
        names = [text.label for text in self._pack.relations()]
        said = statements_in_words(self._pack, edges.rows.tolist(), names)
        of_end = zip(edges.targets.tolist(), edges.rows.tolist(), strict=True)
        return {end: qualifiers_text(said.get(row, ())) for end, row in of_end}


def _masked(claim: str, named: Sequence[Seed]) -> str:
    for start, end in sorted((one.span for one in named), reverse=True):
        claim = f"{claim[:start]}it{claim[end:]}"
    return claim
