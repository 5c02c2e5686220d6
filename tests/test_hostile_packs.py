"""Packs with flipped bits, other tables, foreign types and long texts: an error, never an answer."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask
from hostile_pack import accept_hashes, flip, forget_checksums

from kgask.build.checksums import add_checksums
from kgask.build.writer import PackBuilder
from kgask.config import shipped_root
from kgask.errors import EXIT_DAMAGED, PackDamage, PackError
from kgask.pack import blocks
from kgask.pack.blocks import BLOCK_BYTES, BLOCKS_FILE, Bound
from kgask.pack.check import check_pack
from kgask.pack.literals import parse_literal
from kgask.pack.packed import entry_type, pack_texts
from kgask.pack.store import Pack

DEMO = shipped_root("pack") / "demo"
N_NAMES = 1500


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack whose files have many blocks."""
    builder, rng = PackBuilder(), random.Random(1)
    for number in range(N_NAMES):
        builder.add(f"Q{number}", "P1", f"Q{rng.randrange(N_NAMES)}")
        builder.label(f"Q{number}", f"thing {number}")
    builder.add("Q1", "P2", parse_literal("number", "12", "km"), [("P3", parse_literal("date", "1911"))])
    builder.passage(["Q1"], "Thing one is the first of the things.")
    builder.relation("P1", "leads to", aliases=["goes to"])
    builder.alias("Q2", "second thing 7")
    for number in range(1, 5):
        builder.add(f"Q{number}", "P31", "Q1000", [("P3", parse_literal("date", f"19{number}0"))])
    path = tmp_path_factory.mktemp("many") / "many"
    builder.write(path)
    return path


@pytest.fixture
def broken(many: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(many, tmp_path / "broken"))


def everything(path: Path) -> list[object]:
    """What a pack says, by the ways in which questions read it."""
    with Pack.open(path) as pack:
        ids = range(pack.n_entities)
        passages = pack.passages.search("things", 5) if pack.passages else []
        return [
            [column.tolist() for column in pack.triples(range(pack.n_triples))],
            pack.degree(ids).tolist(), pack.labels(ids), pack.keys(ids), pack.literals(ids), pack.relations(), passages,
            pack.statements(range(pack.n_triples)), pack.literal_values.low.tolist(), pack.search("thing 7"),
            pack.exact(["thing 1499"]), pack.fuzzy("thng 12"), pack.relation_kinds.tolist(),
            None if pack.types is None else pack.types.tolist(), pack.in_relation.tolist(), pack.in_subject.tolist(),
        ]  # fmt: skip


def _block(*texts: str) -> str:
    """Texts as names.sqlite keeps them, in SQL."""
    return f"x'{pack_texts(texts).hex()}'"


def _led_elsewhere(connection: sqlite3.Connection) -> None:
    """Make every name that of something which is not there."""
    for bucket, entries in connection.execute("SELECT bucket, entries FROM names").fetchall():
        found = np.frombuffer(entries, entry_type(N_NAMES)).copy()
        found["ref"] = 77777777
        connection.execute("UPDATE names SET entries = ? WHERE bucket = ?", (found.tobytes(), bucket))


def test_a_flipped_bit_is_never_read(many: Path, tmp_path: Path) -> None:
    """Whatever still opens says what it said before, or says that it is damaged."""
    rng, whole, told = random.Random(7), everything(many), 0
    names = [path.name for path in sorted(many.iterdir())]
    for number in range(30):
        folder = Path(shutil.copytree(many, tmp_path / str(number)))
        path = folder / names[number % len(names)]
        flip(path, rng.randrange(path.stat().st_size), rng.randrange(8))
        try:
            assert everything(folder) == whole
        except PackError as error:
            assert "\n" not in str(error)
            told += 1
        if number < 6:
            assert check_pack(folder)
        shutil.rmtree(folder)
    assert told > 12


def test_the_bit_that_changed_an_answer(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DEMO, tmp_path / "demo"))
    flip(folder / "out_indptr.npy", 185342, 6)
    ended = kgask("ask", "-p", str(folder), "--no-reader", "who wrote Lady Susan?")
    assert (ended.returncode, ended.stdout) == (EXIT_DAMAGED, "")
    assert ended.stderr == f"kgask: {folder}/out_indptr.npy: is damaged; run: kgask pack check {folder}\n"


def test_checked_arrays_read_like_arrays_and_only_what_is_asked(many: Path, broken: Path) -> None:
    rng = np.random.default_rng(3)
    with Pack.open(many) as pack:
        name = "out_object"
        plain = np.load(many / f"{name}.npy")
        n, array = len(plain), pack.out_object
        for key in (
            0,
            -1,
            np.int32(5),
            slice(3, 900),
            slice(None, None, -7),
            [1, 2],
            rng.integers(-n, n, 500),
            plain > 9,
        ):
            with Pack.open(many) as anew:
                assert np.array_equal(anew.out_object[key], plain[key])
        assert np.array_equal(array + 1, plain + 1) and np.array_equal(array == 3, plain == 3)
        assert (len(array), array.dtype, array.shape, array.max()) == (n, plain.dtype, plain.shape, plain.max())
        assert np.array_equal(
            pack.out_indptr.searchsorted([0, 77, n]), np.load(many / "out_indptr.npy").searchsorted([0, 77, n])
        )
        with pytest.raises(IndexError):
            array[n]


