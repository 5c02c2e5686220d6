"""Turns that say a word for what the last turn was about: "then" for its year or a death, "they" for one country,
"larger" for larger than it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kgask.chat.changes import base_of
from kgask.chat.names import Names
from kgask.chat.of_answers import SECONDS, OfAnswers
from kgask.chat.turns import Turn, Way
from kgask.errors import BudgetError, QueryError
from kgask.link.plurals import singulars
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import relation_phrase
from kgask.pack.literals import literal_label, parse_literal
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run

MOST_AGO = 4  # turns since a year was said, which "then" may mean

_ASKS_THEN = re.compile(r"(?P<asked>(?:and )?(?:who|what|which)\b [^,?]{8,}?(?<!,)) then\W*", re.IGNORECASE)
_THAT_MONTH = re.compile(r"\b(?:(?:in|during|for) )?(?:that|the same) month\b", re.IGNORECASE)
_THAT_DAY = re.compile(r"\b(?:on )?(?:that|the same) (?:day|date)\b", re.IGNORECASE)
_DID_THEN = re.compile(
    r"\A(?P<asked>(?:and )?(?:how (?:much|many)|who|what|which)\b [^,?]{8,}?(?<!,)) then\W*\Z", re.IGNORECASE
)
_OF_ROWS = re.compile(
    r"(?:and |so )?(?:(?P<many>how many)|which|what|whose) (?P<noun>[a-z][a-z -]*?) (?:was|were|is|are) "
    r"(?:that|those|it|they)(?: (?:for|from|on|in|of|to|at))?\W*",
    re.IGNORECASE,
)
MOST_ROWS = 200  # whose columns are looked at
_WHAT_THEN = re.compile(  # after a "no": "what is, then?"
    r"(?:and |so |ok(?:ay)?,? |well,? )?(?:what|who|which(?: one)?) (?:is|was|are|were)(?: it)?"
    r"(?:,? then|,? instead)?\W*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|of|for) (?P<year>(?:1\d|20)\d\d)\b(?!-)")
_HOW_OLD_THEN = re.compile(
    r"(?P<asked>(?:and )?how old (?:was|were) (?P<who>.+?)),? (?:then|at (?:the|that) time)\W*", re.IGNORECASE
)
_DEATH = re.compile(r"\b(?:die[ds]?|death|buried|pass(?:ed)? away)\b", re.IGNORECASE)
_MORE_THAN_ONE = re.compile(
    r"(?:and |but )?(?P<more>(?!other\b|rather\b)[a-z]{2,}er|(?:more|less) [a-z]+) than "
    r"(?P<what>(?!in\b|that\b)[^?]{2,60}?)\W*",
    re.IGNORECASE,
)
_AGE_AT_DEATH = re.compile(
    r"(?:and )?(?:(?:his|her|their) )?age at (?:death|(?:his|her|their) death)\W*", re.IGNORECASE
)
_SAME_AS = re.compile(
    r"(?:and )?(?:is (?:it|that) )?(?:the )?same(?: (?P<noun>[a-z]+))? (?:as|for) (?P<what>[^?]{2,60}?)\W*",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:and |but )?(?P<is>is|are|was|were) (?P<what>(?!it\b|that\b|this\b|he\b|she\b|they\b|there\b)[^?]+?) "
    r"(?P<more>[a-z]{2,}[^e]er|(?:more|less) [a-z]+)(?: too| as well| then)?\W*",
    re.IGNORECASE,
)
_NO_COMPARATIVE = frozenset(
    "after over under ever never other another whether either neither river water number member former together".split()
)
_THEY = re.compile(r"\b(?:(?P<aux>do|have|are|were) they|(?P<own>their)|they (?P<verb>[a-z]+))\b", re.IGNORECASE)
_OF_ONE = {"do": "does", "have": "has", "are": "is", "were": "was"}
_AMONG = re.compile(r"\b(?:both|all|each|which of|one of|of them|together|among|how many of|them|these|those)\b", re.I)
_PARTNER = re.compile(r"\b(?:wife|husband|partner|spouse|girlfriend|boyfriend|marr(?:y|ied))\b", re.IGNORECASE)
_ARE_THERE = re.compile(r"(?P<asked>(?:and )?(?:which|what|how many) [a-z ]+? (?:are|is) there)\W*", re.IGNORECASE)
_PLACES = frozenset("country state city town village island continent region province county".split())
_THAN = re.compile(r"(?:and |or |but )?than (?P<what>[^?]+?)\W*", re.IGNORECASE)
_IN_WHICH = re.compile(r"(?:and )?(?P<ask>when|(?:in )?(?:which|what) years?)\W*", re.IGNORECASE)
_GOT = re.compile(
    r"(?:and )?(?:which|what) [^?]+? (?P<aux>did|does|do) (?P<who>[^?]+?) (?P<verb>get|win|receive|earn|direct|write|"
    r"make|publish|compose|found|discover|build|join|lead|visit)\W*",
    re.IGNORECASE,
)


def of_last(text: str, last: Turn, answers: OfAnswers, names: Names) -> Iterator[Way]:
    """What is said of what the last turn was about, without its name."""
    referents = answers.memory.referents
    if isinstance(last.query, nodes.Holds) and last.answer and last.answer.text == "no" and _WHAT_THEN.fullmatch(text):
        query = nodes.Follow(last.query.subject, last.query.relation)
        yield Way(f"{verbalise(query, answers.pack)}?", query=query, confidence=last.answer.confidence)
    yield from _than_another(text, last, answers, names)
    yield from _same_as(text, last, answers, names)
    if _AGE_AT_DEATH.fullmatch(text) is not None:
        persons = [
            one
            for one in (*last.ends[:1], *last.topics)
            if referents.may_be(one, "male") or referents.may_be(one, "female")
        ]
        yield from (answers.naming("at what age did \0 die?", one) for one in persons[:1])
    told = [one for one in (*(last.ends if len(last.ends) == 1 else ()), *last.topics) if referents.is_entity(one)]
    if told and (more := _MORE_THAN_ONE.fullmatch(text)) is not None and names.is_name(more["what"]):
        yield answers.naming(f"is \0 {more['more']} than {more['what']}?", told[0])
    if (found := _ARE_THERE.fullmatch(text)) is not None:
        places = (one for one in answers.memory.recent() if not _PLACES.isdisjoint(referents.kinds(one)))
        if (place := next(places, None)) is not None and answers.memory.turns_ago(place) < MOST_AGO:
            yield answers.naming(f"{found['asked']} in \0?", place)
    if (got := when_got(text, last)) is not None:
        yield answers.naming(got, last.ends[0])
    best = last.ends[0] if isinstance(last.query, nodes.Best) and len(last.ends) == 1 else None
    if best is not None and referents.is_group(best) and (said := of_one(text)) is not None:
        yield answers.naming(said, best)
    if len(last.topics) != 1 or not referents.is_entity(one := last.topics[0]):
        return
    if _PARTNER.search(last.line) and referents.is_person(one) and (said := of_one(text)) is not None:
        yield answers.naming(said, one)  # what both have, one of them has
    if (compared := compared_with(text)) is not None and one not in names.named(text):
        yield answers.naming(compared, one)
    several = answers.memory.last_set()
    is_older = several is None or (last.number > several.number and not isinstance(last.query, nodes.Best))
    is_alone = re.search(rf"{re.escape(answers.label(one))}(?:,| and) ", last.understood) is None
    if is_older and is_alone and (said := of_one(text)) is not None and referents.has_members(one):
        yield answers.naming(said, one)


def _than_another(text: str, last: Turn, answers: OfAnswers, names: Names) -> Iterator[Way]:
    """Whether the last comparison holds with something else: "and than copper?"."""
    found = _THAN.fullmatch(text)
    named = names.named(found["what"])[:1] if found is not None else ()
    match last.query:
        case nodes.Compare(
            _, _, nodes.Values(nodes.Entities((old,))) | nodes.Count(nodes.Follow(nodes.Entities((old,))))
        ):
            for new in named if last.answer else ():
                right = replaced(last.query.right, nodes.Entities((old,)), nodes.Entities((new,)))
                query = replace(last.query, right=right)
                sure = last.answer.confidence if last.answer is not None else 0.0
                yield Way(f"{verbalise(query, answers.pack)}?", query=query, confidence=sure)


def _same_as(text: str, last: Turn, answers: OfAnswers, names: Names) -> Iterator[Way]:
    """Whether something else has what the last question told: "same city as Paul?"."""
    found = _SAME_AS.fullmatch(text)
    named = names.named(found["what"])[:1] if found is not None and (found["noun"] or " as " in text) else ()
    match last.query:
        case nodes.Follow(nodes.Entities((old,)), relation) if last.answer:
            for new in named if old not in named else ():
                query = nodes.Some(nodes.And(last.query, nodes.Follow(nodes.Entities((new,)), relation)))
                yield Way(f"{verbalise(query, answers.pack)}?", query=query, confidence=last.answer.confidence)


def then_meant(text: str, turns: Sequence[Turn]) -> str:
    """A turn with the death that the last one asked for, or the year that was spoken of last, in the place of "then";
    with the month or day that the last one was about in the place of "that month".

    "Who did, then?" says no time.
    """
    queries = [turn.query for turn in reversed(turns[-MOST_AGO:]) if turn.query is not None]
    every = ({node for node in query.walk() if isinstance(node, nodes.Date)} for query in queries)
    dates = [*next(filter(None, every), ())]
    if len(dates) == 1 and dates[0].text.count("-") in (1, 2):
        when = f"{dates[0].preposition} {literal_label(parse_literal('date', dates[0].text))}"
        text = (_THAT_DAY if dates[0].text.count("-") == 2 else _THAT_MONTH).sub(when, text)
        text = _DID_THEN.sub(rf"\g<asked> {when}?", text)
    if (found := _HOW_OLD_THEN.fullmatch(text)) is not None and _DEATH.search(turns[-1].understood):
        who = found["who"] if found["who"].lower() in ("he", "she", "they") else "he"
        return f"{found['asked']} when {who} died?"
    found = _ASKS_THEN.fullmatch(text)
    years = next(filter(None, (_YEAR.findall(turn.understood) for turn in reversed(turns[-MOST_AGO:]))), [])
    return f"{found['asked']} in {years[0]}?" if found is not None and len(set(years)) == 1 else text


def of_rows(text: str, last: Turn, pack: Pack) -> Iterator[Way]:
    """What stands in a column of the rows that the last turn added up, counted or told, and how many they are: "which
    cheeses was that?", "how many sales was that?"."""
    rows = base_of(last.query) or (last.query if isinstance(last.query, nodes.And | nodes.Where | nodes.Best) else None)
    found = _OF_ROWS.fullmatch(text)
    if found is None or rows is None or last.is_refused or not is_small(pack):
        return
    try:
        members = run(rows, pack, Budget(SECONDS)).certain[:MOST_ROWS]
    except (QueryError, BudgetError):
        return
    noun = normalise(found["noun"])
    had = np.flatnonzero(relations_of(pack, members)[: pack.n_relations]).tolist()
    kinds = {normalise(label) for relation in pack.type_relations for label in _ends(members, relation, pack)}
    columns = [one for one in had if relation_phrase(pack.relation_labels()[one]) in (noun, *singulars(noun))]
    query: Query | None = nodes.Follow(rows, columns[0]) if len(columns) == 1 else None
    if found["many"]:
        is_kind = not kinds.isdisjoint(singulars(noun))
        query = nodes.Count(rows) if is_kind else nodes.Count(query) if isinstance(query, SetNode) else None
    if query is not None:
        sure = last.answer.confidence if last.answer is not None else 0.0
        yield Way(f"{verbalise(query, pack)}?", query=query, confidence=sure)


