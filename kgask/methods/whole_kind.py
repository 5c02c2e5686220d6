"""All of a kind, where the question asks for some of them: "how many books are on loan?" is not how many there are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, OPERATOR_WORDS, RelationWords, free_words
from kgask.methods.doubts import relations_in
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner

_THERE = frozenset(  # that something is there, and how it is told
    "are is was were be been do does did have has had get got own owns keep keeps hold holds contain contains include "
    "includes cover covers exist exists live lives work works belong belongs stock stocks run runs operate operates "
    "record recorded listed included mentioned known available stored registered documented entered altogether "
    "different distinct various "
    "separate single individual members entries records rows items types kinds sorts anywhere here there much many "
    "roughly approximately about me my our us their its".split()
)
_SCOPE = re.compile(  # where they are, of all that the graph is about: "in the zoo", "does our club have"
    r"\b(?:(?:in|of|at|on|for|from|with|within|across|by) )?(?:the|our|this|my|your|his|her|their|these|that) "
    r"(?:(?!\w*ing\b)[\w-]+ ){0,2}?[\w-]+\b(?=\W*\Z|[,?.]| (?:have|has|got|own|owns|are|is|hold|keep|please))",
    re.IGNORECASE,
)


_WORDS = re.compile(r"[\w'\u2019-]+")
_NEXT = re.compile(r" [a-z]+s\b", re.IGNORECASE)
MOST_LOOKED_AT = 50  # members whose kinds are looked at
LEAST_OF_SOME = 2  # words more that a question has, where those that have something at all are taken


def takes_some_of_kind(query: Query, question: str, pack: Pack, runner: Runner) -> bool:
    """Whether those of a kind are asked for, and only such are taken as something leads to by a relation half of whose
    name is the kind's: "lights" are not those of a "kept light"; or the most are chosen among those that a relation
    leads to, where others are such as well: ships without a voyage."""
    if any(_chooses_among_some(node, runner) for node in query.walk()):
        return True
    said = {form for word in normalise(question).split() for form in (word, *singulars(word))}
    used = [one % pack.n_relations for one in relations_in(query)]
    for node in query.walk():
        if not isinstance(node, nodes.Having) or node.relation < pack.n_relations:
            continue
        plain = node.relation - pack.n_relations
        words = relation_phrase(pack.relation_labels()[plain]).lower().split()
        if used.count(plain) > 1 or len(words) < LEAST_OF_SOME or said.issuperset(words) or said.isdisjoint(words):
            continue
        members = runner.members(node).certain
        kinds = distinct(runner.types(members[:MOST_LOOKED_AT])).tolist()
        if any(len(np.setdiff1d(runner.members(nodes.Class(kind)).certain, members)) for kind in kinds):
            return True
    return False


def _chooses_among_some(node: Node, runner: Runner) -> bool:
    """Whether what is ordered by a value is what a relation leads to, things that have all relations of these, and no
    class, have that value too, and one of them comes first."""
    match node:
        case nodes.Best(base, nodes.ValueOf((by,))):
            parts = base.parts if isinstance(base, nodes.And) else (base,)
            whole = replace(node, base=nodes.Having(by))
        case _:
            return False
    owned = [one.relation for one in parts if isinstance(one, nodes.Having)]
    if len(owned) < len(parts) or max(owned) < runner.pack.n_relations:
        return False
    members = runner.members(base).certain[:MOST_LOOKED_AT]
    if len(runner.types(members)) or np.isin(runner.members(whole).possible, members).all():
        return False
    n = runner.pack.n_relations
    others = np.setdiff1d(runner.members(nodes.Having(by)).certain, members)[:MOST_LOOKED_AT]
    has = [relations_of(runner.pack, np.array([one]))[:n] for one in (*members, *others)]
    shared = np.logical_and.reduce(has[: len(members)])
    return bool(shared.sum() > 1) and any((one >= shared).all() for one in has[len(members) :])


def takes_whole_kind(query: Query, question: str, covered: Sequence[tuple[int, int]], pack: Pack) -> bool:
    """Whether all of a kind are told or counted, though the question says more of them than where they are; or those
    that have something at all, though it says much more of that.

    ``covered`` are the characters that the query's steps point at.
    """
    base, least = query.base if isinstance(query, nodes.Count) else query, 1
    match base:
        case nodes.Sum(nodes.Values(nodes.Class(kind), relation)) | nodes.Mean(
            nodes.Values(nodes.Class(kind), relation)
        ):
            return _is_narrower(question, pack.labels([kind])[0], RelationWords(pack).of([relation]))
        case nodes.Class(kind):
            called = pack.labels([kind])[0].lower().split()
        case nodes.And(nodes.Having(), _) | nodes.And(_, nodes.Having()) | nodes.Having():
            called = [*RelationWords(pack).of(relations_in(base))]
            least = 1 if isinstance(base, nodes.Having) else LEAST_OF_SOME
        case _:
            return False
    scopes = [found.span() for found in _SCOPE.finditer(question)]
    behind = (_NEXT.match(question, end) for _, end in covered)  # the "stations" of "run-of-river stations"
    scopes += [found.span() for found in behind if found is not None and singulars(found[0].strip().lower())]
    known = {*called, *(one for word in called for one in singulars(word))}
    left = [
        word
        for word in free_words(question, [*covered, *scopes], known)
        if word not in CARRY_NOTHING and word not in _THERE and known.isdisjoint((word, *singulars(word)))
    ]
    return len(left) >= least


def _is_narrower(question: str, kind: str, called: Collection[str]) -> bool:
    """Whether a word before a kind of things says which of them are meant: "all the maths courses"."""
    words = [word.lower() for word in _WORDS.findall(question)]
    nothing = CARRY_NOTHING | OPERATOR_WORDS | _THERE
    return any(
        kind.lower() in (noun, *singulars(noun)) and word not in nothing and word not in called and not word.isdigit()
        for word, noun in pairwise(words)
    )
