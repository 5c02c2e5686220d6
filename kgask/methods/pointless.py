"""Queries that nobody asks, by what a graph, or a table that says so of nearly all, says that its things are.

A "no" about a relation that never leads to such a thing, a set without things that are none of its kind, a class or
some of its members: whatever the question is, it is another one.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from kgask.errors import BudgetError
from kgask.link.plurals import singulars
from kgask.link.units import unit_at
from kgask.methods.doubts import relations_in
from kgask.methods.flags import flags_of, goes_by_unsaid_flag, passes_over_flag
from kgask.methods.kinds import is_named_in_part, is_value_of_another, is_what_it_has
from kgask.methods.lies_in import lets_in, may_lie_in
from kgask.methods.mended import lacks_a_value
from kgask.methods.protocol import Hypothesis
from kgask.methods.reach import is_in_other_unit, is_in_reach, is_of_other_scale
from kgask.methods.relation_facts import is_small, is_table
from kgask.methods.tautologies import says_nothing_of_others
from kgask.methods.whole_kind import takes_some_of_kind
from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import NUMBER, Quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS
from kgask.retrieve.follow import edges_of, neighbours, relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import opposite, undirected

LOOK_SECONDS = 0.5  # for the kinds of sets
NONE = Quantity(NUMBER, 0.0, 0.0)  # a count of nothing
FAR = 1000.0  # times what a relation leads to, beyond which a limit is in another unit
_FLAGS = frozenset(("true", "false", "yes", "no"))
MOST_LOOKED_AT = 50  # members whose kinds are looked at
LEAST_CALLED = 3  # things whose names end in the same word
_KIND_ASKED = re.compile(
    r"(?=\b(?:which|what|[a-z]{2,}est|(?:most|least) [a-z]+|first|second|third|fourth|fifth|all|list|any) (?:the )?"
    r"(?P<noun>[a-z]{3,})\b)",
    re.IGNORECASE,
)
_IN_UNIT = re.compile(r"\d ?((?!\d)[^\s\d(),;?!]*[^\s\d(),;.?!])")
_NUMBER = re.compile(r"\d(?: |-)?(?=[^\W\d])")
_UNIT_OF_LABEL = re.compile(r"\(([^()]+)\)\Z")
_JOINS = re.compile(
    r"[,;/&+]|\b(?:and|or|nor|either|both|with|as well as|plus|also|besides|together|combined?|other|one of|any of)\b",
    re.IGNORECASE,
)
# Who is asked for, not described: "the birthday of the man who ..." is a date.
_WHO = re.compile(
    r"(?:^|[,;:]|\b(?:and|by|for|from|in|is|know|me|of|or|say|tell|to|us|was|were|with))\s*whom?\b", re.IGNORECASE
)


def is_pointless(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether nobody asks this, or nobody asks it so."""
    is_no = found.outcome is not None and found.outcome.truth is False
    if isinstance(query, nodes.Some) and isinstance(query.base, nodes.Entities):
        return True  # there is what the question names
    if says_nothing_of_others(query, question, pack.n_relations):
        return True
    if any(_is_of_itself(node) or is_what_it_has(node, pack) for node in query.walk()):
        return True
    runner = Runner(pack, Budget(LOOK_SECONDS))
    try:
        if is_no and isinstance(query, nodes.Holds) and pack.source is None and may_lie_in(query, runner):
            return True
        if pack.source is None and any(lets_in(node, runner) for node in query.walk()):
            return True
        if is_no and isinstance(query, nodes.Holds) and is_named_in_part(query, runner):
            return True
        if is_no and isinstance(query, nodes.Holds) and is_small(pack) and is_value_of_another(query, question, runner):
            return True
        is_none = found.outcome is not None and found.outcome.quantity == NONE and isinstance(query, nodes.Count)
        is_empty = isinstance(query, nodes.Some | nodes.Count) and (is_no or is_none)
        if is_empty and any(_never_meet(node, runner) for node in query.walk()):
            return True
        if _JOINS.search(question) is None and any(_adds_nothing(node, runner) for node in query.walk()):
            return True
        if lacks_a_value(runner, query) or any(_is_idle(node, runner) for node in query.walk()):
            return True
        if is_table(pack) and (_is_of_table(query, is_no, runner) or _are_called_otherwise(found, question, runner)):
            return True
        if is_table(pack) and (passes_over_flag(query, question, pack) or _is_in_other_unit(query, question, pack)):
            return True
        if is_table(pack) and goes_by_unsaid_flag(query, question, pack):
            return True
        if is_in_other_unit(query, question):
            return True
        is_of_some = is_small(pack) and takes_some_of_kind(query, question, pack, runner)
        if is_of_some or _takes_unit_for_another(query, question, pack) or is_of_other_scale(query, question, runner):
            return True
        return _is_nobody(found, question, pack)
    except BudgetError:
        return False


