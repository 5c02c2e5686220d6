"""What surely asks for something else than the question does, whatever planner and judge think of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from kgask.errors import BudgetError
from kgask.link.naming import is_part
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, RelationWords, free_words
from kgask.methods.askers import (
    answers_what_it_is_from,
    answers_what_was_done,
    denies_a_kind,
    lists_what_is_added_up,
    passes_over_state,
    passes_over_total,
    takes_owners,
    takes_year_for_quantity,
    tells_kind_of_somebody,
    tells_where_it_was_studied,
)
from kgask.methods.coordinated import joins_apart
from kgask.methods.counted import measures_other
from kgask.methods.differences import of_age
from kgask.methods.doers import counts_doers
from kgask.methods.doubts import LOST, relations_in
from kgask.methods.events import measures_in, unmet_measure, unmet_value
from kgask.methods.flags import tells_flag
from kgask.methods.heads import (
    answers_other_class,
    counts_other_class,
    goes_by_tongue,
    is_of_no_such_class,
    passes_over_had,
    passes_over_head,
    passes_over_name,
    tells_value_of_most,
)
from kgask.methods.kinds import is_had_otherwise
from kgask.methods.kinship import falls_short_of_kin, takes_both_parents, turns_round_kin
from kgask.methods.lasted import chooses_by_span
from kgask.methods.lives import is_of_who_was_there, passes_over_lives, swaps_lives
from kgask.methods.missing import is_of_another, lacks_most, lacks_named, lacks_other, measures_few, says_another
from kgask.methods.mixed import compares_a_part, compares_unlisted, goes_on_unsaid, mixes_relations, passes_over_date
from kgask.methods.numbering import counted_off
from kgask.methods.of_other_sort import (
    goes_a_step_on,
    goes_by_other_parent,
    is_by_own_age,
    is_of_other_kind,
    is_of_other_sort,
    takes_all_members,
    tells_all_or_works,
)
from kgask.methods.origins import goes_the_other_way, is_done_by_other, tells_rows
from kgask.methods.particular import passes_over_title
from kgask.methods.plainly import says_contrary
from kgask.methods.pointless import is_pointless
from kgask.methods.protocol import Hypothesis, Retrieved
from kgask.methods.roles import is_the_other_way, passes_over_role, takes_converse
from kgask.methods.row_misreadings import misreads_rows
from kgask.methods.said_kind import kind_passed_over
from kgask.methods.signs import is_other_way
from kgask.methods.taken_away import keeps_denied, keeps_left_out, takes_nothing_away, takes_other_away
from kgask.methods.voice import is_by_noun, is_called
from kgask.methods.whole_kin import is_of_other_side
from kgask.methods.whole_kind import takes_whole_kind
from kgask.methods.whole_role import goes_from_role
from kgask.methods.whose import passes_over_owned
from kgask.methods.wording import rules_out
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.query.nodes import Query
from kgask.retrieve.frontier import Budget
from kgask.types import EntityId, opposite, undirected

Spans = Mapping[EntityId, tuple[int, int]]  # characters of the question
FEW, LONG = 3, 3  # answers, and words of the name of each, of which none may be new
_ASKS_AGAIN = re.compile(
    r"\b(?:how|what|who|when|where|which)\b.*(?:[,;]|\band\b) ?(?:\w+ )?(?:where|when|who|what)\W*\Z", re.IGNORECASE
)
_WHETHER = re.compile(  # no number answers "is Mercury or Venus denser?"
    r"\W*(?:and |so |but )?(?:is|are|was|were|does|do|did|has|have) (?!you\b|there\b|we\b|i\b|anyone\b|anybody\b|it )",
    re.IGNORECASE,
)
_WHICH_OF = re.compile(r"\b(?:which|who)(?: one)? of (?:the )?\Z", re.IGNORECASE)
_AND = re.compile(r"(?:,? (?:and|or) )(?:the )?", re.IGNORECASE)
_OWNS = re.compile(r"['\u2019]s? (?:(?!(?:and|or|nor|plus|with|to|than)\b)\w+ )?")  # not "Italy's and Spain's"
_DOES = re.compile(
    r"\W*(?:and |so |but )?(?:does|do|did|has|have|had)\b(?!.*\b(?:be|been|become|became|count|counts|counted|"
    r"qualif\w+|belong\w*|class\w*|called|serve[ds]?|work(?:ed)?)\b)",
    re.IGNORECASE,
)
_MOST = re.compile(r"\b(?:most|least) \Z", re.IGNORECASE)
SAID = 4  # letters of a word that a relation is called by, which the question says
RECIPROCAL = re.compile(r"\b(?:each other|one another)\b", re.IGNORECASE)
LOOK_SECONDS = 0.5  # for what a reading's wording is held against
HARDLY, SURELY = 0.05, 0.5  # scores of who is hardly meant, and of who is


def is_misread(found: Retrieved, question: str, pack: Pack) -> bool:
    """Whether what the planner chose surely asks something else, or less."""
    return asks_less(found, found, question, pack) or asks_other(found, found, question, pack)


def asks_less(one: Retrieved, found: Retrieved, question: str, pack: Pack) -> bool:
    """Whether it leaves out a name or date of the question, or takes all of a kind where it asks for some: it competes
    with what does not, but is no answer. ``found`` is what the planner chose."""
    return bool(one.hypotheses) and (bool(one.find_left_out().get(LOST)) or takes_all(one, found, question, pack))


def takes_all(one: Retrieved, found: Retrieved, question: str, pack: Pack) -> bool:
    """Whether it takes all of a kind where the question asks for some."""
    query = one.hypotheses[0].make_query() if one.hypotheses else None
    named = [seed.span for mention in found.linked for seed in mention.seeds]
    return query is not None and takes_whole_kind(query, question, [*found.pointed, *one.pointed, *named], pack)


def asks_other(one: Retrieved, found: Retrieved, question: str, pack: Pack) -> bool:
    """Whether it surely asks something else: the other way round, of somebody else, what the wording rules out, for a
    "yes" that leaves out a name, for the most of what all have alike, or for an age or difference below nothing.

    That Peru is a country makes it no Asian one. ``found`` is what the planner chose. What cannot be looked at in time
    counts as something else.
    """
    outcome = one.hypotheses[0].outcome if one.hypotheses else None
    if outcome is not None:
        outcome.runner.budget = Budget(LOOK_SECONDS)  # others were run since
    try:
        return _asks_other(one, found, question, pack)
    except BudgetError:
        return True


def _asks_other(one: Retrieved, found: Retrieved, question: str, pack: Pack) -> bool:
    """As :func:`asks_other`, while there is time."""
    outcome, query = (one.hypotheses[0].outcome, one.hypotheses[0].make_query()) if one.hypotheses else (None, None)
    is_truth = outcome is not None and (outcome.truth is True or (outcome.truth is False and " or " in question))
    if outcome is not None and (outcome.is_idle or (is_truth and one.find_left_out().get("names"))):
        return True
    if is_had_otherwise(outcome) or (_WHETHER.match(question) and _tells_value(one, pack)):
        return True
    if query is None:
        return False
    if isinstance(query, nodes.Follow) and _ASKS_AGAIN.search(question):
        return True  # "how long, ends where" asks twice
    best = one.hypotheses[0]
    if rules_out(query, question) or measures_other(best, question, pack) or is_pointless(best, query, question, pack):
        return True
    if _repeats_question(best, query, question, pack):
        return True
    linked = (seed for mention in found.linked for seed in mention.seeds)
    spans = {seed.entity: seed.span for seed in (*linked, *found.seeds, *one.seeds)}
    if passes_over_name(query, question, spans, pack) or goes_on_unsaid(query, question, pack):
        return True
    if (
        goes_by_other_parent(query, question, pack)
        or falls_short_of_kin(query, question, pack)
        or takes_both_parents(query, question, pack)
    ):
        return True
    if turns_round_kin(query, _masked(question, query, spans), pack) or _is_of_class_unsaid(query, question):
        return True
    if passes_over_date(query, question, pack):
        return True
    if tells_flag(query, question, pack) or says_contrary(query, question, pack):
        return True
    if (
        goes_from_role(query, question, pack)
        or _is_neither(best, question, spans)
        or _goes_by_third(query, question, pack)
    ):
        return True
    if (
        _counts_owner(query, question, spans)
        or lacks_other(query, question, pack)
        or lacks_most(query, pack)
        or lacks_named(query, question, pack)
        or counts_other_class(query, question, pack)
        or passes_over_title(query, question, pack)
    ):
        return True
    if goes_the_other_way(query, question, spans, pack) or tells_rows(best, question, pack):
        return True
    if is_done_by_other(query, question, spans, pack):
        return True
    if _passes_over_measure(query, question, spans, pack) or measures_few(query, question, pack):
        return True
    if isinstance(query, TruthNode) and best.outcome is not None and best.outcome.truth:
        named = ((span, entity) for entity, span in spans.items())
        if kind_passed_over(query, question, named, pack) is not None:
            return True
    is_other_way = _is_turned_round(query, found, question, spans, pack)
    if keeps_left_out(best.answers, question, pack) or passes_over_head(query, best.answers, question, pack):
        return True
    if takes_converse(query, question, pack) or answers_other_class(query, best.answers, question, pack):
        return True
    if is_of_no_such_class(query, best.answers, question, pack) or _comes_back(best, query, found, question):
        return True
    if is_of_other_side(query, question, pack) or tells_value_of_most(query, question, pack):
        return True
    if passes_over_had(query, question, pack) or counts_doers(query, question, pack):
        return True
    if lists_what_is_added_up(query, question) or denies_a_kind(best, query, pack):
        return True
    if tells_where_it_was_studied(query, question, pack) or is_of_other_sort(query, question, pack):
        return True
    if is_by_own_age(query, question, pack) or tells_all_or_works(query, best.answers, question, pack):
        return True
    if misreads_rows(best, query, question, pack) or tells_kind_of_somebody(query, question, pack):
        return True
    if (
        takes_nothing_away(query, pack)
        or answers_what_was_done(query, best.answers, question, pack)
        or answers_what_it_is_from(best.answers, question, pack)
        or takes_owners(query, question, pack)
    ):
        return True
    if (
        passes_over_state(query, question, pack)
        or takes_year_for_quantity(query, question)
        or passes_over_total(query, question, pack)
    ):
        return True
    if _is_of_some_sort(one, query, question, spans, pack) or goes_by_tongue(query, question, pack):
        return True
    is_of_others = is_of_another(query, question, spans, pack) or mixes_relations(query, question, spans, pack)
    is_of_others = is_of_others or goes_a_step_on(query, best.answers, question, spans, pack)
    is_of_others = is_of_others or takes_all_members(query, len(best.answers), question, spans, pack)
    is_of_others = is_of_others or is_of_other_kind(query, question, spans, pack)
    is_of_others = is_of_others or says_another(query, question, spans, pack)
    is_of_others = is_of_others or compares_unlisted(query, question, spans)
    is_of_others = is_of_others or compares_a_part(query, found.linked, pack)
    is_of_others = is_of_others or passes_over_owned(query, question, spans, pack)
    is_of_others = is_of_others or _is_of_part_of_name(one, found, question) or joins_apart(query, question, spans)
    is_of_others = is_of_others or (is_truth and passes_over_role(query, question, pack))
    is_of_other_lives = passes_over_lives(query, question, spans, pack) or swaps_lives(query, question, spans, pack)
    is_of_other_lives = is_of_other_lives or is_of_who_was_there(
        query, _masked(question, query, spans), pack.n_relations
    )
    return is_other_way or is_of_others or is_of_other_lives


def _goes_by_third(query: Query, question: str, pack: Pack) -> bool:
    """Whether two are said to have to do with each other for what both have: Chile and Brazil both border Peru."""
    if RECIPROCAL.search(question) is None:
        return False
    match query:
        case nodes.Some(nodes.And()):
            return True
        case nodes.Holds(subject, relation, end):
            ways = (relation, opposite(relation, pack.n_relations))
            return any(isinstance(side, nodes.Follow) and side.relation in ways for side in (subject, end))
    return False


def _masked(question: str, query: Query, spans: Spans) -> str:
    """The question with a mask for each name that the query begins with."""
    named = {entity for node in query.walk() if isinstance(node, nodes.Entities) for entity in node.ids}
    for start, end in sorted({spans[entity] for entity in named if entity in spans}, reverse=True):
        question = f"{question[:start]}[MASK]{question[end:]}"
    return question


def _is_neither(best: Hypothesis, question: str, spans: Spans) -> bool:
    """Whether one of two is asked for, and something else is told: a sex for "which of the two is a woman?"."""
    ones = [one for one, (start, _) in spans.items() if _WHICH_OF.search(question[:start])]
    for one in ones:
        end = spans[one][1]
        others = [other for other, (start, _) in spans.items() if start > end and _AND.fullmatch(question[end:start])]
        ends = [question[spans[other][1] :] for other in others]
        if others and not any(map(_OWNS.match, ends)) and len(best.answers):
            return not np.isin(best.answers, [*ones, *others]).any()
    return False


def _counts_owner(query: Query, question: str, spans: Spans) -> bool:
    """Whether a sum or mean is of what owns another of them as well: of "New Zealand's North Island" both."""
    for node in query.walk():
        if isinstance(node, nodes.Values) and isinstance(node.base, nodes.Entities) and len(node.base.ids) > 1:
            placed = [spans[one] for one in node.base.ids if one in spans]
            if any(_OWNS.fullmatch(question[end:start]) for _, end in placed for start, _ in placed if start > end):
                return True
    return False


def _is_of_class_unsaid(query: Query, question: str) -> bool:
    """Whether it is told if somebody is one of a class, and asked what she did with one: nobody is a prize."""
    match query:
        case nodes.Some(nodes.And(nodes.Entities(), nodes.Class()) | nodes.And(nodes.Class(), nodes.Entities())):
            return _DOES.match(question) is not None
    return False


def _passes_over_measure(query: Query, question: str, spans: Spans, pack: Pack) -> bool:
    """Whether things are compared by what no relation of the query is called, or the year when something was built is
    told for that in which we bought it."""
    is_truth = isinstance(query, nodes.Holds)
    is_value = is_truth or isinstance(query, nodes.Follow | nodes.Values | nodes.QualifierOf | nodes.Sum)
    relations = [*relations_in(query)] if is_value or measures_in(question) else []
    if not relations or chooses_by_span(query):
        return False
    named = [entity for node in query.walk() if isinstance(node, nodes.Entities) for entity in node.ids]
    small = {entity: span for entity, span in spans.items() if entity not in named and question[slice(*span)].islower()}
    titles = {entity for entity, label in zip(small, pack.labels([*small]), strict=True) if not label.islower()}
    for start, end in sorted({span for entity, span in spans.items() if entity not in titles}, reverse=True):
        question = f"{question[:start]}_{question[end:]}"  # "wife" in small letters is hardly the film
    labels = pack.relation_labels()  # "amount (€)" is called by no word of its own
    whole = (labels[one % pack.n_relations] for one in relations)
    called = " ".join((*RelationWords(pack).of(relations), *pack.labels(named), *whole)).lower()
    is_said = any(len(word) >= SAID and word in question.lower() for word in called.split())
    if is_value and unmet_value(question, called, is_truth) is not None:
        return True
    return not is_said and unmet_measure(question, called) is not None


def _repeats_question(best: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether what is found is called by nothing but words of the question: "Maths grade of Ann Lee" is no answer to
    "what grade did Ann Lee get in Maths?". Of names that are compared one is the answer."""
    if not isinstance(query, nodes.And | nodes.Follow | nodes.Where) or not 0 < len(best.answers) <= FEW:
        return False
    said, labels = {*normalise(question).split()} | CARRY_NOTHING, pack.labels(best.answers.tolist())
    return all(len(words := normalise(label).split()) >= LONG and said.issuperset(words) for label in labels)


