"""What planner and judge are not sure of, put together from questions that they are sure of.

"How much higher is Everest than K2?" is how high each of them is, and the difference; "the total length of the Loire
and the Seine" two lengths, added; "which drivers won in Monaco but not in Spa?" two lists, of which one is taken away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kgask.answer.misread import RECIPROCAL
from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.linker import Linker
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Request
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Comparison, SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.types import Question

_HIGH = {
    "higher": "high", "taller": "tall", "longer": "long", "deeper": "deep", "bigger": "big", "larger": "large",
    "heavier": "heavy", "wider": "wide", "hotter": "hot", "denser": "dense", "faster": "fast",
}  # fmt: skip
_LOW = {
    "lower": "high", "shorter": "long", "shallower": "deep", "smaller": "big", "lighter": "heavy", "narrower": "wide",
    "slower": "fast",
}  # fmt: skip
_THAN = rf"(?P<more>{'|'.join(_HIGH | _LOW)})"
_IS = r"(?P<is>is|are|was|were)"
_DIFFERENCE = re.compile(
    rf"\W*(?:by )?how (?:much|many [a-z ]{{1,20}}?) {_THAN} {_IS} (?P<one>[^?]+?) than (?P<other>[^?]+?)\W*|"
    rf"\W*(?:by )?how (?:much|many [a-z ]{{1,20}}?) {_IS.replace('is>', 'is_>')} (?P<one_>[^?]+?) "
    rf"{_THAN.replace('more>', 'more_>')} than (?P<other_>[^?]+?)\W*",
    re.IGNORECASE,
)
_WHETHER = re.compile(rf"\W*(?:and |so )?{_IS} (?P<one>[^?]+?) {_THAN} than (?P<other>[^?]+?)\W*", re.IGNORECASE)
_TOTAL = re.compile(
    r"\W*(?:(?:what|how much) (?:is|was|are) )?(?:the )?(?P<how>sum|total|combined|joint|average|mean)(?: of the)? "
    r"(?P<what>[a-z][a-z ]{2,30}?) of (?:both )?(?P<one>[^?]+?) and (?P<other>[^?]+?)(?: (?:together|combined))?\W*",
    re.IGNORECASE,
)
_SET = r"(?P<left>(?:which|what|who|list|name|show|find|give)\b.+?)"
_OF = r"(?: (?:in|on|at|to|with|by|for|from|of|the))*"
_BUT_NOT = re.compile(rf"\W*{_SET},? but (?:not|never){_OF} (?P<other>[^?]+?)\W*", re.IGNORECASE)
_AND_ALSO = re.compile(
    rf"\W*{_SET},? and (?:also|likewise){_OF} (?P<other>[^?]+?)(?: (?:too|as well))?\W*", re.IGNORECASE
)
_BOTH = re.compile(r"(?P<before>.+?) both(?: of)?(?P<one> [^?]+?) and (?P<other>[^?]+?)\W*", re.IGNORECASE)
_OF_WHAT = re.compile(r"\W*(?:which|what|who|list|name|show|find|give|[a-z]+s (?:that|who|which)) ", re.IGNORECASE)
_BOTH_SO = re.compile(
    r"\W*(?:and |so )?(?P<aux>is|are|was|were|do|does|did|has|have|had) (?:both )?(?P<one>[^?]+?) (?:and|as well as) "
    r"(?P<rest>[^?]+?)(?: both)?\W*",
    re.IGNORECASE,
)
_OF_EACH = {"are": "is", "were": "was", "do": "does", "have": "has"}
_OF_EACH_OTHER = re.compile(
    r"\b(?:shar\w+|each other|one another|same|common|together|between|border|borders|neighbou?rs?|adjoin\w*|touch|"
    r"meet|met|related|married|siblings|brothers|sisters|cousins|friends|equal|identical|alike|different|more|less|than|or)\b",
    re.IGNORECASE,
)
MOST_WORDS = 6  # of a name behind "but not"


@dataclass(frozen=True, slots=True)
class _Two:
    """Two questions, and what becomes of what they come to; None where that cannot be put together."""

    asked: tuple[str, str]
    made: Callable[[Query, Query], Query | None]


def composed(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal, what two questions come to of which each asks for a part of it.

    ``ask`` asks a question by itself. It is as sure as the less sure one.
    """
    text, is_marked = request.question.text, request.entity is not None or bool(request.question.marks)
    if not answer.abstained or is_marked:
        return answer
    two = _of_values(text, pack) or _of_lists(text, linker)
    if two is None and request.question.asked:  # before "and also" is read as "and"
        two = _of_lists(request.question.asked, linker)
    if two is None:
        return answer
    found = [one for one in map(ask, two.asked) if one and one.query is not None and not one.parts]
    queries = [one.query for one in found if one.query is not None]
    if len(queries) < 2 or [*relations_in(queries[0])] != [*relations_in(queries[1])] or queries[0] == queries[1]:
        return answer
    made = two.made(queries[0], queries[1])
    if made is None:
        return answer
    return requeried(answer, made, min(one.confidence for one in found), pack) or answer


