"""Two relations where one is said: when one was opened and the other repaired, whom one taught or who the other.

"Was Ann born before Bob died?" says two; one word hardly does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from kgask.methods import accounted
from kgask.methods.lives import births
from kgask.methods.missing import words_beside
from kgask.methods.roles import is_mutual
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Node
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS, RelationWords
from kgask.retrieve.follow import relations_of
from kgask.types import Mention, opposite, undirected

SAME = 5  # letters by which words are one up to how they end
_JOINED = re.compile(  # names that one verb or noun is said of: "Peru but not Chile", "at Moorgill or at Kettleford"
    r"(?=.*(?:,|\b(?:and|or|nor|but)\b))"
    r"(?:\W+|\b(?:and|or|nor|but|not|also|either|neither|the|an?|in|at|of|by|with|from|for|to|on|those|these|ones?)\b)+",
    re.IGNORECASE,
)


_SAYS_OF = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|do)\b[^,:]*[,:]", re.I
)  # "US state is bigger, Maine"
_LISTED = re.compile(r"[,;/&]|\b(?:or|and|than|vs|versus|against|with|to)\b", re.IGNORECASE)  # "Peru or Chile"


_IN_COMMON = re.compile(
    r"\b(?:same|both|shar\w+|common|too|also|together|alike|likewise|jointly|each|identical|similar|fellow|as well|"
    r"siblings?|brothers?|sisters?|twins?|cousins?|related|colleagues?|neighbou?r\w*|peers?|contempora\w+|partners?|"
    r"\w+mates?|co-?\w+|joint\w*|all|between|meet|met|adjoin\w*|border\w*|connect\w*|overlap\w*)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:who|whom|whose|which|that|what|grand\w+|indirect\w*|in turn|through|via|again|someone|something)\b|"
    r"['\u2019]s\b|\bof\b.*\bof\b",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W\d_]+")
_FURTHER = re.compile(
    r"\b(?:grand\w+|indirect\w*|second|twice|steps?|hops?|removed|away|in turn|again)\b", re.IGNORECASE
)


class _Way(NamedTuple):
    entity: int
    relations: tuple[int, ...]


def mixes_relations(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a comparison or difference takes another value of one thing than of the other, and nothing says so, or
    what one leads to is put together with what leads to the other, or with what something else says of the other.

    ``spans`` are the characters of the question's names by their entities.
    """
    if any(isinstance(node, nodes.Or) and _is_both_ways(node, pack) for node in query.walk()):
        return True
    if any(_is_by_another(node, question, spans, pack) for node in query.walk()):
        return True
    match query:
        case nodes.Compare(nodes.Values(left, one), _, nodes.Values(right, other)):
            pass
        case nodes.Difference(nodes.Values(left, one), nodes.Values(right, other)):
            pass
        case nodes.Age(nodes.Values(left, one), nodes.Values(right, other)):
            pass
        case _:
            return False
    match left, right:
        case nodes.Entities((first,)), nodes.Entities((second,)) if first != second and one != other:
            both = (relations_of(pack, np.array([entity])) for entity in (first, second))
            return all(has[one] and has[other] for has in both) and len(words_beside(question, spans)) < 2
    return False


def compares_two_events(query: Query, text: str, spans: Mapping[int, tuple[int, int]]) -> bool:
    """Whether values of two relations are compared where no more than one is said: who joined earlier is not told by a
    day of birth."""
    match query:
        case nodes.Compare(nodes.Values(nodes.Entities(), one), _, nodes.Values(nodes.Entities(), other)) if (
            one != other
        ):
            return len(words_beside(text, spans)) < 2
    return False


def compares_unlisted(query: Query, question: str, spans: Mapping[int, tuple[int, int]]) -> bool:
    """Whether a query chooses among names that the question does not put side by side: "Common", of "the most common
    in Kenya", is no rival of Kenya."""
    for node in query.walk():
        if isinstance(node, nodes.Best) and isinstance(node.base, nodes.Entities):
            places = sorted({spans[one] for one in node.base.ids if one in spans})
            between = (question[one[1] : other[0]] for one, other in pairwise(places))
            if any(_LISTED.search(text) is None or _SAYS_OF.search(text) for text in between):
                return True
    return False


def compares_a_part(query: Query, linked: Iterable[Mention], pack: Pack) -> bool:
    """Whether a value is compared of what is called so in part only, though something has that name: of Western Sahara
    for the Sahara. By surnames people are known."""
    seeds = {seed.entity: (seed, mention.seeds) for mention in linked for seed in mention.seeds}
    for entity in _compared(query):
        seed, others = seeds.get(entity, (None, ()))
        is_part = seed is not None and seed.match == "part" and any(one.match == "label" for one in others)
        if is_part and not relations_of(pack, np.array([entity]))[births(pack)].any():
            return True
    return False


def _compared(query: Query) -> Iterator[int]:
    """The entities one by one whose values are compared."""
    for node in query.walk():
        match node:
            case nodes.Compare(left, _, right) | nodes.Difference(left, right):
                sides = (left, right)
            case nodes.Best(nodes.Entities(ids)):
                yield from ids
                continue
            case _:
                continue
        for side in sides:
            if isinstance(side, nodes.Values) and isinstance(side.base, nodes.Entities):
                yield from side.base.ids


