"""Turns that point back in so many words, said plainly: "the country you just mentioned" is that country, "the
literature one" the prize in literature, "these African ones" are those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgask.chat.form import THOSE
from kgask.link.reworded import of_kin
from kgask.link.units import unit_at
from kgask.pack.quantities import Quantity, axis_of

_MENTIONED = re.compile(
    r"\bthe (?P<noun>[a-z]+) (?:that )?(?:you|we|i) (?:just |have just |already )?(?:mentioned|named|said|told me|"
    r"talked about|spoke of|were talking about)\b",
    re.IGNORECASE,
)
_THESE_ONES = re.compile(r"\b(?:these|those) (?:[A-Z]\w+|[a-z]+) ones\b")
_SAME_YEAR = re.compile(r",? ?\b(?:in |of )?(?:the|that) same year\b", re.IGNORECASE)
_FIELD_ONE = re.compile(r"\bthe (?P<field>physics|chemistry|literature|medicine|peace|economics) one\b", re.IGNORECASE)
_FIELD = re.compile(r"\b(?:physics|chemistry|literature|medicine|peace|economics)\b", re.IGNORECASE)
_FIELD_ALONE = re.compile(
    r"(?:and )?(?:(?:the )?same year,? but )?(?:(?:the|for|in) )?"
    r"(?P<field>physics|chemistry|literature|medicine|peace|economics)(?: prize| one)?"
    r"(?:,? (?:in )?(?:that|the same) year)?\W*",
    re.IGNORECASE,
)
_PRIZE = re.compile(r"\b(?:nobel|prize)\b", re.IGNORECASE)
_WHO_GOT_THAT = re.compile(  # "and the literature prize that year, who got that?"
    r"\A(?:and )?(?P<what>the [\w ]*?(?:prize|award|medal|cup|title))(?P<when> (?:that year|in \d{4}))?, "
    r"who (?P<got>got|won|received|took) (?:that|it|this)(?: one)?\W*\Z",
    re.IGNORECASE,
)
_TWICE_THERE = re.compile(r"\bthere\b(?P<between>[^?]*?),? in that [a-z]+(?=\W*\Z)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?:and )?(?:how much|what)(?: is|['\u2019]s|s)? the difference(?: between them)?\W*", re.I)
_THE_MOST_ONE = re.compile(
    r"\b(?P<most>[a-z]{3,}est) one\b(?= (?:in|on|of) [A-Z])"
)  # elsewhere, and none of those told
_WHO_IS_MEANT = re.compile(r"(?P<asked>[^,?]*\b(?P<word>she|he|it|they)\b[^,?]*), (?P<name>[A-Z][^,?]+?)(?P<end>\W*)\Z")
_KIDS = re.compile(
    r"(?P<lead>['\u2019]s |\b(?:his|her|their) |\A(?:and )?(?:(?:any|the) )?)kids\b(?! of\b)", re.IGNORECASE
)
_LISTED = re.compile(
    r"(?P<asked>how many (?:children|kids|sons|daughters|wives|husbands|siblings|brothers|sisters)) (?:are|were) "
    r"(?:listed|recorded|known|there|on (?:record|file)|given)(?= ?\W*\Z)",
    re.IGNORECASE,
)
_POOR = re.compile(
    r"\bthe (?:poor|old|young|dear|good|great) (?:(?P<she>woman|lady|girl)|man|fellow|chap|guy|boy|gentleman)\b", re.I
)
_MEANT_IN = re.compile(  # "languages in the first... I mean in Haiti"
    r"(?P<asked>[^.?!]*?) (?P<how>in|of|for|from|by) [^.?!]*?(?:\.{2,3}|\u2026|,| [-\u2013]) ?(?:no,? |sorry,? )?"
    r"i mean(?:t)? (?P<meant>(?P=how) .+)",
    re.IGNORECASE,
)
_FRONTED = re.compile(  # "and Lake Maggiore, in which countries is it?"
    r"(?:(?:and|so|now|but|then) )?(?P<name>[^,?]{2,60}), "
    r"(?P<asked>(?:(?:in|on|at|of|by|from|to|with|for) )?(?:who|whom|whose|what|which|where|when|how|is|was|did|does|"
    r"do|has|his|her|its|their)\b[^?]*)(?P<end>\W*)",
    re.IGNORECASE,
)
_ONE_MEANT = re.compile(
    r"\b(?:(?P<own>his|her|its|their)(?= [a-z])|he|she|it|they|him|her|(?:that|this)(?=\W*\Z)|there(?=\W*\Z))\b", re.I
)
_LIVED_LONGER = re.compile(
    rf"(?:and )?(?:which|who)(?: one)?(?: of (?:{THOSE}|the two|both))? (?:lived|had the) longer(?: life)?\W*", re.I
)
_FROM_THESE = re.compile(
    r"\A(?P<and>(?:and )?)(?:from|out of|among) (?:these|those|them),? (?P<ask>who|which|what)\b", re.I
)
_ON_LIST = re.compile(r"how many (?:[a-z]+ )?(?:are |is )?(?:there )?(?:on|in) (?:that|the|this) list(?=\W*\Z)", re.I)
_IS_MORE = re.compile(  # "so Lake Tanganyika is deeper?"
    r"(?:(?:[Ss]o|[Aa]nd|[Tt]hen|[Bb]ut),? )?(?P<name>(?:the )?[A-Z][^?,]*?) (?P<is>is|was|are|were) "
    r"(?P<more>[a-z]+er|(?:more|less) [a-z]+)(?: then)?\?",
)
_ONE_OF_THEIRS = re.compile(
    r"(?:and )?(?:is|was|are) (?P<name>[^?]+?) (?:one of|among) (?:the|those) (?:things|ones|[a-z]+s) (?:that |which )?"
    r"(?P<who>they|he|she|it) (?P<does>[a-z]+)\W*",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?P<asked>(?:he|she|they)\b[^?]*?) (?:himself|herself|themselves)(?=\W*\Z)", re.IGNORECASE)
_IN_UNIT = re.compile(r"\bhow many (?P<unit>[a-z]+)\b", re.IGNORECASE)
_IN_IT = re.compile(r"\b(?P<has>have|has|had|with) (?P<what>[^?]+?) in (?:it|them)(?=\W*\Z)", re.IGNORECASE)
_IS_HOW = re.compile(r"(?P<name>[^?,]+?) (?P<is>is|was) how (?P<much>much|many [a-z]+) (?P<more>[a-z]+er)\W*", re.I)
_WHEN_THAT = re.compile(r"(?:and )?when (?:was|did) (?:that|it|this)(?: happen| take place| be)?\W*", re.IGNORECASE)
_GOT = re.compile(r"\b(?:prize|award|medal)\b.*\b(?:get|win|receive|won|got|received)\b", re.IGNORECASE)


def plainly_said(text: str, last: str, is_name: Callable[[str], bool]) -> str:
    """A turn as it is said plainly; ``last`` is the last question as it was understood.

    >>> plainly_said("What's the capital of the country you just mentioned?", "", str.istitle)
    "What's the capital of that country?"
    >>> plainly_said("which of these African ones was first?", "", str.istitle)
    'which of those was first?'
    >>> plainly_said("Who won the chemistry one the same year?", "When did he get the Nobel Prize?", str.istitle)
    'Who won the chemistry prize that year?'
    >>> plainly_said("And what's the highest one in Nepal?", "What is the highest mountain in Peru?", str.istitle)
    "And what's the highest mountain in Nepal?"
    >>> plainly_said("where was she born, Uma Thurman?", "", str.istitle)
    'where was Uma Thurman born?'
    >>> plainly_said("And Lake Como, in what countries it lies?", "", str.istitle)
    'in what countries Lake Como lies?'
    >>> plainly_said("languages in the first... I mean in Haiti", "", str.istitle)
    'languages in Haiti'
    >>> plainly_said("so Lake Tanganyika is deeper?", "", str.istitle)
    'is Lake Tanganyika deeper?'
    >>> plainly_said("Is YouTube one of the things they own?", "", str.istitle)
    'do they own YouTube?'
    >>> plainly_said("from these, who is the biggest?", "", str.istitle)
    'who of them is the biggest?'
    """
    text = _MENTIONED.sub(r"that \g<noun>", text)
    text = _THESE_ONES.sub("those", text)
    if _PRIZE.search(last):
        text = _FIELD_ONE.sub(r"the \g<field> prize", text)
    other, field = _FIELD_ALONE.fullmatch(text), _FIELD.search(last)
    if other is not None and field is not None:
        return f"{last[: field.start()]}{other['field'].lower()}{last[field.end() :]}"
    text = _SAME_YEAR.sub(" that year", text)
    text = _TWICE_THERE.sub(r"there\g<between>", text)
    text = _WHO_GOT_THAT.sub(r"Who \g<got> \g<what>\g<when>?", text)
    if _DIFFERENCE.fullmatch(text):
        return "what is the difference?"
    if (most := _THE_MOST_ONE.search(text)) is not None:
        noun = re.search(rf"\b{re.escape(most['most'])} (?P<noun>[a-z]+)\b(?<! one)", last, re.IGNORECASE)
        text = text if noun is None else text.replace(f"{most['most']} one", f"{most['most']} {noun['noun']}")
    if (named := _WHO_IS_MEANT.fullmatch(text)) is not None and is_name(named["name"]):
        asked = re.sub(rf"\b{named['word']}\b", lambda _: named["name"], named["asked"], count=1)
        text = f"{asked}{named['end']}"
    text = _FROM_THESE.sub(
        r"\g<and>\g<ask> of them", _ON_LIST.sub("how many are they in all", _SELF.sub(r"\g<asked>", text))
    )
    if (how := _IS_HOW.fullmatch(text)) is not None:
        text = f"how {how['much']} {how['more']} {how['is']} {how['name']}?"
    text = _IN_IT.sub(r"\g<has> \g<what>", text) if text.lower().startswith(("which", "what", "and which")) else text
    if (more := _IS_MORE.fullmatch(text)) is not None and is_name(more["name"]):
        text = f"{more['is']} {more['name']} {more['more']}?"
    if (owned := _ONE_OF_THEIRS.fullmatch(text)) is not None:
        does = "do" if owned["who"].lower() == "they" else "does"
        text = f"{does} {owned['who']} {owned['does']} {owned['name']}?"
    text = _POOR.sub(lambda said: "she" if said["she"] else "he", _LISTED.sub(r"\g<asked>", text))
    text = of_kin(text)
    if (meant := _MEANT_IN.fullmatch(text)) is not None:
        text = f"{meant['asked']} {meant['meant']}"
    text = _KIDS.sub(r"\g<lead>children", _of_fronted(text, is_name))
    if _WHEN_THAT.fullmatch(text) and _GOT.search(last):
        return "in what year?"
    return text


def lived_longer(text: str, names: Sequence[str]) -> str | None:
    """A question which of two lived longer, with their names; None for any other.

    >>> lived_longer("which one lived longer?", ["Marie Curie", "Pierre Curie"])
    'who lived longer, Marie Curie or Pierre Curie?'
    """
    return f"who lived longer, {' or '.join(names)}?" if _LIVED_LONGER.fullmatch(text) else None


def _of_fronted(text: str, is_name: Callable[[str], bool]) -> str:
    """A turn that names something first, and then says a pronoun for it, with the name in its place."""
    found = _FRONTED.fullmatch(text)
    meant = _ONE_MEANT.search(found["asked"]) if found is not None else None
    if found is None or meant is None or not is_name(found["name"]):
        return text
    said = f"{found['name']}'s" if meant["own"] else found["name"]
    return f"{found['asked'][: meant.start()]}{said}{found['asked'][meant.end() :]}{found['end']}"


def is_so_measured(text: str, quantity: Quantity) -> bool:
    """Whether a quantity is of what a turn asks to be told in: "by how many km?" is no number of rivers."""
    found = _IN_UNIT.search(text)
    if found is None or found["unit"].lower().startswith("year"):
        return True
    unit = unit_at(found["unit"], 0, False, {})
    return unit is None or axis_of(unit[1]) == quantity.axis
