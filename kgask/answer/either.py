"""A question that names what may answer it: "Was Kafka born in Prague or in Vienna?", "Who wrote Emma, Austen or Poe?".

Planner and judge know such questions little. Where one has no answer, each name is asked about alone, or what stands
before them; the answer is whichever of them it is. Where what is asked of one or the other ("Who won it in 1978 or in
1994?") has an answer for each alone, by the same relations, all of them are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.linker import Linker
from kgask.link.values import value_spans
from kgask.methods.coordinated import Group, groups
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Request
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.types import EntityId, Question, opposite

MOST = 3  # names
_YES_NO = re.compile(
    r"\W*(?:and |so |tell me,? |please,? )?(?:is|are|was|were|did|does|do|has|have|had)\b", re.IGNORECASE
)
_ASKS = re.compile(r"(?:(?:in|on|by|to|from|for|at) )?(?:who|whom|whose|which|what|where)\b", re.IGNORECASE)
_CHOOSES = re.compile(  # by an order, which is asked of both together; "either" is a yes or no
    r"\b(?:more|less|fewer|most|least|than|both|either|neither|first|last|before|after|[a-z]{2,}est|"
    r"(?:earli|lat|old|young|bigg|larg|small|long|short|tall|high|low|heavi|light|dens|rich|poor|near|deep|fast|wid)er)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\b(?:which|who|what|one)(?: one)? of (?:the )?\Z", re.IGNORECASE)  # which is it
_OF_SEVERAL = re.compile(  # "the capitals of Peru and Chile", but nobody's children
    r"\W*(?:(?:where|what|which [a-z]+) (?:are|were)\b|(?:give me|show me|tell me|list|name) (?:the )?[a-z]+s of\b|"
    r"who (?:won|directed|wrote|founded|designed|composed|painted|built|discovered|invented|created|led|hosted)\b)"
    r"(?!.*\b(?:child(?:ren)?|kids?|sons?|daughters?|both|common|shared?)\b)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\beither (?:of )?", re.IGNORECASE)
_BESIDE = re.compile(r"\s*[,:;\u2013\u2014-]\s*(?:was it |is it |by |in )?(?:the )?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Named:
    """The names that may answer a question, and what each is asked as; one text for all where they stand behind it."""

    ids: tuple[EntityId, ...]
    asked: tuple[str, ...]


def by_name(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal of a question that names what may answer it, which of them it is.

    ``ask`` asks a question by itself.
    """
    text, is_marked = request.question.text, request.entity is not None or bool(request.question.marks)
    if not answer.abstained or is_marked:
        return answer
    named = _named(text, linker) if " or " in text.lower() else None
    if named is None:
        return _together(request, answer, linker, pack, ask)
    for one in map(ask, named.asked):
        query = _which(one, named.ids, pack.n_relations, names_one=len(named.asked) > 1)
        if query is None:
            continue
        found = requeried(answer, query, one.confidence, pack)
        if found:
            return found
    return answer


def _together(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """What is asked of one or the other, as what each alone comes to; each is at least as sure as that."""
    text = _EITHER.sub("", request.question.text)
    joined = "or" if " or " in text.lower() else "and" if _OF_SEVERAL.match(text) is not None else ""
    if not joined or _CHOOSES.search(text) is not None or _YES_NO.match(text) is not None:
        return answer
    linked = linker.link(Question(text))
    values = value_spans(text, pack.manifest.get("axes", ()))
    every = [one for one in groups(text, linked, values) if one.joined == joined and len(one.operands) <= MOST]
    before = text[: every[0].operands[0].start] if every else ""
    if not every or _OF_THEM.search(before) is not None:
        return answer
    group, behind = every[0], text[every[0].operands[-1].end :]
    found = [ask(f"{before}{text[one.start : one.end]}{behind}") for one in group.operands]
    if joined == "and" and any(len(one.entities) != 1 for one in found):
        return answer  # what both have together may be meant
    queries = [one.query for one in found if not one.abstained and not one.parts and isinstance(one.query, SetNode)]
    if len(queries) < len(found) or len({_how(query) for query in queries}) > 1 or len({*queries}) < len(queries):
        return answer
    either = reduce(nodes.Or, queries)
    asked = requeried(answer, either, min(one.confidence for one in found), pack)
    return asked if asked else answer


def _how(query: SetNode) -> tuple[object, ...]:
    """By which operators and relations a query goes, whatever it starts from."""
    return tuple(map(type, query.walk())), tuple(relations_in(query))


def _named(text: str, linker: Linker) -> _Named | None:
    if _CHOOSES.search(text) is not None:
        return None
    group = next((one for one in groups(text, linker.link(Question(text)), ()) if _is_choice(one)), None)
    if group is None:
        return None
    ids = tuple(seeds[0].entity for one in group.operands if (seeds := one.seeds))
    start, end = group.operands[0].start, group.operands[-1].end
    before, behind = text[:start], text[end:]
    if _YES_NO.match(text):
        return _Named(ids, tuple(f"{before}{text[one.start : one.end]}{behind}" for one in group.operands))
    is_behind = not re.search(r"\w", behind) and _ASKS.match(text) is not None
    if is_behind and (beside := _BESIDE.search(before)) is not None:
        return _Named(ids, (f"{before[: beside.start()]}?",))
    return None


def _is_choice(group: Group) -> bool:
    return group.joined == "or" and len(group.operands) <= MOST and all(one.seeds for one in group.operands)


def _which(answer: Answer, ids: tuple[EntityId, ...], n_relations: int, names_one: bool) -> Query | None:
    """Which of these it is by a "yes" about one of them, or by the answer to a question that names none."""
    among, is_yes = nodes.Entities(tuple(sorted(ids))), answer.text == "yes"
    match answer.query:
        case _ if answer.abstained or answer.parts:
            return None
        case nodes.Holds(base, relation, nodes.Entities((one,))) if is_yes and one in ids:
            return nodes.And(among, nodes.Follow(base, relation))
        case nodes.Holds(nodes.Entities((one,)), relation, nodes.Entities() as other) if is_yes and one in ids:
            return nodes.And(among, nodes.Follow(other, opposite(relation, n_relations)))
        case nodes.Some(nodes.And(nodes.Entities((one,)), found)) if is_yes and one in ids:
            return nodes.And(among, found)
        case nodes.Some(nodes.And(found, nodes.Entities((one,)))) if is_yes and one in ids:
            return nodes.And(among, found)
        case SetNode() as found if not names_one:
            return nodes.And(among, found)
    return None
