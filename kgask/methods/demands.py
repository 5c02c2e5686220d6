"""What the words of a question demand of whatever answers it: "largest" an order, "is ... ?" a yes or no.

A demand that nothing in a query meets says that the question was not understood, whatever the planner thinks. Words
that a followed relation is called by demand nothing: "the highest point" may be a relation.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from kgask.link.units import unit_at
from kgask.methods.accounted import is_all_called

Shape = Literal["set", "number", "date", "truth", "nothing"]  # what a query comes to; a set is of entities

_ORDERED = {"MOST", "LEAST", "MIN", "MAX"}
_COMPARED = {"GT", "LT", "GE", "LE"}
_NO_SUPERLATIVES = (
    "west|midwest|northwest|southwest|forest|interest|guest|test|contest|protest|request|quest|conquest|harvest|"
    "honest|modest|priest|arrest|invest|suggest|digest|chest|crest|nest|rest|vest|pest|manifest|attest|request|tempest"
)
_PATHS = {"AND"}  # operators of what is just looked up
_OF_SEVERAL = {"AND", "OR", "MINUS", "NOT", "HOLDS", "SOME", "DIFF", "SUM", "MEAN", "AGE", "IN", "QUAL"}
_SUPERLATIVE = re.compile(rf"most|least|fewest|(?!(?:{_NO_SUPERLATIVES})\b)[a-z]{{3,}}est")
_SAYS_WHICH = re.compile(rf"(?<!at )\b(?:{_SUPERLATIVE.pattern})\b(?! of the (?:day|year))", re.IGNORECASE)
_NO_COMPARATIVES = "other|rather|whether|under|over|later|earlier|sooner|after|another"
_DENIALS = "except|excluding|without|w/o|neither|never|not|but no"
_DEMANDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern), frozenset(operators))
    for pattern, operators in (
        (rf"(?<!at )\b(?:most|least|fewest|(?!(?:{_NO_SUPERLATIVES})\b)[a-z]{{3,}}est)\b(?! of the (?:day|year))",
         _ORDERED | _COMPARED),
        (rf"\b(?:more|less|fewer|(?!(?:{_NO_COMPARATIVES})\b)[a-z]{{2,}}er) (?:[a-z]+ ){{0,3}}than\b",
         _COMPARED | _ORDERED | {"DIFF", "AGE"}),
        (r"\b(?:at (?:least|most)|no (?:more|less|fewer) than)\b", _COMPARED | {"SOME"}),
        (r"\bthan (?:any|all|every|the rest|anyone|anybody|everyone|everybody)\b", {"MOST", "LEAST"}),
        (r"\b(?:on average|average|mean value)\b", {"MEAN"}),
        (r"\b(?:combined|altogether|add(?:s|ed)? up|put together|sum of|sum up)\b", {"SUM", "COUNT", "OR"}),
        (r"\bdifference (?:between|in)\b", {"DIFF", "MINUS"}),
        (rf"\b(?:{_DENIALS})\b(?! only)|(?<=.)\b(?!can't\b)[a-z]+n't\b",
         {"MINUS", "NOT", *_COMPARED}),  # what one can't eat may be a relation of its own
        (r"\beither\b", {"OR", *_ORDERED}),
        (r"(?<=.)\b(?:and|as well as)\b(?! (?:not|so|please|thanks?|tell|also|then|now|i|my|wh\w+)\b)",
         _OF_SEVERAL | _COMPARED | _ORDERED),
        (r"\bboth\b", {"AND", "HOLDS", "OR", "SOME"}),
    )
)  # fmt: skip
_AROUND = re.compile(  # what people say around a question and do not ask
    r"\bor not\b|\b(?:i|we) (?:do not|don't|did not|didn't) \w+|\bi'm not sure\b|\bnot sure\b|\bif not\b|"
    r"\b(?:don't|do) you (?:know|mind|think|happen to know)\b|\bis(?:n't| not) (?:it|that|he|she)\b"
)
_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|so|well|ok|okay|please|and|now|quick question|know|check|say|find out|i wonder|may i ask|"
    r"i want to know|do you (?:happen to )?know|does anyone know|would you know|i(?:'d| would) like to know|"
    r"(?:please )?(?:tell|let) me(?: know)?|(?:can|could|would|will) (?:you|anyone|someone|anybody|somebody))\b"
    r"[ ,:!.]*)*"
)
_YES_NO = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|had|isn't|aren't|wasn't|doesn't|didn't|am i|whether|if|"
    r"can it be said|can|could|true or false|is it)\b(?! many| much)"
)
_OF_THINGS = re.compile(
    r"(?:who|whom|whose|where|name|list|(?:which|what) (?:\w+ ){0,2}?(?:are|is|was|were|has|have)\b)"
)
_OF_VALUES = re.compile(
    r"(?:which|what) (?:year|date|day|month|century|age|number|percentage|share|time|height|length|size|total|sum)"
)
_WH = re.compile(r"(?:who|whom|whose|which|what|where|when|how|name|list|count|number|give|show)\b")
_OF_WHOM = re.compile(r"(?:who|whom|where|which (?:of|is|was|one))\b(?! (?:age|year|date|number))")
_TIMES = "years?|dates?|days?|months?|century|decade|time|season|birthday|birth|anniversary|deadline|period|era"
_OF_KIND = re.compile(  # entities: no date is any of them
    rf"(?:(?:in|on|at|from|to|by|for|with) )?(?:which|what) (?!(?:{_TIMES}|is|was|are|were|did|does|do|has|had)\b)"
    r"[a-z]+\b"
)
_HOW_MUCH = re.compile(r"\bhow (?:much|deep|high|tall|long|large|big|far|heavy|wide|fast|populous|expensive)\b")
_COUNTS = re.compile(r"\b(?:how many|number of|count the|count of)\b")
_AGES = re.compile(r"\b(?:how old|(?:what|which) age)\b")
_WHEN = re.compile(r"(?:since |until )?when\b|(?:(?:in|on|from|since|by) )?(?:what|which) (?:year|date|day)\b")
_COUNTED = re.compile(
    r"\bhow many (?P<noun>(?!people|persons|inhabitants|residents|citizens|souls|times|days|things)[a-z]{3,}s)\b"
)
_EVERY = re.compile(r"\b(?:every|each)\b(?! (?:one )?of)")


def unmet(text: str, operators: Collection[str], shape: Shape, said: Collection[str] = ()) -> tuple[str, ...]:
    """The words of a masked question in lower case that demand what a query does not have, in the order of the text.

    ``operators`` are the steps of the query, ``said`` the words that its relations are called by.

    >>> unmet("which is the largest country", ("BY", "MOST"), "set"), unmet("is rome the capital of italy", (), "set")
    ((), ('is',))
    >>> unmet("how many children has [MASK]", (), "set"), unmet("what is the highest point", (), "set", {"highest"})
    (('how many',), ())
    """
    text = _AROUND.sub(lambda found: " " * len(found[0]), text)
    asked = text[_POLITE.match(text).end() :]  # type: ignore[union-attr]
    found = []
    for pattern, operators_of in _DEMANDS:
        if operators_of.isdisjoint(operators):
            found += [(match.start(), match[0]) for match in pattern.finditer(text) if not _is_said(match[0], said)]
    start = len(text) - len(asked)
    if shape in ("set", "date") and "BY" not in operators:
        found += [(match.start(), match[0]) for match in (*_COUNTS.finditer(text), *_AGES.finditer(text))]
    if shape in ("set", "date"):
        found += [(match.start(), match[0]) for match in _HOW_MUCH.finditer(text)]
    if shape == "truth" and {"MINUS", "NOT"}.isdisjoint(operators):
        found += [(match.start(), match[0]) for match in _EVERY.finditer(text)]
    if _is_mistaken(asked, operators, shape):
        found.append((start, asked.split(maxsplit=1)[0]))
    return tuple(word for _, word in sorted(found))


def counts_other(text: str, shape: Shape, said: Collection[str]) -> tuple[str, ...]:
    """The noun that a masked question asks how many there are of, where a number is found that is not called so.

    >>> counts_other("how many isotopes does [MASK] have", "number", {"atomic", "number"})
    ('isotopes',)
    >>> counts_other("how many metres high is [MASK]", "number", {"elevation"})
    ()
    """
    found = _COUNTED.search(text) if shape == "number" else None
    if found is None or is_all_called(found["noun"], said) or unit_at(found["noun"], 0, False, {}) is not None:
        return ()
    return (found["noun"],)


def is_denial(word: str) -> bool:
    """Whether a word of a demand takes away: of a set, whatever does not honour it is another one."""
    return word.endswith("n't") or word in _DENIALS.split("|")


def asks_for_order(word: str) -> bool:
    """Whether a word says which of several: it is asked for by an operator, and no graph says anything about it.

    >>> asks_for_order("second-largest"), asks_for_order("north-facing")
    (True, False)
    """
    return _SUPERLATIVE.fullmatch(word.rpartition("-")[2]) is not None


def superlatives(text: str) -> list[str]:
    """The words of a text that say which of several.

    >>> superlatives("at least one is the largest in the west")
    ['largest']
    """
    return [found[0].lower() for found in _SAYS_WHICH.finditer(text)]


def _is_mistaken(asked: str, operators: Collection[str], shape: Shape) -> bool:
    """Whether a question begins as none does that something of this shape answers."""
    if shape == "truth":
        return bool(_WH.match(asked))
    if shape == "nothing":
        return False
    if _YES_NO.match(asked):
        return {"MOST", "LEAST"}.isdisjoint(operators)
    if shape == "set":
        return bool(_WHEN.match(asked))
    if shape == "date" and _PATHS.issuperset(operators) and _OF_KIND.match(asked):
        return True
    if _OF_WHOM.match(asked):
        return True
    counted = "COUNT" in operators and not _COUNTS.search(asked)
    return counted and bool(_OF_THINGS.match(asked)) and not _OF_VALUES.match(asked)


def _is_said(words: str, said: Collection[str]) -> bool:
    return words.split()[0] in said
