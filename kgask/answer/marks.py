"""Answers by their marks: "Which finds (numbers) weigh over 80 g?" asks for "F002", which is called "knife blade".

Who keeps things under a number or a code asks for it by the word that its column has. The question is asked without
that word, and what it comes to is told by the keys of the pack where titles would stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer, AnswerEntity
from kgask.link.plurals import singulars
from kgask.methods.protocol import Request
from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.relation_words import plural
from kgask.retrieve.follow import reached_by

_WORDS = r"(?:ids?|identifiers?|keys?|codes?|numbers?|nos?\.?|refs?\.?|references?)"
_LIST_OF_WORDS = r"(?:ids|identifiers|keys|codes|numbers|nos\.?|refs\.?|references)"
_ONE_WORD = r"(?:id|identifier|key|code|ref|reference)"  # "number of" counts
_NOUN = (
    r"(?!(?:phone|mobile|telephone|serial|fax|account|atomic|zip|post|postal|dialling|the|same|total|"
    r"overall|average|mean|[a-z]+est|most|exact|full|whole|in|by|how|what|which|of)\b)[a-z]{3,}"
)
_POLITE = r"(?:,? (?:please|pls|only|thanks|will do|(?:is|are) (?:enough|fine)|suffices?))*"
_ASIDE = re.compile(
    rf"\s*\((?:just |only )?(?:by )?(?:their |the )?(?:{_NOUN} )?{_WORDS}{_POLITE}\)|"
    rf",? by (?:their |the )?(?:{_NOUN} )?{_WORDS}(?:,|(?=\W*\Z))",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[.?!,;:]\s+(?:please,? )?(?:(?:just|only|give me|tell me|list|show me|i need|i want|with|and)\s+)*"
    rf"(?:the |their |its )?(?:{_NOUN} )?{_WORDS}{_POLITE}\W*\Z",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile(rf"(?<=[a-z]) (?:{_NOUN} )?(?:{_LIST_OF_WORDS}) (?:only|please|will do)\W*\Z", re.IGNORECASE)
_OF = re.compile(
    r"\W*(?:(?:what(?: is| are|'s)|which (?:is|are)|give me|tell me|list|show me|i need|find) )?(?:me )?"
    rf"(?:the |all |all the )?(?:(?P<noun>{_NOUN}) {_WORDS}|{_LIST_OF_WORDS}|{_ONE_WORD}) "
    rf"(?:of|for) (?P<all>the |all |every |each |all the )?"
    rf"(?P<rest>[^?]+?){_POLITE}\W*",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"(?P<before>\b(?:which|what|list|give me|show me|i need|find))(?P<the> (?:the |all |all the )?)"
    rf"(?P<noun>{_NOUN}) (?P<mark>{_WORDS})(?P<rest>\W.*)",
    re.IGNORECASE,
)
_WHICH_VALUE = re.compile(
    r"\W*(?:(?:on|at|in|for|by) )?(?:which|what) (?P<noun>[a-z]+) (?P<value>[a-z]+) "
    r"(?=(?:had|has|have|was|is|were|are|did|does|do|saw|drew)\b)",
    re.IGNORECASE,
)
_ITSELF = re.compile(
    rf"(?:and )?(?:(?:what(?: is| are|'s)|give me|tell me|show me|list|just|only) )*(?:their|its|his|her|the|those) "
    rf"(?:{_NOUN} )?{_WORDS}{_POLITE}\W*|(?:{_NOUN} )?{_LIST_OF_WORDS}{_POLITE}\W*",
    re.IGNORECASE,
)
_LIST = re.compile(rf"\b{_LIST_OF_WORDS}", re.IGNORECASE)
_ALIKE = 4  # letters of "contract" in "the contract number of the dearest contract"
MOST_TOLD = 5  # of things that are called by their keys, whose labels are said too
_NUMBERED = re.compile(r"([^\W\dA-Z]+(?: [^\W\dA-Z]+)?) (\d+)")
_MARK = re.compile(r"[^\W\d_]{1,8}[-_ .#]?\d[\w.-]*|\d{1,4}[-/.]\d[\w/.-]*")  # "LRD-117", "2023-011"


def by_marks(request: Request, answer: Answer, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where the question asks for numbers or codes of things, those of what it is about.

    ``ask`` asks a question by itself. Of a large graph nobody knows the keys.
    """
    if request.entity is not None or request.question.marks or (answer and not answer.entities) or not is_small(pack):
        return answer
    asked = _without_mark(request.question.asked or request.question.text)
    told = told_by_marks(ask(asked)) if asked is not None else None
    return replace(told, question=answer.question) if told is not None else answer


