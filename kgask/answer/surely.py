"""What is surely asked, by rules of form: where the words of a question say a query whole, no judge is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgask.answer.choices import comes_to, in_words
from kgask.link.values import value_spans
from kgask.methods.doubts import LOST
from kgask.methods.in_both import is_in_both, says_both
from kgask.methods.lasted import chooses_by_span, is_asked_for
from kgask.methods.only_date import asks_age, is_by_only_date
from kgask.methods.paraphrases import is_paraphrase
from kgask.methods.plain_verbs import asks_year_of, is_said_by_verb
from kgask.methods.plainly import is_plainly_asked
from kgask.methods.protocol import Retrieved
from kgask.methods.whole_column import is_whole_column
from kgask.methods.whole_kin import whole_kin
from kgask.methods.whole_role import is_whole_role
from kgask.methods.whole_sketch import is_sketch, is_whole_sketch
from kgask.methods.whole_value import is_whole_value
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query

SURE_KIN = 0.95  # confidence in what "parents" or "grandchildren" mean by definition, times that in the name
SURE_COLUMN = 0.9  # confidence in all that stands in a column of a table, asked for by its name, and in a value of one
SURE_SPAN = 0.88  # confidence in how long something lasted, where two dates tell it and nothing else is asked
SURE_PLAIN = 0.88  # confidence in what a column of yes and no says, or that nothing is given, asked for in its words
SURE_SKETCH = 0.87  # confidence in what rows say together, where every word of the question is accounted for


class Surely(NamedTuple):
    """What is asked for, of what may be, and the confidence in that."""

    found: Retrieved
    confidence: float


def surely(every: Sequence[Retrieved], found: Retrieved, question: str, pack: Pack) -> Surely | None:
    """The one of ``every`` reading that a rule tells; ``found`` is the planner's. None where no rule does."""
    kin = _whole_kin(every, question, pack)
    if kin is not None:
        return Surely(kin, SURE_KIN * kin.seeds[0].score)
    asked = [(one, query) for one in every if (query := one.hypotheses[0].make_query()) is not None]
    columns = (
        one for one, query in asked if is_whole_column(query, question, pack) or is_whole_role(query, question, pack)
    )
    if (column := next(columns, None)) is not None:
        return Surely(column, SURE_COLUMN)
    by_rule = (
        (SURE_SPAN, [one for one, query in asked if _is_span(one, query, question, pack)]),
        (SURE_PLAIN, [one for one, query in asked if _is_plain_query(one, query, question, pack)]),
        (SURE_PLAIN, [one for one, query in asked if _is_paraphrase(one, found, query, question, pack)]),
        (SURE_PLAIN, [one for one, query in asked if _is_in_both(one, found, query, question, pack)]),
        (SURE_PLAIN, [one for one, query in asked if _is_by_only_date(one, found, query, question, pack)]),
        (SURE_SKETCH, [one for one, query in asked if _is_whole_sketch(one, found, query, question, pack)]),
    )
    for confidence, told in by_rule:
        if told and len({comes_to(one) for one in told}) == 1:
            return Surely(told[0], confidence)
    values = (one for one, query in asked if is_whole_value(one.hypotheses[0], query, question, pack))
    return Surely(value, SURE_COLUMN) if (value := next(values, None)) is not None else None


def _is_span(one: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it chooses by how long something lasted, and that is all that is asked."""
    if not chooses_by_span(query) or any(one.find_left_out().get(name) for name in ("names", "values", LOST)):
        return False
    said = in_words(one, pack)
    return said is not None and is_asked_for(query, question, " ".join(said))


def _is_plain_query(one: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it says what the question plainly does by what a relation is called, and nothing else is asked."""
    if any(one.find_left_out().get(name) for name in ("names", LOST)):
        return False
    said = in_words(one, pack)
    if said is None:
        return False
    ways = (is_plainly_asked, is_said_by_verb, asks_year_of)
    return any(is_so(query, question, " ".join(said), pack) for is_so in ways)


def _without_names(one: Retrieved, found: Retrieved, query: Query, question: str, pack: Pack) -> str:
    """The question with the names that a query has, and its numbers and dates, masked."""
    named = {one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids}
    seeds = [*(seed for mention in found.linked for seed in mention.seeds), *one.seeds]
    places = [seed.span for seed in seeds if seed.entity in named]
    places += [value.place for value in value_spans(question, pack.manifest.get("axes", ())) if value.kind != "rank"]
    for start, end in sorted({*places}, reverse=True):
        question = f"{question[:start]}_{question[end:]}"
    return question


def _is_whole_sketch(one: Retrieved, found: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it is about all names and numbers of a question, over rows of a table, and no word says more."""
    if not is_sketch(query) or any(one.find_left_out().get(name) for name in ("names", "values", LOST)):
        return False
    said = in_words(one, pack)
    return said is not None and is_whole_sketch(
        query, _without_names(one, found, query, question, pack), " ".join(said), pack
    )


def _is_paraphrase(one: Retrieved, found: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it is what a usual phrase about one thing asks for, in other words than a relation is called by."""
    return is_paraphrase(query, _without_names(one, found, query, question, pack), pack)


def _is_in_both(one: Retrieved, found: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it is who was in both of two things, and nothing else is asked."""
    if not says_both(question):
        return False
    return is_in_both(one.hypotheses[0], query, _without_names(one, found, query, question, pack), pack)


def _is_by_only_date(one: Retrieved, found: Retrieved, query: Query, question: str, pack: Pack) -> bool:
    """Whether it asks for the oldest, of what has one date."""
    if not asks_age(question):
        return False
    return is_by_only_date(query, _without_names(one, found, query, question, pack), pack)


def _whole_kin(every: Sequence[Retrieved], question: str, pack: Pack) -> Retrieved | None:
    """All kin of a kind, where a question asks for that and some are found."""
    topics = {(*one.seeds[0].span, one.seeds[0].entity) for one in every if len(one.seeds) == 1}
    wholes = {whole for topic in topics if (whole := whole_kin(question, *topic, pack)) is not None}
    return next((one for one in every if one.hypotheses[0].make_query() in wholes), None) if wholes else None
