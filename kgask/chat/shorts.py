"""Turns that are short for a question about the last answers: "how many?", "by how much?", "how deep?".

Nothing here knows a pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from kgask.chat.form import THOSE, is_phrase, sex_meant
from kgask.chat.spoken import with_place

_HOW_MANY = re.compile(
    r"how many(?! (?:minutes|hours|seconds|days|weeks|months|years|miles|kilomet|met(?:re|er)s|k?m\b|kilo|grams|litres|"
    r"tons|tonnes|euros|dollars|pounds|degrees))"
    r"(?:['\u2019]s (?:that|there)| (?:is|are|was|were) (?:that|those|there|they|these)|"
    r" of (?:them|those|these)(?: are there)?| (?:they|these|those) are|"
    r" (?:\w+ )?(?:is|are|was|were) (?:it|that|those|there|they) (?:in total|altogether|in all)| in (?:total|all)|"
    r" (?!more\b|fewer\b)\w+ (?:is|was) (?:that|it)|"
    r" (?:would|does) (?:that|it|this) (?:be|make))?\W*",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"(?:and )?(?:when|(?:in |on )?(?:which|what) (?:year|day|date))(?: (?:was|is) (?:that|it))?\W*", re.I
)
_IN_ALL = re.compile(r"\b(?:altogether|in (?:all|total))(?=\W*\Z)", re.IGNORECASE)
_THEIRS = re.compile(
    r"\A(?:and )?(?:what (?:are|is) )?(?:the )?"
    r"(?P<what>(?!(?:the|a|an|is|are|was|were|do|does|did|who|which|what|how|any|all|one|some|none|most|many|each|first|second|"
    r"third|last|next|other|others|rest|half|total|sum|average|mean|combined|number|count|order|more|less|"
    r"[a-z]+est|[a-z]+er one)\b)"
    rf"[a-z]+(?: [a-z]+)?) of (?:each(?: of)? )?(?:all )?{THOSE}(?=\W*\Z)",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(
    r"by how (?:much|many(?: \w+){0,3}?)(?: (?:more|less|(?:is|was) .+ (?:more|less|[a-z]+er)|"
    r"(?:do|does|did) (?:they|those|these|it|the two|those two)(?: two)? differ))?\W*|"
    r"how many (?:(?:square )?[a-z]+ )?(?:more|fewer)(?: (?:is|was) (?:that|it))?\W*|"
    r"how much (?:more|less|[a-z]+er)(?: (?:is|was) (?:that|it|he|she|the other(?: one)?))?\W*|"
    r"(?:what(?: is|'s|\u2019s) )?(?:the )?difference(?: (?:of|between) (?:the two|them|those|these)(?: two)?)?\W*",
    re.IGNORECASE,
)
_HOW_MUCH_MORE = re.compile(
    r"(?:by )?how (?:much|many [a-z]+(?: [a-z]+)?) (?:more|less|[a-z]+er) (?:is|was|are|were) (?:the )?"
    r"(?P<what>(?!.*\bthan\b).+?)\W*",
    re.IGNORECASE,
)
_NAME_THEM = re.compile(
    r"(?:(?:please )?(?:name|list|show me|show|give me|tell me|who are|which are|what are|which ones are)"
    r"(?: all(?: of)?)? "
    r"(?:them|those|these|they)|(?:and )?(?:what (?:are|is) )?(?:(?:their|the|his|her) )?names?|who exactly|"
    r"which ones(?: exactly)?)\W*",
    re.IGNORECASE,
)
_LIST_ONLY = re.compile(
    r"(?:(?:please )?(?:name|list|show me|show|give me|tell me|what about|and)|(?:who|which|what) (?:is|are|was|were)|)"
    r"\s*\0\W*",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"(?:and )?(?:which|who|what)(?: ones?)?(?: (?:is|are|was|were) (?:it|that|they|those))?(?: exactly)?\W*|"
    r"(?:the |their )?names?(?:,? please)?\W*",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"how (?:deep|high|tall|big|large|long|heavy|old|wide|dense|hot|populous|far|fast|many (?:people|inhabitants))\W*",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(
    r"(?P<it>(?:is|was) (?:it|that|this)(?: value| number)? )?"
    r"(?:(?P<more>more|higher|larger|greater|bigger)|less|lower|smaller|fewer) than "
    r"(?:(?:that|the one) of .+|(?:in|for) .+|.+(?:['\u2019]s|s['\u2019])|(?(it)(?!\d).+))\W*",
    re.IGNORECASE,
)
_RANKED_ONE = re.compile(r"\bthe (?:first|second|third|fourth|fifth|last) one\b", re.IGNORECASE)
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_IS_ONE_OF = re.compile(
    r"(?:is|was|are|were) (?P<what>(?!there |any ).+?) (?:also )?"
    rf"(?:one of|among|in) (?:{THOSE}|that list|the list)\W*",
    re.IGNORECASE,
)
_NAME = r"(?:the )?[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*){0,3}"
_AUXILIARY = r"(?:does|do|did|is|was|are|were|has|have)"
_AND_DOES = re.compile(rf"(?:[Aa]nd |[Bb]ut )?(?i:{_AUXILIARY}) (?P<name>{_NAME})(?: too| also| as well)?\W*")
_DOES = re.compile(rf"(?P<does>(?i:{_AUXILIARY})) {_NAME} (?P<rest>[a-z].*)", re.DOTALL)
_SAME_OF = re.compile(r"(?:the )?(?P<what>\w.*?) of (?:it|him|her|them|this|that)\W*", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_IN_YEAR = re.compile(r"\A(?:in|for|of) (?:the year )?", re.IGNORECASE)
_A_YEAR = re.compile(
    r"(?:in )?(?:(?:the|a|one) year (?P<way>after|before|later|earlier)(?: that)?|"
    r"the (?P<next>next|following|previous) year)",
    re.IGNORECASE,
)
_THAT_YEAR = re.compile(r"\b(?P<in>(?:in|of|for|during) )?(?:that|the same)(?: same)? year(?P<own>['\u2019]s)?\b", re.I)
_YEARS_ON = re.compile(  # at the end of a question: "who won it two years later?"
    r"(?:(?:in )?(?P<n>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) years? "
    r"(?P<way>later|earlier|before|after)|"
    r"(?:in )?the (?P<next>next|following|previous|preceding) year|(?:in )?the year (?P<then>after|before))"
    r"(?: that)?(?=\W*\Z)",
    re.IGNORECASE,
)
_STEPS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
          "nine": 9, "ten": 10}  # fmt: skip
_OWNER = re.compile(r"\b(?:his|her|its|their) [a-z]", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:when|before|after|until|while|by the time|where|that|because) (?:he|she)\b", re.IGNORECASE)
_BARE_EVENT = re.compile(
    r"(?:in |at |on |since )?(?P<ask>where|when|how|(?:which|what) (?:year|city|town|country|place|date|day))\W*",
    re.IGNORECASE,
)
_EVENTS = (
    (re.compile(r"\bborn\b", re.IGNORECASE), "was \0 born"),
    (re.compile(r"\bdie[ds]?\b|\bdeaths?\b", re.IGNORECASE), "did \0 die"),
)
_ASKED = re.compile(
    r"(how many|how much|whom?|where|when|which|what)\s+(?:(?:about|of|for|in|did|does|has)\s+)?", re.IGNORECASE
)


def asks_when(text: str) -> bool:
    """Whether a turn asks no more than when something was."""
    return _WHEN.fullmatch(text.strip()) is not None


def asks_of_all(text: str) -> bool:
    """Whether a turn asks how many there are altogether, of whichever of them it was spoken last."""
    return _IN_ALL.search(text) is not None


def asks_how_many(text: str) -> bool:
    """Whether a turn asks for the number of the last answers."""
    return _HOW_MANY.fullmatch(text.strip()) is not None


def asks_by_how_much(text: str) -> bool:
    """Whether a turn asks for the difference of what was compared."""
    return _BY_HOW_MUCH.fullmatch(text.strip()) is not None


def what_differs(text: str) -> str | None:
    """What a turn asks by how much it differs from what was told.

    >>> what_differs("how much higher is Everest?"), what_differs("how much higher is Everest than K2?")
    ('Everest', None)
    """
    found = _HOW_MUCH_MORE.fullmatch(text.strip())
    return found["what"] if found else None


def is_one_of(text: str) -> str | None:
    """What a turn asks of whether it is one of the last answers.

    >>> is_one_of("Is Germany one of them?")
    'Germany'
    """
    found = _IS_ONE_OF.fullmatch(text.strip())
    return found["what"] if found else None


def of_what(text: str) -> str | None:
    """A turn that asks how deep, or how old, with a NUL for what that is asked of.

    >>> of_what("How deep?")
    'How deep is \\x00?'
    """
    if _HOW.fullmatch(text.strip()) is None:
        return None
    verb = "live in" if "many" in text.lower() else "is"
    return f"{text.strip().rstrip('?!. ')} {verb} \0?"


def is_more_than(text: str) -> Literal["<", ">"] | None:
    """How a turn compares the value that was told with that of something else.

    >>> is_more_than("is it higher than gold's?"), is_more_than("is that less than in Peru?"), is_more_than("how big?")
    ('>', '<', None)
    """
    found = _MORE_THAN.fullmatch(text.strip())
    return None if found is None else ">" if found["more"] else "<"


def affirmed(text: str) -> str:
    """What a turn denies, affirmed.

    >>> affirmed("which of them don't speak Spanish?"), affirmed("the ones that aren't volcanoes")
    ('which of them speak Spanish?', 'the ones that are volcanoes')
    """
    return re.sub(
        r"\b(?:(are|is|was|were)n['\u2019]?t|(?:do|does|did)n['\u2019]?t|(?:do|does|did) not)\b ?",
        lambda found: f"{found[1]} " if found[1] else "",
        text,
        count=1,
        flags=re.I,
    )


def before_owner(text: str) -> str:
    """What stands before "his" or "her" of a text, where they own something; "" where none does."""
    found = _OWNER.search(text)
    return text[: found.start()] if found else ""


def before_clause(text: str) -> str:
    """What stands before a clause of which "he" or "she" is the subject; "" where none is.

    >>> before_clause("how old was Emil when he died?"), before_clause("when he died?")
    ('how old was Emil ', '')
    """
    found = _CLAUSE.search(text)
    return text[: found.start()] if found else ""


def begins_with_ones(text: str) -> bool:
    """Whether it asks for "the ones that have" something, rather than how many have."""
    return re.match(r"(?:the|those) ones\b|those (?:that|who|which|with)\b", text, re.IGNORECASE) is not None


def says_two_apart(text: str) -> bool:
    """Whether a text says that two are meant."""
    return re.search(r"\b(?:both|either|two|who is|who was|which is|which was)\b", text, re.IGNORECASE) is not None


def of_two_sharing(text: str) -> str:
    """ "The two of them" for a "they" that has something together.

    >>> of_two_sharing("do they share a border?"), of_two_sharing("do they have a coast?")
    ('do the two of them share a border?', 'do they have a coast?')
    """
    return re.sub(r"\bthey(?= (?:share|border)\b)", "the two of them", text, flags=re.IGNORECASE)


def says_more(text: str) -> bool:
    """Whether it speaks of "the smaller one", of two."""
    return re.search(r"\bthe (?:more [a-z]+|[a-z]{2,}er) one\b", text, re.IGNORECASE) is not None


def is_than(text: str) -> bool:
    """Whether a phrase compares with something: "more than in Finland?"."""
    return is_phrase(text) and re.search(r"\bthan\b", text, re.IGNORECASE) is not None


def says_ranked_one(text: str) -> bool:
    """Whether a text says "the second one", whatever else it speaks of."""
    return _RANKED_ONE.search(text) is not None


def with_thing(text: str, things: Iterator[str]) -> str | None:
    """A text that says "he" and "it" with the first of some names for "it"; None where there is none.

    >>> with_thing("Did she win it?", iter(["Oscar"])), with_thing("Did she win?", iter([]))
    ('Did she win Oscar?', 'Did she win?')
    """
    if _IT.search(text) is None or sex_meant(text) not in ("male", "female"):
        return text
    thing = next(things, None)
    return None if thing is None else _IT.sub(lambda _: thing, text)


def only_lists(text: str) -> bool:
    """Whether a text with a NUL for some things asks for nothing but these: "list the others"."""
    return _LIST_ONLY.fullmatch(text.strip()) is not None


def asks_who_they_are(text: str) -> bool:
    """Whether a turn asks for those that were counted."""
    return _NAME_THEM.fullmatch(text.strip()) is not None


def asks_which(text: str) -> bool:
    """Whether a turn asks, after "how many" or "any", nothing but which.

    >>> asks_which("Which one?"), asks_which("which one is older?")
    (True, False)
    """
    return _WHICH.fullmatch(text.strip()) is not None


def other_year(before: str, text: str) -> str | None:
    """The question before with another year, where a turn says one: "and the year after?".

    >>> other_year("Who won the prize in 1921?", "the year after?"), other_year("Who was born in 1900?", "in 1905?")
    ('Who won the prize in 1922?', 'Who was born in 1905?')
    """
    years = [*_YEAR.finditer(before)]
    said, step = _YEAR.fullmatch(_IN_YEAR.sub("", text.strip(" ?.!"))), _A_YEAR.fullmatch(text.strip(" ?.!"))
    if len(years) != 1 or not (said or step):
        return None
    (old,) = years
    if step is not None:
        is_later = (step["way"] or step["next"]).lower() in ("after", "later", "next", "following")
    new = said[0] if said is not None else str(int(old[0]) + (1 if is_later else -1))
    return f"{before[: old.start()]}{new}{before[old.end() :]}"


def in_that_year(text: str, said: Iterable[str]) -> str | None:
    """A turn with the last year that was said in the place of "that year"; "" where none was, None where it says none.

    >>> in_that_year("Who got it that year?", ["1945", "Who won in 1921?"]), in_that_year("who won?", ["1945"])
    ('Who got it in 1945?', None)
    >>> in_that_year("Who won it two years later?", ["Who won in 1921?"]), in_that_year("and a year later?", ["1945"])
    ('Who won it in 1923?', None)
    """
    meant = _THAT_YEAR.search(text) or (_YEARS_ON.search(text) if counts_years(text) else None)
    if meant is None:
        return None
    year = next((found[0] for one in said if (found := _YEAR.search(one))), None)
    if year is None:
        return ""
    if meant.re is _YEARS_ON:
        groups = meant.groupdict()
        step = _STEPS.get((groups["n"] or "one").lower()) or int(groups["n"])
        is_later = (groups["way"] or groups["next"] or groups["then"]).lower() in (
            "after",
            "later",
            "next",
            "following",
        )
        year = str(int(year) + (step if is_later else -step))
        return f"{text[: meant.start()]}in {year}{text[meant.end() :]}"
    place = f"{year}'s" if meant["own"] else f"{meant['in'] or 'in '}{year}"
    return f"{text[: meant.start()]}{place}{text[meant.end() :]}"


def counts_years(text: str) -> bool:
    """Whether a question is about a year before or after another: "who won it one year later?"."""
    return not is_phrase(text) and _YEARS_ON.search(text) is not None


def name_behind(text: str, before: str) -> str:
    """What is left of a turn that begins as the question before did: "how many the Rhine" is "the Rhine".

    >>> name_behind("how many the Rhine?", "How many countries does the Danube cross?")
    'the Rhine?'
    """
    asked = _ASKED.match(text)
    is_so = asked is not None and before.lower().startswith(asked[1].lower())
    return text[asked.end() :] if is_so and asked is not None else text


def of_event(text: str, before: str) -> str | None:
    r"""A question word alone, asked of whom the question before told when or where they were born, or died.

    With a NUL for that person.

    >>> of_event("where?", "Who was born first?"), of_event("how?", "When did he die?")
    ('where was \x00 born?', 'what did \x00 die of?')
    """
    asks = _BARE_EVENT.fullmatch(text.strip())
    event = next((said for words, said in _EVENTS if words.search(before)), None)
    if asks is None or event is None:
        return None
    if asks["ask"].lower() == "how":
        return f"what {event} of?" if event.endswith("die") else None
    return f"{text.strip().rstrip('?!. ')} {event}?"


def theirs(text: str) -> str:
    """ "Their capitals" of a phrase that says so otherwise.

    >>> theirs("and the capitals of the three?"), theirs("the largest of the three?")
    ('their capitals?', 'the largest of the three?')
    """
    return _THEIRS.sub(r"their \g<what>", text)


def with_own_place(text: str, names: Sequence[str]) -> str:
    """A text with a name that stands before "there" in its place: "who was born in Rome and died there?"."""
    at = re.search(r"\bthere\b", text, re.IGNORECASE)
    before = [name for name in names if at is not None and name in text[: at.start()] and not _is_asked_for(text, name)]
    return with_place(text, before[-1]) if before else text


def _is_asked_for(text: str, noun: str) -> bool:
    """Whether a noun stands behind the word that asks: "which language is spoken there?", "what is the main language
    there?"; not "what is the capital of Kenya, and who was born there?"."""
    asked = r"what|which|how many|how much|what(?: is|['\u2019]s) the"
    between = r"(?:(?!(?:of|in|on|at|to|from|by|for|with)\b)[a-z]+ ){0,2}"
    return re.search(rf"\b(?:{asked}) {between}{re.escape(noun)}\b", text, re.IGNORECASE) is not None


def of_another_subject(text: str, last: str) -> str | None:
    """The last question whether something is so, of another: "And does Ecuador?".

    >>> of_another_subject("And does Ecuador?", "Does Peru border Brazil?")
    'Does Ecuador border Brazil?'
    """
    found, asked = _AND_DOES.fullmatch(text.strip()), _DOES.fullmatch(last.strip())
    return f"{asked['does']} {found['name']} {asked['rest']}" if found and asked else None


def is_same_of(text: str, last: str) -> bool:
    """Whether a phrase asks for the same of what was told: "and the seed parent of that one?"."""
    found = _SAME_OF.fullmatch(text.strip())
    return found is not None and found["what"].lower() in last.lower()
