"""Parts of the demo pack as others would export them: a Wikidata dump, a Neo4j export, a SQLite database."""

from __future__ import annotations

import bz2
import csv
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import wikidata_dump as wikidata

from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.types import Statement

DEMO = Path(__file__).parents[1] / "kg_packs" / "demo"
CHINOOK = Path(__file__).parent / "data" / "chinook.csv"
FIRST_FREE = 900_000_000  # of ids for what Wikidata has no id for, or the demo pack does not know it
SQUARE_KM = "Q712226"


class Fact(NamedTuple):
    """One triple of the demo pack with what it is said with."""

    subject: int
    relation: str  # label
    object: int
    statements: tuple[Statement, ...]


def facts_of(pack: Pack, types: Iterable[str], relations: Iterable[str]) -> list[Fact]:
    """The triples of these relations about instances of these types."""
    words, wanted = pack.relation_labels(), set(types)
    subjects, paths, objects = pack.triples(range(pack.n_triples))
    is_type = paths == words.index("instance of")
    classes = np.unique(objects[is_type]).tolist()
    chosen = [one for one, label in zip(classes, pack.labels(classes), strict=True) if label in wanted]
    members = subjects[is_type & np.isin(objects, chosen)]
    kept = [number for number, word in enumerate(words) if word in {"instance of", *relations}]
    rows = np.flatnonzero(np.isin(subjects, members) & np.isin(paths, kept)).tolist()
    said = pack.statements(rows)
    return [Fact(int(subjects[at]), words[paths[at]], int(objects[at]), said.get(at, ())) for at in rows]


# --- Wikidata --------------------------------------------------------------------------------------


