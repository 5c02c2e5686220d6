"""``kgask ask``: one question, or questions on stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.cli.asked_with import ask_options, asked_with, open_pipeline
from kgask.cli.main import BY_DEFAULT, offer_command
from kgask.cli.questions import answer_lines, count_lines, one_question, read_chunks
from kgask.cli.render import clean, note, steps_bar, stream_text
from kgask.errors import EXIT_NO_ANSWER, UsageError
from kgask.types import Answer


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("question", nargs=-1)
@click.option(
    "--questions",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Answer the questions of this file, one a line.",
)
@asked_with
@click.option("--entity", metavar="ENTITY", help="The topic: a key, a label or an id (#12).")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    help="Below this, say that there is no answer.  [default: what the model cards say]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a question.")
@click.option("--verbose", is_flag=True, help="Say on stderr what was loaded and how long each stage took.")
@click.option("--explain", is_flag=True, help="Show on stderr how the answer came about.")
def ask(
    question: tuple[str, ...], file: Path | None, as_json: bool, verbose: bool, explain: bool, **options: Any
) -> int:
    """Answer QUESTION from a knowledge graph, with the triples that prove it.

    Without QUESTION (or with -), questions are read from stdin, one a line, and
    answered one line each, in order; the line is empty when there is no answer.
    --questions FILE does the same with a file.
    """
    settings = config.load_settings()
    if question and click.get_current_context().meta.get(BY_DEFAULT):
        offer_command(list(question))
    text = one_question(question)
    if question and file:
        raise UsageError("QUESTION and --questions exclude each other")
    if not question and not file and sys.stdin.isatty():
        raise UsageError('no question; try: kgask "who wrote Lady Susan?"')
    # A free text is shown as it is written to a person at a terminal who asked one question.
    streams = options["free"] and bool(question) and text != "-" and not as_json and sys.stderr.isatty()
    with open_pipeline(options, settings, stream_text if streams else None) as pipeline:
        if verbose:
            _say_what_is_open(pipeline)
        shown = _Shown(pipeline, as_json, verbose, explain, options["free"], streams)
        least = options["min_confidence"]
        least = settings.get("min_confidence") if least is None else least
        asked = ask_options(options, settings, entity=options["entity"], min_confidence=least, explain=explain)
        if question and text != "-":
            return shown.single(pipeline.ask(text, asked))
        if file:
            with file.open("rb") as stream:
                shown.lines(stream, asked)
        else:
            shown.lines(sys.stdin.buffer, asked)
    return 0


class _Shown:
    """Prints answers: stdout is data, the rest goes to stderr."""

    def __init__(
        self, pipeline: Pipeline, as_json: bool, verbose: bool, explain: bool, free: bool, streams: bool
    ) -> None:
        self._pipeline, self._free, self._streams = pipeline, free, streams
        self._as_json, self._verbose, self._explain = as_json, verbose, explain

    def single(self, answer: Answer) -> int:
        """One question on the command line; returns the exit code."""
        self._beside(answer)
        if self._as_json:
            self._print_json(answer)
        elif answer.abstained:
            note(f"no answer: {answer.reason}")
        elif sys.stdout.isatty():
            from kgask.cli.render import answer_view

            answer_view(answer)
        else:
            _print_line(clean(answer.text or ""))
        return EXIT_NO_ANSWER if answer.abstained else 0

    def lines(self, stream: BinaryIO, options: AskOptions) -> None:
        """Many questions: exactly one line each on stdout, in order, as soon as a chunk is answered."""
        # Answers that scroll by on a terminal are progress enough; a bar among them would only be in their way.
        total = count_lines(stream) if sys.stderr.isatty() and not sys.stdout.isatty() else None
        if total is None:
            for lines in read_chunks(stream):
                self._chunk(lines, options)
            return
        with steps_bar("ask", total) as show:
            done = 0
            for lines in read_chunks(stream):
                self._chunk(lines, options)
                done += len(lines)
                show(done, "")

    def _chunk(self, lines: list[str], options: AskOptions) -> None:
        for answer in answer_lines(self._pipeline, lines, options):
            self._beside(answer)
            if self._as_json:
                self._print_json(answer)
            else:
                _print_line(clean(answer.text or ""))

    def _print_json(self, answer: Answer) -> None:
        from kgask.cli.answer_json import answer_json

        _print_line(answer_json(answer, self._pipeline.pack, self._free))

    def _beside(self, answer: Answer) -> None:
        if self._streams and answer.written is not None:
            stream_text("\n")
        for text in answer.unverified:
            note(f"unverified: {text}")
        for text in answer.notes:
            note(text)
        if self._explain:
            from kgask.cli.explain import sections
            from kgask.cli.render import explain

            explain(sections(answer, self._pipeline.pack))
        if self._verbose:
            spent = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
            note(spent or "nothing was looked up")


def _print_line(text: str) -> None:
    """In one write, so that Ctrl-C leaves whole lines."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _say_what_is_open(pipeline: Pipeline) -> None:
    note(f"pack {pipeline.pack.path}, {pipeline.pack.n_triples:,} triples")
    for text in pipeline.notes:
        note(text)
