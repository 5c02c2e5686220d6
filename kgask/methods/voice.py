"""Which way a verb is meant: "who reports to Bob?" or "whom does Bob report to?".

A relation called by a verb ("reports to", "manages", "managed by") stands between a subject and an object; where the
question uses that verb, its form tells which of the two the named topic is. The planner sees both ways as one relation
and confuses them more often than this does. Nouns ("boss of") are another matter: their form tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kgask.link.plurals import singulars
from kgask.methods.doubts import relations_in
from kgask.methods.relation_facts import is_table
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.ends import kind_of_ends, leads_to_likes
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS, RelationWords, is_bare_past, is_participle
from kgask.types import DirectedRelationId, EntityId, opposite, undirected

# Words that call a relation by a noun ("her father", "X's owner"): the planner knows which way that is meant.
BY_NOUN = re.compile(
    r"\b(?:fathers?|mothers?|parents?|dad|mum|mom|sons?|daughters?|child|children|kids?)\b|['\u2019]s? [a-z]+\W*\Z",
    re.IGNORECASE,
)
_OWN_NOUN = re.compile(  # "who are Kito's parents?", "the parents of Kito"
    r"['\u2019]s? (?P<of>[a-z]+)\W*\Z|\A\W*(?:(?:who|what) (?:is|are|was|were) )?(?:the )?(?P<noun>[a-z]+) of ",
    re.IGNORECASE,
)
_TOPIC = "\0"
_IRREGULAR = tuple(
    frozenset(forms.split())
    for forms in (
        "write writes wrote written writing", "teach teaches taught teaching", "lead leads led leading",
        "make makes made making", "build builds built building", "sell sells sold selling", "buy buys bought buying",
        "sing sings sang sung singing", "draw draws drew drawn drawing", "run runs ran running",
        "win wins won winning", "hold holds held holding", "give gives gave given giving",
        "take takes took taken taking", "know knows knew known knowing", "drive drives drove driven driving",
        "grow grows grew grown growing", "eat eats ate eaten eating", "feed feeds fed feeding",
        "keep keeps kept keeping", "speak speaks spoke spoken speaking", "beat beats beaten beating",
        "lend lends lent lending", "send sends sent sending", "find finds found finding", "bear bears bore born",
        "fight fights fought fighting", "bind binds bound binding", "rise rises rose risen rising",
        "lie lies lay lain lying", "sit sits sat sitting", "own owns owned owning", "come comes came coming",
        "go goes went gone going", "slay slays slew slain slaying", "shoot shoots shot shooting",
        "steal steals stole stolen stealing", "choose chooses chose chosen choosing", "bring brings brought bringing",
        "catch catches caught catching", "throw throws threw thrown throwing", "ride rides rode ridden riding",
        "begin begins began begun beginning", "break breaks broke broken breaking", "hide hides hid hidden hiding",
    )
)  # fmt: skip
# Who does something, by a word that says that she does it, too: "whom did Ann mentor?".
_DOER = re.compile(r"(?:[\w-]+ ){0,2}(?P<verb>[^\W\d_]{3,})(?:er|or)")  # "line manager", whom others are managed by
_DOERS = frozenset("author captain chair coach father mentor mother referee skipper tutor".split())
# Nouns as often as verbs: the sponsors of an episode, and whom a firm sponsors.
_NOUN_OR_VERB = frozenset(
    "authors captains chairs champions coaches cooks crews doctors fathers guards guides heads hosts judges mentors "
    "nurses parents partners pilots referees sponsors supports tutors".split()
)
# Who is above somebody, and the verbs of those below: "who reports to Bob?" asks for those whose manager he is.
_SUPERIOR = re.compile(r"(?:\w+ )?(?:manager|supervisor|superior|boss|head|line managed by|managed by|supervised by)")
_UNDER = (
    r"(?:reports?|reporting|answers?|answering|work(?:s|ing|ed)? (?:under|for)|serv(?:es?|ed|ing) under)"
    r"(?: directly)?(?: to)?"
)
_BE = r"(?:is|are|was|were|been|being|be|gets?|got)"
_LEAD = r"(?:the |a |an |mr\.? |mrs\.? |ms\.? |dr\.? )?"
_END = (  # not "directed by the Galaxy Quest director"
    r"(?=\W*\Z|[,;:.?!)]| (?:and|or|but|nor|is|are|was|were|has|have|had|do|does|did|who|which|that|as|when|while|"
    rf"too|also|now|currently|today|{'|'.join(sorted(PREPOSITIONS))})\b)"
)
_TO_US = re.compile(r" (?:to|for|at|with) (?:us|me|you)(?= )")  # "was sent to us by Ann"
_BOTH_WAYS = re.compile(  # whoever is written down first
    r"(?:is |are |was )?(?:married(?: to)?|spouses?(?: of)?|siblings?(?: of)?|cousins?(?: of)?|twins?(?: of)?|"
    r"twinned with|friends?(?: of| with)?|neighbou?rs?(?: of)?|colleagues?(?: of)?|partners?(?: of| with)?|"
    r"allied with|allies|borders?|bordering|shares border(?: with)?|adjacent to|next to|connected (?:to|with)|"
    r"linked (?:to|with)|interacts with|related to|engaged to)"
)
_BEAT = frozenset(("beat", "beats", "defeated", "defeats", "won against", "wins against", "victory over"))
_BELOW = r"(?:subordinates?|direct reports?|underlings?|reports)"
_HELP = r"(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|might|must)"


def is_by_noun(text: str, relation: DirectedRelationId, pack: Pack) -> bool:
    """Whether a question calls a relation by a noun, which a table's own words have: of "Ann's pupils" and "coached by"
    the planner knows no more than the judge."""
    found = BY_NOUN.search(text)
    if found is None or not is_table(pack):
        return found is not None
    noun, names = re.findall(r"\w+", found[0].lower())[-1], pack.relations()[undirected(relation, pack.n_relations)[0]]
    said = normalise(" ".join((*names.names, names.inverse_label))).split()
    return not {noun, *singulars(noun)}.isdisjoint(said)


def is_called(text: str, relation: DirectedRelationId, pack: Pack) -> bool:
    """Whether a question asks for what a relation leads to by its whole label: "Kito's parents"."""
    if (found := _OWN_NOUN.search(text)) is None:
        return False
    noun, label = (found["of"] or found["noun"]).lower(), RelationWords(pack.relations()[relation].label, False).words
    return not {label.lower(), *singulars(label.lower())}.isdisjoint({noun, *singulars(noun)})


def goes_both_ways(label: str) -> bool:
    """Whether a relation is called by what is so of both whoever is written down first.

    >>> goes_both_ways("marriedTo"), goes_both_ways("child of")
    (True, False)
    """
    return _BOTH_WAYS.fullmatch(readable_relation(label).lower()) is not None


def is_turned(query: Query, text: str, spans: dict[EntityId, tuple[int, int]], pack: Pack) -> bool:
    """Whether a query follows a relation from a topic the other way round than the question's verb says.

    ``spans`` are the characters of ``text`` that name each topic.
    """
    labels, n = pack.relation_labels(), pack.n_relations
    for topic, relation, as_object in _walked(query):
        if goes_both_ways(labels[relation % n]):
            continue
        said = is_start_object(text, spans[topic], relation, pack) if topic in spans else None
        if said is not None and said is not as_object:
            return True
    return False


def goes_by_unsaid_verb(query: Query, text: str, pack: Pack) -> bool:
    """Whether a claim's query goes, among other relations, by a verb between likes that the claim does not say: whom a
    baker beat is therefore none. What is said of the link between two that are named has no other way to be said."""
    if any(isinstance(node, nodes.QualifierOf) for node in query.walk()):
        return False
    n, labels = pack.n_relations, pack.relation_labels()
    relations = {relation % n for relation in relations_in(query)}
    verbs = ((one, verb[0]) for one in relations if (verb := _verb_of(labels[one].lower())) is not None)
    return len(relations) > 1 and any(
        leads_to_likes(pack, one) and re.search(rf"\b{verb}\b", text, re.IGNORECASE) is None for one, verb in verbs
    )


def is_start_object(text: str, topic: tuple[int, int], relation: DirectedRelationId, pack: Pack) -> bool | None:
    """Whether the topic is what the directed relation leads to, by the question's verb; None where that does not tell.

    Of values ("hired" with a date) a passive says nothing: "when was Ann hired?" asks what Ann has.
    """
    plain, inverse = undirected(relation, pack.n_relations)
    if relation_axis(pack, plain) is not None:
        return None
    label = pack.relations()[plain].label
    if is_bare_past(label) and not leads_to_likes(pack, plain):
        return None
    if label.lower() in _NOUN_OR_VERB and kind_of_ends(pack, opposite(plain, pack.n_relations)) is not None:
        return None  # records of a file have a kind, unlike what is only linked
    said = is_object(text, topic, label)
    return None if said is None else said is not inverse


def _walked(query: Query) -> Iterator[tuple[EntityId, int, bool]]:
    """Topics with the directed relation that is followed from them, or that (True) is to lead to them."""
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities((topic,)), relation):
                yield topic, relation, False
            case nodes.Holds(nodes.Entities((subject,)), relation, nodes.Entities((obj,))):
                yield from ((subject, relation, False), (obj, relation, True))


def is_object(text: str, topic: tuple[int, int], label: str) -> bool | None:
    """Whether the topic is what the relation leads to, by the question's verb; None where that does not tell.

    >>> is_object("who reports to Bob?", (15, 18), "reports to"), is_object("who manages Bob?", (12, 15), "managed by")
    (True, False)
    >>> is_object("who reports to Bob?", (15, 18), "line manager"), is_object("whom does Bob own?", (10, 13), "owner")
    (True, True)
    >>> is_object("who manages Bob?", (12, 15), "manager"), is_object("who supplies Bob?", (13, 16), "supplier")
    (False, False)
    >>> is_object("who was Bob a pupil of?", (8, 11), "pupil of"), is_object("pupils of Bob", (10, 13), "pupil of")
    (False, None)
    >>> is_object("tell me what the Ache flows into", (17, 21), "flows into")
    False
    """
    said = _TO_US.sub("", f"{text[: topic[0]]}{_TOPIC}{text[topic[1] :]}".lower())
    words, verb = RelationWords(label, False), _verb_of(label)
    name = words.words.lower()
    if (decided := _is_beaten(said, name)) is not None:
        return decided
    is_above = re.search(
        rf"(?:\b{_BELOW} (?:of|under) {_LEAD}{_TOPIC}{_END}|{_TOPIC}['\u2019]s? (?:\w+ )?{_BELOW}\b)", said
    )
    is_above = is_above or re.search(rf"\b{_UNDER} {_LEAD}{_TOPIC}{_END}|{_TOPIC} (?:is |was )?in charge of\W*\Z", said)
    if is_above and (_SUPERIOR.fullmatch(name) or re.fullmatch(r"(?:reports?|answers) to", name)):
        return True
    if _SUPERIOR.fullmatch(name) and re.search(rf"\b{_UNDER} {_LEAD}{_TOPIC}{_END}", said):
        return True
    if verb is None:
        if name in _DOERS and re.search(rf"\b(?:did|does|do) {_LEAD}{_TOPIC} (?:\w+ )?{name}\b", said):
            return True
        return False if _is_left_open(said, name) else None
    forms, by_agent, particle = verb
    found = re.findall(rf"\b(?:{forms})\b", said)
    if len(found) != 1 or said.count(_TOPIC) != 1:
        return None
    after = re.search(rf"\b{forms}{particle} {_LEAD}{_TOPIC}{_END}", said)
    agent = re.search(rf"\b{forms} by {_LEAD}{_TOPIC}{_END}", said)
    more = r"(?P<more>(?:(?!who|which|that)\w+ ){0,2}?)"
    before = re.search(rf"\b(?P<help>{_HELP}) {_LEAD}{_TOPIC} {more}(?P<verb>{forms})\b", said)
    # "tell me what the Ache flows into"
    told = re.search(rf"\b(?:what|whom?|where|which(?: [a-z]+){{1,2}}) {_LEAD}{_TOPIC} {forms}{particle}{_END}", said)
    is_passive = before is not None and re.search(rf"\b{_BE}\b", f"{before['help']} {before['more']}") is not None
    if particle:  # of "sold at" the shop sells
        is_same = before is not None and is_passive is words.is_state
        return True if after else False if is_same or told else None
    if before and is_passive and not (is_participle(before["verb"]) or before["verb"].endswith("ing")):
        return None  # "is it a discovery?"
    if before:
        is_patient = is_passive and is_participle(before["verb"])
    elif told:
        is_patient = False
    elif after or agent:
        is_patient = after is not None
    else:
        return None
    return is_patient is not by_agent


def _is_beaten(said: str, label: str) -> bool | None:
    """Whether the topic is who was beaten, by a relation that says who beat whom; None where it does not tell."""
    if label not in _BEAT:
        return None
    if re.search(rf"\b(?:win|won|wins|winning|victor\w*|triumph\w*) (?:against|over) {_LEAD}{_TOPIC}{_END}", said):
        return True
    if re.search(rf"\blos(?:e|t|es|ing) (?:to|against) {_LEAD}{_TOPIC}{_END}", said):
        return False
    if re.search(rf"{_TOPIC} (?:\w+ ){{0,2}}?(?:win|won|wins|winning)(?: (?:against|over)\b|{_END})", said):
        return False
    return True if re.search(rf"{_TOPIC} (?:\w+ ){{0,2}}?los(?:e|t|es|ing)\b", said) else None


def _is_left_open(said: str, label: str) -> bool:
    """Whether a question ends in what it asks of its topic: "who was Ann a pupil of?"."""
    return label.endswith(" of") and re.search(rf"{_TOPIC} (?:an? |the )?{re.escape(label)}\W*\Z", said) is not None


def is_verb(label: str) -> bool:
    """Whether a relation is called by a verb, or by who does something."""
    return _verb_of(label) is not None


@lru_cache(4096)
def _verb_of(label: str) -> tuple[str, bool, str] | None:
    """The verb's forms, whether the relation leads to who does it ("managed by"), and its particle, as patterns.

    "Manager" and "line manager" are as "managed by".
    """
    words = RelationWords(label, False)
    if not (words.is_verb or words.is_state) and (forms := _done_by(words.words.lower())):
        return forms, True, ""
    first, *rest = words.words.lower().split()
    if first in ("is", "was") and rest:
        first, *rest = rest
    if not (words.is_verb or words.is_state) or len(rest) > 1 or not all(word in PREPOSITIONS for word in rest):
        return None
    if first in PREPOSITIONS or (words.is_state and not is_participle(first)):
        return None
    by_agent = rest == ["by"]
    particle = "" if by_agent or not rest else f" {re.escape(rest[0])}"
    return _forms(first), by_agent, particle


def _done_by(label: str) -> str:
    """The forms of what a "line manager" or "supplier" does; "" for what is called by no doer."""
    found = _DOER.fullmatch(label)
    if found is None or label in _DOERS:
        return ""
    verb = f"{found['verb'][:-1]}y" if found["verb"].endswith("i") else found["verb"]
    return next(filter(None, map(_irregular, (verb, f"{verb}e"))), _forms(verb) if len(verb) > 3 else "")


def _irregular(verb: str) -> str:
    forms = next((forms for forms in _IRREGULAR if verb in forms), ())
    return f"(?:{'|'.join(sorted(forms))})" if forms else ""


def _forms(verb: str) -> str:
    if known := _irregular(verb):
        return known
    stem = re.sub(r"(?:ies|ied|es|ed|s|e|y)\Z", "", verb)
    return rf"(?:{re.escape(stem)}(?:{re.escape(stem[-1:])}?(?:e|es|s|ed|d|ing)|y|ies|ied|ying)?)"
