"""A finished run -> a reader folder: GGUF, and a card with what llama.cpp measures on it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.folder import MODEL, new_folder
from kgask.cards import write_card
from kgask.corpus.scene import Scene, SceneOptions, citable_of
from kgask.corpus.scenes import SceneMaker
from kgask.read.cross_encoder.reader import CrossEncoder
from kgask.read.cross_encoder.verdicts import Judged, Weights, judge_lines
from kgask.read.files.card import make_card
from kgask.read.load import load_reader
from kgask.train.reader.data import HELD_OUT_SEED, Makers, make_scenes
from kgask.train.reader.export_gguf import quantise, write_gguf
from kgask.train.reader.loop import EXPORTED, ReaderTrainer

WEIGHTS = "reader.gguf"
BIAS_SHIFTS = sorted((step / 10 for step in range(-40, 41)), key=abs)  # the least shift wins where several are best
FINISHED = "reader"  # folder of the finished reader in the folder of its run
# Name -> what layers and token embeddings are quantised to; "Q8_0" alone passes 20 MB.
VARIANTS = {"F16": ("F16", None), "Q8_0": ("Q8_0", None), "Q8_0-Q5_1": ("Q8_0", "Q5_1"), "Q4_K": ("Q4_K", "Q4_0")}
# What is measured: name -> options of the held-out scenes.
MEASURED = {
    "ten distractors": SceneOptions(wrong_plan=0.0, blind=0.0, shuffled=0.0, astray=0.0, renamed=0.0, distractors=10),
    "ten distractors, shuffled, no scores": SceneOptions(blind=1.0, astray=0.0, renamed=0.0, distractors=10),
    "plan order and scores": SceneOptions(wrong_plan=0.0, blind=0.0, shuffled=0.0, astray=0.0),
    "plan errs": SceneOptions(unanswerable=0.0, wrong_plan=1.0, blind=0.0, shuffled=0.0, astray=0.0),
    "shuffled, no scores": SceneOptions(blind=1.0, astray=0.0),
    "another entity's lines": SceneOptions(unanswerable=0.0, wrong_plan=0.0, blind=0.0, shuffled=0.0, astray=1.0),
}


def finish(
    trainer: ReaderTrainer,
    variant: str = "Q8_0-Q5_1",
    count: int = 1000,
    compare: bool = False,
    force: bool = False,
) -> Path:
    """Export, quantise, fit the verdict weights, measure and write the run's ``reader`` folder; returns it.

    ``compare`` measures every variant and keeps the figures in the card. A reader that is there is replaced only with
    ``force``; raises BuildError otherwise.
    """
    with new_folder(trainer.work / FINISHED, force, MODEL) as out:
        _finish_in(out, trainer, variant, count, compare)
    return trainer.work / FINISHED


def _finish_in(out: Path, trainer: ReaderTrainer, variant: str, count: int, compare: bool) -> None:
    exported = trainer.work / EXPORTED
    write_gguf(trainer.model, trainer.tokens, exported)
    about: dict[str, Any] = {
        "architecture": "bert",
        "quantisation": variant,
        "n_parameters": trainer.model.n_parameters(),
        "licence": "Apache-2.0",
        "training_data": trainer.training_data,
        "recipe": asdict(trainer.config),
        "steps": trainer.step,
        "examples": trainer.step * trainer.config.batch_size,
        "seconds": round(trainer.seconds),
    }
    if trainer.earlier_recipe is not None:
        about["earlier_recipe"] = trainer.earlier_recipe
    fitted = load_reader(exported)
    about |= {
        "verdict_weights": asdict(fit_weights(fitted, trainer.makers.held_out, count)),
        "verdict_weights_unmarked": asdict(fit_weights(fitted, trainer.makers.blind, count)),
    }
    if compare:
        about["quantisations"] = {
            name: measured_variant(exported, out, name, about, trainer.makers, count) for name in VARIANTS
        }
    about |= measured_variant(exported, out, variant, about, trainer.makers, count)
    _write_card(out, about)


def measured_variant(
    exported: Path, out: Path, variant: str, about: dict[str, Any], makers: Makers, count: int
) -> dict[str, Any]:
    """Write one variant to ``out`` and measure it: size, accuracy on held-out scenes, time."""
    kind, embeddings = VARIANTS[variant]
    if kind == "F16":
        shutil.copyfile(exported, out / WEIGHTS)
    else:
        quantise(exported, out / WEIGHTS, kind, embeddings)
    _write_card(out, about)
    reader = load_reader(out)
    times = {f"{n_lines} lines": read_times_ms(reader, makers, n_lines) for n_lines in (10, 30)}
    return {"bytes": (out / WEIGHTS).stat().st_size, "scores": measure(reader, makers, count), "read_ms": times}


def _write_card(out: Path, about: dict[str, Any]) -> None:
    write_card(out, make_card(out / WEIGHTS, about))


def fit_weights(reader: CrossEncoder, maker: SceneMaker, count: int) -> Weights:
    """Logistic regression of "is to be cited" on the log-odds of the line and of the whole, over held-out scenes of
    their own; then the bias with which most scenes are read right, each kind of answer counting alike: a regression
    over lines follows the scenes with many answers, and cites where none should be."""
    scenes = [scene for scene in make_scenes(maker, HELD_OUT_SEED + 3, 0, count) if citable_of(scene)]
    found = [
        reader.judged(reader.prompt_tokens(scene.question, scene.lines), scene.lines, citable_of(scene))
        for scene in scenes
    ]
    rows = [(odds, judged.scene, 1.0) for judged in found for odds in judged.lines.values()]
    targets = [line in scene.cite for scene, judged in zip(scenes, found, strict=True) for line in judged.lines]
    weights = Weights(
        *(round(float(value), 4) for value in logistic_regression(np.array(rows), np.array(targets, float)))
    )
    tried = [replace(weights, bias=round(weights.bias + shift, 4)) for shift in BIAS_SHIFTS]
    return max(tried, key=lambda one: _read_right(scenes, found, one))


def _read_right(scenes: Sequence[Scene], found: Sequence[Judged], weights: Weights) -> float:
    """Mean over the kinds of answer of the share of scenes that are read right."""
    right: dict[str, list[bool]] = {}
    for scene, judged in zip(scenes, found, strict=True):
        right.setdefault(scene.kind, []).append(judge_lines(judged, weights).reply().lines == scene.cite)
    return float(np.mean([np.mean(hits) for hits in right.values()]))


def logistic_regression(rows: np.ndarray, targets: np.ndarray, ridge: float = 1e-2, steps: int = 30) -> np.ndarray:
    """Newton's method. rows [n, k], targets [n] of 0 and 1; returns [k]."""
    found = np.zeros(rows.shape[1])
    for _ in range(steps):
        probs = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30, 30)))
        gradient = rows.T @ (probs - targets) + ridge * found
        curvature = (rows * (probs * (1 - probs))[:, None]).T @ rows + ridge * np.eye(rows.shape[1])
        found -= np.linalg.solve(curvature, gradient)
    return found


