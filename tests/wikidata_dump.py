"""Entities as Wikidata's JSON writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ENTITY = "http://www.wikidata.org/entity/"


def entity(key: str, label: str, *claims: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An item or property with English and German labels; its statements grouped by property."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for claim in claims:
        grouped.setdefault(claim["mainsnak"]["property"], []).append(claim)
    labels = {"en": {"language": "en", "value": label}, "de": {"language": "de", "value": f"{label} (de)"}}
    kind = "property" if key.startswith("P") else "item"
    return {"type": kind, "id": key, "labels": labels, "descriptions": {}, "aliases": {}, "claims": grouped} | more


def claim(
    relation: str, value: Any, *qualifiers: dict[str, Any], rank: str = "normal", kind: str = ""
) -> dict[str, Any]:
    """A statement; ``value`` is what :func:`item`, :func:`time`, :func:`quantity` give, or a text."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for one in qualifiers:
        grouped.setdefault(one["property"], []).append(one)
    found = {"mainsnak": snak(relation, value, kind), "type": "statement", "rank": rank}
    return found | ({"qualifiers": grouped} if grouped else {})


def snak(relation: str, value: Any, kind: str = "") -> dict[str, Any]:
    if value is None:
        return {"snaktype": "somevalue", "property": relation, "datatype": kind}
    said = value if isinstance(value, dict) else {"value": value, "type": "string"}
    return {"snaktype": "value", "property": relation, "datatype": kind or said["type"], "datavalue": said}


def item(key: str) -> dict[str, Any]:
    return {"value": {"entity-type": "item", "numeric-id": int(key[1:]), "id": key}, "type": "wikibase-entityid"}


def time(text: str, precision: int = 11) -> dict[str, Any]:
    return {"value": {"time": f"{text}T00:00:00Z", "precision": precision, "timezone": 0}, "type": "time"}


def quantity(amount: str, unit: str = "1") -> dict[str, Any]:
    return {"value": {"amount": amount, "unit": ENTITY + unit if unit != "1" else unit}, "type": "quantity"}


def dump(path: Path, entities: list[dict[str, Any]]) -> Path:
    """As a dump: a list with an entity a line."""
    path.write_text("[\n" + ",\n".join(map(json.dumps, entities)) + "\n]\n")
    return path
