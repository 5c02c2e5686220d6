"""CoDEx-M (Wikidata ids and labels): the ground that the other sources are merged onto."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from pathlib import Path

from maker.roles import ROLES, subject_kinds
from maker.world import World

SOURCE = "codex"


def read_codex(world: World, data: Path) -> None:
    """Add every labelled row whose relation is in the vocabulary."""
    with gzip.open(data / "codex" / "codex_m_labelled.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    rows = sorted(row[:6] for row in rows if row[2] in ROLES)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    labels: dict[str, str] = {}
    for subject, subject_label, relation, _name, obj, obj_label in rows:
        labels[subject], labels[obj] = subject_label, obj_label
        votes[subject].update(subject_kinds(relation, obj_label))
        votes[obj].update(ROLES[relation][1])
    for key in sorted(labels):
        most = max(votes[key].values())  # a few odd rows do not make a language a field of work
        kinds = frozenset(kind for kind, count in votes[key].items() if count == most)
        world.add_node(key, labels[key], kinds, SOURCE)
    for subject, _label, relation, _name, obj, _obj_label in rows:
        world.add_fact(world.nodes[subject], relation, world.nodes[obj], SOURCE)
