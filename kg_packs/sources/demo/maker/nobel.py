"""Nobel laureates to 2021 (api.nobelprize.org): prizes, years, affiliations, lives."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

from maker.places import city_node
from maker.world import ORG, PERSON, Node, World, derived_key, literal

SOURCE = "nobel"

_CATEGORIES = {
    "physics": "Nobel Prize in Physics",
    "chemistry": "Nobel Prize in Chemistry",
    "medicine": "Nobel Prize in Physiology or Medicine",
    "literature": "Nobel Prize in Literature",
    "peace": "Nobel Peace Prize",
    "economics": "Nobel Memorial Prize in Economic Sciences",
}
_CATEGORY_ALIASES = {
    "medicine": ("Nobel Prize in Medicine", "Nobel Prize for Medicine"),
    "peace": ("Nobel Prize for Peace", "Peace Prize"),
    "economics": ("Nobel Prize in Economics", "Nobel Prize for Economics"),
    "physics": ("Nobel Prize for Physics", "Physics Nobel"),
    "chemistry": ("Nobel Prize for Chemistry", "Chemistry Nobel"),
    "literature": ("Nobel Prize for Literature", "Literature Nobel"),
}
# As people say them; no edition is called after these.
_SPOKEN = (
    "{} Nobel", "{} Nobel Prize", "{} prize", "Nobel {}", "Nobel {} Prize", "Nobel for {}", "Nobel in {}",
    "{} laureate", "{} Nobel laureate", "{} prize winner", "{} Nobel winner",  # in the plural: those who have it
)  # fmt: skip
# Names that many institutions bear: they are told apart by their city.
_COMMON_NAMES = frozenset(
    {"University", "University College", "Technical University", "Academy of Sciences", "Trinity College",
     "Victoria University", "Institute of Technology", "University Hospital"}
)  # fmt: skip
# Decided by hand: another person of the same name, and the same person by another name.
_NAMESAKES = frozenset({"Louis Renault"})  # the jurist is not CoDEx's car maker
_OTHER_NAMES = {
    "Wilhelm Conrad Röntgen": "Wilhelm Röntgen",
    "Richard P. Feynman": "Richard Feynman",
    "Pearl Buck": "Pearl S. Buck",
    "Herbert Simon": "Herbert Alexander Simon",
    "William Butler Yeats": "W. B. Yeats",
}
_TITLES = re.compile(r"^(Sir|Dame|Count|Baron) ")
_ACRONYM = re.compile(r"^(?P<name>.+?) \((?P<short>[A-Z][A-Za-z]{1,7})\)$")
_NOW = re.compile(r"\(now (?P<now>[^)]+)\)")
_PERIOD_OF_STATE = re.compile(r", [A-Z]{2}$")


def read_nobel(world: World, data: Path, countries: dict[str, Node]) -> list[Node]:
    """Add laureates, prizes and their institutions; returns the laureates who are persons."""
    with gzip.open(data / "nobel" / "laureates.json.gz", "rt", encoding="utf-8") as file:
        laureates = json.load(file)["laureates"]
    prizes = _prize_nodes(world)
    persons = []
    for row in sorted(laureates, key=lambda row: int(row["id"])):
        node = _laureate_node(world, row)
        if row["gender"] != "org":
            persons.append(node)
            _life(world, node, row, countries)
        for prize in row["prizes"]:
            _prize(world, node, prize, prizes[prize["category"]])
    for category, node in prizes.items():
        for spoken in _SPOKEN:
            world.add_alias(node, spoken.format(category))
    return persons


def _prize_nodes(world: World) -> dict[str, Node]:
    nodes = {}
    for category, label in _CATEGORIES.items():
        nodes[category] = node = world.add_node(f"nobel-{category}", label, frozenset({"award"}), SOURCE)
        for alias in _CATEGORY_ALIASES[category]:
            world.add_alias(node, alias)
    return nodes


def _laureate_node(world: World, row: dict[str, Any]) -> Node:
    full = f"{row['firstname']} {row.get('surname') or ''}".strip()
    name = _TITLES.sub("", full)
    kinds = ORG if row["gender"] == "org" else PERSON
    known_as = _OTHER_NAMES.get(name, name)
    node = None if name in _NAMESAKES else world.only(known_as, kinds)
    node = node or _without_middle_names(world, name, row, kinds)
    if node is not None and not {SOURCE} <= node.sources:
        world.notes["nobel: laureate merged with CoDEx"] += 1
    else:
        node = world.add_node(f"nobel-{row['id']}", name, kinds, SOURCE)
    node.sources.add(SOURCE)
    for alias in (full, name, re.sub(r"( [A-Z]\.)+(?= )", "", name)):
        world.add_alias(node, alias, findable=True)
    return node


def _without_middle_names(world: World, name: str, row: dict[str, Any], kinds: frozenset[str]) -> Node | None:
    """``John H. Northrop`` is CoDEx's ``John Northrop`` only when both were born in the same city."""
    words = name.split()
    if len(words) < 3 or kinds != PERSON:
        return None
    node = world.only(f"{words[0]} {words[-1]}", kinds)
    if node is None:
        return None
    born_in = [world.nodes[obj].label for _s, relation, obj in world.facts_of(node.key) if relation == "P19"]
    return node if born_in == [_city_name(row.get("bornCity") or "")] else None


