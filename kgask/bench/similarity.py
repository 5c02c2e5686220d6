"""The similarity method beside a bare script of the same: which triples come first, and what a question costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgask.errors import UsageError
from kgask.methods.base import Scope
from kgask.methods.similarity import Similarity
from kgask.methods.text_encoder import GRAPH, INPUTS, OUTPUT, TOKENIZER, TextEncoder
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.sets.gold import Gold
from kgask.types import Question, Seed
from kgask.verbalise import walked_ends

TOP = 10
BARE_BATCH = 64
# The two take turns in blocks: ONNX Runtime's own threads spin on for a while and would slow down who comes next.
BLOCK, PAUSE_S = 20, 0.1


class BareSimilarity:
    """KAPING as a script of a page would do it: all triples of the topic in batches through the same graph, sorted."""

    def __init__(self, folder: Path, pack: Pack) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._session = onnxruntime.InferenceSession(str(folder / GRAPH), providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.enable_padding()
        self._pack = pack

    def rank(self, text: str, topic: int) -> list[int]:
        """Far ends of the best triples, best first."""
        pack = self._pack
        out = slice(int(pack.out_indptr[topic]), int(pack.out_indptr[topic + 1]))
        back = slice(int(pack.in_indptr[topic]), int(pack.in_indptr[topic + 1]))
        ends = [*pack.out_object[out].tolist(), *pack.in_subject[back].tolist()]
        relations = [*pack.out_relation[out].tolist(), *pack.in_relation[back].tolist()]
        n_out, names = out.stop - out.start, pack.relation_labels()
        me, *others = pack.labels([topic, *ends])
        lines = [
            f"({me}, {names[relation]}, {other})" if row < n_out else f"({other}, {names[relation]}, {me})"
            for row, (relation, other) in enumerate(zip(relations, others, strict=True))
        ]
        texts = [text, *(line.replace("_", " ") for line in lines)]
        vectors = np.concatenate([self._encode(texts[at : at + BARE_BATCH]) for at in range(0, len(texts), BARE_BATCH)])
        return [ends[row] for row in np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[:TOP].tolist()]

    def _encode(self, texts: list[str]) -> np.ndarray:
        rows = self._tokenizer.encode_batch(texts)
        arrays = np.array([row.ids for row in rows]), np.array([row.attention_mask for row in rows])
        return self._session.run([OUTPUT], dict(zip(INPUTS, arrays, strict=True)))[0]


def measure(
    pack: Pack, encoder: Path, questions: Sequence[Gold], report: Callable[[int], None] = lambda done: None
) -> dict[str, float | int]:
    """Share of questions with a right triple first, and among the first ten; time against the bare script, in turn.

    The topic is given. Raises UsageError when the pack does not have it.
    """
    method, bare = Similarity(TextEncoder.load(encoder)), BareSimilarity(encoder, pack)
    first = within = bare_first = 0
    spent: list[float] = []
    bare_spent: list[float] = []
    for start in range(0, len(questions), BLOCK):
        golds = questions[start : start + BLOCK]
        topics = [_topic(pack, gold.topics[0].name) for gold in golds]
        asked = [(Question(gold.text), [Seed(topic, (0, 0), 1.0)]) for gold, topic in zip(golds, topics, strict=True)]
        found = [_timed(spent, method.find, *one, pack, Scope(TOP)) for one in asked]
        time.sleep(PAUSE_S)
        plain = [_timed(bare_spent, bare.rank, gold.text, topic) for gold, topic in zip(golds, topics, strict=True)]
        time.sleep(PAUSE_S)
        for gold, mine, theirs in zip(golds, found, plain, strict=True):
            right = {hit.entity for answer in gold.answers for hit in _hits(pack, answer.names[0])}
            ends = walked_ends(mine.triples, pack)[2].tolist()
            first += ends[0] in right
            within += bool(right & set(ends))
            bare_first += theirs[0] in right
        report(start + len(golds))
    n = max(1, len(questions))
    return {
        "questions": len(questions),
        "first_right": round(first / n, 4),
        f"in_top_{TOP}": round(within / n, 4),
        "first_right_bare": round(bare_first / n, 4),
        "ms_median": round(1000 * statistics.median(spent), 2),
        "ms_median_bare": round(1000 * statistics.median(bare_spent), 2),
        "time_ratio": round(sum(spent) / sum(bare_spent), 3),
    }


def _timed(spent: list[float], work: Callable[..., Any], *arguments: object) -> Any:
    began = time.perf_counter()
    found = work(*arguments)
    spent.append(time.perf_counter() - began)
    return found


def _topic(pack: Pack, name: str) -> int:
    hits = _hits(pack, name)
    if not hits:
        raise UsageError(f"the pack has no entity {name!r}; give the pack of these questions: --pack PACK")
    return hits[0].entity


def _hits(pack: Pack, name: str) -> list[NameHit]:
    norm = normalise(name)
    return [hit for hit in pack.exact([norm]).get(norm, []) if hit.name == name]
