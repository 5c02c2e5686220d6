"""Things of some sort asked about by a word before their noun: "Which French drivers have won a race?" is asked of all
drivers, and of these the French ones are taken.

Planner and judge know queries of one or two conditions better than those of three. Where a question has no answer, it
is asked without the word before its noun, and who or what is so is asked by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.adjectives import places_of
from kgask.link.nations import asked_of_nation
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING
from kgask.methods.protocol import Request
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced

_SORT = re.compile(r"\b(?P<sort>[^\W\d_]{3,}) (?P<nouns>[a-z]{3,}s)\b")
_HEAD = re.compile(r"\W*(?:(?:which|what|how many|name|list|show me|all|the|of)\s+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sort:
    """A word before a noun, with what asks for all that are so, and the question without it."""

    asked: tuple[str, ...]
    rest: str
    is_head: bool  # what is asked for, and not what it has to do with


def of_sort(request: Request, answer: Answer, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal of a question about things of some sort, what is so of those.

    ``ask`` asks a question by itself.
    """
    if not answer.abstained or request.entity is not None or request.question.marks:
        return answer
    sorts = [*_sorts(request.question.text, pack)]
    if len(sorts) != 1:
        return answer
    of_all = ask(sorts[0].rest)
    if not of_all or of_all.query is None:
        return answer
    for one in filter(None, map(ask, sorts[0].asked)):
        query = _within(of_all.query, one.query, sorts[0].is_head)
        if query is not None:
            return requeried(answer, query, min(one.confidence, of_all.confidence), pack) or answer
    return answer


def of_nation(request: Request, answer: Answer, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal to say if something is "French", or a "French novelist", whether it is from
    there, and a novelist.

    ``ask`` asks a question by itself.
    """
    if not answer.abstained or request.entity is not None or request.question.marks:
        return answer
    told = [*map(ask, asked_of_nation(request.question.text, pack))]
    truths = [one.query for one in told if one and isinstance(one.query, TruthNode)]
    if not told or len(truths) < len(told):
        return answer
    query = truths[0] if len(truths) == 1 else nodes.All(tuple(truths))
    return requeried(answer, query, min(one.confidence for one in told), pack) or answer


def _sorts(text: str, pack: Pack) -> Iterator[_Sort]:
    """Those words of a question that a noun follows, and more behind it, and that the pack knows.

    They are names in it ("steel"), or are said of a place that is ("French").
    """
    for found in _SORT.finditer(text):
        word, nouns = normalise(found["sort"]), found["nouns"]
        hits = pack.exact({word, *places_of(word)}) if singulars(nouns) and word not in CARRY_NOTHING else {}
        known = sorted(name for name, every in hits.items() if every)
        rest = f"{text[: found.start()]}{text[found.start('nouns') :]}"
        if known and rest[found.start() + len(nouns) :].strip(" ?.!"):
            asked = [f"{found['sort']} {nouns}", *(f"{nouns} from {name.title()}" for name in known if name != word)]
            is_head = _HEAD.fullmatch(text[: found.start()]) is not None
            yield _Sort(tuple(asked), rest, is_head)


def _within(query: Query, sort: Query | None, is_head: bool) -> Query | None:
    """A query about those alone that another one is for."""
    kinds = [one for one in (sort.walk() if sort is not None else ()) if _is_kind(one)]
    known = {*query.walk()}
    said = next((one for one in kinds if one in known), None)
    if said is not None and isinstance(sort, SetNode):
        return replaced(query, said, sort)
    return nodes.And(query, sort) if is_head and isinstance(query, SetNode) and isinstance(sort, SetNode) else None


def _is_kind(node: Node) -> bool:
    return isinstance(node, nodes.Class) or (isinstance(node, nodes.Follow) and isinstance(node.base, nodes.Entities))
