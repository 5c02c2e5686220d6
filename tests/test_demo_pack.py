"""The shipped pack: rebuilt from its sources to the same content, its size, and facts a newcomer asks for."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgask.pack.check import check_pack
from kgask.pack.header import ARRAYS
from kgask.pack.normalise import normalise
from kgask.pack.qualifiers import QUALIFIER_ARRAYS
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.verbalise import qualifiers_text, statements_in_words

ROOT = Path(__file__).parents[1]
PACK = ROOT / "kg_packs" / "demo"
REBUILD = ROOT / "kg_packs" / "sources" / "demo" / "rebuild.py"


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    """The shipped pack, open."""
    with Pack.open(PACK) as pack:
        yield pack


def entities(pack: Pack, name: str, description: str = "") -> list[int]:
    """Ids of the entities of that label or alias whose description contains ``description``."""
    norm = normalise(name)
    ids = sorted({hit.entity for hit in pack.exact([norm]).get(norm, [])})
    return [i for i, text in zip(ids, pack.descriptions(ids), strict=True) if description in text]


def objects(pack: Pack, subject: int, relation: str) -> set[str]:
    """Labels of what the subject leads to through the relation."""
    number = pack.relation_labels().index(relation)
    row = slice(int(pack.out_indptr[subject]), int(pack.out_indptr[subject + 1]))
    found = np.asarray(pack.out_object[row])[np.asarray(pack.out_relation[row]) == number]
    return set(pack.labels(found.tolist()))


def one(pack: Pack, name: str, description: str) -> int:
    """The single entity of that name and description."""
    found = entities(pack, name, description)
    assert len(found) == 1, f"{name} ({description}): {pack.keys(found)}"
    return found[0]


@pytest.mark.slow
def test_rebuild_gives_the_same_pack(demo: Pack, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    subprocess.run([sys.executable, str(REBUILD), "-o", str(target)], check=True, cwd=ROOT, timeout=240)
    with Pack.open(target) as rebuilt:
        assert rebuilt.content_hash == demo.content_hash
        assert rebuilt.relation_hash == demo.relation_hash
        for name in (*ARRAYS, *QUALIFIER_ARRAYS):
            assert np.array_equal(getattr(rebuilt, name), getattr(demo, name)), name
        assert np.array_equal(rebuilt.types, demo.types)


def test_shipped_pack_is_whole() -> None:
    assert check_pack(PACK) == []


def test_counts_and_size(demo: Pack) -> None:
    assert demo.n_triples >= 300_000
    assert demo.n_entities - demo.n_literals >= 60_000
    assert sum(file.stat().st_size for file in PACK.iterdir()) <= 16_000_000


def test_sources_and_licences_are_named(demo: Pack) -> None:
    notice = (ROOT / "kg_packs" / "NOTICE").read_text("utf-8")
    assert demo.manifest["licences"] == ["ODbL-1.0"]
    assert len(demo.manifest["sources"]) == 7
    for source in REBUILD.parent.glob("*.tsv.gz"):
        kind = source.name.removesuffix(".tsv.gz")
        assert kind in ("labels", "aliases", "descriptions") or f"\n{kind} " in notice, kind


def test_relations_can_be_told_apart(demo: Pack) -> None:
    relations = demo.relations()
    assert 100 <= len(relations) <= 115
    assert max(Counter(relation.label for relation in relations).values()) == 1
    assert all(relation.description and relation.inverse_label and relation.aliases for relation in relations)
    symmetric = {r.label for r in relations if r.inverse_label == r.label}
    assert symmetric == {"shares border with", "diplomatic relation", "merges with"}
    used = np.bincount(np.asarray(demo.out_relation), minlength=demo.n_relations)
    assert [relations[number].key for number in np.flatnonzero(used < 3)] == ["P1107"]  # only said of statements


@pytest.mark.parametrize(
    ("name", "description", "relation", "expected"),
    [
        ("Lady Susan", "book", "author", {"Jane Austen"}),
        ("Pride and Prejudice", "book", "author", {"Jane Austen"}),
        ("Frankenstein; Or, The Modern Prometheus", "book", "author", {"Mary Shelley"}),
        ("France", "country", "capital", {"Paris"}),
        ("USA", "country", "capital", {"Washington, D.C."}),
        ("France", "country", "continent", {"Europe"}),
        ("Portugal", "country", "area", {"92090 km²"}),
        ("Uruguay", "country", "currency", {"Uruguayan peso"}),
        ("Gold", "chemical element", "chemical symbol", {"Au"}),
        ("Gold", "chemical element", "melting point", {"1337.33 K"}),
        ("Radium", "chemical element", "discoverer", {"Marie Curie", "Pierre Curie"}),
        ("Nobel Prize in Physics 1921", "", "winner", {"Albert Einstein"}),
        ("Titanic", "film", "director", {"James Cameron"}),
        ("Homer", "author", "date of birth", {"750 BCE"}),
        ("Kenya", "country", "population", {"40909194"}),
        ("Mount Everest", "mountain", "elevation", {"8848 m"}),
        ("Danube", "river", "length", {"2845 km"}),
        ("Danube", "river", "flows into", {"Black Sea"}),
        ("Lake Victoria", "lake", "country", {"Kenya", "Tanzania", "Uganda"}),
        ("Texas", "U.S. state", "capital", {"Austin"}),
        ("Bavaria", "province in Germany", "capital", {"Munich"}),
        ("Sicily", "province in Italy", "instance of", {"province", "island"}),
        ("Neon", "chemical element", "instance of", {"chemical element", "noble gas"}),
    ],
)
def test_facts(demo: Pack, name: str, description: str, relation: str, expected: set[str]) -> None:
    assert objects(demo, one(demo, name, description), relation) == expected


def test_an_author_is_one_node_with_the_facts_of_both_sources(demo: Pack) -> None:
    austen = one(demo, "Jane Austen", "")
    assert demo.keys([austen]) == ["Q36322"]
    assert "novelist" in objects(demo, austen, "occupation")  # from Wikidata
    assert objects(demo, austen, "date of death") == {"1817"}  # from the catalogue
    row = slice(int(demo.in_indptr[austen]), int(demo.in_indptr[austen + 1]))
    assert {"Lady Susan", "Emma"} <= set(demo.labels(np.asarray(demo.in_subject[row]).tolist()))


def test_a_laureate_is_one_node_with_the_facts_of_three_sources(demo: Pack) -> None:
    curie = one(demo, "Marie Curie", "")
    assert objects(demo, curie, "year of Nobel Prize") == {"1903", "1911"}
    assert objects(demo, curie, "spouse") == {"Pierre Curie"}
    assert "Marie Curie" in objects(demo, one(demo, "Polonium", "element"), "discoverer")


@pytest.mark.parametrize(
    ("laureate", "prize", "said"),
    [
        ("Marie Curie", "Nobel Prize in Physics", "point in time: 1903"),
        ("Marie Curie", "Nobel Prize in Chemistry", "point in time: 1911, affiliation: Sorbonne University"),
        ("Toni Morrison", "Nobel Prize in Literature", "point in time: 1993"),
    ],
)
def test_prizes_say_when_and_where(demo: Pack, laureate: str, prize: str, said: str) -> None:
    subject, relation = one(demo, laureate, ""), demo.relation_labels().index("award received")
    triples = demo.triple_ids([subject], [relation], [demo.find_key(f"nobel-{prize.split()[-1].lower()}")])
    words = statements_in_words(demo, triples.tolist(), demo.relation_labels())
    assert [qualifiers_text(statements) for statements in words.values()] == [said]


def test_what_is_said_of_triples(demo: Pack) -> None:
    labels = np.array(demo.relation_labels())
    lengths = np.diff(np.asarray(demo.qualifier_indptr))
    _, relations, objects = demo.triples(demo.statement_triple)
    said_of = np.repeat(labels[relations], lengths)
    pairs = set(zip(said_of.tolist(), labels[np.asarray(demo.qualifier_relation)].tolist(), strict=True))
    assert pairs == {
        ("award received", "point in time"),
        ("award received", "affiliation"),
        ("shares border with", "length"),
        ("population", "point in time"),
        ("population by year", "point in time"),
        ("independent from", "point in time"),
        ("language used", "share"),
        ("religion", "share"),
        ("ethnic group", "share"),
    }
    prizes = objects[labels[relations] == "award received"]
    assert len(set(prizes.tolist())) == 6  # physics twice: John Bardeen
    assert max(map(len, demo.statements(demo.statement_triple).values())) >= 3  # the Red Cross


def test_a_country_is_one_node_in_every_source(demo: Pack) -> None:
    france = one(demo, "France", "country")
    assert demo.keys([france]) == ["Q142"]
    counts = Counter(np.asarray(demo.in_relation[demo.in_indptr[france] : demo.in_indptr[france + 1]]).tolist())
    labels = demo.relation_labels()
    pointing = {labels[relation] for relation in counts}
    assert {
        "country",
        "country of citizenship",
        "shares border with",
        "country of origin",
        "main subject",
    } <= pointing


@pytest.mark.parametrize("name", ["Japan", "Gold", "Germany", "Nile", "Mount Everest", "Munich", "Lake Baikal"])
def test_one_thing_is_one_entity(demo: Pack, name: str) -> None:
    assert len(entities(demo, name)) == 1


@pytest.mark.parametrize("relation", ["population", "area", "GDP"])
def test_a_country_has_one_value(demo: Pack, relation: str) -> None:
    number = demo.relation_labels().index(relation)
    subjects, _, _ = demo.triples(np.flatnonzero(np.asarray(demo.out_relation) == number))
    assert max(Counter(subjects.tolist()).values()) == 1


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("best(and(class(<class-river>), follow(<Q15|Africa>, ^<P30>)), value(<P2043|length>), most 1)", "Nile"),
        ("best(and(class(<class-mountain>), follow(<Q46|Europe>, ^<P30>)), value(<P2044>), most 1)", "Mount Elbrus"),
        ("best(class(<class-lake>), value(<P4511|depth>), most 1)", "Lake Baikal"),
        ("best(class(<class-country>), value(<P1082|population>), most 1)", "China"),
        ("follow(<Q142|France>, <P36>)", "Paris"),
    ],
)
def test_what_people_ask_first(demo: Pack, query: str, answer: str) -> None:
    assert demo.labels(run(parse(query, demo), demo).members.certain.tolist()) == [answer]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Paris", "capital of France", "composer"),
        ("Georgia", "country in Western Asia", "U.S. state"),
        ("Chicago", "city", "film"),
        ("Luxembourg", "country", "capital of Luxembourg"),
        ("London", "capital of United Kingdom", "city in Canada"),
        ("Birmingham", "city in United Kingdom", "city in United States"),
        ("Colorado", "U.S. state", "river"),
    ],
)
def test_namesakes_stay_apart(demo: Pack, name: str, first: str, second: str) -> None:
    assert entities(demo, name, first)
    assert entities(demo, name, second)
    assert len(entities(demo, name)) >= 2


@pytest.mark.parametrize(
    ("catalogue", "title"),
    [
        ("Frankenstein; Or, The Modern Prometheus", "Frankenstein"),
        ("Paul and His Dog, v.2 (Novels of Paul de Kock Volume XIV)", "Paul and His Dog"),
        ("Jacqueline — Volume 3", "Jacqueline"),
        ("Poems: With a Preface", "Poems: With a Preface"),  # "Poems" names nothing
        ("Henry IV, Part 1", "Henry IV, Part 1"),
        ("The technic of the baton : $b a handbook", "The technic of the baton"),
    ],
)
def test_titles_are_cut_to_what_people_say(monkeypatch: pytest.MonkeyPatch, catalogue: str, title: str) -> None:
    monkeypatch.syspath_prepend(REBUILD.parent)
    from maker.titles import main_title

    assert main_title(catalogue) == title


def test_names_are_turned_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REBUILD.parent)
    from maker.titles import display_name, wikipedia_title

    assert display_name("Austen, Jane") == ("Jane Austen", [])
    assert display_name("Wells, H. G. (Herbert George)") == ("H. G. Wells", ["Herbert George Wells"])
    assert display_name("Smith, Joseph, Jr.") == ("Joseph Smith Jr.", [])
    assert wikipedia_title("https://en.wikipedia.org/wiki/Robert_Herrick_(poet)") == ("Robert Herrick", True)
    assert wikipedia_title("https://de.wikipedia.org/wiki/Paul_Adam") == ("", False)


def test_literals_can_be_sorted(demo: Pack) -> None:
    first = demo.n_entities - demo.n_literals
    literals = demo.literals(range(first, demo.n_entities))
    kinds = Counter(literal.kind for literal in literals if literal)
    assert min(kinds[kind] for kind in ("date", "number", "string")) >= 100
    assert all(literal.value is not None for literal in literals if literal and literal.kind != "string")
    assert {literal.unit for literal in literals if literal and literal.kind == "number"} == {
        "", "%", "K", "USD", "g/L", "g/cm³", "km", "km²", "m", "u",
    }  # fmt: skip
