"""``kgask train calibrate``: how sure an answer is, of the plan alone and of plan and reader."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.errors import ModelError, UsageError

if TYPE_CHECKING:
    from kgask.train.calibrate_reader import Fitted


@click.command(short_help="Fit the confidence of planner and reader, and what the reader's word counts.")
@shared.data(required=False)
@click.option(
    "--questions", type=shared.OLD_FILE, metavar="FILE",
    help="Held-out wordings instead of DATA's: lines of 'who wrote [MASK]?<TAB>P50'.",
)  # fmt: skip
@click.option("--model", default=config.DEFAULT_MODEL, show_default=True, help="Planner name or folder.")
@click.option("--reader", default=config.DEFAULT_READER, show_default=True, help="Reader name or folder.")
@click.option("--no-reader", is_flag=True, help="Only the plan's own confidence.")
@click.option("--keep-plan", is_flag=True, help="Leave the planner's card as it is.")
@click.option(
    "--pack", "packs", multiple=True, default=(config.DEFAULT_PACK,), show_default=True,
    help="Pack to ask about; may be repeated.",
)  # fmt: skip
@shared.probes(50, 500, "Questions of each pack, and again with its relations reworded.")
@click.option("--seed", "rng_seed", type=int, default=5, show_default=True, help="Seed of the questions.")
def calibrate(
    data: Path | None, questions: Path | None, model: str, reader: str, no_reader: bool, keep_plan: bool,
    packs: tuple[str, ...], probes: int, rng_seed: int,
) -> None:  # fmt: skip
    """Fit confidences and default thresholds, and write them into the model cards.

    Asked are wordings that the planner's training kept apart, about entities
    that have the relation, that lack it, and about names that the pack does not
    know. Which ones DATA's are is a matter of the planner's seed and of the
    kgask that trained it; FILE says so itself. Two minutes on one free core.
    """
    shared.need("scipy")
    from kgask.answer.pipeline import Pipeline
    from kgask.pack.store import Pack
    from kgask.plan.rigel_onnx import RigelPlanner
    from kgask.read.load import load_reader
    from kgask.train import calibrate_reader as fitting
    from kgask.train.calibrate import draw_probes

    model_folder = config.find("model", model).path
    if data is not None and questions is None:
        examples = fitting.held_out_examples(data, model_folder)
    elif questions is not None and data is None:
        examples = fitting.read_examples(questions)
    else:
        raise UsageError("give --data DATA or --questions FILE")
    reader_folder = None if no_reader else config.find("model", reader).path
    if reader_folder is not None and not (reader_folder / config.MODEL_CARD).is_file():
        raise ModelError(f"{reader_folder}: has no model card to write to; give a reader's folder")
    found = [config.find("pack", pack) for pack in packs]
    seen: list[fitting.Seen] = []
    planner = RigelPlanner.load(model_folder)
    judge = load_reader(reader_folder) if reader_folder else None
    for pack in found:
        reworded = fitting.RewordedPack.of(pack.path, rng_seed)
        for name, opened in ((pack.name, Pack.open(pack.path)), (f"{pack.name} reworded", reworded)):
            if opened is not None:
                with Pipeline(opened, planner, judge) as pipeline:
                    asked = draw_probes(opened, examples, probes, random.Random(rng_seed))
                    with steps_bar(f"ask {name}", len(asked)) as show:
                        seen += fitting.look(pipeline, asked, lambda done: show(done, ""))  # noqa: B023 - called at once
    fitted = fitting.fit_both(seen, reader_folder is not None)
    fitting.write_cards(model_folder, reader_folder, fitted, [pack.name for pack in found], keep_plan)
    _say(fitted, model_folder, reader_folder, keep_plan)


def _say(fitted: Fitted, model: Path, reader: Path | None, keep_plan: bool) -> None:
    counts = f"{fitted.n_probes} questions, {fitted.n_answerable} of them answerable"
    note(f"{counts}; figures of fits that did not see them")
    for name, kept in (("plan alone", fitted.by_plan), ("plan and reader", fitted.by_both)):
        if kept is not None:
            note(
                f"{name}: printed from {kept.threshold:.2f} on, {kept.wrong:.1%} of the printed wrong, "
                f"{kept.coverage:.1%} of the answerable answered; Hits@1 {kept.hits_at_1:.3f}, Brier {kept.brier:.4f}"
            )
    if fitted.weighing is not None:
        powers = ", ".join(f"{name} {value:.2f}" for name, value in fitted.weighing.powers.items())
        note(f"the reader repaired {fitted.repaired} and spoiled {fitted.spoiled}; its powers: {powers}")
    written = [] if keep_plan else [model]
    note(f"wrote the cards of {', '.join(map(str, [*written, *([reader] if reader else [])]))}")
