"""The engine duckdb makes the same packs as the one in memory, array for array."""

from __future__ import annotations

import datetime
import gzip
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from same_packs import assert_same, random_tables

from kgask.build.outofcore import aside
from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.outofcore.lines import _BLANKS, plain_fields
from kgask.build.recipe import BuildOutcome, Recipe, build
from kgask.errors import BuildError
from kgask.pack.check import check_pack
from kgask.pack.store import Pack

MEMORY = 700 << 20
ROWS = 19  # so that every stream has many parts


def _both(folder: Path, rows: int = ROWS, **recipe: object) -> tuple[BuildOutcome, BuildOutcome, list[str]]:
    """Built by either engine into ``memory`` and ``other``; what is told."""
    told: list[str] = []
    one = build(Recipe(target=folder / "memory", **recipe), told.append)  # type: ignore[arg-type]
    two = build_out_of_core(Recipe(target=folder / "other", **recipe), MEMORY, told.append, rows=rows)  # type: ignore[arg-type]
    return one, two, told


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_random_graphs_are_the_same(tmp_path: Path, seed: int) -> None:
    one, two, _ = _both(tmp_path, **random_tables(tmp_path, seed))
    assert_same(tmp_path, one, two)


@pytest.mark.parametrize("seed", [3, 4])
def test_two_processes_write_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(aside, "is_worth_it", lambda texts: True)
    one, two, _ = _both(tmp_path, **random_tables(tmp_path, seed))
    assert_same(tmp_path, one, two)
    assert check_pack(tmp_path / "other") == []


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ("kgask.build.outofcore.aside:nothing", "that writes names fails without a word"),
        ("", "texts.sqlite"),
    ],
)
def test_what_the_other_process_cannot_write_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, line: str
) -> None:
    monkeypatch.setattr(aside, "is_worth_it", lambda texts: True)
    if task:
        monkeypatch.setattr(aside, "_TASK", task)
    else:
        elsewhere = {"stage": str(tmp_path / "nowhere")}
        run = aside.in_child
        monkeypatch.setattr(aside, "in_child", lambda name, payload, **how: run(name, payload | elsewhere, **how))
    (tmp_path / "t.tsv").write_text("a\tb\tc\n")
    with pytest.raises(BuildError, match=line):
        build_out_of_core(Recipe(sources=(str(tmp_path / "t.tsv"),), target=tmp_path / "p"), MEMORY, lambda _: None)
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("line", ["a\tb\tc", "é\tb\tc", "a#\tb\tc", "a\tb–b\tc", "NA\tnull\tNaN", "a b\t1\t-"])
def test_plain_blocks_are_split_whole(line: str) -> None:
    columns = plain_fields(f"x\ty\tz\n{line}\n".encode(), "\t", 3)
    assert columns is not None
    assert [column.to_pylist() for column in columns] == [[*pair] for pair in zip("xyz", line.split("\t"), strict=True)]


@pytest.mark.parametrize(
    "line",
    ["a\tb\t", " a\tb\tc", "a\tb\tc ", "a\t \tc", "#a\tb\tc", "a\tb", "a\tb\tc\td", "", "a\t\u3000b\tc",
     "a\tb\u2009c\td", 'a\t"b"\tc', "a\tb\x0b\tc", "a\tb\rc\td", "a\tb\x85\tc", "a\tb\tc\udcff"],
)  # fmt: skip
def test_other_blocks_are_split_line_by_line(line: str) -> None:
    assert plain_fields(f"x\ty\tz\n{line}\n".encode("utf-8", "surrogateescape"), "\t", 3) is None


def test_every_blank_is_known() -> None:
    blanks = {chr(code).encode() for code in range(128, sys.maxunicode) if chr(code).isspace()}
    assert blanks == set(_BLANKS)


ODD = """# a comment
Ann\tknows\tBob
#

  Ann \tknows\tBob\x0b
Ann\tage\t35
Bob\tage\t41
Eve\tage\t"7"^^number
Ann\tborn\t1811
Bob\tborn\t1811-10-30
"Bob" B\tknows\tAnn\u3000
#hash\tknows\tAnn\r
Zoë\tknows\tÁnn
last\tknows\tline"""


