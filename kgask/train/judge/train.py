"""Training of the judge on questions with right and wrong queries (:mod:`kgask.corpus.judged`), and its ONNX file."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor
from torch.nn import functional

from kgask.build.folder import MODEL, new_folder
from kgask.cards import write_card
from kgask.corpus import training_data
from kgask.corpus.judged import EVIDENCE, JudgedMix, JudgedQuestion
from kgask.errors import ModelError
from kgask.methods.query_judge import FORMAT, GRAPH, INPUTS, OF_ALL, OF_CLAIM, OF_QUERY, OUTPUT, TOKENIZER
from kgask.train.judge.batches import Batch, Batches, PoolMaker, make_batch
from kgask.train.judge.model import JudgeModel, deepened
from kgask.train.onnx.export import checked, run_graph, write_graph, write_tokenizer
from kgask.train.onnx.quantise import quantise
from kgask.train.pace import Pace, cosine
from kgask.train.planner.weights import METADATA_KEY, locate_parameters
from kgask.train.reader.model import ReaderConfig
from kgask.train.reader.start import Start
from kgask.train.trainer import LOG, Trainer, mixed_precision

FINISHED = "judge"  # folder of the finished judge in the folder of its run
LEAST_AGREEING = 0.95  # share of held-out queries that int8 and torch find alike, right or wrong
PROBES = 64  # questions that are compared


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the weights, given the questions and the encoder to start from."""

    n_layer: int = 4  # layers kept of the encoder
    rng_seed: int = 1
    batch_size: int = 32
    steps: int = 2700
    learning_rate: float = 2.5e-4
    head_rate: float = 5.0  # times it for the head, which starts from nothing
    any_weight: float = 0.3  # of the loss on "does any query ask this"
    rank_weight: float = 0.0  # of the loss on "which of these queries asks this", where one does
    claim_weight: float = 1.0  # of the loss on verdicts, beside the share of claims in the batch
    warmup_steps: int = 60
    dropout: float = 0.0
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    check_every: int = 300  # steps between checkpoints and held-out measurements
    check_questions: int = 500


