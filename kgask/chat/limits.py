"""The last question with another number or date for its own: "sorry, I meant above 80", "and over 1000 km?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kgask.chat.turns import Turn, Way
from kgask.errors import QueryError
from kgask.link.values import value_spans
from kgask.methods.accounted import CARRY_NOTHING
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise

_COMPARES = (
    (re.compile(r"\b(?:above|over|more|after|later|beyond|higher|larger|longer|greater|since|than)\b", re.I), ">"),
    (re.compile(r"\b(?:below|under|less|fewer|before|earlier|lower|smaller|shorter|until)\b", re.I), "<"),
)
_NO_LONGER = re.compile(r"\b(?:at (?:least|most)|between|not)\b", re.IGNORECASE)  # asks for another comparison


def with_limit(text: str, last: Turn | None, pack: Pack) -> Iterator[Way]:
    """The last question with the number that a turn says, and how that compares, where it says nothing else."""
    if last is None or last.query is None or _NO_LONGER.search(text):
        return
    new = _value(text)
    limits = [node for node in last.query.walk() if isinstance(node, nodes.Where) and _is_value(node.value)]
    compared = [node for node in last.query.walk() if isinstance(node, nodes.Compare) and _is_value(node.right)]
    if new is None or len(limits) + len(compared) != 1:
        return
    old: nodes.Where | nodes.Compare = limits[0] if limits else compared[0]
    value = old.value if isinstance(old, nodes.Where) else old.right
    if type(value) is not type(new):
        return
    if isinstance(new, nodes.Number) and not new.unit and isinstance(value, nodes.Number):
        new = replace(new, unit=value.unit)
    how = next((sign for words, sign in _COMPARES if words.search(text)), old.comparison)
    named = {"value" if isinstance(old, nodes.Where) else "right": new, "comparison": how}
    changed = replace(old, **named)  # type: ignore[arg-type]
    try:
        query: Query = replaced(last.query, old, changed)
    except QueryError:
        return
    sure = last.answer.confidence if last.answer is not None else 0.0
    yield Way(f"{verbalise(query, pack)}?", query=query, confidence=sure, among=last.among)


def _is_value(node: object) -> bool:
    return isinstance(node, nodes.Number | nodes.Date)


def _value(text: str) -> nodes.Number | nodes.Date | None:
    """The one number or date that a text says, and says nothing else but how it compares."""
    spans = [one for one in value_spans(text) if one.kind in ("number", "date")]
    if len(spans) != 1:
        return None
    rest = f"{text[: spans[0].start]} {text[spans[0].end :]}"
    for words, _ in _COMPARES:
        rest = words.sub(" ", rest)
    if {*normalise(rest).split()} - CARRY_NOTHING:
        return None
    found = next((one for one in spans[0].options if isinstance(one, nodes.Number | nodes.Date)), None)
    return found
