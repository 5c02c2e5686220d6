"""``kgask eval table``: methods and readers over the public sets, as the README's results show them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.asked_with import not_asked_for
from kgask.cli.eval_run import run_one
from kgask.errors import UsageError
from kgask.types import PLANNED

if TYPE_CHECKING:
    from kgask.eval.folder import Saved

METHODS = ("none", "random", "similarity", PLANNED)
READERS = {"shipped": False, "none": True}  # name -> whether there is none
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Column:
    """A question set of the table: where it lies in DATA and which pack of PACKS it is asked over."""

    title: str
    set_name: str
    place: str
    pack: str
    hops: int


COLUMNS = (
    *(Column(f"MetaQA {n}-hop", "metaqa", f"metaqa/{n}-hop/qa_dev_kbexact.txt.gz", "metaqa", n) for n in (1, 2, 3)),
    Column("MetaQA 1-hop paraphrased", "metaqa", "metaqa/1-hop/qa_dev_ntm.txt.gz", "metaqa", 1),
    Column("EntityQuestions", "entityquestions", "entityquestions/dev", "entityquestions", 1),
)


@click.command("table", short_help="Methods and readers over the public sets, as in the README.")
@click.option("--data", required=True, type=FOLDER, metavar="DATA", help="Folder with the public sets.")
@click.option("--packs", required=True, type=FOLDER, metavar="DIR", help="Folder with their packs.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="OUT", help="Folder for runs.")
@click.option("--limit", type=click.IntRange(1), default=500, show_default=True, help="Questions of each set.")
@click.option("--top-k", type=click.IntRange(1, 20), default=20, show_default=True, help="Triples for the reader.")
def table(data: Path, packs: Path, output: Path, limit: int, top_k: int) -> None:
    """Ask MetaQA dev (1, 2, 3 hops; 1 hop paraphrased) and EntityQuestions dev by every method, read and unread.

    \b
    Topics are linked, no threshold applies. Methods that plan nothing look as many
    hops far as the set's questions need; the planner is told nothing. Packs: kgask bench prepare NAME DATA -o DIR/NAME
    Prints Hits@1 in per cent with 95 % intervals, as a Markdown table. Run again, it goes on.
    """
    from kgask.sets import registry
    from kgask.sets.gold import sample

    cells: dict[tuple[str, str], list[str]] = {(method, reader): [] for method in METHODS for reader in READERS}
    for column in COLUMNS:
        path, pack = data / column.place, packs / column.pack
        for needed in (path, pack):
            if not needed.exists():
                raise UsageError(f"{needed}: not there; see kgask eval table --help")
        golds = sample(registry.load(column.set_name, path), limit)
        for method, reader in cells:
            options = _options(column, path, pack, method, READERS[reader], top_k)
            saved = run_one(golds, options, output / f"{column.title}, {method}, {reader}".replace(" ", "_"))
            cells[method, reader].append(_shown(saved))
    print(f"| method | reader | {' | '.join(column.title for column in COLUMNS)} |")
    print("|---" * (2 + len(COLUMNS)) + "|")
    for (method, reader), row in cells.items():
        print(f"| {method} | {reader} | {' | '.join(row)} |")


def _options(column: Column, path: Path, pack: Path, method: str, no_reader: bool, top_k: int) -> dict[str, Any]:
    return not_asked_for() | {
        "set_name": column.set_name,
        "path": path,
        "split": None,
        "pack": str(pack),
        "method": method,
        "no_reader": no_reader,
        "hops": None if method == PLANNED else column.hops,
        "top_k": None if method == PLANNED else top_k,
        "given": False,
        "gold_hops": False,
        "min_confidence": 0.0,
        "command": "kgask eval table",
    }


def _shown(saved: Saved) -> str:
    """Hits@1 in per cent with its interval."""
    from kgask.eval.summary import figures

    found = figures(saved.predictions)["hits_at_1"]
    return f"{100 * found.value:.1f} ({100 * found.low:.1f}–{100 * found.high:.1f})"