def wikidata_dump(path: Path) -> int:
    """Countries and laureates, packed with bzip2: the number of entities.

    Labels are in English and German; what is known no longer has the rank "deprecated", and where several values have
    dates the latest is preferred.
    """
    with Pack.open(DEMO) as pack:
        relations = {text.label: text.key for text in pack.relations() if re.fullmatch(r"P\d+", text.key)}
        facts = facts_of(pack, ("country", "Nobel laureate"), relations)
        names = _Names(pack, _things(facts))
        first_literal = pack.n_entities - pack.n_literals
        claims: dict[int, list[dict[str, Any]]] = {}
        for fact in facts:
            claims.setdefault(fact.subject, []).append(_claim(names, relations, fact))
    things = {fact.object for fact in facts if fact.object < first_literal} | claims.keys()
    rows = [_entity(names, thing, claims.get(thing, [])) for thing in sorted(things)]
    rows += [wikidata.entity(key, label) for label, key in relations.items()]
    rows += [wikidata.entity(SQUARE_KM, "square kilometre")]
    with bz2.open(path, "wt") as file:
        file.write("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    return len(rows)


class _Names:
    """What entities, literals and relations of the demo pack are called, looked up at once."""

    def __init__(self, pack: Pack, things: Iterable[int]) -> None:
        wanted = sorted(set(things))
        self.words = pack.relation_labels()
        self.labels = dict(zip(wanted, pack.labels(wanted), strict=True))
        self.descriptions = dict(zip(wanted, pack.descriptions(wanted), strict=True))
        self.literals = dict(zip(wanted, pack.literals(wanted), strict=True))
        self._keys = dict(zip(wanted, pack.keys(wanted), strict=True))

    def wikidata_id(self, entity: int) -> str:
        """Wikidata's own, or a made one."""
        key = self._keys[entity]
        return key if re.fullmatch(r"Q\d+", key) else f"Q{FIRST_FREE + entity}"


def _things(facts: Iterable[Fact]) -> Iterator[int]:
    for fact in facts:
        yield from (fact.subject, fact.object, *(value for said in fact.statements for _, value in said))


def _claim(names: _Names, relations: dict[str, str], fact: Fact) -> dict[str, Any]:
    qualifiers = [
        wikidata.snak(relations[names.words[path]], _value(names, value))
        for statement in fact.statements[:1]
        for path, value in statement
        if names.words[path] in relations
    ]
    return wikidata.claim(relations[fact.relation], _value(names, fact.object), *qualifiers)


def _value(names: _Names, entity: int) -> dict[str, Any] | str:
    literal = names.literals[entity]
    if literal is None:
        return wikidata.item(names.wikidata_id(entity))
    if literal.kind == "date":
        return _time(literal)
    if literal.kind == "number":
        return wikidata.quantity(f"+{literal.text}", SQUARE_KM if literal.unit == "km²" else "1")
    return literal.text


def _time(literal: Literal) -> dict[str, Any]:
    parts = literal.text.split("-")
    return wikidata.time("+" + "-".join([*parts, "00", "00"][:3]), 8 + len(parts))


def _entity(names: _Names, thing: int, claims: list[dict[str, Any]]) -> dict[str, Any]:
    label, description = names.labels[thing], names.descriptions[thing]
    ranked = [*claims, *([_wrong(claims)] if claims else [])]
    _prefer_latest(ranked)
    return wikidata.entity(
        names.wikidata_id(thing), label, *ranked,
        descriptions={"en": {"language": "en", "value": description}} if description else {},
        sitelinks={"enwiki": {"site": "enwiki", "title": label, "badges": []}},
    )  # fmt: skip


def _wrong(claims: list[dict[str, Any]]) -> dict[str, Any]:
    """A deprecated statement beside a good one."""
    return wikidata.claim(claims[0]["mainsnak"]["property"], wikidata.item("Q4115189"), rank="deprecated")


def _prefer_latest(claims: list[dict[str, Any]]) -> None:
    dated = [(_moment(one), number) for number, one in enumerate(claims) if one["mainsnak"]["property"] == "P1082"]
    if len(dated) > 1:
        claims[max(dated)[1]]["rank"] = "preferred"


def _moment(claim: dict[str, Any]) -> str:
    said = claim.get("qualifiers", {}).get("P585", [])
    return str(said[0]["datavalue"]["value"]["time"]) if said else ""


# --- Neo4j -----------------------------------------------------------------------------------------

_KINDS = {"director": "DIRECTED", "cast member": "ACTED_IN", "genre": "HAS_GENRE", "country of origin": "MADE_IN"}
_TO_FILM = ("director", "cast member")  # an edge of Neo4j leads from the person


def neo4j_export(folder: Path) -> list[Path]:
    """Films and who made them, laureates and their prizes: node and edge files with typed headers."""
    with Pack.open(DEMO) as pack:
        films = facts_of(pack, ["film"], _KINDS)
        prizes = facts_of(pack, ["Nobel laureate"], ["award received", "date of birth", "country of citizenship"])
        names = _Names(pack, _things((*films, *prizes)))
    born = {one.subject: names.labels[one.object] for one in prizes if one.relation == "date of birth"}
    links = [one for one in (*films, *prizes) if one.relation not in ("instance of", "date of birth")]
    kinds: dict[int, str] = {}
    for fact in links:
        is_film = fact.relation in _KINDS
        kinds[fact.subject] = "Film" if is_film else "Person;NobelLaureate"
        other = {"genre": "Genre", "award received": "Prize"}.get(fact.relation, "Country")
        kinds.setdefault(fact.object, "Person" if fact.relation in _TO_FILM else other)
    nodes = [(str(one), names.labels[one], born.get(one, ""), kind) for one, kind in kinds.items()]
    edges = [row for fact in links for row in _edges(names, fact)]
    return [
        _table(folder / "nodes.csv", ["nodeId:ID", "name:string", "dateOfBirth:date", ":LABEL"], nodes),
        _table(folder / "edges.csv", [":START_ID", ":END_ID", ":TYPE", "year:int", "affiliation"], edges),
    ]


def _edges(names: _Names, fact: Fact) -> Iterator[tuple[str, ...]]:
    ends = (fact.object, fact.subject) if fact.relation in _TO_FILM else (fact.subject, fact.object)
    kind = _KINDS.get(fact.relation, {"award received": "AWARD_RECEIVED"}.get(fact.relation, "CITIZEN_OF"))
    for statement in fact.statements or ((),):
        said = {names.words[path]: names.labels[value] for path, value in statement}
        yield (*map(str, ends), kind, said.get("point in time", ""), said.get("affiliation", ""))


def _table(path: Path, header: list[str], rows: Iterable[tuple[str, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([header, *rows])
    return path


# --- SQLite ----------------------------------------------------------------------------------------

SCHEMA = """
CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE Genre (GenreId INTEGER PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE MediaType (MediaTypeId INTEGER PRIMARY KEY, Name NVARCHAR(120));
CREATE TABLE Album (AlbumId INTEGER PRIMARY KEY, Title NVARCHAR(160) NOT NULL,
  ArtistId INTEGER NOT NULL REFERENCES Artist (ArtistId));
CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, Name NVARCHAR(200) NOT NULL,
  AlbumId INTEGER REFERENCES Album (AlbumId),
  MediaTypeId INTEGER NOT NULL REFERENCES MediaType (MediaTypeId), GenreId INTEGER REFERENCES Genre (GenreId),
  Composer NVARCHAR(220), Milliseconds INTEGER NOT NULL, UnitPrice NUMERIC(10,2) NOT NULL);
CREATE TABLE Employee (EmployeeId INTEGER PRIMARY KEY, LastName NVARCHAR(20) NOT NULL, FirstName NVARCHAR(20) NOT NULL,
  Title NVARCHAR(30), ReportsTo INTEGER REFERENCES Employee (EmployeeId), BirthDate DATETIME, HireDate DATETIME,
  City NVARCHAR(40));
INSERT INTO Employee VALUES
  (1, 'Adams', 'Andrew', 'General Manager', NULL, '1962-02-18 00:00:00', '2002-08-14 00:00:00', 'Edmonton'),
  (2, 'Edwards', 'Nancy', 'Sales Manager', 1, '1958-12-08 00:00:00', '2002-05-01 00:00:00', 'Calgary'),
  (3, 'Peacock', 'Jane', 'Sales Support Agent', 2, '1973-08-29 00:00:00', '2002-04-01 00:00:00', 'Calgary'),
  (4, 'Park', 'Margaret', 'Sales Support Agent', 2, '1947-09-19 00:00:00', '2003-05-03 00:00:00', 'Calgary'),
  (5, 'Johnson', 'Steve', 'Sales Support Agent', 2, '1965-03-03 00:00:00', '2003-10-17 00:00:00', 'Calgary'),
  (6, 'Mitchell', 'Michael', 'IT Manager', 1, '1973-07-01 00:00:00', '2003-10-17 00:00:00', 'Calgary');
"""


def chinook(path: Path) -> Path:
    """The music of Chinook by its own schema, and six of its employees (lerocha/chinook-database, MIT)."""
    with closing(sqlite3.connect(path)) as db, CHINOOK.open(encoding="utf-8", newline="") as file:
        db.executescript(SCHEMA)
        ids: dict[tuple[str, str], int] = {}

        def number(table: str, name: str, *more: int) -> int:
            found = ids.setdefault((table, name), len(ids) + 1)
            marks = ", ".join("?" * (2 + len(more)))
            db.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", (found, name, *more))
            return found

        for row in csv.DictReader(file):
            album = number("Album", row["album"], number("Artist", row["artist"]))
            kinds = number("MediaType", row["media type"]), number("Genre", row["genre"])
            values = (row["track"], album, *kinds, row["composer"] or None, int(row["ms"]), float(row["price"]))
            db.execute("INSERT INTO Track VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", values)
        db.commit()
    return path
