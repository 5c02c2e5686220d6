"""Words that choose among what a query finds, by what few graphs say: "women", "her first husband", "south of Kenya".

Whoever reads over them answers another question, whatever planner and judge think of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

import numpy as np

from kgask.link.plurals import singulars
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import ALIKE, is_all_called, is_within_any
from kgask.methods.class_words import SURE_CLASS
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.retrieve.run import Runner
from kgask.types import opposite

_WORD = re.compile(r"[^\W_]+")
_SEXES = frozenset("women men girls boys ladies gentlemen female females male males actresses".split())
_OF_ONE = frozenset("first second third fourth last former previous current latest earliest".split())
_LIVES = frozenset(("living", "alive"))
_ALIVE = _LIVES | {"dead", "deceased"}
KIN_SEX = {
    **dict.fromkeys("mother mothers wife wives daughter daughters sister sisters aunt grandmother".split(), "female"),
    **dict.fromkeys("father fathers husband husbands son sons brother brothers uncle grandfather".split(), "male"),
}
_SEX_OF_SEVERAL = {"sons": "male", "brothers": "male", "daughters": "female", "sisters": "female"}
_KIN_CALLED = {
    **dict.fromkeys("mom mum mommy mummy mama".split(), "mother"),
    **dict.fromkeys("dad daddy papa".split(), "father"),
    "hubby": "husband",
}
_OF_BOTH_SEXES = frozenset("parents children siblings spouses grandparents grandchildren cousins".split())
_RESIDES = re.compile(r"\bliving (?:in|on|at|near)\b", re.IGNORECASE)
_ONE_ONLY = ("mother", "father")
_OTHER = {"female": "male", "male": "female"}
_PLACED = re.compile(
    r"\b(?:(?:north|south)[- ]?(?:east|west)|north|south|east|west|close|closer|closest|nearest)(?= (?:of|to)\b)|"
    r"\b(?:near|nearest|nearby)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\W*(?:(?:in|on|at|from|to|of|by) )?(?:which|what|name|list|show)(?: (?:an?|the|all|me))* ", re.IGNORECASE
)
_AVERAGE = re.compile(r"\baverage\b", re.IGNORECASE)
_ANY = re.compile(
    rf"\b(?:{'|'.join(sorted(_SEXES | _OF_ONE | _ALIVE | {*KIN_SEX, *_KIN_CALLED}))}|how many)\b|"
    rf"{_PLACED.pattern}|{_AVERAGE.pattern}",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bhow many (?:[a-z]+ )?(?P<noun>(?!people|persons|times|years|days|things)[a-z]{4,}s)\b", re.I)


def may_restrict(text: str) -> bool:
    """Whether a question has any such word."""
    return _ANY.search(text) is not None


def unhonoured(
    text: str,
    names: Sequence[tuple[int, int]],
    classes: Sequence[CandidateSpan],
    query: Query,
    answers: np.ndarray,
    said: Collection[str],
    runner: Runner,
    sexes: Collection[str],
    asked_for: Collection[str],
    elsewhere: Collection[str],
) -> tuple[str, ...]:
    """Words of a question that narrow or choose, and that neither the query nor what it came to does justice to.

    ``names`` are the characters of what the query is about, ``classes`` the question's class words, ``said`` the words
    of the query's relations, ``sexes`` what the graph says of the answers, ``asked_for`` the
    words of the relation that leads to them, ``elsewhere`` the labels of what else the topics have.
    """
    of_query = set(query.walk())
    is_ordered = any(isinstance(node, nodes.Best | nodes.Where) for node in of_query)
    found = [word for word in _sexes(text, names, classes, of_query, answers, runner) if word not in said]
    found += _placed(text, names, said)
    if isinstance(query, nodes.Follow):
        found += _of_no_such_kind(text, classes, query, runner)
    average = _AVERAGE.search(text)
    is_averaged = any(isinstance(node, nodes.Mean) for node in of_query) or is_all_called("average", said)
    if average is not None and not is_averaged and not is_within_any(average.span(), names):
        found.append("average")
    free = [word[0].lower() for word in _WORD.finditer(text) if not is_within_any(word.span(), names)]
    kin = [_KIN_CALLED.get(word, word) for word in free]
    if isinstance(query, nodes.Compare) and not _RESIDES.search(text):  # one date does not say that a life spans it
        found += [word for word in kin if word in _LIVES and not is_all_called(word, said)]
    if _OF_BOTH_SEXES.isdisjoint(kin):
        found += _of_other_sex([word for word in kin if word in KIN_SEX and word in asked_for], sexes, len(answers))
    if isinstance(query, nodes.Count) and (noun := _COUNTED.search(text)) is not None:
        places = [*names, *(one.place for one in classes)]
        is_said = is_within_any(noun.span("noun"), places) or is_all_called(noun["noun"].lower(), said)
        counted = noun["noun"].lower()
        one = (*singulars(counted), counted)[0]
        is_elsewhere = any(
            word.startswith(one) or (counted.startswith(word) and len(word) >= ALIKE) for word in elsewhere
        )
        if not is_said and is_elsewhere:
            found.append(counted)  # "championships" where she is "champion" of some, and races are counted
    for word, noun in pairwise(_WORD.finditer(text)):
        lower, after = word[0].lower(), noun[0].lower()
        if is_within_any(word.span(), names):
            continue
        is_noun = is_all_called(after, said) or is_within_any(noun.span(), [one.place for one in classes])
        is_of_one = lower in _OF_ONE and not is_all_called(lower, said) and not singulars(after)
        if is_noun and (lower in _ALIVE or (is_of_one and len(answers) > 1 and not is_ordered)):
            found.append(lower)
    return tuple(found)


def of_unknown_sex(
    text: str,
    names: Sequence[tuple[int, int]],
    labels: Sequence[str],
    query: Query,
    answers: np.ndarray,
    runner: Runner,
    are_all: Callable[[np.ndarray, str], bool],
) -> tuple[str, ...]:
    """ "sons" and the like where a relation leads to children, of whom not all are known to be such (``are_all``).

    ``labels`` are those of the query's relations.
    """
    kin = [word[0].lower() for word in _WORD.finditer(text) if not is_within_any(word.span(), names)]
    asked = [word for word in kin if word in _SEX_OF_SEVERAL and not is_all_called(word, " ".join(labels).split())]
    if len(asked) != 1 or not _OF_BOTH_SEXES.isdisjoint(kin):
        return ()
    ends = runner.members(query.base).possible if isinstance(query, nodes.Count) else answers
    return tuple(word for word in asked if len(ends) > 1 and not are_all(ends, _SEX_OF_SEVERAL[word]))


def _of_no_such_kind(text: str, classes: Sequence[CandidateSpan], path: nodes.Follow, runner: Runner) -> Iterator[str]:
    """The class that a question asks for in so many words ("which sea?"), where what a path leads to never is of it.

    Not only here: of companies that somebody founded some may have another type, or none.
    """
    head = _HEAD.match(text)
    for one in classes:
        sets = [node for node in one.nodes if isinstance(node, SetNode)]
        if head is None or one.start != head.end() or one.scores[0] < SURE_CLASS or not sets:
            continue
        ends = runner.members(nodes.Having(opposite(path.relation, runner.pack.n_relations))).possible
        if not any(np.isin(ends, runner.members(node).possible).any() for node in sets):
            yield text[one.start : one.end].lower()


def _placed(text: str, names: Sequence[tuple[int, int]], said: Collection[str]) -> Iterator[str]:
    """ "south of" and "near" a place, which a border or what lies in it does not say."""
    for found in _PLACED.finditer(text):
        word = found[0].lower()
        if not is_within_any(found.span(), names) and not is_all_called(word, said):
            yield word


def _of_other_sex(kin: Sequence[str], sexes: Collection[str], n_answers: int) -> Iterator[str]:
    """ "mother" where an answer is known to be male, or there are two: a parent of whom nothing else is known.

    Of words of both sexes it is not known which is meant.
    """
    if len({KIN_SEX[word] for word in kin}) == 1:
        yield from (word for word in kin[:1] if _OTHER[KIN_SEX[word]] in sexes or (word in _ONE_ONLY and n_answers > 1))


def _sexes(
    text: str,
    names: Sequence[tuple[int, int]],
    classes: Sequence[CandidateSpan],
    of_query: Collection[Node],
    answers: np.ndarray,
    runner: Runner,
) -> Iterator[str]:
    """Those of one sex that are asked for where the query does not say so, and not all of the answers are."""
    known = {one.place: one.nodes for one in classes}
    for word in _WORD.finditer(text):
        if word[0].lower() not in _SEXES or is_within_any(word.span(), names):
            continue
        sets = [node for node in known.get(word.span(), ()) if isinstance(node, SetNode)]
        is_said = any(node in of_query or (isinstance(node, nodes.Follow) and node.base in of_query) for node in sets)
        if not is_said and not any(
            len(answers) and np.isin(answers, runner.members(node).possible).all() for node in sets
        ):
            yield word[0].lower()
