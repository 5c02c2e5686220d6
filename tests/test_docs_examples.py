"""What README and guide say that kgask answers on the demo pack is what it answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from examples import asked, in_a_cell, in_guide, in_readme  # noqa: E402

writes_queries = pytest.mark.skipif(
    not (ROOT / "models" / "rigel" / "rigel.query.onnx").exists(),
    reason="the planner in models/rigel writes no queries",
)


def test_there_are_examples() -> None:
    assert len(in_readme()) >= 4 and len(in_guide()) >= 15


@writes_queries
def test_what_the_pages_say_is_answered() -> None:
    """After a change of planner or demo pack type: python tools/examples.py"""
    answers = asked(list(dict.fromkeys(question for question, _ in in_readme() + in_guide())))
    assert [(question, answers[question]) for question, _ in in_readme()] == in_readme()
    assert [(question, in_a_cell(answers[question])) for question, _ in in_guide()] == in_guide()
