"""The training loop of every model: step, checkpoint, exact resume, best on validation, learning rate, Ctrl-C.

A :class:`Trainer` says what a batch is, what its loss is, and how good the model is. All that a step draws (batch,
dropout, what is fed back) depends on (seed, step) alone, so a run that was stopped and goes on ends with the weights
of one that was not, to the bit.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn

from kgask.errors import ModelError, UsageError
from kgask.machine.files import whole_file, write_whole
from kgask.train.pace import Pace

CHECKPOINT, BEST, LOG, MARK = "checkpoint.pt", "best.pt", "log.jsonl", "kgask-run.txt"
FORMAT_VERSION = 1  # of a checkpoint
SAME_PRESS_S = 1.0  # a terminal and a wrapper may both pass on one Ctrl-C
Weights = dict[str, Tensor]
Batch = TypeVar("Batch")
Config = TypeVar("Config")


@dataclass(frozen=True, slots=True)
class Progress:
    """What the caller may show after a step."""

    step: int
    steps: int
    means: dict[str, float]  # of the last steps: "loss", and what the loss comes with
    figures: dict[str, float]  # of the last validation
    per_s: float  # examples
    left_s: float

    def __str__(self) -> str:
        shown = [f"{name} {value:.3f}" for name, value in self.means.items()]
        return ", ".join(
            [*shown, f"{self.per_s:.0f} examples/s", *(f"{name} {value:.3f}" for name, value in self.figures.items())]
        )


Report = Callable[[Progress], None]


@dataclass(slots=True)
class Best:
    """The best validation so far, by its first figure."""

    score: float = -1.0
    step: int = 0
    figures: dict[str, float] = field(default_factory=dict)  # of the latest validation

    def note(self, step: int, figures: dict[str, float], ties: bool) -> bool:
        """Take a validation in; True when it is the best (with ``ties``, also when it is as good)."""
        self.figures = figures
        score = next(iter(figures.values()))
        if score < self.score or (score == self.score and not ties):
            return False
        self.score, self.step = score, step
        return True

    def is_stale(self, step: int, pace: Pace) -> bool:
        """Validation has not risen for ``patience`` looks."""
        return bool(self.figures) and step - self.step >= pace.patience * pace.validate_every


class Trainer(ABC, Generic[Config, Batch]):
    """Owns model and optimiser; ``run`` goes on from the last checkpoint in ``work``.

    A model's trainer gives :meth:`draw` and :meth:`loss`, and what else of the hooks it needs.
    """

    ties: ClassVar[bool] = False  # of equally good validations the latest is kept
    picks_best: ClassVar[bool] = True  # the weights of the best validation are the run's; else the last ones
    writes: ClassVar[tuple[str, ...]] = (BEST, LOG)  # names that may not be somebody else's in a new run's folder
    elsewhere: ClassVar[str] = "use another --work"

    def __init__(
        self,
        model: nn.Module,
        groups: Sequence[dict[str, Any]],
        work: Path,
        config: Config,
        pace: Pace,
        device: str = "cpu",
        **adamw: Any,
    ) -> None:
        """``config``, a dataclass, decides the weights; ``groups`` and ``adamw`` are the optimiser's settings."""
        self.work, self.config, self.pace, self.device = work, config, pace, device
        self.optimizer = torch.optim.AdamW(list(groups), **adamw)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, pace.schedule)
        self.model = model
        self.step, self.seconds, self.best = 0, 0.0, Best()  # the seconds of all resumed runs

    # --- what a model's trainer says ------------------------------------------------------

    @abstractmethod
    def draw(self, rng: random.Random) -> Batch:
        """The batch of ``self.step``; ``rng`` is seeded with (seed, step)."""

    @abstractmethod
    def loss(self, batch: Batch, rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        """What is minimised, and figures to show beside it; goes on drawing from ``rng``."""

    def measure(self) -> dict[str, float]:
        """Validation: figures, the one that decides first; none where there is nothing to validate on."""
        return {}

    def counted(self) -> Weights:
        """The weights that count now: what is validated, kept and left in the model at the end."""
        return copied(self.model)

    def data_mark(self) -> str:
        """Of what the run learns from: a checkpoint of other data is not gone on from."""
        return ""

    def begin(self) -> None:
        """Called once in a run's life, before its first step."""

    def extra(self) -> dict[str, Any]:
        """What else a checkpoint holds."""
        return {}

    def take_extra(self, state: dict[str, Any]) -> None:
        """Take back what :meth:`extra` gave."""

    # --- one step -------------------------------------------------------------------------

    def train_step(self) -> dict[str, float]:
        """Draw, forward, backward; returns the figures of the step, "loss" first."""
        rng = random.Random(f"{self.pace.rng_seed}:{self.step}")
        torch.manual_seed(self.pace.rng_seed * 1_000_003 + self.step)  # dropout
        self.model.train()
        loss, shown = self.loss(self.draw(rng), rng)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.pace.clip)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return {"loss": float(loss.detach())} | shown

    # --- the run --------------------------------------------------------------------------

    def run(self, report: Report = lambda _: None, minutes: float | None = None) -> bool:
        """Train to the last step, or until validation is stale; False when the minutes are over first.

        A checkpoint every ``save_every`` steps and wherever the run stops. Ctrl-C ends it after the step, with a
        checkpoint; the same call goes on from there. The model holds the weights that count afterwards.
        """
        self.resume()
        pace, began, first, before = self.pace, time.monotonic(), self.step, self.seconds
        recent: deque[dict[str, float]] = deque(maxlen=pace.validate_every)
        saved = self.step
        with _ctrl_c_waits() as interrupted:
            while not self.is_done and (minutes is None or time.monotonic() - began < 60 * minutes):
                recent.append(self.train_step())
                means = _means(recent)
                passed = time.monotonic() - began
                self.seconds = before + passed
                per_s = pace.batch_size * (self.step - first) / max(passed, 1e-9)
                left_s = (pace.steps - self.step) * pace.batch_size / per_s
                if self._is_due(pace.validate_every):
                    self._validate(means, per_s)
                report(Progress(self.step, pace.steps, means, self.best.figures, per_s, left_s))
                if self._is_due(pace.save_every):
                    self.save()
                    saved = self.step
                if interrupted():
                    break
            if self.step > saved:
                self.save()
        if not self.is_done:
            return False
        found = torch.load(self.best_weights, self.device, weights_only=True) if self.best_weights.is_file() else None
        self.model.load_state_dict(self.counted() if found is None else found)
        return True

    @property
    def is_done(self) -> bool:
        return self.step >= self.pace.steps or self.best.is_stale(self.step, self.pace)

    def _is_due(self, every: int) -> bool:
        return self.step % every == 0 or self.step == self.pace.steps

    def _validate(self, means: dict[str, float], per_s: float) -> None:
        """Measure the weights that count; the best so far are kept beside the checkpoint."""
        now, counted = copied(self.model), self.counted()
        self.model.load_state_dict(counted)
        figures = self.measure()
        self.model.load_state_dict(now)
        if figures and self.best.note(self.step, figures, self.ties) and self.picks_best:
            save_whole(counted, self.best_weights)
        entry = {"step": self.step} | {name: round(value, 4) for name, value in (means | figures).items()}
        entry |= {"examples_per_s": round(per_s, 1), "seconds": round(self.seconds)}
        with open(self.work / LOG, "a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")

    @property
    def best_weights(self) -> Path:
        return self.work / BEST

    @property
    def checkpoint(self) -> Path:
        return self.work / CHECKPOINT

    def save(self) -> None:
        """Everything that the next steps depend on, in one rename: a kill leaves the checkpoint before."""
        state = {
            "format_version": FORMAT_VERSION,
            "config": asdict(self.config),  # type: ignore[call-overload]  # settings are dataclasses
            "data": self.data_mark(),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "best": asdict(self.best),
        }
        save_whole(state | self.extra(), self.checkpoint)

    def resume(self) -> None:
        """Load the checkpoint where there is one; refuses one of other settings or data, and a stranger's folder."""
        claim_work(self.work, self.writes)
        if not self.checkpoint.is_file():
            self.begin()
            return
        state = load_checkpoint(self.checkpoint, self.device)
        if state.get("format_version") != FORMAT_VERSION:
            raise ModelError(f"{self.checkpoint}: made by another version of kgask; {self.elsewhere} or remove it")
        changed = _changed(state, {"config": asdict(self.config), "data": self.data_mark()})  # type: ignore[call-overload]
        if changed:
            raise ModelError(
                f"{self.checkpoint}: made with other settings or data ({changed}); {self.elsewhere} or remove it"
            )
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step, self.seconds, self.best = state["step"], state["seconds"], Best(**state["best"])
        self.take_extra(state)


