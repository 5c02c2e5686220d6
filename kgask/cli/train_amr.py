"""``kgask train amr``: the ranker of ``--method amr`` from questions, their AMRs and the relations asked for."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from kgask import config
from kgask.cli.render import note, steps_bar, table
from kgask.cli.training import FORCE, need_torch, use_threads, work_of

PLAIN_EVERY = 50  # steps between lines when stderr is no terminal
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("amr", short_help="Train the AMR ranker of --method amr.")
@click.option("--data", "amr_file", required=True, type=_FILE, metavar="AMR", help="AMRs under '# ::snt QUESTION'.")
@click.option("--questions", required=True, type=_FILE, help='Lines of "text with [topic]<TAB>relation".')
@click.option("--pack", required=True, metavar="PACK", help="The pack that the questions are about.")
@click.option("-o", "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder to write.")
@click.option("--encoder", default=config.DEFAULT_ENCODER, show_default=True, help="Sentence encoder to train over.")
@click.option("--work", type=click.Path(path_type=Path), help="Folder for checkpoints.  [default: in the cache]")
@click.option("--steps", type=click.IntRange(1), help="Training steps.  [default: 300]")
@click.option("--batch-size", type=click.IntRange(1), help="Questions a step.  [default: 8]")
@click.option("--held-out", type=click.FloatRange(0.01, 0.9), help="Share of the wordings to test on.  [default: 0.2]")
@click.option("--seed", "rng_seed", type=click.IntRange(0, 2**31), help="Seed of all randomness.  [default: 0]")
@click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
@FORCE
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
    need_torch()
    from kgask.build.folder import MODEL, check_target, new_folder
    from kgask.train.amr import train as amr_train
    from kgask.train.amr.loop import AmrConfig, AmrProgress
    from kgask.train.running import remove_work

    use_threads(threads)
    settings = AmrConfig(**{name: value for name, value in given.items() if value is not None})
    checkpoints = work or work_of(out)
    paths = config.find("pack", pack).path, config.find("model", encoder).path
    sources = [amr_file, questions, *paths]
    check_target(out, force, MODEL, sources)
    job = amr_train.AmrJob(amr_file, questions, *paths, checkpoints)
    trainer, n_unknown = amr_train.prepare(job, settings, lambda total: steps_bar("embed questions", total))
    if n_unknown:
        note(f"{n_unknown} questions left out: no entity of {pack} with that name has the relation")
    note(f"{len(trainer.learnt)} questions to learn from, {len(trainer.held)} held out")
    with steps_bar("train amr", settings.steps) as show:

        def report(progress: AmrProgress) -> None:
            say = f"loss {progress.loss:.3f}"
            if progress.held_out is not None:
                say += f", held out: top 1 {progress.held_out.top_1:.3f}, top 5 {progress.held_out.top_5:.3f}"
            show(progress.step, say)
            if progress.step % PLAIN_EVERY == 0:
                note(f"step {progress.step}/{settings.steps}: {say}")

        trainer.run(report)
    with new_folder(out, force, MODEL, sources) as folder:
        result = amr_train.finish(trainer, job, folder, n_unknown, out.name)
    if work is None:  # what is left there is for a run that was cut off
        remove_work(checkpoints)
    _show(result)
    parts = ["kgask", "--pack", pack, "--method", "amr", "--amr", str(amr_file), "--amr-model", str(out)]
    note(f"wrote {out}; use it: {shlex.join(parts)} ...")


def _show(result: Any) -> None:
    note(f"{result.n_parameters:,} parameters; ONNX is within {result.parity:.1e} of torch")
    rows = [
        (name, part.n, f"{part.top_1:.4f}", f"{part.top_5:.4f}")
        for name, part in (("AMR ranker", result.held_out), ("sentence similarity alone", result.similarity))
    ]
    table(("held-out wordings", "questions", "top 1", "top 5"), rows)
