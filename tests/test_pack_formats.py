"""Packs of format 1 beside those of format 2: the same names and checks, and changes that make one of the other."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask
from hostile_pack import accept_hashes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from staff_pack import FORMAT_1, N_STAFF, add_to

from kgask.build.archive import unpack
from kgask.build.writer import PackBuilder
from kgask.errors import PackDamage
from kgask.pack.check import check_pack
from kgask.pack.normalise import normalise
from kgask.pack.packed import TEXTS, bucket_code, buckets_of, codes_of
from kgask.pack.store import Pack

TYPOS = ["ann red 0", "bob stne 1", "zoe muller 2", "wroker number 3", "the one with a hat", "irina", "slaes", "1902"]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("old") / "staff"
    with FORMAT_1.open("rb") as file:
        unpack(FORMAT_1.name, file, target)
    return target


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("new") / "staff"
    builder = PackBuilder()
    add_to(builder)
    builder.write(target)
    return target


def _major(path: Path) -> int:
    with Pack.open(path) as pack:
        return int(pack.manifest["format"]["major"])


def _everything(path: Path) -> dict[str, object]:
    """What every question about names is answered with."""
    with Pack.open(path) as pack:
        ids = list(range(pack.n_entities))
        names, keys = pack.names, pack.keys(ids)
        texts = [*pack.labels(ids), *(alias for _, alias in names.aliases_between(0, len(ids))), *TYPOS, "no such name"]
        norms = sorted({normalise(text) for text in texts})
        ranges = [(0, 0), (3, 40), (len(ids) - 1, len(ids)), (5, 4), (-3, 2)]
        return {
            "labels": pack.labels(ids[::-1]),
            "keys": keys,
            "descriptions": pack.descriptions(ids),
            "literals": pack.literals(ids),
            "relations": pack.relations(),
            "found": [pack.find_key(key) for key in (*keys, "http://e.org/staff/Q999", "", "Q", '"1"^^number')],
            "exact": {
                norm: [(hit.entity, hit.name, hit.is_alias) for hit in hits] for norm, hits in pack.exact(norms).items()
            },
            "none": pack.exact([]),
            "fuzzy": [pack.fuzzy(norm) for norm in TYPOS],
            "search": [pack.search(text) for text in ("reed", "bob sto", "worker number 1", "hat", "!!!", "year")],
            "aliases": [names.aliases_between(*both) for both in ranges],
            "beginning": [sorted(names.words_beginning(start, 1, 30)) for start in ("a", "w", "zo", "ир", "zz")],
            "ending": [sorted(names.words_ending(end, 3, 6)) for end in ("d", "er", "на", "xyz")],
            "counts": names.word_counts(["ann", "reed", "number", "nobody"]),
            "statements": pack.statements(range(pack.n_triples)),
            "passages": [passage.text for passage in pack.passages.every()] if pack.passages else [],
            "content": pack.content_hash,
        }


def test_both_formats_say_the_same(old: Path, new: Path) -> None:
    assert (_major(old), _major(new)) == (1, 2)
    told = _everything(old)
    assert told == _everything(new)
    assert len(told["exact"]) > N_STAFF and told["fuzzy"][0] and told["search"][0]  # type: ignore[arg-type, index]
    assert check_pack(old) == [] and check_pack(new) == []


def test_what_was_written_before_words_were_listed_finds_the_same(old: Path, tmp_path: Path) -> None:
    older = Path(shutil.copytree(old, tmp_path / "older"))
    with closing(sqlite3.connect(older / "names.sqlite")) as db:
        db.execute("DROP TABLE words")
        db.commit()
    accept_hashes(older)
    assert _everything(older) == _everything(old)
    assert check_pack(older) == []


def test_a_change_of_an_old_pack_writes_the_new_format_and_can_be_taken_back(
    old: Path, new: Path, tmp_path: Path
) -> None:
    pack, table = Path(shutil.copytree(old, tmp_path / "staff")), tmp_path / "more.tsv"
    table.write_text("Sales\tpart of\tthe firm\n")
    assert kgask("pack", "add", str(table), "--to", str(pack)).returncode == 0
    assert (_major(pack), check_pack(pack)) == (2, [])
    assert kgask("pack", "remove", str(table), "--from", str(pack)).returncode == 0
    with Pack.open(pack) as changed, Pack.open(new) as built:
        assert changed.content_hash == built.content_hash
    assert kgask("pack", "rollback", str(pack), "1").returncode == 0
    assert (_major(pack), check_pack(pack)) == (1, [])
    assert _everything(pack) == _everything(old)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("UPDATE entities SET label = 'Eve Reid' WHERE id = 5", "look-up table"),
        ("DELETE FROM names WHERE ref = 0", "look-up table"),
        ("DELETE FROM entities WHERE id = 3", "entities has"),
        ("DELETE FROM relations WHERE id = 3", "relations has"),
        ("UPDATE aliases SET entity = 999", "that are not there"),
        ("UPDATE literals SET value = 1 WHERE kind = 'number'", "not what its text says"),
        ("UPDATE entities SET prefix = NULL, rest = 'Zoe' WHERE id = 9", "out of order"),
        ("UPDATE descriptions SET text = 'x'", "content hash"),
        ("UPDATE relations SET label = 'x' WHERE id = 0", "relation vocabulary"),
        ("DELETE FROM words WHERE word = 'reed'", "does not list the words"),
        ("PRAGMA user_version = 2", "format 1"),
    ],
)
def test_wrong_names_of_format_1_are_found(old: Path, tmp_path: Path, sql: str, problem: str) -> None:
    broken = Path(shutil.copytree(old, tmp_path / "broken"))
    with closing(sqlite3.connect(broken / "names.sqlite")) as db, db:
        db.execute(sql)
    accept_hashes(broken)
    assert any(problem in found for found in check_pack(broken)), check_pack(broken)


@pytest.mark.parametrize("n", [1, TEXTS - 1, TEXTS, TEXTS + 1, 20 * TEXTS + 3])
def test_blocks_and_buckets_of_any_number(tmp_path: Path, n: int) -> None:
    builder = PackBuilder()
    for number in range(n):
        builder.add(f"k{number:05}", "r", f"k{number:05}")
        builder.label(f"k{number:05}", f"name {number}")
        builder.alias(f"k{number:05}", f"other {number}")
    builder.write(tmp_path / "pack")
    with Pack.open(tmp_path / "pack") as pack:
        assert pack.labels(range(n)) == [f"name {i}" for i in range(n)]
        assert pack.keys(range(n)) == [f"k{i:05}" for i in range(n)]
        asked = [f"{kind} {i}" for i in range(n) for kind in ("name", "other")]
        found = pack.exact([*asked, *(f"none {i}" for i in range(5000))])
        assert {norm: [hit.entity for hit in hits] for norm, hits in found.items()} == {
            text: [int(text.split()[1])] for text in asked
        }
        assert pack.names.aliases_between(0, n - 1) == [(i, f"other {i}") for i in range(n)]
        assert pack.manifest["counts"]["names"] == 2 * n
    assert check_pack(tmp_path / "pack") == []


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 9)), max_size=60), st.integers(0, 8))
def test_buckets_do_not_depend_on_parts(pairs: list[tuple[int, int]], bits: int) -> None:
    every = np.array(sorted({*pairs}), np.int64).reshape(-1, 2)
    whole = [*buckets_of([(every[:, 0], every[:, 1])], bits, 10)]
    parts = [(every[start : start + 7, 0], every[start : start + 7, 1]) for start in range(0, len(every), 7)]
    assert [*buckets_of(parts, bits, 10)] == whole
    codes, refs = codes_of([(bucket, data) for bucket, _, data in whole], 10)
    assert {*zip(codes.tolist(), refs.tolist(), strict=True)} == {(bucket_code(h, bits), ref) for h, ref in pairs}


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        TEXT.filter(lambda text: text.strip() and text[0] != '"'), TEXT.filter(str.strip), min_size=1, max_size=40
    )
)
def test_any_text_comes_back(tmp_path: Path, labels: dict[str, str]) -> None:
    builder = PackBuilder()
    for key, label in labels.items():
        builder.add(key, "r", key)
        builder.label(key, label)
        builder.description(key, label + key)
    builder.write(tmp_path / "pack", force=True)
    with Pack.open(tmp_path / "pack") as pack:
        ids = range(pack.n_entities)
        keys = pack.keys(ids)
        assert dict(zip(keys, pack.labels(ids), strict=True)) == labels
        assert pack.descriptions(ids) == [labels[key] + key for key in keys]
        assert [pack.find_key(key) for key in keys] == list(ids)
        for key, label in labels.items():
            hits = pack.exact([normalise(label)])[normalise(label)]
            assert key in pack.keys([hit.entity for hit in hits])
    assert check_pack(tmp_path / "pack") == []


@pytest.mark.parametrize("name", ["out_relation.npy", "in_subject.npy", "names.sqlite"])
def test_a_changed_byte_of_format_1_is_told_and_not_answered_from(old: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(old, tmp_path / "old")
    data = bytearray((tmp_path / "old" / name).read_bytes())
    data[-100] ^= 1
    (tmp_path / "old" / name).write_bytes(data)
    with pytest.raises(PackDamage, match=name):
        Pack.open(tmp_path / "old")
    assert any(name in problem for problem in check_pack(tmp_path / "old"))
    asked = kgask("ask", "How many workers are there?", "--pack", str(tmp_path / "old"), "--no-reader")
    assert (asked.returncode, asked.stdout) == (6, "") and name in asked.stderr


def test_a_literal_that_is_none_is_a_problem(old: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path / "old")
    with closing(sqlite3.connect(tmp_path / "old" / "names.sqlite")) as database:
        database.execute("UPDATE literals SET text = -9e999 WHERE rowid % 3 = 1")
        database.commit()
    accept_hashes(tmp_path / "old")
    assert any("literal" in problem for problem in check_pack(tmp_path / "old"))
