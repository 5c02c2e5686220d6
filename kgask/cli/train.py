"""``kgask train``: train and export planner and reader; torch is imported only when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask import config
from kgask.cli.render import note, steps_bar
from kgask.cli.train_reader import reader
from kgask.errors import ModelError

if TYPE_CHECKING:
    from kgask.train.loop import Progress, RigelTrainer

PLAIN_EVERY = 50  # steps between lines when stderr is no terminal


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def train() -> None:
    """Train and export models from public question sets on this machine."""


train.add_command(reader)


@train.command(short_help="Train the planner and export it to ONNX.")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder with the public question sets.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Model folder to write.")
@click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: OUT.work]")
@click.option("--encoder", type=click.Path(path_type=Path), help="Base encoder folder.  [default: all-MiniLM-L6-v2]")
@click.option("--pack", default=config.DEFAULT_PACK, show_default=True, help="Pack that confidence is calibrated on.")
@click.option("--steps", type=click.IntRange(1), default=3000, show_default=True, help="Training steps.")
@click.option("--batch-size", type=click.IntRange(2), default=64, show_default=True, help="Questions a step.")
@click.option("--seed", "rng_seed", type=int, default=7, show_default=True, help="Seed of all randomness.")
@click.option("--probes", type=click.IntRange(20), default=1200, show_default=True, help="Questions to calibrate on.")
@click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
@click.option("--device", default="cpu", show_default=True, help="torch device, such as cuda.")
def rigel(
    data: Path,
    out: Path,
    work: Path | None,
    encoder: Path | None,
    pack: str,
    steps: int,
    batch_size: int,
    rng_seed: int,
    probes: int,
    threads: int | None,
    device: str,
) -> None:
    """Train the planner: questions to relation paths, over relation texts.

    Goes on from the last checkpoint in --work, then exports to ONNX (int8,
    checked against torch), calibrates confidence and writes the model card.
    """
    loop = _import_training()
    from kgask.plan.providers import cpu_threads
    from kgask.train.encoder import default_encoder_folder
    from kgask.train.rigel_card import build_model_folder

    import torch

    torch.set_num_threads(threads or cpu_threads())
    settings = loop.RigelConfig(steps=steps, batch_size=batch_size, rng_seed=rng_seed)
    work = work or out.with_name(out.name + ".work")
    pack_path = config.find("pack", pack).path
    trainer = loop.RigelTrainer(data, work, encoder or default_encoder_folder(), settings, device)
    _run(trainer, steps)
    note("exporting to ONNX and calibrating")
    with steps_bar("calibrate", probes) as show:
        parity, result = build_model_folder(trainer, out, pack_path, probes, lambda done, _: show(done, ""))
    note(f"ONNX against torch: fp32 within {parity.fp32:.1e}, int8 agrees on {parity.int8_agreement:.1%}")
    note(
        f"{result.n_probes} calibration questions on {pack}: Hits@1 {result.hits_at_1:.3f} of the answerable, "
        f"Brier {result.brier:.3f}"
    )
    note(f"wrote {out}; try: kgask --model {out} \"who wrote Lady Susan?\"")


def _import_training():  # noqa: ANN202 - a module
    try:
        from kgask.train import loop
    except ModuleNotFoundError as error:
        raise ModelError(f"training needs {error.name}; install it with: pip install 'kgask[train]'") from error
    return loop


def _run(trainer: RigelTrainer, steps: int) -> None:
    with steps_bar("train rigel", steps) as show:

        def report(progress: Progress) -> None:
            say = (
                f"loss {progress.loss:.3f}, hops right {progress.hop_accuracy:.3f}, "
                f"{progress.questions_per_s:.0f} questions/s"
            )
            show(progress.step, say)
            if progress.step % PLAIN_EVERY == 0:
                note(f"step {progress.step}/{steps}: {say}, {progress.left_s / 60:.0f} min left")

        trainer.run(report)
