"""What no claim says: that a city is an author, or that something is heavier than itself.

A planner that misreads a claim often asks what cannot be so. As a question that is answered with "no"; a claim would be
refuted by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from kgask.methods.reach import is_in_reach
from kgask.methods.relation_facts import is_small, is_table
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import CLOCK, WHEN
from kgask.pack.relation_kinds import COMPLETE, MOSTLY_ONE, SINGLE
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import axis_codes, literal_places, relation_axis
from kgask.query.base import Node, SetNode, TruthNode
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId, opposite

FEW_OWNERS = 3  # things with a relation, by whose ends and its name it is known that it has one
_AFTER_VERBS = frozenset(
    "to of for with on from about than against like love know own hold have has use play speak".split()
)
_OFTEN_SEVERAL = frozenset(
    "child son daughter sister brother sibling friend neighbour neighbor relative cousin member part component "
    "ingredient language tongue skill effect symptom hobby interest award prize tag topic subject keyword theme genre "
    "author editor actor actress cast character student pupil apprentice instrument contact supplier vendor customer "
    "client partner sponsor colleague material prerequisite tool crop food prey predator gene disease drug treatment "
    "medication allergy work book song film visit trip stop station route alias nickname note mention reference source "
    "owner crew guest participant player teammate enemy rival ally product service cargo load plant animal species "
    "pest sport toy qualification degree certificate duty task".split()
)
FAR = 10.0  # times what a relation leads to, beyond which a number is none of its
LOOKED_AT = 200  # ends of a relation whose types are looked at


def has_codes(runner: Runner, kind: nodes.Class) -> bool:
    """Whether each of a class has a code, a symbol or the like of its own, as countries and elements do: such are
    listed whole, islands and films are not."""
    pack, members, own = runner.pack, runner.members(kind).certain, SINGLE | COMPLETE
    kinds, n = pack.relation_kinds, pack.n_relations
    codes = [one for one in range(n) if kinds[one] & own == own and kinds[opposite(one, n)] & SINGLE]
    codes = [one for one in codes if relation_axis(pack, one) is None]
    return any(len(distinct(runner.edges(members, one).sources)) >= MOSTLY_ONE * len(members) for one in codes)


def are_alike(runner: Runner, ones: np.ndarray, others: np.ndarray, relation: DirectedRelationId) -> bool:
    """Whether one excludes the other: things of a type, or that a relation leads to, with different names; where
    neither has a type, such as something of a sort is said of."""
    pack = runner.pack
    if {label.lower() for label in pack.labels(ones)} & {label.lower() for label in pack.labels(others)}:
        return False
    types, other_types = runner.types(ones), runner.types(others)
    if np.intersect1d(types, other_types).size:
        return True
    said, said_of_others = (relations_of(pack, some)[: pack.n_relations] for some in (ones, others))
    if not len(types) and not len(other_types) and (said & said_of_others).any():
        return True
    return len(distinct(runner.edges(others, opposite(relation, pack.n_relations)).sources)) == len(others)


def meets(pack: Pack, stated: np.ndarray, claimed: np.ndarray) -> bool | None:
    """Whether a stated value (entity ids) lies in a claimed one, as 7 May 1913 in 1913; None where they are apart.

    False where they overlap otherwise. What is no number or date is apart from everything.
    """
    known = pack.literal_values
    axes, others = axis_codes(pack, stated), axis_codes(pack, claimed)
    ours, theirs = literal_places(pack, stated[axes >= 0]), literal_places(pack, claimed[others >= 0])
    is_same = axes[axes >= 0][:, None] == others[others >= 0][None, :]
    low, high = known.low[ours][:, None], known.high[ours][:, None]
    if ((known.low[theirs] <= low) & (high <= known.high[theirs]) & is_same).any():
        return True
    return False if ((known.low[theirs] <= high) & (low <= known.high[theirs]) & is_same).any() else None


def is_sensible(runner: Runner, query: TruthNode) -> bool:
    """Whether what relations are asked to lead to is of a kind that they lead to, and no value compared with itself."""
    return all(_is_sensible(runner, part) for part in query.walk())


def _is_sensible(runner: Runner, node: Node) -> bool:
    match node:
        case nodes.Holds(subject, relation, obj):
            back = opposite(relation, runner.pack.n_relations)
            if obj == nodes.Follow(subject, relation) or subject == nodes.Follow(obj, back):
                return False  # that it has what it has
            if isinstance(obj, nodes.Follow) and not _is_ever_shared(runner, relation, obj.relation):
                return False
            return _fits(runner, relation, obj) and _fits(runner, back, subject)
        case nodes.And(nodes.Entities() as named, other) | nodes.And(other, nodes.Entities() as named):
            return _is_meeting(runner, named, other)
        case nodes.Some(nodes.Follow(_, relation)):
            return relation not in runner.pack.type_relations  # that it is anything at all
        case nodes.Compare(nodes.Values(one, relation), _, nodes.Values(other, another)) if one != other:
            is_date = relation_axis(runner.pack, relation) in WHEN  # born before another died
            return is_date or relation == another
        case nodes.Compare(nodes.Values(one, relation), _, nodes.Values(other, another)) if one == other:
            return relation != another and relation_axis(runner.pack, relation) != CLOCK  # "arrives after it left"
        case nodes.Compare(nodes.Values(_, relation), "=", nodes.Number() as said):
            return is_in_reach(runner, relation, said, FAR)
        case nodes.Compare(left, _, right) | nodes.Age(left, right):
            return left != right
        case nodes.All(truths):
            return not any(_contradict(runner, one, other) for one, other in combinations(truths, 2))
    return True


def is_alike(node: Node) -> bool:
    """Whether it is what two things have alike, by one relation: the city where both were born."""
    match node:
        case nodes.Holds(_, _, nodes.Follow()):
            return True
        case nodes.And():
            ways = [part for part in node.walk() if isinstance(part, nodes.Follow)]
            ends = {part.base for part in ways if isinstance(part.base, nodes.Entities)}
            return len({part.relation for part in ways}) == 1 and len(ends) == len(ways) > 1
    return False


def mixes_kinds(runner: Runner, query: TruthNode) -> bool:
    """Whether a query looks for things of a class where a relation leads to none of it."""
    return any(
        isinstance(part, nodes.And) and any(not _is_ever_led_to(runner, *pair) for pair in _kinds_led_to(part))
        for part in query.walk()
    )


def _kinds_led_to(node: nodes.And) -> Iterator[tuple[nodes.Class, DirectedRelationId]]:
    match node:
        case nodes.And(nodes.Class() as kind, nodes.Follow(_, relation)) | nodes.And(
            nodes.Follow(_, relation), nodes.Class() as kind
        ):
            yield kind, relation


def _contradict(runner: Runner, one: TruthNode, other: TruthNode) -> bool:
    """Whether two ends are claimed of a relation that has one: nobody says that of the same thing."""
    match one, other:
        case nodes.Holds(subject, relation, end), nodes.Holds(same, again, other_end):
            is_same = subject == same and relation == again and end != other_end
            return is_same and bool(runner.pack.relation_kinds[relation] & SINGLE)
    return False


def _is_ever_led_to(runner: Runner, kind: nodes.Class, relation: DirectedRelationId) -> bool:
    """Whether a relation leads to anything of a class."""
    members, led_to = (
        runner.members(kind).possible,
        runner.members(nodes.Having(opposite(relation, runner.pack.n_relations))),
    )
    return not len(members) or bool(np.isin(members, led_to.possible).any())


def _is_ever_shared(runner: Runner, relation: DirectedRelationId, other: DirectedRelationId) -> bool:
    """Whether what one relation leads to is meant to be what another one does: not of two numbers, and no neighbour of
    one's neighbour."""
    n_relations = runner.pack.n_relations
    if relation_axis(runner.pack, relation % n_relations) is not None:
        return relation == other
    return other != opposite(relation, n_relations) and not (relation == other and is_both_ways(runner.pack, relation))


