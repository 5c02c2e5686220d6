"""What people write around a question that asks nothing: greetings, excuses, what they need it for, how sure they are.

A matter of form; nothing here knows a pack. What has a name or a number in it, or says of what is spoken ("in football,
..."), is left where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_ASKING = r"(?:who|whom|whose|what|which|when|where|how)(?:['\u2019](?:s|re|d))?\b"
_PREPOSITION = r"(?:in|by|on|at|to|for|from|of|with|since|until)"
_GREETING = re.compile(
    r"\A\W*(?:(?:hi|hello|hey|hiya|greetings|dear|good (?:morning|afternoon|evening|day))(?: [\w.'\u2019]+){0,3}?|"
    r"(?:quick|one (?:more|last|quick)|another|just a) (?:question|thing)(?: (?:for|from) [\w ]+?)?)"
    r"\s*(?:[,:;]|[-\u2013\u2014](?=\s)|[!.](?=\s))\s*(?:(?:and|but|so) )?",
    re.IGNORECASE,
)
_NEEDED_FOR = (
    "report quiz crossword homework essay debate meeting article newsletter poster presentation talk records files "
    "boss audit project"
)
_NEED = rf"(?:the|my|our|a) (?:[\w'-]+ )?(?:{'|'.join(_NEEDED_FOR.split())})"
_EXCUSE = re.compile(
    r"\A\W*(?:(?:i['\u2019]m )?(?:sorry|apologies|excuse me|pardon me|forgive me)|"
    r"(?:just )?out of (?:\w+ )?(?:curiosity|interest)|in case it['\u2019]?(?:s| is)|while you(?:['\u2019]re| are)|"
    r"if (?:it|that)(?:['\u2019]s| is) (?:ok|okay|no|not)|"
    r"if you (?:don['\u2019]t mind|could|can|please|know)(?=,)|"
    r"if you (?:have|get) (?:a |the |some )?(?:moment|minute|second|time|chance)|"
    r"when(?:ever)? you (?:get|have|find) (?:a|the|some|round|around|to|time)|"
    rf"(?:just )?(?:for|to) {_NEED}\b|"
    r"if i (?:remember|recall)(?: (?:right|correct)ly| right)?(?=,))"
    r"[^,:;?\u2013\u2014]*?(?:[,:;]| [-\u2013\u2014](?=\s))\s*(?:(?:and|but|so|then) )?(?=\w)",
    re.IGNORECASE,
)
_QUIZ = re.compile(
    r"\A\W*(?:for [a-z]+ (?:bonus )?points?|fingers on [a-z' ]+|true or false(?: [a-z]+)?|"
    r"(?:first|next|last|final|bonus) (?:one|question|round|up)|[a-z]+ for the price of one|"
    r"(?:here is|here's) an? (?:easy|quick|hard) one|"
    r"(?:two|three|a couple of|some) (?:quick|easy|short) (?:ones|questions)|contestants|teams|players|folks|"
    r"ladies and gentlemen|every(?:one|body) knows [\w '\u2019-]+(?=, but )|"
    r"starter for ten|(?:(?:an)?other|different|new) (?:thing|question|topic|subject)|"
    r"something (?:else|different)|change of (?:subject|topic)|on another note|btw|by the way)"
    r"\s*[:,-] (?:but )?(?=[a-z])",
    re.IGNORECASE,
)
_OWN = re.compile(  # "I seem to remember both flags going up: did Ghana or Nigeria become independent first?"
    r"\A\W*(?:i|my|we|our)\b(?P<lead>[^?:.]{0,200})[:.] (?:(?:and|so|but) )?"
    rf"(?=(?P<asked>(?:{_PREPOSITION} )?{_ASKING}.*|(?:is|was|are|were|did|does|do|has|have) .*))",
    re.IGNORECASE | re.DOTALL,
)
_OCCASION = re.compile(
    r"\A\W*(?:for (?=[^?:,]*\b(?:i|we)['\u2019]?(?:m| am|re| are) )|since|as|because|so that|though|now that|while|"
    r"before) "
    r"(?P<lead>[^?:]*?\b(?:i|my|me|we|our|us)\b[^?:]*?)(?:, |: | - )(?:(?:so|then|and) )?"
    rf"(?:please )?(?:(?:can|could|would) you (?:please )?(?:tell me|confirm|say|check) )?"
    rf"(?=(?:{_PREPOSITION} )?{_ASKING})",
    re.IGNORECASE,
)
_KNOW = (
    r"(?:know|ask(?:ed|s) (?:me|us)|find out|finding out|work out|figure out|remember|recall|tell(?:ing)? (?:me|us)|"
    r"check(?:ing)?|learn|hear|look(?:ing)? up|see|say|count(?:ing)?(?: up)?|remind me)"
)
_LEAD = re.compile(
    rf"\A\W*(?!{_ASKING})(?!{_PREPOSITION} (?!{_NEED}\b))(?P<lead>[^?]*?\b{_KNOW}"
    rf"(?: (?:for (?:me|us)|again|please|exactly|quickly))*,? )(?P<asked>(?:{_PREPOSITION} )?{_ASKING}.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_OF_SPEAKER = re.compile(
    r"\b(?:i|me|my|we|us|our|you|someone|somebody|anyone|anybody|please|let)\b|['\u2019](?:d|ve|m)\b", re.IGNORECASE
)
_KNOWN = re.compile(  # what the planner has met often enough
    r"\W*(?:(?:can|could|would|will|do|does|please|kindly|i|i['\u2019]d|you|anyone|somebody|would|like|want|love|to|happen|"
    r"tell|me|us|say|know|just|and)[ ,]*)+",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:it|its|he|she|his|her|him|they|their|them|that|this|those|these|there|then|both|before)\b", re.IGNORECASE
)
_CONTENT = re.compile(r"\d|(?<=[\w,;:] )(?!I\b)[A-Z]\w")
_WHO_IT_WAS = re.compile(r"\A\s*it (?:was|is) |(?<=\w) (?:who|that) (?=[a-z]+ed\b)", re.IGNORECASE)
_RIGHT = (
    r"(?:is|was|isn['\u2019]t|are) (?:that|he|she|it|this|they) (?:actually |really )?"
    r"(?:right|true|correct|so|the case)\W*\Z"
)
_CLAIMED = re.compile(
    r"\A[^?]*?\b(?:insists?|claims?|says?|said|told me|tells me|reckons?|swears?(?: blind)?|thinks?|believes?|heard|"
    r"read|sure)(?: me| us)?(?: that)? (?P<claim>[^?]+?)(?:, and (?:i|we)\b[^,:;?]*)?"
    rf"\s*(?:[,:;.]| [-\u2013\u2014])\s*(?:but )?{_RIGHT}",
    re.IGNORECASE | re.DOTALL,
)
_SOMEBODY = r"(?:can|could|would|will) (?:you|someone|somebody)(?: please| kindly)? "
_CHECK = re.compile(
    rf"\A\W*(?:{_SOMEBODY}|please |i(?:['\u2019]d| would)? (?:like|want|need) to )"
    r"(?:check|verify|confirm|find out|see|tell me|let me know|know)(?: for (?:me|us))? (?:if|whether) ",
    re.IGNORECASE,
)
_DONE = r"[a-z]+ed|built|made|bought|sold|sent|wrote|written|gave|got"
_BE = r"(?:['\u2019]s| is| was| were)"
_FORMS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # "which project was it again that was finished in May?"
    (re.compile(rf"\A(?P<who>who|(?:which|what)(?: [\w-]+){{1,3}}?){_BE} it(?: again)? (?:that|who|which) "
                rf"(?=(?:is|was|were|has|had|did|does|can|[a-z]+(?:s|ed))\b)", re.I), r"\g<who> "),
    (re.compile(rf"\A(?P<who>who|(?:which|what)(?: [\w-]+){{1,3}}?){_BE} it(?: again)? (?:that |who |which )?"
                rf"(?:we|they|you|i|people|every(?:body|one)) (?P<verb>(?:{_DONE})(?: (?:up|out|off|down))?)\b", re.I),
     r"\g<who> was \g<verb>"),
    # "is it right, as I read, that Emma is a novel?", "it was Ann who directed Jaws"
    (re.compile(r"\A\W*(?:is|was) it (?:right|true|correct|so), [^,?]*, that ", re.I), "Is it true that "),
    # "there's a song that runs 374 seconds, what's it called again"
    (re.compile(rf"\A\W*there(?:{_BE}| are) (?:an?|this|some) (?P<kind>[\w -]+?) (?:that|which|who) "
                rf"(?P<rest>[^?,;]+?)[,;.:]? (?:-+ )?(?:what|which|who){_BE} (?:it|that|he|she|this)"
                r"(?: called| named)?(?: again)?\W*\Z", re.I), r"Which \g<kind> \g<rest>?"),
    # "I have a tag here that says S-009. What piece is it?", "we had a call from 0173 917384 - which tenant is that?"
    (re.compile(r"\A\W*[^?]*?\b(?:i|we|me|us|some(?:one|body)|there)\b[^?]*?\b"
                r"(?P<value>(?:(?:extension|room|number|no\.|code) )?[\w/.+-]*\d[\w/.+-]*(?: \d[\w-]*)*)"
                r"(?:\s*[,;:.]| [-\u2013\u2014])\s*(?:and )?(?:which|what|who) (?:(?P<kind>[\w-]+(?: [\w-]+)?) )?"
                r"(?:is|was) (?:that|it|this)\W*\Z", re.I),
     lambda said: f"Which {said['kind'] or 'one'} has {said['value']}?"),
    # "could somebody send me the names of those born after 1500?"
    (re.compile(rf"\A\W*(?:{_SOMEBODY}|please |kindly )*"
                r"(?:send|e-?mail|fetch|pull up|dig out|print|look up|find) (?:me|us) ", re.I), "Give me "),
    # "would you be so kind as to name the animals ...?"
    (re.compile(r"\A\W*(?:would|could) you be so (?:kind|good) as to (?=\w)|\A\W*would you mind (?=\w+ing)", re.I), ""),
    # "... how high Ben Nevis is? My late husband climbed it."
    (re.compile(r"\?\s+(?:my|i|we|our)\b(?! (?:only |just )?mean)[^?]*\Z", re.I), "?"),
    # "my grandson asked me what money they use there. Do you know?"
    (re.compile(r"[.?]\s+(?:do you know|any idea|can you help)\W*\Z", re.I), "?"),
    # "..., I'm making a poster."
    (re.compile(r"[,;.] (?:(?:because|as|since) )?(?:i['\u2019]m|i am|we['\u2019]re|we are|it['\u2019]s for) "
                r"(?:[a-z]+ing|preparing|an?|the|my|our)\b[^,;?]*\Z", re.I), ""),
    # "her grandparents, the ones we have anyway?"
    (re.compile(r", the ones (?:(?:that )?(?:we|you)(?:['\u2019]ve)? (?:have|know|got)|(?:on|in) (?:file|here))"
                r"[^,?]*(?=\W*\Z)", re.I), ""),
    (re.compile(r", (?:since|because) (?:an?|the|my|our|i|we|some|people)\b[^,?]*(?=\W*\Z)", re.I), ""),
    (re.compile(r",? (?:can|could) you (?:do the (?:sum|maths?)|work (?:it|that) out)(?: for me)?\W*\Z", re.I), "?"),
    # "the earliest-born person"
    (re.compile(r"\b(first|last|earliest|latest|longest|oldest|highest|lowest|best|most)-"
                r"(?=(?:born|built|made|run|[a-z]+(?:ed|est|ing))\b)", re.I), r"\1 "),
)  # fmt: skip


def without_preamble(text: str) -> str:
    """The question without what leads up to it or follows it; any other as it is.

    >>> without_preamble("Good morning! Sorry to bother you again, but how many wild boar were there?")
    'how many wild boar were there?'
    >>> without_preamble("I'm trying to work out by how many years Ann was older, can you do the sum?")
    'by how many years Ann was older?'
    >>> without_preamble("My uncle insists that the Nile is longer than the Amazon - is he right?")
    'Is it true that the Nile is longer than the Amazon?'
    >>> without_preamble("Which project was it again that ended in May?"), without_preamble("In 2019, say who won")
    ('Which project ended in May?', 'In 2019, say who won')
    """
    asked = text
    for form in (_GREETING, _EXCUSE):
        found = form.match(asked)
        asked = asked[found.end() :] if found is not None and (form is _GREETING or not _says(found[0])) else asked
    asked = _QUIZ.sub("", _QUIZ.sub("", asked))
    own = _OWN.match(asked)
    if own is not None and not _says(own["lead"]) and not _REFERS.search(own["asked"]):
        asked = asked[own.end() :]
    occasion = _OCCASION.match(asked)
    if occasion is not None and not _says(occasion["lead"]):
        asked = asked[occasion.end() :]
    if (claimed := _CLAIMED.match(asked)) is not None:
        return f"Is it true that {_WHO_IT_WAS.sub(' ', claimed['claim']).strip()}?"
    asked = _CHECK.sub("Is it true that ", asked)
    for pattern, said in _FORMS:
        asked = pattern.sub(said, asked)
    lead = _LEAD.match(asked)
    if lead is not None and _asks_nothing(lead["lead"]) and not _refers(lead):
        asked = lead["asked"]
    return asked if asked.strip(" ?!.") else text


def _asks_nothing(lead: str) -> bool:
    """Whether all parts of what leads up to a question are of who asks, and it is longer than such leads mostly are."""
    is_of_speaker = all(_OF_SPEAKER.search(part) for part in re.split(r"[,;:] ", lead) if part.strip())
    return is_of_speaker and not _says(lead) and _KNOWN.fullmatch(lead) is None


def _says(lead: str) -> bool:
    """Whether a name or a number stands in what leads up to a question."""
    return _CONTENT.search(lead) is not None


def _refers(lead: re.Match[str]) -> bool:
    """Whether what is asked speaks of what was told before it: "I have a bottle of this, and wonder who made it"."""
    return _REFERS.search(lead["asked"]) is not None and re.search(r"[,;:.] | and ", lead["lead"]) is not None
