"""The training mix: which question comes next, and against which relations.

Every step draws from its own random stream, ``(rng_seed, step)``, so a resumed
run sees exactly what an uninterrupted one would have seen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from pathlib import Path

import numpy as np

from kgask.corpus.compose import Composer
from kgask.corpus.compose_constraints import wrong_mask
from kgask.corpus.examples import (
    MASK,
    WRONG_MASK,
    PathExample,
    Step,
    entity_question_templates,
    kgconv_templates,
    own_questions,
    relation_texts,
    simple_questions,
)
from kgask.corpus.freebase import freebase_questions, freebase_relation_texts
from kgask.corpus.mintaka import mintaka_questions
from kgask.corpus.wikiweb import wikiweb_questions
from kgask.corpus.wordings import RelationWordings, load_wordings
from kgask.errors import UsageError
from kgask.sets.wikidata import entity_labels

WIKIDATA = "wikidata"
AS_ASKED = "_as_asked"  # ends the name of a source whose questions are drawn as often as people asked them
COMPOSED = ("composed2", "composed3", "constrained", "operators")  # of wordings of our own, and people's
DRAWN = (*COMPOSED, WRONG_MASK)  # sources made while training
ONE_HOP = ("simple", "simple_found", "kgconv")  # sources of people's one-hop wordings, topic masked
HELD_OUT = 0.03  # share of each source's texts kept for validation
SIMILAR = 0.6  # cosine of untrained text vectors above which two relations may mean the same
SHORTER = 0.15  # share of the composed questions that lose their last hop
DECORATED = 0.3  # share of the questions with a second name that does not narrow the answers
UNMARKED = 0.03  # share of one-hop questions with an invented topic in words instead of the mask
N_NAMES = 20_000
NAME_CHARS = (3, 40)


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations that one batch competes over, each as one of its texts."""

    keys: tuple[str, ...]
    texts: tuple[str, ...]

    def index(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self.keys)}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every training and held-out question, the texts of every relation, names of things."""

    train: dict[str, list[PathExample]]
    held_out: list[PathExample]
    texts: dict[str, list[str]]
    wordings: dict[str, RelationWordings]
    names: list[str]


def load_corpus(folder: Path, rng_seed: int, wanted: Collection[str]) -> Corpus:
    """Read the sets that ``wanted`` names as sources or vocabularies; a seed always holds out the same texts."""
    wordings = load_wordings()
    labels = entity_labels(folder)
    readers: dict[str, Callable[[], Iterable[PathExample]]] = {
        "simple": lambda: simple_questions(folder, labels),
        "kgconv": lambda: kgconv_templates(folder),
        "entityquestions": lambda: entity_question_templates(folder),
        "wikiweb": lambda: wikiweb_questions(folder, labels),
        "freebase": lambda: freebase_questions(folder),
        "mintaka": lambda: mintaka_questions(folder),
        "own": lambda: own_questions(wordings),
        "off_topic": off_topic_questions,
    }
    texts = relation_texts(folder, wordings)
    if "freebase" in wanted:
        texts |= freebase_relation_texts(folder)
    rng = random.Random(rng_seed)
    train: dict[str, list[PathExample]] = {}
    held_out: list[PathExample] = []
    for name, read in readers.items():
        if not any(source.startswith(name) for source in wanted):
            continue
        known = [e for e in read() if all(key in texts for key, _ in e.path or ())]
        held_texts = {text for text in sorted({e.text for e in known}) if rng.random() < HELD_OUT}
        for example in known:
            if example.text in held_texts:
                held_out.append(example)
            else:
                train.setdefault(example.source, []).append(example)
    names = _names(labels, rng)
    composer = Composer(wordings, {}, rng, names)
    held_out += [composer.draw(hops) for hops in (2, 3) for _ in range(200)]
    return Corpus(train, held_out, texts, wordings, names)


def _names(labels: Mapping[str, str], rng: random.Random) -> list[str]:
    """Names to stand where a question names something beside its topic."""
    least, most = NAME_CHARS
    known = sorted({label for label in labels.values() if least <= len(label) <= most})
    return rng.sample(known, min(N_NAMES, len(known)))


def off_topic_questions() -> list[PathExample]:
    """Questions that no relation answers: the path is empty."""
    lines = (resources.files("kgask.corpus") / "off_topic.txt").read_text(encoding="utf-8").splitlines()
    return [PathExample(line, (), "off_topic") for line in lines if line]


class Mix:
    """Draws batches of questions and the relations they compete over.

    ``shares`` weighs the sources; a source that the corpus does not have is an
    error. ``others`` gives the share of the batches that are over another
    vocabulary than Wikidata's, by vocabulary: near-synonyms of two vocabularies
    must not compete. ``label_share`` of the relations are shown by their usual
    label, the others by any of their texts.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_negatives: int,
        similar: dict[str, list[str]],
        shares: Mapping[str, float],
        others: Mapping[str, float],
        label_share: float = 0.5,
    ) -> None:
        self._corpus, self._n_negatives, self.similar, self._others = corpus, n_negatives, similar, others
        self._label_share = label_share
        self._pools = _by_vocabulary(corpus)
        self._shares = {name: share for name, share in shares.items() if share > 0}
        read = [name for name in self._shares if name not in DRAWN]
        missing = [name for name in read if (WIKIDATA, name.removesuffix(AS_ASKED)) not in self._pools]
        known = {vocabulary for vocabulary, _ in self._pools}
        missing += [name for name, share in others.items() if share > 0 and name not in known]
        if missing:
            raise UsageError(f"the mix names {missing[0]!r}, but the data has no such questions")
        self._one_hop = _one_hop_texts(self._pools)
        self._cumulative = {pool: list(accumulate(_flattened(found))) for pool, found in self._pools.items()}
        self._negatives = _used_relations(self._pools)

    def batch(self, size: int, rng: random.Random) -> list[PathExample]:
        """Questions over one vocabulary."""
        draw = rng.random()
        for vocabulary, share in self._others.items():
            if draw < share:
                return self._batch_of(vocabulary, size, rng)
            draw -= share
        composer = Composer(self._corpus.wordings, self._one_hop, rng, self._corpus.names)
        sources = rng.choices(list(self._shares), weights=list(self._shares.values()), k=size)
        return [self._draw(source, composer, rng) for source in sources]

    def sources(self) -> set[str]:
        """Sources of the questions that batches can hold, those whose wordings go into made ones among them."""
        found: set[str] = set()
        if sum(self._others.values()) < 1:
            found.update(name.removesuffix(AS_ASKED) for name in self._shares if name not in DRAWN)
            if self._shares.keys() & set(COMPOSED):
                found.add("own")
            if self._shares.keys() & set(DRAWN):
                found.update(name for name in (*ONE_HOP, "own") if (WIKIDATA, name) in self._pools)
        others = {name for name, share in self._others.items() if share > 0}
        return found | {source for vocabulary, source in self._pools if vocabulary in others}

    def _batch_of(self, vocabulary: str, size: int, rng: random.Random) -> list[PathExample]:
        sources = [pool for pool in self._pools if pool[0] == vocabulary]
        weights = [len(self._pools[pool]) for pool in sources]
        return [self._choose(pool, rng) for pool in rng.choices(sources, weights=weights, k=size)]

    def _choose(self, pool: tuple[str, str], rng: random.Random) -> PathExample:
        return rng.choices(self._pools[pool], cum_weights=self._cumulative[pool])[0]

    def _draw(self, source: str, composer: Composer, rng: random.Random) -> PathExample:
        if source in ("composed2", "composed3"):
            # Now and then the same words without the last hop: where to stop is then all there is to learn.
            longer, shorter = composer.draw_pair(int(source[-1]))
            return shorter if rng.random() < SHORTER else longer
        if source == "constrained":
            return composer.decorated() if rng.random() < DECORATED else composer.constrained()
        if source == "operators":
            return composer.yes_no() if rng.random() < 0.5 else composer.counting()
        if source == WRONG_MASK:
            return self._wrongly_masked(rng)
        if source.endswith(AS_ASKED):
            return rng.choice(self._pools[WIKIDATA, source.removesuffix(AS_ASKED)])
        example = self._choose((WIKIDATA, source), rng)
        if rng.random() < UNMARKED and len(example.path or ()) == 1:
            named = example.text.replace(MASK, rng.choice(self._corpus.names).lower())
            return PathExample(named, example.path, example.source, answer_type=example.answer_type)
        return example

    def _wrongly_masked(self, rng: random.Random) -> PathExample:
        """A question about a made-up topic with something else than the topic masked."""
        pools = [pool for name in (*ONE_HOP, "own") if (pool := (WIKIDATA, name)) in self._pools]
        while True:
            text, name = self._choose(rng.choice(pools), rng).text, rng.choice(self._corpus.names).lower()
            wrong = wrong_mask(text.replace(MASK, name), name, rng) if MASK in text else None
            if wrong is not None:
                return PathExample(wrong, None, WRONG_MASK)

    def relations(self, batch: list[PathExample], rng: random.Random) -> RelationSet:
        """Gold relations, their look-alikes and random others; no text stands twice."""
        gold = {key for example in batch for key, _ in example.path or ()}
        others = self._negatives[batch[0].vocabulary]
        near = {other for key in sorted(gold) for other in self.similar.get(key, ())[:2] if rng.random() < 0.5}
        rest = rng.sample(others, min(self._n_negatives, len(others)))
        keys = sorted(gold) + [key for key in sorted(near) + rest if key not in gold]
        chosen: dict[str, str] = {}
        for key in dict.fromkeys(keys):
            options = [text for text in self._corpus.texts[key] if text not in chosen.values()]
            if options:
                chosen[key] = options[0] if rng.random() < self._label_share else rng.choice(options)
            elif key in gold:
                chosen[key] = self._corpus.texts[key][0]
        return RelationSet(tuple(chosen), tuple(chosen.values()))


