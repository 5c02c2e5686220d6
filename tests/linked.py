"""What a text names, without a planner."""

from __future__ import annotations

import numpy as np

from kgask.link.linker import Linker
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.understand import Linked
from kgask.pack.store import Pack
from kgask.types import Branch, Question


def linked_by(pack: Pack, linker: Linker, text: str) -> list[Linked]:
    """What a text names, by a planner to which every relation is as likely."""
    facts, n, linked = RelationFacts(pack), pack.n_relations, list[Linked]()
    for mention in linker.link(Question(text)):
        seeds = mention.seeds[:1]
        branch = Branch(seeds, np.full((2, 2 * n), 0.1, np.float32), np.ones(2), 1.0, 0.0, np.zeros(1), 1.0)
        linked.append(Linked(mention, branch, facts.of_entity(seeds[0].entity)[None]))
    return linked
