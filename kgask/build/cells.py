"""Cells of a table that list several things: "Merlot; Syrah" in a column "grapes"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

SEPARATORS = (";", "|", " / ", ",")
_MOST_PART = 40  # characters of one of several
# Of the parts, that have to be met again, and in another place of a list: what a comma divides may be one thing.
_AGAIN, _ELSEWHERE = {",": 0.6}, {",": 0.25}
_LEAST_AGAIN = 0.25
_PLAIN = (";", "|")  # what hardly divides one thing: lists, though nothing comes again, where most cells have several
_LEAST_LISTS, _MOST_LISTS, _WORDS_OF_PART = 3, 0.6, 4
_LEAST_BOTH, _SHORT = 2, 2  # things that stand alone and in lists, and words of such a thing
_WORD = re.compile(r"[^\W\d]")
_NUMBERS = re.compile(r"(?<![\w.])\d+[^\W\d_]?(?![\w.])")  # "17b" of a plot is one
_TITLES = 0.8  # of the parts, that are what rows of the table are called


def separator_of(values: Sequence[str], titles: Collection[str] = ()) -> str:
    """What divides the things that cells of a column list; "" where each cell says one thing.

    Things that are listed come again, alone or in another place of another list. "Bury, Suffolk" and "Lewes, Sussex"
    list nothing: a county is never without its town. So do things that are ``titles`` of the table's rows.

    >>> separator_of(["Merlot; Syrah", "Syrah", "Gamay"]), separator_of(["Bury, Suffolk", "Eye, Suffolk", "Lewes"])
    (';', '')
    >>> separator_of(["eggs; milk", "rice; saffron", "soy sauce; salmon; sugar", "flour"])
    ';'
    >>> separator_of(["4, 5", "12", "17b", "8, 9, 10"]), separator_of(["4,5", "12", "8,9"])
    (',', '')
    >>> separator_of(["Ann, Bo", "Bo, Cy", "Cy", "Ann"]), separator_of(["he came; he saw", "nothing"])
    (',', '')
    """
    return next((one for one in SEPARATORS if _divides(one, values, titles)), "")


def parts_of(text: str, separator: str) -> list[str]:
    """The things that a cell lists, each once; the cell itself where nothing divides its column."""
    return [*dict.fromkeys(filter(None, map(str.strip, text.split(separator))))] if separator else [text]


def spelt_otherwise(values: Sequence[str]) -> dict[str, str]:
    """The cells of a column that are another one but for capitals, as most of these are written.

    >>> spelt_otherwise(["Dog", "DOG", "Cat", "Dog", "dog"]), spelt_otherwise(["Us", "us", "US"])
    ({'DOG': 'Dog', 'dog': 'Dog'}, {})
    """
    met = Counter(values)
    written: dict[str, list[str]] = {}
    for value in met:
        written.setdefault(value.casefold(), []).append(value)
    several = [ones for ones in written.values() if len(ones) > 1]
    usual = ((ones, max(ones, key=met.__getitem__)) for ones in several if max(map(met.__getitem__, ones)) > 1)
    return {one: most for ones, most in usual for one in ones if one != most}


def _are_numbers(separator: str, values: Sequence[str]) -> bool:
    """Whether cells list numbers, "8, 9, 10": behind what divides them is a space, which no number has."""
    lists = [value for value in values if separator in value]
    return all(
        len(parts := value.split(separator)) == len(_NUMBERS.findall(value))
        and all(part.startswith(" ") for part in parts[1:])
        for value in lists
    )


def _divides(separator: str, values: Sequence[str], titles: Collection[str]) -> bool:
    lists = [parts_of(value, separator) for value in values if value]
    several = [parts for parts in lists if len(parts) > 1]
    if not several or any(len(part) > _MOST_PART for one in several for part in one):
        return False
    if not all(_WORD.search(part) for one in several for part in one):
        return _are_numbers(separator, values)
    if sum(part in titles for parts in several for part in parts) >= _TITLES * sum(map(len, several)):
        return True
    n_words = max(len(part.split()) for parts in several for part in parts)
    is_plain = separator in _PLAIN and n_words <= _WORDS_OF_PART
    if is_plain and len(several) >= max(_LEAST_LISTS, _MOST_LISTS * len(lists)):
        return True
    at: dict[str, set[int]] = {}
    for parts in lists:
        for place, part in enumerate(parts):
            at.setdefault(part, set()).add(place if len(parts) > 1 else -1)
    met = Counter(part for parts in lists for part in parts)
    listed = {part for parts in several for part in parts}
    n_again, n_elsewhere = sum(met[part] > 1 for part in listed), sum(len(at[part]) > 1 for part in listed)
    n_both = sum(-1 in places and len(places) > 1 for places in at.values())
    if separator == "," and n_both >= _LEAST_BOTH and n_words <= _SHORT:  # "Advent, Christmas" and "Christmas" alone
        return True
    is_again = n_again >= max(1, _AGAIN.get(separator, _LEAST_AGAIN) * len(listed))
    return is_again and n_elsewhere >= _ELSEWHERE.get(separator, 0.0) * len(listed)
