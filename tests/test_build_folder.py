"""Builds that are killed, interrupted, refused, or in each other's way."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kgask.build.folder import new_folder
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.check import check_pack
from kgask.pack.store import Pack

# Builds over an old pack, and stops just before the folder is put in place.
SLOW_BUILD = """
import signal, sys, time
from kgask.build import folder
from kgask.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # what a background job starts ignores it otherwise

def stop(*_):
    print("ready", flush=True)
    time.sleep(60)

folder._put_in_place = stop
sys.argv = ["kgask", "pack", "build", sys.argv[1], "-o", sys.argv[2], "--force"]
main()
"""


def _build(target: Path, obj: str, force: bool = False) -> None:
    builder = PackBuilder()
    builder.add("a", "r", obj)
    builder.write(target, force=force)


def _objects(target: Path) -> list[str]:
    with Pack.open(target) as pack:
        return pack.labels(pack.out_object)


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_stopped_build_leaves_the_old_pack(tmp_path: Path, stop: signal.Signals, code: int) -> None:
    source, target = tmp_path / "t.tsv", tmp_path / "pack"
    source.write_text("a\tr\tnew\n")
    _build(target, "old")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_BUILD, str(source), str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    (place,) = tmp_path.glob(".pack.*")
    assert (place / "new" / "pack.json").exists()
    _build(target, "other", force=True)
    assert place.exists(), "what a living process writes is not removed"
    _build(target, "old", force=True)
    process.send_signal(stop)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == code
    assert place.exists() == (stop == signal.SIGKILL)
    assert "Traceback" not in errors
    assert _objects(target) == ["old"]
    assert check_pack(target) == []
    _build(target, "newer", force=True)
    assert _objects(target) == ["newer"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pack", "t.tsv"]


def test_an_open_pack_survives_its_replacement(tmp_path: Path) -> None:
    target = tmp_path / "pack"
    _build(target, "old")
    with Pack.open(target) as pack:
        assert pack.labels([0]) == ["a"]
        _build(target, "new", force=True)
        assert pack.labels(pack.out_object) == ["old"]
    assert _objects(target) == ["new"]


def test_an_existing_pack_needs_force(tmp_path: Path) -> None:
    _build(tmp_path / "pack", "old")
    with pytest.raises(BuildError, match="exists; --force replaces it"):
        _build(tmp_path / "pack", "new")
    assert _objects(tmp_path / "pack") == ["old"]


def test_what_is_no_pack_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "me.jpg").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "photos")
    for name in ("file", "photos", "link"):
        with pytest.raises(BuildError, match=r"choose another -o"):
            _build(tmp_path / name, "new", force=True)
    assert (tmp_path / "photos" / "me.jpg").exists()


def test_empty_and_deep_targets(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for target in (tmp_path / "empty", tmp_path / "deep" / "er" / "pack"):
        _build(target, "new")
        assert _objects(target) == ["new"]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "file" / "pack", Path("/proc/no/pack")):
        with pytest.raises(BuildError) as caught:
            _build(target, "new")
        assert "\n" not in str(caught.value) and str(target.parent) in str(caught.value)


def test_a_failing_block_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "pack", force=False) as folder:
        (folder / "half").write_text("x")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