@pytest.mark.parametrize("packed", [False, True])
def test_lines_that_are_not_plain_are_read_as_always(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("t.tsv.gz" if packed else "t.tsv")
    data = b"\xef\xbb\xbf" + (ODD + "\n").encode() * 9
    path.write_bytes(gzip.compress(data) if packed else data)
    one, two, told = _both(tmp_path, sources=(str(path),), recognise=True)
    assert_same(tmp_path, one, two)
    assert [line for line in told if "values of" in line] == [
        "values of born (dates); --text leaves such fields names"
    ] * 2


def test_numbers_are_recognised_however_many(tmp_path: Path) -> None:
    lines = [f"P{i}\tage\t{i % 50}\nP{i}\tknows\tP{i // 2}\nP{i}\tcode\t{'007' if i == 5 else i}" for i in range(90)]
    lines += ["P1\tage\tunknown", "P2\theight\t12 km", "P3\theight\t1,300 km"]
    lines += ["P1\tprice\t$5", "P2\tprice\t€ 1.200,50", "P1\tpaid\t€ 1.200,50", "P2\tpaid\t€3", "P1\tseen\tMay 5, 1995"]
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    one, two, told = _both(tmp_path, sources=(str(tmp_path / "t.tsv"),), recognise=True)
    assert_same(tmp_path, one, two)
    assert [line for line in told if "values of" in line] == [
        "values of age (numbers), height (numbers in km with decimal commas, 1,300 km is 1.300), "
        "paid (numbers in € with decimal commas), seen (dates); --text leaves such fields names"
    ] * 2


def test_tables_with_quotes_labels_and_a_header(tmp_path: Path) -> None:
    plain = "".join(f"Q{i},Name {i},knows,Q{i // 3}\n" for i in range(60))
    quoted = 'Q1,"A, B",knows,"Q\n2"\nQ2,,knows,Q3\n'
    (tmp_path / "t.csv").write_text("subject,subject_label,relation,object\n" + plain + quoted + plain)
    one, two, told = _both(tmp_path, sources=(str(tmp_path / "t.csv"),), recognise=True)
    assert_same(tmp_path, one, two)
    assert sum("names the columns" in line for line in told) == 2


def test_rdf_with_reifiers_and_nested_statements(tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(
        """@prefix e: <http://e.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        e:curie e:award e:physics {| e:year 1903 ; e:place e:Paris |} . e:curie e:award e:physics .
        << e:curie e:award e:physics ~ e:s1 >> e:year 1911 . e:s1 rdf:reifies <<( e:ann e:knows e:bob )>> .
        e:s2 rdf:reifies <<( e:s1 e:said e:by )>> . e:s2 e:year 5 .
        e:curie rdfs:label "Marie Curie"@en, "Marie"@fr ; rdfs:comment "physicist" . e:s1 rdfs:label "a node" .
        e:award rdfs:label "award received"@en . _:b e:knows e:curie , "text"@en , "1.5"^^e:odd .
        """
    )
    one, two, _ = _both(tmp_path, sources=(str(tmp_path / "t.ttl"),))
    assert_same(tmp_path, one, two)
    assert two.report.nested == 1


def test_a_pack_as_a_source_has_the_same_hash(tmp_path: Path) -> None:
    first, _, _ = _both(tmp_path, **random_tables(tmp_path, 3))
    (tmp_path / "again").mkdir()
    one, two, _ = _both(tmp_path / "again", sources=(str(tmp_path / "memory"),))
    assert_same(tmp_path / "again", one, two)
    assert two.report.manifest["content_sha256"] == first.report.manifest["content_sha256"]


def test_parquet_is_a_source(tmp_path: Path) -> None:
    rows = {"from": ["Ann", "Bob", "Bob"], "relation": ["age", "age", "knows"], "to": ["35", "41", "Ann"]}
    pyarrow.parquet.write_table(pyarrow.table(rows), tmp_path / "t.parquet")
    one, two, _ = _both(tmp_path, sources=(str(tmp_path / "t.parquet"),), recognise=True)
    assert_same(tmp_path, one, two)
    assert one.report.manifest["counts"]["literals"] == 2
    typed = {"node": [1, 2], "what": ["since", "since"], "when": [datetime.date(1811, 10, 30), None]}
    pyarrow.parquet.write_table(pyarrow.table(typed), tmp_path / "typed.parquet")
    done = build(Recipe((str(tmp_path / "typed.parquet"),), tmp_path / "q", recognise=True, skip_errors=True), print)
    with Pack.open(done.report.path) as pack:
        assert (done.broken, pack.labels(range(2)), pack.kinds(range(2))) == (
            1,
            ["1", "1811-10-30"],
            ["entity", "date"],
        )


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (None, "not readable as Parquet"),
        ({"a": ["x"], "b": ["y"]}, ":1: header: column 'subject' must be named once"),
        ({"s": [["x"]], "p": ["y"], "o": ["z"]}, "column 's' holds list<"),
    ],
)
def test_parquet_that_cannot_be_read_is_told(tmp_path: Path, columns: dict[str, list] | None, reason: str) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path) if columns else path.write_bytes(b"PAR1 and no more")
    with pytest.raises(BuildError) as caught:
        build(Recipe((str(path),), tmp_path / "p"), print)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("a\tb\tc\na\tb\n", "t.tsv:2: 2 fields, 3 expected (is the delimiter right?)"),
        ("a\tb\tc\n" * 9 + 'a\tb\t"x"^^date\n', "t.tsv:10: not a date: 'x'"),
        ("a\tb\tc\n\xff\tb\tc\n", "t.tsv:2: not UTF-8 at byte 1"),
        ("a\tb\t \n", "t.tsv:1: empty key"),
        ("# none\n", "t.tsv: no triples, so no pack"),
    ],
)
def test_broken_lines_are_told_alike(tmp_path: Path, engine: str, lines: str, reason: str) -> None:
    (tmp_path / "t.tsv").write_bytes(lines.encode("latin-1"))
    recipe = Recipe(sources=(str(tmp_path / "t.tsv"),), target=tmp_path / "p")
    with pytest.raises(BuildError) as caught:
        build(recipe, print) if engine == "memory" else build_out_of_core(recipe, MEMORY, lambda _: None, rows=ROWS)
    assert str(caught.value).startswith(f"{tmp_path}/{reason}")
    assert [path.name for path in tmp_path.iterdir()] == ["t.tsv"]


