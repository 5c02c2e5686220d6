"""How a question is understood: link and plan are judged together.

To understand a question is to choose a seed and the plan's relation paths from it. A pair's score is the product of
the link's score, the planner's "this is a topic", how much of what the plan wants the seed has, and the probability of
the paths that exist (powers in :class:`~kgask.link.features.LinkModel`). Several seeds whose answers intersect compete
with one. :func:`features` are what the confidence of the winner is calibrated on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.link.features import LinkModel
from kgask.methods.protocol import Scope
from kgask.pack.store import Pack
from kgask.plan.card import Calibration
from kgask.retrieve.hint import by_kind
from kgask.retrieve.intersect import intersections
from kgask.retrieve.walk import Dropped, Route, routes, walks
from kgask.types import Alternative, Branch, Mention, Seed

LEAST = 1e-9
SHOWN_ANSWERS = 3  # of an alternative
LEAST_PATH = 1e-4  # probability that the planner gives to the question being a path; less is no more doubt
MOST_UNUSED = 3  # names beyond this add no doubt
MAX_ALTERNATIVES = 5
CONSTRAINED = 0.6  # from here on the planner is believed that several seeds narrow the answers
PART_SHARE = 0.05  # a part must score this share of the best single reading
SEEDS_TRIED = 3  # of a further mention


@dataclass(frozen=True, slots=True, eq=False)
class Understanding:
    """One way to understand the question: a seed, the plan from it, and what the graph has.

    Where several seeds narrow the answers down together, ``parts`` holds each
    of them, and ``routes`` end in what they share; seed, mention and branch are
    those of the surest part.
    """

    seed: Seed
    mention: Mention
    branch: Branch
    routes: list[Route]  # most probable first
    asked: int  # the directed relation that the plan wants first, whether the seed has it or not
    weight: float = 1.0  # what link, topic and fit make of the seed (link.features.LinkModel.pair)
    parts: tuple[Understanding, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    rival: float = 0.0  # score of the best reading that answers something else
    dropped: tuple[Dropped, ...] = ()  # paths that were not followed, where they are kept

    @property
    def mass(self) -> float:
        """Probability of the plan's paths that exist in the graph."""
        return sum(route.prob for route in self.routes)

    @property
    def score(self) -> float:
        """Of this pair of seed and plan; comparable within a question."""
        return self.weight * self.mass

    @property
    def readings(self) -> tuple[Understanding, ...]:
        """Every branch of the plan."""
        return self.parts or (self,)

    def alternatives_of(self) -> list[Alternative]:
        """Each route as an alternative reading."""
        return [
            Alternative(
                self.seed,
                route.walks[0].relations,
                self.weight * route.prob,
                tuple(route.answers[:SHOWN_ANSWERS].tolist()),
                len(route.answers),
            )
            for route in self.routes
        ]


def features(understood: Understanding) -> dict[str, float]:
    """What confidence is calibrated on; each is 0 at best and else negative (``hops`` is a count).

    Logarithms, and minus one for what makes a link doubtful: a typo, an alias, a name that goes on in the question,
    other names that the answer leaves out. A reading of several parts is as sure as the least sure
    of them, in every respect; that the answers are narrowed is then no doubt.
    """
    if understood.parts:
        every = [features(part) for part in understood.parts]
        worst = {name: min(values[name] for values in every) for name in every[0]}
        hops = max(values["hops"] for values in every)
        return worst | {"hops": hops, "rival": _rival(understood), "narrowed": 0.0}
    best, mention = understood.routes[0], understood.mention
    return {
        "mass": math.log(max(understood.mass, LEAST)),
        "share": math.log(max(best.prob / max(understood.mass, LEAST), LEAST)),
        "link": math.log(max(understood.seed.score, LEAST)),
        "hops": float(len(best.walks[0].relations) - 1),
        "gap": gap(understood.branch, best.walks[0].relations),
        "topic": math.log(max(understood.branch.topic_prob, LEAST)),
        "rival": _rival(understood),
        "wanted": math.log(max(float(understood.branch.relation_probs[0].sum()), LEAST)),
        "narrowed": math.log(max(1.0 - understood.branch.constrained_prob, LEAST)),
        "typo": -float(understood.seed.match == "typo"),
        "alias": -float(understood.seed.match == "alias"),
        "part": -float(not mention.whole),
        "unused": -float(min(len(mention.unused), MOST_UNUSED)),
        "operator": math.log(max(understood.branch.path_prob, LEAST_PATH)),
    }


def _rival(understood: Understanding) -> float:
    return math.log(max(understood.score, LEAST) / (max(understood.score, LEAST) + understood.rival))


def gap(branch: Branch, relations: tuple[int, ...]) -> float:
    """How far the walked relations fall behind what the plan wants most at each hop, as a log.

    0 when every hop follows the plan's first choice; very negative when the
    graph lacks it and the walk took what there was, or when the plan's first
    choice is "no such relation".
    """
    total = 0.0
    for hop, relation in enumerate(relations):
        probs = branch.relation_probs[hop]
        most = max(float(probs.max()), 1.0 - float(probs.sum()))
        total += math.log(max(float(probs[relation]), LEAST) / max(most, LEAST))
    return total


