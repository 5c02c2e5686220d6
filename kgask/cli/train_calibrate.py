"""``kgask train calibrate``: how sure an answer is, of a path, of a query, and of plan and reader."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.errors import ModelError, UsageError

EVERYDAY = "everyday"  # questions whose golds are queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgask.corpus.examples import PathExample
    from kgask.pack.store import Pack
    from kgask.plan.protocol import Planner
    from kgask.read.protocol import Reader
    from kgask.train.calibrate_asked import Asked, Seen
    from kgask.train.calibrate_fit import Fitted


@click.command(short_help="Fit the confidence of paths, queries and reader, and what is printed by default.")
@shared.data(required=False)
@click.option(
    "--questions", type=shared.OLD_FILE, metavar="FILE",
    help="Held-out wordings of paths instead of DATA's: lines of 'who wrote [MASK]?<TAB>P50'.",
)  # fmt: skip
@click.option("--model", default=config.DEFAULT_MODEL, show_default=True, help="Planner name or folder.")
@click.option("--reader", default=config.DEFAULT_READER, show_default=True, help="Reader name or folder.")
@click.option("--no-reader", is_flag=True, help="Only the confidence of paths and queries.")
@click.option("--keep-plan", is_flag=True, help="Leave the planner's card as it is.")
@click.option(
    "--pack", "packs", multiple=True, default=(config.DEFAULT_PACK,), show_default=True,
    help="Pack to ask about; may be repeated.",
)  # fmt: skip
@click.option(
    "--asked", type=(str, click.Path(path_type=Path), str), multiple=True, metavar="SET PATH PACK",
    help="People's questions, as 'kgask eval run' reads them ('everyday' among them), and the pack to ask; may be "
    "repeated.",
)  # fmt: skip
@shared.probes(50, 300, "Paths asked of each pack, and half as many with its relations reworded.")
@click.option(
    "--composed", type=click.IntRange(0), default=500, show_default=True,
    help="Questions with operators of each pack, where the planner writes queries.",
)  # fmt: skip
@click.option("--seed", "rng_seed", type=int, default=5, show_default=True, help="Seed of the questions.")
def calibrate(
    data: Path | None, questions: Path | None, model: str, reader: str, no_reader: bool, keep_plan: bool,
    packs: tuple[str, ...], asked: tuple[tuple[str, Path, str], ...], probes: int, composed: int, rng_seed: int,
) -> None:  # fmt: skip
    """Fit confidences and the default threshold, and write them into the model cards.

    Asked are paths in wordings that the planner's training kept apart, questions
    with operators composed over the packs in wordings that it kept apart, and
    people's questions (of KQA Pro's training part those kept apart); a third of
    all cannot be answered. Which wordings are DATA's is a matter of the planner's
    seed and of the kgask that trained it; FILE says so itself. Some minutes.
    """
    shared.need("scipy")
    from kgask.plan.rigel_onnx import RigelPlanner
    from kgask.read.load import load_reader
    from kgask.train import calibrate_fit as fitting
    from kgask.train.calibrate_reader import held_out_examples, read_examples

    model_folder = config.find("model", model).path
    if data is not None and questions is None:
        examples = held_out_examples(data, model_folder)
    elif questions is not None and data is None:
        examples = read_examples(questions)
    else:
        raise UsageError("give --data DATA or --questions FILE")
    reader_folder = None if no_reader else config.find("model", reader).path
    if reader_folder is not None and not (reader_folder / config.MODEL_CARD).is_file():
        raise ModelError(f"{reader_folder}: has no model card to write to; give a reader's folder")
    planner = RigelPlanner.load(model_folder)
    look = _Looking(planner, load_reader(reader_folder) if reader_folder else None, rng_seed)
    found = [config.find("pack", pack) for pack in packs]
    for pack in found:
        look.at_pack(pack.path, examples, probes, composed if planner.writes else 0)
    for name, path, pack_name in asked:
        look.at_people(name, path, config.find("pack", pack_name).path, data)
    fitted = fitting.fit_all(look.seen, reader_folder is not None)
    fitting.write_cards(model_folder, reader_folder, fitted, [pack.name for pack in found], keep_plan)
    _say(fitted, model_folder, reader_folder, keep_plan)


class _Looking:
    """Asks, and keeps what was seen."""

    def __init__(self, planner: Planner, reader: Reader | None, rng_seed: int) -> None:
        self.planner, self.reader, self.rng_seed = planner, reader, rng_seed
        self.seen: list[Seen] = []

    def at_pack(self, path: Path, examples: list[PathExample], n: int, n_composed: int) -> None:
        """Paths and composed questions of a pack, and paths once more with other words for its relations."""
        from kgask.pack.store import Pack
        from kgask.train.calibrate_asked import composed_questions, path_questions
        from kgask.train.calibrate_reader import RewordedPack

        with Pack.open(path) as pack:
            self._ask(pack, "paths", path_questions(pack, examples, n, random.Random(self.rng_seed)))
            self._ask(pack, "operators", composed_questions(pack, n_composed, self.rng_seed))
        reworded = RewordedPack.of(path, self.rng_seed)
        if reworded is not None:
            with reworded:
                rng = random.Random(self.rng_seed + 1)
                self._ask(reworded, "paths reworded", path_questions(reworded, examples, n // 2, rng))

    def at_people(self, name: str, path: Path, pack_path: Path, data: Path | None) -> None:
        """The questions whose golds the pack leads to; what it answers to others may well be right."""
        from kgask.corpus.query_sources import held_out_golds
        from kgask.eval.covered import covered
        from kgask.pack.store import Pack
        from kgask.sets import everyday, registry
        from kgask.train.calibrate_asked import everyday_questions, peoples_questions

        if name == EVERYDAY:
            with Pack.open(pack_path) as pack:
                self._ask(pack, path.stem, everyday_questions(pack, everyday.load(path)))
            return
        golds = registry.load(name, path)
        if name == "kqapro":
            if data is None:
                raise UsageError("kqapro: --data DATA says which questions the planner was not trained on")
            golds = held_out_golds(data, golds)
        with Pack.open(pack_path) as pack:
            known = golds if name == "kqapro" else covered(pack, golds)
            self._ask(pack, name, peoples_questions(pack, known))

    def _ask(self, pack: Pack, what: str, asked: Sequence[Asked]) -> None:
        from kgask.answer.pipeline import Pipeline
        from kgask.train.calibrate_asked import look

        with steps_bar(f"ask {pack.name}: {what}", len(asked)) as show:
            pipeline = Pipeline(pack, self.planner, self.reader)
            self.seen += look(pipeline, asked, lambda done: show(done, ""))


def _say(fitted: Fitted, model: Path, reader: Path | None, keep_plan: bool) -> None:
    note(f"{fitted.n_asked} questions, {fitted.n_answerable} of them answerable; figures of fits that did not see them")
    rows = {"plan alone": fitted.by_plan, "plan and reader": fitted.by_both, "where a query was chosen": fitted.queries}
    rows |= {f"source {name}": one for name, one in fitted.by_source.items()}
    rows |= {f"pack {name}, left out": one for name, one in fitted.by_pack.items()}
    for name, kept in rows.items():
        if kept is not None:
            note(
                f"{name}: printed from {kept.threshold:.2f} on, {kept.wrong:.1%} of the printed wrong, "
                f"{kept.coverage:.1%} of the answerable answered; right {kept.hits_at_1:.3f}, Brier {kept.brier:.4f}, "
                f"calibration error {kept.error:.4f}"
            )
    weighing = fitted.confidences.weighing
    if weighing is not None:
        powers = ", ".join(f"{name} {value:.2f}" for name, value in weighing.powers.items())
        note(f"the reader repaired {fitted.repaired} and spoiled {fitted.spoiled}; its powers: {powers}")
        note(f"it is asked within {weighing.margin} of the threshold's log-odds")
    written = [] if keep_plan else [model]
    note(f"wrote the cards of {', '.join(map(str, [*written, *([reader] if reader else [])]))}")
