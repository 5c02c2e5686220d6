"""Names and titles that a graph holds as things, and what they are the names of."""

from __future__ import annotations

from pathlib import Path

import pytest
from piped import piped

import kgask
from kgask.types import Question

MUSEUM = """
INV-001 | title | Bronze Owl
INV-001 | made by | Aldo Ferri
INV-002 | title | The Ferry
INV-002 | made by | Klara Beck
INV-003 | title | Untitled
INV-004 | title | Untitled
INV-005 | title | Grey Wall
INV-005 | title | Dusk
INV-005 | made by | Aldo Ferri
Klara Beck | born in | Bergen
Aldo Ferri | born in | Genoa
"""


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("Who made The Ferry?", ["INV-002", "The Ferry"]),
        ("Who made INV-002?", ["INV-002"]),
        ("Who made Untitled?", ["Untitled"]),  # two things are called so
        ("Who made Dusk?", ["Dusk"]),  # and this one is called otherwise too
    ],
)
def test_a_title_means_what_has_it(tmp_path: Path, text: str, seeds: list[str]) -> None:
    piped(MUSEUM).write(tmp_path / "museum")
    with kgask.open(tmp_path / "museum", reader=None, settings={}) as museum:
        (mention,) = museum.linker.link(Question(text))
        assert museum.pack.labels([seed.entity for seed in mention.seeds]) == seeds
        assert mention.n_same == 1


def test_it_is_answered_with_what_the_thing_has(tmp_path: Path) -> None:
    piped(MUSEUM).write(tmp_path / "museum")
    with kgask.open(tmp_path / "museum", reader=None, settings={}) as museum:
        said = museum.ask("Who made The Ferry?", min_confidence=0.0)
    assert [one.label for one in said.entities] == ["Klara Beck"] and not said.notes
