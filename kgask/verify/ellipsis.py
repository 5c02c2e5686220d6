"""What a claim says once for two: verbs with one object, "and so does Chad", "but not Chad", objects of one verb.

Matters of form, as :mod:`kgask.verify.split`, which asks for them: each gives the sub-claims in full, none where a text
has no such form. Names are given as they stand in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgask.link.plurals import singulars
from kgask.link.statements import Span, main_verb, places_of

_BE = r"(?:is|are|was|were)"
_DO = rf"(?:{_BE}|do|does|did|has|have|had|can|could|will|would)"
_IN = r"(?:in|on|at|by|from|of|to|into|with|for|as|near|through)"
_NOT_ONLY = re.compile(r"\bnot (?:only|just) (?P<one>.+?),? but (?:also |even )?", re.IGNORECASE)
_SO_DOES = re.compile(
    rf",? (?:(?:and |but )?(?:so|neither)|(?:and |but )?nor|as) (?P<verb>{_DO}) (?P<the>the )?(?P<name>[^,]+)\Z",
    re.IGNORECASE,
)
_DOES_TOO = re.compile(
    rf",? (?:and|while|but|whereas|though) (?P<the>the )?(?P<name>[^,]+?) (?P<verb>{_DO})(?P<no>n['\u2019]t| not)?"
    r"(?:,? (?:too|so|as well|likewise|also))?\Z",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(rf",? (?:but|and|yet)? ?not (?:{_IN} )?(?P<the>the )?(?P<name>[^,]+)\Z", re.IGNORECASE)
_LISTED = re.compile(rf"(?:,|,? and|,? or) (?:{_IN} )?(?:the )?", re.IGNORECASE)
_NO_BUT = re.compile(
    rf"(?P<before>.+? {_BE})(?:n['\u2019]t| not) (?!only\b|just\b)(?P<one>.+?),? but (?:rather |instead )?"
    rf"(?P<other>(?:{_IN}|an?|the) .+)",
    re.IGNORECASE,
)
_ACTS_ALONE = re.compile(
    r"(?:lived|died|worked|studied|resided|stayed|acted|starred|played|taught|grew up)\Z", re.IGNORECASE
)
_GAP = re.compile(rf",?\s+(?:and|while|but)\s+(?=(?:the )?(?P<tail>.+?)\s+(?P<place>{_IN})\s+)", re.IGNORECASE)
_THE_ONE = re.compile(
    rf"(?P<before>.*?)(?P<what>\bthe [^,]+?) (?P<place>{_IN}) (?P<one>[^,]+?),? (?:and|as well as)(?: also)? "
    r"(?:the one|that) (?P=place) (?P<other>.+)",
    re.DOTALL,
)
_BY_AND_WHEN = re.compile(
    r"(?P<head>.+? (?:is|are|was|were|been) \w+) "
    r"(?:(?P<when>in \d{3,4}),? (?P<by>by .+)|(?P<by_2>by .+?),? (?P<when_2>in \d{3,4}))"
)
_IS_BOTH = re.compile(
    r" (?:both )?(?P<one>(?:an?|the) (?:(?!and\b|between\b|(?:of|by|with|from|to|in|for) (?:the|an?)\b)\S+ )*?"
    r"(?!and\b)[^\s,]+),? and (?:also |at the same time )?(?P<other>(?:an?|the) .+)"
)
_WHERE = re.compile(r", where (?:he|she|it|they) (?P<what>.+)\Z")
_YEARS = re.compile(r"\b(?:in|during) (?P<years>\d{4}(?:, \d{4})*,? and (?:in )?\d{4})(?!\d)")
_IS_WITH = re.compile(
    r"(?P<be>is|are|was|were) (?P<what>an? [^,]+?) (?P<how>with (?=[a-z\d])|by (?=(?:the )?[A-Z]))(?P<rest>.+)",
    re.DOTALL,
)
_ARE_SOME = re.compile(
    r"(?P<before>(?:[a-z]+ ){0,2})(?P<last>[A-Za-z][a-z]+s)(?= (?:in|of|on|at|by|from|that|who|which)\b|\Z)"
)


def not_only(text: str) -> str:
    """ "Not only A but also B" as "A and B"."""
    return _NOT_ONLY.sub(lambda found: f"{found['one']} and ", text, count=1)


def shared(text: str, names: Sequence[str]) -> list[str]:
    """The sub-claims of a text that says of one of them only what is other than in the other.

    >>> shared("Poe wrote and sang Emma", ["Poe", "Emma"])
    ['Poe wrote Emma', 'Poe sang Emma']
    >>> shared("Kenya borders Chad but not Peru", ["Kenya", "Chad", "Peru"])
    ['Kenya borders Chad', 'it is not true that Kenya borders Peru']
    """
    if also := _so_does(text, names):
        return also
    verb = main_verb(text, names)
    if verb is None:
        return []
    ways = (_but_not, _not_but, _verbs_of_one, _objects_of_one, _the_ones, _kinds_of_one, _where_too)
    return next((found for way in ways if (found := way(text, names, verb))), [])


def _so_does(text: str, names: Sequence[str]) -> list[str]:
    for pattern in (_SO_DOES, _DOES_TOO):
        found = pattern.search(text)
        head = text[: found.start()] if found is not None else ""
        verb = main_verb(head, names)
        if found is None or verb is None or found["name"] not in names or verb[1] == len(head):
            continue
        denies = bool(
            found.groupdict().get("no") or re.match(r"\W*(?:\w+ )?(?:neither|nor)\b", found[0], re.IGNORECASE)
        )
        other = f"{found['the'] or ''}{found['name']} {head[verb[0] :]}"
        return [head, f"it is not true that {other}" if denies else other]
    return []


def _not_but(text: str, names: Sequence[str], verb: Span) -> list[str]:
    """ "Ada was not born in Rome but in Paris"."""
    found = _NO_BUT.fullmatch(text)
    if found is None or main_verb(found["other"], names) is not None:
        return []
    one, other, place = found["one"], found["other"], found["other"].split()[0]
    if (at := one.find(f"{place} ")) > 0 and re.fullmatch(_IN, place):
        other = f"{one[:at]}{other}"
    return [f"it is not true that {found['before']} {one}", f"{found['before']} {other}"]


def _but_not(text: str, names: Sequence[str], verb: Span) -> list[str]:
    found = _BUT_NOT.search(text, verb[1])
    if found is None or found["name"] not in names:
        return []
    head = text[: found.start()]
    first = _first_of_last(head, [place for place in places_of(head, names) if place[0] >= verb[1]])
    return [head, f"it is not true that {head[:first]}{found['name']}"] if first is not None else []


def _first_of_last(head: str, places: Sequence[Span]) -> int | None:
    """Where the names begin with which a text ends: Libya of "Libya and Niger"; None where it ends with none."""
    first = None
    for start, end in sorted(places, reverse=True):
        if end == len(head) or (first is not None and _LISTED.fullmatch(head[end:first])):
            first = start
    return first


def _verbs_of_one(text: str, names: Sequence[str], verb: Span) -> list[str]:
    """ "Poe was born and died in Boston": two verbs before what both are about."""
    first = min((first for first, _ in places_of(text, names) if first >= verb[1]), default=None)
    if first is None:
        return []
    between = re.fullmatch(
        rf"(?:both )?(?P<one>[a-z]+(?: [a-z]+)??),? and (?:also |later |then )?(?P<other>[a-z]+),?"
        rf"(?P<place> {_IN})?(?P<the> the)? ",
        text[verb[0] : first],
    )
    if between is None or not _are_verbs(between["one"], between["other"]):
        return []
    subject, the, rest = text[: verb[0]].removesuffix("both "), between["the"] or "", text[first:]
    place = between["place"] or ""
    be = re.match(rf"{_BE} ", between["one"])
    is_alone = be or _ACTS_ALONE.search(between["one"])
    also = (
        be[0] if be and not _ACTS_ALONE.search(between["other"]) else ""
    )  # "was born and raised", "was born and died"
    return [
        f"{subject}{between['one']}{place if is_alone else ''}{the} {rest}",
        f"{subject}{also}{between['other']}{place}{the} {rest}",
    ]


def _are_verbs(*said: str) -> bool:
    """Whether words are verbs of the past, or both of the present."""
    past = re.compile(
        r"(?:is |are |was |were )?(?:\w+ed|\w+n|wrote|sang|won|made|built|sold|bought|led|grew up|taught|shot)\Z"
    )
    return all(past.match(one) for one in said) or all(re.fullmatch(r"[a-z]{2,}s", one) for one in said)


def _objects_of_one(text: str, names: Sequence[str], verb: Span) -> list[str]:
    """ "Ada won the Cup in 1990 and the Bowl in 1991", "Ada was born in Rome and Bo in Paris"."""
    found = next((one for one in _GAP.finditer(text, verb[1]) if one["tail"].removeprefix("the ") in names), None)
    if found is None or main_verb(text[found.end() :], names) is not None:
        return []
    head, tail, place = text[: found.start()], text[found.end() :], f" {found['place']} "
    inside = [(first, last) for first, last in places_of(head, names) if first >= verb[1]]
    own = next(((first, last) for first, last in sorted(inside) if head[last:].startswith(place)), None)
    if own is not None:
        start = own[0] - len("the ") if head[: own[0]].endswith("the ") else own[0]
        return [head, f"{head[:start]}{tail}"]
    at = head.find(place, verb[0])
    if at < 0 or any(first < at for first, _ in inside):
        return []
    return [head, f"{tail[: tail.index(place)]} {head[verb[0] : at]}{tail[tail.index(place) :]}"]


def _the_ones(text: str, names: Sequence[str], verb: Span) -> list[str]:
    """ "Ada won the prize in physics as well as the one in chemistry"."""
    found = _THE_ONE.fullmatch(text)
    if found is None or found.start("what") < verb[1]:
        return []
    return [f"{found['before']}{found['what']} {found['place']} {found[which]}" for which in ("one", "other")]


def _kinds_of_one(text: str, names: Sequence[str], verb: Span) -> list[str]:
    """ "Rome is the capital of Italy and a city": two that one is. In "the son of a smith and a singer" they are the
    parents, and in "the son of Ada and the poet Poe"."""
    found = _IS_BOTH.fullmatch(text, verb[1])
    if found is None or not re.fullmatch(_BE, text[slice(*verb)]) or main_verb(found["other"], names) is not None:
        return []
    one, other, head = found["one"], found["other"], text[: verb[1]]
    first = min((start for start, _ in places_of(other, names)), default=None)
    if first is not None and not re.search(rf"\b(?:{_IN}|between) (?:the )?\Z", other[:first]):
        return []
    return [f"{head} {one}", f"{head} {other}"]


def _where_too(text: str, names: Sequence[str], _: Span) -> list[str]:
    """ "Ada comes from Rome, where she died"."""
    found = _WHERE.search(text)
    head = text[: found.start()] if found is not None else ""
    place = next((head[first:last] for first, last in places_of(head, names) if last == len(head)), None)
    verb = main_verb(head, names)
    if found is None or place is None or verb is None:
        return []
    return [head, f"{head[: verb[0]]}{found['what']} in {place}"]


def years_of_one(clause: str) -> list[str]:
    """What is said of several years, of each; the clause alone where it is not so said.

    >>> years_of_one("Ada won in 1998 and 1999")
    ['Ada won in 1998', 'Ada won in 1999']
    """
    found = _YEARS.search(clause)
    if found is None:
        return [clause]
    years = re.findall(r"\d{4}", found["years"])
    return [f"{clause[: found.start('years')]}{year}{clause[found.end('years') :]}" for year in years]


def by_and_when(clause: str) -> list[str]:
    """What was done by somebody in a year, as two; none where it is not so said.

    >>> by_and_when("Emma was written in 1815 by Jane Austen")
    ['Emma was written in 1815', 'Emma was written by Jane Austen']
    """
    found = _BY_AND_WHEN.fullmatch(clause)
    if found is None:
        return []
    return [f"{found['head']} {found[which] or found[which + '_2']}" for which in ("when", "by")]


def is_and_has(clause: str, names: Sequence[str]) -> list[str]:
    """What something is, and what it is with or by, as two; none where it is not so said.

    >>> is_and_has("Helium is a gas with the symbol He", ["Helium"])
    ['Helium is a gas', 'Helium has the symbol He']
    """
    for first, last in places_of(clause, names):
        subject = clause[:last]
        found = _IS_WITH.fullmatch(clause, last + 1)
        if found is not None and subject[:first].lower() in ("", "the "):
            how = "has" if found["how"].startswith("with") else f"{found['be']} by"
            return [f"{subject} {found['be']} {found['what']}", f"{subject} {how} {found['rest']}"]
    return []


def of_one(text: str) -> str:
    """What is said of several, of one: "are gases" is "is a gas"."""
    text = re.sub(r"\A(are|were|have|do) both\b", r"\1", text)
    for several, single in (("are", "is"), ("were", "was"), ("have", "has"), ("do", "does")):
        if not text.startswith(f"{several} "):
            continue
        rest = text[len(several) + 1 :]
        some = _ARE_SOME.match(rest) if single in ("is", "was") else None
        found = singulars(some["last"]) if some else ()
        if some and found:
            last = f"{some['last'][0]}{found[0][1:]}"  # as it is written: "Spaniard"
            rest = f"{_article(some['before'] or last)} {some['before']}{last}{rest[some.end() :]}"
        return f"{single} {rest}"
    return text


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" else "a"
