"""Usual phrases for what a graph's owner calls otherwise: "when was it set up?" of "incorporated on"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.methods.paraphrases import is_paraphrase, senses
from kgask.opened import Opened
from kgask.query import nodes

GRAPH = """\
subject,predicate,object
Orsett Metals,incorporatedOn,2016-10-21
Orsett Metals,city,Grays
Orsett Metals,suppliedBy,Nordbirk AS
Quality Lab,headedBy,Fenna de Wit
Design Office,headedBy,Carl Roe
Fenna de Wit,employedBy,Orsett Metals
Fenna de Wit,marriedTo,Luke Strahl
Luke Strahl,worksAs,marine biologist
Luke Strahl,livesIn,Bremen
Carl Roe,livesIn,Kassel
Carl Roe,worksAs,welder
LM63 TYO,hasRegisteredKeeper,Carl Roe
LM63 TYO,colour,white
KX12 ABC,owner,Carl Roe
KX12 ABC,keeper,Fenna de Wit
Delmar Cells,supplies,battery pack
Rambler,contains,battery pack
Mulo,contains,battery pack
"""


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("paraphrases")
    (folder / "firm.csv").write_text(GRAPH, encoding="utf-8")
    build(Recipe((str(folder / "firm.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Orsett Metals set up", "2016-10-21"),
        ("ok, and where are Orsett Metals based?", "Grays"),
        ("who's in charge of the Quality Lab?", "Fenna de Wit"),
        ("whose van is LM63 TYO?", "Carl Roe"),
        ("where does Fenna de Wit work?", "Orsett Metals"),
        ("Fenna de Wit's husband, what's his job?", "marine biologist"),
        ("where does the husband of Fenna de Wit live?", "Bremen"),
        ("Who do we get the battery packs from?", "Delmar Cells"),
    ],
)
def test_what_is_usually_said_otherwise_is_found(firm: Opened, question: str, answer: str) -> None:
    found = firm.ask(question)
    assert (found.text, found.confidence) == (answer, pytest.approx(0.88))


def test_of_two_relations_of_a_sense_none_is_sure(firm: Opened) -> None:
    pack = firm.pack
    (car,) = [hit.entity for hit in pack.exact(["kx12 abc"])["kx12 abc"]]
    owner = pack.relation_labels().index("owner")
    assert not is_paraphrase(nodes.Follow(nodes.Entities((car,)), owner), "whose is _?", pack)
    (van,) = [hit.entity for hit in pack.exact(["lm63 tyo"])["lm63 tyo"]]
    keeper = nodes.Follow(nodes.Entities((van,)), pack.relation_labels().index("hasRegisteredKeeper"))
    assert is_paraphrase(keeper, "whose is _?", pack)
    assert not is_paraphrase(keeper, "whose was _ in 1950?", pack)
    assert not is_paraphrase(keeper, "who drives _?", pack)


def test_a_phrase_is_a_whole_question() -> None:
    phrases = ("who made _", "where is _ based", "what does _ do", "who manages _", "how much is _")
    for phrase in phrases:
        assert any(sense.asked.fullmatch(phrase) for sense in senses())
    assert not any(sense.asked.fullmatch("who made _ in 1950") for sense in senses())


TREE = """{
 "@context": {"@vocab": "http://own.example/terms#", "@base": "http://own.example/tree"},
 "@graph": [
  {"@id": "#thomas", "@type": "Person", "name": "Thomas Penhale",
   "birth": {"date": "1868-05-11", "place": {"@id": "#falls"}},
   "marriage": {"spouse": {"@id": "#greta"}, "date": "1895-08-17", "place": {"@id": "#bridge"}}},
  {"@id": "#greta", "@type": "Person", "name": "Greta Sandvik",
   "birth": {"date": "1871-01-02", "place": {"@id": "#bridge"}}},
  {"@id": "#falls", "@type": "Town", "name": "Copper Falls"},
  {"@id": "#bridge", "@type": "Town", "name": "Saltbridge"}
 ]
}"""


def test_what_is_nested_without_a_name_is_asked_for_as_if_it_were_said_of_the_thing(tmp_path: Path) -> None:
    (tmp_path / "tree.jsonld").write_text(TREE, encoding="utf-8")
    build(Recipe((str(tmp_path / "tree.jsonld"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as tree:
        said = {
            "Where was Thomas born?": "Copper Falls",
            "When was Greta Sandvik born?": "1871-01-02",
            "who did Thomas Penhale marry?": "Greta Sandvik",
        }
        assert {question: tree.ask(question).text for question in said} == said
