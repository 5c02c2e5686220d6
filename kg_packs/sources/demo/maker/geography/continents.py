"""On which continents waters and land forms lie: by their countries, and by longitude in countries of two."""

from __future__ import annotations

from maker.geography.atlas import Atlas
from maker.geography.facts import SOURCE, Thing
from maker.world import Node

# Countries of two continents: where the second one begins, in degrees east; (from, to, continent).
_BORDERS = {
    "Russia": (60.0, "Europe", "Asia"),
    "Kazakhstan": (50.5, "Europe", "Asia"),
    "Turkey": (29.2, "Europe", "Asia"),
    "Egypt": (32.6, "Africa", "Asia"),
    "Indonesia": (131.0, "Asia", "Oceania"),
}
# What lies far from the mainland of its country.
_FAR_AWAY = {
    "Hawaii, United States": "Oceania",
    "Canarias, Spain": "Africa",
    "Madeira, Portugal": "Africa",
}
# The rest of them, where neither longitude nor province tells.
_CONTINENTS = {
    "Ural": ("Europe", "Asia"), "Caspian Sea": ("Asia", "Europe"), "Don": ("Europe",), "Volga": ("Europe",),
    "Kama": ("Europe",), "Petschora": ("Europe",), "Northern Dwina": ("Europe",), "Belaya": ("Europe",),
    "Kuban": ("Europe",), "New Guinea": ("Oceania",), "Nile": ("Africa",), "Amur": ("Asia",), "Ob": ("Asia",),
    "Greenland": ("North America",), "Svalbard": ("Europe",), "Cyprus": ("Asia",), "Elbrus": ("Europe",),
    "Irtysch": ("Asia",), "Dnepr": ("Europe",), "Donau": ("Europe",), "Black Sea": (), "Libyan Desert": ("Africa",),
    "Arabian Desert": ("Africa",),
}  # fmt: skip


class Continents:
    """Looks up continents; the graph gives each country one."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        world = atlas.world
        self._by_name = {
            name: node
            for name in ("Africa", "Asia", "Europe", "North America", "South America", "Oceania", "Antarctica")
            for node in world.candidates(name, frozenset({"place"}))
            if any(relation == "P30" for _s, relation, _o in world.facts_to(node.key))
        }
        for node in self._by_name.values():
            world.add_class(node, "continent", SOURCE)

    def add_areas(self) -> None:
        """How big the continents are."""
        for thing in self._atlas.of_kind("continent"):
            node = self._by_name["Oceania" if thing.name.startswith("Australia") else thing.name]
            self._atlas.add_number(node, "P2046", thing, "area")

    def of(self, thing: Thing) -> list[Node]:
        """The continents that a thing lies on."""
        names = _CONTINENTS.get(thing.name)
        if names is None:
            places = [(value.name, value.said.get("province")) for value in thing.get("located in")]
            names = tuple(name for country, province in places if (name := self._name(thing, country, province)))
        return [self._by_name[name] for name in dict.fromkeys(names)]

    def _name(self, thing: Thing, country: str, province: str | None) -> str:
        where = f"{province}, {country}"
        if where in _FAR_AWAY:
            return _FAR_AWAY[where]
        if country in _BORDERS:
            east, first, second = _BORDERS[country]
            longitude = self._longitude(thing, where)
            if longitude is not None:
                return second if longitude >= east or longitude < -100.0 else first
        node = self._atlas.country(country)
        keys = self._atlas.world.values(node, "P30") if node is not None else []
        return next((name for name, continent in self._by_name.items() if continent.key in keys), "")

    def _longitude(self, thing: Thing, where: str) -> float | None:
        """Of the thing, else of the capital of the province."""
        own = thing.number("longitude")
        province = self._atlas.things.get(f"province/{where}")
        capital = province.first("capital") if province else None
        city = self._atlas.things.get(capital.text) if capital else None
        return own if own is not None else city.number("longitude") if city else None
