"""Find the node of a city, minding that many cities share a name."""

from __future__ import annotations

from maker.world import PLACE, Node, World, derived_key


def city_node(world: World, city: str, country: Node, source: str, region: str = "") -> Node:
    """The city of that name in that country; a new node where no known place fits.

    A known place fits when it is the only place of the name and is not known
    to lie in another country; of several, the best connected one in ``country``.
    """
    key = derived_key("city", city, country.key, region)
    if key in world.nodes:
        return world.nodes[key]
    found = [node for node in world.candidates(city, PLACE) if node.key != country.key]
    inside = [node for node in found if country.key in countries_of(world, node)]
    if inside:  # Tokyo is a city and the prefecture around it
        best = max(inside, key=lambda node: (world.degree(node), node.key))
        return _used(world, best, source)
    if len(found) == 1 and not countries_of(world, found[0]):
        return _used(world, found[0], source)
    node = world.add_node(key, city, PLACE, source)
    world.add_fact(node, "P17", country, source)
    world.notes[f"{source}: new city"] += 1
    return node


def countries_of(world: World, node: Node) -> set[str]:
    """Keys of the countries that a place is known to be in, directly or as their capital."""
    inside = {obj for subject, relation, obj in world.facts_of(node.key) if relation == "P17"}
    capital_of = {subject for subject, relation, _obj in world.facts_to(node.key) if relation == "P36"}
    return inside | capital_of


def _used(world: World, node: Node, source: str) -> Node:
    world.notes[f"{source}: city merged"] += 1
    return node