def _is_of_itself(node: Node) -> bool:
    """Whether something is looked for among what it leads to itself, or compared with itself: a robin among the birds
    that are robins, the depth of a lake with the mean of it."""
    match node:
        case nodes.Holds(nodes.Entities(ids), _, nodes.Entities(others)):
            return ids == others
        case nodes.And(nodes.Entities() as named, other) | nodes.And(other, nodes.Entities() as named):
            return named in other.walk()
        case nodes.Compare(left, _, right):
            return _of_values(left) == _of_values(right)
        case nodes.And(left, right) | nodes.Or(left, right) | nodes.Minus(left, right):
            return left == right  # "huskies and leaders" as huskies and huskies
    return False


def _of_values(node: Node) -> Node:
    """The values that a sum or mean is of."""
    return node.values if isinstance(node, nodes.Sum | nodes.Mean | nodes.Min | nodes.Max) else node


def _is_idle(node: Node, runner: Runner) -> bool:
    match node:
        case nodes.Or(left, right):
            return any(_leads_nowhere(side, runner) for side in (left, right))
        case nodes.Best(nodes.Having(one), nodes.ValueOf((other,))):
            return one != other and _is_part_of_name(one, other, runner.pack)
        case nodes.Minus(_, nodes.Minus()):
            return True  # nobody denies twice
        case nodes.Minus():
            return _leaves_all(node, runner) or _takes_nothing(node, runner)
        case nodes.Best(nodes.Entities(ids)) | nodes.Where(nodes.Entities(ids)):
            kinds = runner.pack.types
            return kinds is not None and 0 < int(np.isin(ids, kinds[:, 0]).sum()) < len(ids)  # Tahoe, and crater lakes
        case nodes.Age(nodes.Values(one, _), nodes.Values(other, _)) if one != other:
            # Of one from her birth to the death of hers and others': of all that discovered what she did.
            members, others = runner.members(one).possible, runner.members(other).possible
            return len(members) != len(others) and bool(np.isin(members, others).any())
    return False


def _is_part_of_name(relation: int, other: int, pack: Pack) -> bool:
    """Whether a relation is called as another is, up to prepositions: who was first "baptised" may have no known
    "baptised by"."""
    said, known = (
        {*relation_phrase(pack.relations()[one % pack.n_relations].label).lower().split()} - PREPOSITIONS
        for one in (relation, other)
    )
    return relation < pack.n_relations and bool(said) and said <= known


def _adds_nothing(node: Node, runner: Runner) -> bool:
    """Whether one of two sets that are put together is empty, for which no word asked.

    What two relations say of the same thing may be one: "children" of a father or a mother.
    """
    match node:
        case nodes.Or(left, right):
            named, others = ({one for one in side.walk() if isinstance(one, nodes.Entities)} for side in (left, right))
            return named.isdisjoint(others) and not all(len(runner.members(side).possible) for side in (left, right))
    return False


