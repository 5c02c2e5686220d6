"""What a question about the rows of a table does not ask for: one row for a total, things for times, a list for a sum.

The judge of queries hardly tells "most borrowed" from "most valuable", nor the second highest weighing from whose
weighings are second together. The words do.
"""

from __future__ import annotations

import re

import numpy as np

from kgask.link.plurals import singulars
from kgask.link.units import unit_at
from kgask.methods.column_measures import PART_OF, QUANTITY
from kgask.methods.deeds import is_of_people
from kgask.methods.over_records import RECORD
from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN, axis_of
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of

_IN_TOTAL = re.compile(
    r"\b(?:totals?|overall|altogether|in all|customers? in money|add(?:s|ed|ing)? (?:it |them )?(?:all )?up)\b",
    re.IGNORECASE,
)
_HOW_MUCH_OF_IT = re.compile(r"\bhow much\b", re.IGNORECASE)
_TIMES = re.compile(r"\bhow (?:many times|often)\b", re.IGNORECASE)
_MOST_DONE = re.compile(
    r"\b(?:most|least) (?P<deed>[a-z]{3,}ed|lent|sold|read|worn|seen|bought|taken|given|driven|won|eaten|hired)\b",
    re.IGNORECASE,
)
_NO_DEED = frozenset("need red bed speed seed crowded advanced experienced skilled complicated indebted".split())
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b", re.IGNORECASE)
_IN_UNIT = re.compile(
    r"\b(?:in|how many) (?P<unit>km|kms|kilomet(?:re|er)s|miles|met(?:re|er)s|kg|kilos|kilograms|grams|tonnes|hours|"
    r"minutes|mins|days|euros?|pounds|dollars|lit(?:re|er)s)\b",
    re.IGNORECASE,
)
_ROW = re.compile(r"[\w -]+/\d+|(?:[a-z]+ )+\d+")
_WHO = re.compile(r"\b(?:who|whom|whose|everyone|everybody)\b", re.IGNORECASE)
_NOUN = re.compile(r"\A\W*(?P<first>[a-z]+s)\b|\b(?:which|what) (?P<which>[a-z]+)\b", re.IGNORECASE)
_FLOOR_SPACE = re.compile(r"\bfloor (?:space|area)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:how many|(?:number|count) of)(?: the| our)? (?P<noun>[a-z]+)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many (?:of )?", re.IGNORECASE)
_NO_NUMBER = (None, *WHEN)
MOST_CODES = 20
_DID = re.compile(  # "what has Ann borrowed?", "what's Ann coming in for?"
    r"\W*(?:and |so )?what (?:(?:did|does|do|has|have) (?!the\b|our\b|all\b)|(?:is|was) (?!the\b).*\bfor\b)|"
    r"\W*(?:and |so )?what['\u2019]s (?!the\b).*\bfor\b",
    re.IGNORECASE,
)


