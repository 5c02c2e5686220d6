"""The RDF view of a pack: sound IRIs, nothing that meets by accident, and the command that writes it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, Store

from kgask.build.writer import PackBuilder
from kgask.cli.pack import pack as pack_command
from kgask.errors import PackError, UsageError
from kgask.pack.header import dump_manifest
from kgask.pack.iris import is_prefix
from kgask.pack.literals import parse_literal
from kgask.pack.quantities import date_of_day
from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.query.nodes import Entities, Follow
from kgask.query.rdf import Iris, literal_iri, n_triples
from kgask.query.sparql import to_sparql
from kgask.query.sparql_terms import calendar_of_day

KEYS = st.one_of(
    st.text(min_size=1),
    st.from_regex(r"(https?|urn|x)://?[a-z%\[\]:.#?/ \u00e9\ue000{}-]*", fullmatch=True),
    st.sampled_from(["http://www.w3.org/2000/01/rdf-schema#label", "urn:kgask:Q1", "Q1", "relation/P1", "urn:kgask:x"]),
)
PREFIX = "http://www.wikidata.org/entity/"


def tiny(folder: Path, **manifest: object) -> Pack:
    builder = PackBuilder()
    builder.add("Q1", "P1", "Q2", [("P2", parse_literal("date", "1911"))])
    builder.add("Q1", "P1", "P1")  # an entity and a relation of one key
    builder.add("http://example.org/a b", "http://example.org/r", parse_literal("number", "3", "km"))
    builder.label("Q1", 'one "quoted" \\ \n line')
    builder.write(folder / "tiny", name="tiny")
    if manifest:
        path = folder / "tiny" / "pack.json"
        path.write_bytes(dump_manifest(json.loads(path.read_bytes()) | manifest))
    return Pack.open(folder / "tiny")


@pytest.fixture(scope="module")
def iris(tmp_path_factory: pytest.TempPathFactory) -> Iris:
    return Iris(tiny(tmp_path_factory.mktemp("iris")))


@given(st.sets(KEYS, min_size=2, max_size=6))
def test_keys_become_sound_iris_that_differ(iris: Iris, keys: set[str]) -> None:
    keys = {key for key in keys if key.isprintable()}
    made = [iris._iri(iris.entities, key) for key in keys]
    relations = [iris.of_relation(key) for key in keys]
    qualifiers = [iris.of_qualifier(key) for key in keys]
    assert [NamedNode(iri).value for iri in (*made, *relations, *qualifiers)] == [*made, *relations, *qualifiers]
    for found in (made, relations, qualifiers):
        assert len(set(found)) == len(keys)
    assert not set(qualifiers) & {*made, *relations}


@given(st.text(min_size=1, max_size=300).filter(str.strip), st.sampled_from(["km²", "", 'in "', "a/b"]))
def test_literals_have_sound_iris(text: str, unit: str) -> None:
    one, two = Literal("string", text), Literal("number", "3", 3.0, unit)
    assert NamedNode(literal_iri(one)).value != NamedNode(literal_iri(two)).value
    assert len(literal_iri(one)) <= 400


def test_the_view_says_what_the_pack_says(tmp_path: Path) -> None:
    with tiny(tmp_path) as pack:
        lines = b"".join(n_triples(pack)).decode().splitlines()
    kg = "urn:kgask:vocabulary#"
    for expected in (
        "<urn:kgask:Q1> <urn:kgask:relation/P1> <urn:kgask:Q2> .",
        "<urn:kgask:Q1> <urn:kgask:relation/P1> <urn:kgask:P1> .",
        "<urn:kgask:http%3A%2F%2Fexample.org%2Fa%20b> <http://example.org/r> <urn:kgask:literal/number/3/km> .",
        f'<urn:kgask:literal/number/3/km> <{kg}low> "3000.0"^^<http://www.w3.org/2001/XMLSchema#double> .',
        f'<urn:kgask:literal/number/3/km> <{kg}unit> "m" .',
        f"<urn:kgask:literal/date/1911> <{kg}earliest> "
        '"1911-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .',
        f'<urn:kgask:literal/date/1911> <{kg}text> "1911" .',
        f"_:s0 <{kg}subject> <urn:kgask:Q1> .",
        f"_:s0 <{kg}relation> <urn:kgask:relation/P1> .",
        f"_:s0 <{kg}object> <urn:kgask:Q2> .",
        "_:s0 <urn:kgask:qualifier/P2> <urn:kgask:literal/date/1911> .",
        '<urn:kgask:Q1> <http://www.w3.org/2000/01/rdf-schema#label> "one \\"quoted\\" \\\\ \\n line" .',
    ):
        assert expected in lines
    store = Store()
    store.load("\n".join(lines).encode(), RdfFormat.N_TRIPLES)
    assert len(store) == len(set(lines))


def test_a_packs_own_prefix_is_used(tmp_path: Path) -> None:
    with tiny(tmp_path, iri_prefix=PREFIX) as pack:
        iris = Iris(pack)
        assert iris.of_entities([pack.find_key("Q1") or 0]) == [f"{PREFIX}Q1"]
        assert iris.of_relation("P1") == "http://www.wikidata.org/prop/direct/P1"
        assert iris.of_qualifier("P2") == "http://www.wikidata.org/prop/qualifier/P2"


@pytest.mark.parametrize("prefix", ["", "no iri", "http://a> . <x", 3, "http://example.org/no-end"])
def test_a_prefix_that_begins_no_iri_is_refused(tmp_path: Path, prefix: object) -> None:
    with tiny(tmp_path, iri_prefix=prefix) as pack, pytest.raises(PackError, match="iri_prefix"):
        Iris(pack)
    assert is_prefix("https://example.org/id/") and is_prefix("urn:example:")


def test_labels_cannot_leave_their_comments(tmp_path: Path) -> None:
    builder = PackBuilder()
    for key in ("x", "y"):
        builder.add(key, "relation\n} INSERT", "z")
        builder.label(key, "a \\u000A } DROP ALL # \\ \u2028 \x85 \r } b")
    builder.relation("relation\n} INSERT", label="\\u000D}")
    builder.write(tmp_path / "hostile")
    with Pack.open(tmp_path / "hostile") as pack:
        written = to_sparql(Follow(Entities((0, 1)), 0), pack)
    comments = [line for line in written.splitlines() if line.startswith("#")]
    assert len(comments) == 3 and "\\" not in written
    assert all(line.startswith(("#", "PREFIX", "SELECT", "  ", "}")) for line in written.splitlines())
    list(Store().query(written))


@given(st.lists(st.floats(-1e7, 1e7), min_size=1, max_size=50))
def test_days_become_calendar_days_in_sparql(days: list[float]) -> None:
    names = iter(f"?v{number}" for number in range(99))
    calendar = calendar_of_day("?n", lambda stem: next(names))
    values = " ".join(f'"{number!r}"^^<http://www.w3.org/2001/XMLSchema#double>' for number in days)
    lines = "\n".join(calendar.lines)
    words = f"SELECT ?n {calendar.year} {calendar.month} {calendar.day} WHERE {{ VALUES ?n {{ {values} }} {lines} }}"
    for row in Store().query(words):
        number, *found = (float(term.value) for term in row)
        assert found == list(date_of_day(int(number // 1)))


def test_export_writes_whole_files(tmp_path: Path) -> None:
    with tiny(tmp_path) as pack:
        whole = b"".join(n_triples(pack))
    source, plain, packed = str(tmp_path / "tiny"), tmp_path / "out.nt", tmp_path / "out.nt.gz"
    runner = CliRunner()
    for target in (plain, packed):
        assert runner.invoke(pack_command, ["export", source, "-o", str(target)]).exit_code == 0
    assert plain.read_bytes() == gzip.decompress(packed.read_bytes()) == whole
    again = runner.invoke(pack_command, ["export", source, "-o", str(plain)])
    assert isinstance(again.exception, UsageError) and "--force" in str(again.exception)
    assert runner.invoke(pack_command, ["export", source, "-o", str(plain), "--force"]).exit_code == 0
    assert runner.invoke(pack_command, ["export", source]).stdout_bytes == whole
    manifest = tmp_path / "tiny" / "pack.json"
    manifest.write_bytes(dump_manifest(json.loads(manifest.read_bytes()) | {"iri_prefix": "broken"}))
    failed = runner.invoke(pack_command, ["export", source, "-o", str(tmp_path / "never.nt")])
    assert isinstance(failed.exception, PackError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.nt", "out.nt.gz", "tiny"]
