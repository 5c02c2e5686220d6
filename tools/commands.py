"""Writes docs/commands.md, the help of every command: ``python tools/commands.py`` after a command has changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import click  # noqa: E402
from click.formatting import HelpFormatter  # noqa: E402

from kgask.cli.main import COMMANDS, cli  # noqa: E402

PAGE = ROOT / "docs" / "commands.md"
WIDTH = 100
HEAD = """\
# Commands

Every command and option, as `--help` shows them. Made from the code by `python tools/commands.py`.
"""


class _Wide(HelpFormatter):
    """The same lines on every terminal, and without one."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__(width=WIDTH)


class _Context(click.Context):
    formatter_class = _Wide


def walk(command: click.Command, parent: click.Context | None, name: str) -> Iterator[tuple[str, str]]:
    """(full name, help) of a command and, after it, of those in it."""
    ctx = _Context(command, info_name=name, parent=parent, **command.context_settings)
    text = "\n".join(line.rstrip() for line in command.get_help(ctx).splitlines())
    yield ctx.command_path, text
    if isinstance(command, click.Group):
        names = list(COMMANDS) if command is cli else command.list_commands(ctx)
        for inner in names:
            found = command.get_command(ctx, inner)
            assert found is not None
            yield from walk(found, ctx, inner)


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, text in walk(cli, None, "kgask"):
        parts.append(f"{'#' * (1 + min(2, name.count(' ') or 1))} {name}\n\n```\n{text}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
