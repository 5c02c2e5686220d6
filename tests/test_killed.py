"""What a killed command leaves: the same command again finishes and removes it, and nothing else; a pack that is
replaced while it is open goes on as it was."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask

from kgask.build import folder
from kgask.build.folder import new_folder, remove_leftovers
from kgask.build.outofcore import engine
from kgask.build.versions import history
from kgask.build.writer import PackBuilder
from kgask.config import versions_folder
from kgask.errors import BuildError
from kgask.machine import files
from kgask.machine.files import temporary_name, write_whole
from kgask.pack.check import check_pack
from kgask.pack.store import Pack

TOOLS = Path(__file__).resolve().parents[1] / "tools"


def build(target: Path, obj: str) -> Path:
    builder = PackBuilder()
    builder.add("a", "r", obj)
    builder.add("a", "instance of", "letter")
    builder.write(target, force=True)
    return target


@pytest.fixture
def mine(empty_home: Path, tmp_path: Path) -> Path:
    """A pack at home with an earlier version, to which questions go."""
    pack = build(empty_home / "kg_packs" / "mine", "b")
    (tmp_path / "more.tsv").write_text("a\tr\tc\n")
    for words in (("add", str(tmp_path / "more.tsv"), "--to", "mine"), ("default", "mine")):
        assert kgask("pack", *words).returncode == 0
    return pack


def test_a_file_that_a_killed_process_left_is_known_by_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    named = {name: temporary_name(path) for name in ("left", "a user's", "of one that lives")}
    for left in named.values():
        left.write_text("x")
    try:
        for name in ("left", "of one that lives"):
            os.setxattr(named[name], files._MARK, b"")
    except OSError:
        pytest.skip("this file system has no marks")
    with named["of one that lives"].open() as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        write_whole(path, "new")
    assert path.read_text() == "new" and files._MARK not in os.listxattr(path)
    assert {name for name, left in named.items() if left.exists()} == {"a user's", "of one that lives"}


def test_a_place_that_was_only_begun_is_removed_and_begun_again_elsewhere(tmp_path: Path) -> None:
    target = tmp_path / "mine"
    empty, marked, done, kept = (temporary_name(target) for _ in range(4))
    for place in (empty, marked, done, kept):
        place.mkdir()
    (done / "kgask-tmp").write_bytes(folder._marker_text(target) + b'[["pack.json", 1, 2, 3]]')  # all of it is removed
    (marked / "kgask-tmp").touch()
    (kept / "kgask-tmp").touch()
    (kept / "thesis").touch()
    remove_leftovers(target)
    assert [place.exists() for place in (empty, marked, done, kept)] == [False, False, False, True]
    with pytest.raises(FileNotFoundError):
        folder._marked(empty, target)


def test_a_build_that_is_refused_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    target = build(tmp_path / "mine", "b")
    temporary_name(target).mkdir()
    with pytest.raises(BuildError, match="exists"), new_folder(target, force=False):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_build_out_of_core_that_was_killed_while_it_sorted_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    from kgask.build.recipe import Recipe

    (tmp_path / "s.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    recipe, steps = Recipe((str(tmp_path / "s.tsv"),), tmp_path / "mine"), engine._STEPS

    def killed(job: engine._Job) -> None:
        """The step is done, but nothing says so; as Ctrl-C the stage stays."""
        engine._sort(job)
        raise KeyboardInterrupt

    stopping = tuple((name, words, killed if name == "sort" else work) for name, words, work in steps)
    monkeypatch.setattr(engine, "_STEPS", stopping)
    with pytest.raises(KeyboardInterrupt):
        engine.build(recipe, 1 << 30, lambda _: None)
    monkeypatch.setattr(engine, "_STEPS", steps)
    told: list[str] = []
    engine.build(recipe, 1 << 30, told.append)
    assert "goes on behind 'choose'" in told and check_pack(tmp_path / "mine") == []
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "s.tsv"}


@pytest.mark.parametrize("n_done", [0, 1, 2])
def test_a_rename_that_was_killed_is_finished_by_the_same_command(n_done: int, mine: Path) -> None:
    before, yours = [version.manifest for version in history(mine)], mine.with_name("yours")
    if n_done > 0:
        assert kgask("pack", "default", "--unset").returncode == 0
        (mine.parents[1] / "config.toml").write_text('pack = "yours"\n')
    if n_done > 1:
        versions_folder(mine).rename(versions_folder(yours))
    assert kgask("pack", "rename", "mine", "yours").returncode == 0
    assert [version.manifest for version in history(yours)] == before and len(before) == 2
    assert kgask("pack", "default").stdout == "yours\n"
    assert {path.name for path in mine.parent.iterdir()} == {"yours", versions_folder(yours).name}


def test_earlier_versions_of_another_pack_are_not_taken_over(mine: Path) -> None:
    shutil.copytree(versions_folder(mine), versions_folder(mine.with_name("yours")))
    build(mine.with_name("another"), "b")
    ended = kgask("pack", "rename", "another", "yours")
    assert ended.returncode == 1 and "is there already" in ended.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("pack", "rename", "photos", "x"), "no KG pack"),
        (("pack", "rename", "pack", "a/b"), "cannot be the name"),
        (("pack", "rename", "pack", ""), "cannot be the name"),
        (("ask", "--entity", "#" + "9" * 5000, "who?"), "no such entity"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "pack", "b")
    (tmp_path / "photos").mkdir()
    ended = kgask(*words)
    assert ended.returncode in (1, 2) and says in ended.stderr and ended.stderr.count("\n") == 1, ended
    assert {path.name for path in tmp_path.iterdir()} == {"pack", "photos"}


def test_a_delete_that_was_killed_is_finished_by_the_same_command(mine: Path) -> None:
    shutil.rmtree(next(path for path in versions_folder(mine).iterdir() if path.is_dir()))
    temporary_name(versions_folder(mine) / "1").mkdir()
    assert kgask("pack", "delete", "mine", "--yes").returncode == 0
    assert list(mine.parent.iterdir()) == [] and kgask("pack", "default").stdout == "demo\n"
    temporary_name(mine).mkdir()  # killed in its last step
    assert kgask("pack", "delete", "mine", "--yes").returncode == 1
    assert list(mine.parent.iterdir()) == []


def test_a_pack_that_is_replaced_goes_on_as_it_was(tmp_path: Path, films_path: Path, family_path: Path) -> None:
    place = Path(shutil.copytree(films_path, tmp_path / "pack"))
    with Pack.open(place) as pack, Pack.open(films_path) as same:
        shutil.rmtree(place)
        shutil.copytree(family_path, place)
        assert pack.labels(range(pack.n_entities)) == same.labels(range(same.n_entities))
        assert np.array_equal(pack.relation_kinds, same.relation_kinds)
        assert np.array_equal(pack.literal_values.low, same.literal_values.low, equal_nan=True)
        assert (pack.types is None) == (same.types is None)


def tool(*words: str) -> str:
    """Run one of tools/; what it says where it finds something, or fails."""
    command = [sys.executable, str(TOOLS / words[0]), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.slow
def test_a_short_run_of_kills_finds_nothing() -> None:
    """All of it: ``python tools/kill --number 100``."""
    assert tool("kill", "--number", "4", "--seed", "16") == ""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_some_writes_that_fail_find_nothing() -> None:
    """All of it: ``python tools/kill --fail ENOSPC EIO EINTR``."""
    what = ("rename", "rollback", "delete", "default", "models add", "models remove", "eval run", "chat")
    assert tool("kill", "--fail", "ENOSPC", "EIO", "EINTR", "--number", "2", "--seed", "16", "--what", *what) == ""


@pytest.mark.slow
def test_each_answer_is_of_one_version() -> None:
    """All of it: ``python tools/replaced.py --processes 16 --rounds 50``."""
    assert tool("replaced.py", "--processes", "6", "--rounds", "8") == ""
