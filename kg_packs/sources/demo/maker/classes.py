"""What a thing is: *instance of* for every node whose kind is known, and which classes are narrower than others."""

from __future__ import annotations

from collections import Counter

from maker.world import BAND, BOOK, CLASS, FILM, MUSIC, ORG, PERSON, Kinds, Node, World, match_key

SOURCE = "classes"

_OF_KIND: dict[Kinds, str] = {
    PERSON: "person", BOOK: "book", FILM: "film", BAND: "musical group", MUSIC: "musical work",
    frozenset({"game"}): "video game", frozenset({"language"}): "language", frozenset({"currency"}): "currency",
    frozenset({"award"}): "Nobel Prize", frozenset({"character"}): "fictional character",
    frozenset({"genre"}): "genre", frozenset({"occupation"}): "occupation",
}  # fmt: skip
# What the object of a relation is, where its kind allows.
_OF_OBJECT = {
    "P140": "religion", "P172": "ethnic group", "P1303": "musical instrument", "P641": "sport",
    "P102": "political party", "P264": "record label", "P176": "manufacturer", "P1050": "disease",
    "P122": "form of government", "P101": "academic discipline",
}  # fmt: skip
LEAST_MEMBERS = 3
_LANGUAGE = frozenset({"language"})
_TOPIC = frozenset({"topic"})
_TERMS = (frozenset({"genre"}), frozenset({"thing"}), frozenset({"genre", "thing"}))
_ORGANISATIONS = frozenset({"political party", "record label", "manufacturer"})
_UNIVERSITY = ("universit", "universid", "hochschule", "institute of technology", "eth zürich")
_NARROWER = {
    "novel": "book", "play": "book", "capital": "city", "U.S. state": "province", "volcano": "mountain",
    "salt lake": "lake",
    "reservoir": "lake", "crater lake": "lake", "volcanic island": "island", "atoll": "island",
    "coral island": "island", "university": "educational institution", "college": "educational institution",
    "record label": "company", "manufacturer": "company", "musical group": "organisation",
    "company": "organisation", "political party": "organisation", "international organisation": "organisation",
    "educational institution": "organisation", "alkali metal": "metal", "alkaline earth metal": "metal",
    "transition metal": "metal", "post-transition metal": "metal", "lanthanide": "metal", "actinide": "metal",
    "metal": "chemical element", "nonmetal": "chemical element", "metalloid": "chemical element",
    "noble gas": "nonmetal", "halogen": "chemical element", "diatomic nonmetal": "nonmetal",
    "polyatomic nonmetal": "nonmetal", "chalcogen": "chemical element", "pnictogen": "chemical element",
    "Nobel Prize": "award", "sea": "body of water", "ocean": "body of water", "lake": "body of water",
    "river": "body of water",
}  # fmt: skip
_ALIASES = {
    "person": ("human", "human being", "people"), "film": ("movie", "motion picture"),
    "musical group": ("band", "music group"), "musical work": ("song", "album", "recording", "piece of music"),
    "country": ("nation", "sovereign state"), "city": ("town",), "capital": ("capital city",),
    "province": ("state or province", "region", "administrative division"),
    "U.S. state": ("US state", "American state", "state of the United States"),
    "mountain": ("peak", "summit"), "mountain range": ("mountains", "massif"),
    "island group": ("archipelago", "group of islands"), "sea": ("gulf", "bay"),
    "international organisation": ("international organization", "intergovernmental organisation"),
    "organisation": ("organization",), "company": ("firm",), "currency": ("money",),
    "ethnic group": ("people group", "ethnicity"), "disease": ("illness",),
    "academic discipline": ("discipline", "field of study"),
    "occupation": ("profession", "job"), "musical instrument": ("instrument",),
    "educational institution": ("school", "place of education"), "fictional character": ("character",),
    "chemical element": ("element",), "lanthanide": ("lanthanoid",), "actinide": ("actinoid",),
    "lake": ("inland water",), "reservoir": ("dam lake", "artificial lake"), 
    "dependent territory": ("territory", "dependency", "overseas territory"), "volcano": ("volcanic mountain",),
    "video game": ("computer game",), "award": ("prize",), "book": ("literary work",), 
    "play": ("stage play", "theatre play"), "airport": ("airfield",),
    "Nobel laureate": ("laureate", "Nobel Prize laureate", "Nobel Prize winner", "Nobel winner", "Nobelist"),
}  # fmt: skip


