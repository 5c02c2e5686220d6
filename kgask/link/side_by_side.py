"""Two relations behind a name, as people type them into a search box: "zinc symbol, plus boiling point"."""

from __future__ import annotations

import re
from collections.abc import Collection

from kgask.pack.normalise import normalise

_JOINED = re.compile(
    r"(?P<first>[^,;:?&+]+?)(?:,? (?:and|plus|&|\+)|,(?: and| plus)?) (?:the )?(?P<other>[a-z][a-z ]*?)\W*",
    re.IGNORECASE,
)
_OF_NAME = re.compile(r"['\u2019]s\Z|:\Z")
_MOST_WORDS = 3  # of a relation


def with_both_of(text: str, relations: Collection[str]) -> str:
    """ "Symbol and boiling point of zinc" for "zinc symbol, plus boiling point"; any other text as it is.

    ``relations`` are what those of a pack are called, normalised.

    >>> with_both_of("zinc symbol, plus boiling point", {"symbol", "boiling point"})
    'symbol and boiling point of zinc'
    >>> with_both_of("Peru capital & currency", {"capital", "currency"}), with_both_of("Peru and Chile", {"capital"})
    ('capital and currency of Peru', 'Peru and Chile')
    """
    found = _JOINED.fullmatch(text)
    if found is None or normalise(found["other"]) not in relations:
        return text
    words = found["first"].split()
    for at in range(max(1, len(words) - _MOST_WORDS), len(words)):
        one = " ".join(words[at:])
        if normalise(one) in relations:
            name = _OF_NAME.sub("", " ".join(words[:at]))
            return f"{one} and {found['other']} of {name}" if not name.lower().endswith((" the", " and")) else text
    return text
