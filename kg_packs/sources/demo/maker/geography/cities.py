"""Provinces and cities: which of them the graph knows, what they are called, and where they lie."""

from __future__ import annotations

from collections import defaultdict

from maker.geography.atlas import Atlas
from maker.geography.facts import SOURCE, Thing
from maker.geography.names import CAPITALS, CITIES, FORMER, MUNICIPALITIES, PROVINCE_WORDS, PROVINCES
from maker.world import PLACE, Node, World, match_key

_SAME_SIZE = 0.12  # a province with hardly more people than its capital is the city
_DOMINANT = 3  # a name without a country is the biggest city's where that has so many times the people of the next
# Provinces whose names the graph's entity has, although a city is called so too.
_PROVINCE_FIRST = frozenset({"New York, United States", "Washington, United States", "Quebec, Canada"})


def short_name(thing: Thing) -> str:
    """``Paris`` of ``Paris, Île-de-France, France``; ``Punjab`` of ``Punjab, India``."""
    province = thing.first("province")
    return thing.name.removesuffix(f", {province.name}") if province else thing.name.rsplit(", ", 1)[0]


def country_of(thing: Thing) -> str:
    return thing.name.rsplit(", ", 1)[-1]


def add_provinces(atlas: Atlas) -> None:
    """Provinces, states, cantons; those that only repeat a country or a city are none of their own."""
    cities = _cities_of(atlas)
    for thing in atlas.of_kind("province"):
        country = atlas.country(country_of(thing))
        if country is None or short_name(thing) == country_of(thing):
            continue
        name = PROVINCES.get(short_name(thing), short_name(thing))
        twin = cities.get((match_key(name), country.key))
        if twin is not None and _is_as_big(thing, twin):
            continue  # Berlin: found again as the city
        shared = twin is not None and thing.name not in _PROVINCE_FIRST
        label = _province_label(thing, name, shared)
        names = _long_names(thing, name) + ([] if shared else [name, short_name(thing)])
        node = atlas.find(names, {country.key}, alone=True)
        if node is None:
            node = atlas.make(thing, label, PLACE)
        else:
            atlas.claim(thing, node)
        node.kinds = PLACE
        _describe_province(atlas, node, thing, country, shared)


def _province_label(thing: Thing, name: str, shared: bool) -> str:
    word = "Municipality" if name in MUNICIPALITIES else PROVINCE_WORDS.get(country_of(thing), "Province")
    return f"{name} {word}" if shared and not name.endswith(word) else name


def _long_names(thing: Thing, name: str) -> list[str]:
    """*Kalmar County*, *Province of Parma*: what only the province is called."""
    words = {PROVINCE_WORDS.get(country_of(thing), "Province"), "Region", "Province"}
    return [text for word in sorted(words) for text in (f"{name} {word}", f"{word} of {name}")]


def _cities_of(atlas: Atlas) -> dict[tuple[str, str], Thing]:
    """The biggest city of each name in each country."""
    found: dict[tuple[str, str], Thing] = {}
    provinces = frozenset(thing.name for thing in atlas.of_kind("province"))
    for thing in sorted(atlas.of_kind("city"), key=lambda thing: thing.number("population") or 0.0):
        country = atlas.country(country_of(thing))
        if country is not None:
            for name in _names(thing, provinces):
                found[match_key(name), country.key] = thing
    return found


def _is_as_big(province: Thing, city: Thing) -> bool:
    people, in_city = province.number("population"), city.number("population")
    capital = province.first("capital")
    is_seat = capital is not None and capital.name == city.name
    return bool(is_seat and people and in_city and abs(people - in_city) <= _SAME_SIZE * people)


def _describe_province(atlas: Atlas, node: Node, thing: Thing, country: Node, shared: bool) -> None:
    world = atlas.world
    us_state = country_of(thing) == "United States" and short_name(thing) != "District of Columbia"
    world.add_class(node, "U.S. state" if us_state else "province", SOURCE)
    world.add_fact(node, "P17", country, SOURCE)
    atlas.add_population(node, thing)
    atlas.add_number(node, "P2046", thing, "area")
    for name in (short_name(thing), *(value.text for value in thing.get("other name"))):
        if not shared and name != node.label:
            world.add_alias(node, name)


def _names(thing: Thing, provinces: frozenset[str]) -> list[str]:
    """What a city is called: in English first, then as Mondial has it, without names of its country's provinces."""
    name = short_name(thing)
    others = [value.text for value in thing.get("other name") if f"{value.text}, {country_of(thing)}" not in provinces]
    return list(dict.fromkeys((CITIES.get(name, name), name, *others, *FORMER.get(name, ()))))


