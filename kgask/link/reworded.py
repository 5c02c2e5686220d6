"""Questions in fewer words: "do you know who wrote it" is who wrote it, "more wins than any other" the most wins."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgask.link.colloquial import said_plainly
from kgask.link.dates import MONTH
from kgask.link.statements import as_question

_ABOVE = r"(?:above|over|to (?:more than|over))"
_HEIGHT = r"(?=\d[\d,.]* ?(?:k?m|ft|feet|met(?:er|re)s)\b)"
_KIN_BEFORE = r"(?-i:(?:his|her|their) (?:[a-z]+ ){1,2}(?=[A-Z]))?"  # "his older brother Tom"
_FAR_KIN = r"grand\w+|uncles?|aunts?|cousins?"
_FIELD = r"(?P<field>physics|chemistry|literature|medicine|peace|economics)"


def _winners(said: re.Match[str]) -> str:
    """Laureates of a field as those who won its prize."""
    return f"winner{said['several'] or ''} of the {_prize(said)}"


def _prize(said: re.Match[str]) -> str:
    field = said["field"].capitalize()
    return "Nobel Peace Prize" if field == "Peace" else f"Nobel Prize in {field}"


_SLIPS = (  # of what no graph says
    ("January", "janurary|januray|janaury"), ("February", "febuary|feburary|febrary|februrary"),
    ("April", "apirl|aprl"), ("August", "agust|augst"), ("September", "septemeber|setpember|septmber|sepetember"),
    ("October", "octobre|ocotber|octomber"), ("November", "novemeber|novermber|novembre|novmber"),
    ("December", "decemeber|decembre|decmber|desember"), ("Tuesday", "tuseday|teusday|tueday"),
    ("Wednesday", "wensday|wednsday|wendesday|wedensday"), ("Thursday", "thrusday|thurdsay|thirsday"),
    ("Saturday", "saterday|satuday|saturady"),
    ("different", "diffrent|diferent|differnt"), ("which", "wich|whcih"), ("height", "heigth|hight(?= of)"),
    ("length", "lenght"), ("temperature", "temprature|temperture"), ("people", "ppl|poeple|peopel"),
    ("receive", "recieve"), ("received", "recieved"), ("separate", "seperate"), ("together", "togehter|togather"),
)  # fmt: skip
_FORMS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # "do you happen to know the height of Everest?"
    (re.compile(r"\A\W*(?:(?:do|would|does) (?:you|anyone|anybody|it) (?:happen to |even )?(?:know|say)|"
                r"(?:do you have )?any idea|i(?:'d| would) (?:love|like) to know|i(?:'m| am| was)? wonder(?:ing)?|"
                r"remind me|i forgot|i can't remember),? "
                r"(?=(?:the|who|whom|whose|what|which|when|where|how|why) )", re.I), ""),
    (re.compile(r"\b[Ww]ich (?=[a-z])"), "which "),
    (re.compile(r"(\A\W*|[,;] |\band )(what|who|where|when)s (?=(?:the|his|her|its|their|it|that) |[A-Z])", re.I),
     r"\1\2's "),
    (re.compile(r"(?<=\w) ?,? (?:pls|plz)(?=\W*\Z)"), " please"),
    (re.compile(r"\b(at what|the|what|melting|boiling|water|air) temp\b", re.I), r"\1 temperature"),
    # "element w/ atomic number 42", "N of countries bordering Austria?", "elevation delta between K2 and Everest"
    (re.compile(r"(?<!\S)w/ ?(?=\w)"), "with "),
    (re.compile(r"\A\W*n\.? of (?=[a-z])", re.I), "number of "),
    (re.compile(r"\bdelta between\b", re.I), "difference between"),
    # "on either the 29th or the 30th of August", but no range
    (re.compile(rf"(?<!between )(?<!between the )(?<!from )\b(?:either )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? "
                rf"(?P<or>or|and) (?:the )?(?P<next>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{MONTH}(?P<year>,? \d{{4}})?\b",
                re.I),
     lambda said: f"{said['day']} {said['month']}{said['year'] or ''} {said['or']} {said['next']} {said['month']}"
                  f"{said['year'] or ''}"),
    # "who won literature that year?"
    (re.compile(rf"\b(?P<won>won|got|took|received) (?:the )?{_FIELD}(?= (?:in \d{{4}}|that year)\b|\W*\Z)", re.I),
     lambda said: f"{said['won']} the {_prize(said)}"),
    # "how many nobels"
    (re.compile(r"\bnobels\b", re.I), "Nobel Prizes"),
    # "the lady who wrote Frankenstein"
    *((re.compile(rf"\b(?P<one>(?:the|which|what|all|any|that|those|an?|[a-z]+ese|[a-z]+an|[a-z]+ish) )(?:{said})\b"),
       rf"\g<one>{meant}") for said, meant in (("lady", "woman"), ("ladies", "women"), ("gentleman|gent", "man"),
                                               ("gentlemen|gents", "men"))),
    # "the mean depth of both (avg of the two values)?"
    (re.compile(r" \((?![^)]*[A-Z\d])(?:avg|average|mean|sum|total|in other words|please)\b[^)]*\)(?=\W*\Z)"), ""),
    # "physics nobel 1965 winners"
    (re.compile(rf"\b{_FIELD} nobel(?: prize)? (?P<year>\d{{4}}) (?:winner|laureate)(?P<several>s)?\b", re.I),
     lambda said: f"{_winners(said)} in {said['year']}"),
    *((re.compile(rf"\b(?:{slip})\b", re.I), meant) for meant, slip in _SLIPS),
    # "her grandfather on the mother's side"
    *((re.compile(rf"\b({_FAR_KIN}) on (?:(?:his|her|its|their|the) )?(?:{kin})(?:['\u2019]s)? side\b", re.I),
       rf"{side} \1") for side, kin in (("maternal", "mother|mum|mom|dam"), ("paternal", "father|dad|sire"))),
    # "Fiona Geddes or cousin Piran Tresidder": he is named
    (re.compile(r"\b(?P<or>or|and|than) (?:(?:his|her|their) )?(?:cousin|uncle|aunt|brother|sister|mother|father|son|"
                r"daughter|husband|wife) (?=[A-Z]\w+)"), r"\g<or> "),
    # "who is his brother or sister?", "sons and daughters of Ann"
    *((re.compile(rf"\b(?:{one}) (?:or|and) (?:{other})\b|\b(?:{other}) (?:or|and) (?:{one})\b", re.I), meant)
      for one, other, meant in (("brothers", "sisters", "siblings"), ("brother", "sister", "sibling"),
                                ("sons", "daughters", "children"), ("mother", "father", "parents"))),
    # "which boat has had more capsizes than any other?"
    (re.compile(r"\bmore ((?:[\w-]+ ){1,3}?)than any(?:one|body|thing)?(?: (?:other|else))?(?: \w+)?(?=\W*\Z)", re.I),
     r"the most \1"),
    # "how many different parts", "all the different rinks"
    (re.compile(r"\b(how many|all(?: of)?(?: the)?) (?:different|distinct|various|separate) (?=[a-z])", re.I), r"\1 "),
    # "the tallest mountain on Earth", "which lake is the deepest on the planet?"
    (re.compile(r"(?<=est|ost)((?: [a-z]+){0,3}) (?:on|in) (?:the )?(?:(?:whole|entire|planet) )?(?:earth|planet|world)"
                r"(?=\W*\Z|, | is\b| was\b)", re.I), r"\1"),
    # "gold vs lead: which is denser", "Havnes or Kings - who netted more"
    (re.compile(r"\A\W*(?!(?:of|between|among|out|from|who|which|what|is|are|did|does|has)\b)(?P<one>[^,:;?]+?) "
                r"(?:vs\.?|versus|or|and) (?P<other>[^,:;?]+?)(?:\s*[:;?]|,? [-\u2013\u2014])\s*"
                r"(?P<asked>(?:which|who)(?: one)?(?: of (?:them|the two))? (?!(?:of|wrote|directed)\b)[a-z]+ .+?)"
                r"\W*\Z", re.I), r"\g<asked>, \g<one> or \g<other>?"),
    # "has anyone won both? who?", "anyone here who can weld? who"
    (re.compile(r"\A\W*(?P<help>has|did|does|is|was|can) (?:any|some)(?:one|body) (?:here )?"
                r"(?P<what>[^?]+)\? (?:and )?(?:if so,? )?who\W*\Z", re.I),
     lambda said: f"Who {said['help'].lower()} {said['what']}?"),
    (re.compile(r"\A\W*(?:any|some)(?:one|body) (?:here )?(?:who |that )?(?P<what>[^?]+)\?? "
                r"(?:and )?(?:if so,? )?who\W*\Z", re.I), r"Who \g<what>?"),
    # "Apart from Germany itself, which neighbours of France do not touch Germany?"
    (re.compile(r"\A\W*(?:apart from|aside from|other than|besides|except for|leaving aside) "
                r"(?P<one>[^,?]+?)(?: itself)?, (?=.*\b(?P=one)\b)", re.I), ""),
    # "who's the cellist around here?"
    (re.compile(r" (?:a?round|over|in) here(?=\W*\Z)", re.I), ""),
    # "the capital of Peru and also that of Kenya"
    (re.compile(r"\band also (?=(?:that|the|those) )", re.I), "and "),
    # "rivers found in austria + hungary", "longest river s america", "nobel medicine 1962"
    (re.compile(r"\b((?:in|of|at|between|from|through|by) [\w'-]+) \+ (?=\w)", re.I), r"\1 and "),
    (re.compile(r" & (?=(?:what|who|where|when|which|how|is|does|did)\b)", re.I), " and "),
    (re.compile(r"\b(?P<side>[sn])\.? (?P<land>america|africa|korea)\b", re.I),
     lambda said: f"{'South' if said['side'].lower() == 's' else 'North'} {said['land'].capitalize()}"),
    (re.compile(rf"\bnobel {_FIELD}\b(?! (?:prize|laureate|winner))", re.I),
     _prize),
    # "Nobel laureates in physics", "literature laureates"
    (re.compile(rf"\b(?:nobel )?(?:laureate|(?<=nobel )(?:prize )?winner)(?P<several>s)? in {_FIELD}\b", re.I),
     _winners),
    (re.compile(rf"\b{_FIELD} (?:nobel )?(?:laureate|(?<=nobel )winner)(?P<several>s)?\b", re.I), _winners),
    (re.compile(r"\bwhose li(?:fe|ves) (?:both )?(?:began|started) and ended\b", re.I), "who were born and died"),
    # "neighbouring countries of Chad", "countries neighbouring Chad": the planner reads the neighbours of neighbours
    (re.compile(r"\b(?:neighbou?r(?:ing)?|bordering) (?:countries|nations|states)(?= of\b|\W*\Z)", re.I), "neighbours"),
    (re.compile(r"\b(countries|nations|states) neighbou?ring ", re.I), r"\1 bordering "),
    # "South American countries other than Brazil that do not border Brazil"
    (re.compile(r" (?:other than|apart from|besides|except(?: for)?|excluding) (?P<one>[A-Z][^,;?]*?)(?: itself)?,? "
                r"(?=(?:that|which|who|do|does|did|are|is|have|has)\b.*\b(?P=one)\b)"), " "),
    # "neighbours of Paraguay, Paraguay excluded"
    (re.compile(r"\b(?P<one>[A-Z]\w+(?: [A-Z]\w+){0,4})(?P<more>.{0,200}), (?P=one) (?:itself )?"
                r"(?:not (?:counted|included)|excluded|left out|aside)(?=\W*\Z)"), r"\g<one>\g<more>"),
    # "number of companies based in Norway, audit firms not counted", "... closed ones included"
    (re.compile(r", (?:but )?(?:with )?(?P<what>(?:[\w'-]+ ){1,4}?)(?:not (?:counted|included|counting|including)|"
                r"excluded|left out|aside)(?=\W*\Z)", re.I), r" except \g<what>"),
    (re.compile(r", (?:[\w'-]+ ){1,3}?(?:included|counted)(?=\W*\Z)", re.I), ""),
    # "battles fought between 1260 and 1300"
    (re.compile(r"\b((?:battle|war|match|game|race|election|meeting|talk|festival|film|movie|observation|photo)e?s) "
                r"(?:fought|waged|played|run|held|made|taken) "
                r"(?=(?:between|before|after|since|in|from|during|on) (?:the )?\d)", re.I), r"\1 "),
    # "did she outlive him?"
    (re.compile(rf"\A(\W*(?:and )?(?:did|does) .+?) outlive {_KIN_BEFORE}([^,;]+?)(?=\W*\Z)", re.I),
     r"\1 die after \2"),
    (re.compile(rf"\A(\W*[A-Z][^,;?]*?) outlived {_KIN_BEFORE}([^,;?]+?)(?=\W*\Z)"), r"\1 died after \2"),
    # "how many souls did it have", "the mountains that top 2000 m", "where the river springs up"
    (re.compile(r"\bhow many souls (?=(?:does|do|did|has|have|had|live[sd]?|are|were)\b)", re.I), "how many people "),
    (re.compile(rf"\b(?:tops|(?:rises|towers|soars|climbs) {_ABOVE}) {_HEIGHT}"), "is higher than "),
    (re.compile(rf"(?<!the )\b(?:top|(?:rise|tower|soar|climb) {_ABOVE}) {_HEIGHT}"), "are higher than "),
    (re.compile(r"\b(where (?:the )?[A-Z][^,?]*?) springs? up\b"), r"\1 rises"),
    (re.compile(r" \((?:in )?(?:k?m|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|kg|tonnes|min(?:ute)?s|hours|days|years)\)"
                r"(?=\W*\Z)"), ""),
    # "split between", where Split is a city
    (re.compile(r"\b(?:split|divided|parted|carved up)(?: up)? (?=(?:between|among|amongst)\b)"), "shared "),
    # "which countries share a land border with Bolivia?"
    (re.compile(r"\bland (?=(?:border|frontier|boundar)(?:s|y|ies)?\b)", re.I), ""),
    # "Where are prices rising fastest, that is, which country has the highest inflation?"
    (re.compile(r"\A\W*\w(?-i:[^?A-Z]+?),? (?:that is|that means|in other words|i\.e\.|meaning|put differently)[,:]? "
                r"(?=(?:which|who|what) (?:[\w'-]+ ){2}(?!.*\b(?:it|its|that|this|those|these|they|them|their|there|he|"
                r"his|him|she|her|our|us)\b))", re.I), ""),
    # "which comes second if you sort them by weight?"
    (re.compile(r",? (?:if|when) (?:you|we|i|one) (?:sort|rank|order|list|arrange)s? (?:them |all |it )*by\b", re.I),
     " by"),
    (re.compile(r",? (?:if|when) (?:sorted|ranked|ordered|listed|arranged) by\b", re.I), " by"),
)  # fmt: skip


_KIN = (
    r"(?:wife|husband|spouse|partner|brother|sister|father|mother|son|daughter|dad|mum|boss|manager|brother or sister|"
    r"sister or brother)"
)
_OF_KIN = re.compile(  # "and his wife, where is her job?"
    rf"(?:and )?(?P<whose>(?:(?:his|her|their)|[A-Z][\w.'\u2019-]*(?: [\w.'\u2019-]+)*?['\u2019]s?) (?:(?:own|late|"
    rf"elder|older|younger) )?{_KIN}), "
    r"(?P<asks>(?:who|where|what|when|how|which|in which)\b[^,?]*)\W*",
    re.IGNORECASE,
)
_IS_THAT = re.compile(r"who(?:['\u2019]s| is| was) (?:that|it|this|he|she)", re.IGNORECASE)
_KIN_MEANT = re.compile(r"\b(?:(?P<own>his|her|their)(?= [a-z])|he|she|they|him|her)\b", re.IGNORECASE)
_STRESSED = re.compile(r"\b(?:NOT|BOTH|ONLY|NEVER|ALL|AND|EVER|MOST|LEAST|FIRST|LAST|ALSO)\b")
_IS_IT_TRUE = re.compile(
    r"\W*(?:and |so )?(?:(?:is|was) it (?:really |actually )?(?:true|correct|right|so|the case|a fact) that|"
    r"(?:do you (?:happen to )?know|(?:can|could) you tell me|tell me|i wonder|i'd like to know) (?:if|whether)) "
    r"(?P<claim>\S.*?)\W*",
    re.IGNORECASE | re.DOTALL,
)
_DENIES = re.compile(r"\b(?:no|none|not|nobody|nothing|never|neither)\b|n['\u2019]t\b", re.IGNORECASE)


def whether(text: str) -> str:
    """A question whether something is true as the question whether it is so; any other, or what denies, as it is.

    >>> whether("Is it true that the Nile is longer than the Amazon?"), whether("Is it true that Peru borders Chile?")
    ('Is the Nile longer than the Amazon?', 'Does Peru borders Chile?')
    >>> whether("I wonder if gold has an odour"), whether("Is it true?")
    ('Does gold have an odour?', 'Is it true?')
    """
    found = _IS_IT_TRUE.fullmatch(text)
    if found is None or _DENIES.search(found["claim"]):
        return text
    return as_question(found["claim"])


def of_kin(text: str) -> str:
    """A question that names whose kin it is about first, with them where its pronoun stands; any other as it is.

    >>> of_kin("and his wife, where is her job?"), of_kin("Ann's brother or sister, who is that?")
    ("where is his wife's job?", "who is Ann's brother or sister?")
    """
    found = _OF_KIN.fullmatch(text)
    if found is None:
        return text
    whose, asks = found["whose"], found["asks"]
    if _IS_THAT.fullmatch(asks):
        return f"who is {whose}?"
    meant = _KIN_MEANT.search(asks)
    if meant is None:
        return text
    said = f"{whose}'s" if meant["own"] else whose
    return f"{asks[: meant.start()]}{said}{asks[meant.end() :]}?"


def reworded(text: str) -> str:
    """The question without what leads up to it, and with its order in fewer words; any other as it is.

    >>> reworded("Which boat has had more capsizes than any other?")
    'Which boat has had the most capsizes?'
    >>> reworded("gold vs lead: which is denser"), reworded("What's the tallest mountain on Earth?")
    ('which is denser, gold or lead?', "What's the tallest mountain?")
    >>> reworded("Has anyone won both prizes? Who?"), reworded("Which clubs did NOT win?")
    ('Who has won both prizes?', 'Which clubs did not win?')
    >>> reworded("Which element comes second if you sort them by weight?"), reworded("Who has more books than Poe?")
    ('Which element comes second by weight?', 'Who has more books than Poe?')
    >>> reworded("Who was in on either the 29th or the 30th of August?"), reworded("between 2 and 3 May")
    ('Who was in on 29 August or 30 August?', 'between 2 and 3 May')
    """
    text = whether(_STRESSED.sub(lambda word: word[0].lower(), text) if text != text.upper() else text)
    text = said_plainly(of_kin(text))
    for pattern, said in _FORMS:
        text = pattern.sub(said, text)
    return re.sub(r" (?=\?\Z)", "", text)
