"""WikiWebQuestions (Xu et al. 2023): WebQuestions with SPARQL over Wikidata.

Read are the queries that are a tree of plain triples: a chain from one entity,
or several entities that narrow the same answers. Filters, orders, limits,
unions and qualifiers asked for are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kgask.corpus.examples import PathExample, Step, mask_label, tidy, wikidata_example
from kgask.sets.files import read_json

Triple = tuple[str, str, str]
_TERM = r"(?:wd:Q\d+|\?\w+)"
_SUBJECT = re.compile(rf"({_TERM}) (.+)")
_STEP = re.compile(rf"(wdt|p|ps|pq):(P\d+)[+*]? ({_TERM})")
_TYPE = re.compile(rf"(?:wdt:P31/wdt:P279\*|wdt:P31|wdt:P279\*) {_TERM}")
ANSWER = "?x"


def wikiweb_questions(data: Path, labels: dict[str, str]) -> Iterator[PathExample]:
    """One example for every entity that the question names and that a path leads from."""
    for row in read_json(data / "wikiwebquestions" / "train.json.gz"):
        triples = query_triples(row["sparql"])
        if triples is None:
            continue
        topics = dict.fromkeys(end for s, _, o in triples for end in (s, o) if end.startswith("wd:"))
        masked = {topic: mask_label(row["utterance"], labels.get(topic[3:])) for topic in topics}
        named = [topic for topic in topics if masked[topic]]
        for topic in named:
            path = path_between(triples, topic)
            if path:
                yield wikidata_example(tidy(masked[topic]), path, "wikiweb", constrained=len(named) > 1)


def query_triples(sparql: str) -> list[Triple] | None:
    """The plain triples of a query, statement nodes folded and types left out; None for any other query."""
    body = re.fullmatch(r".*?WHERE\s*\{\s*(.*?)[\s.]*\}\s*", sparql, re.DOTALL)
    if body is None or "{" in body[1] or "FILTER" in body[1]:
        return None
    found: list[tuple[str, str, str, str]] = []
    for part in re.split(r"\s*\.\s+", body[1]):
        subject = _SUBJECT.fullmatch(part.strip())
        if subject is None:
            return None
        for clause in re.split(r"\s*;\s*", subject[2]):
            if _TYPE.fullmatch(clause):
                continue
            step = _STEP.fullmatch(clause)
            if step is None:
                return None
            found.append((subject[1], *step.groups()))
    return _folded(found)


def _folded(clauses: list[tuple[str, str, str, str]]) -> list[Triple] | None:
    """``a p:P ?s. ?s ps:P b`` as one triple; a qualifier's entity narrows it, a qualifier asked for is no path."""
    triples = [(s, key, o) for s, kind, key, o in clauses if kind == "wdt"]
    owners = {o: s for s, kind, _, o in clauses if kind == "p"}
    for subject, kind, key, obj in clauses:
        if kind == "ps":
            if subject not in owners:
                return None
            triples.append((owners[subject], key, obj))
        elif kind == "pq":
            if not obj.startswith("wd:"):
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
