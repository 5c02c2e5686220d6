from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError
from kgask.pack.store import Pack

PREFIXES = """@prefix e: <http://example.org/> . @prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
TURTLE = (
    PREFIXES
    + """
wd:Q1 wdt:P50 wd:Q2 ; wdt:P577 "1871"^^xsd:gYear ; e:pages 158 ; e:setIn e:Some_Place%21 .
wd:Q1 rdfs:label "Lady Susan"@en, "Dame Susan"@fr ; skos:altLabel "Susan"@en-GB, "Suzanne"@fr .
wd:Q2 schema:name "Austen" ; skos:prefLabel "Jane Austen"@en ; schema:description "novelist"@en, "autrice"@fr .
wdt:P50 rdfs:label "author"@en ; skos:altLabel "writer"@en ; rdfs:comment "main creator"@en .
wd:Q2 e:died "1817-07-18T00:00:00Z"^^xsd:dateTime ; e:never "2021-02-30"^^xsd:date ; e:said "no"@fr, true .
"""
)

RDF_XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
<rdf:Description rdf:about="http://e/a"><e:r rdf:resource="http://e/b"/></rdf:Description></rdf:RDF>"""


def _build(folder: Path, data: bytes | str, name: str, **options: object) -> Pack:
    source = folder / name
    source.write_bytes(data.encode() if isinstance(data, str) else data)
    build(Recipe(sources=(str(source),), target=folder / "pack", force=True, **options), print)  # type: ignore[arg-type]
    return Pack.open(folder / "pack")


def _triples(pack: Pack) -> set[tuple[str, str, str]]:
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    words = [relation.key for relation in pack.relations()]
    return set(zip(pack.keys(subjects), (words[r] for r in relations), pack.keys(objects), strict=True))


def test_turtle(tmp_path: Path) -> None:
    with _build(tmp_path, TURTLE, "t.ttl") as pack:
        assert _triples(pack) == {
            ("Q1", "P50", "Q2"),
            ("Q1", "P577", '"1871"^^date'),
            ("Q1", "http://example.org/pages", '"158"^^number'),
            ("Q1", "http://example.org/setIn", "http://example.org/Some_Place%21"),
            ("Q2", "http://example.org/died", '"1817-07-18"^^date'),
            ("Q2", "http://example.org/never", '"2021-02-30"^^string'),
            ("Q2", "http://example.org/said", '"no"^^string'),
            ("Q2", "http://example.org/said", '"true"^^string'),
        }
        q1, q2 = pack.find_key("Q1"), pack.find_key("Q2")
        place = pack.find_key("http://example.org/Some_Place%21")
        assert pack.labels([q1, q2, place]) == ["Lady Susan", "Jane Austen", "Some Place!"]
        assert pack.descriptions([q2]) == ["novelist"]
        assert set(pack.exact(["susan", "suzanne", "dame susan", "austen"])) == {"susan"}
        author = next(relation for relation in pack.relations() if relation.key == "P50")
        assert (author.label, author.aliases, author.description) == ("author", ("writer",), "main creator")
        assert "set in" in pack.relation_labels()


def test_language_preference(tmp_path: Path) -> None:
    with _build(tmp_path, TURTLE, "t.ttl", languages=("fr", "en")) as pack:
        assert pack.labels([pack.find_key("Q1"), pack.find_key("Q2")]) == ["Dame Susan", "Jane Austen"]
        assert set(pack.exact(["suzanne", "susan"])) == {"suzanne", "susan"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.nt", "<http://e/a> <http://e/r> <http://e/b> .\n# comment\n"),
        ("t.nt.gz", gzip.compress(b"<http://e/a> <http://e/r> <http://e/b> .\n", mtime=0)),
        ("t.nq", "<http://e/a> <http://e/r> <http://e/b> <http://e/graph> .\n"),
        ("t.ttl", "<http://e/a> <http://e/r> <http://e/b> ."),
        ("t.rdf", RDF_XML),
    ],
)
def test_every_format(tmp_path: Path, name: str, data: bytes | str) -> None:
    with _build(tmp_path, data, name) as pack:
        assert _triples(pack) == {("http://e/a", "http://e/r", "http://e/b")}


