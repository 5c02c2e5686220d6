"""All of Mondial that the pack takes, in the order in which later things need earlier ones."""

from __future__ import annotations

from pathlib import Path

from maker.geography.airports import add_airports
from maker.geography.atlas import Atlas
from maker.geography.cities import add_cities, add_provinces
from maker.geography.continents import Continents
from maker.geography.countries import add_countries, add_organisations
from maker.geography.facts import read_things
from maker.geography.nature import add_nature
from maker.world import World


def read_mondial(world: World, data: Path) -> None:
    """Merge Mondial onto what the graph knows by now: after all other sources, which its places are found in."""
    atlas = Atlas(world, read_things(data))
    add_countries(atlas)
    add_provinces(atlas)
    add_cities(atlas)
    continents = Continents(atlas)
    continents.add_areas()
    add_nature(atlas, continents)
    add_organisations(atlas)
    add_airports(atlas)
