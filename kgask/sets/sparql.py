"""What a SPARQL query says about its question: topics, relations on the way to the answer, triples without variables.

No query is run and none is checked: triple patterns are read from its text, as far as the public sets write them.
FILTER, NOT EXISTS, MINUS, VALUES, BIND and SERVICE hold no patterns of the question and are passed over; OPTIONAL,
UNION and sub-selects are read like the rest. Statement nodes of Wikidata (``p:P39 ?s. ?s ps:P39 ?x``) become one step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgask.sets.keys import graph_key

_WELL_KNOWN = {
    "wd": "http://www.wikidata.org/entity/",
    **dict.fromkeys(("wdt", "p", "ps", "pq"), "http://www.wikidata.org/prop/direct/"),
    "dbo": "http://dbpedia.org/ontology/", "dbp": "http://dbpedia.org/property/", "dbr": "http://dbpedia.org/resource/",
    "dbpedia": "http://dbpedia.org/resource/", "res": "http://dbpedia.org/resource/", "ns": "http://rdf.freebase.com/ns/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}  # fmt: skip
_TOKEN = re.compile(
    r"<[^<>\s]*>|[?$]\w+|\"(?:[^\"\\]|\\.)*\"(?:@[\w-]+|\^\^[^\s.;,)}]+)?|'(?:[^'\\]|\\.)*'(?:@[\w-]+)?"
    r"|[A-Za-z][\w-]*:(?:[\w%'&~!-]|\.(?=[\w%-])|\\.)*|[+-]?\d[\d.]*|[A-Za-z_]\w*|[{}().;,/*+|^?!=<>&\[\]-]"
)
_PREFIX = re.compile(r"PREFIX\s+([\w-]*):\s*<([^<>]*)>", re.IGNORECASE)
_PASSED_OVER = frozenset(("FILTER", "MINUS", "VALUES", "BIND", "SERVICE", "NOT", "EXISTS"))
_BREAKS = frozenset(("{", "}", "OPTIONAL", "UNION", "GRAPH", "WHERE"))  # a pattern ends before these
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_IS_A = frozenset((
    _TYPE, _TYPE.replace("http:", "https:"), "P31", "P279", "/type/object/type", "/common/topic/notable_types",
))  # fmt: skip
_TEXTS = frozenset(("http://www.w3.org/2000/01/rdf-schema#label", "/type/object/name"))
_STATEMENT, _VALUE = "p", "ps"  # Wikidata's prefixes of the way to a statement node and of the way on to its value

Pattern = tuple[str, str, str]  # subject, relation, object; variables begin with "?", literals with a quote


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
    body, form = _body(query)
    patterns = [pattern for pattern in _patterns(query, body) if pattern[1] not in _TEXTS]
    topics = _topics(patterns)
    answer = next((token for token in _TOKEN.findall(query.partition("{")[0]) if token[0] in "?$"), "")
    distances = _distances(patterns, f"?{answer[1:]}") if answer else {}
    hops = max((distances[topic] for topic in topics if topic in distances), default=0)
    grounded = tuple(pattern for pattern in patterns if not any(_is_variable(part) for part in pattern))
    if form == "ask" and grounded and len(grounded) == len(patterns):
        hops = 1
    return QueryFacts(topics, _directed(patterns, distances), hops or None, grounded, form)


def _body(query: str) -> tuple[list[str], str]:
    """Tokens of the outermost braces, and the form of the query."""
    head, _, rest = query.partition("{")
    head = _PREFIX.sub(" ", head).upper()
    form = "ask" if re.search(r"\bASK\b", head) else "count" if re.search(r"\bCOUNT\s*\(", head) else "select"
    return _TOKEN.findall(rest.rpartition("}")[0]), form


def _topics(patterns: Sequence[Pattern]) -> tuple[str, ...]:
    named = [end for s, r, o in patterns for end in ((s,) if r in _IS_A else (s, o)) if _is_entity(end)]
    classes = [o for _, r, o in patterns if r in _IS_A and _is_entity(o)]
    return tuple(dict.fromkeys(named or classes))


def _is_variable(part: str) -> bool:
    return part.startswith("?")


def _is_entity(part: str) -> bool:
    return bool(part) and part[0] not in "?\"'+-" and not part[0].isdigit()


# --- triple patterns --------------------------------------------------------------------------


def _patterns(query: str, tokens: list[str]) -> list[Pattern]:
    """Every triple pattern, statement nodes of Wikidata drawn together."""
    prefixes = _WELL_KNOWN | dict(_PREFIX.findall(query))
    found: list[tuple[str, str, str, str]] = []  # subject, relation, object, the prefix of the relation as written
    fresh = iter(range(len(tokens) + 1))
    for subject, path, obj in _written(_question_tokens(tokens)):
        ends = _key(subject, prefixes), _key(obj, prefixes)
        for steps in _alternatives(path):
            at = ends[0]
            for number, (step, turned) in enumerate(steps, 1):
                to = ends[1] if number == len(steps) else f"?path{next(fresh)}"
                pair = (to, at) if turned else (at, to)
                found.append((pair[0], _key(step, prefixes), pair[1], step.partition(":")[0]))
                at = to
    return _without_statements(found)


def _key(token: str, prefixes: dict[str, str]) -> str:
    if token == "a":
        return _TYPE
    if token[0] in "?$":
        return f"?{token[1:]}"
    if token[0] == "<":
        return graph_key(token[1:-1])
    prefix, colon, rest = token.partition(":")
    if not colon or token[0] in "\"'":
        return token
    return graph_key(prefixes[prefix] + rest.replace("\\", "")) if prefix in prefixes else token


def _question_tokens(tokens: list[str]) -> Iterator[str]:
    """Tokens without what is passed over, and without the heads of sub-selects."""
    position = 0
    while position < len(tokens):
        word = tokens[position].upper()
        if word in _PASSED_OVER:
            position = _end_of_block(tokens, position + 1)
            yield "."
        elif word == "SELECT":
            while position < len(tokens) and tokens[position] != "{":
                position += 1
        else:
            yield "." if word in _BREAKS else tokens[position]
            position += 1


def _end_of_block(tokens: list[str], position: int) -> int:
    """Past the brackets that follow, and the words before them."""
    while position < len(tokens) and tokens[position] not in ("(", "{"):
        if tokens[position] in ("}", "."):
            return position
        position += 1
    depth = 0
    while position < len(tokens):
        depth += (tokens[position] in ("(", "{")) - (tokens[position] in (")", "}"))
        position += 1
        if depth == 0:
            break
    return position


def _written(tokens: Iterator[str]) -> Iterator[tuple[str, list[str], str]]:
    """(subject, tokens of the property path, object); ``;`` and ``,`` go on with the subject, and the path."""
    subject, path, parts = "", [], []
    for token in [*tokens, "."]:
        if token not in (".", ";", ","):
            parts.append(token)
            continue
        if len(parts) >= 3 and not subject:
            subject, path = parts[0], parts[1:-1]
            yield subject, path, parts[-1]
        elif len(parts) >= 2 and subject and not path:
            path = parts[:-1]
            yield subject, path, parts[-1]
        elif len(parts) == 1 and subject and path:
            yield subject, path, parts[0]
        parts = []
        if token == ".":
            subject, path = "", []
        elif token == ";":
            path = []


def _alternatives(path: Sequence[str]) -> list[list[tuple[str, bool]]]:
    """The ways of a property path, each of (relation, turned) steps; how often a step may be repeated is left out."""
    ways: list[list[tuple[str, bool]]] = [[]]
    turned = False
    for token in path:
        if token == "^":
            turned = True
        elif token == "|":
            ways.append([])
        elif token[0] in "<?$" or ":" in token or token == "a":
            ways[-1].append((token, turned))
            turned = False
    return [way for way in ways if way]


def _without_statements(found: Sequence[tuple[str, str, str, str]]) -> list[Pattern]:
    """A statement node that leads on to its value is that value."""
    nodes = {o: r for _, r, o, prefix in found if prefix == _STATEMENT and _is_variable(o)}
    values = {s: o for s, r, o, prefix in found if prefix == _VALUE and nodes.get(s) == r}
    merged = [
        (values.get(s, s), r, values.get(o, o))
        for s, r, o, prefix in found
        if not (prefix == _VALUE and values.get(s) == o and nodes.get(s) == r)
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
                if start == at and end not in found and not (r in _IS_A and end == o):
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
        if _is_variable(r) or (r in _IS_A and o not in distances):
            continue
        start, end = distances.get(s, far), distances.get(o, far)
        hangs = any(_is_variable(outer) and uses[outer] == 1 and distances.get(outer) for outer in (s, o))
        steps.append((max(start, end), f"^{r}" if start != end and (start < end) != hangs else r))
    return tuple(step for _, step in sorted(steps, key=lambda step: -step[0]))
