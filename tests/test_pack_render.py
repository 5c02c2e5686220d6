from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgask.cli import render


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Jane Austen", "Jane Austen"),
        ("Émile, 日本, की, 👩\u200d🚀", "Émile, 日本, की, 👩\u200d🚀"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\u202egnp\u2066", "\\u202egnp\\u2066"),
        ("line\u2028sep", "line\\u2028sep"),
        ("\ud800", "\\ud800"),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert render.clean(text) == shown


@given(st.text())
def test_clean_text_is_one_harmless_line(text: str) -> None:
    shown = render.clean(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert render.clean(shown) == shown


def test_long_labels_are_cut() -> None:
    assert len(render.shorten("x" * 100_000)) == render.MAX_SHOWN
    assert render.shorten("\n" * 100_000, 5) == "\\n\\n\\n\\n…"


def test_a_table_on_a_terminal_shows_markup_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = FakeTerminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    render.table(("name", "n"), [("[bold]x[/bold] :smile: \x1b]0;t\x07", 12)], title="[red]title")
    text = terminal.getvalue()
    assert "[bold]x[/bold] :smile: \\x1b]0;t\\x07" in text
    assert "[red]title" in text and "\x1b]0" not in text


def test_a_piped_table_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    render.table(("name", "n"), [("a\tb", 1), ("c", 2)], title="unseen")
    assert capsys.readouterr() == ("a\\tb\t1\nc\t2\n", "")


def test_progress_shows_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, shows in ((io.StringIO(), False), (FakeTerminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        with render.progress("Reading", 100) as step:
            step(50)
        assert bool(stream.getvalue()) == shows
