"""Leave out what nobody could ask for: entities that hang on one fact of the label-only source."""

from __future__ import annotations

from collections import Counter

from maker.entityquestions import SOURCE
from maker.world import World, match_key


def prune(world: World) -> None:
    """Drop label-only nodes with a single fact: subjects always, others if a known node has their name."""
    names = Counter(match_key(node.label) for node in world.nodes.values())
    degrees = world.degrees()
    for node in list(world.nodes.values()):
        if node.sources != {SOURCE} or degrees[node.key] != 1:
            continue
        facts = world.facts_of(node.key)
        other = facts or world.facts_to(node.key)
        if not other:  # its only fact went with the entity at the other end
            continue
        if facts or names[match_key(node.label)] > 1:
            subject, relation, obj = other[0]
            world.remove_facts(world.nodes[subject], relation, obj)
            world.notes["entityquestions: entity with a single fact left out"] += 1
