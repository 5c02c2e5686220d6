"""What the commands of ``kgask eval`` and ``kgask bench`` share: options, groups in sections, figures as tables."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.options import PRINTED, Command
from kgask.cli.render import steps_bar, table

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline
    from kgask.pack.store import Pack

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
PLACE = click.Path(path_type=Path)
DATA_OPTION = click.option("--data", required=True, type=FOLDER, metavar="DATA", help="Folder with the public sets.")
PACKS_OPTION = click.option(
    "--packs", required=True, type=FOLDER, metavar="DIR", help="Folder with their packs (kgask eval prepare)."
)
READER_OPTION = click.option("-r", "--reader", metavar="GGUF", help="Reader name, folder or GGUF; as for ask.")
LIMIT_OPTION = click.option("--limit", type=click.IntRange(1), metavar="N", help="Only N questions, by a fixed seed.")
THREADS_OPTION = click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
SEED_OPTION = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, the same result."
)


def counted(name: str, default: int, help_text: str, most: int | None = None) -> Any:
    """An option for a number from 1 on with a default that the help shows."""
    return click.option(name, type=click.IntRange(1, most), default=default, show_default=True, help=help_text)


class Sections(click.Group):
    """A group whose commands are listed in sections, and imported to be run only."""

    def __init__(self, *, sections: Mapping[str, Mapping[str, tuple[str, str]]], **attributes: Any) -> None:
        """``sections``: title -> name -> (``module:attribute``, one line of help)."""
        super().__init__(**attributes)
        self._sections = sections
        self._places = {name: place for named in sections.values() for name, (place, _) in named.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._places:
            return None
        module, _, attribute = self._places[name].partition(":")
        found = getattr(importlib.import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, named in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, about) for name, (_, about) in named.items()])


def printing(name: str) -> Any:
    """Decorate a command that prints figures: ``--json`` and ``--output`` come with it."""

    def decorate(function: Any) -> click.Command:
        return click.command(name, cls=Command)(PRINTED(function))

    return decorate


def show_figures(figures: Mapping[str, Any], as_json: bool) -> None:
    """Named figures, one a line."""
    show_rows([figures], as_json, only_one=True)


def show_rows(rows: Sequence[Mapping[str, Any]], as_json: bool, only_one: bool = False) -> None:
    """Several objects with the same figures, each a column of the table."""
    if as_json:
        print(json.dumps(rows[0] if only_one else rows))
        return
    heads = ["value"] if only_one else [""] * len(rows)
    table(("figure", *heads), [(name, *("-" if row[name] is None else row[name] for row in rows)) for name in rows[0]])


def opened_pack(name: str | None) -> Pack:
    """The pack of that name or path, else the settings' or the one that ships."""
    from kgask import config
    from kgask.pack.store import Pack

    return Pack.open(config.chosen("pack", name).path)


@contextmanager
def asking(title: str, total: int, pack: str | None, **named: Any) -> Iterator[tuple[Pipeline, Any]]:
    """An open pipeline that must read with the reader it names, and what to call with the questions done."""
    from kgask.answer.pipeline import Pipeline

    with Pipeline.open(pack, must_read=True, **named) as pipeline, steps_bar(title, total) as show:
        yield pipeline, lambda done: show(done, "")
