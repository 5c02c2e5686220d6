"""Questions as queries with operators: what the planner wrote is run, and what came of it judged.

A question is divided into spans (:mod:`kgask.link.spans`), the planner writes the likeliest queries over them
(:mod:`kgask.plan.query_onnx`), the graph prunes what leads nowhere and each query is executed exactly. The winner's
:func:`kgask.methods.query_features.features` are what its confidence is calibrated on.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from kgask.errors import BudgetError, QueryError
from kgask.link.classes import class_spans
from kgask.link.spans import CandidateSpan, candidate_spans, class_candidate, masked, segmentations
from kgask.methods.accounted import HEARD, LeftOut, RelationWords, describing, is_all_called, is_within_any, left_out
from kgask.methods.bridge import CLASSES, Bridge
from kgask.methods.class_words import SURE_CLASS, ClassWords, head_class
from kgask.methods.demands import Shape, unmet
from kgask.methods.differences import downwards, in_years, of_age
from kgask.methods.doers import whoever_does
from kgask.methods.doubts import DENIED, is_class_word, kept, left_out_of, relations_in
from kgask.methods.flags import flagged
from kgask.methods.kinds import is_denied, of_kinds
from kgask.methods.mended import MOST_NAMESAKES, NAMESAKE, lacks_a_value, loosened, namesakes, widened
from kgask.methods.numbering import counted_off
from kgask.methods.otherwise import otherwise_meant, placed
from kgask.methods.protocol import Hypothesis, Request, Retrieved
from kgask.methods.query_readings import Reading, Understood, is_void, seeds_of, used_spans
from kgask.methods.relation_facts import RelationFacts, is_small
from kgask.methods.restrictors import of_unknown_sex, unhonoured
from kgask.methods.sense import PackSense
from kgask.methods.signs import put_right
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.plan.on_pack import PackPlanner
from kgask.plan.query_onnx import Written
from kgask.query import nodes
from kgask.query.base import Node, SetNode, TruthNode
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import NONE, Result
from kgask.retrieve.run import Runner
from kgask.types import Seed

RUN_SECONDS = 8.0  # of one question's queries together
BRIDGE_SECONDS = 1.5  # of what is looked for that it leaves unsaid; a slow machine shall find what a fast one does
MOST_RUN = 5  # queries of a question
NAMED_AT_ALL = 0.5  # score of what stands in a question as a name, where no query tells that it is one
MOST_SEGMENTATIONS = 2
SURE = -0.5  # log-probability of a query from which no other segmentation is looked at
ATTACHED = 0.7  # ... and that a relation to it costs which the question does not say
BRIDGED = 0.5  # log-odds that relations which the question does not say cost it
MOST_BRIDGED = 3  # readings that such are looked for
LEAST = 1e-9  # probabilities below count as this
LACKING = 0.5  # probability of NONE from which a class that is named is made the beginning
FORCED = 1.5  # log-odds that this costs


class OperatorReader:
    """Reads questions over one pack as queries."""

    def __init__(self, pack: Pack, planner: PackPlanner) -> None:
        self.pack, self.planner, self.facts = pack, planner, RelationFacts(pack)
        self.words, self.classes, self.bridge = RelationWords(pack), ClassWords(self.facts), Bridge(self.facts)

    def understand(self, request: Request) -> Understood:
        """The readings of a request."""
        text, runner = request.question.text, Runner(self.pack, Budget(RUN_SECONDS))
        found: list[Reading] = []
        nones: dict[int, float] = {}  # of each segmentation
        kinds = np.zeros(0, np.float32)
        for spans in segmentations(text, request.words, request.named, self.pack)[:MOST_SEGMENTATIONS]:
            if found and max(one.score for one in found) > SURE:
                break
            spans = placed(spans, text, self.facts, runner)
            written, kind_probs = self._written(text, spans, runner)
            kinds = kinds if len(kinds) else kind_probs
            nones[id(spans)] = sum(math.exp(one.log_prob) for one in written if one.query is None)
            found += self._read(text, written, spans, runner)
            if nones[id(spans)] > LACKING and any(span.kind == "class" for span in spans):
                written, _ = self._written(text, spans, runner, of_class=True)
                forced = self._read(text, written, spans, runner)
                found += [replace(one, score=one.score - FORCED, is_bridged=True) for one in forced]
        ranked = sorted(found, key=lambda one: (one.outcome is None, -one.worth))
        if ranked and (ranked[0].is_void or ranked[0].is_idle or ranked[0].unused):
            runner.budget = Budget(BRIDGE_SECONDS)
            for reading in ranked[:MOST_BRIDGED]:
                found += [*self._bridged(reading, runner), *self._attached(reading, runner)]
                found += self._excepted(text, reading, runner)
            runner.budget = Budget(RUN_SECONDS)
            ranked = sorted(found, key=lambda one: (one.outcome is None, -one.worth))
        none = nones[id(ranked[0].spans)] if ranked else max(nones.values(), default=0.0)
        return Understood(tuple(ranked), kinds, none)

    def _written(
        self, text: str, spans: Sequence[CandidateSpan], runner: Runner, of_class: bool = False
    ) -> tuple[list[Written], np.ndarray]:
        """The likeliest queries over these spans; with ``of_class`` those that begin with a class, and none other."""
        masked_text, places = masked(text, spans)
        pick = partial(self._pick, spans)
        sense = PackSense(self.facts, spans, runner, pick, of_class)
        return self.planner.write(masked_text, places, [span.kind for span in spans], pick, sense)

    def _read(
        self, text: str, written: Sequence[Written], spans: Sequence[CandidateSpan], runner: Runner
    ) -> Iterator[Reading]:
        """What queries come to, and what of the question they leave out."""
        masked_text, places = masked(text, spans)
        for reading in self._run(text, [one for one in written if one.query is not None], spans, runner):
            said = self.words.of(step for step in reading.written.steps if isinstance(step, int))
            left = left_out(masked_text, spans, places, reading.written, said)
            operators = [step for step in reading.written.steps if isinstance(step, str)]
            query = reading.written.query
            assert query is not None
            demands = unmet(masked_text, operators, self._shape(query, reading.outcome), said)
            doubted = (*demands, *self._counted_values(reading))
            classes = [span.place for span in spans if span.kind == "class"]
            described = describing(text, [span.place for span in spans], classes, said, "BY" in operators)
            unused = _unused(reading, left)
            yield replace(reading, left=left, unmet=doubted, unused=unused, described=described)

    def _run(
        self, text: str, written: Sequence[Written], spans: Sequence[CandidateSpan], runner: Runner
    ) -> Iterator[Reading]:
        """What the likeliest queries come to."""
        runner.budget = Budget(RUN_SECONDS)
        for one in written[:MOST_RUN]:
            assert one.query is not None
            seeds = seeds_of(one, spans)
            link = sum(math.log(max(seed.score, LEAST)) for seed in seeds)
            idle: tuple[int, ...] = ()
            try:
                relations = [step for step in one.steps if isinstance(step, int)]
                asked = counted_off(of_age(one.query, text, self.pack), text, self.pack)
                asked = whoever_does(put_right(asked, text, seeds, self.pack), self.pack)
                query, idle = self.of_classes(asked, text, spans, used_spans(one), relations, runner)
                found = runner.result(flagged(self.pack, widened(runner, loosened(runner, query))))
                outcome = in_years(text, runner, downwards(runner, of_kinds(runner, found)))
            except (QueryError, BudgetError):
                outcome = None
            as_run = replace(one, query=outcome.query if outcome is not None else one.query)
            reading = Reading(as_run, spans, LeftOut((), HEARD), (), idle, seeds, outcome, one.log_prob + link)
            yield otherwise_meant(self._of_namesakes(reading, runner), text, self.facts, runner)

    def _of_namesakes(self, reading: Reading, runner: Runner) -> Reading:
        """Where a query comes to nothing, or to "no", or compares what has no value: the same of somebody else of that
        name, for whom it does not."""
        outcome, query = reading.outcome, reading.written.query
        assert query is not None
        if outcome is None or not (reading.is_void or outcome.truth is False or lacks_a_value(runner, query)):
            return reading
        for seed, changed, other in _of_others(reading, query, runner):
            try:
                found = runner.result(changed)
            except (QueryError, BudgetError):
                continue
            if not is_void(found) and found.truth is not False and not lacks_a_value(runner, changed):
                seeds = tuple(other if one is seed else one for one in reading.seeds)
                score = reading.score + math.log(max(NAMESAKE, other.score / seed.score))
                written = replace(reading.written, query=changed)
                return replace(reading, written=written, seeds=seeds, outcome=found, score=score)
        return reading

    def of_classes(
        self,
        query: nodes.Query,
        text: str,
        spans: Sequence[CandidateSpan],
        used: Collection[int],
        relations: Collection[int],
        runner: Runner,
    ) -> tuple[nodes.Query, tuple[int, ...]]:
        """A query narrowed to the classes that the question says beside it, and the class words that are no use.

        ``used`` are the spans that it points at, ``relations`` those that it follows.
        """
        head, said, ends = head_class(text, spans), self.words.of(relations), self.words.of_ends(relations)
        pointed = [spans[at].place for at in used]
        idle = []
        for at, span in enumerate(spans):
            if span.kind != "class" or at in used or is_within_any(span.place, pointed):
                continue
            word, kind = text[span.start : span.end], self._pick(spans, at, None)
            is_said = is_all_called(word, said)  # by a relation: "members" of "member of"
            # "actors" of a film are whom its cast leads to, whatever occupation the graph says that they have.
            if is_all_called(word, ends) or (is_said and not isinstance(kind, nodes.Class)):
                continue
            narrowed = self.classes.narrowed(query, kind, span.scores[0] >= SURE_CLASS, at == head, runner)
            if narrowed is not None:
                query = narrowed
            elif not is_said:
                idle.append(at)
        return query, tuple(idle)

    def _bridged(self, reading: Reading, runner: Runner) -> Iterator[Reading]:
        """A reading that comes to nothing, or leaves a class word out, with the relations that may be meant."""
        query = reading.written.query
        assert query is not None
        sure = [at for at in reading.idle if reading.spans[at].scores[0] >= SURE_CLASS]
        kinds = [self._pick(reading.spans, at, None) for at in sure]
        try:
            for found in self.bridge.queries(query, [kind for kind in kinds if isinstance(kind, CLASSES)], runner):
                outcome, written = runner.result(found), replace(reading.written, query=found)
                picked = ((at, self._pick(reading.spans, at, None)) for at in reading.idle)
                idle = tuple(at for at, kind in picked if self.classes.is_idle(found, kind, runner))
                score = reading.score - BRIDGED
                yield replace(reading, written=written, idle=idle, outcome=outcome, score=score, is_bridged=True)
        except (QueryError, BudgetError):
            return

    def _attached(self, reading: Reading, runner: Runner) -> Iterator[Reading]:
        """A reading with the relation to a name that it leaves out, where the graph has one."""
        query = reading.written.query
        assert query is not None
        if isinstance(query, nodes.Holds | nodes.Compare | nodes.Difference) or reading.outcome is None:
            return
        for at in reading.unused:
            for seed in reading.spans[at].seeds[:MOST_NAMESAKES]:
                try:
                    found = self.bridge.attached(query, nodes.Entities((seed.entity,)), runner)
                    outcome = runner.result(found) if found is not None else None
                except (QueryError, BudgetError):
                    continue
                if found is None or outcome is None or is_void(outcome):
                    continue
                words = tuple(word for word in reading.left.words if word != seed.mention)
                yield replace(
                    reading, written=replace(reading.written, query=found), outcome=outcome, is_bridged=True,
                    left=replace(reading.left, words=words), unused=tuple(one for one in reading.unused if one != at),
                    seeds=(*reading.seeds, seed), score=reading.score + math.log(max(seed.score, LEAST)) - ATTACHED,
                )  # fmt: skip
                break

    def _excepted(self, text: str, reading: Reading, runner: Runner) -> Iterator[Reading]:
        """A reading without those whom the question excepts by name, though they are in it."""
        query, outcome = reading.written.query, reading.outcome
        if not isinstance(query, SetNode) or outcome is None or outcome.members is None:
            return
        places = kept(text, reading.spans, outcome.certain)
        seeds = tuple(reading.spans[at].seeds[0] for at in places)
        if not seeds:
            return
        without = nodes.Minus(query, nodes.Entities(tuple(seed.entity for seed in seeds)))
        try:
            outcome = runner.result(without)
        except (QueryError, BudgetError):
            return
        words = tuple(word for word in reading.left.words if word not in {seed.mention for seed in seeds})
        yield replace(
            reading, written=replace(reading.written, query=without), outcome=outcome, is_bridged=True,
            left=replace(reading.left, words=words), unused=tuple(at for at in reading.unused if at not in places),
            seeds=(*reading.seeds, *seeds),
            unmet=tuple(word for word in reading.unmet if word not in ("except", "excluding")),
        )  # fmt: skip

    def of_class(self, request: Request, path: Retrieved, understood: Understood | None = None) -> Retrieved:
        """A relation path narrowed to the classes that the question says beside its topics.

        Without a reading of the question, its class words are looked for here.
        """
        if not path.hypotheses or path.understood is None:
            return path
        topics = [part.mention.span for part in path.understood.parts or (path.understood,)]
        spans = self.class_words(request, topics) if understood is None else _spans_of(understood)
        query = path.hypotheses[0].make_query()
        if query is None:
            return path
        used = [at for at, span in enumerate(spans) if is_within_any(span.place, topics)]
        relations = [step for walk in path.understood.routes[0].walks for step in walk.relations]
        runner = Runner(self.pack, Budget(RUN_SECONDS))
        try:
            wider = widened(runner, query)
            if wider == query and not any(span.kind == "class" for span in spans):
                return path
            narrowed, idle = self.of_classes(wider, request.question.text, spans, used, relations, runner)
            outcome = runner.result(narrowed) if narrowed != query else None
        except (QueryError, BudgetError):
            return path
        empty = outcome is not None and not len(outcome.certain)  # nothing that the path leads to is of the class
        n_idle = empty + sum(is_class_word(spans[at], request.question.text) for at in idle)
        path = replace(path, features={**path.features, "idle": -float(n_idle)})
        if outcome is None or empty:
            return path
        return replace(path, hypotheses=(hypothesis(path.hypotheses[0].score, outcome),))

    def class_words(self, request: Request, topics: Sequence[tuple[int, int]]) -> list[CandidateSpan]:
        """Those of a question beside its topics."""
        return [class_candidate(one) for one in class_spans(request.question.text, request.words, self.pack, topics)]

    def _counted_values(self, reading: Reading) -> list[str]:
        """Relations to numbers and dates whose ends are counted: nobody asks who has more populations."""
        assert reading.written.query is not None
        ends = [node.path[-1] for node in reading.written.query.walk() if isinstance(node, nodes.SizeOf)]
        n, labels = self.pack.n_relations, self.pack.relation_labels()
        return [labels[relation] for relation in ends if relation < n and self.facts.of(relation)[0] is not None]

    def left_out(self, request: Request, understood: Understood, found: Retrieved) -> Mapping[str, float]:
        """What speaks against the best query of anything that was found (:mod:`kgask.methods.doubts`)."""
        best = found.hypotheses[0]
        query = best.make_query()
        if query is None:
            return {}
        shape = self.shape_of(best.answers) if best.outcome is None else self._shape(query, best.outcome)
        text = request.question.text
        spans = _spans_of(understood) or self._surely_named(request)
        denied = {DENIED: -float(is_denied(self.pack, best.outcome))}
        return denied | dict(left_out_of(query, best.answers, shape, text, spans, self.words))

    def _surely_named(self, request: Request) -> Sequence[CandidateSpan]:
        """The spans of a question of which no query was written, without what is hardly a name."""
        spans = candidate_spans(request.question.text, request.words, request.named, self.pack)
        return [one for one in spans if not one.seeds or one.seeds[0].score >= NAMED_AT_ALL]

    def unhonoured(self, request: Request, found: Retrieved) -> tuple[str, ...]:
        """Words of a question that choose among what was found, and that its query does not honour."""
        query, n = found.hypotheses[0].make_query(), self.pack.n_relations
        if query is None:
            return ()
        runner, text = Runner(self.pack, Budget(BRIDGE_SECONDS)), request.question.text
        names = [*(seed.span for seed in found.seeds), *found.pointed]
        classes = self.class_words(request, [seed.span for seed in found.seeds])
        names = [place for place in names if place not in {one.place for one in classes}]
        answers, used = found.hypotheses[0].answers, {one % n for one in relations_in(query)}
        has = {*range(n)} if is_small(self.pack) else self.facts.beside([seed.entity for seed in found.seeds])
        said, other = self.words.of(used), self.words.of_ends(has - used)
        try:
            sexes, last = self.facts.sexes_of(answers), (query.relation,) if isinstance(query, nodes.Follow) else ()
            asked = self.words.of(last)
            lost = unhonoured(text, names, classes, query, answers, said, runner, sexes, asked, other)
            labels = [self.pack.relation_labels()[one] for one in used]
            return lost or of_unknown_sex(text, names, labels, query, answers, runner, self.facts.are_all)
        except BudgetError:
            return ()

    def _shape(self, query: nodes.Query, outcome: Result | None) -> Shape:
        """What a query comes to."""
        if isinstance(query, TruthNode):
            return "truth"
        if outcome is None or outcome.members is not None:
            return self.shape_of(outcome.certain if outcome is not None else NONE)
        if outcome.quantity is None:
            return "nothing"
        return "date" if outcome.quantity.axis in WHEN else "number"

    def shape_of(self, answers: np.ndarray) -> Shape:
        """Whether these are entities, numbers or dates, by one of them; texts count as entities."""
        if not len(answers):
            return "nothing"
        literal = self.pack.literals(answers[-1:].tolist())[0]
        if literal is None or literal.kind not in ("number", "date"):
            return "set"
        return "number" if literal.kind == "number" else "date"

    def _pick(self, spans: Sequence[CandidateSpan], at: int, relation: int | None) -> Node:
        """What a span stands for: of several entities the surest that has the relation."""
        span = spans[at]
        if span.kind != "entity":
            return self.facts.fitting(span.nodes, relation)
        has = [seed for seed in span.seeds if relation is not None and self.facts.of_entity(seed.entity)[relation]]
        return nodes.Entities(((has or span.seeds)[0].entity,))


def _spans_of(understood: Understood) -> Sequence[CandidateSpan]:
    return understood.readings[0].spans if understood.readings else ()


def _of_others(reading: Reading, query: nodes.Query, runner: Runner) -> Iterator[tuple[Seed, nodes.Query, Seed]]:
    """A seed of a reading, the query about another one of its name, and that one."""
    for seed in reading.seeds:
        found = next(span.seeds for span in reading.spans if seed in span.seeds)
        others = [other for other in found if other.entity != seed.entity]
        yield from ((seed, changed, other) for changed, other in namesakes(seed, others, query, runner))


def _unused(reading: Reading, left: LeftOut) -> tuple[int, ...]:
    """Spans of names among what a reading leaves out."""
    return tuple(
        at
        for at, span in enumerate(reading.spans)
        if span.kind == "entity" and not span.plain and span.seeds[0].mention in left.words
    )


def retrieved(understood: Understood, confidence: float, values: Mapping[str, float]) -> Retrieved:
    """The best reading as what a retriever gives."""
    best = understood.readings[0]
    assert best.outcome is not None
    one = hypothesis(math.exp(best.score), best.outcome)
    unused = tuple(dict.fromkeys((*best.unread, *best.described)))
    return Retrieved(best.seeds, (one,), confidence, features=values, unused_words=unused, pointed=best.pointed)


def hypothesis(score: float, outcome: Result) -> Hypothesis:
    """That a query is meant, which came to this."""
    answers = outcome.members.certain if outcome.members is not None else np.empty(0, np.int64)
    return Hypothesis(score, answers, frozenset(), lambda entities: [], lambda: outcome.query, outcome)
