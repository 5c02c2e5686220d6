"""Options that several commands share, help in sections, and ``--output`` for what is printed."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import click

from kgask.errors import KgaskError
from kgask.machine.files import check_output, whole_file

Decorator = Callable[[Any], Any]
FIRST = "Options"


class Option(click.Option):
    """An option that stands under a heading of its command's help."""

    def __init__(self, *names: Any, section: str = FIRST, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose options are listed in sections, and whose stdout ``--output`` sends to a file."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and record[1]:  # an argument without words stands in the usage line
                sections.setdefault(param.section if isinstance(param, Option) else FIRST, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        path, force = ctx.params.pop("printed_to", None), ctx.params.pop("replace_printed", False)
        if path is None:
            return super().invoke(ctx)
        with stdout_to(path, force):
            return super().invoke(ctx)


@contextmanager
def stdout_to(path: Path, force: bool) -> Iterator[None]:
    """What the block prints becomes the file ``path``, whole or not at all.

    What was printed before a :class:`KgaskError` (the list of what is broken) is kept. Raises UsageError for a file
    that is there, without ``force``.
    """
    check_output(path, force)
    failure = None
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
        try:
            with redirect_stdout(text):
                yield
            text.flush()
        except KgaskError as error:
            if text.tell() == 0:
                raise
            failure = error
        finally:
            text.detach()  # the file stays open for the one who made it
    if failure is not None:
        raise failure


def decorated(*options: Decorator) -> Decorator:
    """One decorator of several, listed in the order of the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


JSON_OPTION = click.option("-j", "--json", "as_json", is_flag=True, help="Print JSON.")
PACK_OPTION = click.option("-p", "--pack", metavar="PACK", help="Pack name or path (KGASK_PACK; default: demo).")
MODEL_OPTION = click.option("--model", metavar="MODEL", help="Planner name or path (KGASK_MODEL; default: rigel).")
# Of a Command of this module, which sends there what it prints.
OUTPUT_OPTION = decorated(
    click.option("-o", "--output", "printed_to", type=click.Path(path_type=Path), metavar="FILE",
                 help="Write what is printed to FILE."),
    click.option("--force", "replace_printed", is_flag=True, help="Replace FILE if it is there."),
)  # fmt: skip
PRINTED = decorated(JSON_OPTION, OUTPUT_OPTION)
