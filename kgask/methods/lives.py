"""Born, died, married, buried: where a graph has a relation that is called so, no other answers who says such a word.

The country that somebody is a citizen of is not where she was born, though the two go together so often that planner
and judge take one for the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from kgask.methods.accounted import is_within_any
from kgask.methods.doubts import relations_in
from kgask.pack.labels import readable_relation
from kgask.pack.quantities import DATE
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query

_CALLED = {
    "born": re.compile(r"\b(?:born|birth\w*)\b", re.IGNORECASE),
    "died": re.compile(r"\b(?:died|death\w*|mortality|deceased|dead)\b", re.IGNORECASE),
    "married": re.compile(
        r"\b(?:married|marriages?|spouses?|wi[fv]es?|husbands?|(?<!unmarried )partners?|wed\w*|brides?|grooms?)\b",
        re.IGNORECASE,
    ),
    "buried": re.compile(r"\b(?:buried|burial\w*|graves?|interred|cemetery)\b", re.IGNORECASE),
}
_SAID = {
    "born": re.compile(r"\bborn\b", re.IGNORECASE),
    "died": re.compile(r"\b(?:died|die|dies)\b", re.IGNORECASE),
    "married": re.compile(
        r"\bmarr(?:ied|y|ies)\b|\b(?:spouses?|wife|wives|husbands?) of\b|['\u2019]s (?:spouse|wife|wives|husband)s?\b",
        re.IGNORECASE,
    ),
    "buried": re.compile(r"\bburied\b", re.IGNORECASE),
}
_LIVED_LONGER = re.compile(
    r"\b(?:lived?|lives) (?:the |for )?long(?:er|est)\b|\blong(?:er|est)[- ]lived\b", re.IGNORECASE
)
_RELATIONS: WeakKeyDictionary[Pack, dict[str, frozenset[int]]] = WeakKeyDictionary()


def passes_over_lives(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a question says such a word, the graph has relations called so, and a query follows none of them.

    ``spans`` are the characters of the question's names by their entities.
    """
    if _LIVED_LONGER.search(question) and _goes_by_one_date(query, pack):
        return True
    names = [(start, end) for start, end in spans.values() if question[start:end] not in _SAID]  # films are called so
    said = [
        word
        for word, pattern in _SAID.items()
        if any(not is_within_any(found.span(), names) for found in pattern.finditer(question))
    ]
    followed = {relation % pack.n_relations for relation in relations_in(query)} if said else set()
    return any((called := _called(pack, word)) and called.isdisjoint(followed) for word in said)


def _goes_by_one_date(query: Query, pack: Pack) -> bool:
    """Whether it chooses or compares by when something began or ended, where how long it took needs both."""
    relations = [
        part.path[-1] if isinstance(part, nodes.ValueOf) else part.relation
        for node in query.walk()
        if isinstance(node, nodes.Best | nodes.Compare)
        for part in ([node.by] if isinstance(node, nodes.Best) else [node.left, node.right])
        if isinstance(part, nodes.ValueOf | nodes.Values)
    ]
    return any(relation_axis(pack, relation) == DATE for relation in relations)


def swaps_lives(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether dates of two are compared, and of one its birth where its death is said, or the other way round.

    What is said of a name stands between it and the next: "Did Dickens die before Wilde was born?".
    """
    dated = {
        node.base.ids[0]: node.relation
        for node in query.walk()
        if isinstance(node, nodes.Values) and isinstance(node.base, nodes.Entities) and node.base.ids[0] in spans
    }
    return len(dated) > 1 and any(
        relation in _called(pack, "died" if event == "born" else "born") and relation not in _called(pack, event)
        for one, relation in dated.items()
        if (event := _said_of(spans[one], question, spans)) is not None
    )


def _said_of(place: tuple[int, int], question: str, spans: Mapping[int, tuple[int, int]]) -> str | None:
    """Birth or death, if one of them is said behind a name and before the next."""
    end = min((start for start, _ in spans.values() if start >= place[1]), default=len(question))
    behind = question[place[1] : end]
    said = [word for word in ("born", "died") if _SAID[word].search(behind) or _CALLED[word].search(behind)]
    return said[0] if len(said) == 1 else None


def relations_said(question: str, pack: Pack) -> frozenset[int]:
    """The relations that are called by one of these words that a question says."""
    said = (word for word, pattern in _SAID.items() if pattern.search(question))
    return frozenset[int]().union(*(_called(pack, word) for word in said))


def births(pack: Pack) -> list[int]:
    """The relations that say of somebody when or where she was born."""
    return sorted(_called(pack, "born"))


def _called(pack: Pack, word: str) -> frozenset[int]:
    """The relations of a pack that are called by a word."""
    known = _RELATIONS.setdefault(pack, {})
    if word not in known:
        labels = enumerate(map(readable_relation, pack.relation_labels()))
        known[word] = frozenset(at for at, label in labels if _CALLED[word].search(label))
    return known[word]
