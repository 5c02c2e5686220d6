"""A value that is missing is not somebody else's: where no birthday of hers is known, that of her husband is no answer.

"Which country is Kessel in?" may go by way of the town that a winery is in, for no winery says its country itself. But
what others of the same sort say themselves is missing where one does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from kgask.errors import BudgetError
from kgask.methods.accounted import CARRY_NOTHING, LIGHT_VERBS, OPERATOR_WORDS, is_within_any
from kgask.methods.relation_facts import is_small, is_table
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import undirected

LEAST_SHARED, ALIKE = 2, 0.5  # relations that two of a sort share, of those that the one with fewer has
STEM = 4  # letters that words of one meaning begin with alike: "leads", "leader"
ALIKE_LETTERS = 5  # of words that surely have one meaning: "enrol", "enrolment"
MOST_ENDS = 20  # of the first step that are looked at
_TIMES = frozenset("year years day days month months date".split())
_ASK_NOTHING = CARRY_NOTHING | OPERATOR_WORDS | LIGHT_VERBS | PREPOSITIONS | _TIMES | {"moment", "present", "nowadays"}
_ANY_VALUE = frozenset("date year time place name number kind type status code".split())
_WORD = re.compile(r"[^\W_]+")
_BIG = re.compile(r"\b(?:big|larg|small)g?(?:est|er)\b", re.IGNORECASE)
_SIZES = re.compile(r"\A(?:total )?(?:area|population|inhabitants|size|land area|surface area)\b", re.IGNORECASE)
_HIGH = re.compile(r"\b(?:elevation|height|altitude)\b", re.IGNORECASE)  # of a mountain it is the size
FEW, LOOK_SECONDS = 0.5, 0.5  # as many as have another size; seconds
_OVER_ANOTHER = re.compile(r"\bin[- ]laws?\b|\bgrand\w+", re.IGNORECASE)  # one word for two steps


def is_of_another(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a query answers with what another of the same sort has, and nothing in the question speaks of that one.

    ``spans`` are the characters of the question's names by their entities.
    """
    match query:
        case nodes.Follow(nodes.Follow(nodes.Entities((topic,)), first), second) if topic in spans:
            pass
        case _:
            return False
    said = words_beside(question, spans)
    if relations_of(pack, np.array([topic]))[second] or (len(said) > 1 and not _are_of(said, second, pack)):
        return False
    if _OVER_ANOTHER.search(question):
        return False
    ends = reached_by(pack, np.array([topic]), first)[:MOST_ENDS]
    return any(_are_of_a_sort(topic, end, pack) for end in ends.tolist())


def lacks_other(query: Query, question: str, pack: Pack) -> bool:
    """Whether those are told that have no value of a column of which no word is said, where one is of another: whom
    nobody "keeps" is not who was "restored by" nobody."""
    if not is_table(pack):
        return False
    said = {word[:STEM] for word in _WORD.findall(question.lower())}
    for node in query.walk():
        match node:
            case nodes.Minus(_, nodes.Having(relation)) if relation < pack.n_relations:
                called = [not said.isdisjoint(_stems(label)) for label in pack.relation_labels()]
                if any(called) and not called[relation]:
                    return True
    return False


def lacks_most(query: Query, pack: Pack) -> bool:
    """Whether most of those that are looked at have no value of a relation, in a graph that nobody keeps by hand: what
    is missing there is not known, and no state lies "on no continent"."""
    if is_table(pack) or pack.source is not None:
        return False
    for node in query.walk():
        match node:
            case nodes.Minus(base, nodes.Having()):
                runner = Runner(pack, Budget(LOOK_SECONDS))
                with suppress(BudgetError):
                    if len(runner.members(node).possible) > FEW * len(runner.members(base).possible):
                        return True
    return False


def lacks_named(query: Query, question: str, pack: Pack) -> bool:
    """Whether a thing has no value of a relation that the question calls by its name, and one is told that is called
    so and more: office hours for an "office" that is not known."""
    match query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if relation < pack.n_relations and is_small(pack):
            pass
        case _:
            return False
    labels = [normalise(relation_phrase(label)).split() for label in pack.relation_labels()]
    said, has = {*normalise(question).split()}, relations_of(pack, np.array([topic]))
    more, stems = {*labels[relation]}, {word[:STEM] for word in said}
    return any(
        {*label} < more and said.issuperset(label) and _ANY_VALUE.isdisjoint(label) and not has[at]
        and stems.isdisjoint(word[:STEM] for word in more.difference(label, _ASK_NOTHING))
        for at, label in enumerate(labels) if label
    )  # fmt: skip


