"""What a claim says more than a query asks: of all, of one alone, that something is more than another, or the most.

A verdict on such a query would be on another claim. All of it is told by words; names are masked by ``_``.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kgask.link.units import unit_at
from kgask.methods.accounted import is_all_called
from kgask.methods.demands import superlatives
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.verify.sense import is_both_ways

_MORE_THAN_SOME = re.compile(
    r"\b(?:only|just)\b(?! (?:\d|a|an|about|around|some|roughly|nearly|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve)\b)|"
    r"\b(?:exclusively|solely|alone|nothing but|(?:no one|nobody|nothing) else|all|every|each|most of|"
    r"(?<!\bthe )(?<!['\u2019]s )most(?= [a-z]+s\b(?! of)))\b",  # "the most populous" is one
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:may|might|could|almost|used to|formerly|no longer|some people|many people|probably|perhaps|alive|"
    r"want(?:s|ed)? to|hope[sd]? to|wish(?:es|ed)? to|"
    r"living(?! (?:in|at|on|near)\b))\b",
    re.IGNORECASE,
)
_MONTH = re.compile(r"\b(?:in|of|during|since|until|by|last|this|every) May\b|\bMay (?=\d)|(?<=\d )May\b")
_THE_SAME = re.compile(r"\b(?:in|on|at|of) the (?:very )?same [a-z]+\b(?! (?:as|that)\b)", re.IGNORECASE)  # as another
_BELITTLED = re.compile(r"\b(?:only|just) (?=(?:the|an?) )", re.IGNORECASE)  # "only the third-largest"
_OF_ALL = re.compile(r"\b(?:of|among|out of|in|than) (?:them |the )?(?:all|every|each)\b", re.IGNORECASE)  # of the most
_THAN_ANY = re.compile(r"\bthan (?:any|all|every|the rest|anyone|anybody|everyone|everybody)\b", re.IGNORECASE)
_OR = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_SHARED = re.compile(r"\bshar(?:es?|ed|ing)\s+(?:(?:an?|any|the|no|its|their)\s+)?(?P<noun>[a-z]+)\b", re.IGNORECASE)
_SOME_KIND = re.compile(  # a subject that is not named: "some _ country", "no river"
    r"(?:(?:is|are|was|were|does|do|did|has|have)\s+)?(?:some|any|no|at least one|one)\s+(?:_\s+)?[a-z]+\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(  # "70 races", "three more races"
    r"\b(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+(?P<noun>[a-z]{3,}s)\b",
    re.IGNORECASE,
)
_IS_A = re.compile(  # of something that is named, not of what another has
    r"(?!.*(?:['\u2019]s\b|\b(?:of|in|by|with|from|for|to|who|that|which|whose)\b))"
    r"(?:(?:is|was) [^,]+?|[^,]+? (?:is|was)) an? [a-z -]+\??",
    re.IGNORECASE,
)
_HAS_A = re.compile(  # which does not say that it is one
    r"\b(?:has|have|had)\s+(?:(?:an?|any|some|several|many|no|at least one|exactly|\d+|two|three|four|five)\s+)+[a-z]",
    re.IGNORECASE,
)
_MORE = r"\b(?!other|rather|either|neither|whether)(?:more|less|fewer|worse|better|[a-z]+er)\s+"
_THAN = re.compile(rf"{_MORE}than\b", re.IGNORECASE)
_OUT = re.compile(  # "outlived": more than another
    r"\bout(?:liv|last|number|sell|sold|scor|rank|weigh|grow|grew|perform|earn)(?:e?s|e?d|ing|e)?\b", re.IGNORECASE
)
_MORE_OF_IT = re.compile(  # "more people than _", "lit before _" too
    rf"{_MORE}(?:[a-z]+ ){{0,2}}than\b|\b(?:before|after) (?:the )?_", re.IGNORECASE
)
_EXCLUDES = re.compile(
    r"\b(?:not|no|never|without|except|excluding|besides?|other|another|apart|than|but|neither|nor|else)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def unhonoured(text: str, query: TruthNode, called: Collection[str] = ()) -> str | None:
    """Words by which a claim says more than a query asks: of all or most things, of one alone, of what may be, that
    something is more than another, or the most; ``called`` are the words of the query's relations."""
    has_most = any(isinstance(node, nodes.Best | nodes.Min | nodes.Max) for node in query.walk())
    said = text
    text = _BELITTLED.sub(" ", _OF_ALL.sub(" ", text)) if has_most else text
    for pattern in (_MORE_THAN_SOME, _NOT_SAID):
        if (found := pattern.search(_MONTH.sub(" ", text))) and found[0].lower() not in called:
            return found[0].lower()
    compares = any(isinstance(node, nodes.Compare | nodes.Where | nodes.Best) for node in query.walk())
    found = _THAN.search(text) or _OUT.search(text)
    if found and not compares and found[0].lower() not in called:
        return found[0].lower()
    found = _MORE_OF_IT.search(text)
    if found and _is_most_of_a_kind(query) and not (superlatives(text) or _THAN_ANY.search(said)):
        return found[0].lower()
    most = [one for one in superlatives(text) if one not in called] if not has_most else []
    if most or (not has_most and (found := _THAN_ANY.search(text))):
        return most[0] if most else found[0].lower()  # type: ignore[index]  # which was found
    if (found := _THE_SAME.search(text)) and not any(
        isinstance(node, nodes.Compare | nodes.And | nodes.Follow) for node in query.walk()
    ):
        return found[0].lower()
    has_or = any(isinstance(node, nodes.Or | nodes.Any) for node in query.walk())
    named = any(isinstance(node, nodes.Entities) and len(node.ids) > 1 for node in query.walk())
    if _OR.search(text) and not (has_or or named):
        return "or"
    return _counted_otherwise(text, query, called)