def _by_vocabulary(corpus: Corpus) -> dict[tuple[str, str], list[PathExample]]:
    """Training questions by (vocabulary, source)."""
    pools: dict[tuple[str, str], list[PathExample]] = {}
    for source, examples in corpus.train.items():
        for example in examples:
            pools.setdefault((example.vocabulary, source), []).append(example)
    return pools


def _one_hop_texts(pools: dict[tuple[str, str], list[PathExample]]) -> dict[Step, list[str]]:
    texts: dict[Step, list[str]] = {}
    for source in ONE_HOP:
        for example in pools.get((WIKIDATA, source), ()):
            if MASK in example.text and example.path:
                texts.setdefault(example.path[0], []).append(example.text)
    return texts


def _used_relations(pools: dict[tuple[str, str], list[PathExample]]) -> dict[str, list[str]]:
    """The relations that questions are about, by vocabulary: what negatives are drawn from."""
    used: dict[str, set[str]] = {}
    for (vocabulary, _), examples in pools.items():
        used.setdefault(vocabulary, set()).update(key for e in examples for key, _ in e.path or ())
    return {vocabulary: sorted(keys) for vocabulary, keys in used.items()}


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
    return {key: [keys[j] for j in order[i] if cosines[i, j] > SIMILAR] for i, key in enumerate(keys)}
