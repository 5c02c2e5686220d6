"""Born, died, married, buried: where a graph has a relation that is called so, no other answers who says such a word.

The country that somebody is a citizen of is not where she was born, though the two go together so often that planner
and judge take one for the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np

from kgask.methods.accounted import is_within_any
from kgask.methods.doubts import relations_in
from kgask.pack.labels import readable_relation
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.retrieve.follow import edges_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

_CALLED = {
    "born": re.compile(r"\b(?:born|birth\w*)\b", re.IGNORECASE),
    "died": re.compile(r"\b(?:died|death\w*|mortality|deceased|dead)\b", re.IGNORECASE),
    "married": re.compile(
        r"\b(?:married|marriages?|spouses?|wi[fv]es?|husbands?|(?<!unmarried )partners?|wed\w*|brides?|grooms?)\b",
        re.IGNORECASE,
    ),
    "buried": re.compile(r"\b(?:buried|burial\w*|graves?|interred|cemetery)\b", re.IGNORECASE),
    "baptised": re.compile(r"\b(?:bapti[sz]\w*|christen\w*)\b", re.IGNORECASE),
}
_SAID = {
    "born": re.compile(r"\bborn\b", re.IGNORECASE),
    "died": re.compile(r"\b(?:died|die|dies)\b", re.IGNORECASE),
    "married": re.compile(
        r"\bmarr(?:ied|y|ies)\b|\b(?:spouses?|wife|wives|husbands?) of\b|['\u2019]s (?:spouse|wife|wives|husband)s?\b",
        re.IGNORECASE,
    ),
    "buried": re.compile(r"\bburied\b", re.IGNORECASE),
    "baptised": re.compile(r"\b(?:bapti[sz]ed|christened)\b", re.IGNORECASE),
}
_EVENTS = ("born", "died", "buried", "baptised")
_OF_AGE = re.compile(r"\b(?:younger|older|youngest|oldest|eldest|elder)\b", re.IGNORECASE)
_LIVED_LONGER = re.compile(
    r"\b(?:lived?|lives) (?:the |for )?long(?:er|est)\b|\blong(?:er|est)[- ]lived\b|"
    r"\b(?:reach(?:ed|es)?|lived? to|attain(?:ed)?|got to) (?:an? |the )(?:great|old|high|bigg)(?:er|est) (?:old )?"
    r"age\b|"
    r"\bdied (?:at )?(?:an? |the )?(?:young|old)(?:er|est)\b",
    re.IGNORECASE,
)
_LASTED = re.compile(  # "which incident took the longest to resolve?", but not "which has run the longest?"
    r"\b(?:took|takes?|taken|last(?:s|ed)?|went on) (?:for )?(?:the )?(?:long|short)(?:er|est)\b|"
    r"\b(?:long|short)(?:er|est)(?: time)? (?:to [a-z]+|between)\b|\blongest[- ]lasting\b",
    re.IGNORECASE,
)
_OF_YEAR = re.compile(  # "the 1954 winner of the prize" won it then
    r"\b(?:1\d{3}|20\d\d)(?:['\u2019]s)? (?:[\w-]+ ){0,3}?"
    r"(?:winners?|laureates?|recipients?|awardees?|champions?|medall?ists?)\b|"
    r"\b(?:winners?|laureates?|recipients?) (?:(?!born|died)[\w'\u2019-]+ ){1,6}?(?:of|in|for) (?:1\d{3}|20\d\d)\b",
    re.IGNORECASE,
)
_WAS_BORN = re.compile(r"\b(?:was|were|is) \[MASK\] (?:born|buried)\b|\bdid \[MASK\] die\b", re.IGNORECASE)
SAMPLED, LOOK_SECONDS = 50, 0.5  # things with a birth whose types are looked at
_RELATIONS: WeakKeyDictionary[Pack, dict[str, frozenset[int]]] = WeakKeyDictionary()


def is_of_who_was_there(query: Query, text: str, n_relations: int) -> bool:
    """Whether somebody is said to be born or to die, and what is told is of those who did so at a place of that name.

    In ``text`` the name is masked.
    """
    if not _WAS_BORN.search(text):
        return False
    steps = [node for node in query.walk() if isinstance(node, nodes.Follow | nodes.Values)]
    return any(
        isinstance(step.base, nodes.Follow) and isinstance(step.base.base, nodes.Entities)
        and step.base.relation >= n_relations
        for step in steps
    )  # fmt: skip


def passes_over_lives(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a question says such a word, the graph has relations called so, and a query follows none of them; or
    asks how long something took, or for the winner of a year, and one date of a life or event is what it goes by.

    ``spans`` are the characters of the question's names by their entities.
    """
    if (_LIVED_LONGER.search(question) or _LASTED.search(question)) and _goes_by_one_date(query, pack):
        return True
    if _OF_YEAR.search(question) and _is_of_life(query, pack):
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
    return any(relation_axis(pack, relation) in WHEN for relation in relations)


def _is_of_life(query: Query, pack: Pack) -> bool:
    """Whether it goes by when somebody was born or died."""
    lives = _called(pack, "born") | _called(pack, "died")
    paths = (
        node.by.path for node in query.walk() if isinstance(node, nodes.Where) and isinstance(node.by, nodes.ValueOf)
    )
    return any(path[-1] % pack.n_relations in lives for path in paths)


def swaps_lives(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether dates of two are compared, and of one its birth where its death is said, or the other way round.

    What is said of a name stands between it and the next: "Did Dickens die before Wilde was born?".
    """
    dated = {
        node.base.ids[0]: node.relation
        for node in query.walk()
        if isinstance(node, nodes.Values) and isinstance(node.base, nodes.Entities) and node.base.ids[0] in spans
    }
    if len(dated) < 2:
        return False
    if _OF_AGE.search(question) and _are_of_persons(dated, pack):
        return True
    events = ((relation, _said_of(spans[one], question, spans)) for one, relation in dated.items())
    return any(event is not None and relation in _other_events(event, pack) for relation, event in events)


def _are_of_persons(dated: Mapping[int, int], pack: Pack) -> bool:
    """Whether dates that are none of birth are compared of such as have one: who was employed later is not younger."""
    born = _called(pack, "born")
    if not born or born.issuperset(relation % pack.n_relations for relation in dated.values()):
        return False
    ends, runner = np.array(sorted(dated), np.int64), Runner(pack, Budget(LOOK_SECONDS))
    if any(len(edges_of(pack, ends, one)) for one in born):
        return True
    persons = np.concatenate([runner.members(nodes.Having(one)).certain[:SAMPLED] for one in sorted(born)])
    return bool(np.isin(runner.types(ends), runner.types(persons)).any())


def _other_events(event: str, pack: Pack) -> frozenset[int]:
    """The relations that are called by another event, and not by this one."""
    return frozenset[int]().union(*(_called(pack, one) for one in _EVENTS if one != event)) - _called(pack, event)


def _said_of(place: tuple[int, int], question: str, spans: Mapping[int, tuple[int, int]]) -> str | None:
    """What event of a life is said behind a name and before the next, where it is one."""
    end = min((start for start, _ in spans.values() if start >= place[1]), default=len(question))
    behind = question[place[1] : end]
    said = [word for word in _EVENTS if _SAID[word].search(behind) or _CALLED[word].search(behind)]
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
