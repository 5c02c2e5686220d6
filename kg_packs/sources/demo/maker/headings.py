"""Subject headings of the Library of Congress, as genres, topics, places, persons and characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from maker.titles import display_name
from maker.world import PERSON, PLACE, Node, World, derived_key, literal

# Headings that name the form of a work, in the words that readers use.
GENRES = {
    "Science fiction": "science fiction", "Short stories": "short story",
    "Short stories, American": "short story", "Short stories, English": "short story",
    "Short stories, French": "short story", "Tales": "tale", "Adventure stories": "adventure fiction",
    "Historical fiction": "historical fiction", "Detective and mystery stories": "detective fiction",
    "Mystery and detective stories": "detective fiction", "Mystery fiction": "mystery fiction",
    "Love stories": "romance novel", "Western stories": "Western fiction", "Fantasy fiction": "fantasy",
    "Fantasy literature": "fantasy", "Fairy tales": "fairy tale",
    "Domestic fiction": "domestic fiction", "Humorous stories": "humorous fiction",
    "Comedy plays": "comedy", "Comedies": "comedy", "Sea stories": "nautical fiction",
    "Psychological fiction": "psychological fiction", "War stories": "war fiction",
    "Bildungsromans": "Bildungsroman", "Tragedies (Drama)": "tragedy", "Tragedies": "tragedy",
    "Essays": "essay", "Political fiction": "political fiction", "Satire": "satire",
    "Horror tales": "horror literature", "Ghost stories": "ghost story",
    "Gothic fiction": "Gothic fiction", "Epistolary fiction": "epistolary novel",
    "Didactic fiction": "didactic fiction", "Fables": "fable",
    "Biographical fiction": "biographical novel", "Christmas stories": "Christmas story",
    "Legends": "legend", "Spy stories": "spy fiction", "Utopias": "utopian fiction",
    "Dystopias": "dystopian fiction", "Epic poetry": "epic poetry", "Sonnets": "sonnet",
    "Ballads": "ballad", "Farces": "farce", "Children's stories": "children's literature",
    "Children's poetry": "children's literature", "Picaresque literature": "picaresque novel",
    "Autobiographical fiction": "autobiographical novel", "Allegories": "allegory",
    "Melodrama": "melodrama", "Pastoral fiction": "pastoral", "Operas": "opera",
    "Romances": "chivalric romance", "Time travel": "time travel fiction", "Poetry": "poetry",
    "English poetry": "poetry", "American poetry": "poetry",
    "Christian fiction": "Christian literature",
}  # fmt: skip
# Headings about the form or use of a book that say nothing of what it is about.
_FORM = re.compile(
    r"fiction|poetry|\bpoems|literature|periodicals|stories|drama|novels|readers|indexes|questions and answers"
    r"|anecdotes|quotations|letters$|songs|speeches|sermons|tales|plays|translations|literary|bibliography"
    r"|wit and humor|prose",
    re.IGNORECASE,
)
_PLACES = {
    "Rome": "Ancient Rome",
    "New York (N.Y.)": "New York City",
    "Washington (D.C.)": "Washington, D.C.",
    "Great Britain": "United Kingdom",
    "Soviet Union": "Soviet Union",
}
_IN_PARENTHESES = re.compile(r"^(?P<name>[^()]+) \((?P<where>[^()]+)\)$")
_PERSON = re.compile(r"^(?P<name>[^0-9]+, [^0-9]+), (?:approximately )?(?P<born>\d{4})\??-(?P<died>\d{4})?\??$")
_RULER = re.compile(r"^(?P<name>[^,]+), (King|Queen|Emperor|Empress|Czar|Tsar) of (?P<land>(Great )?[A-Z]\w+)$")
_NO_PERSON = re.compile(
    r"\b(War|Battle|Siege|Revolution|Expedition|Rebellion|of)\b|, (Saint|Prince|Queen|King|Emperor|Pope)\b"
)
_RULERS = {
    "Napoleon I, Emperor of the French": "Napoleon",
    "Victoria, Queen of Great Britain": "Queen Victoria",
    "Joan, of Arc, Saint": "Joan of Arc",
    "Mary, Queen of Scots": "Mary, Queen of Scots",
}
_NOT_PLACES = frozenset({"Queens", "Reading", "Nice", "Bath"})
_FIGURE = re.compile(r" \((Fictitious|Legendary|Fictional) characters?[^)]*\)$")
_DATES = re.compile(r",? ?-?(approximately )?\d{3,4}.*$|, -.*$")
_INVERTED = re.compile(r"^(?P<noun>[A-Z][a-z ]+), (?P<adjective>[A-Z][a-z]+)$")
# Events that the catalogue files under a country's history.
_EVENTS = {
    "Civil War, 1861-1865": "American Civil War",
    "Revolution, 1775-1783": "American Revolution",
    "Revolution, 1789-1799": "French Revolution",
    "Civil War, 1642-1649": "English Civil War",
}
_TOPICAL = frozenset({"topic", "thing", "genre", "org"})
_TOPICS = {"World War, 1914-1918": "World War I", "World War, 1939-1945": "World War II"}


class Headings:
    """Turns headings into nodes; a topic that only one work has is left out."""

    def __init__(self, world: World, source: str, lines: Iterable[str], least: int = 3) -> None:
        self._world, self._source, self._least = world, source, least
        self._uses = Counter(line.split(" -- ")[0] for line in lines)

    def facts(self, line: str) -> list[tuple[str, Node]]:
        """Relation and object for a heading (``London (England) -- Fiction``); empty when it says little."""
        head = line.split(" -- ")[0].strip()
        if head in GENRES and (head == line or "fiction" in line.lower()):
            genre = self._world.get_or_add("genre", GENRES[head], frozenset({"genre"}), self._source)
            return [("P136", genre)]
        if _FIGURE.search(head):
            return [("P674", self._character(_FIGURE.sub("", head)))] if self._uses[head] > 1 else []
        for event, label in _EVENTS.items():
            if event in line:
                return [("P921", self._world.get_or_add("topic", label, frozenset({"topic"}), self._source))]
        node = self._person(head) or self._place(head) or self._topic(head)
        return [("P921", node)] if node else []

    def _character(self, name: str) -> Node:
        label, _others = display_name(name)
        return self._world.get_or_add("character", label, frozenset({"character"}), self._source)

    def _person(self, head: str) -> Node | None:
        match = _PERSON.match(head)
        if not match:
            return None
        label, others = _person_name(match["name"])
        if not label:
            return None
        born = int(match["born"])
        for name in (label, *others):
            for node in self._world.candidates(name, PERSON):
                if node.born is not None and abs(node.born - born) <= 1:
                    return node
        node = self._world.only(label, PERSON)
        if node is not None and node.born is None and not modern(self._world, node, born):
            node.born = born
            self._world.notes["gutenberg: subject merged with a person without years"] += 1
        elif self._uses[head] < self._least:
            return None
        else:
            node = self._world.add_node(derived_key("person", label, match["born"]), label, PERSON, self._source)
            node.born = born
        self._world.add_fact(node, "P569", literal("date", match["born"]), self._source)
        if match["died"]:
            self._world.add_fact(node, "P570", literal("date", match["died"]), self._source)
        return node

    def _place(self, head: str) -> Node | None:
        name = _PLACES.get(head.removesuffix(" (State)"), head.removesuffix(" (State)"))
        inside = _IN_PARENTHESES.match(name)
        if inside:
            country = self._world.only("United States" if "." in inside["where"] else inside["where"], PLACE)
            name = inside["name"] if country else name
        if name == "Georgia":  # the country is "Georgia (Republic)" in the headings
            return self._world.nodes.get("Q1428")
        if name in _NOT_PLACES:
            return None
        found = [node for node in self._world.candidates(name, PLACE) if node.kinds == PLACE]
        return found[0] if len(found) == 1 else None

    def _topic(self, head: str) -> Node | None:
        if self._uses[head] < self._least or _FORM.search(head) or len(head) > 60 or head in GENRES:
            return None
        label = _TOPICS.get(head) or _DATES.sub("", head.removesuffix(" (Planet)"))
        inverted = _INVERTED.match(label)
        if inverted:  # "Authors, American"
            label = f"{inverted['adjective']} {inverted['noun'].lower()}"
        known = [node for node in self._world.candidates(label, _TOPICAL) if self._is_topical(node)]
        if len(known) == 1:
            self._world.notes["gutenberg: topic merged"] += 1
            return known[0]
        return self._world.get_or_add("topic", label, frozenset({"topic"}), self._source)

    def _is_topical(self, node: Node) -> bool:
        """Bands have everyday names; an organisation is what a book is about only if people belong to it."""
        if "org" not in node.kinds:
            return True
        return any(relation in ("P69", "P108", "P102", "P463") for _s, relation, _o in self._world.facts_to(node.key))


def _person_name(heading: str) -> tuple[str, list[str]]:
    """``Edward II, King of England`` is Edward II of England; empty for what is not a plain name."""
    if heading in _RULERS:
        return _RULERS[heading], []
    ruler = _RULER.match(heading)
    if ruler:
        return f"{ruler['name']} of {ruler['land']}", []
    return ("", []) if _NO_PERSON.search(heading) else display_name(heading)


_FILM_AGE = re.compile(
    r"film|television|screenwriter|record producer|guitarist|rapper|basketball|voice actor|disc jockey|racing"
)


def modern(world: World, node: Node, born: int) -> bool:
    """Whether a node is known for what nobody born in that year did: films, records, leagues."""
    facts = world.facts_of(node.key)
    relations = {relation for _s, relation, _o in facts}
    relations |= {f"-{relation}" for _s, relation, _o in world.facts_to(node.key)}
    latest = {"-P161": 1850, "-P57": 1850, "P264": 1855, "P413": 1850, "-P175": 1850}
    jobs = [world.nodes[obj].label for _s, relation, obj in facts if relation == "P106"]
    return any(relation in relations and born < year for relation, year in latest.items()) or (
        born < 1845 and any(_FILM_AGE.search(job) for job in jobs)
    )
