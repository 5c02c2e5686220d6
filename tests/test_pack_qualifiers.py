"""Statements with qualifiers: what is given to a builder comes out of the pack, and a check sees what is wrong."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hostile_pack import accept_hashes
from hypothesis import given, settings
from hypothesis import strategies as st

from kgask.build.writer import PackBuilder
from kgask.cli.pack import pack as pack_command
from kgask.errors import BuildError, PackError
from kgask.eval.make_copy import copy_pack, naming_of
from kgask.pack.check import check_pack
from kgask.pack.header import ARRAYS, dump_manifest
from kgask.pack.literals import literal_key, parse_literal
from kgask.pack.qualifiers import QUALIFIER_ARRAYS
from kgask.pack.records import Literal
from kgask.pack.store import Pack

Value = str | Literal
Qualified = tuple[str, str, Value, Sequence[tuple[str, Value]]]

NAMES, RELATIONS = st.sampled_from("abcd"), st.sampled_from("pqr")
VALUES = NAMES | st.integers(1, 3).map(lambda n: parse_literal("number", str(n), "km" if n > 1 else ""))
QUALIFIERS = st.lists(st.tuples(RELATIONS | st.just("only here"), VALUES | st.just("nowhere else")), max_size=4)
STATEMENTS = st.lists(st.tuples(NAMES, RELATIONS, VALUES, QUALIFIERS), min_size=1, max_size=30)


def _key(value: Value) -> str:
    return value if isinstance(value, str) else literal_key(value)


def _written(folder: Path, statements: Sequence[Qualified]) -> Pack:
    builder = PackBuilder()
    for statement in statements:
        builder.add(*statement)
    builder.write(folder)
    return Pack.open(folder)


def read_back(pack: Pack) -> dict[tuple[str, str, str], set[frozenset[tuple[str, str]]]]:
    """Every triple in keys with its statements in keys."""
    words = [relation.key for relation in pack.relations()]
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    triples = zip(pack.keys(subjects), (words[r] for r in relations), pack.keys(objects), strict=True)
    found = pack.statements(range(pack.n_triples))
    keys = pack.keys(range(pack.n_entities))
    return {
        triple: {frozenset((words[r], keys[v]) for r, v in statement) for statement in found.get(number, ())}
        for number, triple in enumerate(triples)
    }


def expected_of(statements: Sequence[Qualified]) -> dict[tuple[str, str, str], set[frozenset[tuple[str, str]]]]:
    expected: dict[tuple[str, str, str], set[frozenset[tuple[str, str]]]] = {}
    for subject, relation, obj, qualifiers in statements:
        said = expected.setdefault((subject, relation, _key(obj)), set())
        if qualifiers:
            said.add(frozenset((key, _key(value)) for key, value in qualifiers))
    return expected


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(STATEMENTS)
def test_statements_come_back_in_their_order(statements: list[Qualified]) -> None:
    with tempfile.TemporaryDirectory() as folder, _written(Path(folder) / "p", statements) as pack:
        assert read_back(pack) == expected_of(statements)
        assert check_pack(pack.path) == []
        for said in pack.statements(range(pack.n_triples)).values():
            assert list(said) == sorted(set(said)) and all(list(one) == sorted(set(one)) for one in said)
        assert pack.n_statements == sum(map(len, expected_of(statements).values()))
        assert ("statement_triple.npy" in pack.manifest["files"]) == bool(pack.n_statements)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(STATEMENTS, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(statements: list[Qualified], random: st.DrawFn) -> None:
    shuffled = [(*triple, random.sample(q * 2, len(q) * 2)) for *triple, q in statements * 2]
    random.shuffle(shuffled)
    with (
        tempfile.TemporaryDirectory() as folder,
        _written(Path(folder) / "a", statements) as a,
        _written(Path(folder) / "b", shuffled) as b,
    ):
        assert a.content_hash == b.content_hash
        for name in QUALIFIER_ARRAYS:
            assert np.array_equal(getattr(a, name), getattr(b, name))


def test_a_pack_without_qualifiers_has_empty_arrays(family: Pack) -> None:
    assert [getattr(family, name).tolist() for name in QUALIFIER_ARRAYS] == [[], [0], [], []]
    assert family.n_statements == 0 and family.statements([0, 5]) == {}


def test_statements_count_in_the_content(tmp_path: Path) -> None:
    hashes = {
        _written(tmp_path / str(n), [("a", "r", "b", [("when", value)])]).content_hash
        for n, value in enumerate([parse_literal("date", "1903"), parse_literal("date", "1911")])
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("qualifier", "reason"),
    [
        (("", "b"), "empty relation"),
        (("r", ""), "empty key"),
        (("r", '"1"^^number'), "right of a triple"),
        (("r", Literal("date", "soon")), "not a date"),
    ],
)
def test_nothing_is_added_with_a_broken_qualifier(qualifier: tuple[str, Value], reason: str, tmp_path: Path) -> None:
    builder = PackBuilder()
    with pytest.raises(BuildError, match=reason):
        builder.add("a", "r", "b", [("when", parse_literal("date", "1903")), qualifier])
    builder.add("c", "r", "d")
    builder.write(tmp_path / "p")
    with Pack.open(tmp_path / "p") as pack:
        assert pack.n_triples == 1 and pack.n_statements == 0


@pytest.fixture
def offices(tmp_path: Path) -> Path:
    """Three triples, four statements."""
    year = [parse_literal("date", str(number)) for number in (1801, 1805, 1809)]
    statements: list[Qualified] = [
        ("ann", "office", "mayor", [("start", year[0])]),
        ("ann", "office", "mayor", [("start", year[2])]),
        ("bob", "office", "mayor", [("start", year[1]), ("end", year[2]), ("of", "york")]),
        ("bob", "office", "judge", [("start", year[0])]),
        ("bob", "child", "ann", []),
    ]
    _written(tmp_path / "offices", statements).close()
    return tmp_path / "offices"


def _rewrite(folder: Path, name: str, array: np.ndarray) -> None:
    """Another array behind the right hash."""
    np.save(folder / f"{name}.npy", array)
    accept_hashes(folder)


@pytest.mark.parametrize("name", QUALIFIER_ARRAYS)
def test_wrong_arrays_are_found(offices: Path, name: str) -> None:
    array = np.load(offices / f"{name}.npy")
    wrong_ones = [array[::-1], array + 1, array - 100, np.where(np.arange(len(array)) == 1, array.max(), array)]
    for wrong in wrong_ones:
        if np.array_equal(wrong, array):
            continue
        _rewrite(offices, name, wrong.astype(array.dtype))
        assert check_pack(offices)
        _rewrite(offices, name, array)
    assert check_pack(offices) == []


def test_a_statement_twice_is_found(offices: Path) -> None:
    with Pack.open(offices) as pack:
        values = np.array(pack.qualifier_value)
        twice = next(said for said in pack.statements(range(pack.n_triples)).values() if len(said) == 2)
    (((_, first),), ((_, second),)) = twice
    values[values == second] = first
    _rewrite(offices, "qualifier_value", values)
    assert any("is there twice" in problem for problem in check_pack(offices))


@pytest.mark.parametrize("name", QUALIFIER_ARRAYS)
def test_a_missing_or_cut_array_does_not_open(offices: Path, name: str) -> None:
    data = (offices / f"{name}.npy").read_bytes()
    (offices / f"{name}.npy").write_bytes(data[:-1])
    with pytest.raises(PackError):
        Pack.open(offices)
    manifest = json.loads((offices / "pack.json").read_text())
    del manifest["files"][f"{name}.npy"]
    (offices / "pack.json").write_bytes(dump_manifest(manifest))
    with pytest.raises(PackError, match="list of files"):
        Pack.open(offices)


def test_a_row_index_that_was_overwritten_does_not_open(offices: Path) -> None:
    array = np.load(offices / "qualifier_indptr.npy")
    _rewrite(offices, "qualifier_indptr", np.zeros_like(array))
    with pytest.raises(PackError, match="pack check"):
        Pack.open(offices)


def test_a_pack_without_qualifiers_has_no_files_of_them(family: Pack) -> None:
    files = {path.stem for path in family.path.glob("*.npy")}
    assert set(ARRAYS) <= files and not files & set(QUALIFIER_ARRAYS)


def test_relations_of_qualifiers_alone_are_no_step_of_a_path(offices: Path) -> None:
    with Pack.open(offices) as pack:
        assert [pack.relation_labels()[relation] for relation in pack.path_relations] == ["child", "office"]
    manifest = json.loads((offices / "pack.json").read_text())
    assert [len(manifest["qualifier_only_relations"]), manifest["counts"]["relations"]] == [3, 5]
    (offices / "pack.json").write_bytes(dump_manifest(manifest | {"qualifier_only_relations": [0]}))
    assert any("qualifiers alone" in problem for problem in check_pack(offices))
    for wrong in ([9], 3, ["x"]):
        (offices / "pack.json").write_bytes(dump_manifest(manifest | {"qualifier_only_relations": wrong}))
        with pytest.raises(PackError, match="qualifier_only_relations"):
            Pack.open(offices)


def test_a_copy_keeps_the_statements(offices: Path, tmp_path: Path) -> None:
    with Pack.open(offices) as pack:
        copy_pack(pack, tmp_path / "copy", naming_of(pack), "copied")
        with Pack.open(tmp_path / "copy") as copy:
            assert copy.content_hash == pack.content_hash and copy.n_statements == 4


def test_info_and_show_tell_of_statements(offices: Path) -> None:
    facts = json.loads(_command("info", str(offices), "--json"))
    assert (facts["statements"], facts["qualifiers"], facts["format"]) == (4, 6, "2.0")
    shown = json.loads(_command("show", "ann", "--pack", str(offices), "--json"))
    said = {row["relation"]: row["statements"] for row in shown["triples"]}
    assert said == {"office": [[["start", "1801"]], [["start", "1809"]]], "child": []}
    lines = _command("show", "ann", "--pack", str(offices)).splitlines()
    assert "ann\toffice\tmayor\tstart: 1801; start: 1809" in lines


def _command(*arguments: str) -> str:
    done = CliRunner().invoke(pack_command, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("count", ["statements", "qualifiers"])
def test_a_pack_that_does_not_count_its_qualifiers_is_broken(tmp_path: Path, count: str) -> None:
    _written(tmp_path / "pack", [("a", "p", "b", [("q", "c")])]).close()
    path = tmp_path / "pack" / "pack.json"
    manifest = json.loads(path.read_text())
    del manifest["counts"][count]
    path.write_bytes(dump_manifest(manifest))
    assert check_pack(tmp_path / "pack")
