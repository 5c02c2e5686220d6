"""Who is left out of an answer: what had ended, of what is so now, and who is denied himself."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_cli import kgask

from kgask import open as open_pack

OWNERS = """subject,relation,object,qualifier:from,qualifier:until
The Heron,owned by,Adela Lodi,1871,1903
The Heron,owned by,Hugh Bramwell,1903,1938
The Heron,owned by,Fairholm Trust,1974,
Old Cantor,owned by,Kasimir Wolny,1840,1922
Old Cantor,owned by,Fairholm Trust,1922,2099
Saint Odile,owned by,Hugh Bramwell,1900,1931
Saint Odile,made by,Lucia Ferrandi,,
The Heron,made by,Tommaso Grenzi,,
"""


@pytest.fixture(scope="module")
def violins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("violins")
    (folder / "violins.csv").write_text(OWNERS, encoding="utf-8")
    made = kgask("pack", "build", str(folder / "violins.csv"), "-o", str(folder / "pack"))
    assert made.returncode == 0, made.stderr
    return folder / "pack"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who owns The Heron now?", {"Fairholm Trust"}),
        ("Who is the current owner of Old Cantor?", {"Fairholm Trust"}),
        ("Who owned The Heron?", {"Adela Lodi", "Hugh Bramwell", "Fairholm Trust"}),
        ("Who owned The Heron up to now?", {"Adela Lodi", "Hugh Bramwell", "Fairholm Trust"}),
    ],
)
def test_who_has_it_now(violins: Path, question: str, answers: set[str]) -> None:
    with open_pack(violins, reader=None, settings={}) as pipeline:
        found = pipeline.ask(question)
        assert {one.label for one in found.entities} == answers


def test_what_had_ended_is_no_answer(violins: Path) -> None:
    with open_pack(violins, reader=None, settings={}) as pipeline:
        assert not pipeline.ask("Who owns Saint Odile now?")
        assert pipeline.ask("Who owned Saint Odile?").text == "Hugh Bramwell"


def test_nobody_borders_itself() -> None:
    with open_pack("demo", reader=None, settings={}) as pipeline:
        found = pipeline.ask("Which countries border Brazil but not Peru?")
        names = {one.label for one in found.entities}
        assert "Uruguay" in names and not names & {"Peru", "Bolivia"}
        denied = pipeline.ask("Mountains higher than 8000 m but not part of the Himalayas?")
        assert "Mount Everest" not in {one.label for one in denied.entities}
