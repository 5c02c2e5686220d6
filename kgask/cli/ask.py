"""``kgask ask``: one question, or questions on stdin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from kgask import config
from kgask.asking import CONTEXTS, MAX_HOPS, MAX_TOP_K, ORDERS, TOP_K, AskOptions
from kgask.cli.questions import answer_lines, count_lines, read_chunks
from kgask.cli.render import clean, note, steps_bar, stream_text
from kgask.errors import EXIT_NO_ANSWER, UsageError
from kgask.pipeline import Pipeline
from kgask.types import Answer

MAX_WRITTEN, WRITTEN_TOKENS = 4096, 128  # tokens of a free text


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("question", nargs=-1)
@click.option(
    "--questions",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Answer the questions of this file, one a line.",
)
@click.option("--pack", metavar="PACK", help="Pack name or path (KGASK_PACK; default: demo).")
@click.option("--model", metavar="MODEL", help="Planner name or path (KGASK_MODEL; default: rigel).")
@click.option("-r", "--reader", metavar="GGUF", help="Reader: name, folder or GGUF file (KGASK_READER; default: reader).")
@click.option("--gpu-layers", metavar="N", help="Layers of a GGUF reader on a GPU: a number, or auto.  [default: auto]")
@click.option("--no-reader", is_flag=True, help="Answer without reading: from the plan, or the best triple.")
@click.option("--method", metavar="METHOD", help="How triples are found: see kgask methods.  [default: rigel]")
@click.option("--encoder", metavar="FOLDER", help="Sentence encoder of --method similarity.  [default: encoder]")
@click.option(
    "--context", type=click.Choice(CONTEXTS), default=CONTEXTS[0], help="What a GGUF reader sees.  [default: triples]"
)
@click.option("--order", type=click.Choice(ORDERS), help="Of triples that another method found.  [default: descending]")
@click.option(
    "--hops", type=click.IntRange(1, MAX_HOPS), help=f"At most this many hops.  [default: {MAX_HOPS}; other methods: 1]"
)
@click.option("--top-k", type=click.IntRange(1, MAX_TOP_K), help=f"Triples a hop for the reader.  [default: {TOP_K}]")
@click.option("--entity", metavar="ENTITY", help="The topic: a key, a label or an id (#12).")
@click.option("--keep-seed", is_flag=True, help="Let a path come back to its topic entity.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    help="Below this, say that there is no answer.  [default: what the model cards say]",
)
@click.option("--prompt", metavar="PROMPT", help="What a GGUF reader is told: a name (kgask prompt --list) or a file.")
@click.option("--free", is_flag=True, help="Let a GGUF reader write freely; what it names is checked, the rest marked.")
@click.option(
    "--max-tokens", type=click.IntRange(1, MAX_WRITTEN), help=f"With --free: length.  [default: {WRITTEN_TOKENS}]"
)
@click.option("--temperature", type=click.FloatRange(0, 5), help="With --free: 0 is greedy.  [default: 0]")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of --free, and of methods that draw.  [default: 0]")
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
    text = " ".join(question)
    if question and file:
        raise UsageError("QUESTION and --questions exclude each other")
    if not question and not file and sys.stdin.isatty():
        raise UsageError('no question; try: kgask "who wrote Lady Susan?"')
    # A free text is shown as it is written to a person at a terminal who asked one question.
    streams = options["free"] and bool(question) and text != "-" and not as_json and sys.stderr.isatty()
    with _open(options, settings, streams) as pipeline:
        if verbose:
            _say_what_is_open(pipeline)
        shown = _Shown(pipeline, as_json, verbose, explain, options["free"], streams)
        asked = _ask_options(options | {"explain": explain}, settings)
        if question and text != "-":
            return shown.single(pipeline.ask(text, asked))
        if file:
            with file.open("rb") as stream:
                shown.lines(stream, asked)
        else:
            shown.lines(sys.stdin.buffer, asked)
    return 0


def _open(options: dict[str, Any], settings: dict[str, Any], streams: bool) -> Pipeline:
    _check_options(options)
    if options["gpu_layers"] is not None:
        settings = settings | {"gpu_layers": config.gpu_layers(options["gpu_layers"])}
    pipeline = Pipeline.open(
        options["pack"],
        model=options["model"],
        reader=None if options["no_reader"] else options["reader"] or "",
        method=options["method"],
        encoder=options["encoder"],
        prompt=options["prompt"],
        context=options["context"],
        settings=settings,
    )
    try:
        if options["free"]:
            pipeline.reader = _free(pipeline.reader, options, streams)
            pipeline.notes += (pipeline.reader.note,)
    except BaseException:
        pipeline.close()
        raise
    return pipeline


def _check_options(options: dict[str, Any]) -> None:
    if options["no_reader"]:
        for name in ("reader", "prompt", "free"):
            if options[name]:
                raise UsageError(f"--{name} and --no-reader exclude each other")
    if options["prompt"] and not options["free"]:
        from kgask.read.prompts import form_of

        if not form_of(options["prompt"]).has_facts:
            raise UsageError(f"--prompt {options['prompt']} shows no facts, so nothing could be checked; add --free")
    if options["context"] == "passages" and not options["free"]:
        raise UsageError("--context passages shows no triples, so nothing could be checked; add --free, or --context both")
    for name in ("max_tokens", "temperature"):
        if options[name] is not None and not options["free"]:
            raise UsageError(f"--{name.replace('_', '-')} is for --free; by default nothing is written freely")


def _free(reader: Any, options: dict[str, Any], streams: bool) -> Any:
    from kgask.read.free import FreeReader, Writing

    tokens = options["max_tokens"] or WRITTEN_TOKENS
    writing = Writing(tokens, options["temperature"] or 0.0, options["seed"] or 0)
    return FreeReader.of(reader, writing, stream_text if streams else None)


def _ask_options(options: dict[str, Any], settings: dict[str, Any]) -> AskOptions:
    def chosen(name: str, default: float | None) -> Any:
        return options[name] if options[name] is not None else settings.get(name, default)

    return AskOptions(
        hops=chosen("hops", None),
        top_k=chosen("top_k", TOP_K),
        entity=options["entity"],
        min_confidence=chosen("min_confidence", None),
        keep_seed=options["keep_seed"],
        explain=options["explain"],
        order=options["order"] or ORDERS[0],
        rng_seed=options["seed"] or 0,
    )


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
