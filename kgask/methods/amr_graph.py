"""Penman notation -> the graph that LTGen's ranker looks at (Huang et al. 2024, section 4.2.2).

Nodes are the AMR's concepts and constants, and one more for each edge: its role. That reification keeps the labels
of edges, which a graph network would lose. Inverse roles are turned round (``:ARG0-of`` is ``:ARG0`` the other way),
the parts of a name are joined, wiki links and alignments to words are left out.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from penman import DecodeError, PENMANCodec
from penman import Graph as PenmanGraph
from penman.models.amr import model as AMR_ROLES

from kgask.pack.normalise import normalise

CONCEPT, ROLE, NAMED, UNKNOWN, TOPIC = range(5)  # kinds of nodes
N_KINDS = 5
MOST_NODES = 500  # of a question: attention looks at every pair of them
UNKNOWN_CONCEPTS = ("amr-unknown", "amr-choice")
# Words for what the sentence encoder has not read: roles of frames (PropBank's proto-agent and proto-patient), and
# concepts that stand for a relation.
_ROLE_WORDS = {
    "ARG0": "agent", "ARG1": "theme", "ARG2": "second argument", "ARG3": "third argument", "ARG4": "end point",
    "poss": "possessor", "mod": "modifier", "domain": "is", "quant": "quantity", "ord": "order",
    "op": "item",
}  # fmt: skip
_CONCEPT_WORDS = {
    "amr-unknown": "what", "amr-choice": "which", "have-rel-role-91": "is a relative or friend of",
    "have-org-role-91": "has a role in an organisation", "have-degree-91": "degree", "include-91": "belongs to",
}  # fmt: skip
_SENSE = re.compile(r"-\d+$")
_NUMBERED = re.compile(r"\d+$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_VARIABLE = re.compile(r"[a-z]{1,2}\d*")

logging.getLogger("penman").addHandler(logging.NullHandler())  # what it warns of is an error here, said once


class PenmanError(ValueError):
    """A graph that cannot be read; ``line`` counts from 1 within its text."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class AmrGraph:
    """N nodes; an edge goes from a concept to its role's node, and from there to what fills the role."""

    texts: tuple[str, ...]  # [N] words for the sentence encoder
    kinds: tuple[int, ...]  # [N]
    names: tuple[str, ...]  # [N] the whole name of what is named, "" elsewhere
    edges: tuple[tuple[int, int], ...]

    def about(self, *names: str) -> AmrGraph:
        """The graph with the nodes that are called one of ``names`` marked as the topic."""
        wanted = {normalise(name) for name in names if name}
        kinds = tuple(
            TOPIC if kind != ROLE and normalise(name or text) in wanted else kind
            for kind, name, text in zip(self.kinds, self.names, self.texts, strict=True)
        )
        return replace(self, kinds=kinds)

    def node_texts(self) -> list[str]:
        """What is embedded [N]; of the topic only its type, for the pair encoder sees its name."""
        named = zip(self.texts, self.names, self.kinds, strict=True)
        return [text if kind == TOPIC or not name else f"{text} {name}" for text, name, kind in named]


def read_graph(text: str) -> AmrGraph:
    """The graph of one AMR in Penman notation; raises :class:`PenmanError`."""
    graph = _decode(text)
    owners, folded = _names(graph)
    place: dict[str, int] = {}
    nodes: list[tuple[str, int, str]] = []
    for instance in graph.instances():
        if instance.source not in folded:
            place[instance.source] = len(nodes)
            name = owners.get(instance.source, "")
            kind = UNKNOWN if instance.target in UNKNOWN_CONCEPTS else NAMED if name else CONCEPT
            nodes.append((_concept_words(instance.target), kind, name))
    edges: list[tuple[int, int]] = []

    def link(source: int, role: str, target: int) -> None:
        edges.extend(((source, len(nodes)), (len(nodes), target)))
        nodes.append((_role_words(role), ROLE, ""))

    for edge in graph.edges():
        if edge.source in place and edge.target in place:
            link(place[edge.source], edge.role, place[edge.target])
    for attribute in graph.attributes():
        if attribute.source in place and attribute.role != ":wiki":
            nodes.append((_constant_words(str(attribute.target)), CONCEPT, ""))
            link(place[attribute.source], attribute.role, len(nodes) - 1)
    if len(nodes) > MOST_NODES:
        raise PenmanError(f"{len(nodes)} nodes and roles, more than {MOST_NODES}")
    texts, kinds, names = zip(*nodes, strict=True)
    return AmrGraph(texts, kinds, names, tuple(edges))


def _decode(text: str) -> PenmanGraph:
    """The graph as penman reads it, checked for what penman lets pass."""
    try:
        graphs = list(PENMANCodec(model=AMR_ROLES).iterdecode(text))
    except DecodeError as error:
        raise PenmanError(str(error.message).lower(), error.lineno or 1) from None
    except RecursionError:
        raise PenmanError("nested too deep") from None
    if len(graphs) != 1:
        raise PenmanError("no graph in Penman notation" if not graphs else f"{len(graphs)} graphs; one is expected")
    brackets = Counter(_QUOTED.sub("", text))
    if brackets["("] != brackets[")"]:
        raise PenmanError("a ')' too many")
    graph = graphs[0]
    for variable, n in Counter(instance.source for instance in graph.instances()).items():
        if n > 1:
            raise PenmanError(f"{variable!r} is defined {n} times")
    for instance in graph.instances():
        if instance.target is None:
            raise PenmanError(f"{instance.source!r} has no concept; write ({instance.source} / concept)")
    for attribute in graph.attributes():
        if _VARIABLE.fullmatch(str(attribute.target)):
            raise PenmanError(f"{attribute.target!r} is named in {attribute.role} but is no node")
    return graph


def _names(graph: PenmanGraph) -> tuple[dict[str, str], set[str]]:
    """Whole names by the variable of what is called so, and the variables of ``name`` nodes, which go into them."""
    called = {instance.source for instance in graph.instances() if instance.target == "name"}
    parts: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for attribute in graph.attributes():
        if attribute.source in called and attribute.role.startswith(":op"):
            order = _NUMBERED.search(attribute.role)
            parts[attribute.source].append((int(order[0]) if order else 0, str(attribute.target).strip('"')))
    owners = {
        edge.source: " ".join(word for _, word in sorted(parts[edge.target]))
        for edge in graph.edges()
        if edge.role == ":name" and edge.target in parts
    }
    folded = {edge.target for edge in graph.edges() if edge.role == ":name" and edge.target in parts}
    return owners, folded


def _concept_words(concept: str) -> str:
    """``write-01`` -> ``write``, ``political-party`` -> ``political party``."""
    return _CONCEPT_WORDS.get(concept) or _SENSE.sub("", concept).replace("-", " ").strip() or concept


def _role_words(role: str) -> str:
    """``:ARG0`` -> ``agent``, ``:op2`` -> ``item``, ``:prep-on`` -> ``on``."""
    bare = role.removeprefix(":").removeprefix("prep-")
    return _ROLE_WORDS.get(bare) or _ROLE_WORDS.get(_NUMBERED.sub("", bare)) or bare.replace("-", " ")


def _constant_words(constant: str) -> str:
    return {"-": "not", "+": "yes"}.get(constant, constant.strip('"'))
