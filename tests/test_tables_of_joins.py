"""Tables that join two others by their ids, and say one thing of both: who played what in which production."""

from __future__ import annotations

from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.build.source import files_of


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who played Mrs Pettifer?", "Orla Tennick"),
        ("Was Barnaby Stroud in The Borrowed Umbrella?", "yes"),
        ("When did Orla Tennick join?", "2009"),
    ],
)
def test_three_columns_two_of_which_are_ids(question: str, answer: str, tmp_path: Path) -> None:
    graph = tmp_path / "theatre"
    graph.mkdir()
    (graph / "cast.csv").write_text(
        "prod_id,member_id,part\nP1,M01,Mrs Pettifer\nP1,M02,Colonel Bragg\nP2,M01,Dame Trott\n", encoding="utf-8"
    )
    (graph / "members.csv").write_text(
        "member_id,name,joined_year\nM01,Orla Tennick,2009\nM02,Barnaby Stroud,2011\n", encoding="utf-8"
    )
    (graph / "productions.csv").write_text(
        "prod_id,title,nights\nP1,The Borrowed Umbrella,4\nP2,Puss in Wellingtons,6\n", encoding="utf-8"
    )
    build(Recipe(tuple(files_of(str(graph))), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert "Barnaby Stroud" not in opened.pack.relation_labels()
        assert opened.ask(question, min_confidence=0.0).text == answer  # how they are joined, however sure