def _is_most_of_a_kind(query: TruthNode) -> bool:
    """Whether what is asked for is the most of a kind, not of some that are named: "bigger than Peru" is neither."""
    bests = [node for node in query.walk() if isinstance(node, nodes.Best)]
    return bool(bests) and not any(isinstance(node.base, nodes.Entities) for node in bests)


def _counted_otherwise(text: str, query: TruthNode, called: Collection[str]) -> str | None:
    """What a claim counts ("won 70 races"), where a query over several steps counts nothing; what it measures ("took
    seven years"), where a query counts things."""
    nouns = [found["noun"].lower() for found in _NUMBERED.finditer(text)]
    nouns = [noun for noun in nouns if not is_all_called(noun, called)]
    units = [noun for noun in nouns if unit_at(noun, 0, False, {}) is not None]
    if any(isinstance(node, nodes.Count | nodes.SizeOf) for node in query.walk()):
        return next(iter(units), None)
    is_counted = any(isinstance(node, nodes.Class) for node in query.walk())
    if is_counted or not any(isinstance(node, nodes.Follow) for node in query.walk()):
        return None
    return next((noun for noun in nouns if noun not in units), None)


def strays(query: TruthNode, text: str) -> bool:
    """Whether a query says more of named things than "is a boat", that it has a boat or is something but no boat, or
    that one is a boat which has one."""
    if _HAS_A.search(text):
        match query:
            case nodes.Some(nodes.And(nodes.Entities(), nodes.Class()) | nodes.And(nodes.Class(), nodes.Entities())):
                return True
    if _IS_A.fullmatch(text):
        match query:
            case nodes.Some(nodes.And(nodes.Class(), nodes.Follow()) | nodes.And(nodes.Follow(), nodes.Class())):
                return True
            case nodes.Holds(nodes.Follow()) | nodes.Holds(object=nodes.Follow()):
                return True
    taken = any(isinstance(node, nodes.Minus) and isinstance(node.left, nodes.Entities) for node in query.walk())
    return taken and _EXCLUDES.search(text) is None


def names_a_kind(query: TruthNode, text: str) -> bool:
    """Whether a claim about some of a kind ("some _ country") is read as one about what it names."""
    if _SOME_KIND.match(text) is None:
        return False
    match query:
        case nodes.Compare(nodes.Values(nodes.Entities()) | nodes.Count(nodes.Follow(nodes.Entities()))):
            return True
        case nodes.Holds(nodes.Entities(), _, nodes.Entities()):
            return True
    return False


def means_a_third(query: TruthNode, text: str, pack: Pack) -> bool:
    """Whether "X and Y share a border" is read as a third that both border."""
    match query:
        case nodes.Some(nodes.And(nodes.Follow(nodes.Entities(), one), nodes.Follow(nodes.Entities(), other))):
            n, shared = pack.n_relations, _SHARED.search(text)
            if shared is None or one % n != other % n or not is_both_ways(pack, one):
                return False
            said = normalise(pack.relation_labels()[one % n]).split()
            return shared["noun"].lower().removesuffix("s") in {word.removesuffix("s") for word in said}
    return False