def _is_of_some_sort(one: Retrieved, query: Query, question: str, spans: Spans, pack: Pack) -> bool:
    """Whether it is asked if something is of a kind, where the question says of which sort: "a limestone cave"."""
    match query:
        case nodes.Some(nodes.And(nodes.Entities((topic,)), nodes.Class(kind))) if topic in spans:
            called = {*normalise(pack.labels([kind])[0]).split()}
        case _:
            return False
    words = free_words(question, [spans[topic], *one.pointed], called)
    return any(word not in CARRY_NOTHING and called.isdisjoint(singulars(word)) for word in words)


def _comes_back(best: Hypothesis, query: Query, found: Retrieved, question: str) -> bool:
    """Whether a relation leads to what the question names, and to nothing else: the team of those of team A. Of names
    to choose from one is the answer."""
    if not isinstance(query, nodes.Follow) or not len(best.answers) or " or " in question.lower():
        return False
    linked = (mention for mention in found.linked if not question[slice(*mention.span)].islower())
    named = {mention.seeds[0].entity for mention in linked}
    named |= {one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids}
    return named.issuperset(best.answers.tolist())


def _tells_value(one: Retrieved, pack: Pack) -> bool:
    """Whether numbers, dates or texts are told."""
    if not one.hypotheses:
        return False
    best = one.hypotheses[0]
    if best.outcome is not None and (best.outcome.quantity is not None or best.outcome.truth is not None):
        return best.outcome.truth is None
    return len(best.answers) > 0 and int(best.answers.min()) >= pack.n_entities - pack.n_literals


