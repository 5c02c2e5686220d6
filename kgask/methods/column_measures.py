"""What a column of numbers measures, by its name: in words of a question, and whether it may be added up."""

from __future__ import annotations

import re

from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise

_MONEY = (
    "money euro euros dollars pounds francs revenue turnover income takings cost costs spend spent spending earned earn"
)
CURRENCIES = ("EUR", "USD", "GBP", "CHF")
MONEY = frozenset(_MONEY.split())
_CALLED = {  # what is measured in a unit is called in a question
    "h": "hour hours time", "min": "minute minutes time", "kg": "kilo kilos kilogram kilograms kgs weight",
    "g": "grams", "t": "tonnes tons", "km": "kilometres kilometers kms distance", "m": "metres meters",
    "l": "litres liters", "mi": "miles", "ha": "hectares", "kWh": "energy",
    **dict.fromkeys(CURRENCIES, _MONEY),
}  # fmt: skip
_NEVER_ADDS_UP = re.compile(
    r"\bper\b|[a-z]{3,}\.? ?/ ?[a-z]|\brate\b|\baverage\b|\bavg\b|%|\bpercent|°|\bph\b|\bage\b|\bscore\b|\bgrade\b|/wk|"
    r"\b(?:number|no|nr|id|code|reading|odometer|year|floor|room|page|position|rank|phone|depth|height|temperature)\b"
    r"(?: \(.*\))?\Z"
)
PART_OF = re.compile(r"\bhow much of\b", re.IGNORECASE)  # asks for no sum of all
QUANTITY = re.compile(r"\A(?:quantity|qty|pieces|pcs|units|count|how many|number(?: ordered| sold| bought)?)\b")


def measures_of(label: str) -> frozenset[str]:
    """The words of a column's name in lower case, and what its unit measures.

    >>> sorted(measures_of("hours of work (h)"))
    ['h', 'hour', 'hours', 'time', 'work']
    """
    words = {*normalise(label).split()} - {"of", "which", "in", "the", "incl", "and"}
    return frozenset(words | {*_CALLED.get(unit_of_label(label), "").split()})


def adds_up(label: str) -> bool:
    """Whether numbers of a column of this name may be added up: no prices of one, rates, numbers of orders.

    >>> adds_up("hours (incl. O/T)"), adds_up("price/bottle (€)"), adds_up("km reading"), adds_up("Number of mites")
    (True, False, False, True)
    """
    return _NEVER_ADDS_UP.search(readable_relation(label).lower()) is None
