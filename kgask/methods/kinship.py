"""Kin: "her father" is no child of hers, a grandchild is two steps away, a mother-in-law is the mother of a spouse.

Graphs say "child", "father" or "child of"; a planner that finds no relation for what is asked takes another of them.
What such a word asks for is known, whatever the graph calls its relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import By
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by
from kgask.types import DirectedRelationId, undirected

_WORDS = {
    "child": "child children son sons daughter daughters kid kids offspring foal foals calf calves puppy puppies",
    "parent": "parent parents father fathers mother mothers dad mum mom sire dam",
    "spouse": "spouse spouses husband husbands wife wives",
    "sibling": "sibling siblings brother brothers sister sisters",
}
KIN_WORDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_BACK = {"child": "parent", "parent": "child"}
_WORD = "|".join(KIN_WORDS)
# Words for kin that is more than a step away, with the steps; "great-" of them is not known.
_COMPOUNDS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b"), tuple(steps.split()))
    for words, steps in (
        (r"grand-?(?:child|children|sons?|daughters?|kids?)", "child child"),
        (r"grand-?(?:parents?|fathers?|mothers?|dads?|mas?|pas?)", "parent parent"),
        (r"(?:father|mother|parents?)s?-in-law", "spouse parent"),
        (r"(?:sons?|daughters?)-in-law", "child spouse"),
        (r"uncles?|aunts?|aunties?", "parent sibling"),
        (r"nephews?|nieces?", "sibling child"),
        (r"cousins?", "parent sibling child"),
    )
)
_ONE_PARENT = re.compile(r"\b(?:mother|father|mum|mom|dad)\b(?!-in-law| and| or)", re.IGNORECASE)
_TOPIC = r"\[MASK\]"
_OF_TOPIC = re.compile(
    rf"(?<!whose ){_TOPIC}['\u2019]s? (?:\w+ )?(?P<of>{_WORD})\b|"
    rf"\b(?P<before>{_WORD})(?: \w+)? of (?:the )?{_TOPIC}(?!['\u2019])",
    re.IGNORECASE,
)
_CHAIN = re.compile(rf"\b(?P<of>{_WORD})(?: \w+)? of (?:the )?\[mask\]['\u2019]s? (?:\w+ )?(?P<its>{_WORD})\b")


_BEFORE = (
    r"(?:who|what|which|how many|names?|list|show|tell|give|find|me|us|is|are|was|were|all|the|of|please|"
    r"['\u2019]s|\W)*"
)
_ANY_KIN = "|".join(words.pattern for words, _ in _COMPOUNDS) + rf"|\b(?:{_WORD})\b"
_ASKED_OF = re.compile(  # "X's parents", "the parents of X", "how many children does X have"
    rf"{_BEFORE}(?:{_TOPIC}['\u2019]s? (?P<its>{_ANY_KIN})|(?P<of>{_ANY_KIN}) of (?:the )?{_TOPIC}|"
    rf"(?P<had>{_ANY_KIN}) (?:do|does|did|has|have|had) {_TOPIC}(?: (?:have|had|got))?|"
    rf"(?:do|does|did|has|have|had) {_TOPIC}(?: (?:have|had|got))?(?: any| some)? (?P<any>{_ANY_KIN}))\W*",
    re.IGNORECASE,
)


def steps_of(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The word for kin of what is masked that a question asks for, and the steps to it.

    None where it asks for nothing such, or for more than that ("the oldest child of").
    """
    found = _ASKED_OF.fullmatch(text)
    if found is None:
        return None
    word = (found["its"] or found["of"] or found["had"] or found["any"]).lower()
    compound = (steps for words, steps in _COMPOUNDS if words.fullmatch(word))
    return word, next(compound, None) or (KIN_WORDS[word],)


