"""Numbers, dates and ranks as people write them."""

from __future__ import annotations

import math
import random

from kgask.corpus.names import MONTHS

WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()  # fmt: skip
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
RANKS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"  # noqa: SIM905
).split()
_BIG = ((10**9, ("billion", "bn")), (10**6, ("million", "m", "mio")), (10**3, ("thousand", "k")))


def small(rng: random.Random, most: int = 20) -> str:
    """A count of things, as a word or in digits; small ones more often, never one."""
    number = min(most, 2 + int(rng.expovariate(0.2)))
    return WORDS[number] if number <= 20 and rng.random() < 0.55 else str(number)


def top(rng: random.Random) -> str:
    """How many of the best."""
    number = rng.choice((2, 2, 3, 3, 3, 3, 4, 5, 5, 5, 5, 6, 7, 8, 10, 10, 10, 10, 12, 15, 20, 25, 50, 100))
    return WORDS[number] if number <= 20 and rng.random() < 0.55 else str(number)


def rank(rng: random.Random) -> str:
    """An ordinal after the first: *second*, *3rd*, *second-*."""
    number = min(12, 2 + int(rng.expovariate(0.6)))
    if rng.random() < 0.75:
        return RANKS[number - 1]
    ending = {2: "nd", 3: "rd"}.get(number, "th")
    return f"{number}{ending}"


def number(rng: random.Random, low: float, high: float) -> str:
    """A number of a size between two, mostly round, in one of the ways to write it."""
    value = math.exp(rng.uniform(math.log(max(low, 1e-3)), math.log(high)))
    if value < 20:
        return _little(rng, value, whole=low >= 1)
    digits = rng.choice((1, 1, 2, 2, 3))
    scale = 10 ** max(0, math.floor(math.log10(value)) + 1 - digits)
    rounded = max(scale, round(value / scale) * scale)
    if rounded <= 100 and rounded % 10 == 0 and rounded < 100 and rng.random() < 0.2:
        return TENS[rounded // 10 - 2]
    draw = rng.random()
    for size, names in _BIG:
        if rounded >= size and draw < 0.5:
            share = rounded / size
            return _counted(rng, share, names)
    if rounded >= 1000 and draw < 0.8:
        return f"{rounded:,}" if draw < 0.75 else f"{rounded:,}".replace(",", rng.choice((" ", "'", ".")))
    return str(rounded)


def _little(rng: random.Random, value: float, whole: bool) -> str:
    if whole or rng.random() < 0.4:
        number = max(1, round(value))
        return WORDS[number] if rng.random() < 0.4 else str(number)
    return f"{value:.{rng.choice((1, 1, 2))}f}"


def _counted(rng: random.Random, share: float, names: tuple[str, ...]) -> str:
    """*5 million*, *2.5m*, *two billion*."""
    name = names[0] if rng.random() < 0.85 else rng.choice(names)
    short = name not in ("billion", "million", "thousand")
    text = f"{share:g}"
    if share == 1 and not short and rng.random() < 0.5:
        return rng.choice(("a ", "one ")) + name
    if share in range(2, 21) and not short and rng.random() < 0.4:
        text = WORDS[int(share)]
    return f"{text}{name}" if short and rng.random() < 0.6 else f"{text} {name}"


def value(rng: random.Random, low: float, high: float, units: tuple[str, ...] = ()) -> str:
    """A number with a unit."""
    return with_unit(rng, number(rng, low, high), units)


def with_unit(rng: random.Random, said: str, units: tuple[str, ...]) -> str:
    if not units:
        return said
    unit = rng.choice(units)
    if unit in ("$", "€", "£", "us$"):
        return f"{unit}{said}" if said[0].isdigit() else f"{said} {unit}"
    tight = len(unit) <= 3 and said[-1].isdigit() and rng.random() < 0.25
    return f"{said}{unit}" if tight else f"{said} {unit}"


def between(rng: random.Random, low: float, high: float, units: tuple[str, ...] = ()) -> str:
    """Two numbers as one range, the lesser first."""
    digits = rng.choice((1, 2, 2, 3))
    first = math.exp(rng.uniform(math.log(max(low, 1e-2)), math.log(high)))
    scale = 10.0 ** (math.floor(math.log10(first)) + 1 - digits)
    if low >= 1:
        scale = max(scale, 1.0)
    lower = max(1, round(first / scale))
    upper = lower + rng.randint(1, max(2, lower * rng.choice((1, 1, 3))))
    first_said, last_said = (_plain(rng_value * scale) for rng_value in (lower, upper))
    if rng.random() < 0.15 and units:
        first_said = with_unit(rng, first_said, units[:1])
        last_said = with_unit(rng, last_said, units[:1])
    elif units:
        last_said = with_unit(rng, last_said, units)
    return _joined(rng, first_said, last_said, dates=False)


def _plain(value: float) -> str:
    for size, names in _BIG[:2]:
        if value >= size:
            return f"{value / size:g} {names[0]}"
    return f"{value:,.0f}" if value >= 10_000 else f"{value:g}"


def _joined(rng: random.Random, first: str, last: str, dates: bool) -> str:
    forms = [f"between {first} and {last}"] * 5 + [f"from {first} to {last}"] * 2 + [f"{first} to {last}"]
    if first[-1:].isdigit() and last[:1].isdigit():
        forms += [f"{first}-{last}", f"{first}–{last}"]
    if dates:
        forms += [f"from {first} until {last}", f"from {first} through {last}", f"from {first} till {last}"]
    return rng.choice(forms)


def year(rng: random.Random, low: int, high: int) -> int:
    """A year, recent ones more often."""
    return high - int((high - low) * rng.random() ** 2)


def date(rng: random.Random, low: int, high: int) -> str:
    """A year mostly, else a day, a month, a decade or a century; no word before it."""
    said = year(rng, low, high)
    draw = rng.random()
    if draw < 0.72:
        return round_year(rng, said)
    month = rng.choice(MONTHS)
    day = rng.randint(1, 28)
    if draw < 0.9:
        th = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}.get(day, "th")
        forms = (
            f"{day} {month} {said}", f"{month} {day}, {said}", f"{day}{th} {month} {said}", f"{month} {day}{th} {said}",
            f"{said}-{MONTHS.index(month) + 1:02}-{day:02}", f"{day}/{MONTHS.index(month) + 1}/{said}",
            f"the {day}{th} of {month} {said}", f"{month[:3]} {day}, {said}", f"{day}.{MONTHS.index(month) + 1}.{said}",
        )  # fmt: skip
        return rng.choice(forms)
    return f"{month} {said}" if draw < 0.97 else f"{month[:3]} {said}"


