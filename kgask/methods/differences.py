"""Differences as people ask for them: the larger less the smaller; between dates, years where those are asked for."""

from __future__ import annotations

import re

from kgask.pack.quantities import DATE
from kgask.query import nodes
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner

_YEARS = re.compile(r"\byears?\b|\b(?:age|birth) (?:gap|difference)\b|\bhow much (?:older|younger)\b", re.IGNORECASE)
_DAYS = re.compile(r"\b(?:days?|months?|weeks?)\b", re.IGNORECASE)


def downwards(runner: Runner, found: Result) -> Result:
    """A difference is asked for whatever stands first in the question: the larger less the smaller."""
    query = found.query
    if isinstance(query, nodes.Difference) and found.quantity is not None and found.quantity.high < 0:
        return runner.result(nodes.Difference(query.right, query.left))
    return found


def in_years(text: str, runner: Runner, found: Result) -> Result:
    """What lies between two dates is told in days, and in years where the question asks for those."""
    query = found.query
    is_asked = _YEARS.search(text) is not None and _DAYS.search(text) is None
    if not (is_asked and isinstance(query, nodes.Difference)):
        return found
    ends = [runner.result(end).quantity for end in (query.left, query.right)]
    if any(end is None or end.axis != DATE for end in ends):
        return found
    return runner.result(nodes.Age(query.right, query.left))
