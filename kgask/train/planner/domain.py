"""Training one model for one graph from its own questions.

With path supervision, from answers alone, from paths that a search finds, or
from a mix (see :mod:`kgask.train.planner.supervise`). Questions are split and drawn by
template, the text with its topic masked: a file of thousands of questions may
have a few hundred wordings, and a split by question would measure memory.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from kgask.corpus.questions import GraphQuestion, by_template, read_questions, split_templates
from kgask.corpus.search_paths import RelationPath, shortest_paths, vote_paths
from kgask.corpus.training_data import base_encoder, merged, of_folder
from kgask.errors import UsageError
from kgask.pack.content import content_hash
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import MASK
from kgask.train.encoder import TextBatcher, encoder_name, load_encoder
from kgask.train.planner.base import PlannerTrainer
from kgask.train.planner.diff_kg import Neighbourhood
from kgask.train.planner.losses import path_loss
from kgask.train.planner.model import MAX_HOPS, Rigel, RigelOutput
from kgask.train.planner.pack_decoder import has_decoder, keep_below
from kgask.train.planner.relation_vectors import RelationVectors
from kgask.train.planner.supervise import Frontiers, graph_targets, search_loss, weak_loss
from kgask.train.planner.validate import Validation, validate
from kgask.train.planner.weights import load_torch
from kgask.train.trainer import Report, Weights, mixed_precision

Supervision = Literal["path", "weak", "search", "mix"]
WEAK_SHARE = 0.3  # of the answers' loss beside that of the paths, in a mix
LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class InDomainConfig:
    """Everything that decides the weights, beside pack, questions and what is started from."""

    supervision: Supervision = "path"
    steps: int = 100
    batch_size: int = 64
    encoder_lr: float = 5e-5
    head_lr: float = 5e-4
    warmup: float = 0.06  # share of the steps
    clip: float = 1.0
    max_tokens: int = 32
    rng_seed: int = 1
    held_out: float = 0.2  # share of the templates that is never trained on; what figures are about
    dev: float = 0.06  # share of the other templates that early stopping looks at
    n_dev: int = 300  # questions of those
    masked: float = 0.5  # share of questions whose absent relations do not compete
    word_dropout: float = 0.1
    of_base: float = 0.3  # share of the weights it began with in those it ends with; only with ``init``
    query_steps: int = 100  # of the query decoder afterwards, where the planner writes queries
    closed: bool = False  # relations as free vectors of this one graph, instead of by their texts
    max_relations: int = 160  # relation texts encoded anew in a step
    max_triples: int = 50_000  # of a batch's neighbourhood; "weak" and "mix"
    n_searched: int = 5  # questions a template that paths are searched for; "search" and "mix"
    save_every: int = 50
    validate_every: int = 50
    patience: int = 4  # validations that are not the best, or as good, before a run ends early


@dataclass(frozen=True, slots=True)
class InDomainJob:
    """Where a run reads from and writes to."""

    pack: Path
    questions: tuple[Path, ...]
    work: Path  # checkpoints
    encoder: Path
    init: Path | None = None  # a planner folder to start from instead of the bare encoder
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class InDomainResult:
    """What a run came to; shares by the number of hops of the gold path, 0 where it is not known."""

    steps: int
    n_templates: int
    n_held_out: int  # templates
    held_out: dict[int, Validation] = field(default_factory=dict)


class InDomainTrainer(PlannerTrainer[InDomainConfig, list[GraphQuestion]]):
    """A run over a pack's questions; it goes on from the last checkpoint in ``job.work``."""

    ties = True  # Hits@1 of a few hundred questions is often the same

    def __init__(self, job: InDomainJob, config: InDomainConfig) -> None:
        self.job, self.pack = job, Pack.open(job.pack)
        torch.manual_seed(config.rng_seed)
        texts = TextBatcher.load(job.encoder, config.max_tokens, job.device)
        model = load_torch(job.init) if job.init else Rigel(load_encoder(job.encoder))
        self.relations = RelationVectors(self.pack, texts, config.max_relations)
        model.to(job.device)
        self.writes_queries = job.init is not None and has_decoder(job.init)
        if self.writes_queries:
            keep_below(model)
        if config.closed:
            model.closed = nn.Parameter(self.relations.all(model))
        super().__init__(model, texts, job.work, config, job.device, goes_on=job.init is not None)
        questions = self._read()
        self._asked = _hash(self.pack, questions)
        rest, self.held_out = self._split(questions)
        train, dev = split_templates(rest, config.dev, config.rng_seed + 1)
        self.templates = list(by_template(train).values())
        self.dev = random.Random(config.rng_seed).sample(dev, min(config.n_dev, len(dev)))
        self.paths: dict[GraphQuestion, dict[RelationPath, float]] = {}
        if config.supervision in ("search", "mix"):
            self._search()
        self.frontiers = Frontiers(self.pack)

    def _read_files(self) -> list[GraphQuestion]:
        """The questions of every file; which texts each has is kept for the card."""
        found = {path: read_questions(self.pack, path).questions for path in self.job.questions}
        self._texts_of = {path.name: {question.text for question in questions} for path, questions in found.items()}
        return [question for questions in found.values() for question in questions]

    def training_data(self) -> list[str]:
        """What the weights were trained on: that of the start, and the files whose questions are not held out."""
        seen = {template[0].text for template in self.templates} | {question.text for question in self.dev}
        files = [f"{name}, questions about the pack {self.pack.name}" for name in self._texts_of]
        used = [entry for entry, texts in zip(files, self._texts_of.values(), strict=True) if texts & seen]
        return merged(self.began_with(), used)

    def began_with(self) -> list[str]:
        return of_folder(self.job.init) if self.job.init else [base_encoder(encoder_name(self.job.encoder))]

    def _read(self) -> list[GraphQuestion]:
        questions = self._read_files()
        if not questions:
            raise UsageError("none of the questions has its topic and an answer in the pack")
        if self.config.supervision == "path" and not any(question.path for question in questions):
            raise UsageError("no question has a path; use --supervision search, weak or mix")
        return questions

    def _split(self, questions: list[GraphQuestion]) -> tuple[list[GraphQuestion], list[GraphQuestion]]:
        """What is trained on and what figures are about."""
        return split_templates(questions, self.config.held_out, self.config.rng_seed)

    def _search(self) -> None:
        """Find paths for some questions of each template that has none given, and let them vote."""
        rng = random.Random(f"search:{self.config.rng_seed}")
        chosen = []
        for template in self.templates:
            unknown = [q for q in template if q.path is None or self.config.supervision == "search"]
            chosen += rng.sample(unknown, min(self.config.n_searched, len(unknown)))
        found = [shortest_paths(self.pack, q.topic, q.answers, MAX_HOPS) for q in chosen]
        self.paths = dict(zip(chosen, vote_paths(self.pack, chosen, found), strict=True))

    # --- one step -------------------------------------------------------------------------

    def draw(self, rng: random.Random) -> list[GraphQuestion]:
        """One question each of as many templates; every template comes up once before any comes again."""
        size, n = self.config.batch_size, len(self.templates)
        wanted = range(self.step * size, (self.step + 1) * size)
        orders = {epoch: self._order(epoch) for epoch in {place // n for place in wanted}}
        searched = self.config.supervision == "search"
        batch = []
        for place in wanted:
            template = self.templates[orders[place // n][place % n]]
            batch.append(rng.choice([q for q in template if q in self.paths] if searched else template))
        return batch

    def _order(self, epoch: int) -> list[int]:
        order = list(range(len(self.templates)))
        random.Random(f"{self.config.rng_seed}:epoch:{epoch}").shuffle(order)
        return order

    def loss(self, batch: list[GraphQuestion], rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        with mixed_precision(self.device):
            return self._loss(batch, rng)

    def _loss(self, batch: list[GraphQuestion], rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        kind = self.config.supervision
        paths = [self._path(question, rng) for question in batch]
        targets = graph_targets(self.pack, batch, paths, self.frontiers, self.config.masked, rng).to(self.device)
        directed = self._directed({relation for path in paths for relation in path or ()}, rng)
        ids, mask = self.texts([drop_words(question.text, self.config.word_dropout, rng) for question in batch])
        output = self.model(ids, mask, directed, targets.first_mask, None if kind == "weak" else targets.followed)
        parts: list[Tensor] = []
        shown: dict[str, float] = {}
        if kind in ("path", "mix"):
            by_path, shown["hops right"] = path_loss(output, targets)
            parts.append(by_path)
        if kind in ("search", "mix"):
            parts.append(search_loss(output, [self.paths.get(question, {}) for question in batch]))
        if kind in ("weak", "mix"):
            parts.append((WEAK_SHARE if kind == "mix" else 1.0) * self._answers_loss(output, batch, rng))
        return sum(parts[1:], parts[0]), shown

    def _path(self, question: GraphQuestion, rng: random.Random) -> RelationPath | None:
        """The path that a question is taught, or fed back, with; None where only its answers teach."""
        if self.config.supervision == "weak":
            return None
        found = self.paths.get(question)
        if found:
            return rng.choices(list(found), list(found.values()))[0]
        return None if self.config.supervision == "search" else question.path

    def _answers_loss(self, output: RigelOutput, batch: list[GraphQuestion], rng: random.Random) -> Tensor:
        answers = set().union(*(question.answers for question in batch))
        near = Neighbourhood.around(
            self.pack,
            [question.topic for question in batch],
            MAX_HOPS,
            self.config.max_triples,
            answers,
            np.random.default_rng([self.config.rng_seed, self.step]),
        ).to(self.device)
        masked = torch.tensor([rng.random() < self.config.masked for _ in batch])
        return weak_loss(output, near, batch, masked)

    def _directed(self, needed: set[int], rng: random.Random) -> Tensor:
        if self.model.closed is not None:
            return self.model.closed_relations()
        return self.relations.some(self.model, {relation % self.pack.n_relations for relation in needed}, rng)

    # --- validation -----------------------------------------------------------------------

    def counted(self) -> Weights:
        return self.blended()

    def measure(self) -> dict[str, float]:
        """Hits@1 on the dev templates."""
        return {"Hits@1": self.validate(self.dev).hits_at_1} if self.dev else {}

    def directed_relations(self) -> Tensor:
        """Unit vectors [2R, D] of the pack's relations as the model is, without gradients."""
        if self.model.closed is not None:
            return self.model.closed_relations().detach()
        return self.relations.all(self.model)

    def closed_keys(self) -> tuple[str, ...] | None:
        return tuple(relation.key for relation in self.pack.relations()) if self.config.closed else None

    def validate(self, questions: Sequence[GraphQuestion]) -> Validation:
        return validate(self.planner(), self.pack, questions)

    def result(self) -> InDomainResult:
        """Figures on the held-out templates, topic given, by hops."""
        by_hops: dict[int, list[GraphQuestion]] = {}
        for question in self.held_out:
            by_hops.setdefault(len(question.path or ()), []).append(question)
        scores = {hops: self.validate(questions) for hops, questions in sorted(by_hops.items())}
        return InDomainResult(self.step, len(self.templates), len(by_template(self.held_out)), scores)

    def data_mark(self) -> str:
        return self._asked

    def extra(self) -> dict[str, Any]:
        return {"relations": self.relations.stale}

    def take_extra(self, state: dict[str, Any]) -> None:
        self.relations.stale = state["relations"]


def train_in_domain(job: InDomainJob, config: InDomainConfig, report: Report) -> tuple[InDomainTrainer, InDomainResult]:
    """Train one model for one pack; returns the trainer (for export) and the held-out figures."""
    trainer = InDomainTrainer(job, config)
    trainer.run(report)
    return trainer, trainer.result()


def _hash(pack: Pack, questions: Sequence[GraphQuestion]) -> str:
    """Of the pack and of all questions: a checkpoint of others is not gone on from."""
    found = hashlib.sha256(content_hash(pack.names, pack).encode())  # as it is, not as its manifest says
    for question in questions:
        found.update(f"{question.text}\t{question.topic}\t{sorted(question.answers)}\t{question.path}\n".encode())
    return found.hexdigest()


def drop_words(text: str, share: float, rng: random.Random) -> str:
    """The text without some of its words, so that no single word decides; the mask always stays."""
    words = text.split()
    kept = [word for word in words if MASK in word or rng.random() >= share]
    return " ".join(kept if len(kept) >= min(LEAST_WORDS, len(words)) else words)
