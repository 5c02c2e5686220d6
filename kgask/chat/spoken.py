"""Turns as people speak, in the order and words of a question: "the cheaper one, who's that by?", "which is hers?".

Nothing here knows a pack.
"""

from __future__ import annotations

import re

from kgask.chat.form import PERSON, PLACE

_ASK = r"(?:whom?|whose|which|what|where|when|how|is|was|are|were|does|did|do|has|have)"
_THE_NAME_ITSELF = re.compile(
    r"\A(?P<said>(?:(?:and|but|what about|how about)\s+)[^?,]{2,40}?) (?:him|her|it|them)sel(?:f|ves)(?=\W*\Z)", re.I
)
_IS_HERS = re.compile(
    r"\A(?P<lead>(?:and )?)(?:which|what) (?P<noun>[a-z]+(?: [a-z]+)?) (?P<be>is|are|was|were) "
    r"(?P<whose>his|hers|its|theirs)(?=\W*\Z)",
    re.IGNORECASE,
)
_WHOSE = {"his": "his", "hers": "her", "its": "its", "theirs": "their"}
_THE_STORY = re.compile(  # of a film or a book
    r"\bthe (?:story|plot|action|tale)\b(?=(?: is| was)? (?:set|takes? place|took place|plays?|happens?|take)\b)",
    re.IGNORECASE,
)
_IS_THE_STORY = re.compile(
    r"\A(?P<where>(?:and )?where)(?:['\u2019]s| is| was) the (?:story|plot|action)(?= set\b)", re.I
)
_ONE_FIRST = re.compile(
    r"\A(?:and )?(?P<one>the (?!other\b)(?:(?:more|most|less|least) [a-z]+|[a-z]{2,}(?:er|est)) one),? "
    rf"(?P<asked>{_ASK}\b[^?]*?)\b(?P<it>(?:that|it|he|she|him)(?P<own>['\u2019]s)?|his|her|its)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_AND_THAT_TOO = re.compile(
    r",? (?:too|as well)(?:,? (?:please|pls|plz))?(?=\W*\Z)|,? (?:pls|plz)(?=\W*\Z)", re.IGNORECASE
)
_THAT_IS = re.compile(  # "which river drains it? Titicaca, that is."
    r"(?P<before>[^?]*?)\b(?:it|that|there|he|she|him|they)\b(?P<behind>[^?]*)\? (?P<name>(?:the )?[A-Z][^?.,]*?),? "
    r"(?:that is|i mean|i meant)\W*",
    re.IGNORECASE,
)
_THEY_DID = re.compile(  # whoever did it
    r"\A(?P<ask>(?:and )?(?:when|where|why|how)) did they (?P<verb>[a-z]{3,}?)(?P<e>e?) (?P<whom>him|her|it|them)"
    r"(?=(?: on| in| at| for| to)?\W*\Z)",
    re.IGNORECASE,
)
_DONE = {
    "find": "found",
    "build": "built",
    "make": "made",
    "buy": "bought",
    "sell": "sold",
    "hold": "held",
    "write": "written",
}
_ANY_OTHER = re.compile(r"\A(?:and )?any other (?=[a-z]+s\b)", re.IGNORECASE)
_WAS_FIRST = re.compile(
    r"\A(?P<lead>(?:and |so )?)who (?P<was>was|were|got|is) (?P<what>(?!born\b)[a-z]+(?: [a-z]+)?) "
    r"(?P<when>first|last|earliest|latest)(?=\W*\Z)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\b(?:from|to|in|at|near|around|of|through) \Z", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_OWN = frozenset(("his", "her", "its"))


def as_asked(text: str) -> str:
    """A turn in the words of a question.

    >>> as_asked("the cheaper one, who's that by?"), as_asked("the oldest one, when was it built")
    ("who's the cheaper one by?", 'when was the oldest one built')
    >>> as_asked("which account is hers?"), as_asked("And Owen himself?"), as_asked("his birthday too pls")
    ('what is her account?', 'And Owen?', 'his birthday')
    >>> as_asked("Which river drains it? Titicaca, that is.")
    'Which river drains Titicaca?'
    >>> as_asked("when did they arrest him?"), as_asked("who was picked up first?")
    ('when was he arrested?', 'who of them was picked up first?')
    >>> as_asked("where's the story set?"), as_asked("did he kill himself?")
    ('where is it set?', 'did he kill himself?')
    """
    text = _THE_NAME_ITSELF.sub(r"\g<said>", text)
    text = _IS_HERS.sub(
        lambda said: f"{said['lead']}what {said['be']} {_WHOSE[said['whose'].lower()]} {said['noun']}", text
    )
    if (meant := _THAT_IS.fullmatch(text)) is not None:
        text = f"{meant['before']}{meant['name']}{meant['behind']}?"
    if did := _THEY_DID.match(text):
        verb = f"{did['verb']}{did['e']}".lower()
        he = {"him": "was he", "her": "was she", "it": "was it", "them": "were they"}[did["whom"].lower()]
        text = f"{did['ask']} {he} {_DONE.get(verb) or did['verb'] + 'ed'}{text[did.end() :]}"
    text = _ANY_OTHER.sub("which other ", text)
    text = _WAS_FIRST.sub(r"\g<lead>who of them \g<was> \g<what> \g<when>", text)
    text = _THE_STORY.sub("it", _IS_THE_STORY.sub(r"\g<where> is it", text))
    if re.match(rf"(?:and )?{_ASK}\b", text, re.IGNORECASE) is None:
        text = _AND_THAT_TOO.sub("", text)
    if (found := _ONE_FIRST.fullmatch(text)) is None:
        return text
    own = found["own"] or ("'s" if found["it"].lower() in _OWN else "")
    return f"{found['asked']}{found['one']}{own}{found['rest']}"


def of_the_kind(text: str) -> str | None:
    """The kind that "and of the US state?" says; None of another turn.

    >>> of_the_kind("of the US state?"), of_the_kind("of Peru?")
    ('US state', None)
    """
    found = re.fullmatch(r"(?:of|in|for) the (?P<kind>[A-Za-z]+(?: [a-z]+)?)\W*", text.strip())
    return found["kind"] if found else None


def is_the_other(text: str) -> bool:
    """Whether it says "the other one" and nothing else."""
    return re.fullmatch(r"(?:and )?the other(?: one)?", text.strip(), re.IGNORECASE) is not None


def says_that_one(text: str) -> bool:
    """Whether it speaks of "that one"."""
    return re.search(r"\bthat one\b", text, re.IGNORECASE) is not None


def with_place(text: str, place: str) -> str:
    """A text with a name in the place of "there".

    >>> with_place("who lives there?", "Bath"), with_place("who drives from there?", "Bath")
    ('who lives in Bath?', 'who drives from Bath?')
    """
    return PLACE.sub(lambda found: place if _AFTER.search(text[: found.start()]) else f"in {place}", text)


def with_person(text: str, name: str) -> str:
    """A text with a name in the place of "he" or "she".

    >>> with_person("which of those does he act in?", "Ann Lee"), with_person("which of them are her books?", "Ann Lee")
    ('which of those does Ann Lee act in?', "which of them are Ann Lee's books?")
    """
    text = re.sub(r"\b(?:his|her)\b(?= [a-z])", lambda _: f"{name}'s", text, flags=re.IGNORECASE)
    return PERSON.sub(lambda _: name, text)


def is_of_person_and_place(text: str) -> bool:
    """Whether "he" and "there" are both spoken of."""
    return PERSON.search(text) is not None and PLACE.search(text) is not None


def in_year(text: str, before: str) -> str | None:
    """The question before with a year, where that has none and a turn says nothing else.

    >>> in_year("and in 1950?", "how many people live in Malta"), in_year("in 1950?", "who won in 1949?")
    ('how many people live in Malta in 1950?', None)
    """
    found = re.fullmatch(
        r"(?:and )?(?:what (?:was|is) (?:it|that) )?(?:back )?(?P<said>in (?:1\d|20)\d\d)\W*",
        text.strip(),
        re.IGNORECASE,
    )
    return None if found is None or _YEAR.search(before) else f"{before.rstrip('?. ')} {found['said']}?"
