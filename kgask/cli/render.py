"""Everything that draws on a terminal; the only importer of rich.

Text from a pack is untrusted: it passes through :func:`clean` before it is
printed anywhere, and through :func:`markup_free` before rich sees it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kgask.answer.derived import Derived
    from kgask.answer.result import Answer
    from kgask.config import Kind
    from kgask.pack.store import Pack

# What re-orders text around it, so that a label could pretend to be something else.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
MAX_SHOWN = 300  # characters of a label in a table
MAX_ANSWERS, MAX_TRIPLES = 20, 20  # shown on a terminal; --json lists all
HOW_SURE = ((0.9, "green"), (0.7, "yellow"), (0.0, "red"))  # least confidence -> colour


def clean(text: str) -> str:
    """Text that cannot move the cursor, colour, or re-order what is around it.

    Control characters (ANSI and OSC sequences begin with one), line and
    paragraph separators, lone surrogates and bidirectional controls are shown
    as escapes such as ``\\n`` and ``\\x1b``.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else _escape(char) for char in text)


def _is_harmless(char: str) -> bool:
    # isprintable() is False for blanks other than " ", for format and control characters and surrogates;
    # zero-width joiners are format characters that scripts and emoji need.
    return (char.isprintable() or char in "\u200c\u200d\u00a0\u3000\u00ad") and char not in _BIDI


def _escape(char: str) -> str:
    return _ESCAPES.get(char) or char.encode("unicode_escape", "surrogatepass").decode()


def shorten(text: str, limit: int = MAX_SHOWN) -> str:
    """``text`` cleaned and cut to ``limit`` characters with an ellipsis."""
    return clean(text[:limit]) if len(text) <= limit else clean(text[: limit - 1]) + "…"


def flag(value: bool, as_json: bool) -> bool | str:
    """A mark in a table's row, where JSON has the truth."""
    return value if as_json else "*" * value


def note(text: str) -> None:
    """One line for a person, on stderr."""
    tell(f"kgask: {clean(text)}\n")


def tell(text: str) -> None:
    """Harmless text to stderr at once; where nobody takes it (a closed pipe, a full disk) the work goes on."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def stream_text(text: str) -> None:
    """A piece of a text that is being written, on a terminal's stderr; line breaks stay."""
    tell("\n".join(clean(line) for line in text.split("\n")))


