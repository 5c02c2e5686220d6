"""What the training commands share: options, what must be installed, threads and device, progress, what was written."""

from __future__ import annotations

import hashlib
import importlib
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kgask.cli.render import note, steps_bar
from kgask.errors import ModelError, UsageError
from kgask.machine.cores import usable_cores
from kgask.machine.homes import cache_home

if TYPE_CHECKING:
    from kgask.train.trainer import Report

Made = TypeVar("Made")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
OLD_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OLD_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
TRAINING = ("torch", "transformers", "onnx")
PLAIN_LINES = 20  # progress lines of a run where stderr is no terminal


def output(metavar: str = "DIR", help: str = "Model folder to write.", required: bool = True) -> Decorator:
    return click.option(
        "-o", "--output", "--out", "out", required=required, type=click.Path(file_okay=False, path_type=Path),
        metavar=metavar, help=help,
    )  # fmt: skip


def data(required: bool = True) -> Decorator:
    return click.option("--data", required=required, type=OLD_FOLDER, help="Folder with the public question sets.")


def probes(least: int, default: int, help: str = "Questions to calibrate on.") -> Decorator:
    return click.option("--probes", type=click.IntRange(least), default=default, show_default=True, help=help)


RELATIONS = click.option(
    "--relations", "tables", type=OLD_FILE, multiple=True,
    help="Relation table of a pack's sources (key, label, aliases, description, inverse label); repeatable.",
)  # fmt: skip
WORK = click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: in the cache]")
STEPS = click.option("--steps", type=click.IntRange(1), help="Training steps at most.")
BATCH_SIZE = click.option("--batch-size", type=click.IntRange(2), help="Questions a step.")
SEED = click.option("--seed", "rng_seed", type=click.IntRange(0, 2**31), help="Seed of all randomness.")
THREADS = click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
DEVICE = click.option("--device", default="cpu", show_default=True, help="torch device, such as cuda.")
FORCE = click.option("--force", is_flag=True, help="Replace a model that is there.")


def need(*packages: str) -> None:
    """Raises :class:`ModelError` that says what to install."""
    try:
        for package in packages:
            importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise ModelError(f"training needs {error.name}; install it with: pip install 'kgask[train]'") from error


def prepare(threads: int | None = None, device: str = "cpu", *packages: str) -> None:
    """Look for what training needs, and set torch's CPU threads: by default as many as this process may use.

    Raises :class:`UsageError` for a device that torch cannot use here, before minutes are spent.
    """
    need(*TRAINING, *packages)
    import torch

    torch.set_num_threads(threads or usable_cores())
    try:
        torch.zeros(1, device=device).item()
    except Exception as error:  # torch raises many unrelated types
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"--device {device}: {reason[:160]}") from error


def given_of(kind: Callable[..., Made], given: Mapping[str, Any]) -> Made:
    """Settings with what was given on the command line; the others keep their defaults."""
    return kind(**{name: value for name, value in given.items() if value is not None})


@contextmanager
def watched(title: str, steps: int) -> Iterator[Report]:
    """A report function for a run: a bar on a terminal, lines now and then on stderr."""
    every = max(1, steps // PLAIN_LINES)
    with steps_bar(title, steps) as show:

        def report(progress: Any) -> None:
            show(progress.step, str(progress))
            if progress.step % every == 0:
                note(f"step {progress.step}/{steps}: {progress}, {progress.left_s / 60:.1f} min left")

        yield report


@contextmanager
def checkpoints(work: Path | None, out: Path) -> Iterator[Path]:
    """The folder for a run's checkpoints: ``work``, or one in the cache that goes when the block ends well.

    What is left there is for a run that was cut off.
    """
    folder = work or work_of(out)
    yield folder
    if work is None:
        from kgask.train.trainer import remove_work

        remove_work(folder)


def work_of(out: Path) -> Path:
    """Where checkpoints of a run for ``out`` lie when no folder is named: in the cache, one for each target."""
    target = os.fsencode(os.path.abspath(out))
    return cache_home() / "train" / f"{out.name}-{hashlib.sha256(target).hexdigest()[:12]}"


def say_how_to_use(out: Path, *parts: str) -> None:
    """``parts`` are the options of a question to the model in ``out``."""
    note(f"wrote {out}; use it: {shlex.join(['kgask', *parts])} ...")
