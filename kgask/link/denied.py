"""What a syllable denies, where a graph says it by a relation: "unpaid invoices" are invoices that are not paid."""

from __future__ import annotations

import re
from collections.abc import Collection

_DENIED = re.compile(
    r"(?:\b(?P<be>is|are|was|were) )?(?:\b(?:still|yet|currently) )?\bun(?P<word>[a-z]{4,})\b"
    r"(?: (?P<nouns>[a-z]{3,}s)\b)?",
    re.IGNORECASE,
)
_IS_ONE = re.compile(
    r"\W*(?:and |so )?(?:is|was) (?!(?:there|any)\b)", re.IGNORECASE
)  # of one thing, no "not" is a yes
_OTHERWISE = frozenset("known like less usual able certain".split())  # what "un" before it says as one word


def undenied(text: str, relation_names: Collection[str]) -> str:
    """The question with "not" in the place of such a syllable; any other as it is.

    >>> undenied("unpaid invoices to Ann", ["paid"]), undenied("Which invoices are still unpaid?", ["paid"])
    ('invoices that are not paid to Ann', 'Which invoices are not paid?')
    >>> undenied("how many invoices unpaid", ["paid"]), undenied("How many units are unsold?", ["price"])
    ('how many invoices that are not paid', 'How many units are unsold?')
    >>> undenied("Is the bill unpaid?", ["paid"])
    'Is the bill unpaid?'
    """
    if _DENIED.search(text) is None or _IS_ONE.match(text):
        return text
    known = {word for name in relation_names for word in name.lower().split()}

    def said(found: re.Match[str]) -> str:
        word = found["word"].lower()
        if word not in known or word in _OTHERWISE:
            return found[0]
        if found["be"]:
            return f"{found['be']} not {word}" + (f" {found['nouns']}" if found["nouns"] else "")
        return f"{found['nouns']} that are not {word}" if found["nouns"] else f"that are not {word}"

    return _DENIED.sub(said, text)
