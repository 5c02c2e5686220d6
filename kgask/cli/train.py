"""``kgask train``: train and export planner and reader; torch is imported only when a command runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.cli.train_amr import amr
from kgask.cli.train_calibrate import calibrate
from kgask.cli.train_claims import calibrate_claims
from kgask.cli.train_export import encoder, requantise
from kgask.cli.train_judge import judge, judge_questions
from kgask.cli.train_pack import adapt, domain
from kgask.cli.train_queries import queries
from kgask.cli.train_reader import reader, score_reader


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def train() -> None:
    """Train models on this machine: for a pack of yours (adapt, domain), or those that ship (rigel, reader)."""


for command in (
    adapt,
    domain,
    queries,
    reader,
    score_reader,
    judge_questions,
    judge,
    calibrate,
    calibrate_claims,
    encoder,
    requantise,
    amr,
):
    train.add_command(command)


@train.command(short_help="Train the planner and export it to ONNX.")
@click.option("--config", "config_file", type=click.Path(dir_okay=False, path_type=Path), help="INI file: see above.")
@shared.data()
@shared.output()
@click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: OUT.work]")
@click.option("--encoder", type=click.Path(path_type=Path), help="Base encoder folder.  [default: all-MiniLM-L6-v2]")
@click.option("--init", metavar="MODEL", help="Planner (name, folder, or checkpoint.pt) to start from.")
@click.option("--pack", default=config.DEFAULT_PACK, show_default=True, help="Pack that confidence is calibrated on.")
@click.option("--validate-on", multiple=True, metavar="PACK", help="Packs to validate on.  [default: --pack]")
@shared.STEPS
@shared.BATCH_SIZE
@shared.SEED
@shared.probes(20, 1200)
@click.option("--full-graph", is_flag=True, help="Write the float32 graph too, for kgask bench planning --full.")
@shared.THREADS
@shared.DEVICE
@shared.FORCE
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
    **given: Any,
) -> None:
    """Train the planner: questions to relation paths, over relation texts.

    Goes on from the last checkpoint in --work, then exports to ONNX (int8,
    checked against torch), calibrates confidence and writes the model card.

    The config file has the sections [rigel] (steps, batch_size, encoder_lr,
    head_lr, patience, ...), [mix] (the share of each source) and
    [vocabularies] (the share of batches over other relations than Wikidata's);
    --steps, --batch-size and --seed go before it.
    models/rigel/rigel-1.ini to rigel-3.ini are those of the shipped planner,
    kgask/train/simplequestions.ini is one for a single data set.
    """
    shared.prepare(threads, device)
    from kgask.build.folder import MODEL, check_target, new_folder
    from kgask.train.encoder import default_encoder_folder
    from kgask.train.planner.card import build_model_folder
    from kgask.train.planner.rigel import RigelTrainer
    from kgask.train.planner.settings import RigelConfig, read_config

    settings = read_config(config_file) if config_file else RigelConfig()
    settings = dataclasses.replace(settings, **{name: value for name, value in given.items() if value is not None})
    pack_path = config.find("pack", pack).path
    packs = [config.find("pack", name).path for name in validate_on or (pack,)]
    start = config.find("model", init).path if init else None
    encoder = encoder or default_encoder_folder()
    sources = [*filter(None, (encoder, start)), pack_path, *packs]
    check_target(out, force, MODEL, sources)
    work = work or out.with_name(out.name + ".work")
    trainer = RigelTrainer(data, work, encoder, settings, device, start, packs)
    with shared.watched("train rigel", settings.steps) as report:
        trainer.run(report)
    note("exporting to ONNX and calibrating")
    with steps_bar("calibrate", probes) as show, new_folder(out, force, MODEL, sources) as folder:
        parity, result = build_model_folder(
            trainer, folder, pack_path, probes, lambda done, _: show(done, ""), full_graph
        )
    note(f"ONNX against torch: fp32 within {parity.fp32:.1e}, int8 agrees on {parity.int8_agreement:.1%}")
    note(
        f"{result.n_probes} calibration questions on {pack}: Hits@1 {result.hits_at_1:.3f} of the answerable, "
        f"Brier {result.brier:.3f}"
    )
    note(f'wrote {out}; try: kgask --model {out} "who wrote Lady Susan?"')
