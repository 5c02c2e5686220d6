"""Neo4j's exports, JSON Lines, GraphML and JSON-LD as sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError
from kgask.pack.store import Pack

NODES = """personId:ID(Person),name,born:int,nick:string[],:LABEL
1,Keanu Reeves,1964,Neo;The One,Person;Actor
2,Lana Wachowski,1965,,Person
3,Lilly Wachowski,1967,,Person
4,Carrie-Anne Moss,1967,,Person;Actor
"""
FILMS = """filmId:ID(Film);title;released:date;rating:float;:LABEL
1;The Matrix;1999-03-31;8.7;Film
2;Bound;1996-10-04;7.3;Film
3;John Wick;2014-10-24;7.4;Film
"""
EDGES = """:START_ID(Person),role,:END_ID(Film),:TYPE
1,Neo,1,ACTED_IN
4,Trinity,1,ACTED_IN
1,John Wick,3,ACTED_IN
2,,1,DIRECTED
3,,1,DIRECTED
2,,2,DIRECTED
"""
APOC = """_id,_labels,name,released,title,_start,_end,_type,role
0,:Person,Keanu Reeves,,,,,,
1,:Film,,1999,The Matrix,,,,
,,,,,0,1,ACTED_IN,Neo
"""
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="n" for="node" attr.name="name" attr.type="string"/><key id="b" for="node" attr.name="born" attr.type="int"/>
<key id="l" for="edge" attr.name="label" attr.type="string"/><key id="s" for="edge" attr.name="since" attr.type="int"/>
<key id="t" for="node" attr.name="type" attr.type="string"/>
<graph edgedefault="directed">
<node id="a"><data key="n">Ann &amp; Co</data><data key="b">1970</data><data key="t">Firm</data></node>
<node id="b" labels=":Person:Actor"><data key="n">Bob</data></node>
<edge source="b" target="a"><data key="l">WORKS_FOR</data><data key="s">2001</data></edge>
<edge source="a" target="b"/>
</graph></graphml>
"""


def _write(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        path = folder / f"{stem}.{ending}"
        path.write_text(text)
        paths.append(path)
    return paths


def _built(folder: Path, sources: list[Path], told: list[str] | None = None, **options: object) -> Pack:
    recipe = Recipe(tuple(map(str, sources)), folder / "pack", recognise=True, force=True, **options)  # type: ignore[arg-type]
    build(recipe, (told if told is not None else []).append)
    return Pack.open(folder / "pack")


def _facts(pack: Pack) -> set[str]:
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    words, said = pack.relation_labels(), pack.statements(range(pack.n_triples))
    facts = set()
    rows = zip(pack.labels(subjects), relations.tolist(), pack.labels(objects), strict=True)
    for triple, (subject, relation, obj) in enumerate(rows):
        facts.add(f"{subject} | {words[relation]} | {obj}")
        for statement in said.get(triple, ()):
            pairs = ", ".join(f"{words[path]} {pack.labels([value])[0]}" for path, value in statement)
            facts.add(f"{subject} | {words[relation]} | {obj} | {pairs}")
    return facts


def _refusal(folder: Path, sources: list[Path], **options: object) -> str:
    with pytest.raises(BuildError) as caught:
        _built(folder, sources, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_neo4j_headers_are_recognised(tmp_path: Path) -> None:
    edges, films, nodes = _write(tmp_path, edges_csv=EDGES, films_csv=FILMS, nodes_csv=NODES)
    with _built(tmp_path, [edges, films, nodes]) as pack:
        assert {
            "Keanu Reeves | acted in | The Matrix | role Neo",
            "Lana Wachowski | directed | The Matrix",
            "Keanu Reeves | instance of | person",
            "Keanu Reeves | instance of | actor",
            "Keanu Reeves | nick | The One",
            "Keanu Reeves | born | 1964",
            "The Matrix | released | 1999-03-31",
            "The Matrix | rating | 8.7",
        } <= _facts(pack)
        assert pack.keys([pack.find_key("Film/1") or 0]) == ["Film/1"]  # told apart from Person/1
        born = pack.find_key('"1964"^^date')
        assert born is not None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who directed The Matrix?", ["Lana Wachowski", "Lilly Wachowski"]),
        ("in which films did Keanu Reeves act?", ["John Wick", "The Matrix"]),
        ("which film was released first?", ["Bound"]),
    ],
)
def test_a_graph_of_neo4j_is_asked(tmp_path: Path, question: str, answer: list[str]) -> None:
    _built(tmp_path, _write(tmp_path, nodes_csv=NODES, films_csv=FILMS, edges_csv=EDGES)).close()
    with Pipeline.open(str(tmp_path / "pack"), reader=None) as kg:
        assert sorted(entity.label for entity in kg.ask(question).entities) == answer