def _is_both_ways(node: nodes.Or, pack: Pack) -> bool:
    match node.left, node.right:
        case nodes.Follow(nodes.Entities(), one), nodes.Follow(nodes.Entities(), other):
            return one == opposite(other, pack.n_relations)
    return False


def _is_by_another(node: Node, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether two sets are put together by other relations of two names that nothing but "and" or "or" stands between,
    though both have one of these."""
    if not isinstance(node, nodes.And | nodes.Or | nodes.Minus):
        return False
    left, right = _way(node.left), _way(node.right)
    if left is None or right is None or left.relations == right.relations or left.entity == right.entity:
        return False
    if not {left.entity, right.entity} <= spans.keys():
        return False
    first, second = sorted((spans[left.entity], spans[right.entity]))
    if first[1] > second[0] or _JOINED.fullmatch(question[first[1] : second[0]]) is None:
        return False
    has, other_has = (relations_of(pack, np.array([one.entity])) for one in (left, right))
    return any(has[one.relations[0]] and other_has[one.relations[0]] for one in (left, right))


def _way(node: Node) -> _Way | None:
    """What a set is reached from, and by which relations; of what class its members are does not matter."""
    match node:
        case nodes.And(nodes.Class(), other) | nodes.And(other, nodes.Class()):
            return _way(other)
        case nodes.Follow(nodes.Entities((entity,)), relation):
            return _Way(entity, (relation,))
        case nodes.Follow(base, relation) if (way := _way(base)) is not None:
            return _Way(way.entity, (*way.relations, relation))
    return None


def passes_over_date(query: Query, text: str, pack: Pack) -> bool:
    """Whether two dates of one relation are compared, where the text says what another relation to dates is called:
    when both were formed, for "did A split up before B was formed?"."""
    match query:
        case nodes.Compare(nodes.Values(_, one), _, nodes.Values(_, other)) if one == other < pack.n_relations:
            pass
        case _:
            return False
    if relation_axis(pack, one) not in WHEN:
        return False
    said = {word[:SAME] for word in normalise(text).split() if len(word) >= SAME}
    names = [
        {word[:SAME] for word in normalise(label).split() if len(word) >= SAME} for label in pack.relation_labels()
    ]
    dated = (at for at in range(pack.n_relations) if at != one and names[at] and relation_axis(pack, at) in WHEN)
    return bool(names[one] & said) and any(names[at] <= said - names[one] for at in dated)


def shares_unsaid(query: Query, text: str) -> bool:
    """Whether two things are found to have something in common, where the text says of no such: that one gets its
    spares from the other is not so because both stand in one shed."""
    match query:
        case nodes.Some(nodes.And(nodes.Follow(nodes.Entities(), one), nodes.Follow(nodes.Entities(), other))):
            return one == other and not _IN_COMMON.search(text)
    return False


def goes_on_unsaid(query: Query, text: str, pack: Pack) -> bool:
    """Whether one relation is followed twice, where the text says it once: that Bo was sent by Cy is not so because
    somebody whom Bo sent sent Cy. What lies in a part of something lies in it."""
    match query:
        case nodes.Holds(nodes.Follow(nodes.Entities(), one), other, nodes.Entities()) if one == other:
            words = RelationWords(pack.relations()[undirected(one, pack.n_relations)[0]].label, False)
            last = words.words.split()[-1]
            acts = last == "by" or (words.is_verb and last not in PREPOSITIONS)
            return acts and not _GOES_ON.search(text)
    return any(_goes_back(node, text, pack) for node in query.walk())


def _goes_back(node: Node, text: str, pack: Pack) -> bool:
    """Whether what goes both ways is followed twice, where the text says it once: "neighbouring countries of Peru"."""
    match node:
        case nodes.Follow(nodes.Follow(nodes.Entities(), one), other):
            relations = {undirected(step, pack.n_relations)[0] for step in (one, other)}
        case _:
            return False
    if len(relations) > 1 or not is_mutual(pack, *relations) or _FURTHER.search(text):
        return False
    words, said = [word.lower() for word in _WORD.findall(text)], accounted.RelationWords(pack).of(relations)
    is_repeated = any(number > 1 for number in Counter(word[:5] for word in words if len(word) > 3).values())
    phrases = [is_said for is_said, _ in groupby(accounted.is_all_called(word, said) for word in words)]
    names = [name for at in relations for name in pack.relations()[at].names]
    return not is_repeated and (sum(phrases) < 2 or _says_one(names, words))


def _says_one(names: Iterable[str], words: Collection[str]) -> bool:
    """Whether what relations are called is said once: the countries that "share a land border" say "shares border
    with", and nothing of a "neighbouring country"."""
    called = [frozenset(normalise(name).split()) - PREPOSITIONS for name in names]
    said = [{word for word in words if accounted.is_all_called(word, name)} for name in called]
    whole = [ones for ones, name in zip(said, called, strict=True) if len(ones) >= len(name)]
    return any(ones >= set().union(*whole) for ones in whole)
