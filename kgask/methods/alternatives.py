"""What else a question may ask for: other relation paths, other queries that were written, what the graph proposes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice, product

from kgask.errors import BudgetError, QueryError
from kgask.link.classes import ClassSpan, chosen, class_readings
from kgask.link.values import ValueSpan, value_spans
from kgask.methods.accounted import is_within_any
from kgask.methods.completed import completed
from kgask.methods.coordinated import Group, groups, spread
from kgask.methods.cues import Asked
from kgask.methods.differences import downwards, in_years
from kgask.methods.kinds import of_kinds
from kgask.methods.lasted import as_truth, limit_place, says_how_long, spanning
from kgask.methods.named_relations import NamedRelations
from kgask.methods.operators import BRIDGE_SECONDS, OperatorReader, hypothesis, retrieved
from kgask.methods.plainly import plainly
from kgask.methods.proposals import Proposals, Proposed
from kgask.methods.protocol import Request, Retrieved
from kgask.methods.query_features import features
from kgask.methods.query_readings import Reading, Understood, is_void
from kgask.methods.relation_facts import is_small
from kgask.methods.sketches import MOST_NAMES as SKETCHED
from kgask.methods.sketches import Sketches
from kgask.methods.truth_proposals import TruthProposals
from kgask.methods.understand import Linked
from kgask.methods.whole_kin import whole_kin
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.nodes import Query
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

MOST_PATHS, MOST_READINGS, MOST_COMPLETED, MOST, MOST_OF_CLAIM = 3, 5, 8, 64, 80
MOST_IF_SMALL, MOST_SKETCHED = 96, 48
CLAIM_SECONDS = 4.0  # of what the graph proposes for a claim: a slow machine shall judge as a fast one does
PROPOSED = 0.01  # confidence in what the graph proposes, before anything judges it


class Alternatives:
    """Gathers them over one pack; each can be answered with as it is."""

    def __init__(self, reader: OperatorReader, confidence: Callable[[Mapping[str, float]], float]) -> None:
        """``confidence`` is what the planner's card makes of a query's features."""
        self._reader, self._confidence = reader, confidence
        self._proposals, self._truths = Proposals(reader.facts), TruthProposals(reader.facts)
        self._sketches = Sketches(reader.facts)

    def to(
        self, chosen: Retrieved, request: Request, path: Retrieved, understood: Understood, linked: Sequence[Linked]
    ) -> Iterator[Retrieved]:
        """Those that ask for something else than ``chosen``, at most :data:`MOST`, in a small graph
        :data:`MOST_IF_SMALL`, of a claim :data:`MOST_OF_CLAIM`, the planner's own first.

        Each is looked for when it is taken.
        """
        others = self._different(_query(chosen), self._every(request, path, understood, linked))
        left_out = self._reader.left_out
        told = (
            replace(one, read_as=understood, find_left_out=cache(partial(left_out, request, understood, one)))
            for one in others
        )
        most = MOST_IF_SMALL if is_small(self._reader.pack) else MOST
        return islice(told, MOST_OF_CLAIM if request.is_claim else most)

    def _different(self, chosen: Query | None, every: Iterator[Retrieved]) -> Iterator[Retrieved]:
        known: set[Node | None] = {None, chosen}
        for one in every:
            query = _query(one)
            if query not in known:
                known.add(query)
                yield one

    def _every(
        self, request: Request, path: Retrieved, understood: Understood, linked: Sequence[Linked]
    ) -> Iterator[Retrieved]:
        for one in _paths_of(path):
            yield self._reader.of_class(request, one, understood)
        once: dict[Query | None, Reading] = {}  # of two segmentations, or made wider, two may be one
        for reading in understood.readings:
            if reading.outcome is not None and not reading.is_void:
                once.setdefault(reading.written.query, reading)
        told = [*once.values()]
        read = [self._of_reading(reading, understood, path.confidence) for reading in told[:MOST_READINGS]]
        yield from read
        yield from self._spread(request, [*read, *_paths_of(path)], linked)
        yield from islice(self._spanning(request, [*read, *_paths_of(path)], linked), MOST_COMPLETED)
        yield from self._plainly(request, linked)
        yield from islice(self._completed(request, [*read, *_paths_of(path)]), MOST_COMPLETED)
        yield from self._proposed(request, understood, linked)

    def _spread(self, request: Request, read: Sequence[Retrieved], linked: Sequence[Linked]) -> Iterator[Retrieved]:
        """What was read of some of what the question puts side by side, of all of it: as sure as that was."""
        text, pack, mentions = request.question.text, self._reader.pack, [one.mention for one in linked]
        runner = Runner(pack, Budget(BRIDGE_SECONDS))
        for one, group in product(read, groups(text, mentions, value_spans(text, pack.manifest.get("axes", ())))):
            query = _query(one)
            with suppress(QueryError, BudgetError):
                for wider, seeds in spread(query, group, runner) if query is not None else ():
                    found = hypothesis(one.confidence, of_kinds(runner, runner.result(wider)))
                    pointed = (*one.pointed, *(seed.span for seed in seeds))
                    yield Retrieved((*one.seeds, *seeds), (found,), one.confidence, pointed=pointed)

    def _completed(self, request: Request, read: Sequence[Retrieved]) -> Iterator[Retrieved]:
        """What was read, with what it leaves out: as sure as that was."""
        text, pack = request.question.text, self._reader.pack
        values, runner = value_spans(text, pack.manifest.get("axes", ())), Runner(pack, Budget(BRIDGE_SECONDS))
        for one in read if not request.is_claim else ():
            query = _query(one)
            taken = [*one.pointed, *(seed.span for seed in one.seeds)]
            free = [value for value in values if not is_within_any(value.place, taken)]
            with suppress(QueryError, BudgetError):
                for fuller in completed(query, text, free, self._reader.facts, runner) if query is not None else ():
                    outcome = of_kinds(runner, runner.result(fuller.query))
                    if not is_void(outcome):
                        pointed = (*one.pointed, *((fuller.place,) if fuller.place else ()))
                        found = hypothesis(one.confidence, outcome)
                        yield Retrieved(one.seeds, (found,), one.confidence, pointed=pointed, is_proposed=True)

    def _spanning(self, request: Request, read: Sequence[Retrieved], linked: Sequence[Linked]) -> Iterator[Retrieved]:
        """What was read, the two that are compared, or all of a class, chosen by how long it lasted."""
        text, pack = request.question.text, self._reader.pack
        if request.is_claim or not says_how_long(text):
            return
        runner = Runner(pack, Budget(BRIDGE_SECONDS))
        bases = [(_query(one), one.seeds, one.confidence, one.pointed) for one in read]
        seeds = sorted((one.mention.seeds[0] for one in linked), key=lambda seed: seed.span)
        if len(seeds) == 2:
            bases.append((nodes.Entities(tuple(seed.entity for seed in seeds)), tuple(seeds), PROPOSED, ()))
        for kind in chosen(class_readings(text, request.words, pack), ()):
            bases.append((kind.candidates[0][0], (), PROPOSED, ((kind.start, kind.end),)))
        for query, of, sure, pointed in bases:
            with suppress(QueryError, BudgetError):
                for by_span in spanning(query, text, self._reader.facts, runner) if query is not None else ():
                    outcome = runner.result(as_truth(by_span, text, of))
                    if not is_void(outcome):
                        at = (*pointed, *limit_place(text))
                        yield Retrieved(of, (hypothesis(sure, outcome),), sure, pointed=at, is_proposed=True)

    def _plainly(self, request: Request, linked: Sequence[Linked]) -> Iterator[Retrieved]:
        """What the words of a relation and a class, or a name, say."""
        text, pack = request.question.text, self._reader.pack
        if request.is_claim:
            return
        kinds = chosen(class_readings(text, request.words, pack), ())
        longest = sorted((one.mention.seeds[0] for one in linked), key=lambda seed: seed.span[0] - seed.span[1])
        seeds, runner = longest[:1], Runner(pack, Budget(BRIDGE_SECONDS))
        pointed = tuple((kind.start, kind.end) for kind in kinds)
        with suppress(QueryError, BudgetError):
            for query in plainly(text, [one.candidates[0][0] for one in kinds], [one.entity for one in seeds], runner):
                outcome = runner.result(query)
                of = tuple(seed for seed in seeds if nodes.Entities((seed.entity,)) in query.walk())
                at = () if isinstance(query, nodes.Holds) else pointed
                if not is_void(outcome):
                    yield Retrieved(of, (hypothesis(PROPOSED, outcome),), PROPOSED, pointed=at, is_proposed=True)

    def _of_reading(self, reading: Reading, understood: Understood, path_confidence: float) -> Retrieved:
        others = (one for one in understood.readings if one is not reading)
        first = replace(understood, readings=(reading, *others))
        values = features(first, path_confidence)
        return retrieved(first, self._confidence(values), values)

    def _proposed(self, request: Request, understood: Understood, linked: Sequence[Linked]) -> Iterator[Retrieved]:
        runner = Runner(self._reader.pack, Budget(CLAIM_SECONDS if request.is_claim else BRIDGE_SECONDS))
        text, pack = request.question.text, self._reader.pack
        classes = chosen(class_readings(text, request.words, pack), ())
        values = value_spans(text, pack.manifest.get("axes", ()))
        linked = [_as_read(one, understood) for one in linked]
        covered = [*(one.mention.span for one in linked), *((one.start, one.end) for one in classes)]
        asked = Asked.of(text, understood.kind_probs, values, self._reader.words.said_by(text, covered))
        proposed = self._proposals.of(linked, asked, classes, runner)
        if is_small(pack) and not request.is_claim:
            proposed = chain(self._sketched(text, linked, values, classes, asked, runner), proposed)
        side_by_side = groups(text, [one.mention for one in linked], values)
        proposed = chain.from_iterable(_with_spread(one, side_by_side, runner) for one in proposed)
        proposed = chain(_of_kin(text, linked, pack), proposed)
        if request.is_claim:
            proposed = chain(self._truths.of(request, linked, classes, values, runner), proposed)
        for query, seeds in _until_late(proposed):
            try:
                outcome = of_kinds(runner, runner.result(query))
            except QueryError:
                continue
            except BudgetError:
                return
            if not request.is_claim and downwards(runner, outcome) is not outcome:
                continue  # the larger less the smaller is proposed too
            outcome = in_years(text, runner, outcome)
            if not is_void(outcome) or (request.is_claim and isinstance(query, nodes.Some)):
                pointed = tuple(seed.span for seed in seeds)
                yield Retrieved(seeds, (hypothesis(PROPOSED, outcome),), PROPOSED, pointed=pointed, is_proposed=True)

    def _sketched(
        self, text: str, linked: Sequence[Linked], values: Sequence[ValueSpan], classes: Sequence[ClassSpan],
        asked: Asked, runner: Runner,
    ) -> Iterator[Proposed]:  # fmt: skip
        """What is asked of the rows that all of a question's names and values say."""
        dates = [one.place for one in values if one.kind == "date"]
        linked = [one for one in linked if not is_within_any(one.mention.span, dates)]  # the 3 of "3 March"
        names = NamedRelations(self._reader.facts).of(linked, SKETCHED)
        taken = [one.seed.span for one in names]
        free = [one for one in values if one.kind != "rank" and not is_within_any(one.place, taken)]
        kinds = [one.candidates[0][0] for one in classes[:1]]
        yield from islice(self._sketches.of(names, free, kinds, text, asked, runner), MOST_SKETCHED)


