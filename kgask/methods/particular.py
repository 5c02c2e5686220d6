"""What a question says in particular, and a query may read over: a lead role, a density, the age when elected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

import numpy as np

from kgask.errors import BudgetError
from kgask.link.mentions import Word
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, OPERATOR_WORDS, RelationWords, is_all_called, is_within_any
from kgask.methods.doubts import relations_in
from kgask.methods.heads import ANY_PLACE, ANYBODY, PERSONS, entities_called, have_all
from kgask.methods.protocol import Retrieved
from kgask.methods.relation_facts import is_small, is_table
from kgask.methods.unheard import label_words, unheard
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.text import entity_ids
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import undirected

SAMPLED = 50  # answers whose types are looked at
LOOK_SECONDS = 0.5
_LEAD = re.compile(
    r"\b(?P<said>lead(?:ing)?|main|title|starring) (?:roles?|parts?|actors?|actress(?:es)?|characters?|singers?|"
    r"vocalists?)\b",
    re.IGNORECASE,
)
_BEST = re.compile(r"\b(?P<said>best|worst|nicest|finest|loveliest|prettiest|(?:most )?beautiful)\b", re.IGNORECASE)
_TELLS_BEST = re.compile(r"rat(?:e|ing)|scor|mark|point|rank|star|grade|review|vote|place|position|quality|result|time")
_ORDERS = re.compile(
    r"\b(?!best|worst|nicest|finest|loveliest|prettiest)\w{2,}est\b|\b(?:most|least|top)\b", re.IGNORECASE
)
_RATE = re.compile(r"\b(?:density|densities|\w+ per (?:capita|head|person|km|square))\b", re.IGNORECASE)
_IS_RATE = re.compile(r"densi|\bper\b|capita|/")
_OF = re.compile(r"\b(?P<said>[a-z]{4,}) of (?:the )?(?P<noun>[a-z]{4,})\b", re.IGNORECASE)
_ANY_OF = frozenset("kind type sort form name names date place year part number some most many list which".split())
_WHEN_SO = re.compile(
    r"\bhow old\b.* (?P<said>when (?:\w+ ){1,3}?(?:was|were|became|got|won|wrote|made|took|married|joined|"
    r"started|left))\b",
    re.IGNORECASE,
)
_DIED = re.compile(r"\b(?:die[ds]?|dead|death|killed|passed away|buried|murdered|executed)\b", re.IGNORECASE)
_WORD = re.compile(r" (?P<word>[\w'-]+)")
_OR = re.compile(
    r"\b(?P<left>[\w'\u2019-]+) or (?:(?:the|an?|in|by|on|of|from|for|to|at) )*(?P<right>[\w'\u2019-]+)", re.IGNORECASE
)
_PLACE = re.compile(  # in an order; nobody counts centuries, days and anniversaries so
    r"\b(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:rd|th))\b(?= [a-z])"
    r"(?! (?:century|centuries|of|day|anniversary|birthday|floor|grade|edition|part|birth)\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\b(?:world )?(?:titles?|championships?)\b", re.IGNORECASE)  # that was won, of sports
_PLURAL = re.compile(
    r"\W*(?:(?:which|what|all|the|list|name|show|me|give|of|[a-z]+ish|[A-Z][\w-]+) ){0,4}(?P<noun>[a-z]{3,}s)\b"
)
_SCHOOL = re.compile(r"\b(?:high|secondary|grammar|primary|elementary|middle|boarding) ?school\b", re.IGNORECASE)
_WHERE = re.compile(r"\W*(?:and |so )?where\b", re.IGNORECASE)
_AS_WELL = re.compile(  # of two who did something, not "the rivers of Peru as well as those of Chile"
    r"\b(?:which|what)\b.*\b(?:do|does|did|has|have|had|is|are|was|were)\b.* as well as .*\w", re.IGNORECASE
)
_ANY_WORK = frozenset("work works piece pieces item items stuff creation creations product products".split())
_HEAD = re.compile(
    r"\W*(?:and |so )?(?:(?:which|what|how many) (?P<asked>[a-z]{3,})|"
    r"(?:is|are|was|were) there (?:an?|any) (?P<any>[a-z]{3,})|"
    r"(?:(?:give|show|tell) me|list|name|find) (?:all |every |each )?(?:of )?(?:the )?(?P<listed>[a-z]{3,}s) "
    r"(?:who|that|which|born|from|in|of|by|with)|"
    r"(?:what|which|who) (?:is|was|are|were) the (?:[a-z]+ )?[a-z]{2,}est (?P<most>[a-z]{3,}) (?:in|of|on|at|from)\b)",
    re.IGNORECASE,
)


def read_over(found: Retrieved, question: str, words: Sequence[Word], pack: Pack) -> tuple[str, ...]:
    """What the question says in particular and the best query makes nothing of: rare ``words``, or the first others."""
    query = found.hypotheses[0].make_query() if found.hypotheses else None
    if query is None or (lost := unheard(question, words, found, pack)):
        return () if query is None else lost
    answers, named = found.hypotheses[0].answers, entity_ids(query)
    mentions = (one.span for one in found.linked if any(seed.entity in named for seed in one.seeds))
    covered = [*mentions, *(seed.span for seed in found.seeds), *found.pointed]
    called = " ".join(sorted(RelationWords(pack).of(relations_in(query)))).lower()
    every = (
        _words(query, question, called, covered, pack),
        _of_sort(query, answers, question, covered, pack),
        _of_several_sorts(query, answers, question, covered, pack),
    )
    return tuple(islice(chain.from_iterable(every), 1))


def _words(query: Query, question: str, called: str, covered: Sequence[tuple[int, int]], pack: Pack) -> Iterator[str]:
    """What no relation of the query is called, and what it orders, ages or joins otherwise."""
    lead, best, rate = (pattern.search(question) for pattern in (_LEAD, _BEST, _RATE))
    if lead and not is_within_any(lead.span(), covered) and lead["said"].lower() not in called:
        yield lead["said"].lower()
    if rate and not is_within_any(rate.span(), covered) and not _IS_RATE.search(called):
        yield rate[0].lower()
    measures = [one for node in query.walk() if isinstance(node, nodes.Best) for one in node.by.path]
    measured = " ".join(RelationWords(pack).of(measures))
    if best and measures and not is_small(pack) and not _ORDERS.search(question) and not _TELLS_BEST.search(measured):
        yield best["said"].lower()  # "the best airport" is not the highest one
    place = None if measures else _PLACE.search(question)
    if place and not is_within_any(place.span(), covered) and not _is_said((place[0].lower(),), query, pack):
        yield place[0].lower()
    when = _WHEN_SO.search(question)
    if when and isinstance(query, nodes.Age) and "death" in called and not _DIED.search(question):
        yield when["said"].lower()
    if _AS_WELL.search(question) and any(map(_joins_names, query.walk())):
        yield "as well as"
    yield from _other_of(query, question, pack)
    yield from _left_of_two(query, question, covered, pack)


def passes_over_title(query: Query, question: str, pack: Pack) -> bool:
    """Whether titles are asked for, which the pack knows by their champions, and other wins are told."""
    if _TITLE.search(question) is None or not any("champion" in label.lower() for label in pack.relation_labels()):
        return False
    called = " ".join((*RelationWords(pack).of(relations_in(query)), *pack.labels(entity_ids(query)))).lower()
    return not re.search(r"titl|champion|award|trophy|crown|\bcup\b", called)


def _joins_names(node: object) -> bool:
    match node:
        case nodes.Or(nodes.Follow(nodes.Entities(), one), nodes.Follow(nodes.Entities(), other)):
            return one == other
    return False


def _other_of(query: Query, question: str, pack: Pack) -> Iterator[str]:
    """The "Z of Y" of a question where a relation is called "X of Y": no form of government heads one."""
    for relation in relations_in(query):
        text = pack.relations()[undirected(relation, pack.n_relations)[0]]
        first, of, last = relation_phrase(text.label).lower().partition(" of ")
        said = [one["said"].lower() for one in _OF.finditer(question) if of and one["noun"].lower() == last]
        names = " ".join(text.names).lower()
        if first not in question.lower() and all(word not in _ANY_OF and word not in names for word in said):
            yield from said


def _left_of_two(query: Query, question: str, covered: Sequence[tuple[int, int]], pack: Pack) -> Iterator[str]:
    """Of two words with "or" between them the one that the query is not about, where it is about the other: "in area or
    in population"."""
    if not isinstance(query, SetNode | nodes.Count) or any(isinstance(node, nodes.Or) for node in query.walk()):
        return
    for pair in _OR.finditer(question):
        sides = {side: pair[side].lower() for side in ("left", "right")}
        if any(word in CARRY_NOTHING | OPERATOR_WORDS or word.isdigit() for word in sides.values()):
            continue
        told = {
            side: is_within_any(pair.span(side), covered) or _is_said((word, *singulars(word)), query, pack)
            for side, word in sides.items()
        }
        if told["left"] != told["right"]:
            yield sides["left" if told["right"] else "right"]


