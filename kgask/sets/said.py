"""What an answer says that is no entity of the pack: a number, a date, yes or no, whatever it is written like."""

from __future__ import annotations

import re
from typing import Any

from kgask.pack.quantities import CLOCK, DATE, NUMBER, Quantity, date_quantity, to_base

YES = frozenset(("yes", "true", "supported", "supports", "correct"))
NO = frozenset(("no", "false", "refuted", "refutes", "incorrect"))
CLOSE = 1e-9  # of numbers that went through a conversion of units
_NUMBER = re.compile(r"(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?:\s*(\S.*))?", re.IGNORECASE)
_DATE = re.compile(r"-?\d{4}-\d\d(-\d\d)?")
_YEAR = re.compile(r"\d{3,4}")


def said_quantity(value: dict[str, Any] | None, text: str, axis: str | None = None) -> Quantity | None:
    """The number or date of an answer, in base units: its ``value``, else what its text reads as.

    ``axis`` is that of what it is compared with, where that is known: on "" whatever is counted ("66 years", "3 films")
    is left out, and on ``date`` a bare year is one.

    >>> said_quantity({"kind": "number", "low": 2.0, "high": 2.0, "unit": "km"}, "")
    Quantity(axis='m', low=2000.0, high=2000.0)
    >>> said_quantity(None, "1,200 m").low, said_quantity(None, "1817-07-18").axis, said_quantity(None, "Paris")
    (1200.0, 'date', None)
    """
    if value is not None and value["kind"] == "time":
        return Quantity(CLOCK, *(date_quantity(f"T{value[end]}").low for end in ("low", "high")))
    if value is not None and value["kind"] == "date":
        return Quantity(DATE, date_quantity(str(value["low"])).low, date_quantity(str(value["high"])).high)
    if value is not None:
        unit = "" if axis == NUMBER else value.get("unit") or ""
        (own, low), (_, high) = (to_base(float(value[end]), unit) for end in ("low", "high"))
        return Quantity(own, low, high)
    if _DATE.fullmatch(text):
        return _date(text)
    if axis == DATE and _YEAR.fullmatch(text):
        return _date(text.zfill(4))
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    own, number = to_base(float(found[1].replace(",", "")), "" if axis == NUMBER else found[2] or "")
    return Quantity(own, number, number)


def says(gold: str, answer: str) -> bool:
    """Whether an answer's text says the truth, number or date that a gold text does.

    A gold year or month holds for every day in it; a number without a unit is compared as it is written.

    >>> says("yes", "Yes"), says("1289153", "1,289,153"), says("30 metre", "30 m"), says("1967", "1967-03-01")
    (True, True, True, True)
    >>> says("no", "yes"), says("1967-03-01", "1967"), says("Paris", "Paris")
    (False, False, False)
    """
    gold, answer = gold.strip().lower(), answer.strip().lower()
    for truths in (YES, NO):
        if gold in truths:
            return answer in truths
    wanted, said = said_quantity(None, gold), said_quantity(None, answer)
    if wanted is None or said is None:
        return False
    if said.axis == DATE and _YEAR.fullmatch(gold):
        wanted = _date(gold.zfill(4))
    if wanted is None:
        return False
    if NUMBER in (wanted.axis, said.axis) and DATE not in (wanted.axis, said.axis):
        wanted, said = _bare(gold), _bare(answer)
    slack = CLOSE * max(1.0, abs(wanted.low), abs(wanted.high))
    return said.axis == wanted.axis and wanted.low - slack <= said.low and said.high <= wanted.high + slack


def _date(text: str) -> Quantity | None:
    try:
        return date_quantity(text)
    except ValueError:  # 1999-99
        return None


def _bare(text: str) -> Quantity:
    """The number that a text begins with, without its unit."""
    found = _NUMBER.fullmatch(text)
    number = float(found[1].replace(",", "")) if found else float("nan")
    return Quantity(NUMBER, number, number)
