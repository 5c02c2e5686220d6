"""What a question's words demand of its answer, and what of them a query leaves out."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kgask.corpus.operators import OperatorComposer
from kgask.corpus.wordings import load_wordings
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import READ, RelationWords, describing, left_out
from kgask.methods.demands import unmet
from kgask.pack.store import Pack
from kgask.plan.query_onnx import Written


@pytest.mark.parametrize(
    ("text", "operators", "shape", "words"),
    [
        ("is [MASK] the capital of [MASK]?", (), "set", ("is",)),
        ("is [MASK] the capital of [MASK]?", ("HOLDS",), "truth", ()),
        ("hi, could you tell me whether [MASK] wrote [MASK]", (), "set", ("whether",)),
        ("which is longer, [MASK] or [MASK]?", ("OR", "BY", "MOST"), "set", ()),
        ("is gold or silver the heavier one", ("OR", "BY", "MOST"), "set", ()),
        ("which lakes are deeper than [MASK]", ("BY", "MOST"), "set", ()),
        ("which lakes are deeper than [MASK]", ("AND",), "set", ("deeper than",)),
        ("has [MASK] a higher infant mortality rate than [MASK]", ("HOLDS",), "truth",
         ("higher infant mortality rate than",)),
        ("which countries do not use [MASK]", (), "set", ("not",)),
        ("which countries do not use [MASK]", ("MINUS",), "set", ()),
        ("i do not know who wrote [MASK]", (), "set", ()),
        ("how old was [MASK] when she died", (), "date", ("how old",)),
        ("how old was [MASK] when she died", ("AGE",), "number", ()),
        ("when did [MASK] receive prizes", (), "set", ("when",)),
        ("when did [MASK] receive prizes", ("OF",), "date", ()),
        ("which country is the largest", ("SOME",), "truth", ("which", "largest")),
        ("how many people live in [MASK]", (), "number", ()),
        ("is every river of [MASK] long", ("SOME",), "truth", ("every",)),
        ("what is the average height of mountains", ("MEAN",), "number", ()),
        ("who lives in the west of the forest", (), "set", ()),
        ("where is [MASK]", ("COUNT",), "number", ("where",)),
    ],
)  # fmt: skip
def test_words_demand_operators(text: str, operators: tuple[str, ...], shape: str, words: tuple[str, ...]) -> None:
    assert unmet(text, operators, shape) == words  # type: ignore[arg-type]


def test_what_composed_questions_ask_for_meets_what_they_demand() -> None:
    """Over thousands of wordings that nobody looked at while the demands were written down, next to none is doubted."""
    composer = OperatorComposer(load_wordings(), {}, random.Random(8), ["a"])
    drawn = [one for _ in range(1500) if (one := composer.draw()).steps[-1] != "NONE"]
    doubted = [
        one for one in drawn
        if unmet(one.text, [step for step in one.steps if isinstance(step, str)], "nothing")
    ]  # fmt: skip
    assert len(doubted) < 0.02 * len(drawn), [one.text for one in doubted][:10]


def written(text: str, **attention: float) -> Written:
    """A query whose steps looked at some words of a text; at all others they looked hard."""
    offsets, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        offsets.append((at, at + len(word)))
        at += len(word)
    read = np.array([attention.get(text[start:end], 0.9) for start, end in offsets], np.float32)
    return Written(None, (("span", 0), 0, "END"), (0.0,), read, offsets)


def test_a_word_without_attention_is_left_out_unless_a_relation_is_called_so() -> None:
    text, spans = "who founded most of [MASK]", [CandidateSpan(20, 26, "entity")]
    one = written(text, founded=READ / 2)
    found = left_out(text, spans, [(20, 26)], one)
    assert found.words == ("founded",) and found.least_heard == pytest.approx(READ / 2)
    assert left_out(text, spans, [(20, 26)], one, {"founder"}).words == ()
    heard = left_out(text, spans, [(20, 26)], written(text))
    assert heard.words == () and heard.least_heard == 0.5


def test_words_of_relations_are_those_of_all_their_names(family: Pack) -> None:
    labels = family.relation_labels()
    words = RelationWords(family)
    spouse = labels.index("spouse")
    assert "spouse" in words.of([spouse]) and words.of([spouse]) == words.of([spouse + family.n_relations])
    assert words.of([]) == frozenset() and "of" not in words.of(range(len(labels)))


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("Which red-haired actors played in Titanic?", ("red-haired",)),
        ("Which actors played in Titanic?", ()),
        ("Which other actors played in Titanic?", ()),
        ("which rusty rivers flow through Titanic", ("rusty",)),
        ("Which actor played in the haunted Titanic?", ()),  # before a name: the name may be called so
    ],
)
def test_words_that_describe_what_is_asked_for_are_told(text: str, described: tuple[str, ...]) -> None:
    places = {word: (text.find(word), text.find(word) + len(word)) for word in ("Titanic", "rivers")}
    classes = [places["rivers"]] if "rivers" in text else []
    assert describing(text, [places["Titanic"]], classes, {"actor", "cast"}) == described


def test_what_one_cannot_have_may_be_a_relation() -> None:
    assert unmet("which dogs can't have [MASK]", ("AND",), "set") == ()
    assert unmet("which dogs don't have [MASK]", ("AND",), "set") == ("don't",)
