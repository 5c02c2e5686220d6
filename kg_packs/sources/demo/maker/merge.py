"""Entities that several sources brought in as several although they are one; by rules, and a list where rules fail.

Equal names alone never do: a band is not the gas of its name.
"""

from __future__ import annotations

from collections import defaultdict

from maker.places import countries_of
from maker.world import BOOK, PERSON, PLACE, Node, World, match_key

_TOPIC = frozenset({"topic"})
# What a subject heading of that name is about; *Irish* is the people, so languages are not among them.
_TOPICAL = ({"place"}, {"person"}, {"org"}, {"thing"}, {"element"}, {"occupation"}, {"genre", "thing"}, {"character"})
_BODIES = ({"thing"}, {"genre", "thing"}, {"place"}, {"org"})  # a church or a union, told by one source
_VAGUE = frozenset({"org", "place", "band", "person"})  # and what another source left open
_RIVAL = 8  # so many times the facts make a name known for one thing
_OBSCURE = 7  # facts of a work that hardly anybody asks for
_NOT_TOPICS = frozenset({
    "friendship", "victoria", "queens", "socrates", "jupiter", "mercury", "liberty", "air", "peace", "rivers", "sin",
})  # fmt: skip
# People of the same name whom CoDEx and the catalogue both have, looked up one by one.
_SAME_PEOPLE = frozenset({
    "benito perez galdos", "carlo goldoni", "e t a hoffmann", "fritz reuter", "norman angell",
    "thomas hardy", "david garrick",
})  # fmt: skip
_SAME_KEYS = (
    ("Q130232", "Q21010853"),
    ("Q130232", "Q25372"),  # drama
    ("Q55", "Q29999"),  # the Netherlands and their kingdom
    ("Q157575", "Q20808141"),  # University of Strasbourg
    ("Q1490", "Q7473516"),  # Tokyo
    ("gutenberg-author-113", "Q170509"),  # Henry James
    ("Q189144", "gutenberg-author-3337"),  # Walter Raleigh, the elder
    ("Q8016", "gutenberg-author-1601"),  # Winston Churchill, the statesman
    ("gutenberg-author-8692", "eq-356604940461"),  # Jane West
    ("gutenberg-author-8796", "eq-323855759457"),  # Cap Anson
    ("gutenberg-author-41998", "eq-501760103511"),  # Karen Anderson
    ("gutenberg-author-7384", "eq-965272760853"),  # George Middleton
)
# What CoDEx says of partners and of a seat that was lost.
_WRONG = (("Q739", "P463", "Q7184"), ("Q865", "P463", "Q1065"))  # Colombia in NATO, Taiwan in the United Nations
_SAME_FAITHS = {
    "Catholicism": "Catholic Church",
    "Roman Catholic": "Catholic Church",
    "atheist": "atheism",
    "Christian": "Christianity",
    "Eastern Orthodoxy": "Eastern Orthodox Church",
}
_WATERS = frozenset({"River", "Lake", "Mount", "Mountains", "Islands", "Range", "Sea", "Ocean", "(Province)"})


def merge_same(world: World) -> None:
    """Merge what is the same, then leave out obscure works that bear the name of something known."""
    for kept, other in _SAME_KEYS:
        if kept in world.nodes and other in world.nodes:
            if world.values(world.nodes[kept], "P30"):  # the Dutch islands make the Netherlands no part of Africa
                world.remove_facts(world.nodes[other], "P30")
            _merge(world, world.nodes[kept], world.nodes[other], "listed")
    for subject, relation, obj in _WRONG:
        if (subject, relation, obj) in world.facts:
            world.remove_facts(world.nodes[subject], relation, obj)
    _merge_faiths(world)
    _rename_peoples(world)
    _merge_place_topics(world)
    for nodes in _by_label(world):
        _merge_topics(world, nodes)
        _merge_people(world, nodes)
        _merge_bodies(world, nodes)
        _merge_places(world, nodes)
        _leave_out_obscure(world, nodes)


def _by_label(world: World) -> list[list[Node]]:
    """Nodes that share a label, the best known first."""
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in world.nodes.values():
        if world.degree(node):
            groups[match_key(node.label)].append(node)
    several = [nodes for _name, nodes in sorted(groups.items()) if len(nodes) > 1]
    return [sorted(nodes, key=lambda node: (-world.degree(node), node.key)) for nodes in several]


def _alive(world: World, nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if world.nodes.get(node.key) is node]


