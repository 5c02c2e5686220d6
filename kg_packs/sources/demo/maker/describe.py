"""Short descriptions and surnames as aliases, made from the facts of the graph."""

from __future__ import annotations

from collections import Counter, defaultdict

from maker.world import (
    BAND,
    BOOK,
    CLASS,
    FILM,
    MUSIC,
    ORG,
    PERSON,
    PLACE,
    Node,
    World,
    literal_text,
)

# Too general to describe anybody by.
_PLAIN_JOBS = frozenset({"writer", "musician", "autobiographer", "university teacher", "professor", "farmer", "author"})
_FIRST_NAMES = 2  # so many persons with a surname as their first name make it ambiguous
_FIXED = {
    frozenset({"language"}): "language",
    frozenset({"currency"}): "currency",
    frozenset({"genre"}): "genre",
    frozenset({"award"}): "award",
    frozenset({"element"}): "chemical element",
    frozenset({"character"}): "fictional or legendary character",
    frozenset({"topic"}): "topic",
    frozenset({"occupation"}): "occupation",
    CLASS: "class",
}
_MADE_BY = (
    ("P50", "book by"),
    ("P175", "recording by"),
    ("P57", "film directed by"),
    ("P170", "work by"),
    ("P176", "product of"),
)
# Where nobody is known to have made it, the next best thing to say.
_SAID = (
    ("P585", "prize of"),
    ("P264", "on the label"),
    ("P136", "genre:"),
    ("P495", "from"),
    ("P17", "in"),
    ("P276", "at"),
)
# What a place is called, the most telling first.
_SORTS = (
    "continent", "U.S. state", "airport", "city", "province", "volcano", "mountain", "mountain range", "river",
    "reservoir", "salt lake", "lake", "ocean", "sea", "desert", "island", "island group",
)  # fmt: skip