def test_wikidata_statement_nodes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "w.nt").write_text(
        "<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/P39> "
        "<http://www.wikidata.org/entity/statement/Q1-1> .\n"
    )
    recipe = Recipe(sources=(str(tmp_path / "w.nt"),), target=tmp_path / "p")
    with pytest.raises(BuildError, match="statement nodes of Wikidata's RDF are built by --engine memory only"):
        build_out_of_core(recipe, MEMORY, lambda _: None)


@pytest.mark.slow
def test_a_killed_build_goes_on_behind_its_last_step(tmp_path: Path) -> None:
    """Killed after each step; what another command left for this pack goes."""
    (tmp_path / "t.tsv").write_text("".join(f"Q{i}\tknows\tQ{i // 3}\n" for i in range(200)))
    command = [sys.executable, "-m", "kgask", "pack", "build", str(tmp_path / "t.tsv"), "-o", str(tmp_path / "p"),
               "--engine", "duckdb"]  # fmt: skip
    last = None
    for step in range(2, 8):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if f"step {step} of 7" in line:
                process.kill()
                break
        process.stderr.close()
        process.wait()
        assert any("goes on behind" in line for line in said) == (last is not None)
        assert not any(f"step {done} of 7" in line for line in said for done in range(1, last or 1))
        last = step
        if (tmp_path / "p").exists():  # the last step may be done before the signal comes
            break
    subprocess.run(command + ["--force"] * (tmp_path / "p").exists(), check=True, capture_output=True)
    assert check_pack(tmp_path / "p") == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "t.tsv"]


@pytest.mark.slow
def test_what_is_asked_for_and_missing_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tb\tc\n")
    command = ["pack", "build", str(tmp_path / "t.tsv"), "-o", str(tmp_path / "p")]
    for words, line in (
        (["--memory", "4GB"], "kgask: --memory is of --engine duckdb and spark"),
        (["--engine", "duckdb", "--memory", "1MB"], "kgask: --memory '1MB': a size such as 2GB or 4GB, 600MB"),
        (["--engine", "spark", "--memory", "1GB"], "kgask: --memory '1GB': a size such as 2GB or 4GB, 1500MB"),
        (["--engine", "duckdb", "--master", "local"], "kgask: --master is of --engine spark"),
    ):
        done = subprocess.run([sys.executable, "-m", "kgask", *command, *words], capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.startswith(line)
    for engine, module, extra in (("duckdb", "duckdb", "scale"), ("spark", "pyspark", "spark")):
        blocked = f"import sys; sys.modules['{module}'] = None; from kgask.__main__ import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", blocked, *command, "--engine", engine], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"pip install 'kgask[{extra}]'" in done.stderr
