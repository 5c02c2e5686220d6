"""SQLite databases as sources, and the mapping file."""

from __future__ import annotations

import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import music_shop
import pytest

from kgask.answer.pipeline import Pipeline
from kgask.build import sqlite
from kgask.build.recipe import Recipe, build
from kgask.build.sqlite import tables_of
from kgask.build.tables import from_toml, to_toml
from kgask.errors import BuildError, UsageError
from kgask.pack.store import Pack


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return music_shop.made(tmp_path_factory.mktemp("shop") / "shop.sqlite")


def _facts(pack: Pack) -> set[tuple[str, str, str]]:
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    words = pack.relation_labels()
    rows = zip(pack.keys(subjects), relations.tolist(), pack.keys(objects), strict=True)
    return {(subject, words[relation], obj) for subject, relation, obj in rows}


def _built(source: Path, target: Path, told: list[str] | None = None, mapping: Path | None = None) -> Pack:
    recipe = Recipe((str(source),), target, mapping=mapping, recognise=True)
    build(recipe, (told if told is not None else []).append)
    return Pack.open(target)


@pytest.fixture
def opened(shop: Path, tmp_path: Path) -> Iterator[Pack]:
    with _built(shop, tmp_path / "pack") as pack:
        yield pack


def test_rows_keys_and_values_become_triples(opened: Pack) -> None:
    facts = _facts(opened)
    assert {
        ("Album/1", "instance of", "album"),
        ("Album/1", "artist", "Artist/1"),
        ("Album/1", "release date", '"2004-05-01"^^date'),
        ("Track/2", "duration", '"340"^^number[s]'),
        ("Track/2", "price", '"1.29"^^number'),
        ("Employees/2", "reports to", "Employees/1"),
        ("Employees/2", "instance of", "employee"),
        ("Employees/2", "birth date", '"1985-11-20"^^date'),
        ("Employees/2", "hire year", '"2010"^^date'),
        ("Employees/2", "city", "York"),
        ("Employees/2", "phone", "5550102"),  # digits that are no number
        ("Playlists/1", "track", "Track/3"),
        ("Copy/1", "shelf", "Shelf/A,2"),  # a key of two columns is called as the table that it leads to
        ("Loan/1", "copy", "Copy/2"),  # by another column than the key
    } <= facts
    assert not any(relation in ("cover", "name", "title") for _, relation, _ in facts)
    assert not any(subject == "Loan/2" and relation == "copy" for subject, relation, _ in facts)  # NULL says nothing


def test_rows_are_called_by_what_names_them(opened: Pack) -> None:
    keys = ["Album/1", "Employees/2", "Copy/1"]
    assert opened.labels([opened.find_key(key) or 0 for key in keys]) == ["Night Trains", "Bob Ray", "Copy/1"]


def test_a_joining_table_is_a_relation_with_qualifiers(opened: Pack) -> None:
    said = opened.statements(range(opened.n_triples))
    words = opened.relation_labels()
    told = [[(words[path], opened.keys([end])[0]) for path, end in one] for found in said.values() for one in found]
    assert sorted(told) == [[("position", f'"{n}"^^number')] for n in (1, 1, 2)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who made Night Trains?", ["Mara Lind"]),
        ("which employees report to Ann Lee?", ["Bob Ray", "Cid Fox"]),
        ("which track is the longest?", ["Sleepers"]),
        ("which tracks are on the playlist Morning?", ["Kettle", "Signal"]),
        ("when was Harbour released?", ["2011-09-30"]),
    ],
)
def test_a_database_is_asked(shop: Path, tmp_path: Path, question: str, answer: list[str]) -> None:
    _built(shop, tmp_path / "pack").close()
    with Pipeline.open(str(tmp_path / "pack"), reader=None) as kg:
        found = kg.ask(question, min_confidence=0.0)  # how sure the judge is of it is no matter of the database
        assert sorted(entity.label for entity in found.entities) == answer


