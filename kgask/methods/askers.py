"""What a query surely has wrong where a question asks who did something, for the most of it, or compares years."""

from __future__ import annotations

import re

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by
from kgask.types import opposite

_WHO_DOES = re.compile(
    r"\W*(?:and |so )?who (?!(?:is|are|was|were|of|among|has|have|had|else|all|in|on|from|at|can|could|will|would|do|"
    r"does|did)\b)(?P<verb>[a-z]+) (?:the|a|an|our|my|their|its|this|that) (?P<behind>.+)",
    re.IGNORECASE,
)
_WHICH_ARE = re.compile(r"\W*(?:which|what) (?P<nouns>[a-z]+s) (?:are|were)\b", re.IGNORECASE)
# "Who became the oldest member?" asks for one of these.
_BE_OR_RANK = frozenset("became become becomes stands ranks comes counts plays".split())
_IN_STATE = re.compile(
    r"\W*(?:which|what) [a-z]+(?: [a-z]+)? (?:is|are|was|were) (?:(?:still|currently|now|already|not|yet) )*"
    r"(?:out|in|on|off|up|down|back|away|left|over|due|gone|around|about)(?: now| yet| at the moment)?\W*",
    re.IGNORECASE,
)
_MOST_OF = re.compile(r"\b(?:the )?(?:most|fewest|least) ([a-z]{3,})\b", re.IGNORECASE)
_YEAR = r"(?:1[5-9]|20)\d\d"
_YEARS = re.compile(
    rf"\b(?:in|since|by|from) {_YEAR}\b.*\bthan\b(?: \w+){{0,4}}? (?:in )?{_YEAR}\b|"
    rf"\b(?:more|fewer|less|bigger|smaller|higher|lower|larger)\b.*\bthan in {_YEAR}\b",
    re.IGNORECASE,
)
_ADDED_UP = re.compile(r"\bhow (?:many|much)\b.*\b(?:together|combined|altogether|in total|in all)\W*\Z", re.IGNORECASE)
_WHO_DID = re.compile(r"\W*(?:[\w ]{2,20}: )?(?:and |so )?whom? (?!is\b|was\b|are\b|were\b)", re.IGNORECASE)

_WHAT_STUDIED = re.compile(
    r"\W*(?:and |so )?what (?:subjects? )?(?:did|does|do) .+ (?:study|major in|learn)\b", re.IGNORECASE
)
_SCHOOL = re.compile(r"educated at|alma mater|school|college|university|attended|studie[sd] at", re.IGNORECASE)
_FROM_A_KIND = re.compile(  # "every find out of the trenches"
    r"\b(?:all|every|each|which|what|list|the) (?!(?:lists?|names?|sets?|numbers?|ones?|two|three|rest|most|best|few|"
    r"some|other|others)\b)(?P<head>[a-z]+)(?: (?:were|are|is|was|came|come|found|made|taken)\b)*"
    r" (?:out of|from) (?:all )?the (?P<kind>[a-z]+s)\b",
    re.IGNORECASE,
)


def lists_what_is_added_up(query: Query, question: str) -> bool:
    """Whether values of two things are told where a question wants them put together: "A and B, how many in all?"."""
    return isinstance(query, nodes.Or) and _ADDED_UP.search(question) is not None


def denies_a_kind(found: Hypothesis, query: Query, pack: Pack) -> bool:
    """Whether it is denied that something is an instance of what nothing is one of: of a film, somebody in it."""
    match query:
        case nodes.Holds(nodes.Entities(), relation, nodes.Entities(kinds)) if relation in pack.type_relations:
            is_no = found.outcome is not None and found.outcome.truth is False
            return is_no and not len(reached_by(pack, np.array(kinds), opposite(relation, pack.n_relations)))
    return False


def tells_kind_of_somebody(query: Query, question: str, pack: Pack) -> bool:
    """Whether it is told of what kind somebody is, where it is asked who did something: "who wrote Dracula?"."""
    match query:
        case nodes.Follow(nodes.Follow(), relation) if relation in pack.type_relations:
            return _WHO_DID.match(question) is not None
    return False


