"""Countries in numbers, their borders, peoples, languages, religions, and the organisations that they are in."""

from __future__ import annotations

from maker.geography.atlas import Atlas
from maker.geography.facts import SOURCE, Thing, Value
from maker.geography.names import (
    COUNTRIES,
    GOVERNMENTS,
    LANGUAGES,
    NO_ABBREVIATIONS,
    ORGANISATIONS,
    PARTS,
    RELIGIONS,
)
from maker.world import CLASS, ORG, Node, World, derived_key, literal

_THING = frozenset({"thing"})
_LANGUAGE = frozenset({"language"})
_ORGANISATIONS = frozenset({"org", "place", "thing"})
_MEMBERS = frozenset({"member", "regional member", "nonregional member", "permanent member"})
_NUMBERS = (
    ("P2046", "area"),
    ("kgask:population-growth", "population growth"),
    ("P1279", "inflation"),
    ("P1198", "unemployment"),
    ("kgask:infant-mortality", "infant mortality"),
)
_MILLION = "000000"


def add_countries(atlas: Atlas) -> None:
    """What Mondial says of the countries that the graph has."""
    for thing in atlas.of_kind("country"):
        node = atlas.country(thing.name)
        if node is None or thing.name in PARTS:
            atlas.world.notes["mondial: country left out"] += 1
            continue
        atlas.claim(thing, node)
        if thing.name not in COUNTRIES:
            atlas.world.add_alias(node, thing.name)
    atlas.peoples = _peoples(atlas.world)
    for thing in atlas.of_kind("country"):
        node = atlas.country(thing.name)
        if node is not None and thing.name not in PARTS:
            _numbers(atlas, node, thing)
            _borders(atlas, node, thing)
            _independence(atlas, node, thing)
            _shares(atlas, node, thing)
            _government(atlas.world, node, thing)


def _numbers(atlas: Atlas, node: Node, thing: Thing) -> None:
    world = atlas.world
    for relation, name in _NUMBERS:
        value = thing.first(name)
        if value and not world.values(node, relation):
            unit = "" if value.unit.startswith("per") else value.unit
            world.add_fact(node, relation, literal("number", value.text, unit), SOURCE)
    gdp = thing.first("GDP")
    if gdp:
        dollars = f"{float(gdp.text) * 1e6:.0f}"
        world.add_fact(node, "P2131", literal("number", dollars, "USD"), SOURCE)
    atlas.add_population(node, thing)
    for value in thing.get("population"):
        if "year" in value.said:
            obj = literal("number", value.text)
            world.add_fact(node, "kgask:population-in", obj, SOURCE)
            world.add_statement(node, "kgask:population-in", obj, [("P585", literal("date", value.said["year"]))])


def _borders(atlas: Atlas, node: Node, thing: Thing) -> None:
    for value in thing.get("borders"):
        other = atlas.country(value.name)
        if other is None or value.name in PARTS:
            continue
        if other.key not in atlas.world.values(node, "P47"):
            atlas.world.notes["mondial: border that is only here"] += 1
            continue
        length = literal("number", value.said["length"].removesuffix(" kilometre"), "km")
        atlas.world.add_statement(node, "P47", other, [("P2043", length)])


def _independence(atlas: Atlas, node: Node, thing: Thing) -> None:
    value = thing.first("independence date")
    if value is None:
        return
    year = value.text.split("-")[0]
    date = literal("date", year if value.text.endswith("-01-01") and int(year) < 1800 else value.text)
    atlas.world.add_fact(node, "kgask:independence-date", date, SOURCE)
    former = _state(atlas, value.said.get("from", ""))
    if former is not None and former.key != node.key:
        atlas.world.add_fact(node, "kgask:independent-from", former, SOURCE)
        atlas.world.add_statement(node, "kgask:independent-from", former, [("P585", date)])


def _state(atlas: Atlas, name: str) -> Node | None:
    """A state of today or of the past."""
    return atlas.country(name) or atlas.world.only(name, frozenset({"place"})) if name else None


