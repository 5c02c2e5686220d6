"""A pack's life: add, remove, update, merge, subset, diff; versions, and kills in the middle."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from forked_cli import kgask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgask.build.changes import differences, found_in, lines_of, patched, read_patch, to_patch, within
from kgask.build.from_pack import add_pack
from kgask.build.source import Problems
from kgask.build.versions import changing, history
from kgask.build.writer import PackBuilder
from kgask.config import versions_folder
from kgask.errors import BuildError, PackError
from kgask.pack.check import check_pack
from kgask.pack.literals import parse_literal
from kgask.pack.store import Pack

KEYS, RELATIONS = ["Q1", "Q2", "a b", "x\\y", "http://e.org/z"], ["P1", "knows", "has|bar"]
VALUES = [*KEYS, parse_literal("number", "3", "km"), parse_literal("date", "1811"), parse_literal("string", "t\tx")]
pairs = st.lists(st.tuples(st.sampled_from(RELATIONS), st.sampled_from(VALUES)), max_size=2)
triples = st.tuples(st.sampled_from(KEYS), st.sampled_from(RELATIONS), st.sampled_from(VALUES), pairs)
texts = st.tuples(st.sampled_from(["label", "alias", "description"]), st.sampled_from(KEYS), st.sampled_from("AB|"))
PACKS = st.tuples(st.lists(triples, min_size=1, max_size=8), st.lists(texts, max_size=4), st.booleans())
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _builder(content: tuple[list, list, bool]) -> PackBuilder:
    builder = PackBuilder()
    for subject, relation, value, qualifiers in content[0]:
        builder.add(subject, relation, value, qualifiers)
    for kind, key, text in content[1]:
        getattr(builder, kind)(key, text)
    if content[2]:
        builder.relation("P1", "first", ["one|two", "three"], "of a \\ kind", "first of")
        builder.passage(["Q1", "a b"], "Both are here.")
    return builder


def _written(builder: PackBuilder, path: Path) -> Path:
    builder.write(path, force=True)
    return path


@pytest.mark.slow
@quick
@given(PACKS, PACKS)
def test_a_patch_makes_the_new_pack_of_the_old_one(tmp_path: Path, old: tuple, new: tuple) -> None:
    one, two = _written(_builder(old), tmp_path / "one"), _written(_builder(new), tmp_path / "two")
    with Pack.open(one) as before, Pack.open(two) as after:
        removed, added = differences(before, after)
        (tmp_path / "patch").write_text("".join(f"{line}\n" for line in to_patch(removed, added)))
        with (tmp_path / "patch").open("rb") as stream:
            gone, come = read_patch(stream, "patch", Problems(False, print))
        builder, n_missing = patched(before, gone, come)
        assert n_missing == 0
        with Pack.open(_written(builder, tmp_path / "three")) as made:
            assert made.content_hash == after.content_hash


@pytest.mark.slow
@quick
@given(PACKS, PACKS)
def test_merging_does_not_depend_on_the_order(tmp_path: Path, old: tuple, new: tuple) -> None:
    hashes = []
    one, two = _written(_builder(old), tmp_path / "one"), _written(_builder(new), tmp_path / "two")
    for order in ((one, two), (two, one)):
        builder = PackBuilder()
        for path in order:
            with Pack.open(path) as pack:
                add_pack(pack, builder)
        with Pack.open(_written(builder, tmp_path / "both")) as both:
            hashes.append(both.content_hash)
    assert hashes[0] == hashes[1]


@quick
@given(PACKS, st.sets(st.sampled_from(KEYS), min_size=1), st.integers(1, 3), st.sets(st.sampled_from(RELATIONS)))
def test_a_subset_is_what_can_be_reached(
    tmp_path: Path, content: tuple, seeds: set[str], n_hops: int, relations: set[str]
) -> None:
    with Pack.open(_written(_builder(content), tmp_path / "one")) as pack:
        ids = [found for key in sorted(seeds) if (found := pack.find_key(key)) is not None]
        known = [text.key for text in pack.relations()]
        of = [relation for relation in sorted(relations) if relation in known]
        if not ids:
            return
        keep = within(pack, ids, n_hops, of, ())
        rows = list(zip(*(column.tolist() for column in pack.triples(range(pack.n_triples))), strict=True))
        reached, expected, first_literal = set(ids), set(), pack.n_entities - pack.n_literals
        for _ in range(n_hops):
            near = {
                row
                for row in rows
                if (not of or known[row[1]] in of)
                and (row[0] in reached or (row[2] in reached and row[2] < first_literal))
            }
            expected |= near
            reached |= {end for row in near for end in (row[0], row[2])}
        assert {row for row, kept in zip(rows, keep.tolist(), strict=True) if kept} == expected


def _run(*args: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    result = kgask("pack", *map(str, args))
    assert result.returncode == code, result.stderr
    return result


def _table(path: Path, rows: Iterable[str]) -> Path:
    path.write_text("".join(f"{row}\n" for row in ("subject,relation,object", *rows)))
    return path


@pytest.fixture
def staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KGASK_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    rows = ["Ann,age,35", "Bob,age,41", "Cid,age,29", "Ann,works in,Sales", "Bob,works in,Sales", "Cid,works in,Law"]
    _run("build", _table(tmp_path / "staff.csv", rows), "-o", "staff", "--licence", "CC0-1.0")
    return tmp_path / "staff"


def _hash(path: Path) -> str:
    with Pack.open(path) as pack:
        return pack.content_hash


def test_adding_and_removing_give_the_pack_back(staff: Path, tmp_path: Path) -> None:
    before = _hash(staff)
    more = _table(tmp_path / "more.csv", ["Dan,age,50", "Eve,age,unknown", "Dan,works in,Law"])
    _run("add", more, "--to", "staff")
    with Pack.open(staff) as pack:
        assert (pack.n_triples, pack.manifest["licences"]) == (9, ["CC0-1.0"])
        assert pack.find_key('"50"^^number') is not None
    _run("remove", more, "--from", "staff")
    assert _hash(staff) == before
    assert check_pack(staff) == []


def test_what_is_not_there_is_not_removed_and_said(staff: Path, tmp_path: Path) -> None:
    before = _hash(staff)
    assert (
        "none of these 1 triples"
        in _run("remove", _table(tmp_path / "no.csv", ["Ann,age,36"]), "--from", "staff", code=1).stderr
    )
    assert _hash(staff) == before
    result = _run("remove", _table(tmp_path / "some.csv", ["Ann,age,36", "Ann,age,35"]), "--from", "staff")
    assert "1 of what was to be removed not there" in result.stderr
    assert len(history(staff)) == 2


def test_versions_are_listed_gone_back_to_and_bounded(staff: Path, tmp_path: Path) -> None:
    hashes = [_hash(staff)]
    for number in range(4):
        _run("add", _table(tmp_path / "more.csv", [f"E{number},works in,Law"]), "--to", "staff", "--keep", "2")
        hashes.append(_hash(staff))
    rows = json.loads(_run("history", "staff", "--json").stdout)
    assert [row["content_sha256"] for row in rows] == hashes[2:]
    assert [row["current"] for row in rows] == [False, False, True]
    _run("rollback", "staff")
    assert _hash(staff) == hashes[3]
    _run("rollback", "staff", str(rows[0]["version"]))
    assert _hash(staff) == hashes[2]
    assert "no earlier version 99" in _run("rollback", "staff", "99", code=1).stderr
    assert check_pack(staff) == []


def test_update_takes_what_diff_gives(staff: Path, tmp_path: Path) -> None:
    _run("add", _table(tmp_path / "more.csv", ["Dan,works in,Law"]), "--to", "staff")
    assert _run("diff", "staff@1", "staff").stdout == "+ Dan | works in | Law\n"
    back = tmp_path / "back.txt"
    back.write_text(_run("diff", "staff", "staff@1", "--patch").stdout)
    assert back.read_text() == "-\ttriple\tDan\tworks in\tLaw\n"
    _run("update", back, "staff")
    assert json.loads(_run("diff", "staff", "staff@1", "--json").stdout)["same"]


@pytest.mark.parametrize(
    "line",
    [
        "*\ttriple\ta\tb\tc",
        "+\ttriple\ta\tb",
        "+\twhat\ta\tb",
        "+\trelation\ta\tb",
        "+ triple a b c",
        '+\ttriple\ta\tb\t"x"^^number',
    ],
)  # fmt: skip
def test_a_broken_patch_is_refused_by_line(staff: Path, tmp_path: Path, line: str) -> None:
    before = _hash(staff)
    (tmp_path / "p.txt").write_text(f"# a comment\n{line}\n")
    assert "p.txt:2: " in _run("update", "p.txt", "staff", code=1).stderr
    assert _hash(staff) == before


def test_packs_are_merged_and_cut(staff: Path, tmp_path: Path) -> None:
    _run("build", _table(tmp_path / "b.csv", ["Ann,knows,Zoe", "Ann,instance of,person"]), "-o", "b")
    _run("merge", "staff", "b", "-o", "both")
    with Pack.open(tmp_path / "both") as both:
        assert both.n_triples == 8
    _run("subset", "both", "-o", "near", "--seed", "Zoe", "--hops", "2")
    with Pack.open(tmp_path / "near") as near:
        assert sorted(line[1:] for line in lines_of(near) if line[0] == "triple") == [
            ("Ann", "age", '"35"^^number'), ("Ann", "instance of", "person"), ("Ann", "knows", "Zoe"),
            ("Ann", "works in", "Sales"),
        ]  # fmt: skip
    _run("subset", "both", "-o", "people", "--type", "person", "--relation", "age")
    with Pack.open(tmp_path / "people") as people:
        assert [line for line in lines_of(people) if line[0] == "triple"] == [("triple", "Ann", "age", '"35"^^number')]
    assert "no relation 'agee'" in _run("subset", "both", "-o", "x", "--relation", "agee", code=1).stderr


@pytest.mark.slow
def test_a_version_is_a_pack_that_stays_as_it_is(staff: Path, tmp_path: Path) -> None:
    first = _hash(staff)
    more = _table(tmp_path / "more.csv", ["Dan,works in,Law"])
    _run("add", more, "--to", "staff")
    _run("merge", "staff@1", "staff@1", "-n", "merged")
    _run("subset", "staff@2", "-n", "cut", "--seed", "Dan")
    _run("build", "staff@1", "-n", "built")
    _run("export", "staff@1", tmp_path / "first.kgpack")
    _run("import", tmp_path / "first.kgpack", "-n", "imported")
    for name in ("merged", "built", "imported"):
        assert json.loads(_run("info", name, "--json").stdout)["content_sha256"] == first
    assert _run("show", "Dan", "-p", "cut").stdout == "Dan\tworks in\tLaw\n"
    assert json.loads(_run("info", "staff@1", "--json").stdout)["content_sha256"] == first
    assert _run("default", "staff@1").stdout == f"{staff}@1\n"
    assert _run("show", "Ann", "--relation", "age").stdout == "Ann\tage\t35\n"
    _run("default", "--unset")
    for command in (("add", more, "--to", "staff@1"), ("delete", "staff@1", "--yes"), ("rename", "staff@2", "other")):
        assert "kgask pack rollback staff" in _run(*command, code=1).stderr
    assert "staff has no version 3; 'kgask pack history staff'" in _run("info", "staff@3", code=1).stderr
    assert "no pack named or at 'nobody'" in _run("info", "nobody@3", code=1).stderr
    assert "say where" in _run("merge", "staff", "cut", code=2).stderr


def test_labels_and_texts_of_literals_find_triples(tmp_path: Path) -> None:
    builder = PackBuilder()
    builder.add("Q1", "P2", parse_literal("number", "35"))
    builder.add("Q1", "P3", "Q5")
    builder.label("Q1", "Ann")
    builder.label("Q5", "Sales")
    builder.relation("P2", "age")
    with Pack.open(_written(builder, tmp_path / "p")) as pack:
        found, n_missing = found_in(pack, [("Ann", "age", "35"), ("Q1", "P3", "Sales"), ("Ann", "age", "36")])
        assert (found.tolist(), n_missing) == ([True, True], 1)


def test_names_defaults_and_shipped_packs(staff: Path, tmp_path: Path) -> None:
    _run("build", "staff.csv", "-n", "mine")
    assert (tmp_path / "home" / "kg_packs" / "mine").is_dir()
    assert _run("default", "mine").stdout == "mine\n"
    listed = _run("list", "--json").stdout
    assert '"mine"' in listed
    _run("add", _table(tmp_path / "more.csv", ["Dan,works in,Law"]), "--to", "mine")
    _run("rename", "mine", "ours")
    assert _run("default").stdout == "ours\n"
    assert len(history(tmp_path / "home" / "kg_packs" / "ours")) == 2
    assert "needs a yes" in _run("delete", "ours", code=2).stderr
    _run("delete", "ours", "--yes")
    assert _run("default").stdout == "demo\n"
    assert [*(tmp_path / "home" / "kg_packs").iterdir()] == []
    for command in (["add", "more.csv", "--to"], ["delete"], ["rollback"]):
        assert "ships with kgask and stays" in _run(*command, "demo", code=1).stderr
    assert "say where" in _run("build", "staff.csv", code=2).stderr
    assert "cannot be a pack's name" in _run("build", "staff.csv", "-n", "../x", code=2).stderr
    assert "ships with kgask" in _run("build", "staff.csv", "-n", "demo", code=2).stderr


def test_a_second_writer_is_refused_in_a_line(staff: Path) -> None:
    with changing(staff), pytest.raises(BuildError, match="another kgask changes this pack"), changing(staff):
        pass
    with changing(staff):  # the lock is given back
        pass


def test_a_change_that_fails_changes_nothing(staff: Path, tmp_path: Path) -> None:
    before = _hash(staff)
    (tmp_path / "broken.tsv").write_text("a\tb\n")
    assert "broken.tsv:1" in _run("add", "broken.tsv", "--to", "staff", code=1).stderr
    assert _hash(staff) == before
    assert [version.is_current for version in history(staff)] == [True]
    with pytest.raises(PackError, match="no earlier version"):
        raise PackError(_run("rollback", "staff", code=1).stderr)


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_whole_pack(staff: Path, tmp_path: Path) -> None:
    _table(tmp_path / "more.csv", [f"N{n},works in,D{n % 7}" for n in range(4000)])
    old, rng = _hash(staff), random.Random(7)
    command = [sys.executable, "-m", "kgask", "pack", "add", "more.csv", "--to", "staff"]
    began = time.monotonic()
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    whole, new = time.monotonic() - began, _hash(staff)
    for _ in range(8):
        _run("rollback", "staff") if _hash(staff) == new else None
        child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.4, 1.0) * whole)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert _hash(staff) in (old, new)
        assert check_pack(staff) == []
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    assert _hash(staff) == new
    left = {path.name for path in versions_folder(staff).iterdir()} - {"lock"}
    assert all(name.isdecimal() for name in left)
    with open(versions_folder(staff) / "lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody holds it
    assert not os.path.lexists(tmp_path / "staff.tmp")
