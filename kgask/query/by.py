"""What members of a set are judged by: values, how many, totals, spans (see :mod:`kgask.query.nodes`)."""

from __future__ import annotations

from dataclasses import dataclass

from kgask.query.base import By, SetNode
from kgask.types import DirectedRelationId


@dataclass(frozen=True, slots=True)
class ValueOf(By):
    """The numbers or dates at the end of the path."""


@dataclass(frozen=True, slots=True)
class SizeOf(By):
    """How many different ends the path has, that surely are ``among`` a set where one is given; 0 without any."""

    among: SetNode | None = None


@dataclass(frozen=True, slots=True)
class TotalOf(By):
    """What the numbers at the end of the path add up to, of each thing before it once: the hours of all entries, or of
    those that surely are ``among`` a set."""

    among: SetNode | None = None


@dataclass(frozen=True, slots=True)
class SpanOf(By):
    """How far the number or date at the end of ``until`` lies behind that at the end of the path: how long a reign was.

    Of dates and times in seconds; between two dates of which no more than the year is known, whole years.
    """

    until: tuple[DirectedRelationId, ...]
