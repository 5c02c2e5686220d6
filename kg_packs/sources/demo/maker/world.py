"""The merged graph while it is being made: nodes, facts, and who may be whom.

Two names are the same entity only when their normalised labels are equal and
their kinds can be the same. Kinds come from the relations that a name is seen
in (the object of *place of birth* is a place); a name that fits two nodes is
ambiguous, and ambiguous rows are left out rather than guessed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field

Kinds = frozenset[str]

# What a node can be. "thing" is everything else: subjects, instruments, diseases, events.
PERSON, ORG, PLACE = frozenset({"person"}), frozenset({"org"}), frozenset({"place"})
BAND = frozenset({"band"})
CLASS = frozenset({"class"})
BOOK, FILM, MUSIC = frozenset({"book"}), frozenset({"film"}), frozenset({"music"})
WORK = frozenset({"book", "film", "music", "game", "art"})
ARTIST = PERSON | BAND
AGENT = ARTIST | ORG
NOT_PERSON = frozenset({"org", "place", "thing", "product"})
ANY = AGENT | PLACE | WORK | frozenset({"thing", "product", "language", "genre", "occupation"})

_NOT_WORD = re.compile(r"[\W_]+")


def match_key(text: str) -> str:
    """The form in which names are compared: case, accents and punctuation do not count."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return _NOT_WORD.sub(" ", plain).strip() or text


def derived_key(prefix: str, *parts: str) -> str:
    """A short stable key for an entity that no source gives an id to."""
    digest = hashlib.sha256("|".join(parts).encode()).digest()
    return f"{prefix}-{10**11 + int.from_bytes(digest[:8]) % (9 * 10**11)}"


def literal(kind: str, text: str, unit: str = "") -> str:
    """The builder's notation of a typed literal, ``"357588"^^number[km²]``."""
    return f'"{text}"^^{kind}' + (f"[{unit}]" if unit else "")


def is_literal(obj: str) -> bool:
    return obj.startswith('"')


def literal_text(obj: str) -> str:
    """The words inside a typed literal."""
    return obj[1 : obj.rindex('"^^')]


@dataclass(slots=True)
class Node:
    """One entity. ``kinds`` shrinks as evidence comes in."""

    key: str
    label: str
    kinds: Kinds
    aliases: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    born: int | None = None
    died: int | None = None
    namesakes: bool = False  # somebody better known has the name, so a bare name is not this one


