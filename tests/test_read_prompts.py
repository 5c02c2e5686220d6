"""Named prompts, templates of the user's own, and what a model may reply to each."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest
from tiny_gguf import write_qwen2
from toy_graph import ToyGraph, evidence_of

from kgask.errors import ModelError, UsageError
from kgask.read.gguf.decode import score_reply
from kgask.read.gguf.prompts import FIELD_HELP, MAX_TEMPLATE_BYTES, NAMED, form_of, parse
from kgask.read.gguf.reader import ConstrainedReader
from kgask.read.load import load_reader
from kgask.read.reply import broken_citation
from kgask.types import Question
from kgask.verbalise import verbalise

TRIPLES = [
    ("Lady Susan", "author", "Jane Austen"),
    ("Lady Susan", "language", "English"),
    ("Emma", "author", "Jane Austen"),
    ("Emma", "author", "Jane"),
]
GRAPH = ToyGraph(TRIPLES)
EVIDENCE = evidence_of(
    GRAPH,
    [
        (TRIPLES[0], 1, 0.8, False), (TRIPLES[1], 1, 0.1, True),
        (TRIPLES[2], 2, 0.05, False), (TRIPLES[3], 2, 0.05, False),
    ],
    {"Jane Austen": 0.8, "Lady Susan": 0.1, "Jane": 0.05},
)  # fmt: skip
LINES = verbalise(EVIDENCE.triples, GRAPH)
WITH_FACTS = [name for name, form in NAMED.items() if form.has_facts]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_qwen2(tmp_path_factory.mktemp("models") / "foreign.gguf")


@pytest.fixture(scope="module")
def reader(path: Path) -> ConstrainedReader:
    return load_reader(path, n_threads=1)


# --- forms ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("kgask", ["[1] Lady Susan | author | Jane Austen\n[2] English | is language of | Lady Susan\n[3]"]),
        ("rigel", ["context: \u201c(Lady Susan, author, Jane Austen), (English, <inv>-language, Lady Susan), (Emma"]),
        ("kaping", ["(Lady Susan, author, Jane Austen)\n(English, is language of, Lady Susan)\n"]),
        ("kg-gpt", ['[["Lady Susan", "author", "Jane Austen"], ["English", "is language of", "Lady Susan"], ']),
        ("ltgen", ["(Emma, author, Jane)\n\nQuestion: who?"]),
        ("kg-gpt-claim", ['Evidence set: [["Lady Susan", ', '"Jane"]]\nClaim: who?\nAnswer:', "yes if"]),
        ("none", ["Question: who?\nAnswer:"]),
        ("claim", ["yes or no.\nClaim: who?\nAnswer:"]),
    ],
)
def test_each_prompt_has_its_papers_form(name: str, parts: list[str]) -> None:
    text = NAMED[name].text("who?", LINES)
    assert all(part in text for part in parts)
    assert text.count("who?") == 1
    assert text.startswith(NAMED[name].static)


def test_only_ltgen_has_a_system_part_and_the_baselines_have_no_facts() -> None:
    assert [name for name, form in NAMED.items() if form.system] == ["ltgen", "ltgen-passages", "ltgen-both"]
    assert [name for name, form in NAMED.items() if not form.has_facts] == ["ltgen-passages", "none", "claim"]
    assert [name for name, form in NAMED.items() if form.numbered] == ["kgask"]


def test_a_template_of_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes(b"\xef\xbb\xbfBe brief {really}.\r\n---\r\nUse {{these}}:\r\n{facts}\r\n\r\nQ: {question}\r\n")
    form = form_of(str(file))
    assert (form.name, form.system, form.static) == ("mine.txt", "Be brief {really}.", "Use {these}:\n")
    assert form.text("who?", LINES[:1]) == "Use {these}:\nLady Susan | author | Jane Austen\n\nQ: who?"
    assert not form.numbered and form.has_facts


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"facts: {facts}", "{question}"),
        (b"", "{question}"),
        (b"{question} {fact}", "unknown field {fact}"),
        (b"{question!r}", "unknown field {question!r}"),
        (b"{question:>10}", "unknown field {question:>10}"),
        (b"{question.text}", "unknown field"),
        (b"{question[0]}", "unknown field"),
        (b"{}{question}", "unknown field {}"),
        (b"{question} {", "{{"),
        (b"{question} }", "}}"),
        (b"{question} \xff\xfe", "not UTF-8"),
        (b"{question}\x00", "NUL"),
        (b"{question}" + b" " * MAX_TEMPLATE_BYTES, "32 KiB"),
        (b"{facts}\n---\n{question}", "below the line"),
    ],
)
def test_a_template_that_cannot_be_used_is_one_clear_line(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        form_of(str(file))
    message = str(caught.value)
    assert says in message and str(file) in message and "\n" not in message


def test_a_prompt_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="kgask prompt --list"):
        form_of("nope")
    with pytest.raises(UsageError, match="cannot be read"):
        form_of(str(tmp_path))
    with pytest.raises(UsageError, match="cannot be read"):
        form_of("a\x00b")


def test_every_field_can_be_used() -> None:
    for field in FIELD_HELP:
        form = parse("x", "", f"{{question}} {{{field}}}")
        assert field in form.fields and form.text("who?", LINES)


# --- under constraint -------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_FACTS)
def test_the_reply_is_made_of_what_was_retrieved(name: str, reader: ConstrainedReader) -> None:
    reader.use_prompt(NAMED[name])
    for question in ("who wrote Lady Susan?", "which books?", "is it so?"):
        reading = reader.read(Question(question), EVIDENCE, GRAPH)
        assert broken_citation(reading, EVIDENCE, GRAPH) is None
        assert reading.abstained or set(GRAPH.labels(reading.entities)) <= {"Jane Austen", "Lady Susan", "Jane"}


def test_names_compete_as_a_distribution(reader: ConstrainedReader) -> None:
    """Over all sets of names, one the beginning of another among them; lines with one name are one choice."""
    reader.use_prompt(NAMED["kaping"])
    lines = reader.lines(EVIDENCE, GRAPH)
    tokens = reader.style.prompt("who?", lines).tokens
    sets = itertools.chain.from_iterable(itertools.combinations((1, 2, 4), size) for size in range(4))
    replies = reader.style.spelled.replies(lines, [1, 2, 3, 4])
    scores = {cited: score_reply(reader.engine, tokens, replies, replies.keys_of(cited)) for cited in sets}
    assert sum(math.exp(score.log_prob) for score in scores.values()) == pytest.approx(1.0, abs=5e-3)
    assert scores[1,].lines == (1, 3)
    reply = reader.style.reply(tokens, lines, [1, 2, 3, 4], [1])
    best = max(scores.values(), key=lambda score: score.log_prob)
    assert reply.log_prob <= best.log_prob + 1e-3  # greedy, never better than the best
    assert any(reply.lines == score.lines for score in scores.values())


def test_names_that_cannot_be_told_apart_from_a_refusal(path: Path) -> None:
    reader = load_reader(path, n_threads=1)
    reader.use_prompt(NAMED["kaping"])
    triples = [("Song", "title", "I don't know"), ("Song", "title", "\u200b"), ("Song", "title", "Other")]
    graph = ToyGraph(triples)
    evidence = evidence_of(graph, [(named, 1, 0.3, False) for named in triples], {named[2]: 0.3 for named in triples})
    reading = reader.read(Question("which?"), evidence, graph)
    assert broken_citation(reading, evidence, graph) is None
    assert reading.abstained or graph.labels(reading.entities) == ["Other"]


def test_a_prompt_without_facts_is_not_read_under_constraint(reader: ConstrainedReader) -> None:
    reader.use_prompt(NAMED["none"])
    with pytest.raises(UsageError, match="--free"):
        reader.read(Question("who?"), EVIDENCE, GRAPH)


# --- preview ----------------------------------------------------------------------------------


def test_the_preview_is_what_the_model_gets(reader: ConstrainedReader) -> None:
    reader.use_prompt(NAMED["ltgen"])
    shown = reader.preview(Question("who wrote Lady Susan?"), EVIDENCE, GRAPH)
    assert shown.text.startswith("<|im_start|>system\nYou assist") and shown.text.endswith("<|im_start|>assistant\n")
    tokens = reader.engine.tokenize(shown.text, special=True)
    assert len(tokens) == shown.n_tokens and reader.engine.text(tokens) == shown.text
    static = reader.engine.text(tokens[: shown.n_static_tokens])
    assert static.endswith("triples:\n") and not shown.cut


def test_what_does_not_fit_is_cut_by_score_and_said(tmp_path: Path) -> None:
    reader = load_reader(write_qwen2(tmp_path / "small.gguf", n_ctx=760), n_threads=1)
    triples = [("Hub", "friend", f"Friend number {number}") for number in range(30)]
    graph = ToyGraph(triples)
    steps = [(named, 1, 0.01 * at, False) for at, named in enumerate(triples)]
    evidence = evidence_of(graph, steps, {obj: 0.9 for _, _, obj in triples})
    shown = reader.preview(Question("who?"), evidence, graph)
    assert shown.shown and shown.cut and len(shown.shown) + len(shown.cut) == 30
    assert "Hub | friend | Friend number 29" in shown.shown and "Hub | friend | Friend number 0" in shown.cut
    reading = reader.read(Question("who?"), evidence, graph)
    assert broken_citation(reading, evidence, graph) is None
    assert all(number > len(shown.cut) for number in reading.cited_lines)
    tiny = load_reader(write_qwen2(tmp_path / "tiny.gguf", n_ctx=64), n_threads=1)
    with pytest.raises(ModelError, match="too small for one fact"):
        tiny.read(Question("who?"), evidence, graph)