def _leads_nowhere(node: SetNode, runner: Runner) -> bool:
    """Whether a relation is followed from what is of another kind than all that has it: what a genre wrote."""
    match node:
        case nodes.Follow(nodes.Entities() as base, relation) if not len(runner.members(node).possible):
            has = runner.members(nodes.Having(relation)).possible
            return _are_of_other_kinds(runner.members(base).possible, has, runner)
    return False


def _leaves_all(node: nodes.Minus, runner: Runner) -> bool:
    """Whether a class is taken from one that it has nothing in common with, or from what is of another kind: halogens
    that are no noble gases, lakes that are no countries."""
    left, right = (runner.members(side).possible for side in (node.left, node.right))
    if not isinstance(node.right, nodes.Class):
        return is_small(runner.pack) and _have_nothing_alike(left, right, runner)
    if not isinstance(node.left, nodes.Class):
        return _are_of_other_kinds(left, right, runner)
    return not np.isin(left, right).any()


def _have_nothing_alike(ones: np.ndarray, others: np.ndarray, runner: Runner) -> bool:
    """Whether something is said of both, and nothing of the same: customers, and what was ordered."""
    n = runner.pack.n_relations
    said, said_of_others = (relations_of(runner.pack, some[:MOST_LOOKED_AT])[:n] for some in (ones, others))
    return bool(said.any() and said_of_others.any() and not (said & said_of_others).any())


def _takes_nothing(node: nodes.Minus, runner: Runner) -> bool:
    """Whether what is taken away is a name that was not there, what a bare word or all of a class leads to, or what has
    another such value of which each thing has one: drivers born in Germany except "German", or but those born in
    Italy."""
    taken = runner.members(node.right).possible
    match node.right:
        case nodes.Entities() | nodes.Follow(nodes.Class(), _):
            pass
        case nodes.Follow(nodes.Entities(ids), _) if not len(taken) and None not in runner.pack.literals(ids):
            pass
        case _ if not len(taken) or not _by_the_one_value(node, runner):
            return False
    return not np.isin(taken, runner.members(node.left).possible).any()


def _by_the_one_value(node: nodes.Minus, runner: Runner) -> bool:
    """Whether both sides are told apart by the same relation, by which each member of the first has one value.

    In a table, where few relations are to be confused, what Ann runs and Bob does not may well be asked.
    """
    left = node.left
    while isinstance(left, nodes.And):
        left = left.right
    match left, node.right:
        case nodes.Follow(_, relation), nodes.Follow(_, other) if relation == other and not is_table(runner.pack):
            members = runner.members(node.left).certain[:MOST_LOOKED_AT]
            return len(edges_of(runner.pack, members, opposite(relation, runner.pack.n_relations))) <= len(members)
    return False


def _is_of_table(query: Query, is_no: bool, runner: Runner) -> bool:
    denied = _denied(query) if is_no else None
    flags = flags_of(runner.pack, denied.relation).values() if denied is not None else ()
    is_flag = denied is not None and denied.object in [nodes.Entities((one,)) for one in flags]  # it says so
    if denied is not None and not is_flag and (_never_leads_to(denied, runner) or _is_so_otherwise(denied, runner)):
        return True
    return any(_chooses_nothing(node, runner) for node in query.walk())


def _denied(query: Query) -> nodes.Holds | None:
    """What a "no" says of a relation and an end of it."""
    match query:
        case nodes.Holds():
            return query
        case nodes.Some(nodes.And(nodes.Entities() as end, nodes.Follow(base, relation))) | nodes.Some(
            nodes.And(nodes.Follow(base, relation), nodes.Entities() as end)
        ):
            return nodes.Holds(base, relation, end)
    return None


