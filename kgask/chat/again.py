"""An earlier question about something else: "and in Norway?", "no, the smallest"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kgask.answer.parts import with_name
from kgask.answer.result import Answer
from kgask.chat import form, order
from kgask.chat.changes import entities_of, instead, is_ordered, within
from kgask.chat.names import Names, called_in
from kgask.chat.of_answers import OfAnswers
from kgask.chat.turns import Change, Turn, Way
from kgask.errors import QueryError
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.methods.query_readings import is_beside_itself
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.types import EntityId

_ROLE_OF = re.compile(r"the [a-z]+(?: [a-z]+)? (?:of|behind) [^?]{2,60}?\W*", re.IGNORECASE)
_OWN = re.compile(r"['\u2019]s ")


@dataclass(frozen=True, slots=True)
class Again:
    """Understands turns as an earlier question, changed."""

    answers: OfAnswers
    names: Names

    def changed(self, text: str, last: Turn, only_alike: bool = False) -> Iterator[Way]:
        """The last question with another name, or another word for order, in the place of its own.

        ``only_alike``: the name stands for "its capital", which is asked about itself unless it is of the same kind.
        """
        query = last.query
        seeds = self.names.seeds(text) if query is not None else ()
        news = [seed.entity for seed in seeds if not self._asks_otherwise(text, seed.span, last)]
        places = [(new, old) for new in news for old in self._likes(new, last)]
        others = [(new, old) for new in news for old in self._alone(new, last, text) if not only_alike]
        for entity, old in dict.fromkeys((*places, *others)):
            yield from self._with(entity, old, last)
        most = order.superlative(f"has {text}").removeprefix("has ")  # "a larger population"
        most = most.rstrip("?. ") if order.is_by(text) else most
        if (changed := order.reordered(order.superlative(last.understood), most)) is not None:
            yield Way(changed, change=_as_before(last), among=last.among)

    def fits(self, text: str, last: Turn) -> bool:
        """Whether the last question is about something of the kind of what a turn names: no older one is meant then."""
        return any(self._likes(new, last) for new in self.names.named(text))

    def _asks_otherwise(self, text: str, span: tuple[int, int], last: Turn) -> bool:
        """Whether a phrase asks for what the last question does not: "children of John", but "his sister Janet"."""
        before, behind = text[: span[0]], text[span[1] :]
        if not (before.lower().rstrip().endswith(" of") or _OWN.match(behind)):
            return False
        words = {*normalise(f"{before} {behind}").split()} - {*normalise(last.understood).split()} - CARRY_NOTHING
        return (bool(words) and _OWN.match(behind) is not None) or any(
            is_all_called(word, self.answers.memory.referents.relation_words) for word in words
        )

    def at_rank(self, text: str, last: Turn) -> Iterator[Way]:
        """The last question, which chose by rank, at another rank: "and the second?".

        Also where something about what it chose was asked since.
        """
        if not any(map(is_ordered, last.query.walk() if last.query else ())):
            about = [turn for turn in self.answers.memory.answered_before(last) if turn.ends == last.topics]
            last = next((turn for turn in about if turn.query and any(map(is_ordered, turn.query.walk()))), last)
        best = next((node for node in (last.query.walk() if last.query else ()) if is_ordered(node)), None)
        rank = order.rank_meant(text, best.last) if best is not None and len(last.ends) == 1 else None
        if rank is not None and best is not None and best.first == best.last:
            query = replaced(last.query, best, replace(best, first=rank, last=rank))  # type: ignore[arg-type]
            yield self._of_query(query, last)
        chosen, rank = _by_what(last.query), order.rank_meant(text, 0) or 1
        if best is None and chosen is not None and rank > 1:
            yield self._of_query(nodes.Best(chosen, chosen.by, True, rank, rank), last)

    def _of_query(self, query: Query, last: Turn) -> Way:
        sure = last.answer.confidence if last.answer is not None else 0.0
        return Way(f"{verbalise(query, self.answers.pack)}?", query=query, confidence=sure, among=last.among)

    def of_others(self, text: str) -> Iterator[Way]:
        """What was asked of one of several, of the others: "where did she die?", "and the other one?"."""
        memory, rest = self.answers.memory, form.others(form.LEAD_IN.sub("", text))
        last = memory.last_asked()
        if rest is None or rest.strip("\0?.'\u2019s ") or last is None or last.query is None:
            return
        before = [turn for turn in reversed(memory.turns) if turn.number < last.number]
        match last.query:  # how many beds, of the one that has most
            case nodes.Values(nodes.Best() as best, relation):
                chosen = next((turn.ends for turn in before if turn.query == best), ())
                last = replace(last, topics=chosen, query=nodes.Values(nodes.Entities(chosen), relation))
        if len(last.topics) != 1:
            return
        (old,) = last.topics
        sets = (ends for turn in before for ends in (turn.ends, turn.topics) if len(ends) > 1)  # or that were compared
        others = next((tuple(one for one in ends if one != old) for ends in sets if old in ends), ())
        query = instead(last.query, nodes.Entities((old,)), nodes.Entities(others)) if others and last.query else None
        if query is not None and not last.is_refused:
            sure = last.answer.confidence if last.answer is not None else 0.0
            said = last.understood.replace(self.answers.label(old), self.answers.listed(others))
            yield Way(said, query=query, confidence=sure)

    def of_first(self, text: str, last: Turn) -> Iterator[Way]:
        """The last question about the first of two things that were spoken of one by one: "and the first one?"."""
        rank, memory = form.ranked(form.LEAD_IN.sub("", text)), self.answers.memory
        if rank is None or rank[1].strip("\0?. ") or any(map(is_ordered, last.query.walk() if last.query else ())):
            return
        spoken = [one for turn in memory.turns for one in (*turn.topics, *turn.ends)]
        told = memory.in_turn() or sorted(next(iter(memory.pairs()), ()), key=spoken.index)
        if not -len(told) <= rank[0] < len(told):
            return
        new = told[rank[0]]
        for old in self._likes(new, last):
            yield from self._with(new, old, last)

    def of_described(self, text: str, last: Turn | None, ask: Callable[[Way], Answer]) -> Iterator[Way]:
        """The last question about whom a phrase describes by another thing: "and the author of Emma?", after when Poe
        was born."""
        named = self.names.named(text)[:1]
        if (
            last is None
            or not named
            or named[0] in last.topics
            or len(last.topics) != 1
            or not _ROLE_OF.fullmatch(text)
        ):
            return
        answer = ask(Way(f"who is {text.rstrip('?. ')}?"))
        meant = [one.id for one in answer.entities] if answer else []
        if len(meant) == 1 and self.answers.memory.referents.alike(meant[0], last.topics[0]):
            ways = self.changed(self.answers.label(meant[0]), last, True)
            yield from (replace(way, text=f"{way.text.rstrip('?. ')} ({text.rstrip('?. ')})?") for way in ways)

    def asked(self, text: str, refused: Turn | None) -> Iterator[Way]:
        """A question that was refused, about something else."""
        if refused is None or not refused.is_refused:
            return
        referents = self.answers.memory.referents
        for new in self.names.named(text):
            for old in refused.topics:
                called = called_in(refused, old, self.answers.label(old))
                if called is not None and referents.alike(old, new):
                    yield self.answers.naming(refused.understood.replace(called, "\0", 1), new)
            sex = form.sex_meant(refused.line)
            named = with_name(refused.line, new, self.answers.label(new)) if sex and not refused.topics else None
            if named is not None and any(referents.may_be(new, one) for one in {sex, "male", "female"}):
                is_meant = referents.may_be(new, sex)  # who "he" is was not known
                yield Way(named.text, named.given, meant=(new, sex) if is_meant else None)

    def _with(self, new: EntityId, old: EntityId, last: Turn) -> Iterator[Way]:
        """The last question with one thing in the place of another."""
        assert last.query is not None  # of changed
        try:
            query = replaced(last.query, nodes.Entities((old,)), nodes.Entities((new,)))
        except QueryError:
            return
        if query != last.query and not is_beside_itself(query):
            query = self.answers.larger_less_smaller(query)
            called = called_in(last, old, self.answers.label(old))
            said = last.understood.replace(called, self.answers.label(new)) if called else None
            sure = last.answer.confidence if last.answer is not None else 0.0
            yield Way(said or f"{verbalise(query, self.answers.pack)}?", query=query, confidence=sure)

    def _alone(self, new: EntityId, last: Turn, text: str) -> Sequence[EntityId]:
        """The one thing that the last question names, in the place of which another may stand though not of its kind.

        Where it stands after a preposition ("and from France?"), or is said alone.
        """
        is_alone = form.LEAD_IN.match(text) is not None or self.names.is_name(form.bare_noun(text))
        others = last.topics if is_alone and len(last.topics) == 1 else ()
        return [one for one in others if one in self._named(new, last)]

    def _likes(self, new: EntityId, last: Turn) -> list[EntityId]:
        """The things of a kind with another that the last question names, the last of several first."""
        said = [seed.entity for seed in last.answer.seeds] if last.answer is not None else []
        alike = [one for one in reversed(self._named(new, last)) if self.answers.memory.referents.alike(one, new)]
        return sorted(alike, key=lambda one: one not in said)

    def _named(self, new: EntityId, last: Turn) -> list[EntityId]:
        """What the last question names besides another thing."""
        named = [entity for node in (last.query.walk() if last.query else ()) for entity in entities_of(node)]
        return [one for one in dict.fromkeys(named) if one != new and self.answers.memory.referents.is_entity(one)]


def _by_what(query: Query | None) -> nodes.Where | None:
    """What was chosen for having more of something than a number: "and number two" is of these then."""
    is_more = isinstance(query, nodes.Where) and query.comparison in (">", ">=")
    return query if is_more and isinstance(query, nodes.Where) and isinstance(query.by, nodes.ValueOf) else None


def _as_before(last: Turn) -> Change | None:
    """Within the answers that the last question was asked of."""
    base = next((node.base for node in (last.query.walk() if last.query else ()) if is_ordered(node)), None)
    return None if base is None else lambda query: within(query, base)
