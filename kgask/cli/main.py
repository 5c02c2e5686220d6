"""The ``kgask`` command: ``ask`` is the default, every command is loaded when it is used.

``kgask --help`` imports click and this file only, so that it stays instant.
"""

from __future__ import annotations

import atexit
import importlib
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

import click

from kgask.cli import interrupt
from kgask.errors import EXIT_ERROR, EXIT_OK, EXIT_UNFORESEEN, FallbackWarning, KgaskError, UsageError
from kgask.version import __version__

# section -> command -> (module:attribute, one-line help); the help is repeated here so that listing imports nothing.
SECTIONS = {
    "Ask": {
        "ask": ("kgask.cli.ask:ask", "Answer a question, or questions on stdin (the default command)."),
        "chat": ("kgask.cli.chat:chat", "Talk: questions, and questions about their answers."),
        "verify": ("kgask.cli.verify:verify", "Say whether a claim is supported or refuted."),
        "query": ("kgask.cli.query:query", "Run a query in its text form, exactly, with its derivation."),
        "pack": ("kgask.cli.pack:pack", "Build, check, list and look into KG packs."),
        "models": ("kgask.cli.models:models", "Add, list, check and remove planner and reader models."),
        "doctor": ("kgask.cli.doctor:doctor", "Check this installation, its models and a pack."),
        "methods": ("kgask.cli.methods:methods", "List the ways in which triples are found."),
        "prompt": ("kgask.cli.prompt:prompt", "Show what a reader would get for a question."),
    },
    "Research": {
        "eval": ("kgask.cli.eval:evaluate", "Evaluate methods and models on question sets."),
        "train": ("kgask.cli.train:train", "Train and export models (needs kgask[train])."),
        "bench": ("kgask.cli.bench:bench", "Measure kgask itself: speed and memory."),
    },
    "Setup": {
        "airgap": ("kgask.cli.airgap:airgap", "Make a folder that installs kgask without a network."),
        "completion": ("kgask.cli.completion:completion", "Print a shell completion script."),
    },
}
COMMANDS = {name: entry for commands in SECTIONS.values() for name, entry in commands.items()}

MOST_SAID = 300  # characters of a message that nobody has written for people
BY_DEFAULT = "kgask.by_default"  # in the context's meta: whether ask was put in front

EPILOG = """\b
Examples:
  kgask "who wrote Lady Susan?"
  kgask "who wrote Lady Susan?" -j
  kgask "who wrote Lady Susan?" -e
  kgask ask -p my_pack --questions questions.txt --format csv -o answers.csv
  kgask pack search "jane austen"
  kgask help pack build
\b
Exit codes: 0 answered (a batch: every line processed), 1 error, 2 usage,
3 no answer to a single question (of a claim: not enough information),
4 kgask doctor found something that fails, 5 the claim is refuted,
6 a file of a pack or model is damaged, 70 a fault of kgask itself,
130 interrupted."""


class PipeClosed(Exception):
    """Who reads our stdout has gone (| head): there is nobody left to write for, which is no error."""


@contextmanager
def past_click() -> Iterator[None]:
    """Lets through what click's main() would end in its own way: an empty line for Ctrl-C, exit 1 for a closed pipe."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.Abort from None
    except BrokenPipeError:
        raise PipeClosed from None


class LazyGroup(click.Group):
    """A group that imports a command only to run it, and runs ``ask`` by default."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name][0].split(":")
        return getattr(importlib.import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), help_text) for name, (_, help_text) in commands.items()])

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with past_click():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with past_click():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and ctx.resilient_parsing:  # completing the first word: it may be any command
            return super().parse_args(ctx, args)
        ctx.meta[BY_DEFAULT] = args[:1] != ["ask"]
        return super().parse_args(ctx, insert_default_command(args))


def insert_default_command(args: list[str]) -> list[str]:
    """Put ``ask`` in front unless the first word is a command or the group's own option.

    With no words at all, questions piped to stdin are asked and a terminal gets the help.
    """
    if not args:
        return ["--help"] if sys.stdin.isatty() else ["ask"]
    if args[0] in COMMANDS or args[0] in ("--help", "-h", "--version"):
        return args
    if args == ["version"]:
        return ["--version"]
    if args[0] == "help" and (not args[1:] or args[1] in COMMANDS):
        return [*args[1:], "--help"]
    if not args[0].startswith("-"):
        offer_command(args)
    return ["ask", *args]  # ask itself looks at words after options