def is_other_kin(query: Query, text: str, pack: Pack) -> bool:
    """Whether a query goes to other kin of somebody than a question asks for, whose names are masked.

    Only of queries that go to kin; what a relation of the query is called itself ("grandfather") is that.
    """
    if isinstance(query, nodes.Holds):  # either end may be meant
        return False
    texts, n = pack.relations(), pack.n_relations
    walked = [(relation, relation_phrase(texts[relation % n].label).lower()) for relation in _relations(query)]
    steps = Counter(kin for relation, label in walked if (kin := kin_of(label, relation, pack)))
    said = {word for _, label in walked for word in label.split()}
    lower = text.lower()
    for words, wanted in _COMPOUNDS:
        found = words.search(lower)
        if found is not None:
            return bool(steps) and found[0] not in said and steps != Counter(wanted)
    asked = {KIN_WORDS[(found["of"] or found["before"]).lower()] for found in _OF_TOPIC.finditer(text)}
    return bool(asked) and bool(steps) and not asked & set(steps)


def falls_short_of_kin(query: Query, text: str, pack: Pack) -> bool:
    """Whether a question says kin that is more than a step away, and a query goes fewer steps: the children whom two
    have for their grandchildren."""
    labels = [relation_phrase(label).lower() for label in pack.relation_labels()]
    for words, wanted in _COMPOUNDS:
        found = words.search(text.lower())
        if found is not None and not any(found[0] in label for label in labels):
            return 0 < _kin_depth(query, labels, pack) < len(wanted)
    return False


def takes_both_parents(query: Query, text: str, pack: Pack) -> bool:
    """Whether a query goes on from both parents of somebody where a question says one of them: "when did her mother
    die?"."""
    if _ONE_PARENT.search(text) is None:
        return False
    labels = pack.relation_labels()
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Follow(nodes.Entities(ids), relation), onward) | nodes.Values(
                nodes.Follow(nodes.Entities(ids), relation), onward
            ):
                label = relation_phrase(labels[relation % len(labels)]).lower()
                is_parent = kin_of(label, relation, pack) == "parent" and _ONE_PARENT.search(label) is None
                parents = reached_by(pack, np.array(ids), relation).tolist() if is_parent else []
                if sum(bool(len(reached_by(pack, np.array([one]), onward))) for one in parents) > 1:
                    return True
    return False


def _kin_depth(node: object, labels: Sequence[str], pack: Pack) -> int:
    """Steps from kin to kin behind one another, the most of any part of a query."""
    within = [getattr(node, name) for name in ("base", "left", "right", "subject", "object") if hasattr(node, name)]
    deepest = max((_kin_depth(one, labels, pack) for one in within), default=0)
    is_step = isinstance(node, nodes.Follow) and kin_of(labels[node.relation % len(labels)], node.relation, pack)
    return deepest + bool(is_step)


def turns_round_kin(query: Query, text: str, pack: Pack) -> bool:
    """Whether a query goes to the children of kin whose parents a question asks for, or to parents for children, where
    the names of the question are masked: "the parents of Ann's husband"."""
    chain = _CHAIN.search(text.lower())
    if chain is None:
        return False
    asked, labels, n = {KIN_WORDS[chain["of"]], KIN_WORDS[chain["its"]]}, pack.relation_labels(), pack.n_relations
    steps = {kin_of(relation_phrase(labels[one % n]).lower(), one, pack) for one in _relations(query)}
    return any(_BACK[kin] in steps and kin not in steps for kin in asked if _BACK.get(kin, kin) not in asked)


def kin_of(label: str, relation: DirectedRelationId, pack: Pack) -> str | None:
    """Which kin of its start a directed relation of this label leads to: "child of" to a parent."""
    words = normalise(label).split()
    named = [word for word in words if word in KIN_WORDS]
    if len(named) != 1 or words[-1] not in (named[0], "of"):
        return None
    kin, inverse = KIN_WORDS[named[0]], undirected(relation, pack.n_relations)[1]
    return _BACK.get(kin, kin) if (words[-1] == "of") is not inverse else kin


def _relations(query: Query) -> Iterator[DirectedRelationId]:
    for node in query.walk():
        match node:
            case nodes.Follow() | nodes.Values() | nodes.Having():
                yield node.relation
            case By():
                yield from node.path