def _means(recent: Collection[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for step in recent for name in step)
    return {name: fmean(step[name] for step in recent if name in step) for name in names}


def _changed(state: dict[str, Any], wanted: dict[str, Any]) -> str:
    """What of a checkpoint is not as this run has it; empty when all is."""
    config = [name for name, value in wanted["config"].items() if state["config"].get(name) != value]
    return ", ".join([*config, *(["data"] if state["data"] != wanted["data"] else [])])


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[Callable[[], bool]]:
    """Ctrl-C takes effect when the block ends; one that comes later than the first takes effect at once.

    Yields what says whether it came. Where SIGINT is ignored or this is no main thread, nothing changes.
    """
    before, pressed = signal.getsignal(signal.SIGINT), []

    def wait(number: int, frame: Any) -> None:
        pressed.append(time.monotonic())
        if pressed[-1] - pressed[0] > SAME_PRESS_S:
            before(number, frame)

    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signal.signal(signal.SIGINT, wait)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        signal.raise_signal(signal.SIGINT)


# --- the folder of a run ----------------------------------------------------------------------


def save_whole(content: object, path: Path) -> None:
    """In one rename: a kill leaves the file before."""
    with whole_file(path) as file:
        torch.save(content, file)


def load_checkpoint(path: Path, device: str = "cpu") -> dict[str, Any]:
    """The saved state of a run; raises ModelError when there is none or it is broken."""
    try:
        state = torch.load(path, map_location=device, weights_only=True)
        return {**state, "model": state["model"]}
    except Exception as error:  # noqa: BLE001 - torch raises many kinds for a broken file
        raise ModelError(f"{path}: not a checkpoint ({type(error).__name__})") from None


def claim_work(folder: Path, writes: Sequence[str] = (BEST, LOG)) -> None:
    """Make the folder of a run, or go on in that of an earlier one.

    Raises UsageError for one that no run has marked and that holds a file of a name that this run ``writes``.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / MARK).is_file() or (folder / CHECKPOINT).is_file():
            return
        taken = next((name for name in writes if os.path.lexists(folder / name)), None)
        if taken is not None:
            raise UsageError(f"{folder}: holds {taken!r}, which no run of kgask wrote; choose another folder")
        write_whole(folder / MARK, "kgask keeps the checkpoints of a training run here.\n")
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}; choose another folder") from error


def remove_work(folder: Path) -> None:
    """Remove what a finished run kept, and the folder when nothing else is in it."""
    with contextlib.suppress(OSError):
        for name in (CHECKPOINT, BEST, LOG, MARK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


# --- weights ----------------------------------------------------------------------------------


def mixed_precision(device: str) -> torch.autocast:
    """bfloat16 where the hardware computes in it; a CPU without it is 7 to 35 times slower so than in float32."""
    cpu = torch.cpu.get_capabilities() if device == "cpu" else {}
    fast = device != "cpu" or any(cpu.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=fast)


def freeze_lower(encoder: torch.nn.Module, n_layers: int) -> None:
    """Keep the embeddings and the first ``n_layers`` layers of a BERT-like encoder as they are; 0 freezes nothing."""
    if not n_layers:
        return
    for part in (encoder.embeddings, *encoder.encoder.layer[:n_layers]):
        part.requires_grad_(False)


def copied(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The weights as they are now."""
    return {name: weight.detach().clone() for name, weight in model.state_dict().items()}
