"""How many of two kinds there are, or each of two has, compared or put together: asked as two counts.

Planner and judge know how many races somebody won far better than whether these are more than another's, and hardly
ever compare how many of a kind there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Request
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query

_AUX = r"(?P<aux>did|does|do|has|have|had)"
_DONE = r"(?: (?:did|does|do|has|have|had)\b)?\W*"
_MORE_THAN = re.compile(
    r"\W*(?:and |so )?(?:are|were) there (?P<more>more|fewer|less) (?P<one>[^?]+?) than "
    r"(?:there (?:are|were) )?(?P<other>[^?]+?)(?: (?:here|in (?:the|this|our) \w+))?\W*",
    re.IGNORECASE,
)
_TWO = r"(?P<one>[^?]+?)(?P<verb>(?: [a-z]+)?)"  # "Ayrton Senna win"
_THAN = rf" than (?P<other>[^?]+?){_DONE}"
_DID_MORE = re.compile(
    rf"\W*(?:and |so )?{_AUX} {_TWO} (?P<more>more|fewer) (?P<what>[a-z][^?]*?){_THAN}", re.IGNORECASE
)
_HOW_MANY_MORE = re.compile(
    rf"\W*(?:and |so )?how many (?P<more>more|fewer) (?P<what>[a-z][^?]*?) {_AUX} {_TWO}{_THAN}", re.IGNORECASE
)
_TOGETHER = re.compile(
    rf"\W*(?:and |so )?how many (?P<what>[a-z][^?]*?) {_AUX} (?P<one>[^?]+?) and (?P<other>[^?]+?)(?P<verb> [a-z]+)"
    r" (?:put together|together|combined|in total|altogether|between them|in all)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Two:
    """Two questions for how many there are, and what becomes of what they come to."""

    asked: tuple[str, str]
    made: Callable[[nodes.Count, nodes.Count], Query]


def of_two_counts(request: Request, answer: Answer, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal to compare, subtract or add what two kinds or things have, that by counting
    both: by the same relation, of things.

    ``ask`` asks a question by itself.
    """
    two = _two(request.question.text) if answer.abstained else None
    if two is None or request.question.marks or request.entity is not None:
        return answer
    one, other = map(ask, two.asked)
    if not (one and other and isinstance(one.query, nodes.Count) and isinstance(other.query, nodes.Count)):
        return answer
    is_alike = [*relations_in(one.query)] == [*relations_in(other.query)] and one.query != other.query
    made = two.made(one.query, other.query) if is_alike or _MORE_THAN.fullmatch(request.question.text) else None
    if made is None or (isinstance(made, nodes.Count) and not _adds_up(one, other, pack, answer, made)):
        return answer
    return requeried(answer, made, min(one.confidence, other.confidence), pack) or answer


def _two(text: str) -> _Two | None:
    if found := _MORE_THAN.fullmatch(text):
        return _Two(_asked("How many {0} are there?", found), _compared(found["more"]))
    for pattern, made in ((_HOW_MANY_MORE, _subtracted), (_TOGETHER, _added), (_DID_MORE, _compared)):
        if found := pattern.fullmatch(text):
            form = f"How many {found['what']} {found['aux'].lower()} {{0}}{found['verb'] or ''}?"
            return _Two(_asked(form, found), made(found.groupdict().get("more") or ""))
    return None


def _asked(form: str, found: re.Match[str]) -> tuple[str, str]:
    return form.replace("{0}", found["one"]), form.replace("{0}", found["other"])


def _compared(more: str) -> Callable[[nodes.Count, nodes.Count], Query]:
    return lambda one, other: nodes.Compare(one, ">" if more.lower() == "more" else "<", other)


def _subtracted(more: str) -> Callable[[nodes.Count, nodes.Count], Query]:
    is_more = more.lower() == "more"
    return lambda one, other: nodes.Difference(one, other) if is_more else nodes.Difference(other, one)


def _added(_: str) -> Callable[[nodes.Count, nodes.Count], Query]:
    return lambda one, other: nodes.Count(nodes.Or(one.base, other.base))


def _adds_up(one: Answer, other: Answer, pack: Pack, answer: Answer, made: Query) -> bool:
    """Whether nothing is counted with both."""
    both = requeried(answer, made, 1.0, pack)
    counts = [number.text or "" for number in (one, other, both) if number]
    return len(counts) == 3 and all(map(str.isdecimal, counts)) and int(counts[0]) + int(counts[1]) == int(counts[2])
