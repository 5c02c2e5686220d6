"""Questions in fewer words: "do you know who wrote it" is who wrote it, "more wins than any other" the most wins."""

from __future__ import annotations

import re

from kgask.link.statements import as_question

_FAR_KIN = r"grand\w+|uncles?|aunts?|cousins?"
_FORMS = (
    # "do you happen to know the height of Everest?"
    (re.compile(r"\A\W*(?:(?:do|would|does) (?:you|anyone|anybody|it) (?:happen to |even )?(?:know|say)|"
                r"(?:do you have )?any idea|i(?:'d| would) (?:love|like) to know|i(?:'m| am| was)? wonder(?:ing)?|"
                r"remind me|i forgot|i can't remember),? "
                r"(?=(?:the|who|whom|whose|what|which|when|where|how|why) )", re.I), ""),
    # "her grandfather on the mother's side"
    *((re.compile(rf"\b({_FAR_KIN}) on (?:(?:his|her|its|their|the) )?(?:{kin})(?:['\u2019]s)? side\b", re.I),
       rf"{side} \1") for side, kin in (("maternal", "mother|mum|mom|dam"), ("paternal", "father|dad|sire"))),
    # "which boat has had more capsizes than any other?"
    (re.compile(r"\bmore ((?:[\w-]+ ){1,3}?)than any(?:one|body|thing)?(?: (?:other|else))?(?: \w+)?(?=\W*\Z)", re.I),
     r"the most \1"),
    # "which comes second if you sort them by weight?"
    (re.compile(r",? (?:if|when) (?:you|we|i|one) (?:sort|rank|order|list|arrange)s? (?:them |all |it )*by\b", re.I),
     " by"),
    (re.compile(r",? (?:if|when) (?:sorted|ranked|ordered|listed|arranged) by\b", re.I), " by"),
)  # fmt: skip


_IS_IT_TRUE = re.compile(
    r"\W*(?:and |so )?(?:(?:is|was) it (?:really |actually )?(?:true|correct|right|so|the case|a fact) that|"
    r"(?:do you (?:happen to )?know|(?:can|could) you tell me|tell me|i wonder|i'd like to know) (?:if|whether)) "
    r"(?P<claim>\S.*?)\W*",
    re.IGNORECASE | re.DOTALL,
)
_DENIES = re.compile(r"\b(?:no|none|not|nobody|nothing|never|neither)\b|n['\u2019]t\b", re.IGNORECASE)


def whether(text: str) -> str:
    """A question whether something is true as the question whether it is so; any other, or what denies, as it is.

    >>> whether("Is it true that the Nile is longer than the Amazon?"), whether("Is it true that Peru borders Chile?")
    ('Is the Nile longer than the Amazon?', 'Does Peru borders Chile?')
    >>> whether("I wonder if gold has an odour"), whether("Is it true?")
    ('Does gold have an odour?', 'Is it true?')
    """
    found = _IS_IT_TRUE.fullmatch(text)
    if found is None or _DENIES.search(found["claim"]):
        return text
    return as_question(found["claim"])


def reworded(text: str) -> str:
    """The question without what leads up to it, and with its order in fewer words; any other as it is.

    >>> reworded("Which boat has had more capsizes than any other?")
    'Which boat has had the most capsizes?'
    >>> reworded("Which element comes second if you sort them by weight?"), reworded("Who has more books than Poe?")
    ('Which element comes second by weight?', 'Who has more books than Poe?')
    """
    text = whether(text)
    for pattern, said in _FORMS:
        text = pattern.sub(said, text)
    return re.sub(r" (?=\?\Z)", "", text)