def _ends(members: np.ndarray, relation: int, pack: Pack) -> list[str]:
    return pack.labels(reached_by(pack, members, relation).tolist())


def compared_with(text: str) -> str | None:
    """A question whether something is larger, with a NUL for what than; None for any other.

    >>> compared_with("Is the Atacama larger?"), compared_with("is that the river?")
    ('Is the Atacama larger than \\x00?', None)
    """
    found = _COMPARED.fullmatch(text)
    if found is None or found["more"].lower() in _NO_COMPARATIVE or " or " in text or " than " in text:
        return None
    return f"{found['is']} {found['what']} {found['more']} than \0?"


def of_one(text: str) -> str | None:
    """A question about "them", with a NUL in the place of one that is called so, as a country is; None without any.

    >>> of_one("What money do they use?"), of_one("And their capital?"), of_one("which of them is older?")
    ('What money does \\x00 use?', "And \\x00's capital?", None)
    """
    found = _THEY.search(text)
    if found is None or _AMONG.search(text):
        return None
    if found["aux"]:
        said = f"{_OF_ONE[found['aux'].lower()]} \0"
    else:
        if found["own"] and re.match(r" [a-z]+s\b", text[found.end() :]):
            return None  # "their capitals" are of several
        said = "\0's" if found["own"] else f"\0 {found['verb']}"
    return f"{text[: found.start()]}{said}{text[found.end() :]}"


def when_got(text: str, last: Turn) -> str | None:
    """A question for the year alone, with who got what by the last turn and a NUL for that: when he won that prize."""
    asked, got = _IN_WHICH.fullmatch(text), _GOT.fullmatch(last.understood)
    if asked is None or got is None or len(last.ends) != 1:
        return None
    ask = asked["ask"] if asked["ask"].lower().startswith(("when", "in")) else f"in {asked['ask']}"
    return f"{ask} {got['aux']} {got['who']} {got['verb']} the \0?"
