"""By which of its columns the rows of a table are told apart, and called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kgask.build.plain_values import is_code, looks_like_value
from kgask.build.tables import readable

_NUMBERS = ("code", "no", "nr", "number", "ref")
_MARK = re.compile(r"[^\W\d_]{0,5}[-_ /.#]?\d[\w/.-]*")  # "L-101", "2024/17"
LETTERED = re.compile(r"[^\W\d_]{1,5}[-_ /.#]?\d[\w/.-]*")
_SURNAME_FIRST = re.compile(r"([^\W\d_][^\d_,]*), ([^\W\d_][^\d_,]*)")
_PERSON = re.compile(r"(?!The )[^\W\d_a-z][\w.'-]*(?: (?:v[oa]n |de[rl]? |al-)?[^\W\d_a-z][\w.'-]*){1,2}")
_NUMBERED = (
    "unit flat apartment room house job order invoice ticket case plot lot bin locker box route bus line lane table bib"
).split()
_WHO = re.compile(
    r"(?:[a-z]{3}(?:er|or|ist|ee|ant|man)|names?|who|person|people|guest|client|patient|staff|contact|student|captain|"
    r"friend|pupil|child)\Z"
)
_LEAST_TITLES, _WORDS_OF_TITLES, _SOME_VALUES = 5, 1.5, 0.25
# The first word of a row that adds up the others; columns of a table that has notes below.
_TOTALS = re.compile(
    r"(?:grand |sub-?)?(?:total[ei]?s?|sum|summe|gesamt|insgesamt)\W*|"
    r"(?:(?:class|overall|column|team) )?(?:average|mean|median)\W*|(?:opening|closing|final) balance\W*",
    re.IGNORECASE,
)
_NOTE = re.compile(r".*(?: = |\w: \w.*).*|\W*(?:note|notes|source|nb|legend|key)\b.*|.{60,}", re.IGNORECASE | re.DOTALL)
_LEAST_NOTED = 4
_LEAST_NEARLY, _NEARLY_ALL = 8, 0.8  # rows, and the share of them that have a name of their own
NO_NOUNS = frozenset("from to by for with at in on of who what where when".split())  # "From" of Income.csv
# A column that is called so says no more than a name.
NO_KINDS = NO_NOUNS | set(
    "description details text caption summary id key code no nr number ref date timestamp".split()
)
NEARLY = 0.9
NOTHING = frozenset(
    ("", "NULL", "null", "NaN", "nan", "N/A", "n/a", "n.a.", "#N/A", "\\N", "-", "--", "\u2013", "\u2014", "?")
)


def is_id_of(name: str, values: Sequence[str], kind: str) -> bool:
    """Whether a first column is called by what tells the rows apart: "code", "Order #", "sailing no" of sailings, "job"
    of jobs that have numbers, or "finding no" with marks like "V-101"."""
    before, _, last = readable(name).rstrip(".").rpartition(" ")
    if last == "id" and before or (last == "code" and not before):
        return True
    are_numbers = differs(values) and all(map(str.isdecimal, values))
    if are_numbers and (last == "#" or (not before and last in (kind, *_NUMBERED))):
        return True
    return last in _NUMBERS and bool(before) and (before == kind or are_marks(values))


def first_name_first(name: str) -> str:
    """How somebody is called whose surname stands first; "" for any other name.

    >>> first_name_first("Falk, Rosa"), first_name_first("Rosa Falk")
    ('Rosa Falk', '')
    """
    found = _SURNAME_FIRST.fullmatch(name)
    return f"{found[2]} {found[1]}" if found is not None else ""


def is_abbreviated(name: str) -> bool:
    """Whether a column's name is cut short, in its first word at least: "Art.", "Inc. No."."""
    first = name.split()[0] if name.split() else ""
    return first.endswith(".") and readable(first).rstrip(".") == first.lower().rstrip(".")


def is_no_row(fields: Sequence[str], n_columns: int) -> bool:
    """Whether a record says no thing: it adds up those above it, or is a note below a table of many columns.

    >>> is_no_row(["TOTAL", "", "", "158"], 4), is_no_row(["Total War", "PC", "2000", "8"], 4)
    (True, False)
    """
    said = [field for field in fields if field]
    is_total = _TOTALS.fullmatch(said[0]) is not None and len(said) < n_columns
    is_alone = len(said) == 1 and n_columns >= _LEAST_NOTED
    return is_total or (is_alone and (len(fields) == 1 or _NOTE.fullmatch(said[0]) is not None))


