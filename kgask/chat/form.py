"""What a turn of a conversation is by its form: a correction, a part of the last question, a word for earlier answers.

Nothing here knows a pack.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgask.chat.order import NUMBER, ORDER, is_comparative, of_kind, superlative

THOSE = rf"(?:(?:the|those|these) {NUMBER}|them|em|those|these|the (?:\d+|lot|group))"
_BE = r"(?:is|are|was|were|has|have|had|do|does|did)"
_OF_THOSE = re.compile(
    rf"\b(?P<word>which|who|what|how many|(?:{_BE} )?any)(?: ones?)? (?:of|among|out of|from) {THOSE}"
    rf"(?: (?P<noun>(?!{_BE}\b)(?:[a-z]+s|people|men|women|children))(?= (?:{_BE}|lies?|in|from|with|that|who)\b))?",
    re.IGNORECASE,
)
_WHICH_ONES = re.compile(
    r"\b(?P<word>which|how many)(?: ones?(?= [a-z])|"
    r"(?= (?:is|are|was|were|has|have|had|do|does|did|lies?|came|won|(?!united\b)[a-z]{3,}ed)\b))",
    re.IGNORECASE,
)
_OF_THEM_WHO = re.compile(
    rf"(?:of|among) (?:{THOSE}|(?:those|these) [a-z]+),?\s+(?P<word>who|which|what|how many)(?: ones?)?\b",
    re.IGNORECASE,
)
_WHO_OF = re.compile(rf"\b(?P<word>who|which)(?P<verb> \w+(?: \w+)*?) (?:of|among) {THOSE}\b", re.IGNORECASE)
_SUPERLATIVE_OF = re.compile(
    rf"(?:(?:what|who|which)(?: (?P<how_many>{NUMBER}|\d))?(?: ones?)?(?:['\u2019]s| is| are| was| were)? )?"
    r"(?:the )?(?:very )?"
    rf"(?:(?P<number>{NUMBER}|\d) |(?P<rank>second|third|fourth|fifth|2nd|3rd|next)[ -])?"
    r"(?P<word>(?:most|least|fewest) [a-z]+|[a-z]{2,}est)(?: ones?)?"
    rf"(?: (?:of|among) (?:{THOSE}(?: all)?|all(?: of)? {THOSE}|those [a-z ]+))?(?P<by> by [a-z]+)?\W*",
    re.IGNORECASE,
)
_ONLY_THOSE = re.compile(
    r"(?:please )?(?:(?:show|give) me |list |tell me )?"
    r"(?:(?:only|just) (?:those|the ones|them)|"
    r"(?:those|the ones)(?= (?:that|who|which|with|without|above|below|over|under|after|before)\b))"
    r"(?P<verb> (?:that|who|which))? (?P<rest>.+?)(?: please)?\W*",
    re.IGNORECASE,
)
_HAVING = re.compile(r"\Awith (?=.*\d)", re.IGNORECASE)
_SEVERAL_MEANT = re.compile(
    r"\b(?:of|among) (?:the|these|those) (?P<noun>[a-z]{3,}s|people|men|women)\b"
    r"(?! (?:of|in|on|from|with|by|who|that|which)\b)",
    re.IGNORECASE,
)
_ONES = re.compile(r"\b(?:the|those|these)(?: [\w-]+){1,4} ones\b", re.IGNORECASE)
_OF_OWN = re.compile(  # "which is the smallest of the country's neighbours?"
    r"(?:est|most|least|fewest)\b(?: [a-z]+)? (?:of|among) (?:(?:the|that) [a-z]+['\u2019]s|its|his|her|their) [a-z]",
    re.IGNORECASE,
)
_OF_TWO = re.compile(r"\b(?:both|either|who|which)(?: one)? (?:of|among)\b|\bthe two\b", re.IGNORECASE)
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_OF = re.compile(
    rf"\b(?:the|those|these) ({'|'.join(_NUMBERS)})\b(?! (?:most|least|fewest|[a-z]{{2,}}est)\b)", re.IGNORECASE
)
_RANKS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1, "former": 0, "latter": -1}
_RANKED = re.compile(
    rf"\bthe (?P<rank>{'|'.join(_RANKS)})(?: one)?(?P<own>['\u2019]s)?\b"
    r"(?! (?:name|time|film|book|prize|most|least|[a-z]+est)\b)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\bthe other(?:(?: ones?| two| three| four|s)\b|"
    r"\b(?! (?!(?:is|are|was|were|has|have|do|does|did|in|on|at)\b)[a-z]))|"
    r"\b(?:the )?(?:rest|remaining(?: ones)?)\b(?: of (?:them|those))?",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b(?:they|them|their|those|these)\b", re.IGNORECASE)
PERSON = re.compile(r"\b(?:he|him|his|she|her|hers)\b", re.IGNORECASE)
_MALE, _FEMALE = re.compile(r"\b(?:he|him|his)\b", re.I), re.compile(r"\b(?:she|her|hers)\b", re.I)
_THING = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
PLACE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?! (?:is|are|was|were)\b)", re.IGNORECASE)
_ELSE = re.compile(r"\b(?:other|others|else|another)\b", re.IGNORECASE)
_BARE_WH = re.compile(
    r"(?:(?:in|on|at|to|for|by|from|of|with|under|since|until|during|into|against) )?"
    r"(?:where|when|why|how|whom?|what|which|how long|how much|how old|which \w+|what \w+)"
    r"(?: exactly| to| from| with| for)?\W*",
    re.IGNORECASE,
)
LEAD_IN = re.compile(r"\A(?:in|on|at|to|for|by|from|of|with|under|since|into)\s+", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:whom?|whose|which|what|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|name|"
    r"list|give|show|tell|count)\b",
    re.IGNORECASE,
)
_LATER_ASKS = re.compile(
    r",\s*(?:who|which|what|when|where|how)\b|"
    r"\b(?:in|at|on|of|from|to|by|with|for) (?:which|what|whom)\b(?: [a-z]+)?\W*\Z|"
    r"\w \w+ (?:when|where)\W*\Z",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    r"\b(?P<whose>(?:his|her|its|their) (?:father|mother|husband|wife|brother|sister|son|daughter|spouse|child|partner|"
    r"capital|director|author|writer|composer|inventor|discoverer|founder|successor|predecessor))"
    r"(?P<own>['\u2019]s)?\b(?=[ ,'\u2019?])",
    re.IGNORECASE,
)
_IS_WHO = re.compile(
    r"(?:who|what|which \w+)(?:['\u2019]s| is| was| are| were) (?:his|her|its|their) \w+\W*\Z", re.IGNORECASE
)
_THAT_NOUN = re.compile(
    r"\b(?:that|this)(?: same)? (?P<noun>(?!(?:is|was|are|were|has|does|did|one|year|way|time)\b)[a-z]{3,})\b",
    re.IGNORECASE,
)
_AMONG_THEM = re.compile(r"\b(?:among|amongst|out of|of|in) (?:them|those|these)\b", re.IGNORECASE)
_OF_NAMED = re.compile(rf",?\s*(?:\b(?:of|among) (?:{THOSE}|both))\b", re.IGNORECASE)
_BOTH = re.compile(
    r"(?:(?<=\bdid )|(?<=\bare )|(?<=\bwere ))the (?:same )?two\b(?! of\b)|"
    r"\b(?:they both|both of (?:them|those|these)\b(?! [a-z]+s\b)|them both|the two of them|those two|these two)\b|"
    r"\bthey\b(?=.* (?:together|(?:each |one an)other)\W*\Z)",
    re.IGNORECASE,
)
_THE_BEST = re.compile(
    r"\bthe (?P<order>(?:most|least|fewest) [a-z]+|[a-z]{2,}est)(?: one)?(?: of them)?(?P<own>['\u2019]s)?(?=\W*\Z)",
    re.I,
)
_THE_MORE = re.compile(
    r"\bthe (?P<order>(?!other|former|latter|under|upper)(?:more [a-z]+|[a-z]{2,}er)) one(?P<own>['\u2019]s)?\b", re.I
)
_IS_BEST = re.compile(r"(?:who|which|what)(?: [a-z]+)?(?:['\u2019]s| is| are| was| were| has| have)? the\b", re.I)


def of_those(text: str, noun: str) -> str | None:
    """A question about some of the last answers as one about all things of their kind; None for another question.

    Without a ``noun``, the one that it says itself, None where it says none.

    >>> of_those("which of them border Germany?", "countries"), of_those("who of them is older?", "people")
    ('which countries border Germany?', 'which people is the oldest?')
    """
    if _OF_OWN.search(text):
        return None
    text = re.sub(r",? (?:too|also|as well)(?=\W*\Z)", "", text)
    if found := _OF_THOSE.search(text):
        word = found["word"] if found["word"].lower() in ("which", "how many") else "which"
        if not noun and not found["noun"]:
            return None
        changed = f"{text[: found.start()]}{word} {noun or found['noun']}{text[found.end() :]}"
        return superlative(changed) if "than" not in changed else changed
    if not noun:
        return None
    if found := _SUPERLATIVE_OF.fullmatch(text.strip()):
        number = found["number"] or found["how_many"]
        several = f"are the {number}" if number else f"is the {found['rank'] or ''}".strip()
        return f"which {noun} {several} {found['word'].lower()}{found['by'] or ''}?"
    if (ordered := of_kind(text, noun)) is not None:
        return ordered
    if found := _ONLY_THOSE.fullmatch(text.strip()):
        rest = _HAVING.sub("have ", found["rest"])
        return f"which {noun} {'' if found['verb'] or rest != found['rest'] else 'are '}{rest}?"
    if found := _WHO_OF.search(text):
        return superlative(f"{text[: found.start()]}which {noun}{found['verb']}{text[found.end() :]}")
    if found := _OF_THEM_WHO.match(text) or _WHICH_ONES.match(text):
        word = "how many" if found["word"].lower() == "how many" else "which"
        return superlative(f"{word} {noun}{text[found.end() :]}")
    return None


def said_of_each(text: str) -> tuple[str, str] | None:
    """What a turn asks of each of several things: the word by which it asks, and a claim with a NUL for one of them.

    >>> said_of_each("Which of the two died in 1941?"), said_of_each("how many of them are poets?")
    (('which', '\\x00 died in 1941'), ('how many', '\\x00 is poets'))
    """
    text = re.sub(r",? (?:too|also|as well|then)(?=\W*\Z)", "", text).rstrip("?.! ")
    found = next((one for pattern in (_OF_THOSE, _OF_THEM_WHO, _WHICH_ONES) if (one := pattern.match(text))), None)
    rest = text[found.end() :].strip() if found else ""
    if found is None or not rest or ORDER.search(rest) or is_comparative(rest) or rest.lower().endswith(" one"):
        return None
    for several, single in (("are", "is"), ("were", "was"), ("have", "has"), ("do", "does")):
        rest = re.sub(rf"\A{several}\b", single, rest, flags=re.IGNORECASE)
    return found["word"].lower(), f"\0 {rest}"


def noun_of_those(text: str) -> str:
    """ "islands" of "which of the two islands ..."; "" where none is said."""
    found = _OF_THOSE.search(text)
    return ((found and found["noun"]) or "").lower()


def asks_for_people(text: str) -> bool:
    """Whether "who" asks for some of several ("who of them"), or what people do ("which of the two died first?")."""
    return bool(re.match(r"who\b|.*\b(?:die[ds]?|lived|nobel|(?:was|were|got) (?:born|married))\b", text, re.I))


def number_of_those(text: str) -> int:
    """2 of "which of the two ..."; 0 where no number is said."""
    found = _NUMBER_OF.search(text)
    return _NUMBERS.index(found[1].lower()) + 2 if found else 0


def is_of_those(text: str) -> bool:
    """Whether a turn asks about some of several things that were spoken of."""
    if _OF_OWN.search(text):
        return False
    return any(one.search(text) for one in (_OF_THOSE, _OF_THEM_WHO, _WHO_OF, _WHICH_ONES)) or is_bare_of_those(text)


def several_meant(text: str) -> str:
    """The noun of "which of the composers ...", as far as it is the same for one; "" where none is said.

    >>> several_meant("which of the composers died in London?"), several_meant("which of the kings of Spain?")
    ('composer', '')
    """
    found = _SEVERAL_MEANT.search(text)
    return found["noun"].lower().removesuffix("s").removesuffix("ie") if found else ""


def says_ones(text: str) -> bool:
    """Whether it speaks of "the African ones" of several."""
    return _ONES.search(text) is not None


def is_bare_of_those(text: str) -> bool:
    """Whether it is nothing but which of several things: "the longest?", "only those in Africa"."""
    return any(one.fullmatch(text.strip()) for one in (_SUPERLATIVE_OF, _ONLY_THOSE)) or (of_kind(text, "") is not None)


def asks_whether_any(text: str) -> bool:
    """Whether it is asked whether any of several things ..., which a yes or a no answers."""
    return (found := _OF_THOSE.search(text)) is not None and found["word"].lower().endswith("any")


def is_which_are(text: str) -> bool:
    """Whether it asks which are so, and not what: "which are islands?"."""
    return _WHICH_ONES.match(text) is not None


def says_those(text: str) -> bool:
    """Whether a turn says that it is about several things, rather than "which is ..." alone."""
    return any(one.search(text) for one in (_OF_THOSE, _OF_THEM_WHO, _WHO_OF)) or is_bare_of_those(text)


def says_two(text: str) -> bool:
    """Whether two things that were spoken of apart may be meant together: "which of the two", "which is bigger?"."""
    return _OF_TWO.search(text) is not None or (_WHICH_ONES.match(text) is not None and superlative(text) != text)


def ranked(text: str) -> tuple[int, str] | None:
    """Which of the last answers "the second one" is, and the text with a NUL in its place."""
    found = _RANKED.search(text)
    if found is None:
        return None
    place = "\0's" if found["own"] else "\0"
    return _RANKS[found["rank"].lower()], f"{text[: found.start()]}{place}{text[found.end() :]}"


def others(text: str) -> str | None:
    """The text with a NUL where it says "the others"; None where it does not."""
    found = _OTHERS.search(text)
    return f"{text[: found.start()]}\0{text[found.end() :]}" if found else None


def whose(text: str) -> tuple[str, str] | None:
    """ "her father" and the text with a NUL in its place, where more is asked than who that is.

    >>> whose("Where did her father die?"), whose("who was her father?")
    (('her father', 'Where did \\x00 die?'), None)
    """
    found = _WHOSE.search(text)
    if found is None or _IS_WHO.match(text):
        return None
    place = "\0's" if found["own"] else "\0"
    return found["whose"], f"{text[: found.start()]}{place}{text[found.end() :]}"


def is_plural(text: str) -> bool:
    return _PLURAL.search(text) is not None


def is_pronominal(text: str) -> bool:
    """Whether one thing or person of an earlier turn is meant by a pronoun."""
    return any(pattern.search(text) for pattern in (PERSON, _THING, PLACE, _PLURAL))


def is_bare_pronoun(text: str) -> bool:
    """Whether it is a pronoun alone: "and he?"."""
    return text.strip(" ?.!").lower() in ("he", "him", "she", "her", "it")


def says_pronoun_first(text: str, names: Sequence[str]) -> bool:
    """Whether a pronoun stands before all that a text names: it cannot mean one of these."""
    first = min((text.find(name) for name in names if name in text), default=len(text))
    return is_pronominal(text[:first])


def is_of_two(text: str) -> bool:
    """Whether "he" and "she" are both spoken of: who is meant by each is not told."""
    return bool(_MALE.search(text) and _FEMALE.search(text))


def sex_meant(text: str) -> str:
    """ "male", "female", "thing" or "": what the pronouns of a text may mean."""
    if _MALE.search(text):
        return "male"
    if _FEMALE.search(text):
        return "female"
    return "thing" if _THING.search(text) or PLACE.search(text) else ""


def is_among_them(text: str) -> bool:
    """Whether something is asked of several that were spoken of, however it is put: "was there a woman among them?"."""
    return _AMONG_THEM.search(text) is not None or _BOTH.search(text) is not None


def of_named(text: str) -> str:
    """A text that names the things itself without "of the two".

    >>> of_named("Norway or Finland, which of the two is bigger?")
    'Norway or Finland, which is bigger?'
    """
    return _OF_NAMED.sub("", text)


def of_both(text: str, names: Sequence[str]) -> str | None:
    """A text with names in the place of "they both" or "the two of them"; None where it says neither.

    >>> of_both("What did the two of them discover?", ["Marie Curie", "Pierre Curie"])
    'What did Marie Curie and Pierre Curie discover?'
    """
    return _BOTH.sub(lambda _: " and ".join(names), text) if _BOTH.search(text) else None


def of_the_best(text: str) -> tuple[str, str] | None:
    """Which of the last answers a turn asks about, and the text with a NUL in its place.

    >>> of_the_best("In which country is the highest one?"), of_the_best("which one is the highest?")
    (('highest', 'In which country is \\x00?'), None)
    >>> of_the_best("what's the capital of the smaller one?")
    ('smallest', "what's the capital of \\x00?")
    """
    best, found = _THE_BEST.search(text), _THE_BEST.search(text) or _THE_MORE.search(text)
    if found is None or (best and _IS_BEST.match(text)) or not _ASKS.match(LEAD_IN.sub("", text)) or found.start() == 0:
        return None
    place = "\0's" if found["own"] else "\0"
    most = superlative(f"is the {found['order']}").removeprefix("is the ")
    return most, f"{text[: found.start()]}{place}{text[found.end() :]}"


def asks_for_others(text: str) -> bool:
    """Whether what was spoken of is not asked for again."""
    return _ELSE.search(text) is not None


def is_bare_question_word(text: str) -> bool:
    return _BARE_WH.fullmatch(text.strip()) is not None


def is_phrase(text: str) -> bool:
    """Whether it asks by a phrase alone: "melting point?"."""
    return not _ASKS.match(LEAD_IN.sub("", text.strip())) and not _LATER_ASKS.search(text) and len(text.split()) <= 7


def bare_noun(text: str) -> str:
    """A phrase without article and what ends it.

    >>> bare_noun("the currency?"), bare_noun("any kids?")
    ('currency', 'kids')
    """
    return re.sub(r"\A(?:the|a|an|any|its|his|her|their)\s+", "", text.strip().rstrip("?.! "), flags=re.IGNORECASE)


def singular(text: str) -> str:
    """What is asked of several, of one: "were they" is "was he"."""
    text = re.sub(r"\bwere (?=they|those|these)", "was ", text, flags=re.IGNORECASE)
    text = re.sub(r"\bare (?=they|those|these|their)", "is ", text, flags=re.IGNORECASE)
    text = re.sub(r"\bdo (?=they|those|these)", "does ", text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:those|these|them)\b", "they", text, flags=re.IGNORECASE)


def said(kind: str, text: str) -> re.Match[str] | None:
    """Where a text says "the country" of something that was spoken of."""
    pattern = rf"(?<!\w, )\b(?:the|that|this) {re.escape(kind)}\b(?!s| of| with| that| in\b(?!\W*\Z))"
    return re.search(pattern, text, re.IGNORECASE)


def noun_meant(text: str) -> str:
    """The noun by which something that was spoken of is meant; "" where none is.

    >>> noun_meant("What else does that company own?"), noun_meant("What does the company own?")
    ('company', '')
    """
    found = _THAT_NOUN.search(text)
    return found["noun"].lower() if found else ""


def last_noun(text: str) -> str:
    """The noun that a question ends with, where it is one of something unsaid: "who's in the cast?"; else ""."""
    found = re.search(r"\bthe (?P<noun>[a-z]+)\W*\Z", text, re.IGNORECASE)
    return found["noun"] if found and not is_pronominal(text) else ""
