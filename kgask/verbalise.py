"""Triple -> line of text, in the direction in which the plan walks it.

A forward step of (Lady Susan, author, Jane Austen) reads
``Lady Susan | author | Jane Austen``; the same triple walked from its object
reads ``Jane Austen | is author of | Lady Susan``. The form of Rigel + LM
(section 3.2), ``(Jane Austen, <inv>-author, Lady Susan)``, is kept for that
paper's prompt.

Labels are untrusted: :func:`kgask.pack.labels.clean_label` turns a label into one harmless line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgask.pack.labels import clean_label, inverse_phrase, readable_relation
from kgask.protocols import Graph
from kgask.types import EntityId, ScoredTriple


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

    def text(self) -> str:
        """``Lady Susan | author | Jane Austen``."""
        return f"{self.start} | {self.relation} | {self.end}"

    def rigel_text(self) -> str:
        """``(Paris, <inv>-capital-of, France)``: the prompt form of Rigel + LM, section 3.2."""
        if not self.inverse:
            return f"({self.start}, {self.plain_relation}, {self.end})"
        return f"({self.start}, <inv>-{self.plain_relation.replace(' ', '-')}, {self.end})"


def relation_words(graph: Graph) -> list[tuple[str, str]]:
    """``(forward, inverse)`` words of every relation, index = RelationId.

    A graph that offers ``relations()`` (a pack) may give inverse labels; any
    other graph gets generated phrases.
    """
    describe = getattr(graph, "relations", None)
    texts: Sequence[Any] = describe() if callable(describe) else []
    words = []
    for index, label in enumerate(graph.relation_labels()):
        forward = readable_relation(label)
        given = clean_label(texts[index].inverse_label or "") if index < len(texts) else ""
        words.append((forward, given or inverse_phrase(forward)))
    return words


def directed_words(graph: Graph) -> list[str]:
    """Words of each directed relation [2R]."""
    both = relation_words(graph)
    return [words[inverse] for inverse in (0, 1) for words in both]


def walked_ends(triples: Sequence[ScoredTriple], graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``(starts, relations, ends)`` of triples as walked, int64 [n] each.

    A TripleId is a row number in (subject, relation, object) order, so its
    subject is found in ``out_indptr``. Raises ValueError for an id that the graph does not have.
    """
    ids = np.fromiter((scored.triple for scored in triples), dtype=np.int64, count=len(triples))
    if ids.size and (ids.min() < 0 or ids.max() >= graph.n_triples):
        raise ValueError(f"no triple {int(ids.max())} in a graph of {graph.n_triples}")
    inverse = np.fromiter((scored.inverse for scored in triples), dtype=bool, count=len(triples))
    subjects = np.searchsorted(graph.out_indptr, ids, side="right").astype(np.int64) - 1
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
    lines = []
    for scored, start, relation, end in zip(triples, starts.tolist(), relations.tolist(), ends.tolist(), strict=True):
        forward, inverse = words[relation]
        relation_text = inverse if scored.inverse else forward
        lines.append(Line(labels[start], relation_text, labels[end], start, end, scored.inverse, forward))
    return lines
