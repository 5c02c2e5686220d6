"""``kgask chat``: a conversation, with line editing on a terminal, a line in and a line out in a pipeline."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kgask import config
from kgask.cli import interrupt
from kgask.cli.asked_with import ask_options, not_asked_for, open_pipeline, some_of
from kgask.cli.formats import json_line
from kgask.cli.options import Command
from kgask.cli.render import answer_view, clean, note
from kgask.cli.writing import writing_with
from kgask.errors import KgaskError, UsageError

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline
    from kgask.chat.session import Chat
    from kgask.chat.store import Log
    from kgask.chat.turns import Turn

HELP = """\
/why          how the last answer came about
/facts        the triples that prove it
/more         all answers, where only some are shown
/sparql       the last query as SPARQL
/undo         forget the last turn
/pack         which pack is asked
/save FILE    keep this conversation in FILE
/load FILE    go on with the conversation of FILE
/reset        begin anew
/help         this
/quit         leave (also Ctrl-D)"""


@click.command(cls=Command)
@some_of("--pack")
@click.option(
    "-j", "--json", "as_json", is_flag=True, help="A line in, a JSON object out; '/reset' begins anew, silently."
)
@click.option(
    "--session", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the conversation in FILE as it goes, and go on with it.",
)  # fmt: skip
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Below this, say that there is no answer.")
@click.option(
    "--rewriter", metavar="GGUF",
    help="A language model that writes turns as questions; where it invents a name, it is not listened to.",
)  # fmt: skip
@some_of("--reader", "--no-reader", "--model", "--judge", "--no-judge")
def chat(
    as_json: bool, session: Path | None, min_confidence: float | None, rewriter: str | None, **options: Any
) -> None:
    """Talk with a knowledge graph: questions, and questions about their answers.

    \b
    A follow-up may say "he", "it", "there", "which of them", "the second one",
    "and in Norway?", "what about silver?", "no, I meant ...", "back to ...:".
    What each turn was understood as is said on stderr. Commands begin with a
    slash; /help lists them. In a pipeline each line is a turn:
      printf 'Who directed Jaws?\\nWhere was he born?\\n' | kgask chat
    """
    from kgask.chat.rewrite import Rewriter
    from kgask.chat.session import Chat
    from kgask.chat.store import Log

    settings = config.load_settings()
    least = settings.get("min_confidence") if min_confidence is None else min_confidence
    options = {**not_asked_for(), **options}
    write = writing_with(rewriter, "--rewriter") if rewriter is not None else None
    with open_pipeline(options, settings) as pipeline:
        talk = Chat(pipeline, ask_options(options, settings, min_confidence=least))
        talk.rewriter = Rewriter(write, pipeline.linker) if write is not None else None
        log = Log(session, talk) if session is not None else None
        try:
            if log is not None and talk.turns:
                note(f"{session}: {len(talk.turns)} turns; going on")
            drawn = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
            _Talk(pipeline, talk, log, as_json, drawn).run(_prompted(pipeline, session) if drawn else _piped())
        finally:
            if log is not None:
                log.close()


class _Talk:
    """Takes lines, answers them, and does what commands say."""

    def __init__(self, pipeline: Pipeline, chat: Chat, log: Log | None, as_json: bool, drawn: bool) -> None:
        self._pipeline, self._chat, self._log, self._as_json, self._drawn = pipeline, chat, log, as_json, drawn

    def run(self, lines: Iterator[str]) -> None:
        """Take lines until there are no more, or one ends it; on a terminal Ctrl-C gives up one at most."""
        while True:
            try:
                if (line := next(lines, None)) is None or self._took(line):
                    return
            except KeyboardInterrupt:
                if not self._drawn:
                    raise
                interrupt.taken()
                note("stopped; the conversation goes on")

    def _took(self, line: str) -> bool:
        """Answer a line, or do what it says; whether the conversation is over."""
        try:
            if line.startswith("/"):
                return self._command(*line[1:].split(maxsplit=1))
            if line.strip() or not self._drawn:
                self._said(self._chat.ask(line))
        except KgaskError as error:
            self._refused(line, error)
        except (OSError, ValueError) as error:  # a file that a command names
            if isinstance(error, BrokenPipeError) or not line.startswith("/"):
                raise
            note(f"{line.split()[0]}: {getattr(error, 'strerror', None) or error}; the conversation goes on")
        return False

    def _refused(self, line: str, error: KgaskError) -> None:
        """Bad input is one line; a pipeline gets its object all the same."""
        note(str(error))
        if self._as_json:
            refused = self._pipeline.refused(line.strip(), str(error)).to_dict()
            print(json_line(refused | {"turn": len(self._chat.turns), "understood": line.strip()}), flush=True)
        elif not self._drawn and not line.startswith("/"):
            print(flush=True)

    def _said(self, turn: Turn) -> None:
        if self._log is not None:
            self._log.add(turn)
        if self._as_json:
            print(json_line(turn.to_dict()), flush=True)
            return
        if turn.answer is None:
            note("you are welcome")
            if not self._drawn:
                print(flush=True)
            return
        if turn.shown != turn.line:
            note(f"understood as: {turn.shown}")
        if turn.answer.abstained:
            note(f"no answer: {turn.answer.reason}")
            if not self._drawn:
                print(flush=True)
        elif self._drawn:
            answer_view(replace(turn.answer, notes=()), self._pipeline.pack)
        else:
            print(clean(turn.answer.text or ""), flush=True)

    def _command(self, name: str = "", rest: str = "") -> bool:
        """Do what a line after "/" says; whether the conversation is over."""
        found = {
            "why": self._why, "facts": self._facts, "more": self._more, "sparql": self._sparql, "undo": self._undo,
            "reset": self._reset, "pack": self._pack, "help": self._help,
        }.get(name)  # fmt: skip
        if name in ("quit", "exit"):
            return True
        if name in ("save", "load"):
            self._file(name, rest)
        elif found is None:
            raise UsageError(f"no command /{name}; /help lists them")
        else:
            found()
        return False

    def _last(self) -> Turn:
        turn = next((one for one in reversed(self._chat.turns) if one.answer is not None), None)
        if turn is None:
            raise UsageError("nothing was asked yet")
        return turn

    def _help(self) -> None:
        for line in HELP.split("\n"):
            note(line)

    def _why(self) -> None:
        turn = self._last()
        assert turn.answer is not None
        note(f"understood as: {turn.shown} (confidence {turn.answer.confidence:.2f})")
        note(turn.answer.query_text or f"no answer: {turn.answer.reason}")
        for text in turn.answer.notes:
            note(text)

    def _facts(self) -> None:
        answer = self._last().answer
        assert answer is not None
        for one in answer.support:
            print("\t".join(map(clean, (one.subject, one.relation, one.object))), flush=True)

    def _more(self) -> None:
        answer = self._last().answer
        assert answer is not None
        for one in answer.entities:
            print(clean(one.label), flush=True)

    def _sparql(self) -> None:
        answer = self._last().answer
        assert answer is not None
        if answer.sparql is None:
            raise UsageError("the last turn has no query")
        print(answer.sparql, flush=True)

    def _undo(self) -> None:
        gone = self._chat.undo()
        if gone is None:
            raise UsageError("nothing was asked yet")
        if self._log is not None:
            self._log.rewrite()
        note(f"forgotten: {gone.line}")

    def _reset(self) -> None:
        self._chat.reset()
        if self._log is not None:
            self._log.rewrite()

    def _pack(self) -> None:
        note(f"pack {self._pipeline.pack.name}, {self._pipeline.pack.held}, {self._pipeline.pack.path}")

    def _file(self, name: str, rest: str) -> None:
        from kgask.chat.store import read, save
        from kgask.machine.homes import expanded

        if not rest.strip():
            raise UsageError(f"which file? /{name} FILE")
        path = expanded(rest.strip())
        if name == "save":
            if path.exists():
                raise UsageError(f"{path}: exists; choose another name")
            save(path, self._chat)
        else:
            turns = list(read(path, self._chat)) if path.exists() else []
            if not turns:
                raise UsageError(f"{path}: no conversation in it; this one goes on")
            self._chat.reset()
            self._chat.turns = turns
            if self._log is not None:
                self._log.rewrite()
        note(f"{len(self._chat.turns)} turns {'saved to' if name == 'save' else 'of'} {path}")


def _piped() -> Iterator[str]:
    from kgask.cli.questions import read_chunks

    for lines in read_chunks(cast(BufferedReader, sys.stdin.buffer)):
        yield from (line.rstrip("\r") for line in lines)


def _prompted(pipeline: Pipeline, session: Path | None) -> Iterator[str]:
    """Lines of a person, with editing, history and names of the pack to complete."""
    from kgask.cli.prompting import lines

    note("ask; /help lists commands, /quit leaves")
    yield from lines(pipeline.pack, session)
