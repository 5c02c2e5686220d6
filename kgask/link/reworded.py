"""Questions in fewer words: "do you know who wrote it" is who wrote it, "more wins than any other" the most wins."""

from __future__ import annotations

import re

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


def reworded(text: str) -> str:
    """The question without what leads up to it, and with its order in fewer words; any other as it is.

    >>> reworded("Which boat has had more capsizes than any other?")
    'Which boat has had the most capsizes?'
    >>> reworded("Which element comes second if you sort them by weight?"), reworded("Who has more books than Poe?")
    ('Which element comes second by weight?', 'Who has more books than Poe?')
    """
    for pattern, said in _FORMS:
        text = pattern.sub(said, text)
    return re.sub(r" (?=\?\Z)", "", text)
