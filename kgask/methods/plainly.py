"""What a question plainly says by what a relation is called: a column of "yes" and "no", or that nothing is given.

"Which towns aren't walled?", "is the paper open access?", "ships without a date of loss": the words of one relation and
of what it is said of, and no others. The judge has little to go by here ("false"), and the query says all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, unsaid_words
from kgask.methods.flags import begin_alike, flags_of
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import EntityId, RelationId, opposite

MOST_MEMBERS = 200  # of a class, whose relations are looked at
_NOTHING_GIVEN = re.compile(
    r"\b(?:has|have|had|with|is|are|was|were|got) (?:got )?no (?P<a>[a-z][a-z ]*?)"
    r"(?: (?:is |are |was )?(?:given|listed|recorded|known|stated|noted|entered|on (?:record|file)|at all|"
    r"at the moment|yet|currently|now))*\W*\Z|"
    r"\bwithout (?:an? |any )?(?P<b>[a-z][a-z ]*?)\W*\Z|\black(?:s|ing)? (?:an? |any )?(?P<c>[a-z][a-z ]*?)\W*\Z|"
    r"\bno (?P<d>[a-z][a-z ]*?) (?:is |are |was )?(?:given|listed|recorded|known|stated|noted|entered)\b|"
    r"\b(?:do|does|did)(?:n['\u2019]t| not) have (?:an? |any )?(?P<e>[a-z][a-z ]*?)\W*\Z",
    re.IGNORECASE,
)
_SAID = (
    "how many number count there given listed recorded known stated noted entered record file moment currently now yet "
    "all possible allowed available true false yes no not whose date year name any got lack lacks lacking without"
)
_DENIES = re.compile(r"\b(?:not|no|never|without|non)\b|n['\u2019]t\b", re.IGNORECASE)
_IS_ELSEWHERE = re.compile(r"(?:\bnot|\bnever|\bnon|n['\u2019]t) (?:\w+ )?(?:in|on|at|from|of|by|for|with|to)\b", re.I)
_HOW_MANY = re.compile(r"\bhow many\b|\b(?:number|count) of\b", re.IGNORECASE)
_IS_ANY = re.compile(r"\W*(?:and |so )?(?:are|is|were|was) there (?:any|some|an?)\b", re.IGNORECASE)
_WHETHER = re.compile(
    r"\W*(?:and |so )?(?:is|are|was|were|does|do|did|has|have|had|can|could)(?:n['\u2019]t)?\b", re.IGNORECASE
)
_GENERAL = frozenset("date year number name time day".split())
_PLAIN = (
    nodes.And, nodes.Follow, nodes.Class, nodes.Entities, nodes.Holds, nodes.Some, nodes.Count, nodes.Minus,
    nodes.Having,
)  # fmt: skip


def plainly(
    text: str, kinds: Sequence[SetNode], named: Sequence[EntityId], runner: Runner
) -> Iterator[SetNode | nodes.Holds | nodes.Count | nodes.Some]:
    """Queries by the words of a relation: of ``kinds`` (classes of the question) those of which a column of yes and no
    says so, or of which nothing is given; whether it says so of the one thing that is named."""
    pack = runner.pack
    if not is_small(pack):
        return
    lacking = _lacking(text)
    for relation, label in enumerate(pack.relation_labels()):
        words = _called(label)
        is_denied = _denies(text, words)
        if lacking and _is_same(words, lacking):
            yield from (
                nodes.Minus(kind, nodes.Having(relation)) for kind in kinds if _some_have(kind, relation, runner)
            )
        flags = flags_of(pack, relation) if _are_said(words, text) else {}
        if (wanted := not is_denied) in flags:
            ends = nodes.Follow(nodes.Entities((flags[wanted],)), opposite(relation, pack.n_relations))
            is_with = len(named) == 1 and not _IS_ELSEWHERE.search(text)
            placed = _with(named, kinds, pack) if is_with else ()
            found = (nodes.And(kind, ends) for kind in (*kinds, *placed))
            whole = nodes.Count if _HOW_MANY.search(text) else nodes.Some if _IS_ANY.match(text) else None
            yield from map(whole, found) if whole is not None else found
        if len(named) == 1 and wanted in flags and _WHETHER.match(text) and not _DENIES.search(text):
            yield nodes.Holds(nodes.Entities((named[0],)), relation, nodes.Entities((flags[wanted],)))


def _with(named: Sequence[EntityId], kinds: Sequence[SetNode], pack: Pack) -> Iterator[SetNode]:
    """Of each kind those that have to do with what is named, by the one relation that leads there: plants in a hall."""
    ways = [at for at in np.flatnonzero(relations_of(pack, np.array(named))).tolist() if at >= pack.n_relations]
    if len(ways) == 1:
        yield from (nodes.And(kind, nodes.Follow(nodes.Entities(tuple(named)), ways[0])) for kind in kinds)


def says_contrary(query: Query, text: str, pack: Pack) -> bool:
    """Whether it goes by a column's "yes" where a question says its word with "un" before it: "is Odin uninsured?"."""
    labels = pack.relation_labels()
    return any(
        is_yes and _is_undone(text, _called(labels[relation])) and not _DENIES.search(text)
        for relation, is_yes in _flags_in(query, pack)
    )


