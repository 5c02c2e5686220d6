"""Airports: the city and country that they serve, their height and their IATA code."""

from __future__ import annotations

import re

from maker.geography.atlas import Atlas
from maker.geography.facts import SOURCE
from maker.world import PLACE, literal

_SHORT = (
    (r"\bIntl\b(?! Airport)", "International Airport"), (r"\bIntl Airport\b", "International Airport"),
    (r"\bRgnl\b", "Regional Airport"), (r"\bMuni\b", "Municipal Airport"), (r"\bFld\b", "Field"),
    (r"\bMem\b", "Memorial"), (r"\bCo\b", "County"), (r"\bArpt\b", "Airport"), (r"\bAfb\b", "Air Force Base"),
)  # fmt: skip
_NAMED = re.compile(r"Air|Field|Base|Aero|Flug|Heliport|Station", re.IGNORECASE)


def add_airports(atlas: Atlas) -> None:
    """Those that have a code, and so passengers."""
    world = atlas.world
    for thing in atlas.of_kind("airport"):
        code, country = thing.first("IATA code"), thing.first("country")
        land = atlas.country(country.name) if country else None
        if code is None or land is None:
            continue
        node = atlas.make(thing, _label(thing.name), PLACE)
        world.add_class(node, "airport", SOURCE)
        world.add_fact(node, "P238", literal("string", code.text), SOURCE)
        world.add_fact(node, "P17", land, SOURCE)
        atlas.add_number(node, "P2044", thing, "elevation")
        served = thing.first("city")
        city = atlas.node("city", served.name) if served else None
        if city is not None:
            world.add_fact(node, "P931", city, SOURCE)


def _label(name: str) -> str:
    """``Abu Dhabi Intl`` is Abu Dhabi International Airport, ``Aarhus`` Aarhus Airport."""
    for short, word in _SHORT:
        name = re.sub(short, word, name)
    return name if _NAMED.search(name) else f"{name} Airport"
