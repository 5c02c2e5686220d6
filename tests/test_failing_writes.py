"""Writes that fail in the middle, by a real limit on how large a file may become: the old one stays, or the new one is
whole, and the exit code says which."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kgask.build.folder import new_folder
from kgask.build.written import write_array, write_bytes
from kgask.errors import EXIT_ERROR, EXIT_OK, BuildError
from kgask.pack.check import check_pack
from kgask.pack.header import dump_manifest, read_manifest
from kgask.pack.store import Pack

N_TRIPLES = 60_000  # so that each array is larger than the names


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A large table of few names, and a small one."""
    folder, rng = tmp_path_factory.mktemp("tables"), np.random.default_rng(5)
    rows = np.unique(rng.integers(0, 300, (N_TRIPLES, 2)), axis=0).tolist()
    (folder / "large.tsv").write_text("".join(f"a{s}\tknows\ta{o}\n" for s, o in rows))
    (folder / "small.tsv").write_text("a1\tknows\ta2\n")
    return folder


def limited(most_bytes: int, *words: str) -> subprocess.CompletedProcess[str]:
    """kgask where no file may become larger: a write that would fails with EFBIG, after writing what fits."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, "-m", "kgask", *words],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_a_build_or_a_change_that_finds_no_room_leaves_the_old_pack(tables: Path, tmp_path: Path) -> None:
    large, small, pack = str(tables / "large.tsv"), str(tables / "small.tsv"), tmp_path / "pack"
    assert limited(1 << 30, "pack", "build", large, "-o", str(tmp_path / "whole")).returncode == EXIT_OK
    sizes = sorted({path.stat().st_size for path in (tmp_path / "whole").iterdir()})
    assert limited(1 << 30, "pack", "build", small, "-o", str(pack)).returncode == EXIT_OK
    before = tree(pack)
    for command in (["pack", "build", large, "-o", str(pack), "--force"], ["pack", "add", large, "--to", str(pack)]):
        for size in (sizes[-1] - 1, sizes[-2] // 2, 3000):  # the end of an array, a middle, SQLite's first pages
            ended = limited(size, *command)
            assert ended.returncode == EXIT_ERROR and ended.stderr.count("\n") == 1, ended
            assert tree(pack) == before
    assert check_pack(pack) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith("kgask-tmp")] == []


def test_an_added_model_that_finds_no_room_is_not_there(tmp_path: Path) -> None:
    from kgask.config import shipped_root

    file = shutil.copy(shipped_root("model") / "reader" / "reader.gguf", tmp_path / "mine.gguf")
    home = tmp_path / "home"
    os.makedirs(home)
    ended = subprocess.run(
        [sys.executable, "-m", "kgask", "models", "add", str(file), "--name", "mine"],
        env=os.environ | {"KGASK_HOME": str(home), "KGASK_CACHE": str(tmp_path / "cache")},
        preexec_fn=_four_megabytes, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == EXIT_ERROR and "Traceback" not in ended.stderr, ended
    assert not (home / "models" / "mine").exists()


def _four_megabytes() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


def test_what_is_not_what_was_written_is_not_put_in_place(tmp_path: Path, family_path: Path) -> None:
    """As a disk that loses what it was given: the file changes between its writing and the swap."""
    target = Path(shutil.copytree(family_path, tmp_path / "family"))
    before = tree(target)
    for name in ("out_object.npy", "names.sqlite", "pack.json"):
        with pytest.raises(BuildError, match="not"), new_folder(target, True) as folder:
            for file, content in before.items():
                write_bytes(folder / file, content[: len(content) // 2] if file == name else content)
        assert tree(target) == before
    with new_folder(target, True) as folder:
        for file, content in before.items():
            write_bytes(folder / file, content)
    assert tree(target) == before


def test_written_arrays_are_those_that_were_meant(tmp_path: Path) -> None:
    for array in (np.arange(100_000, dtype="<i4"), np.zeros(0, "<i2"), np.ones((7, 2)), np.arange(9)[::-2]):
        path = tmp_path / f"{len(array)}-{array.dtype}.npy"
        entry = write_array(path, array)
        assert np.array_equal(np.load(path), array) and entry["bytes"] == path.stat().st_size
        with pytest.raises(FileExistsError):
            write_array(path, array)


def test_a_manifest_that_was_changed_does_not_open(tmp_path: Path, family_path: Path) -> None:
    folder = Path(shutil.copytree(family_path, tmp_path / "family"))
    manifest = read_manifest(folder)
    (folder / "pack.json").write_bytes(dump_manifest(manifest).replace(b'"name": "', b'"name": "x'))
    assert any("its own SHA-256" in problem for problem in check_pack(folder))
    (folder / "pack.json").write_bytes(dump_manifest(manifest))
    Pack.open(folder).close()


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes the n-th write fail, put before a real process's own."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    made = tmp_path_factory.mktemp("shim") / "failing_writes.so"
    source = Path(__file__).with_name("failing_writes.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


def failing(shim: Path, below: Path, at: int, code: int, *words: str) -> subprocess.CompletedProcess[str]:
    how = {"FAIL_BELOW": str(below), "FAIL_AT": str(at), "FAIL_ERRNO": str(code), "LD_PRELOAD": str(shim)}
    stays = {"FAIL_STAYS": "1"} if code == errno.ENOSPC else {}
    command = [sys.executable, "-m", "kgask", *words]
    env = os.environ | how | stays
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EINTR])
@pytest.mark.parametrize("command", ["build", "duckdb", "add", "import", "export"])
def test_each_write_that_fails(command: str, code: int, shim: Path, tables: Path, tmp_path: Path) -> None:
    """The old one stays, or the new one is whole; the exit code says which, and nothing is left.

    Every thirteenth write fails; with KGASK_EVERY_WRITE=1 each of them (some ten minutes).
    """
    place, small, more = tmp_path / "place", str(tables / "small.tsv"), tmp_path / "more.tsv"
    more.write_text("".join(f"a{n}\tknows\tb{n}\n" for n in range(40)))
    pack, packed = str(place / "pack"), str(tmp_path / "new.kgpack")
    for words in (["build", str(more), "-o", str(tmp_path / "n")], ["export", str(tmp_path / "n"), packed],
                  ["build", small, "-o", pack], ["export", pack, str(place / "old.kgpack")]):  # fmt: skip
        assert limited(1 << 30, "pack", *words).returncode == EXIT_OK
    words = {
        "build": ["build", str(more), "-o", pack, "--force"],
        "duckdb": ["build", str(more), "-o", pack, "--force", "--engine", "duckdb"],
        "add": ["add", str(more), "--to", pack],
        "import": ["import", packed, "-o", pack, "--force"],
        "export": ["export", str(tmp_path / "n"), str(place / "old.kgpack"), "--force"],
    }[command]
    old, old_file = tree(place / "pack"), (place / "old.kgpack").read_bytes()
    for at in range(1, 400, 1 if os.environ.get("KGASK_EVERY_WRITE") else 13):
        ended = failing(shim, place, at, code, "pack", *words)
        now, now_file = tree(place / "pack"), (place / "old.kgpack").read_bytes()
        assert "Traceback" not in ended.stderr and "fault of kgask" not in ended.stderr, (at, ended)
        assert not list(place.rglob("*.kgask-tmp")), (at, ended)
        assert check_pack(place / "pack") == [], at
        if ended.returncode == EXIT_OK:  # no write was the n-th, or it was made again
            assert (now, now_file) != (old, old_file)
            break
        lines = ended.stderr.splitlines()  # an out-of-core build tells what it needs, and goes on behind its last step
        assert ended.returncode == EXIT_ERROR and lines[-1].startswith("kgask: "), (at, ended)
        assert len(lines) == 1 or command == "duckdb", (at, ended)
        assert (now, now_file) == (old, old_file), (at, ended)