def test_only_blocks_that_are_read_are_compared(tmp_path: Path) -> None:
    array = np.arange(3_000_000, dtype="<i4")
    np.save(tmp_path / "a.npy", array)
    sums = np.frombuffer(blocks.block_sums(tmp_path, ["a.npy"]), "<u4")
    flip(tmp_path / "a.npy", 200 * BLOCK_BYTES, 0)
    checked = blocks.checked_array(tmp_path / "a.npy", *blocks.read_npy(tmp_path / "a.npy"), sums)
    rows_of_it = 200 * BLOCK_BYTES // 4
    assert checked[rows_of_it - 2000] == rows_of_it - 2000
    assert checked[np.array([0, 2_999_999])].tolist() == [0, 2_999_999]
    assert checked.searchsorted(2_500_000) == 2_500_000
    for key in (rows_of_it, slice(0, rows_of_it + 5), np.array([3, rows_of_it]), slice(None)):
        with pytest.raises(PackDamage):
            checked[key]
    few = blocks.plain_slices(checked)
    for first in (0, 700, rows_of_it - 2000, 2_999_990):
        for _ in range(2):  # unknown, then known
            assert few(first, first + 9) == array[first : first + 9].tolist()
    assert few(5, 5) == []
    for first, last in ((rows_of_it, rows_of_it + 1), (rows_of_it - 2000, rows_of_it), (700, rows_of_it + 9)):
        with pytest.raises(PackDamage):
            few(first, last)
    with pytest.raises(PackDamage):
        np.asarray(checked)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c", "view"),
        ("DROP TABLE descriptions; CREATE VIEW descriptions AS SELECT 1 AS block, zeroblob(1e9) AS texts", "view"),
        ("CREATE TRIGGER t AFTER INSERT ON aliases BEGIN DELETE FROM names; END", "trigger"),
        ("CREATE VIRTUAL TABLE other USING fts5(x)", "table"),
        ("CREATE TABLE other (x)", "table"),
        ("CREATE INDEX i ON labels (texts)", "index"),
        ("UPDATE labels SET texts = 'a text' WHERE block = 0", "another type"),
        ("UPDATE relations SET aliases = '{}'", "other names"),
        (f"UPDATE literals SET texts = {_block('red')}", "a literal that is none"),
        ("UPDATE labels SET texts = zeroblob(40000000) WHERE block = 0", "too big"),
        (f"UPDATE labels SET texts = {_block('a' * (33 << 20))} WHERE block = 0", "a block of no end"),
    ],
)
def test_tables_that_are_not_what_they_say(broken: Path, sql: str, says: str) -> None:
    _change(broken, sql)
    accept_hashes(broken)
    with pytest.raises(PackError, match=says):
        everything(broken)
    assert check_pack(broken)


def test_a_schema_of_many_tables_is_not_read(broken: Path) -> None:
    _change(broken, "BEGIN;" + ";".join(f"CREATE TABLE t{number} (x)" for number in range(200)) + "; COMMIT")
    accept_hashes(broken)
    with pytest.raises(PackDamage, match="schema"), Pack.open(broken) as pack:
        pack.labels([0])


@pytest.mark.parametrize(
    ("file", "sql", "says"),
    [
        ("names.sqlite", "INSERT INTO name_words (name_words) VALUES ('delete-all')", "search index"),
        ("names.sqlite", "INSERT INTO name_words (rowid, name) VALUES (3, 'bomb')", "search index"),
        ("names.sqlite", f"UPDATE words SET first = 'other', texts = {_block('other')}", "words does not list"),
        ("names.sqlite", f"UPDATE reversed_words SET first = 'rehto', texts = {_block('rehto')}", "reversed_words"),
        ("passages.sqlite", "INSERT INTO words (words) VALUES ('delete-all')", "passages"),
    ],
)
def test_a_search_index_of_something_else_is_found(broken: Path, file: str, sql: str, says: str) -> None:
    _change(broken, sql, file)
    accept_hashes(broken)
    assert any(says in problem for problem in check_pack(broken)), check_pack(broken)


