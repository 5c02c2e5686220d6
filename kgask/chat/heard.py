"""A turn without what leads up to it, and what that tells: a correction, something that goes on, a way back.

Nothing here knows a pack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgask.chat.order import NUMBER

LEAD = re.compile(
    r"(?:(?:and|so|ok(?:ay)?|well|then|now|right|great|cool|nice|good|hm+|ah+|but|also|please|thanks|thank you|"
    r"splendid|lovely|wonderful|excellent|brilliant|fascinating|interesting|marvellous|super|awesome|wow|"
    r"oh(?: dear)?|i see|(?:next|another|new|different)(?: one| question| thing)(?=:|,| -))\b[,!.:]*\s+)+",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:(?:let's |let us )?(?:go(?:ing)? )?back to|returning to|regarding|concerning|as for|speaking of|about)\s+"
    r"(?P<name>.+?)\s*(?:[:;,\u2013\u2014]|\s-\s|\s(?=(?:how|what|which|who|when|where|is|does|did|"
    r"has)\s))\s*(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_SORRY_BACK = re.compile(
    r"\A(?:(?:sorry|ok(?:ay)?|no|wait)\W+)+(?=(?:let's |let us )?(?:go(?:ing)? )?back to )", re.IGNORECASE
)
_ABOUT_ONE = re.compile(  # "What about Lake Tanganyika, which countries is that in?"
    r"(?:(?:what|how) about|(?:the )?same for) (?P<name>[^,:;?]{2,60}?)\s*(?:[,:;\u2013\u2014]|"
    r"\s-\s)\s*(?P<rest>(?:and )?(?:in |on |of |to |from )?"
    r"(?:whom?|what|which|when|where|how|is|was|did|does|do|are|were|has)\b.*"
    r"\b(?:it|its|that|there|he|his|him|she|her|they|their|them)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_AGAIN = re.compile(
    r"(?P<name>[^,?:;]{2,40}?) again\s*(?:[:;,\u2013\u2014]|\s-\s)\s*(?P<rest>.+)", re.IGNORECASE | re.DOTALL
)
_IS_AGAIN = re.compile(r"\bagain\W*\Z", re.IGNORECASE)
_NAMED_FIRST = re.compile(
    r"(?P<name>[^,?]{2,40}?)(?:[,?:]| [-\u2013\u2014]) "
    r"(?P<rest>(?:what|who|when|where|how|which)\b.*\b(?:it|its|that|there|he|his|she|her|they)\b.*)",
    re.IGNORECASE,
)
_NAMED_ALONE = re.compile(  # "Google. Who founded that?"
    r"(?P<name>(?:the )?[A-Z][\w'\u2019-]*(?: [\w'\u2019-]+){0,3})\. "
    r"(?P<rest>(?:[Ww]hat|[Ww]hom?|[Ww]hen|[Ww]here|[Hh]ow|[Ww]hich)\b.*\b(?:it|its|that|there|he|his|she|her|"
    r"they)\b.*)",
)
_ASKS_WHOLE = re.compile(
    r"(?i:whom?|whose|which|what|when|where|how)\b.* [A-Z]|"
    r"(?i:who|which|what)(?i: ones?)? (?i:of|among) (?i:them|those|these|the [a-z]+)(?: \S+){2}",
    re.DOTALL,
)
_SLIPS = (
    (re.compile(r"\bw(?:hi|ih|i)ch\b", re.IGNORECASE), "which"),
    (re.compile(r"\b(who|what|where|when|how)s\b", re.IGNORECASE), r"\1's"),
    (
        re.compile(r"\Awho(?:['\u2019]s| is| was) (?=(?:more [a-z]+|older|younger|taller|richer)\W*\Z)", re.I),
        "who of them is ",
    ),
    (re.compile(r"\Awho (?:was|is|were) born (?:first|earlier)(?=\W*\Z)", re.I), "who of them is older"),
    (
        re.compile(r"\A((?:and )?how old (?:was|were) .+?),? (?:then|at (?:the|that) time)(?=\W*\Z)", re.I),
        r"\1 in that year",
    ),
    (re.compile(r"\bdo they ([^?]+?) (?:over |down )?there(?=\W*\Z)", re.I), r"does it \1"),
    (
        re.compile(
            r"\A(?:and )?((?:(?:in|on|at) )?(?:what|which) (?:year|month|day|city|town|country|place)|when|where)"
            r" (?:was|did) (?:that|this)(?: happen)?(?=\W*\Z)",
            re.I,
        ),
        r"\1",
    ),
    (
        re.compile(
            r"\b(does|did|is|was|has|will|can) that (?=(?:still|also|have|had|cost|go|run|start|end|open|close|belong|"
            r"take|hold|come|last|in|on|at|an?|the|one of|made|built|written|available|[a-z]{3,}ed|by|older|newer)\b)",
            re.I,
        ),
        r"\1 it ",
    ),
    (re.compile(r"\b(how [a-z]+ (?:is|was)|(?:of|about|for|to|from|with|on|at)) that(?=\W*\Z)", re.I), r"\1 it"),
    (re.compile(r"\b(how [a-z]+)['\u2019]s (?=(?:it|that|the|this|he|she)\b)", re.I), r"\1 is "),
    (re.compile(r"\bof the couple\b", re.I), "of the two"),
    (
        re.compile(
            r"\A((?:and )?which) one (?=(?:goes|flows|runs|passes|borders|lies|touches|stands|belongs|speaks|uses|"
            r"comes|lives|plays|works|owns|makes|sells|leads|ends|starts)\b)",
            re.I,
        ),
        r"\1 of them ",
    ),
    (re.compile(rf"\b(which|who) one of (?=(?:those|these|the) {NUMBER}\b)", re.I), r"\1 of "),
    (re.compile(r"\b(an?|the|also|another) (?:full )?member(?=\W*\Z)", re.I), r"\1 member of it"),
    (
        re.compile(
            r"\A(?:and )?what(?:['\u2019]s| is| was| are| were) ((?:his|her|their) [a-z]+) (?:called|named)(?=\W*\Z)",
            re.I,
        ),
        r"who was \1",
    ),
    (  # "and his wife, who was that?"
        re.compile(
            r"\A(?:and )?((?:his|her|its|their) [a-z]+(?: [a-z]+)?),? (who|what|where|when) (is|was|were|are) "
            r"(?:that|it|this|he|she|they)(?=\W*\Z)",
            re.I,
        ),
        r"\2 \3 \1",
    ),
    # "who was their sister Ann Lee's husband?": she is named
    (
        re.compile(
            r"\b(?:[Hh]is|[Hh]er|[Tt]heir) (?:(?:late|younger|older|elder|twin) )?(?:sister|brother|wife|husband|"
            r"mother|father|son|daughter|cousin|colleague|friend) (?=[A-Z][\w'\u2019-]+ [A-Z])"
        ),
        "",
    ),
    (re.compile(r"\br (?=there|they|these)"), "are "),
    (re.compile(r"\bsr+y\b", re.I), "sorry"),
    (re.compile(rf"\A(?:compare|take|of) ((?:those|these|the) {NUMBER})\W+(which|who)\b", re.I), r"\2 of \1"),
    (
        re.compile(r"\b(did|does|do|was|is|has|and) ((?:the )?[\w.'-]+(?: [A-Z][\w.-]+)?) (?:him|her|it)self\b"),
        r"\1 \2",
    ),
    (re.compile(r"\b(?:he|she|it|him|her), ((?!who|which|what|when|where)[^,?]{2,40}),(?= )"), r"\1"),
    (re.compile(r"\b(?:he|she|it|him|her)\b([^?]*?),? ([A-Z][^,?]{1,40}?),? [iI] mean[t]?(?=\W*\Z)"), r"\2\1"),
)
_CORRECTION = re.compile(
    r"(?:(?:no|nope|sorry|wait|actually|oops|pardon(?: me)?|hang on)\b[,;.!]*\s*)*"
    r"(?:(?:meant|i (?:mean|me(?:a)?nt|(?:want(?:ed)?|me(?:a)?nt)(?: to (?:say|know|ask(?: about| for)?))?|"
    r"should have (?:asked (?:about|for)|said)|was (?:asking (?:about|for)|thinking of)|am asking about)|"
    r"make (?:that|it)|rather|i'?m asking about)\s*[:,]?\s+(?:(?:that|those|the one) of )?(?P<what>.+)|"
    r"not (?:the |that )?[^,]+,\s*(?:but )?(?:i (?:mean|meant) )?(?P<other>.+))",
    re.IGNORECASE | re.DOTALL,
)
_SORRY = re.compile(r"(?:no|nope|sorry|oops)\b[,;.!]+\s*(?P<what>.+)", re.IGNORECASE | re.DOTALL)
_AT_LAST = re.compile(r",?\s+(?:sorry|please|pardon me|my (?:mistake|bad)|then)(?=\W*\Z)", re.IGNORECASE)
_MEANT_LAST = re.compile(r"(?P<what>.+?),?\s+i (?:mean|meant)\W*", re.IGNORECASE | re.DOTALL)
_WHAT_ABOUT = re.compile(
    r"(?:(?:what|how) about|(?:(?:the )?same(?: question| thing)?|ditto) (?:again )?(?:for|about|with))\s+"
    r"(?P<what>.+?)\W*",
    re.IGNORECASE | re.DOTALL,
)
_OF_ANOTHER = re.compile(  # "sorry, I meant Sweden. Cities there?"
    r"(?P<name>[^.?!;]{2,40}?)(?:[.;!]| [-\u2013\u2014]) "
    r"(?P<rest>.*\b(?:it|its|there|he|his|him|she|her|they|their|them)\b.*)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:(?:ok(?:ay)?|all right|alright|great|cool|perfect|nice|good|many|thanks?(?: you)?|thx|cheers|bye|goodbye|"
    r"ta|brilliant|lovely|super|awesome|wonderful|excellent|fab|much appreciated|nvm|never mind|no worries|"
    r"that'?s all|got it|a lot|so much|very much|for (?:that|now|(?:the|your|all your) help)|mate)\b[,!.\s]*)+",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"(?:(?:and|so|but|ok|hm+)\W+)?(?:is|are|was|were|has|have|had|do|does|did) (?!there\b|any\b|you\b|they all\b).*\w",
    re.IGNORECASE | re.DOTALL,
)
_OR_WHICH = re.compile(  # "is A or B deeper?", "is he married? who to?"
    r" or .* (?:[a-z]+er|more [a-z]+|first)\W*\Z|[?;,.]\s*(?:and )?(?:if so,? )?(?:to )?"
    r"(?:whom?|which|what|where|when|how)\b",
    re.IGNORECASE,
)
_THAT_ONE = re.compile(r"\b(?:that|this) one\b", re.IGNORECASE)
_IS_THAT = re.compile(
    r"\A(?!.*\bhow many\b)(?P<before>.*\b[a-z]+) that(?=(?: in| from| on| at| near| by)?\W*\Z)|"
    r"\A(?P<is>(?:and )?(?:(?:who|what|where)(?:['\u2019]s| is| was)|is|was)) that"
    r"(?= (?:[a-z]+er|more|less|the|a|an|in|by|from|about|called)\b)|"
    r"\A(?P<does>(?:where|when|how|what) (?:does|did)) that(?= [a-z]+\W*\Z)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?P<told>(?:(?i:hi|hello|hey|good (?:morning|evening|afternoon))[\w ]*[,.!]+ )?"
    r"(?:I|We|My|Our|He|She|It|They|There|i|we|my|going|flying|travell?ing|planning|visiting|reading|watching)\b"
    r"[^?]*[^?.!]{2}[.!]+)\s+(?P<asked>(?:(?:And|So|But|Now|and|so),? )?"
    r"(?:who|what|which|when|where|how|Who|Whom|Whose|What|Which|When|Where|How|In which|In what|Did|Does|Do|Is|Are|"
    r"Was|Were|Has|Have)\b[^.!]*)",
    re.DOTALL,
)
_ASIDE = re.compile(r"(?P<aside>[^?]{2,80}?(?:[.!:;]+|\s[-\u2013\u2014])\s+)(?=\S.{3,})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn by its form."""

    text: str  # without what leads up to it
    back_to: str = ""  # "Back to X: ..."
    corrects: bool = False
    continues: bool = False  # it begins with "and", or asks "what about ..."