def calibrated(calibration: Calibration, values: Mapping[str, float]) -> float:
    """Probability that the plan's answer is right."""
    logit = calibration.bias + sum(calibration.weights.get(name, 0.0) * x for name, x in values.items())
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, logit))))


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A mention, what the plan says when it is masked, and what each of its seeds has."""

    mention: Mention
    branch: Branch
    present: np.ndarray  # bool [seeds, 2R]: which directed relations leave each seed


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    linked: Linked
    seed: Seed
    weight: float
    bound: float  # no walk from the seed can score more


def choose(pack: Pack, model: LinkModel, linked: Sequence[Linked], scope: Scope) -> Understanding | None:
    """The best reading with its alternatives; None when nothing is linked.

    Pairs are walked from the likeliest on; one that cannot win is not walked.
    """
    pairs = sorted(_pairs(model, linked), key=lambda pair: (-pair.bound, -pair.seed.score))
    walked: list[Understanding] = []
    best: Understanding | None = None
    for pair in pairs:
        if best is not None and best.score >= pair.bound and not scope.explain:
            break
        understood = _walk(pack, pair, scope)
        walked.append(understood)
        if best is None or understood.score > best.score:
            best = understood
    if best is None:
        return None
    missed = pairs[len(walked)].bound if len(walked) < len(pairs) else 0.0
    best = replace(best, routes=by_kind(pack, best.routes, best.branch.answer_types))
    narrowed = _narrowed(pack, pairs, best, scope)
    others = [understood for understood in walked if understood.seed is not best.seed]
    alternatives = _alternatives(best, others, of_best=narrowed is not None)
    rival = max([missed, *(other.score for other in others if _differs(other, best))])
    return replace(narrowed or best, alternatives=alternatives, rival=rival)


def _pairs(model: LinkModel, linked: Sequence[Linked]) -> Iterator[_Pair]:
    """No walk is more probable than its first step, so the weight and what the seed has for it bound a pair."""
    for one in linked:
        for seed, has in zip(one.mention.seeds, one.present, strict=True):
            weight = model.pair(seed.score, one.branch.topic_prob, fit_of(one.branch, has))
            yield _Pair(one, seed, weight, weight * float(one.branch.relation_probs[0][has].sum()))


def fit_of(branch: Branch, has: np.ndarray) -> float:
    """0..1: how much of the first relation that the plan wants a seed with these (bool [2R]) has."""
    first = branch.relation_probs[0]
    return float(first[has].sum()) / max(float(first.sum()), 1e-9)


def _walk(pack: Pack, pair: _Pair, scope: Scope) -> Understanding:
    branch = pair.linked.branch
    dropped: list[Dropped] | None = [] if scope.explain else None
    found = routes(walks(pack, branch, [pair.seed.entity], scope.hops, scope.keep_seed, dropped))
    asked = int(np.argmax(branch.relation_probs[0]))
    return Understanding(
        pair.seed, pair.linked.mention, branch, found, asked, pair.weight, dropped=tuple(dropped or ())
    )


def _differs(other: Understanding, best: Understanding) -> bool:
    """Whether another reading would answer something else."""
    return bool(other.routes) and not (best.routes and np.array_equal(other.routes[0].answers, best.routes[0].answers))


def _alternatives(best: Understanding, others: list[Understanding], of_best: bool) -> tuple[Alternative, ...]:
    """The walked readings that did not win; ``of_best``: the best single reading did not win either."""
    found = best.alternatives_of()[0 if of_best else 1 :]
    for other in others:
        found += other.alternatives_of()
    found.sort(key=lambda alternative: -alternative.score)
    return tuple(found[:MAX_ALTERNATIVES])


# --- several seeds ------------------------------------------------------------------------------


def _narrowed(pack: Pack, pairs: list[_Pair], best: Understanding, scope: Scope) -> Understanding | None:
    """The reading in which several seeds narrow the answers, when it beats the best of one seed.

    Both the planner's word for it (as odds) and the parts' own scores count.
    """
    if best.branch.constrained_prob < CONSTRAINED or not best.routes:
        return None
    parts = [best]
    for pair in pairs:
        if pair.linked.branch.constrained_prob < CONSTRAINED or pair.bound < PART_SHARE * best.score:
            continue
        if pair.seed not in pair.linked.mention.seeds[:SEEDS_TRIED] or _overlaps(pair, parts):
            continue
        part = _walk(pack, pair, scope)
        longer = [*parts, part]
        if part.score >= PART_SHARE * best.score and intersections([p.routes for p in longer]):
            parts = longer
    if len(parts) == 1:
        return None
    whole = _together(parts)
    prob = _mean([part.branch.constrained_prob for part in parts])
    return whole if whole.score * prob > best.score * (1.0 - prob) else None


def _overlaps(pair: _Pair, parts: list[Understanding]) -> bool:
    start, end = pair.linked.mention.span
    return any(start < part.mention.span[1] and part.mention.span[0] < end for part in parts)


def _together(parts: list[Understanding]) -> Understanding:
    """One reading of several parts; each part's routes begin with the one that is used."""
    shared = intersections([part.routes for part in parts])
    used = tuple(
        replace(part, routes=[route, *(other for other in part.routes if other is not route)])
        for part, route in zip(parts, shared[0].parts, strict=True)
    )
    weight = _mean([part.weight for part in parts])
    return replace(parts[0], routes=[one.route for one in shared], weight=weight, parts=used)


def _mean(values: Sequence[float]) -> float:
    """Geometric."""
    return math.prod(values) ** (1 / len(values))
