"""Questions that stop at their verb, and go on with what the last one asked of some."""

from __future__ import annotations

import re

from kgask.chat.form import THOSE

_VERB = r"(?P<verb>are|is|were|was|do|does|did|have|has|can)"
_STOPS = re.compile(rf"(?:and )?(?:which|what|who|how many)\b.* {_VERB}\W*", re.IGNORECASE)
_OF_THEM = re.compile(rf"(?:and )?(?:which|who|how many)(?: ones)? of {THOSE} {_VERB} (?P<what>.+?)\W*", re.IGNORECASE)


def gone_on(text: str, last: str) -> str:
    """A question that stops at its verb, with what the last one asked of some.

    >>> gone_on("and which ones in the hall are?", "which of them are pet safe?")
    'and which ones in the hall are pet safe?'
    """
    stops, before = _STOPS.fullmatch(text), _OF_THEM.fullmatch(last)
    if stops is None or before is None or stops["verb"].lower() != before["verb"].lower():
        return text
    return f"{text[: stops.end('verb')]} {before['what']}?"
