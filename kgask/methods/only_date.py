"""The oldest of what has one date: "what's the oldest cable?", of cables that only have a "ready for service" date."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np

from kgask.errors import BudgetError
from kgask.link.plurals import singulars
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import NUMBER, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import literal_places, relation_axis
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

SECONDS, MOST_MEMBERS = 0.5, 500
FIRST_YEAR, LAST_YEAR = 1000, 2200
_ORDER = r"(?P<order>oldest|newest|youngest|earliest|latest|most recent)"
_OLDEST = re.compile(
    rf"\W*(?:and |so )?(?:what|which)(?:['\u2019]?s| is| was| are)? (?:our |the |your |my )?(?:very )?{_ORDER} "
    r"(?P<noun>[a-z]+(?: [a-z]+)?)(?: (?:in|on|of) (?:the|our|this|my) [a-z]+| here| we have| there is)?\W*",
    re.IGNORECASE,
)
_WHICH_IS_OLDEST = re.compile(
    rf"\W*(?:and |so )?(?:which|what) (?P<noun>[a-z]+(?: [a-z]+)?) (?:is|was) (?:the )?{_ORDER}\W*", re.IGNORECASE
)
_OLDER = re.compile(
    r"\W*(?:and |so )?(?:(?:is|was) (?:the )?_ (?P<more>older|newer|younger) than (?:the )?_|"
    r"(?:which|what)(?: one)? (?:is|was) (?:the )?(?P<most>older|newer|younger)[,:]? (?:the )?_ or (?:the )?_)\W*",
    re.IGNORECASE,
)
_ASKS_AGE = re.compile(r"\b(?:old|new|young|earli|lat|most rec)(?:e?st|er|ent)\b", re.IGNORECASE)
_FIRST = frozenset(("oldest", "earliest", "older"))
# When something came to somebody, or ended, does not say how old it is; nor does anything but a birth of a person.
_OF_NO_AGE = re.compile(
    r"join|hire|start|end|clos|die|death|updat|modif|brought|sold|bought|acquir|due|return|paid|checked|visit|seen|last|"
    r"expir|member|enrol|regist|collect|report",
    re.IGNORECASE,
)


def asks_age(question: str) -> bool:
    """Whether it may ask so; without its names it needs to be read then."""
    return _ASKS_AGE.search(question) is not None


def is_by_only_date(query: Query, text: str, pack: Pack) -> bool:
    """Whether a question asks for the oldest or newest of a class, or which of two is, and a query goes by the one date
    that these have. In ``text`` the names that the query has are masked by "_"."""
    if not is_small(pack):
        return False
    match query:
        case nodes.Best(nodes.Class(kind) as base, nodes.ValueOf((by,)), most, 1, 1):
            asked = _OLDEST.fullmatch(text) or _WHICH_IS_OLDEST.fullmatch(text)
            is_so = (
                asked is not None and _is_called(asked["noun"], kind, pack) and most is not _is_first(asked["order"])
            )
        case nodes.Best(nodes.Entities() as base, nodes.ValueOf((by,)), most, 1, 1):
            asked = _OLDER.fullmatch(text)
            is_so = asked is not None and bool(asked["most"]) and most is not _is_first(asked["most"])
        case nodes.Compare(nodes.Values(nodes.Entities(one), by), sign, nodes.Values(nodes.Entities(other), same)):
            asked, base = _OLDER.fullmatch(text), nodes.Entities((*one, *other))
            is_so = by == same and asked is not None and bool(asked["more"])
            is_so = is_so and asked is not None and (sign == "<") is _is_first(asked["more"])
        case _:
            return False
    return is_so and _is_only_date(base, by, pack)


def _is_first(order: str) -> bool:
    return order.lower() in _FIRST


def _is_called(noun: str, kind: int, pack: Pack) -> bool:
    label = normalise(pack.labels([kind])[0])
    return label in {normalise(noun), *singulars(normalise(noun))} or normalise(noun) in singulars(label)


def _is_only_date(base: nodes.Class | nodes.Entities, by: int, pack: Pack) -> bool:
    """Whether all dates that members have are of one relation, which may tell their age."""
    if by >= pack.n_relations or _OF_NO_AGE.search(relation_phrase(pack.relation_labels()[by])):
        return False
    with suppress(BudgetError):
        members = Runner(pack, Budget(SECONDS)).members(base).certain
        had = np.flatnonzero(relations_of(pack, members[:MOST_MEMBERS])[: pack.n_relations]).tolist()
        return [one for one in had if _is_date(members, one, pack)] == [by]
    return False


def _is_date(members: np.ndarray, relation: int, pack: Pack) -> bool:
    """Whether a relation leads from some to dates, or to whole numbers that may be years."""
    axis = relation_axis(pack, relation)
    if axis != NUMBER:
        return axis in WHEN
    values = pack.literal_values.low[literal_places(pack, reached_by(pack, members[:MOST_MEMBERS], relation))]
    return bool(len(values)) and bool(
        ((values == np.rint(values)) & (values >= FIRST_YEAR) & (values <= LAST_YEAR)).all()
    )
