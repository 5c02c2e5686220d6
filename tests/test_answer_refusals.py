"""A refusal says the truth and helps: how names were read, what the pack knows about them, what could be asked."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask

from kgask.answer.compose import Composer
from kgask.answer.fuse import Fusion
from kgask.answer.pipeline import Pipeline
from kgask.build.writer import PackBuilder
from kgask.link.linker import Linker
from kgask.methods.protocol import Hypothesis, Request, Retrieved, Timer
from kgask.pack.store import Pack
from kgask.query.relation_words import RelationWords
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Evidence, Question


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


def test_what_was_linked_is_said_with_what_the_pack_knows(kg: Pipeline) -> None:
    answer = kg.ask("What is the shoe size of George Hill?", min_confidence=1.0)
    assert (
        not answer and "George Hill" in (answer.reason or "") and answer.died_at in ("plan", "retrieve", "confidence")
    )
    read, knows, ask = answer.help
    assert read.startswith("'George Hill' was read as George Hill") and read.endswith((", 1.00", ", 0.99"))
    listed = knows.removeprefix("of George Hill this pack knows: ").split(", ")
    assert {"spouse", "child", "height"} <= set(listed) and len(listed) <= 9
    asked = [f"{one}?" for one in ask.removeprefix("ask for instance: ").rstrip("?").split("? ")]
    assert len(asked) == 3 and all("George Hill" in one for one in asked)


def test_what_could_be_asked_has_triples(kg: Pipeline) -> None:
    answer = kg.ask("What is the shoe size of Eve Reed?", min_confidence=1.0)
    has = {text.label for text in kg.pack.relations()}
    for one in answer.help[-1].removeprefix("ask for instance: ").rstrip("?").split("? "):
        assert any(label in one for label in has), one


def test_a_name_that_the_pack_lacks_is_named(kg: Pipeline) -> None:
    answer = kg.ask("who is the mother of Zebulon Quist?")
    assert (answer.reason, answer.died_at) == ("nothing in this pack is called 'Zebulon Quist'", "link")
    assert not any("Zebulon" in line for line in answer.help)
    longer = kg.ask("Who painted the Ben Zarbulon?")
    assert longer.reason == "nothing in this pack is called 'Ben Zarbulon'" and not longer.notes
    beside = kg.ask("When did George Hill visit the Moons of Zarbulon?")
    assert beside.reason == "nothing in this pack is called 'Moons of Zarbulon'"
    assert beside.help[0].startswith("'George Hill' was read as ")


def test_nothing_is_linked_only_where_nothing_is(kg: Pipeline) -> None:
    assert "nothing in the question is the name" in (kg.ask("what is soup?").reason or "")
    for question in ("how rich is George Hill?", "which car does Dan Reed drive?"):
        answer = kg.ask(question, min_confidence=1.0)
        assert not answer and "nothing in the question" not in (answer.reason or "")
        assert answer.help


def test_words_that_nothing_accounts_for_are_the_reason(kg: Pipeline) -> None:
    question = Question("who earned the most of George Hill")
    linker = Linker(kg.pack, frozenset("who the most of".split()))
    found = Retrieved(linked=tuple(linker.link(question)), unused_words=("earned",))
    composer = Composer(kg.pack, Request(question), "rigel", {}, 0.5, found, linker=linker)
    answer = composer.unanswered()
    assert (answer.reason, answer.died_at) == ("this graph says nothing about 'earned'", "plan")
    assert composer.refusal("read", "else", unused_words=("a", "b")).reason == "this graph says nothing about 'a', 'b'"
    assert answer.help[0].startswith("'George Hill' was read as ")


@pytest.mark.parametrize(("confidence", "said"), [(0.2, "0.20"), (0.499, "0.49")])
def test_a_query_that_is_not_sure_enough_is_told(kg: Pipeline, confidence: float, said: str) -> None:
    query = parse("count(follow(<George Hill>, <child>))", kg.pack)
    outcome = Runner(kg.pack, Budget()).result(query)
    best = Hypothesis(confidence, np.empty(0, np.int64), frozenset(), lambda _: [], lambda: query, outcome)
    found = Retrieved((), (best,), confidence)
    verdict = Fusion(kg.pack, True, None, 0.5).unread(found, Evidence((), (), False), Timer())
    answer = Composer(kg.pack, Request(Question("how many")), "rigel", {}, 0.5, found).compose(verdict)
    assert answer.died_at == "confidence" and answer.reason == (
        f"this seems to ask for the number of the children of George Hill, but only with confidence {said}, below 0.50"
    )


@pytest.fixture(scope="module")
def mozarts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    target = tmp_path_factory.mktemp("mozarts") / "pack"
    builder = PackBuilder()
    for name, about in (("Leopold Mozart", "violinist"), ("Maria Mozart", "pianist")):
        builder.add(name, "child", "Anna Berg")
        builder.description(name, about)
    builder.write(target, name="mozarts")
    with Pack.open(target) as opened:
        yield opened


def test_a_name_that_several_share_is_asked_back(mozarts: Pack) -> None:
    question, linker = Question("what did Mozart write"), Linker(mozarts, frozenset("what did write".split()))
    found = Retrieved(linked=tuple(linker.link(question)))
    answer = Composer(mozarts, Request(question), "rigel", {}, 0.5, found, linker=linker).unanswered()
    assert answer.reason == (
        "several are called 'Mozart': Leopold Mozart (violinist) [Leopold Mozart], Maria Mozart (pianist) "
        "[Maria Mozart]; choose with --entity KEY"
    )
    assert (answer.died_at, answer.help) == ("link", ())


def test_who_is_asked_back_is_chosen_with_entity(kg: Pipeline) -> None:
    question = "Who is married to Reed?"
    answer = kg.ask(question)
    assert answer.died_at == "link" and (answer.reason or "").startswith("several are called 'Reed': ")
    (key,) = kg.pack.keys([hit.entity for hit in kg.pack.exact(["cora reed"])["cora reed"]])
    assert f"[{key}]" in (answer.reason or "")
    chosen = kg.ask(question, entity=key)
    assert chosen.text == "Dan Reed" and chosen.seeds[0].mention == "Reed"


def test_an_answer_that_leaves_out_a_shared_name_is_not_given(kg: Pipeline) -> None:
    answer = kg.ask("Who is the spouse of George Hill or of Reed?", min_confidence=0.0)
    assert not answer and (answer.reason or "").startswith("several are called 'Reed': ")
    assert not answer.notes and answer.help[0].startswith("'George Hill' was read as ")


@pytest.mark.parametrize(
    ("text", "asks_back"),
    [
        ("Was Reed the teacher of George Hill?", True),
        ("Reed? Was it the teacher of George Hill?", False),  # what begins a sentence is capitalised anyway
        ("Was Reed The Teacher Of George Hill?", False),  # so is all of this
        ("was reed the teacher of George Hill?", False),
        ("Was the Teacher of George Hill old?", False),
    ],
)
def test_what_is_surely_written_as_a_name_is_asked_back(kg: Pipeline, text: str, asks_back: bool) -> None:
    query = parse("follow(<George Hill>, <teacher>)", kg.pack)
    best = Hypothesis(1.0, np.empty(0, np.int64), frozenset(), lambda _: [], lambda: query)
    question, linker = Question(text), Linker(kg.pack, frozenset("was the teacher of old it".split()))
    linked = tuple(linker.link(question))
    found = Retrieved((linked[0].seeds[0],), (best,), 1.0, linked=linked)
    composer = Composer(kg.pack, Request(question), "rigel", {}, 0.5, found, linker=linker)
    assert composer.has_unclear_name is asks_back
    said = parse("follow(<Cora Reed>, <teacher>)", kg.pack)  # a query that says "Reed" does not leave it out
    found = replace(found, hypotheses=(replace(best, make_query=lambda: said),))
    assert not replace(composer, found=found).has_unclear_name


def test_a_query_that_hardly_fits_is_not_told(kg: Pipeline) -> None:
    query = parse("count(follow(<George Hill>, <child>))", kg.pack)
    best = Hypothesis(
        0.0, np.empty(0, np.int64), frozenset(), lambda _: [], lambda: query, Runner(kg.pack, Budget()).result(query)
    )
    linker = Linker(kg.pack, frozenset("how much did earn soup".split()))
    for text, said in (
        ("how much did George Hill earn", "no relation of George Hill answers this with enough confidence"),
        ("how much soup", "nothing in the question is the name of an entity of this pack"),
    ):
        question = Question(text)
        found = Retrieved((), (best,), 0.01, linked=tuple(linker.link(question)))
        answer = Composer(kg.pack, Request(question), "rigel", {}, 0.5, found, linker=linker).unanswered()
        assert answer.reason == said


def test_of_a_name_that_the_graph_has_it_is_not_said_that_it_says_nothing(kg: Pipeline) -> None:
    question, linker = Question("is George Hill rich"), Linker(kg.pack, frozenset(["is", "rich"]))
    linked = tuple(linker.link(question))
    for words, reason in (
        (("George Hill", "rich"), "this graph says nothing about 'rich'"),
        (("George Hill",), "no query over this graph was found that is about 'George Hill'"),
    ):
        found = Retrieved(linked=linked, unused_words=words)
        answer = Composer(kg.pack, Request(question), "rigel", {}, 0.5, found, linker=linker).unanswered()
        assert answer.reason == reason


@pytest.mark.parametrize(
    ("label", "inverse", "question"),
    [
        ("capital", False, "what is the capital of Kenya?"),
        ("capital", True, "what has Kenya as capital?"),
        ("official languages", False, "what are the official languages of Kenya?"),
        ("languages spoken", False, "what are the languages spoken of Kenya?"),
        ("shares border with", False, "what does Kenya share border with?"),
        ("shares border with", True, "what shares border with Kenya?"),
        ("located in", False, "what is Kenya located in?"),
        ("subclass of", False, "what is Kenya subclass of?"),
        ("located in", True, "what is located in Kenya?"),
        ("located on body of water", False, "what body of water is Kenya located on?"),
        ("was built by", False, "what was Kenya built by?"),
        ("Reports To", False, "what does Kenya report to?"),
        ("wrote", False, "what is it that Kenya wrote?"),
    ],
)
def test_questions_are_made_of_relations(label: str, inverse: bool, question: str) -> None:
    assert RelationWords(label, inverse).asked("Kenya") == question


@pytest.mark.slow
def test_a_terminal_shows_what_helps_and_a_pipe_the_reason_alone(family_path: Path) -> None:
    words = ["What is the shoe size of George Hill?", "--no-reader", "--min-confidence", "1", "-p", str(family_path)]
    piped = kgask(*words)
    assert (piped.returncode, piped.stdout) == (3, "") and piped.stderr.startswith("kgask: no answer: ")
    assert piped.stderr.count("\n") == 1
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "kgask", "ask", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=end):
        os.close(end)
        shown = b"".join(iter(lambda: _read(terminal), b"")).decode().split("\r\n")
    os.close(terminal)
    told = json.loads(kgask(*words, "--json").stdout)
    assert shown[:-1] == [f"kgask: {line}" for line in (f"no answer: {told['reason']}", *told["help"])]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_what_is_no_question_gets_no_help() -> None:
    told = json.loads(kgask("--json", stdin="\n").stdout)
    assert (told["reason"], told["help"]) == ("the question is empty", [])