def tells_where_it_was_studied(query: Query, question: str, pack: Pack) -> bool:
    """Whether a school is told where it is asked what somebody studied."""
    match query:
        case nodes.And(nodes.Class(), whole):
            return tells_where_it_was_studied(whole, question, pack)
        case nodes.Follow(_, relation) if relation < pack.n_relations and _WHAT_STUDIED.match(question):
            return _SCHOOL.match(readable_relation(pack.relation_labels()[relation])) is not None
    return False


def answers_what_was_done(query: Query, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether it is asked who did something to one of a class, and what is found is of that class: "who makes the
    cheapest wine" is no wine."""
    asked = _WHO_DOES.fullmatch(question)
    if asked is None or asked["verb"].lower() in _BE_OR_RANK or not len(answers):
        return False
    if isinstance(query, nodes.Follow | nodes.Values) or int(answers[0]) >= pack.n_entities - pack.n_literals:
        return False
    return _is_called(answers, asked["behind"], pack)


def answers_what_it_is_from(answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether what comes from some of a kind is asked for, and what is found is of that kind: "every find out of the
    trenches" is no trench."""
    asked = _FROM_A_KIND.search(question)
    if asked is None or not len(answers) or _is_called(answers, asked["head"], pack):
        return False
    return _is_called(answers, asked["kind"], pack)


def _is_called(answers: np.ndarray, said: str, pack: Pack) -> bool:
    """Whether words call the first answer by a kind of which it is."""
    heads = {end for one in pack.type_relations for end in reached_by(pack, answers[:1], one).tolist()}
    forms = {form for word in normalise(said).split() for form in (word, *singulars(word))}
    return any(forms.issuperset(normalise(label).split()) for label in pack.labels(sorted(heads)))


def takes_owners(query: Query, question: str, pack: Pack) -> bool:
    """Whether what is asked for is what a relation is called by, and what is found are those that have it: "which
    vulnerabilities are critical" asks for no hosts."""
    found = _WHICH_ARE.match(question)
    if found is None or not isinstance(query, nodes.And | nodes.Where | nodes.Having):
        return False
    labels, nouns = pack.relation_labels(), normalise(found["nouns"])
    had = [node.relation for node in query.walk() if isinstance(node, nodes.Having) and node.relation < len(labels)]
    return any(normalise(labels[one]) == nouns for one in had)


def passes_over_total(query: Query, question: str, pack: Pack) -> bool:
    """Whether the most of what entries say is asked for, as "the most hours", and they are counted, or one of them is
    taken, in the place of adding up those of each."""
    nouns = {form for found in _MOST_OF.finditer(question) for form in (found[1].lower(), *singulars(found[1].lower()))}
    if not nouns or not is_table(pack):
        return False
    labels = [normalise(label).split() for label in pack.relation_labels()]
    said = [at for at, words in enumerate(labels) if words and not nouns.isdisjoint(words[:1] + words[-1:])]
    amounts = [at for at in said if relation_axis(pack, at) not in (None, *WHEN)]
    match query:
        case nodes.Follow(nodes.Best(_, nodes.ValueOf((amount,))), owner) if owner < pack.n_relations:
            ends = np.asarray(pack.out_object)[np.asarray(pack.out_relation) == owner]
            return amount in amounts and len(distinct(ends)) < len(ends)
        case nodes.Best(_, nodes.SizeOf()):
            return bool(amounts)
        case nodes.Best(_, nodes.ValueOf(path)):  # "most hours" by a rate in euros an hour
            return path[-1] not in amounts and any(len(labels[at]) == 1 for at in amounts)
    return False


def passes_over_state(query: Query, question: str, pack: Pack) -> bool:
    """Whether all of a kind are told where those are asked for that are out, back or left."""
    of_kind = isinstance(query, nodes.Follow) and query.relation - pack.n_relations in pack.type_relations
    is_all = of_kind or isinstance(query, nodes.Class | nodes.Having)
    return is_all and _IN_STATE.fullmatch(question) is not None


def takes_year_for_quantity(query: Query, question: str) -> bool:
    """Whether a year of "more in 2020 than in 2015" is a number of what there is more of."""
    if _YEARS.search(question) is None:
        return False
    years = {float(year) for year in re.findall(rf"\b{_YEAR}\b", question)}
    return any(isinstance(node, nodes.Number) and node.number in years for node in query.walk())
