"""The ten small graphs that questions are measured on: every one is a pack, and every gold query answers there."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_graphs import FOLDER, PACKS, build_small

from kgask.eval.everyday import golds_of
from kgask.pack.store import Pack
from kgask.sets.everyday import load


def test_each_table_has_a_recipe_and_questions() -> None:
    assert len(PACKS) == 10
    for ending in ("csv", "yaml"):
        assert {path.stem for path in FOLDER.glob(f"*.{ending}")} - {"packs"} == set(PACKS)


@pytest.mark.parametrize("name", PACKS)
def test_every_gold_answers(name: str, tmp_path: Path) -> None:
    questions = load(FOLDER / f"{name}.yaml")
    assert len(questions) == len({one.text for one in questions}) == 20
    assert sum(not one.golds for one in questions) == 3
    with Pack.open(build_small(name, tmp_path / name)) as pack:
        assert all(len(golds_of(one, pack)) == len(one.golds) for one in questions)  # an empty one raises
