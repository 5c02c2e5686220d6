"""Words of a claim that say one thing alone, and what a relation about it is called.

Beside two names a planner takes the relation that they have: whoever heads a station was not therefore born there. Such
a word has to stand for some step of the query; a relation that is called otherwise says nothing about it.
"""

from __future__ import annotations

import re

_EVENTS = {
    r"born": r"birth|born|dob\b|yob\b|native|origin|home|\bage\b|year",
    r"died": r"death|dead|die|dod\b|kill|lost|end|fate|life|perish|year",
    r"buried": r"bur|grave|rest|cemet|tomb|lies|inter",
    r"married": r"spous|marri|husband|wife|partner|wed|union",
    r"divorced?": r"divorc|former",
    r"lives? in|lived in|reside[sd]?|dwells?": r"resid|liv|dwel|sleep|base|lair|home|house|addr|town|city|"
    r"village|place|locat|street|room|flat|countr|"
    r"inhabit|county|region|state|habitat",
    r"owns|owned": r"own|held|belong|propert|keep|hold|possess|propriet|landlord|parent|subsid|company|collect|pet",
    r"wrote|penned|authored": r"from|writ|wrote|author|creat|book|work|compos|lyric|script|poe[mt]|novel|text|song",
    r"repaired|mended": r"repair|mend|fix|servic|maint|workshop|mechanic",
    r"bought|purchased": r"buy|bought|purchas|acq|vendor|suppl|shop|own|won|custom|client|order|s[oa]l[de]|pric|got",
    r"sold": r"s[eo]l[dl]|sale|vendor|pric|buy|bought|custom|order|dealer",
    r"sailed|steered": r"sail|helm|captain|skipper|crew|cox|pilot|boat|ship|voyag|command",
    r"taught": r"learn|lang|teach|taught|train|tutor|mentor|coach|student|pupil|instruct|educat|lectur|master",
    r"visited": r"visit|guest|travel|tour|trip",
    r"next to|adjacent to": r"border|neighb|next|adja|adjoin|side",
    r"faster|slower|quicker": r"speed|fast|days|ms\b|laten|\d|knot|km\W?h|mph|time|pace|minute|second|lap|"
    r"duration|mins?\b|velocity",
    r"heavier|lighter": r"weigh|mass|heav|ton|kgs?\b|load|gram|pound|dens|lbs?\b",
    r"cheaper|dearer|costlier|pricier": r"pric|cost|bill|fee|rate|valu|rent|salar|eur|usd|charg|fare|budget|"
    r"tariff|paid",
    r"deeper|shallower": r"dep|draught|draft",
}
_MEANT = [(re.compile(rf"\b(?:{said})\b", re.IGNORECASE), re.compile(called)) for said, called in _EVENTS.items()]


def unmet_event(text: str, called: str) -> str | None:
    """A word of a claim that says what no relation says; ``called`` are the words of the query's relations.

    >>> unmet_event("Moira was born in Wexmouth", "coxswain"), unmet_event("Moira was born there", "place birth")
    ('born', None)
    """
    if not called:
        return None
    return next((found[0] for said, meant in _MEANT if (found := said.search(text)) and not meant.search(called)), None)
