"""Triple -> line of text, in the direction in which the plan walks it.

A forward step of (Lady Susan, author, Jane Austen) reads
``Lady Susan | author | Jane Austen``; the same triple walked from its object
reads ``Jane Austen | is author of | Lady Susan``. The form of Rigel + LM
(section 3.2), ``(Jane Austen, <inv>-author, Lady Susan)``, is kept for that
paper's prompt.

Labels are untrusted: :func:`clean_label` turns a label into one harmless line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kgask.protocols import Graph
from kgask.types import EntityId, ScoredTriple

MAX_LABEL_CHARS = 160

# Openers and closers of control tokens and chat markup: <|im_start|>, </s>, [INST], <<SYS>>,
# <start_of_turn>, {{ }}.
_MARKUP = re.compile(r"<\||\|>|</?s>|</?[A-Za-z_]+>|\[/?INST\]|<</?SYS>>|\{\{|\}\}|\{%|%\}|#{3,}", re.IGNORECASE)
_HEADED_BY_PREPOSITION = re.compile(r" (?:in|at|on|from|to|for|with|as|of|into|under|after)$")
_IRREGULAR = {"written": "wrote", "drawn": "drew", "sung": "sang", "made": "made", "led": "led", "won": "won"}


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


def clean_label(text: str, max_chars: int = MAX_LABEL_CHARS) -> str:
    """One line without control characters or model markup, at most ``max_chars`` long.

    Whatever is not printable (newlines, terminal escapes, NUL, bidirectional and zero-width marks) becomes
    a space; the field separator and chat markup are broken up, so that they can no longer
    be mistaken for the prompt's own.
    """
    text = "".join(char if char.isprintable() else " " for char in text[: 4 * max_chars])
    text = _MARKUP.sub(lambda found: " ".join(found.group()), text).replace("|", "/")
    text = " ".join(text.split())
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def readable_relation(label: str) -> str:
    """A relation label as words, its case kept; every text for a model or a reader begins with these.

    >>> readable_relation("/film/directed_by"), readable_relation("birthPlace"), readable_relation("ISO code")
    ('directed by', 'birth place', 'ISO code')
    """
    if "/" in label and " " not in label:
        label = label.rstrip("/").rsplit("/", 1)[-1]
    words = "".join(
        f" {char.lower()}" if char.isupper() and before.islower() else char for before, char in pairwise(f" {label}")
    )
    return clean_label(words.replace("_", " ")) or "related to"


def relation_phrase(label: str) -> str:
    """The words of a relation label in lower case and without ``/``: what the planner's encoder is fed."""
    return " ".join(readable_relation(label).replace("/", " ").lower().split())


def inverse_phrase(label: str) -> str:
    """Words for a relation that is walked from object to subject and has no inverse label of its own.

    >>> inverse_phrase("author"), inverse_phrase("directed by"), inverse_phrase("located in")
    ('is author of', 'directed', 'inverse of located in')
    """
    if label.endswith(" by") and len(label.split()) == 2:
        verb = label[:-3]
        return _IRREGULAR.get(verb, verb)
    if label.startswith(("has ", "have ")):
        return f"is {label.split(' ', 1)[1]} of"
    if label.endswith(" of"):
        return f"has {label[:-3]}"
    if _HEADED_BY_PREPOSITION.search(label) or label.endswith(" by"):
        return f"inverse of {label}"
    return f"is {label} of"


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
