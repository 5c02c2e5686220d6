"""Triple -> line of text, in the direction in which the plan walks it.

A forward step of (Lady Susan, author, Jane Austen) reads
``Lady Susan | author | Jane Austen``; the same triple walked from its object
reads ``Jane Austen | is author of | Lady Susan``. The form of Rigel + LM
(section 3.2), ``(Jane Austen, <inv>-author, Lady Susan)``, is kept for that
paper's prompt. What a triple is said with stands behind it:
``Marie Curie | award received | Nobel Prize in Physics (point in time: 1903)``.

Labels are untrusted: :func:`kgask.pack.labels.clean_label` turns a label into one harmless line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.pack.graph import Graph
from kgask.pack.labels import clean_label, inverse_phrase, readable_relation
from kgask.types import EntityId, ScoredTriple, TripleId

Words = tuple[tuple[str, str], ...]  # of one statement: relation and value
MAX_SAID_CHARS = 160


@dataclass(frozen=True, slots=True)
class Line:
    """One triple as it is walked: from ``start`` over ``relation`` to ``end``, all clean text."""

    start: str
    relation: str
    end: str
    start_id: EntityId
    end_id: EntityId
    inverse: bool
    plain_relation: str  # the relation's own label, whichever way it is walked
    qualifiers: str = ""  # point in time: 1903

    @property
    def said(self) -> str:
        """The qualifiers as they stand behind a triple."""
        return f" ({self.qualifiers})" if self.qualifiers else ""

    def text(self) -> str:
        """``Lady Susan | author | Jane Austen``."""
        return f"{self.start} | {self.relation} | {self.end}{self.said}"

    def rigel_text(self) -> str:
        """``(Paris, <inv>-capital-of, France)``: the prompt form of Rigel + LM, section 3.2."""
        if not self.inverse:
            return f"({self.start}, {self.plain_relation}, {self.end}){self.said}"
        return f"({self.start}, <inv>-{self.plain_relation.replace(' ', '-')}, {self.end}){self.said}"


def relation_words(graph: Graph) -> list[tuple[str, str]]:
    """``(forward, inverse)`` words of every relation, index = RelationId; generated where no inverse label is given."""
    words = []
    for text in graph.relations():
        forward = readable_relation(text.label)
        words.append((forward, clean_label(text.inverse_label) or inverse_phrase(forward)))
    return words


def directed_words(graph: Graph) -> list[str]:
    """Words of each directed relation [2R]."""
    both = relation_words(graph)
    return [words[inverse] for inverse in (0, 1) for words in both]


def statements_in_words(
    graph: Graph, triples: Iterable[TripleId], words: Sequence[str], clean: Callable[[str], str] = str
) -> dict[TripleId, tuple[Words, ...]]:
    """The statements of each triple that has any; labels in one batch. ``words`` are those of the relations [R]."""
    found = graph.statements(triples)
    values = list({value for statements in found.values() for one in statements for _, value in one})
    labels = dict(zip(values, map(clean, graph.labels(values)), strict=True))
    return {
        triple: tuple(tuple((words[relation], labels[value]) for relation, value in one) for one in statements)
        for triple, statements in found.items()
    }


def qualifiers_text(statements: Iterable[Words]) -> str:
    """One line for a person or a reader.

    >>> qualifiers_text([(("start", "1801"), ("end", "1805")), (("start", "1809"),)])
    'start: 1801, end: 1805; start: 1809'
    """
    return "; ".join(", ".join(f"{relation}: {value}" for relation, value in one) for one in statements)


def walked_ends(triples: Sequence[ScoredTriple], graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``(starts, relations, ends)`` of triples as walked, int64 [n] each.

    A TripleId is a row number in (subject, relation, object) order, so its
    subject is found in ``out_indptr``. Raises ValueError for an id that the graph does not have.
    """
    ids = np.fromiter((scored.triple for scored in triples), dtype=np.int64, count=len(triples))
    if ids.size and (ids.min() < 0 or ids.max() >= graph.n_triples):
        raise ValueError(f"no triple {int(ids.max())} in a graph of {graph.n_triples}")
    inverse = np.fromiter((scored.inverse for scored in triples), dtype=bool, count=len(triples))
    # Of the array's own dtype: for others searchsorted copies the whole array first.
    wanted = ids.astype(graph.out_indptr.dtype)
    subjects = np.searchsorted(graph.out_indptr, wanted, side="right").astype(np.int64) - 1
    objects = np.asarray(graph.out_object[ids], dtype=np.int64)
    relations = np.asarray(graph.out_relation[ids], dtype=np.int64)
    return np.where(inverse, objects, subjects), relations, np.where(inverse, subjects, objects)


def verbalise(
    triples: Sequence[ScoredTriple],
    graph: Graph,
    words: Sequence[tuple[str, str]] | None = None,
    clean: Callable[[str], str] = clean_label,
) -> list[Line]:
    """The triples as lines, in the given order; labels are fetched in one batch.

    ``words`` is :func:`relation_words` of the graph, for callers that keep it; ``clean`` makes a label
    one harmless line.
    """
    if not triples:
        return []
    words = relation_words(graph) if words is None else words
    starts, relations, ends = walked_ends(triples, graph)
    entities = list(dict.fromkeys([*starts.tolist(), *ends.tolist()]))
    labels = {entity: clean(label) for entity, label in zip(entities, graph.labels(entities), strict=True)}
    said = statements_in_words(graph, (scored.triple for scored in triples), [forward for forward, _ in words], clean)
    lines = []
    for scored, start, relation, end in zip(triples, starts.tolist(), relations.tolist(), ends.tolist(), strict=True):
        forward, inverse = words[relation]
        relation_text = inverse if scored.inverse else forward
        line = Line(labels[start], relation_text, labels[end], start, end, scored.inverse, forward)
        if scored.triple in said:
            line = replace(line, qualifiers=clean_label(qualifiers_text(said[scored.triple]), MAX_SAID_CHARS))
        lines.append(line)
    return lines
