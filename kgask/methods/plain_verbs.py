"""What a question says by the verb that a relation is called by, and nothing else: "who leads Seaweed Kitchen?".

Of "leads" a planner takes what its topic leads as often as who leads it. Which of the two is asked for the verb's place
tells (:mod:`kgask.methods.voice`), and where no other word carries anything there is nothing else to be asked.
"""

from __future__ import annotations

import re

import numpy as np

from kgask.methods.accounted import unsaid_words
from kgask.methods.relation_facts import is_small
from kgask.methods.voice import goes_both_ways, is_object, is_verb
from kgask.pack.labels import readable_relation
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.relation_words import PREPOSITIONS
from kgask.retrieve.follow import relations_of
from kgask.types import DirectedRelationId, undirected

_ASKS = re.compile(r"\W*(?:and |so )?(?:whom?|what|which|how many)\b", re.IGNORECASE)
_WHEN = re.compile(r"\W*(?:and |so )?(?:when|(?:in )?(?:which|what) years?)\b", re.IGNORECASE)
_YEAR_OF = re.compile(r"(?:year|date) of (?P<event>[A-Z]\w+.*)")
_GOT = "year years date receive received win won get got award awarded given obtain obtained prize"
_HOW_MANY = re.compile(r"\W*(?:and |so )?how many\b", re.IGNORECASE)
_MORE = re.compile(  # is asked than what a verb says
    r"\d|[,;]|\b(?:not|no|never|other|others|else|also|too|both|only|just|same|all|first|last|next|most|least|[a-z]{2,}est|"
    r"more|less|fewer|than|before|after|when|where|why|since|until|during|ago|ever|and|or|nor|but|without|except)\b|n't\b",
    re.IGNORECASE,
)


def is_said_by_verb(query: Query, text: str, words: str, pack: Pack) -> bool:
    """Whether a query says all that a question does, by one verb and its topic: ``words`` are those of the query and of
    what it comes to."""
    if not is_small(pack) or not _ASKS.match(text) or isinstance(query, nodes.Count) is not bool(_HOW_MANY.match(text)):
        return False
    core = query.base if isinstance(query, nodes.Count) else query
    if isinstance(core, nodes.And) and isinstance(core.left, nodes.Class):
        core = core.right
    match core:
        case nodes.Follow(nodes.Entities((topic,)), relation):
            pass
        case _:
            return False
    label = pack.labels([topic])[0]
    places = [found.span() for found in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE)]
    if len(places) != 1:
        return False
    start, end = places[0]
    rest = f"{text[:start]} {text[end:]}"
    called = f"by {pack.relation_labels()[relation % pack.n_relations]}".lower().split()
    others = PREPOSITIONS.intersection(rest.lower().strip(" ?.!").split()).difference(called)  # "made of", of a "maker"
    is_all = not others and not _MORE.search(rest) and not unsaid_words(rest, words)
    return is_all and _verbs_of(topic, places[0], text, pack) == [relation]


def asks_year_of(query: Query, text: str, words: str, pack: Pack) -> bool:
    """Whether it is asked when something had what a relation tells the year of, and nothing else: "when did Kipling
    receive his Nobel?" of a "year of Nobel Prize"."""
    match query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if relation < pack.n_relations:
            found = _YEAR_OF.fullmatch(readable_relation(pack.relation_labels()[relation]))
        case _:
            return False
    if found is None or not _WHEN.match(text) or _MORE.search(_WHEN.sub("", text)):
        return False
    event = found["event"].split()[0]
    said = f"{words} {' '.join(pack.labels([topic]))} {_GOT}"
    return re.search(rf"\b{re.escape(event)}\b", text, re.IGNORECASE) is not None and not unsaid_words(text, said)


def _verbs_of(topic: int, place: tuple[int, int], text: str, pack: Pack) -> list[DirectedRelationId]:
    """The directed relations of a topic that the verb of a question asks for."""
    found, labels = [], pack.relation_labels()
    for directed in np.flatnonzero(relations_of(pack, np.array([topic]))).tolist():
        relation, is_inverse = undirected(directed, pack.n_relations)
        said = is_object(text, place, labels[relation]) if is_verb(labels[relation]) else None
        if said is not None and (said is is_inverse or goes_both_ways(labels[relation])):
            found.append(directed)
    return found
