"""What a SPARQL query says about its question: topics, relations on the way to the answer, triples without variables.

No query is run: rdflib parses it, and its triple patterns are read. FILTER, NOT EXISTS, MINUS, VALUES, BIND and SERVICE
hold no patterns of the question and are passed over; OPTIONAL, UNION and sub-selects are read like the rest. Statement
nodes of Wikidata (``p:P39 ?s. ?s ps:P39 ?x``) become one step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from kgask.errors import ModelError
from kgask.sets.keys import graph_key

_WIKIDATA = "http://www.wikidata.org/prop/"
_WELL_KNOWN = {
    "wd": "http://www.wikidata.org/entity/", "wdt": f"{_WIKIDATA}direct/", "p": _WIKIDATA,
    "ps": f"{_WIKIDATA}statement/", "pq": f"{_WIKIDATA}qualifier/",
    "dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/", "dbr": "http://dbpedia.org/resource/",
    "dbpedia": "http://dbpedia.org/resource/", "res": "http://dbpedia.org/resource/", "ns": "http://rdf.freebase.com/ns/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}  # fmt: skip
_PREFIX = re.compile(r"PREFIX\s+([\w-]*):\s*<([^<>]*)>", re.IGNORECASE)
_ANSWER = re.compile(r"[?$](\w+)")
# What Virtuoso takes and the standard does not; both stand in filters only, which are not read.
_NOT_STANDARD = ((re.compile(r"\bOR\b", re.IGNORECASE), "||"), (re.compile(r"\bAND\b", re.IGNORECASE), "&&"))
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
IS_A = frozenset((
    _TYPE, _TYPE.replace("http:", "https:"), "P31", "P279", "/type/object/type", "/common/topic/notable_types",
))  # fmt: skip
TEXTS = frozenset(("http://www.w3.org/2000/01/rdf-schema#label", "/type/object/name"))
_KIND = re.compile(rf"{re.escape(_WIKIDATA)}(?:(statement|qualifier|direct)/)?P\d+")
STATEMENT, VALUE, QUALIFIER, DIRECT = "", "statement", "qualifier", "direct"

Pattern = tuple[str, str, str]  # subject, relation, object; variables begin with "?", literals with a quote


@dataclass(frozen=True, slots=True)
class Step:
    """A relation of a property path. ``kind`` is Wikidata's way to write it; None for relations of other graphs."""

    relation: str
    kind: str | None = None
    turned: bool = False  # walked from object to subject
    often: str = ""  # "*", "+" or "?": how many times it may be taken


@dataclass(frozen=True, slots=True)
class Written:
    """A triple pattern as it stands in the query; ``ways`` are the alternatives of its property path."""

    subject: str
    ways: tuple[tuple[Step, ...], ...]
    obj: str


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """What :func:`query_facts` finds; keys are those of :func:`kgask.sets.keys.graph_key`."""

    topics: tuple[str, ...]  # entities; classes only where nothing else is named
    relations: tuple[str, ...]  # farthest from the answer first, "^" where walked from object to subject
    hops: int | None  # steps from the farthest topic to the answer; None where none leads there
    triples: tuple[Pattern, ...]  # patterns without a variable
    form: str  # "select", "ask" or "count"


def query_facts(query: str) -> QueryFacts:
    """Read a query; what is no SPARQL yields nothing."""
    head = query.partition("{")[0]
    form = _form(head)
    patterns = [pattern for pattern in _without_statements(_walked(patterns_of(query))) if pattern[1] not in TEXTS]
    topics = _topics(patterns)
    answer = _ANSWER.search(head)
    distances = _distances(patterns, f"?{answer[1]}") if answer else {}
    hops = max((distances[topic] for topic in topics if topic in distances), default=0)
    grounded = tuple(pattern for pattern in patterns if not any(_is_variable(part) for part in pattern))
    if form == "ask" and grounded and len(grounded) == len(patterns):
        hops = 1
    return QueryFacts(topics, _directed(patterns, distances), hops or None, grounded, form)


def _form(head: str) -> str:
    head = _PREFIX.sub(" ", head).upper()
    return "ask" if re.search(r"\bASK\b", head) else "count" if re.search(r"\bCOUNT\s*\(", head) else "select"


def _topics(patterns: Sequence[Pattern]) -> tuple[str, ...]:
    named = [end for s, r, o in patterns for end in ((s,) if r in IS_A else (s, o)) if _is_entity(end)]
    classes = [o for _, r, o in patterns if r in IS_A and _is_entity(o)]
    return tuple(dict.fromkeys(named or classes))


def _is_variable(part: str) -> bool:
    return part.startswith("?")


def _is_entity(part: str) -> bool:
    return not part.startswith(("?", '"'))


# --- triple patterns --------------------------------------------------------------------------


def patterns_of(query: str, plain: bool = False) -> list[Written]:
    """Every triple pattern in the order of the text; with ``plain`` none of a query that holds anything else.

    Only what stands in the outermost braces is parsed: a head such as ``SELECT COUNT(?x)`` is no standard SPARQL.
    Raises ModelError where rdflib is not installed.
    """
    try:
        from rdflib.plugins.sparql.parser import parseQuery
    except ModuleNotFoundError:
        raise ModelError("sets with SPARQL need rdflib; install it with: pip install rdflib") from None
    body = query[query.find("{") : query.rfind("}") + 1]
    for said, standard in _NOT_STANDARD:
        body = said.sub(standard, body)
    try:
        group = parseQuery(f"SELECT * {body}")[1].where
    except Exception:  # whatever a parser of any text may raise: it is no SPARQL
        return []
    after = query[query.rfind("}") + 1 :].strip()
    if plain and (after or {part.name for part in group.part} != {"TriplesBlock"}):
        return []
    return list(_Reader(_WELL_KNOWN | dict(_PREFIX.findall(query))).patterns(group))


