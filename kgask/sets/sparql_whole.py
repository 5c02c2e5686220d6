"""A whole SPARQL query of a published set: triples with what their statements say, classes, filters, order.

More than :mod:`kgask.sets.sparql` reads, of fewer queries: None for one that holds anything else (BIND, OPTIONAL,
MINUS, NOT EXISTS, alternatives joined by ||). Of a UNION that says the same by two relations the first is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgask.sets.sparql import IS_A, QUALIFIER, STATEMENT, TEXTS, VALUE, Step, Written, patterns_of

_OTHER = re.compile(
    r"\b(BIND|OPTIONAL|MINUS|NOT\s+EXISTS|VALUES|HAVING|SERVICE|LANG|CONTAINS|STR)\b|\|\|", re.IGNORECASE
)
_COMMENT = re.compile(r"(?m)(?<![<\w/])#[^\n]*")
_FILTER = re.compile(r"\bFILTER\b", re.IGNORECASE)
_CAST = re.compile(r"\b(?:xsd:\w+|year)\s*(?=\()", re.IGNORECASE)
_BEGINS = re.compile(r"regex\s*\(\s*(\?\w+)\s*,\s*[\"']\^(\d+)[\"']\s*\)", re.IGNORECASE)
_TERM = r"""(\?\w+|["'][^"']*["'](?:\^\^\S+)?|[-+]?\d+(?:\.\d+)?(?:E\d+)?)"""
_COMPARED = re.compile(rf"{_TERM}\s*(<=|>=|!=|<|>|=)\s*{_TERM}", re.IGNORECASE)
_ORDER = re.compile(
    r"ORDER\s+BY\s+(?:(ASC|DESC)\s*)?\(?\s*(COUNT\s*\(\s*(?:DISTINCT)?\s*\(?)?\s*(?:xsd:\w+\s*\(\s*)?(\?\w+)",
    re.IGNORECASE,
)
_LIMIT, _OFFSET = (re.compile(rf"\b{word}\s+(\d+)", re.IGNORECASE) for word in ("LIMIT", "OFFSET"))
_COUNT = re.compile(r"COUNT\s*\(\s*(?:DISTINCT)?\s*(\?\w+)", re.IGNORECASE)
_VARIABLE = re.compile(r"\?\w+")
_SUBCLASS = frozenset(("P31", "P279"))


@dataclass(frozen=True, slots=True)
class Said:
    """A triple, with pairs of qualifier and value of its statement."""

    subject: str
    relation: str
    object: str
    said: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Compared:
    left: str  # a variable
    comparison: str
    right: str  # a variable or a text


@dataclass(frozen=True, slots=True)
class Order:
    variable: str
    descending: bool
    counted: bool  # by how many there are of the variable
    limit: int
    offset: int


@dataclass(frozen=True, slots=True)
class WholeQuery:
    form: str  # "select", "ask" or "count"
    answer: str  # a variable; "" of an ask
    triples: tuple[Said, ...]
    classes: dict[str, str]  # end -> its class
    compared: tuple[Compared, ...]
    order: Order | None


def whole_query(sparql: str) -> WholeQuery | None:
    """Read a query; keys are those of :func:`kgask.sets.keys.graph_key`. Raises ModelError without rdflib."""
    sparql = _COMMENT.sub("", sparql)
    if _OTHER.search(sparql):
        return None
    head, _, _ = sparql.partition("{")
    compared, bare = _filters(sparql)
    written = patterns_of(bare)
    read = _triples(written)
    if compared is None or read is None:
        return None
    triples, classes = read
    counted, first = _COUNT.search(head), _VARIABLE.search(head)
    is_ask = re.search(r"\bASK\b", head, re.IGNORECASE)
    answer = "" if is_ask else (counted[1] if counted else first[0] if first else "")
    form = "ask" if is_ask else "count" if counted else "select"
    return WholeQuery(form, answer, triples, classes, compared, _order(sparql)) if triples or classes else None


def _order(sparql: str) -> Order | None:
    found = _ORDER.search(sparql)
    if not found:
        return None
    limit, offset = _LIMIT.search(sparql), _OFFSET.search(sparql)
    descending = (found[1] or "").upper() == "DESC"
    return Order(found[3], descending, bool(found[2]), int(limit[1]) if limit else 0, int(offset[1]) if offset else 0)


# --- filters ----------------------------------------------------------------------------------


def _filters(sparql: str) -> tuple[tuple[Compared, ...] | None, str]:
    """What all filters compare (None: something else), and the query without them."""
    found: list[Compared] = []
    while start := _FILTER.search(sparql):
        end = _closing(sparql, sparql.find("(", start.end()))
        parts = _comparisons(sparql[start.end() : end])
        if end <= 0 or parts is None:
            return None, sparql
        found += parts
        sparql = f"{sparql[: start.start()]} {sparql[end:]}"
    return tuple(found), sparql


def _closing(text: str, at: int) -> int:
    """The place after the bracket that closes the one at ``at``; 0 where none does."""
    depth = 0
    for place in range(at, len(text)) if at >= 0 else ():
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return 0


def _comparisons(text: str) -> list[Compared] | None:
    if begins := _BEGINS.search(text):
        return [Compared(begins[1], "=", begins[2])]
    found = []
    for part in re.sub(r"[()]", " ", _CAST.sub("", text)).split("&&"):
        match = _COMPARED.fullmatch(part.strip())
        if match is None or not match[1].startswith("?"):
            return None
        found.append(Compared(match[1], match[2], _value(match[3])))
    return found


def _value(text: str) -> str:
    return text.split("^^")[0].strip("\"'")


# --- triples ----------------------------------------------------------------------------------


def _triples(written: Sequence[Written]) -> tuple[tuple[Said, ...], dict[str, str]] | None:
    classes: dict[str, str] = {}
    steps: list[tuple[str, Step, str]] = []
    seen = set()
    for number, pattern in enumerate(written):
        if not pattern.ways or any(step.relation.startswith("?") for step in pattern.ways[0]):
            return None
        way = pattern.ways[0]
        if {step.relation for step in way} <= _SUBCLASS or way[0].relation in IS_A:
            classes.setdefault(pattern.subject, pattern.obj)
            continue
        if way[0].relation in TEXTS or (pattern.subject, pattern.obj) in seen:
            continue
        seen.add((pattern.subject, pattern.obj))
        ends = [pattern.subject, *(f"?way{number}x{at}" for at in range(1, len(way))), pattern.obj]
        steps += [(end, step, start) if step.turned else (start, step, end)
                  for (start, end), step in zip(pairwise(ends), way, strict=True)]  # fmt: skip
    if any(kind.startswith("?") for kind in classes.values()):
        return None
    return tuple(_folded(steps)), classes


def _folded(steps: Iterable[tuple[str, Step, str]]) -> list[Said]:
    """Statements of Wikidata, ``a p:P ?s. ?s ps:P b; pq:Q c``, as one triple each."""
    steps = list(steps)
    values = {s: o for s, step, o in steps if step.kind == VALUE}
    said: dict[str, list[tuple[str, str]]] = {}
    for s, step, o in steps:
        if step.kind == QUALIFIER:
            said.setdefault(s, []).append((step.relation, o))
    found: dict[tuple[str, str, str], Said] = {}
    for s, step, o in steps:
        if step.kind == STATEMENT:
            one = Said(s, step.relation, values.get(o, o), tuple(said.get(o, ())))
        elif step.kind in (VALUE, QUALIFIER):
            continue
        else:
            one = Said(s, step.relation, o)
        ends = one.subject, one.relation, one.object
        found[ends] = one if one.said or ends not in found else found[ends]
    return list(found.values())
