"""``kgask train adapt`` and ``kgask train domain``: planners for one pack."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask import config
from kgask.build.folder import MODEL, check_target, new_folder
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar, table
from kgask.machine.homes import data_home

if TYPE_CHECKING:
    from kgask.train.planner.domain import InDomainResult, InDomainTrainer
    from kgask.train.planner.validate import Validation

_QUESTIONS = click.option(
    "--questions", multiple=True, type=shared.OLD_FILE, metavar="FILE",
    help='Lines of "text with [topic]<TAB>answer|answer", a path in a third column if you know it. Repeatable.',
)  # fmt: skip
_BASE = click.option("--base", default=config.DEFAULT_MODEL, show_default=True, help="Planner to go on from.")
_OUT = shared.output(help="Model folder.  [default: a model of yours]", required=False)
_PROBES = shared.probes(20, 400)
_FLOAT32 = click.option("--float32", is_flag=True, help="Write a float32 graph where int8 answers otherwise.")


@click.command(short_help="Specialise the planner to a pack, with or without questions.")
@click.argument("pack")
@_QUESTIONS
@click.option(
    "--judge",
    "judges",
    multiple=True,
    type=shared.OLD_FILE,
    metavar="FILE",
    help="Questions as in --questions that are never learnt: the base stays unless it answers fewer of these.",
)
@_BASE
@shared.STEPS
@_OUT
@shared.WORK
@shared.SEED
@shared.THREADS
@_PROBES
@_FLOAT32
@shared.DEVICE
@shared.FORCE
def adapt(
    pack: str,
    questions: tuple[Path, ...],
    judges: tuple[Path, ...],
    base: str,
    out: Path | None,
    work: Path | None,
    threads: int | None,
    probes: int,
    float32: bool,
    device: str,
    force: bool,
    **given: Any,
) -> None:
    """Specialise the shipped planner to PACK; minutes on a CPU.

    Without --questions it learns from questions made of the pack alone. With
    some, even fifty, it learns these and their like: one for each kind of
    question helps most. It is compared with the base on questions in wordings
    that it did not learn from, and kept where it is better by more than chance
    and has unlearned nothing. Made questions are not people's: judge by real
    ones with --judge where you have some. 100 steps, unless --steps says
    otherwise.

    \b
      kgask train adapt my_pack
      kgask train adapt my_pack --questions questions.tsv
      kgask --pack my_pack --model rigel-my_pack "..."
    """
    shared.prepare(threads, device)
    from kgask.train.planner.adapt import AdaptConfig, AdaptTrainer
    from kgask.train.planner.adapt import adapt as run_adapt

    found, base_folder = config.find("pack", pack), _planner(base)
    out = out or _users_model(f"rigel-{found.name}")
    sources = [base_folder, found.path, *questions, *judges]
    check_target(out, force, MODEL, sources)
    settings = shared.given_of(AdaptConfig, given)
    note("making questions of the pack")
    with shared.checkpoints(work, out) as folder:
        trainer = AdaptTrainer(base_folder, found.path, questions, folder, settings, device, judges)
        with shared.watched("adapt", settings.steps) as report:
            result = run_adapt(trainer, report)
        before, after = result.pack.shares
        if result.verdict.kept:
            about: dict[str, Any] = {"held_out": result.pack.n, "hits_at_1_before": before, "hits_at_1": after}
            about |= dict(zip(("general_before", "general"), result.general.shares, strict=True))
            about |= {"kept": result.verdict.why, "recipe": f"kgask train adapt, from {base}"}
            _export(trainer, out, probes, about, force, sources, float32)
    note(f"Hits@1 on {result.pack.n} held-out questions: {before:.3f} before, {after:.3f} now")
    note("general questions planned right: {:.3f} before, {:.3f} now".format(*result.general.shares))
    if not result.verdict.kept:
        note(f"the base stays, since {result.verdict.why}; nothing was written")
        note(f"go on with it: kgask --model {shlex.quote(base)} --pack {shlex.quote(pack)} ...")
        return
    note(f"the adapted planner is kept, since {result.verdict.why}")
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
@_BASE
@click.option("--encoder", type=click.Path(path_type=Path), help="Start from a bare encoder folder instead.")
@click.option("--closed", is_flag=True, help="A closed vocabulary: relations as free vectors, for this pack only.")
@click.option("--split-templates", "held_out", type=click.FloatRange(0, 0.9), help="Share of wordings to hold out.")
@click.option("--linked", is_flag=True, help="Ask the held-out questions with their topics linked too.")
@shared.STEPS
@shared.BATCH_SIZE
@_OUT
@shared.WORK
@shared.SEED
@shared.THREADS
@_PROBES
@_FLOAT32
@shared.DEVICE
@shared.FORCE
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
    float32: bool,
    device: str,
    force: bool,
    **given: Any,
) -> None:
    """Train a planner for PACK from thousands of its questions.

    Questions are split by wording (the text with its topic masked); Hits@1 and
    exact sets on the wordings held out are printed at the end, by hops. Goes on
    from the last checkpoint in --work.
    """
    shared.prepare(threads, device)
    from kgask.train.planner.domain import InDomainConfig, InDomainJob, train_in_domain

    if not questions:
        raise click.UsageError("give questions with --questions FILE; without any, see: kgask train adapt --help")
    found = config.find("pack", pack)
    start = encoder or _planner(base)
    out = out or _users_model(f"rigel-{found.name}-domain")
    sources = [start, found.path, *questions]
    check_target(out, force, MODEL, sources)
    settings = shared.given_of(InDomainConfig, given)
    with shared.checkpoints(work, out) as folder:
        job = InDomainJob(found.path, questions, folder, start, None if encoder else start, device)
        with shared.watched("train", settings.steps) as report:
            trainer, result = train_in_domain(job, settings, report)
        scores = {f"held_out_{hops}_hops": part.hits_at_1 for hops, part in result.held_out.items()}
        recipe = f"kgask train domain --supervision {settings.supervision}"
        _export(trainer, out, probes, scores | {"recipe": recipe}, force, sources, float32)
    note(f"{result.steps} steps; {result.n_templates} wordings learnt, {result.n_held_out} held out (topic given):")
    _table_by_hops(result.held_out.items())
    if linked:
        _show_linked(trainer, result)
    _say_how_to_use(out, pack)


def _export(
    trainer: InDomainTrainer,
    out: Path,
    probes: int,
    scores: dict[str, Any],
    force: bool,
    sources: list[Path],
    full: bool,
) -> None:
    from kgask.train.planner.pack_model import build_pack_model

    note(
        "teaching its queries the relations as they are now, then exporting" if trainer.writes_queries else "exporting"
    )
    with (
        steps_bar("calibrate", probes) as show,
        shared.watched("queries", trainer.config.query_steps) as report,
        new_folder(out, force, MODEL, sources) as folder,
    ):
        found = build_pack_model(trainer, folder, probes, scores, lambda done, _: show(done, ""), full, report)
    form = "int8" if found.parity.quantised else "float32"
    note(f"{form} answers {found.same_answers:.1%} of held-out questions as torch does")
    if found.taught is not None:
        note(
            f"held-out questions with operators written right: {found.taught.before:.1%} with the decoder as it was, "
            f"{found.taught.after:.1%} now"
        )


def _show_linked(trainer: InDomainTrainer, result: InDomainResult) -> None:
    """The held-out questions as they were asked, topic linked."""
    from kgask.train.planner.pack_model import torch_pipeline, validate_linked

    pipeline, parts = torch_pipeline(trainer), {}
    for hops in result.held_out:
        questions = [question for question in trainer.held_out if len(question.path or ()) == hops]
        with steps_bar("ask", len(questions)) as show:
            parts[hops] = validate_linked(pipeline, questions, lambda done: show(done, ""))  # noqa: B023 - called at once
    note("the same questions, topic linked:")
    _table_by_hops(parts.items())


def _table_by_hops(parts: Iterable[tuple[int, Validation]]) -> None:
    rows = [(hops or "not known", part.n, f"{part.hits_at_1:.4f}", f"{part.exact_set:.4f}") for hops, part in parts]
    table(("hops", "questions", "Hits@1", "exact sets"), rows)


def _planner(name: str) -> Path:
    """The folder of a planner; :class:`ModelError` when it is none, before anything is made."""
    from kgask.plan.card import RigelCard

    return RigelCard.load(config.find("model", name).path).folder


def _users_model(name: str) -> Path:
    return data_home() / "models" / name


def _say_how_to_use(out: Path, pack: str) -> None:
    model = out.name if out.parent == data_home() / "models" else str(out)
    shared.say_how_to_use(out, "--pack", pack, "--model", model)
