"""Words of a text that say one thing alone, and what a relation about it is called; what something is the most of.

Beside two names a planner takes the relation that they have: whoever heads a station was not therefore born there. Such
a word has to stand for some step of the query; a relation that is called otherwise says nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from kgask.methods.accounted import is_all_called
from kgask.methods.demands import superlatives

SHORTEST = 3  # letters of an adjective that a relation is called by: "deep"
_WROTE = r"(?:wrote|penned|composed|writ(?:e|es|ten|ing)) (?:the )?"
_DEEDS = {  # heard of claims and of questions
    rf"{_WROTE}(?:libretto|lyrics|words|script|screenplay)": r"libret|lyric|word|text|writ|wrote|script|screen|author|"
    r"poe[mt]",
    rf"{_WROTE}(?:music|score|tune|melody)": r"music|compos|score|song|tune|melod|soundtrack|writ|wrote",
    r"conducted (?:the )?(?:\w+ )?(?:premi[eè]re|performance|concert|orchestra)": r"conduct|direct|lead|led\b|baton|"
    r"maestro",
    r"borrow(?:ed|s|ing)?": r"borrow|loan|l[ea]n[dt]|check|tak|rent|hire|member|user|reader|patron|pupil|custom|client|"
    r"holder|out\b|person|issued|student|owe|debt|bank|credit|amount",
}
_EVENTS = {
    **_DEEDS,
    r"born": r"birth|born|dob\b|yob\b|native|origin|home|\bage\b|year",
    r"died": r"death|dead|die|dod\b|kill|lost|end|fate|life|perish|year",
    r"buried": r"bur|grave|rest|cemet|tomb|lies|inter",
    r"married": r"spous|marri|husband|wife|partner|wed|union",
    r"divorced?": r"divorc|former",
    r"speaks?|spoke|fluent": r"speak|spoke|spoken|lang|tongue|fluent|know|say|talk|lectur|present",
    r"lives? in|lived in|reside[sd]?|dwells?": r"resid|liv|dwel|sleep|base|lair|home|house|addr|town|city|"
    r"village|place|locat|street|room|flat|countr|"
    r"inhabit|county|region|state|habitat",
    r"owns|owned": r"own|held|belong|propert|keep|hold|possess|propriet|landlord|parent|subsid|company|collect|pet",
    r"wrote|penned|authored": r"from|writ|wrote|author|creat|book|work|compos|lyric|script|poe[mt]|novel|text|song",
    r"directed": r"direct|helm|filmmak|creat|manag|conduct|made by|maker",
    r"repaired|mended": r"repair|mend|fix|servic|maint|workshop|mechanic",
    r"bought|purchased": r"buy|bought|purchas|acq|vendor|suppl|shop|own|won|"
    r"custom|client|order|s[oa]l[de]|pric|got",
    r"sold": r"s[eo]l[dl]|sale|vendor|pric|buy|bought|custom|order|dealer",
    r"sailed|steered": r"sail|helm|captain|skipper|crew|cox|pilot|boat|ship|voyag|command",
    r"taught": r"learn|lang|teach|taught|train|tutor|mentor|coach|student|pupil|instruct|educat|lectur|master",
    r"visited": r"visit|guest|travel|tour|trip",
    r"next to|adjacent to": r"border|neighb|next|adja|adjoin|side",
    r"grew(?! up| in)|shrank|shrunk|increased|decreased|declined": r"gr[oe]w|shr[aiu]nk|chang|increas|decreas|declin|"
    r"rate|ris|fall|drop|gain|loss|trend",
}
_MEASURES = {  # heard in questions too
    r"did (?:\w+ ){1,3}?(?:buy|purchase)": r"buy|bought|purchas|acq|vendor|suppl|shop|own|won|order|s[oa]l[de]|pric|"
    r"paid|cost|got|came|arriv|since|regist|date|dealer|from",
    r"(?:has|have|had|with) (?:the )?(?:more|most|fewer|fewest) (?:people|inhabitants)(?! who| that| than)": r"popul|"
    r"inhabit|people|resid|staff|employ|member|capacity|seat|guest|crew|visit|attend|pers|sleep|headcount|workforce|"
    r"size|passeng|play|victim|evacu|patient",
    r"been (?:with|at|in|here|there)\b[^,?]* long(?:er|est)": r"start|since|join|admit|admis|hire|appoint|employ|serv|"
    r"dat|year|arriv|ent(?:er|ry)|term|tenure|from|began|member|elect|found|establ|enrol|regist|commission|stay|long|durat",
    r"(?:fast|slow|quick)e(?:r|st)": r"speed|fast|days|ms\b|laten|\d|knot|km\W?h|mph|time|pace|minute|second|lap|"
    r"duration|mins?\b|velocity",
    r"(?:heavi|light)e(?:r|st)": r"weigh|mass|heav|ton|kgs?\b|load|gram|pound|dens|lbs?\b|carat|oz\b|ounce",
    r"(?:hott|warm|cold|cool)e(?:r|st)": r"temp|heat|hot|warm|cold|cool|degree|celsius|melt|boil",
    r"(?:rich|poor|wealthi)e(?:r|st)": r"gdp|gross|income|wealth|worth|fortune|money|salar|wage|"
    r"assets|rich|revenue",
    r"(?:cheap|dear|costli|prici)e(?:r|st)|(?:more|most|less|least) (?:expensive|costly)|"
    r"costs? (?:\w+ ){0,2}?(?:more|most|less|least)\b(?! to | than \d)": r"pric|"
    r"cost|bill|fee|rate|valu|rent|salar|eur|usd|charg|fare|budget|"
    r"tariff|paid|spent|ticket|£|€|[$]|bid\b|sum|worth|insur|amount|gbp|chf|dollar|euro|pound",
    # no area and no depth, which may be told in kilometres
    r"(?:longer|shorter)(?= than|,|\W*\Z)|(?:long|short)est": r"\A(?!.*\b(?:area|depth|deep)\b).*(?:leng|long|durat|"
    r"time|"
    r"dist|km|met(?:re|er)|mile|page|minute|hour|day|year|month|week|\bage|birth|death|born|life|span|stretch|height|tall|"
    r"elev|\bm\b|word|term|start|begin|since|reign|tenure|join|hire|admi|enrol|enter|stay|keep|until|till|expir|valid|appoint|elect|found|open|establ|date|employ|serv|stop|"
    r"mins?\b|secs?\b|\d|wait|lead|run|last|in \w+|bore|chain|track|line|haul|way|path|route|ft\b|feet|foot|cm\b|mm\b|"
    r"lag|delay|late|period|from|to\b|arriv|depart|acquir|bought|purchas|commission|install|built|planted|introduc|"
    r"episode|chapter|lap)",
    r"(?:deep|shallow)e(?:r|st)": r"dep|draught|draft",
}
_OF_VALUES = {  # heard where one value is told
    **_DEEDS,
    r"(?:wife|wives|husbands?)": r"\A(?!.*\bunmarried\b).*(?:spous|marr|husband|wife|wives|wed|partner|consort|kin|"
    r"relat|famil|parent|father|mother|child|name)",
    r"who (?:was it who |was it that )?(?:killed|murdered|assassinated|shot)": r"kill|murder|assass|shot|slay|slain|"
    r"victim|perpetrat|attack|defeat|eat|prey|beat|target|opponent",
    r"who (?:drove|drives|was driving|is driving)\b": r"driv|chauff|rid[ei]|crew|operat|person|who\b|pilot|racer",
    r"\Awhat(?:['\u2019]s| is| are| was| were) .*\bmade (?:out )?(?:of|from)": r"mater|made|metal|matl|"
    r"\bmat\b|wood|timber|fabric|compos|consist|ingred|type|kind|part|component|build|built|construct|finish|medium|alloy|content|contain|element|stuff|"
    r"substance|textile|stone|support",
    r"(?:addressed|sent|written|posted|mailed) to": r"recip|\bto\b|address|receiv|dest|\bfor\b|deliver|custom|client|"
    r"reader|dedicat|correspond",
    r"(?:home|private|postal) address": r"addr|street|resid|liv|home|hous|place|locat|road|where|mail",
    r"how many (?:people|persons|men|women) (?:work(?:s|ed)?|are (?:employed|working))": r"employ|work|staff|headcount|"
    r"people|person|crew|fte|team|hands|size|force|member|number|count|men\b|women",
    r"how much (?:did|do|does|has|have|had|was|were|is)\b.* (?:pay|paid|spend|spent)\b": r"pa[iy]|pric|cost|fee|rent|"
    r"amount|total|valu|sum|spen[dt]|salar|wage|charg|bill|invoice|fare|rate|eur|usd|gbp|chf|dollar|euro|pound|£|€|[$]|bid|"
    r"invest|consider|loan|grant|budget|donat|deposit|tax|fine|prize|transfer|tuition|subscription|ransom|bought|sold",
}
_OF_VALUES |= {
    r"\bow(?:es?|ed|ing)\b(?! to\b)": r"\bow|debt|due|balance|outstand|paid|credit|loan|arrear|borrow|lent|tab\b",
}
_OF_TRUTHS = {  # heard where yes or no is told
    r"(?:did|has|have)\b.* (?:win|won)\b": r"w[io]n|victor|champ|first|elect|award|gold|prize|receiv|result|place|rank|"
    r"title|medal|beat|cup|laureate|trophy|honou?r|nobel|position|lost|score",
}
_ANY_SIZE = re.compile(  # of whatever number or date
    r"(?:larg|bigg|great|high|low|small|tini|long|short|tall|old|eld|young|new|lat|earli|lofti|far|farth|furth|common)est|"
    r"most|least|fewest|"
    r"(?:recent|common|frequent)(?:ly)?"
)
_MOST_OF = re.compile(  # adjectives, as far as their ends tell: not "the most money", "the most other countries"
    r"\b(?<!\bat )(?:most|least) (?P<word>[a-z]{2,}(?:ive|ous|ed|ful|al|ant|ent|ar|ic|ing|able|ible|ern|ly))\b",
    re.IGNORECASE,
)
_NO_MEASURE = frozenset(
    "of in by with for to at from on among and or the a an is was has have had likely often".split()
)
_MEANT = [
    (re.compile(rf"\b(?:{said})\b", re.IGNORECASE), re.compile(called))
    for said, called in (_EVENTS | _MEASURES).items()
]
_MEASURED = _MEANT[len(_EVENTS) :]
_VALUED, _TRUE = (
    [(re.compile(said, re.IGNORECASE), re.compile(called)) for said, called in every.items()]
    for every in (_OF_VALUES, _OF_TRUTHS)
)


def unmet_event(text: str, called: str) -> str | None:
    """A word of a claim that says what no relation says; ``called`` are the words of the query's relations.

    >>> unmet_event("Moira was born in Wexmouth", "coxswain"), unmet_event("Moira was born there", "place birth")
    ('born', None)
    >>> unmet_event("whose economy shrank the most", "gdp"), unmet_event("it grew the most", "population growth")
    ('shrank', None)
    """
    if not called:
        return None
    return next((found[0] for said, meant in _MEANT if (found := said.search(text)) and not meant.search(called)), None)


def unmet_measure(text: str, called: str) -> str | None:
    """A word of a question that says by what things are compared, where no relation is called so: the priciest are not
    those with the highest share. ``called`` as for :func:`unmet_event`."""
    return next((word for word, meant in measures_in(text) if not meant.search(called)), None)


def unmet_value(text: str, called: str, is_truth: bool = False) -> str | None:
    """A word of a question that says what one value, or yes or no (``is_truth``), is of, where its relation is not
    called so: no power in MW is the number of people who work there. ``called`` as for :func:`unmet_event`."""
    found = ((said.search(text), meant) for said, meant in (_TRUE if is_truth else _VALUED))
    return next((said[0] for said, meant in found if said is not None and not meant.search(called)), None)


@lru_cache(64)
def measures_in(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """The words of a question by which things are compared, and what a relation about each is called."""
    return [(found[0], meant) for said, meant in _MEASURED if (found := said.search(text))]


def met_events(text: str, called: str) -> str:
    """The words of a text that say what these relations say.

    >>> met_events("Is gold heavier than the ring that she bought?", "atomic mass")
    'heavier'
    """
    return " ".join(word for word, meant in _events_in(text) if meant.search(called))


@lru_cache(64)
def _events_in(text: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(found[0], meant) for said, meant in _MEANT for found in said.finditer(text)]


def unmeasured(text: str, called: Collection[str]) -> str | None:
    """What something is said to be the most of, where the query's relations are not called so: the windiest city is not
    the highest. ``called`` are their words and those of what the query names.

    >>> unmeasured("it is the windiest city", {"elevation"}), unmeasured("it is the longest", {"distance"})
    ('windiest', None)
    >>> unmeasured("the most crowded country", {"population"}), unmeasured("the most populous", {"population"})
    ('crowded', None)
    """
    said = [*superlatives(text), *(found["word"].lower() for found in _MOST_OF.finditer(text))]
    return next((word for word in said if not _is_measure(word, called)), None)


def _is_measure(word: str, called: Collection[str]) -> bool:
    if _ANY_SIZE.fullmatch(word) or word in _NO_MEASURE or any(meant.search(f"most {word}") for meant, _ in _MEANT):
        return True
    stem = re.sub(r"i?est\Z", "", word)
    return is_all_called(word, called) or any(one.startswith(stem) for one in called if len(stem) >= SHORTEST)
