"""What a turn may ask about some of the last answers: "which of them ...", "the second one", "the others"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from kgask.answer.parts import with_name, with_people
from kgask.chat import form
from kgask.chat.asked import asked_for
from kgask.chat.changes import instead, those_of_whom, value_of, within
from kgask.chat.loosely import is_so_measured, lived_longer
from kgask.chat.memory import Memory
from kgask.chat.narrower import is_denied
from kgask.chat.order import asks_for_order, superlative
from kgask.chat.shorts import affirmed, is_more_than, only_lists, says_ranked_one, says_two_apart, theirs
from kgask.chat.turns import Change, Turn, Way
from kgask.errors import BudgetError, QueryError
from kgask.link.statements import as_question
from kgask.methods.differences import downwards, in_years
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner, run
from kgask.types import EntityId

SECONDS = 8.0  # of a query that was changed
MOST_TRIED = 3  # of the last answers, of whom is asked what is asked of each
MOST_CALLED = 12  # things that were spoken of last among which several of a kind are looked for
MOST_OF_EACH = 20  # things of each of which it is asked whether something is so
LISTED = 3  # of the last answers, that are named where a turn is about some of them


@dataclass(slots=True)
class OfAnswers:
    """Understands turns over one pack as questions about what was answered before."""

    pack: Pack
    memory: Memory

    def ways(self, text: str) -> Iterator[Way]:
        """The ways to understand a turn as being about some of them, the likeliest first."""
        found, number = self.memory.last_set(), form.number_of_those(text)
        if form.noun_meant(text) and not form.says_those(text):
            return  # "how many does that place seat?"
        is_compared = superlative(text) != text
        says_pair = form.says_two(text) or number or is_compared
        noun = form.noun_of_those(text)
        pair = (
            self._called(noun, number) or self.memory.together(number or 2, form.asks_for_people(text))
            if says_pair
            else None
        )
        members = found.ends if found is not None else ()
        asked = self.memory.last_asked()
        is_told = asked is not None and not (asked.is_refused and asked_for(asked.understood).several)
        pair = pair if is_told else None
        in_turn = self.memory.in_turn()
        if is_told and (rank := form.ranked(text)) is not None and -len(in_turn) <= rank[0] < len(in_turn):
            yield self.naming(rank[1], in_turn[rank[0]])
        if (rest := form.others(text)) is not None:
            yield from self._of_others(rest)
        latest = self.memory.latest()
        is_latest = found is not None and latest is not None and found.number == latest.number
        if is_compared and pair and {*pair} <= self.memory.named_since(found):
            is_latest = False
        if pair and {*pair} <= {*members} and not (number or is_compared or says_two_apart(text)):
            is_latest = True  # "which of them are ..." after "the second?", "the third?"
        order = (members, pair) if is_latest and len(members) > 1 else (pair, members)
        apart = self.memory.two_just_named() if form.says_two(text) else ()  # "what about the Rhine?", after the Danube
        known = [several for several in dict.fromkeys((*order, apart)) if several]
        if form.asks_for_people(text) and any(self.memory.referents.is_person(several[0]) for several in known):
            known = [several for several in known if self.memory.referents.is_person(several[0])]
        for several in known:
            if not self._are_called(several, noun):
                continue
            if number not in (0, len(several)):
                continue
            whole, among = whole_of(found, several), self.listed(several)
            for called in (self.memory.referents.together(several), ""):
                if (asked_of := form.of_those(text, called)) is not None:
                    ranks = len(several) if asks_for_order(text) else 0
                    change = partial(
                        _among, whole=whole, is_any=form.asks_whether_any(text), ranks=ranks, number=len(several)
                    )
                    yield Way(asked_of, change=change, among=among)
            yield from self._of_denied(text, several, whole, among)
            yield from self._said_of_each(text, several, whole, among)
        is_each = form.is_plural(with_people(text)) and not form.is_of_those(text) and form.of_both(text, ()) is None
        if is_each and found is not None and not form.sex_meant(text) and not self.memory.was_refused_since(found):
            yield from self._of_each(text, members, whole_of(found, members))

    def at(self, memory: Memory) -> OfAnswers:
        """The same with another memory."""
        return replace(self, memory=memory)

    def _of_denied(self, text: str, members: Sequence[EntityId], whole: SetNode, among: str) -> Iterator[Way]:
        """Those of whom is not so what a turn denies: all but those of whom it is so."""
        noun = self.memory.referents.together(members)
        asked_of = form.of_those(affirmed(text), noun) if affirmed(text) != text else None

        def change(query: Query) -> Query | None:
            some = within(query, whole)
            if not isinstance(some, SetNode):
                return None
            n_some = len(run(some, self.pack, Budget(SECONDS)).certain)
            return nodes.Minus(whole, some) if 0 < n_some < len(members) else None

        if asked_of is not None and not form.asks_whether_any(text) and not asked_of.lower().startswith("how many"):
            yield Way(asked_of, change=change, among=among, said=text)

    def _said_of_each(self, text: str, members: Sequence[EntityId], whole: SetNode, among: str) -> Iterator[Way]:
        """What is asked of each, as the question whether it is so of one of them."""
        if (said := form.said_of_each(text)) is None or is_denied(said[1]):
            return
        word, claim = said
        for one in members[:MOST_TRIED]:
            label = self.label(one)
            asked = as_question(claim.replace("\0", label), [label])
            at = asked.find(label)

            def change(query: Query, one: EntityId = one) -> Query | None:
                those = those_of_whom(query, one, whole, self.pack.n_relations)
                if those is None:
                    return None
                return nodes.Count(those) if word == "how many" else nodes.Some(those) if "any" in word else those

            yield Way(asked, ((at, at + len(label), one),) if at >= 0 else (), change, among=among)

    def with_ranked(self, text: str) -> str | None:
        """A text with the name of "the second one" of the last answers; None where they are not so many."""
        if not says_ranked_one(text) or (rank := form.ranked(text)) is None:
            return text
        ends = self.memory.in_turn()
        return rank[1].replace("\0", self.label(ends[rank[0]])) if -len(ends) <= rank[0] < len(ends) else None

    def listed(self, members: Sequence[EntityId]) -> str:
        """The first of them by name."""
        labels = self.pack.labels(members[:LISTED])
        more = len(members) - len(labels)
        return ", ".join(labels) + (f" and {more} more" if more else "")

    def with_those(self, text: str) -> str:
        """A text with "those" for "the lakes", where some were the last answers: "how many of the lakes are salty?"."""
        found = self.memory.last_set()
        if found is not None and form.number_of_those(text) in (0, len(found.ends)):
            text = theirs(text)
        noun = form.several_meant(text)
        if found is not None and noun and noun in found.line.lower():
            text = re.sub(rf"\b(of|among) (?:the|these|those) {noun}\w*", r"\1 those", text, flags=re.IGNORECASE)
        kinds = {kind for one in found.ends[:3] for kind in self.memory.referents.called(one)} if found else ()
        for kind in kinds:
            several = rf"(?:the|these|those) {re.escape(plural(kind))}\b(?! (?:of|in|on|with|from|by|near)\b)"
            text = re.sub(rf"\b(of|among|from) {several}", r"\1 those", text, flags=re.IGNORECASE)
        return text

    def _are_called(self, members: Sequence[EntityId], noun: str) -> bool:
        """Whether "the two islands" may mean these, where islands were spoken of."""
        spoken = [one for turn in self.memory.turns for one in (*turn.topics, *turn.ends[:3])]
        return not noun or self._has_kind(members[:3], noun) or not self._has_kind(spoken, noun)

    def _called(self, noun: str, number: int) -> tuple[EntityId, ...]:
        """The last things spoken of that are called so ("these islands"); none of fewer than two."""
        recent = islice(self.memory.recent(), MOST_CALLED) if noun else ()
        found = tuple(sorted([one for one in recent if self._has_kind([one], noun)][: number or 2]))
        return found if len(found) > 1 else ()

    def _has_kind(self, entities: Sequence[EntityId], noun: str) -> bool:
        kinds = {kind for one in entities for kind in self.memory.referents.called(one)}
        return any(noun in (kind, plural(kind)) for kind in kinds)

    def _of_others(self, text: str) -> Iterator[Way]:
        """What was among the answers before the last ones, less these."""
        asked = self.memory.last_asked()
        if (found := self.memory.others()) is None or (asked is not None and asked.is_refused and only_lists(text)):
            return  # what was not told of the one is asked of the other
        last, wider = found
        rest = tuple(one for one in wider.ends if one not in last.ends)
        if only_lists(text):
            query, less = whole_of(wider, wider.ends), whole_of(last, last.ends)
            yield Way(
                text.replace("\0", "the others"), query=nodes.Minus(query, less), confidence=_confidence(wider),
                among=self.listed(wider.ends),
            )  # fmt: skip
        elif len(rest) == 1:
            yield self.naming(text, rest[0])
        elif rest:
            yield from self._of_each(text.replace("\0", "they"), rest, nodes.Entities(rest))

    def _of_each(self, text: str, members: Sequence[EntityId], whole: SetNode) -> Iterator[Way]:
        """What is asked of several, as it is asked of one of them."""
        for one in members[:2]:
            named = with_name(form.singular(text), one, self.label(one))
            if named is None:
                return
            all_said = named.text.replace(self.label(one), self.listed(members))
            change = partial(_of_every, only=nodes.Entities((one,)), members=members, whole=whole)
            yield Way(named.text, named.given, change, said=all_said)

    def counted(self, last: Turn, text: str) -> Iterator[Way]:
        """How many the last answers are; of what has most of something how much it has."""
        query = last.query.base if isinstance(last.query, nodes.Some) else last.query
        if own := [*self.value_of_most(last)]:
            yield from own
        elif isinstance(query, SetNode) and last.answer is not None:
            said = f"{text.rstrip('?. ')} ({verbalise(query, self.pack)})?"
            yield Way(said, query=nodes.Count(query), confidence=last.answer.confidence)

    def value_of_most(self, last: Turn) -> Iterator[Way]:
        """How much the last answer has, or when it was, that has most, or was first."""
        query = last.query.base if isinstance(last.query, nodes.Some) else last.query
        if isinstance(query, nodes.Best) and isinstance(query.by, nodes.ValueOf) and len(last.ends) == 1:
            of_it, sure = (
                nodes.Values(query, query.by.path[-1]),
                last.answer.confidence if last.answer is not None else 0.0,
            )
            yield Way(f"what is {verbalise(of_it, self.pack)}?", query=of_it, confidence=sure)
        match query:
            case nodes.Best(_, nodes.SizeOf((relation,), among)) if len(last.ends) == 1:
                had: SetNode = nodes.Follow(query, relation)
                counted = nodes.Count(had if among is None else nodes.And(had, among))
                yield Way(f"{verbalise(counted, self.pack)}?", query=counted, confidence=_confidence(last))

    def is_among(self, named: Sequence[EntityId]) -> Iterator[Way]:
        """Whether something is one of the last answers."""
        found = self.memory.last_set()
        if found is None or not isinstance(found.query, SetNode) or found.answer is None:
            return
        for entity in named:
            query = nodes.Some(nodes.And(nodes.Entities((entity,)), found.query))
            said = f"is {self.label(entity)} one of {verbalise(found.query, self.pack)}?"
            yield Way(said, query=query, confidence=found.answer.confidence)

    def apart(self, last: Turn, text: str) -> Iterator[Way]:
        """By how much what was compared, or asked about one after the other, differs."""
        for query, sure in self._differences(last):
            yield from self._apart(query, sure, text)

    def apart_from(self, last: Turn, text: str, others: Sequence[EntityId]) -> Iterator[Way]:
        """By how much the same of another thing differs from what was told: "how much higher is Everest?"."""
        value = value_of(last.query)
        if value is None or not isinstance(value.base, nodes.Entities) or len(value.base.ids) != 1:
            return
        (one,) = value.base.ids
        other = next((each for each in others if each != one and self.memory.referents.alike(one, each)), None)
        if other is not None:
            theirs = replace(value, base=nodes.Entities((other,)))
            yield from self._apart(nodes.Difference(theirs, value), _confidence(last), text)

    def _apart(self, query: nodes.Difference, sure: float, text: str) -> Iterator[Way]:
        runner = Runner(self.pack, Budget(SECONDS))
        try:
            found = in_years(text, runner, downwards(runner, runner.result(query)))
        except (QueryError, BudgetError):
            return
        if found.quantity is not None and is_so_measured(text, found.quantity):
            said = f"{text.rstrip('?. ')} ({verbalise(found.query, self.pack)})?"
            yield Way(said, query=found.query, confidence=sure)

    def _differences(self, last: Turn) -> Iterator[tuple[nodes.Difference, float]]:
        """Of the values that the last turn compared, or of its own and the same of what was asked about before."""
        if isinstance(last.query, nodes.Compare):
            yield nodes.Difference(last.query.left, last.query.right), _confidence(last)
        match last.query:
            case nodes.Best(base, nodes.ValueOf((relation,))) if len(two_of := self._members(base)) == 2:
                one, two = two_of
                left, right = (nodes.Values(nodes.Entities((each,)), relation) for each in (one, two))
                yield nodes.Difference(left, right), _confidence(last)
        value = value_of(last.query)
        for before in self.memory.turns[::-1] if value is not None else ():
            other = value_of(before.query) if not before.is_refused else None
            if value is not None and other is not None and other != value and other.relation == value.relation:
                yield nodes.Difference(value, other), min(_confidence(last), _confidence(before))
                return

    def _members(self, base: SetNode) -> tuple[EntityId, ...]:
        """What a query comes to; none where that takes too long."""
        try:
            return tuple(run(base, self.pack, Budget(SECONDS)).certain.tolist())
        except (QueryError, BudgetError):
            return ()

    def larger_less_smaller(self, query: Query) -> Query:
        """A difference that would be less than nothing, the other way round."""
        if not isinstance(query, nodes.Difference):
            return query
        runner = Runner(self.pack, Budget(SECONDS))
        try:
            return downwards(runner, runner.result(query)).query
        except (QueryError, BudgetError):
            return query

    def compared(self, text: str, last: Turn, other: EntityId) -> Iterator[Way]:
        """Whether the value that was told is more, or less, than that of another thing: "is that more than gold's?"."""
        more, value = is_more_than(text), value_of(last.query)
        if more is None or value is None or not isinstance(value.base, nodes.Entities) or not last.answer:
            return
        (one,) = value.base.ids
        if not last.ends and other != one and self.memory.referents.alike(one, other):
            query = nodes.Compare(value, more, replace(value, base=nodes.Entities((other,))))
            yield Way(f"{verbalise(query, self.pack)}?", query=query, confidence=_confidence(last))

    def both(self, text: str) -> Iterator[Way]:
        """What is asked of two, with the names of both."""
        ends = found.ends if (found := self.memory.last_set()) is not None else ()
        for several in (ends, self.memory.two_of_a_kind(form.asks_for_people(text))):
            names = self.pack.labels(several[:3])
            if len(names) == 2 and (named := lived_longer(text, names) or form.of_both(text, names)):
                yield Way(named)

    def ranked(self, text: str, last: Turn | None) -> Iterator[Way]:
        """The last question, which was about one of several, about another of these: "and the third?"."""
        found, rank = self.memory.last_set(), form.ranked(text)
        if found is None or rank is None or rank[1].strip("\0?. ") or last is None or last.query is None:
            return
        for old in last.topics if -len(found.ends) <= rank[0] < len(found.ends) else ():
            if old in found.ends:
                query = instead(last.query, nodes.Entities((old,)), nodes.Entities((found.ends[rank[0]],)))
                said = last.understood.replace(self.label(old), self.label(found.ends[rank[0]]))
                if query is not None:
                    yield Way(said, query=query, confidence=_confidence(last))

    def naming(self, text: str, entity: EntityId) -> Way:
        """A text with an entity in the place of its NUL."""
        label, at = self.label(entity), text.index("\0")
        return Way(text.replace("\0", label, 1), ((at, at + len(label), entity),), self.unless_known(text))

    def unless_known(self, text: str) -> Change | None:
        """Less what was spoken of, where "other" things are asked for."""
        if not form.asks_for_others(text):
            return None
        known = self.memory.spoken_of()

        def without(query: Query) -> Query:
            if isinstance(query, nodes.Some | nodes.Count):
                return replace(query, base=less(query.base))
            return less(query) if isinstance(query, SetNode) else query

        def less(every: SetNode) -> SetNode:
            members = run(every, self.pack, Budget(SECONDS)).certain.tolist()
            meant = self.memory.known_so(every, [one for one in members if one in known], self.pack.n_relations)
            listed = self.memory.last_set()
            meant = meant or (listed.ends if listed is not None and {*listed.ends} < {*members} else ())
            return nodes.Minus(every, nodes.Entities(meant)) if meant else every

        return without

    def of_their_kind(self, text: str) -> Iterator[Way]:
        """The same about all things of the kind of the last answers: "and which ones serve London?"."""
        found = self.memory.last_set()
        asked = form.of_those(text, self.memory.referents.together(found.ends)) if found is not None else None
        if asked is not None:
            yield Way(asked)

    def behind(self, text: str, entities: Sequence[EntityId]) -> Iterator[Way]:
        """A question that was said to be about something, with its name at the end."""
        yield from (self.naming(f"{text.rstrip('?!. ')} of \0?", entity) for entity in entities)

    def label(self, entity: EntityId) -> str:
        return self.pack.labels([entity])[0]


def _among(query: Query, whole: SetNode, is_any: bool, ranks: int, number: int) -> Query | None:
    """A query about all things of a kind as one about some of them, about whether any are, or to so many ranks.

    None for one that chooses as many as they are: "the lighter of the two" is one.
    """
    found = within(query, whole)
    if isinstance(found, nodes.Best) and not ranks and found.last > found.first and found.last >= number:
        return None
    if ranks:
        return replace(found, last=ranks) if isinstance(found, nodes.Best) else None
    return nodes.Some(found) if is_any and isinstance(found, SetNode) else found


def _of_every(query: Query, only: nodes.Entities, members: Sequence[EntityId], whole: SetNode) -> Query | None:
    """A query about one of several as one about all: whether something is so is asked of each of them."""
    if not isinstance(query, TruthNode):
        return instead(query, only, whole)
    each = [instead(query, only, nodes.Entities((one,))) for one in members[: MOST_OF_EACH + 1]]
    truths = tuple(one for one in each if isinstance(one, TruthNode))
    return nodes.All(truths) if len(truths) == len(members) else None


def _confidence(turn: Turn) -> float:
    return turn.answer.confidence if turn.answer is not None else 0.0


def whole_of(turn: Turn | None, members: Sequence[EntityId]) -> SetNode:
    """The members as the query that they came from, where it is one, or as they are."""
    query = turn.query if turn is not None and tuple(turn.ends) == tuple(members) else None
    return query if isinstance(query, SetNode) else nodes.Entities(tuple(members))