class _Reader:
    """Walks rdflib's parse tree (named nodes with attributes) of one query."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self._prefixes = prefixes

    def patterns(self, group: Any) -> Iterator[Written]:
        """Of a group and those inside it."""
        if group.name == "SubSelect":
            group = group.where
        for part in group.part or ():
            if part.name == "TriplesBlock":
                for flat in part.triples:
                    for at in range(0, len(flat), 3):
                        ways = tuple(self._ways(flat[at + 1]))
                        yield Written(self._text(flat[at]), ways, self._text(flat[at + 2]))
            elif part.name in ("GroupOrUnionGraphPattern", "OptionalGraphPattern", "GraphGraphPattern"):
                for inner in part.graph if isinstance(part.graph, list) else [part.graph]:
                    yield from self.patterns(inner)

    def _ways(self, path: Any, turned: bool = False) -> Iterator[tuple[Step, ...]]:
        """Alternatives of a property path, each a way of steps."""
        name = getattr(path, "name", "")  # of a composed path: a variable, an IRI and a prefixed name have none of them
        if name == "PathAlternative":
            for part in path.part:
                yield from self._ways(part, turned)
        elif name == "PathSequence":
            parts = [list(self._ways(part, turned)) for part in (reversed(path.part) if turned else path.part)]
            yield from (sum(way, ()) for way in product(*parts))
        elif name == "PathEltOrInverse":
            yield from self._ways(path.part, not turned)
        elif name == "PathElt":
            yield from (tuple(replace(step, often=path.mod or step.often) for step in way)
                        for way in self._ways(path.part, turned))  # fmt: skip
        elif name != "PathNegatedPropertySet":
            yield (self._step(path, turned),)

    def _step(self, relation: Any, turned: bool) -> Step:
        kind = _KIND.fullmatch(self._iri(relation) or "")
        return Step(self._text(relation), (kind[1] or STATEMENT) if kind else None, turned)

    def _iri(self, term: Any) -> str | None:
        """The whole IRI of a term; None for a variable, a literal, and a prefix that nobody knows."""
        from rdflib import URIRef

        if getattr(term, "name", "") == "pname":
            begin = self._prefixes.get(term.prefix or "")
            return None if begin is None else begin + (term.localname or "")
        return str(term) if isinstance(term, URIRef) else None

    def _text(self, term: Any) -> str:
        from rdflib import BNode, Variable

        if isinstance(term, Variable | BNode):
            return f"?{term}"
        iri = self._iri(term)
        if iri is not None:
            return graph_key(iri)
        if getattr(term, "name", "") == "pname":
            return f"{term.prefix or ''}:{term.localname or ''}"
        return f'"{term.string if getattr(term, "name", "") == "literal" else term}"'


def _walked(written: Sequence[Written]) -> list[tuple[str, Step, str]]:
    """One relation after the other, whole ways of property paths through variables of their own."""
    found: list[tuple[str, Step, str]] = []
    for pattern in written:
        for way in pattern.ways:
            ends = [pattern.subject, *(f"?path{len(found) + at}" for at in range(1, len(way))), pattern.obj]
            for start, step, end in zip(ends, way, ends[1:], strict=False):
                found.append((end, step, start) if step.turned else (start, step, end))
    return found


def _without_statements(found: Sequence[tuple[str, Step, str]]) -> list[Pattern]:
    """A statement node that leads on to its value is that value."""
    nodes = {o: step.relation for _, step, o in found if step.kind == STATEMENT and _is_variable(o)}
    values = {s: o for s, step, o in found if step.kind == VALUE and nodes.get(s) == step.relation}
    merged = [
        (values.get(s, s), step.relation, values.get(o, o))
        for s, step, o in found
        if not (step.kind == VALUE and values.get(s) == o and nodes.get(s) == step.relation)
    ]
    return list(dict.fromkeys(merged))


# --- which way the question goes ----------------------------------------------------------------


def _distances(patterns: Sequence[Pattern], answer: str) -> dict[str, int]:
    """Steps from the answer to every end that variables lead to."""
    found = {answer: 0}
    queue = [answer]
    for at in queue:
        for s, r, o in patterns:
            for start, end in ((s, o), (o, s)):
                if start == at and end not in found and not (r in IS_A and end == o):
                    found[end] = found[at] + 1
                    queue += [end] if _is_variable(end) else []
    return found


def _directed(patterns: Sequence[Pattern], distances: dict[str, int]) -> tuple[str, ...]:
    """Relations from the farthest topic to the answer; what only says of which class a thing is, is no step.

    What hangs off the way (the date that a question sorts by) is read outward.
    """
    far = len(patterns) + 1
    uses = Counter(end for s, _, o in patterns for end in (s, o))
    steps = []
    for s, r, o in patterns:
        if _is_variable(r) or (r in IS_A and o not in distances):
            continue
        start, end = distances.get(s, far), distances.get(o, far)
        hangs = any(_is_variable(outer) and uses[outer] == 1 and distances.get(outer) for outer in (s, o))
        steps.append((max(start, end), f"^{r}" if start != end and (start < end) != hangs else r))
    return tuple(step for _, step in sorted(steps, key=lambda step: -step[0]))
