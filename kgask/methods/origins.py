"""Where something goes from and where to, by the words before a place: "what leaves Bonn" goes from there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np

from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import CLOCK
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.types import EntityId, RelationId, undirected

_STOP = r"(?: ?(?:station|stop|airport|port|city|town|place|harbou?r|terminal|node|site|hub))?"
_CALLED = {
    "from": re.compile(
        rf"(?:from|origin|source|start|departure|departs? from|leaves? from|departing|sender){_STOP}", re.I
    ),
    "to": re.compile(
        rf"(?:to|destination|target|end|arrival|arrives? (?:at|in)|goes to|arriving|receiver|dest){_STOP}", re.I
    ),
}
_SAID = {
    "from": re.compile(
        r"\b(?:from|out of|leav(?:e|es|ing)|left|depart(?:s|ed|ing)?|quit(?:s|ting)?|start(?:s|ed|ing)? (?:in|at)|"
        r"originat(?:es|ed|ing) (?:in|at)) (?:the )?\Z",
        re.IGNORECASE,
    ),
    "to": re.compile(
        r"\b(?:to|into|towards?|reach(?:es|ed|ing)?|bound for|head(?:s|ed|ing) for|"
        r"(?:arriv(?:e|es|ed|ing)|end(?:s|ed|ing)?(?: up)?|terminat(?:es|ing)|gets? in|pulls? in|calls?|be|"
        r"land(?:s|ed|ing)?) (?:in|at|into)) (?:the )?\Z",
        re.IGNORECASE,
    ),
}
_LEAVES = re.compile(
    r"\b(?:leav(?:e|es|ing)|left|depart\w*|sets? off|out of|goes? from|setting off|start(?:s|ing)?|begins?)\b", re.I
)
_ARRIVES = re.compile(
    r"\b(?:arriv\w*|reach(?:es|ed|ing)?|gets? (?:me )?(?:in|there|to)|pulls? in|comes? in|end(?:s|ing)?|finish\w*|over|"
    r"due|clos(?:e|es|ing)|back|until|till|returns?|have to be|must be|need to be)\b",
    re.IGNORECASE,
)
ASKS_WHEN = re.compile(
    r"\W*(?:and |so )?(?:when|what time|at what time|on (?:what|which) (?:day|date))\b", re.IGNORECASE
)
_BY = re.compile(r"\w(?:ed|en|ain|ung|ilt|ade|aught|ought|old|ead|et|und) by\Z", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:been|be|get|gets|got|getting)\b.* by\b", re.IGNORECASE)
_DOES = re.compile(r"\b(?:did|does|do|has|have|had|didn['\u2019]?t|doesn['\u2019]?t) (?:the |ever )?\Z", re.IGNORECASE)
_WHO = re.compile(r"\W*(?:and |so )?(?:whom?|what(?:['\u2019]?s)?)\b(?! (?:row|record|line|entr))", re.IGNORECASE)
PEOPLE_COUNTED = re.compile(
    r"\bhow many (?:different |other )?(?:people|persons|men|women|folks?|of us)\b", re.IGNORECASE
)
_UNNAMED = re.compile(r"[a-z][\w -]*/\d+(?:, \w+ \d+)?")
_ROW = re.compile(rf"{_UNNAMED.pattern}|.+, [a-z][a-z ]* \d+")
_CODE = re.compile(r"[A-Z]{1,4}[-_ ]?\d{1,6}")
_NAMES_OF = re.compile(r"\bnames? of (?:all |each |those |people |every(?:one|body) )", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\W*(?:and |so )?whom?\b", re.IGNORECASE)
MOST_LOOKED_AT = 5
_AT_START = re.compile(r"\b(?:dep\b|depart|leav|start|begin|opens?\b)", re.IGNORECASE)
_AT_END = re.compile(r"\b(?:arr\b|arriv|end|finish|clos|return)", re.IGNORECASE)
_ROLES: WeakKeyDictionary[Pack, dict[RelationId, str]] = WeakKeyDictionary()
_Spans = Mapping[EntityId, tuple[int, int]]


def goes_the_other_way(query: Query, text: str, spans: _Spans, pack: Pack) -> bool:
    """Whether a query takes where something goes to for where it comes from, or the other way round, in a graph whose
    things have both. ``spans`` tell where the names of entities stand in the question."""
    if _is_at_other_end(query, text, pack):
        return True
    roles = _roles_of(pack)
    if len(set(roles.values())) < 2:
        return False
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities((place,)), relation) | nodes.Holds(_, relation, nodes.Entities((place,))):
                said = _said_before(text, spans.get(place))
                if said and roles.get(undirected(relation, pack.n_relations)[0], said) != said:
                    return True
    return False


def ends_of_times(pack: Pack) -> tuple[set[RelationId], set[RelationId]]:
    """The relations that tell at what time of day something begins, and at which it ends."""
    if CLOCK not in pack.manifest.get("axes", ()):
        return set(), set()
    labels = [relation_phrase(label) for label in pack.relation_labels()]
    timed = {at for at in range(pack.n_relations) if relation_axis(pack, at) == CLOCK}
    starts, ends = ({at for at in timed if called.search(labels[at])} for called in (_AT_START, _AT_END))
    return starts, ends


def _is_at_other_end(query: Query, text: str, pack: Pack) -> bool:
    """Whether it goes by the time when something ends where no word is of that, or by when it begins where one is."""
    is_end = _ARRIVES.search(text) is not None
    if is_end and _LEAVES.search(text) is not None:
        return False
    starts, ends = ends_of_times(pack)
    others = starts if is_end else ends
    by = (node.by.path[-1] for node in query.walk() if isinstance(node, nodes.Where | nodes.Best))
    told = [query.relation] if isinstance(query, nodes.Follow) and ASKS_WHEN.match(text) else []
    return bool(starts and ends) and any(one in others for one in (*by, *told))


_WHOSE_ONE_IS = {  # whoever works is employed by somebody: what they do says what is done to them
    "work": ("employed", "hired"),
    "report": ("managed", "supervised", "led", "headed"),
    "answer": ("managed", "supervised"),
    "belong": ("owned", "held", "kept"),
    "learn": ("taught", "trained"),
    "study": ("taught", "supervised"),
    "come": ("supplied", "made", "delivered", "sent", "given", "donated"),
}
_UNDER_OTHERS = re.compile(rf"\b(?:{'|'.join(_WHOSE_ONE_IS)})\b", re.IGNORECASE)


def is_done_by_other(query: Query, text: str, spans: _Spans, pack: Pack) -> bool:
    """Whether a relation that leads to who did it ("slain by") is followed from who is said to have done it: "did Ann
    kill Bob?" is none about who killed Ann."""
    for node in query.walk() if _PASSIVE.search(text) is None else ():
        match node:
            case nodes.Holds(nodes.Entities((one,)), relation, nodes.Entities((other,))):
                doer = one if relation < pack.n_relations else other
            case nodes.Follow(nodes.Entities((doer,)), relation) if relation < pack.n_relations:
                pass
            case _:
                continue
        label = relation_phrase(pack.relation_labels()[relation % pack.n_relations])
        if doer in spans and _BY.search(label) and _DOES.search(text[: spans[doer][0]]):
            verb = _UNDER_OTHERS.search(text, spans[doer][1])
            if verb is None or not label.startswith(_WHOSE_ONE_IS[verb[0].lower()]):
                return True
    return False


