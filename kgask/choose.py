"""Which reading of a question wins: link and plan are judged together.

A reading is a seed with the plan's paths from it; its score is the product of
the link's score, the planner's "this is a topic", how much of what the plan
wants the seed has, and the probability of the paths that exist (powers in
:class:`~kgask.link.features.LinkModel`). Readings of several seeds, whose
answers intersect, compete with those of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.link.features import LinkModel
from kgask.pack.store import Pack
from kgask.reached import Reached
from kgask.retrieve.hint import by_kind
from kgask.retrieve.intersect import intersections
from kgask.retrieve.walk import routes
from kgask.types import Alternative, Branch, Mention, Seed

MAX_ALTERNATIVES = 5
CONSTRAINED = 0.6  # from here on the planner is believed that several seeds narrow the answers
PART_SHARE = 0.05  # a part must score this share of the best single reading
SEEDS_TRIED = 3  # of a further mention


@dataclass(frozen=True, slots=True)
class Search:
    """How far the graph is searched."""

    hops: int
    keep_seed: bool = False
    everything: bool = False  # walk every reading, those that cannot win too


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


def choose(pack: Pack, model: LinkModel, linked: Sequence[Linked], search: Search) -> Reached | None:
    """The best reading with its alternatives; None when nothing is linked.

    Pairs are walked from the likeliest on; one that cannot win is not walked.
    """
    pairs = sorted(_pairs(model, linked), key=lambda pair: (-pair.bound, -pair.seed.score))
    walked: list[Reached] = []
    best: Reached | None = None
    for pair in pairs:
        if best is not None and best.score >= pair.bound and not search.everything:
            break
        reached = _walk(pack, pair, search)
        walked.append(reached)
        if best is None or reached.score > best.score:
            best = reached
    if best is None:
        return None
    missed = pairs[len(walked)].bound if len(walked) < len(pairs) else 0.0
    best = replace(best, routes=by_kind(pack, best.routes, best.branch.answer_types))
    narrowed = _narrowed(pack, pairs, best, search)
    others = [reached for reached in walked if reached.seed is not best.seed]
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


def _walk(pack: Pack, pair: _Pair, search: Search) -> Reached:
    branch = pair.linked.branch
    found = routes(pack, branch, [pair.seed.entity], search.hops, search.keep_seed)
    asked = int(np.argmax(branch.relation_probs[0]))
    return Reached(pair.seed, pair.linked.mention, branch, found, asked, pair.weight)


def _differs(other: Reached, best: Reached) -> bool:
    """Whether another reading would answer something else."""
    return bool(other.routes) and not (best.routes and np.array_equal(other.routes[0].answers, best.routes[0].answers))


def _alternatives(best: Reached, others: list[Reached], of_best: bool) -> tuple[Alternative, ...]:
    """The walked readings that did not win; ``of_best``: the best single reading did not win either."""
    found = best.alternatives_of()[0 if of_best else 1 :]
    for other in others:
        found += other.alternatives_of()
    found.sort(key=lambda alternative: -alternative.score)
    return tuple(found[:MAX_ALTERNATIVES])


# --- several seeds ------------------------------------------------------------------------------


def _narrowed(pack: Pack, pairs: list[_Pair], best: Reached, search: Search) -> Reached | None:
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
        part = _walk(pack, pair, search)
        longer = [*parts, part]
        if part.score >= PART_SHARE * best.score and intersections([p.routes for p in longer]):
            parts = longer
    if len(parts) == 1:
        return None
    whole = _together(parts)
    prob = _mean([part.branch.constrained_prob for part in parts])
    return whole if whole.score * prob > best.score * (1.0 - prob) else None


def _overlaps(pair: _Pair, parts: list[Reached]) -> bool:
    start, end = pair.linked.mention.span
    return any(start < part.mention.span[1] and part.mention.span[0] < end for part in parts)


def _together(parts: list[Reached]) -> Reached:
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