def heard(line: str) -> Heard:
    """A turn without what leads up to it.

    >>> heard("Back to Inception: which genre is it?"), heard("and in Norway?")
    (Heard(text='which genre is it?', back_to='Inception', corrects=False, continues=False), \
Heard(text='in Norway?', back_to='', corrects=False, continues=True))
    >>> heard("no, I meant war films").text, heard("what about her husband?").text
    ('war films', 'her husband')
    >>> heard("And now Google. Who founded that?").back_to, heard("no, I meant who influenced Bob Dylan").corrects
    ('Google', False)
    """
    text = _SORRY_BACK.sub("", line.strip())
    for slip, word in _SLIPS:
        text = slip.sub(word, text)
    text = _AT_LAST.sub("", _with_it(_THAT_ONE.sub("it", text)))
    for pattern in (_CORRECTION, _SORRY, _MEANT_LAST):
        if found := pattern.fullmatch(text):
            groups = found.groupdict()
            meant = (groups.get("what") or groups.get("other") or "").rstrip("?.! ")
            if (other := _OF_ANOTHER.fullmatch(meant)) is not None:
                return Heard(other["rest"], back_to=other["name"])
            meant = re.sub(r",? i (?:mean|meant)\Z", "", meant, flags=re.IGNORECASE)
            return Heard(meant, corrects=_ASKS_WHOLE.match(meant) is None)
    lead = LEAD.match(text)
    text = _with_it(text[lead.end() :]) if lead else text
    forms = (_BACK, _ABOUT_ONE, _AGAIN, _NAMED_FIRST, _NAMED_ALONE)
    if found := next((one for pattern in forms if (one := pattern.fullmatch(text))), None):
        return Heard(_with_it(found["rest"]), back_to=found["name"])
    about = _WHAT_ABOUT.fullmatch(text)
    continues = about is not None or (
        lead is not None and lead[0].split()[-1].lower().strip(",") in ("and", "but", "also")
    )
    return Heard(about["what"] if about else text, continues=continues)