def test_the_table_of_apoc_has_nodes_and_edges(tmp_path: Path) -> None:
    with _built(tmp_path, _write(tmp_path, all_csv=APOC)) as pack:
        assert _facts(pack) == {
            "Keanu Reeves | instance of | person",
            "The Matrix | instance of | film",
            "The Matrix | released | 1999",
            "Keanu Reeves | acted in | The Matrix",
            "Keanu Reeves | acted in | The Matrix | role Neo",
        }


def test_broken_rows_of_neo4j_are_told_by_line(tmp_path: Path) -> None:
    nodes, edges = _write(tmp_path, nodes_csv=NODES + "5,X,abc,,Person\n6,Y\n", edges_csv=EDGES + ",,1,DIRECTED\n")
    assert "nodes.csv:6: born: 'abc' is no int (2 broken lines" in _refusal(tmp_path, [nodes])
    assert "edges.csv:8: neither a node (ID) nor an edge" in _refusal(tmp_path, [edges])
    with _built(tmp_path, [nodes], skip_errors=True) as pack:
        assert pack.find_key("Person/5") is None
    assert "no header of Neo4j's" in _refusal(tmp_path, _write(tmp_path, plain_csv="a,b,c\n"), format="neo4j")


def test_json_lines_of_apoc(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"type": "relationship", "id": "0", "label": "ACTED_IN", "properties": {"role": ["Neo", "Thomas"]},
         "start": {"id": "0"}, "end": {"id": "1"}},
        {"type": "node", "id": "0", "labels": ["Person"], "properties": {"name": "Keanu Reeves", "tall": 1.86}},
        {"type": "node", "id": "1", "labels": ["Film"],
         "properties": {"title": "The Matrix", "released": "1999-03-31", "colour": True}},
    ]  # fmt: skip
    with _built(tmp_path, _write(tmp_path, g_jsonl="\n".join(map(json.dumps, lines)))) as pack:
        assert _facts(pack) == {
            "Keanu Reeves | acted in | The Matrix",
            "Keanu Reeves | acted in | The Matrix | role Neo, role Thomas",
            "Keanu Reeves | instance of | person",
            "Keanu Reeves | tall | 1.86",
            "The Matrix | instance of | film",
            "The Matrix | released | 1999-03-31",
            "The Matrix | colour | true",
        }


