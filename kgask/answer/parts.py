"""Several questions in one: where to divide them, whom a pronoun of a later one means, and one answer of all parts.

A question is divided at "?", ";" or "and" where a question word or an auxiliary with a pronoun follows, never within a
name, quotation marks or brackets. It is a matter of form: nothing here knows a pack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgask.answer.ellipsis import completed, may_be_pair, pair
from kgask.answer.result import Answer
from kgask.types import EntityId

MAX_PARTS = 5
Given = tuple[int, int, EntityId]  # characters of a question, end exclusive, and the entity that they name

_WORD = r"(?:whom?|whose|what|which|when|where|why|how)(?:['\u2019](?:s|re))?"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)"
_PREPOSITION = r"(?:in|on|at|to|for|by|from|of|with|under|since|until|during|into)"
_PRONOUN = r"(?:he|she|it|they|there|his|her|its|their)"
_ONE_OF_THEM = rf"{_AUXILIARY}\s+(?:[\w'\u2019.-]+\s+){{1,5}}?(?:one of|among)\s+(?:them|those|these)\b"
_QUESTION = rf"(?:{_PREPOSITION}\s+)?{_WORD}\b|{_AUXILIARY}\s+{_PRONOUN}\b|{_ONE_OF_THEM}"
_ALSO = r"(?:(?:and|also|then|(?:tell|show) me|say)\s+)*"
_BOUNDARY = re.compile(
    rf"(?P<mark>\?+)\s*{_ALSO}(?=\w)|\s*,\s+(?=(?:when|where|why|how)\s+{_AUXILIARY}\s+{_PRONOUN}\b)|"
    rf"(?:\s*[,;])?\s+and\s+{_ALSO}(?={_QUESTION})|\s*;\s*{_ALSO}(?={_QUESTION})|"
    r"\s*[;,.]\s*(?:and |but )?(?:i(?:['\u2019]d| would)? (?:also )?(?:like|love|want) to know|also tell me|"
    r"(?:please )?tell me)(?: also| too)?\s+(?=(?:its|his|her|their)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\[[^\]]*\]")
_POLITE = re.compile(
    r"\A\s*(?:(?:please|hello|hey|hi|ok|so|well)\b[,!]?\s+)*(?:(?:can|could|would|will) you\s+(?:please\s+)?)?"
    r"(?:(?:tell|show|give) me|let me know|say|do you know|i(?:['\u2019]d| would)? (?:like|want) to know|i wonder)?"
    r"[,:]?\s*",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\A[^:?]{2,60}:\s+")  # "Danube: how long is it"
_OF_TWO = re.compile(r"\b(which|who)(?: one)? of (?:the|these|those) two\b", re.IGNORECASE)
_THANKS = re.compile(
    r"(?:(?:many|a thousand) thanks|thanks?(?: you)?(?: (?:a lot|so much|very much|in advance))?|cheers|please)\W*",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"{_QUESTION}|{_AUXILIARY}\b|(?:name|list|give|show|find|count|tell|say)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"(?:whom?|whose|which)\b", re.IGNORECASE)
_FIRST_AUXILIARY = re.compile(rf"\b{_AUXILIARY}\b.*", re.IGNORECASE | re.DOTALL)
_WHO = re.compile(r"(?:whom?|whose)\b", re.IGNORECASE)
_OF_PERSONS = frozenset("he she him her his".split())

_TIMES = r"(?:years?|times?|days?|months?|dates?|decade|century|point|moment|way|reason|case)\b"
_SORTS = (
    "country|state|city|town|village|place|region|film|movie|book|novel|work|company|firm|organi[sz]ation|team|club|band|"
    "album|river|lake|mountain|island|element|author|director|writer|man|woman|person|lady|guy|latter"
)

_SORT = re.compile(rf"\b(?:that|the|this) (?!city|town|village|place)({_SORTS})\b", re.IGNORECASE)  # "that country"
_WHERE_OR_WHEN = re.compile(
    r"\W*(?:and |so )?(?:(?:in|at|from|to|on) )?"
    r"(?:where|when|(?:what|which) (?:city|town|place|country|year|day|date|river))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\W*(?:in which|in what|where)\b", re.IGNORECASE)
# A pronoun, and how the one whom it means stands in its place.
_PLACES = (
    (re.compile(r"\b(?:his|its|their)\b", re.IGNORECASE), "{}'s"),
    (re.compile(rf"\bher(?=\s+(?!(?:and|or|{_PREPOSITION})\b)\w)", re.IGNORECASE), "{}'s"),
    (re.compile(r"\b(?:he|she|it|they|him|her|them)\b", re.IGNORECASE), "{}"),
    # "where is that firm based?", "how big is the country?"
    (
        re.compile(
            rf"\b(?P<before>(?:{_AUXILIARY}|{_PREPOSITION}|about) )"
            rf"(?:(?:that|this)(?: same| very)? (?!{_TIMES})[a-z]+|the (?:{_SORTS}))"
            r"(?=\W*\Z|\s+(?!of\b|in\b|with\b))",
            re.IGNORECASE,
        ),
        r"\g<before>{}",
    ),
    (re.compile(r"\b(?P<before>from|to|at|near|around|of|through) there\b", re.I), r"\g<before> {}"),
    # "live there", but neither "is there" nor "there are"
    (re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?! (?:is|are|was|were)\b)", re.I), "in {}"),
)
_ELSE = re.compile(r"\b(?:who|whom|what|where|which|how many) (?:else|others?)\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\bof (?:them|these|those)\b", re.IGNORECASE)
_PEOPLE = re.compile(r"\bthey\b(?=.*\b(?:there\b|(?-i:in [A-Z])))", re.IGNORECASE)  # "do they speak there"


def split_question(text: str, spans: Iterable[tuple[int, int]] = ()) -> list[str]:
    """The questions of a text, in order; one, the text itself, where there are not several.

    ``spans`` are the characters of what it names, within which it is not divided.

    >>> split_question("Who directed Pulp Fiction and when was he born?")
    ['Who directed Pulp Fiction', 'when was he born?']
    >>> split_question("Name the noble gases and tell me which is the densest")
    ['Name the noble gases', 'which is the densest']
    >>> split_question("When and where was Mozart born?"), split_question("Which countries border Peru and Chile?")
    (['When was Mozart born?', 'where was Mozart born?'], ['Which countries border Peru and Chile?'])
    >>> split_question("How many films did he direct? Many thanks.")
    ['How many films did he direct? Many thanks.']
    """
    closed = [*spans, *(found.span() for found in _QUOTED.finditer(text))]
    found, begins = [], 0
    for boundary in _BOUNDARY.finditer(text):
        start, end = boundary.span()
        head = text[begins:start]
        if any(first < end and start < last for first, last in closed):
            continue
        if boundary["mark"] or _is_question(head, text[end:]):
            found.append(f"{head.strip()}{'?' if boundary['mark'] else ''}")
            begins = end
    last = text[begins:].strip()
    found = _completed(found if _THANKS.fullmatch(last) else [*found, last])
    if len(found) == 1:
        found = pair(text, closed) or found
    return found if 1 < len(found) <= MAX_PARTS and all(len(part.split()) > 1 for part in found) else [text]


def may_be_several(text: str) -> bool:
    """Whether it is worth looking for names before the text is divided."""
    return _BOUNDARY.search(text) is not None or may_be_pair(text)


def _is_question(head: str, rest: str) -> bool:
    """Whether what stands before "and" asks by itself, and what follows is no relative clause of it."""
    body = _ABOUT.sub("", _POLITE.sub("", head, count=1), count=1)
    if not _ASKS.match(body):
        return False
    relative = _RELATIVE.match(rest)
    if relative and relative[0].lower() == "whose":
        return False
    within = body.split(None, 1)[-1].lower().split() if relative else []
    return relative is None or relative[0].lower() not in within


def _completed(parts: list[str]) -> list[str]:
    """ "When" of "when and where was he born" is given what it lacks: "was he born"."""
    for at in reversed(range(len(parts) - 1)):
        tail = _FIRST_AUXILIARY.search(parts[at + 1])
        if len(parts[at].split()) <= 2 and tail and re.match(_WORD, parts[at], re.I):
            parts[at] = f"{parts[at].rstrip('?')} {tail[0]}"
    return parts


# --- pronouns -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meant:
    """A part with somebody named in the place of its pronouns."""

    text: str
    given: tuple[Given, ...]
    note: str


def with_people(text: str) -> str:
    """A text with "people" for a "they" that means whoever lives there.

    >>> with_people("what do they speak there?"), with_people("where do they flow?")
    ('what do people speak there?', 'where do they flow?')
    """
    return _PEOPLE.sub("people", text)


def with_name(part: str, entity: EntityId, label: str) -> Meant | None:
    """The part with the label in the place of its pronouns; None where it has none.

    >>> with_name("when was he born?", 12, "Quentin Tarantino")
    Meant(text='when was Quentin Tarantino born?', given=((9, 26, 12),), note="read 'he' as 'Quentin Tarantino'")
    """
    text, first = with_people(part), None
    for pattern, place in _PLACES:
        found = pattern.search(text)
        first = first or found
        text = pattern.sub(place.replace("{}", "\0"), text)
    if first is None:
        return None
    pieces = text.split("\0")
    given, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece)
        given.append((at, at + len(label), entity))
        at += len(label)
    return Meant(label.join(pieces), tuple(given), f"read {first[0]!r} as {label!r}")


def meant(part: str, before: Sequence[tuple[str, Answer]], first_literal: EntityId) -> Iterator[Meant]:
    """Whom the pronouns of a part may mean, the likeliest first: what earlier parts asked about, or their one answer.

    ``before`` are the earlier parts with their answers; ids from ``first_literal`` on are no entities.
    """
    if _OF_THEM.search(part) and before and (len(before[-1][1].entities) > 1 or not before[-1][1].entities):
        return  # several, of whom none alone is meant
    found: dict[EntityId, str] = {}
    words = set(re.findall(r"[a-z]+", part.lower()))
    for asked, answer in reversed(before):
        answers = [(one.id, one.label) for one in answer.entities if one.id < first_literal]
        is_place = bool(words & _OF_PERSONS) and _WHERE_OR_WHEN.match(asked) is not None  # no he, and no she
        answers = answers if len(answers) == 1 and not is_place else []
        topics = [(seed.entity, seed.label or seed.name) for seed in answer.seeds[:1]]
        if topics and all(label.islower() for _, label in answers):
            answers = []  # "it" is what has a status, and no status
        # "it" beside "who ...?" is hardly the one who was asked for.
        about_topic = bool(_WHO.match(asked)) and not words & _OF_PERSONS
        sort = _SORT.search(part)
        about_topic = about_topic or (
            sort is not None and sort[1].lower() not in asked.lower() and not _WHERE.match(asked)
        )
        for entity, label in [*topics, *answers] if about_topic else [*answers, *topics]:
            found.setdefault(entity, label)
    known = next((seed for seed in before[-1][1].seeds[:1] if _ELSE.search(part)), None) if before else None
    for entity, label in found.items():
        named = with_name(part, entity, label)
        if named is not None and known is not None and known.entity != entity:
            named = replace(named, text=f"{named.text.rstrip(' ?')} besides {known.label or known.name}?")
        if named is not None:
            yield named


# --- answering ----------------------------------------------------------------------------------


def answers_of(
    parts: Sequence[str], ask: Callable[[str, tuple[Given, ...]], Answer], first_literal: EntityId
) -> list[Answer]:
    """The answer to each part; a pronoun means the first for whom there is an answer."""
    before: list[tuple[str, Answer]] = []
    for part in parts:
        text = _of_two(completed(part, before[-1][0]), before[-1][1]) if before else part
        refused: Answer | None = None
        for one in meant(text, before, first_literal):
            answer = ask(one.text, one.given)
            answer = replace(answer, question=part, notes=(one.note, *answer.notes))
            refused = answer if refused is None else refused  # the likeliest, should none be answered
            if answer:
                break
        else:
            answer = ask(_PEOPLE.sub("people", text), ()) if refused is None else refused
            if answer and _OF_THEM.search(text):
                answer = answer.refusing("it is not clear of which of them this is asked")
            notes = answer.notes if text == part else (f"read {part!r} as {text!r}", *answer.notes)
            answer = replace(answer, question=part, notes=notes)
        before.append((text, answer))
    return [answer for _, answer in before]


def _of_two(part: str, before: Answer) -> str:
    """A part with the two that the one before is about in the place of "which of the two"."""
    names = [seed.label or seed.name for seed in before.seeds]
    found = _OF_TWO.search(part) if len(names) == 2 else None
    return part if found is None else f"{_OF_TWO.sub(found[1], part).rstrip(' ?')}, {names[0]} or {names[1]}?"


def together(question: str, parts: Sequence[Answer]) -> Answer:
    """One answer of several: their texts in order; it is as sure as the least sure part.

    Whole or not at all: where a part has no answer the whole is refused, and what the others came to is told as help.
    """
    spent: dict[str, float] = {}
    for one in parts:
        for stage, ms in one.timings_ms.items():
            spent[stage] = round(spent.get(stage, 0.0) + ms, 3)
    refused = [one for one in parts if not one]
    answered = () if refused else parts
    return replace(
        parts[0],
        question=question,
        text="; ".join(one.text or "" for one in answered) if answered else None,
        entities=_each_once(one for part in answered for one in part.entities),
        support=_each_once(one for part in answered for one in part.support),
        confidence=min(one.confidence for one in parts),
        abstained=bool(refused),
        reason="; ".join(f"{one.question!r}: {one.reason}" for one in refused) or None,
        died_at=refused[0].died_at if refused else None,
        seeds=_each_once(one for part in parts for one in part.seeds),
        notes=tuple(f"part {number}: {note}" for number, one in enumerate(parts, 1) for note in one.notes),
        help=tuple(f"{one.question!r} is answered: {one.text}" for one in parts if one) if refused else (),
        alternatives=(),
        timings_ms=spent,
        query=None,
        query_text=None,
        sparql=None,
        kind=None,
        value=None,
        derivation=None,
        parts=tuple(parts),
    )


def _each_once(found: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(found))
