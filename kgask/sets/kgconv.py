"""KGConv (Brabant et al. 2023): question templates for Wikidata relations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgask.sets.rows import fits, in_data, json_of, records

TEMPLATES = "kgconv/template_library.json.gz"


def templates(data: Path) -> Iterator[tuple[str, bool, str, str]]:
    """(P-id, whether it is walked from object to subject, text before the topic, text after it)."""
    path = in_data(data, TEMPLATES)
    for where, _, entry in records(path, json_of(path)):
        with fits(where):
            key = entry["template_key"]["p"]
            sides = [(template["left"], template["right"]) for template in entry["templates"]]
        for left, right in sides:
            yield key.lstrip("-"), key.startswith("-"), left, right
