"""Questions with their AMR and the relation that answers them: what ``kgask train amr`` learns from."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgask.errors import BuildError, UsageError
from kgask.methods.amr_inputs import AmrInputs, amr_inputs
from kgask.methods.amr_source import AmrFile
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.labels import clean_label
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.retrieve.follow import relations_of
from kgask.sets.rows import lines_of
from kgask.types import DirectedRelationId, EntityId, Question, directed
from kgask.verbalise import relation_words

INVERSE = "-"
_TOPIC = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question about one entity of a pack, and the relation to follow from it."""

    text: str
    wording: str  # normalised, without the topic
    mention: str
    topic: EntityId
    relation: DirectedRelationId


@dataclass(frozen=True, slots=True)
class GoldSet:
    questions: tuple[GoldQuestion, ...]
    n_unknown: int  # no entity of the pack that is called so has the relation


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A question as the model sees it: P pairs, those around the topic first."""

    inputs: AmrInputs
    gold: np.ndarray  # float32 [P]: 1 for the relation of the question, and others of its very words
    n_around: int  # pairs whose relation the topic has; the rest are drawn from the whole pack


def read_gold(path: Path, pack: Pack) -> GoldSet:
    """Lines of ``text with [topic]<TAB>relation``: a key or label, ``-`` before it from object to subject.

    The inverse label of a relation will do too. Raises UsageError with file and line, BuildError when no question
    is left.
    """
    names = _relation_names(pack)
    questions, n_unknown = [], 0
    for number, line in lines_of(path):
        if not line.strip():
            continue
        text, tab, named = line.partition("\t")
        topics = list(_TOPIC.finditer(text))
        if not tab or len(topics) != 1:
            raise UsageError(f"{path}:{number}: expected 'text with [topic]<TAB>relation'")
        relation = _relation(named.strip(), names, pack.n_relations)
        if relation is None:
            raise UsageError(f"{path}:{number}: no relation {named.strip()!r} here; see: kgask pack info --relations")
        topic = _topic(topics[0][1], relation, pack)
        if topic is None:
            n_unknown += 1
            continue
        around = (text[: topics[0].start()], text[topics[0].end() :])
        mention = topics[0][1]
        questions.append(GoldQuestion(mention.join(around), normalise("_".join(around)), mention, topic, relation))
    if not questions:
        raise BuildError(f"{path}: no question whose topic has its relation in {pack.name}")
    return GoldSet(tuple(questions), n_unknown)


def _relation_names(pack: Pack) -> dict[str, DirectedRelationId]:
    """Every way to name a directed relation; keys go before labels, labels before inverse ones."""
    words = relation_words(pack)
    names = {normalise(inverse): relation + pack.n_relations for relation, (_, inverse) in enumerate(words)}
    names |= {normalise(forward): relation for relation, (forward, _) in enumerate(words)}
    return names | {relation.key: place for place, relation in enumerate(pack.relations())}


def _relation(named: str, names: dict[str, DirectedRelationId], n_relations: int) -> DirectedRelationId | None:
    bare = named.removeprefix(INVERSE)
    found = names.get(bare, names.get(normalise(bare)))
    if found is None or bare == named:
        return found
    return directed(found % n_relations, found < n_relations, n_relations)


def _topic(name: str, relation: DirectedRelationId, pack: Pack) -> EntityId | None:
    """The best connected entity that is called so and has the relation."""
    hits = {hit.entity for hit in pack.exact([normalise(name)]).get(normalise(name), ())}
    having = sorted(entity for entity in hits if relations_of(pack, np.array([entity]))[relation])
    return max(having, key=lambda entity: int(pack.degree([entity])[0]), default=None)


def split_by_wording(
    questions: Sequence[GoldQuestion], held_out: float, rng_seed: int
) -> tuple[list[GoldQuestion], list[GoldQuestion]]:
    """(to learn from, held out): no wording is on both sides. Raises BuildError when one of them would be empty."""
    by_wording: dict[str, list[GoldQuestion]] = defaultdict(list)
    for question in questions:
        by_wording[question.wording].append(question)
    wordings = sorted(by_wording)
    random.Random(f"{rng_seed}:wordings").shuffle(wordings)
    n_held = max(1, round(held_out * len(wordings)))
    if n_held >= len(wordings):
        raise BuildError(f"{len(wordings)} wordings are too few to learn from some and test on others")
    parts = wordings[n_held:], wordings[:n_held]
    learnt, held = ([question for wording in part for question in by_wording[wording]] for part in parts)
    return learnt, held


class ExampleMaker:
    """Embeds questions of one pack; the AMR file must have each of them."""

    def __init__(
        self, pack: Pack, encoder: TextEncoder, source: AmrFile, words: Sequence[str], vectors: np.ndarray
    ) -> None:
        self._pack, self._encoder, self._source = pack, encoder, source
        self._words, self._vectors = words, vectors

    def make(
        self,
        questions: Sequence[GoldQuestion],
        n_others: int,
        rng_seed: int,
        report: Callable[[int], None] = lambda done: None,
    ) -> list[Example]:
        """``n_others`` relations of the whole pack are drawn beside those around the topic."""
        examples = []
        for question in questions:
            examples.append(self._one(question, n_others, random.Random(f"{rng_seed}:{question.text}")))
            report(len(examples))
        return examples

    def _one(self, question: GoldQuestion, n_others: int, rng: random.Random) -> Example:
        graph = self._source.graph(Question(question.text))
        present = relations_of(self._pack, np.array([question.topic]))
        around, absent = np.flatnonzero(present), np.flatnonzero(~present).tolist()
        others = np.array(sorted(rng.sample(absent, min(n_others, len(absent)))), np.int64)
        relations = np.concatenate([around, others])
        entity = clean_label(self._pack.labels([question.topic])[0])
        words = [self._words[relation] for relation in relations.tolist()]
        inputs = amr_inputs(
            self._encoder, question.text, entity, words, self._vectors[relations], graph.about(entity, question.mention)
        )
        asked = self._words[question.relation]
        return Example(inputs, np.array([text == asked for text in words], np.float32), len(around))