def says_another(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a small graph tells of a thing what the question says no word of, and it has something else that a word
    is about: "meant to enrol" asks for the target enrolment, not where one may."""
    match query.base if isinstance(query, nodes.Count) else query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if topic in spans and is_small(pack):
            pass
        case _:
            return False
    said = {word[:ALIKE_LETTERS] for word in words_beside(question, spans) if len(word) >= ALIKE_LETTERS}
    labels, n = pack.relation_labels(), pack.n_relations
    if not said or not said.isdisjoint(_long_stems(labels[relation % n])):
        return False
    has = relations_of(pack, np.array([topic]))[:n].nonzero()[0].tolist()
    return any(one != relation and not said.isdisjoint(_long_stems(labels[one])) for one in has)


def _long_stems(label: str) -> set[str]:
    words = {*_WORD.findall(relation_phrase(label).lower())} - _ASK_NOTHING
    return {word[:ALIKE_LETTERS] for word in words if len(word) >= ALIKE_LETTERS}


def _stems(label: str) -> set[str]:
    return {word[:STEM] for word in {*_WORD.findall(relation_phrase(label).lower())} - _ASK_NOTHING}


def measures_few(query: Query, question: str, pack: Pack) -> bool:
    """Whether the biggest is found by what few of those are known to have, where far more have another size: of the
    cities of France one has an area, and most have a population; or by how high they lie, where some have a size."""
    if _BIG.search(question) is None or pack.source is not None:
        return False
    labels, runner = pack.relation_labels(), Runner(pack, Budget(LOOK_SECONDS))
    for node in query.walk():
        match node:
            case nodes.Best(base, nodes.ValueOf((relation,))) if relation < pack.n_relations:
                others = [at for at, label in enumerate(labels) if at != relation and _SIZES.search(label)]
            case _:
                continue
        is_high = _HIGH.search(labels[relation]) is not None
        if not (is_high or _SIZES.search(labels[relation])) or _is_said(labels[relation], question):
            continue
        with suppress(BudgetError):
            members = runner.members(base).possible
            known, *more = (int(np.isin(members, runner.members(nodes.Having(at)).certain).sum())
                            for at in (relation, *others))  # fmt: skip
            if known < max(more, default=0) * (1.0 / FEW if is_high else FEW):
                return True
    return False


def _is_said(label: str, question: str) -> bool:
    """Whether a question says the words of a label."""
    words = {*_WORD.findall(relation_phrase(label).lower())}
    return bool(words & {*_WORD.findall(question.lower())})


def _are_of(said: set[str], relation: int, pack: Pack) -> bool:
    """Whether what is said is all of a relation's label: "who leads the team for X?" of "team leader"."""
    label = relation_phrase(pack.relations()[undirected(relation, pack.n_relations)[0]].label).lower().split()
    return all(any(word[:STEM] == one[:STEM] for one in label) for word in said)


def words_beside(question: str, spans: Mapping[int, tuple[int, int]]) -> set[str]:
    """The words beside the names that ask for a relation: one can hardly say two of them."""
    words = (one[0].lower() for one in _WORD.finditer(question) if not is_within_any(one.span(), [*spans.values()]))
    return {word for word in words if word not in _ASK_NOTHING}


def _are_of_a_sort(one: int, other: int, pack: Pack) -> bool:
    """By their types, where both have some, else by what is said of them."""
    types, others = (
        {kind for relation in pack.type_relations for kind in _ends(entity, relation, pack)} for entity in (one, other)
    )
    if types and others:
        return not types.isdisjoint(others)
    left, right = (relations_of(pack, np.array([entity]))[: pack.n_relations] for entity in (one, other))
    shared = int((left & right).sum())
    return shared >= max(LEAST_SHARED, ALIKE * min(left.sum(), right.sum()))


def _ends(entity: int, relation: int, pack: Pack) -> set[int]:
    return set(reached_by(pack, np.array([entity]), relation).tolist())
