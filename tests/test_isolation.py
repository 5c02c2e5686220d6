"""The tests themselves: no fixture and no command sees or changes the home of the person who runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import kgask

from kgask.machine import homes

TESTS = Path(__file__).parent
# A pack opened for the session by the planner, whose relation vectors are kept, and a command in a fork.
SOME = ("test_explain.py", "test_prompt_cli.py::test_the_preview_of_the_shipped_reader")


@pytest.fixture(scope="session")
def places() -> list[Path]:
    """What a fixture of the session sees, before those of a test."""
    return [Path.home(), homes.data_home(), homes.cache_home()]


def test_fixtures_of_every_scope_see_places_of_the_tests(
    places: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.getbasetemp()
    assert [place for place in [*places, Path.home(), homes.data_home()] if not place.is_relative_to(base)] == []


def test_a_command_in_a_fork_sees_the_places_of_its_test(empty_home: Path) -> None:
    (empty_home / "config.toml").write_text('pack = "nowhere"\n', encoding="utf-8")
    assert "nowhere" in kgask("who wrote Lady Susan?").stderr


@pytest.mark.slow
def test_a_persons_home_is_neither_read_nor_written(tmp_path: Path) -> None:
    """With settings there that would break every test."""
    home, cache, xdg = (tmp_path / name for name in ("home", "cache", "xdg"))
    broken = {"KGASK_HOME": home, "KGASK_CACHE": cache, "KGASK_PACK": "nowhere", "KGASK_MODEL": "nowhere"}
    persons = broken | {"HOME": home, "XDG_DATA_HOME": xdg, "XDG_CACHE_HOME": xdg, "XDG_CONFIG_HOME": xdg}
    for place in (home, cache, xdg):
        place.mkdir()
        (place / "config.toml").write_text("colour = 1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--basetemp", tmp_path / "base", *SOME],
        cwd=TESTS, env=os.environ | {name: str(value) for name, value in persons.items()},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    left = {path.relative_to(tmp_path).as_posix() for place in (home, cache, xdg) for path in place.rglob("*")}
    assert left == {f"{place.name}/config.toml" for place in (home, cache, xdg)}
