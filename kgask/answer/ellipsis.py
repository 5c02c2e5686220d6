"""What a part of several questions leaves out because the one before says it: "... and which in Sweden?".

A matter of form, as :mod:`kgask.answer.parts`; names are told by their capitals.
"""

from __future__ import annotations

import re

_NAME = r"[A-Z\u00c0-\u00de][\w.\u2019'-]*(?: (?:(?:of|the|de|von|van|la|al) )*[A-Z\u00c0-\u00de][\w.\u2019'-]*)*"
_WH = r"(?:whom?|which|what|when|where|how many|how much)"
_PREPOSITION = r"(?:in|on|at|to|for|by|from|of|with|under|since|during|into)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)"
_NOUN = rf"(?!(?:{_AUXILIARY}|it|he|she|they|there|them|him|her|else)\b)[a-z]+"
_BARE = re.compile(rf"(?i:(?:{_PREPOSITION} )?(?:whom?|when|where|(?:which|what|how many)(?-i:(?: {_NOUN}){{0,2}})))")
_ELSEWHERE = re.compile(rf"(?i:{_WH}(?: [a-z]+)?) (?P<preposition>{_PREPOSITION}) (?P<name>{_NAME})")
_OTHER = re.compile(rf"(?i:whom?|what|which)(?: (?:of|about|for))? (?P<name>{_NAME})")
_LAST_NAME = re.compile(rf"(?<!\A)(?<=\s)(?P<name>{_NAME})")
_OWN = re.compile(rf"(?i:(?:what|who|when|where|how \w+) {_AUXILIARY}) (?P<name>{_NAME}?)['\u2019]s")
_OF_THEM = re.compile(  # "is Niger one of them?", "which of them is the largest?"
    rf"(?P<before>{_AUXILIARY} \S.*? (?:one of|among)|(?:which|who|how many|what)(?: one)? of) "
    r"(?:them|those|these)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_THE_MOST = re.compile(  # "which is the heaviest?"
    r"(?P<which>which|who)(?: one)? (?P<rest>(?:is|was|has|had) the (?:[a-z]{2,}est|most|least|fewest)\b.*)", re.I
)
_SET = re.compile(
    rf"(?:how many|which|what) (?P<kind>(?!{_AUXILIARY}\b)[a-z]+(?: (?!{_AUXILIARY}\b)[a-z]+)??) "
    r"(?:(?:do|does|did) )?(?P<what>[a-z]+ .+)",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(r"(?:(?:if so|and),? )?by how (?:much|many [a-z]+)", re.IGNORECASE)
_IS_MORE = re.compile(r"(?P<is>is|are|was|were) (?P<one>.+?) (?P<more>[a-z]{2,}er) than (?P<other>.+)", re.IGNORECASE)
_THERE = re.compile(
    r"(?:how many|which|what) (?P<kind>[a-z]+(?: [a-z]+){0,2}?) "
    r"(?:(?:are|were) there|exist|do we have|have we got)\b.*",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:name|list|(?:give|show|tell) me) (?:all )?(?:of )?(?:the )?(?P<kind>[a-z]+(?: [a-z]+){0,2})", re.I
)
_YEAR = re.compile(r"\b[12]\d{3}\b")
_THAT_YEAR = re.compile(r"\b(?:in |during )?(?:that|the same) (?:very |same )?year\b", re.IGNORECASE)
_KINDS = (_THERE, _LISTED, _SET)
_OF_NAME = re.compile(rf"\b(?P<name>{_NAME}?)['\u2019]s\b")
_PLEASE = re.compile(r",? please\Z", re.IGNORECASE)
_TAIL = re.compile(rf"\b{_AUXILIARY}\b.*", re.IGNORECASE | re.DOTALL)
_ASKS_FOR = r"(?:(?:what|who)(?:['\u2019]s| is| are| was| were)|name|list|give me|tell me|show me)"
_WORD = r"(?:[a-z]+|[A-Z]{2,5})(?: (?:[a-z]+|[A-Z]{2,5})){0,2}"
_PLAIN = r"(?!(?i:of|in|on|at|for|by|with|from|to|and|or)\b)(?:[a-z]+|[A-Z]{2,5})"
_FIRST = rf"(?:[A-Z][a-z]+|{_PLAIN})(?: {_PLAIN}){{0,2}}"
_NOUNS = rf"{_PLAIN}(?: {_PLAIN}){{0,2}}"
_OF_NAMED = rf"{_WORD} of {_NAME}"
_NO_PAIR = re.compile(r"\b(?:difference|sum|total|average|between|both|together|combined|common)\b", re.IGNORECASE)
_PAIRS = (
    # "the neighbours of Portugal and the capital of Spain"
    (re.compile(rf"(?P<asks>(?i:{_ASKS_FOR})) (?P<one>(?i:the) {_OF_NAMED}) and (?P<other>the {_OF_NAMED})"),
     "{asks} {one}", "{asks} {other}"),
    # "the capital of Australia and (that) of New Zealand"
    (re.compile(rf"(?P<asks>(?i:{_ASKS_FOR}) (?i:the) {_WORD}) of (?P<one>\S.*?) and (?:that )?of (?P<other>\S.*)"),
     "{asks} of {one}", "{asks} of {other}"),
    # "Japan's capital and currency"
    (re.compile(rf"(?P<asks>(?i:{_ASKS_FOR}) {_NAME}?['\u2019]s) (?P<one>{_WORD}) and (?P<other>{_WORD})"),
     "{asks} {one}", "{asks} {other}"),
    # "the symbol of tungsten and its atomic number"
    (re.compile(rf"(?P<asks>(?i:{_ASKS_FOR})) (?P<one>\S.*?) and (?P<other>(?:its|his|her|their) {_WORD})"),
     "{asks} {one}", "{asks} {other}"),
    # "symbol of tungsten and its atomic number"
    (re.compile(rf"(?P<one>(?i:(?:the )?{_WORD}) of \S.*?) and (?P<other>(?:its|his|her|their) {_WORD})"),
     "{one}", "{other}"),
    # "the capital and the currency of Peru"
    (re.compile(rf"(?P<asks>(?i:{_ASKS_FOR})) the (?P<one>{_WORD}) and (?:the )?(?P<other>{_WORD}) of (?P<whose>\S.*)"),
     "{asks} the {one} of {whose}", "{asks} the {other} of {whose}"),
    # "symbol and atomic number of bromine"
    (re.compile(rf"(?:[Tt]he )?(?P<one>{_FIRST}) and (?:the )?(?P<other>{_NOUNS}) (?P<of>of|for) (?P<whose>\S.*)"),
     "{one} {of} {whose}", "{other} {of} {whose}"),
)  # fmt: skip


