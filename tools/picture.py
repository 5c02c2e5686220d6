"""Draws docs/answer.svg, the README's picture, from a question that is really asked: ``python tools/picture.py``."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.text import Text  # noqa: E402

import kgask  # noqa: E402
from kgask.cli.render import answer_view  # noqa: E402

QUESTION = "When did the author of Lady Susan die?"


def picture(question: str) -> str:
    """An SVG of what a terminal shows for a question to the demo pack; it loads nothing from elsewhere."""
    screen = Console(record=True, file=io.StringIO(), width=60, force_terminal=True)
    screen.print(Text(f'$ kgask "{question}"', style="bold"))
    with kgask.open("demo", settings={}) as kg:
        answer_view(kg.ask(question), kg.pack, screen)
    drawn = screen.export_svg(title="kgask", unique_id="kgask")
    return re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


if __name__ == "__main__":
    (ROOT / "docs" / "answer.svg").write_text(picture(QUESTION), encoding="utf-8")
