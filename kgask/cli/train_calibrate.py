"""``kgask train calibrate``: how sure an answer is, of a path, of a query, and of plan and reader."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.errors import ModelError, UsageError

EVERYDAY, IN_PLAIN_WORDS = "everyday", "plain"  # questions whose golds are queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgask.corpus.examples import PathExample
    from kgask.methods.query_judge import QueryJudge
    from kgask.pack.store import Pack
    from kgask.plan.protocol import Planner
    from kgask.read.protocol import Reader
    from kgask.train.calibrate_asked import Asked, Seen
    from kgask.train.calibrate_fit import Figures, Fitted, Folders


@click.command(short_help="Fit the confidence of paths, queries and reader, and what is printed by default.")
@shared.data(required=False)
@click.option(
    "--questions", type=shared.OLD_FILE, metavar="FILE",
    help="Held-out wordings of paths instead of DATA's: lines of 'who wrote [MASK]?<TAB>P50'.",
)  # fmt: skip
@click.option("--model", default=config.DEFAULT_MODEL, show_default=True, help="Planner name or folder.")
@click.option("--reader", default=config.DEFAULT_READER, show_default=True, help="Reader name or folder.")
@click.option("--no-reader", is_flag=True, help="Only the confidence of paths, queries and judge.")
@click.option("--judge", default=config.DEFAULT_JUDGE, show_default=True, help="Judge name or folder.")
@click.option("--no-judge", is_flag=True, help="No confidence of a judge.")
@click.option("--keep-plan", is_flag=True, help="Leave the planner's card as it is.")
@click.option(
    "--pack", "packs", multiple=True, default=(config.DEFAULT_PACK,), show_default=True,
    help="Pack to ask about; may be repeated.",
)  # fmt: skip
@click.option(
    "--asked", type=(str, click.Path(path_type=Path), str), multiple=True, metavar="SET PATH PACK",
    help="People's questions, as 'kgask eval run' reads them ('everyday' among them; 'plain' are such in plain words), "
    "and the pack to ask; may be repeated.",
)  # fmt: skip
@click.option(
    "--graphs/--no-graphs",
    default=True,
    show_default=True,
    help="Ask what people asked of the small graphs that kgask brings.",
)
@click.option(
    "--tables/--no-tables",
    default=True,
    show_default=True,
    help="Ask WikiTableQuestions' questions about the tables that training keeps apart, where there is DATA.",
)
@shared.probes(50, 300, "Paths asked of each pack, and half as many with its relations reworded.")
@click.option(
    "--composed", type=click.IntRange(0), default=500, show_default=True,
    help="Questions with operators of each pack, where the planner writes queries.",
)  # fmt: skip
@click.option("--seed", "rng_seed", type=int, default=5, show_default=True, help="Seed of the questions.")
def calibrate(
    data: Path | None, questions: Path | None, model: str, reader: str, no_reader: bool, judge: str, no_judge: bool,
    keep_plan: bool,
    packs: tuple[str, ...], asked: tuple[tuple[str, Path, str], ...], graphs: bool, tables: bool, probes: int,
    composed: int, rng_seed: int,
) -> None:  # fmt: skip
    """Fit confidences and the default threshold, and write them into the model cards.

    Asked are paths in wordings that the planner's training kept apart, questions
    with operators composed over the packs in wordings that it kept apart, and
    people's questions (of KQA Pro's training part those kept apart); a third of
    all cannot be answered. Which wordings are DATA's is a matter of the planner's
    seed and of the kgask that trained it; FILE says so itself. Some minutes.
    """
    shared.need("scipy")
    from kgask.methods.query_judge import opened_judge
    from kgask.plan.card import RigelCard
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
    asked_judge = None if no_judge else opened_judge(judge, {})
    look = _Looking(planner, load_reader(reader_folder) if reader_folder else None, asked_judge, rng_seed)
    found = [config.find("pack", pack) for pack in packs]
    for pack in found:
        look.at_pack(pack.path, examples, probes, composed if planner.writes else 0)
    for name, path, pack_name in asked:
        look.at_people(name, path, config.find("pack", pack_name).path, data)
    if graphs and planner.writes:
        look.at_graphs()
    if tables and data is not None and planner.writes:
        look.at_tables(data)
    fitted = fitting.fit_all(look.seen, reader_folder is not None)
    folders = fitting.Folders(
        None if keep_plan else model_folder, reader_folder, asked_judge.folder if asked_judge else None
    )
    fitting.write_cards(folders, RigelCard.load(model_folder).hash, fitted, [pack.name for pack in found])
    _say(fitted, folders)


class _Looking:
    """Asks, and keeps what was seen."""

    def __init__(self, planner: Planner, reader: Reader | None, judge: QueryJudge | None, rng_seed: int) -> None:
        self.planner, self.reader, self.judge, self.rng_seed = planner, reader, judge, rng_seed
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

    def at_graphs(self) -> None:
        """The small graphs that kgask brings."""
        from kgask.corpus.small_graphs import ASKED, PLAIN, small_graphs

        for of, name in ((ASKED, EVERYDAY), (PLAIN, IN_PLAIN_WORDS)):
            with tempfile.TemporaryDirectory(prefix="kgask-") as folder:
                for pack, questions in small_graphs(of, Path(folder)):
                    self.at_people(name, questions, pack, None)

    def at_tables(self, data: Path) -> None:
        """Real tables with what people asked of them."""
        from kgask.answer.pipeline import Pipeline
        from kgask.corpus.judged_answers import by_table, packs_of
        from kgask.train.calibrate_asked import look, table_questions

        with steps_bar("ask real tables", sum(1 for _ in by_table(data, held_out=True))) as show:
            for done, (pack, questions) in enumerate(packs_of(data, True, self.rng_seed), 1):
                pipeline = Pipeline(pack, self.planner, self.reader, judge=self.judge)
                self.seen += look(pipeline, table_questions(pack, questions))
                show(done, "")

    def at_people(self, name: str, path: Path, pack_path: Path, data: Path | None) -> None:
        """The questions whose golds the pack leads to; what it answers to others may well be right."""
        from kgask.corpus.query_sources import held_out_golds
        from kgask.eval.covered import covered
        from kgask.pack.store import Pack
        from kgask.sets import everyday, registry
        from kgask.train.calibrate_asked import PEOPLE, PLAIN, everyday_questions, peoples_questions

        if name in (EVERYDAY, IN_PLAIN_WORDS):
            source = PEOPLE if name == EVERYDAY else PLAIN
            with Pack.open(pack_path) as pack:
                self._ask(pack, path.stem, everyday_questions(pack, everyday.load(path), source))
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
            pipeline = Pipeline(pack, self.planner, self.reader, judge=self.judge)
            self.seen += look(pipeline, asked, lambda done: show(done, ""))


def _say(fitted: Fitted, folders: Folders) -> None:
    note(f"{fitted.n_asked} questions, {fitted.n_answerable} of them answerable; figures of fits that did not see them")
    by = fitted.confidences
    _say_figures("plan", fitted.plan)
    words = ("reader", by.weighing, fitted.reader), ("judge", by.judging, fitted.judge)
    for who, said, figures in words:
        if said is not None and figures is not None:
            _say_figures(f"plan and {who}", figures)
            powers = ", ".join(f"{name} {value:.2f}" for name, value in said.powers.items())
            note(f"the {who} repaired {figures.repaired} and spoiled {figures.spoiled}; its powers: {powers}")
            note(f"it is asked within {said.margin} of the threshold's log-odds")
    written = [one for one in (folders.plan, folders.reader, folders.judge) if one is not None]
    note(f"wrote the cards of {', '.join(map(str, written))}")


def _say_figures(who: str, figures: Figures) -> None:
    rows = {
        who: figures.kept,
        f"{who}, where 5 % are wrong": figures.few_wrong,
        f"{who}, where a query was chosen": figures.queries,
    }
    rows |= {f"{who}, source {name}": one for name, one in figures.by_source.items()}
    rows |= {f"{who}, pack {name} left out": one for name, one in figures.by_pack.items()}
    for name, kept in rows.items():
        note(
            f"{name}: printed from {kept.threshold:.2f} on, {kept.wrong:.1%} of the printed wrong "
            f"({kept.wrong_of_all:.1%} of all), "
            f"{kept.coverage:.1%} of the answerable answered; right {kept.hits_at_1:.3f}, Brier {kept.brier:.4f}, "
            f"calibration error {kept.error:.4f}"
        )
