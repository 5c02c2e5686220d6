"""Where somebody is from, by an adjective: "Bob Dylan is American" says that he is from the United States."""

from __future__ import annotations

import re

from kgask.link.adjectives import places_of
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

_BE = r"(?:is|was|are|were)"
_NATION = r"(?:an? |the )?(?P<nation>[A-Z][a-z]{2,})"
_ASKED = re.compile(rf"\W*(?P<be>(?i:{_BE})) (?P<name>.+?) {_NATION}(?: (?P<noun>[a-z]{{3,}}))?\W*\Z")
_BORDER = re.compile(
    r"(?P<ask>\bhow many (?:k?m|kilomet(?:er|re)s|miles) is )?\bthe (?P<one>[^\W\d_]+)[ /\u2013-](?P<other>[^\W\d_]+) "
    r"(?:border|frontier)\b",
    re.IGNORECASE,
)
_SAID = re.compile(rf"(?P<name>\W*\S.*? {_BE}(?: not|n['\u2019]t)?) (?P<nation>[A-Z][a-z]{{2,}})(?P<end>\W*)\Z")


def asked_of_nation(text: str, pack: Pack) -> tuple[str, ...]:
    """A question whether something is "French", or a "French novelist", as whether it is from there, and a novelist;
    nothing of another question."""
    found = _ASKED.match(text)
    place = _place(found["nation"], pack) if found is not None else None
    if found is None or place is None:
        return ()
    of_noun = (f"{found['be']} {found['name']} a {found['noun']}?",) if found["noun"] else ()
    return (f"{found['be']} {found['name']} from {place}?", *of_noun)


def said_of_nation(text: str, pack: Pack) -> str:
    """A statement that somebody is "American" as one that they are from there; any other as it is."""
    found = _SAID.match(text)
    place = _place(found["nation"], pack) if found is not None else None
    return text if found is None or place is None else f"{found['name']} from {place}{found['end']}"


def with_border(text: str, pack: Pack) -> str:
    """ "The border between Norway and Sweden" for "the norway sweden border"; any other text as it is."""
    found = _BORDER.search(text)
    if found is None or not all(
        pack.exact([normalise(found[name])]).get(normalise(found[name])) for name in ("one", "other")
    ):
        return text
    long = "how long is " if found["ask"] else ""
    return f"{text[: found.start()]}{long}the border between {found['one']} and {found['other']}{text[found.end() :]}"


def _place(adjective: str, pack: Pack) -> str | None:
    """What the place is called that an adjective speaks of, by the first name that the pack has."""
    names = places_of(normalise(adjective))
    hits = pack.exact(set(names))
    own = [hit.entity for name in names for hit in hits.get(name, ()) if not hit.is_alias]
    return pack.labels(own[:1])[0] if own else None
