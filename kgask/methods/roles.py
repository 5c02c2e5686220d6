"""Who is what of whom: "X is the mother of Y" says nothing about what Y is of X.

A planner sees both ends of a relation and confuses them more often than this does. Which way a verb is meant
:mod:`kgask.methods.voice` tells; here it is nouns, and what is in what.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from kgask.methods.voice import goes_both_ways, is_object, is_turned
from kgask.pack.labels import readable_relation, relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS, is_participle
from kgask.retrieve.follow import edges_of, reached_by
from kgask.types import EntityId, RelationId, undirected

SAMPLED, OFTEN = 64, 0.25  # triples of a relation that are looked at, and how many of a mutual one are there both ways
_CHILDREN = frozenset("child children son sons daughter daughters kid kids".split())
_PARENTS = frozenset("parent parents father mother dad mum mom".split())
_DOER = re.compile(r"(?!(?:mo|fa|bro)ther|sister|daughter|member)(?P<stem>[a-z]{3,}?)e?(?:er|or)")
_GENERATIONS = ((_CHILDREN, _PARENTS), (_PARENTS, _CHILDREN))
_IN = ("in", "on", "located", "part")  # how names of relations begin that lead from a thing to where it is
_BE = r"(?:is|are|was|were|became|remains?|isn't|aren't|wasn't|weren't)"
_NOT = r"(?:not |never |also |once |indeed )*"
_THE = r"(?:the |a |an |one of |among )*"
_NOUN = r"(?P<noun>(?:[\w-]+ ){0,3}?[\w-]+?)s?"
_A, _B = "\0", "\1"
_IS_OF = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_A} {_BE} {_NOT}{_THE}{_NOUN} of {_THE}{_B}",
        rf"{_A} {_BE} {_NOT}{_THE}{_B}['\u2019]s? {_NOUN}(?=\W*\Z|,)",
        rf"\b{_BE} {_A} {_NOT}{_THE}{_NOUN} of {_THE}{_B}",
        rf"\b{_BE} {_A} {_NOT}{_THE}{_B}['\u2019]s? {_NOUN}(?=\W*\Z|,)",
        rf"(?:\A|\b(?:the|an?) ){_NOUN} of {_THE}{_B} {_BE} {_NOT}{_THE}{_A}",
        rf"{_B}['\u2019]s? {_NOUN} {_BE} {_NOT}{_THE}{_A}",
        rf"\b{_BE} {_THE}{_B}['\u2019]s? {_NOUN} {_NOT}{_A}(?=\W*\Z|,)",
        rf"\b{_BE} the {_NOUN} of {_THE}{_B} {_NOT}{_A}(?=\W*\Z|,)",
    )
)
_CONVERSE = (
    (re.compile(r"\btributar(?:y|ies)\b", re.I), re.compile(r"\b(?:flow|empt|drain|discharg|mouth)", re.I)),
    (
        re.compile(
            r"\b(?:what|who|which(?: [a-z]+){1,2}) (?:also )?(?:eats?|hunts?|kills?|(?:preys?|feeds?) (?:up)?on)\b",
            re.I,
        ),
        re.compile(r"\b(?:diet|food|prey|eats|feeds)\b", re.I),
    ),
)
_SUPERIOR = "(?:supervis|advis|instruct|tut|ment|direct)or|adviser|manager|boss|teacher|trainer|coach|employer|leader"
_OWN_SUPERIOR = re.compile(
    rf"\bwho(?:['\u2019]s| is| was) (?:\S+ ){{0,3}}?\S+['\u2019]s? (?:[\w-]+ ){{0,2}}?(?:{_SUPERIOR})(?=\W*\Z)", re.I
)
_OWN_INFLUENCES = re.compile(r"['\u2019]s? (?:[a-z]+ )?influences\b|\binfluences (?:on|of)\b", re.IGNORECASE)
_INFLUENCED_BY = re.compile(r"\binfluenced by\Z", re.IGNORECASE)
_CALLED_SUPERIOR = re.compile(rf"\b(?:{_SUPERIOR})\Z", re.IGNORECASE)
_BELOW = re.compile(  # "who reports directly to Ann?", and not "who does Ann report to?"
    r"\A(?!.*\b(?:do|does|did|whom)\b).*\b(?:(?:report|answer)(?:s|ing|ed)?(?: [a-z]+ly| straight)? to|"
    r"(?:works?|working|worked|are|is) (?:[a-z]+ly )?under)\b|\b(?:subordinates|direct reports|underlings)\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(rf"\b(?:reports? to|answers? to|{_SUPERIOR}|(?:manag|supervis)ed by)\Z", re.IGNORECASE)
_LEADS = re.compile(
    rf"\A(?:(?:line )?manages|supervises|leads|heads|oversees|(?:is )?(?:{_SUPERIOR}) of)\Z", re.IGNORECASE
)
_THE_ROLE = re.compile(r"\bthe (?:[\w'\u2019-]+ )?(?P<noun>[a-z]{4,})(?=\W*\Z| of\b)", re.IGNORECASE)
_PLACED = r"(?:located|situated|found|to be found)"
_IS_IN = re.compile(
    rf"(?:{_A} (?:(?:{_BE} )?{_NOT}{_PLACED}|{_BE}|lies?|stands?|sits?|does not lie)|\b{_BE} {_A}(?: {_NOT}{_PLACED})?|"
    rf"\bdoes {_A} (?:not )?(?:lie|stand|sit)) {_NOT}(?:in|on|within) {_THE}{_B}"
)
_MUTUAL: WeakKeyDictionary[Pack, dict[RelationId, bool]] = WeakKeyDictionary()


def takes_converse(query: Query, text: str, pack: Pack) -> bool:
    """Whether a noun asks for what leads to a thing, and a query follows it from there, or the other way round: a
    river's tributaries are not what it flows into, whoever has her as adviser is not "her supervisor", whom she
    influenced are not "her influences", and who reports to her is not who manages her."""
    said = [called for noun, called in _CONVERSE if noun.search(text)]
    backwards = _CALLED_SUPERIOR if _OWN_SUPERIOR.search(text) else None
    backwards = _INFLUENCED_BY if _OWN_INFLUENCES.search(text) else backwards
    if _BELOW.search(text):
        said, backwards = [*said, _ABOVE], _LEADS
    labels = pack.relation_labels() if said or backwards else []
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities(), relation) if said and relation < pack.n_relations:
                if any(called.search(readable_relation(labels[relation])) for called in said):
                    return True
            case nodes.Follow(nodes.Entities(), relation) if backwards and relation >= pack.n_relations:
                if backwards.search(readable_relation(labels[relation - pack.n_relations])):
                    return True
    return False


def passes_over_role(query: Query, text: str, pack: Pack) -> bool:
    """Whether it says of two names something else than what a text says that one is of the other, though the graph has
    that of one of them: Zürich lies in Switzerland, and is not "the Swiss capital"."""
    match query:
        case nodes.Holds(nodes.Entities(ids), relation, nodes.Entities(others)):
            pass
        case _:
            return False
    nouns = {found["noun"].lower() for found in _THE_ROLE.finditer(text)}
    called = [normalise(relation_phrase(one.label)) for one in pack.relations()] if nouns else []
    nouns -= {*called[undirected(relation, pack.n_relations)[0]].split()} if nouns else set()
    ends = np.array([*ids, *others], np.int64)
    return any(len(edges_of(pack, ends, at)) > 0 for at, label in enumerate(called) if label in nouns)


def is_the_other_way(query: Query, text: str, spans: Mapping[EntityId, tuple[int, int]], pack: Pack) -> bool:
    """Whether a query says of two names by a relation what the text says the other way round.

    ``spans`` are the characters of ``text`` that name each entity. Where a relation goes both ways, as marriage does,
    there is no other way.
    """
    if is_turned(query, text, dict(spans), pack) or _is_about_a_third(query, text, spans):
        return True
    if _is_about_what_is_in(query, text, spans, pack):
        return True
    for subject, relation, obj in _said_of_two(query, pack):
        if subject in spans and obj in spans and subject != obj and not is_mutual(pack, relation):
            names = pack.relations()[relation]
            agents = [*_agents(names)]
            if any(
                is_object(text, spans[obj], name) is False or is_object(text, spans[subject], name) for name in agents
            ):
                return True
            if _is_said(_masked(text, spans[obj], spans[subject]), names, first_is_object=True):
                return True
            if _is_said(_masked(text, spans[subject], spans[obj]), names, first_is_object=False):
                return True
    return False


def _agents(names: RelationText) -> Iterator[str]:
    """Names of a relation that say what is done by whom it leads to: "directed by", of a "supplier" "supplied by"."""
    for name in names.names:
        found = _DOER.fullmatch(name.lower())
        if name.endswith(" by"):
            yield name
        elif found is not None:
            yield f"{found['stem']}ed by"


def _is_about_a_third(query: Query, text: str, spans: Mapping[EntityId, tuple[int, int]]) -> bool:
    """Whether what two have in common is asked for, and the text says what one is of the other."""
    match query:
        case nodes.Some(
            nodes.And(nodes.Follow(nodes.Entities((one,)), way), nodes.Follow(nodes.Entities((other,)), same))
        ):
            both = way == same and one != other and one in spans and other in spans
            return both and any(
                pattern.search(_masked(text, spans[first], spans[second])) is not None
                for first, second in ((one, other), (other, one))
                for pattern in _IS_OF
            )
    return False


def _is_about_what_is_in(query: Query, text: str, spans: Mapping[EntityId, tuple[int, int]], pack: Pack) -> bool:
    """Whether something in one place is looked for in another, and the text says that the place is there itself."""
    match query:
        case nodes.Holds(nodes.Follow(nodes.Entities((one,)), relation), _, nodes.Entities((other,))):
            is_known = relation >= pack.n_relations and one in spans and other in spans
            ways = ((one, other), (other, one)) if is_known else ()
            return any(_IS_IN.search(_masked(text, spans[a], spans[b])) is not None for a, b in ways)
    return False


def _said_of_two(query: Query, pack: Pack) -> Iterator[tuple[EntityId, RelationId, EntityId]]:
    """The triples that a query asks for by name."""
    for node in query.walk():
        match node:
            case nodes.Holds(nodes.Entities((one,)), relation, nodes.Entities((other,))):
                pass
            case nodes.Holds(nodes.Follow(nodes.Entities((one,))), relation, nodes.Entities((other,))):
                pass  # of his wife's child as of his
            case nodes.And(nodes.Entities((other,)), nodes.Follow(nodes.Entities((one,)), relation)):
                pass
            case nodes.And(nodes.Follow(nodes.Entities((one,)), relation), nodes.Entities((other,))):
                pass
            case _:
                continue
        plain, inverse = undirected(relation, pack.n_relations)
        yield (other, plain, one) if inverse else (one, plain, other)


def is_mutual(pack: Pack, relation: RelationId) -> bool:
    """Whether a relation goes both ways, as marriage does, by what it is called or by :data:`SAMPLED` of its triples.

    In a graph elsewhere, which is not asked for them, it may.
    """
    if pack.source is not None:
        return True
    known = _MUTUAL.setdefault(pack, {})
    if relation not in known and goes_both_ways(pack.relation_labels()[relation]):
        known[relation] = True
    if relation not in known:
        places = np.flatnonzero(np.asarray(pack.out_relation) == relation)
        places = places[:: 1 + len(places) // SAMPLED]
        subjects = np.searchsorted(pack.out_indptr, places.astype(pack.out_indptr.dtype), side="right") - 1
        pairs = zip(subjects.tolist(), np.asarray(pack.out_object)[places].tolist(), strict=True)
        back = sum(int(one) in reached_by(pack, np.array([other]), relation) for one, other in pairs)
        known[relation] = back >= OFTEN * len(places)
    return known[relation]


def _masked(text: str, first: tuple[int, int], second: tuple[int, int]) -> str:
    """The text in small letters with both names masked, with "the" before them."""
    marks = sorted(((first, _A), (second, _B)), reverse=True)
    for (start, end), mark in marks:
        text = f"{text[:start].removesuffix('the ')}{mark}{text[end:]}"
    return text.lower()


def _is_said(said: str, names: RelationText, first_is_object: bool) -> bool:
    """Whether a masked text says that the relation leads from the first name to the second, or the other way round,
    where it is ``first_is_object`` or not."""
    for pattern in _IS_OF:
        found = pattern.search(said)
        leads = _leads_to_first(normalise(found["noun"]).split(), names) if found is not None else None
        if leads is not None:
            return leads is not first_is_object
    if not first_is_object:
        return False
    is_place = any(name.split()[0] in _IN for name in names.names if name)
    return (is_place and _IS_IN.search(said) is not None) or _leads_to_second(said, names)


def _leads_to_second(said: str, names: RelationText) -> bool:
    """Whether the second name stands behind what the relation is called, as in "independent from" or "was born in"."""
    called = re.escape(normalise(names.label))
    states = (name.lower() for name in names.aliases if is_participle(name.lower().split(" ")[0]))
    passive = "|".join(re.escape(name) for name in states if name.split()[-1] in PREPOSITIONS)
    is_called = called.rpartition(" ")[2] in PREPOSITIONS and re.search(rf"\b{called} {_THE}{_B}", said) is not None
    return is_called or (
        passive != "" and re.search(rf"\b{_BE} (?:{_A} )?{_NOT}(?:{passive}) {_THE}{_B}", said) is not None
    )


def _leads_to_first(noun: Sequence[str], names: RelationText) -> bool | None:
    """Whether a relation leads to what is the noun of something else, or from it; None where it is not called so.

    >>> child = RelationText("P40", "child", ("son",), "", "parent")
    >>> _leads_to_first(["eldest", "son"], child), _leads_to_first(["father"], child), _leads_to_first(["king"], child)
    (True, False, None)
    """
    forward, inverse = {*map(normalise, names.names)}, normalise(names.inverse_label)
    for at in range(len(noun)):
        said = " ".join(noun[at:])
        leads_to = said in forward or f"{said} of" == inverse
        leads_from = f"{said} of" in forward or said == inverse or _is_other_generation(said, forward)
        if leads_to is not leads_from:
            return leads_to
    return None


def _is_other_generation(said: str, forward: Collection[str]) -> bool:
    return any(said in one and not other.isdisjoint(forward) for one, other in _GENERATIONS)
