"""``kgask train queries``: a planner that writes questions with operators as queries."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note


@click.command(short_help="Teach a planner to write queries with operators.")
@click.option("--config", "config_file", type=click.Path(dir_okay=False, path_type=Path), help="INI file: see above.")
@shared.data()
@click.option("--init", default=config.DEFAULT_MODEL, show_default=True, metavar="MODEL", help="Planner to teach.")
@shared.output()
@click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: OUT.work]")
@shared.STEPS
@shared.BATCH_SIZE
@shared.SEED
@shared.THREADS
@shared.DEVICE
@shared.FORCE
def queries(
    config_file: Path | None,
    data: Path,
    init: str,
    out: Path,
    work: Path | None,
    threads: int | None,
    device: str,
    force: bool,
    **given: Any,
) -> None:
    """Teach a planner to write queries: count, superlative, comparison, filter, yes or no, sets.

    The planner itself stays as it is, so relation paths are planned as before;
    a decoder of its own is trained, from where it is if MODEL has one. Goes on
    from the last checkpoint in --work, then exports to ONNX (int8; refused
    where it writes other queries than torch does). How sure its queries are is
    fitted afterwards: kgask train calibrate.

    The config file has the sections [queries] (steps, batch_size, layer_lr,
    head_lr, ...) and [mix] (the share of each source); --steps, --batch-size
    and --seed go before it. models/rigel/queries.ini is that of the shipped
    planner.
    """
    shared.prepare(threads, device)
    from kgask.build.folder import MODEL, check_target, new_folder
    from kgask.train.planner.queries import QueriesTrainer, build_query_folder, read_query_config
    from kgask.train.planner.query_train import QueryConfig

    settings = read_query_config(config_file) if config_file else QueryConfig()
    settings = dataclasses.replace(settings, **{name: value for name, value in given.items() if value is not None})
    start = config.find("model", init).path
    check_target(out, force, MODEL, [start])
    note("reading the questions")
    trainer = QueriesTrainer(data, start, work or out.with_name(out.name + ".work"), settings, device)
    with shared.watched("train queries", settings.steps) as report:
        trainer.run(report)
    note("exporting to ONNX")
    with new_folder(out, force, MODEL, [start]) as folder:
        found = build_query_folder(trainer, folder)
    note(", ".join(f"{name} {share:.3f}" for name, share in found.scores.items()))
    note(
        f"int8 writes {found.same.right:.1%} of the held-out queries that torch writes right, the same query for "
        f"{found.same.every:.1%} of all, and plans the same path for {found.parity.int8_agreement:.1%}"
    )
    note(f"its graphs take {found.onnx_bytes:,} bytes")
    note(f'wrote {out}; try: kgask --model {out} "how many novels did Jane Austen write?"')
