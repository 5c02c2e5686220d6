"""Waters and land forms: rivers, lakes, seas, islands, mountains, deserts, with sizes and where they lie."""

from __future__ import annotations

from maker.geography.atlas import LANDS, Atlas
from maker.geography.continents import Continents
from maker.geography.facts import SOURCE, Thing
from maker.geography.names import (
    ALSO_DESERTS,
    ALSO_MOUNTS,
    DESERTS,
    GROUPS,
    ISLANDS,
    LAKES,
    MOUNTAINS,
    RANGES,
    RIVERS,
    SEAS,
)
from maker.world import PLACE, Node, World, derived_key, match_key

_SAME_ISLAND = 0.12  # a country or province is the island where their areas differ by no more
_LARGE = 1000.0  # km²: an island so big is what its name means
_NUMBERS = {
    "river": (("P2043", "length"), ("P2053", "catchment area"), ("kgask:source-elevation", "source elevation")),
    "lake": (("P2046", "area"), ("P4511", "depth"), ("P2044", "elevation")),
    "sea": (("P2046", "area"), ("P4511", "depth")),
    "island": (("P2046", "area"), ("P2044", "elevation")),
    "mountain": (("P2044", "elevation"),),
    "desert": (("P2046", "area"),),
}
_LAKE_SORTS = {"saline": "salt lake", "dam": "reservoir", "caldera": "crater lake", "crater": "crater lake"}
_ISLAND_SORTS = {"volcanic": "volcanic island", "atoll": "atoll", "raisedatoll": "atoll", "coral": "coral island"}
_MOUNTAIN_SORTS = {"volcano": "volcano", "volcanic": "volcano"}
_TABLES = {"river": RIVERS, "lake": LAKES, "sea": SEAS, "island": ISLANDS, "mountain": MOUNTAINS, "desert": DESERTS}


def add_nature(atlas: Atlas, continents: Continents) -> None:
    """All of them; the islands first, because other things lie on them, and links when all have nodes."""
    for kind in ("sea", "island", "lake", "mountain", "desert", "river"):
        for thing in atlas.of_kind(kind):
            node = _node(atlas, thing)
            for relation, name in _NUMBERS[kind]:
                atlas.add_number(node, relation, thing, name)
            _class(atlas.world, node, thing)
    for kind in ("sea", "island", "lake", "mountain", "desert", "river"):
        for thing in atlas.of_kind(kind):
            node = atlas.nodes[f"{kind}/{thing.name}"]
            _where(atlas, node, thing, continents)
            _links(atlas, node, thing)
    _city_waters(atlas)


def _node(atlas: Atlas, thing: Thing) -> Node:
    label = _TABLES[thing.kind].get(thing.name, thing.name)
    if label.startswith("Mt. "):
        label = f"Mount {label.removeprefix('Mt. ')}"
    same = _same_land(atlas, thing, label) if thing.kind == "island" else None
    if same is not None:
        atlas.world.notes["mondial: island that is a country or province"] += 1
        return atlas.claim(thing, same)
    countries = {node.key for name in thing.countries() if (node := atlas.country(name)) is not None}
    large = (thing.number("area") or 0.0) >= _LARGE
    node = atlas.find([label, thing.name], countries, alone=large or thing.kind in ("sea", "river", "desert"))
    if node is not None and node.kinds <= LANDS:
        atlas.world.notes[f"mondial: {thing.kind} merged"] += 1
        atlas.claim(thing, node)
    else:
        node = atlas.make(thing, _told_apart(atlas, thing, label), PLACE)
    if match_key(node.label) == match_key(label):
        node.label = label  # "Pacific ocean"
    node.kinds = PLACE
    _names(atlas, node, thing, label)
    return node


def _told_apart(atlas: Atlas, thing: Thing, label: str) -> str:
    """The Colorado River is called so, because a state has the bare name."""
    if not atlas.is_taken(label):
        return label
    if thing.kind == "island":
        if atlas.country(label) is not None:
            return f"{label} (island)"
        return label if "Island" in label else f"{label} Island"
    words = {"river": "River", "desert": "Desert", "mountain": "(mountain)", "lake": "(lake)", "sea": "(sea)"}
    if thing.kind == "mountain" and label in ALSO_MOUNTS:
        return f"Mount {label}"
    if label.startswith(("Rio ", "Río ", "River ")):
        return f"{label} (river)"
    return label if label.endswith(words[thing.kind]) else f"{label} {words[thing.kind]}"


def _names(atlas: Atlas, node: Node, thing: Thing, usual: str) -> None:
    """Other names: what Mondial has, and what people say with the kind or without it."""
    label = node.label
    names = [name for name in (thing.name, usual) if atlas.country(name) is None]
    if thing.kind == "river" and "River" not in label and "(" not in label:
        names += [f"{label} River", f"River {label}"]
    if thing.kind == "river" and label.endswith(" River"):
        bare = label.removesuffix(" River")
        names += [f"River {bare}", *([] if atlas.country(bare) is not None else [bare])]
    if thing.kind == "mountain" and label.startswith("Mount "):
        names += [bare for bare in (label.removeprefix("Mount "),) if not atlas.is_taken(bare)]
    if thing.kind == "mountain" and label in ALSO_MOUNTS:
        names.append(f"Mount {label}")
    if thing.kind == "desert" and label in ALSO_DESERTS:
        names.append(f"{label} Desert")
    for name in names:
        atlas.world.add_alias(node, name, findable=True)