def day(rng: random.Random, low: int, high: int) -> str:
    """A day."""
    said = ""
    while not said or said.isdigit() or len(said.split()) == 2 and "/" not in said:
        said = date(rng, low, high)
    return said


def plain_year(rng: random.Random, low: int, high: int) -> str:
    """A year."""
    return str(year(rng, low, high))


def round_year(rng: random.Random, year: int) -> str:
    """The year, in a third of draws rounded to ten, fifty or a hundred."""
    if rng.random() < 0.35:
        step = rng.choice((10, 10, 50, 100))
        year = year // step * step
    return str(year)


_CENTURIES = {
    11: "eleventh", 12: "twelfth", 13: "thirteenth", 14: "fourteenth", 15: "fifteenth", 16: "sixteenth",
    17: "seventeenth", 18: "eighteenth", 19: "nineteenth", 20: "twentieth", 21: "twenty-first",
}  # fmt: skip


def period(rng: random.Random, low: int, high: int) -> str:
    """A time with a beginning and an end, with its preposition left out: *the 19th century*, *the 1980s*, *1984*."""
    said = year(rng, low, high)
    draw = rng.random()
    if draw < 0.4:
        return str(said)
    if draw < 0.65:
        decade = said // 10 * 10
        short = decade // 10 * 10 % 100
        forms = [f"the {decade}s"] * 3 + [f"the {decade}'s"]
        if 1920 <= decade < 2000:
            forms.append(f"the {short}s")
            if short >= 20:
                forms.append(f"the {TENS[short // 10 - 2].removesuffix('y')}ies")
        return rng.choice(forms)
    if draw < 0.9:
        century = (said - 1) // 100 + 1
        th = {21: "st", 22: "nd", 23: "rd"}.get(century, "th")
        forms = [f"the {century}{th} century"] * 3
        if century in _CENTURIES:
            forms.append(f"the {_CENTURIES[century]} century")
        return rng.choice(forms)
    return f"{rng.choice(MONTHS)} {said}"


def years(rng: random.Random, low: int, high: int) -> str:
    """Two years as one range."""
    first = year(rng, low, high - 1)
    last = min(high, first + rng.choice((1, 2, 3, 4, 5, 6, 10, 10, 15, 20, 30, 50, 100)))
    return _joined(rng, round_year(rng, first) if first % 10 else str(first), str(last), dates=True)
