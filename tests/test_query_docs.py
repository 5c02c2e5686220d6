"""What docs/query.md shows is what happens, on the pack that ships."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask import config
from kgask.answer.derived import derived
from kgask.pack.quantities import date_quantity
from kgask.pack.store import Pack
from kgask.query.check import check
from kgask.query.sparql import to_sparql
from kgask.query.text import parse

PAGE = (Path(__file__).parents[1] / "docs" / "query.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(\w+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL))
LINES = BLOCKS["query"].splitlines()
EXAMPLES = list(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    with Pack.open(config.find("pack", config.DEFAULT_PACK).path) as pack:
        yield pack


@pytest.mark.parametrize(("text", "answer"), EXAMPLES)
def test_examples(demo: Pack, text: str, answer: str) -> None:
    query = parse(text, demo)
    assert check(query, demo) == []
    found = derived(query, demo, None).with_unit
    assert found is not None
    assert sorted(found.split(" | ")) == sorted(answer.removeprefix("= ").split(" | "))


def test_the_sparql_that_is_shown(demo: Pack) -> None:
    largest = next(text for text, _ in EXAMPLES if text.startswith("best(") and "value(" in text)
    written = to_sparql(parse(largest, demo), demo)
    assert written.endswith(BLOCKS["sparql"])


def test_the_days_of_1911() -> None:
    found = date_quantity("1911")
    assert f"kg:low {found.low} ; kg:high {found.high} ;" in BLOCKS["turtle"]
