"""An answer in Python: on one line, as truth, as JSON, as HTML; and what is no question."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.query.text import parse, to_text

HOSTILE = "<script>alert('x')</script> & \n\x1b[31m"


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


@pytest.fixture(scope="module")
def married(kg: Pipeline) -> Answer:
    return kg.ask("Who is married to Cora Reed?")


@pytest.fixture(scope="module")
def unknown(kg: Pipeline) -> Answer:
    return kg.ask("who is the mother of Zebulon Quist?")


def test_an_answer_is_true_and_a_refusal_is_not(married: Answer, unknown: Answer) -> None:
    assert [bool(married), bool(unknown)] == [True, False]
    assert [answer.text for answer in (married, unknown) if answer] == ["Dan Reed"]


def test_repr_is_one_line(married: Answer, unknown: Answer) -> None:
    assert repr(married) == f"Answer('Who is married to Cora Reed?', 'Dan Reed', confidence={married.confidence})"
    refused = "Answer('who is the mother of Zebulon Quist?', reason=\"nothing in this pack is called 'Zebulon Quist'"
    assert repr(unknown).startswith(refused)
    long = replace(married, question=HOSTILE, text="many | " * 100)
    assert repr(long).isprintable() and len(repr(long)) < 250 and "\u2026" in repr(long)


def test_the_json_object_is_the_one_of_the_command(kg: Pipeline, married: Answer, family_path: Path) -> None:
    command = [sys.executable, "-m", "kgask", "ask", married.question, "--json", "--no-reader"]
    done = subprocess.run([*command, "--pack", str(family_path)], capture_output=True, text=True, timeout=120)
    told, own = json.loads(done.stdout), json.loads(json.dumps(married.to_dict()))
    assert told.pop("timings_ms").keys() == own.pop("timings_ms").keys()
    assert told == own
    assert list(told["support"][0]) == ["id", "subject", "relation", "object", "hop", "score", "qualifiers"]


def test_words_stay_when_the_pack_is_closed(family_path: Path) -> None:
    with kgask.open(str(family_path), reader=None, settings={}) as pipeline:
        answer = pipeline.ask("Who are the children of the wife of George Hill?")
    told = answer.to_dict()
    assert told["seeds"][0]["label"] == "George Hill" and told["seeds"][0]["key"]
    assert all(other["path"] and other["seed"]["label"] for other in told["alternatives"])


def test_the_query_is_what_was_asked_of_the_graph(kg: Pipeline) -> None:
    answer = kg.ask("Who are the children of the wife of George Hill?")
    assert answer.query_text == to_text(answer.query, kg.pack)
    assert parse(answer.query_text, kg.pack) == answer.query
    steps = [triple.relation for triple in answer.support]
    assert all(relation in answer.query_text for relation in steps) and answer.query_text.startswith("follow(follow(")
    assert kg.ask("What is the capital of Ben Hill?").query is None


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def parsed(answer: Answer) -> _Text:
    found = _Text()
    found.feed(answer._repr_html_())
    return found


def test_a_notebook_shows_answer_confidence_and_triples(married: Answer) -> None:
    found = parsed(married)
    assert {"Dan Reed", f"confidence {married.confidence:.0%}", "Cora Reed", "spouse"} <= set(found.cells)
    assert "qualifiers" not in found.cells
    said = replace(married.support[0], qualifiers=(("start", "1920"), ("end", "1931")))
    assert "start: 1920, end: 1931" in parsed(replace(married, support=(said,))).cells
    assert "and 5 more triples" in parsed(replace(married, support=married.support[:1] * 25)).cells


def test_a_notebook_shows_why_there_is_no_answer(unknown: Answer) -> None:
    assert any(unknown.reason in cell for cell in parsed(unknown).cells)
    assert "table" not in parsed(unknown).tags


def test_whatever_a_text_holds_is_no_markup(married: Answer, unknown: Answer) -> None:
    triple = replace(married.support[0], subject=HOSTILE, relation=HOSTILE, object=HOSTILE)
    triple = replace(triple, qualifiers=((HOSTILE, HOSTILE),))
    hostile = replace(married, question=HOSTILE, text=HOSTILE, notes=(HOSTILE,), support=(triple,))
    assert "script" not in parsed(hostile).tags and HOSTILE in parsed(hostile).cells
    assert "script" not in parsed(replace(unknown, question=HOSTILE, reason=HOSTILE)).tags


@pytest.mark.parametrize("several", [["who is it?", "who else?"], ("who?",), None, 7, b"who?"])
def test_ask_takes_one_question(kg: Pipeline, several: object) -> None:
    with pytest.raises(kgask.UsageError, match="ask_many"):
        kg.ask(several)


def test_the_public_names_are_there_and_load_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {name: getattr(kgask, name).__name__ for name in ("Answer", "AskOptions", "Pipeline")}
    with pytest.raises(AttributeError, match="no attribute 'Asnwer'"):
        kgask.Asnwer  # noqa: B018
    script = "import sys, kgask; print([m for m in ('numpy', 'onnxruntime', 'llama_cpp', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
