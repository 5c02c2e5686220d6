"""``kgask verify``: whether a claim is supported or refuted by a graph; one, or one a line."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kgask import config
from kgask.cli.asked_with import not_asked_for, open_pipeline, some_of
from kgask.cli.formats import json_line
from kgask.cli.options import OUTPUT_OPTION, Command
from kgask.cli.questions import count_lines, open_lines, read_chunks
from kgask.cli.render import clean, note, steps_bar
from kgask.errors import EXIT_NO_ANSWER, EXIT_OK, EXIT_REFUTED, UsageError
from kgask.verify.engines import ENGINES

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline
    from kgask.answer.result import SupportTriple
    from kgask.pack.store import Pack
    from kgask.verify.prompted import PromptedVerifier
    from kgask.verify.verdict import Verdict
    from kgask.verify.verifier import Verifier

_CODES = {"supported": EXIT_OK, "refuted": EXIT_REFUTED, "not enough information": EXIT_NO_ANSWER}
STDIN = Path("-")
SHOWN = 5  # triples that are told of


@click.command(cls=Command)
@click.argument("claim", nargs=-1)
@some_of("--pack")
@click.option("-j", "--json", "as_json", is_flag=True, help="Print one JSON object a claim.")
@click.option("-e", "--explain", is_flag=True, help="Say on stderr what each claim was understood as.")
@OUTPUT_OPTION
@click.option(
    "--claims",
    "file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="Judge the claims of this file, one a line; - is stdin.",
)
@click.option("--closed-world", is_flag=True, help="What the graph does not say is false.")
@click.option("--single", metavar="RELATION", multiple=True, help="This relation leads from each thing to one.")
@click.option("--complete", metavar="RELATION", multiple=True, help="The graph has all of this relation.")
@click.option("--min-confidence", type=click.FloatRange(0, 1), help="Below this, say that it is not enough.")
@click.option(
    "--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
    help="Read the claim as a query (rigel), or what the graph says of what it names (reader), or both; or ask a GGUF "
    "model with the prompts of KG-GPT (kg-gpt).",
)  # fmt: skip
@some_of("--model", "--judge", "--no-judge", "--reader", "--shots")
def verify(claim: tuple[str, ...], file: Path | None, as_json: bool, explain: bool, **options: Any) -> int:
    """Say whether CLAIM is supported or refuted by a knowledge graph.

    \b
    Prints "supported", "refuted" or "not enough information"; the triples that
    decide, and by which rule, are said on stderr. Without CLAIM (or with -),
    claims are read from stdin, one a line. For example:
      kgask verify "Osaka is the capital of Japan"
      kgask verify "Eight countries border Austria." -e
      kgask verify --claims claims.txt --json
    A missing triple refutes only where the graph has another end of a relation
    that leads to one, or all ends of it (kgask pack info --relations);
    --single and --complete say so of more, ^RELATION turned round.
    Exit codes: 0 supported, 5 refuted, 3 not enough information; of several
    claims 0 when every line was judged.
    """
    text, file = " ".join(claim), None if file == STDIN else file
    if claim and not text.strip():
        raise UsageError('the claim is empty; try: kgask verify "Osaka is the capital of Japan"')
    if text and text != "-" and file:
        raise UsageError("CLAIM and --claims exclude each other")
    if not text and not file and sys.stdin.isatty():
        raise UsageError('no claim; try: kgask verify "Osaka is the capital of Japan"')
    with open_pipeline({**not_asked_for(), **_opened_with(options)}, config.load_settings()) as pipeline:
        verifier = _verifier(pipeline, options)
        if text and text != "-":
            verdict = verifier.verify(text)
            _beside(verdict, explain)
            _print(verdict, as_json)
            return _CODES[verdict.verdict]
        if file:
            with open_lines(file, "verify") as stream:
                _lines(stream, verifier.verify_lines, as_json, explain)
        else:
            _lines(cast(io.BufferedReader, sys.stdin.buffer), verifier.verify_lines, as_json, explain)
    return EXIT_OK


def _opened_with(options: dict[str, Any]) -> dict[str, Any]:
    """What the pipeline of an engine is opened with. Raises UsageError for options of another engine."""
    from kgask.verify.prompted import METHOD, PROMPT

    known = {name: options[name] for name in ("pack", "model", "judge", "no_judge")}
    if options["engine"] != "kg-gpt":
        if options["reader"] or options["shots"] is not None:
            raise UsageError("--reader and --shots are for --engine kg-gpt")
        return known | {"no_reader": True}
    for name in ("closed_world", "single", "complete"):
        if options[name]:
            raise UsageError(f"--engine kg-gpt: a language model says yes or no; leave --{name.replace('_', '-')} out")
    if options["reader"] is None:
        raise UsageError("--engine kg-gpt asks a language model; name one: --reader FILE.gguf")
    asked = {"reader": options["reader"], "shots": options["shots"], "free": True}
    return known | asked | {"method": METHOD, "prompt": PROMPT, "claims": True}


def _verifier(pipeline: Pipeline, options: dict[str, Any]) -> Verifier | PromptedVerifier:
    from kgask.verify.prompted import PromptedVerifier
    from kgask.verify.verifier import Verifier, VerifyOptions

    if options["engine"] == "kg-gpt":
        return PromptedVerifier(pipeline)
    judged_by = VerifyOptions(
        options["closed_world"],
        _relations(pipeline.pack, options["single"]),
        _relations(pipeline.pack, options["complete"]),
        options["min_confidence"],
        options["engine"],
    )
    return Verifier(pipeline, judged_by)


def _relations(pack: Pack, names: Iterable[str]) -> frozenset[int]:
    """Directed relations by label or key, ``^`` before one that is turned round. Raises UsageError for another."""
    texts, found = pack.relations(), set()
    for name in names:
        plain = name.removeprefix("^")
        places = [at for at, one in enumerate(texts) if plain in (one.key, one.label)]
        if not places:
            raise UsageError(f"no relation {plain!r} in this pack; see: kgask pack info --relations")
        found |= {at + pack.n_relations * name.startswith("^") for at in places}
    return frozenset(found)


def _lines(
    stream: io.BufferedReader, judge: Callable[[list[str]], list[Verdict]], as_json: bool, explain: bool
) -> None:
    total = count_lines(stream) if sys.stderr.isatty() and not sys.stdout.isatty() else None
    with steps_bar("verify", total) as show:
        done = 0
        for lines in read_chunks(stream):
            for number, verdict in enumerate(judge(lines), done + 1):
                if explain:
                    _beside(verdict, True, f"line {number}: ")
                _print(verdict, as_json)
            done += len(lines)
            show(done, "")


def _print(verdict: Verdict, as_json: bool) -> None:
    print(json_line(verdict.to_dict()) if as_json else verdict.verdict, flush=True)


def _beside(verdict: Verdict, explain: bool, where: str = "") -> None:
    """What decided, on stderr; of several sub-claims each."""
    for number, one in enumerate(verdict.parts, 1):
        note(f"{where}{number}. {one.claim}: {one.verdict}")
        _beside(one, explain, f"{where}{number}. ")
    if verdict.parts:
        return
    if explain and verdict.understood:
        denied = "it is not so: " if verdict.denies else ""
        note(f"{where}understood as {denied}{verdict.understood} ({verdict.confidence:.2f})")
        note(f"{where}{verdict.query}")
    note(f"{where}{verdict.reason or verdict.said}")
    told = verdict.support or verdict.counter
    for triple in told[:SHOWN]:
        note(f"{where}{_in_words(triple)}")
    if len(told) > SHOWN:
        note(f"{where}and {len(told) - SHOWN} more; --json lists them")


def _in_words(triple: SupportTriple) -> str:
    return clean(f"({triple.subject}, {triple.relation}, {triple.object})")