def add_cities(atlas: Atlas) -> None:
    """Cities, the big ones first, so that a name known without its country is theirs."""
    world = atlas.world
    provinces = frozenset(thing.name for thing in atlas.of_kind("province"))
    capitals = _capitals(atlas, provinces)
    things = sorted(atlas.of_kind("city"), key=lambda thing: (-(thing.number("population") or 0.0), thing.name))
    sizes: dict[str, list[float]] = defaultdict(list)
    for thing in things:
        for name in {match_key(name) for name in _names(thing, provinces)}:
            sizes[name].append(thing.number("population") or 0.0)
    for thing in things:
        country = atlas.country(country_of(thing))
        if country is None:
            continue
        names = _names(thing, provinces)
        found = atlas.find(names, {country.key}, alone=_is_biggest(thing, names, sizes))
        capital = capitals.get(thing.name)
        node = capital if capital is not None and capital.key in world.nodes else found
        if node is not None and found is not None and found is not node:
            world.merge(node, found)
        if node is None and _is_whole_country(thing, country, world):
            node = atlas.claim(thing, country)  # Hong Kong
        elif node is None:
            node = atlas.make(thing, names[0], PLACE)
        else:
            atlas.claim(thing, node)
            world.notes["mondial: city merged"] += 1
            if node.key.startswith("city-"):  # of another source without Wikidata's label: Amoy
                world.add_alias(node, node.label)
                node.label = names[0]
        _describe_city(atlas, node, thing, country, names)
    _add_seats(atlas)


def _is_whole_country(thing: Thing, country: Node, world: World) -> bool:
    """Whether the city is all of a territory that is no state of its own."""
    state = "class-country" in world.values(country, "P31")
    return match_key(short_name(thing)) in {match_key(name) for name in (country.label, *country.aliases)} and not state


def _is_biggest(thing: Thing, names: list[str], sizes: dict[str, list[float]]) -> bool:
    """Whether no other city of the name has a third of its people."""
    people = thing.number("population") or 0.0
    others = sorted((size for name in names[:1] for size in sizes[match_key(name)]), reverse=True)[1:2]
    return people > 0 and people == max(sizes[match_key(names[0])]) and people >= _DOMINANT * sum(others)


def _capitals(atlas: Atlas, provinces: frozenset[str]) -> dict[str, Node]:
    """The node that is a country's capital already, by the name of Mondial's city."""
    world, found = atlas.world, {}
    for thing in atlas.of_kind("country"):
        country, capital = atlas.node("country", thing.name), thing.first("capital")
        city = atlas.things.get(capital.text) if capital else None
        if country is None or city is None:
            continue
        seats = [world.nodes[key] for key in world.values(country, "P36")]
        names = {match_key(name) for name in (*_names(city, provinces), CAPITALS.get(thing.name, ""))}
        same = [seat for seat in seats if names & {match_key(name) for name in (seat.label, *seat.aliases)}]
        if len(same) == 1:
            found[city.name] = same[0]
        else:
            world.notes[f"mondial: capital of another name: {thing.name}: {city.name}"] += 1
    return found


def _describe_city(atlas: Atlas, node: Node, thing: Thing, country: Node, names: list[str]) -> None:
    world = atlas.world
    node.kinds = PLACE
    world.add_class(node, "city", SOURCE)
    world.add_fact(node, "P17", country, SOURCE)
    for name in names:
        world.add_alias(node, name)
    if not world.values(node, "P1082"):
        atlas.add_population(node, thing)
    atlas.add_number(node, "P2044", thing, "elevation")
    value = thing.first("province")
    province = atlas.node("province", value.name) if value else None
    twin = atlas.things.get(value.text) if value else None
    if province is not None:
        world.add_fact(node, "P131", province, SOURCE)
    elif twin is not None and match_key(PROVINCES.get(short_name(twin), short_name(twin))) == match_key(names[0]):
        atlas.nodes[value.text] = node  # the city is the province
        atlas.add_number(node, "P2046", twin, "area")
        if country_of(twin) != short_name(twin):
            world.add_class(node, "province", SOURCE)


def _add_seats(atlas: Atlas) -> None:
    """Capitals of provinces."""
    for thing in atlas.of_kind("province"):
        node, capital = atlas.node("province", thing.name), thing.first("capital")
        city = atlas.node("city", capital.name) if capital else None
        if node is not None and city is not None and not atlas.world.values(node, "P36"):
            atlas.world.add_fact(node, "P36", city, SOURCE)
