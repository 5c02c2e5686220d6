"""How long something lasted, or how old somebody became, by which a question chooses: "the longest reign".

A query that was read goes by one date, since the planner knows no other; here it goes by what lies between two of them.
Which two belong together the labels say ("reign start", "reign end"; "born", "died"), and that in the graph nearly none
ends before it starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgask.link.values import value_spans
from kgask.methods.accounted import unsaid_words
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import SECONDS, WHEN
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Comparison, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import RelationId, Seed

MOST_MEMBERS = 200  # whose relations and dates are looked at
MOST_PAIRS, MOST_BASES = 2, 3
IN_ORDER = 0.95  # of those with both dates, that must not end before they start
_LIFE = r"(?:liv(?:ed?|es)|age|lifespans?|life ?span|life|lives)"
_LASTS = (
    r"(?:last(?:ed|s|ing)?|took|takes?|taken|ran|runs?|went on|goes on|reign(?:ed|s)?|ruled?|served?|stayed|stood|open|"
    r"worked|employed|married|in (?:office|power|service|charge|business|use)|existed|survived|operated)"
)
_LASTING = (
    r"(?:reign\w*|rule|ruling|liv\w*|life\w*|lasting|serving|running|term|tenure|stay|career|marriage|war|siege|project|"
    r"period|spell|duration|loan|rental|lease|mission|trip|voyage|journey|tour|shift|visit|booking|time)"
)
_MOST = re.compile(
    rf"\b(?:{_LIFE}|{_LASTS}) (?:for )?(?:the )?(?:long|short)(?:est|er)\b|"
    rf"\b(?:long|short|brief)(?:est|er)[- ](?:[a-z]+[- ]){{0,2}}?{_LASTING}\b|"
    r"\b(?:great|high|old)est age\b|\b(?:reach|live|attain)\w* (?:to )?(?:a|the) (?:great|old|high)(?:er|est) age\b|"
    r"\bdied? (?:at (?:the|an?) )?(?:the )?(?:old|young)(?:est|er)\b|"
    r"\b(?:old|young)(?:est|er) (?:at|when|to die)\b.*\b(?:die[ds]?|death|dying)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(r"\b(?:short|brief|young)(?:est|er)\b", re.IGNORECASE)
_LIMIT = re.compile(
    rf"\b(?:{_LIFE}|{_LASTS})\b(?: to(?: be)?| for| until| beyond| past)* "
    r"(?P<sign>more than|over|longer than|at least|less than|under|shorter than|fewer than|beyond|past|to be|to)?\b",
    re.IGNORECASE,
)
_OF_LIFE = re.compile(rf"\b{_LIFE}\b|\bdie[ds]?\b|\bdying\b|\bdeath\b", re.IGNORECASE)
_BORN, _DIED = re.compile(r"\b(?:born|birth|b\.|dob)\b", re.I), re.compile(r"\b(?:died|death|d\.|dod)\b", re.I)
_STARTS = re.compile(
    r"\b(?:start\w*|beg[aiu]n\w*|formed|from|opened|opening|founded|since|inception|commission\w*|built|launch\w*|joined|"
    r"hired|issued|depart\w*|check\w* ?in|in|arriv\w*|acquired|establish\w*|created|acce\w+|admitted|out|lent|borrowed|"
    r"rented|received)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:end\w*|split|broke|finish\w*|until|till|to|clos\w+|dissol\w+|abolish\w*|decommission\w*|demolish\w*|left|leaving|retired|"
    r"return\w*|paid|complet\w+|check\w* ?out|last|sunk|lost|disband\w*|deliver\w*|discharged|removed|sold|back|due)\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"\W*(?:and |so )?(?:did|does|do|was|is|were|has|had)\b.* than\b", re.IGNORECASE)
_SIGNS: dict[str, Comparison] = {
    "more than": ">", "over": ">", "longer than": ">", "beyond": ">", "past": ">", "at least": ">=", "to": ">=",
    "to be": ">=", "less than": "<", "under": "<", "shorter than": "<", "fewer than": "<",
}  # fmt: skip
_SAID = (
    "longest shortest longer shorter long short brief time age life lived live reached reach greatest highest old "
    "oldest young youngest took taken takes last lasted lasts lasting ran run span lifespan died die when years year "
    "days months weeks for over under more less least than beyond past "
    "existed survived operated stood two"
)


def chooses_by_span(query: Query) -> bool:
    """Whether it goes by what lies between two dates or numbers."""
    return any(isinstance(node, nodes.SpanOf) for node in query.walk())


def limit_place(text: str) -> tuple[tuple[int, int], ...]:
    """The characters that say a limit of how long something lasted; none where none is said."""
    limit = _limit(text)
    return () if limit is None else (limit.place,)


def says_how_long(text: str) -> bool:
    """Whether a question chooses by how long something lasted, or how old somebody became."""
    return _MOST.search(text) is not None or _limit(text) is not None


def spanning(query: Query, text: str, facts: RelationFacts, runner: Runner) -> Iterator[Query]:
    """Queries that choose, of what a read query is about, by how long that lasted, where the question does."""
    most, limit = _MOST.search(text), _limit(text)
    if most is None and limit is None:
        return
    for base, whole, rank in _bases(query):
        for start, end in _pairs(base, text, facts, runner):
            by = nodes.SpanOf((start,), (end,))
            if most is not None:
                found: SetNode = nodes.Best(base, by, _LEAST.search(most[0]) is None, *rank)
            elif limit is not None:
                found = nodes.Where(base, by, limit.comparison, limit.number)
            yield found if whole is None else replaced(query, whole, found)


def as_truth(query: Query, text: str, seeds: Sequence[Seed]) -> Query:
    """Of two, whether it is the first that lasted longer, where that is asked: "Did Ann live longer than Bob?"."""
    if _WHETHER.match(text) is None or len(seeds) != 2 or not isinstance(query, nodes.Best):
        return query
    return nodes.Some(nodes.And(query, nodes.Entities((seeds[0].entity,))))


class _Limit(NamedTuple):
    comparison: Comparison
    number: nodes.Number
    place: tuple[int, int]  # characters of the question


def _limit(text: str) -> _Limit | None:
    """How a question limits how long something lasted: "lived over 80 years", "lived to be over 80"."""
    for span in value_spans(text):
        before = _LIMIT.search(text, 0, span.start)
        sign = _SIGNS.get((before["sign"] or "").lower()) if before is not None else None
        if sign is None or before is None or text[before.end() : span.start].strip() not in ("", "about"):
            continue
        numbers = [one for one in span.options if isinstance(one, nodes.Number)]
        lasting = [one for one in numbers if one.unit and one.quantity.axis == SECONDS]
        if not lasting and _OF_LIFE.search(before[0]):
            lasting = [nodes.Number(one.number, "year") for one in numbers if not one.unit]
        if lasting:
            return _Limit(sign, lasting[0], span.place)
    return None


def _bases(query: Query) -> Iterator[tuple[SetNode, SetNode | None, tuple[int, int]]]:
    """What is chosen from, the node that chooses it now, and the ranks: all of a set where nothing is chosen yet."""
    chosen = [node for node in query.walk() if isinstance(node, nodes.Best | nodes.Where)]
    for node in chosen[:MOST_BASES]:
        yield node.base, node, ((node.first, node.last) if isinstance(node, nodes.Best) else (1, 1))
    if isinstance(query, SetNode) and not chosen:
        yield query, query, (1, 1)


def _pairs(base: SetNode, text: str, facts: RelationFacts, runner: Runner) -> list[tuple[RelationId, RelationId]]:
    """Relations that say when the members of a set began and ended, those first that the question speaks of."""
    members = runner.members(base).certain[:MOST_MEMBERS]
    if len(members) < 2:
        return []
    pack = facts.pack
    had = np.flatnonzero(relations_of(pack, members)[: pack.n_relations]).tolist()
    dated = [one for one in had if relation_axis(pack, one) in WHEN]
    labels = {one: relation_phrase(pack.relations()[one].label) for one in dated}
    of_life = _OF_LIFE.search(text) is not None
    starts = [one for one in dated if (_BORN if of_life else _STARTS).search(labels[one])]
    ends = [one for one in dated if (_DIED if of_life else _ENDS).search(labels[one]) and one not in starts[:1]]
    starts, ends = (sorted(some, key=lambda one: "due" in labels[one].lower()) for some in (starts, ends))
    if not of_life and len(dated) == 2 and not (starts and ends):
        starts, ends = dated, dated
    found = [
        (start, end)
        for start in starts
        for end in ends
        if start != end
        and relation_axis(pack, start) == relation_axis(pack, end)
        and _in_order(start, end, members, runner)
    ]
    said = {word[:5] for word in re.findall(r"[a-z]{4,}", text.lower())}
    spoken = [sum(_is_said(labels[one], said) for one in pair) for pair in found]
    return [pair for pair, number in zip(found, spoken, strict=True) if number == max(spoken)][:MOST_PAIRS]


def _is_said(label: str, said: Iterable[str]) -> bool:
    return any(word[:5] in said for word in label.lower().split() if len(word) > 3)


def _in_order(start: RelationId, end: RelationId, members: np.ndarray, runner: Runner) -> bool:
    """Whether nearly none of those that have both ends before it starts, and some lasted."""
    found = runner.judged(members, nodes.SpanOf((start,), (end,)), None)
    return len(found.high) > 1 and bool((found.high >= 0).mean() >= IN_ORDER and (found.high > 0).any())


def is_asked_for(query: Query, text: str, words: str) -> bool:
    """Whether a query that chooses by how long something lasted is all that a question asks: ``words`` are those of the
    query and of what it comes to."""
    return chooses_by_span(query) and says_how_long(text) and not unsaid_words(text, f"{words} {_SAID}")