def _with_spread(one: Proposed, side_by_side: Sequence[Group], runner: Runner) -> Iterator[Proposed]:
    """A query, behind the same of all that the question puts beside what it is about."""
    query, seeds = one
    for group in side_by_side:
        yield from ((wider, (*seeds, *more)) for wider, more in spread(query, group, runner))
    yield one


def _as_read(one: Linked, understood: Understood) -> Linked:
    """What is linked, first to what the planner read it as: "British" before a class word to the place."""
    spans = understood.readings[0].spans if understood.readings else ()
    first = next((span.seeds[0].entity for span in spans if span.seeds and span.place == one.mention.span), None)
    entities = [seed.entity for seed in one.mention.seeds]
    if first not in entities[1:]:
        return one
    order = sorted(range(len(entities)), key=lambda at: entities[at] != first)
    seeds = tuple(one.mention.seeds[at] for at in order)
    return replace(one, mention=replace(one.mention, seeds=seeds), present=one.present[order])


def _of_kin(text: str, linked: Sequence[Linked], pack: Pack) -> Iterator[Proposed]:
    """All kin of a kind that a question asks for."""
    for one in linked:
        seed = one.mention.seeds[0]
        query = whole_kin(text, *seed.span, seed.entity, pack)
        if query is not None:
            yield query, (seed,)


def _paths_of(path: Retrieved) -> Iterator[Retrieved]:
    """The relation paths that were found, each by itself; a further one is as likely as its share of the first."""
    routes = path.understood.routes if path.understood is not None else ()
    for one, route in zip(path.hypotheses[:MOST_PATHS], routes, strict=False):
        assert path.understood is not None
        share = min(1.0, one.score / max(path.hypotheses[0].score, math.ulp(1.0)))
        alone = replace(path.understood, routes=[route])
        yield replace(path, hypotheses=(one,), understood=alone, confidence=path.confidence * share)


def _query(found: Retrieved) -> Query | None:
    return found.hypotheses[0].make_query() if found.hypotheses else None


def _until_late(proposed: Iterator[Proposed]) -> Iterator[Proposed]:
    """Those that are proposed before the time is over."""
    with suppress(BudgetError):
        yield from proposed