def _of_sort(
    query: Query, answers: np.ndarray, question: str, covered: Sequence[tuple[int, int]], pack: Pack
) -> Iterator[str]:
    """What is asked for, where other things are found or chosen from: no river is a bridge, not all who were born in
    1945 were presidents, and nobody is where a name comes from.

    In somebody's own graph the nouns are others than its labels.
    """
    if is_small(pack) or not len(answers):
        return
    runner = Runner(pack, Budget(LOOK_SECONDS))
    with suppress(BudgetError):
        school = _SCHOOL.search(question)
        if school and not is_within_any(school.span(), covered) and not _are_schools(answers, pack):
            yield school[0].lower()
        if _WHERE.match(question) and not label_words(runner.types(answers[:SAMPLED]), pack).isdisjoint(PERSONS):
            yield "where"
        found, base = _HEAD.match(question), _set_of(query, pack)
        group = found.lastgroup if found is not None else None
        if found is None or group is None or base is None or is_within_any(found.span(group), covered):
            return
        noun, after = found[group].lower(), _WORD.match(question, found.end(group))
        if after is not None and is_within_any(after.span("word"), covered):
            return  # "national" of "national capital"
        forms = (noun, *singulars(noun))
        if noun in ANYBODY | CARRY_NOTHING | ANY_PLACE | _ANY_WORK or _is_said(forms, query, pack):
            return
        members = runner.members(base).possible if base is not query else answers
        kinds = label_words(runner.types(np.concatenate((answers[:SAMPLED], members[:SAMPLED]))), pack)
        known = any(map(str.islower, pack.labels(sorted(entities_called(noun, pack)))))
        is_other = (
            bool(kinds)
            and kinds.isdisjoint(forms)
            and (known or isinstance(query, nodes.Best) or not kinds.isdisjoint(PERSONS))
        )
        if is_other and not have_all(members, forms, runner):
            yield noun