def _of_values(text: str, pack: Pack) -> _Two | None:
    """Two values, of which the difference, the order, the sum or the mean is asked for."""
    if found := _DIFFERENCE.fullmatch(text):
        said = {name.rstrip("_"): value for name, value in found.groupdict().items() if value}
        is_low = said["more"].lower() in _LOW

        def difference(one: Query, other: Query) -> Query | None:
            left, right = _values(one, pack), _values(other, pack)
            if left is None or right is None:
                return None
            return nodes.Difference(right, left) if is_low else nodes.Difference(left, right)

        return _Two(_how(said), difference)
    if found := _WHETHER.fullmatch(text):
        sign: Comparison = "<" if found["more"].lower() in _LOW else ">"

        def order(one: Query, other: Query) -> Query | None:
            left, right = _values(one, pack), _values(other, pack)
            return nodes.Compare(left, sign, right) if left is not None and right is not None else None

        return _Two(_how(found.groupdict()), order)
    if found := _TOTAL.fullmatch(text):
        of_all = nodes.Mean if found["how"].lower() in ("average", "mean") else nodes.Sum

        def total(one: Query, other: Query) -> Query | None:
            left, right = _values(one, pack), _values(other, pack)
            if left is None or right is None:
                return None
            ids = (*_ids(left.base), *_ids(right.base))
            return of_all(nodes.Values(nodes.Entities(tuple(sorted(ids))), left.relation))

        form = f"What is the {found['what']} of {{}}?"
        return _Two((form.format(found["one"]), form.format(found["other"])), total)
    return None


def _how(said: dict[str, str]) -> tuple[str, str]:
    adjective = (_HIGH | _LOW)[said["more"].lower()]
    one, other = (f"How {adjective} {said['is'].lower()} {said[name]}?" for name in ("one", "other"))
    return one, other


def _values(query: Query, pack: Pack) -> nodes.Values | None:
    """What one named thing has by a relation to numbers, as values."""
    match query:
        case nodes.Follow(nodes.Entities((_,)) as base, relation) | nodes.Values(
            nodes.Entities((_,)) as base, relation
        ):
            is_number = relation < pack.n_relations and relation_axis(pack, relation) not in (None, *WHEN)
            return nodes.Values(base, relation) if is_number else None
    return None


def _ids(base: SetNode) -> tuple[int, ...]:
    return base.ids if isinstance(base, nodes.Entities) else ()


def _of_lists(text: str, linker: Linker) -> _Two | None:
    """A list and the same of another name, which is taken away from it, or has to be in both."""
    for pattern, made in ((_BUT_NOT, nodes.Minus), (_AND_ALSO, nodes.And)):
        if found := pattern.fullmatch(text):
            left, other = found["left"], found["other"]
            ends = [one.span for one in linker.link(Question(left)) if one.span[1] == len(left)]
            if ends and _is_name(other, linker):
                return _Two((f"{left}?", f"{left[: min(ends)[0]]}{other}?"), _joined(made))
    return _of_both(text, linker)


def _of_both(text: str, linker: Linker) -> _Two | None:
    """Whether something is so of two, or of each to the other, or what has to do with both."""
    is_reciprocal = RECIPROCAL.search(text) is not None
    found = _BOTH_SO.fullmatch(text) if is_reciprocal or _OF_EACH_OTHER.search(text) is None else None
    if found is not None and _is_name(found["one"].removeprefix("the "), linker):
        aux, one, rest = found["aux"].lower(), found["one"], found["rest"]
        bare = rest.removeprefix("the ")
        stops = [link.span[1] for link in linker.link(Question(bare)) if link.span[0] == 0 and link.span[1] < len(bare)]
        if stops:
            aux = _OF_EACH.get(aux, aux)
            stop = max(stops) + len(rest) - len(bare)
            other, said = rest[:stop], rest[stop:]
            asked = [(one, other), (other, one)] if is_reciprocal else [(one, ""), (other, "")]
            first, second = (f"{aux} {name}{to.join(RECIPROCAL.split(said))}?" for name, to in asked)
            return _Two((first, second), _both_so)
    found = _BOTH.fullmatch(text) if _OF_WHAT.match(text) else None
    if found is not None and _is_name(found["one"].strip().removeprefix("the "), linker):
        other = found["other"].removeprefix("the ")
        if _is_name(other, linker):
            before = found["before"]
            return _Two((f"{before}{found['one']}?", f"{before} {found['other']}?"), _joined(nodes.And))
    return None


def _is_name(text: str, linker: Linker) -> bool:
    is_short = len(text.split()) <= MOST_WORDS
    return is_short and any(one.span == (0, len(text)) for one in linker.link(Question(text)))


def _joined(made: type[nodes.And | nodes.Minus]) -> Callable[[Query, Query], Query | None]:
    return lambda one, other: made(one, other) if isinstance(one, SetNode) and isinstance(other, SetNode) else None


def _both_so(one: Query, other: Query) -> Query | None:
    return nodes.All((one, other)) if isinstance(one, TruthNode) and isinstance(other, TruthNode) else None
