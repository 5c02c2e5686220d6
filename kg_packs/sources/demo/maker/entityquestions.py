"""EntityQuestions' facts (24 Wikidata relations, labels only): chosen, typed and merged by name.

A label is all that this source has, so its rows may mix namesakes. Rows are
dropped where that shows: two birthplaces, a name that fits two nodes, a place
name that Wikidata has several of, a life that differs from what is known.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

from maker.roles import ROLES, subject_kinds
from maker.world import (
    BOOK,
    FILM,
    PERSON,
    PLACE,
    Kinds,
    Node,
    World,
    derived_key,
    match_key,
)

SOURCE = "entityquestions"

Row = tuple[str, str, str]  # subject label, relation, object label

# One value is right for these; a label with several is several entities.
_SINGLE = frozenset({"P19", "P20", "P36", "P131", "P159", "P175", "P276", "P413", "P740"})
_FEW = frozenset({"P17", "P50", "P170", "P176", "P407", "P495", "P264", "P127"})  # up to two
# What is known from a better source is neither repeated in other words nor contradicted.
_SETTLED = frozenset({"P19", "P20", "P36"})
_DOMINANT = 8  # the best known bearer of a name must have so many times the facts of the next


def read_entityquestions(world: World, data: Path, least: int) -> None:
    """Add the rows whose subject and object are each named in ``least`` rows or known already."""
    rows = _without_namesakes(world, _consistent(_rows(data)))
    uses = Counter(label for subject, _relation, obj in rows for label in (subject, obj))
    known = {match_key(node.label) for node in world.nodes.values()}
    chosen = [
        row for row in rows if all(uses[label] >= least or match_key(label) in known for label in (row[0], row[2]))
    ]
    names = Names(world, chosen, _shared_labels(data))
    for row in chosen:
        found = names.nodes(row)
        if found is None:
            world.notes["entityquestions: row left out, ambiguous or doubtful name"] += 1
        else:
            world.add_fact(found[0], row[1], found[1], SOURCE)


def _rows(data: Path) -> list[Row]:
    path = data / "entityquestions" / "triples_named.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        fields = (line.rstrip("\n").split("\t") for line in file)
        return sorted({(row[0].strip(), row[3], row[2].strip()) for row in fields if row[0] != row[2]})


def book_authors(data: Path) -> dict[str, set[str]]:
    """Names of the authors of each title, by the normalised title."""
    found: dict[str, set[str]] = defaultdict(set)
    for title, relation, author in _rows(data):
        if relation == "P50":
            found[match_key(title)].add(author)
    return found


def _consistent(rows: list[Row]) -> list[Row]:
    """Without the labels that are visibly more than one entity."""
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for subject, relation, obj in rows:
        values[subject, relation].add(obj)
    mixed = {
        subject
        for (subject, relation), found in values.items()
        if (relation in _SINGLE and len(found) > 1) or (relation in _FEW and len(found) > 2)
    }
    return [row for row in rows if row[0] not in mixed]


def _without_namesakes(world: World, rows: list[Row]) -> list[Row]:
    """Without labels whose birth or death contradicts the node of that name, and without settled facts."""
    kept, namesakes = [], set()
    for row in rows:
        subject, relation, obj = row
        settled = _settled(world, row) if relation in _SETTLED else set()
        if not settled:
            kept.append(row)
        elif relation != "P36" and match_key(obj) not in settled:
            namesakes.add(subject)
    world.notes["entityquestions: namesake of a known person left out"] += len(namesakes)
    return [row for row in kept if row[0] not in namesakes]


def _settled(world: World, row: Row) -> set[str]:
    """Names of the values that nodes of that label already have for the relation."""
    nodes = world.candidates(row[0], ROLES[row[1]][0])
    facts = [fact for node in nodes for fact in world.facts_of(node.key)]
    values = [world.nodes[obj] for _s, relation, obj in facts if relation == row[1]]
    return {match_key(name) for value in values for name in (value.label, *value.aliases)}


def _shared_labels(data: Path) -> frozenset[str]:
    """Labels that several Wikidata entities have, of those at hand."""
    with gzip.open(data / "wikidata_labels_union.json.gz", "rt", encoding="utf-8") as file:
        counts = Counter(match_key(label) for label in json.load(file).values())
    return frozenset(label for label, count in counts.items() if count > 1)


class Names:
    """From a label and the kinds that its role allows to one node, or to none when it is ambiguous."""

    def __init__(self, world: World, rows: list[Row], shared: frozenset[str]) -> None:
        self._world, self._shared = world, shared
        self._degrees = world.degrees()
        self._before = frozenset(world.nodes)
        self._modern = {match_key(subject) for subject, relation, _obj in rows if relation in ("P413", "P264")}
        self._books: dict[Row, Node] = {row: self._book(row) for row in rows if row[1] == "P50"}
        self._found: dict[tuple[str, Kinds], Node | None] = {}
        roles: dict[str, set[Kinds]] = defaultdict(set)
        for subject, relation, obj in rows:
            if relation != "P50":
                roles[subject].add(subject_kinds(relation, obj))
            roles[obj].add(ROLES[relation][1])
        self._roles = roles
        for label in sorted(roles):  # sure kinds first, so that unsure rows can join them
            for kinds in sorted(roles[label], key=lambda kinds: (len(kinds), sorted(kinds))):
                self._node(label, kinds)

    def nodes(self, row: Row) -> tuple[Node, Node] | None:
        """Subject and object of a row; None when one of them is ambiguous."""
        subject_label, relation, obj_label = row
        subject = self._books.get(row) or self._node(subject_label, subject_kinds(relation, obj_label))
        obj = self._author(row) or self._node(obj_label, ROLES[relation][1])
        if subject is None or obj is None:
            return None
        sure = self._may_say(relation, subject, obj) if subject.key in self._before else True
        if relation == "P407":  # also said of names and numbers
            sure = subject.kinds in (BOOK, FILM)
        if relation == "P800":
            sure = self._may_have_made(subject, obj)
        return (subject, obj) if sure else None

    def _may_say(self, relation: str, subject: Node, obj: Node) -> bool:
        """Whether a row about the name of a known node is likely to be about that node.

        Villages bear the names of countries, songs and paintings those of books,
        and remakes those of films.
        """
        if subject.kinds == PLACE:
            return relation == "P36"
        if subject.kinds == BOOK:
            return relation == "P50"
        if subject.kinds == FILM and relation == "P495":
            origins = {o for _s, r, o in self._world.facts_of(subject.key) if r == "P495"}
            return not origins or obj.key in origins
        return True

    def _book(self, row: Row) -> Node:
        """The known book of that title and author; another author's book of that title is another node."""
        title, _relation, author = row
        books = [node for node in self._world.candidates(title, BOOK) if node.kinds == BOOK]
        for node in books:
            if match_key(author) in self._makers(node):
                self._world.notes["entityquestions: book merged with Gutenberg's"] += 1
                return node
        key = derived_key("eq", title, *([author] if books else []), "book")
        node = self._world.nodes.get(key)
        return node or self._world.add_node(key, title, BOOK, SOURCE)

    def _author(self, row: Row) -> Node | None:
        """The author of a known book, who may be a namesake of somebody better known."""
        book = self._books.get(row)
        facts = self._world.facts_of(book.key) if book else []
        authors = [self._world.nodes[obj] for _s, relation, obj in facts if relation == "P50"]
        return next((author for author in authors if match_key(author.label) == match_key(row[2])), None)

    def _makers(self, node: Node) -> set[str]:
        """Names of the authors of a work."""
        authors = [self._world.nodes[obj] for _s, r, obj in self._world.facts_of(node.key) if r == "P50"]
        return {match_key(name) for author in authors for name in (author.label, *author.aliases)}

    def _may_have_made(self, person: Node, work: Node) -> bool:
        makers = self._makers(work)
        return not makers or match_key(person.label) in makers

    def _node(self, label: str, kinds: Kinds) -> Node | None:
        """The node, made where the name is new."""
        key = (label, kinds)
        if key not in self._found:
            self._found[key] = self._find(label, kinds)
        return self._found[key]

    def _torn(self, label: str, kinds: Kinds) -> bool:
        """Whether the name is used of two sorts of things, and these kinds allow both."""
        others = [other for other in self._roles[label] if other & kinds]
        return any(not one & other for one, other in combinations(others, 2))

    def _find(self, label: str, kinds: Kinds) -> Node | None:
        if self._torn(label, kinds):
            return None
        candidates = [node for node in self._world.candidates(label, kinds) if self._fits(node, label)]
        if len(candidates) > 1:
            candidates = self._best(candidates)
            if not candidates:
                return None
        if not candidates:
            if kinds == PLACE and match_key(label) in self._shared:
                return None
            key = derived_key("eq", label, *sorted(kinds))
            return self._world.nodes.get(key) or self._world.add_node(key, label, kinds, SOURCE)
        node = candidates[0]
        if SOURCE not in node.sources:
            self._world.notes["entityquestions: name merged with a known node"] += 1
        node.kinds &= kinds
        node.sources.add(SOURCE)
        return node

    def _best(self, candidates: list[Node]) -> list[Node]:
        ranked = sorted(candidates, key=lambda node: -self._degrees[node.key])
        first, second = self._degrees[ranked[0].key], self._degrees[ranked[1].key]
        return ranked[:1] if first >= _DOMINANT * max(second, 1) else []

    def _fits(self, node: Node, label: str) -> bool:
        """A writer of the past is not the athlete or singer of the same name."""
        if node.namesakes:
            return False
        if node.kinds == PERSON and node.born and node.born < 1925 and "gutenberg" in node.sources:
            return match_key(label) not in self._modern
        return True