def _life(world: World, node: Node, row: dict[str, Any], countries: dict[str, Node]) -> None:
    gender = world.get_or_add("gender", row["gender"], frozenset({"gender"}), SOURCE)
    world.add_fact(node, "P21", gender, SOURCE)
    for relation, event in (("P569", "born"), ("P570", "died")):
        date = re.sub(r"(-00)+$", "", row.get(event) or "0000")
        if not date.startswith("0000"):
            world.add_fact(node, relation, literal("date", date), SOURCE)
            setattr(node, event, int(date[:4]))
    for relation, event in (("P19", "born"), ("P20", "died")):
        city, country = row.get(f"{event}City"), countries.get(row.get(f"{event}CountryCode") or "")
        known = any(r == relation for _s, r, _o in world.facts_of(node.key))
        if city and country and not known:  # one place is enough: the sources name it at different detail
            place = city_node(world, _city_name(city), country, SOURCE, _state(city))
            world.add_fact(node, relation, place, SOURCE)


def _city_name(city: str) -> str:
    """``Lennep (now Remscheid)`` is Remscheid today; ``Princeton, NJ`` is Princeton."""
    now = _NOW.search(city)
    city = now["now"] if now else city
    return _PERIOD_OF_STATE.sub("", re.sub(r"\s*\(.*\)", "", city)).strip()


def _state(city: str) -> str:
    found = _PERIOD_OF_STATE.search(city)
    return found[0][2:] if found else ""


def _prize(world: World, laureate: Node, prize: dict[str, Any], award: Node) -> None:
    year = prize["year"]
    label = f"{year} {award.label}"
    key = f"{award.key}-{year}"
    edition = world.nodes.get(key)
    if edition is None:
        edition = world.add_node(key, label, frozenset({"thing"}), SOURCE)
        for name in sorted({award.label, *award.aliases}):
            world.add_alias(edition, f"{year} {name}")
            world.add_alias(edition, f"{name} {year}")
        world.add_fact(edition, "P361", award, SOURCE)
        world.add_fact(edition, "P585", literal("date", year), SOURCE)
    world.add_fact(edition, "P1346", laureate, SOURCE)
    world.add_fact(laureate, "P166", award, SOURCE)
    world.add_fact(laureate, "kgask:nobel-year", literal("date", year), SOURCE)
    institutions = [_institution(world, row) for row in prize["affiliations"] if row and row.get("name")]
    for institution in institutions:
        world.add_fact(laureate, "P1416", institution, SOURCE)
    places = sorted({("P1416", institution.key) for institution in institutions})
    world.add_statement(laureate, "P166", award, [("P585", literal("date", year)), *places])


def _institution(world: World, row: dict[str, Any]) -> Node:
    given = html.unescape(row["name"]).replace("\N{SOFT HYPHEN}", "")
    acronym = _ACRONYM.match(given)
    name = acronym["name"] if acronym else re.sub(r"\s*\([^)]*\)", "", given)
    city = _PERIOD_OF_STATE.sub("", row.get("city") or "")
    if name in _COMMON_NAMES:
        key = derived_key("org", name, city)
        node = world.nodes.get(key) or world.add_node(key, f"{name}, {city}" if city else name, ORG, SOURCE)
    else:
        turned = re.sub(r"^(\w+) University$", r"University of \1", name)
        node = world.only(name, ORG) or world.only(turned, ORG)
        node = node or world.get_or_add("org", name, ORG, SOURCE)
        world.add_alias(node, name, findable=True)
    if acronym:
        world.add_alias(node, acronym["short"], findable=True)
    return node