def tells_rows(found: Hypothesis, text: str, pack: Pack) -> bool:
    """Whether somebody or something is asked for, or people are counted, and what is found are rows of a table without
    a name: "shift/12"."""
    if not is_small(pack):
        return False
    query = found.make_query()
    if isinstance(query, nodes.Count) and found.outcome is not None and PEOPLE_COUNTED.search(text):
        return _are_rows(found.outcome.runner.members(query.base).certain, pack)
    if _ASKS_WHO.match(text) and _are_rows(found.answers, pack, _CODE):
        return True
    asks_for_people = _ASKS_WHO.match(text) or _NAMES_OF.search(text)
    if asks_for_people and any(map(_UNNAMED.fullmatch, pack.labels(found.answers[:MOST_LOOKED_AT].tolist()))):
        return True  # be it beside others that have one
    return _WHO.match(text) is not None and _are_rows(found.answers, pack)


def _are_rows(entities: np.ndarray, pack: Pack, called: re.Pattern[str] = _ROW) -> bool:
    labels = pack.labels(entities[:MOST_LOOKED_AT].tolist())
    return bool(labels) and all(called.fullmatch(label) for label in labels)


def _roles_of(pack: Pack) -> dict[RelationId, str]:
    """Which relations say where something is from, and which where it goes to; looked at once a pack."""
    if pack not in _ROLES:
        labels = enumerate(map(relation_phrase, pack.relation_labels()))
        _ROLES[pack] = {at: role for at, label in labels if (role := _role(label))}
    return _ROLES[pack]


def _role(called: str) -> str:
    return next((role for role, words in _CALLED.items() if words.fullmatch(called.strip())), "")


def _said_before(text: str, place: tuple[int, int] | None) -> str:
    if place is None:
        return ""
    return next((role for role, words in _SAID.items() if words.search(text[: place[0]])), "")
