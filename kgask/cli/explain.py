"""What ``--explain`` shows: one sentence that says why, the query, and how the answer came about as titled tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kgask.answer.result import Answer
from kgask.answer.words import relation_name
from kgask.cli.derivation import branch_of
from kgask.cli.render import Section, with_qualifiers
from kgask.link.features import FEATURES
from kgask.pack.store import Pack
from kgask.query.words import because
from kgask.types import BeamPath, HopPlan, QueryReading, QueryReadings, Seed
from kgask.verbalise import qualifiers_text, statements_in_words

SHOWN_CANDIDATES = 5
SHOWN_RELATIONS = 4
SHOWN_TRIPLES = 30
NO_QUERY = "none: the graph has no relation for what is asked"


def why(answer: Answer, pack: Pack) -> str:
    """One sentence: how the names were read, what was asked for, and what came of it."""
    if answer.query is not None:
        mentions = {seed.entity: seed.mention for seed in answer.seeds if seed.mention}
        return because(answer.query, pack, mentions, len(answer.support))
    said = ["read " + ", ".join(f"'{seed.mention}' as {seed.label}" for seed in answer.seeds)] if answer.seeds else []
    found = f"{len(answer.support):,} triple{'s' * (len(answer.support) != 1)} found by {answer.method}"
    return "; ".join([*said, f"no answer: {answer.reason}" if answer.abstained else found])


def sections(answer: Answer, pack: Pack) -> list[Section]:
    """Names, what else they could be, relations, paths, other readings, facts, where it died, time."""
    found = [_seeds(answer.seeds)]
    if answer.explanation is not None:
        found.append(_candidates(answer.explanation.candidates[:SHOWN_CANDIDATES], pack))
        if answer.explanation.queries is not None:
            found += _queries(answer.explanation.queries)
    if answer.derivation is not None:
        found.append(derivation_section(answer.derivation))
    if answer.plan is not None:
        found.append(_plan(answer.plan, pack))
    if answer.explanation is not None and answer.explanation.beam:
        found.append(_beam(answer.explanation.beam, pack))
    if answer.alternatives:
        found.append(_alternatives(answer))
    if answer.evidence is not None and answer.evidence.triples:
        found.append(_triples([(t.triple, t.hop, t.score) for t in answer.evidence.triples[:SHOWN_TRIPLES]], pack))
    if answer.died_at is not None:
        found.append(
            ("no answer", ("stage", "why", "closest"), [(answer.died_at, answer.reason, _closest(answer, pack))])
        )
    found.append(("time", ("stage", "ms"), [(stage, f"{ms:.2f}") for stage, ms in answer.timings_ms.items()]))
    return found


def readings_lines(answer: Answer) -> list[str]:
    """For ``--verbose``: the kind of question, what was found in it, and the queries that it may be, a line each."""
    said = answer.explanation.queries if answer.explanation else None
    if said is None:
        return []
    spans = ", ".join(f"{one.text!r} as {one.kind} {one.meaning}" for one in said.spans)
    lines = [f"asks for {_kinds(said)}; " + (f"found {spans}" if spans else "found nothing to point at")]
    lines += [f"{one.prob:.2f} {one.query}: {one.outcome}{_left_out(one)}" for one in said.queries]
    return [*lines, f"{said.none_prob:.2f} {NO_QUERY}"]


def derivation_section(derivation: Mapping[str, Any]) -> Section:
    """Every operator with what it came to, the last one first."""
    return "derivation", ("how",), [(line,) for line in branch_of(derivation).lines()]


def path_name(pack: Pack, relations: Iterable[int]) -> str:
    return " > ".join(relation_name(pack, relation) for relation in relations)


def _seeds(seeds: Sequence[Seed]) -> Section:
    rows = [(seed.mention, seed.label, seed.key, seed.match, f"{seed.score:.2f}") for seed in seeds]
    return "names that were read", ("in the question", "entity", "key", "found by", "score"), rows


def _candidates(seeds: Sequence[Seed], pack: Pack) -> Section:
    ids = [seed.entity for seed in seeds]
    rows = [
        (seed.mention, label, key, f"{seed.score:.3f}", _features(seed))
        for seed, label, key in zip(seeds, pack.labels(ids), pack.keys(ids), strict=True)
    ]
    return "what the names could be", ("in the question", "entity", "key", "score", "because"), rows


def _features(seed: Seed) -> str:
    """Those that are not 0 (logarithms, or 0/1); a chosen entity has none."""
    named = zip(FEATURES, seed.features, strict=False)
    return ", ".join(f"{name} {value:.2f}" for name, value in named if abs(value) >= 0.005) or "-"


def _queries(said: QueryReadings) -> list[Section]:
    """The words that were found in the question, and what it may be as a query."""
    spans = [(one.text, one.kind, one.meaning) for one in said.spans]
    rows = [(f"{one.prob:.3f}", one.query, one.outcome, ", ".join(one.left_out) or "-") for one in said.queries]
    rows.append((f"{said.none_prob:.3f}", NO_QUERY, "-", "-"))
    return [
        ("what the question speaks of", ("in the question", "kind", "read as"), spans),
        (f"queries that it may be ({_kinds(said)})", ("probability", "query", "comes to", "leaves out"), rows),
    ]


def _kinds(said: QueryReadings) -> str:
    return ", ".join(f"{name} {prob:.2f}" for name, prob in said.kinds) or "no kind that is known"


def _left_out(one: QueryReading) -> str:
    return f" (leaves out {', '.join(one.left_out)})" if one.left_out else ""


def _plan(plan: HopPlan, pack: Pack) -> Section:
    rows: list[tuple[object, ...]] = []
    for number, branch in enumerate(plan.branches, 1):
        scores = f"{branch.topic_prob:.2f}", f"{branch.constrained_prob:.2f}"
        for hop, (probs, weight) in enumerate(zip(branch.relation_probs, branch.hop_weights, strict=True), 1):
            best = np.argsort(-probs)[:SHOWN_RELATIONS]
            named = ", ".join(f"{relation_name(pack, int(r))} {probs[r]:.2f}" for r in best)
            rows.append((number, hop, f"{weight:.2f}", named, f"{max(0.0, 1 - probs.sum()):.2f}", *scores))
    columns = ("branch", "hop", "answer here", "relations", "none", "is a topic", "narrowed by others")
    return f"relations that the question asks for ({plan.combine})", columns, rows


def _beam(beam: Sequence[BeamPath], pack: Pack) -> Section:
    labels = pack.labels([path.seed for path in beam])
    rows = [
        (
            label,
            path_name(pack, path.relations),
            " ".join(f"{p:.2f}" for p in path.probs),
            f"{path.prob:.4f}",
            path.fate,
        )
        for label, path in zip(labels, beam, strict=True)
    ]
    return "paths that were tried", ("from", "path", "probability a hop", "of the path", "what became of it"), rows


def _alternatives(answer: Answer) -> Section:
    rows = []
    for other in answer.alternatives:
        more = f" … {other.n_answers} in all" if other.n_answers > len(other.labels) else ""
        rows.append((f"{other.score:.4f}", other.seed.label, " > ".join(other.path), " | ".join(other.labels) + more))
    return "other readings", ("score", "from", "path", "answers"), rows


def _triples(listed: Sequence[tuple[int, int, float]], pack: Pack) -> Section:
    """Rows of (triple, hop, score)."""
    ids = [triple for triple, _, _ in listed]
    subjects, relations, objects = pack.triples(np.asarray(ids, dtype=np.int64))
    labels, names = pack.labels([*subjects.tolist(), *objects.tolist()]), pack.relation_labels()
    rows: list[tuple[object, ...]] = [
        (hop, f"{score:.3f}", labels[i], names[relations[i]], labels[len(listed) + i])
        for i, (_, hop, score) in enumerate(listed)
    ]
    said = statements_in_words(pack, ids, names)
    texts = [qualifiers_text(said.get(triple, ())) for triple in ids]
    return "facts for the reader", *with_qualifiers(("hop", "weight", "subject", "relation", "object"), rows, texts)


def _closest(answer: Answer, pack: Pack) -> str:
    """What came closest where the question died."""
    found = answer.explanation
    if answer.died_at == "link" or found is None:
        names = [seed.name for seed in (found.candidates if found else answer.seeds)[:1]]
        return names[0] if names else "-"
    if answer.died_at == "plan" and answer.plan is not None:
        probs = answer.plan.branches[0].relation_probs[0]
        best = int(np.argmax(probs))
        return f"{relation_name(pack, best)} {probs[best]:.2f}"
    kept = [path for path in found.beam if path.fate == "answer"]
    return f"{path_name(pack, kept[0].relations)} {kept[0].prob:.4f}" if kept else "-"
