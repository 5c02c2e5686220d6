"""Specialising a shipped planner to one pack: ``kgask train adapt``.

Questions are made of the pack alone (``pack_questions.py``); a user's own
questions, few as they may be, count for a quarter of what is seen. Every few steps
the shipped recipe's own compositions are replayed over any relations, so that
what the planner knew is not forgotten. What comes out is compared with what
went in on questions in wordings that training did not use, and kept only where
it is better by more than chance (:mod:`kgask.train.planner.judge`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from kgask.corpus.examples import PathExample, own_questions
from kgask.corpus.mix import Corpus, Mix, off_topic_questions
from kgask.corpus.pack_questions import make_questions
from kgask.corpus.pack_wordings import TextVectors, in_voice, texts_to_encode
from kgask.corpus.questions import GraphQuestion, read_questions, split_templates
from kgask.corpus.search_paths import shortest_paths, vote_paths
from kgask.corpus.training_data import merged, sets_of
from kgask.corpus.wordings import load_wordings
from kgask.errors import UsageError
from kgask.pack.store import Pack
from kgask.train.planner.domain import InDomainConfig, InDomainJob, InDomainTrainer
from kgask.train.planner.judge import Paired, Verdict, general_questions, general_right, judge
from kgask.train.planner.losses import path_loss
from kgask.train.planner.model import MAX_HOPS
from kgask.train.planner.targets import path_targets
from kgask.train.trainer import Report, copied, freeze_lower

REPLAY_EVERY = 3  # one step in this many is the shipped recipe's
REPLAY_SHARES = {
    "own": 0.35, "composed2": 0.25, "composed3": 0.2, "constrained": 0.07, "operators": 0.03, "off_topic": 0.04,
    "wrong_mask": 0.06,
}  # fmt: skip
REPLAY_NEGATIVES = 30
N_NAMES = 2000  # labels of the pack that stand for topics in replayed questions
FEW = 100  # own questions below which none is held out: each may be the only one of its kind
OWN_HELD_OUT = 0.15  # share of the own templates held out where there are more
OWN_SHARE = 0.25  # of a batch, where there are own questions
TEXTS_A_BATCH = 64
LEAST_JUDGED = 50  # questions in held-out wordings, or a share of all is held out


@dataclass(frozen=True, slots=True)
class AdaptConfig(InDomainConfig):
    """Everything that decides the weights, beside base, pack and own questions."""

    steps: int = 100
    batch_size: int = 48
    encoder_lr: float = 4e-5
    head_lr: float = 3e-4
    held_out: float = 0.1  # share of the made templates that are never trained on, where voices cannot be held out
    n_made: int = 3000  # questions made of the pack
    n_judged: int = 600  # and others, in wordings that are held out: what the base is compared on
    frozen_layers: int = 2
    validate_every: int = 50
    save_every: int = 50


@dataclass(frozen=True, slots=True)
class AdaptResult:
    """Which weights ``model`` of the trainer has, and by what questions that was decided."""

    pack: Paired  # of the pack, held out
    general: Paired  # over the relations of all graphs
    verdict: Verdict


class AdaptTrainer(InDomainTrainer):
    """Goes on from a shipped planner with questions made of one pack, own questions, and replay."""

    def __init__(
        self,
        base: Path,
        pack: Path,
        own: Sequence[Path],
        work: Path,
        config: AdaptConfig,
        device: str,
        judges: Sequence[Path] = (),
    ) -> None:
        """``judges`` are files of questions that are never learnt: what the base is compared on."""
        self._base, self._judges = base, judges
        super().__init__(InDomainJob(pack, tuple(own), work, encoder=base, init=base, device=device), config)
        freeze_lower(self.model.encoder, config.frozen_layers)
        self._own_templates = [t for t in self.templates if t[0].asked]
        self._made_templates = [t for t in self.templates if not t[0].asked]
        self._replay = _replayed(self.pack, config.rng_seed)
        self.kept = True  # the adapted weights, not those of the start

    def _read(self) -> list[GraphQuestion]:
        """Made questions and own ones; the own ones know how they were asked."""
        own = with_paths(self.pack, self._read_files())
        vectors, seed = self._encoded(), self.config.rng_seed
        made = make_questions(self.pack, self.config.n_made, seed, vectors, held=False)
        texts = {question.text for question in made}
        judged = make_questions(self.pack, self.config.n_judged, seed + 1, vectors, held=True)
        self._judged = [question for question in judged if question.text not in texts]
        if not made and not own:
            raise UsageError("no question could be made of this pack; give some with --questions")
        return [*own, *made]

    def _split(self, questions: list[GraphQuestion]) -> tuple[list[GraphQuestion], list[GraphQuestion]]:
        """Questions given to judge by are what figures are about, else own ones where they are many."""
        if self._judges:
            judged = [one for path in self._judges for one in read_questions(self.pack, path).questions]
            if not judged:
                raise UsageError("none of the questions to judge by has its topic and an answer in the pack")
            texts = {question.text for question in judged}
            return [question for question in questions if question.text not in texts], judged
        own = [question for question in questions if question.asked]
        made = [question for question in questions if not question.asked]
        if len(own) >= FEW:
            train, held_out = split_templates(own, OWN_HELD_OUT, self.config.rng_seed)
            return [*train, *made], held_out
        if len(self._judged) >= LEAST_JUDGED:
            return questions, self._judged
        train, held_out = split_templates(made, self.config.held_out, self.config.rng_seed)
        return [*own, *train], held_out

    def training_data(self) -> list[str]:
        if not self.kept:
            return self.began_with()
        made = [f"questions made of the pack {self.pack.name}"] if self._made_templates else []
        return merged(super().training_data(), made, sets_of(self._replay.sources()))

    @torch.no_grad()
    def _encoded(self) -> TextVectors:
        """What tells which known relation one of the pack's may mean."""
        self.model.eval()
        found = texts_to_encode(self.pack, load_wordings())
        return TextVectors(*(self.model.text_vectors(self.texts, texts, TEXTS_A_BATCH).numpy() for texts in found))

    def judged(self, general: Sequence[PathExample]) -> tuple[tuple[bool, ...], ...]:
        """Which questions are right now: the held-out ones, ``general`` ones, and own ones where none is held out."""
        own = [] if any(question.asked for question in self.held_out) else self._own_templates
        asked = [question for template in own for question in template]
        found = self.validate(self.held_out).right, general_right(self.model, self.texts, general)
        return (*found, self.validate(asked).right)

    # --- one step -------------------------------------------------------------------------

    def draw(self, rng: random.Random) -> list[GraphQuestion]:
        """Own questions for a share of the batch, by template; made ones for the rest."""
        n_own = round(OWN_SHARE * self.config.batch_size) if self._own_templates else 0
        own = [rng.choice(rng.choice(self._own_templates)) for _ in range(n_own)]
        n_made = self.config.batch_size - n_own if self._made_templates else 0
        return own + [rng.choice(rng.choice(self._made_templates)) for _ in range(n_made)]

    def _loss(self, batch: list[GraphQuestion], rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        return self._replay_loss(rng) if self.step % REPLAY_EVERY == REPLAY_EVERY - 1 else super()._loss(batch, rng)

    def _replay_loss(self, rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        batch = self._replay.batch(self.config.batch_size, rng)
        relations = self._replay.relations(batch, rng)
        targets = path_targets(batch, relations.index(), {}, rng).to(self.device)
        directed = self.model.directed(self.model.encode(*self.texts(list(relations.texts)))[1])
        ids, mask = self.texts([example.text for example in batch])
        loss, right = path_loss(self.model(ids, mask, directed, targets.first_mask, targets.followed), targets)
        return loss, {"hops right": right}


def adapt(trainer: AdaptTrainer, report: Report) -> AdaptResult:
    """Train, compare with the base on the held-out questions, and leave the weights that are kept in the trainer."""
    base, questions = copied(trainer.model), general_questions(trainer.config.rng_seed)
    before = trainer.judged(questions)
    trainer.run(report)
    pack, general, own = (Paired(*pair) for pair in zip(before, trainer.judged(questions), strict=True))
    verdict = judge(pack, general, own if own.n else None)
    trainer.kept = verdict.kept
    if not verdict.kept:
        trainer.model.load_state_dict(base)
    return AdaptResult(pack, general, verdict)


def with_paths(pack: Pack, questions: list[GraphQuestion]) -> list[GraphQuestion]:
    """Own questions with the likeliest path where none is given; those that no path answers are left out."""
    unknown = [question for question in questions if question.path is None]
    found = [shortest_paths(pack, question.topic, question.answers, MAX_HOPS) for question in unknown]
    votes = dict(zip(unknown, vote_paths(pack, unknown, found), strict=True))
    known = []
    for question in questions:
        paths = votes.get(question)
        if question.path is not None:
            known.append(question)
        elif paths:
            known.append(replace(question, path=max(paths, key=paths.__getitem__)))
    return known


def _replayed(pack: Pack, rng_seed: int) -> Mix:
    """The shipped recipe's own compositions, with names of the pack."""
    wordings = in_voice(load_wordings(), held=False)
    rng = random.Random(f"replay:{rng_seed}")
    n_named = pack.n_entities - pack.n_literals
    names = pack.labels(sorted(rng.sample(range(n_named), min(N_NAMES, n_named))))
    train = {"own": list(own_questions(wordings)), "off_topic": off_topic_questions()}
    texts = {key: wording.texts for key, wording in wordings.items()}
    corpus = Corpus(train, [], texts, wordings, [name for name in names if name] or ["it"])
    return Mix(corpus, REPLAY_NEGATIVES, {}, REPLAY_SHARES, {})
