"""What the wording of a question rules out: a limit that counts itself, a place in an order, a set that is taken away.

"1970 or later" is no "after 1970", "the second largest" not "the two largest", and nothing is taken away where no word
says so. The judge of queries hardly tells these apart, and what they come to mostly looks alike.
"""

from __future__ import annotations

import re

from kgask.methods.cues import NUMBERED, SEVERAL, denies
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.nodes import Query

_MORE = "later|earlier|more|less|fewer|higher|lower|longer|shorter|heavier|lighter|older|younger|newer|greater|larger"
_MORE += "|smaller|bigger|taller|deeper|better|cheaper|wider|narrower|faster|slower|warmer|colder|dearer"
_BEYOND = "above|below|over|under|beyond|up|upwards?"
_COUNTS_ITSELF = re.compile(
    rf"\b(?:at (?:the )?(?:least|most|earliest|latest)|(?:no|not) (?:{_MORE}) than|"
    r"not (?:before|after|over|under|above|below)|"
    rf"(?<!more )or (?:{_MORE}|{_BEYOND}|after|before)\b(?! than)|and (?:{_BEYOND}|older|younger)|"
    r"(?:minimum|maximum) of|since|up to|onwards?|from \S+ on)\b",
    re.IGNORECASE,
)
_BEFORE_THAT = re.compile(
    r"\b(?:over|under|above|below)\s+(?=\S+ or (?:more|less|fewer)\b)", re.IGNORECASE
)  # "reigned over"
_UPWARDS, _DOWNWARDS = (  # what a limit leaves: dates, then numbers
    re.compile(
        rf"\b(?:(?:no|not) (?:{not_} than|{before})|at (?:the )?{end}|(?<!more )or (?:{or_})|{more})\b", re.IGNORECASE
    )
    for not_, before, end, or_, more in (
        ("(?:earlier|less|fewer|lower|shorter|lighter|smaller)", "(?:before|under|below)", "(?:least|earliest)",
         "(?:later|more|above|over|after|upwards?)", "since|minimum of|onwards?|from \\S+ on"),
        ("(?:later|more|higher|longer|heavier|greater|larger|bigger|taller|deeper)", "(?:after|over|above)",
         "(?:most|latest)", "(?:earlier|less|fewer|below|under|before)", "up to|maximum of"),
    )
)  # fmt: skip
_LEAVES_IT_OUT = re.compile(
    r"\b(?:(?:more|less|fewer|[a-z]{3,}er) (?:[a-z]+ ){0,2}than|over|under|above|below|before|after|exceed\w*)\s+"
    r"(?:[a-z]+ ){0,2}(?:[^\sa-z]*\d|two|three|four|five|six|seven|eight|nine|ten)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\bnot\b|n['\u2019]t\b|\bnever\b|\bbetween\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|runner[- ]up)\b", re.IGNORECASE)
