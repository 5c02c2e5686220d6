"""A planner of one pack goes on writing queries: its decoder is taught anew over the relation vectors that it has now.

Training on a pack's paths changes the last layer of the encoder, and with it what relations are compared with; the
layers below, which the query decoder reads, are kept as they are (:func:`keep_below`). So the decoder has to learn only
the relations anew: from questions with operators composed over the pack, and as many over the relations of all graphs.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from kgask.corpus.examples import own_questions
from kgask.corpus.measures import load_measures
from kgask.corpus.mix import Corpus, Mix, off_topic_questions, similar_relations
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.pack_queries import PACK, PackQueries
from kgask.corpus.pack_wordings import word_pack
from kgask.corpus.path_queries import path_example
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.query_mix import Competing, Draw, QueryMix
from kgask.corpus.query_sources import templates
from kgask.corpus.wordings import load_wordings
from kgask.plan.card import RigelCard
from kgask.plan.providers import QUERY_GRAPH
from kgask.train.encoder import TextBatcher
from kgask.train.planner.model import Rigel
from kgask.train.planner.query_model import QueryRigel
from kgask.train.planner.query_train import QueryConfig, QueryTrainer
from kgask.train.planner.weights import load_query
from kgask.train.trainer import Report, copied, freeze_lower

if TYPE_CHECKING:
    from kgask.train.planner.domain import InDomainTrainer

FOLDER = "queries"  # of checkpoints, inside a run's own
PACK_SHARE = 0.5  # of a batch; the rest is over the relations of all graphs
MOST_COMPETING = 200  # relations of the pack that compete with those of a batch
N_HELD_OUT = 150  # questions in held-out wordings, of the pack and of all graphs each
GENERAL = {"operators": 0.7, "paths": 0.3}
PATHS = {"own": 0.5, "composed2": 0.3, "composed3": 0.1, "off_topic": 0.1}
SETTINGS = QueryConfig(
    steps=100, batch_size=32, layer_lr=3e-5, head_lr=2e-4, warmup=0.1, save_every=50, validate_every=50,
    n_negatives=40, shares=GENERAL,
)  # fmt: skip


def has_decoder(folder: Path) -> bool:
    """Whether a planner folder has a query decoder."""
    return QUERY_GRAPH in RigelCard.load(folder).content["files"]


def keep_below(model: Rigel) -> None:
    """Keep all of the encoder but its last layer as it is: the query decoder reads what is below."""
    freeze_lower(model.encoder, model.encoder.config.num_hidden_layers - 1)


class PackMix:
    """Questions over one pack beside those of all graphs; relation keys of the pack stand for their texts."""

    def __init__(self, general: QueryMix, draw: Draw | None, keys: Sequence[str], held_out: list[QueryExample]) -> None:
        self.held_out = held_out
        self._general, self._draw, self._keys = general, draw, keys

    def batch(self, size: int, rng: random.Random) -> list[QueryExample]:
        n_pack = round(PACK_SHARE * size) if self._draw else 0
        found = [self._general.perhaps_without(self._draw(rng), rng) for _ in range(n_pack) if self._draw]
        return found + self._general.batch(size - n_pack, rng)

    def competing(self, batch: Sequence[QueryExample], rng: random.Random) -> Competing:
        """Each question's vocabulary has its own relations; a pack's are called by :func:`pack_text`."""
        general = [example for example in batch if example.vocabulary != PACK]
        of_pack = [example for example in batch if example.vocabulary == PACK]
        found = self._general.competing(general, rng) if general else Competing((), ())
        asked = sorted({key for example in of_pack for key in (*example.keys, *example.taken)})
        chosen = list(dict.fromkeys([*asked, *rng.sample(self._keys, min(MOST_COMPETING, len(self._keys)))]))
        places = {key: len(found.texts) + at for at, key in enumerate(chosen if of_pack else ())}
        rows = iter(found.rows)
        own = (
            {key: row for key, row in places.items() if key not in example.taken}
            if example.vocabulary == PACK
            else next(rows)
            for example in batch
        )
        return Competing((*found.texts, *map(pack_text, places)), tuple(own))


def pack_text(key: str) -> str:
    """What stands for a relation of the pack among the texts; no text of a relation has such a character."""
    return f"\0{key}"


@dataclass(frozen=True, slots=True)
class Taught:
    """A query decoder over the planner as it is now; shares of held-out questions with every step right."""

    model: QueryRigel
    before: float  # with the decoder that the run began with
    after: float


class PackDecoderTrainer(QueryTrainer):
    """Teaches the decoder of ``start`` over a trained planner; it goes on from the last checkpoint in ``work``."""

    def __init__(self, trainer: InDomainTrainer, start: Path, work: Path, config: QueryConfig) -> None:
        found = load_query(start)
        assert found is not None, start
        found.planner = copy.deepcopy(trainer.model).requires_grad_(False)
        texts = TextBatcher.load(start, RigelCard.load(start).max_tokens, trainer.device)
        model = found.to(trainer.device)
        relations = trainer.pack.relations()
        directed = trainer.directed_relations()
        super().__init__(model, texts, _mix(trainer, model, texts, config), work, config, trainer.device)
        self.vectors.give({pack_text(one.key): at for at, one in enumerate(relations)}, directed)
        self._mark = trainer.data_mark()

    def data_mark(self) -> str:
        return self._mark


def teach_decoder(trainer: InDomainTrainer, start: Path, report: Report) -> Taught:
    """Train the query decoder of ``start`` over what the trainer's planner is now; the better weights are left."""
    run = PackDecoderTrainer(trainer, start, trainer.work / FOLDER, replace(SETTINGS, steps=trainer.config.query_steps))
    began = copied(run.model)
    before = run.measure().get("exact", 0.0)
    run.run(report)
    after = run.measure().get("exact", 0.0)
    if after < before:
        run.model.load_state_dict(began)
    return Taught(run.model, before, max(before, after))


