"""Tables and text files in every shape that people send them."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from kgask.build.recipe import BuildOutcome, Recipe, build, parse_literal_rules
from kgask.build.source import files_of
from kgask.build.tsv import check_columns
from kgask.errors import BuildError, UsageError
from kgask.pack.store import Pack

Triples = list[tuple[str, str, str]]
TSV = b"a\tr\tb\nb\tr\tc\n"
EXPECTED: Triples = [("a", "r", "b"), ("b", "r", "c")]


class Workshop:
    """Builds packs in a temporary folder and reads their triples back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.target = folder / "out" / "pack"

    def file(self, name: str, data: bytes | str) -> str:
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def build(self, *sources: str, **options: Any) -> BuildOutcome:
        return build(Recipe(sources=sources, target=self.target, **options), self.told.append)

    def triples(self, *sources: str, **options: Any) -> Triples:
        self.build(*sources, **options)
        with Pack.open(self.target) as pack:
            subjects, relations, objects = pack.triples(range(pack.n_triples))
            words = pack.relation_labels()
            return list(zip(pack.labels(subjects), (words[r] for r in relations), pack.labels(objects), strict=True))

    def refuses(self, *sources: str, match: str, error: type[Exception] = BuildError, **options: Any) -> None:
        with pytest.raises(error, match=match) as caught:
            self.build(*sources, **options)
        assert "\n" not in str(caught.value)
        assert not (self.folder / "out").exists() or not list((self.folder / "out").iterdir())


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "options"),
    [
        ("t.tsv", TSV, {}),
        ("t.tsv", TSV.replace(b"\n", b"\r\n"), {}),
        ("t.tsv", b"\xef\xbb\xbf" + TSV, {}),
        ("t.tsv", TSV.rstrip(b"\n"), {}),
        ("t.tsv", b"# comment\n\n  \n#\n" + TSV + TSV, {}),
        ("t.tsv.gz", gzip.compress(TSV, mtime=0), {}),
        ("no_suffix_but_gzip.tsv", gzip.compress(TSV, mtime=0), {}),
        ("t.csv", b'a,r,b\n"b","r","c"\n', {}),
        ("t.psv", b"a|r|b\nb|r|c\n", {}),
        ("t.txt", b"a|r|b\nb|r|c\n", {}),
        ("t.txt.gz", gzip.compress(b"a|r|b\nb|r|c\n", mtime=0), {}),
        ("t.txt", TSV, {}),
        ("t.dat", TSV, {"format": "tsv"}),
        ("t.tsv", b"a;r;b\nb;r;c\n", {"delimiter": ";"}),
        ("t.tsv", b"x\tb\ta\tr\nx\tc\tb\tr\n", {"columns": ("_", "object", "subject", "relation")}),
        ("t.csv", b"relation,note,Object,subject\nr,x,b,a\nr,y,c,b\n", {"header": True}),
        (
            "t.tsv",
            b"some\tother\theader\n" + TSV,
            {"header": True, "columns": ("subject", "relation", "object")},
        ),
    ],
)
def test_tables(shop: Workshop, name: str, data: bytes, options: dict[str, Any]) -> None:
    assert shop.triples(shop.file(name, data), **options) == EXPECTED