@pytest.mark.parametrize(
    "names", [("subject", "relation", "object"), ("head", "type", "tail"), ("from", "label", "to")]
)
def test_json_lines_of_triples(tmp_path: Path, names: tuple[str, str, str]) -> None:
    triples: list[tuple[object, object, object]] = [
        ("Emma", "author", {"id": "Q36322", "label": "Jane Austen"}),
        ("Emma", {"id": "P577", "label": "published"}, "1815-12-23"),
        ("Emma", "pages", 474),
        ("Emma", "character", ["Harriet", "Knightley"]),
    ]
    lines = [dict(zip(names, triple, strict=True)) for triple in triples]
    lines[0]["qualifiers"] = {"role": "novelist"}
    with _built(tmp_path, _write(tmp_path, g_ndjson="\n\n".join(map(json.dumps, lines)))) as pack:
        assert _facts(pack) == {
            "Emma | author | Jane Austen",
            "Emma | author | Jane Austen | role novelist",
            "Emma | published | 1815-12-23",
            "Emma | pages | 474",
            "Emma | character | Harriet",
            "Emma | character | Knightley",
        }
        assert pack.find_key("Q36322") is not None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"subject": "a", "relation": "b"}', "no object (also called obj, o, tail, ...)"),
        ('{"subject": "a"', "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"subject": [1], "relation": "b", "object": "c"}', "a subject or relation that is no text"),
        ('{"subject": "a", "relation": "b", "object": Infinity}', "Infinity is no number"),
        ('{"subject": "a", "relation": "b", "object": [[1]]}', "a list within a list"),
        ('{"subject": "a", "relation": "b", "object": ' + "[" * 100_000, "not JSON"),
        ('{"subject": "a", "relation": "b", "object": 1' + "0" * 5000 + "}", "not JSON"),
        ('{"subject": "\\ud800", "relation": "b", "object": "c"}', "not Unicode"),
        ('{"type": "node", "id": 1, "properties": 3}', "properties and qualifiers are objects"),
        ('{"type": "node", "id": 1, "properties": {"a": {"b": 1}}}', "a value of 'a' is no text"),
    ],
)
def test_broken_json_lines_are_told_by_line(tmp_path: Path, line: str, reason: str) -> None:
    (source,) = _write(tmp_path, g_jsonl='{"s": "a", "p": "b", "o": "c"}\n' + line)
    told = _refusal(tmp_path, [source])
    assert "g.jsonl:2: " in told
    assert reason in told


def test_graphml(tmp_path: Path) -> None:
    told: list[str] = []
    with _built(tmp_path, _write(tmp_path, g_graphml=GRAPHML), told) as pack:
        assert _facts(pack) == {
            "Ann & Co | instance of | firm",
            "Ann & Co | born | 1970",
            "Ann & Co | related to | Bob",
            "Bob | instance of | person",
            "Bob | instance of | actor",
            "Bob | works for | Ann & Co",
            "Bob | works for | Ann & Co | since 2001",
        }
    assert "1 edge does not say what they are" in told[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GRAPHML[:-40], "is the file cut short?"),
        (GRAPHML.replace("<graphml", '<!DOCTYPE g [<!ENTITY a "aa">]><graphml', 1), "document type declaration"),
        (GRAPHML.replace("<graph ", "<graph>" * 60 + "<graph ", 1), "nested more than 50 deep"),
        (GRAPHML.replace("1970", "old"), "born: 'old' is no int"),
        (GRAPHML.replace('source="b" ', ""), "no source"),
    ],
)
def test_broken_graphml_is_refused_in_a_line(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in _refusal(tmp_path, _write(tmp_path, g_graphml=text))


def test_json_ld(tmp_path: Path) -> None:
    content = {
        "@context": {"name": "http://schema.org/name", "author": {"@id": "http://x.org/author", "@type": "@id"}},
        "@graph": [
            {"@id": "http://x.org/Emma", "name": "Emma", "author": "http://x.org/austen"},
            {"@id": "http://x.org/austen", "name": "Jane Austen"},
        ],
    }
    with _built(tmp_path, _write(tmp_path, g_jsonld=json.dumps(content))) as pack:
        assert _facts(pack) == {"Emma | author | Jane Austen"}
    elsewhere = json.dumps(content | {"@context": "http://x.org/context"})
    assert "which is never fetched" in _refusal(tmp_path, _write(tmp_path, g_jsonld=elsewhere))
    assert "g.jsonld" in _refusal(tmp_path, _write(tmp_path, g_jsonld=json.dumps(content)[:-9]))
