"""What a graph's silence says: a truth of the open world, with the rule that decided and the triples.

A query is closed (:mod:`kgask.query.nodes`); a claim is about the world, of which a graph knows a part. What the graph
states is supported. What it does not state is refuted where it contradicts it: it has another end of a relation that
has one, all ends of one that it knows whole (:mod:`kgask.pack.relation_kinds`), another value, more of them than
claimed. Everything else is unknown, or false too in a closed world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from kgask.methods.relation_facts import is_table
from kgask.methods.said_kind import is_of_no_kind
from kgask.pack.arrays import distinct
from kgask.pack.relation_kinds import COMPLETE, LEAST_OWNERS, MOSTLY_ONE, SINGLE
from kgask.query import nodes
from kgask.query.base import SetNode, TruthNode, ValueNode
from kgask.retrieve.compare import every, some
from kgask.retrieve.derive import derivation, otherwise
from kgask.retrieve.follow import Edges
from kgask.retrieve.places import climb, may_hold, place_relations
from kgask.retrieve.run import Runner
from kgask.retrieve.trace import triple_ids
from kgask.types import DirectedRelationId, RelationId, TripleId, directed, opposite, undirected
from kgask.verify.decision import Decision, Rule
from kgask.verify.exactness import as_said, of_counts
from kgask.verify.sense import are_alike, has_codes, is_own_list, is_single_by_name, knows_most, meets
from kgask.verify.table_rows import is_of_rows, rows_of

Combine = Callable[[Iterable[bool | None]], bool | None]
TOLD = 10  # triples of a decision
MOST_CANDIDATES = 2000  # of a set that are looked at one by one
MOST_MEANT = 3  # whom "the author of ..." may mean
MOST_OTHERS = 20  # things that something is claimed to be one of, and that exclude what it is
MOST_ALIKE = 50_000  # things of a type whose relation is looked at


@dataclass(slots=True)
class World:
    """Decides truths over a pack; ``single`` and ``complete`` are directed relations beside those that it learned."""

    runner: Runner
    is_closed: bool = False
    single: frozenset[DirectedRelationId] = frozenset()
    complete: frozenset[DirectedRelationId] = frozenset()
    _one_here: dict[tuple[DirectedRelationId, tuple[int, ...]], bool] = field(default_factory=dict)
    _full: dict[DirectedRelationId, bool] = field(default_factory=dict)

    def decide(self, node: TruthNode) -> Decision:
        """Whether ``node`` holds.

        Raises :class:`~kgask.errors.QueryError` and :class:`~kgask.errors.BudgetError` as running it does.
        """
        match node:
            case nodes.Not(nodes.Some(nodes.Minus(base, others))):
                return self._all_are(base, others)
            case nodes.Not(truth):
                return self.decide(truth).turned
            case nodes.All(truths):
                return self._together(truths, every)
            case nodes.Any(truths):
                return self._together(truths, some)
            case nodes.Some(nodes.And(nodes.Entities() as obj, nodes.Follow(base, relation))):
                return self._holds(nodes.Holds(base, relation, obj))
            case nodes.Some(nodes.And(nodes.Follow(base, relation), nodes.Entities() as obj)):
                return self._holds(nodes.Holds(base, relation, obj))
            case nodes.Some(base):
                found = self._exists(node, base)
                meant = self._meant(base) if found.truth is None else None
                return self._holds(meant) if meant is not None else found
            case nodes.Holds():
                return self._holds(node)
            case nodes.Compare(nodes.Count(nodes.And(base, so)), ">", nodes.Count(nodes.Minus(whole, others))) if (
                base == whole and so == others
            ):
                return self._most_are(base, so)
            case nodes.Compare():
                return self._compares(node)
        raise AssertionError(node)

    def _together(self, truths: Iterable[TruthNode], combine: Combine) -> Decision:
        decided = [self.decide(one) for one in truths]
        truth = combine(one.truth for one in decided)
        told = [one for one in decided if one.truth is truth] or decided
        triples = tuple(dict.fromkeys(triple for one in told for triple in one.triples))[:TOLD]
        return Decision(truth, told[0].rule, triples, told[0].relation)

    # --- relations ------------------------------------------------------------------------------

    def _holds(self, node: nodes.Holds) -> Decision:
        runner, n_relations = self.runner, self.runner.pack.n_relations
        truth = runner.truth(node)
        if truth:
            return Decision(True, "stated", self._derived(node), node.relation)
        plain, inverse = undirected(node.relation, n_relations)
        subject, obj = (node.object, node.subject) if inverse else (node.subject, node.object)
        subjects, objects = runner.members(subject).possible, runner.members(obj).possible
        if truth is None or not len(subjects) or not len(objects):
            return Decision(None, "silent")
        told = self._ids(otherwise(runner, node))
        if self.is_closed:
            return Decision(False, "closed world", told, plain)
        if np.isin(runner.edges(objects, plain).targets, subjects).any():  # turned round: of a spouse it says the same
            return Decision(None, "silent", told)
        back = directed(plain, True, n_relations)
        for start, starts, relation, end, ends in (
            (subject, subjects, plain, obj, objects),
            (obj, objects, back, subject, subjects),
        ):
            found = self._contradicted(starts, relation, ends, end) if self._is_whole(start) else None
            if found is not None:
                return found
        return self._elsewhere(subjects, plain, objects) or Decision(None, "silent", told)

    def _elsewhere(self, starts: np.ndarray, relation: RelationId, ends: np.ndarray) -> Decision | None:
        """Of a place that one relation is silent on, what another says: "in Europe" may be a region or a continent."""
        others = place_relations(self.runner.pack)
        if relation not in others:
            return None
        back = (directed(one, True, self.runner.pack.n_relations) for one in others)
        leads = [one for one, turned in zip(others, back, strict=True) if len(self.runner.edges(ends, turned))]
        named = nodes.Entities(tuple(ends.tolist()))
        found = (self._contradicted(starts, one, ends, named) for one in leads if one != relation)
        return next((one for one in found if one is not None), None)

    def _is_whole(self, node: SetNode) -> bool:
        """Whether something is named, or is told by what leads to nothing but it: "the author of Emma"."""
        return isinstance(node, nodes.Entities) or self._candidates(node) is not None

    def _contradicted(
        self, starts: np.ndarray, relation: DirectedRelationId, ends: np.ndarray, end: SetNode
    ) -> Decision | None:
        """What follows from the other ends that a relation has; ``ends`` are those of ``end`` that the graph knows.

        Whoever else may belong to what is told of them ("born in London") contradicts nothing.
        """
        edges, is_named = self.runner.edges(starts, relation), isinstance(end, nodes.Entities)
        if len(distinct(edges.sources)) < len(starts) or (is_named and len(ends) > MOST_OTHERS):
            return None
        if (is_within := meets(self.runner.pack, edges.targets, ends)) is not None:
            return Decision(is_within or None, "value" if is_within else "silent", self._ids(edges), relation)
        is_complete = self._is(COMPLETE, relation)
        is_single = self._is(SINGLE, relation) or self._is_single_here(starts, relation)
        if not (is_complete or is_single or is_single_by_name(self.runner, relation)):
            return None
        rule: Rule = "complete" if is_complete else "single"
        if is_named and self._is_left_open(relation, ends):
            return None
        if not is_named:
            is_other = all(self._is_excluded(end, one) for one in distinct(edges.targets).tolist())
            return Decision(False, rule, self._ids(edges), relation) if is_other else None
        reached = edges.targets
        if relation < self.runner.pack.n_relations:
            above = climb(self.runner, reached)
            if np.isin(above.reached, ends).any():
                return Decision(True, "within", (*self._ids(edges), *above.way_to(ends)), relation)
            if may_hold(self.runner, ends, reached):
                return None
            reached = above.reached
        return (
            Decision(False, rule, self._ids(edges), relation)
            if are_alike(self.runner, reached, ends, relation)
            else None
        )

    def _is_left_open(self, relation: DirectedRelationId, ends: np.ndarray) -> bool:
        """Whether a relation the other way round has one end and the graph none: what nobody is known to have made may
        be by anybody of whom all works are known."""
        n = self.runner.pack.n_relations
        back = opposite(relation, n)
        return back < n and self._is(SINGLE, back) and not len(self.runner.edges(ends, back))

    def _is(self, bit: int, relation: DirectedRelationId) -> bool:
        said = self.single if bit == SINGLE else self.complete
        if relation in said or not self.runner.pack.relation_kinds[relation] & bit:
            return relation in said
        return bit == SINGLE or self._is_full(relation)

    def _is_full(self, relation: DirectedRelationId) -> bool:
        """Whether no row of a table leaves empty what an inverse relation leads from; of other graphs none may."""
        if relation not in self._full:
            rows = rows_of(self.runner, relation)
            has = (
                self.runner.edges(rows, opposite(relation, self.runner.pack.n_relations)) if rows is not None else None
            )
            self._full[relation] = rows is None or has is None or len(distinct(has.sources)) == len(rows)
        return self._full[relation]

    def _is_single_here(self, starts: np.ndarray, relation: DirectedRelationId) -> bool:
        """Whether a relation that may have several ends has one for things of these types."""
        kinds = tuple(self.runner.types(starts).tolist())
        if not kinds:
            return False
        if (relation, kinds) not in self._one_here:
            alike = self.runner.members(nodes.Class(kinds[0])).certain
            for kind in kinds[1:]:
                alike = np.intersect1d(alike, self.runner.members(nodes.Class(kind)).certain, assume_unique=True)
            sources = self.runner.edges(alike[:MOST_ALIKE], relation).sources
            _, n_ends = np.unique(sources, return_counts=True)
            self._one_here[relation, kinds] = len(n_ends) >= LEAST_OWNERS and bool((n_ends == 1).mean() >= MOSTLY_ONE)
        return self._one_here[relation, kinds]

    # --- sets -----------------------------------------------------------------------------------

    def _exists(self, node: nodes.Some, base: SetNode) -> Decision:
        found = self.runner.members(base)
        if len(found.certain) and not knows_most(self.runner, base):
            return Decision(None, "silent")
        if len(found.certain):
            return Decision(True, "stated", self._derived(node))
        if len(found.possible):
            return Decision(None, "silent")
        if self.is_closed:
            return Decision(False, "closed world")
        candidates = self._candidates(base)
        if candidates is None or not all(self._is_excluded(base, one) for one in candidates):
            return Decision(None, "silent")
        return Decision(False, "complete", tuple(self._said_instead(base)))

    def _all_are(self, base: SetNode, others: SetNode) -> Decision:
        """Whether all of a set belong to another: refuted by one that does not, so if the graph has all."""
        known = self.runner.members(base).certain
        outside = np.setdiff1d(known, self.runner.members(others).certain).tolist()
        for one in outside[:MOST_CANDIDATES]:
            if self.is_closed or self._is_excluded(others, one):
                return Decision(False, "complete", tuple(self._said_instead(nodes.And(nodes.Entities((one,)), others))))
        if not len(known) or outside or not (self.is_closed or is_table(self.runner.pack) or self._has_all(base)):
            return Decision(None, "silent")
        return Decision(True, "complete" if self.is_closed or self._has_all(base) else "known")

    def _most_are(self, base: SetNode, others: SetNode) -> Decision:
        """Whether more than half of a set belong to another, of those that somebody's own graph has; who is of neither
        known so nor otherwise may be either."""
        known = self.runner.members(base).certain
        outside = np.setdiff1d(known, self.runner.members(others).certain).tolist()
        if not len(known) or len(known) > MOST_CANDIDATES or not (self.is_closed or is_table(self.runner.pack)):
            return Decision(None, "silent")
        if 2 * len(outside) < len(known):
            return Decision(True, "known")
        n_not_so = sum(self.is_closed or self._is_excluded(others, one) for one in outside)
        return Decision(False, "known") if 2 * n_not_so >= len(known) else Decision(None, "silent")

    def _has_all(self, base: SetNode) -> bool:
        """Whether the graph has all of a set: who else might belong to it surely does not."""
        known = {*self.runner.members(base).certain.tolist()}
        candidates = self._candidates(base) if self._is_listed(base) else None
        return candidates is not None and all(one in known or self._is_excluded(base, one) for one in candidates)

    def _meant(self, base: SetNode) -> nodes.Holds | None:
        """ "The author of Emma was born in London" as what is said of the few whom one of two relations leads to."""
        parts = [one for one in conjuncts(base) if not isinstance(one, nodes.Class)]
        if len(parts) != 2 or not all(isinstance(one, nodes.Follow) for one in parts):
            return None
        one, other = sorted(parts, key=lambda part: len(self.runner.members(part).possible))
        if not 0 < len(self.runner.members(one).possible) <= MOST_MEANT or not isinstance(other, nodes.Follow):
            return None
        return nodes.Holds(one, opposite(other.relation, self.runner.pack.n_relations), other.base)

    def _candidates(self, node: SetNode) -> list[int] | None:
        """All that may belong to a set in the world; None where others than the graph knows may."""
        runner = self.runner
        match node:
            case nodes.Entities(ids):
                return list(ids)
            case nodes.Class():
                return _few(runner.members(node).possible)
            case nodes.Follow(base, relation):
                starts = self._candidates(base)
                if starts is None or not starts:
                    return None
                edges = runner.edges(np.array(sorted(starts), np.int64), relation)
                has_all = len(distinct(edges.sources)) == len(starts)
                is_whole = self._is(COMPLETE, relation) and (has_all or self._may_have(starts, relation))
                is_whole = is_whole or (self._is(SINGLE, relation) and has_all)
                rows = None if is_whole else rows_of(runner, relation)
                return _few(distinct(edges.targets)) if is_whole else None if rows is None else _few(rows)
            case nodes.Having(relation):
                rows = rows_of(runner, opposite(relation, runner.pack.n_relations))
                return None if rows is None else _few(rows)
            case nodes.And(left, right):
                found = [one for one in (self._candidates(left), self._candidates(right)) if one is not None]
                return min(found, key=len, default=None)
            case nodes.Or(left, right):
                one, other = self._candidates(left), self._candidates(right)
                return None if one is None or other is None else sorted({*one, *other})
            case nodes.Minus(base) | nodes.Where(base) | nodes.Best(base):
                return self._candidates(base)
            case nodes.Qualified():
                return self._candidates(node.follow)
        return None

    def _is_listed(self, node: SetNode) -> bool:
        """Whether the graph may have all of a set: of a class where each has a code or the like of its own."""
        match node:
            case nodes.Class():
                return has_codes(self.runner, node) or is_of_rows(self.runner, node)
            case nodes.And(left, right):
                return self._is_listed(left) or self._is_listed(right)
            case nodes.Or(left, right):
                return self._is_listed(left) and self._is_listed(right)
            case nodes.Minus(base) | nodes.Where(base) | nodes.Best(base):
                return self._is_listed(base)
        return self._candidates(node) is not None

    def _may_have(self, starts: list[int], relation: DirectedRelationId) -> bool:
        """Whether things without a relation are of the type of those that have it: an island has no neighbours."""
        owners = self.runner.members(nodes.Having(relation)).certain[:LEAST_OWNERS]
        return bool(np.intersect1d(self.runner.types(np.array(starts, np.int64)), self.runner.types(owners)).size)

    def _is_excluded(self, node: SetNode, one: int) -> bool:
        """Whether an entity surely does not belong to a set."""
        runner = self.runner
        match node:
            case nodes.Entities(ids):
                return one not in ids
            case nodes.Class(kind):
                return is_of_no_kind(runner, one, kind)
            case nodes.Follow(base, relation):
                return self._holds(nodes.Holds(base, relation, nodes.Entities((one,)))).truth is False
            case nodes.And(left, right):
                return self._is_excluded(left, one) or self._is_excluded(right, one)
            case nodes.Or(left, right):
                return self._is_excluded(left, one) and self._is_excluded(right, one)
            case nodes.Minus(left, right):
                return self._is_excluded(left, one) or one in runner.members(right).certain
            case nodes.Best(base, by) if not len(runner.judged(np.array([one], np.int64), by, None).member):
                return self._is_excluded(base, one)
            case nodes.Where(base) | nodes.Best(base):
                is_judged = one in runner.members(base).possible and one not in runner.members(node).possible
                return is_judged or self._is_excluded(base, one)
            case nodes.Qualified():
                is_judged = one in runner.members(node.follow).possible and one not in runner.members(node).possible
                return is_judged or self._is_excluded(node.follow, one)
        return False

    def _said_instead(self, node: SetNode) -> Iterator[TripleId]:
        """Triples of the first relation that a set follows."""
        for part in (part for part in node.walk() if isinstance(part, nodes.Follow)):
            edges = self.runner.edges(self.runner.members(part.base).possible, part.relation)
            if len(edges):
                yield from self._ids(edges)
                return

    # --- values ---------------------------------------------------------------------------------

    def _compares(self, node: nodes.Compare) -> Decision:
        node = as_said(node)
        counts = [one for one in (node.left, node.right) if isinstance(one, nodes.Count)]
        bounds = [self._bounds(one) for one in (node.left, node.right)] if counts else None
        truth = self.runner.truth(node) if bounds is None else of_counts(node.comparison, bounds)
        if bounds is not None and truth is None:
            # Where rows tell how many there may be at most, those that leave it open count.
            if any(one and np.isinf(one[1]) for one in bounds) and is_own_list(self.runner, counts):
                return Decision(self.runner.truth(node), "known", self._derived(node))
            if None not in bounds and node.comparison in ("=", ">=", "in"):  # of whom the graph knows three
                truth = self.runner.truth(node) or None
        rule: Rule = "silent" if truth is None else "count" if counts else "value"
        return Decision(truth, rule, self._derived(node))

    def _bounds(self, node: ValueNode) -> tuple[float, float] | None:
        """From the least to the most that a number may be; of what is counted, the most that there may be."""
        if not isinstance(node, nodes.Count):
            found = self.runner.quantity(node)
            return None if found is None else (found.low, found.high)
        members = self.runner.members(node.base)
        low, high = float(len(members.certain)), float(len(members.possible))
        if self.is_closed:
            return low, high
        candidates = self._candidates(node.base) if self._is_listed(node.base) else None
        if candidates is None:
            return low, np.inf
        left = sum(not self._is_excluded(node.base, one) for one in candidates)
        return low, float(max(left, high))

    # --- triples --------------------------------------------------------------------------------

    def _derived(self, node: TruthNode) -> tuple[TripleId, ...]:
        return derivation(self.runner, node).all_triples[:TOLD]

    def _ids(self, edges: Edges) -> tuple[TripleId, ...]:
        shown = edges.where(np.arange(min(TOLD, len(edges))))
        return tuple(triple_ids(self.runner.pack, shown).tolist())


def conjuncts(node: SetNode) -> list[SetNode]:
    return [*conjuncts(node.left), *conjuncts(node.right)] if isinstance(node, nodes.And) else [node]


def _few(ids: np.ndarray) -> list[int] | None:
    return ids.tolist() if len(ids) <= MOST_CANDIDATES else None