def _shares(atlas: Atlas, node: Node, thing: Thing) -> None:
    """Languages, religions and peoples, with how many of the people they are."""
    world = atlas.world

    def add(relation: str, obj: Node, value: Value) -> None:
        world.add_fact(node, relation, obj, SOURCE)
        if "percentage" in value.said:
            world.add_statement(node, relation, obj, [("P1107", literal("number", value.said["percentage"], "%"))])

    for value in thing.get("language"):
        add("P2936", language_node(world, value.name), value)
    for value in thing.get("religion"):
        name = RELIGIONS.get(value.name, value.name)
        add("P140", world.get_or_add("religion", name, _THING, SOURCE), value)
    for value in thing.get("ethnic group"):
        add("P172", _people(world, atlas.peoples, value.name), value)


def language_node(world: World, name: str) -> Node:
    """The language of that name."""
    label = LANGUAGES.get(name, name)
    found = [node for node in world.candidates(label, _LANGUAGE) if node.kinds == _LANGUAGE]
    key = derived_key("language", label)
    node = found[0] if found else world.nodes.get(key) or world.add_node(key, label, _LANGUAGE, SOURCE)
    node.sources.add(SOURCE)
    if label != name:
        world.add_alias(node, name)
    return node


def _people(world: World, known: dict[str, Node], name: str) -> Node:
    """A people: Wikidata's *Germans* where it has them, else *Hausa people*."""
    for label in (f"{name}s", f"{name} people", name, f"{name.removesuffix('an')}ans"):
        if label.casefold() in known:
            return known[label.casefold()]
    label = name if name.endswith(" people") else f"{name} people"
    key = derived_key("people", name)
    return world.nodes.get(key) or world.add_node(key, label, _THING, SOURCE)


def _peoples(world: World) -> dict[str, Node]:
    """Ethnic groups of persons, by label."""
    keys = {obj for _subject, relation, obj in world.facts if relation == "P172"}
    return {world.nodes[key].label.casefold(): world.nodes[key] for key in keys}


def _government(world: World, node: Node, thing: Thing) -> None:
    value = thing.first("government")
    if value is None:
        return
    text = value.text.casefold()
    found = {name for part, name in GOVERNMENTS if part in text} or ({"monarchy"} if text == "monarchy" else set())
    if "parliamentary republic" in found or "federal republic" in found or "Islamic republic" in found:
        found.add("republic")
    for name in sorted(found):
        world.add_fact(node, "P122", world.get_or_add("government", name, _THING, SOURCE), SOURCE)


def add_organisations(atlas: Atlas) -> None:
    """Organisations of states, with members and seats; after the cities."""
    world = atlas.world
    for thing in atlas.of_kind("organization"):
        node = _organisation(atlas, thing)
        world.add_class(node, "international organisation", SOURCE)
        founded = thing.first("established")
        if founded:
            world.add_fact(node, "P571", literal("date", founded.text), SOURCE)
        seat = thing.first("headquarters")
        city = atlas.node("city", seat.name) if seat else None
        if city is not None and not world.values(node, "P159"):
            world.add_fact(node, "P159", city, SOURCE)
    for thing in atlas.of_kind("country"):
        node = atlas.node("country", thing.name)
        for value in thing.get("member of"):
            body = atlas.node("organization", value.name)
            if node is not None and body is not None and thing.name not in PARTS and value.said["type"] in _MEMBERS:
                world.add_fact(node, "P463", body, SOURCE)


def _organisation(atlas: Atlas, thing: Thing) -> Node:
    world = atlas.world
    value = thing.first("abbreviation")
    short = value.text if value else ""
    label = ORGANISATIONS.get(thing.name, thing.name)
    names = [label, thing.name]
    found = {node.key: node for name in names for node in world.candidates(name, _ORGANISATIONS)}
    found = {key: node for key, node in found.items() if node.kinds != CLASS and not world.values(node, "P297")}
    if found:
        node = max(found.values(), key=lambda node: (world.degree(node), node.key))
        for other in found.values():  # the European Union as a place, and as a laureate
            if other is not node and {other.label, node.label} <= {label, thing.name}:
                world.merge(node, other)
        atlas.claim(thing, node)
        node.kinds = ORG
    else:
        node = atlas.make(thing, label, ORG)
    for name in (thing.name, label, short if short not in NO_ABBREVIATIONS else ""):
        world.add_alias(node, name)
    return node
