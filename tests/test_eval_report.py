"""The commands over finished runs: figures, runs side by side, pages that are safe to open."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from films import build_films
from hypothesis import given, settings
from hypothesis import strategies as st
from predicted import gold_of, predicted
from test_eval_nli import write_model

from kgask.cli.eval import evaluate
from kgask.errors import UsageError
from kgask.eval import folder
from kgask.eval.compare import compare
from kgask.eval.page import Heading, Paragraph, Table, as_html, markdown
from kgask.eval.plots import Bar, Line, bar_plot, line_plot, stacked_bars
from kgask.eval.records import Prediction, to_line

EVIL = '<script>alert("x")</script> | [a](http://evil.example) \x1b[31m\u202e`'


def invoke(*args: object) -> Result:
    return CliRunner().invoke(evaluate, [str(arg) for arg in args], catch_exceptions=False)


def asked(number: int, right: bool, **others: object) -> Prediction:
    return predicted(
        [1 if right else 2], gold_of(1, names=[["Ann"]]), id=str(number), question=f"question {number}?",
        hops=1 + number % 3, kind="odd" if number % 2 else "even", confidence=0.9 if right else 0.4, **others,
    )  # fmt: skip


def save(path: Path, predictions: Sequence[Prediction], n_questions: int | None = None, **decides: object) -> Path:
    """A run as the command leaves it."""
    content = {"questions": n_questions or len(predictions), "default_threshold": 0.5, "batch": 4} | decides
    path.mkdir(parents=True)
    (path / folder.RUN_FILE).write_text(json.dumps({"format": 1, "decides": content, "about": {}}), encoding="utf-8")
    lines = "".join(f"{to_line(one)}\n" for one in predictions)
    (path / folder.PREDICTIONS_FILE).write_text(lines, encoding="utf-8")
    rows = [{"id": one.id, "timings_ms": {"link": 1.0, "read": 3.0}} for one in predictions]
    (path / folder.TIMINGS_FILE).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of twelve questions: the second gains four and loses one."""
    first = [asked(number, number % 2 == 0) for number in range(12)]
    second = [asked(number, number % 2 == 0 or number < 8) for number in range(12)]
    second[0] = asked(0, False)
    return save(tmp_path / "a", first, method="random"), save(tmp_path / "b", second, method="rigel")


# --- score --------------------------------------------------------------------------------------


def test_score_gives_figures_with_intervals(runs: tuple[Path, Path]) -> None:
    found = json.loads(invoke("score", runs[0], "--json", "--by", "hops", "--by", "kind").stdout)
    assert found["figures"]["hits_at_1"]["value"] == 0.5
    assert found["figures"]["hits_at_1"]["low"] < 0.5 < found["figures"]["hits_at_1"]["high"]
    assert found["default_threshold"] == {"threshold": 0.5, "coverage": 0.5, "accuracy_of_answered": 1.0}
    assert found["by"]["kind"]["even"]["hits_at_1"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 6}
    assert list(found["by"]["hops"]) == ["1", "2", "3"]
    assert found["lost"]["plan"] == 6


def test_several_runs_stand_side_by_side(runs: tuple[Path, Path]) -> None:
    lines = dict(line.split("\t", 1) for line in invoke("score", *runs).stdout.splitlines())
    assert lines["hits_at_1"].startswith("0.5000 [")
    assert "\t0.7500 [" in lines["hits_at_1"]
    assert lines["right"] == "6\t9"


def test_an_unfinished_run_is_scored_and_said(tmp_path: Path) -> None:
    out = save(tmp_path / "half", [asked(0, True)], n_questions=4)
    with (out / folder.PREDICTIONS_FILE).open("a", encoding="utf-8") as stream:
        stream.write('{"id": "half a li')
    found = invoke("score", out, "--json")
    assert json.loads(found.stdout)["questions"] == 1
    assert "1 of 4 questions" in found.stderr


def test_nli_is_scored_beside(runs: tuple[Path, Path], tmp_path: Path) -> None:
    found = json.loads(invoke("score", runs[0], "--json", "--nli", write_model(tmp_path / "nli")).stdout)
    assert found["nli"]["questions"] == 12
    assert sum(found["nli"][name] for name in ("entailment", "neutral", "contradiction")) == pytest.approx(1.0)


