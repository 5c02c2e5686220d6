"""``kgask train``: train and export planner and reader; torch is imported only when a command runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask import config
from kgask.cli.render import note, steps_bar
from kgask.cli.train_amr import amr as train_amr
from kgask.cli.train_calibrate import calibrate
from kgask.cli.train_encoder import encoder as make_encoder
from kgask.cli.train_pack import adapt, domain
from kgask.cli.train_reader import reader
from kgask.cli.train_requantise import requantise
from kgask.cli.train_score_reader import score_reader
from kgask.cli.training import FORCE, check_device, need_torch, use_threads

if TYPE_CHECKING:
    from kgask.train.planner.rigel import Progress, RigelTrainer

PLAIN_EVERY = 50  # steps between lines when stderr is no terminal


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def train() -> None:
    """Train models on this machine: for a pack of yours (adapt, domain), or those that ship (rigel, reader)."""


train.add_command(adapt)
train.add_command(domain)
train.add_command(reader)
train.add_command(score_reader)
train.add_command(calibrate)
train.add_command(make_encoder)
train.add_command(requantise)
train.add_command(train_amr)


@train.command(short_help="Train the planner and export it to ONNX.")
@click.option("--config", "config_file", type=click.Path(dir_okay=False, path_type=Path), help="INI file: see above.")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder with the public question sets.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Model folder to write.")
@click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: OUT.work]")
@click.option("--encoder", type=click.Path(path_type=Path), help="Base encoder folder.  [default: all-MiniLM-L6-v2]")
@click.option("--init", metavar="MODEL", help="Planner (name, folder, or checkpoint.pt) to start from.")
@click.option("--pack", default=config.DEFAULT_PACK, show_default=True, help="Pack that confidence is calibrated on.")
@click.option("--validate-on", multiple=True, metavar="PACK", help="Packs to validate on.  [default: --pack]")
@click.option("--steps", type=click.IntRange(1), help="Training steps; goes before the config file's.")
@click.option("--batch-size", type=click.IntRange(2), help="Questions a step; goes before the config file's.")
@click.option("--seed", "rng_seed", type=int, help="Seed of all randomness; goes before the config file's.")
@click.option("--probes", type=click.IntRange(20), default=1200, show_default=True, help="Questions to calibrate on.")
@click.option("--full-graph", is_flag=True, help="Write the float32 graph too, for kgask bench planning --full.")
@click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
@click.option("--device", default="cpu", show_default=True, help="torch device, such as cuda.")
@FORCE
def rigel(
    config_file: Path | None,
    data: Path,
    out: Path,
    work: Path | None,
    encoder: Path | None,
    init: str | None,
    pack: str,
    validate_on: tuple[str, ...],
    probes: int,
    full_graph: bool,
    threads: int | None,
    device: str,
    force: bool,
    **given: int | None,
) -> None:
    """Train the planner: questions to relation paths, over relation texts.

    Goes on from the last checkpoint in --work, then exports to ONNX (int8,
    checked against torch), calibrates confidence and writes the model card.

    The config file has the sections [rigel] (steps, batch_size, encoder_lr,
    head_lr, patience, ...), [mix] (the share of each source) and
    [vocabularies] (the share of batches over other relations than Wikidata's).
    models/rigel/rigel-1.ini to rigel-3.ini are those of the shipped planner,
    kgask/train/simplequestions.ini is one for a single data set.
    """
    need_torch()
    from kgask.build.folder import MODEL, check_target, new_folder
    from kgask.train.encoder import default_encoder_folder
    from kgask.train.planner import rigel as loop
    from kgask.train.planner.card import build_model_folder
    from kgask.train.planner.settings import RigelConfig, read_config

    use_threads(threads)
    check_device(device)
    settings = read_config(config_file) if config_file else RigelConfig()
    settings = dataclasses.replace(settings, **{name: value for name, value in given.items() if value is not None})
    work = work or out.with_name(out.name + ".work")
    pack_path = config.find("pack", pack).path
    packs = [config.find("pack", name).path for name in validate_on or (pack,)]
    start = config.find("model", init).path if init else None
    encoder = encoder or default_encoder_folder()
    sources = [*filter(None, (encoder, start)), pack_path, *packs]
    check_target(out, force, MODEL, sources)
    trainer = loop.RigelTrainer(data, work, encoder, settings, device, start, packs)
    _run(trainer, settings.steps)
    note("exporting to ONNX and calibrating")
    with steps_bar("calibrate", probes) as show, new_folder(out, force, MODEL, sources) as folder:

        def report(done: int, _: int) -> None:
            show(done, "")

        parity, result = build_model_folder(trainer, folder, pack_path, probes, report, full_graph)
    note(f"ONNX against torch: fp32 within {parity.fp32:.1e}, int8 agrees on {parity.int8_agreement:.1%}")
    note(
        f"{result.n_probes} calibration questions on {pack}: Hits@1 {result.hits_at_1:.3f} of the answerable, "
        f"Brier {result.brier:.3f}"
    )
    note(f'wrote {out}; try: kgask --model {out} "who wrote Lady Susan?"')


def _run(trainer: RigelTrainer, steps: int) -> None:
    with steps_bar("train rigel", steps) as show:

        def report(progress: Progress) -> None:
            say = (
                f"loss {progress.loss:.3f}, hops right {progress.hop_accuracy:.3f}, "
                f"{progress.questions_per_s:.0f} questions/s"
            )
            if progress.hits_at_1 is not None:
                say += f", Hits@1 {progress.hits_at_1:.3f}"
            show(progress.step, say)
            if progress.step % PLAIN_EVERY == 0:
                note(f"step {progress.step}/{steps}: {say}, {progress.left_s / 60:.0f} min left")

        trainer.run(report)