def _never_meet(node: Node, runner: Runner) -> bool:
    """Whether two sets that have nothing in common are of different kinds: her brothers and a cemetery, or prizes and
    what is an occupation of anybody.

    Whether a thing is of a class may well be asked.
    """
    match node:
        case nodes.And(nodes.Class() as kind, nodes.Follow() as led) | nodes.And(
            nodes.Follow() as led, nodes.Class() as kind
        ):
            ends = nodes.Having(opposite(led.relation, runner.pack.n_relations))
            return not len(runner.members(nodes.And(kind, ends)).possible)
        case nodes.And(nodes.Class() as kind, nodes.And() as both) | nodes.And(
            nodes.And() as both, nodes.Class() as kind
        ):
            return any(_never_meet(nodes.And(kind, part), runner) for part in (both.left, both.right))
        case nodes.And(nodes.Class()) | nodes.And(_, nodes.Class()):
            return False
        case nodes.And():
            pass
        case _:
            return False
    return _are_of_other_kinds(runner.members(node.left).certain, runner.members(node.right).certain, runner)


def _never_leads_to(query: nodes.Holds, runner: Runner) -> bool:
    """Whether nothing that the relation leads to is of a kind with what it is denied of: a phone is no person."""
    ends = runner.members(nodes.Having(opposite(query.relation, runner.pack.n_relations))).certain
    denied = runner.members(query.object).certain
    is_number = len(runner.types(denied)) > 0 and _are_numbers(ends, runner.pack)
    is_value = _is_said_of(denied, runner.pack) and not _is_said_of(ends, runner.pack)  # a trade, and somebody
    # Of whom nothing is said she is not among what something is said of.
    is_value = is_value or (query.relation >= runner.pack.n_relations and not _is_said_of(denied, runner.pack))
    return is_number or is_value or _are_of_other_kinds(denied, ends, runner)


def _is_so_otherwise(query: nodes.Holds, runner: Runner) -> bool:
    """Whether what is denied of two by one relation another says of them: what is in no rack F2 is in the freezer F2;
    or a row that names both, such as one of a vote."""
    match query:
        case nodes.Holds(nodes.Entities((one,)), _, nodes.Entities((other,))):
            pass
        case _:
            return False
    rows = [neighbours(runner.pack, [entity], True) for entity in (one, other)]
    return other in neighbours(runner.pack, [one], False) | rows[0] or bool(rows[0] & rows[1])


def _is_in_other_unit(query: Query, question: str, pack: Pack) -> bool:
    """Whether a number is said in what one column is measured in by its name, and the query compares another.

    "Above 150 ng/µl" is no volume where there are a "concentration (ng/µl)" and a "volume (µl)".
    """
    if not any(isinstance(node, nodes.Number) for node in query.walk()):
        return False
    said = {found[1].lower() for found in _IN_UNIT.finditer(question)}
    units = {
        at: found[1].lower()
        for at, label in enumerate(pack.relation_labels())
        if (found := _UNIT_OF_LABEL.search(label)) is not None
    }
    used = {units.get(undirected(one, pack.n_relations)[0], "") for one in relations_in(query)}
    return any(unit in said and unit not in used for unit in units.values())


def _takes_unit_for_another(query: Query, question: str, pack: Pack) -> bool:
    """Whether a bare number is compared with what is measured in one unit, by its relation's name, and the question
    says another behind a number: 3 tonnes are no "mass (kg)" of 3."""
    paths = [
        node.by.path
        for node in query.walk()
        if isinstance(node, nodes.Where) and isinstance(node.value, nodes.Number) and not node.value.unit
    ]
    labels = pack.relation_labels() if paths else []
    called = {unit_of_label(relation_phrase(labels[path[-1] % pack.n_relations])) for path in paths} - {""}
    units = (unit_at(question, found.end(), True, {}) for found in _NUMBER.finditer(question)) if called else ()
    return any(unit is not None and unit[1] not in called for unit in units)


def _is_said_of(entities: np.ndarray, pack: Pack) -> bool:
    """Whether a table says anything of any of them."""
    return bool(relations_of(pack, entities[:MOST_LOOKED_AT])[: pack.n_relations].any())


