"""What a question may ask for, as it is compared: in words, by what it comes to, and whether all is said."""

from __future__ import annotations

import numpy as np

from kgask.answer.readings import answers_in_words, outcome_words, several
from kgask.errors import QueryError
from kgask.methods.accounted import unsaid_words
from kgask.methods.events import met_events
from kgask.methods.protocol import Hypothesis, Retrieved
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise

# Words that ask for an operator, and that its words say otherwise: who was born "first" is the oldest.
_SAID_BY: dict[type[nodes.Node], tuple[str, ...]] = {nodes.Best: ("first", "last"), nodes.Age: ("old",)}
SURE_QUERY = 0.85  # confidence in a query from which less is judged: half the time of a question, and as many are right


def with_itself(query: Query) -> Query:
    """The query without "except X" behind what begins with X: co-stars of somebody who is none of them."""
    for node in query.walk():
        match node:
            case nodes.Minus(left, nodes.Entities((_,)) as topic) if topic in left.walk():
                return with_itself(replaced(query, node, left))
    return query


def in_words(found: Retrieved, pack: Pack, tells_kinds: bool = True) -> tuple[str, str] | None:
    """What the best hypothesis asks for, and what it comes to; None for what cannot be said.

    ``tells_kinds``: what sort of thing that is as well.
    """
    one = found.hypotheses[0]
    query = one.make_query()
    if query is None:
        return None
    try:
        if tells_kinds:
            said = answers_in_words(one.outcome, one.answers, pack)
        else:
            said = outcome_words(one.outcome, pack) if one.outcome is not None else several(one.answers, pack)
        return verbalise(with_itself(query), pack), said
    except QueryError:
        return None


def is_plain(found: Retrieved, question: str, pack: Pack) -> bool:
    """Whether the planner is sure of what says every word of the question and leaves nothing out.

    Of 142 such questions worded by people the judge changed no answer, nor whether it is printed.
    """
    if found.confidence < SURE_QUERY or any(found.find_left_out().values()) or _counts_a_class(found.hypotheses[0]):
        return False
    said = in_words(found, pack)
    return said is not None and not unsaid_by(found, said, question, pack)


def unsaid_by(found: Retrieved, said: tuple[str, str], question: str, pack: Pack) -> list[str]:
    """The words of a question that carry something and that a query does not say, nor what it comes to or counts is.

    ``said`` is what :func:`in_words` gives.
    """
    counted = counted_by(found.hypotheses[0])
    words, of = said[0], said[1] if counted is None else answers_in_words(None, counted, pack)
    kind, is_told, _ = of.partition(": ")
    query = found.hypotheses[0].make_query()
    meant = (said for node in (query.walk() if query is not None else ()) for said in _SAID_BY.get(type(node), ()))
    return unsaid_words(question, " ".join((words, kind if is_told else "", met_events(question, words), *meant)))


def _counts_a_class(one: Hypothesis) -> bool:
    """Whether members of a class are counted: whether the graph knows all of them no word says."""
    query = one.make_query()
    return isinstance(query, nodes.Count) and any(isinstance(node, nodes.Class) for node in query.walk())


def counted_by(one: Hypothesis) -> np.ndarray | None:
    """What a query counts."""
    if one.outcome is None or not isinstance(one.outcome.query, nodes.Count):
        return None
    return one.outcome.runner.members(one.outcome.query.base).certain


def set_of(found: Retrieved) -> object:
    """Equal for what answers with the same entities and literals, or counts the same.

    None for truths and other numbers, which are alike by chance.
    """
    one = found.hypotheses[0]
    counted = counted_by(one)
    if counted is not None:
        return "counted", counted.tobytes()
    is_set = one.outcome is None or one.outcome.members is not None
    return np.sort(one.answers).tobytes() if is_set and len(one.answers) else None


def comes_to(found: Retrieved) -> object:
    """Equal for what answers the same."""
    one = found.hypotheses[0]
    if one.outcome is not None and one.outcome.members is None:
        return one.outcome.quantity or one.outcome.truth
    return np.sort(one.answers).tobytes()