def offer_command(args: list[str]) -> None:
    """Raises :class:`UsageError` for words that are nearly a command, and says which; a question passes."""
    from kgask.cli.nearly import meant

    words = args[1:] if args[0] == "help" else args
    if offers := meant(words, COMMANDS):
        written = " ".join(args)
        either = " or ".join(offer + " --help" * (args[0] == "help") for offer in offers)
        wrong = "options come after the command" if args[0] in COMMANDS else f'no command "{written}"'
        raise UsageError(f'{wrong}; did you mean: {either}? As a question: kgask ask "{written}"')


def print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"kgask {__version__}")
    ctx.exit()


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Ask a knowledge graph on this machine, offline, and get an answer with the triples that prove it."""
    warnings.showwarning = show_warning
    warnings.simplefilter("always", FallbackWarning)  # no setting of Python's hides it, or makes it an error


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Ours as one line on stderr, without the place in the code; those of libraries as Python shows them."""
    if issubclass(category, FallbackWarning):
        with suppress(OSError):
            print(f"kgask: {one_line(str(message))}", file=sys.stderr)
    else:
        _shown_by_python(message, category, filename, lineno, file, line)


_shown_by_python = warnings.showwarning


def one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def one_line_each(text: str) -> str:
    """Without control characters but the ends of lines."""
    return "".join(f"{one_line(line)}\n" for line in text.splitlines())


def fail(message: str, code: int) -> NoReturn:
    """One line on stderr, then exit; control characters in the message cannot reach the terminal."""
    try:
        sys.stdout.flush()
    except OSError:
        drop_stdout()
    with suppress(OSError):
        print(f"kgask: {one_line(message)}", file=sys.stderr)
    sys.exit(code)


def wrong_usage(error: click.ClickException) -> str:
    """What click says, and what to type next."""
    said = error.format_message().rstrip(".")
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if ctx is None:
        return f"{said}; see: kgask --help"
    if isinstance(error, click.NoSuchOption) and error.option_name.lower() == "-v":
        said += " (--verbose and --version have no short form)"
    in_group = isinstance(ctx.command, click.Group)  # "train stations in Paris"
    said += " See" if said.endswith("?") else "; see"
    return f"{said}: {ctx.command_path} --help" + '; as a question: kgask ask "..."' * in_group


def open_missing_streams() -> None:
    """A caller may close our streams (``>&-``); libraries expect them to be there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as we run
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # an answer that an ASCII terminal has no letters for


def drop_stdout() -> None:
    """What is still unwritten goes nowhere: it would fail again, with a word of Python's, when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def drop_unheard() -> None:
    """The same of stderr, when Python ends: what nobody took of it is no fault, and no exit code tells of it."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def main(**extra: Any) -> None:
    """Run the command line: every foreseen failure is one line and its exit code."""
    open_missing_streams()
    atexit.register(drop_unheard)
    try:
        with interrupt.unwinding():
            code = cli.main(standalone_mode=False, **extra)
            sys.stdout.flush()  # here a full disk is one line; at Python's exit it would be exit code 120
        sys.exit(code if isinstance(code, int) else EXIT_OK)
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):
            sys.stdout.flush()
        interrupt.exit_at_once()  # everything has been cleaned up; Python's own end waits for threads that still work
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        fail(wrong_usage(error), error.exit_code)
    except KgaskError as error:
        fail(str(error), error.exit_code)
    except (PipeClosed, BrokenPipeError):
        drop_stdout()
        sys.exit(EXIT_OK)
    except OSError as error:
        drop_stdout()  # a full disk fails again when Python flushes at exit
        fail(f"{error.filename or 'output'}: {error.strerror or error}", EXIT_ERROR)
    except MemoryError:
        fail("not enough memory; 'kgask doctor' says how much is free", EXIT_ERROR)
    except Exception as error:
        fail_unforeseen(error)


def fail_unforeseen(error: Exception) -> NoReturn:
    """One line with a code that says where, for what no check has foreseen; its traceback first with --verbose."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}kgask{os.sep}" in frame.filename] or list(frames)
    place = f"{os.path.basename(ours[-1].filename).removesuffix('.py')}:{ours[-1].lineno}" if ours else "start"
    code = f"{type(error).__name__}-{place}-{__version__}"
    if "--verbose" in sys.argv:
        with suppress(OSError):
            print("".join(map(one_line_each, traceback.format_exception(error))), end="", file=sys.stderr)
    said = one_line(str(error))[:MOST_SAID]
    fail(f"a fault of kgask itself ({code}): {said}; please report it; --verbose says more", EXIT_UNFORESEEN)
