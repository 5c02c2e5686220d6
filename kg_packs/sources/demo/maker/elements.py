"""The 118 chemical elements (Bowserinator/Periodic-Table-JSON): symbols and measured values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from maker.world import ORG, PERSON, Node, World, literal

SOURCE = "elements"
THING = frozenset({"thing"})

_KNOWN = 118  # the file goes on to a hypothetical element
# "discovered_by" also holds civilisations and dates; a discoverer is a person or an institute.
_NO_DISCOVERER = re.compile(r"\d|unknown|Middle East|Ancient|^India$|Bronze Age", re.IGNORECASE)
_SPELLINGS = {
    "Jöns Jakob Berzelius": "Jöns Jacob Berzelius",
    "Lecoq de Boisbaudran": "Paul-Émile Lecoq de Boisbaudran",
    "Chien Shiung Wu": "Chien-Shiung Wu",
    "Gesellschaft für Schwerionenforschung": "GSI Helmholtz Centre for Heavy Ion Research",
}
_INSTITUTES = re.compile(r"Institute|Laboratory|Centre|RIKEN")
# The source names one discoverer; the Nobel citation of 1911 names Marie Curie for these two.
_NOBEL_DISCOVERERS = {"Radium": "Marie Curie", "Polonium": "Marie Curie"}
_NUMBERS = (
    ("P1086", "number", ""),
    ("P2067", "atomic_mass", "u"),
    ("P2101", "melt", "K"),
    ("P2102", "boil", "K"),
)
# Columns of the table that have a name; the noble gases and alkali metals are categories already.
_GROUPS = {15: "pnictogen", 16: "chalcogen", 17: "halogen"}


def read_elements(world: World, data: Path) -> None:
    """Add the elements, their discoverers and the rows and columns of the table."""
    rows = json.loads((data / "elements" / "PeriodicTableJSON.json").read_text("utf-8"))["elements"]
    for row in rows:
        if row["number"] <= _KNOWN:
            _element(world, row)


def _element(world: World, row: dict[str, Any]) -> None:
    node = world.add_node(f"element-{row['symbol']}", row["name"], frozenset({"element"}), SOURCE)
    for relation, field, unit in _NUMBERS:
        if row[field] is not None:
            world.add_fact(node, relation, literal("number", f"{row[field]:.10g}", unit), SOURCE)
    if row["density"] is not None:
        unit = "g/L" if row["phase"] == "Gas" else "g/cm³"
        world.add_fact(node, "P2054", literal("number", f"{row['density']:.10g}", unit), SOURCE)
    world.add_fact(node, "P246", literal("string", row["symbol"]), SOURCE)

    def table(relation: str, label: str) -> None:
        world.add_fact(node, relation, world.get_or_add("table", label, THING, SOURCE), SOURCE)

    for label in ("chemical element", row["category"], _GROUPS.get(row["group"], "")):
        if label and not label.startswith("unknown"):
            world.add_class(node, label, SOURCE)
    table("P515", row["phase"].lower())
    table("kgask:period", f"period {row['period']}")
    table("kgask:block", f"{row['block']}-block")
    if row["block"] != "f":  # the inner rows belong to no numbered column
        table("kgask:group", f"group {row['group']}")
    if not row["category"].startswith("unknown"):
        world.add_fact(node, "kgask:category", world.class_node(row["category"], SOURCE), SOURCE)
    _discoverers(world, node, row)


def _discoverers(world: World, node: Node, row: dict[str, Any]) -> None:
    names = [row["discovered_by"] or "", _NOBEL_DISCOVERERS.get(row["name"], "")]
    for raw in names:
        name = re.sub(r"\s*\(.*\)", "", raw)
        if name and not _NO_DISCOVERER.search(raw):
            name = _SPELLINGS.get(name, name)
            kinds = ORG if _INSTITUTES.search(name) else PERSON
            finder = world.get_or_add("org" if kinds is ORG else "person", name, kinds, SOURCE)
            world.add_fact(node, "P61", finder, SOURCE)