def _of_several_sorts(
    query: Query, answers: np.ndarray, question: str, covered: Sequence[tuple[int, int]], pack: Pack
) -> Iterator[str]:
    """What is asked for in the plural, where things of no common sort are found by where they are or what they have,
    and nothing says which of them: circuits and teams for "Spanish tracks"."""
    if is_table(pack) or len(answers) < 2 or _set_of(query, pack) is None or _is_of_class(query):
        return
    asked = _PLURAL.match(question)
    noun = asked["noun"].lower() if asked is not None else ""
    forms = (noun, *singulars(noun))
    if asked is None or is_within_any(asked.span("noun"), covered) or not singulars(noun):
        return
    if noun in ANYBODY | CARRY_NOTHING | ANY_PLACE | _ANY_WORK or _is_said(forms, query, pack):
        return
    runner = Runner(pack, Budget(LOOK_SECONDS))
    with suppress(BudgetError):
        kinds = [{*runner.types(np.array([one])).tolist()} for one in answers[:SAMPLED].tolist()]
        if all(kinds) and not set.intersection(*kinds):
            yield noun


def _is_of_class(node: Node) -> bool:
    """Whether all that is found is of a class; what is taken away says nothing of the rest."""
    match node:
        case nodes.And(left, right):
            return _is_of_class(left) or _is_of_class(right)
        case nodes.Minus(base, _) | nodes.Where(base) | nodes.Best(base):
            return _is_of_class(base)
    return isinstance(node, nodes.Class)


def _are_schools(answers: np.ndarray, pack: Pack) -> bool:
    """Whether all are called so; a university is no high school."""
    return all("school" in label.lower() for label in pack.labels(answers[:SAMPLED].tolist()))


def _is_said(forms: Collection[str], query: Query, pack: Pack) -> bool:
    """Whether the relations or the names of a query are called so."""
    said = RelationWords(pack).of(relations_in(query)) | label_words(entity_ids(query), pack)
    return any(is_all_called(one, said) for one in forms)


def _set_of(query: Query, pack: Pack) -> SetNode | None:
    """The set that a query tells, counts or chooses from; none for what something has: nouns tell that in many ways."""
    match query:
        case nodes.Count(base) | nodes.Some(base):
            query = base
        case nodes.Best(base):
            return None if isinstance(base, nodes.Entities) else base
    if isinstance(query, nodes.Follow) and query.relation < pack.n_relations:
        return None
    return query if isinstance(query, nodes.Follow | nodes.And | nodes.Where | nodes.Minus) else None
