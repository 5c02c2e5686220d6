"""The last question with another number or date for its own: "sorry, I meant above 80", "and over 1000 km?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from kgask.chat.changes import base_of
from kgask.chat.of_answers import SECONDS
from kgask.chat.turns import Turn, Way
from kgask.errors import BudgetError, QueryError
from kgask.link.left_year import with_year
from kgask.link.values import value_spans
from kgask.methods.accounted import CARRY_NOTHING
from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.retrieve.follow import relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run

LOOKED_AT = 60  # rows, whose dates are looked at
_COMPARES = (
    (re.compile(r"\b(?:above|over|more|after|later|beyond|higher|larger|longer|greater|since|than)\b", re.I), ">"),
    (re.compile(r"\b(?:below|under|less|fewer|before|earlier|lower|smaller|shorter|until)\b", re.I), "<"),
)
_NO_LONGER = re.compile(r"\b(?:at (?:least|most)|between|not)\b", re.IGNORECASE)  # asks for another comparison


def with_limit(text: str, last: Turn | None, pack: Pack) -> Iterator[Way]:
    """The last question with the number that a turn says, and how that compares, where it says nothing else."""
    if last is None or last.query is None or _NO_LONGER.search(text):
        return
    text = with_year(text, pack)  # "and in May?"
    query = (limited(last.query, text) or _dated(last.query, text, pack)) if _says_value_alone(text) else None
    if query is not None:
        sure = last.answer.confidence if last.answer is not None else 0.0
        yield Way(f"{verbalise(query, pack)}?", query=query, confidence=sure, among=last.among)


def named_with_limit(ways: Iterable[Way], text: str, pack: Pack) -> Iterator[Way]:
    """The last question about another name, as ``ways`` have it, with the number or date that the turn says besides:
    "and Mirela in October?"."""
    text = with_year(text, pack)
    for way in ways if len(_values(text)) == 1 else ():
        query = limited(way.query, text) if way.query is not None else None
        if query is not None:
            yield replace(way, text=f"{verbalise(query, pack)}?", query=query)


def limited(query: Query, text: str) -> Query | None:
    """A query with the one number or date of a text in the place of its own; None where it has none, or several."""
    new = next(iter(_values(text)), None)
    limits = [node for node in query.walk() if isinstance(node, nodes.Where) and _is_value(node.value)]
    compared = [node for node in query.walk() if isinstance(node, nodes.Compare) and _is_value(node.right)]
    if new is None or len({*limits}) + len(compared) != 1:
        return None
    old: nodes.Where | nodes.Compare = limits[0] if limits else compared[0]
    value = old.value if isinstance(old, nodes.Where) else old.right
    if type(value) is not type(new):
        return None
    if isinstance(new, nodes.Number) and not new.unit and isinstance(value, nodes.Number):
        new = replace(new, unit=value.unit)
    how = next((sign for words, sign in _COMPARES if words.search(text)), old.comparison)
    named = {"value" if isinstance(old, nodes.Where) else "right": new, "comparison": how}
    changed = replace(old, **named)  # type: ignore[arg-type]
    try:
        found: Query = replaced(query, old, changed)
    except QueryError:
        return None
    return found


def _dated(query: Query, text: str, pack: Pack) -> Query | None:
    """A query about rows of a table, none of which are left out by a date so far, with the date of a text."""
    (new,) = _values(text)
    base = query.base if isinstance(query, nodes.Follow | nodes.Where) else base_of(query)
    has_value = any(isinstance(node, nodes.Date | nodes.Number) for node in query.walk())
    if not isinstance(new, nodes.Date) or base is None or has_value or not is_small(pack):
        return None
    try:
        members = run(base, pack, Budget(SECONDS)).certain[:LOOKED_AT]
    except BudgetError:
        return None
    had = np.flatnonzero(relations_of(pack, members)[: pack.n_relations]).tolist()
    dates = [one for one in had if relation_axis(pack, one) == new.quantity.axis]
    if len(dates) != 1 or len(members) < 2:
        return None
    found: Query = replaced(query, base, nodes.Where(base, nodes.ValueOf((dates[0],)), "=", new))
    return found


def _is_value(node: object) -> bool:
    return isinstance(node, nodes.Number | nodes.Date)


def _values(text: str) -> list[nodes.Number | nodes.Date]:
    """The numbers and dates that a text says."""
    spans = [one for one in value_spans(text) if one.kind in ("number", "date")]
    found = (next((one for one in span.options if isinstance(one, nodes.Number | nodes.Date)), None) for span in spans)
    return [one for one in found if one is not None]


def _says_value_alone(text: str) -> bool:
    """Whether a text says one number or date, and nothing else but how it compares."""
    spans = [one for one in value_spans(text) if one.kind in ("number", "date")]
    if len(spans) != 1:
        return False
    rest = f"{text[: spans[0].start]} {text[spans[0].end :]}"
    for words, _ in _COMPARES:
        rest = words.sub(" ", rest)
    return not {*normalise(rest).split()} - CARRY_NOTHING
