"""Qualifiers from each kind of source: table columns, RDF 1.2, Wikidata's statement nodes."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pack_qualifiers import expected_of, read_back

from kgask.build.recipe import BuildOutcome, Recipe, build
from kgask.build.tsv import check_columns
from kgask.errors import BuildError, UsageError
from kgask.pack.check import check_pack
from kgask.pack.literals import literal_key, parse_literal
from kgask.pack.records import Literal
from kgask.pack.store import Pack

Value = str | Literal
Qualified = tuple[str, str, Value, Sequence[tuple[str, Value]]]
PLAIN = "subject,relation,object"


def _pack(folder: Path, text: str, name: str, **options: object) -> tuple[Pack, BuildOutcome]:
    source = folder / name
    source.write_text(text, encoding="utf-8")
    told: list[str] = []
    recipe = Recipe(sources=(str(source),), target=folder / "pack", force=True, **options)  # type: ignore[arg-type]
    outcome = build(recipe, told.append)
    return Pack.open(folder / "pack"), outcome


def _table(folder: Path, text: str, columns: str, **options: object) -> Pack:
    return _pack(folder, text, "t.tsv", columns=check_columns(columns.split(",")), **options)[0]


# --- statements that every source can say -------------------------------------------------------

ENTITIES = st.sampled_from([f"Q{number}" for number in range(1, 6)])
PROPERTIES = st.sampled_from(["P39", "P40", "P580", "P2046"])
WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4)
LITERALS = st.one_of(
    st.integers(-50, 50).map(lambda n: parse_literal("number", str(n))),
    st.dates().map(lambda day: parse_literal("date", str(day))),
    WORDS.map(lambda text: parse_literal("string", text)),
)
QUALIFIERS = st.lists(st.tuples(PROPERTIES, ENTITIES | LITERALS), max_size=3)
STATEMENTS = st.lists(st.tuples(ENTITIES, PROPERTIES, ENTITIES | LITERALS, QUALIFIERS), min_size=1, max_size=12)


def _field(value: Value) -> str:
    return value if isinstance(value, str) else literal_key(value)


def _as_table(statements: Sequence[Qualified], rng: random.Random) -> str:
    lines = []
    for subject, relation, obj, qualifiers in statements:
        fields = [subject, relation, _field(obj)]
        for key, value in [*qualifiers, *rng.choice([[], [("", "")]])]:
            fields += [key, value and _field(value)]
        lines.append("\t".join(fields))
    return "\n".join(lines) + "\n"


def _term(value: Value) -> str:
    if isinstance(value, str):
        return f"<http://www.wikidata.org/entity/{value}>"
    datatype = {"number": "integer", "date": "date", "string": "string"}[value.kind]
    return f'"{value.text}"^^<http://www.w3.org/2001/XMLSchema#{datatype}>'


def _direct(relation: str) -> str:
    return f"<http://www.wikidata.org/prop/direct/{relation}>"


def _as_turtle(statements: Sequence[Qualified], rng: random.Random) -> str:
    """Each statement as an annotation, a quoted triple, a named or a spelled out reifier; in any order."""
    lines = []
    for number, (subject, relation, obj, qualifiers) in enumerate(statements):
        triple = f"{_term(subject)} {_direct(relation)} {_term(obj)}"
        said = " ; ".join(f"{_direct(key)} {_term(value)}" for key, value in qualifiers)
        if not said:
            lines.append([f"{triple} ."])
            continue
        lines.append(
            rng.choice(
                [
                    [f"{triple} {{| {said} |}} ."],
                    [f"<< {triple} >> {said} ."],
                    [f"{triple} .", f"<< {triple} ~ <http://e/s{number}> >> {said} ."],
                    [
                        f"<http://e/s{number}> {said} .",
                        f"<http://e/s{number}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( {triple} )>> .",
                    ],
                ]
            )
        )
    flat = [line for group in lines for line in group]
    rng.shuffle(flat)
    return "\n".join(flat)


def _as_wikidata(statements: Sequence[Qualified], rng: random.Random) -> str:
    """N-Triples of a full dump: some truthy triples, statement nodes with references, deprecated ones among them."""
    prop, onto = "http://www.wikidata.org/prop", "http://wikiba.se/ontology#"
    lines = []
    for number, (subject, relation, obj, qualifiers) in enumerate(statements):
        if not qualifiers or rng.random() < 0.7:
            lines.append(f"{_term(subject)} {_direct(relation)} {_term(obj)} .")
        rank, ends = "Normal", [(obj, qualifiers)]
        if rng.random() < 0.2:
            ends.append(("Q9", [("P580", "Q9")]))
        for end, pairs in ends:
            node = f"<http://www.wikidata.org/entity/statement/s{number}-{rank}>"
            lines += [
                f"{_term(subject)} <{prop}/{relation}> {node} .",
                f"{node} <{prop}/statement/{relation}> {_term(end)} .",
                f"{node} <{onto}rank> <{onto}{rank}Rank> .",
                f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{onto}Statement> .",
                f"{node} <http://www.w3.org/ns/prov#wasDerivedFrom> <http://www.wikidata.org/reference/r> .",
            ]
            lines += [f"{node} <{prop}/qualifier/{key}> {_term(value)} ." for key, value in pairs]
            rank = "Deprecated"
    lines.append(f"<http://www.wikidata.org/reference/r> <{prop}/reference/P248> {_term('Q8')} .")
    rng.shuffle(lines)
    return "\n".join(lines) + "\n"


SOURCES = {
    "t.tsv": (_as_table, {"columns": check_columns(f"{PLAIN},qualifier,value,...".split(","))}),
    "t.ttl": (_as_turtle, {}),
    "t.nt": (_as_wikidata, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
@settings(max_examples=30, deadline=None)
@given(statements=STATEMENTS, rng=st.randoms(use_true_random=False))
def test_what_a_source_says_is_read_back(name: str, statements: list[Qualified], rng: random.Random) -> None:
    written, options = SOURCES[name]
    with tempfile.TemporaryDirectory() as folder:
        pack, outcome = _pack(Path(folder), written(statements, rng), name, **options)
        with pack:
            assert read_back(pack) == expected_of(statements)
            assert check_pack(pack.path) == []
            assert outcome.broken == outcome.report.nested == 0


# --- tables ---------------------------------------------------------------------------------------


def test_qualifiers_of_a_table_have_types_and_units_by_their_relation(tmp_path: Path) -> None:
    text = "ann\trace\trome\twhen\t1960\ttime\t9.5\ncy\trace\trome\n"
    rules = {"when": ("date", ""), "time": ("number", "s")}
    with _table(tmp_path, text, f"{PLAIN},qualifier,value,...", literals=rules) as pack:
        assert read_back(pack) == {
            ("ann", "race", "rome"): {frozenset({("when", '"1960"^^date'), ("time", '"9.5"^^number[s]')})},
            ("cy", "race", "rome"): set(),
        }


def test_a_column_may_hold_the_values_of_one_relation(tmp_path: Path) -> None:
    text = "subject\trelation\tobject\tqualifier:Point in time\tnote\nann\trace\trome\t1960\tx\nbob\trace\trome\t\ty\n"
    rules = {"Point in time": ("date", "")}
    expected = {
        ("ann", "race", "rome"): {frozenset({("Point in time", '"1960"^^date')})},
        ("bob", "race", "rome"): set(),
    }
    with _pack(tmp_path, text, "t.tsv", header=True, literals=rules)[0] as pack:
        assert read_back(pack) == expected
    columns = f"{PLAIN},qualifier:Point in time,_"
    with _table(tmp_path, text, columns, header=True, literals=rules) as pack:
        assert read_back(pack) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\tr\tb\twhen\t", "'when' without a value"),
        ("a\tr\tb\t\t1960", "'1960' without a qualifier"),
        ("a\tr\tb\twhen\tsoon", "not a date"),
        ("a\tr\tb\twhen", "4 fields, 5 expected"),
        ("a\tr", "2 fields, 5 expected"),
    ],
)
def test_a_broken_qualifier_is_a_broken_line(tmp_path: Path, line: str, reason: str) -> None:
    columns, rules = f"{PLAIN},qualifier,value,...", {"when": ("date", "")}
    with pytest.raises(BuildError, match=rf"t\.tsv:2: .*{reason}.*1 broken line"):
        _table(tmp_path, f"a\tr\tc\n{line}\n", columns, literals=rules)
    with _table(tmp_path, f"a\tr\tc\n{line}\n", columns, literals=rules, skip_errors=True) as pack:
        assert read_back(pack) == {("a", "r", "c"): set()}


@pytest.mark.parametrize(
    ("columns", "advice"),
    [
        (f"{PLAIN},qualifier", "qualifier,value"),
        (f"{PLAIN},value", "qualifier,value"),
        (f"{PLAIN},value,qualifier", "qualifier,value"),
        (f"{PLAIN},...", "qualifier,value,..."),
        (f"{PLAIN},qualifier,value,...,_", "qualifier,value,..."),
        (f"{PLAIN},qualifier:", "qualifier:point in time"),
        (f"{PLAIN},qualifiers", "qualifier:RELATION"),
    ],
)
def test_columns_that_make_no_sense_say_what_to_type(columns: str, advice: str) -> None:
    with pytest.raises(UsageError, match=advice.replace(".", r"\.")):
        check_columns(columns.split(","))


# --- RDF ------------------------------------------------------------------------------------------

PREFIXES = """@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> . @prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> . @prefix v: <http://www.wikidata.org/value/> .
@prefix s: <http://www.wikidata.org/entity/statement/> . @prefix wikibase: <http://wikiba.se/ontology#> .
"""


def _turtle(folder: Path, text: str, **options: object) -> tuple[Pack, BuildOutcome]:
    return _pack(folder, PREFIXES + text, "t.ttl", **options)


def test_a_reifier_of_two_triples_qualifies_both(tmp_path: Path) -> None:
    pack, outcome = _turtle(
        tmp_path, "e:r rdf:reifies <<( e:a e:p e:b )>> , <<( e:a e:p e:c )>> ; e:q e:v . e:a e:p e:b ."
    )
    with pack:
        said = {frozenset({("http://e/q", "http://e/v")})}
        assert list(read_back(pack).values()) == [said, said]
        assert outcome.report.duplicates == 0


def test_labels_are_no_triples_also_when_something_is_said_of_them(tmp_path: Path) -> None:
    pack, _ = _turtle(tmp_path, "e:a e:p e:b . e:a rdfs:label 'Ann' {| e:source e:book |} .")
    with pack:
        assert read_back(pack) == {("http://e/a", "http://e/p", "http://e/b"): set()}
        assert "Ann" in pack.labels(range(pack.n_entities))


def test_statements_about_statements_are_counted_and_left_out(tmp_path: Path) -> None:
    pack, outcome = _turtle(tmp_path, "<< << e:a e:p e:b >> e:q e:v >> e:q2 e:w .")
    with pack:
        said = {frozenset({("http://e/q", "http://e/v")})}
        assert read_back(pack) == {("http://e/a", "http://e/p", "http://e/b"): said}
        assert outcome.report.nested == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("e:a e:p e:b . << e:a e:p '' >> e:q e:v .", "empty literal"),
        ("e:a e:p e:b {| e:q '' |} .", "empty literal"),
        ("e:a e:p e:b ; rdf:reifies e:c .", "rdf:reifies"),
        ("e:a e:p e:b ; e:q <<( e:a e:p e:b )>> .", "quoted triple"),
    ],
)
def test_broken_statements_are_reported_and_skipped(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BuildError, match=rf"t\.ttl: .*{reason}.*1 broken line"):
        _turtle(tmp_path, text)
    pack, outcome = _turtle(tmp_path, text, skip_errors=True)
    with pack:
        assert read_back(pack) == {("http://e/a", "http://e/p", "http://e/b"): set()}
        assert outcome.broken == 1


def test_quoted_triples_in_n_triples_say_which_format_has_them(tmp_path: Path) -> None:
    text = "<< <http://e/a> <http://e/p> <http://e/b> >> <http://e/q> <http://e/v> .\n"
    with pytest.raises(BuildError, match="--format ttl"):
        _pack(tmp_path, text, "t.nt")
    with _pack(tmp_path, text, "t.nt", format="ttl")[0] as pack:
        assert pack.n_statements == 1


@pytest.mark.parametrize(
    ("precision", "expected"),
    [
        (11, '"1879-03-14"^^date'),
        (10, '"1879-03"^^date'),
        (9, '"1879"^^date'),
        (8, '"1870s"^^string'),
        (7, '"19th century"^^string'),
        (6, '"2nd millennium"^^string'),
    ],
)
def test_times_of_wikidata_are_as_precise_as_known(tmp_path: Path, precision: int, expected: str) -> None:
    time = '"1879-03-14T00:00:00Z"^^xsd:dateTime'
    text = f"""wd:Q1 wdt:P569 {time} ; p:P569 s:a . s:a ps:P569 {time} ; psv:P569 v:t ; pq:P580 {time} ; pqv:P580 v:t .
    v:t wikibase:timeValue {time} ; wikibase:timePrecision {precision} ; wikibase:timeCalendarModel wd:Q1985727 ."""
    pack, outcome = _turtle(tmp_path, text)
    with pack:
        assert read_back(pack) == {("Q1", "P569", expected): {frozenset({("P580", expected)})}}
        assert pack.n_entities == 2 and outcome.report.duplicates == 0


def test_times_before_the_common_era(tmp_path: Path) -> None:
    time = '"-0043-03-15T00:00:00Z"^^xsd:dateTime'
    for precision, expected in ((9, '"-0043"^^date'), (7, '"1st century BCE"^^string'), (8, '"40s BCE"^^string')):
        text = f"""wd:Q1 p:P570 s:a . s:a ps:P570 {time} ; psv:P570 v:t .
        v:t wikibase:timeValue {time} ; wikibase:timePrecision {precision} ."""
        with _turtle(tmp_path, text)[0] as pack:
            assert read_back(pack) == {("Q1", "P570", expected): set()}


def test_amounts_of_wikidata_have_their_units(tmp_path: Path) -> None:
    text = """wd:Q1 wdt:P2046 "+357588"^^xsd:decimal ; p:P2046 s:a ; p:P1082 s:b .
    s:a ps:P2046 "+357588"^^xsd:decimal ; psv:P2046 v:area ; pq:P1 "+3"^^xsd:decimal .
    s:b ps:P1082 "+12"^^xsd:decimal ; psv:P1082 v:people ; pqv:P2 v:area .
    v:area wikibase:quantityAmount "+357588"^^xsd:decimal ; wikibase:quantityUnit wd:Q712226 .
    v:people wikibase:quantityAmount "+12"^^xsd:decimal ; wikibase:quantityUnit wd:Q199 .
    wd:Q712226 rdfs:label "square kilometre"@en ."""
    with _turtle(tmp_path, text)[0] as pack:
        area = '"357588"^^number[square kilometre]'
        assert read_back(pack) == {
            ("Q1", "P2046", area): {frozenset({("P1", '"3"^^number')})},
            ("Q1", "P1082", '"12"^^number'): {frozenset({("P2", area)})},
        }
        assert {relation.key for relation in pack.relations()} == {"P2046", "P1082", "P1", "P2"}
