"""Which node of the graph is which thing of Mondial, and where Mondial's things lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from maker.geography.facts import SOURCE, Thing
from maker.geography.names import COUNTRIES
from maker.world import PLACE, Kinds, Node, World, derived_key, literal, match_key

LANDS = frozenset({"place", "org", "thing"})  # what a place may have been taken for where only its name was known


@dataclass(slots=True)
class Atlas:
    """The graph, Mondial's things by ``kind/name``, and the nodes found or made for them so far."""

    world: World
    things: dict[str, Thing]
    nodes: dict[str, Node] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)  # keys of those nodes: no two things are one node
    peoples: dict[str, Node] = field(default_factory=dict)  # ethnic groups of persons, by label

    def of_kind(self, kind: str) -> list[Thing]:
        """All things of a kind, by name."""
        return sorted((thing for thing in self.things.values() if thing.kind == kind), key=lambda thing: thing.name)

    def node(self, kind: str, name: str) -> Node | None:
        """The node of a thing, where it has one."""
        return self.nodes.get(f"{kind}/{name}")

    def country(self, name: str) -> Node | None:
        """The country that Mondial calls so."""
        known = self.node("country", name)
        if known is None:
            found = self.world.candidates(COUNTRIES.get(name, name), PLACE)
            known = next((node for node in found if self.world.values(node, "P297")), None)
            if known is not None:
                self.nodes[f"country/{name}"] = known
        return known

    def claim(self, thing: Thing, node: Node) -> Node:
        """Note that ``node`` is ``thing``."""
        self.nodes[f"{thing.kind}/{thing.name}"] = node
        self.claimed.add(node.key)
        node.sources.add(SOURCE)
        return node

    def make(self, thing: Thing, label: str, kinds: Kinds) -> Node:
        """A new node for a thing; its key comes from what Mondial calls it."""
        self.world.notes[f"mondial: new {thing.kind}"] += 1
        return self.claim(thing, self.world.add_node(derived_key(thing.kind, thing.name), label, kinds, SOURCE))

    def find(self, names: list[str], countries: set[str], alone: bool) -> Node | None:
        """A place of the graph with one of the names that lies in one of the countries, the best known.

        Where ``alone``, one whose country is not known will do when there is no other. Further nodes of that kind
        become one with it: sources call a city by its old name, too.
        """
        nodes = {node.key: node for name in names for node in self.world.candidates(name, LANDS)}
        free = [node for node in nodes.values() if node.kinds <= LANDS and node.key not in self.claimed]
        free = [node for node in free if "place" in node.kinds]
        free = [node for node in free if not self.world.values(node, "P297")]  # no country
        where = {node.key: self.countries_of(node) for node in free}
        inside = [node for node in free if countries & where[node.key]]
        unknown = [node for node in free if not where[node.key]] if alone else []
        if not inside and len(unknown) > 1:
            return None
        found = sorted((*inside, *unknown), key=lambda node: (-self.world.degree(node), node.key))
        found.sort(key=lambda node: not where[node.key])
        labels = {match_key(name) for name in names}
        for other in found[1:]:
            named = match_key(other.label) in labels and match_key(found[0].label) in labels
            if named and not (other.key.startswith("Q") and other in unknown):  # Wikidata has two where two are
                self.world.notes["mondial: known by several names"] += 1
                self.world.merge(found[0], other)
        return found[0] if found else None

    def countries_of(self, node: Node) -> set[str]:
        """Keys of the countries of today that a place lies in: said so, or by what it is the capital of."""
        world, inside = self.world, set()
        above = [world.nodes[key] for key in world.values(node, "P17")]
        above += [world.nodes[subject] for subject, relation, _obj in world.facts_to(node.key) if relation == "P36"]
        for place in above:
            parts = [place, *(world.nodes[key] for key in world.values(place, "P17"))]
            inside |= {part.key for part in parts if world.values(part, "P297")}
        return inside

    def is_taken(self, name: str) -> bool:
        """Whether something that people would name so is in the graph already."""
        others = self.world.candidates(name, LANDS | {"person", "element", "language"})
        return any(self.world.degree(node) > 1 for node in others)

    def add_number(self, node: Node, relation: str, thing: Thing, source_relation: str, unit: str = "") -> None:
        """The value of a thing in a relation as a fact of its node."""
        value = thing.first(source_relation)
        if value and not self.world.values(node, relation):
            self.world.add_fact(node, relation, literal("number", value.text, value.unit or unit), SOURCE)

    def add_population(self, node: Node, thing: Thing) -> None:
        """The newest population, said with its year where that is known."""
        newest = thing.first("population")
        if newest is None:
            return
        obj = literal("number", newest.text)
        self.world.add_fact(node, "P1082", obj, SOURCE)
        years = [value.said["year"] for value in thing.get("population") if "year" in value.said]
        said = [v.said["year"] for v in thing.get("population") if v.text == newest.text and "year" in v.said]
        if said and max(said) == max(years):
            self.world.add_statement(node, "P1082", obj, [("P585", literal("date", max(said)))])
