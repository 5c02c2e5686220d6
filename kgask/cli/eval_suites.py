"""``kgask eval table``, ``all`` and ``reading``: many runs over the public sets, as the README's results show them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.asked_with import not_asked_for
from kgask.cli.eval_run import run_one
from kgask.cli.figures import DATA_OPTION, LIMIT_OPTION, PACKS_OPTION, PLACE, READER_OPTION, counted, show_rows
from kgask.cli.options import JSON_OPTION, MODEL_OPTION, Command
from kgask.cli.render import note, steps_bar
from kgask.cli.render import table as print_table
from kgask.errors import EXIT_NO_ANSWER, UsageError
from kgask.types import PLANNED

if TYPE_CHECKING:
    from kgask.eval.folder import Saved
    from kgask.sets.gold import Gold

METHODS = ("none", "random", "similarity", PLANNED)
READERS = {"shipped": False, "none": True}  # name -> whether there is none
RUNS_OPTION = click.option("-o", "--output", type=PLACE, metavar="OUT", help="Keep the runs, and go on with them.")


@dataclass(frozen=True, slots=True)
class Column:
    """A question set: where it lies in DATA and which pack of PACKS it is asked over."""

    title: str
    set_name: str
    place: str
    pack: str
    hops: int = 1

    def golds(self, data: Path, limit: int | None) -> list[Gold]:
        from kgask.sets import registry
        from kgask.sets.gold import sample

        return sample(registry.load(self.set_name, self._needed(data, self.place)), limit)

    def run(self, golds: list[Gold], data: Path, packs: Path, output: Path, folder: str, **options: Any) -> Saved:
        """The set asked with these options, into a folder of ``output``."""
        about = {"set_name": self.set_name, "path": data / self.place, "split": None, "command": "kgask eval"}
        asked = {"given": False, "gold_hops": False, "min_confidence": 0.0, "pack": str(self._needed(packs, self.pack))}
        return run_one(golds, not_asked_for() | about | asked | options, output / folder.replace(" ", "_"))

    @staticmethod
    def _needed(folder: Path, name: str) -> Path:
        if not (folder / name).exists():
            raise UsageError(f"{folder / name}: not there; kgask eval prepare builds packs")
        return folder / name


METAQA = tuple(
    Column(f"MetaQA {n}-hop", "metaqa", f"metaqa/{n}-hop/qa_dev_kbexact.txt.gz", "metaqa", n) for n in (1, 2, 3)
)
PARAPHRASED = Column("MetaQA 1-hop paraphrased", "metaqa", "metaqa/1-hop/qa_dev_ntm.txt.gz", "metaqa")
ENTITY_QUESTIONS = Column("EntityQuestions", "entityquestions", "entityquestions/dev", "entityquestions")
REWORDED = Column("EntityQuestions reworded", "reworded", "", "entityquestions")
WEBQUESTIONS = Column("WebQuestions on FB15k-237", "webquestions-fb15k237", "", "fb15k237")
COLUMNS = (*METAQA, PARAPHRASED, ENTITY_QUESTIONS)


@contextmanager
def _kept(output: Path | None) -> Iterator[Path]:
    """The folder for runs: the user's, or one that is gone afterwards."""
    if output is not None:
        yield output
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


@click.command("table", cls=Command)
@DATA_OPTION
@PACKS_OPTION
@click.option("-o", "--output", required=True, type=PLACE, metavar="OUT", help="Folder for runs.")
@counted("--limit", 500, "Questions of each set.")
@counted("--top-k", 20, "Triples for the reader.", most=20)
def table(data: Path, packs: Path, output: Path, limit: int, top_k: int) -> None:
    """Ask MetaQA dev (1, 2, 3 hops; 1 hop paraphrased) and EntityQuestions dev by every method, read and unread.

    \b
    Topics are linked, no threshold applies. Methods that plan nothing look as many
    hops far as the set's questions need; the planner is told nothing. Packs: kgask eval prepare NAME DATA -o DIR/NAME
    Prints Hits@1 in per cent with 95 % intervals, as a Markdown table. Run again, it goes on.
    """
    from kgask.eval.summary import figures

    cells: dict[tuple[str, str], list[str]] = {(method, reader): [] for method in METHODS for reader in READERS}
    for column in COLUMNS:
        golds = column.golds(data, limit)
        for (method, reader), row in cells.items():
            reach = {} if method == PLANNED else {"hops": column.hops, "top_k": top_k}
            chosen = {"method": method, "no_reader": READERS[reader], **reach}
            saved = column.run(golds, data, packs, output, f"{column.title}, {method}, {reader}", **chosen)
            found = figures(saved.predictions)["hits_at_1"]
            row.append(f"{100 * found.value:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})")
    print(f"| method | reader | {' | '.join(column.title for column in COLUMNS)} |")
    print("|---" * (2 + len(COLUMNS)) + "|")
    for (method, reader), row in cells.items():
        print(f"| {method} | {reader} | {' | '.join(row)} |")