def measure(
    reader: CrossEncoder,
    makers: Makers,
    count: int,
    rng_seed: int = HELD_OUT_SEED + 1,
    sorts: Sequence[str] = tuple(MEASURED),
) -> dict[str, dict[str, float]]:
    """Reading accuracy on held-out scenes through llama.cpp, constrained as at answer time.

    A reply counts when it cites exactly the right lines (or refuses when none is right).
    """
    scores: dict[str, dict[str, float]] = {}
    for name in sorts:
        maker = SceneMaker(makers.held_out.bank, makers.held_out.names, MEASURED[name])
        scenes = make_scenes(maker, rng_seed, 0, count)
        replies = [read_scene(reader, scene) for scene in scenes]
        right: dict[str, list[bool]] = {"one": [], "several": [], "none": []}
        for scene, cited in zip(scenes, replies, strict=True):
            right[scene.kind].append(cited == scene.cite)
        scores[name] = {kind: _share(hits) for kind, hits in right.items() if hits} | {"scenes": count}
    return scores


def read_scene(reader: CrossEncoder, scene: Scene) -> tuple[int, ...]:
    """The lines that the reader cites for a scene; every line that ends in one of the plan's answers is
    open to it."""
    return reader.reply(reader.prompt_tokens(scene.question, scene.lines), scene.lines, citable_of(scene)).lines


def read_times_ms(reader: CrossEncoder, makers: Makers, n_lines: int, count: int = 30) -> float:
    """Median time of a warm read of about ``n_lines`` lines, tokenising included."""
    options = SceneOptions(blind=0.0, shuffled=0.0, hops=(0.2, 0.4, 0.4))
    maker = SceneMaker(makers.held_out.bank, makers.held_out.names, options)
    scenes = [scene for scene in make_scenes(maker, HELD_OUT_SEED + 2, 0, 40 * count) if len(scene.lines) >= n_lines]
    times = []
    for scene in scenes[:count]:
        shown = replace(scene, lines=scene.lines[:n_lines])
        began = time.perf_counter()
        read_scene(reader, shown)
        times.append(1000 * (time.perf_counter() - began))
    return round(float(np.median(times)), 1)


def _share(hits: Sequence[bool]) -> float:
    return round(float(np.mean(hits)), 3)
