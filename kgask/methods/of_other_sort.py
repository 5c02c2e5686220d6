"""What is of another sort than a question's words ask for: whoever made a plate is not what it is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.accounted import ALIKE, CARRY_NOTHING, OPERATOR_WORDS, RelationWords, free_words
from kgask.methods.doubts import relations_in
from kgask.methods.heads import ANYBODY, PERSONS
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by

_MADE_OF = re.compile(r"\b(?:made|built|carved|woven|constructed|forged|knitted|cast|sewn) (?:up )?(?:out )?of\b", re.I)
_MAKER = re.compile(r"\bby\b|\b(?:maker|manufacturer|builder|artist|creator|sculptor|architect|potter)\b", re.I)
_MEASURES = (  # what is asked, and what is no answer
    (  # "what did he earn last year?"
        re.compile(r"\bwhat (?:does|do|did) .+ (?:earn|get paid|make a year)\b", re.I),
        re.compile(r"\b(?:occupation|profession|job|employer|genre)\b", re.I),
    ),
    (  # "what percentage of the population is Protestant?"
        re.compile(r"\b(?:what|which) (?:percentage|per ?cent|share|proportion|fraction) of\b", re.I),
        re.compile(r"\A(?:population|area|length|number|total)\b", re.I),
    ),
    (
        re.compile(r"\bhow (?:deep|far down)\b", re.I),
        re.compile(r"\A(?:length|width|height|elevation|distance)\b", re.I),
    ),
    (re.compile(r"\bhow (?:tall|high)\b", re.I), re.compile(r"\A(?:length|width|depth|distance|weight)\b", re.I)),
    (re.compile(r"\bhow heavy\b|\bweigh\b", re.I), re.compile(r"\A(?:length|width|depth|height|distance)\b", re.I)),
    (re.compile(r"\bhow wide\b", re.I), re.compile(r"\A(?:length|height|depth|distance|weight)\b", re.I)),
)
_MOTHERS, _FATHERS = frozenset("mother mum mom dam".split()), frozenset("father dad sire".split())
_SORT_OF = re.compile(r"\b(?:what|which) (?:sort|kind|type|class|style) of\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?:no|nr|num|number|id|code|ref|reference|serial)\.?\Z", re.IGNORECASE)
_WHO_IN = re.compile(r"\W*(?:and |so )?who(?: else)?(?:['\u2019]s| is| was| are| were)(?: all)? in\b", re.IGNORECASE)
_IS_IN = re.compile(
    r"\W*(?i:(?:and )?(?:is|was|are|were)) (?:[A-Z][\w.'\u2019-]*,? )+(?:(?:also|even|actually) )?in [A-Z]"
)
_MADE_IT = re.compile(r"director|author|producer|composer|writer|screenplay|publisher|creator|distribut", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?!over there\b)(?:[a-z]{2,}er|more|less|fewer|than|before|after|first|last|as|same|outliv\w+|outnumber\w*|"
    r"exceed\w*|above|below|equal\w*|match\w*|beat\w*|surpass\w*|least|twice|double|half|top\w*|lead\w*|ahead|behind)\b",
    re.IGNORECASE,
)
_WAS_A = re.compile(
    r"\W*who (?:is|was|are|were) an? (?:[\w'\u2019-]+ )*?(?P<noun>[a-z]{4,}) (?:and|who|that|but)\b", re.IGNORECASE
)


_ORDER = re.compile(r"\b(?:first|second|third|last|latest|earliest|final|previous)\b", re.IGNORECASE)
_OLDEST = re.compile(r"\b(?:oldest|youngest|older|younger)\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:join(?:ed|ing)?|hired?|hiring|enrol\w*|regist\w*|member since)\b", re.IGNORECASE)
_OWN_AGE = re.compile(
    r"\b(?:births?|born|inception|found\w*|establish\w*|formation|formed|opened|built)\b", re.IGNORECASE
)
_SPELL = re.compile(  # what somebody has for a time
    r"\b(?:teams?|clubs?|members? of|spouses?|wife|husband|married|educated|schools?|employ\w*|works? (?:at|for)|"
    r"worked|resid\w+|lived|party|parties|positions?|plays? for|played|bands?)\b",
    re.IGNORECASE,
)
_KINDS = (
    frozenset("book books novel novels play plays poem poems".split()),
    frozenset("film films movie movies".split()),
    frozenset("album albums song songs single singles".split()),
    frozenset("game games".split()),
)
_ASKED_FOR = re.compile(r"\b(?:which|what|many|all|list)\W+(?:of )?(?:the )?\Z", re.IGNORECASE)
_MAIN = re.compile(
    r"\b(?:dominates|prevails|predominates)\b|"
    r"\b(?:main|dominant|predominant|prevailing|principal|majority) (?:[a-z]+ )?"
    r"(?:religion|faith|language|tongue|export|industry|ethnic group|ethnicity|currency|party|occupation|genre)\b",
    re.IGNORECASE,
)
_WHICH_OF = re.compile(r"\W*(?:which|what|who) (?:one |member |person |man |woman )?of (?:the )?\Z", re.IGNORECASE)
_WHAT_DOES = re.compile(
    r"\W*(?:and |so )?(?:what|which) (?P<nouns>[a-z]+(?: [a-z]+)?) (?:has|have|had|did|does|do) (?:the )?_ "
    r"[a-z]+(?: (?:on|up|in|out|for|with|at|to|of))?\W*",
    re.IGNORECASE,
)
MOST_KINDS = 20  # answers whose kinds are looked at
LEAST_SAID = 2  # words behind a name that tell which of its members is meant


def tells_all_or_works(query: Query, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether several are told where the main one is asked for, all religions for "which religion dominates?", or films
    for "who is in it?"."""
    is_chosen = any(isinstance(node, nodes.Best) for node in query.walk())
    if len(answers) > 1 and not is_chosen and _MAIN.search(question) is not None:
        return True
    if _WHO_IN.match(question) is None or pack.source is not None:
        return False
    kinds = _kinds_of(answers, pack)
    return bool(kinds) and kinds.isdisjoint(PERSONS) and any(not kind.isdisjoint(kinds) for kind in _KINDS)