def is_both_ways(pack: Pack, relation: DirectedRelationId) -> bool:
    """Whether what one thing is to another by a relation the other is to it, as neighbours are."""
    kinds = pack.relation_kinds
    return bool(kinds[relation] & COMPLETE and kinds[opposite(relation, pack.n_relations)] & COMPLETE)


def _is_meeting(runner: Runner, named: nodes.Entities, other: SetNode) -> bool:
    """Whether something that is named may belong to a set."""
    match other:
        case nodes.Entities(ids):
            return bool(set(named.ids) & set(ids))
        case nodes.Follow(_, relation):
            return _fits(runner, relation, named)
        case nodes.Qualified():
            return _fits(runner, other.follow.relation, named)
        case nodes.And(left, right):
            return _is_meeting(runner, named, left) and _is_meeting(runner, named, right)
    return True


def _fits(runner: Runner, relation: DirectedRelationId, ends: SetNode) -> bool:
    """Whether a relation may lead to one of these: it leads there from something, or to things of their type."""
    ids = runner.members(ends).possible
    if not len(ids):  # nobody is said to be so
        return False
    if len(runner.edges(ids, opposite(relation, runner.pack.n_relations))):
        return True
    first_literal = runner.pack.n_entities - runner.pack.n_literals
    led_to = runner.members(nodes.Having(opposite(relation, runner.pack.n_relations))).certain
    led_to = led_to[:: max(1, len(led_to) // LOOKED_AT)]
    if (ids >= first_literal).all() != bool(len(led_to) and (led_to >= first_literal).all()):
        return False
    types, usual = runner.types(ids), runner.types(led_to)
    if not usual.size:  # what has no type may be anything that has none
        return not (types.size and len(led_to))
    return bool(np.intersect1d(types, usual).size)


def knows_most(runner: Runner, base: SetNode) -> bool:
    """Whether values are known of at least half of the things of a class of which one is the most."""
    bests = [one for one in runner.coverage(base) if isinstance(one.node, nodes.Best)]
    of_class = [one for one in bests if any(isinstance(node, nodes.Class) for node in one.node.walk())]
    return all(one.known >= one.members / 2 for one in of_class)


def is_own_list(runner: Runner, counts: Sequence[nodes.Count]) -> bool:
    """Whether somebody's own graph knows some of each that is counted of what is named: there it lists what it has."""
    of_named = all(any(isinstance(one, nodes.Entities) for one in count.walk()) for count in counts)
    return of_named and is_table(runner.pack) and all(len(runner.members(one.base).certain) for one in counts)


def is_single_by_name(runner: Runner, relation: DirectedRelationId) -> bool:
    """Whether a relation of somebody's own graph has one end, as far as few things tell that have it: it is called as
    one that has ("captain", "painted by"), and none of them has two."""
    pack = runner.pack
    if not is_small(pack) or relation >= pack.n_relations:
        return False
    *_, last = relation_phrase(pack.relations()[relation].label).lower().split() or ("",)
    if last in _OFTEN_SEVERAL or (last.endswith("s") and not last.endswith(("ss", "us", "is"))) or last in _AFTER_VERBS:
        return False
    _, n_ends = np.unique(
        runner.edges(runner.members(nodes.Having(relation)).certain, relation).sources, return_counts=True
    )
    return len(n_ends) >= FEW_OWNERS and bool((n_ends == 1).all())