_ANY_MORE = re.compile(
    r"\b(?:(?:any|some)(?:thing|one|body)?|another|no|an?|nothing)\b[^?]*\b(?:[a-z]+er|more [a-z]+) than\b",
    re.IGNORECASE,
)
_OF_TWO = re.compile(  # "owner of the two ships" is about no two that were named before
    r"\b(?:of|between) (?:the|these|those) two\W*\Z|"
    r"\b(?:which|who|one) (?:of|between) (?:the|these|those) two\b(?! \w{2,}est\b)"
    r"\s+(?:is|are|was|were|has|have|had|do|does|did|\w+s)\b",
    re.IGNORECASE,
)
_OF_TWO_SORTS = re.compile(  # two of a sort that is said: "which of the two buzzards weighed more?"
    r"\bof (?:the|these|those) two (?:[a-z]+ )?[a-z]+s (?:is|are|was|were|has|have|had|does|did|came|went|took|won|got|"
    r"[a-z]+s|[a-z]+ed)\b",
    re.IGNORECASE,
)
_OF_TWO_MORE = re.compile(
    rf"\b(?:which|who|what|one) of (?:the|these|those|my|our|her|his) two\b.*\b(?:{_MORE})\b", re.IGNORECASE
)
_CHAIN = re.compile(r"\b(\w+)(?:['\u2019]s? \1\b)+|\b(\w+)(?: of (?:the |her |his )?\2\b)+", re.IGNORECASE)
_BY_THEN = re.compile(
    r"\bby (?:(?:the )?(?:end|beginning|start|middle|close) of |early |late |mid-?)?\d{3,4}\b|"
    r"\balready\b.*\bin \d{3,4}\b",
    re.IGNORECASE,
)
_STILL = re.compile(r"\b(?:still|yet|alive|living|not|never)\b|n['\u2019]t\b", re.IGNORECASE)
_TOGETHER = re.compile(  # what two did together is what both did, but "taken together" is all of it
    r"\b(?:made|make|wrote|write|written|directed?|produced?|done|do|worked?|starred|star|won|win|discovered|founded|"
    r"appear(?:ed)?|act(?:ed)?|play(?:ed)?|published|recorded|own(?:ed)?|built) together\b|\bjointly\b|\bin common\b",
    re.IGNORECASE,
)
_OR_WHICH = re.compile(r"\b(?:vs\.?|versus)(?=\W)(?!.*\bthan\b)", re.IGNORECASE)  # of which one is the answer, no "yes"
_ASKS_WHICH = re.compile(  # no "yes" answers "until when is it open in 2025?"
    r"\W*(?:and |so )?(?:until|till|since|from|by|at|in|on|to|for|with|during|of)"
    r" (?:when|where|whom?|whose|how|what|which)\b(?!.*[,;:])",
    re.IGNORECASE,
)
_COMPARES_ALONE = re.compile(  # than what? "how many metres higher is Everest?"; and one value is no difference
    rf"\bhow (?:much|many [a-z]+(?: [a-z]+)?) (?:{_MORE}|bigger|smaller) (?:is|was|are|were)\b"
    r"(?:.*\bthan\b|(?!.*\b(?:or|and|of)\b))",
    re.IGNORECASE,
)
_SO_MANY = re.compile(  # times the price of one
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|[2-9]|[1-9]\d) (?:hours|nights|days|weeks|months|people|"
    r"persons|tickets|bottles|adults|children|units|pieces)\b",
    re.IGNORECASE,
)
_HOW_LONG = re.compile(  # no number of stays: "for how many nights was she there?"
    r"\W*(?:and |so )?(?:(?:for|since) )?how many (?:nights|days|weeks|hours|minutes|seconds|months|years)\b"
    r"(?! (?:in which|when|that|where|were there|are there))",
    re.IGNORECASE,
)
_HOW_MUCH_MORE = re.compile(
    rf"\bhow much (?:{_MORE}|bigger|smaller)\b(?! people)", re.IGNORECASE
)  # is no number of things
_COSTS = re.compile(r"\bhow much\b(?! (?:more|less))|\b(?:cost|charge|come to|pay)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:at least one|either) of\b", re.IGNORECASE)
_SAYS_ORDER = re.compile(
    rf"\b(?:before|after|since|until|till|from|by|prior|follow\w*|onwards?|past|than|between|up to|already|still|ever|"
    rf"{_MORE})\b|[<>]",
    re.IGNORECASE,
)
_CAN = re.compile(  # not all of them do: "how many trams can run?"
    r"\b(?:which|what|how many)\b[\w' -]{2,40}? (?:can(?:not|'t)?|could) (?!(?:i|we|you|one|be|they)\b)", re.IGNORECASE
)
_WAS_DONE = re.compile(  # nor are they all: "which of our maps have been scanned?"
    r"\W*(?:which|what|how many)\b[\w' -]{2,40}? (?:(?:have|has|had) been|(?:are|were|was|got) being|got|were|was) "
    r"(?!(?:listed|included|named|mentioned|recorded|stored|covered|contained|registered|documented|described|noted)\b)"
    r"[a-z]{3,}ed\W*\Z",
    re.IGNORECASE,
)
_NUMBER_OF_ONE = re.compile(  # which is called by one
    r"\bnumbers? of (?:the|that) (?P<noun>(?!people|men|women|children)[a-z]+) (?:that|which|who|with|in|at|on|from)\b",
    re.IGNORECASE,
)


