"""Forty tables of somebody's own with 25 questions each, answers known: ``python tests/owners_tables.py OUT``.

Tables and questions were made by people who had seen nothing of kgask (``tests/data/owners_tables``); each table is
built as ``kgask pack build NAME.csv`` builds it. The failures of the first ten were read while rules were written, of
ten others what was printed and wrong, of the last twenty nothing. The figures are printed as JSON, the outcomes kept in
OUT.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from real_tables import is_right

from kgask.answer.request import AskOptions
from kgask.build.recipe import Recipe, build
from kgask.sets.wikitablequestions import TableAnswer

FOLDER = Path(__file__).parent / "data" / "owners_tables"
PARTS = {
    "read": "allotment cellar digs family fieldnotes rail services ships theatre trials",
    "wrong ones read": "beekeeping canal_locks cemetery dogshow food_bank hamradio recording_studio research_vessels "
    "tabletop_campaign village_archive",
    "not read": "bells cheesecave costumehire filmcams firebrigade knitting pinball podcast pottery sleddogs "
    "alphorn_club cavers chimney_rounds diatom_cultures guide_dogs marionettes meteorite_stock neon_bench palenque "
    "pigeon_loft",
}


def asked(table: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Each question of a table with what was said, and whether it is right; of one without an answer nothing is."""
    import kgask

    recipe = Recipe(sources=(str(table),), target=out / table.stem, recognise=True, force=True)
    build(recipe, tell=lambda line: None)
    with kgask.open(str(out / table.stem), reader=None) as pipeline:
        for line in table.with_suffix(".tsv").read_text(encoding="utf-8").splitlines():
            question, _, said = line.partition("\t")
            gold = TableAnswer(question, table.stem, tuple(filter(None, said.split("|"))))
            printed = pipeline.ask(question)
            best = pipeline.ask(question, AskOptions(min_confidence=0.0)) if printed.abstained else printed
            right = bool(gold.answers) and is_right(gold, best)
            yield {
                "table": table.stem, "question": question, "gold": gold.answers, "answer": best.text,
                "confidence": best.confidence, "query": best.query_text,
                "printed": not printed.abstained, "right": right,
            }  # fmt: skip


def figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    known = [row for row in rows if row["gold"]]
    return {
        "questions": len(rows),
        "answerable_right": round(sum(row["printed"] and row["right"] for row in known) / len(known), 3),
        "right_at_any_confidence": round(sum(row["right"] for row in known) / len(known), 3),
        "printed_and_wrong": round(sum(row["printed"] and not row["right"] for row in rows) / len(rows), 3),
    }


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    rows = [row for table in sorted(FOLDER.glob("*.csv")) for row in asked(table, out)]
    (out / "outcomes.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    parts = {name: [row for row in rows if row["table"] in tables.split()] for name, tables in PARTS.items()}
    print(json.dumps({name: figures(part) for name, part in parts.items()}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
