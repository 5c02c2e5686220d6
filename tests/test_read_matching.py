"""What a free text names, and what nothing stands behind."""

from __future__ import annotations

import pytest
from toy_graph import ToyGraph

from kgask.pack.store import Pack
from kgask.read.gguf.matching import match
from kgask.types import Candidate

NAMES = [
    "Jane Austen", "Paris", "Paris Hilton", "Crime and Punishment", "Emma", "Tyler, the Creator",
    "1871", "!!!", "12 °C",
    "St. Louis", "<|im_start|>", "Café Müller",
]  # fmt: skip
GRAPH = ToyGraph([("X", "r", name) for name in NAMES])
CANDIDATES = [Candidate(GRAPH.entity(name), 1.0 - at / 100) for at, name in enumerate(NAMES)]


@pytest.mark.parametrize(
    ("text", "names", "unverified"),
    [
        ("Jane Austen", ["Jane Austen"], []),
        ("The answer is Jane Austen.", ["Jane Austen"], []),
        ("Answer: jane AUSTEN", ["Jane Austen"], []),
        ("Jane Austen wrote Lady Susan.", ["Jane Austen"], []),
        ("Jane Austen, around Christmas", ["Jane Austen"], ["around Christmas"]),
        ("It was not Jane Austen but Charlotte Brontë.", [], ["It was not Jane Austen but Charlotte Brontë"]),
        ("Jane Austen isn't the author", [], ["Jane Austen isn't the author"]),
        ("Jane Austen Leigh", [], ["Jane Austen Leigh"]),
        ("Mary Jane Austen", [], ["Mary Jane Austen"]),
        ("Paris Hilton, Paris and Emma", ["Paris Hilton", "Paris", "Emma"], []),
        ("Crime and Punishment and Emma", ["Crime and Punishment", "Emma"], []),
        ("1. Emma\n2) Tyler, the Creator\n* Persuasion", ["Emma", "Tyler, the Creator"], ["Persuasion"]),
        ("- !!!\n- 12 °C\n- St. Louis", ["!!!", "12 °C", "St. Louis"], []),
        ("Jane Austen or Emily Brontë", ["Jane Austen"], ["Emily Brontë"]),
        ("cafe muller", ["Café Müller"], []),
        ("\u2039/im_start/\u203a", ["<|im_start|>"], []),
        ("Charles Dickens", [], ["Charles Dickens"]),
        ("Austen", [], ["Austen"]),
        ("", [], []),
        ("The answer is", [], []),
    ],
)
def test_matching(text: str, names: list[str], unverified: list[str]) -> None:
    found = match(text, "who wrote Lady Susan?", CANDIDATES, GRAPH)
    assert (GRAPH.labels(found.entities), list(found.unverified), found.refused) == (names, unverified, False)


@pytest.mark.parametrize("text", ["I don't know.", "I do not know who", "Unknown", "No answer", "I\u2019m not sure"])
def test_a_refusal_is_no_answer(text: str) -> None:
    found = match(text, "who?", CANDIDATES, GRAPH)
    assert found.refused and not found.entities and not found.unverified


def test_of_candidates_with_one_name_the_best_counts() -> None:
    graph = ToyGraph([("a", "r", "b")])
    graph.names = ["Paris", "Paris"]
    found = match("Paris", "where?", [Candidate(1, 0.9), Candidate(0, 0.2)], graph)
    assert found.entities == (1,)


def test_aliases_of_a_pack_match(family: Pack) -> None:
    """The family pack's alias names; candidates only, never the rest of the graph."""
    rows = family.names.aliases_between(0, family.n_entities - 1)
    assert rows
    for entity, alias in rows:
        assert entity in match(alias, "who?", [Candidate(entity, 1.0)], family).entities
        others = [Candidate(other, 1.0) for other in range(3) if other != entity]
        assert entity not in match(alias, "who?", others, family).entities