def takes_all_members(
    query: Query, n_answers: int, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack
) -> bool:
    """Whether all members of a group are told where one is asked for of whom much more is said: "which member of the
    Beatles was shot in the street?"; ``spans`` are the characters of the names."""
    match query:
        case (
            nodes.Follow(nodes.Entities((topic,)), relation)
            | nodes.And(nodes.Class(), nodes.Follow(nodes.Entities((topic,)), relation))
            | nodes.And(nodes.Follow(nodes.Entities((topic,)), relation), nodes.Class())
        ) if topic in spans and n_answers > 1:
            start, end = spans[topic]
        case _:
            return False
    if _WHICH_OF.match(question[:start]) is None:
        return False
    said = free_words(question[end:], (), RelationWords(pack).of([relation]))
    return len([word for word in said if word not in CARRY_NOTHING | OPERATOR_WORDS]) >= LEAST_SAID


def is_by_own_age(query: Query, question: str, pack: Pack) -> bool:
    """Whether the first that somebody had for a time is told by how old it is itself: the oldest of the teams that he
    was in is hardly "the first team he played for"; or who is the oldest by when they joined."""
    is_age, is_order = _OLDEST.search(question) is not None, _ORDER.search(question) is not None
    if not (is_age or is_order):
        return False
    labels, n = pack.relation_labels(), pack.n_relations
    for node in query.walk():
        match node:
            case nodes.Best(_, nodes.ValueOf((by,))) if is_age and by < n and _JOINED.search(labels[by]):
                return True
            case nodes.Best() if not is_order:
                continue
            case nodes.Best(nodes.Follow(nodes.Entities(), relation), nodes.ValueOf((by,))) if by < n:
                if _OWN_AGE.search(labels[by]) is not None and _SPELL.search(relation_phrase(labels[relation % n])):
                    return True
    return False