def test_arrays_that_nobody_can_follow_are_one_line_of_every_command(broken: Path) -> None:
    for name, change in (("out_relation", lambda a: a + 9000), ("in_indptr", lambda a: np.sort(a)[::-1].copy())):
        array = np.load(broken / f"{name}.npy")
        np.save(broken / f"{name}.npy", change(array).astype(array.dtype))
    accept_hashes(broken)
    for words in (("pack", "show", "#1"), ("pack", "info", "--relations"), ("pack", "check")):
        ended = kgask(*words, *(("-p",) if words[1] == "show" else ()), str(broken))
        assert ended.returncode == EXIT_DAMAGED and "Traceback" not in ended.stderr, ended
        assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("has_checksums", [True, False])
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("out_indptr", 10**6), ("out_relation", 90), ("out_object", -3), ("in_indptr", 2), ("in_relation", -1),
        ("in_subject", 10**6), ("statement_triple", N_NAMES + 9), ("qualifier_indptr", -1), ("qualifier_relation", 90),
        ("qualifier_value", 10**6), ("types", 10**6), ("types", -1), ("literal_axis", 2),
    ],
)  # fmt: skip
def test_a_value_that_leads_to_nothing_is_damage(broken: Path, name: str, change: int, has_checksums: bool) -> None:
    """One of them, with hashes made to fit."""
    path = broken / f"{name}.npy"
    array = np.load(path)
    array.reshape(-1)[len(array) // 2] = change
    np.save(path, array)
    accept_hashes(broken)
    if not has_checksums:
        forget_checksums(broken)
    with pytest.raises(PackDamage, match=name):
        everything(broken)
    ended = kgask("ask", "what does thing 7 lead to?", "--no-reader", "-p", str(broken))
    assert ended.returncode in (0, 3, EXIT_DAMAGED) and ended.stderr.count("\n") <= 1, ended


def test_what_is_not_touched_is_not_bounded(tmp_path: Path) -> None:
    array = np.arange(3_000_000, dtype="<i4")
    array[2_000_000] = -5
    np.save(tmp_path / "a.npy", array)
    checked = blocks.checked_array(tmp_path / "a.npy", *blocks.read_npy(tmp_path / "a.npy"), None, Bound(3_000_000))
    assert checked[7] == 7 and checked[np.array([9, 2_999_999])].tolist() == [9, 2_999_999]
    with pytest.raises(PackDamage, match="leads to nothing"):
        checked[2_000_003]


@pytest.mark.parametrize(
    ("file", "sql"),
    [
        ("names.sqlite", f"UPDATE aliases SET texts = {_block('99999 second thing 7')}"),
        ("names.sqlite", f"UPDATE aliases SET texts = {_block('-4 second thing 7')}"),
        ("names.sqlite", "DELETE FROM aliases"),
        ("names.sqlite", _led_elsewhere),
        ("names.sqlite", "INSERT INTO name_words (rowid, name) VALUES (77777777, 'thing 7')"),
        ("passages.sqlite", "INSERT INTO about SELECT 88888, id FROM passages"),
        ("passages.sqlite", "INSERT INTO about SELECT -1, id FROM passages"),
    ],
)
def test_a_row_about_what_is_not_there_is_damage(
    broken: Path, file: str, sql: str | Callable[[sqlite3.Connection], None]
) -> None:
    _change(broken, sql, file)
    accept_hashes(broken)
    with pytest.raises(PackDamage, match=file), Pack.open(broken) as pack:
        _ = [pack.search("thing 7"), pack.exact(["thing 1499", "second thing 7"]), pack.passages]
        assert pack.passages is not None and pack.passages.search("things", 5)
    assert check_pack(broken)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"PK\x03\x04" + path.read_bytes()[4:]),
        lambda path: np.savez(path.with_suffix(""), a=np.zeros(3)) or path.with_suffix(".npz").replace(path),
        lambda path: path.write_bytes(path.read_bytes().replace(b"False", b"True ")),
        lambda path: path.write_bytes(path.read_bytes().replace(b"'<i4'", b"'|O4'")),
        lambda path: path.write_bytes(path.read_bytes()[:8] + b"\x36\x00" + path.read_bytes()[10:]),
    ],
)
def test_what_is_no_array(broken: Path, spoil: Callable[[Path], object]) -> None:
    spoil(broken / "out_object.npy")
    accept_hashes(broken)
    with pytest.raises(PackDamage, match=r"out_object\.npy"):
        everything(broken)


def test_checksums_for_a_pack_that_has_none(many: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(many, tmp_path / "older"))
    forget_checksums(folder)
    with Pack.open(folder) as pack:
        assert not pack.has_checksums
        content = pack.content_hash
    assert check_pack(folder) == [] and everything(folder) == everything(many)
    assert "--write-checksums" in kgask("pack", "info", str(folder)).stdout
    ended = kgask("pack", "check", str(folder), "--write-checksums")
    assert (ended.returncode, ended.stdout) == (0, "ok\n")
    with Pack.open(folder) as pack:
        assert pack.has_checksums and pack.content_hash == content
    assert check_pack(folder) == [] and (folder / BLOCKS_FILE).read_bytes() == (many / BLOCKS_FILE).read_bytes()
    assert not add_checksums(folder)


def _change(folder: Path, change: str | Callable[[sqlite3.Connection], None], file: str = "names.sqlite") -> None:
    connection = sqlite3.connect(folder / file)
    connection.executescript(change) if isinstance(change, str) else change(connection)
    connection.commit()
    connection.close()
