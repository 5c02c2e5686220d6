"""The questions on the demo pack: enough of each kind, every gold answers, and what has none is not in the pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask.config import shipped_root
from kgask.eval.everyday import Gold, golds_of
from kgask.pack.store import Pack
from kgask.sets.everyday import EverydayQuestion, load

FOLDER = Path(__file__).parent / "data" / "everyday"
KINDS = (
    "count yesno superlative ordinal comparison filter_number filter_date qualifier intersection union difference "
    "arithmetic list class_path several keyword"
).split()
# What the unanswerable questions ask for, as a relation would be called: none is.
NOT_SAID = (
    "anthem, animal, army, blood type, box office, budget, chapters, coffee, colour, color, composer, cost, dish, dog, "
    "electronegativity, employees, flag, grammy, half-life, hobby, hospital, isotope, left-handed, medal, motto, "
    "net worth, oscar, pages, plot, president, price, prime minister, publication, published, rating, "
    "running time, salary, sales, shoe, sold, tea, time zone, translator, vegetarian, voting, wage, weather"
).split(", ")


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        yield pack


def test_there_are_forty_of_each_kind() -> None:
    questions = load(FOLDER / "demo.yaml")
    assert len({one.text for one in questions}) == len(questions)
    kinds = Counter(one.kind for one in questions)
    assert set(kinds) == set(KINDS) and min(kinds.values()) >= 40


@pytest.mark.slow
def test_every_gold_answers_and_truths_go_both_ways(demo: Pack) -> None:
    found: list[tuple[EverydayQuestion, list[Gold]]] = [
        (one, golds_of(one, demo))
        for name in ("demo.yaml", "plain.yaml", "users.yaml")
        for one in load(FOLDER / name)  # an empty or unknown one raises
    ]
    for kind in ("yesno", "comparison"):
        truths = Counter(golds[0].truth for one, golds in found if one.kind == kind)
        assert truths[True] >= 10 and truths[False] >= 10
    assert all(len(golds) > 1 for one, golds in found if one.kind == "several")


def test_a_hundred_have_no_answer(demo: Pack) -> None:
    questions = load(FOLDER / "unanswerable.yaml")
    assert len({one.text for one in questions}) == 100 and not any(one.golds for one in questions)
    said = " ".join(f"{text.label} {' '.join(text.aliases)}".lower() for text in demo.relations())
    assert [one for one in NOT_SAID if f" {one} " in f" {said} "] == []
