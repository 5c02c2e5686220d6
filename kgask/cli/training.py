"""What the training commands share before they start: packages, threads, device."""

from __future__ import annotations

import os
from pathlib import Path

import click

from kgask.errors import ModelError, UsageError
from kgask.machine import homes
from kgask.machine.cores import usable_cores

FORCE = click.option("--force", is_flag=True, help="Replace a model that is there.")


def need_torch() -> None:
    """Raises :class:`ModelError` that says what to install."""
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModelError(f"training needs {error.name}; install it with: pip install 'kgask[train]'") from error


def use_threads(threads: int | None) -> None:
    """Torch's CPU threads; by default as many as this process may use."""
    import torch

    torch.set_num_threads(threads or usable_cores())


def check_device(device: str) -> None:
    """Raises :class:`UsageError` for a device that torch cannot use here, before minutes are spent."""
    import torch

    try:
        torch.zeros(1, device=device).item()
    except Exception as error:  # torch raises many unrelated types
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"--device {device}: {reason[:160]}") from error


def work_of(out: Path) -> Path:
    """Where checkpoints of a run for ``out`` lie when no folder is named: in the cache, one for each target."""
    import hashlib

    target = os.fsencode(os.path.abspath(out))
    return homes.cache_home() / "train" / f"{out.name}-{hashlib.sha256(target).hexdigest()[:12]}"