def _is_the_most(query: Query) -> bool:
    """Whether it is asked if what is named is the most of all: of "is any river longer than the Nile?" the contrary."""
    match query:
        case nodes.Some(nodes.And(nodes.Best(), nodes.Entities()) | nodes.And(nodes.Entities(), nodes.Best())):
            return True
    return False


def rules_out(query: Query, question: str) -> bool:
    """Whether a question says in so many words that it does not ask this."""
    if _is_limited_otherwise(query, question) or _is_placed_otherwise(query, question):
        return True
    if _is_limited_from_behind(query, question) or _is_too_short(query, question):
        return True
    if (
        isinstance(query, nodes.Count)
        and (found := _NUMBER_OF_ONE.search(question))
        and not found["noun"].endswith("s")
    ):
        return True
    if isinstance(query, nodes.Compare) and _OR_WHICH.search(question):
        return True
    if isinstance(query, nodes.Compare | nodes.Holds | nodes.Some) and _ASKS_WHICH.match(question):
        return True
    if _ANY_MORE.search(question) and _is_the_most(query):
        return True
    if isinstance(query, nodes.Count) and (_HOW_LONG.match(question) or _HOW_MUCH_MORE.search(question)):
        return True
    if not _SAYS_ORDER.search(question) and any(map(_is_before_or_after, query.walk())):
        return True
    is_value = isinstance(query, nodes.Follow | nodes.Values)
    if is_value and (_COMPARES_ALONE.search(question) or (_SO_MANY.search(question) and _COSTS.search(question))):
        return True
    if (_CAN.search(question) or _WAS_DONE.match(question)) and _is_whole_kind(query):
        return True
    if _OF_TWO_MORE.search(question) and any(map(_takes_two, query.walk())):
        return True
    if _TOGETHER.search(question) and any(isinstance(node, nodes.Or) for node in query.walk()):
        return True
    if isinstance(query, nodes.Compare) and query.comparison != "<=" and is_by_then(query, question):
        return True
    return _denies(query, question) or _is_of_no_two(query, question) or _is_of_all(query, question)


def _is_before_or_after(node: Node) -> bool:
    """Whether a statement is of before or after a date, for which a word must ask: "japan population 1950" has none."""
    return (
        isinstance(node, nodes.Qualified)
        and node.comparison in "<=>="
        and node.comparison != "="
        and isinstance(node.value, nodes.Date)
    )


def _takes_two(node: Node) -> bool:
    """Whether both of two are taken, or "two" for a limit, where one of them is asked for."""
    is_limit = isinstance(node, nodes.Where) and isinstance(node.value, nodes.Number) and node.value.number == 2
    return is_limit or (isinstance(node, nodes.Best) and node.last > 1)


def _is_whole_kind(query: Query) -> bool:
    """Whether all of a kind are told, or how many they are."""
    base = query.base if isinstance(query, nodes.Count) else query
    return isinstance(base, nodes.Class | nodes.Having)


def is_by_then(query: Query, question: str) -> bool:
    """Whether a date is compared with a year by the end of which the question asks whether something was so."""
    match query:
        case nodes.Compare(nodes.Values(), _, nodes.Date()):
            return _BY_THEN.search(question) is not None and not _STILL.search(question)
    return False


