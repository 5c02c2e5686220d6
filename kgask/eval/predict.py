"""An answer beside its gold, as a prediction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kgask.answer.result import Answer
from kgask.eval.records import EvidenceTriple, GoldBlock, Prediction
from kgask.eval.resolve import directed_key
from kgask.pack.store import Pack
from kgask.sets.gold import Gold
from kgask.types import Evidence


def prediction(
    gold: Gold, block: GoldBlock, answer: Answer, method: str, pack: Pack, hashes: Mapping[str, str]
) -> Prediction:
    """``hashes`` are those that the answer does not know of (the prompt's)."""
    evidence = answer.evidence
    triples, ends = _evidence(evidence, pack)
    candidates = {candidate.entity for candidate in evidence.candidates} if evidence else set()
    return Prediction(
        id=gold.id,
        question=gold.text,
        kind=gold.kind,
        hops=gold.hops,
        band=gold.band,
        gold=block,
        answer=answer.text,
        answer_ids=tuple(int(entity.id) for entity in answer.entities),
        answer_keys=tuple(entity.key for entity in answer.entities),
        answer_labels=tuple(entity.label for entity in answer.entities),
        support=tuple(int(triple.id) for triple in answer.support),
        evidence=triples,
        gold_in_candidates=tuple(not candidates.isdisjoint(each.ids) for each in block.answers),
        gold_in_evidence=tuple(not ends.isdisjoint(each.ids) for each in block.answers),
        seeds=tuple(int(seed.entity) for seed in answer.seeds),
        confidence=float(answer.confidence),
        abstained=answer.abstained,
        died_at=answer.died_at,
        reason=answer.reason,
        written=answer.written,
        unverified=tuple(answer.unverified),
        method=method,
        hashes=dict(answer.hashes) | dict(hashes),
    )


def _evidence(evidence: Evidence | None, pack: Pack) -> tuple[tuple[EvidenceTriple, ...], set[int]]:
    """The triples with their directed relations, and the entities at either end of them."""
    if evidence is None or not evidence.triples:
        return (), set()
    subjects, relations, objects = pack.triples(np.array([scored.triple for scored in evidence.triples]))
    rows = zip(evidence.triples, relations.tolist(), strict=True)
    triples = tuple(
        EvidenceTriple(int(scored.triple), directed_key(pack, relation, scored.inverse)) for scored, relation in rows
    )
    return triples, set(subjects.tolist()) | set(objects.tolist())
