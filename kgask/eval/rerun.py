"""A printed answer against its own SPARQL, run in pyoxigraph over the pack's RDF view.

What is compared: the entities, as a set; a value's interval, in base units; yes and no, where no must hold whatever
the graph leaves open; and that a text which is a number says that value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from kgask.answer.result import Answer
from kgask.eval.endpoint import Endpoint, Rows
from kgask.pack.quantities import DATE, day_number
from kgask.pack.store import Pack
from kgask.query.axes import value_axis
from kgask.query.base import TruthNode, ValueNode
from kgask.query.rdf import VOCABULARY, Iris
from kgask.query.sparql import to_sparql
from kgask.sets.said import CLOSE, said_quantity

Interval = tuple[float, float]


class Rerun:
    """Runs the SPARQL of answers about one pack, each for at most so many seconds."""

    def __init__(self, pack: Pack, seconds: float) -> None:
        self._pack, self._iris = pack, Iris(pack)
        self._endpoint = Endpoint(Path(pack.path), seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._endpoint.__exit__()

    def faults(self, answer: Answer) -> list[str]:
        """Where an answer's SPARQL says something else than the answer.

        Raises :class:`~kgask.eval.endpoint.UnansweredError` where it takes too long.
        """
        if answer.query is None or answer.sparql is None:
            return ["it has no query"]
        found = self._endpoint.ask(answer.sparql)
        if isinstance(answer.query, TruthNode) or isinstance(found, bool):
            return self._faults_of_truth(answer, found)
        if isinstance(answer.query, ValueNode) and not answer.entities:
            axis = value_axis(answer.query, self._pack)
            return _faults_of_value(answer, axis, _interval(found))
        wanted, printed = {row.get("x") for row in found}, self._iris.of_entities([one.id for one in answer.entities])
        faults = _told("SPARQL alone gives", wanted - set(printed)) + _told("printed alone is", set(printed) - wanted)
        if answer.value is not None and len(printed) == 1:
            faults += self._faults_of_literal(answer, printed[0])
        return faults

    def _faults_of_truth(self, answer: Answer, found: bool | Rows) -> list[str]:
        assert answer.query is not None
        may_be = found or self._endpoint.ask(to_sparql(answer.query, self._pack, "possible"))
        said = "yes" if found else "undecided" if may_be else "no"
        return [] if said == answer.text else [f"SPARQL says {said}, printed is {answer.text!r}"]

    def _faults_of_literal(self, answer: Answer, iri: str) -> list[str]:
        """Of one number or date that an answer is: whether its value is the node's."""
        assert answer.value is not None
        asked = f"SELECT ?low ?high ?unit {{ <{iri}> <{VOCABULARY}low> ?low ; <{VOCABULARY}high> ?high ;"
        rows = self._endpoint.ask(f"{asked} <{VOCABULARY}unit> ?unit }}")
        assert isinstance(rows, list)
        axis = DATE if rows and rows[0]["unit"] == DATE else None
        return _faults_of_value(answer, axis, _interval(rows))


def _faults_of_value(answer: Answer, axis: str | None, wanted: Interval | None) -> list[str]:
    if wanted is None or answer.value is None:
        return [] if wanted is None and answer.value is None else [f"SPARQL says {wanted}, printed is {answer.value}"]
    printed = said_quantity(dict(answer.value), "", axis)
    if printed is None or not _is_close((printed.low, printed.high), wanted):
        return [f"SPARQL says {wanted}, printed is {dict(answer.value)}"]
    return _faults_of_text(answer, answer.value)


def _faults_of_text(answer: Answer, value: Mapping[str, object]) -> list[str]:
    """A number's text is its value; of an interval and of a date that is not looked at."""
    if answer.kind != "value" or value["kind"] != "number" or value["low"] != value["high"]:
        return []
    said = said_quantity(None, answer.text or "")
    low = float(str(value["low"]))
    is_said = said is not None and math.isclose(said.low, low, rel_tol=CLOSE)
    return [] if is_said else [f"the text {answer.text!r} is not {low!r}"]


def _interval(rows: Rows | bool) -> Interval | None:
    """The bounds that the one row of a value says; days since 1970-01-01 for dates."""
    if not isinstance(rows, list) or len(rows) != 1:
        return None
    row = rows[0]
    if "earliest" in row:
        return _day(row["earliest"]), _day(row["latest"])
    return float(row["low"]), float(row["high"])


def _day(date_time: str) -> float:
    year, month, day = date_time.removesuffix("T00:00:00Z").rsplit("-", 2)
    return float(day_number(int(year), int(month), int(day)))


def _is_close(one: Interval, other: Interval) -> bool:
    return all(math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(one, other, strict=True))


def _told(how: str, iris: set[str | None] | set[str]) -> list[str]:
    shown: Sequence[str] = sorted(map(str, iris))
    return [f"{how} {', '.join(shown[:3])} ({len(shown)} in all)"] if shown else []