def _chooses_nothing(node: Node, runner: Runner) -> bool:
    """Whether a set takes away what is of another kind, is joined to a class that holds it, counts what is named, or is
    limited by a number that is none of the relation's: 5,000,000 in a column of millions."""
    match node:
        case nodes.Count(nodes.Entities()):
            return True
        case nodes.Holds(subject, relation, nodes.Follow(base, other)):
            return (subject, relation) == (base, other)
        case nodes.Count(nodes.Follow(_, relation)) if flags_of(runner.pack, relation):
            return True  # how many of "yes" and "no" there are
        case nodes.Some(nodes.Follow(_, relation)) | nodes.Having(relation):
            return False in flags_of(runner.pack, relation)  # "no" stands there as well as "yes"
        case nodes.Where(_, nodes.ValueOf((relation,)), _, nodes.Number() as limit):
            return not is_in_reach(runner, relation, limit, FAR)
        case nodes.Where(_, nodes.SizeOf(), _, nodes.Number(number)):
            return number > runner.pack.n_entities
        case nodes.Minus(left, right):
            return _are_of_other_kinds(runner.members(left).certain, runner.members(right).certain, runner)
        case nodes.Or(nodes.Class() as whole, part) | nodes.Or(part, nodes.Class() as whole):
            return not isinstance(part, nodes.Class) and _holds(whole, part, runner)
    return False


def _holds(whole: SetNode, part: SetNode, runner: Runner) -> bool:
    return bool(np.isin(runner.members(part).possible, runner.members(whole).certain).all())


def _is_nobody(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether who is asked for and only numbers are found, such as those of telephones."""
    is_set = found.outcome is None or found.outcome.members is not None
    if not is_set or not len(found.answers):
        return False
    are_flags = _FLAGS.issuperset(map(str.lower, pack.labels(found.answers[:2])))
    if are_flags and len(found.answers) > 1:  # of which yes is said, and of which no, nobody asks together
        return True
    return _WHO.search(question) is not None and (are_flags or _are_numbers(found.answers, pack))


def _are_called_otherwise(found: Hypothesis, question: str, runner: Runner) -> bool:
    """Whether some of a kind are asked for, as their names end, and what is found has no such name: "the second
    highest hut" is a hut, where there are a "Lerchen Hut", a "Steinbock Hut" and others."""
    pack, asked = runner.pack, [one["noun"].lower() for one in _KIND_ASKED.finditer(question)]
    is_set = found.outcome is not None and found.outcome.members is not None
    if not asked or not is_set or not len(found.answers):
        return False
    of_relations = {word for label in pack.relation_labels() for word in label.lower().split()}
    nouns = {form for noun in asked for form in (noun, *singulars(noun))} - of_relations
    kinds = pack.labels(runner.types(found.answers[:MOST_LOOKED_AT]).tolist())
    nouns.difference_update(word for label in kinds for word in label.lower().split())  # a palm is a plant as well
    described = np.flatnonzero(np.diff(pack.out_indptr))
    labels = zip(described.tolist(), pack.labels(described), strict=True)
    called = [one for one, label in labels if _ends_in(label, nouns)]
    return len(called) >= LEAST_CALLED and not np.isin(found.answers, called).any()


def _ends_in(label: str, nouns: Collection[str]) -> bool:
    *before, last = label.lower().split() or ("",)
    return bool(before) and last in nouns


def _are_numbers(entities: np.ndarray, pack: Pack) -> bool:
    labels = pack.labels(entities[:MOST_LOOKED_AT])
    return bool(labels) and not any(letter.isalpha() for label in labels for letter in label)


def _are_of_other_kinds(entities: np.ndarray, others: np.ndarray, runner: Runner) -> bool:
    """Whether both have types, and none in common, as far as a few of them tell."""
    types, other_types = (runner.types(some[:MOST_LOOKED_AT]) for some in (entities, others))
    return bool(len(types) and len(other_types)) and not np.isin(types, other_types).any()
