"""The small graph that is fuzzed, its questions, and itself in every format that kgask builds from."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

QUESTIONS = (
    "who directed Harbour Lights?", "where was Ann Ray born?", "how many films did Ann Ray direct?",
    "who is the spouse of Ann Ray?", "when was Stone Garden published?", "who are the cast members of The Long Wait?",
    "what is the height of Bob Stone?", "which is the tallest person?",
)  # fmt: skip
_FILMS = ("Harbour Lights", "Stone Garden", "The Long Wait", "North Road", "Paper Moonrise")
_PEOPLE = ("Ann Ray", "Bob Stone", "Carl Moss", "Dora Quill", "Eve Lund")
_TOWNS = ("Limerick", "Galway", "Cork", "Sligo")


def _rows() -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for at, film in enumerate(_FILMS):
        rows += [
            (film, "director", _PEOPLE[at * at % 3]), (film, "instance of", "film"),
            (film, "publication date", f'"{1990 + 3 * at}"^^date'), (film, "filmed in", _TOWNS[at % 4]),
            *((film, "cast member", _PEOPLE[(at + more) % 5], "role", f"Captain {at}{more}") for more in (1, 2, 4)),
        ]  # fmt: skip
    for at, person in enumerate(_PEOPLE):
        rows += [
            (person, "place of birth", _TOWNS[at % 4]), (person, "date of birth", f'"19{41 + at}-0{1 + at}-11"^^date'),
            (person, "height", f'"{160 + 7 * at}"^^number[cm]'), (person, "instance of", "person"),
            (person, "award received", "Golden Harp", "point in time", f'"{2000 + at}"^^date', "for work", _FILMS[at]),
        ]  # fmt: skip
    rows += [
        ("Ann Ray", "spouse", "Bob Stone"),
        ("Bob Stone", "spouse", "Ann Ray"),
        ("Carl Moss", "spouse", "Eve Lund"),
    ]
    rows += [(town, "country", "Ireland") for town in _TOWNS] + [(town, "instance of", "town") for town in _TOWNS]
    return rows + [(f"Extra {at}", "knows", f"Extra {at * 7 % 60}") for at in range(110)]


GRAPH = "".join("\t".join(row) + "\n" for row in _rows())
TEXTS = {
    "descriptions": "".join(f"{name}\tsomething of {name}\n" for name in (*_FILMS, *_PEOPLE)),
    "aliases": "Harbour Lights\tThe Lights\nAnn Ray\tA. Ray\nIreland\tÉire\n",
    "passages": "".join(f"{film}\t{film} is a film that was shot in {_TOWNS[0]}.\n" for film in _FILMS),
}
_TRIPLES = [row[:3] for row in _rows() if not row[2].startswith('"')]


def _iri(text: str) -> str:
    return f"http://e.org/{text.replace(' ', '_').replace('.', '')}"


def _turtle() -> str:
    lines = [f"<{_iri(s)}> <{_iri(p)}> <{_iri(o)}> ." for s, p, o in _TRIPLES]
    lines += [f'<{_iri(s)}> <http://www.w3.org/2000/01/rdf-schema#label> "{s}"@en .' for s in _PEOPLE]
    return "\n".join(lines) + "\n"


def _rdf_xml() -> str:
    head = '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">\n'
    lines = [
        f'<rdf:Description rdf:about="{_iri(s)}"><e:{p} rdf:resource="{_iri(o)}"/></rdf:Description>\n'
        for s, p, o in ((s, p.replace(" ", "_"), o) for s, p, o in _TRIPLES)
    ]
    return head + "".join(lines) + "</rdf:RDF>\n"


def _json_ld() -> str:
    found: dict[str, dict[str, object]] = {}
    for s, p, o in _TRIPLES[:60]:
        found.setdefault(s, {"@id": _iri(s), "name": s}).setdefault(p.replace(" ", "_"), {"@id": _iri(o)})
    context = {"@vocab": "http://e.org/", "name": "http://schema.org/name"}
    return json.dumps({"@context": context, "@graph": list(found.values())}, indent=1)


def _graphml() -> str:
    names = sorted({end for s, _, o in _TRIPLES for end in (s, o)})
    ids = {name: f"n{at}" for at, name in enumerate(names)}
    nodes = "".join(f'<node id="{ids[name]}"><data key="name">{name}</data></node>\n' for name in names)
    edges = "".join(
        f'<edge source="{ids[s]}" target="{ids[o]}"><data key="k">{p}</data></edge>\n' for s, p, o in _TRIPLES
    )
    keys = (
        '<key id="name" for="node" attr.name="name" attr.type="string"/>'
        '<key id="k" for="edge" attr.name="label" attr.type="string"/>'
    )
    head = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}<graph edgedefault="directed">'
    return f"{head}\n{nodes}{edges}</graph></graphml>\n"


def _neo4j() -> str:
    rows = [":START_ID,since:int,:END_ID,:TYPE"]
    return "\n".join([*rows, *(f"{s},{1900 + at},{o},{p}" for at, (s, p, o) in enumerate(_TRIPLES))]) + "\n"


def wikidata() -> str:
    def item(at: int) -> dict[str, object]:
        value = {"entity-type": "item", "id": f"Q{at % 20 + 1}", "numeric-id": at % 20 + 1}
        time = {
            "time": f"+19{at + 10}-00-00T00:00:00Z",
            "precision": 9,
            "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
        }
        claims = {
            "P50": [_snak("P50", "wikibase-entityid", value)], "P577": [_snak("P577", "time", time)],
            "P2048": [_snak("P2048", "quantity", {"amount": f"+{at}", "unit": "1"})],
        }  # fmt: skip
        labels = {"en": {"language": "en", "value": f"Thing {at}"}}
        pages = {
            f"{code}wiki": {"site": f"{code}wiki", "title": f"Thing {at}"} for code in ("de", "en", "fr")[: at % 4]
        }
        about = {"labels": labels, "descriptions": {}, "aliases": {}, "sitelinks": pages}
        return {"type": "item", "id": f"Q{at}", **about, "claims": claims}

    return "[\n" + ",\n".join(json.dumps(item(at)) for at in range(1, 21)) + "\n]\n"


def _snak(relation: str, kind: str, value: object) -> dict[str, object]:
    datatype = {"wikibase-entityid": "wikibase-item"}.get(kind, kind)
    snak = {
        "snaktype": "value",
        "property": relation,
        "datatype": datatype,
        "datavalue": {"type": kind, "value": value},
    }
    return {"mainsnak": snak, "type": "statement", "rank": "normal", "id": f"{relation}$1"}


def _database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE Town (TownId INTEGER PRIMARY KEY, Name TEXT)")
        db.execute("CREATE TABLE Person (Id INTEGER PRIMARY KEY, Name, Height REAL, Born DATE, TownId REFERENCES Town)")
        db.executemany("INSERT INTO Town VALUES (?, ?)", enumerate(_TOWNS))
        people = [(at, name, 160.5 + at, f"19{40 + at}-01-02", at % 4) for at, name in enumerate(_PEOPLE)]
        db.executemany("INSERT INTO Person VALUES (?, ?, ?, ?, ?)", people)


def write_sources(folder: Path) -> list[Path]:
    """The graph in every format, plain and packed."""
    plain = "".join("\t".join(row) + "\n" for row in _TRIPLES)
    texts = {
        "a.tsv": plain, "a.csv": "subject,relation,object\n" + plain.replace("\t", ","),
        "a.psv": plain.replace("\t", "|"), "a.nt": _turtle(), "a.nq": _turtle(), "a.rdf": _rdf_xml(),
        "a.ttl": f"@prefix e: <http://e.org/> .\n{_turtle()}",
        "a.jsonld": _json_ld(), "a.graphml": _graphml(), "neo4j.csv": _neo4j(), "wikidata.json": wikidata(),
        "a.jsonl": "".join(json.dumps({"subject": s, "relation": p, "object": o}) + "\n" for s, p, o in _TRIPLES),
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    packed = {"p.nt.gz": gzip.compress, "p.tsv.bz2": bz2.compress, "p.ttl.xz": lzma.compress}
    for name, pack in packed.items():
        (folder / name).write_bytes(pack((folder / f"a.{name.split('.')[1]}").read_bytes()))
    _database(folder / "a.sqlite")
    return [folder / name for name in (*texts, *packed, "a.sqlite")]
