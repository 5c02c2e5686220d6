"""What the text of a SPARQL query says about its question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgask.sets.keys import freebase_key, graph_key, readable_name
from kgask.sets.sparql import query_facts

WD = "http://www.wikidata.org/"


@pytest.mark.parametrize(
    ("query", "topics", "relations", "hops"),
    [
        ("SELECT ?x WHERE { wd:Q1 wdt:P50 ?x }", ["Q1"], ["P50"], 1),
        ("SELECT ?x { ?x wdt:P50 wd:Q1. }", ["Q1"], ["^P50"], 1),
        ("select distinct ?x where { wd:Q1 wdt:P50 ?y . ?x wdt:P57 ?y }", ["Q1"], ["P50", "^P57"], 2),
        ("SELECT ?x WHERE { ?x wdt:P31 wd:Q5 ; wdt:P19 wd:Q9 }", ["Q9"], ["^P19"], 1),
        ("SELECT ?x WHERE { ?x wdt:P31 wd:Q5 }", ["Q5"], [], None),
        ("SELECT ?x WHERE { ?x wdt:P50 wd:Q1, wd:Q2 }", ["Q1", "Q2"], ["^P50", "^P50"], 1),
        ("SELECT ?x { ?x wdt:P50 wd:Q1; wdt:P57 ?y . ?y wdt:P19 wd:Q2 }", ["Q1", "Q2"], ["^P19", "^P50", "^P57"], 2),
        ("SELECT ?x WHERE { wd:Q1 p:P39 ?s . ?s ps:P39 ?x . ?s pq:P580 ?d }", ["Q1"], ["P39", "P580"], 1),
        ("SELECT ?x WHERE { wd:Q1 p:P39 ?s . ?s pq:P580 ?x }", ["Q1"], ["P39", "P580"], 2),
        ("SELECT ?x WHERE { wd:Q1 wdt:P40/wdt:P26 ?x }", ["Q1"], ["P40", "P26"], 2),
        ("SELECT ?x WHERE { ?x ^wdt:P40 wd:Q1 }", ["Q1"], ["P40"], 1),
        ("SELECT ?x WHERE { {wd:Q1 wdt:P40 ?x} UNION {wd:Q1 wdt:P26 ?x} }", ["Q1"], ["P40", "P26"], 1),
        ("SELECT ?x WHERE { wd:Q1 wdt:P40 ?x FILTER NOT EXISTS { ?x wdt:P570 ?d } }", ["Q1"], ["P40"], 1),
        ("SELECT ?x { { SELECT ?x WHERE { wd:Q1 wdt:P40 ?x } } ?x wdt:P21 wd:Q6 }", ["Q1", "Q6"], ["P40", "^P21"], 1),
        (f"PREFIX e: <{WD}entity/> SELECT ?x {{ e:Q1 <{WD}prop/direct/P40> ?x }}", ["Q1"], ["P40"], 1),
        ('SELECT ?x WHERE { ?x wdt:P50 wd:Q1 . ?x rdfs:label "A. {b} . c" }', ["Q1"], ["^P50"], 1),
        ("SELECT ?x WHERE { ?x wdt:P569 ?d . FILTER (?d > 3) }", [], ["P569"], None),
    ],
)  # fmt: skip
def test_topics_relations_and_hops(query: str, topics: list[str], relations: list[str], hops: int | None) -> None:
    facts = query_facts(query)
    assert (list(facts.topics), list(facts.relations), facts.hops) == (topics, relations, hops)


def test_a_question_of_yes_or_no_has_its_triple() -> None:
    facts = query_facts("ASK WHERE { wd:Q1 wdt:P26 wd:Q2 }")
    assert facts.triples == (("Q1", "P26", "Q2"),) and facts.form == "ask" and facts.hops == 1


def test_a_count_is_told_from_a_look_up() -> None:
    assert query_facts("SELECT (COUNT(?x) AS ?n) WHERE { wd:Q1 wdt:P26 ?x }").form == "count"
    assert query_facts("SELECT ?x WHERE { wd:Q1 wdt:P26 ?x }").form == "select"


@given(st.text(alphabet="SELECT ASKWHER{}?xyz.;,/^|*+()<>\"'wd:tpsQ12345 FILTNO\\", max_size=200))
@settings(deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    facts = query_facts(text)
    assert facts.hops is None or facts.hops >= 1


def test_keys_have_the_form_of_our_packs() -> None:
    assert graph_key(f"{WD}prop/statement/P50") == "P50"
    assert graph_key("http://rdf.freebase.com/ns/people.person.children") == "/people/person/children"
    assert graph_key("http://dbpedia.org/resource/X") == "http://dbpedia.org/resource/X"
    assert freebase_key("1.5") == "1.5" and freebase_key("g.11b") == "/g/11b"
    assert readable_name("http://dbpedia.org/resource/Caf%C3%A9_Noir_(film)") == "Café Noir (film)"
    assert readable_name("Q42") == ""