def _with_it(text: str) -> str:
    """A text with "it" for a "that" that means something spoken of."""
    return _IS_THAT.sub(lambda found: f"{found['before'] or found['is'] or found['does']} it", text)


def without_aside(line: str) -> str:
    """A line without the sentences before its last one that ask nothing and name nothing.

    >>> without_aside("Hi! I plan a trip - which islands belong to Greece?"), without_aside("Nice. And in Norway?")
    ('which islands belong to Greece?', 'And in Norway?')
    >>> without_aside("I like Jane Austen. What did she write?"), without_aside("St. Louis: population?")
    ('I like Jane Austen. What did she write?', 'St. Louis: population?')
    """
    while (found := _ASIDE.match(line)) is not None and _says_nothing(found["aside"]):
        line = line[found.end("aside") :]
    return line


def told_before(line: str) -> tuple[str, str]:
    """What is told before the question that ends a line, and that question; "" where a line asks from its beginning.

    >>> told_before("I like Jane Austen. What did she write?"), told_before("Dr. Watson. Who is he?")
    (('I like Jane Austen.', 'What did she write?'), ('', 'Dr. Watson. Who is he?'))
    """
    found = _TOLD.fullmatch(line.strip())
    return (found["told"], found["asked"]) if found is not None else ("", line)