def is_of_other_kind(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether "the Dune books" are what a question is about, and a query starts from what is known to be a film."""
    match query:
        case nodes.Follow(nodes.Entities((topic,)), _) if topic in spans and pack.source is None:
            start, end = spans[topic]
        case _:
            return False
    noun = re.match(r" ([a-z]+)\b", question[end:])
    if noun is None or not any(noun[1] in kind for kind in _KINDS) or _ASKED_FOR.search(question[:start]):
        return False
    kinds = _kinds_of(np.array([topic]), pack)
    known = [kind for kind in _KINDS if not kind.isdisjoint(kinds)]
    return bool(known) and not any(noun[1] in kind for kind in known)


def goes_a_step_on(
    query: Query, answers: np.ndarray, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack
) -> bool:
    """Whether "what shows has the troupe put on?" is answered with what is in them: by two steps, of which the second
    is not said, with things of another kind."""
    match query.right if isinstance(query, nodes.And) and isinstance(query.left, nodes.Class) else query:
        case nodes.Follow(nodes.Follow(nodes.Entities((topic,)), _), last) if topic in spans and is_small(pack):
            start, end = spans[topic]
        case _:
            return False
    asked = _WHAT_DOES.fullmatch(f"{question[:start]}_{question[end:]}")
    if asked is None or not (called := _kinds_of(answers, pack)):
        return False
    nouns = {word for noun in asked["nouns"].lower().split() for word in (noun, *singulars(noun))}
    return nouns.isdisjoint(called) and not any(
        word[:ALIKE] == noun[:ALIKE] for word in RelationWords(pack).of([last]) for noun in nouns
    )


def _kinds_of(entities: np.ndarray, pack: Pack) -> set[str]:
    """The words, normalised, for what the first of some entities are."""
    kinds = [kind for lead in pack.type_relations for kind in reached_by(pack, entities[:MOST_KINDS], lead).tolist()]
    return {word for label in pack.labels(kinds) for word in normalise(label).split()}


def goes_by_other_parent(query: Query, text: str, pack: Pack) -> bool:
    """Whether a text speaks of a mother, and a query goes by a relation of fathers: "sire"; or the other way round."""
    said = {*normalise(text).split()}
    own, other = (_MOTHERS, _FATHERS) if said & _MOTHERS else (_FATHERS, _MOTHERS)
    if not said & own or said & other:
        return False
    labels, n = pack.relation_labels(), pack.n_relations
    called = {word for one in relations_in(query) for word in normalise(labels[one % n]).split()}
    return bool(called & other) and not called & own


def is_of_other_sort(query: Query, question: str, pack: Pack) -> bool:
    """Whether a maker is told for a material, a number for of what sort something is, or those who are something else
    than the question says that they were: "who was a senator and acted in Casablanca?"."""
    match query:
        case nodes.Follow(_, relation) if relation < pack.n_relations:
            label = relation_phrase(pack.relations()[relation].label)
            if _MADE_OF.search(question) is not None and _MAKER.search(label) is not None:
                return True
            if any(asked.search(question) and other.search(label) for asked, other in _MEASURES):
                return True
            if _SORT_OF.search(question) is not None and _CODE.search(label) is not None:
                return True
        case nodes.Holds(_, relation, _):
            label = relation_phrase(pack.relations()[relation % pack.n_relations].label)
            if _IS_IN.match(question) is not None and _MADE_IT.search(label) is not None:
                return True
        case nodes.Compare(_, _, nodes.Count() | nodes.Values()):
            if _COMPARES.search(question) is None:
                return True
    return _passes_over_being(query, question, pack)


def _passes_over_being(query: Query, question: str, pack: Pack) -> bool:
    """Whether those who "were a senator" are found by no step of that name."""
    found = _WAS_A.match(question)
    if found is None or found["noun"].lower() in ANYBODY:
        return False
    named = [end for node in query.walk() if isinstance(node, nodes.Entities) for end in node.ids]
    named += [node.type for node in query.walk() if isinstance(node, nodes.Class)]
    words = {word for label in pack.labels(named) for word in normalise(label).split()}
    words |= RelationWords(pack).of(relations_in(query))
    return not any(word[:ALIKE] == found["noun"].lower()[:ALIKE] for word in words)
