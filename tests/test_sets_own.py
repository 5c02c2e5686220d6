"""Questions of one's own: JSON lines, tables, conversations; what is written is read back the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgask.errors import UsageError
from kgask.sets import registry
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.own import gold_of, row_of, write_jsonl

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
WORDS = TEXT.filter(lambda text: text == text.strip())
ANSWERS = st.one_of(
    st.builds(GoldAnswer, st.lists(TEXT, min_size=1, max_size=3).map(tuple)),
    st.builds(GoldAnswer, st.lists(TEXT, max_size=3).map(tuple), TEXT),
)
TOPICS = st.one_of(st.builds(GoldTopic, TEXT), st.builds(GoldTopic, st.just("") | TEXT, TEXT))
GOLDS = st.builds(
    Gold, id=WORDS, text=WORDS, answers=st.lists(ANSWERS, max_size=3, unique=True).map(tuple),
    topics=st.lists(TOPICS, max_size=2).map(tuple), relations=st.lists(TEXT, max_size=3).map(tuple),
    kind=st.just("") | TEXT,
    hops=st.none() | st.integers(0, 5), triples=st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=2).map(tuple),
    band=st.just("") | TEXT, label=st.none() | st.booleans(),
    history=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
)  # fmt: skip


@given(GOLDS)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_question_survives_its_row(gold: Gold) -> None:
    assert gold_of(json.loads(json.dumps(row_of(gold))), "none") == gold


@given(st.lists(GOLDS, min_size=1, max_size=4, unique_by=lambda gold: gold.id))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_file_survives_writing(tmp_path_factory: pytest.TempPathFactory, golds: list[Gold]) -> None:
    path = tmp_path_factory.mktemp("own") / "own.jsonl"
    write_jsonl(path, golds)
    assert registry.load("jsonl", path) == golds


def lines(path: Path, *rows: object) -> Path:
    written = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    return path


def test_a_question_alone_is_enough(tmp_path: Path) -> None:
    when = {"question": "When?", "answers": ["1999", 7, True]}
    path = lines(tmp_path / "mine.jsonl", {"question": " Who? "}, "", when)
    first, second = registry.load("jsonl", path)
    assert first == Gold("mine:1", "Who?")
    assert second.id == "mine:3" and [answer.names for answer in second.answers] == [("1999",), ("7",), ("yes",)]


@pytest.mark.parametrize("name", ["jsonl", "ltgen"])
def test_turns_are_asked_with_those_before_them(tmp_path: Path, name: str) -> None:
    path = lines(tmp_path / "talk.jsonl", {"id": "c1", "band": "tail", "topics": ["Ann Ray"], "turns": [
        {"question": "What did Ann Ray direct?", "answers": [{"name": "North Road", "key": "Q7"}, "Stone Garden"]},
        {"question": "Where was she born?", "answers": ["Limerick"], "triples": [["Ann Ray", "born in", "Limerick"]]},
        {"question": "Where is that?", "id": "own"},
    ]})  # fmt: skip
    first, second, third = registry.load(name, path)
    assert first.history == () and first.id == "c1/1" and first.band == "tail"
    assert second.history == (("What did Ann Ray direct?", "North Road, Stone Garden"),)
    assert second.triples == (("Ann Ray", "born in", "Limerick"),)
    assert third.history == (*second.history, ("Where was she born?", "Limerick"))
    assert third.id == "own" and third.topics == (GoldTopic("Ann Ray"),)


def test_ltgen_reads_other_names_of_fields(tmp_path: Path) -> None:
    row = {"query": "Who?", "answer": "Ann Ray", "gold_triples": [["a", "b", "c"]], "level": "IV"}
    row["entity"] = "North Road"
    (gold,) = registry.load("ltgen", lines(tmp_path / "l.jsonl", row))
    assert gold.answers == (GoldAnswer(("Ann Ray",)),) and gold.band == "IV"
    assert gold.triples == (("a", "b", "c"),) and gold.topics == (GoldTopic("North Road"),)
    with pytest.raises(UsageError, match="both say what 'question' is"):
        registry.load("ltgen", lines(tmp_path / "l.jsonl", {"query": "a", "question": "b"}))


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("{", ":2: not JSON"),
        (f'{{"question": "?", "hops": {"9" * 5000}}}', ":2: a number of more digits"),
        ('{"question": ' + "[" * 100_000, ":2: JSON nested too deep"),
        ([1], ":2: a JSON object"),
        ({"question": "?", "answer": ["x"]}, ":2: unknown field 'answer'"),
        ({"answers": []}, ":2: .*no text in 'question'"),
        ({"question": "?", "answers": "x"}, ":2: .*answers is no list"),
        ({"question": "?", "answers": [{"label": "x"}]}, ":2: .*neither a text nor an object"),
        ({"question": "?", "answers": [""]}, ":2: "),
        ({"question": "?", "hops": "two"}, ":2: .*no number of hops"),
        ({"question": "?", "hops": True}, ":2: .*no number of hops"),
        ({"question": "?", "label": "yes"}, ":2: .*neither true nor false"),
        ({"question": "?", "triples": [["a", "b"]]}, ":2: .*a triple"),
        ({"question": "?", "history": ["a"]}, ":2: .*a turn of the history"),
        ({"question": "?", "topics": [{"name": "a", "aliases": ["b"]}]}, ":2: .*a topic has one name"),
        ({"question": "?", "kind": 3}, ":2: .*kind is no text"),
        ({"turns": ["x"]}, ":2: turn 1: an object"),
        ({"turns": [{"question": "?", "oops": 1}]}, ":2: turn 1: unknown field 'oops'"),
        ({"turns": 3}, ":2: .*turns is no list"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, row: object, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        registry.load("jsonl", lines(tmp_path / "b.jsonl", {"question": "fine"}, row))


def test_tables_with_and_without_names_of_columns(tmp_path: Path) -> None:
    header = "id\tquestion\tanswers\thops\tlabel"
    named = lines(tmp_path / "a.tsv", header, "x\tWho?\tAnn Ray| Bob\t2\ttrue", "y\tWhy?\t\t\t")
    first, second = registry.load("tsv", named)
    assert first == Gold("x", "Who?", (GoldAnswer(("Ann Ray",)), GoldAnswer(("Bob",))), hops=2, label=True)
    assert second == Gold("y", "Why?")
    bare = lines(tmp_path / "b.tsv", "Who made it?\tNorth Road\tAnn Ray|Carl Moss")
    (gold,) = registry.load("tsv", bare)
    assert gold.topics == (GoldTopic("North Road"),) and len(gold.answers) == 2 and gold.id == "b:1"
    (gold,) = registry.load("tsv", lines(tmp_path / "c.tsv", "Who made it?"))
    assert gold == Gold("c:1", "Who made it?")


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (["a\tb\tc\td"], ":1: 4 columns; a first line"),
        (["question\tcolour"], ":1: unknown field 'colour'"),
        (["question\tanswers", "a"], ":2: 1 fields, 2 expected"),
        (["question\thops", "a\tmany"], ":2: "),
        (["question\tlabel", "a\tmaybe"], ":2: .*neither true nor false"),
        (["question\tanswers", "\tx"], ":2: .*no text in 'question'"),
    ],
)
def test_broken_tables_are_named(tmp_path: Path, rows: list[str], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        registry.load("tsv", lines(tmp_path / "t.tsv", *rows))