def _mix(trainer: InDomainTrainer, model: QueryRigel, texts: TextBatcher, config: QueryConfig) -> PackMix:
    rng = random.Random(f"pack queries:{config.rng_seed}")
    pack, wordings = trainer.pack, load_wordings()
    worded = word_pack(pack, wordings, rng)
    own = PackQueries(pack, worded, rng)
    general = _general(model, texts, config, rng)
    held_out = general.held_out
    if own.templates:
        unseen = PackQueries(pack, worded, rng, held=True)
        held_out = held_out + [unseen.draw(rng) for _ in range(N_HELD_OUT if unseen.templates else 0)]
    keys = [relation.key for relation in pack.relations()]
    return PackMix(general, own.draw if own.templates else None, keys, held_out)


def _general(model: QueryRigel, texts: TextBatcher, config: QueryConfig, rng: random.Random) -> QueryMix:
    """Composed questions over the relations of all graphs, by the texts that kgask has itself."""
    wordings = load_wordings()
    known = {key: list(wording.texts) for key, wording in wordings.items()}
    for entry in load_measures():
        known[entry.key] = list(dict.fromkeys([*known.get(entry.key, ()), *entry.forms["texts"]]))
    names = ["it"]
    composers = {held: OperatorComposer(wordings, {}, rng, names, templates(held=held)) for held in (False, True)}

    def operators(rng: random.Random, held: bool = False) -> QueryExample:
        composers[held].use(rng)
        while True:
            found = composers[held].draw()
            if all(key in known for key in found.keys):
                return found

    corpus = Corpus(
        {"own": list(own_questions(wordings)), "off_topic": off_topic_questions()}, [], known, wordings, names
    )
    mix = Mix(corpus, 0, {}, PATHS, {})

    def paths(rng: random.Random) -> QueryExample:
        while True:
            found = path_example(mix.batch(1, rng)[0])
            if found is not None:
                return found

    keys = sorted(known)
    with torch.no_grad():
        vectors = model.planner.text_vectors(texts, [known[key][0] for key in keys]).cpu().numpy()
    similar = similar_relations(dict(zip(keys, vectors, strict=True)))
    held_out = [operators(rng, held=True) for _ in range(N_HELD_OUT)]
    draws: Mapping[str, Draw] = {"operators": operators, "paths": paths}
    return QueryMix(draws, config.shares, known, similar, held_out, keys, config.n_negatives, config.label_share)
