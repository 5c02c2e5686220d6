"""Judge questions of tables whose answers alone are known: which query is believed, what is left out."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

from kgask.answer.pipeline import Pipeline
from kgask.config import shipped_root
from kgask.corpus.judged_answers import build_table, by_table, is_held_out, questions
from kgask.methods.query_judge import QueryJudge
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.sets.wikitablequestions import TABLES, TRAINING, Table, TableAnswer

BRIDGES = Table(
    ("#", "bridge", "city", "length"),
    (
        ("1", "Iron Arch", "Brask", "120 m"), ("2", "Mill Footbridge", "Brask", "40 m"),
        ("3", "Long Span", "Tolm", "910 m"), ("4", "Old Crossing", "–", "75 m"), ("", "Total", "", "1,145 m"),
    ),
)  # fmt: skip


def made(tmp_path: Path, *asked: TableAnswer) -> list[dict[str, bool | None]]:
    assert build_table(BRIDGES, tmp_path / "bridges", random.Random(1))
    planner, judge = RigelPlanner.load(shipped_root("model") / "rigel"), QueryJudge(shipped_root("model") / "judge")
    with Pack.open(tmp_path / "bridges") as pack:
        found = list(questions(Pipeline(pack, planner, None), judge, asked))
    return [{query.words: query.right for query in one.queries} for one in found]


def test_of_the_queries_that_come_to_the_answer_one_is_believed(tmp_path: Path) -> None:
    asked = TableAnswer("Which bridge is the longest?", "t", ("Long Span",))
    (told,) = made(tmp_path, asked)
    (believed,) = (words for words, right in told.items() if right)
    assert "longest" in believed
    assert any("shortest" in words for words, right in told.items() if right is False)


def test_where_no_query_comes_to_it_all_are_wrong(tmp_path: Path) -> None:
    (told,) = made(tmp_path, TableAnswer("Which bridge is the longest?", "t", ("Golden Gate",)))
    assert told and set(told.values()) == {False}


def test_a_row_of_all_the_others_and_empty_cells_are_no_facts(tmp_path: Path) -> None:
    assert build_table(BRIDGES, tmp_path / "bridges", random.Random(1))
    with Pack.open(tmp_path / "bridges") as pack:
        labels = set(pack.labels(list(range(pack.n_entities))))
    assert {"Long Span", "Tolm"} <= labels and not labels & {"Total", "–"}


def test_a_table_whose_rows_nothing_names_is_left_out(tmp_path: Path) -> None:
    same = Table(("team", "points"), tuple(("Reds", str(points)) for points in range(5)))
    assert not build_table(same, tmp_path / "same", random.Random(1))


def test_tables_are_held_out_whole_and_what_the_order_of_lines_tells_is_not_asked(tmp_path: Path) -> None:
    names = [f"t{number}" for number in range(40)]
    rows = [list(BRIDGES.columns), *map(list, BRIDGES.rows)]
    texts = ("Which bridge is the longest?", "Which bridge is listed next after Iron Arch?")
    for file, lines in (
        (TABLES, [{"table": name, "rows": rows} for name in names]),
        (TRAINING, [{"question": text, "table": name, "answers": ["Long Span"]} for name in names for text in texts]),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        with gzip.open(tmp_path / file, "wt", encoding="utf-8") as out:
            out.write("".join(json.dumps(line) + "\n" for line in lines))
    parts = [[one for _, asked in by_table(tmp_path, held_out=held) for one in asked] for held in (False, True)]
    assert [{is_held_out(one.table) for one in part} for part in parts] == [{False}, {True}]
    assert sum(map(len, parts)) == 40 and {one.question for part in parts for one in part} == {texts[0]}
