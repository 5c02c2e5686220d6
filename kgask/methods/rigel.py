"""Rigel as a retriever: plan relation paths for each mention, follow them in the graph, judge link and plan together.

Saffari et al. 2021, and "Knowledge Graph-augmented Language Models for Complex Question Answering", section 3.1.
Shapes: R relations, H hops.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from typing import TYPE_CHECKING

import numpy as np

from kgask.link.features import LinkModel
from kgask.link.values import value_spans
from kgask.methods.accounted import CARRY_NOTHING, describing, is_all_called
from kgask.methods.alternatives import Alternatives
from kgask.methods.base import PerPack
from kgask.methods.demands import counts_other, unmet
from kgask.methods.operators import OperatorReader, retrieved
from kgask.methods.particular import read_over
from kgask.methods.protocol import MAX_HOPS, Hypothesis, Request, Retrieved, Scope
from kgask.methods.query_features import features as query_features
from kgask.methods.query_features import path_doubts
from kgask.methods.query_readings import Understood
from kgask.methods.relation_facts import is_small
from kgask.methods.restrictors import may_restrict
from kgask.methods.understand import Linked, Understanding, calibrated, choose, features
from kgask.methods.voice import is_start_object
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.on_pack import PackPlanner
from kgask.plan.protocol import Planner
from kgask.plan.rigel_onnx import mask_mention
from kgask.retrieve.evidence import gather
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.trace import trace_route
from kgask.retrieve.walk import Route, Walk
from kgask.types import PLANNED, Branch, EntityId, Evidence, Mention, Question, ScoredTriple, Seed, undirected

if TYPE_CHECKING:
    from kgask.query.base import SetNode

TOO_LONG = "what is asked cannot be run on this graph, or takes too long"
LIKELY_A_PATH = 0.5  # probability below which it asks for something else
BELIEVED = 0.1  # confidence below which a query is no reading
SURE_OF_PATH = 0.9  # probability from which a question is believed to be a path, without another reading
SURE_UNSAID = 0.94  # ... where no word of the question is what the path's relations are called


def path_hypothesis(pack: Pack, route: Route) -> Hypothesis:
    """The relation paths of a plan that end in the same answers."""
    steps = frozenset((len(walk.relations), walk.relations[-1]) for walk in route.walks)
    make_query = cache(partial(route_query, pack, route))
    return Hypothesis(route.prob, route.answers, steps, partial(_proof, pack, route), make_query)


def _proof(pack: Pack, route: Route, answers: Sequence[EntityId]) -> list[ScoredTriple]:
    return trace_route(pack, route, np.asarray(answers))


def route_query(pack: Pack, route: Route) -> SetNode:
    """The likeliest path from each topic; several topics narrow each other down."""
    from kgask.query.nodes import And  # loaded only where a query is looked at

    paths: dict[bytes, Walk] = {}
    for walk in route.walks:
        paths.setdefault(walk.frontiers[0].tobytes(), walk)
    return reduce(And, (path_query(pack, walk) for walk in paths.values()))


def path_query(pack: Pack, walk: Walk) -> SetNode:
    """A walked relation path as a query; where it would have come back to its topic, that is taken away."""
    from kgask.query.nodes import Entities, Follow, Minus

    start = here = walk.frontiers[0]
    query: SetNode = Entities(tuple(start.tolist()))
    for relation, kept in zip(walk.relations, walk.frontiers[1:], strict=True):
        query, here = Follow(query, int(relation)), reached_by(pack, here, relation)
        back = np.setdiff1d(np.intersect1d(here, start), kept)
        if len(back):
            query, here = Minus(query, Entities(tuple(back.tolist()))), np.setdiff1d(here, back)
    return query


class Rigel:
    """See :class:`kgask.methods.protocol.Retriever`; its confidence is calibrated (the planner's card)."""

    name = PLANNED
    calibrated = True
    default_hops = MAX_HOPS
    hash: str | None = None  # the planner's is the pipeline's

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.link_model = LinkModel.of(planner.card.linker)
        self._on_pack = PerPack(lambda pack: PackPlanner.of(planner, pack))
        self._operators = PerPack(lambda pack: OperatorReader(pack, self._on_pack(pack)))
        believed = partial(calibrated, planner.card.queries)
        self._alternatives = PerPack(lambda pack: Alternatives(self._operators(pack), believed))

    def prepare(self, pack: Pack) -> None:
        """Encode the pack's relations, or read what was kept of them, before the first question."""
        self._on_pack(pack)

    def retrieve(self, requests: Sequence[Request], pack: Pack, scope: Scope) -> list[Retrieved]:
        """The readings of each request that the graph has something for, all planned together."""
        found = []
        for request, linked in zip(requests, self.planned(requests, pack), strict=True):
            path = Retrieved()
            if linked:
                with request.timer.stage("retrieve"):
                    path = self._retrieved(choose(pack, self.link_model, linked, scope), pack, request)
            found.append(self._with_operators(request, linked, path, pack))
        return found

    def _with_operators(self, request: Request, linked: Sequence[Linked], path: Retrieved, pack: Pack) -> Retrieved:
        """The path that was found, or the query with operators that the question is."""
        stands = all(
            mention.span[0] < mention.span[1] for mention in request.mentions
        )  # a given topic may stand nowhere
        if not self.planner.writes or request.exact_hops is not None or not stands:
            return path
        if not is_small(pack) and _surely_a_path(pack, request, linked, path):
            narrowed = self._operators(pack).of_class(request, path)
            if not narrowed.features.get("idle"):
                return narrowed
        with request.timer.stage("operators"):
            understood = self._operators(pack).understand(request)
            found = replace(self._either(request, path, understood, pack), read_as=understood)
        alternatives = self._alternatives(pack)

        def find() -> Iterator[Retrieved]:
            return alternatives.to(found, request, self._doubted(path, understood), understood, linked)

        left_out = cache(partial(self._operators(pack).left_out, request, understood, found))
        return replace(found, find_alternatives=find, find_left_out=left_out)

    def _either(self, request: Request, path: Retrieved, understood: Understood, pack: Pack) -> Retrieved:
        best = understood.readings[0] if understood.readings else None
        values = query_features(understood, path.confidence) if best is not None else {}
        confidence = calibrated(self.planner.card.queries, values) if values else 0.0
        # What is made of a query that finds no relation says less than a path that finds one; so does one that nobody
        # would believe, of a question that may well ask for a path.
        no_query = confidence < BELIEVED and understood.path_prob >= LIKELY_A_PATH
        is_path = understood.path_prob >= SURE_OF_PATH or no_query or (best is not None and best.is_bridged)
        if best is None or (is_path and path.confidence > confidence) or (best.is_path and path.hypotheses):
            return self._operators(pack).of_class(request, self._doubted(path, understood), understood)
        if best.outcome is None:  # it could not be run, and no other either
            return Retrieved(best.seeds, failed=TOO_LONG)
        return retrieved(understood, confidence, values)

    def _retrieved(self, understood: Understanding | None, pack: Pack, request: Request) -> Retrieved:
        if understood is None:
            return Retrieved()
        seeds = tuple(part.seed for part in understood.readings)
        hypotheses = tuple(path_hypothesis(pack, route) for route in understood.routes)
        values = features(understood) if understood.routes else {}
        described: tuple[str, ...] = ()
        if values and self.planner.writes:
            described, elsewhere = self._described(understood, pack, request)
            values["elsewhere"] = -float(len(elsewhere))
            values["turned"] = -float(_is_turned(understood, pack, request.question.text))
            values["unmet"] = -float(len(self._unmet(understood, hypotheses[0], pack, request)))
            values["described"] = -float(len(described))
        confidence = self._confidence(values)
        return Retrieved(seeds, hypotheses, confidence, understood, unused_words=described, features=values)

    def _unmet(self, understood: Understanding, best: Hypothesis, pack: Pack, request: Request) -> tuple[str, ...]:
        """Words of the question that demand more than a path."""
        reader = self._operators(pack)
        text = mask_mention(request.question.text, understood.mention.span)
        operators = ("AND",) if understood.parts else ()
        shape, said = reader.shape_of(best.answers), reader.words.of(_walked(understood))
        return unmet(text, operators, shape, said) + counts_other(text, shape, said)

    def _described(
        self, understood: Understanding, pack: Pack, request: Request
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Words that describe what a path leads to, and that it does not honour; those that call another relation."""
        reader, topics = self._operators(pack), [part.mention.span for part in understood.readings]
        text, said = request.question.text, reader.words.of(_walked(understood))
        classes = [one.place for one in reader.class_words(request, topics)]
        places, words = (*topics, *classes), reader.words
        elsewhere = words.elsewhere(text, places, said) + words.roles(text, places, said)
        return describing(text, topics, classes, said), elsewhere

    def _confidence(self, values: Mapping[str, float]) -> float:
        """Calibrated probability that the best path is the answer; 0 when there is none."""
        return calibrated(self.planner.card.calibration, values) if values else 0.0

    def _doubted(self, path: Retrieved, understood: Understood) -> Retrieved:
        """A path that the query decoder does not read so: it may ask for more, or for what the graph lacks."""
        if not path.hypotheses:
            return path
        doubts = path_doubts(understood, path.understood)
        values = {**path.features, **doubts}
        sure = self._confidence(values)
        if "decoded" not in self.planner.card.calibration.weights and doubts["decoded"]:  # it was fitted without
            sure = min(sure, 1.0 - understood.none)
            if understood.path_prob < LIKELY_A_PATH and understood.readings:
                values_of_query = query_features(understood, path.confidence)
                sure = min(sure, calibrated(self.planner.card.queries, values_of_query))
        return replace(path, confidence=sure, features=values)

    def unhonoured(self, request: Request, found: Retrieved, pack: Pack) -> tuple[str, ...]:
        """Words of a question that choose among what was found, or say more than it does, and are not honoured."""
        text, chosen = request.question.text, tuple[str, ...]()
        is_restricted = may_restrict(text) or bool(found.features.get("idle"))
        if is_restricted and found.hypotheses and self.planner.writes:
            chosen = self._operators(pack).unhonoured(request, found)
        return chosen or (() if request.is_claim else read_over(found, text, request.words, pack))

    def evidence(self, found: Retrieved, pack: Pack, scope: Scope) -> Evidence:
        """The best triples of each hop, in plan order."""
        routes = found.understood.routes if found.understood else []
        return gather(pack, [walk for route in routes for walk in route.walks], scope.top_k)

    def forget(self) -> None:
        """Nothing is remembered of a question."""

    def planned(self, requests: Sequence[Request], pack: Pack) -> list[list[Linked]]:
        """Every mention of every request with its plan, from one call of the planner."""
        rows = [(row, mention) for row, request in enumerate(requests) for mention in request.mentions]
        linked: list[list[Linked]] = [[] for _ in requests]
        if not rows:
            return linked
        began = time.perf_counter()
        texts = [mask_mention(requests[row].question.text, mention.span) for row, mention in rows]
        present = [_present(pack, mention) for _, mention in rows]
        plan = self._on_pack(pack).plan(texts, np.stack([has.any(axis=0) for has in present]))
        for i, (row, mention) in enumerate(rows):
            topic, constrained = plan.branch_scores[i].tolist()
            stops = _stops(plan.stop_probs[i], requests[row].exact_hops)
            path_prob = float(plan.kind_probs[i][0]) if plan.kind_probs is not None else 1.0
            branch = Branch(
                mention.seeds, plan.relation_probs[i], stops, topic, constrained, plan.answer_types[i], path_prob
            )
            linked[row].append(Linked(mention, branch, present[i]))
        timers = [request.timer for request, found in zip(requests, linked, strict=True) if found]
        for timer in timers:
            timer.add("plan", (time.perf_counter() - began) * 1000 / len(timers))
        return linked

    def branch(self, pack: Pack, question: Question, seeds: Sequence[Seed]) -> Branch | None:
        """The plan from these seeds' mention; for methods that ask the planner where no other model can be asked."""
        if not seeds:
            return None
        mention = Mention(seeds[0].span, seeds[0].mention, tuple(seeds))
        return self.planned([Request(question, mentions=(mention,))], pack)[0][0].branch


def _walked(understood: Understanding) -> Iterator[int]:
    return (relation for walk in understood.routes[0].walks for relation in walk.relations)


def _is_turned(understood: Understanding, pack: Pack, text: str) -> bool:
    """Whether the best path begins the other way round than the question's verb says."""
    first = understood.routes[0].walks[0].relations[0]
    return is_start_object(text, understood.mention.span, first, pack) is True and not understood.parts


def _surely_a_path(pack: Pack, request: Request, linked: Sequence[Linked], path: Retrieved) -> bool:
    """Whether a question needs no other reading than the path that was found: nothing else than its topic is named."""
    understood = path.understood
    if understood is None or understood.parts or path.confidence < SURE_OF_PATH:
        return False
    values = value_spans(request.question.text, pack.manifest.get("axes", ()))
    if any(not _overlap(value.place, understood.mention.span) for value in values):
        return False
    words = _words_of(pack, understood)
    others = [one.mention for one in linked if not _overlap(one.mention.span, understood.mention.span)]
    inside = [mention for mention in others if mention.text.lower() not in words]
    if path.confidence < SURE_UNSAID and not _is_said(request.question.text, understood, words):
        return False
    doubted = any(path.features.get(name) for name in ("unmet", "described", "elsewhere", "turned"))
    is_plain = not (doubted or inside or understood.mention.unused)
    return understood.branch.path_prob > SURE_OF_PATH and is_plain


def _is_said(text: str, understood: Understanding, names: Collection[str]) -> bool:
    """Whether a word beside the topic is one of what relations are called."""
    start, end = understood.mention.span
    known = {word for name in names for word in name.split()} - CARRY_NOTHING
    beside = normalise(f"{text[:start]} {text[end:]}").split()
    return any(is_all_called(word, known) for word in beside if word not in CARRY_NOTHING)


def _words_of(pack: Pack, understood: Understanding) -> set[str]:
    """What the relations of the best path are called: such a word in the question is no other topic."""
    texts = pack.relations()
    steps = {undirected(one, pack.n_relations)[0] for walk in understood.routes[0].walks for one in walk.relations}
    return {name.lower() for step in steps for name in texts[step].names}


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _present(pack: Pack, mention: Mention) -> np.ndarray:
    """bool [seeds, 2R]: which directed relations leave each seed."""
    return np.stack([relations_of(pack, np.array([seed.entity])) for seed in mention.seeds])


def _stops(stop_probs: np.ndarray, exact_hops: int | None) -> np.ndarray:
    """The plan's own stops, or a plan that stops after exactly the given hops and nowhere else; [H]."""
    if exact_hops is None:
        return stop_probs
    stops = np.zeros_like(stop_probs)
    stops[exact_hops - 1 :] = 1.0
    return stops
