"""Words of everyday speech, as the words that graphs are asked by: "whose missus" is whose wife.

A matter of form; nothing here knows a pack.
"""

from __future__ import annotations

import re

_LIST = r"(?P<list>[^,?]+(?:, [^,?]+)*,? and [^,?]+?)"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        # "My daughter has a quiz tomorrow: which country is the largest?"
        (
            r"\A\W*(?:my|our|i|we|i['\u2019]m|i['\u2019]ve|we['\u2019]re)\b(?-i:[^?:A-Z]{3,90}): "
            r"(?=(?:of|out of|among|in)? ?(?:which|what|who|how|where|when|is|does|did|all)\b"
            r"(?!.*\b(?:it|its|that|this|there|they|them)\b))",
            "",
        ),
        # "what's the emptiest, sorry, I mean least populated country"
        (r"\b[a-z]+, (?:sorry|no|er|erm),? i mean,? (?:the )?(?=[a-z]+ )", ""),
        (
            r"\bhow many (?:k?m|kilomet(?:er|re)s|miles|met(?:er|re)s|feet|inches) (long|deep|high|tall|wide)\b",
            r"how \1",
        ),
        (r"\buni\b(?! of\b)", "university"),
        (r"\b(the|which|what|a|that) blokes?\b", r"\1 man"),
        (r"\bmiss(?:us|is)\b", "wife"),
        (r"\bhubby\b", "husband"),
        (r"\b(?:other|better) half\b", "spouse"),
        (r"(?<=['\u2019]s )(?:dad|daddy)\b|(?<=\bhis )dad\b|(?<=\bher )dad\b|(?<=\bwhose )dad\b", "father"),
        (
            r"(?<=['\u2019]s )(?:mum|mom|mummy)\b|(?<=\bhis )m[uo]m\b|(?<=\bher )m[uo]m\b|(?<=\bwhose )m[uo]m\b",
            "mother",
        ),
        (r"\b(?:came|come) into the world\b|\b(?:first )?saw the light of day\b", "was born"),
        (r"\btook home (?=(?:his|her|their|a|an|the) )", "won "),
        (r"\broom temp\b", "room temperature"),
        (r"\b(an?|the|any|his|her) nobel(?=\W*\Z)", r"\1 Nobel Prize"),
        (  # "how long is the Danube, in km?": its unit is told anyway
            r"\A(\W*(?:(?:and|so) )?(?:how (?:long|tall|high|deep|wide|far|heavy|big|large)\b|"
            r"what[^?]* (?:length|height|elevation|depth|area|weight|mass|distance)\b)[^?,]*), (?:in )?"
            r"(?:k?m|met(?:er|re)s?|kilomet(?:er|re)s?|kg|kilos?|grams?|square k(?:ilo)?m\w*|km2|sq km)"
            r"(?:,? (?:please|pls))?(?=\W*\Z)",
            r"\1",
        ),
        # "Everest is a higher mountain than K2", "earlier than Bo did"
        (r"\b(is|was|are|were) an? ((?!other\b|rather\b)[a-z]+er) [a-z]+ than\b", r"\1 \2 than"),
        (
            r"\A(\W*(?:is|was|are|were) (?!there\b|any\b)[^?]{2,60}?) an? ((?!other\b|rather\b)[a-z]+er) [a-z]+ than\b",
            r"\1 \2 than",
        ),
        (r"\b((?:earlier|later|sooner|younger|older|longer) than [^,?.]+?) (?:did|does|was|is|has)(?=\W*\Z)", r"\1"),
        (
            r"\A\W*the (?:man|woman|guy|chap|lady|fellow) who (?=(?:wrote|directed|made|painted|composed|invented|"
            r"discovered|founded|designed|built|created)\b)",
            "the person who ",
        ),
        (r"\b(had|has|have) a kid (?=(?:named|called)\b)", r"\1 a child "),
        (r"\b(lowest|highest|same|average|coldest|warmest|hottest) temp\b", r"\1 temperature"),
        (r"\bturns (?:in)?to (?:a )?liquid\b|\bturns liquid\b|\bbecomes (?:a )?liquid\b", "melts"),
        (r"\b(?:turn|become) (?:in)?(?:to )?(?:a )?liquid\b", "melt"),
        (r"\bturns (?:in)?to (?:a )?(?:gas|vapou?r)\b|\bbecomes (?:a )?(?:gas|vapou?r)\b", "boils"),
        (r"\b(?:turn|become) (?:in)?(?:to )?(?:a )?(?:gas|vapou?r)\b", "boil"),
        # "how many people live in Denmark and Norway put together?"
        (
            rf"\A\W*how many (?:people|inhabitants) (?:live|are there) in {_LIST} (?:all )?(?:put |taken )?"
            r"(?:together|combined|in total|altogether|in all)\W*\Z",
            r"what is the total population of \g<list>?",
        ),
        # "after the Nile, what is the second longest river of Africa?"
        (
            r"\A\W*after (?:the )?[^,?]{2,30}?,? (?=(?:what|which|who)(?:['\u2019]?s)?\b.*\b(?:second|2nd)\b)",
            "",
        ),
        (r"\A\W*(?:do you )?know (?:of )?any (?=[a-z]+s\b)", "which "),
        (r"\b(bands?|singers?|writers?|actors?|artists?|groups?|people) out of (?-i:(?=[A-Z]))", r"\1 from "),
        (r"\b(?:towers?|rises) (?:above|over) (?-i:(?=(?:the )?[A-Z]))", "is higher than "),
        (r"\b(?:obviously|apparently|presumably|supposedly|clearly) (?=(?:the|a|an|is|was|not)\b)", ""),
    )
)


def said_plainly(text: str) -> str:
    """The text in plainer words.

    >>> said_plainly("Who's the missus of Ann?"), said_plainly("know any bands out of Greenland?")
    ("Who's the wife of Ann?", 'which bands from Greenland?')
    >>> said_plainly("How many people live in Denmark, Norway and Sweden all put together?")
    'what is the total population of Denmark, Norway and Sweden?'
    >>> said_plainly("My son has a quiz: which country is the largest?"), said_plainly("Mont Blanc towers above K2")
    ('which country is the largest?', 'Mont Blanc is higher than K2')
    """
    for pattern, said in _FORMS:
        text = pattern.sub(said, text)
    return text