def test_blank_nodes_of_sources_stay_apart_and_keep_their_names(tmp_path: Path) -> None:
    turtle = "@prefix e: <http://e/> . e:a e:r [ e:x e:y ] ; e:r _:b . _:b e:x e:z ."
    hashes = set()
    for _ in range(2):
        for name in ("one.ttl", "two.ttl"):
            (tmp_path / name).write_text(turtle)
        sources = tuple(str(tmp_path / name) for name in ("one.ttl", "two.ttl"))
        build(Recipe(sources=sources, target=tmp_path / "pack", force=True), print)
        with Pack.open(tmp_path / "pack") as pack:
            hashes.add(pack.content_hash)
            assert sum(key.startswith("_:") for key in pack.keys(range(pack.n_entities))) == 4
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("name", "data", "match"),
    [
        ("t.nt", "<http://e/a> <http://e/r> <http://e/b> .\nrubbish\n", r"t\.nt:2: .*1 broken line"),
        ("t.ttl", PREFIXES + "e:a e:b .\n", r"t\.ttl:5: "),
        ("t.rdf", "<rdf:RDF>", r"t\.rdf"),
        ("t.nt", '<http://e/a> <http://e/r> "a\\u0000b" .\n', "NUL"),
        ("t.nt", '<http://e/a> <http://e/r> "" .\n', "empty literal"),
        ("t.nt", "<< <http://e/a> <http://e/r> <http://e/b> >> <http://e/r> <http://e/b> .\n", r"t\.nt"),
        ("t.nt.gz", gzip.compress(b"<http://e/a> <http://e/r> <http://e/b> .\n" * 99, mtime=0)[:60], "cut short"),
        ("t.nt", b"<http://e/a> <http://e/r> <http://e/\xff> .\n", r"t\.nt:1"),
    ],
)
def test_broken_rdf(tmp_path: Path, name: str, data: bytes | str, match: str) -> None:
    with pytest.raises(BuildError, match=match) as caught:
        _build(tmp_path, data, name)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "pack").exists()


def test_broken_statements_are_skipped_when_asked(tmp_path: Path) -> None:
    data = "<http://e/a> <http://e/r> <http://e/b> .\nrubbish\n<http://e/b> <http://e/r> <http://e/c> .\n"
    with _build(tmp_path, data, "t.nt", skip_errors=True) as pack:
        assert pack.n_triples == 2


XML = (
    '<?xml version="1.0"?>\n{}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
)
KNOWS = '<rdf:Description rdf:about="http://e.org/a"><e:knows rdf:resource="http://e.org/b"/></rdf:Description>\n'
DEEP = "<rdf:Description><e:k>" * 80 + "</e:k></rdf:Description>" * 80


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (XML.format("") + KNOWS * 9, "no element found; the file is cut short"),
        ((XML.format("") + KNOWS * 9)[:-30], "unclosed token; the file is cut short"),
        (XML.format("") + DEEP + "</rdf:RDF>", "nested more than 100 deep"),
        (
            XML.format('<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>') + KNOWS + "</rdf:RDF>",
            "'b' refers to another",
        ),
        (XML.format('<!DOCTYPE r [<!ENTITY a SYSTEM "/etc/passwd">]>') + KNOWS + "</rdf:RDF>", "'a' refers to another"),
        (XML.format(f'<!DOCTYPE r [<!ENTITY a "{"x" * 2000}">]>') + KNOWS + "</rdf:RDF>", "one of more than 1000"),
    ],
)
def test_xml_that_is_cut_short_or_a_trap_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    source = tmp_path / "x.rdf"
    source.write_text(text)
    with pytest.raises(BuildError, match=r"x\.rdf:\d+: ") as caught:
        build(Recipe((str(source),), tmp_path / "pack"), print)
    assert reason in str(caught.value)


def test_xml_may_abbreviate_its_namespaces(tmp_path: Path) -> None:
    source = tmp_path / "x.rdf"
    source.write_text(
        XML.format('<!DOCTYPE r [<!ENTITY e "http://e.org/">]>')
        + KNOWS.replace("http://e.org/a", "&e;a")
        + "</rdf:RDF>"
    )
    assert build(Recipe((str(source),), tmp_path / "pack"), print).report.manifest["counts"]["triples"] == 1
