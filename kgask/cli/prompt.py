"""``kgask prompt``: exactly what a reader would get, and which prompts there are."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import checked_question
from kgask.answer.result import Answer
from kgask.cli.asked_with import ask_options, some_of
from kgask.cli.options import PRINTED, Command
from kgask.cli.questions import one_question
from kgask.cli.render import clean, note, table
from kgask.errors import EXIT_NO_ANSWER, UsageError
from kgask.read.load import opened_reader
from kgask.types import Evidence, Question

if TYPE_CHECKING:
    from kgask.read.protocol import Preview


@click.command(cls=Command)
@click.argument("question", nargs=-1)
@click.option("--list", "lists", is_flag=True, help="List the prompts, and the fields of a template of your own.")
@some_of("--pack")
@click.option("--entity", metavar="ENTITY", help="The topic: a key, a label or an id (#12).")
@PRINTED
@some_of("--reader", "--prompt", "--model", "--hops", "--top-k", "--keep-seed")
def prompt(question: tuple[str, ...], lists: bool, as_json: bool, **options: Any) -> int:
    """Show the whole prompt that a reader would get for QUESTION; nothing is read.

    \b
    A template of your own is a text file, for example:
      Use these facts.
      {numbered_facts}
      Question: {question}
    What stands above a line --- is the system part. Keep fields at the end:
    what comes before the first one is evaluated once and kept.
    """
    if lists:
        return _list(as_json)
    text = one_question(question)
    if not text:
        raise UsageError('no question; try: kgask prompt "who wrote Lady Susan?", or kgask prompt --list')
    settings = config.load_settings()
    found, answer = _preview(text, options, settings)
    if as_json:
        print(json.dumps({"question": text, **asdict(found)} if found else {"question": text, "reason": answer.reason}))
        return 0 if found else EXIT_NO_ANSWER
    if found is None:
        note(f"no prompt, because no facts: {answer.reason}")
        return EXIT_NO_ANSWER
    sys.stdout.write("".join(f"{clean(line)}\n" for line in found.text.split("\n")))
    _notes(found)
    return 0


def _list(as_json: bool) -> int:
    from kgask.read.gguf.prompts import FIELD_HELP, NAMED

    if as_json:
        forms = [{"name": form.name, "about": form.about, "fields": sorted(form.fields)} for form in NAMED.values()]
        print(json.dumps({"prompts": forms, "fields": FIELD_HELP}))
        return 0
    table(("prompt", "what it is"), [(form.name, form.about) for form in NAMED.values()])
    table(("field of a template", "what it becomes"), [(f"{{{name}}}", text) for name, text in FIELD_HELP.items()])
    return 0


def _preview(text: str, options: dict[str, Any], settings: dict[str, Any]) -> tuple[Preview | None, Answer]:
    """The prompt, or None and the answer that says why there are no facts for it."""
    asked = Question(checked_question(text))
    reader, _ = opened_reader(options["reader"] or "", options["prompt"], settings)
    with Pipeline.open(options["pack"], model=options["model"], reader=None, settings=settings) as pipeline:
        answer = pipeline.ask(text, ask_options(options, settings, entity=options["entity"], min_confidence=0.0))
        if reader.form is not None and not reader.form.has_facts:
            return reader.preview(asked, Evidence((), (), False), pipeline.pack), answer
        if answer.evidence is None or not (answer.evidence.triples or answer.evidence.passages):
            return None, answer
        if answer.confidence < pipeline.min_confidence:
            sure = f"the plan is {answer.confidence:.0%} sure, {pipeline.min_confidence:.0%} is asked for"
            note(f"{sure}: ask may refuse before it reads")
        return reader.preview(asked, answer.evidence, pipeline.pack), answer


def _notes(found: Preview) -> None:
    """Beside the prompt, on stderr: its size, and what did not fit."""
    static = f", the first {found.n_static_tokens} the same for every question" if found.n_static_tokens else ""
    note(f"{found.n_tokens} tokens of this model{static}; it was trained for {found.n_ctx}")
    note(found.note)
    if found.cut:
        note(f"{len(found.cut)} of {len(found.cut) + len(found.shown)} facts do not fit:")
        for line in found.cut:
            note(f"  {line}")
