"""What units are called in a question, as the units that packs write: "square kilometres" is ``km²``.

Own tables, because a question must not pay for the library of units (:mod:`kgask.pack.quantities` loads it where
values are converted), and because that library reads ordinary words ("in", "a") as units too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_METRES = {"": "m", "kilo": "km", "centi": "cm", "milli": "mm", "micro": "µm", "nano": "nm"}
_POWERED = {  # units that are squared and cubed
    **{f"{prefix}{base}": unit for prefix, unit in _METRES.items() for base in ("metre", "meter")},
    **{"mile": "mi", "foot": "ft", "feet": "ft", "inch": "inch", "inches": "inch", "yard": "yd"},
    **{"km": "km", "kms": "km", "m": "m", "cm": "cm", "mm": "mm", "mi": "mi", "ft": "ft", "yd": "yd"},
}
_PREFIXED = {  # SI prefixes in words
    "watt": "W", "watt hour": "Wh", "joule": "J", "hertz": "Hz", "volt": "V", "pascal": "Pa", "byte": "B", "bit": "bit",
    "gram": "g", "gramme": "g", "second": "s", "litre": "l", "liter": "l", "tonne": "t", "ampere": "A",
}  # fmt: skip
_PREFIXES = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "µ", "nano": "n", "centi": "c"}
_NAMES = {
    **{"kilo": "kg", "metric ton": "t", "ton": "t", "pound": "lb", "lb": "lb", "ounce": "oz", "oz": "oz"},
    **{"carat": "carat", "atomic mass unit": "u", "amu": "u", "dalton": "u", "stone": "stone"},
    **{"hectare": "ha", "acre": "acre", "gallon": "gallon", "barrel": "barrel", "nautical mile": "nmi"},
    **{"light year": "ly", "astronomical unit": "au", "parsec": "pc"},
    **{"minute": "min", "min": "min", "sec": "s", "hour": "h", "hr": "h", "hrs": "h", "day": "d"},
    **{"week": "week", "month": "month", "year": "year", "yr": "year", "yrs": "year"},
    **{"knot": "kn", "mph": "mph", "kph": "km/h", "kmh": "km/h", "horsepower": "hp", "hp": "hp", "calorie": "cal"},
    **{"celsius": "°C", "centigrade": "°C", "fahrenheit": "°F", "kelvin": "K", "bar": "bar", "ohm": "ohm"},
    **{"degree": "degree", "percent": "%", "per cent": "%", "atmosphere": "atm", "psi": "psi", "mbps": "Mbit/s"},
    **{"gbps": "Gbit/s", "rpm": "rpm", "electronvolt": "eV", "mole": "mol"},
    **{"dollar": "USD", "us dollar": "USD", "u.s. dollar": "USD", "buck": "USD", "usd": "USD", "euro": "EUR"},
    **{"eur": "EUR", "pound sterling": "GBP", "pounds sterling": "GBP", "british pound": "GBP", "gbp": "GBP"},
    **{"yen": "JPY", "jpy": "JPY", "yuan": "CNY", "rupee": "INR", "swiss franc": "CHF", "chf": "CHF"},
}
_SYMBOLS = (  # as they are written, case and all; of one letter only after digits
    "kg g mg t u s ms h l ml W kW MW GW kWh MWh GWh J kJ MJ Hz kHz MHz GHz V kV mV Pa kPa hPa MPa K ha ly au AU pc eV "
    "B kB KB MB GB TB PB KiB MiB GiB TiB bit kbit Mbit Gbit °C °F ° % € £ $ lbs km/h kn mA mol"
).split()
_CANONICAL = {"AU": "au", "KB": "kB", "°": "degree", "€": "EUR", "£": "GBP", "$": "USD", "lbs": "lb"}
CURRENCIES = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}  # before the number
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def _names() -> dict[str, str]:
    """Every name of a unit, singular and plural, in lower case."""
    found = dict(_NAMES)
    found |= _PREFIXED | {f"{p}{n}": f"{s}{u}" for p, s in _PREFIXES.items() for n, u in _PREFIXED.items()}
    found |= _POWERED
    for name, unit in _POWERED.items():
        for power, said in (
            ("²", "square {}|sq {}|sq. {}|{} squared|{}²|{}^2|{}2"),
            ("³", "cubic {}|{} cubed|{}³|{}3"),
        ):
            for form in said.split("|"):
                found[form.format(name)] = unit + power
                if len(name) > 3 and not name.endswith(("s", "feet")):
                    found[form.format(f"{name}s")] = unit + power
    return {f"{name}s": unit for name, unit in found.items() if len(name) > 2 and name[-1].isalpha()} | found


_UNITS = _names()
_SYMBOL_UNITS = {symbol: _CANONICAL.get(symbol, symbol) for symbol in _SYMBOLS}
_DEGREES = re.compile(r"(?:°|degrees?)[ -]?(celsius|centigrade|fahrenheit|kelvin|[CFK])(?![^\W_])", re.IGNORECASE)
_WORD = r"(?:u\.s\.|sq\.|[^\W\d_]+[²³]?(?:\^?[23](?!\d))?|[%°€£$])"
_FEW_WORDS = re.compile(rf"{_WORD}(?:[ -]{_WORD}){{0,3}}", re.IGNORECASE)
_PER = re.compile(r" ?/ ?| per | an? (?=hour|second|minute|day|year)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OwnUnit:
    """A unit as a pack writes it where the library of units does not know it: "million US dollar"."""

    text: str
    scale: float  # how many of the question's units it holds


def own_units(axes: Iterable[str]) -> dict[str, OwnUnit]:
    """The pack's own units by what questions call them (canonical unit, or the words themselves).

    >>> own_units(["", "date", "million US dollar"])["USD"]
    OwnUnit(text='million US dollar', scale=1000000.0)
    """
    found: dict[str, OwnUnit] = {}
    for axis in axes:
        words = axis.lower().split()
        scale = _SCALES.get(words[0], 1.0) if words else 1.0
        name = " ".join(words[1:] if scale > 1 else words)
        if name and name != "date":
            own = OwnUnit(axis, scale)
            found |= {_UNITS.get(name, name): own, name: own, f"{name}s": own}
    return found


def unit_at(text: str, at: int, after_digits: bool, own: Mapping[str, OwnUnit]) -> tuple[int, str] | None:
    """Where the unit that begins at ``at`` ends, and the unit as packs write it; None where there is none."""
    degrees = _DEGREES.match(text, at)
    if degrees:
        letter = degrees[1][0].upper()
        return degrees.end(), "K" if letter == "K" else "°F" if letter == "F" else "°C"
    first = _one_unit(text, at, after_digits, own)
    if first is None:
        return None
    end, unit = first
    per = _PER.match(text, end)
    second = _one_unit(text, per.end(), True, {}) if per and unit else None
    return (second[0], f"{unit}/{second[1]}") if second and second[1] else first


def _one_unit(text: str, at: int, after_digits: bool, own: Mapping[str, OwnUnit]) -> tuple[int, str] | None:
    few = _FEW_WORDS.match(text, at)
    if few is None:
        return None
    said = few[0]
    while said:
        end = at + len(said)
        lower = said.replace("-", " ").lower()
        symbol = _SYMBOL_UNITS.get(said) if after_digits or len(said) > 1 else None
        unit = (
            symbol or (lower if lower in own else None) or (_UNITS.get(lower) if lower != "m" or after_digits else None)
        )
        if unit is not None and not text[end : end + 1].isalnum():
            return end, unit
        cut = max(said.rfind(" "), said.rfind("-"))
        said = said[:cut] if cut > 0 else ""
    return None