def test_a_mapping_says_what_is_done_without_it(shop: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(to_toml(tables_of(shop), "shop.sqlite"))
    with _built(shop, tmp_path / "plain") as plain, _built(shop, tmp_path / "mapped", mapping=mapping) as mapped:
        assert mapped.content_hash == plain.content_hash


def test_a_mapping_is_heeded(shop: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(
        '[tables.Track]\ntype = "song"\nlabel = ["Name"]\n[tables.Track.columns]\nSeconds = "length = number[s]"\n'
        'AlbumId = "from -> Album"\n[tables.Album]\nlabel = ["Title"]\n'
        '[tables.Loan]\ntype = "loan"\n[tables.Loan.columns]\nDays = "copy -> Copy"\n'
    )
    with _built(shop, tmp_path / "pack", mapping=mapping) as pack:
        facts = _facts(pack)
    assert ("Track/1", "length", '"201"^^number[s]') in facts
    assert ("Track/1", "instance of", "song") in facts
    assert ("Track/1", "from", "Album/1") in facts
    assert ("Loan/1", "copy", "Copy/14") in facts
    assert {relation for _, relation, _ in facts} == {"length", "instance of", "from", "copy"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tables.Trak]", "no table 'Trak' (did you mean 'Track'?)"),
        ('[tables.Track.columns]\nSecond = "x"', "no column 'Second' (did you mean 'Seconds'?)"),
        ('[tables.Track.columns]\nSeconds = "x = numbr"', "no kind 'numbr' (did you mean 'number'?)"),
        ('[tables.Track.columns]\nSeconds = "x = date[s]"', "only a number has a unit"),
        ('[tables.Track.columns]\nSeconds = "x -> Albums"', "no table 'Albums' (did you mean 'Album'?)"),
        ('[tables.Track.columns]\nSeconds = "x -> Shelf"', "rows of Shelf are told apart by Room, Number"),
        ("[tables.Track.columns]\nSeconds = 3", 'write "relation"'),
        ("[tables.Track]\nlabel = 'Name'", "label is a list"),
        ("[tables.Track]\nlabels = ['Name']", "no setting 'labels' (did you mean 'label'?)"),
        ("[tables.PlaylistTrack]\nrelation = ' '", "relation is empty"),
        ("tables = 3", "must be a section"),
        ("[tables", "not TOML"),
        ("[table.Track]", "no section 'table' (did you mean 'tables'?)"),
    ],
)
def test_a_wrong_mapping_is_refused_in_a_line(shop: Path, text: str, reason: str) -> None:
    with pytest.raises(BuildError) as caught:
        from_toml(text.encode(), "m.toml", tables_of(shop))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_value_that_is_not_as_the_mapping_says_is_a_broken_line(shop: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text('[tables.Employees]\n[tables.Employees.columns]\nCity = "city = number"\n')
    with pytest.raises(BuildError, match=r"Employees, row 1: not a number: 'Leeds'.*3 broken lines"):
        _built(shop, tmp_path / "pack", mapping=mapping)


def test_a_mapping_without_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\tc\n")
    with pytest.raises(UsageError, match="no source is a database or has a row a thing"):
        build(Recipe((str(tmp_path / "a.tsv"),), tmp_path / "pack", mapping=tmp_path / "m.toml"), print)


def test_names_that_are_no_words_are_mapped_too(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute('CREATE TABLE "a ""b"" ]\n#" ("na me" TEXT, "sélect" TEXT, "" TEXT)')
        db.execute("""INSERT INTO "a ""b"" ]\n#" VALUES ('one', 'two', 'three')""")
        db.commit()
    text = to_toml(tables_of(path), "odd.db")
    assert [*tomllib.loads(text)["tables"]] == ['a "b" ]\n#']
    mapping = tmp_path / "odd.toml"
    mapping.write_text(text)
    with _built(path, tmp_path / "one") as one, _built(path, tmp_path / "two", mapping=mapping) as two:
        assert one.content_hash == two.content_hash


@pytest.mark.slow
def test_rows_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE Pair (A TEXT, B TEXT, Size INTEGER, PRIMARY KEY (A, B));
            INSERT INTO Pair VALUES ('a,b', 'c', 1), ('a', 'b,c', 2);
            CREATE TABLE Plain (rowid TEXT, Height INTEGER);
            INSERT INTO Plain VALUES ('x', 3), ('x', 4);
            CREATE TABLE Code (CodeId INTEGER PRIMARY KEY, Code TEXT);
            CREATE TABLE Uses (UsesId INTEGER PRIMARY KEY, Code TEXT REFERENCES Code (Code), Depth INTEGER);
            WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 20000)
              INSERT INTO Code SELECT n, 'c' || n FROM r;
            INSERT INTO Uses SELECT CodeId, Code, CodeId FROM Code;
        """)
        db.commit()
    before = {one.name for one in tmp_path.iterdir()}
    with _built(path, tmp_path / "pack") as pack:
        facts = _facts(pack)
    assert {("Pair/a\\,b,c", "size", '"1"^^number'), ("Pair/a,b\\,c", "size", '"2"^^number')} <= facts
    assert {("Plain/1", "height", '"3"^^number'), ("Plain/2", "height", '"4"^^number')} <= facts
    assert ("Uses/19999", "code", "Code/19999") in facts  # found by an index that SQLite makes for it
    assert {one.name for one in tmp_path.iterdir()} - before == {"pack"}  # no log is left beside the database


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"


def test_what_runs_something_is_not_read(tmp_path: Path) -> None:
    path = music_shop.made(
        tmp_path / "shop.db", f"CREATE VIEW Forever AS {ENDLESS};", "CREATE VIRTUAL TABLE Found USING fts5(text);"
    )
    told: list[str] = []
    with _built(path, tmp_path / "pack", told) as pack:
        assert not any("Forever" in key or "Found" in key for key in pack.keys(range(pack.n_entities)))
    assert "view Forever, virtual Found passed over" in told[0]


def test_a_query_that_never_gives_a_row_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MOST_SECONDS", 0.2)
    path = music_shop.made(tmp_path / "shop.db")
    with pytest.raises(BuildError, match="gave no row"), sqlite._opened(path) as found:
        next(found.rows(f"SELECT count(*) FROM ({ENDLESS})"))


@pytest.mark.parametrize(
    "content", [b"no database at all, though it says so " * 40, b"SQLite format 3\0" + b"\xff" * 4096, b""]
)
def test_what_is_no_database_is_refused_in_a_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    with pytest.raises(BuildError) as caught:
        build(Recipe((str(path),), tmp_path / "pack"), print)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "pack").exists()


def test_a_persons_title_is_no_name_and_texts_are_no_measure(tmp_path: Path) -> None:
    script = """CREATE TABLE Staff (Id INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, Title TEXT, Hours);
    CREATE TABLE Book (Id INTEGER PRIMARY KEY, Title TEXT, Minutes INTEGER);
    INSERT INTO Staff VALUES (1, 'Jane', 'Peacock', 'Agent', 'nine to five');
    INSERT INTO Book VALUES (1, 'Emma', 700);"""
    with _built(music_shop.made(tmp_path / "x.sqlite", script), tmp_path / "pack") as pack:
        jane, emma = (pack.find_key(key) or 0 for key in ("Staff/1", "Book/1"))
        assert pack.labels([jane, emma]) == ["Jane Peacock", "Emma"]
        assert {
            ("Staff/1", "title", "Agent"),
            ("Staff/1", "hours", "nine to five"),
            ("Book/1", "duration", '"700"^^number[min]'),
        } <= _facts(pack)


def test_a_database_that_was_cut_short_is_refused(shop: Path, tmp_path: Path) -> None:
    data = shop.read_bytes()
    for n_bytes in (len(data) - 1, len(data) // 2 + 100):
        (tmp_path / "cut.sqlite").write_bytes(data[:n_bytes])
        with pytest.raises(BuildError, match=r"cut short|malformed"):
            _built(tmp_path / "cut.sqlite", tmp_path / "pack")