def is_plainly_asked(query: Query, text: str, words: str, pack: Pack) -> bool:
    """Whether a query says what a question plainly does, and all of it: ``words`` are those of the query and of what it
    comes to."""
    if not is_small(pack) or not all(isinstance(node, _PLAIN) for node in query.walk()):
        return False
    flags, taken = [*_flags_in(query, pack)], [node for node in query.walk() if isinstance(node, nodes.Minus)]
    labels = pack.relation_labels()
    words = " ".join((words, _SAID, *(f"un{word}" for relation, _ in flags for word in _called(labels[relation]))))
    if len(flags) + len(taken) != 1 or unsaid_words(re.sub(r"n['\u2019]t\b", " not", text), words):
        return False
    if isinstance(query, nodes.Holds | nodes.Some) is not (_WHETHER.match(text) is not None):
        return False
    if isinstance(query, nodes.Count) is not (_HOW_MANY.search(text) is not None):
        return False
    if flags:
        ((relation, is_yes),) = flags
        called = _called(labels[relation])
        return is_yes is not _denies(text, called) and _are_said(called, text)
    match taken[0].right:
        case nodes.Having(relation) if relation < pack.n_relations:
            return _is_same(_called(labels[relation]), _lacking(text))
    return False


def _flags_in(query: Query, pack: Pack) -> Iterator[tuple[RelationId, bool]]:
    """The columns of yes and no that a query goes by, and which of them."""
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities((end,)), relation) if relation >= pack.n_relations:
                relation -= pack.n_relations
            case nodes.Holds(_, relation, nodes.Entities((end,))):
                pass
            case _:
                continue
        yield from ((relation, is_yes) for is_yes, flag in flags_of(pack, relation).items() if flag == end)


def _called(label: str) -> list[str]:
    return [word for word in normalise(readable_relation(label)).split() if word not in CARRY_NOTHING]


def _denies(text: str, words: Sequence[str]) -> bool:
    """Whether it is denied, be it by the word itself: "uninsured dogs"."""
    return _DENIES.search(text) is not None or _is_undone(text, words)


def _is_undone(text: str, words: Sequence[str]) -> bool:
    un = [said[2:] for said in normalise(text).split() if said.startswith("un")]
    return any(begin_alike(word, said) for said in un for word in words)


def _are_said(words: Sequence[str], text: str) -> bool:
    said = [part for word in normalise(text).split() for part in (word, word.removeprefix("un"))]
    return bool(words) and all(any(begin_alike(word, other) for other in said) for word in words)


def _lacking(text: str) -> list[str]:
    """The words of what is not given: "date", "loss" of "for which ships is no date of loss given?"."""
    found = _NOTHING_GIVEN.search(text)
    what = next(filter(None, found.groups()), "") if found is not None else ""
    return [word for word in normalise(what).split() if word not in CARRY_NOTHING]


def _is_same(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a relation is called as what is said, but for words like "date"."""
    ones, others = ({one for word in each for one in (word, *singulars(word))} for each in (words, said))
    told, asked = ([word for word in each if word not in _GENERAL] for each in (words, said))
    told, asked = (told, asked) if told and asked else ([*words], [*said])
    is_in = all(any(begin_alike(word, other) for other in others) for word in told)
    return bool(said) and is_in and all(any(begin_alike(word, other) for other in ones) for word in asked)


def _some_have(kind: SetNode, relation: RelationId, runner: Runner) -> bool:
    members = runner.members(kind).certain[:MOST_MEMBERS]
    return len(members) > 0 and bool(relations_of(runner.pack, np.asarray(members))[relation])
