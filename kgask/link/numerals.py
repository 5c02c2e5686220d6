"""Numbers and ranks as people write them: digits, words, and both ("1.5 million", "two hundred and fifty")."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_SMALL = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SCALES["grand"] = _SCALES["thousand"]
_LETTERS = {"k": 1e3, "mn": 1e6, "bn": 1e9, "tn": 1e12}
_TIMES = {"twice": 2.0, "thrice": 3.0}
_ORDINAL_UNITS = dict(
    zip(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth".split(),
        range(1, 20),
        strict=True,
    )
)
_ORDINAL_TENS = {f"{word[:-1]}ieth": value for word, value in _TENS.items()} | {"hundredth": 100}
ORDINAL_WORDS = (
    _ORDINAL_UNITS
    | _ORDINAL_TENS
    | {
        f"{tens}-{unit}": value + place
        for tens, value in _TENS.items()
        for unit, place in _ORDINAL_UNITS.items()
        if place < 10
    }
)

_DIGITS = re.compile(
    r"(?P<sign>[-+\u2212] ?)?"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.])|\d+)(?P<rest>\.\d+)?"
    r"(?:[eE](?P<e>[+-]?\d{1,3})(?![\w.])| ?[x×] ?10\^?(?P<ten>[-\u2212]?\d{1,2})(?!\d))?"
)
_WORD = re.compile(r"[^\W\d_]+")
_SCALE_AFTER = re.compile(
    r"[ -](hundred|thousand|million|billion|trillion|dozen|(?<=\d )grand(?! (?:prix|slam|piano|total|"
    r"final)))s?(?![^\W_])",
    re.I,
)
_LETTER_AFTER = re.compile(r" ?(k|mn|bn|tn)(?![^\W_])")
_ORDINAL_DIGITS = re.compile(r"(\d{1,3}(?:,\d{3})*)(?:st|nd|rd|th)(?![^\W_])", re.IGNORECASE)
_HALF = re.compile(r"half (?:an? )?(hundred|thousand|million|billion|trillion|dozen)(?![^\W_])", re.IGNORECASE)
_AND_A_HALF = re.compile(r" and a half(?![^\W_])", re.IGNORECASE)
_MINUS = re.compile(r"minus ", re.IGNORECASE)
_LAST = re.compile(
    r"(?:(?P<from>[a-z]+)[ -]to[ -]last|last[ -]but[ -](?P<but>one|two|three)|penultimate|last)(?![^\W_])",
    re.IGNORECASE,
)
_RUNNER_UP = re.compile(r"runners?[ -]up(?![^\W_])", re.IGNORECASE)
_BUT = {"one": 2, "two": 3, "three": 4}  # the last but one is the second from the end
_NOT_LAST = re.compile(  # "last" of time, of a name, and the verb
    r"last (?:year|month|week|night|time|name|names|decade|century|season|summer|winter|spring|autumn|for|until|longer)"
    r"(?![^\W_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it stands in the text, up to ``end``."""

    end: int
    value: float
    digits: str = ""  # the bare digits where nothing else makes the number: a year may be meant
    written: bool = True  # in digits, not in words
    scale: float = 1.0  # of the word after the digits: "million"


def numeral_at(text: str, at: int) -> Numeral | None:
    """The number that begins at ``at``; None where there is none, or one that no float can hold ("1e400")."""
    minus = _MINUS.match(text, at)
    if minus:
        found = numeral_at(text, minus.end())
        return Numeral(found.end, -found.value, "", found.written) if found and found.value > 0 else None
    found = _in_digits(text, at) or _in_words(text, at)
    return found if found is not None and math.isfinite(found.value) else None


def _in_digits(text: str, at: int) -> Numeral | None:
    match = _DIGITS.match(text, at)
    if match is None:
        return None
    whole = re.sub(r"\D", "", match["whole"])
    power = (match["e"] or match["ten"] or "0").replace("\u2212", "-")
    value = float(f"{whole}{match['rest'] or ''}e{power}")
    if match["sign"] and match["sign"][0] != "+":
        value = -value
    scaled = _scaled(text, match.end(), value)
    if scaled:
        return scaled
    return Numeral(match.end(), value, match[0] if match[0].isdecimal() else "")


