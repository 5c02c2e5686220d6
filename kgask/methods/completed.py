"""What a reading leaves out, put into it: a limit that the question also names, and what rows that link things are of.

"Which talks on 10 October begin before eleven?" is read for the day or for the hour; all that was read is narrowed by
the other, where just what was found has such a number, date or time. "What has Ann borrowed?" leads to loans, which
have no name but a number: what those are of is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.link.plurals import singulars
from kgask.link.values import ValueSpan
from kgask.methods.doubts import relations_in
from kgask.methods.origins import ASKS_WHEN, PEOPLE_COUNTED, ends_of_times
from kgask.methods.relation_facts import RelationFacts, is_small
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Comparison, Node, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.run import Runner

MOST_ENDS = 50  # of a set that are looked at
MOST_SETS, MOST_LIMITS, MOST_ROWS = 4, 3, 3
_WORDS: dict[Comparison, str] = {
    ">=": "from|since|at least|no (?:earlier|less|fewer) than|not before|starting(?: at| from)?|minimum(?: of)?",
    "<=": "by|until|till|up to|at most|no (?:later|more) than|not after|maximum(?: of)?",
    ">": "after|past|over|above|(?:more|later|higher|greater|longer|larger) than|exceeding|beyond",
    "<": "before|prior to|under|below|(?:less|fewer|earlier|lower|shorter|smaller) than",
}
_SIGNS = {
    sign: re.compile(rf"\b(?:{words})(?: about| around| the)* \Z", re.IGNORECASE) for sign, words in _WORDS.items()
}
_FROM = re.compile(r"\bfrom (?:the )?\Z", re.IGNORECASE)
_OR_MORE = re.compile(r" (?:or|and) (?:later|more|after|above|over|higher|longer|up)\b", re.IGNORECASE)
_OR_LESS = re.compile(r" (?:or|and) (?:earlier|less|before|below|under|fewer|lower|shorter)\b", re.IGNORECASE)
_FIRST_LAST = re.compile(r"\b(first|earliest|last|latest|most recent|newest)\b", re.IGNORECASE)
_LATE = ("last", "latest", "most recent", "newest")
_HOW_LONG = re.compile(
    r"\bhow (?:long|many (?:minutes|hours))\b|\bin (?:minutes|hours)\b|\b(?:journey|travel|running) time\b|"
    r"\bduration\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"\W*(?:and |so )?(?:what|who|whom)\b(?! (?:kind|sort|type|time|day|date|year|is|are|was)\b)", re.I)
_CODE = re.compile(r"(?=.*\d)[^\W\d_]{0,12}[ #/_.-]{0,2}[\dA-Z][\w./-]*(?:, \w+ \d+)?")


@dataclass(frozen=True, slots=True)
class Completed:
    """A query with what another left out, and the characters of the question that it is narrowed by."""

    query: Query
    place: tuple[int, int] | None = None


def sign_of(text: str, span: ValueSpan) -> Comparison:
    """How a question compares with a number or date in it, by the words around."""
    before, behind = text[: span.start], text[span.end :]
    if _OR_MORE.match(behind):
        return ">="
    if _OR_LESS.match(behind):
        return "<="
    is_period = any(isinstance(one, nodes.Date) and one.quantity.low < one.quantity.high for one in span.options)
    if is_period and _FROM.search(before):
        return "="  # "orders from April"
    return next((sign for sign, words in _SIGNS.items() if words.search(before)), "=")


def completed(
    query: Query, text: str, values: Sequence[ValueSpan], facts: RelationFacts, runner: Runner
) -> Iterator[Completed]:
    """Queries with what ``query`` leaves out of a question, the fullest first."""
    if not is_small(facts.pack):
        return
    narrowed = [*_narrowed(query, text, values, facts, runner)]
    for one in [*narrowed, Completed(query)]:
        ordered = [Completed(first, one.place) for first in _of_times(one.query, text, facts, runner)]
        for fuller in (one, *ordered):
            for further in _of_rows(fuller.query, text, facts, runner):
                yield replace(fuller, query=further)
        yield from ordered
    yield from narrowed
    yield from (Completed(one) for one in _lasting(query, text, facts.pack))


def _narrowed(
    query: Query, text: str, values: Sequence[ValueSpan], facts: RelationFacts, runner: Runner
) -> Iterator[Completed]:
    """A query narrowed by each number, date or time that it has nothing of."""
    said = {one for node in query.walk() for one in _said(node, facts.pack)}
    called = {word for label in facts.pack.relation_labels() for word in relation_phrase(label).split()}
    unused = [
        one
        for one in values
        if _limits(one, text) and said.isdisjoint(map(_bare, one.options)) and called.isdisjoint(_written(one))
    ]
    sets = [node for node in query.walk() if isinstance(node, SetNode) and not isinstance(node, nodes.Entities)]
    for span in unused:
        sign = sign_of(text, span)
        for base in sets[:MOST_SETS]:
            for relation in _measuring(base, span, facts, runner)[:MOST_LIMITS]:
                limit = facts.fitting([one for one in span.options if not isinstance(one, int)], relation)
                assert isinstance(limit, nodes.Number | nodes.Date | nodes.Range)
                compares: Comparison = "=" if isinstance(limit, nodes.Range) else sign
                where = nodes.Where(base, nodes.ValueOf((relation,)), compares, limit)
                yield Completed(where if base is query else replaced(query, base, where), span.place)


def _said(node: Node, pack: Pack) -> Iterator[object]:
    """The numbers and dates that a node of a query is, or begins with."""
    yield _bare(node)
    if isinstance(node, nodes.Entities):
        literals = pack.literals([one for one in node.ids if one >= pack.n_entities - pack.n_literals])
        yield from (one.text if one.kind == "date" else one.value for one in literals if one is not None)


def _of_times(query: Query, text: str, facts: RelationFacts, runner: Runner) -> Iterator[Query]:
    """The first or the last of a set, by when its members are, or when that was."""
    found = _FIRST_LAST.findall(text)
    if len(found) != 1 or not isinstance(query, SetNode) or any(isinstance(node, nodes.Best) for node in query.walk()):
        return
    if any(found[0].lower() in label.lower() for label in facts.pack.relation_labels()):
        return  # "whose last deploy was before 2024"
    if isinstance(query, nodes.Follow) and facts.of(query.relation)[0] is not None:
        base, asked = query.base, [query.relation]
    else:
        base, asked = query, []
    members = runner.members(base).certain[:MOST_ENDS]
    if len(members) < 2:
        return
    had = np.flatnonzero(relations_of(facts.pack, members)).tolist()
    fixed = {node.by.path[-1] for node in query.walk() if isinstance(node, nodes.Where) and node.comparison == "="}
    timed = [one for one in had if one < facts.n_relations and one not in fixed and facts.of(one)[0] in WHEN]
    for relation in timed[:MOST_LIMITS]:
        best = nodes.Best(base, nodes.ValueOf((relation,)), found[0].lower() in _LATE)
        wanted = {*asked, relation} if ASKS_WHEN.match(text) else set()
        yield from (nodes.Follow(best, one) for one in sorted(wanted)) if wanted else [best]


def _lasting(query: Query, text: str, pack: Pack) -> Iterator[Query]:
    """How long something takes that begins and ends at some time of day: the later less the earlier."""
    if _HOW_LONG.search(text) is None:
        return
    match query:
        case nodes.Follow(nodes.Entities((_,)) as thing, _) | (nodes.Entities((_,)) as thing):
            starts, ends = ends_of_times(pack)
            if len(starts) == len(ends) == 1:
                yield nodes.Difference(nodes.Values(thing, ends.pop()), nodes.Values(thing, starts.pop()))


def _limits(span: ValueSpan, text: str) -> bool:
    """Whether what is asked for is limited by it: a date or time; a number with a unit, or that is compared with."""
    if span.kind == "rank":
        return False
    has_unit = any(isinstance(one, nodes.Number) and one.unit for one in span.options)
    return span.kind == "date" or has_unit or sign_of(text, span) != "="


def _written(span: ValueSpan) -> set[str]:
    """As what a number or year may stand in the name of a relation: "honey 2024", "mites per 100"."""
    bare = map(_bare, span.options)
    return {str(int(one)) if isinstance(one, float) and one.is_integer() else str(one) for one in bare}


def _leads_to_things(members: np.ndarray, relation: int, pack: Pack) -> bool:
    """Whether something is said of what a relation leads to from some of a set: of volunteers, not of a role."""
    said = relations_of(pack, reached_by(pack, members, relation))[: pack.n_relations]
    said[list(pack.type_relations)] = False
    return bool(said.any())


def _bare(one: object) -> object:
    """A constant without the unit that a query may have given it; None for what is none."""
    match one:
        case nodes.Number(number):
            return number
        case nodes.Range(low, high):
            return _bare(low), _bare(high)
        case nodes.Date(text):
            return text
    return None if isinstance(one, Node) else one


def _measuring(base: SetNode, span: ValueSpan, facts: RelationFacts, runner: Runner) -> list[int]:
    """The relations by which members of a set have numbers or dates that one of the question may be compared with."""
    members = runner.members(base).certain[:MOST_ENDS]
    axes = {one.quantity.axis for one in span.options if not isinstance(one, int)}
    if not len(members):
        return []
    had = np.flatnonzero(relations_of(facts.pack, members)).tolist()
    return [one for one in had if one < facts.n_relations and facts.of(one)[0] in axes]


def _of_rows(query: Query, text: str, facts: RelationFacts, runner: Runner) -> Iterator[Query]:
    """What the things are of that were found, where these are rows without a name of their own, which nobody asked
    for; not of several names, which one row need not have together."""
    if isinstance(query, nodes.Count) and PEOPLE_COUNTED.search(text):
        of_rows = _of_rows(query.base, text, facts, runner)
        yield from (nodes.Count(one) for one in of_rows if isinstance(one, SetNode))
    if not isinstance(query, SetNode) or sum(isinstance(node, nodes.Entities) for node in query.walk()) > 1:
        return
    members = runner.members(query).certain[:MOST_ENDS]
    if not len(members) or not all(_CODE.fullmatch(label) for label in facts.pack.labels(members.tolist())):
        return
    said = {form for word in normalise(text).split() for form in (word, *singulars(word))}
    kinds = facts.pack.labels(runner.types(members).tolist())
    if any(said.issuperset(normalise(kind).split()) for kind in kinds):
        return
    used = {relation % facts.n_relations for relation in relations_in(query)}
    leading = [
        one
        for one in np.flatnonzero(relations_of(facts.pack, members)).tolist()
        if one < facts.n_relations
        and one not in used
        and facts.of(one)[0] is None
        and facts.paths[one]
        and one not in facts.pack.type_relations
    ]
    labels = facts.pack.relation_labels()
    called = [one for one in leading if said.issuperset(relation_phrase(labels[one]).lower().split())]
    asks = _WHAT.match(text) or PEOPLE_COUNTED.search(text)
    if asks is None or any(isinstance(node, nodes.Best) for node in query.walk()):
        leading = []
    told = [one for one in leading if len(leading) == 1 or _leads_to_things(members, one, facts.pack)]
    only = told if len(told) == 1 else []
    yield from (nodes.Follow(query, one) for one in (called or only)[:MOST_ROWS])