ALL_COLUMNS = (
    "questions measured value exact_set topic_linked auroc_of_confidence answered_at_default_threshold "
    "right_of_answered"
).split()


@click.command("all", cls=Command)
@DATA_OPTION
@PACKS_OPTION
@MODEL_OPTION
@LIMIT_OPTION
@RUNS_OPTION
@JSON_OPTION
def everything(
    data: Path, packs: Path, model: str | None, limit: int | None, output: Path | None, as_json: bool
) -> None:
    """Every figure of the planner that has a set here, one line each.

    \b
    Columns: set, questions, what is measured, its value, exact answer sets,
    topics linked, AUROC of the confidence, share answered at the default
    threshold, right of those.
    """
    asked = [*METAQA, ENTITY_QUESTIONS, REWORDED, WEBQUESTIONS]
    n_steps, rows = 2 * len(asked) + 3, []
    with _kept(output) as folder, steps_bar("measure", n_steps) as show:
        for column in asked:
            golds = column.golds(data, limit)
            for way, given in (("given", True), ("linked", False)):
                name = f"{column.title}, {way}"
                saved = column.run(golds, data, packs, folder, name, given=given, no_reader=True, model=model)
                rows.append({"set": name, **_planned(saved)})
                show(len(rows), name)
        rows.append({"set": "SimpleQuestions valid", **_relations(data, model)})
        for pack in ("metaqa", "fb15k237"):
            rows.append({"set": f"off topic, {pack}", **_off_topic(packs / pack, model, limit)})
            show(len(rows), rows[-1]["set"])
    rows = [{name: row.get(name) for name in ("set", *ALL_COLUMNS)} for row in rows]
    if as_json:
        print(json.dumps(rows))
    else:
        print_table(list(rows[0]), [["-" if value is None else value for value in row.values()] for row in rows])


def _planned(saved: Saved) -> dict[str, Any]:
    from kgask.eval.summary import figures, threshold_figures

    found = {name: round(figure.value, 4) for name, figure in figures(saved.predictions).items()}
    at_default = {name: value and round(value, 4) for name, value in threshold_figures(saved).items()}
    return found | {
        "questions": len(saved.predictions),
        "measured": "Hits@1",
        "value": found["hits_at_1"],
        "answered_at_default_threshold": at_default["coverage"],
        "right_of_answered": at_default["accuracy_of_answered"],
    }


def _relations(data: Path, model: str | None) -> dict[str, Any]:
    from kgask.cli.eval_checks import measured_relations
    from kgask.sets.simplequestions import VALID

    figures = measured_relations(data / VALID, data, model)
    return figures | {"measured": "relation top-1", "value": figures["top_1"]}


def _off_topic(pack: Path, model: str | None, limit: int | None) -> dict[str, Any]:
    from kgask.cli.eval_checks import measured_off_topic
    from kgask.eval.off_topic import N

    found, _ = measured_off_topic(str(pack), model, limit or N, 0)
    crashed = f", {found['crashed']} crashed" if found["crashed"] else ""
    return found | {"measured": "refused" + crashed, "value": found["abstained"]}


@click.command("reading", cls=Command)
@DATA_OPTION
@PACKS_OPTION
@READER_OPTION
@MODEL_OPTION
@counted("--limit", 500, "Questions of each set.")
@click.option("--changed", is_flag=True, help="Print the questions that the reader repaired or spoiled to stderr.")
@RUNS_OPTION
@JSON_OPTION
def reading(
    data: Path, packs: Path, reader: str | None, model: str | None, limit: int, changed: bool, output: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """MetaQA dev and EntityQuestions dev with the reader and without it.

    Hits@1 and the F1 of the answer set count every question, without a
    threshold; "answered" is at each way's default threshold. It holds where the
    reader loses at most 0.5 points of both; exit code 3 where it does not.
    """
    from kgask.eval.compare import compare
    from kgask.eval.reading import figures

    rows: list[dict[str, Any]] = []
    with _kept(output) as folder:
        for column in (*METAQA, ENTITY_QUESTIONS):
            golds = column.golds(data, limit)
            read = column.run(golds, data, packs, folder, f"{column.title}, read", reader=reader, model=model)
            plan = column.run(golds, data, packs, folder, f"{column.title}, plan", no_reader=True, model=model)
            found = compare(plan, read, resamples=1)
            rows.append({"set": column.title, **figures(found, plan, read)})
            for one in found.changed if changed else ():
                what = "repaired" if one.gained else "spoiled"
                note(f"{what}: {one.first.question} -> reader {one.second.shown()}, plan {one.first.shown()}")
    show_rows(rows, as_json)
    return 0 if all(row["holds"] for row in rows) else EXIT_NO_ANSWER
