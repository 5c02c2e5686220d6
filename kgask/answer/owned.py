"""Something compared with what is its own: "Was Anna older than her husband?" is asked of Anna and of him by name.

Planner and judge compare what a question names. Where one has no answer, who that husband is is asked first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.linker import Linker
from kgask.methods.protocol import Request
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.rewrite import replaced
from kgask.types import Question

_OWN = re.compile(
    r"\b(?:than|or|(?<!or )before|(?<!or )after) "
    r"(?P<whose>her|his|its|their) (?P<noun>[a-z]+(?:[ -][a-z]+)?)(?=\W*\Z|,)",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:before|after|more|less|fewer|earlier|later|first|[a-z]{2,}er)\b", re.IGNORECASE)


def of_its_own(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal to compare a thing with what is its own, how these compare.

    ``ask`` asks a question by itself.
    """
    text, is_marked = request.question.text, request.entity is not None or bool(request.question.marks)
    found = _OWN.search(text) if answer.abstained and not is_marked and _COMPARES.search(text) else None
    linked = linker.link(Question(text[: found.start()])) if found is not None else []
    named = [mention for mention in linked if mention.whole]
    if found is None or len(named) != 1:
        return answer
    start, end = named[0].span
    own = ask(f"{'What' if found['whose'].lower() == 'its' else 'Who'} is [{text[start:end]}]'s {found['noun']}?")
    if not own or len(own.entities) != 1 or not isinstance(own.query, SetNode):
        return answer
    one = own.entities[0]
    asked = f"{text[:start]}[{text[start:end]}]{text[end : found.start('whose')]}[{one.label}]{text[found.end() :]}"
    compared = ask(asked)
    if not compared or compared.query is None:
        return answer
    query = replaced(compared.query, nodes.Entities((one.id,)), own.query)
    told = requeried(answer, query, min(own.confidence, compared.confidence), pack)
    said = text[found.start("whose") : found.end()]
    return replace(told, notes=(f"read {said!r} as {one.label!r}", *told.notes)) if told else answer
