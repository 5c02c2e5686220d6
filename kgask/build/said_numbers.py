"""Numbers in a table as people write them: with a unit, with signs between thousands, with a decimal point or comma.

``1,234.56`` and ``1.234,56`` are one number in two conventions, and ``1.234`` is another number in each. Which one is
meant is told by the other values of the column (:class:`Convention`), never by one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

_FRAME = (
    r"(?:(?P<before>[$€£¥])\s?)?(?P<sign>[+-]?)(?P<digits>[1-9]\d{{0,2}}(?:{between}\d{{3}})+|\d+)(?P<rest>{point}\d+)?"
    r"(?(before)|\s?(?P<behind>(?:[^\W\d_]|[°%‰€$£¥µ])[\w°/²³]{{0,7}})?)"
)


class Convention(StrEnum):
    """What stands before the decimals."""

    POINT = "point"
    COMMA = "comma"


_FORMS = {
    Convention.POINT: re.compile(_FRAME.format(between=r"[,'\u2019]", point=r"\.")),
    Convention.COMMA: re.compile(_FRAME.format(between=r"[.'\u2019\u00a0\u202f]", point=",")),
}


@dataclass(frozen=True, slots=True)
class Written:
    """A number as it was read."""

    text: str  # as a literal has it
    unit: str
    is_coded: bool  # begins with a zero, as codes do


def written(text: str, convention: Convention = Convention.POINT) -> Written | None:
    """What number a text is in a convention; None for what is none.

    >>> [written("1.234,5 km", one) for one in Convention]
    [None, Written(text='1234.5', unit='km', is_coded=False)]
    >>> [written("1,234", one).text for one in Convention], written("0,125")
    (['1234', '1.234'], None)
    """
    found = _FORMS[convention].fullmatch(text)
    if found is None:
        return None
    digits, rest = re.sub(r"\D", "", found["digits"]), (found["rest"] or "").replace(",", ".")
    is_coded = len(digits) > 1 and digits.startswith("0")
    return Written(f"{found['sign']}{digits}{rest}", found["before"] or found["behind"] or "", is_coded)


def is_number(text: str) -> bool:
    """Whether a text is a number in any convention."""
    return any(form.fullmatch(text) for form in _FORMS.values())


@dataclass(slots=True)
class Votes:
    """How many texts are numbers in one convention only, and the first (as texts go) that is another number in each."""

    point: int = 0
    comma: int = 0
    unclear: str = ""

    def count(self, text: str, point: Written | None, comma: Written | None) -> None:
        if point is None or comma is None:
            self.point += point is not None
            self.comma += comma is not None
        elif point.text != comma.text:
            self.unclear = min(self.unclear or text, text)

    @property
    def convention(self) -> Convention | None:
        """What most texts are written in; None where none tells."""
        if self.point == self.comma:
            return None
        return Convention.COMMA if self.comma > self.point else Convention.POINT


def usual(votes: Iterable[Votes]) -> Convention:
    """The convention of columns that do not tell: that of those that do, if they agree, else the decimal point."""
    found = {one.convention for one in votes} - {None}
    return Convention.COMMA if found == {Convention.COMMA} else Convention.POINT