class Describer:
    """Looks a node's facts up and says in a few words what it is."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._degrees = world.degrees()

    def describe(self, node: Node) -> str:
        """A few words such as ``writer (1775–1817)``; empty where the facts say too little."""
        if node.kinds == PERSON:
            return self._person(node)
        if node.kinds in _FIXED:
            return _FIXED[node.kinds]
        if node.kinds == PLACE:
            return self._place(node)
        if node.kinds == ORG:
            return self._organisation(node)
        if node.kinds == BAND:
            return self._band(node)
        for relation, words in (*_MADE_BY, *_SAID):
            values = self._labels(node, relation)
            if values:
                return f"{words} {' and '.join(values[:2])}"
        return {FILM: "film", BOOK: "book", MUSIC: "recording"}.get(node.kinds, "")

    def _labels(self, node: Node, relation: str) -> list[str]:
        """Labels of the objects, the best connected first."""
        found = [obj for _s, r, obj in self._world.facts_of(node.key) if r == relation]
        found.sort(key=lambda key: (-self._degrees[key], key))
        return [self._world.nodes[key].label if key in self._world.nodes else literal_text(key) for key in found]

    def _is_object(self, node: Node, relation: str) -> list[str]:
        return [self._world.nodes[key].label for key in self._subjects(node, relation)]

    def _subjects(self, node: Node, relation: str) -> list[str]:
        return sorted(subject for subject, r, _o in self._world.facts_to(node.key) if r == relation)

    def _person(self, node: Node) -> str:
        jobs = self._labels(node, "P106")
        chosen = [job for job in jobs if job not in _PLAIN_JOBS][:2] or jobs[:1]
        if not chosen:
            prizes = self._labels(node, "P166")
            chosen = [f"{prizes[0]} laureate"] if prizes else []
        if not chosen:
            chosen = ["author"] if self._is_object(node, "P50") else self._labels(node, "P413")[:1]
        if not chosen:
            chosen = [f"spouse of {name}" for name in self._labels(node, "P26")[:1]]
            chosen = chosen or [f"child of {name}" for name in self._is_object(node, "P40")[:1]]
        return " ".join(part for part in (" and ".join(chosen), self._years(node)) if part)

    @staticmethod
    def _years(node: Node) -> str:
        if node.born is None and node.died is None:
            return ""
        born, died = ("" if year is None else str(abs(year)) for year in (node.born, node.died))
        era = " BC" if (node.died if node.died is not None else node.born) < 0 else ""
        if not died:
            return f"(born {born}{era})"
        return f"({born}–{died}{era})" if born else f"(died {died}{era})"

    def _place(self, node: Node) -> str:
        sorts, region = set(self._labels(node, "P31")), self._labels(node, "kgask:subregion")
        land = next((sort for sort in ("country", "dependent territory") if sort in sorts), "")
        if land:
            return f"{land} in {region[0]}" if region and region[0] != node.label else land
        capital_of = self._today(self._subjects(node, "P36"))
        sort = next((sort for sort in _SORTS if sort in sorts), "")
        if capital_of and (not sort or "capital" in sorts):
            return f"capital of {capital_of}"
        inside = self._inside(node)[:2] if sort != "U.S. state" else []
        if sort:
            return f"{sort} in {' and '.join(inside)}" if inside else sort
        first = self._today(self._world.values(node, "P17")) or next(iter(self._labels(node, "P131")), "")
        return f"place in {first}" if first and first != node.label else "place"

    def _inside(self, node: Node) -> list[str]:
        """Labels of the countries of today that a place lies in, else of all."""
        keys = self._world.values(node, "P17")
        today = [key for key in keys if self._world.values(self._world.nodes[key], "P297")]
        return [self._world.nodes[key].label for key in today or keys]

    def _today(self, keys: list[str]) -> str:
        """The label of a country of today, else of the first; empty for no keys."""
        today = [key for key in keys if any(r == "P297" for _s, r, _o in self._world.facts_of(key))]
        return self._world.nodes[(today or keys)[0]].label if keys else ""

    def _band(self, node: Node) -> str:
        seat = self._labels(node, "P740")[:1] or self._labels(node, "P495")[:1]
        return f"musical group from {seat[0]}" if seat else "musical group"

    def _organisation(self, node: Node) -> str:
        if self._is_object(node, "P69"):
            sort = "place of education"
        elif self._is_object(node, "P264"):
            sort = "record label"
        elif self._is_object(node, "P176"):
            sort = "manufacturer"
        elif self._is_object(node, "P102"):
            sort = "political party"
        else:
            sort = "organisation"
        seat = self._labels(node, "P159")[:1]
        return f"{sort} in {seat[0]}" if seat else sort


def add_surnames(world: World, least: int = 24, dominant: int = 4) -> int:
    """Let well known people be found by their surname alone.

    ``least`` is the number of facts that makes a person well known; nobody else
    of the surname, and nothing else that has it as a name, may have more than a
    ``dominant``-th of them. Returns how many surnames were given.
    """
    degrees = world.degrees()
    bearers: dict[str, list[Node]] = defaultdict(list)
    rivals: Counter[str] = Counter()  # facts of the best known thing that has the name
    other_uses: Counter[str] = Counter()  # "Charles" is a first name too, and "mill" a word
    for node in world.nodes.values():
        words = node.label.split()
        other_uses.update(words[:1] if node.kinds == PERSON else filter(str.islower, words))
        for name in {node.label.casefold(), *(alias.casefold() for alias in node.aliases)}:
            rivals[name] = max(rivals[name], degrees[node.key])
        if node.kinds == PERSON and len(words) > 1 and words[-2][0].isupper():
            bearers[words[-1]].append(node)
    given = 0
    for surname, nodes in sorted(bearers.items()):
        nodes.sort(key=lambda node: (-degrees[node.key], node.key))
        others = [degrees[node.key] for node in nodes[1:]] + [rivals[surname.casefold()]]
        known = degrees[nodes[0].key] >= max(least, dominant * max(others))
        common = other_uses[surname] > _FIRST_NAMES or other_uses[surname.lower()]
        if known and surname.isalpha() and len(surname) > 3 and not common:
            world.add_alias(nodes[0], surname)
            given += 1
    return given