def completed(part: str, before: str) -> str:
    """A part with what it leaves out of the question before it; the part itself where it lacks nothing.

    >>> completed("which in Sweden?", "Which languages are official in Finland?")
    'Which languages are official in Sweden?'
    >>> completed("in which period?", "In which group is chlorine?"), completed("who wrote it?", "What is Emma?")
    ('in which period is chlorine?', 'who wrote it?')
    >>> completed("is Niger one of them?", "How many countries border Mali?")
    'is Niger one of the countries that border Mali?'
    >>> completed("by how much?", "Is K2 lower than Everest?")
    'How much lower is K2 than Everest?'
    >>> completed("which is the heaviest?", "How many noble gases are there?")
    'which of the noble gases is the heaviest?'
    >>> completed("who led it that year?", "Who won the race in 1981?")
    'who led it in 1981?'
    >>> completed("who Adidas?", "Who founded Nike?")
    'Who founded Adidas?'
    >>> completed("what is Leo Tolstoy's?", "What is Mark Twain's date of birth?")
    "What is Leo Tolstoy's date of birth?"
    """
    bare, asked = part.strip().rstrip("?").rstrip(), before.strip().rstrip("?").rstrip()
    years = _YEAR.findall(asked) if _THAT_YEAR.search(bare) else []
    if len(years) == 1:
        return _THAT_YEAR.sub(f"in {years[0]}", part)
    if found := _ELSEWHERE.fullmatch(bare):
        places = [*re.finditer(rf"\b{found['preposition']} (?P<name>{_NAME})", asked)]
        return _with(asked, places[-1], found["name"]) if places else part
    if found := _OTHER.fullmatch(bare):
        names = [*_LAST_NAME.finditer(asked)]
        return _with(asked, names[-1], found["name"]) if names else part
    if (of_them := _of_them(bare)) and (meant := next(filter(None, (kind.fullmatch(asked) for kind in _KINDS)), None)):
        limit = f" that {meant['what']}" if meant.re is _SET else ""
        return f"{of_them[0]} the {meant['kind']}{limit}{of_them[1]}?"
    if _BY_HOW_MUCH.fullmatch(bare) and (compared := _IS_MORE.fullmatch(asked)):
        return f"How much {compared['more']} {compared['is'].lower()} {compared['one']} than {compared['other']}?"
    if found := _OWN.fullmatch(bare):
        own = _OF_NAME.search(asked)
        return _with(asked, own, found["name"]) if own else part
    tail = _TAIL.search(asked) if _BARE.fullmatch(bare) else None
    return f"{bare} {tail[0]}?" if tail else part


def _of_them(bare: str) -> tuple[str, str] | None:
    """What stands before and behind "them"; before and behind where it would stand, in "which is the largest"."""
    if found := _OF_THEM.fullmatch(bare):
        return found["before"], found["rest"]
    found = _THE_MOST.fullmatch(bare)
    return (f"{found['which']} of", f" {found['rest']}") if found else None


def _with(asked: str, place: re.Match[str], name: str) -> str:
    return f"{asked[: place.start('name')]}{name}{asked[place.end('name') :]}?"


def may_be_pair(text: str) -> bool:
    """Whether two things seem to be asked of one or two that are named."""
    return any(pattern.fullmatch(_bare(text)) for pattern, _, _ in _PAIRS) and not _NO_PAIR.search(text)


def pair(text: str, closed: list[tuple[int, int]]) -> list[str]:
    """The two questions of "what are Japan's capital and currency?"; none where they are one.

    ``closed`` are the characters of names, within which nothing is divided.

    >>> pair("What's the capital of Peru and of Chile?", []), pair("What is the sum of A and of B?", [])
    (["What's the capital of Peru?", "What's the capital of Chile?"], [])
    >>> pair("What are the capital and the currency of Peru?", [])
    ['What are the capital of Peru?', 'What are the currency of Peru?']
    >>> pair("What is the symbol of tungsten and its atomic number?", [])
    ['What is the symbol of tungsten?', 'What is its atomic number?']
    """
    if _NO_PAIR.search(text):
        return []
    for pattern, *forms in _PAIRS:
        found = pattern.fullmatch(_bare(text))
        if found and not any(first < found.start("other") - 1 < last for first, last in closed):
            return [f"{form.format(**found.groupdict())}?" for form in forms]
    return []


def _bare(text: str) -> str:
    return _PLEASE.sub("", text.rstrip().rstrip("?.!").rstrip())
