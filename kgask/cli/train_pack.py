"""``kgask train adapt`` and ``kgask train domain``: planners for one pack."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask import config
from kgask.build.folder import MODEL, check_target, new_folder
from kgask.cli.render import note, steps_bar, table
from kgask.cli.training import FORCE, check_device, need_torch, use_threads, work_of
from kgask.machine import homes

if TYPE_CHECKING:
    from kgask.train.planner.domain import InDomainResult, InDomainTrainer
    from kgask.train.running import Progress

PLAIN_EVERY = 20  # steps between lines when stderr is no terminal

_QUESTIONS = click.option(
    "--questions",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Lines of "text with [topic]<TAB>answer|answer", a path in a third column if you know it. Repeatable.',
)
_OUT = click.option("-o", "--out", type=click.Path(path_type=Path), help="Model folder.  [default: a model of yours]")
_WORK = click.option(
    "--work",
    type=click.Path(path_type=Path),
    help="Folder for checkpoints.  [default: in the cache, until the run is done]",
)
_SEED = click.option("--seed", "rng_seed", type=int, help="Seed of all randomness.")
_THREADS = click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
_PROBES = click.option(
    "--probes", type=click.IntRange(20), default=400, show_default=True, help="Questions to calibrate on."
)
_DEVICE = click.option("--device", default="cpu", show_default=True, help="torch device, such as cuda.")


@click.command(short_help="Specialise the planner to a pack, with or without questions.")
@click.argument("pack")
@_QUESTIONS
@click.option("--base", default=config.DEFAULT_MODEL, show_default=True, help="Planner to go on from.")
@click.option("--steps", type=click.IntRange(1), help="Training steps.  [default: 100]")
@_OUT
@_WORK
@_SEED
@_THREADS
@_PROBES
@_DEVICE
@FORCE
def adapt(
    pack: str,
    questions: tuple[Path, ...],
    base: str,
    out: Path | None,
    work: Path | None,
    threads: int | None,
    probes: int,
    device: str,
    force: bool,
    **given: int | None,
) -> None:
    """Specialise the shipped planner to PACK; minutes on a CPU.

    Without --questions it learns from questions made of the pack alone. With
    some, even fifty, it learns these and their like: one for each kind of
    question helps most. Compared with the base on held-out questions, the
    better one is kept.

    \b
      kgask train adapt my_pack
      kgask train adapt my_pack --questions questions.tsv
      kgask --pack my_pack --model rigel-my_pack "..."
    """
    need_torch()
    from kgask.train.planner.adapt import AdaptConfig, AdaptTrainer
    from kgask.train.planner.adapt import adapt as run_adapt
    from kgask.train.running import remove_work

    use_threads(threads)
    check_device(device)
    found = config.find("pack", pack)
    base_folder = _planner(base)
    out = out or _users_model(f"rigel-{found.name}")
    sources = [base_folder, found.path, *questions]
    check_target(out, force, MODEL, sources)
    settings = AdaptConfig(**{name: value for name, value in given.items() if value is not None})
    note("making questions of the pack")
    trainer = AdaptTrainer(base_folder, found.path, questions, work or work_of(out), settings, device)
    with _watched("adapt", settings.steps) as report:
        result = run_adapt(trainer, report)
    if not result.kept:
        note(f"not better on {result.n_held_out} held-out questions ({result.after:.3f}, before {result.before:.3f})")
        if work is None:
            remove_work(trainer.job.work)
        note(f"the base stays: kgask --model {shlex.quote(base)} --pack {shlex.quote(pack)} ...; nothing was written")
        return
    scores = {"held_out": result.n_held_out, "hits_at_1_before": result.before, "hits_at_1": result.after}
    _export(trainer, out, probes, scores | {"recipe": f"kgask train adapt, from {base}"}, force, sources)
    if work is None:  # what is left there is for a run that was cut off
        remove_work(trainer.job.work)
    note(f"Hits@1 on {result.n_held_out} held-out questions: {result.before:.3f} before, {result.after:.3f} now")
    _say_how_to_use(out, pack)


@click.command(short_help="Train a planner for one pack from its questions.")
@click.argument("pack")
@_QUESTIONS
@click.option(
    "--supervision",
    type=click.Choice(["path", "weak", "search", "mix"]),
    default="path",
    show_default=True,
    help="Learn from given paths, from answers alone, from paths found by search, or all of these.",
)
@click.option("--base", default=config.DEFAULT_MODEL, show_default=True, help="Planner to go on from.")
@click.option("--encoder", type=click.Path(path_type=Path), help="Start from a bare encoder folder instead.")
@click.option("--closed", is_flag=True, help="A closed vocabulary: relations as free vectors, for this pack only.")
@click.option("--split-templates", "held_out", type=click.FloatRange(0, 0.9), help="Share of wordings to hold out.")
@click.option("--linked", is_flag=True, help="Ask the held-out questions with their topics linked too.")
@click.option("--steps", type=click.IntRange(1), help="Training steps at most.")
@click.option("--batch-size", type=click.IntRange(2), help="Questions a step.")
@_OUT
@_WORK
@_SEED
@_THREADS
@_PROBES
@_DEVICE
@FORCE
def domain(
    pack: str,
    questions: tuple[Path, ...],
    base: str,
    encoder: Path | None,
    linked: bool,
    out: Path | None,
    work: Path | None,
    threads: int | None,
    probes: int,
    device: str,
    force: bool,
    **given: Any,
) -> None:
    """Train a planner for PACK from thousands of its questions.

    Questions are split by wording (the text with its topic masked); Hits@1 and
    exact sets on the wordings held out are printed at the end, by hops. Goes on
    from the last checkpoint in --work.
    """
    need_torch()
    from kgask.train.planner.domain import InDomainConfig, InDomainJob, train_in_domain
    from kgask.train.running import remove_work

    if not questions:
        raise click.UsageError("give questions with --questions FILE; without any, see: kgask train adapt --help")
    use_threads(threads)
    check_device(device)
    found = config.find("pack", pack)
    base_folder = None if encoder else _planner(base)
    out = out or _users_model(f"rigel-{found.name}-domain")
    sources = [*filter(None, (base_folder, encoder)), found.path, *questions]
    check_target(out, force, MODEL, sources)
    settings = InDomainConfig(**{name: value for name, value in given.items() if value is not None})
    job = InDomainJob(found.path, questions, work or work_of(out), encoder or base_folder, base_folder, device)
    with _watched("train", settings.steps) as report:
        trainer, result = train_in_domain(job, settings, report)
    scores = {f"held_out_{hops}_hops": part.hits_at_1 for hops, part in result.held_out.items()}
    recipe = f"kgask train domain --supervision {settings.supervision}"
    _export(trainer, out, probes, scores | {"recipe": recipe}, force, sources)
    if work is None:
        remove_work(job.work)
    _show_result(result)
    if linked:
        _show_linked(trainer, result)
    _say_how_to_use(out, pack)


def _export(
    trainer: InDomainTrainer, out: Path, probes: int, scores: dict[str, object], force: bool, sources: list[Path]
) -> None:
    from kgask.train.planner.pack_model import build_pack_model

    note("exporting to ONNX and calibrating")
    with steps_bar("calibrate", probes) as show, new_folder(out, force, MODEL, sources) as folder:
        parity, _ = build_pack_model(trainer, folder, probes, scores, lambda done, _: show(done, ""))
    note(f"int8 agrees with torch on {parity.int8_agreement:.1%} of questions")


def _show_linked(trainer: InDomainTrainer, result: InDomainResult) -> None:
    """The held-out questions as they were asked, topic linked."""
    from kgask.train.planner.pack_model import torch_pipeline, validate_linked

    by_hops = {hops: [q for q in trainer.held_out if len(q.path or ()) == hops] for hops in result.held_out}
    pipeline, rows = torch_pipeline(trainer), []
    for hops, questions in by_hops.items():
        with steps_bar("ask", len(questions)) as show:
            part = validate_linked(pipeline, questions, lambda done: show(done, ""))  # noqa: B023 - called at once
        rows.append((hops or "not known", part.n, f"{part.hits_at_1:.4f}", f"{part.exact_set:.4f}"))
    note("the same questions, topic linked:")
    table(("hops", "questions", "Hits@1", "exact sets"), rows)


def _show_result(result: InDomainResult) -> None:
    note(f"{result.steps} steps; {result.n_templates} wordings learnt, {result.n_held_out} held out (topic given):")
    rows = [
        (hops or "not known", part.n, f"{part.hits_at_1:.4f}", f"{part.exact_set:.4f}")
        for hops, part in result.held_out.items()
    ]
    table(("hops", "questions", "Hits@1", "exact sets"), rows)


def _planner(name: str) -> Path:
    """The folder of a planner; :class:`ModelError` when it is none, before anything is made."""
    from kgask.plan.card import RigelCard

    return RigelCard.load(config.find("model", name).path).folder


def _users_model(name: str) -> Path:
    return homes.data_home() / "models" / name


def _say_how_to_use(out: Path, pack: str) -> None:
    is_users = out.parent == homes.data_home() / "models"
    model = out.name if is_users else str(out)
    note(f"wrote {out}; use it: kgask --pack {shlex.quote(pack)} --model {shlex.quote(model)} ...")


@contextmanager
def _watched(name: str, steps: int) -> Iterator[Callable[[Progress], None]]:
    """A report function: a progress bar on a terminal, a line now and then elsewhere."""
    with steps_bar(name, steps) as show:

        def report(progress: Progress) -> None:
            say = f"loss {progress.loss:.3f}, hops right {progress.hop_accuracy:.3f}"
            if progress.hits_at_1 is not None:
                say += f", Hits@1 {progress.hits_at_1:.3f}"
            show(progress.step, say)
            if progress.step % PLAIN_EVERY == 0:
                note(f"step {progress.step}/{steps}: {say}, {progress.left_s:.0f} s left")

        yield report
