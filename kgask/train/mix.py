"""The training mix: which question comes next, and against which relations.

Every step draws from its own random stream, ``(rng_seed, step)``, so a resumed
run sees exactly what an uninterrupted one would have seen.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from kgask.train import data
from kgask.train.compose import Composer
from kgask.train.data import PathExample, Step
from kgask.train.wikiweb import wikiweb_questions
from kgask.train.wordings import RelationWordings, load_wordings

# Shares of the mix by source; composed questions teach the second and third hop.
SHARES = {
    "simple": 0.19,
    "kgconv": 0.15,
    "own": 0.13,
    "entityquestions": 0.01,
    "wikiweb": 0.03,
    "off_topic": 0.02,
    "composed2": 0.27,
    "composed3": 0.20,
}
HELD_OUT = 0.03  # share of each source's texts kept for validation
SIMILAR = 0.6  # cosine of untrained text vectors above which two relations may mean the same


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations that one batch competes over, each as one of its texts."""

    keys: tuple[str, ...]
    texts: tuple[str, ...]

    def index(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self.keys)}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every training and held-out question, and the texts of every relation."""

    train: dict[str, list[PathExample]]
    held_out: list[PathExample]
    texts: dict[str, list[str]]
    wordings: dict[str, RelationWordings]


def load_corpus(folder: Path, rng_seed: int) -> Corpus:
    """Read all sets; the held-out texts of a seed are always the same."""
    wordings = load_wordings()
    labels = data.load_labels(folder)
    readers = {
        "simple": data.simple_questions(folder, labels),
        "kgconv": data.kgconv_templates(folder),
        "entityquestions": data.entity_question_templates(folder),
        "wikiweb": wikiweb_questions(folder, labels),
        "own": data.own_questions(wordings),
        "off_topic": off_topic_questions(),
    }
    texts = data.relation_texts(folder, wordings)
    rng = random.Random(rng_seed)
    train, held_out = {}, []
    for source, reader in readers.items():
        examples = [e for e in reader if all(key in texts for key, _ in e.path)]
        held_texts = {text for text in sorted({e.text for e in examples}) if rng.random() < HELD_OUT}
        train[source] = [e for e in examples if e.text not in held_texts]
        held_out += [e for e in examples if e.text in held_texts]
    composer = Composer(wordings, {}, rng)
    held_out += [composer.draw(hops) for hops in (2, 3) for _ in range(200)]
    return Corpus(train, held_out, texts, wordings)


def off_topic_questions() -> list[PathExample]:
    """Questions that no relation answers: the path is empty."""
    lines = (resources.files("kgask.train") / "off_topic.txt").read_text(encoding="utf-8").splitlines()
    return [PathExample(line, (), "off_topic") for line in lines if line]


class Mix:
    """Draws batches of questions and the relations they compete over."""

    def __init__(self, corpus: Corpus, n_negatives: int, similar: dict[str, list[str]]) -> None:
        self._corpus = corpus
        self._n_negatives = n_negatives
        self.similar = similar
        self._one_hop: dict[Step, list[str]] = {}
        for source in ("simple", "kgconv"):
            for example in (e for e in corpus.train[source] if data.MASK in e.text):
                self._one_hop.setdefault(example.path[0], []).append(example.text)
        self._cumulative = {
            source: np.cumsum(_flattened(examples)).tolist() for source, examples in corpus.train.items()
        }
        used = {key for examples in corpus.train.values() for e in examples for key, _ in e.path}
        self._negatives = sorted(used)

    def batch(self, size: int, rng: random.Random) -> list[PathExample]:
        composer = Composer(self._corpus.wordings, self._one_hop, rng)
        sources = rng.choices(list(SHARES), weights=list(SHARES.values()), k=size)
        return [self._draw(source, composer, rng) for source in sources]

    def _draw(self, source: str, composer: Composer, rng: random.Random) -> PathExample:
        if source.startswith("composed"):
            return composer.draw(int(source[-1]))
        examples = self._corpus.train[source]
        return rng.choices(examples, cum_weights=self._cumulative[source])[0]

    def relations(self, batch: list[PathExample], rng: random.Random) -> RelationSet:
        """Gold relations, their look-alikes and random others; no text stands twice."""
        gold = {key for example in batch for key, _ in example.path}
        near = {other for key in gold for other in self.similar.get(key, ())[:2] if rng.random() < 0.5}
        rest = rng.sample(self._negatives, min(self._n_negatives, len(self._negatives)))
        keys = sorted(gold) + [key for key in sorted(near) + rest if key not in gold]
        chosen: dict[str, str] = {}
        for key in dict.fromkeys(keys):
            options = [text for text in self._corpus.texts[key] if text not in chosen.values()]
            if options:
                chosen[key] = options[0] if rng.random() < 0.5 else rng.choice(options)
            elif key in gold:
                chosen[key] = self._corpus.texts[key][0]
        return RelationSet(tuple(chosen), tuple(chosen.values()))


def _flattened(examples: list[PathExample]) -> list[float]:
    """Weights that lift rare relations: one over the square root of the path's count."""
    counts = Counter(example.path for example in examples)
    return [counts[example.path] ** -0.5 for example in examples]


def similar_relations(vectors: dict[str, np.ndarray]) -> dict[str, list[str]]:
    """For each relation key, the keys whose text vectors (unit, [D]) are close, closest first."""
    keys = list(vectors)
    cosines = np.stack([vectors[key] for key in keys])
    cosines = cosines @ cosines.T
    np.fill_diagonal(cosines, -1.0)
    order = np.argsort(-cosines, axis=1)[:, :12]
    return {
        key: [keys[j] for j in order[i] if cosines[i, j] > SIMILAR] for i, key in enumerate(keys)
    }
