"""Which way a claim compares, by its words: a reading that compares the other way round is none of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kgask.methods.wording import is_by_then
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Comparison, TruthNode
from kgask.query.nodes import Query
from kgask.retrieve.run import run
from kgask.types import Seed

_MORE = frozenset(
    "more greater higher longer bigger larger taller heavier deeper wider broader later newer dearer costlier pricier "
    "denser hotter warmer faster quicker swifter brighter better richer stronger thicker steeper busier "
    "harder tougher louder".split()
)
_LESS = frozenset(
    "less fewer lower shorter smaller lighter earlier sooner shallower narrower cheaper colder cooler slower poorer "
    "weaker thinner fainter dimmer worse softer quieter".split()
)
_LATER, _EARLIER = frozenset(("later", "newer", "younger")), frozenset(("earlier", "older", "sooner", "longer"))
_THAN = re.compile(r"(?P<before>(?:[\w'-]+\s+){1,5})than\b", re.IGNORECASE)
_OF_DATES = (  # what says without "than" that one of two dates is the later
    (re.compile(r"\b(?:after|outliv\w+|postdat\w+)\b(?! by\b)", re.I), ">"),
    (re.compile(r"\b(?:before|prior to|predat\w+|preced\w+|antedat\w+)\b(?! by\b)", re.I), "<"),
)
_OF_NUMBERS = (
    (
        re.compile(
            r"\b(?:exceeds?|exceeded|surpass\w*|outweigh\w*|outnumber\w*|tops|topped|dwarfs|outdoes|beats?|"
            r"outstrips?)\b(?! by\b)",
            re.I,
        ),
        ">",
    ),
    (
        re.compile(
            r"\b(?:exceeded|surpassed|outweighed|outnumbered|topped|dwarfed|outdone|outstripped|beaten) by\b", re.I
        ),
        "<",
    ),
)
# Scales on which less is more of what a word says: an acid has a low pH, who is fast takes little time.
_DOWNWARD = tuple(
    (re.compile(rf"\b(?:{said})", re.I), re.compile(rf"\b(?:{called})\b", re.I))
    for said, called in (
        (r"acid|sour", r"ph"),
        (r"fast|quick|swift|speed|slow", r"time|times|duration|seconds?|secs?|minutes?|mins?|hours?|days|lap|latency"),
        (r"bright|faint|dim", r"magnitude"),
        (r"high|low|better|worse", r"rank|ranking|position|placing"),
        (r"economical|frugal|thrifty|efficient", r"consumption"),
    )
)
_YEARS = (1000, 2100)  # between which whole numbers that are older or newer are years
_OF_AGE = re.compile(r"\b(?:old|new|young|earl|late)\w*\s+than\b", re.IGNORECASE)
_OF_LIMIT: tuple[tuple[re.Pattern[str], tuple[Comparison, ...]], ...] = (
    (re.compile(r"\b(?:no|not) more than\b|\bat most\b|\bup to\b|\bmaximum\b", re.I), ("<=", "<")),
    (re.compile(r"\b(?:no|not) (?:less|fewer) than\b|\bat least\b|\bminimum\b", re.I), (">=", ">")),
    (re.compile(r"\b(?:more than|over|above|exceed\w*|after|later than|in excess of|tops)\b", re.I), (">", ">=")),
    (re.compile(r"\b(?:less than|fewer than|under|below|before|earlier than)\b", re.I), ("<", "<=")),
)
_HIS = re.compile(r"\b(?:his|him|her|their|them|its?)\b", re.IGNORECASE)
_OF = re.compile(r"\bof (?:the )?\Z", re.IGNORECASE)
TURNED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SIDES = frozenset(TURNED)


def is_other_way(query: Query, text: str, seeds: Sequence[Seed], pack: Pack) -> bool:
    """Whether a comparison says the contrary of the words of a claim; ``seeds`` tell where its names stand."""
    match query:
        case nodes.Compare(nodes.Values() as left, sign, nodes.Values() as right) if sign in _SIDES:
            is_date = relation_axis(pack, left.relation) in WHEN or (
                _OF_AGE.search(text) is not None and all(_is_year(side, pack) for side in (left, right))
            )
            said = _said_of_two(text, _places(left, right, text, seeds), is_date)
            if said is not None and not is_date and is_downward(text, pack.relation_labels()[left.relation]):
                said = "<" if said == ">" else ">"
            return said is not None and sign[0] != said
        case nodes.Compare(nodes.Count() as left, sign, nodes.Count() as right) if sign in _SIDES:
            said = _said_of_two(text, _places(left, right, text, seeds), is_date=False)
            return said is not None and sign[0] != said
        case nodes.Some(nodes.Where(_, nodes.ValueOf((relation,)), sign, nodes.Values())) if sign in _SIDES:
            said = _said_of_some(text, relation_axis(pack, relation) in WHEN)
            return said is not None and sign[0] != said
        case nodes.Compare(_, sign, nodes.Number() | nodes.Date()) if sign in _SIDES:
            signs = next((signs for pattern, signs in _OF_LIMIT if pattern.search(text)), None)
            return signs is not None and sign not in signs
    return False


def put_right(query: Query, text: str, seeds: Sequence[Seed], pack: Pack) -> Query:
    """A comparison of two things the way round that the words of a text say it."""
    match query:
        case nodes.Compare(nodes.Values() | nodes.Count(), sign, nodes.Values() | nodes.Count()):
            is_other = sign in _SIDES and is_other_way(query, text, seeds, pack)
            return replace(query, comparison=TURNED[sign]) if is_other else query
        case nodes.Compare() if is_by_then(query, text):
            return replace(query, comparison="<=")  # who was dead by 1960 died then, or before
    return query


def is_downward(text: str, called: str) -> bool:
    """Whether a claim compares by a word of which a relation called so has less: "less acidic" is a higher pH."""
    than = _THAN.search(text)
    phrase = relation_phrase(called)
    return than is not None and any(said.search(than["before"]) and meant.search(phrase) for said, meant in _DOWNWARD)


def _is_year(side: nodes.Values, pack: Pack) -> bool:
    """Whether what a thing leads to is a whole number that may be a year."""
    found = run(side, pack).quantity
    return (
        found is not None and found.low == found.high and found.low.is_integer() and _YEARS[0] <= found.low < _YEARS[1]
    )


def is_period(query: TruthNode) -> bool:
    """Whether a query says when something began and when it ended."""
    ends = query.truths if isinstance(query, nodes.All) else ()
    return len(ends) == 2 and all(
        isinstance(end, nodes.Compare) and isinstance(end.left, nodes.QualifierOf) for end in ends
    )


def is_part_of_period(query: TruthNode) -> bool:
    """Whether a query asks of one qualifier alone that it lies in a period: "from 2001 to 2006" says both ends."""
    for node in query.walk():
        match node:
            case nodes.Qualified(value=nodes.Range()) | nodes.Compare(left=nodes.QualifierOf(), right=nodes.Range()):
                return True
    return False


def _said_of_two(text: str, places: Sequence[int | None], is_date: bool) -> str | None:
    """ ">" or "<" as the words compare the thing at the first place with the other; None where they do not tell."""
    than, (left, right) = _THAN.search(text), places
    if left is None or right is None:
        return None
    if than is None:
        signs = _OF_DATES if is_date else _OF_NUMBERS
        between = text[min(left, right) : max(left, right)]
        sign = next((sign for pattern, sign in signs if pattern.search(between)), None)
        return sign if sign is None or left < right else "<" if sign == ">" else ">"
    said = _said_of_some(text, is_date)
    if said is None or not min(left, right) < than.end() <= max(left, right):
        return None
    return ">" if (said == ">") == (left < right) else "<"


def _said_of_some(text: str, is_date: bool) -> str | None:
    """ ">" or "<" as the words before "than" compare what stands before them; None where they do not tell."""
    than = _THAN.search(text)
    more, less = (_LATER, _EARLIER) if is_date else (_MORE | {"older"}, _LESS | {"younger"})
    words = [word.lower() for word in than["before"].split() if word.lower() in more | less] if than else []
    return (">" if words[0] in more else "<") if words else None


def _places(
    left: nodes.Values | nodes.Count, right: nodes.Values | nodes.Count, text: str, seeds: Sequence[Seed]
) -> tuple[int | None, int | None]:
    """Where the text speaks of both sides: of somebody and his wife, whom one name tells, of one of them by "his"."""
    one, other = _place(left, seeds), _place(right, seeds)
    is_same = one is not None and one == other and _is_of_kin(left) is not _is_of_kin(right)
    his = _HIS.search(text, one) if is_same and one is not None else None
    if one is None or his is None:
        return one, other
    name = next(seed.span for seed in seeds if seed.span[0] == one)
    names_kin = text[name[1] :].startswith(("'s", "\u2019s")) or _OF.search(text[:one]) is not None  # "her husband"
    return (his.start(), other) if _is_of_kin(left) is not names_kin else (one, his.start())


def _is_of_kin(side: nodes.Values | nodes.Count) -> bool:
    return isinstance(side, nodes.Values) and isinstance(side.base, nodes.Follow)


def _place(side: nodes.Values | nodes.Count, seeds: Sequence[Seed]) -> int | None:
    base = side.base.base if isinstance(side.base, nodes.Follow) else side.base
    ids = base.ids if isinstance(base, nodes.Entities) else ()
    return next((seed.span[0] for seed in seeds if seed.entity in ids), None)
