"""A pack some of whose relations are called otherwise: the same triples, asked about in other words."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

from kgask.pack.store import Pack
from kgask.types import RelationId


def renamed(pack: Pack, labels: Mapping[RelationId, str]) -> Pack:
    """The pack with these labels in the place of its own; it shares all else with ``pack``, which stays open and is
    the one to close."""
    found = copy.copy(pack)
    relations = [
        replace(one, label=labels[relation], inverse_label="") if relation in labels else one
        for relation, one in enumerate(pack.relations())
    ]
    found.__dict__["_relations"] = relations
    found.is_renamed = True
    return found