def add_classes(world: World) -> None:
    """Every *instance of* that follows from kinds and relations; then the tree of classes."""
    _take_for_bands(world)
    for node in list(world.nodes.values()):
        label = _OF_KIND.get(node.kinds)
        if label is not None and world.degree(node):  # not what was pruned
            world.add_class(node, label, SOURCE)
    for subject, relation, obj in list(world.facts):
        _of_fact(world, subject, relation, obj)
    for narrow, wide in _NARROWER.items():
        world.add_fact(world.class_node(narrow, SOURCE), "P279", world.class_node(wide, SOURCE), SOURCE)
    for label, names in _ALIASES.items():
        node = world.nodes.get(f"class-{label.replace(' ', '-')}")
        for name in names if node is not None else ():
            world.add_alias(node, name)
    _join_topics(world)


def _take_for_bands(world: World) -> None:
    """What several persons are part of is a band, though it acts in a film as persons do: the Beatles."""
    parts = [(subject, obj) for subject, relation, obj in world.facts if relation == "P361"]
    members = Counter(obj for subject, obj in parts if world.nodes[subject].kinds == PERSON)
    for key, n_members in members.items():
        if n_members >= LEAST_MEMBERS and world.nodes[key].kinds == PERSON:
            world.nodes[key].kinds = BAND


def _of_fact(world: World, subject: str, relation: str, obj: str) -> None:
    if relation == "P69":
        _school(world, world.nodes[obj])
    elif relation == "P36" and world.values(world.nodes[subject], "P297"):
        world.add_class(world.nodes[obj], "city", SOURCE)
        if any(key == "class-country" for key in world.values(world.nodes[subject], "P31")):
            world.add_class(world.nodes[obj], "capital", SOURCE)
    elif relation == "P166":
        world.add_class(world.nodes[subject], "Nobel laureate", SOURCE)
    elif relation == "P136":
        if world.nodes[obj].label.endswith("novel") and world.nodes[subject].kinds == BOOK:
            world.add_class(world.nodes[subject], "novel", SOURCE)
    elif relation in _OF_OBJECT:
        label, node = _OF_OBJECT[relation], world.nodes[obj]
        people = any(r == "P172" for _s, r, _o in world.facts_to(obj)) or node.kinds == _LANGUAGE
        if (label not in _ORGANISATIONS or node.kinds == ORG) and not (label == "religion" and people):
            world.add_class(node, label, SOURCE)


def _school(world: World, node: Node) -> None:
    if node.kinds != ORG:
        return
    name = node.label.casefold()
    sort = "university" if any(word in name for word in _UNIVERSITY) else "educational institution"
    world.add_class(node, "college" if "college" in name and sort != "university" else sort, SOURCE)


def _join_topics(world: World) -> None:
    """What books are about when they are about *Rivers* is the class of rivers, and so is the genre *novel*."""
    classes = {match_key(node.label): node for node in world.nodes.values() if node.kinds == CLASS}
    plurals = {name: node for base, node in classes.items() for name in _plurals(base)}
    for node in list(world.nodes.values()):
        name = match_key(node.label)
        kept = plurals.get(name) if node.kinds == _TOPIC else classes.get(name) if node.kinds in _TERMS else None
        if kept is not None:
            world.merge(kept, node)
            world.notes["topic or genre that is a class"] += 1


def _plurals(name: str) -> tuple[str, ...]:
    return name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies"
