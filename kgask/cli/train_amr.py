"""``kgask train amr``: the ranker of ``--method amr`` from questions, their AMRs and the relations asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar, table


@click.command("amr", short_help="Train the AMR ranker of --method amr.")
@click.option(
    "--data", "amr_file", required=True, type=shared.OLD_FILE, metavar="AMR", help="AMRs under '# ::snt QUESTION'."
)
@click.option("--questions", required=True, type=shared.OLD_FILE, help='Lines of "text with [topic]<TAB>relation".')
@click.option("--pack", required=True, metavar="PACK", help="The pack that the questions are about.")
@shared.output()
@click.option("--encoder", default=config.DEFAULT_ENCODER, show_default=True, help="Sentence encoder to train over.")
@shared.WORK
@shared.STEPS
@shared.BATCH_SIZE
@click.option("--held-out", type=click.FloatRange(0.01, 0.9), help="Share of the wordings to test on.  [default: 0.2]")
@shared.SEED
@shared.THREADS
@shared.FORCE
def amr(
    amr_file: Path,
    questions: Path,
    pack: str,
    out: Path,
    encoder: str,
    work: Path | None,
    threads: int | None,
    force: bool,
    **given: Any,
) -> None:
    """Train the model that ranks an entity's relations by a question's AMR (LTGen's), and write it as ONNX.

    A relation is a key or label of PACK, with - before it where it is followed from object to subject. Questions are
    split by wording; accuracy on the wordings held out is printed at the end and kept in the card. Stopped at any
    time, the same command goes on from the last checkpoint and ends with the same weights.
    """
    shared.prepare(threads)
    from kgask.build.folder import MODEL, check_target, new_folder
    from kgask.train.amr.loop import AmrConfig
    from kgask.train.amr.train import AmrJob, finish, prepare

    settings = shared.given_of(AmrConfig, given)
    job = AmrJob(amr_file, questions, config.find("pack", pack).path, config.find("model", encoder).path)
    check_target(out, force, MODEL, job.sources())
    with shared.checkpoints(work, out) as folder:
        trainer, n_unknown = prepare(job, settings, folder, lambda total: steps_bar("embed questions", total))
        if n_unknown:
            note(f"{n_unknown} questions left out: no entity of {pack} with that name has the relation")
        note(f"{len(trainer.learnt)} questions to learn from, {len(trainer.held)} held out")
        with shared.watched("train amr", settings.steps) as report:
            trainer.run(report)
        with new_folder(out, force, MODEL, job.sources()) as made:
            result = finish(trainer, job, made, out.name)
    note(f"{result.n_parameters:,} parameters; ONNX is within {result.parity:.1e} of torch")
    rows = [
        (name, part.n, f"{part.top_1:.4f}", f"{part.top_5:.4f}")
        for name, part in (("AMR ranker", result.held_out), ("sentence similarity alone", result.similarity))
    ]
    table(("held-out wordings", "questions", "top 1", "top 5"), rows)
    shared.say_how_to_use(out, "--pack", pack, "--method", "amr", "--amr", str(amr_file), "--amr-model", str(out))