def _merge(world: World, kept: Node, other: Node, why: str) -> None:
    world.notes[f"merged: {why}"] += 1
    world.merge(kept, other)


def _merge_topics(world: World, nodes: list[Node]) -> None:
    """A subject heading is the one thing of its name that books are written about."""
    topics = [node for node in nodes if node.kinds == _TOPIC]
    things = [node for node in nodes if node.kinds in map(frozenset, _TOPICAL)]
    if topics and len(things) == 1 and match_key(things[0].label) not in _NOT_TOPICS:
        for topic in topics:
            _merge(world, things[0], topic, "subject heading and thing")


def _merge_place_topics(world: World) -> None:
    """The *Nile River* of a heading is the Nile, whose other name it is."""
    topics = [node for node in world.nodes.values() if node.kinds == _TOPIC]
    for topic in sorted(topics, key=lambda node: node.key):
        places = [node for node in world.candidates(topic.label, PLACE) if node.kinds == PLACE]
        same = len(places) == 1 and (
            match_key(places[0].label) == match_key(topic.label) or _WATERS & set(topic.label.split())
        )
        if same and match_key(topic.label) not in _NOT_TOPICS:
            _merge(world, places[0], topic, "subject heading and place")


def _merge_people(world: World, nodes: list[Node]) -> None:
    """Those of the list: CoDEx calls writers screenwriters, and so the rule for years kept them apart."""
    people = [node for node in nodes if node.kinds == PERSON]
    if len(people) == 2 and match_key(people[0].label) in _SAME_PEOPLE:
        _merge(world, people[0], people[1], "person of two sources")


def _merge_bodies(world: World, nodes: list[Node]) -> None:
    """A church, a party or a company that one source could not tell from a place."""
    nodes = _alive(world, nodes)
    sure = [node for node in nodes if node.kinds in map(frozenset, _BODIES)]
    vague = [node for node in nodes if len(node.kinds) > 1 and node.kinds <= _VAGUE and "org" in node.kinds]
    if len(sure) == 1 and len(vague) == 1 and sure[0].kinds != PLACE:
        _merge(world, sure[0], vague[0], "organisation of unclear kind")


def _merge_places(world: World, nodes: list[Node]) -> None:
    """Two places of a name in the same country, of which only one is a place of a known sort."""
    places = [node for node in _alive(world, nodes) if node.kinds == PLACE]
    for place in places[1:]:
        first = places[0]
        plain = not world.values(place, "P31") and not world.values(place, "P297") and not world.values(place, "P36")
        where = countries_of(world, place)
        if plain and where and where == countries_of(world, first) and not world.values(first, "P297"):
            _merge(world, first, place, "place in the same country")


def _merge_faiths(world: World) -> None:
    """People are said to be of a church or of its members."""
    faiths = {world.nodes[obj].label: world.nodes[obj] for _s, relation, obj in world.facts if relation == "P140"}
    for name, usual in _SAME_FAITHS.items():
        if name in faiths and usual in faiths:
            _merge(world, faiths[usual], faiths[name], "faith")


def _rename_peoples(world: World) -> None:
    """CoDEx calls the people *French* as it does the language."""
    for key in sorted({obj for _s, relation, obj in world.facts if relation == "P172"}):
        node = world.nodes[key]
        if world.candidates(node.label, frozenset({"language"})) and "language" not in node.kinds:
            node.label = f"{node.label} people"
            world.notes["people told from the language"] += 1


def _leave_out_obscure(world: World, nodes: list[Node]) -> None:
    """Drop works of the catalogue that are called like a much better known place, person, element or thing."""
    nodes = _alive(world, nodes)
    known = [node for node in nodes if node.kinds in map(frozenset, (*_TOPICAL, {"language"}, {"film"}))]
    best = max((world.degree(node) for node in known), default=0)
    element = any(node.kinds == frozenset({"element"}) for node in known)
    for node in nodes:
        facts = world.degree(node) - len(world.values(node, "P31"))
        obscure = node.kinds in (BOOK, frozenset({"music"})) and facts <= _OBSCURE
        if obscure and not node.key.startswith("Q") and (element or best >= _RIVAL * facts):
            for subject, relation, obj in (*world.facts_of(node.key), *world.facts_to(node.key)):
                world.remove_facts(world.nodes[subject], relation, obj)
            del world.nodes[node.key]
            world.notes["work left out that is called like something known"] += 1
