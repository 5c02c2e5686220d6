"""Exports as people have them: what Excel, pandas, yEd and web pages write beside what a format asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from same_packs import assert_same
from test_build_rows import facts_of

from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.pack.store import Pack

PAGE = {
    "@context": ["https://schema.org", {"x": "http://x.org/"}],
    "@graph": [
        {"@type": "Recipe", "@id": "#soup", "name": "Beetroot soup", "author": {"@type": "Person", "name": "Ina Holt"},
         "recipeIngredient": ["beetroot", "cream"], "datePublished": "2019-11-02", "x:level": 3},
        {"type": "Recipe", "id": "more/pie", "name": "Plum pie", "datePublished": "soon"},
    ],
}  # fmt: skip
TURTLE = """@prefix : <http://acme.example/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:acme :address [ :street "5 Mill Lane" ; :town "Leeds" ; :country :uk ] ; :none () .
:acme :boss [ foaf:name "Rob" ; :age 44 ] .
:ben :skills ( "welding" ( "painting" :acme ) ) ; :likes <#rex> .
_:loop rdf:first "round" ; rdf:rest _:loop . :ben :turns _:loop .
"""
YED = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key for="node" id="d6" yfiles.type="nodegraphics"/><key for="edge" id="d10" yfiles.type="edgegraphics"/>
<graph edgedefault="directed" id="G">
<node id="n0"><data key="d6"><y:ShapeNode><y:Geometry height="30"/><y:NodeLabel a="b">Web
 server<y:LabelModel> </y:LabelModel></y:NodeLabel><y:NodeLabel>second</y:NodeLabel></y:ShapeNode></data></node>
<node id="n1"><data key="d6"><y:ShapeNode><y:NodeLabel>Database</y:NodeLabel></y:ShapeNode></data></node>
<edge source="n0" target="n1"><data key="d10"><y:PolyLineEdge><y:EdgeLabel>reads from</y:EdgeLabel>
</y:PolyLineEdge></data></edge></graph></graphml>"""
EXCEL = 'sep=;\r\nArtikel;Preis\r\nBohrer;129,90\r\n"Säge ""Profi""";1.049,00\r\n'
QUOTED = 'title\tauthor\tyear\tshelf\n"The ""Long"" Road"\tEve Marsh\t1994\tA\nSalt\t"Eve\nMarsh"\t2010\t\n'
PLAIN = 'title\tartist\tyear\n"Heroes"\tBowie\t1977\n"Weird" Ways\tEm Ray\t1981\n'
ORDERS = [
    {"id": "A-1", "name": "Order A-1", "customer": {"name": "Nils Berg", "city": "Oslo"},
     "items": [{"sku": "k1", "qty": 2}, {"sku": "k2", "at": {"row": 7}}], "total": 129.5},
]  # fmt: skip


def _built(folder: Path, name: str, text: str) -> set[tuple[str, str, str]]:
    """The facts of a source by both engines, labels for keys."""
    (folder / name).write_bytes(text.encode())
    recipe = {"sources": (str(folder / name),), "recognise": True}
    one = build(Recipe(target=folder / "memory", **recipe), lambda _: None)  # type: ignore[arg-type]
    two = build_out_of_core(Recipe(target=folder / "other", **recipe), 1 << 30, lambda _: None)  # type: ignore[arg-type]
    assert_same(folder, one, two)
    with Pack.open(folder / "memory") as pack:
        labels = dict(zip(pack.keys(range(pack.n_entities)), pack.labels(range(pack.n_entities)), strict=True))
        return {(labels[subject], relation, labels[obj]) for subject, relation, obj in facts_of(pack)}


def test_a_page_of_schema_org(tmp_path: Path) -> None:
    """Its context is known, and what is named relative to the page is not lost."""
    facts = _built(tmp_path, "page.jsonld", json.dumps(PAGE))
    assert facts == {
        ("Beetroot soup", "type", "Recipe"), ("Plum pie", "type", "Recipe"), ("Ina Holt", "type", "Person"),
        ("Beetroot soup", "author", "Ina Holt"), ("Beetroot soup", "recipe ingredient", "beetroot"),
        ("Beetroot soup", "recipe ingredient", "cream"), ("Beetroot soup", "date published", "2019-11-02"),
        ("Beetroot soup", "level", "3"), ("Plum pie", "date published", "soon"),
    }  # fmt: skip
    with Pack.open(tmp_path / "memory") as pack:
        assert pack.find_key("file:///page.jsonld#soup") is not None
        assert pack.find_key("file:///more/pie") is not None


