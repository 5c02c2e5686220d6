"""``kgask ask``: one question, or questions on stdin or of a file, one a line."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, cast

import click

from kgask import config
from kgask.answer.lines import answer_lines
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer
from kgask.cli.asked_with import ask_options, asked_with, open_pipeline
from kgask.cli.formats import FORMATS, JSON, Format, formatted
from kgask.cli.main import BY_DEFAULT, offer_command
from kgask.cli.options import OUTPUT_OPTION, Command
from kgask.cli.questions import count_lines, one_question, open_lines, read_chunks
from kgask.cli.render import note, steps_bar, stream_text
from kgask.errors import EXIT_NO_ANSWER, UsageError


@click.command(cls=Command)
@click.argument("question", nargs=-1)
@asked_with
@click.option("-j", "--json", "as_json", is_flag=True, help="Print one JSON object a question: --format json.")
@click.option("-e", "--explain", is_flag=True, help="Show on stderr how the answer came about.")
@OUTPUT_OPTION
@click.option("--sparql", "as_sparql", is_flag=True, help="Print the SPARQL 1.1 that answered; with --json, a field.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="plain: a line a question; lines: a line an answer; csv: a row a question.  [default: plain]",
)
@click.option(
    "--questions",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Answer the questions of this file, one a line.",
)
@click.option("--entity", metavar="ENTITY", help="The topic: a key, a label or an id (#12).")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    help="Below this, say that there is no answer.  [default: what the model cards say]",
)
@click.option(
    "--verbose",
    is_flag=True,
    help="Say on stderr what was loaded, what each question may ask for, and how long each stage took.",
)
def ask(
    question: tuple[str, ...],
    file: Path | None,
    as_json: bool,
    form: Format | None,
    verbose: bool,
    explain: bool,
    as_sparql: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Answer QUESTION from a knowledge graph, with the triples that prove it.

    Without QUESTION (or with -), questions are read from stdin, one a line, and
    answered one line each, in order; the line is empty when there is no answer.
    --questions FILE does the same with a file. What is said about one of several
    questions, on stderr, begins with the number of its line.
    """
    settings = config.load_settings()
    if question and click.get_current_context().meta.get(BY_DEFAULT):
        offer_command(list(question))
    text = one_question(question)
    if question and file:
        raise UsageError("QUESTION and --questions exclude each other")
    if as_json and form not in (None, JSON):
        raise UsageError(f"--json and --format {form} exclude each other")
    if not question and not file and sys.stdin.isatty():
        raise UsageError('no question; try: kgask "who wrote Lady Susan?"')
    if as_sparql and form in ("lines", "csv"):
        raise UsageError(f"--sparql and --format {form} exclude each other")
    form = JSON if as_json else form or "plain"
    alone = bool(question) and text != "-"
    # A free text is shown as it is written to a person at a terminal who asked one question.
    streams = options["free"] and alone and form != JSON and sys.stderr.isatty()
    with open_pipeline(options, settings, stream_text if streams else None) as pipeline:
        if verbose:
            _say_what_is_open(pipeline)
        shown = _Shown(pipeline, form, as_sparql, verbose, explain, streams)
        least = options["min_confidence"]
        least = settings.get("min_confidence") if least is None else least
        asked = ask_options(
            options,
            settings,
            entity=options["entity"],
            min_confidence=least,
            explain=explain,
            readings=verbose,
            query=explain or as_sparql or form == JSON,
        )
        if alone:
            return shown.single(pipeline.ask(text, asked))
        if file:
            with open_lines(file, "ask") as stream:
                shown.lines(stream, asked)
        else:
            shown.lines(cast(io.BufferedReader, sys.stdin.buffer), asked)
    return 0


class _Shown:
    """Prints answers: stdout is data, the rest goes to stderr."""

    def __init__(
        self, pipeline: Pipeline, form: Format, as_sparql: bool, verbose: bool, explain: bool, streams: bool
    ) -> None:
        self._pipeline, self._streams = pipeline, streams
        self._form, self._as_sparql, self._verbose, self._explain = form, as_sparql, verbose, explain
        self._formatted = formatted(form, as_sparql)

    def single(self, answer: Answer) -> int:
        """One question on the command line; returns the exit code."""
        drawn = self._form == "plain" and sys.stdout.isatty() and not self._as_sparql
        self._beside(answer, "", drawn, alone=True)
        if answer.abstained and self._form in ("plain", "lines"):
            pass
        elif drawn:
            from kgask.cli.render import answer_view

            answer_view(answer, self._pipeline.pack)
        else:
            _print(self._formatted(answer, None))
        return EXIT_NO_ANSWER if answer.abstained else 0

    def lines(self, stream: io.BufferedReader, options: AskOptions) -> None:
        """Many questions: what is printed of each, in order, as soon as a chunk is answered."""
        # Answers that scroll by on a terminal are progress enough; a bar among them would only be in their way.
        total = count_lines(stream) if sys.stderr.isatty() and not sys.stdout.isatty() else None
        with steps_bar("ask", total) as show:
            done = 0
            for lines in read_chunks(stream):
                for number, answer in enumerate(answer_lines(self._pipeline, lines, options), done + 1):
                    self._beside(answer, f"line {number}: ")
                    _print(self._formatted(answer, number))
                done += len(lines)
                show(done, "")

    def _beside(self, answer: Answer, where: str, drawn: bool = False, alone: bool = False) -> None:
        """What is said of an answer on stderr, after ``where`` it was asked."""
        if answer.parts:
            for number, one in enumerate(answer.parts, 1):
                self._beside(one, f"{where}part {number}: ", drawn)
            for line in answer.help:
                note(f"{where}{line}")
            return
        if self._streams and answer.written is not None:
            stream_text("\n")
        if self._explain:
            from kgask.cli.explain import sections, why
            from kgask.cli.render import explain

            note(f"{where}{why(answer, self._pipeline.pack)}")
            if answer.query_text is not None:
                note(f"{where}{answer.query_text}")
            explain(sections(answer, self._pipeline.pack))
        for text in answer.unverified:
            note(f"{where}unverified: {text}")
        for text in () if drawn and answer.derivation is not None else answer.notes:  # drawn beside the derivation
            note(f"{where}{text}")
        if self._as_sparql and answer.sparql is None and not answer.abstained:
            note(f"{where}no query: {answer.method} follows no plan")
        if answer.abstained and self._form != JSON and not self._explain:  # whose first sentence says it
            note(f"{where}no answer: {answer.reason}")
            for text in answer.help if alone and sys.stderr.isatty() else ():
                note(text)
        if self._verbose:
            from kgask.cli.explain import readings_lines

            for text in readings_lines(answer):
                note(f"{where}{text}")
            spent = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
            note(f"{where}{spent or 'nothing was looked up'}")


def _print(text: str) -> None:
    """In one write, so that Ctrl-C leaves whole lines."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _say_what_is_open(pipeline: Pipeline) -> None:
    note(f"pack {pipeline.pack.path}, {pipeline.pack.held}")
    for text in pipeline.notes:
        note(text)
