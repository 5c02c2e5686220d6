"""Countries and territories (mledoze/countries, ODbL), merged with CoDEx's countries."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from maker.places import city_node
from maker.world import PLACE, Node, World, derived_key, literal

SOURCE = "countries"

# CoDEx calls these countries by another name. Where ours is more usual it becomes the label.
_CODEX_NAMES = {
    "Bahamas": "The Bahamas",
    "China": "People's Republic of China",
    "Congo": "Republic of the Congo",
    "Czechia": "Czech Republic",
    "DR Congo": "Democratic Republic of the Congo",
    "Gambia": "The Gambia",
    "Micronesia": "Federated States of Micronesia",
    "Palestine": "State of Palestine",
    "Timor-Leste": "East Timor",
    "Türkiye": "Turkey",
    "United States": "United States of America",
}
_RELABEL = frozenset({"China", "Palestine"})
# The label is unique among the Wikidata labels at hand, but names another thing there (the island).
_NO_UNION_KEY = frozenset({"Saint Martin"})
# Short names that are safe as mentions; two-letter codes ("IT", "NO") are words and are not.
_SHORT_NAMES = {"USA", "UAE", "Burma", "Macao", "Holland", "DRC", "DPRK"}
_NO_NAMES = frozenset({"Island"})  # what Iceland calls itself is a word
_EXTRA_NAMES = {
    "USA": ("USA", "U.S.A.", "US", "U.S.", "America"),
    "GBR": ("UK", "U.K.", "Great Britain and Northern Ireland"),
    "COD": ("Congo-Kinshasa",),
    "CIV": ("Cote d'Ivoire",),
    "SWZ": ("Swaziland",),
    "MKD": ("Macedonia",),
    "CPV": ("Cabo Verde",),
}
_LANGUAGE_NAMES = {
    "Persian (Farsi)": "Persian",
    "Moldavian": "Romanian",
    "Swiss German": "German",
    "Austro-Bavarian German": "German",
}
_CURRENCY_NAMES = {
    "dalasi": "Gambian dalasi",
    "denar": "Macedonian denar",
    "krone": "Danish krone",
    "lari": "Georgian lari",
    "British pound": "Pound sterling",
}
_STATES = frozenset({"PSE", "TWN", "UNK"})  # that govern themselves, though not all others recognise them
_NORTH_AMERICA = frozenset({"Caribbean", "Central America", "North America"})


def read_countries(world: World, data: Path) -> dict[str, Node]:
    """Add all countries; returns their nodes by two-letter code."""
    with gzip.open(data / "countries" / "countries.json.gz", "rt", encoding="utf-8") as file:
        rows = json.load(file)
    with gzip.open(data / "wikidata_labels_union.json.gz", "rt", encoding="utf-8") as file:
        ids_of_label = defaultdict(list)
        for key, label in json.load(file).items():
            ids_of_label[label].append(key)
    rows.sort(key=lambda row: row["cca3"])
    nodes = {row["cca3"]: _country_node(world, row, ids_of_label) for row in rows}
    for row in rows:
        node = nodes[row["cca3"]]
        _names(world, node, row)
        _facts(world, node, row)
        for neighbour in row["borders"]:
            world.add_fact(node, "P47", nodes[neighbour], SOURCE)
            world.add_fact(nodes[neighbour], "P47", node, SOURCE)
    for row in rows:  # after the countries: a capital must not be taken for a country
        _capitals(world, nodes[row["cca3"]], row["capital"])
    return {row["cca2"]: nodes[row["cca3"]] for row in rows}


def _country_node(world: World, row: dict[str, Any], ids_of_label: dict[str, list[str]]) -> Node:
    name = row["name"]["common"]
    found = world.candidates(_CODEX_NAMES.get(name, name), PLACE)
    if len(found) > 1:  # Georgia: the state has no diplomatic relations
        found = [node for node in found if _is_country(world, node)]
    if len(found) == 1:
        world.notes["countries: merged with CoDEx"] += 1
        node = found[0]
        if name in _RELABEL:
            world.add_alias(node, node.label)
            node.label, previous = name, node.label
            world.add_alias(node, previous, findable=True)
        world.index(node, name)
        world.add_alias(node, name)
        return node
    ids = ids_of_label.get(name, [])
    known = len(ids) == 1 and name not in _NO_UNION_KEY and ids[0] not in world.nodes
    return world.add_node(ids[0] if known else f"country-{row['cca3']}", name, PLACE, SOURCE)


def _names(world: World, node: Node, row: dict[str, Any]) -> None:
    spellings = [row["name"]["official"], *row["altSpellings"]]
    for name in spellings:
        latin = all(ord(char) < 0x250 for char in name)
        if name in _SHORT_NAMES or (name not in _NO_NAMES and len(name) > 5 and latin and "," not in name):
            world.add_alias(node, name)
    for name in _EXTRA_NAMES.get(row["cca3"], ()):
        world.add_alias(node, name)


def _facts(world: World, node: Node, row: dict[str, Any]) -> None:
    def add(relation: str, obj: Node | str) -> None:
        world.add_fact(node, relation, obj, SOURCE)

    sort = "country" if row["independent"] or row["cca3"] in _STATES else "dependent territory"
    world.add_class(node, sort, SOURCE)
    add("P297", literal("string", row["cca2"]))
    if row["area"] > 0:
        add("P2046", literal("number", f"{row['area']:g}" if row["area"] < 1e6 else str(row["area"]), "km²"))
    for domain in row["tld"]:
        if domain.isascii():
            add("P78", literal("string", domain))
    suffixes = row["idd"].get("suffixes") or []
    if len(suffixes) == 1:
        add("P474", literal("string", row["idd"]["root"] + suffixes[0]))
    elif suffixes:
        add("P474", literal("string", row["idd"]["root"]))
    demonym = row["demonyms"].get("eng", {}).get("m")
    if demonym:
        add("P1549", literal("string", demonym))
    for currency in (row["currencies"] or {}).values():
        name = _CURRENCY_NAMES.get(currency["name"], currency["name"])
        add("P38", world.get_or_add("currency", name, frozenset({"currency"}), SOURCE))
    for language in (row["languages"] or {}).values():
        name = _LANGUAGE_NAMES.get(language, language)
        add("P37", world.get_or_add("language", name, frozenset({"language"}), SOURCE))
    _continent(world, node, row)


def _continent(world: World, node: Node, row: dict[str, Any]) -> None:
    """One continent a country: CoDEx also counts overseas islands, which makes France African."""
    world.remove_facts(node, "P30")
    region, subregion = row["region"], row["subregion"]
    if region == "Americas":
        region = "North America" if subregion in _NORTH_AMERICA else "South America"
    region = {"Antarctic": "Antarctica"}.get(region, region)
    if node.label != region:
        world.add_fact(node, "P30", _region_node(world, region), SOURCE)
    if subregion:
        world.add_fact(node, "kgask:subregion", _region_node(world, subregion), SOURCE)


def _region_node(world: World, name: str) -> Node:
    """A continent or world region; never a country that is called so (Micronesia)."""
    found = [node for node in world.candidates(name, PLACE) if not _is_country(world, node)]
    if len(found) == 1:
        return found[0]
    antarctica = world.only(name, PLACE) if name == "Antarctica" else None
    key = derived_key("region", name)
    return antarctica or world.nodes.get(key) or world.add_node(key, name, PLACE, SOURCE)


def _is_country(world: World, node: Node) -> bool:
    return any(relation in ("P297", "P530") for _subject, relation, _obj in world.facts_of(node.key))


def _capitals(world: World, country: Node, names: list[str]) -> None:
    for name in names:
        city = city_node(world, name, country, SOURCE)
        world.add_fact(country, "P36", city, SOURCE)