class JudgeTrainer(Trainer[Recipe, Batch]):
    """A run in a folder that is its whole work: checkpoint, log, and later the finished judge."""

    model: JudgeModel
    picks_best = False
    writes = (LOG, TOKENIZER)
    elsewhere = "choose another --output"

    def __init__(
        self,
        recipe: Recipe,
        train: JudgedMix,
        held_out: Sequence[JudgedQuestion],
        folder: Path,
        start: Start,
        device: str = "cpu",
        workers: int = 0,
    ) -> None:
        """``start``: see :func:`kgask.train.reader.start.find_start`; of a reader the heads are left behind.

        With ``workers``, so many processes make batches, for a device that waits for them.
        """
        torch.manual_seed(recipe.rng_seed)
        self.tokenizer = start.tokenizer
        self.batches = Batches(PoolMaker(train, start.tokenizer, recipe.batch_size, recipe.rng_seed), workers)
        model = _model(start, recipe.n_layer, recipe.dropout).to(device)
        rng = random.Random(7)
        self._held_out = [one.shown(rng) for one in held_out[: recipe.check_questions]]
        shown = [*(training_data.JUDGED[name] for name in train.sources), training_data.CONDITIONS]
        self.training_data = training_data.merged(start.training_data, shown)
        pace = Pace(
            recipe.steps, recipe.batch_size, recipe.rng_seed, cosine(recipe.steps, recipe.warmup_steps),
            recipe.clip_norm, recipe.check_every, recipe.check_every,
        )  # fmt: skip
        rates = [
            {
                "params": list(model.encoder.parameters()),
                "weight_decay": recipe.weight_decay,
                "lr": recipe.learning_rate,
            },
            {
                "params": list(model.head.parameters()),
                "weight_decay": 0.0,
                "lr": recipe.head_rate * recipe.learning_rate,
            },
        ]
        super().__init__(model, rates, folder, recipe, pace, device, betas=(0.9, 0.98), fused=True)
        self.earlier_recipe = start.recipe
        self.judges_claims = EVIDENCE in train.sources
        self.averaged: dict[str, float] | None = None

    def average(self, other: Start, share: float) -> None:
        """Take so much of another run's weights into these, before they are exported; checkpoints stay as they are."""
        own, others = self.model.state_dict(), _model(other, self.config.n_layer).state_dict()
        self.model.load_state_dict({name: torch.lerp(own[name], others[name], share) for name in own})
        self.averaged = {"share_of_another_run": share, **self.measure()}

    def begin(self) -> None:
        write_tokenizer(self.tokenizer.parent, self.work / TOKENIZER)  # so that another run can start from this one

    def extra(self) -> dict[str, Any]:
        return {"training_data": self.training_data, "earlier_recipe": self.earlier_recipe}

    def take_extra(self, state: dict[str, Any]) -> None:
        self.earlier_recipe = state["earlier_recipe"]

    def draw(self, rng: random.Random) -> Batch:
        return self.batches.of(self.step)

    def loss(self, batch: Batch, rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        with mixed_precision(self.device):
            queries, first = judged(self.model, batch)
        cross_entropy, here = functional.binary_cross_entropy_with_logits, partial(_tensor, device=self.device)
        counted, verdicts = here(batch.counted), here(batch.verdicts)
        asks, claims = verdicts < 0, verdicts >= 0
        total, said = first.sum() * 0.0, dict[str, float]()
        if batch.counted.any():
            of_queries = cross_entropy(queries[counted], here(batch.right)[counted])
            of_all = cross_entropy(first[asks, OF_ALL], here(batch.answered)[asks])
            total, said["query loss"] = total + of_queries + self.config.any_weight * of_all, float(of_queries.detach())
            if self.config.rank_weight:
                rows, right = here(batch.rows)[counted], here(batch.right)[counted]
                total = total + self.config.rank_weight * ranking_loss(queries[counted], right, rows, len(asks))
        if (batch.verdicts >= 0).any():
            of_claims = functional.cross_entropy(first[claims, OF_CLAIM], verdicts[claims])
            share = float(claims.float().mean())
            total = total + self.config.claim_weight * share * of_claims
            said["claim loss"] = float(of_claims.detach())
        return total, said

    @torch.inference_mode()
    def measure(self) -> dict[str, float]:
        """Of the held-out questions how well the odds tell right queries from wrong ones (area under the curve), of
        claims the share of right verdicts."""
        if not self._held_out:
            return {}
        self.model.eval()
        odds, right, hits = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
        for start in range(0, len(self._held_out), self.config.batch_size):
            batch = make_batch(self._held_out[start : start + self.config.batch_size], self.batches.tokens)
            queries, first = (found.cpu() for found in judged(self.model, batch))
            odds.append(queries.numpy()[batch.counted])
            right.append(batch.right[batch.counted])
            of_claims = batch.verdicts >= 0
            hits.append(first.numpy()[of_claims, OF_CLAIM].argmax(axis=1) == batch.verdicts[of_claims])
        figures = {"held out": area_under_curve(np.concatenate(odds), np.concatenate(right) > 0)}
        verdicts = np.concatenate(hits)
        return figures | ({"held-out verdicts": float(verdicts.mean())} if len(verdicts) else {})


def _model(start: Start, n_layer: int, dropout: float = 0.0) -> JudgeModel:
    """With the weights of an earlier run of a judge, deepened to ``n_layer``, or the encoder of a reader's."""
    is_judge = start.earlier is not None and "head.weight" in start.earlier
    fresh = replace(start, earlier=None) if is_judge else start
    model = JudgeModel(fresh.model(ReaderConfig(n_layer)).encoder, dropout)
    if is_judge:
        try:
            model.load_state_dict(deepened(_with_claims(start.earlier, model), n_layer))
        except RuntimeError:
            raise ModelError("the earlier judge's weights have another size than the ones to train") from None
    return model


def _with_claims(state: dict[str, Tensor], model: JudgeModel) -> dict[str, Tensor]:
    """The weights of a judge; of one that judged no claims with what that begins from."""
    begun = model.state_dict()
    for name in ("head.weight", "head.bias"):
        n = len(state[name])
        state = state | {name: torch.cat([state[name], begun[name][n:]])}
    return state


def judged(model: JudgeModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Log-odds of every query [Q], and what is said at the first token of each question [B, 5], float32."""
    here = partial(_tensor, device=str(model.head.weight.device))
    verdicts = model(here(batch.ids), here(batch.mask)).float()
    return verdicts[here(batch.rows), here(batch.columns), OF_QUERY], verdicts[:, 0]


def ranking_loss(odds: Tensor, right: Tensor, rows: Tensor, n: int) -> Tensor:
    """Cross-entropy of the right queries among all of their question, mean over the questions that have both.

    ``odds`` float32 [Q], ``right`` [Q] 1 of a right one, ``rows`` [Q] the question of each, of ``n`` (ListNet, Cao et
    al. 2007, with one list a question).
    """
    weights = (odds - odds.detach().max()).exp()
    every = weights.new_zeros(n).index_add(0, rows, weights)
    good = weights.new_zeros(n).index_add(0, rows, weights * right)
    n_right = weights.new_zeros(n).index_add(0, rows, right)
    n_every = weights.new_zeros(n).index_add(0, rows, torch.ones_like(right))
    told = (n_right > 0) & (n_right < n_every)
    losses = (every.clamp_min(1e-30) / good.clamp_min(1e-30)).log()
    return (losses * told).sum() / told.sum().clamp_min(1)


def _tensor(array: np.ndarray, device: str) -> Tensor:
    return torch.from_numpy(array).to(device, non_blocking=True)


def area_under_curve(odds: np.ndarray, right: np.ndarray) -> float:
    """How often a right one has higher odds than a wrong one; ties by order. NaN where there is one kind alone."""
    ranks = np.empty(len(odds))
    ranks[np.argsort(odds, kind="stable")] = np.arange(1, len(odds) + 1)
    n = int(right.sum())
    if n in (0, len(right)):
        return float("nan")
    return float((ranks[right].sum() - n * (n + 1) / 2) / (n * (len(right) - n)))


def finish(trainer: JudgeTrainer, probes: Sequence[JudgedQuestion], force: bool = False) -> Path:
    """Export to int8 ONNX, compare with torch and write the run's ``judge`` folder; returns it.

    Raises ModelError where int8 finds another verdict on too many of the queries of ``probes``, and BuildError for a
    judge that is there, without ``force``.
    """
    batch = make_batch(probes[:PROBES], trainer.batches.tokens)
    with new_folder(trainer.work / FINISHED, force, MODEL) as out, tempfile.TemporaryDirectory() as folder:
        full, small = Path(folder) / "fp32.onnx", Path(folder) / GRAPH
        model = trainer.model.cpu().eval()
        inputs = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
        with torch.no_grad():
            expected = model(*inputs).numpy()
            n_heads = model.encoder.config.num_attention_heads
            shapes = [{0: "batch", 1: "length"}] * 2
            write_graph(model, inputs, full, (INPUTS, [OUTPUT]), shapes, n_heads, partial(_places, model))
        quantise(full, small)
        feeds = dict(zip(INPUTS, (batch.ids, batch.mask), strict=True))
        (whole,), (rounded,) = (run_graph(path, [feeds], [OUTPUT]) for path in (full, small))
        shown = batch.mask.astype(bool)
        difference = checked([whole[shown]], [expected[shown]])
        places = batch.rows, batch.columns
        alike = float(((rounded[places][:, 0] > 0) == (expected[places][:, 0] > 0)).mean())
        if not alike >= LEAST_AGREEING:  # NaN too
            raise ModelError(f"int8 finds another verdict on {1 - alike:.1%} of the queries")
        shutil.copyfile(small, out / GRAPH)
        write_tokenizer(trainer.tokenizer.parent, out / TOKENIZER)
        write_card(out, FORMAT.card(out, (GRAPH, TOKENIZER), **_about(trainer, difference, alike)))
    return trainer.work / FINISHED


def _places(model: JudgeModel, graph: onnx.ModelProto) -> dict[str, Any]:
    """Where the weights lie, so that training can go on from the finished judge."""
    return {METADATA_KEY: locate_parameters(model, graph)}


def _about(trainer: JudgeTrainer, difference: float, alike: float) -> dict[str, Any]:
    return {
        "name": FINISHED,
        "licence": "Apache-2.0",
        "max_tokens": trainer.model.max_tokens,
        "claims_by_evidence": trainer.judges_claims,
        "tells_kinds": True,
        "training_data": trainer.training_data,
        "recipe": asdict(trainer.config),
        "earlier_recipe": trainer.earlier_recipe,
        "steps": trainer.step,
        "examples": trainer.step * trainer.config.batch_size,
        "seconds": round(trainer.seconds),
        "scores": trainer.best.figures,
        **({"averaged": trainer.averaged} if trainer.averaged else {}),
        "parity": {"fp32": difference, "int8_verdicts_alike": round(alike, 4)},
    }