def told_by_marks(answer: Answer) -> Answer | None:
    """An answer with the keys of the things that it names in the place of their labels; None where these are none."""
    marks = [_mark(one) for one in answer.entities]
    if not answer or answer.parts or not marks or not all(marks):
        return None
    called = tuple(f"{mark} is called {one.label!r}" for mark, one in zip(marks, answer.entities, strict=True))
    return replace(answer, text=" | ".join(filter(None, marks)), notes=(*answer.notes, *called[:MOST_TOLD]))


def by_relation(request: Request, answer: Answer, pack: Pack) -> Answer:
    """The answer, or, where it tells things of a class and the question asks for what these have, that: the date of the
    match that "which match date had the biggest crowd?" comes to."""
    asked = _WHICH_VALUE.match(request.question.text)
    if asked is None or not answer or answer.parts or not isinstance(answer.query, SetNode):
        return answer
    said = normalise(asked["value"])
    relations = [at for at, label in enumerate(pack.relation_labels()) if normalise(label) == said]
    kinds = {end for one in answer.entities for relation in pack.type_relations
             for end in reached_by(pack, np.array([one.id]), relation).tolist()}  # fmt: skip
    are_of_class = normalise(asked["noun"]) in {normalise(label) for label in pack.labels(sorted(kinds))}
    if len(relations) != 1 or not are_of_class:
        return answer
    found = requeried(answer, nodes.Follow(answer.query, relations[0]), answer.confidence, pack)
    return found if found else answer


def by_number(request: Request, answer: Answer) -> Answer:
    """The answer, or, of things that a table gives nothing but a number, and that are therefore called "order 1048",
    the numbers alone, where the question says the kind."""
    found = [
        _NUMBERED.fullmatch(one.label) if one.key.rpartition("/")[2] == one.label.rpartition(" ")[2] else None
        for one in answer.entities
    ]
    if not answer or answer.parts or not found or answer.kind == "truth" or len({one[1] for one in found if one}) != 1:
        return answer
    said = {form for word in normalise(request.question.text).split() for form in (word, *singulars(word))}
    numbers = [one[2] for one in found if one and not said.isdisjoint(one[1].lower().split())]
    return replace(answer, text=" | ".join(numbers)) if len(numbers) == len(found) else answer


def asks_marks(text: str) -> bool:
    """Whether a turn asks for the numbers or codes of what was spoken of, alone or beside a question."""
    return _ITSELF.fullmatch(text.strip()) is not None or _without_mark(text) is not None


def _without_mark(text: str) -> str | None:
    """The question for the things themselves; None where it does not ask for their marks.

    >>> _without_mark("Which iron finds (numbers) weigh more than 80 g?"), _without_mark("Which one is it?")
    ('Which iron finds weigh more than 80 g?', None)
    >>> _without_mark("Which contract numbers are for works?"), _without_mark("keys of issues labelled ios")
    ('Which contracts are for works?', 'issues labelled ios')
    """
    for pattern in (_ASIDE, _AFTER, _AFTER_ALL):
        if (found := pattern.search(text)) is not None and found.start() > 0:
            rest = text[: found.start()] + text[found.end() :]
            return rest if rest.rstrip().endswith(("?", ".")) else f"{rest}?"
    if (found := _OF.fullmatch(text)) is not None:
        rest, the, noun = found["rest"], (found["all"] or "").strip().lower(), (found["noun"] or "").lower()
        if noun and noun[:_ALIKE] not in rest.lower() and not _LIST.search(text):
            return None
        first, _, more = rest.partition(" ")
        if the in ("every", "each"):
            return f"{plural(first)} {more}"
        return f"Which is the {rest}?" if the == "the" and not first.lower().endswith("s") else rest
    if (found := _WHICH.search(text)) is not None:
        noun = found["noun"]
        several = plural(noun) if found["mark"].rstrip(".").lower().endswith("s") else noun
        return f"{text[: found.start()]}{found['before']}{found['the']}{several}{found['rest']}"
    return None


def _mark(one: AnswerEntity) -> str | None:
    mark = one.key.rpartition("/")[2]
    return mark if one.key and mark not in one.label and _MARK.fullmatch(mark) else None
