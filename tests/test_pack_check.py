"""Broken packs: what opening refuses, and what only a check can see."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

import numpy as np
import pytest
from hostile_pack import accept_hashes

from kgask.errors import EXIT_ERROR, PackError
from kgask.pack.check import check_pack
from kgask.pack.header import ARRAYS, dump_manifest
from kgask.pack.packed import MAX_BLOCK_BYTES, pack_texts, unpack_texts
from kgask.pack.quantities import VALUE_ARRAYS
from kgask.pack.store import Pack

FILES = [f"{name}.npy" for name in (*ARRAYS, *VALUE_ARRAYS)] + ["names.sqlite", "pack.json"]


@pytest.fixture
def broken(family_path: Path, tmp_path: Path) -> Path:
    """A copy of the family pack to break."""
    return Path(shutil.copytree(family_path, tmp_path / "broken"))


def _rewrite_manifest(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / "pack.json").read_text())
    (folder / "pack.json").write_bytes(dump_manifest(manifest | changes))


def test_a_whole_pack_has_no_problems(family_path: Path) -> None:
    assert check_pack(family_path) == []


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", [0.02, 0.3, 0.6, 0.97])
def test_a_flipped_byte_is_found(broken: Path, name: str, place: float) -> None:
    data = bytearray((broken / name).read_bytes())
    data[int(len(data) * place)] ^= 0x04
    (broken / name).write_bytes(data)
    problems = check_pack(broken)
    assert problems and any(name in problem for problem in problems)


@pytest.mark.parametrize("name", FILES)
def test_truncated_and_missing_files_do_not_open(broken: Path, name: str) -> None:
    data = (broken / name).read_bytes()
    for cut in (data[:-5], data + b"x" * 4096, b""):
        (broken / name).write_bytes(cut)
        with pytest.raises(PackError) as caught:
            Pack.open(broken)
        assert "\n" not in str(caught.value)
    (broken / name).unlink()
    with pytest.raises(PackError, match=r"missing|incomplete"):
        Pack.open(broken)


def test_a_newer_format_names_the_command_that_rebuilds_it(broken: Path) -> None:
    _rewrite_manifest(broken, format={"major": 3, "minor": 0})
    with pytest.raises(PackError, match=r"newer.*kgask pack build SOURCE\.\.\. -o .*broken --force"):
        Pack.open(broken)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"magic": "kgask-pack"}',
        "[" * 100_000,
        "\xff",
        '{"magic": "kgask-pack", "format": {"major": 1}}',
    ],
)
def test_what_is_no_manifest(broken: Path, text: str) -> None:
    (broken / "pack.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(PackError):
        Pack.open(broken)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "..", "", "extra.npy", "x\0"])
def test_file_lists_that_are_wrong(broken: Path, name: str) -> None:
    files = json.loads((broken / "pack.json").read_text())["files"]
    for entry in ({"bytes": 1, "sha256": "0"}, 5) if name != "extra.npy" else (5, {}, {"bytes": -1, "sha256": ""}):
        _rewrite_manifest(broken, files=files | {name: entry})
        with pytest.raises(PackError, match="list of files"):
            Pack.open(broken)


def test_not_a_folder(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no KG pack here"):
        Pack.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(PackError, match="is a folder"):
        Pack.open(tmp_path / "file")


@pytest.mark.parametrize("name", ARRAYS)
def test_wrong_arrays_are_found_behind_right_hashes(broken: Path, name: str) -> None:
    array = np.load(broken / f"{name}.npy")
    for wrong in (array[::-1], array + 1, np.where(np.arange(len(array)) == 2, array.max(), array), -array):
        if np.array_equal(wrong, array):
            continue
        np.save(broken / f"{name}.npy", wrong.astype(array.dtype))
        accept_hashes(broken)
        assert check_pack(broken)


def test_object_arrays_are_never_loaded(broken: Path) -> None:
    np.save(broken / "out_object.npy", np.array([print], dtype=object), allow_pickle=True)
    entry = json.loads((broken / "pack.json").read_text())["files"]
    entry["out_object.npy"]["bytes"] = (broken / "out_object.npy").stat().st_size
    _rewrite_manifest(broken, files=entry)
    with pytest.raises(PackError, match="not a readable array"):
        Pack.open(broken)


def _change_block(connection: Connection, table: str, change: Callable[[list[str]], list[str]]) -> None:
    """Of the first block; where there is none (no key differs from its label) it is of empty texts."""
    labels, found = (connection.execute(f"SELECT texts FROM {name}").fetchone() for name in ("labels", table))
    texts = unpack_texts(found[0]) if found else [""] * len(unpack_texts(labels[0]))
    if not found:
        connection.execute(f"INSERT INTO {table} VALUES (0, x'')")
    connection.execute(f"UPDATE {table} SET texts = ?", (pack_texts(change(texts)),))


WRONG_BLOCKS: list[tuple[str, Callable[[list[str]], list[str]], str]] = [
    ("labels", lambda texts: ["Eve Reid" if text == "Eve Reed" else text for text in texts], "look-up table"),
    ("labels", lambda texts: texts[:-1], "has not the"),
    ("labels", lambda texts: [*texts, "one more"], "has not the"),
    ("keys", lambda texts: ["Zoe", *texts[1:]], "out of order"),
    ("keys", lambda texts: [*texts, "Q99"], "has not the"),
    ("descriptions", lambda texts: ["x", *texts[1:]], "content hash"),
    ("literals", lambda texts: ['"1"^^date"', *texts[1:]], "a literal that is none"),
    ("literals", lambda texts: ['"12"^^number', *texts[1:]], "names.sqlite"),
    ("aliases", lambda texts: ["99 " + texts[0], *texts[1:]], "an alias of no entity"),
    ("words", lambda texts: [*texts[:-1], "zzz"], "does not list the words"),
    ("words", lambda texts: texts[::-1], "out of order"),
    ("reversed_words", lambda texts: texts[:-1], "does not list the words"),
]


@pytest.mark.parametrize(("table", "change", "problem"), WRONG_BLOCKS)
def test_wrong_blocks_are_found_behind_right_hashes(
    broken: Path, table: str, change: Callable[[list[str]], list[str]], problem: str
) -> None:
    with closing(sqlite3.connect(broken / "names.sqlite")) as connection, connection:
        _change_block(connection, table, change)
    accept_hashes(broken)
    assert any(problem in found for found in check_pack(broken)), check_pack(broken)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("DELETE FROM names WHERE bucket = 0", "look-up table"),
        ("UPDATE names SET entries = x'010203'", "half a name"),
        ("DELETE FROM labels", "labels has 0 rows"),
        ("UPDATE labels SET texts = x'00'", "is damaged"),
        ("UPDATE labels SET texts = 'text'", "is damaged"),
        ("UPDATE labels SET block = 7", "has not the"),
        ("INSERT INTO keys VALUES (9, (SELECT texts FROM labels))", "has not the"),
        ("UPDATE sizes SET bucket_bits = 99", "sizes are none"),
        ("UPDATE sizes SET aliases = 99", "99 aliases"),
        ("DELETE FROM sizes", "sizes are none"),
        ("UPDATE words SET first = 'a' || first", "out of order"),
        ("DELETE FROM relations WHERE id = 3", "relations has 7 rows"),
        ("UPDATE relations SET label = 'x' WHERE id = 0", "relation vocabulary"),
        ("PRAGMA user_version = 9", "format 2"),
    ],
)
def test_wrong_names_are_found_behind_right_hashes(broken: Path, sql: str, problem: str) -> None:
    with closing(sqlite3.connect(broken / "names.sqlite")) as connection, connection:
        connection.execute(sql)
    accept_hashes(broken)
    assert any(problem in found for found in check_pack(broken)), check_pack(broken)


def test_a_block_of_too_many_bytes_is_refused_unread(broken: Path) -> None:
    bomb = zlib.compress(b"x" * (MAX_BLOCK_BYTES + 1), 9)
    with closing(sqlite3.connect(broken / "names.sqlite")) as connection, connection:
        connection.execute("UPDATE labels SET texts = ?", (bomb,))
    accept_hashes(broken)
    with pytest.raises(PackError, match=r"names\.sqlite: is damaged"), Pack.open(broken) as pack:
        pack.labels([0])


def test_a_foreign_file_is_reported(broken: Path) -> None:
    (broken / "extra.txt").write_text("x")
    assert check_pack(broken) == ["extra.txt: not in the manifest"]


def test_broken_names_are_one_clear_error(broken: Path) -> None:
    size = (broken / "names.sqlite").stat().st_size
    (broken / "names.sqlite").write_bytes(b"\0" * size)
    with pytest.raises(PackError, match=r"names\.sqlite"), Pack.open(broken) as pack:
        pack.labels([0])


@pytest.mark.parametrize(("name", "value", "says"), [("axis", 99, "does not name"), ("low", 1e300, "no interval")])
def test_values_that_lie_nowhere_are_no_values(broken: Path, name: str, value: float, says: str) -> None:
    path = broken / f"literal_{name}.npy"
    values = np.load(path)
    values[0] = value
    np.save(path, values)
    accept_hashes(broken)
    assert any(says in problem for problem in check_pack(broken))
    with pytest.raises(PackError, match=says), Pack.open(broken) as pack:
        _ = pack.literal_values


def test_values_of_other_literals_are_found(broken: Path) -> None:
    path = broken / "literal_low.npy"
    np.save(path, np.load(path) - 1)
    accept_hashes(broken)
    assert check_pack(broken) == ["literal_*.npy: not what the literals say"]


def test_too_many_open_files_are_no_problem_of_the_pack(family_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "kgask", "pack", "check", family_path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10)),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (EXIT_ERROR, ""), ended
    assert ended.stderr.endswith("Too many open files\n") and ended.stderr.count("\n") == 1


def test_a_pack_without_stored_values_reads_them_from_its_literals(broken: Path, family_path: Path) -> None:
    manifest = json.loads((broken / "pack.json").read_text())
    del manifest["counts"]["axes"]
    (broken / "pack.json").write_bytes(dump_manifest(manifest))
    with Pack.open(broken) as older, Pack.open(family_path) as newer:
        for name, values in newer.literal_values.arrays.items():
            assert np.array_equal(values, older.literal_values.arrays[name], equal_nan=name != "literal_axis")