def test_stdin(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (TSV, gzip.compress(TSV)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert shop.triples("-", format="tsv", force=True) == EXPECTED


def test_labels_beside_the_ids(shop: Workshop) -> None:
    columns = ("subject", "subject_label", "relation", "relation_label", "object", "object_label", "_")
    source = shop.file("t.tsv", "Q1\tLady Susan\tP50\tauthor\tQ2\tJane Austen\ttrain\nQ1\t\tP50\t\tQ3\t\tx\n")
    assert shop.triples(source, columns=columns) == [
        ("Lady Susan", "author", "Jane Austen"),
        ("Lady Susan", "author", "Q3"),
    ]


def test_text_files(shop: Workshop) -> None:
    source = shop.file("t.tsv", "Q1\tP50\tQ2\n")
    texts = (
        ("labels", shop.file("first.tsv", "Q1\tLady Susan\nQ7\tnobody\n")),
        ("labels", shop.file("second.csv", '"Q1","Ignored, it comes later"\nQ2,Jane Austen\n')),
        ("aliases", shop.file("aliases.tsv.gz", gzip.compress(b"Q2\tMiss Austen| J. Austen |\n"))),
        ("descriptions", shop.file("d.tsv", "Q2\tEnglish novelist\n")),
        ("relations", shop.file("r.tsv", "P50\tauthor\twriter|written by\tmain creator\tauthor of\nP9\tx\n")),
    )
    assert shop.triples(source, texts=texts) == [("Lady Susan", "author", "Jane Austen")]
    with Pack.open(shop.target) as pack:
        assert pack.descriptions([0, 1]) == ["", "English novelist"]
        assert set(pack.exact(["miss austen", "j austen", "nobody", "ignored it comes later"])) == {
            "miss austen",
            "j austen",
        }
        (author,) = pack.relations()
        assert author.aliases == ("writer", "written by")
        assert (author.description, author.inverse_label) == ("main creator", "author of")


def test_literals(shop: Workshop) -> None:
    source = shop.file("t.tsv", 'a\tborn\t"44 BCE"^^date\na\tyear\t1811\na\tarea\t5\na\tsong\t"Heroes"\n')
    rules = parse_literal_rules(["year=date", "area=number[km²]"])
    shop.build(source, literals=rules)
    with Pack.open(shop.target) as pack:
        labels = dict(zip(pack.labels(range(pack.n_entities)), pack.kinds(range(pack.n_entities)), strict=True))
    assert labels == {
        "a": "entity",
        '"Heroes"': "entity",
        "44 BCE": "date",
        "1811": "date",
        "5 km²": "number",
    }


@pytest.mark.parametrize("rule", ["year", "=date", "year=colour", "year=date[km]", "area=number[km"])
def test_literal_rules_that_are_wrong(rule: str) -> None:
    with pytest.raises(UsageError, match="write RELATION=date"):
        parse_literal_rules([rule])


@pytest.mark.parametrize("columns", ["subject,relation", "subject,relation,object,object", "subject,relation,thing"])
def test_columns_that_are_wrong(columns: str) -> None:
    with pytest.raises(UsageError, match="column"):
        check_columns(columns.split(","))


BROKEN = [
    ("two\tfields", r"2 fields, 3 expected"),
    ("one\ttwo\tthree\tfour", r"4 fields, 3 expected"),
    ("a\t\tb", "empty relation"),
    (" \tr\tb", "empty key"),
    ("a\tr\tb\0c", "NUL byte"),
    ('a\tr\t"hotel"^^date', "not a date: 'hotel'"),
    ('"1811"^^date\tr\tb', "a literal stands only at the right of a triple"),
    (b"a\tr\t\xff\xfe", "not UTF-8 at byte 5"),
    ("a\tr\t" + "x" * (1 << 20), "line longer than"),
]


@pytest.mark.parametrize(("line", "reason"), BROKEN)
def test_a_broken_line_stops_the_build(shop: Workshop, line: str | bytes, reason: str) -> None:
    line = line.encode() if isinstance(line, str) else line
    source = shop.file("t.tsv", b"a\tr\tb\n" + line + b"\nb\tr\tc\n")
    shop.refuses(source, match=rf"t\.tsv:2: {reason}.*1 broken line; --skip-errors")


def test_broken_lines_are_skipped_when_asked(shop: Workshop) -> None:
    lines = [line.encode() if isinstance(line, str) else line for line, _ in BROKEN]
    source = shop.file("t.tsv", b"\n".join([b"a\tr\tb", *lines, *lines, b"b\tr\tc", b""]))
    assert shop.triples(source, skip_errors=True) == EXPECTED
    outcome = shop.build(source, skip_errors=True, force=True)
    assert outcome.broken == 2 * len(BROKEN)
    assert outcome.report.manifest["counts"]["entities"] == 3  # nothing of a broken line stays
    assert len(shop.told) == 2 * 10 and "t.tsv:2: 2 fields" in shop.told[0]


def test_broken_lines_are_counted(shop: Workshop) -> None:
    shop.refuses(shop.file("a.tsv", "x\n" * 7 + "a\tr\tb\n"), match=r"a\.tsv:1: 1 field.*7 broken lines")
    shop.refuses(shop.file("a.tsv", "x\n" * 5000), match="at least 100 broken lines")


def test_an_endless_line_takes_no_memory(shop: Workshop) -> None:
    source = shop.file("t.tsv.gz", gzip.compress(b"a\tr\tb\n" + b"x" * (64 << 20) + b"\nb\tr\tc\n", 1))
    import tracemalloc

    tracemalloc.start()
    try:
        assert shop.triples(source, skip_errors=True) == EXPECTED
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_gzip_streams_that_are_cut_or_damaged(shop: Workshop) -> None:
    whole = gzip.compress("".join(f"a{n}\tr\tb{n * 7919}\n" for n in range(3000)).encode())
    damaged = whole[:500] + bytes([whole[500] ^ 0xFF]) + whole[501:]
    # A file cut short is an error even with --skip-errors: nobody knows what is missing.
    for skip in (False, True):
        shop.refuses(shop.file("t.tsv.gz", whole[: len(whole) // 2]), match="cut short", skip_errors=skip)
    shop.refuses(shop.file("t.tsv.gz", damaged), match=r"damaged gzip|CRC")


def test_sources_that_are_not_there(shop: Workshop) -> None:
    good = shop.file("t.tsv", TSV)
    shop.refuses(str(shop.folder / "absent.tsv"), match=r"absent\.tsv: No such file")
    shop.refuses(good, texts=(("labels", "absent.tsv"),), match=r"absent\.tsv: No such file")
    shop.refuses(shop.file("t.dat", TSV), match="add --format", error=UsageError)
    shop.refuses("-", match="stdin needs --format", error=UsageError)
    shop.refuses("-", "-", format="tsv", match="one source only", error=UsageError)
    shop.refuses(good, delimiter="ab", match="one character", error=UsageError)
    folder = shop.folder / "folder.tsv"
    folder.mkdir()
    shop.refuses(str(folder), match=r"[Ii]s a (directory|folder)")
    shop.refuses(shop.file("empty.tsv", "\n# nothing\n"), match="no triples")


def test_headers_that_do_not_name_the_columns(shop: Workshop) -> None:
    shop.refuses(shop.file("t.csv", "who,what,whom\na,r,b\n"), header=True, match=r"t\.csv:1: header.*--columns")


def test_duplicates_and_self_loops(shop: Workshop) -> None:
    outcome = shop.build(shop.file("t.tsv", TSV * 3 + b"a\tr\ta\n"))
    assert outcome.report.duplicates == 4
    assert outcome.report.manifest["counts"]["triples"] == 3


def test_the_prefix_of_iris_is_recorded_and_checked(tmp_path: Path) -> None:
    source = tmp_path / "triples.tsv"
    source.write_text("Q1\tP1\tQ2\n")
    prefix = "http://www.wikidata.org/entity/"
    build(Recipe((str(source),), tmp_path / "pack", iri_prefix=prefix), tell=print)
    with Pack.open(tmp_path / "pack") as pack:
        assert pack.manifest["iri_prefix"] == prefix
    with pytest.raises(UsageError, match="--iri-prefix"):
        build(Recipe((str(source),), tmp_path / "other", iri_prefix="no prefix"), tell=print)


@pytest.mark.parametrize(("name", "advice"), [("g.hdt", "hdt2rdf"), ("g.ods", "xlsx"), ("g.trig.gz", "N-Quads")])
def test_formats_of_others_say_what_to_do(tmp_path: Path, name: str, advice: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UsageError, match=advice):
        build(Recipe((str(tmp_path / name),), tmp_path / "p"), print)


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    for name in ("b.tsv", "a.csv.gz", "notes.md", ".hidden.csv"):
        (tmp_path / name).touch()
    assert files_of(str(tmp_path)) == [str(tmp_path / name) for name in ("a.csv.gz", "b.tsv")]
    assert files_of(str(tmp_path / "b.tsv")) == [str(tmp_path / "b.tsv")] and files_of("-") == ["-"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no file in this folder has a name that tells its format"):
        files_of(str(tmp_path / "empty"))