def misreads_rows(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether a query over a table comes to something else than its rows are surely asked for."""
    if not is_table(pack):
        return False
    return (
        _takes_one_row(query, question, pack)
        or _counts_things(found, query, question, pack)
        or (isinstance(query, nodes.Count) and _HOW_MUCH_OF_IT.search(question) is not None)
        or (isinstance(query, nodes.Sum) and PART_OF.search(question) is not None)
        or _orders_otherwise(query, question, pack)
        or _lists_numbers(found, query, question, pack)
        or _tells_other_unit(query, question, pack)
        or _tells_codes(found, query, question, pack)
        or _tells_rows_unnamed(found, question, pack)
        or _tells_people(query, question, pack)
        or _orders_by_floor(query, question, pack)
        or _counts_others(found, query, question, pack)
        or _counts_rows_for_pieces(found, query, question, pack)
    )


def _takes_one_row(query: Query, question: str, pack: Pack) -> bool:
    """Whether of the rows the one with the highest number is taken where their totals are compared; a column may be
    called a total."""
    said = _IN_TOTAL.search(question)
    match query:
        case nodes.Follow(nodes.Best(_, nodes.ValueOf(path)), _) | nodes.Best(_, nodes.ValueOf(path)):
            return said is not None and said[0].lower()[:5] not in pack.relation_labels()[path[-1]].lower()
    return False


def _counts_things(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether things are counted, of which others tell, where it is asked how often something was done with them."""
    if not isinstance(query, nodes.Count) or found.outcome is None or not _TIMES.search(question):
        return False
    had = relations_of(pack, found.outcome.runner.members(query.base).certain[:MOST_CODES])[pack.n_relations :]
    had[[*pack.type_relations]] = False
    return bool(had.any())


def _orders_otherwise(query: Query, question: str, pack: Pack) -> bool:
    """Whether the "most borrowed" are those of the highest value."""
    found = _MOST_DONE.search(question)
    if found is None or (deed := found["deed"].lower()) in _NO_DEED:
        return False
    labels = pack.relation_labels()
    ways = [node.path[-1] for node in query.walk() if isinstance(node, nodes.ValueOf)]
    orders = any(isinstance(node, nodes.Best) and isinstance(node.by, nodes.ValueOf) for node in query.walk())
    called = {word for way in ways for word in normalise(relation_phrase(labels[way % pack.n_relations])).split()}
    return orders and not any(deed[:3] == word[:3] for word in called)  # "most rated" by "rating"


def _lists_numbers(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether "how many km did she run?" comes to the numbers of several rows; things with names have their own."""
    if not isinstance(query, nodes.Follow) or query.relation >= pack.n_relations or len(found.answers) < 2:
        return False
    if found.outcome is None or _HOW_MUCH.search(question) is None or relation_axis(pack, query.relation) in _NO_NUMBER:
        return False
    rows = found.outcome.runner.members(query.base).certain[:MOST_CODES].tolist()
    return all(map(RECORD.fullmatch, pack.labels(rows)))


def _tells_other_unit(query: Query, question: str, pack: Pack) -> bool:
    """Whether another column is told than the one in the unit that the question says."""
    said = _IN_UNIT.search(question)
    unit = unit_at(question, said.start("unit"), False, {}) if said is not None else None
    relation = (
        query.values.relation
        if isinstance(query, nodes.Sum | nodes.Mean) and isinstance(query.values, nodes.Values)
        else query.relation
        if isinstance(query, nodes.Follow | nodes.Values)
        else None
    )
    if unit is None or relation is None or relation >= pack.n_relations:
        return False
    labels = pack.relation_labels()
    units = [unit_of_label(relation_phrase(label)) for label in labels]
    if unit[1] in units:
        return units[relation] != unit[1] and axis_of(units[relation]) != axis_of(unit[1])
    return bool(units[relation]) and axis_of(units[relation]) != axis_of(unit[1])


def _tells_codes(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether "what did she claim for?" comes to the claims themselves, of which no more than a code is known; what
    somebody supplies, or a hall holds, may be called by one."""
    if not isinstance(query, nodes.And | nodes.Where) or not 0 < len(found.answers) <= MOST_CODES:
        return False
    ways = [node.relation - pack.n_relations for node in query.walk() if isinstance(node, nodes.Follow)]
    labels = pack.relation_labels()
    is_by_people = any(way >= 0 and is_of_people(relation_phrase(labels[way])) for way in ways) and min(ways) >= 0
    is_asked = _DID.match(question) is not None and is_by_people
    return is_asked and all(map(RECORD.fullmatch, pack.labels(found.answers.tolist())))


def _tells_rows_unnamed(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether rows without a name are told where somebody is asked for, or what stands in a column of theirs:
    "customers with an order over 150 euros", "shortest call, who had it?"."""
    if not 0 < len(found.answers) <= MOST_CODES * 10:
        return False
    if not all(map(_ROW.fullmatch, pack.labels(found.answers[:MOST_CODES].tolist()))):
        return False
    if _WHO.search(question) is not None:
        return True
    first = _NOUN.search(question)
    noun = normalise(first["first"] or first["which"]) if first is not None else ""
    had = np.flatnonzero(relations_of(pack, found.answers[:MOST_CODES])[: pack.n_relations]).tolist()
    labels = pack.relation_labels()
    return any(relation_phrase(labels[one]) in (noun, *singulars(noun)) for one in had)


def _orders_by_floor(query: Query, question: str, pack: Pack) -> bool:
    """Whether the floor on which something lies is taken for its floor space."""
    labels = pack.relation_labels()
    ways = [node.path[-1] for node in query.walk() if isinstance(node, nodes.ValueOf)]
    return _FLOOR_SPACE.search(question) is not None and any(relation_phrase(labels[way]) == "floor" for way in ways)


def _counts_others(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether things are counted of which none is of the class that the question counts: houses for flats."""
    said, types = _COUNTED.search(question), pack.types
    if said is None or types is None or not isinstance(query, nodes.Count) or found.outcome is None:
        return False
    nouns, runner = {said["noun"].lower(), *singulars(said["noun"].lower())}, found.outcome.runner
    kinds = distinct(types[:, 0]).tolist()
    asked = [kind for kind, label in zip(kinds, pack.labels(kinds), strict=True) if normalise(label) in nouns]
    members = runner.members(query.base).certain
    return (
        len(asked) == 1
        and len(members) > 0
        and not np.isin(members, runner.members(nodes.Class(asked[0])).certain).any()
    )


def _counts_rows_for_pieces(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether the orders of pretzels are counted for "how many pretzels", where each says how many pieces it was."""
    said = _HOW_MANY.search(question)
    if said is None or not isinstance(query, nodes.Count) or found.outcome is None:
        return False
    named = [one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids]
    rest = normalise(question[said.end() :])
    if not any(rest.startswith(normalise(label).rstrip("s")) for label in pack.labels(named) if len(label) > 2):
        return False
    members = found.outcome.runner.members(query.base).certain[:MOST_CODES]
    had = np.flatnonzero(relations_of(pack, members)[: pack.n_relations]).tolist()
    labels = pack.relation_labels()
    return any(QUANTITY.search(relation_phrase(labels[one])) for one in had)


def _tells_people(query: Query, question: str, pack: Pack) -> bool:
    """Whether "what is she coming in for?" comes to people, whom a column of rows tells."""
    match query:
        case nodes.Follow(nodes.And() | nodes.Where() | nodes.Follow(), relation) if relation < pack.n_relations:
            label = relation_phrase(pack.relation_labels()[relation])
        case _:
            return False
    said = {*normalise(question).split()}
    return _DID.match(question) is not None and is_of_people(label) and said.isdisjoint(label.split())