ODD = '{"format": 1, "decides": {"questions": 1, "default_threshold": "a"}}'


@pytest.mark.parametrize("content", ["", "[]", '{"format": 99}', '{"format": 1}', ODD, "[" * 100_000, "9" * 5000])
def test_a_folder_that_is_no_run_is_one_clear_line(tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError, match="not a run of 'kgask eval run'"):
        folder.load(tmp_path)
    (tmp_path / folder.RUN_FILE).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"run\.json") as raised:
        folder.load(tmp_path)
    assert "\n" not in str(raised.value)


# --- compare ------------------------------------------------------------------------------------


def test_two_runs_are_paired_by_question(runs: tuple[Path, Path]) -> None:
    found = json.loads(invoke("compare", *runs, "--json", "--changed", 2).stdout)
    assert (found["only_first_right"], found["only_second_right"]) == (1, 4)
    assert found["mcnemar_p"] == pytest.approx(2 * 6 / 32)
    assert found["figures"]["hits_at_1"]["difference"] == 0.25
    assert found["figures"]["hits_at_1"]["low"] < 0.25 < found["figures"]["hits_at_1"]["high"]
    assert [(one["id"], one["right_in"]) for one in found["changed"]] == [("0", "first"), ("1", "second")]
    assert found["settings"] == {"method": ["random", "rigel"]}


def test_the_order_of_lines_does_not_count(runs: tuple[Path, Path]) -> None:
    first, second = map(folder.load, runs)
    turned = replace(second, predictions=second.predictions[::-1])
    assert compare(first, turned, 50).as_json(9) == compare(first, second, 50).as_json(9)


def test_runs_of_other_questions_are_refused(runs: tuple[Path, Path], tmp_path: Path) -> None:
    first = folder.load(runs[0])
    others = {
        "fewer": first.predictions[:6],
        "other_ids": [replace(one, id=f"{one.id}x") for one in first.predictions],
        "other_texts": [replace(one, question="?") for one in first.predictions],
    }
    for name, predictions in others.items():
        with pytest.raises(UsageError, match="other questions"):
            compare(first, folder.load(save(tmp_path / name, predictions)))
    with pytest.raises(UsageError, match="6 of 12 questions"):
        compare(first, folder.load(save(tmp_path / "half", first.predictions[:6], n_questions=12)))


def test_compare_as_a_table_lists_what_changed(runs: tuple[Path, Path]) -> None:
    found = invoke("compare", *runs, "--changed", 1)
    assert "lost\t0\tquestion 0?" in found.stdout
    assert "gained" not in found.stdout
    assert "4 more questions changed" in found.stderr


# --- pages --------------------------------------------------------------------------------------


