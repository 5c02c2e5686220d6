"""Splitting typed questions into a few to adapt with and those of other wordings."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgask.errors import UsageError
from kgask.eval.few import write_few


def test_one_of_each_type_and_no_wording_twice(tmp_path: Path) -> None:
    lines = ["who made [A]\tx", "who made [B]\ty", "by whom is [A]\tx", "when was [A]\t1", "year of [B]\t2"]
    with gzip.open(tmp_path / "qa.txt.gz", "wt") as file:
        file.write("\n".join(lines))
    with gzip.open(tmp_path / "qa_qtype.txt.gz", "wt") as file:
        file.write("maker\nmaker\nmaker\nyear\nyear\n")
    counts = write_few([tmp_path / "qa.txt.gz"], tmp_path / "out", 3)
    few = (tmp_path / "out" / "few.txt").read_text().splitlines()
    rest = (tmp_path / "out" / "rest-1.txt").read_text().splitlines()
    assert counts == {"few.txt": len(few), "rest-1.txt": len(rest)} and len(few) == 2
    assert {line.split("\t")[1].isdigit() for line in few} == {True, False}
    wordings = {line.split("[")[0] for line in few}
    assert rest == [line for line in lines if line.split("[")[0] not in wordings]


def test_a_missing_file_of_types_is_named(tmp_path: Path) -> None:
    (tmp_path / "qa.txt").write_text("who made [A]\tx\n")
    with pytest.raises(UsageError, match="qa_qtype.txt"):
        write_few([tmp_path / "qa.txt"], tmp_path / "out", 0)
