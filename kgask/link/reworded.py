"""Orders as planner and judge know them: "more wins than any other driver" is the most wins."""

from __future__ import annotations

import re

_FORMS = (
    # "which boat has had more capsizes than any other?"
    (re.compile(r"\bmore ((?:[\w-]+ ){1,3}?)than any(?:one|body|thing)?(?: (?:other|else))?(?: \w+)?(?=\W*\Z)", re.I),
     r"the most \1"),
    # "which comes second if you sort them by weight?"
    (re.compile(r",? (?:if|when) (?:you|we|i|one) (?:sort|rank|order|list|arrange)s? (?:them |all |it )*by\b", re.I),
     " by"),
    (re.compile(r",? (?:if|when) (?:sorted|ranked|ordered|listed|arranged) by\b", re.I), " by"),
)  # fmt: skip


def reworded(text: str) -> str:
    """The question with such an order in fewer words; any other as it is.

    >>> reworded("Which boat has had more capsizes than any other?")
    'Which boat has had the most capsizes?'
    >>> reworded("Which element comes second if you sort them by weight?"), reworded("Who has more books than Poe?")
    ('Which element comes second by weight?', 'Who has more books than Poe?')
    """
    for pattern, said in _FORMS:
        text = pattern.sub(said, text)
    return re.sub(r" (?=\?\Z)", "", text)
