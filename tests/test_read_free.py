"""Writing freely: a real model writes, what it names is checked, the rest is marked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import kgask
from reciter import write_reciter
from toy_graph import ToyGraph, evidence_of

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.config import shipped_root
from kgask.errors import ModelError
from kgask.read.gguf.prompts import NAMED, form_of
from kgask.read.gguf.reader import DOES_NOT_KNOW, NOTHING_MATCHES, FreeReader, Writing
from kgask.read.load import load_reader
from kgask.types import Evidence, Question

TRIPLES = [("Lady Susan", "author", "Jane Austen"), ("Lady Susan", "language", "English")]
GRAPH = ToyGraph(TRIPLES)
EVIDENCE = evidence_of(
    GRAPH, [(TRIPLES[0], 1, 0.8, False), (TRIPLES[1], 1, 0.2, False)], {"Jane Austen": 0.8, "English": 0.2}
)
QUESTION = Question("who wrote Lady Susan?")


def written(
    tmp_path: Path, pieces: list[str], chat: bool = True, prompt: str = "kgask", **how: float
) -> tuple[object, str]:
    """The reading, and what was streamed."""
    reader = load_reader(write_reciter(tmp_path / "reciter.gguf", pieces, chat), n_threads=1)
    reader.use_prompt(NAMED[prompt])
    told: list[str] = []
    free = FreeReader.of(reader, Writing(**how), told.append)
    reading = free.read(
        QUESTION, EVIDENCE if NAMED[prompt].has_facts else Evidence((), EVIDENCE.candidates, False), GRAPH
    )
    return reading, "".join(told)


def test_what_it_names_is_checked_and_the_rest_is_not(tmp_path: Path) -> None:
    reading, told = written(tmp_path, ["Jane", " Austen", ", and", " Charles Dickens"])
    assert told == reading.written == "Jane Austen, and Charles Dickens"
    assert GRAPH.labels(reading.entities) == ["Jane Austen"] and reading.cited_lines == (1,)
    assert reading.unverified == ("Charles Dickens",) and not reading.abstained
    assert reading.text == "Jane Austen" and 0.9 < reading.prob <= 1.0


def test_nothing_that_was_retrieved_is_no_answer(tmp_path: Path) -> None:
    reading, _ = written(tmp_path, ["Charles", " Dickens"])
    assert (reading.abstained, reading.entities, reading.text) == (True, (), NOTHING_MATCHES)
    assert reading.unverified == ("Charles Dickens",)


def test_a_refusal(tmp_path: Path) -> None:
    reading, _ = written(tmp_path, ["I don't", " know."])
    assert (reading.abstained, reading.text, reading.unverified) == (True, DOES_NOT_KNOW, ())


def test_line_numbers_alone_mean_their_ends(tmp_path: Path) -> None:
    reading, _ = written(tmp_path, ["[2]", " =>"])
    assert GRAPH.labels(reading.entities) == ["English"] and reading.written == "[2] =>"
    beyond, _ = written(tmp_path, ["[9]", " [77]"])
    assert beyond.abstained


@pytest.mark.parametrize("prompt", [name for name, form in NAMED.items() if form.has_facts or not form.has_passages])
def test_every_prompt_can_be_answered_freely(prompt: str, tmp_path: Path) -> None:
    reading, _ = written(tmp_path, ["Jane Austen"], prompt=prompt)
    assert GRAPH.labels(reading.entities) == ["Jane Austen"]


@pytest.mark.parametrize("end", ["\n\n", "\nQuestion", "\nFacts"])
def test_without_a_chat_format_the_text_ends_where_another_turn_begins(end: str, tmp_path: Path) -> None:
    reading, told = written(tmp_path, ["Jane Austen", end, ": what", " else?"], chat=False)
    assert reading.written == told == "Jane Austen"


def test_length_and_split_characters(tmp_path: Path) -> None:
    reading, told = written(tmp_path, ["one ", "two ", "three"], max_tokens=2)
    assert reading.written == "one two" and told == "one two "
    reading, told = written(tmp_path, ["Zo\u00eb \u65e5\u672c", "!!"])
    assert reading.written == told == "Zo\u00eb \u65e5\u672c!!"


def test_greedy_repeats_itself_and_a_seed_too(tmp_path: Path) -> None:
    from tiny_gguf import write_qwen2

    reader = load_reader(write_qwen2(tmp_path / "random.gguf"), n_threads=1)

    def text(**how: float) -> str:
        return FreeReader.of(reader, Writing(12, **how)).read(QUESTION, EVIDENCE, GRAPH).written

    assert text() == text()
    warm = [text(temperature=5.0, rng_seed=seed) for seed in (1, 1, 2)]
    assert warm[0] == warm[1] != warm[2]


def test_our_own_reader_cannot_write() -> None:
    reader = load_reader(shipped_root("model") / "reader")
    with pytest.raises(ModelError, match=r"--reader FILE\.gguf"):
        FreeReader.of(reader, Writing())


# --- through the pipeline ---------------------------------------------------------------------


def asked(tmp_path: Path, family_path: Path, pieces: list[str], question: str, prompt: str = "kgask") -> Answer:
    reader = load_reader(write_reciter(tmp_path / "reciter.gguf", pieces), n_threads=1)
    reader.use_prompt(form_of(prompt))
    with Pipeline.open(str(family_path), reader=None) as pipeline:
        pipeline.reader = FreeReader.of(reader, Writing())
        return pipeline.ask(question)


def test_a_checked_answer_has_its_triples(tmp_path: Path, family_path: Path) -> None:
    answer = asked(tmp_path, family_path, ["Finn Reed", " and", " Bob"], "who is the sibling of Eve Reed?")
    assert answer.text == "Finn Reed" and answer.unverified == ("Bob",) and answer.written == "Finn Reed and Bob"
    assert ("Eve Reed", "Finn Reed") in {tuple(sorted((t.subject, t.object))) for t in answer.support}
    assert not answer.abstained


def test_an_unchecked_text_is_no_answer(tmp_path: Path, family_path: Path) -> None:
    answer = asked(tmp_path, family_path, ["Bob"], "who is the sibling of Eve Reed?")
    assert (answer.text, answer.entities, answer.abstained, answer.died_at) == (None, (), True, "read")
    assert answer.unverified == ("Bob",)


@pytest.mark.slow
def test_without_knowledge_every_question_is_asked_and_nothing_is_checked_against_nothing(
    tmp_path: Path, family_path: Path
) -> None:
    answer = asked(tmp_path, family_path, ["Finn Reed"], "who is the sibling of Eve Reed?", "none")
    assert answer.text == "Finn Reed" and answer.support, "the plan's answers are still what it is checked against"
    answer = asked(tmp_path, family_path, ["Finn Reed"], "who wrote Zarbulon?", "none")
    assert (answer.text, answer.written, answer.unverified) == (None, "Finn Reed", ("Finn Reed",))


@pytest.mark.slow
def test_the_command_keeps_checked_and_unverified_apart(tmp_path: Path, family_path: Path) -> None:
    model = write_reciter(tmp_path / "reciter.gguf", ["Finn Reed", " and \x1b[31m", "Bob"])
    words = ["who is the sibling of Eve Reed?", "--pack", str(family_path), "--reader", str(model), "--free"]
    text = kgask(*words)
    assert (text.returncode, text.stdout) == (0, "Finn Reed\n")
    assert "unverified:" in text.stderr and "Bob" in text.stderr and "\x1b" not in text.stderr
    content = json.loads(kgask(*words, "--json").stdout)
    assert content["answer"] == "Finn Reed" and [e["label"] for e in content["entities"]] == ["Finn Reed"]
    assert content["written"].startswith("Finn Reed and") and "Bob" in content["unverified"][0]


@pytest.mark.slow
def test_a_terminal_sees_the_text_as_it_is_written(tmp_path: Path, family_path: Path) -> None:
    import pty

    model = write_reciter(tmp_path / "reciter.gguf", ["Finn", " Reed", "\nand Bob"])
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "kgask", "who is the sibling of Eve Reed?", "--pack", str(family_path), "--free"]
    with subprocess.Popen([*command, "-r", str(model)], stdout=subprocess.PIPE, stderr=end) as process:
        os.close(end)
        shown = b""
        while part := read_terminal(terminal):
            shown += part
        stdout = process.stdout.read()
    os.close(terminal)
    assert stdout == b"Finn Reed\n"
    assert shown.decode().replace("\r\n", "\n").startswith("Finn Reed\nand Bob\nkgask: unverified: Bob\n")


def read_terminal(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    except OSError:
        return b""
