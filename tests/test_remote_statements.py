"""What triples are said with, over a real SPARQL server, as the pack says it that is built of the same RDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sparql_server import as_rdf, served

import kgask
from kgask.answer.derived import derived
from kgask.build.recipe import Recipe, build
from kgask.pack.check import check_pack
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.remote.connect import Wish, connect
from kgask.remote.connected import MOST_REQUESTS
from kgask.remote.folder import open_pack
from kgask.retrieve.follow import edges_of
from kgask.verbalise import statements_in_words

# Subject, relation, object, what it is said with; dates by how much of them is known.
SAID = (
    ("Q1", "P39", "Q20", {"P580": "1990-03-01", "P582": "1994"}),
    ("Q1", "P39", "Q20", {"P580": "2001"}),
    ("Q2", "P39", "Q20", {"P580": "1994", "P582": "2001", "P1365": "Q1"}),
    ("Q2", "P166", "Q21", {"P585": "1999-05"}),
    ("Q3", "P39", "Q22", {"P580": "1985-07-30"}),
    ("Q3", "P39", "Q20", {}),
    ("Q1", "P26", "Q2", {}),
)
NAMES = {
    "Q1": "Ann Ray", "Q2": "Bob Stone", "Q3": "Carl Moss", "Q20": "mayor of Harbour Town", "Q21": "Golden Oar",
    "Q22": "harbour master", "P39": "position held", "P166": "award received", "P26": "spouse", "P580": "start time",
    "P582": "end time", "P585": "point in time", "P1365": "replaces",
}  # fmt: skip
QUERIES = (
    "qualified(follow(<mayor of Harbour Town>, ^<position held>), <start time> > date(1993))",
    "qualified(follow(<Ann Ray>, <position held>), <end time> = date(1994))",
    "follow(<mayor of Harbour Town>, ^<position held>)",
    "qualifier(follow(<Bob Stone>, <award received>), <point in time>)",
    "max(qualifier(follow(<Ann Ray>, <position held>), <start time>))",
    "qualifier(follow(<Bob Stone>, <position held>), <replaces>)",
)
QUESTIONS = ("When did Bob Stone receive the Golden Oar?", "Who was mayor of Harbour Town since 1994?")
_XSD = "http://www.w3.org/2001/XMLSchema#"


def _reified() -> str:
    """RDF 1.2, as Turtle's annotations say it."""

    def term(value: str) -> str:
        kind = {4: "gYear", 7: "gYearMonth", 10: "date"}.get(len(value), "")
        return f":{value}" if value.startswith("Q") else f'"{value}"^^<{_XSD}{kind}>'

    lines = ["@prefix : <http://x.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    lines += [f':{key} rdfs:label "{name}"@en .' for key, name in NAMES.items()]
    for subject, relation, obj, said in SAID:
        pairs = " ; ".join(f":{by} {term(value)}" for by, value in said.items())
        lines.append(f":{subject} :{relation} :{obj}" + (f" {{| {pairs} |}} ." if pairs else " ."))
    return "\n".join(lines)


def _wikibase(root: str = "http://www.wikidata.org/") -> str:
    """As Wikibase dumps it: truthy triples, statement nodes, value nodes with a precision, and a deprecated one."""
    lines = [f"@prefix wd: <{root}entity/> . @prefix wdt: <{root}prop/direct/> . @prefix p: <{root}prop/> .",
             f"@prefix ps: <{root}prop/statement/> . @prefix pq: <{root}prop/qualifier/> .",
             f"@prefix pqv: <{root}prop/qualifier/value/> . @prefix wds: <{root}entity/statement/> .",
             f"@prefix v: <{root}value/> . @prefix xsd: <{_XSD}> . @prefix wb: <http://wikiba.se/ontology#> .",
             "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]  # fmt: skip
    lines += [f'wd:{key} rdfs:label "{name}"@en .' for key, name in NAMES.items()]
    for at, (subject, relation, obj, said) in enumerate(SAID):
        node = f"wds:{subject}-{at}"
        lines.append(f"wd:{subject} wdt:{relation} wd:{obj} ; p:{relation} {node} .")
        lines.append(f"{node} a wb:Statement, wb:BestRank ; ps:{relation} wd:{obj} ; wb:rank wb:NormalRank .")
        for by, value in said.items():
            if value.startswith("Q"):
                lines.append(f"{node} pq:{by} wd:{value} .")
                continue
            day = f'"{value}{"-01-01"[len(value) - 4 :]}T00:00:00Z"^^xsd:dateTime'
            precision = {4: 9, 7: 10, 10: 11}[len(value)]
            lines.append(f"{node} pq:{by} {day} ; pqv:{by} v:{at}{by} .")
            lines.append(f"v:{at}{by} wb:timeValue {day} ; wb:timePrecision {precision} .")
    lines.append('wd:Q2 p:P39 wds:x . wds:x ps:P39 wd:Q20 ; wb:rank wb:DeprecatedRank ; pq:P580 "1901"^^xsd:gYear .')
    return "\n".join(lines)


FORMS = {"reified": _reified(), "wikibase": _wikibase(), "ours": _reified()}


@pytest.fixture(scope="module", params=FORMS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A pack of the RDF, and one connected to a server that has it (of kgask's own view: that of the pack)."""
    folder = tmp_path_factory.mktemp(request.param)
    source = folder / "data.ttl"
    source.write_text(FORMS[request.param])
    build(Recipe((str(source),), folder / "pack"), print)
    if request.param == "ours":
        source = as_rdf(folder / "pack", folder / "data.nt")
    with served(source, folder) as url:
        connect(Wish(url, folder / "there"), lambda *_: None)
        yield folder / "pack", folder / "there"


def _told(pack: Pack) -> set[tuple[object, ...]]:
    """Every statement that the pack has of the triples, in words."""
    words, said = pack.relation_labels(), set[tuple[object, ...]]()
    for subject, relation, obj, _ in SAID:
        one, other = (pack.exact([NAMES[key].lower()])[NAMES[key].lower()][0].entity for key in (subject, obj))
        edges = edges_of(pack, np.array([one]), words.index(NAMES[relation]))
        rows = edges.rows[edges.targets == other].tolist()
        for statements in statements_in_words(pack, rows, words).values():
            said |= {(subject, relation, obj, frozenset(statement)) for statement in statements}
    return said


def _by_keys(text: str, pack: Pack) -> str:
    """A query that says labels, with keys in their place."""
    keys = dict(zip(pack.labels(range(pack.n_entities)), pack.keys(range(pack.n_entities)), strict=True))
    keys |= {one.label: one.key for one in pack.relations()}
    return re.sub(r"<([A-Za-z ]+)>", lambda found: f"<{keys[found[1]]}>" if found[1] in keys else found[0], text)


def test_every_statement_is_the_same(both: tuple[Path, Path]) -> None:
    assert check_pack(both[1]) == []
    with Pack.open(both[0]) as here, open_pack(both[1]) as there:
        expected = _told(here)
        assert len(expected) == 5 and there.complete(lambda: _told(there)) == expected
        assert there.source is not None and there.source["requests"] <= MOST_REQUESTS
        assert _told(there) == expected  # and without a run, what is read is fetched then


@pytest.mark.parametrize("text", QUERIES)
def test_queries_over_statements_come_to_the_same(text: str, both: tuple[Path, Path]) -> None:
    with Pack.open(both[0]) as here, open_pack(both[1]) as there:
        text = _by_keys(text, here)
        expected = derived(parse(text, here), here).to_dict()
        found = there.complete(lambda: derived(parse(text, there), there).to_dict())
        for one in (each for end in (found, expected) for each in (*end["entities"], *end.get("perhaps", ()))):
            one.pop("id")
        assert found == expected and expected["answer"]
        assert there.source is not None and there.source["complete"] and there.source["requests"] <= 3


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_over_statements_are_answered_alike(question: str, both: tuple[Path, Path]) -> None:
    answers = []
    for path in both:
        with kgask.open(str(path), reader=None, judge=None, settings={}) as kg:
            answers.append(kg.ask(question, query=True))
    here, there = answers
    assert (there.text, there.reason, there.support) == (here.text, here.reason, here.support)
    assert there.source is not None and there.source["requests"] <= MOST_REQUESTS


def test_a_wikibase_of_ones_own(tmp_path: Path) -> None:
    """Its prefix is seen in its predicates."""
    (tmp_path / "data.ttl").write_text(_wikibase("https://base.example/"))
    with served(tmp_path / "data.ttl", tmp_path) as url:
        connect(Wish(url, tmp_path / "there"), lambda *_: None)
        with open_pack(tmp_path / "there") as there:
            assert there.find_key("Q20") is not None and there.manifest["iri_prefix"] == "https://base.example/entity/"
            assert len(there.complete(lambda: _told(there))) == 5