class World:
    """Nodes by key, facts with their source, and an index from names to nodes."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.facts: dict[tuple[str, str, str], str] = {}  # (subject, relation, object) -> first source
        self.by_name: dict[str, list[str]] = defaultdict(list)
        self.said: dict[tuple[str, str, str], list[tuple[str, ...]]] = {}  # qualifiers, a tuple of pairs a statement
        self._out: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self._in: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        self.notes: Counter[str] = Counter()  # what was merged and what was left out

    def add_node(self, key: str, label: str, kinds: Kinds, source: str) -> Node:
        """Create a node; its label becomes findable."""
        if key in self.nodes:
            raise ValueError(f"two nodes have the key {key!r}")
        node = self.nodes[key] = Node(key, label, kinds, sources={source})
        self.index(node, label)
        return node

    def index(self, node: Node, name: str) -> None:
        """Let ``name`` find ``node`` when later sources are merged."""
        keys = self.by_name[match_key(name)]
        if node.key not in keys:
            keys.append(node.key)

    def add_alias(self, node: Node, name: str, findable: bool = False) -> None:
        """Give a node a second name; ``findable`` names also take part in merging."""
        name = " ".join(name.split())
        if name and name != node.label:
            node.aliases.add(name)
            if findable:
                self.index(node, name)

    def candidates(self, name: str, kinds: Kinds) -> list[Node]:
        """Nodes of that name whose kind can be one of ``kinds``."""
        nodes = (self.nodes.get(key) for key in self.by_name.get(match_key(name), ()))
        return [node for node in nodes if node and node.kinds & kinds]

    def only(self, name: str, kinds: Kinds) -> Node | None:
        """The one node of that name and kind, or None when there are none or several."""
        found = self.candidates(name, kinds)
        return found[0] if len(found) == 1 else None

    def get_or_add(self, prefix: str, label: str, kinds: Kinds, source: str) -> Node:
        """The one node of that name and kind; a new one where there is none.

        Several candidates also give a new node: equal names stay apart.
        """
        node = self.only(label, kinds)
        key = derived_key(prefix, label, *sorted(kinds))
        if node is None:
            node = self.nodes.get(key) or self.add_node(key, label, kinds, source)
        else:
            node.kinds &= kinds
        node.sources.add(source)
        return node

    def add_fact(self, subject: Node, relation: str, obj: Node | str, source: str) -> None:
        """Record a triple; ``obj`` is a node or a typed literal."""
        if isinstance(obj, Node):
            obj.sources.add(source)
            obj = obj.key
        subject.sources.add(source)
        fact = (subject.key, relation, obj)
        if subject.key != obj and fact not in self.facts:
            self.facts[fact] = source
            self._out[subject.key].append(fact)
            self._in[obj].append(fact)

    def add_statement(self, subject: Node, relation: str, obj: Node | str, qualifiers: list[tuple[str, str]]) -> None:
        """Say more of a fact: ``qualifiers`` are relations with keys or typed literals."""
        pairs = tuple(text for pair in qualifiers for text in pair)
        key = obj.key if isinstance(obj, Node) else obj
        self.said.setdefault((subject.key, relation, key), []).append(pairs)

    def merge(self, kept: Node, other: Node) -> None:
        """Make two nodes one: facts, statements, names and sources of ``other`` go over to ``kept``."""
        for old in dict.fromkeys((*self.facts_of(other.key), *self.facts_to(other.key))):
            source, said = self.facts.pop(old), self.said.pop(old, [])
            self._out[old[0]].remove(old)
            self._in[old[2]].remove(old)
            subject, obj = (kept.key if key == other.key else key for key in (old[0], old[2]))
            new = (subject, old[1], obj)
            if subject == obj or (new in self.facts and not said):
                continue
            if new not in self.facts:
                self.facts[new] = source
                self._out[subject].append(new)
                self._in[obj].append(new)
            self.said.setdefault(new, []).extend(pairs for pairs in said if pairs not in self.said.get(new, []))
            if not self.said[new]:
                del self.said[new]
        for fact, statements in self.said.items():  # a university is the affiliation that a prize was given at
            if any(other.key in pairs for pairs in statements):
                self.said[fact] = [tuple(kept.key if t == other.key else t for t in pairs) for pairs in statements]
        for name in (other.label, *other.aliases):
            self.add_alias(kept, name, findable=True)
        kept.sources |= other.sources
        kept.born = other.born if kept.born is None else kept.born
        kept.died = other.died if kept.died is None else kept.died
        del self.nodes[other.key]

    def remove_facts(self, subject: Node, relation: str, obj: str | None = None) -> None:
        """Forget what the graph says about a subject in one relation, or only about ``obj``."""
        found = [fact for fact in self._out.get(subject.key, []) if fact[1] == relation]
        for fact in found if obj is None else [(subject.key, relation, obj)]:
            del self.facts[fact]
            self._out[fact[0]].remove(fact)
            self._in[fact[2]].remove(fact)

    def facts_of(self, key: str) -> list[tuple[str, str, str]]:
        """Facts whose subject is ``key``."""
        return self._out.get(key, [])

    def facts_to(self, key: str) -> list[tuple[str, str, str]]:
        """Facts whose object is ``key``."""
        return self._in.get(key, [])

    def class_node(self, label: str, source: str) -> Node:
        """The class of that label, what *instance of* leads to."""
        key = f"class-{label.replace(' ', '-')}"
        return self.nodes.get(key) or self.add_node(key, label, CLASS, source)

    def add_class(self, node: Node, label: str, source: str) -> None:
        """Say that a node is an instance of the class of that label."""
        self.add_fact(node, "P31", self.class_node(label, source), source)

    def values(self, node: Node, relation: str) -> list[str]:
        """Objects of a node's facts in one relation: keys and typed literals."""
        return [obj for _subject, r, obj in self.facts_of(node.key) if r == relation]

    def degree(self, node: Node) -> int:
        """Number of facts that a node takes part in."""
        return len(self.facts_of(node.key)) + len(self.facts_to(node.key))

    def degrees(self) -> Counter[str]:
        """Number of facts that each node takes part in."""
        count: Counter[str] = Counter()
        for subject, _relation, obj in self.facts:
            count[subject] += 1
            count[obj] += 1
        return count