class Outline(HTMLParser):
    """Tags with their attributes, and the text; fails on tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    @classmethod
    def of(cls, text: str) -> Outline:
        found = cls()
        found.feed(text)
        found.close()
        assert not found._open
        return found


def test_the_report_shows_what_is_asked_as_text_only(tmp_path: Path) -> None:
    rows = [
        replace(asked(number, number % 3 == 0), question=f"{EVIL} {number}", kind=EVIL, answer=EVIL)
        for number in range(9)
    ]
    out = save(tmp_path / "<b>run", rows, method=EVIL)
    found = invoke("report", out, "-o", tmp_path / "page")
    assert found.exit_code == 0
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    outline = Outline.of(page)
    assert not {"script", "a", "img", "link", "iframe", "object", "b"} & set(outline.tags)
    assert not [name for name, _ in outline.attributes if name.startswith("on") or name in ("href", "src")]
    assert '<script>alert("x")</script>' in outline.text
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "").replace("http://evil.example", "")
    plain = (tmp_path / "page" / "report.md").read_text(encoding="utf-8")
    for text in (page, plain):
        assert not {"\x1b", "\u202e"} & set(text)
    assert "<script" not in plain
    assert "](http" not in plain
    assert "prefers-color-scheme: dark" in page
    assert outline.tags.count("svg") >= 4


def test_the_report_has_its_figures_and_plots(runs: tuple[Path, Path], tmp_path: Path) -> None:
    assert invoke("report", *runs, "-o", tmp_path / "page").exit_code == 0
    page = Outline.of((tmp_path / "page" / "report.html").read_text(encoding="utf-8"))
    for words in ("Risk and coverage", "Accuracy by hops", "Accuracy by kind", "Mean time per question", "McNemar"):
        assert words in page.text
    plain = (tmp_path / "page" / "report.md").read_text(encoding="utf-8")
    row = next(line for line in plain.splitlines() if line.startswith("| hits"))
    assert "0.5000 [" in row
    assert "0.7500 [" in row
    assert "| a | 1.00 | 3.00 | 4.00 |" in plain


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=20))
def test_any_text_leaves_a_table_whole(text: str) -> None:
    blocks = [Heading(text), Paragraph(text), Table([text, "n"], [[text, text], ["b", "2"]])]
    lines = [line for line in markdown(blocks).splitlines() if line.startswith("| ")]
    assert len(lines) == 4
    for line in lines:
        bare = line.replace("\\\\", "").replace("\\|", "")
        assert bare.count("|") == 3
    page = Outline.of(as_html(text, blocks))
    assert page.tags.count("td") == 4
    assert "script" not in page.tags


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.text(max_size=40), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_plots_are_well_formed_and_inside_their_frame(rows: list[tuple[str, float, float]]) -> None:
    names = [f"{at}{name}" for at, (name, _, _) in enumerate(rows)]
    values = {name: (x, y) for name, (_, x, y) in zip(names, rows, strict=True)}
    plots = [
        line_plot("t", "x", "y", [Line(name, [0.0, x], [y, 1 - y]) for name, (x, y) in values.items()]),
        bar_plot("t", names, {name: [Bar(0, x, y, 1.0, 3)] for name, (x, y) in values.items()}),
        stacked_bars("t", "ms", {name: {"a": x, "b": y} for name, (x, y) in values.items()}),
    ]
    for plot in plots:
        root = ET.fromstring(plot)
        width, height = map(float, root.get("viewBox").split()[2:])
        for element in root:
            for name in ("x", "x1", "x2"):
                assert 0 <= float(element.get(name, 0)) <= width
            for name in ("y", "y1", "y2"):
                assert 0 <= float(element.get(name, 0)) <= height
            assert float(element.get("x", 0)) + float(element.get("width", 0)) <= width + 0.1


# --- sweeps -------------------------------------------------------------------------------------


def film_set(path: Path) -> Path:
    films = ("Stone Garden", "Harbour Lights")
    rows = [{"question": f"who directed {film}?", "answers": ["Ann Ray"]} for film in films]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_sweep_is_a_run_for_each_value(tmp_path: Path) -> None:
    pack = build_films(tmp_path / "films")
    args = ("run", "jsonl", film_set(tmp_path / "own.jsonl"), "--pack", pack, "--no-reader", "-o", tmp_path / "out")
    found = json.loads(invoke(*args, "--sweep", "top-k=1,5", "--json").stdout)
    assert [row["top-k"] for row in found] == ["1", "5"]
    assert [row["figures"]["hits_at_1"]["value"] for row in found] == [1.0, 1.0]
    swept = [folder.read_settings(tmp_path / "out" / name)["decides"] for name in ("top-k=1", "top-k=5")]
    assert [one["options"]["top_k"] for one in swept] == [1, 5]
    lines = invoke(*args, "--sweep", "top-k=1,5").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["1", "5"]


@pytest.mark.parametrize("sweep", ["top-k", "top-k=", "nonsense=1", "reader=a/x.gguf,b/x.gguf"])
def test_a_sweep_that_cannot_be_is_one_clear_line(tmp_path: Path, sweep: str) -> None:
    with pytest.raises(UsageError, match="--sweep"):
        invoke("run", "jsonl", film_set(tmp_path / "own.jsonl"), "-o", tmp_path / "out", "--sweep", sweep)
    assert not (tmp_path / "out").exists()


def test_options_that_exclude_each_other(tmp_path: Path) -> None:
    args = ("run", "jsonl", film_set(tmp_path / "own.jsonl"), "-o", tmp_path / "out")
    for more in (("--no-reader", "--free"), ("--max-tokens", "9")):
        with pytest.raises(UsageError):
            invoke(*args, *more)
    assert not (tmp_path / "out").exists()
