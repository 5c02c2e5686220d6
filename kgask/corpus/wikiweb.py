"""WikiWebQuestions (Xu et al. 2023): WebQuestions with SPARQL over Wikidata.

Read are the queries that are a tree of plain triples: a chain from one entity,
or several entities that narrow the same answers. Filters, orders, limits,
unions and qualifiers asked for are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgask.corpus.examples import PathExample, Step, mask_label, tidy, wikidata_example
from kgask.sets import wikiwebquestions
from kgask.sets.rows import in_data
from kgask.sets.sparql import DIRECT, QUALIFIER, STATEMENT, VALUE, patterns_of

Triple = tuple[str, str, str]
_TERM = re.compile(r"\?\w+|Q\d+")
_TYPES = ("P31/P279*", "P31", "P279*")
ANSWER = "?x"


def wikiweb_questions(data: Path, labels: dict[str, str]) -> Iterator[PathExample]:
    """One example for every entity that the question names and that a path leads from."""
    for _, question, sparql in wikiwebquestions.rows(in_data(data, wikiwebquestions.TRAINING)):
        triples = query_triples(sparql)
        if triples is None:
            continue
        topics = dict.fromkeys(end for s, _, o in triples for end in (s, o) if not end.startswith("?"))
        masked = {topic: text for topic in topics if (text := mask_label(question, labels.get(topic)))}
        for topic, text in masked.items():
            path = path_between(triples, topic)
            if path:
                yield wikidata_example(tidy(text), path, "wikiweb", constrained=len(masked) > 1)


def query_triples(sparql: str) -> list[Triple] | None:
    """The plain triples of a query, statement nodes folded and types left out; None for any other query."""
    clauses = []
    for pattern in patterns_of(sparql, plain=True):
        way = pattern.ways[0] if len(pattern.ways) == 1 else ()
        if not (_TERM.fullmatch(pattern.subject) and _TERM.fullmatch(pattern.obj)):
            return None
        if "/".join(f"{step.relation}{step.often}" for step in way) in _TYPES:
            continue
        if len(way) != 1 or way[0].turned or not way[0].relation.startswith("P"):
            return None
        clauses.append((pattern.subject, way[0].kind, way[0].relation, pattern.obj))
    return _folded(clauses) if clauses else None


def _folded(clauses: Sequence[tuple[str, str | None, str, str]]) -> list[Triple] | None:
    """``a p:P ?s. ?s ps:P b`` as one triple; a qualifier's entity narrows it, a qualifier asked for is no path."""
    triples = [(s, key, o) for s, kind, key, o in clauses if kind == DIRECT]
    owners = {o: s for s, kind, _, o in clauses if kind == STATEMENT}
    for subject, kind, key, obj in clauses:
        if kind == VALUE:
            if subject not in owners:
                return None
            triples.append((owners[subject], key, obj))
        elif kind == QUALIFIER:
            if obj.startswith("?"):
                return None
            triples.append((subject, key, obj))
    return triples


def path_between(triples: list[Triple], topic: str) -> tuple[Step, ...] | None:
    """The steps from an entity to the answer; None when the triples do not lead there."""
    reached: dict[str, tuple[Step, ...]] = {topic: ()}
    queue = [topic]
    for at in queue:
        for subject, key, obj in triples:
            for here, there, inverse in ((subject, obj, False), (obj, subject, True)):
                if here == at and there not in reached and there.startswith("?"):
                    reached[there] = (*reached[at], (key, inverse))
                    queue.append(there)
    return reached.get(ANSWER) or None
