"""What ``--explain`` shows: how an answer came about, as titled tables."""

from __future__ import annotations

import numpy as np

from kgask.pack.store import Pack
from kgask.types import Answer, undirected

Section = tuple[str, tuple[str, ...], list[tuple[object, ...]]]
SHOWN_RELATIONS = 4
SHOWN_TRIPLES = 30


def sections(answer: Answer, pack: Pack) -> list[Section]:
    """Linked entities, hop plan with probabilities, triples with weights, timings."""
    found = [_seeds(answer, pack)]
    if answer.plan is not None:
        found.append(_plan(answer, pack))
    if answer.evidence is not None:
        found.append(_triples(answer, pack))
    timings = [(stage, f"{ms:.2f}") for stage, ms in answer.timings_ms.items()]
    found.append(("timings", ("stage", "ms"), timings))
    return found


def relation_name(pack: Pack, directed_relation: int) -> str:
    """The relation's label, after ``<inv>-`` when followed from object to subject."""
    relation, inverse = undirected(directed_relation, pack.n_relations)
    label = pack.relation_labels()[relation]
    return f"<inv>-{label}" if inverse else label


def _seeds(answer: Answer, pack: Pack) -> Section:
    ids = [seed.entity for seed in answer.seeds]
    rows = [
        (seed.mention, label, key, seed.match, f"{seed.score:.2f}")
        for seed, label, key in zip(answer.seeds, pack.labels(ids), pack.keys(ids), strict=True)
    ]
    return "linked entities", ("mention", "entity", "key", "match", "score"), rows


def _plan(answer: Answer, pack: Pack) -> Section:
    rows: list[tuple[object, ...]] = []
    for branch in answer.plan.branches:
        for hop, (probs, weight) in enumerate(zip(branch.relation_probs, branch.hop_weights, strict=True), 1):
            best = np.argsort(-probs)[:SHOWN_RELATIONS]
            named = ", ".join(f"{relation_name(pack, int(r))} {probs[r]:.2f}" for r in best)
            rows.append((hop, f"{weight:.2f}", named, f"{max(0.0, 1 - probs.sum()):.2f}"))
    return "hop plan", ("hop", "answer here", "relations", "none"), rows


def _triples(answer: Answer, pack: Pack) -> Section:
    listed = answer.evidence.triples[:SHOWN_TRIPLES]
    subjects, relations, objects = pack.triples([t.triple for t in listed])
    labels = pack.labels([*subjects.tolist(), *objects.tolist()])
    names = pack.relation_labels()
    rows = [
        (t.hop, f"{t.score:.3f}", labels[i], names[relations[i]], labels[len(listed) + i])
        for i, t in enumerate(listed)
    ]
    return "triples for the reader", ("hop", "weight", "subject", "relation", "object"), rows