def _is_limited_otherwise(query: Query, question: str) -> bool:
    """Whether a limit is left out that counts too, or counts though it is left out; nothing where both are said."""
    question = _BEFORE_THAT.sub(" ", question)
    counts = _COUNTS_ITSELF.search(question) is not None
    leaves_out = _LEAVES_IT_OUT.search(_COUNTS_ITSELF.sub(" ", question)) is not None
    if counts is leaves_out or (leaves_out and _DENIED.search(question)):
        return False
    wrong = (">", "<") if counts else (">=", "<=")
    limits = [node for node in query.walk() if isinstance(node, nodes.Where) and _is_constant(node.value)]
    return len(limits) == 1 and limits[0].comparison in wrong


def _is_limited_from_behind(query: Query, question: str) -> bool:
    """Whether a limit leaves what is beyond it where the question asks for what is before it ("no later than 1928"), or
    the other way round, or only the year itself ("from 2015 on"); nothing where both are said."""
    question = _BEFORE_THAT.sub(" ", question)
    upwards, downwards = _UPWARDS.search(question) is not None, _DOWNWARDS.search(question) is not None
    limits = [node for node in query.walk() if isinstance(node, nodes.Where) and _is_constant(node.value)]
    others = _UPWARDS.sub(" ", _DOWNWARDS.sub(" ", question))
    if upwards is downwards or len(limits) != 1 or _DENIED.search(others) or _LEAVES_IT_OUT.search(others):
        return False
    value = limits[0].value
    if isinstance(value, nodes.Date) and value.text[:4] not in question:  # who is at least 40 was born before
        return False
    return limits[0].comparison in (("<", "<=", "=") if upwards else (">", ">=", "="))


def _is_too_short(query: Query, question: str) -> bool:
    """Whether fewer steps are taken than the question says one after another: "her father's father's father"."""
    chain = _CHAIN.search(question)
    if chain is None:
        return False
    steps = sum(isinstance(node, nodes.Follow | nodes.Values) for node in query.walk())
    return steps < len(re.findall(rf"\b{re.escape(chain[1] or chain[2])}\b", chain[0], re.IGNORECASE))


def _is_constant(value: object) -> bool:
    return isinstance(value, nodes.Number | nodes.Date)


def _is_placed_otherwise(query: Query, question: str) -> bool:
    """Whether the first few are taken where one place is asked for, or one where the first few are."""
    says_several = SEVERAL.search(question) is not None
    says_one = sum(1 for pattern in (_PLACE, NUMBERED) for _ in pattern.finditer(question)) == 1
    bests = (node for node in query.walk() if isinstance(node, nodes.Best) and node.last > 1)
    return says_several is not says_one and any((one.first == one.last) is says_several for one in bests)


def _denies(query: Query, question: str) -> bool:
    """Whether a set is taken away that no word denies; but who is asked about, and what is told from there, may always
    be left out: cousins are no siblings."""
    taken = (node for node in query.walk() if isinstance(node, nodes.Minus))
    return any(not _is_of_same(one) for one in taken) and not denies(question)


def _is_of_same(node: nodes.Minus) -> bool:
    kept, taken = ({one for one in side.walk() if isinstance(one, nodes.Entities)} for side in (node.left, node.right))
    return isinstance(node.right, nodes.Entities) or bool(taken and taken <= kept)


def _is_of_no_two(query: Query, question: str) -> bool:
    """Whether one of two is asked for ("which of the two"), and nothing here is about two things."""
    if _OF_TWO.search(question) is None or _OF_TWO_SORTS.search(question) is not None:
        return False
    named = {one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids}
    return len(named) < 2 and not any(isinstance(node, nodes.Best) and node.last > 1 for node in query.walk())


def _is_of_all(query: Query, question: str) -> bool:
    """Whether what has to do with all of several names is found where one of them is enough ("at least one of")."""
    if _ONE_OF.search(question) is None or any(isinstance(node, nodes.Or) for node in query.walk()):
        return False
    both = (node.parts for node in query.walk() if isinstance(node, nodes.And))
    return any(all(any(isinstance(one, nodes.Entities) for one in side.walk()) for side in sides) for sides in both)