def _same_land(atlas: Atlas, thing: Thing, label: str) -> Node | None:
    """The country or province that is this island: same name, and about as big."""
    area = thing.number("area")
    for node in atlas.world.candidates(label, PLACE):
        areas = [float(obj.split('"')[1]) for obj in atlas.world.values(node, "P2046")]
        if area and areas and abs(areas[0] - area) <= _SAME_ISLAND * max(areas[0], area):
            return node
    return None


def _class(world: World, node: Node, thing: Thing) -> None:
    sort = thing.first("kind")
    kind = sort.text if sort else ""
    tables = {"lake": _LAKE_SORTS, "island": _ISLAND_SORTS, "mountain": _MOUNTAIN_SORTS}
    world.add_class(node, "ocean" if thing.kind == "sea" and node.label.endswith("Ocean") else thing.kind, SOURCE)
    narrower = tables.get(thing.kind, {}).get(kind)
    if narrower:
        world.add_class(node, narrower, SOURCE)


def _where(atlas: Atlas, node: Node, thing: Thing, continents: Continents) -> None:
    """Countries, provinces and the continent; a sea has the countries at its coast instead."""
    world = atlas.world
    coast = thing.kind == "sea"
    relation = "located at coast of" if coast else "located in"
    for name in thing.countries(relation):
        country = atlas.country(name)
        if country is not None and coast:
            world.add_fact(country, "P206", node, SOURCE)
        elif country is not None:
            world.add_fact(node, "P17", country, SOURCE)
    for name in thing.provinces(relation):
        province = atlas.node("province", name)
        if province is not None and not coast:
            world.add_fact(node, "P131", province, SOURCE)
    if not coast and not world.values(node, "P30"):
        for continent in continents.of(thing):
            world.add_fact(node, "P30", continent, SOURCE)


def _links(atlas: Atlas, node: Node, thing: Thing) -> None:
    """What a thing has to do with other things: mouths, outflows, ranges, groups, islands."""
    world = atlas.world

    def link(relation: str, name: str, turned: bool = False) -> None:
        for value in thing.get(name):
            other = atlas.nodes.get(value.text)
            if other is not None:
                pair = (other, node) if turned else (node, other)
                world.add_fact(pair[0], relation, pair[1], SOURCE)

    link("P403", "flows into")
    link("P469", "flows through")
    link("P201", "outflow")
    link("P706", "located on island")
    link("P206", "located in water")
    link("kgask:merges-with", "merges with")
    for relation, name in (("kgask:source-country", "source in"), ("kgask:mouth-country", "estuary in")):
        for country_name in thing.countries(name):
            country = atlas.country(country_name)
            if country is not None:
                world.add_fact(node, relation, country, SOURCE)
    groups = (
        ("P4552", "mountain range", RANGES, "mountain range"),
        ("P885", "source mountains", RANGES, "mountain range"),
        ("P361", "island group", GROUPS, "island group"),
    )
    for relation, name, table, label in groups:
        for value in thing.get(name):
            world.add_fact(node, relation, _group(atlas, value.name, table, label), SOURCE)


def _group(atlas: Atlas, name: str, table: dict[str, str], label: str) -> Node:
    """A mountain range or a group of islands: known by name only, but it may be a province or country."""
    world = atlas.world
    usual = table.get(name, name)
    key = f"{label}/{usual}"
    if key not in atlas.nodes:
        lands = [node for node in world.candidates(usual, PLACE) if _is_land(world, node)]
        known = lands[0] if lands and label == "island group" else atlas.find([usual], set(), alone=True)
        node = known or world.add_node(derived_key(label.replace(" ", "-"), usual), usual, PLACE, SOURCE)
        atlas.nodes[key] = node
        atlas.claimed.add(node.key)
        node.kinds = PLACE
        world.add_class(node, label, SOURCE)
    return atlas.nodes[key]


def _is_land(world: World, node: Node) -> bool:
    return bool({"class-country", "class-dependent-territory", "class-province"} & set(world.values(node, "P31")))


def _city_waters(atlas: Atlas) -> None:
    """Rivers, lakes and seas that cities lie at, and islands that they lie on."""
    for thing in atlas.of_kind("city"):
        node = atlas.node("city", thing.name)
        for relation, name in (("P206", "located at"), ("P706", "located on island")):
            for value in thing.get(name):
                other = atlas.nodes.get(value.text)
                if node is not None and other is not None:
                    atlas.world.add_fact(node, relation, other, SOURCE)
