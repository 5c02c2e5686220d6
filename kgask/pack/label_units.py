"""The unit that a column's name says: ``height_m``, ``Price (EUR)``, ``lengthMm``.

A number of such a column is a quantity: it is told with its unit, and compared with "2 km". What may be short for
something else ("m" for a million, "min" for the least) counts only beside a word for what is measured so.
"""

from __future__ import annotations

import re

_ALIKE = "km cm mm kg mg ha ft mi lb oz ml kW MW GW kWh MWh GWh GB MB TB kB MHz GHz kHz kPa hPa mph km² m² m³ km/h %"
_SAID = (
    "km2 km²; sqkm km²; m2 m²; sqm m²; sqft ft²; sqmi mi²; m3 m³; kmh km/h; kph km/h; eur EUR; euros EUR; € EUR; "
    "usd USD; $ USD; gbp GBP; £ GBP; chf CHF; °c °C; mins min; minutes min; hrs h; hours h; days day; metres m; "
    "meters m; tonnes t; hectares ha; lbs lb; pct %; percent %; "
    "mxn MXN; cad CAD; aud AUD; nzd NZD; sek SEK; nok NOK; dkk DKK; isk ISK; pln PLN; czk CZK; huf HUF; jpy JPY; "
    "cny CNY; inr INR; brl BRL; zar ZAR"
)
_LENGTHS = (
    "length height depth width breadth elevation altitude elev alt len ht draught draft beam diameter diam radius "
    "distance dist ascent climb loa wingspan drop dive span range level above focal bore thickness"
)
_WEIGHTS = "weight mass load cargo capacity tonnage deadweight displacement yield harvest catch body birth"
_TIMES = (
    "duration time runtime length playing flight travel walking cooking prep turnaround journey dur delay late "
    "downtime walk hike effort work labour labor uptime wait"
)
_BESIDE = {
    "m": ("m", _LENGTHS), "t": ("t", _WEIGHTS), "g": ("g", _WEIGHTS), "s": ("s", _TIMES), "h": ("h", _TIMES),
    "min": ("min", _TIMES), "c": ("°C", "temperature temp"), "f": ("°F", "temperature temp"),
    "l": ("l", "volume capacity tank fuel"),
}  # fmt: skip
_UNITS = {one.lower(): one for one in _ALIKE.split()} | dict(one.split() for one in _SAID.split("; "))
_SQUARE = re.compile(r"\bsq\.? (m|km|ft|mi)\b", re.IGNORECASE)
_POWERED = tuple(  # "area in square metres" is none in metres
    (re.compile(rf"\b{power} {called}\b", re.IGNORECASE), unit)
    for power, called, unit in (
        ("square", "kilomet(?:re|er)s?", "sqkm"), ("square", "met(?:re|er)s?", "sqm"),
        ("square", "(?:foot|feet)", "sqft"), ("square", "miles?", "sqmi"), ("cubic", "met(?:re|er)s?", "m3"),
    )
)  # fmt: skip
_ABOVE_SEA = re.compile(r"\s*(?:\ba\.? ?s\.? ?l\.?|\b(?:a\.?m\.?s\.?l\.?|above sea level))(?=\W*\Z)", re.IGNORECASE)
_LAST = re.compile(r"(?P<before>.*\w)[\s,]*[\s(\[](?P<unit>[^\s()\[\]]{1,8})[)\]]?")


def unit_of_label(words: str) -> str:
    """The unit at the end of a relation's name in words, or that is all of it; the empty text where there is none.

    >>> unit_of_label("height m"), unit_of_label("Price (EUR)"), unit_of_label("budget m"), unit_of_label("depth min")
    ('m', 'EUR', '', '')
    >>> unit_of_label("km"), unit_of_label("minutes"), unit_of_label("m")
    ('km', 'min', '')
    >>> unit_of_label("area in square metres"), unit_of_label("volume cubic metres")
    ('m²', 'm³')
    >>> unit_of_label("altitude (m a.s.l.)"), unit_of_label("downtime (h)")
    ('m', 'h')
    >>> unit_of_label("price per kg"), unit_of_label("price per kg (€)")
    ('', 'EUR')
    """
    words = _SQUARE.sub(r"sq\1", _ABOVE_SEA.sub("", words.strip()))
    for called, unit in _POWERED:
        words = called.sub(unit, words)
    found = _LAST.fullmatch(words)
    if found is None:
        return _UNITS.get(words.lower(), "")
    if found["before"].lower().endswith(" per"):  # "price per kg" is no weight
        return ""
    said = found["unit"].lower()
    unit, beside = _BESIDE.get(said, (_UNITS.get(said, ""), ""))
    is_measured = not beside or not set(found["before"].lower().split()).isdisjoint(beside.split())
    return unit if is_measured else ""
