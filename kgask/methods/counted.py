"""Numbers that are none of what a question counts: how many people work there, and a number of megawatts is found."""

from __future__ import annotations

import re

import numpy as np

from kgask.link.numerals import numeral_at
from kgask.link.plurals import singulars
from kgask.link.units import own_units, unit_at
from kgask.methods.accounted import is_all_called
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_small, is_table
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import CLOCK, DATE, NUMBER, WHEN, axis_of
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import axis_codes, literal_places, relation_axis
from kgask.retrieve.follow import relations_of
from kgask.types import undirected

_BASE = r"(?:kg|m|s|K|A|mol|cd)[²³⁴]?"
_PHYSICAL = re.compile(rf"{_BASE}(?:[·/]{_BASE})*")  # no axis of things that a graph counts ("seats")
_TOGETHER = re.compile(r"\b(?:total|combined|altogether|overall|in all|put together|sum)\b", re.IGNORECASE)
_PACE = re.compile(r"\b(?:(?P<fast>fastest|quickest|swiftest)|slowest)\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:time|duration|days?|weeks?|hours?|minutes?|mins?|seconds?|secs?)\b(?!.*\bper\b)", re.IGNORECASE
)
_EACH = re.compile(r"\bper (?:capita|head|person|inhabitant|resident|citizen|square)\b", re.IGNORECASE)
_OF_EACH = re.compile(r"\bper\b|/|capita|head|densit|rate|ratio|mean|average|share", re.IGNORECASE)
LAST_YEAR, LOOKED_AT, LEAST_EACH = 2200, 50, 2
_HOW_MANY_SOLD = re.compile(
    r"\bhow many (?!(?:different|orders|times|invoices|lines|deliveries|sales|purchases|sightings|records|entries|"
    r"species|kinds|sorts|nights|days)\b)"
    r".*\b(?:ordered|sold|bought|shipped|delivered|in stock|on hand|in total|altogether|catch|caught|trapped|see|seen|"
    r"spotted|observed|counted|recorded)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(r"\b(?:quantity|qty|units|pieces|copies|individuals)\b|\A(?:count|number|no\.?)\Z")
_HOW_MUCH = re.compile(
    r"\W*(?:(?:and|so|please|tell|me|do|you|know|say|roughly|exactly|about|can|could)\W+)*"
    r"(?:how (?:heavy|tall|deep|high|long|far|wide|fast|old|much (?:\w+ )?money)\b(?! (?:ago|before|after)\b)|"
    r"(?:what (?:is|was) )?(?:the |what |which )?(?:fraction|proportion|percentage|percent|ratio) of\b)",
    re.IGNORECASE,
)
_ASKS_COUNT = re.compile(
    r"\bhow (?:many|often|much)\b|\b(?:number|nr|no|count|amount|total|sum)\.? of\b|\bcount (?:of |the |all |up )|"
    r"\A\W*(?:number|count|nr)\b|#",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\bhow (?:many (?:minutes|hours|seconds)|long)\b(?! ago)|\bin (?:minutes|hours|seconds)\b|"
    r"\A\W*(?:the )?(?:\w+ )?(?:journey|travel|flight|running|playing) time\b",
    re.IGNORECASE,
)
_TAKES_LONGER = re.compile(
    r"\b(?:takes?|took|taking|lasts?|lasted) (?:the )?(?:longer|longest|shorter|shortest|less time|more time)\b", re.I
)
_WHICH_YEAR = re.compile(r"\W*(?:(?:for|in|at|from|since|of|until|by|during) )?(?:which|what) year\b", re.IGNORECASE)
_ENDS_IN_YEAR = re.compile(r"\b(?:release|publication|birth|death|founding|opening|start) year\W*\Z", re.IGNORECASE)
_COUNTED = re.compile(r"\bhow many (?P<noun>(?!people|persons|things|times)[a-z]{3,}s)\b", re.IGNORECASE)
_WEIGHS = re.compile(r"\bhow heavy\b|\bweighs?\b|\bweight of\b", re.IGNORECASE)
_OF_WEIGHT = re.compile(r"weigh|mass|heav|load|ton|burden", re.IGNORECASE)
_UNIT = re.compile(r"\(.*?\)|\[.*?\]|\b(?:kgs?|kilos?|g|grams?|lbs?)\b", re.IGNORECASE)
_ORDERED_BY = re.compile(r"\b(?:by|in terms of|according to) (?:total |its |their |the )?(?P<noun>[a-z]{3,})\b", re.I)
_NUMBER_OF = re.compile(
    r"(?:number|count|no|num|nr|total)(?: of)? (?P<of>[a-z]+)|(?P<noun>[a-z]+) (?:count|number|total)"
)
_LONGER = re.compile(r"\blong(?:er|est)\b", re.IGNORECASE)
_MEASURED = re.compile(
    r"\b(?:long|short|deep|shallow|heavi|light|tall|wid|narrow|fast|slow|hott|cold|dens)e(?:r|st)\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"\b(?:most|more|fewest|fewer|least|less|number|many|list)\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|ends?|ending|expir\w*|best before|use by|valid to)\b", re.IGNORECASE)
_OF_SO_MANY = re.compile(
    r"\b(?:of|for|across|over) (?:the |both |all |these |those |our )?(?P<number>\d+|two|three|four|five|six|seven|"
    r"eight|nine|ten) [a-z]+s\b(?<!years)(?<!days)(?<!months)",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow many (?:more |fewer |less )?", re.IGNORECASE)


def measures_other(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether a question counts what is no unit, or one of another dimension than what was found is measured in, or
    asks for a total where numbers were found one by one, for what falls to each where all of it was, or for what is
    the most by a measure where that is found."""
    others = (
        _is_not_added, _is_not_shared, _is_order, _is_slowest, _is_name, _is_other_weight, _is_no_year,
        _is_of_several_kinds, _is_no_quantity, _is_no_time, _is_told_in_column, _is_told_otherwise,
        _is_ordered_otherwise, _counts_numbers, _is_of_more, _tells_each, _counts_values, _ends_sooner,
        _leaves_all_named,
    )  # fmt: skip
    if any(is_other(found, question, pack) for is_other in others):
        return True
    counted = _HOW_MANY.search(question)
    axis = _axis_of(found, pack) if counted is not None else None
    if counted is None or axis is None or not _PHYSICAL.fullmatch(axis):
        return False
    said = unit_at(question, counted.end(), False, own_units(pack.manifest.get("axes", ())))
    return said is None or axis_of(said[1]) != axis


def _is_not_added(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether the numbers of several things are told where their sum is asked for; a relation may be called a total."""
    together, query = _TOGETHER.search(question), found.make_query()
    if together is None or not isinstance(query, nodes.Follow | nodes.Values) or len(found.answers) < 2:
        return False
    plain, inverse = undirected(query.relation, pack.n_relations)
    if inverse or together[0].lower() in pack.relations()[plain].label.lower():
        return False
    return relation_axis(pack, plain) not in (None, *WHEN)


def _is_no_quantity(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether lines are counted, where each says how many: three orders of paper filters may be of ten packs."""
    query = found.make_query()
    if not isinstance(query, nodes.Count) or not is_small(pack) or _HOW_MANY_SOLD.search(question) is None:
        return False
    return any(_QUANTITY.search(relation_phrase(label).lower()) for label in pack.relation_labels())


def _is_told_otherwise(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether those of a thing are counted of which it has the number: of students, by its "students count"."""
    match found.make_query():
        case nodes.Count(nodes.Follow(nodes.Entities((topic,)), counted)):
            pass
        case _:
            return False
    words = {one for word in question.lower().split() for one in (word.strip("?.,!"), *singulars(word.strip("?.,!")))}
    has, texts = relations_of(pack, np.array([topic]))[: pack.n_relations], pack.relations()
    by = normalise(relation_phrase(texts[counted % pack.n_relations].label)).split()
    for at in np.flatnonzero(has).tolist():
        said = _NUMBER_OF.fullmatch(normalise(relation_phrase(texts[at].label)))
        if said is None or relation_axis(pack, at) != NUMBER:
            continue
        noun = said["noun"] or said["of"]
        if not words.isdisjoint((noun, *singulars(noun))) and {noun, *singulars(noun)}.isdisjoint(by):
            return True
    return False


def _is_not_shared(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what falls to each is asked for, and no relation is of that: the GDP for the "GDP per capita"."""
    query = found.make_query()
    if query is None or _EACH.search(question) is None:
        return False
    named = (name for one in relations_in(query) for name in pack.relations()[one % pack.n_relations].names)
    return not any(_OF_EACH.search(name) for name in named)


def _is_order(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether by what something is chosen is found, and not what: the people of "the biggest city by population"."""
    match found.make_query():
        case nodes.Follow(nodes.Best(_, nodes.ValueOf((one,))), other) | nodes.Values(
            nodes.Best(_, nodes.ValueOf((one,))), other
        ) if one == other:
            said = "|".join(map(re.escape, relation_phrase(pack.relations()[one].label).split()))
            return re.search(rf"\b(?:by|in terms of|according to) (?:\w+ )?(?:{said})\b", question, re.I) is not None
    return False


def _is_ordered_otherwise(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether the question says by what to order, which a relation is called, and another one orders: "the largest city
    by area" by its people."""
    query = found.make_query()
    bests = [node.by.path[-1] for node in (query.walk() if query is not None else ()) if isinstance(node, nodes.Best)
             and isinstance(node.by, nodes.ValueOf)]  # fmt: skip
    said = {one["noun"].lower() for one in _ORDERED_BY.finditer(question)} if bests else set()
    if not said:
        return False
    texts = pack.relations()
    called = {at for at, text in enumerate(texts) if said & {relation_phrase(name).lower() for name in text.names}}
    return bool(called) and not any(undirected(one, pack.n_relations)[0] in called for one in bests)


def _is_slowest(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what takes longest is found where the fastest is asked for, or the other way round."""
    said = _PACE.search(question)
    if said is None:
        return False
    match found.make_query():
        case nodes.Best(_, nodes.ValueOf(path), most):
            named = relation_phrase(pack.relations()[undirected(path[-1], pack.n_relations)[0]].label)
            return (
                _TAKES.search(named) is not None and "per" not in named.split() and most is (said["fast"] is not None)
            )
    return False


def _is_name(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether how heavy or long something is is asked for, and what is found has no digit: the scale of a model."""
    is_set = found.outcome is None or found.outcome.members is not None
    if not is_set or not len(found.answers) or _HOW_MUCH.match(question) is None:
        return False
    return not any(letter.isdigit() for label in pack.labels(found.answers[:LOOKED_AT]) for letter in label)


def _is_other_weight(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what something weighs is asked for, and a weight of something else is found: the honey of a hive."""
    query = found.make_query()
    if _WEIGHS.search(question) is None or not isinstance(query, nodes.Follow | nodes.Values):
        return False
    label = _UNIT.sub(" ", relation_phrase(pack.relations()[undirected(query.relation, pack.n_relations)[0]].label))
    return bool(label.strip()) and _axis_of(found, pack) == "kg" and _OF_WEIGHT.search(label) is None


def _is_no_time(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether minutes or hours are asked for, and what is found is none: days on which a train goes, or an hour."""
    query = found.make_query()
    if isinstance(query, nodes.Best) and _TAKES_LONGER.search(question) is not None:
        return isinstance(query.by, nodes.SizeOf)
    if _IN_TIME.search(question) is None or not len(found.answers):
        return False
    if found.outcome is not None and found.outcome.members is None:
        return False
    answers, axes = found.answers[:LOOKED_AT], pack.literal_values.axes
    told = zip(axis_codes(pack, answers).tolist(), pack.labels(answers.tolist()), strict=True)
    return all(axes[code] == CLOCK if code >= 0 else not any(map(str.isdigit, label)) for code, label in told)


def _is_told_in_column(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether things are counted where no word asks how many, and one is what a column of numbers is called by:
    "fewer than 5 counted" where there is a "counted 2023"."""
    query = found.make_query()
    if not isinstance(query, nodes.Count) or not is_small(pack) or _ASKS_COUNT.search(question) is not None:
        return False
    labels, said = pack.relation_labels(), set(re.findall(r"[a-z]{4,}", question.lower()))
    columns = [at for at in range(pack.n_relations) if relation_axis(pack, at) not in (None, *WHEN)]
    return any(said & {*relation_phrase(labels[at]).lower().split()} for at in columns)


def _counts_numbers(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether those are counted that have a number of what is counted: four rooms for "how many beds are there?"."""
    said = _COUNTED.search(question)
    match found.make_query():
        case nodes.Count(nodes.Having(relation)) if said is not None and is_small(pack) and relation < pack.n_relations:
            label = normalise(relation_phrase(pack.relations()[relation].label))
            return relation_axis(pack, relation) not in (None, *WHEN) and is_all_called(said["noun"], label.split())
    return False


def _tells_each(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether numbers of several things are told where it is asked how many there are: 1, 2 and 3 for the rounds."""
    query = found.make_query()
    if not isinstance(query, nodes.Follow) or _COUNTED.search(question) is None or len(found.answers) <= LEAST_EACH:
        return False
    return isinstance(query.base, nodes.Follow) and _axis_of(found, pack) == NUMBER


def _counts_values(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether things are ordered by how many numbers they have of one sort, or two of which each has one thing: by
    lengths, for "more pages"."""
    query = found.make_query()
    match query:
        case nodes.Best(nodes.Entities(ids) as base, nodes.SizeOf((relation,))) if len(found.answers) == len(ids) > 1:
            ends = found.outcome.runner.members(nodes.Follow(base, relation)).possible if found.outcome else ids
            if len(ends) <= len(ids):
                return True  # each has one, and so none has more
    sizes = [node.path[-1] for node in (query.walk() if query is not None else ()) if isinstance(node, nodes.SizeOf)]
    if sizes and not is_table(pack) and _MEASURED.search(question) and not _NUMBERED.search(question):
        return True  # the longest range is not that of most mountains
    return any(one < pack.n_relations and relation_axis(pack, one) not in (None, *WHEN) for one in sizes)


def _ends_sooner(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what ends first is found where something lasts longer: what keeps longest can be drunk until later."""
    match found.make_query():
        case nodes.Best(_, nodes.ValueOf((relation,)), most) if relation < pack.n_relations and not most:
            label = relation_phrase(pack.relations()[relation].label)
            is_end = relation_axis(pack, relation) in WHEN and _UNTIL.search(label) is not None
            return is_end and _LONGER.search(question) is not None
    return False


def _leaves_all_named(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether all of those that are named answer which of them it is, by a limit that they all keep."""
    match found.make_query():
        case nodes.Where(nodes.Entities(ids)):
            return len(found.answers) == len(ids) > 1 and re.search(r"\bor\b", question, re.IGNORECASE) is not None
    return False


def _is_of_more(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether a sum or mean is of all that has a number, where the question says of how many: "the two bearings"."""
    said, query = _OF_SO_MANY.search(question), found.make_query()
    number = said and numeral_at(question, said.start("number"))
    if not number or found.outcome is None or not isinstance(query, nodes.Sum | nodes.Mean):
        return False
    values = query.values
    if not isinstance(values, nodes.Values) or not isinstance(values.base, nodes.Having):
        return False
    return len(found.outcome.runner.members(values.base).possible) != number.value


def _is_no_year(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether a year is asked for and a number is found that is none."""
    if _WHICH_YEAR.match(question) is None and _ENDS_IN_YEAR.search(question) is None:
        return False
    axis = _axis_of(found, pack)
    if axis is None and _ENDS_IN_YEAR.search(question) is not None and len(found.answers):
        return not any(letter.isdigit() for label in pack.labels(found.answers[:LOOKED_AT]) for letter in label)
    if axis is None or axis == DATE:
        return False
    if found.outcome is not None:
        numbers = [found.outcome.quantity.low] if found.outcome.quantity is not None else []
    else:
        numbers = pack.literal_values.low[literal_places(pack, found.answers)].tolist()
    return axis != NUMBER or any(not number.is_integer() or abs(number) > LAST_YEAR for number in numbers)


def _is_of_several_kinds(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether things of several kinds are counted together, none of which the question says: nurses and patients for
    how many operations there were."""
    said, query = _COUNTED.search(question), found.make_query()
    if said is None or not isinstance(query, nodes.Count) or found.outcome is None or not is_table(pack):
        return False
    members = found.outcome.runner.members(query.base).certain[:LOOKED_AT].tolist()
    kinds = [set(found.outcome.runner.types(np.array([one])).tolist()) for one in members]
    if len(kinds) < 2 or not all(kinds) or set.intersection(*kinds):
        return False
    called = [
        *pack.labels(sorted(set.union(*kinds))),
        *(pack.relations()[one % pack.n_relations].label for one in relations_in(query)),
    ]
    words = {word for name in called for word in relation_phrase(name).split()}
    return not is_all_called(said["noun"].lower(), words)


def _axis_of(found: Hypothesis, pack: Pack) -> str | None:
    """On which axis what was found lies, where it is a value of the graph or made of such; None for the rest."""
    if found.outcome is None:
        codes = distinct(axis_codes(pack, found.answers))
        return pack.literal_values.axes[codes[0]] if len(codes) == 1 and codes[0] >= 0 else None
    if isinstance(found.outcome.query, nodes.Age | nodes.Difference) or found.outcome.quantity is None:
        return None
    return found.outcome.quantity.axis