def _says_nothing(aside: str) -> bool:
    """Whether a sentence may be passed over: no name, no number, no correction, and not the beginning of a name."""
    words = re.findall(r"[^\W\d]\w*", aside)
    is_name = any(word[0].isupper() for word in words[1:] if word != "I") or any(char.isdigit() for char in aside)
    is_whole = len(words) > 1 or LEAD.fullmatch(aside) is not None or aside.lower().startswith(("hi", "hello", "hey"))
    return is_whole and not is_name and not is_correction(aside) and not _IS_AGAIN.search(aside)


def is_correction(text: str) -> bool:
    """Whether a sentence takes back what was said before it."""
    return (
        re.match(
            r"(?:no|nope|not|sr+y|sorry|wait|oops|actually|(?:(?:let's |let us )?go )?back|pardon)\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def asks_yes_or_no(text: str) -> bool:
    """Whether a turn begins as what is answered by yes or no: "did she win it?", but not "are there any?".

    >>> asks_yes_or_no("And did she win a prize?"), asks_yes_or_no("is there a longer one?"), asks_yes_or_no("does")
    (True, False, False)
    >>> asks_yes_or_no("Is Como or Garda deeper?"), asks_yes_or_no("is he married? who to?")
    (False, False)
    """
    return _YES_OR_NO.match(text.strip()) is not None and _OR_WHICH.search(text) is None


def is_thanks(line: str) -> bool:
    """Whether nothing is asked."""
    return _THANKS.fullmatch(line.strip()) is not None
