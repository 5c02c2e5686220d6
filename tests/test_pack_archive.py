"""A pack as one file: the way there and back, hostile archives, and kills in the middle."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd
from films import build_films
from forked_cli import kgask

from kgask.build.archive import HashedFile, unpack, write_archive
from kgask.errors import KgaskError, PackError
from kgask.pack.check import check_pack
from kgask.pack.header import dump_manifest
from kgask.pack.store import Pack

Entry = tuple[tarfile.TarInfo, bytes]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_films(tmp_path_factory.mktemp("archive") / "films")


@pytest.fixture(scope="module")
def archive(films: Path) -> Path:
    path = films.parent / "films.kgpack"
    with path.open("wb") as file:
        write_archive(films, HashedFile(file))
    return path


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _entries(archive: Path) -> list[Entry]:
    with tarfile.open(fileobj=io.BytesIO(zstd.decompress(archive.read_bytes()))) as tar:
        return [(info, tar.extractfile(info).read()) for info in tar]  # type: ignore[union-attr]


def _packed(entries: list[Entry], format: int = tarfile.GNU_FORMAT) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=format) as tar:
        for info, data in entries:
            tar.addfile(info, io.BytesIO(data))
    return zstd.compress(whole.getvalue())


def _entry(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> Entry:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    return info, data


def test_there_and_back(films: Path, archive: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.kgpack"
    done = kgask("pack", "export", str(films), str(again))
    assert (done.returncode, done.stdout) == (0, "")
    assert again.read_bytes() == archive.read_bytes()  # the same pack gives the same bytes
    refused = kgask("pack", "export", str(films), str(again))
    assert refused.returncode == 2 and "--force replaces it" in refused.stderr
    assert kgask("pack", "import", str(again), "-o", str(tmp_path / "back")).returncode == 0
    assert _files(tmp_path / "back") == _files(films)
    refused = kgask("pack", "import", str(again), "-o", str(tmp_path / "back"))
    assert refused.returncode == 1 and "--force replaces it" in refused.stderr
    assert kgask("pack", "import", str(again), "-o", str(tmp_path / "back"), "--force").returncode == 0


def test_it_is_imported_by_name(archive: Path, tmp_path: Path) -> None:
    home = {"KGASK_HOME": str(tmp_path / "home")}
    assert kgask("pack", "import", str(archive), **home).returncode == 0
    assert kgask("pack", "import", str(archive), "-n", "theirs", **home).returncode == 0
    listed = {one["name"] for one in json.loads(kgask("pack", "list", "-j", **home).stdout)}
    assert listed == {"demo", "films", "theirs"}
    shipped = kgask("pack", "import", str(archive), "-n", "demo", **home)
    assert shipped.returncode == 2 and "ships with kgask" in shipped.stderr
    asked = kgask("pack", "info", str(archive))
    assert asked.returncode == 1 and f"kgask pack import {archive}" in asked.stderr


def test_a_damaged_pack_is_not_exported(films: Path, tmp_path: Path) -> None:
    for name in ("out_object.npy", "pack.json"):
        folder = tmp_path / name
        folder.mkdir()
        for other, data in _files(films).items():
            (folder / other).write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:] if other == name else data)
        done = kgask("pack", "export", str(folder), str(tmp_path / "never.kgpack"))
        assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out_object.npy", "pack.json"]


def _other_manifest(entries: list[Entry], change: Callable[[dict], None]) -> list[Entry]:
    manifest = json.loads(entries[0][1])
    change(manifest)
    return [_entry("pack.json", dump_manifest(manifest)), *entries[1:]]


def _listing(name: str) -> Callable[[dict], None]:
    return lambda manifest: manifest["files"].update({name: manifest["files"]["names.sqlite"]})


def _huge(manifest: dict) -> None:
    for entry in manifest["files"].values():
        entry["bytes"] = 1 << 38


HOSTILE: dict[str, tuple[Callable[[list[Entry]], bytes], str]] = {
    "an absolute path": (lambda e: _packed([*e, _entry("/tmp/kgask-never.npy", b"x")]), "'/tmp/kgask-never.npy'"),
    "a way out": (lambda e: _packed([*e, _entry("../never.npy", b"x")]), "'../never.npy'"),
    "a folder": (lambda e: _packed([*e, _entry("sub", kind=tarfile.DIRTYPE)]), "a folder, 'sub'"),
    "a link": (lambda e: _packed([*e, _entry("l.npy", kind=tarfile.SYMTYPE, link="/etc/passwd")]), "a link"),
    "a hard link": (lambda e: _packed([*e, _entry("l.npy", kind=tarfile.LNKTYPE, link="pack.json")]), "a link"),
    "a device": (lambda e: _packed([*e, _entry("d.npy", kind=tarfile.CHRTYPE)]), "a device, 'd.npy'"),
    "a pipe": (lambda e: _packed([*e, _entry("p.npy", kind=tarfile.FIFOTYPE)]), "a pipe, 'p.npy'"),
    "a sparse file": (lambda e: _packed([*e, _entry("s.npy", kind=tarfile.GNUTYPE_SPARSE)]), "an entry of type b'S'"),
    "a long name": (lambda e: _packed([*e, _entry("n" * 300, b"x")]), "an entry of type b'L'"),
    "a pax header": (
        lambda e: _packed([*e, _entry("n" * 300, b"x")], tarfile.PAX_FORMAT),
        "an entry of type b'x'",
    ),
    "a stranger": (lambda e: _packed([*e, _entry("more.npy", b"x")]), "'more.npy' which its pack.json does not list"),
    "a file twice": (lambda e: _packed([*e, e[-1]]), "'relation_kinds.npy' twice"),
    "a manifest twice": (lambda e: _packed([*e, e[0]]), "'pack.json' twice"),
    "another order": (lambda e: _packed(e[::-1]), "it does not begin with a pack.json"),
    "a file too few": (lambda e: _packed(e[:-1]), "'relation_kinds.npy' is missing"),
    "nothing": (lambda e: b"", "cut short"),
    "an empty archive": (lambda e: _packed([]), "it does not begin with a pack.json"),
    "no zstd": (lambda e: b"PK\3\4 is a zip", "damaged, or no zstd"),
    "no tar": (lambda e: zstd.compress(b"x" * 2000), "no tar archive"),
    "other bytes": (
        lambda e: _packed([*e[:-1], _entry("relation_kinds.npy", e[-1][1][:-1] + b"\x7f")]),
        "the SHA-256 of 'relation_kinds.npy' does not hold",
    ),
    "another size": (lambda e: _packed([*e[:-1], _entry("relation_kinds.npy", e[-1][1] + b"x")]), "are listed"),
    "a changed manifest": (
        lambda e: _packed([_entry("pack.json", e[0][1].replace(b"CC0-1.0", b"CC0-2.0")), *e[1:]]),
        "the hash of pack.json does not hold",
    ),
    "a manifest that lists a way out": (
        lambda e: _packed(_other_manifest(e, _listing("..\\x.npy"))),
        "no file of a pack is called",
    ),
    "a manifest that lists itself": (
        lambda e: _packed(_other_manifest(e, _listing("pack.json"))),
        "no file of a pack is called",
    ),
    "half a character in the manifest": (
        lambda e: _packed([_entry("pack.json", e[0][1].replace(b'"CC0-1.0"', b'"\\ud800"')), *e[1:]]),
        "the hash of pack.json does not hold",
    ),
    "a bomb": (lambda e: _packed(_other_manifest(e, _huge)), "which no pack of this size does"),
    "something behind its files": (
        lambda e: zstd.compress(zstd.decompress(_packed(e)) + b"x"),
        "something follows its last file",
    ),
    "zeros without end": (lambda e: zstd.compress(zstd.decompress(_packed(e)) + bytes(1 << 22)), "follows its last"),
    "something behind its end": (lambda e: _packed(e) + b"x", "something follows its end"),
    "another frame": (lambda e: _packed(e) + zstd.compress(b""), "something follows its end"),
    "a newer format": (
        lambda e: _packed(_other_manifest(e, lambda manifest: manifest["format"].update(major=99))),
        "pack format 99 is newer",
    ),
    "arrays that do not fit": (
        lambda e: _packed(_other_manifest(e, lambda manifest: manifest["counts"].update(triples=1))),
        "expected",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_one_line_and_leaves_nothing(archive: Path, tmp_path: Path, what: str) -> None:
    make, why = HOSTILE[what]
    source = tmp_path / "hostile.kgpack"
    source.write_bytes(make(_entries(archive)))
    with source.open("rb") as file, pytest.raises(PackError) as caught:
        unpack("hostile.kgpack", file, tmp_path / "pack")
    assert str(caught.value).startswith("hostile.kgpack") and why in str(caught.value)
    assert "\n" not in str(caught.value) and str(tmp_path) not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["hostile.kgpack"]


def test_an_archive_cut_short_anywhere_or_changed_in_any_byte_is_refused(archive: Path, tmp_path: Path) -> None:
    whole, source = archive.read_bytes(), tmp_path / "part.kgpack"
    rng = random.Random(3)
    damaged = [whole[: rng.randrange(len(whole))] for _ in range(40)]
    for place in rng.sample(range(len(whole)), 60):
        damaged.append(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
    n_refused = 0
    for data in damaged:
        source.write_bytes(data)
        try:
            with source.open("rb") as file:
                unpack("part.kgpack", file, tmp_path / "pack", force=True)
        except KgaskError as error:
            assert "\n" not in str(error)
            n_refused += 1
        else:  # a bit that zstd does not look at
            assert check_pack(tmp_path / "pack") == []
        assert {path.name for path in tmp_path.iterdir()} <= {"part.kgpack", "pack"}
    assert n_refused >= 95


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.kgpack")
    reading = os.open(tmp_path / "pipe.kgpack", os.O_RDONLY | os.O_NONBLOCK)  # so that opening does not wait
    with open(reading, "rb") as file, pytest.raises(PackError, match="not a file"):
        unpack("pipe.kgpack", file, tmp_path / "pack")
    for name in ("missing.kgpack", "."):
        done = kgask("pack", "import", str(tmp_path / name), "-o", str(tmp_path / "pack"))
        assert done.returncode == 1 and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_the_old_or_the_new(films: Path, archive: Path, tmp_path: Path) -> None:
    """Ten of export, ten of import, over an older file and an older pack."""
    other = tmp_path / "other.tsv"
    other.write_text("".join(f"a{i}\tknows\tb{i % 97}\n" for i in range(60_000)))
    big, target, packed = tmp_path / "big", tmp_path / "pack", tmp_path / "big.kgpack"
    run = [sys.executable, "-m", "kgask", "pack"]
    subprocess.run([*run, "build", str(other), "-o", str(big)], check=True, capture_output=True)
    subprocess.run([*run, "export", str(big), str(packed)], check=True, capture_output=True)
    new, old = packed.read_bytes(), archive.read_bytes()
    commands = {
        "export": [*run, "export", str(big), str(packed), "--force"],
        "import": [*run, "import", str(packed), "-o", str(target), "--force"],
    }
    with Pack.open(films) as before, Pack.open(big) as after:
        hashes = before.content_hash, after.content_hash
    rng = random.Random(7)
    for name, command in commands.items():
        start = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        whole_s = time.monotonic() - start
        for _ in range(10):
            if name == "export":
                packed.write_bytes(old)
            else:
                packed.write_bytes(new)
                with archive.open("rb") as file:
                    unpack("films.kgpack", file, target, force=True)
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.3, 1.0) * whole_s)
            child.send_signal(signal.SIGKILL)
            child.wait()
            if name == "export":
                assert packed.read_bytes() in (old, new)
            else:
                with Pack.open(target) as found:
                    assert found.content_hash in hashes
                assert check_pack(target) == []
        subprocess.run(command, check=True, capture_output=True)
    assert packed.read_bytes() == new and _files(target) == _files(big)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".pack.")]
