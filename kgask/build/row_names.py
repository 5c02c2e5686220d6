"""By which of its columns the rows of a table are told apart, and called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgask.build.plain_values import is_code, looks_like_value
from kgask.build.tables import readable

_NUMBERS = ("code", "no", "nr", "number", "ref")
_MARK = re.compile(r"[^\W\d_]{0,5}[-_ /.#]?\d[\w/.-]*")  # "L-101", "2024/17"
LETTERED = re.compile(r"[^\W\d_]{1,5}[-_ /.#]?\d[\w/.-]*")
_PERSON = re.compile(r"(?!The )[^\W\d_a-z][\w.'-]*(?: (?:v[oa]n |de[rl]? |al-)?[^\W\d_a-z][\w.'-]*){1,2}")
_LEAST_TITLES, _WORDS_OF_TITLES = 5, 1.5
NEARLY = 0.9
NOTHING = frozenset(("", "NULL", "null", "NaN", "nan", "N/A", "\\N"))


def is_id_of(name: str, values: Sequence[str], kind: str) -> bool:
    """Whether a first column is called by what tells the rows apart: "code", "sailing no" of sailings, or "finding no"
    with marks like "V-101"."""
    before, _, last = readable(name).rstrip(".").rpartition(" ")
    if last == "id" and before or (last == "code" and not before):
        return True
    return last in _NUMBERS and bool(before) and (before == kind or are_marks(values))


def may_name(title: str, columns: dict[str, list[str]]) -> bool:
    """Whether a column that is called as one names rows: not those titles that members have, or several employees."""
    first = next((name for name in columns if name), title)
    return differs(columns[title]) or first == title or readable(title) == "name" or not differs(columns[first])


def named_by(columns: dict[str, list[str]], key: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The column that names rows where none is called as such: as the table is, or the first one if it can."""
    alike = [name for name in columns if readable(name) == kind]
    first = next((name for name in columns if name and name not in key), "")
    values = [value for value in columns.get(first, []) if value not in NOTHING]
    is_text = bool(values) and not is_code(readable(first)) and not all(map(looks_like_value, values))
    if alike and is_text and differs(values) and not differs(columns[alike[0]]):
        return (first,)  # "railway", which several of the engines are of
    if alike or key or not is_text:
        return tuple(alike[:1])
    return (first,) if len(columns) == 2 or differs(values) else ()


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
    is_plain = not any(looks_like_value(value) or _MARK.fullmatch(value) or "@" in value for value in values)
    n_words = sum(len(value.split()) for value in values)
    n_people = sum(_PERSON.fullmatch(value) is not None for value in values)
    are_titles = n_words >= _WORDS_OF_TITLES * len(values) and n_people < NEARLY * len(values)
    return (title[0],) if is_plain and are_titles else ()


def are_marks(values: Sequence[str]) -> bool:
    """Whether they tell rows apart as "B-01" does."""
    return bool(values) and all(map(LETTERED.fullmatch, values)) and differs(values)


def differs(values: Sequence[str]) -> bool:
    return "" not in values and len(set(values)) == len(values)
