"""The similarity method beside a bare script of the same: what a question costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from kgask.bench.timing import timed
from kgask.errors import UsageError
from kgask.methods.base import Found, Scope
from kgask.methods.similarity import Similarity
from kgask.methods.text_encoder import GRAPH, INPUTS, OUTPUT, TOKENIZER, TextEncoder
from kgask.pack.normalise import normalise
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
    """Time of a question against the bare script, in turn, and how often both put the same triple first.

    The topic is given. Raises UsageError when the pack does not have it.
    """
    method, bare = Similarity(TextEncoder.load(encoder)), BareSimilarity(encoder, pack)

    def find(text: str, topic: int) -> Found:
        return method.find(Question(text), [Seed(topic, (0, 0), 1.0)], pack, Scope(TOP))

    same, spent, bare_spent = 0, [], []
    for start in range(0, len(questions), BLOCK):
        asked = [(gold.text, _topic(pack, gold.topics[0].name)) for gold in questions[start : start + BLOCK]]
        found = [timed(partial(find, *one)) for one in asked]
        time.sleep(PAUSE_S)
        plain = [timed(partial(bare.rank, *one)) for one in asked]
        time.sleep(PAUSE_S)
        spent += [ms for ms, _ in found]
        bare_spent += [ms for ms, _ in plain]
        firsts = [walked_ends(mine.triples, pack)[2].tolist()[:1] for _, mine in found]
        same += sum(first == ends[:1] for first, (_, ends) in zip(firsts, plain, strict=True))
        report(start + len(asked))
    return {
        "questions": len(questions),
        "same_first": round(same / max(1, len(questions)), 4),
        "ms_median": round(statistics.median(spent), 2),
        "ms_median_bare": round(statistics.median(bare_spent), 2),
        "time_ratio": round(sum(spent) / sum(bare_spent), 3),
    }


def _topic(pack: Pack, name: str) -> int:
    norm = normalise(name)
    hits = [hit for hit in pack.exact([norm]).get(norm, []) if hit.name == name]
    if not hits:
        raise UsageError(f"the pack has no entity {name!r}; give the pack of these questions: --pack PACK")
    return hits[0].entity