def _is_of_part_of_name(one: Retrieved, found: Retrieved, question: str) -> bool:
    """Whether it is about somebody whom a part of a name hardly means, where the whole of it names another: a Michael,
    for Michael Faraday; or about Common, whom "the most common" does not name."""
    if any(question[slice(*seed.span)].islower() and _MOST.search(question[: seed.span[0]]) for seed in one.seeds):
        return True
    for seed in (one for one in one.seeds if one.score < HARDLY):
        names = (mention for mention in found.linked if mention.seeds[0].score >= SURELY)
        if any(is_part(seed.span, mention.span) for mention in names):
            return True
    return False


def _is_turned_round(
    query: Query, found: Retrieved, question: str, spans: dict[EntityId, tuple[int, int]], pack: Pack
) -> bool:
    """Whether it answers with a relation, an order by age or a difference the other way round than the question says.

    Where the graph says whose child somebody is not, her child is no answer. Which way a noun is meant ("her father",
    "X's owner") the planner knows; of a verb ("whom did she teach?") its form tells (:mod:`kgask.methods.voice`).
    """
    if is_the_other_way(query, question, spans, pack) or of_age(query, question, pack) != query:
        return True
    if counted_off(query, question, pack) != query:
        return True
    if is_other_way(query, question, [*found.seeds], pack) or takes_other_away(query, question, spans, pack):
        return True
    if keeps_denied(query, question, spans):
        return True
    understood = found.understood
    if understood is None or understood.parts or not is_by_noun(question, understood.asked, pack):
        return False
    plain, _ = undirected(understood.asked, pack.n_relations)
    if pack.relation_labels()[plain].lower().endswith(" of"):  # of "child of" it is goes_from_role that tells
        return False
    turned = opposite(plain if is_called(question, plain, pack) else understood.asked, pack.n_relations)
    return query == nodes.Follow(nodes.Entities((understood.seed.entity,)), turned)
