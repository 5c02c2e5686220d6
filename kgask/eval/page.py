"""A page as headings, paragraphs, tables and plots; written as Markdown and as HTML without scripts or links.

Every text in it is untrusted (questions, labels, names of runs): it is escaped for the form it is written in, and
characters that do not print are shown as escapes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_CELL_CHARS = 300


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1  # the first columns are words, the rest figures


@dataclass(frozen=True, slots=True)
class Plot:
    svg: str  # of kgask.eval.plots, whose texts are escaped
    about: str


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


def _markdown_block(block: Block) -> str:
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

# The eight series colours of Okabe and Ito, made darker or lighter where the background asks for it.
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --paper: #ffffff; --rule: #d8dee4;
  --s0: #0067a3; --s1: #b84e00; --s2: #00795a; --s3: #a94d86;
  --s4: #7d6a00; --s5: #1f7fb8; --s6: #8a3b12; --s7: #555d66; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #a3adb8; --paper: #15181c; --rule: #363d45;
  --s0: #58b4f0; --s1: #f2924a; --s2: #3ecfa2; --s3: #e29ac6;
  --s4: #e3cf54; --s5: #9ad4f7; --s6: #dca27f; --s7: #b4bcc5; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--rule); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .8rem 0; font-size: .92rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.words { overflow-wrap: anywhere; min-width: 9rem; } p { max-width: 46rem; } figure { margin: 1rem 0; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; white-space: pre; }
svg .grid { stroke: var(--rule); } svg .axis, svg .whisker { stroke: var(--ink); } svg .whisker { stroke-width: 1.5; }
svg .line { fill: none; stroke-width: 2; } figcaption { color: var(--soft); font-size: .9rem; }
"""
COLOURS = "".join(
    f"svg rect.s{at} {{ fill: var(--s{at}); }} svg .line.s{at} {{ stroke: var(--s{at}); }}\n" for at in range(8)
)
NO_NETWORK = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """One file with everything in it; its policy forbids scripts and the network."""
    body = "\n".join(_html_block(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{safe(NO_NETWORK)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>{STYLE}{COLOURS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _html_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{safe(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{safe(block.text)}</p>"
    if isinstance(block, Plot):
        return f"<figure>{block.svg}<figcaption>{safe(block.about)}</figcaption></figure>"
    kinds = ["words" if at < block.n_text else "figure" for at in range(len(block.columns))]
    head = "".join(f'<th class="{kind}">{safe(cell)}</th>' for kind, cell in zip(kinds, block.columns, strict=True))
    rows = "\n".join(f"<tr>{_cells(row, kinds)}</tr>" for row in block.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _cells(row: Sequence[str], kinds: Sequence[str]) -> str:
    return "".join(f'<td class="{kind}">{safe(cell)}</td>' for kind, cell in zip(kinds, row, strict=True))
