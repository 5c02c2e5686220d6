"""The JSON contract of an answer: one object a question, answered or not, on one line.

================  ===================================================================
``question``      the question as asked
``answer``        text, several answers joined by `` | ``; null when there is none
``entities``      answer entities or literals, best first: ``id``, ``key``, ``label``
``support``       triples that lead from the seeds to every listed entity: ``id``,
                  ``subject``, ``relation``, ``object`` (labels), ``hop`` (from 1), ``score``,
                  ``qualifiers`` (what the triple is said with: relation and value, labels)
``confidence``    0..1, calibrated probability that the answer is right (of other methods than rigel the
                  reader's own, which only ranks answers)
``abstained``     true when there is no answer
``reason``        why not; null when answered
``died_at``       where the question ended without an answer: ``link`` (no such entity), ``plan``
                  (no relation means that), ``retrieve`` (the graph lacks it), ``read`` (facts were
                  found, none answers), ``confidence`` (below the threshold); null when answered
``seeds``         topic entities: ``id``, ``key``, ``label``, ``mention``, ``match``, ``score``
``alternatives``  other readings that were looked at, best first, at most five: ``seed``
                  (``id``, ``key``, ``label``), ``path`` (relation labels, ``<inv>-`` before
                  one that is followed backward), ``score``, ``answers`` (the first labels),
                  ``n_answers``
``notes``         what was read tolerantly or is ambiguous
``method``        how triples were found: ``rigel``, or what ``--method`` says
``timings_ms``    milliseconds per stage
``hashes``        of ``pack``, ``model``, ``reader``, and of another method's own model (``method``)
``passages``      only with ``--context``: texts that name answers which no triple proves: ``id``, ``text``
``written``       only with ``--free``: the reader's whole text; null when it was not asked
``unverified``    only with ``--free``: pieces of it that name nothing that was retrieved
================  ===================================================================
"""

from __future__ import annotations

import json

from kgask.cli.explain import relation_name
from kgask.pack.store import Pack
from kgask.types import Answer


def answer_json(answer: Answer, pack: Pack, free: bool = False) -> str:
    """One line; characters that a terminal would act on are escaped as JSON allows. ``free``: with ``--free``."""
    seeds = [seed.entity for seed in answer.seeds]
    content = {
        "question": answer.question,
        "answer": answer.text,
        "entities": [{"id": e.id, "key": e.key, "label": e.label} for e in answer.entities],
        "support": [
            {
                "id": t.id,
                "subject": t.subject,
                "relation": t.relation,
                "object": t.object,
                "hop": t.hop,
                "score": t.score,
                "qualifiers": [list(pair) for pair in t.qualifiers],
            }
            for t in answer.support
        ],
        "confidence": answer.confidence,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "died_at": answer.died_at,
        "seeds": [
            {
                "id": seed.entity,
                "key": key,
                "label": label,
                "mention": seed.mention,
                "match": seed.match,
                "score": round(seed.score, 4),
            }
            for seed, key, label in zip(answer.seeds, pack.keys(seeds), pack.labels(seeds), strict=True)
        ],
        "alternatives": _alternatives(answer, pack),
        "notes": list(answer.notes),
        "method": answer.method,
        "timings_ms": dict(answer.timings_ms),
        "hashes": dict(answer.hashes),
    }
    if answer.evidence is not None and answer.evidence.passages:
        content["passages"] = [{"id": passage.id, "text": passage.text} for passage in answer.passages]
    if free:
        content |= {"written": answer.written, "unverified": list(answer.unverified)}
    line = json.dumps(content, ensure_ascii=False)
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def _alternatives(answer: Answer, pack: Pack) -> list[dict[str, object]]:
    seeds = [other.seed.entity for other in answer.alternatives]
    keys, labels = pack.keys(seeds), pack.labels(seeds)
    ends = iter(pack.labels([end for other in answer.alternatives for end in other.answers]))
    return [
        {
            "seed": {"id": other.seed.entity, "key": key, "label": label},
            "path": [relation_name(pack, relation) for relation in other.relations],
            "score": round(other.score, 6),
            "answers": [next(ends) for _ in other.answers],
            "n_answers": other.n_answers,
        }
        for other, key, label in zip(answer.alternatives, keys, labels, strict=True)
    ]
