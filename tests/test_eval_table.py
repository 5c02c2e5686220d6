"""`kgask eval table`: every method and reader over small sets in their published forms."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from films import build_films

from kgask.cli.eval_suites import COLUMNS, METHODS, READERS
from kgask.cli.main import cli
from kgask.errors import UsageError

QUESTIONS = "who directed [Harbour Lights]\tAnn Ray\nwho directed [North Road]\tCarl Moss\n"


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    *metaqa, entityquestions = COLUMNS
    for column in metaqa:
        place = data / column.place
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(QUESTIONS.encode()))
    packs = tmp_path / "packs"
    packs.mkdir()
    dev = data / entityquestions.place
    dev.mkdir(parents=True)
    (dev / "P57.dev.json").write_text(
        json.dumps([{"question": "Who is the director of Stone Garden?", "answers": ["Ann Ray"]}]), encoding="utf-8"
    )
    (dev / "relation_query_templates.json").write_text(
        json.dumps({"P57_": "Who is the director of [X]?"}), encoding="utf-8"
    )
    for name in {column.pack for column in COLUMNS}:
        (tmp_path / name).mkdir()
        build_films(tmp_path / name / name).rename(packs / name)
    return tmp_path


def table(sets: Path) -> Result:
    arguments = ["eval", "table", "--data", str(sets / "data"), "--packs", str(sets / "packs"), "-o", str(sets / "out")]
    return CliRunner().invoke(cli, arguments)


@pytest.mark.slow
@pytest.mark.parametrize("methods", [("none", "rigel"), pytest.param(METHODS, marks=pytest.mark.slow)], ids=len)
def test_the_table_has_a_row_for_each_method_and_reader_and_goes_on(
    methods: tuple[str, ...], sets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgask.cli.eval_suites.METHODS", methods)
    done = table(sets)
    assert done.exit_code == 0, done.output
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()]
    assert rows[0][2:] == [column.title for column in COLUMNS]
    assert [tuple(row[:2]) for row in rows[2:]] == [(method, reader) for method in methods for reader in READERS]
    by_method = {tuple(row[:2]): [float(cell.split()[0]) for cell in row[2:]] for row in rows[2:]}
    assert by_method["none", "shipped"] == [0.0] * len(COLUMNS)
    assert by_method["rigel", "none"][0] == 100.0
    again = table(sets)
    assert again.stdout == done.stdout


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    for name in ("data", "packs"):
        (tmp_path / name).mkdir()
    done = table(tmp_path)
    assert isinstance(done.exception, UsageError) and "qa_dev_kbexact.txt.gz: not there" in str(done.exception)
