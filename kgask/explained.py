"""What ``--explain`` shows besides the answer: done again with the details kept, so that asking stays fast."""

from __future__ import annotations

from kgask.choose import Search
from kgask.link.linker import Linker
from kgask.pack.store import Pack
from kgask.reached import Reached
from kgask.retrieve.walk import Dropped, Walk, routes
from kgask.types import BeamPath, Branch, DirectedRelationId, EntityId, Explanation, Question, Seed

SHOWN_PATHS = 12  # of each branch


def explanation(pack: Pack, linker: Linker, question: Question, reached: Reached | None, search: Search) -> Explanation:
    """Every candidate of the question, and what the search did from the seeds that won."""
    readings = reached.readings if reached else ()
    beam = [path for part in readings for path in _beam(pack, part.branch, part.seed.entity, search)]
    return Explanation(_candidates(linker, question, readings), tuple(beam))


def _candidates(linker: Linker, question: Question, readings: tuple[Reached, ...]) -> tuple[Seed, ...]:
    """Best first; close names too where exact ones did not answer."""
    used = [part.seed for part in readings]
    mentions = linker.link(question)
    seeds = [seed for mention in mentions for seed in mention.seeds]
    if not used or any(seed.match == "typo" for seed in used):
        seeds += [seed for mention in linker.link_tolerantly(question) for seed in mention.seeds]
    seeds += [seed for seed in used if seed.match == "given"]
    return tuple(sorted(seeds, key=lambda seed: -seed.score))


def _beam(pack: Pack, branch: Branch, seed: EntityId, search: Search) -> list[BeamPath]:
    dropped: list[Dropped] = []
    found = routes(pack, branch, [seed], search.hops, search.keep_seed, dropped)
    kept = [_kept(branch, seed, walk) for route in found for walk in route.walks]
    lost = [BeamPath(seed, path.relations, _probs(branch, path.relations), path.prob, path.why) for path in dropped]
    return sorted([*kept, *lost], key=lambda path: -path.prob)[:SHOWN_PATHS]


def _kept(branch: Branch, seed: EntityId, walk: Walk) -> BeamPath:
    return BeamPath(seed, walk.relations, _probs(branch, walk.relations), walk.prob, "answer")


def _probs(branch: Branch, relations: tuple[DirectedRelationId, ...]) -> tuple[float, ...]:
    return tuple(float(branch.relation_probs[hop][relation]) for hop, relation in enumerate(relations))
