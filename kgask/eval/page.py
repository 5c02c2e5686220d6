"""A page as headings, paragraphs, tables and plots; written as Markdown and as HTML without scripts or links.

Every text in it is untrusted (questions, labels, names of runs): it is escaped for the form it is written in, and
characters that do not print are shown as escapes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

MAX_CELL_CHARS = 300


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 2
    kind: ClassVar = "heading"


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    kind: ClassVar = "paragraph"


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1  # the first columns are words, the rest figures
    kind: ClassVar = "table"


@dataclass(frozen=True, slots=True)
class Plot:
    svg: str  # of kgask.eval.plots, whose texts are escaped
    about: str
    kind: ClassVar = "plot"


Block = Heading | Paragraph | Table | Plot


def visible(text: str) -> str:
    """``text`` on one line, cut, with what does not print (controls, text direction) as escapes."""
    cut = text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode() for char in cut
    )


def safe(text: str) -> str:
    """For HTML and SVG, in texts and in attributes."""
    return html.escape(visible(text), quote=True)


# --- Markdown -----------------------------------------------------------------------------------

_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~$>-])")


def _plain(text: str) -> str:
    """For Markdown: no character of it is markup."""
    escaped = _MARKS.sub(r"\\\1", visible(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def markdown(blocks: Sequence[Block]) -> str:
    """Plots are in the HTML page only; here their tables speak."""
    return "\n\n".join(_markdown_block(block) for block in blocks if not isinstance(block, Plot)) + "\n"


def _markdown_block(block: Heading | Paragraph | Table) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Paragraph):
        return _plain(block.text)
    sides = [":--" if at < block.n_text else "--:" for at in range(len(block.columns))]
    lines = [[_plain(column) for column in block.columns], sides]
    lines += [[_figure(cell, at < block.n_text) for at, cell in enumerate(row)] for row in block.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figure(cell: str, is_text: bool) -> str:
    """Figures hold nothing that is markup but brackets and signs, and read better bare."""
    if not is_text and re.fullmatch(r"[-+0-9., \[\]e%]*", cell):
        return cell
    return _plain(cell)


# --- HTML ---------------------------------------------------------------------------------------


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """One file with everything in it, made from ``page.html``; its policy forbids scripts and the network."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    room = Environment(loader=PackageLoader("kgask.eval", ""), autoescape=True, undefined=StrictUndefined)
    room.filters["visible"] = visible
    return room.get_template("page.html").render(title=title, blocks=blocks)
