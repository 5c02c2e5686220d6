"""Claims of how far two things are apart: "Ann is four years younger than Bob", "A has twice as many cores as B".

Planner and judge know how many years younger somebody is far better than whether these are four. So that is asked, and
which of the two is younger; what both come to decides the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.link.naming import names_in
from kgask.link.numerals import numeral_at
from kgask.link.units import own_units, unit_at
from kgask.methods.deeds import verb_of
from kgask.methods.doubts import relations_in
from kgask.query import nodes
from kgask.query.base import TruthNode, ValueNode
from kgask.query.nodes import Query
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.verify.readings import DECIDE_SECONDS, Reading, Readings

_NUMBER = r"(?:exactly |just )?(?P<n>\d[\d.,]*|[a-z]+(?:-[a-z]+)?)"
_HAS = r"(?P<has>has|have|had)"
_YOUNGER = re.compile(
    rf"(?P<one>.+?) (?P<is>is|was|are|were) {_NUMBER} (?P<unit>[a-z]+) (?P<more>[a-z]+er|(?:more|less) [a-z]+) than "
    r"(?P<other>.+)"
)
_YEARS_AFTER = re.compile(
    rf"(?P<one>.+?) (?P<did>(?:was|were) [a-z]+|[a-z]+ed|came out|began|opened) {_NUMBER} "
    r"(?P<unit>years|months|weeks|days) (?P<when>after|before) (?P<other>.+)"
)
_MORE = re.compile(rf"(?P<one>.+?) {_HAS} {_NUMBER} (?P<more>more|fewer) (?P<what>[a-z].*?) than (?P<other>.+)")
_TIMES = re.compile(
    rf"(?P<one>.+?) {_HAS} (?:exactly )?(?P<times>twice|half|double|[a-z]+ times|\d+ times) (?:as )?(?:many|much|the) "
    r"(?P<what>[a-z].*?) (?:as|of) (?P<other>.+)"
)
_FACTORS = {"twice": 2.0, "double": 2.0, "half": 0.5}
_AUX = {"has": "does", "have": "do", "had": "did"}


class Apart(NamedTuple):
    """What is asked of two things, and what it comes to as it is claimed."""

    questions: tuple[str, str]  # by how much they differ, and whether they do; or the value of either
    number: float
    unit: str = ""  # as it is said
    is_factor: bool = False


def apart(text: str) -> Apart | None:
    """A positive claim of how far two things are apart; None for any other.

    >>> apart("Ann is four years younger than Bob").questions
    ('How many years younger is Ann than Bob?', 'Is Ann younger than Bob?')
    >>> apart("Emma appeared 2 years after Ivanhoe").questions
    ('How many years after Ivanhoe did Emma appear?', 'Did Emma appear after Ivanhoe?')
    >>> apart("Rex has twice as many cores as Leo").questions, apart("Ann is younger than Bob")
    (('How many cores does Rex have?', 'How many cores does Leo have?'), None)
    """
    text = text.strip().rstrip(".")
    for pattern, asked in ((_YOUNGER, _younger), (_YEARS_AFTER, _after), (_MORE, _more), (_TIMES, _times)):
        if (found := pattern.fullmatch(text)) is not None:
            factor = found.groupdict().get("times")
            number = _factor(factor) if factor else _number(found["n"])
            unit = found.groupdict().get("unit") or ""
            return None if number is None else Apart(asked(found), number, unit, factor is not None)
    return None


def _younger(said: re.Match[str]) -> tuple[str, str]:
    differ, be = f"{said['more']} {said['is']} {said['one']} than {said['other']}?", said["is"].capitalize()
    return f"How many {said['unit']} {differ}", f"{be} {said['one']} {said['more']} than {said['other']}?"


def _after(said: re.Match[str]) -> tuple[str, str]:
    did, one = said["did"], said["one"]
    aux, _, done = did.rpartition(" ") if did.startswith("w") else ("did", "", _done(did))
    after = f"{said['when']} {said['other']}"
    return f"How many {said['unit']} {after} {aux} {one} {done}?", f"{aux.capitalize()} {one} {done} {after}?"


def _done(did: str) -> str:
    first, _, rest = did.partition(" ")
    return " ".join(filter(None, ({"came": "come", "began": "begin"}.get(first) or verb_of(first), rest)))


def _more(said: re.Match[str]) -> tuple[str, str]:
    aux, more = _AUX[said["has"]], f"{said['more']} {said['what']}"
    asked = f"How many {more} {aux} {said['one']} have than {said['other']}?"
    return asked, f"{aux.capitalize()} {said['one']} have {more} than {said['other']}?"


def _times(said: re.Match[str]) -> tuple[str, str]:
    one, other = (f"How many {said['what']} {_AUX[said['has']]} {each} have?" for each in (said["one"], said["other"]))
    return one, other


def _number(said: str) -> float | None:
    found = numeral_at(said, 0)
    return found.value if found is not None and found.end == len(said) else None


def _factor(said: str) -> float | None:
    return _FACTORS.get(said) or _number(said.removesuffix(" times"))


class Differences(NamedTuple):
    """Reads them over the pack of a pipeline."""

    pipeline: Pipeline
    readings: Readings

    def of(self, texts: Sequence[str]) -> list[Reading | None]:
        """Of positive claims; None of those that say no such thing, and where a question has no answer."""
        asked = [apart(text) for text in texts]
        questions = list(dict.fromkeys(said for one in asked if one is not None for said in one.questions))
        answers = dict(zip(questions, self.pipeline.ask_many(questions), strict=True))
        return [None if one is None else self._reading(one, *map(answers.__getitem__, one.questions)) for one in asked]

    def _reading(self, asked: Apart, first: Answer, second: Answer) -> Reading | None:
        claimed = None
        if first and second and asked.is_factor:
            claimed = self._times(first.query, second.query, asked.number)
        elif first and second and isinstance(first.query, ValueNode) and isinstance(second.query, TruthNode):
            is_years = isinstance(first.query, nodes.Age)  # a bare number
            number = nodes.Number(asked.number, "" if is_years else self._unit(asked.unit))
            claimed = nodes.All((nodes.Compare(first.query, "=", number), second.query))
        if claimed is None:
            return None
        names = names_in(self.pipeline.linker, asked.questions[1])
        return self.readings.decided(asked.questions[1], names, claimed, min(first.confidence, second.confidence))

    def _unit(self, said: str) -> str:
        found = unit_at(said, 0, False, own_units(self.pipeline.pack.manifest.get("axes", ())))
        return found[1] if found is not None else ""

    def _times(self, one: Query | None, other: Query | None, factor: float) -> TruthNode | None:
        """That the value of one is so many times that of the other, by the same relation."""
        left, right = _value(one), _value(other)
        if left is None or right is None or not _are_alike(left, right):
            return None
        found = Runner(self.pipeline.pack, Budget(DECIDE_SECONDS)).result(right).quantity
        if found is None or found.low != found.high:
            return None
        return nodes.Compare(left, "=", nodes.Number(factor * found.low, found.axis))


def _are_alike(left: ValueNode, right: ValueNode) -> bool:
    """Whether both are values of one relation, or counts by the same."""
    return [*relations_in(left)] == [*relations_in(right)] and type(left) is type(right)


def _value(query: Query | None) -> ValueNode | None:
    match query:
        case nodes.Follow(nodes.Entities((_,)) as base, relation):
            return nodes.Values(base, relation)
        case nodes.Values() | nodes.Count():
            return query
    return None
