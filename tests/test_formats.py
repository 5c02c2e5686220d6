"""What is printed, and where: ``--format``, ``--output``, short forms, help in sections, the proof on a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_cli import kgask

from kgask.answer.pipeline import Pipeline
from kgask.cli.formats import COLUMNS, FORMATS
from kgask.cli.proof import proof
from kgask.cli.render import answer_view

ASKED = "who wrote Lady Susan?\n\nwho wrote The Moons of Zarbulon Seven?\nWhich books did Bram Stoker write?\n"


def test_plain_is_the_default_and_one_line_a_question() -> None:
    done = kgask(stdin=ASKED)
    assert done.stdout == kgask("--format", "plain", stdin=ASKED).stdout
    first, empty, refused, books = done.stdout.splitlines()
    assert (first, empty, refused) == ("Jane Austen", "", "")
    assert " | " in books


def test_lines_is_one_answer_a_line() -> None:
    alone = kgask("--format", "lines", "Which books did Bram Stoker write?").stdout.splitlines()
    assert "Dracula" in alone and len(alone) > 2
    several = kgask("--format", "lines", stdin=ASKED).stdout
    assert several.split("\n\n")[0] == "Jane Austen"
    blocks = [block.split("\n") for block in re.split(r"(?<=\n)\n|^\n", several)]
    assert sorted(set(blocks[-2])) == sorted({*alone, ""})


def test_csv_is_a_row_a_question_with_a_header() -> None:
    rows = list(csv.reader(io.StringIO(kgask("--format", "csv", stdin=ASKED).stdout)))
    assert rows[0] == list(COLUMNS)
    assert [row[0] for row in rows[1:]] == ["1", "2", "3", "4"]
    answered = dict(zip(COLUMNS, rows[1], strict=True))
    assert (answered["question"], answered["answer"], answered["keys"]) == (
        "who wrote Lady Susan?", "Jane Austen", "Q36322",
    )  # fmt: skip
    assert 0.5 < float(answered["confidence"]) <= 1
    assert "empty" in dict(zip(COLUMNS, rows[2], strict=True))["reason"]


def test_json_has_three_spellings() -> None:
    found = [
        json.loads(kgask("who wrote Emma?", *words).stdout) for words in (["-j"], ["--json"], ["--format", "json"])
    ]
    for answer in found:
        answer["timings_ms"] = {}
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_a_table_says_nothing_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    evil = ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", '"quoted", with a comma']
    source = tmp_path / "evil.tsv"
    source.write_text("".join(f"Secret Book\tauthor\t{name}\n" for name in evil), encoding="utf-8")
    assert kgask("pack", "build", str(source), "-o", str(tmp_path / "evil")).returncode == 0
    for name in evil:
        done = kgask(f"what did {name} write?", "--entity", name, "-p", str(tmp_path / "evil"), "--format", "csv")
        for row in list(csv.reader(io.StringIO(done.stdout)))[1:]:
            assert not any(cell.startswith(("=", "+", "@", "-")) for cell in row), row
    asked = kgask("who is the author of Secret Book?", "-p", str(tmp_path / "evil"), "--format", "csv").stdout
    _, row = csv.reader(io.StringIO(asked))
    answer = dict(zip(COLUMNS, row, strict=True))["answer"]
    assert '"quoted", with a comma' in answer and "+1+1" in answer


def test_json_and_another_format_exclude_each_other() -> None:
    done = kgask("who wrote Emma?", "-j", "--format", "csv")
    assert (done.returncode, done.stdout) == (2, "")


def test_what_is_said_of_one_of_several_questions_names_its_line() -> None:
    done = kgask(stdin=ASKED + "who wrote Lady Suzan?\n")
    said = done.stderr.splitlines()
    assert [line.split(":")[1] for line in said] == [" line 2", " line 3", " line 5"]
    assert "empty" in said[0] and "no answer" in said[1] and "Lady Suzan" in said[2]
    alone = kgask("who wrote Lady Suzan?").stderr
    assert alone.startswith("kgask: ") and "line 1" not in alone


@pytest.mark.slow
def test_output_is_a_file_that_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    done = kgask("--format", "csv", "-o", str(out), stdin=ASKED)
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text() == kgask("--format", "csv", stdin=ASKED).stdout
    again = kgask("who wrote Emma?", "--output", str(out))
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "--force" in again.stderr
    assert kgask("who wrote Emma?", "--output", str(out), "--force").returncode == 0
    assert out.read_text() == "Jane Austen\n"
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


@pytest.mark.parametrize(
    "command",
    ["pack list", "pack info -j", pytest.param("pack check demo", marks=pytest.mark.slow), "pack search Bath",
     "pack show Q36322", "models list", "models show rigel", "models check reader", "models default -j", "methods -j",
     "prompt --list", "completion fish"],
)  # fmt: skip
def test_what_other_commands_print_goes_to_a_file_too(command: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    printed = kgask(*command.split())
    sent = kgask(*command.split(), "-o", str(out))
    assert (printed.returncode, sent.returncode, sent.stdout) == (0, 0, "")
    assert out.read_text() == printed.stdout != ""


def test_what_is_broken_is_still_listed_in_the_file(tmp_path: Path, family_path: Path) -> None:
    import shutil

    broken, out = tmp_path / "broken", tmp_path / "out"
    shutil.copytree(family_path, broken)
    (broken / "out_object.npy").write_bytes(b"junk")
    done = kgask("pack", "check", str(broken), "-o", str(out))
    assert done.returncode == 6
    assert "out_object.npy" in out.read_text() and out.read_text().strip() != "ok"
    nowhere = kgask("pack", "check", "nowhere", "-o", str(tmp_path / "none"))
    assert nowhere.returncode == 1 and not (tmp_path / "none").exists()


def test_help_begins_with_what_is_needed_first() -> None:
    shown = kgask("--help").stdout
    assert shown.index("Ask:") < shown.index("  ask ") < shown.index("  doctor ") < shown.index("Research:")
    assert shown.index("Research:") < shown.index("  train ") < shown.index("Setup:") < shown.index("  airgap ")
    ask = kgask("ask", "--help").stdout
    order = ["Options:", "-p, --pack", "-j, --json", "-e, --explain", "-o, --output", "Reader:", "-r, --reader"]
    order += ["--free", "Research:", "--method", "--seed"]
    assert [ask.index(word) for word in order] == sorted(ask.index(word) for word in order)
    assert all(form in ask for form in FORMATS)


@pytest.mark.slow
def test_sparql_that_answered_gives_the_answer_elsewhere(family_path: Path) -> None:
    """pyoxigraph runs what is printed, over the pack as RDF."""
    import pyoxigraph

    from kgask.pack.store import Pack
    from kgask.query.rdf import n_triples

    with Pack.open(family_path) as pack:
        store = pyoxigraph.Store()
        store.load(b"".join(n_triples(pack)), format=pyoxigraph.RdfFormat.N_TRIPLES)
    question = ("Who are the children of the wife of George Hill?", "--no-reader", "-p", str(family_path))
    printed = kgask(*question, "--sparql")
    assert printed.returncode == 0
    n_found = len(list(store.query(printed.stdout)))
    answer = json.loads(kgask(*question, "--sparql", "-j").stdout)
    assert n_found == len(answer["entities"]) > 0
    assert answer["sparql"] == printed.stdout.rstrip()
    refused = kgask("what is the boiling point of Portugal?", "--sparql")
    assert (refused.returncode, refused.stdout) == (3, "")


def test_explain_begins_with_why() -> None:
    done = kgask("what is the capital of Kenya?", "-e", "--no-reader").stderr.splitlines()
    assert done[0] == "kgask: read 'Kenya' as country in Eastern Africa; asked for the capital of Kenya; 1 triple"
    assert done[1] == "kgask: follow(<Q114|Kenya>, <P36|capital>)"
    assert done[2] == "# names that were read"
    path = kgask("When did the author of Lady Suzan die?", "-e", "--no-reader").stderr
    assert "read 'Lady Suzan' as Lady Susan" in path
    assert "of the author of Lady Susan; 2 triples" in path
    several = kgask("-e", "--no-reader", stdin="who wrote Emma?\nwhat is the boiling point of Portugal?\n").stderr
    assert "kgask: line 1: read 'Emma'" in several
    assert several.count("no answer: ") == 1 and "kgask: line 2: read" in several


@pytest.fixture(scope="module")
def demo(opened: Callable[..., Pipeline]) -> Pipeline:
    return opened("demo", None)


def shown_of(demo: Pipeline, question: str, **console: object) -> str:
    from rich.console import Console

    answer = demo.ask(question)
    screen = Console(file=io.StringIO(), width=1000, **console)
    answer_view(answer, demo.pack, screen)
    return screen.file.getvalue()


def test_a_long_answer_is_proven_where_it_is_shown(demo: Pipeline) -> None:
    """218 people: the triples on the screen are those of the people on the screen."""
    shown = shown_of(demo, "who won the Nobel Prize in Physics?")
    people = shown.splitlines()[0].split("  … and ")[0].split(" | ")
    told = {line.split("award received")[0].split(None, 1)[1].strip() for line in shown.splitlines()[1:]
            if "award received" in line}  # fmt: skip
    assert len(people) == 20 and told == set(people)
    assert "facts (--json lists all)" in shown


def test_both_directions_of_a_fact_are_one_line(demo: Pipeline) -> None:
    answer = demo.ask("who is the wife of Barack Obama?")
    assert len(answer.support) == 2
    (triple,) = proof(answer, demo.pack, {entity.id for entity in answer.entities})
    assert {triple.subject, triple.object} == {"Barack Obama", "Michelle Obama"}


def test_a_path_is_proven_to_its_seed(demo: Pipeline) -> None:
    answer = demo.ask("When did the author of Lady Susan die?")
    assert [t.hop for t in proof(answer, demo.pack, {entity.id for entity in answer.entities})] == [1, 2]


@pytest.mark.parametrize(("plain", "colours"), [(False, True), (True, False)])
def test_colour_says_how_sure_where_colours_are_wanted(
    demo: Pipeline, plain: bool, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    shown = shown_of(demo, "who wrote Lady Susan?", force_terminal=True)
    assert ("\x1b[32mconfidence" in shown) == colours
