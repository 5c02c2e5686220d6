"""Words of order in a turn: "the smallest" instead of "the largest", "top three", "sort them by height".

Nothing here knows a pack.
"""

from __future__ import annotations

import re

NUMBER = r"(?:two|three|four|five|six|seven|eight|nine|ten)"
IS_NUMBER = re.compile(NUMBER, re.IGNORECASE)
ORDER = re.compile(
    r"\b(?:(?:second|third|fourth|fifth|next)[ -])?(?:(?:most|least|fewest) [a-z]+|[a-z]{2,}est)\b|\bby [a-z ]+\Z",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(r"\b(?:(?:most|least|fewest) [a-z]+|(?!west\b|rest\b)[a-z]{2,}est)\b", re.IGNORECASE)
_LEAST = re.compile(r"least|fewest|smallest|lowest|shortest|youngest|lightest|shallowest", re.IGNORECASE)
_MOST = re.compile(r"most|least|fewest", re.IGNORECASE)
_MOST_OF = dict.fromkeys(("most", "largest", "highest", "biggest", "greatest"), "most")
_MOST_OF |= dict.fromkeys(("least", "fewest", "smallest", "lowest"), "fewest")
_ANY_ORDER = re.compile("|".join(_MOST_OF), re.IGNORECASE)
_BY = re.compile(r",? by (?:area|size|length|height|elevation|depth|population|age|mass|weight)\b", re.IGNORECASE)
_BY_END = re.compile(r",? by [a-z ]+(?=\W*\Z)", re.IGNORECASE)
_PHRASE = re.compile(rf"(?:and )?(?:the )?(?:{'|'.join(_MOST_OF)}) [a-z]+\W*", re.IGNORECASE)  # "a larger population"
_NOUN = re.compile(r"\s+([a-z]+)\b", re.IGNORECASE)
_THE_ONE = re.compile(r" one\b", re.IGNORECASE)
_SO_MANY = re.compile(rf"\bare the (?:{NUMBER}|\d) ", re.IGNORECASE)
_TOP = re.compile(rf"(?:the )?top (?P<n>{NUMBER}|\d)(?P<by> by [a-z ]+)?\W*", re.IGNORECASE)
_SORTED = re.compile(
    r"(?:please )?(?:sort|order|rank|list|put)(?: (?:them|those|these))?(?: in order)?(?P<by> (?:by|of) [a-z ]+?)\W*",
    re.IGNORECASE,
)
_RANKS = {"second": 2, "2nd": 2, "two": 2, "2": 2, "runner-up": 2, "third": 3, "3rd": 3, "three": 3, "3": 3}
_RANKS |= {"fourth": 4, "4th": 4, "four": 4, "4": 4, "fifth": 5, "5th": 5, "five": 5, "5": 5}
_RANK = re.compile(
    r"(?:and )?(?:(?:what|which|who)(?: one)?(?:['\u2019]s| is| comes| was) )?(?:(?:the |in )?"
    r"(?P<rank>second|third|fourth|fifth|[2345](?:nd|rd|th)|next|runner-up|(?:one )?after (?:it|that|him|her))"
    r"(?:[ -](?:(?:most|least) [a-z]+|[a-z]{2,}est))?(?: one| place)?|"
    r"(?:number|no\.?|#) ?(?P<number>two|three|four|five|[2345]))\W*",
    re.IGNORECASE,
)

_COMPARATIVE = re.compile(
    r"\b(?P<before>(?:is|are|was|were|has|have|had|at|with|lies)(?: the| a)?\s+)"
    r"(?:(?P<more>more|less|fewer) (?P<of>[a-z]+)|(?P<stem>[a-z]{2,}?)(?P<end>ier|er))\b(?! [a-z]+s\W*\Z)",
    re.IGNORECASE,
)
_NO_COMPARATIVE = frozenset(
    "other another over under after whether either neither river number water order member later former never ever "
    "together rather proper silver copper leather amber timber rubber paper bitter sober clever tender slender inner "
    "outer upper eager sinister".split()
)
_THE_MORE = re.compile(
    r"(?P<before>(?:which|who|what)(?: one)?(?:['\u2019]s| is| was| has) )?"
    r"the (?P<what>(?:more |less )?[a-z]+)(?: one)?"
    r"(?P<behind> (?:of|among) (?:them|these|those|both|the (?:two|lot))\W*)",
    re.IGNORECASE,
)
# "the daughter of Lear", "a singer in Leeds", but "the higher of them", "a larger area"
_NOUN_BEHIND = {
    "the": re.compile(r" of (?!(?:the|these|those) (?:\w+\W*\Z|two\b)|them\b|those\b|these\b|both\b)", re.IGNORECASE),
    "a": re.compile(r"\W*(?:\Z|\b(?:of|in|at|on|for|by|from|with|and|or|who|too|also|as)\b)", re.IGNORECASE),
}


def of_kind(text: str, noun: str) -> str | None:
    """A turn that asks for the first so many of several things, or for all of them in order, as a question about these.

    >>> of_kind("top 3 by area", "lakes"), of_kind("sort them by depth", "lakes")
    ('which lakes are the 3 largest by area?', 'which lakes is the largest by depth?')
    """
    found = _TOP.fullmatch(text.strip()) or _SORTED.fullmatch(text.strip())
    if found is None:
        return None
    number = found.groupdict().get("n")
    return f"which {noun} {f'are the {number}' if number else 'is the'} largest{found['by'] or ''}?"


def rank_meant(text: str, before: int) -> int | None:
    """The rank that a turn asks for alone, after one at the rank ``before``: "and the second?", "number three?".

    >>> rank_meant("and the second one?", 1), rank_meant("the next?", 2), rank_meant("the second wife?", 1)
    (2, 3, None)
    """
    found = _RANK.fullmatch(text.strip())
    if found is None:
        return None
    said = (found["rank"] or found["number"]).lower()
    return before + 1 if said == "next" or said.startswith(("one after", "after")) else _RANKS.get(said)


def rank_said(text: str) -> int | None:
    """The rank that a text says anywhere: 2 of "the second of these by population".

    >>> rank_said("the second of these by population"), rank_said("the highest of these")
    (2, None)
    """
    found = re.search(r"\b(second|2nd|runner-up|third|3rd|fourth|4th|fifth|5th)\b", text, re.IGNORECASE)
    return _RANKS[found[1].lower()] if found else None


def asks_for_order(text: str) -> bool:
    """Whether all of several are asked for, in order: "sort them by height"."""
    return _SORTED.fullmatch(text.strip()) is not None


def is_by(text: str) -> bool:
    """Whether a turn says by what several things are to be ordered, and nothing else.

    >>> is_by("by area?"), is_by("Italy is led by who?")
    (True, False)
    """
    return re.fullmatch(r"by (?!whom?\b|what\b|which\b)[a-z ]+\W*", text.strip(), re.IGNORECASE) is not None


def reordered(before: str, text: str) -> str | None:
    """The question before with another superlative, or "by population", of a correction."""
    new = ORDER.search(text)
    if new is None:
        return None
    if (by := _BY_END.search(text)) is not None and by.start() > new.start():  # "and biggest by population"
        bare = _BY_END.sub("", before.rstrip("?. "))
        changed = reordered(bare, text[: by.start()]) or f"{bare}?"
        return f"{changed.rstrip('?')} {by[0].strip()}?"
    bare, said = before.rstrip("?. "), new[0]
    if _THE_ONE.match(text, new.end()):  # "the three highest", "and the lowest one?"
        bare = _SO_MANY.sub("is the ", bare)
    old = next(
        (one for one in ORDER.finditer(bare) if one[0].lower().startswith("by ") == said.lower().startswith("by ")),
        None,
    )
    if old is not None and (old[0].lower() == said.lower() or _PHRASE.fullmatch(text.strip())):
        nouns = [_NOUN.match(one, found.end()) for one, found in ((text, new), (bare, old))]
        if old[0].lower() != said.lower() and None not in nouns and _ANY_ORDER.fullmatch(old[0]):
            assert nouns[0] is not None and nouns[1] is not None
            return f"{bare[: old.start()]}{said} {nouns[0][1]}{bare[nouns[1].end(1) :]}?"
    if old is not None and old[0].lower() == said.lower():
        if nouns[0] is None or nouns[1] is None or nouns[0][1].lower() == nouns[1][1].lower():
            return None
        return f"{bare[: nouns[1].start(1)]}{nouns[0][1]}{bare[nouns[1].end(1) :]}?"
    if old is not None:
        if _ANY_ORDER.fullmatch(said) and (most := _MOST.match(old[0])):
            said = f"{_MOST_OF[said.lower()]}{old[0][most.end() :]}"
        elif not _ANY_ORDER.fullmatch(said):
            bare = f"{bare[: old.end()]}{_BY.sub('', bare[old.end() :])}"
        return f"{bare[: old.start()]}{said}{bare[old.end() :]}?"
    if not said.lower().startswith("by "):
        return None
    most = next(iter(_SUPERLATIVE.finditer(bare)), None)  # "the most populous", "and by area?"
    if most is None or _ANY_ORDER.fullmatch(most[0]):
        return f"{bare} {said}?"
    word = "smallest" if _LEAST.match(most[0]) else "largest"
    return f"{bare[: most.start()]}{word}{bare[most.end() :]} {said}?"


def _comparative(text: str) -> re.Match[str] | None:
    """Where a text compares; no noun that ends as a comparative does."""
    found = _COMPARATIVE.search(text)
    if found is None or found["more"]:
        return found
    article = found["before"].split()[-1].lower()
    behind = _NOUN_BEHIND.get(article)
    is_noun = f"{found['stem']}{found['end']}".lower() in _NO_COMPARATIVE or (
        behind is not None and behind.match(text[found.end() :]) is not None
    )
    return None if is_noun else found


def is_comparative(text: str) -> bool:
    """Whether it compares.

    >>> is_comparative("is denser"), is_comparative("was the daughter of Lear"), is_comparative("is a singer?")
    (True, False, False)
    """
    return _comparative(text) is not None


def superlative(text: str) -> str:
    """ "Which of the two is denser" asks for the densest.

    >>> superlative("which elements is denser?"), superlative("which countries has more inhabitants?")
    ('which elements is the densest?', 'which countries has the most inhabitants?')
    """
    found = _comparative(text)
    if found is None or "than" in text.lower():
        return text
    if found["more"]:
        word = f"{'most' if found['more'].lower() == 'more' else 'least'} {found['of']}"
    else:
        word = f"{found['stem']}{'iest' if found['end'] == 'ier' else 'est'}"
    before = re.sub(r"\b(?:the|a) \Z", "", found["before"])
    return f"{text[: found.start()]}{before}the {word}{text[found.end() :]}"


def of_more(text: str) -> str:
    """A turn that asks for "the bigger one of these" alone as one for the biggest.

    >>> of_more("the bigger one of these?"), of_more("which is the older of them"), of_more("the capital of these?")
    ('the biggest of these?', 'which is the oldest of them', 'the capital of these?')
    """
    found = _THE_MORE.fullmatch(text.strip())
    if found is None:
        return text
    most = superlative(f"is the {found['what']} of them")
    is_more = most != f"is the {found['what']} of them"
    return (
        f"{found['before'] or ''}{most.removeprefix('is ').removesuffix(' of them')}{found['behind']}"
        if is_more
        else text
    )


def is_compared(text: str) -> bool:
    """Whether a phrase asks for more or less of something: "a larger population"."""
    return superlative(f"has {text}") != f"has {text}"
