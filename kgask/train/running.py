"""What every training run shares: progress, the best validation, the learning rate, whole files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from kgask.errors import UsageError
from kgask.machine.files import whole_file, write_whole

CHECKPOINT, BEST, MARK = "checkpoint.pt", "best.pt", "kgask-run.txt"


class Schedule(Protocol):
    """The part of a run's settings that says when to look and how fast to learn."""

    steps: int
    warmup: float  # share of the steps
    validate_every: int
    patience: int  # validations without a rise before a run ends early


@dataclass(frozen=True, slots=True)
class Progress:
    """What the caller may show after a step."""

    step: int
    steps: int
    loss: float
    hop_accuracy: float
    questions_per_s: float
    left_s: float
    hits_at_1: float | None  # of the last validation


@dataclass(slots=True)
class Best:
    """The best validation so far."""

    hits_at_1: float = -1.0
    step: int = 0
    last: float | None = None  # of the latest validation

    def note(self, step: int, hits_at_1: float, ties: bool = False) -> bool:
        """Take a validation in; True when it is the best (with ``ties``, also when it is as good)."""
        self.last = hits_at_1
        if hits_at_1 < self.hits_at_1 or (hits_at_1 == self.hits_at_1 and not ties):
            return False
        self.hits_at_1, self.step = hits_at_1, step
        return True

    def is_stale(self, step: int, config: Schedule) -> bool:
        """Validation has not risen for ``patience`` looks."""
        return self.last is not None and step - self.step >= config.patience * config.validate_every


def learning_rate(step: int, config: Schedule) -> float:
    """Factor of the learning rate: linear warm-up, then linear decay."""
    warmup = max(1, int(config.steps * config.warmup))
    if step < warmup:
        return (step + 1) / warmup
    return max(0.02, (config.steps - step) / max(1, config.steps - warmup))


def save_whole(content: object, path: Path) -> None:
    """In one rename: a kill leaves the file before."""
    with whole_file(path) as file:
        torch.save(content, file)


def claim_work(folder: Path, writes: Sequence[str] = (BEST,)) -> None:
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
        for name in (CHECKPOINT, BEST, MARK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def mixed_precision(device: str) -> torch.autocast:
    """bfloat16 where the hardware computes in it; a CPU without it is 7 to 35 times slower so than in float32."""
    cpu = torch.cpu.get_capabilities() if device == "cpu" else {}
    fast = device != "cpu" or any(cpu.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=fast)


def load_best(model: torch.nn.Module, path: Path, device: str) -> bool:
    """Take the weights of the best validation, where one was noted; False where there are none."""
    if not path.is_file():
        return False
    model.load_state_dict(torch.load(path, map_location=device, weights_only=True))
    return True


def freeze_lower(encoder: torch.nn.Module, n_layers: int) -> None:
    """Keep the embeddings and the first ``n_layers`` layers of a BERT-like encoder as they are; 0 freezes nothing."""
    if not n_layers:
        return
    for part in (encoder.embeddings, *encoder.encoder.layer[:n_layers]):
        part.requires_grad_(False)


def copied(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The weights as they are now."""
    return {name: weight.detach().clone() for name, weight in model.state_dict().items()}


def blended(trained: dict[str, torch.Tensor], base: dict[str, torch.Tensor], of_base: float) -> dict[str, torch.Tensor]:
    """Weights between the trained ones and those that a run began with.

    Keeps what a late phase gains without most of what it forgets (Wortsman et
    al. 2022, weight-space ensembles of fine-tuned models).
    """
    return {
        name: weight.lerp(base[name], of_base) if weight.is_floating_point() else weight
        for name, weight in trained.items()
    }