def test_another_context_elsewhere_is_never_fetched(tmp_path: Path) -> None:
    page = json.dumps(PAGE | {"@context": "https://schema.example/context"})
    (tmp_path / "page.jsonld").write_text(page)
    with pytest.raises(Exception, match="a context elsewhere, which is never fetched"):
        build(Recipe((str(tmp_path / "page.jsonld"),), tmp_path / "p"), print)


def test_lists_are_their_members_and_blank_nodes_are_called_by_their_values(tmp_path: Path) -> None:
    facts = _built(tmp_path, "org.ttl", TURTLE)
    assert facts == {
        ("acme", "address", "5 Mill Lane, Leeds"), ("5 Mill Lane, Leeds", "street", "5 Mill Lane"),
        ("5 Mill Lane, Leeds", "town", "Leeds"), ("5 Mill Lane, Leeds", "country", "uk"), ("acme", "boss", "Rob"),
        ("Rob", "age", "44"), ("ben", "skills", "welding"), ("ben", "skills", "painting"), ("ben", "skills", "acme"),
        ("ben", "likes", "rex"), ("ben", "turns", "round"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("net.graphml", YED, {("Web server", "reads from", "Database")}),
        (
            "artikel.csv",
            EXCEL,
            {("Bohrer", "preis", "129.90"), ('Säge "Profi"', "preis", "1049.00"),
             ("Bohrer", "instance of", "artikel"), ('Säge "Profi"', "instance of", "artikel")},
        ),
        (
            "books.tsv",
            QUOTED,
            {('The "Long" Road', "author", "Eve Marsh"), ("Salt", "author", "Eve Marsh"),
             ('The "Long" Road', "shelf", "A"),
             ('The "Long" Road', "year", "1994"), ("Salt", "year", "2010"),
             ('The "Long" Road', "instance of", "book"), ("Salt", "instance of", "book")},
        ),
        (
            "songs.tsv",
            PLAIN,
            {('"Heroes"', "artist", "Bowie"), ('"Weird" Ways', "artist", "Em Ray"), ('"Heroes"', "year", "1977"),
             ('"Weird" Ways', "year", "1981"), ('"Heroes"', "instance of", "song"),
             ('"Weird" Ways', "instance of", "song")},
        ),
        (
            "orders.jsonl",
            json.dumps(ORDERS),
            {("Order A-1", "instance of", "order"),
                 ("Nils Berg", "instance of", "customer"),
             ("Order A-1", "customer", "Nils Berg"), ("Nils Berg", "city", "Oslo"), ("Order A-1", "total", "129.5"),
             ("Order A-1", "items", "Order A-1, item 1"), ("Order A-1", "items", "Order A-1, item 2"),
             ("Order A-1, item 1", "sku", "k1"),
            ("Order A-1, item 1", "quantity", "2"), ("Order A-1, item 2", "sku", "k2"),
             ("Order A-1, item 2", "at row", "7")},
        ),
    ],
)  # fmt: skip
def test_what_programs_write(tmp_path: Path, name: str, text: str, expected: set[tuple[str, str, str]]) -> None:
    assert _built(tmp_path, name, text) == expected


def test_the_index_of_pandas_comes_first(tmp_path: Path) -> None:
    table = pyarrow.table(
        {"country": ["Austria", "Germany"], "opened": ["1951-03-01", None], "station": ["Alm", "Bach"]}
    )
    about = {"pandas": json.dumps({"index_columns": ["station"]})}  # as pandas writes it
    pyarrow.parquet.write_table(table.replace_schema_metadata(about), tmp_path / "stations.parquet")
    told: list[str] = []
    build(Recipe((str(tmp_path / "stations.parquet"),), tmp_path / "pack", recognise=True), told.append)
    assert "called by 'station'" in told[0]
    with Pack.open(tmp_path / "pack") as pack:
        assert ("Alm", "opened", '"1951-03-01"^^date') in facts_of(pack)