def markup_free(text: str) -> Text:
    """A rich text that shows ``text`` as it is: no markup, no emoji codes, no highlighting."""
    from rich.text import Text

    return Text(shorten(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """Print rows: a rich table on a terminal, tab-separated text without a header when piped."""
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(clean(str(cell)) for cell in row))
        return
    from rich.console import Console

    Console().print(_drawn(columns, rows, title))


def with_qualifiers(
    columns: tuple[str, ...], rows: Sequence[tuple[object, ...]], texts: Sequence[str]
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Columns and rows of triples with what they are said with, where anything is said."""
    if not any(texts):
        return columns, list(rows)
    return (*columns, "qualifiers"), [(*row, text) for row, text in zip(rows, texts, strict=True)]


def print_json(value: object) -> None:
    """One line of JSON on stdout; what is not text in metadata (lone surrogates) is escaped."""
    import json

    line = json.dumps(value, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        line = json.dumps(value)
    print(line, flush=True)


def show_rows(rows: Sequence[Mapping[str, object]], columns: Sequence[str], as_json: bool) -> None:
    """Records as a JSON list, or these columns of them as a table; what a record lacks is left empty."""
    if as_json:
        print_json(rows)
    else:
        table(columns, [[row.get(column, "") for column in columns] for row in rows])


def show_facts(facts: Mapping[str, object], as_json: bool) -> None:
    """One record as a JSON object, or as a table: nested keys are joined by dots, lists give a row each."""
    if as_json:
        print_json(facts)
    else:
        table(("", ""), [row for key, value in facts.items() for row in _fact_rows(key, value)])


def _fact_rows(key: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [row for inner, item in value.items() for row in _fact_rows(f"{key}.{inner}", item)]
    return [(key, item) for item in value] if isinstance(value, list) else [(key, value)]


def show_found(kind: Kind, rows: Sequence[Mapping[str, object]], columns: Sequence[str], as_json: bool) -> None:
    """The packs or models that are there, and on stderr what is wrong with one of them, or that there is none."""
    from kgask.config import places

    show_rows(rows, columns, as_json)
    if as_json:
        return
    for row in rows:
        if "problem" in row:
            note(str(row["problem"]))
    if not rows:
        shipped, own = places(kind).values()
        advice = "'kgask pack build' makes one" if kind == "pack" else "install kgask again"
        note(f"no {kind}s in {shipped} or {own}; {advice}")


@contextmanager
def progress(title: str, total_bytes: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal's stderr, nothing elsewhere; yields what to call with bytes done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns: list[Any] = [TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn()]
    columns.append(TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(clean(title), total=total_bytes)
        yield lambda step: bar.advance(task, step)


def answer_view(answer: Answer, pack: Pack, console: Console | None = None) -> None:
    """The answer large and first, then confidence and the triples that prove what is shown of it."""
    from rich.console import Console
    from rich.text import Text

    from kgask.cli.proof import proof
    from kgask.verbalise import qualifiers_text

    console = console or Console()
    for part in answer.parts:
        console.print(Text(shorten(part.question), style="dim"))
        answer_view(part, pack, console)
    if answer.parts:
        return
    shown = answer.entities[:MAX_ANSWERS]
    colour = next(colour for least, colour in HOW_SURE if answer.confidence >= least)
    console.print(Text(_headline(answer), style=f"bold {colour}"))
    console.print(Text(f"confidence {answer.confidence:.0%}", style=colour))
    if answer.derivation is not None:
        derivation_view(answer, console)
        return
    triples = proof(answer, pack, {entity.id for entity in shown})
    rows = [(t.hop, t.subject, t.relation, t.object) for t in triples[:MAX_TRIPLES]]
    said = [qualifiers_text([t.qualifiers]) for t in triples[:MAX_TRIPLES]]
    if rows:
        console.print(_drawn(*with_qualifiers(("hop", "subject", "relation", "object"), rows, said)))
    n_facts = len(proof(answer, pack, {entity.id for entity in answer.entities}))
    if len(rows) < n_facts:
        console.print(Text(f"{len(rows)} of {n_facts} facts (--json lists all)", style="dim"))


def _headline(answer: Answer | Derived) -> str:
    shown = answer.entities[:MAX_ANSWERS] if answer.kind == "set" else ()
    text = " | ".join(shorten(entity.label) for entity in shown) or shorten(answer.with_unit or "")
    left_out = len(answer.entities) - len(shown) if shown else 0
    return f"{text}  … and {left_out} more" if left_out else text


def query_view(found: Derived) -> None:
    """What a query came to, as :func:`answer_view` shows it."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if found.text is not None:
        console.print(Text(_headline(found), style="bold"))
    derivation_view(found, console)


def derivation_view(answer: Answer | Derived, console: Console) -> None:
    """A tree of the operators with what they compared, the triples, and what is tied, missing or undecided."""
    from rich.text import Text
    from rich.tree import Tree

    from kgask.cli.derivation import Branch, branch_of
    from kgask.verbalise import qualifiers_text

    def grown(branch: Branch, tree: Tree) -> Tree:
        for below in branch.below:
            grown(below, tree.add(markup_free(below.text)))
        return tree

    root = branch_of(answer.derivation or {})
    console.print(grown(root, Tree(markup_free(root.text), guide_style="dim")))
    triples = answer.support[:MAX_TRIPLES]
    if triples:
        rows = [(t.subject, t.relation, t.object) for t in triples]
        said = [qualifiers_text([t.qualifiers]) for t in triples]
        console.print(_drawn(*with_qualifiers(("subject", "relation", "object"), rows, said)))
    if len(triples) < len(answer.support):
        console.print(Text(f"{len(triples)} of {len(answer.support)} facts (--json lists all)", style="dim"))
    for text in answer.notes:
        console.print(Text(clean(text), style="dim"))


def _drawn(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> Table:
    """A rich table; a column of numbers is set to the right."""
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, title=markup_free(title) if title else None, title_justify="left")
    rows = list(rows)
    for number, column in enumerate(columns):
        is_numeric = bool(rows) and all(isinstance(row[number], int | float) for row in rows)
        drawn.add_column(column, justify="right" if is_numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(markup_free(str(cell)) for cell in row))
    return drawn


Section = tuple[str, Sequence[str], Sequence[Sequence[object]]]  # title, columns, rows


def explain(sections: Iterable[Section]) -> None:
    """Titled tables on stderr: rich on a terminal, tab-separated text elsewhere."""
    if not sys.stderr.isatty():
        for title, _, rows in sections:
            tell(f"# {clean(title)}\n")
            for row in rows:
                tell("\t".join(clean(str(cell)) for cell in row) + "\n")
        return
    from rich.console import Console

    console = Console(stderr=True)
    for title, columns, rows in sections:
        console.print(_drawn(columns, rows, title))


@contextmanager
def steps_bar(title: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
    """A bar over counted steps on a terminal's stderr; yields what to call with (steps done, what to say).

    There is none without a ``total``.
    """
    if total is None or not sys.stderr.isatty():
        yield lambda _done, _say: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns: list[Any] = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    columns += [TimeRemainingColumn(), TextColumn("{task.fields[say]}", markup=False)]
    # stdout stays itself: rich would send what is printed there to the bar's stderr, away from a file or pipe.
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as bar:
        task = bar.add_task(clean(title), total=total, say="")
        yield lambda done, say: bar.update(task, completed=done, say=say)
