"""What ``--explain`` shows: how an answer came about, as titled tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.answer.compose import relation_name
from kgask.answer.result import Answer
from kgask.cli.render import with_qualifiers
from kgask.link.features import FEATURES
from kgask.pack.store import Pack
from kgask.types import Seed
from kgask.verbalise import qualifiers_text, statements_in_words

Section = tuple[str, tuple[str, ...], list[tuple[object, ...]]]
SHOWN_CANDIDATES = 5
SHOWN_RELATIONS = 4
SHOWN_TRIPLES = 30


def sections(answer: Answer, pack: Pack) -> list[Section]:
    """Linked entities, candidates, hop plan, beam, alternatives, triples with weights, where it died, timings."""
    found = [_seeds(answer, pack)]
    if answer.explanation is not None:
        found.append(_candidates(answer, pack))
    if answer.plan is not None:
        found.append(_plan(answer, pack))
    if answer.explanation is not None and answer.explanation.beam:
        found.append(_beam(answer, pack))
    if answer.alternatives:
        found.append(_alternatives(answer, pack))
    if answer.evidence is not None:
        found.append(_triples(answer, pack))
    if answer.died_at is not None:
        found.append(_death(answer, pack))
    timings = [(stage, f"{ms:.2f}") for stage, ms in answer.timings_ms.items()]
    found.append(("timings", ("stage", "ms"), timings))
    return found


def path_name(pack: Pack, relations: Sequence[int]) -> str:
    return " > ".join(relation_name(pack, relation) for relation in relations)


def _seeds(answer: Answer, pack: Pack) -> Section:
    ids = [seed.entity for seed in answer.seeds]
    rows = [
        (seed.mention, label, key, seed.match, f"{seed.score:.2f}")
        for seed, label, key in zip(answer.seeds, pack.labels(ids), pack.keys(ids), strict=True)
    ]
    return "linked entities", ("mention", "entity", "key", "match", "score"), rows


def _candidates(answer: Answer, pack: Pack) -> Section:
    listed = answer.explanation.candidates[:SHOWN_CANDIDATES]
    ids = [seed.entity for seed in listed]
    rows = [
        (seed.mention, label, key, f"{seed.score:.3f}", _features(seed))
        for seed, label, key in zip(listed, pack.labels(ids), pack.keys(ids), strict=True)
    ]
    return "candidates", ("mention", "entity", "key", "score", "features (logarithms, or 0/1)"), rows


def _features(seed: Seed) -> str:
    """Those that are not 0; a chosen entity has none."""
    named = zip(FEATURES, seed.features, strict=False)
    return ", ".join(f"{name} {value:.2f}" for name, value in named if abs(value) >= 0.005) or "-"


def _plan(answer: Answer, pack: Pack) -> Section:
    rows: list[tuple[object, ...]] = []
    for number, branch in enumerate(answer.plan.branches, 1):
        scores = f"{branch.topic_prob:.2f}", f"{branch.constrained_prob:.2f}"
        for hop, (probs, weight) in enumerate(zip(branch.relation_probs, branch.hop_weights, strict=True), 1):
            best = np.argsort(-probs)[:SHOWN_RELATIONS]
            named = ", ".join(f"{relation_name(pack, int(r))} {probs[r]:.2f}" for r in best)
            rows.append((number, hop, f"{weight:.2f}", named, f"{max(0.0, 1 - probs.sum()):.2f}", *scores))
    return f"hop plan ({answer.plan.combine})", _PLAN_COLUMNS, rows


_PLAN_COLUMNS = ("branch", "hop", "answer here", "relations", "none", "is a topic", "narrowed by others")


def _beam(answer: Answer, pack: Pack) -> Section:
    listed = answer.explanation.beam
    labels = pack.labels([path.seed for path in listed])
    rows = []
    for label, path in zip(labels, listed, strict=True):
        probs = " ".join(f"{prob:.2f}" for prob in path.probs)
        rows.append((label, path_name(pack, path.relations), probs, f"{path.prob:.4f}", path.fate))
    return "beam", ("from", "path", "probability a hop", "of the path", "fate"), rows


def _alternatives(answer: Answer, pack: Pack) -> Section:
    rows = []
    for other in answer.alternatives:
        label, *ends = pack.labels([other.seed.entity, *other.answers])
        more = f" … {other.n_answers} in all" if other.n_answers > len(ends) else ""
        rows.append((f"{other.score:.4f}", label, path_name(pack, other.relations), " | ".join(ends) + more))
    return "alternatives", ("score", "from", "path", "answers"), rows


def _triples(answer: Answer, pack: Pack) -> Section:
    listed = answer.evidence.triples[:SHOWN_TRIPLES]
    subjects, relations, objects = pack.triples([t.triple for t in listed])
    labels = pack.labels([*subjects.tolist(), *objects.tolist()])
    names = pack.relation_labels()
    rows: list[tuple[object, ...]] = [
        (t.hop, f"{t.score:.3f}", labels[i], names[relations[i]], labels[len(listed) + i]) for i, t in enumerate(listed)
    ]
    said = statements_in_words(pack, (t.triple for t in listed), names)
    texts = [qualifiers_text(said.get(t.triple, ())) for t in listed]
    return "triples for the reader", *with_qualifiers(("hop", "weight", "subject", "relation", "object"), rows, texts)


def _death(answer: Answer, pack: Pack) -> Section:
    """Where the question died, and what came closest there."""
    return "no answer", ("stage", "why", "closest"), [(answer.died_at, answer.reason, _closest(answer, pack))]


def _closest(answer: Answer, pack: Pack) -> str:
    found = answer.explanation
    if answer.died_at == "link" or found is None:
        names = [seed.name for seed in (found.candidates if found else answer.seeds)[:1]]
        return names[0] if names else "-"
    if answer.died_at == "plan":
        probs = answer.plan.branches[0].relation_probs[0]
        best = int(np.argmax(probs))
        return f"{relation_name(pack, best)} {probs[best]:.2f}"
    kept = [path for path in found.beam if path.fate == "answer"]
    return f"{path_name(pack, kept[0].relations)} {kept[0].prob:.4f}" if kept else "-"