def _scaled(text: str, end: int, value: float) -> Numeral | None:
    scale = _SCALE_AFTER.match(text, end)
    if scale:
        by = _SCALES[scale[1].lower()]
        return Numeral(scale.end(), _exact(value * by), scale=by)
    letter = _LETTER_AFTER.match(text, end)
    return Numeral(letter.end(), _exact(value * _LETTERS[letter[1]]), scale=_LETTERS[letter[1]]) if letter else None


def _exact(value: float) -> float:
    """Without what binary fractions add: 1.1 million is 1100000."""
    return float(f"{value:.12g}")


def _in_words(text: str, at: int) -> Numeral | None:
    """The longest run of number words that makes one number."""
    half = _HALF.match(text, at)
    if half:
        return Numeral(half.end(), _SCALES[half[1].lower()] / 2, written=False)
    total, current, end, words = 0.0, 0.0, at, 0
    last = "start"  # what stood before: start, unit, ten, scale
    place = at
    while match := _WORD.match(text, place):
        word = match[0].lower()
        if word in _TIMES and not words:
            return Numeral(match.end(), _TIMES[word], written=False)
        if word in ("a", "an") and last == "start" and _is_scale(text, match.end()):
            current, last = 1.0, "unit"
        elif word in _SMALL and (last in ("start", "scale") or (last == "ten" and 0 < _SMALL[word] < 10)):
            current, last = current + _SMALL[word], "unit"
        elif word in _TENS and last in ("start", "scale"):
            current, last = current + _TENS[word], "ten"
        elif (word in _SCALES or word.removesuffix("s") in _SCALES) and last in ("start", "unit", "ten", "scale"):
            if word not in _SCALES and last == "start":
                break  # "hundreds of films" is no number
            scale = _SCALES[word.removesuffix("s")]
            current = (current or 1.0) * scale
            if scale >= 1e3:
                total, current = total + current, 0.0
            last = "scale"
        elif word == "and" and last == "scale" and _number_word_after(text, match.end()):
            place = match.end() + 1
            continue
        else:
            break
        words, end = words + 1, match.end()
        place = end + 1 if text[end : end + 1] in (" ", "-") else end
        if place == end:
            break
    if not words:
        return None
    value = total + current
    halves = _AND_A_HALF.match(text, end)
    if halves and last == "unit":
        scale_word = _SCALE_AFTER.match(text, halves.end())
        scale = _SCALES[scale_word[1].lower()] if scale_word else 1.0
        return Numeral((scale_word or halves).end(), (value + 0.5) * scale, written=False)
    return Numeral(end, value, written=False)


def _is_scale(text: str, end: int) -> bool:
    match = _WORD.match(text, end + 1)
    return match is not None and match[0].lower() in _SCALES


def _number_word_after(text: str, end: int) -> bool:
    match = _WORD.match(text, end + 1)
    return match is not None and match[0].lower() in _SMALL | _TENS


def rank_at(text: str, at: int) -> tuple[int, int] | None:
    """Where the ordinal that begins at ``at`` ends, and its rank; -1 is the last, -2 the last but one."""
    last = _LAST.match(text, at)
    if last and not _NOT_LAST.match(text, at):
        nth = _BUT[last["but"].lower()] if last["but"] else last["from"] and ORDINAL_WORDS.get(last["from"].lower())
        if nth or not last["from"]:
            return last.end(), -(nth or (2 if last[0].lower() == "penultimate" else 1))
    if runner_up := _RUNNER_UP.match(text, at):
        return runner_up.end(), 2
    digits = _ORDINAL_DIGITS.match(text, at)
    if digits:
        rank = int(digits[1].replace(",", ""))
        return (digits.end(), rank) if rank else None
    match = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?").match(text, at)
    if match is None:
        return None
    for word in (match[0], match[0].split("-")[0]):
        rank_value = ORDINAL_WORDS.get(word.lower())
        if rank_value is not None:
            return at + len(word), rank_value
    return None
