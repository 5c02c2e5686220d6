"""What is kept about files between processes, and how files are written."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kgask.machine import remembered
from kgask.machine.files import TMP_SUFFIX, temporary_name, whole_file, write_whole
from kgask.machine.remembered import MOST_ENTRIES, content_hash, recall, remember


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a test are new; here they count as old."""
    monkeypatch.setattr(remembered, "SETTLED_NS", -(10**12))


@pytest.mark.usefixtures("settled")
def test_an_unchanged_file_is_hashed_once(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed, real = [], hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: (hashed.append(1), real(*given))[1])
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert [content_hash(path), content_hash(path)] == [sha256(b"one")] * 2
    assert len(hashed) == 1
    link = tmp_path / "link"
    link.symlink_to(path)
    assert content_hash(link) == sha256(b"one") and len(hashed) == 1
    before = path.stat()
    path.write_bytes(b"two")  # same size, same inode
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # and same time: only ctime tells
    assert content_hash(path) == sha256(b"two")
    other = tmp_path / "other"
    other.write_bytes(b"six")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert content_hash(path) == sha256(b"six") and len(hashed) == 3


def test_a_file_that_has_just_changed_is_not_remembered(tmp_path: Path, own_cache: Path) -> None:
    """Two changes within one tick of the clock would have one time."""
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert content_hash(path) == sha256(b"one")
    assert not (own_cache / "remembered").exists()


@pytest.mark.usefixtures("settled")
def test_a_hash_is_given_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    monkeypatch.setenv("KGASK_CACHE", str(tmp_path / "file"))
    assert content_hash(tmp_path / "file") == sha256(b"in the way")
    with pytest.raises(OSError):
        content_hash(tmp_path / "nothing")


def test_only_entries_of_ours_are_dropped(own_cache: Path) -> None:
    remember("first", 1)
    thesis = own_cache / "remembered" / "thesis.txt"
    thesis.write_text("x")
    os.utime(thesis, (0, 0))
    for number in range(MOST_ENTRIES + 5):
        remember(f"key {number}", number)
    assert thesis.read_text() == "x"
    assert len(list(thesis.parent.iterdir())) == MOST_ENTRIES + 1
    assert recall("first") is None


def test_one_key_written_by_many_threads_is_whole(own_cache: Path) -> None:
    threads = [threading.Thread(target=remember, args=("key", "x" * 10_000)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recall("key") == "x" * 10_000
    assert len(list((own_cache / "remembered").iterdir())) == 1


def test_a_file_that_fails_midway_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "thesis"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["thesis"]


def test_a_link_stays_a_link_and_a_mode_is_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "real", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to("real")
    write_whole(link, "new")
    assert link.is_symlink() and path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "text")
    reader.join(10)
    assert found == [b"text"] and pipe.is_fifo()


def test_a_killed_writer_leaves_nothing(tmp_path: Path) -> None:
    """A file that is being written has no name, where the file system has such files."""
    before = {temporary_name(tmp_path / "out") for _ in range(3)}
    assert len(before) == 3 and all(name.name.endswith(TMP_SUFFIX) for name in before)
    (tmp_path / "out").write_bytes(b"old")
    code = (
        "import os, signal, sys; from pathlib import Path; from kgask.machine.files import whole_file\n"
        "with whole_file(Path('out')) as file: file.write(b'new'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"out": b"old"}
