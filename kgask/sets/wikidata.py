"""English labels of Wikidata's entities and properties, as the folder with the public sets holds them."""

from __future__ import annotations

from pathlib import Path

from kgask.sets.rows import in_data, json_of

PROPERTIES, ENTITIES, PREFERRED = (
    "wikidata_props/en1.json", "wikidata_labels_union.json.gz", "kgconv/preferred_labels.json.gz",
)  # fmt: skip


def property_labels(data: Path) -> dict[str, str]:
    """P-id -> label."""
    return dict(json_of(in_data(data, PROPERTIES)))


def entity_labels(data: Path, preferred: bool = True) -> dict[str, str]:
    """Id -> label, where the sets at hand know one; KGConv's own labels go first with ``preferred``."""
    labels = dict(json_of(in_data(data, ENTITIES)))
    return labels | dict(json_of(in_data(data, PREFERRED))) if preferred else labels


def entity_names(data: Path) -> list[str]:
    """Labels of the entities, in the order of their ids as text."""
    return [label for key, label in sorted(entity_labels(data, preferred=False).items()) if key[0] == "Q"]