def may_name(title: str, columns: dict[str, list[str]]) -> bool:
    """Whether a column that is called as one names rows: not those titles that members have, or several employees."""
    first = next((name for name in columns if name), title)
    return differs(columns[title]) or first == title or readable(title) == "name" or not differs(columns[first])


LEAST_DIFFERENT: Final = 0.2  # of the values of a column that may name rows


def named_by(columns: dict[str, list[str]], key: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The column that names rows where none is called as such: as the table is, or the first one if it can."""
    alike = [name for name in columns if readable(name) == kind and _are_many(columns[name])]
    first = next((name for name in columns if name and name not in key), "")
    values = [value for value in columns.get(first, []) if value not in NOTHING]
    n_values = sum(map(looks_like_value, values))
    is_text = bool(values) and not is_code(readable(first)) and n_values < NEARLY * len(values)
    if alike and is_text and differs(values) and not differs(columns[alike[0]]):
        return (first,)  # "railway", which several of the engines are of
    has_gaps = len(values) < NEARLY * len(columns.get(first, []))  # cells that were joined in Excel
    if alike or key or not is_text or has_gaps:
        return tuple(alike[:1])
    return (first,) if len(columns) == 2 or differs(values) else ()


def _are_many(values: Sequence[str]) -> bool:
    """Whether a column has more than a few different values: in "fuel log" the column "fuel" is no name of a row."""
    said = [value for value in values if value not in NOTHING]
    return len(set(said)) >= LEAST_DIFFERENT * len(said)


def nearly_named_by(columns: dict[str, list[str]]) -> tuple[str, ...]:
    """A first column of names of which a few come again, as a wine of two vintages does.

    Dates and people are none: what one sees on a day, or who books a room, comes again when the table grows.
    """
    first = next((name for name in columns if name), "")
    values = [value for value in columns.get(first, []) if value not in NOTHING]
    if len(values) < max(_LEAST_NEARLY, len(columns[first])) or len(set(values)) < _NEARLY_ALL * len(values):
        return ()
    is_plain = not any(looks_like_value(value) or _MARK.fullmatch(value) for value in values)
    is_who = _WHO.search(readable(first)) is not None  # wines are called as people are
    are_people = is_who and sum(_PERSON.fullmatch(value) is not None for value in values) >= NEARLY * len(values)
    return (first,) if is_plain and not are_people and not is_code(readable(first)) else ()


def called_as(kind: str, columns: dict[str, list[str]]) -> tuple[str, ...]:
    """The column of the titles of a part of what the rows are: "vuln title" of "vuln findings"."""
    parts = {f"{word} {name}" for word in kind.split() for name in ("title", "name")}
    return tuple(name for name in columns if readable(name) in parts and differs(columns[name]))[:1]


def titled_by(columns: dict[str, list[str]], marks: tuple[str, ...]) -> tuple[str, ...]:
    """The column behind marks ("L-101"), or behind what several rows are of, that says what each row is: its titles.

    Names of people are none: whoever books a room is not the booking.
    """
    names = [*filter(None, columns)]
    at = names.index(marks[-1]) + 1 if marks else 1
    before, title = columns[names[at - 1]], names[at : at + 1]
    values = columns[title[0]] if title else []
    is_marked = all(map(_MARK.fullmatch, before)) if marks else len(set(before)) < len(before)
    if len(values) < _LEAST_TITLES or not is_marked or not differs(values) or is_code(readable(title[0])):
        return ()
    like_values = sum(looks_like_value(one) or _MARK.fullmatch(one) is not None or "@" in one for one in values)
    is_plain = like_values <= _SOME_VALUES * len(values)  # "Chain 8-speed" is a title
    n_words = sum(len(value.split()) for value in values)
    n_people = sum(_PERSON.fullmatch(value) is not None for value in values)
    are_titles = n_words >= _WORDS_OF_TITLES * len(values) and n_people < NEARLY * len(values)
    return (title[0],) if is_plain and are_titles else ()


def are_marks(values: Sequence[str]) -> bool:
    """Whether they tell rows apart as "B-01" does."""
    return bool(values) and all(map(LETTERED.fullmatch, values)) and differs(values)


def differs(values: Sequence[str]) -> bool:
    return "" not in values and len(set(values)) == len(values)
