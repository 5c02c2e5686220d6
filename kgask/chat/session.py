"""A conversation: each turn as a question of its own, asked as any other; the query of an earlier turn, changed.

A turn is understood in several ways, the likeliest first: as it stands, with the thing that a pronoun means, about some
of the last answers, as the last question about something else. The first that has an answer is taken, and it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgask.answer.derived import told
from kgask.answer.ellipsis import completed
from kgask.answer.parts import with_name
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.answer.unsaid import unsaid
from kgask.chat import form
from kgask.chat.changes import MOST_NAMED, entities_of, instead, is_ordered, within
from kgask.chat.referents import Referents
from kgask.chat.turns import Change, Turn, Way
from kgask.errors import BudgetError, QueryError, UsageError
from kgask.link.naming import names_in, seeds_in
from kgask.methods.accounted import is_all_called
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.query.rewrite import replaced
from kgask.query.sparql import to_sparql
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run
from kgask.types import EntityId, Question

SECONDS = 8.0  # of a query that was changed
MOST_JOINED = 3  # things that are named one by one in the place of "them"
UNKNOWN_SEX = 0.03  # ... than that "she" means somebody of whom that is not known
LISTED = 3  # of the last answers, that are named where a turn is about some of them
REMEMBERED = 12  # turns back that a pronoun may reach
OF_KIND = 0.05  # of confidence, that answers of the kind that a question says are worth
LEAST_OF_THOSE = 0.6  # confidence that is enough for a question about some of the last answers: less can be meant
LATER, EARLIER = 0.01, 0.05  # of confidence, that what stands behind, or was spoken of a turn before, is less likely


@dataclass(slots=True)
class Chat:
    """A conversation over the pack of a pipeline; not safe to share between threads."""

    pipeline: Pipeline
    options: AskOptions = field(default_factory=AskOptions)
    turns: list[Turn] = field(default_factory=list)
    _referents: Referents = field(init=False)

    def __post_init__(self) -> None:
        self._referents = Referents(self.pipeline.pack)

    def reset(self) -> None:
        """Forget the turns."""
        self.turns.clear()
        self._referents.told.clear()

    def undo(self) -> Turn | None:
        """Forget the last turn, and give it."""
        return self.turns.pop() if self.turns else None

    def ask(self, line: str) -> Turn:
        """Answer one turn. Raises :class:`~kgask.errors.UsageError` for an empty or an overlong line."""
        line = checked_question(line, "turn")
        if not any(char.isalnum() for char in line):
            raise UsageError("the turn says nothing")
        turn = Turn(len(self.turns) + 1, line, line, None) if form.is_thanks(line) else self._answered(line)
        self.turns.append(turn)
        return turn

    def _answered(self, line: str) -> Turn:
        refused: tuple[Way, Answer] | None = None
        for ways in self._ways(line):
            asked = [(way, self._asked(way)) for way in ways]
            answered = [one for one in asked if one[1]]
            if answered:
                return self._turn(line, *max(answered, key=lambda one: self._worth(*one) - one[0].doubt))
            refused = refused or (asked[0] if asked else None)
        if refused is None:
            said = "it speaks of something that was not spoken of before"
            refused = Way(line), self.pipeline.refused(line, said)
        return self._turn(line, *refused)

    def _worth(self, way: Way, answer: Answer) -> float:
        """How sure an answer is; more where it is of the kind that is asked for ("which countries")."""
        ends = [one.id for one in answer.entities[:1] if self._referents.is_entity(one.id)]
        text = way.text.lower()
        return answer.confidence + OF_KIND * any(kind in text or plural(kind) in text for kind in self._kinds(ends))

    def _kinds(self, entities: Sequence[EntityId]) -> list[str]:
        return [kind for entity in entities for kind in self._referents.kinds(entity)]

    def _turn(self, line: str, way: Way, answer: Answer) -> Turn:
        is_known = self._referents.is_entity
        named = [entity for node in (answer.query.walk() if answer.query else ()) for entity in entities_of(node)]
        in_order = sorted(answer.seeds, key=lambda seed: seed.span)
        seeds = [*(seed.entity for seed in in_order), *(named if way.query is not None else ())]
        topics = tuple(one for one in dict.fromkeys(seeds) if is_known(one))
        ends = tuple(one.id for one in answer.entities if is_known(one.id))
        if answer:
            self._referents.learn(way.text, way.meant, topics, ends)
        if way.text != line:
            answer = replace(answer, notes=(f"read {line!r} as {way.text!r}", *answer.notes))
        return Turn(len(self.turns) + 1, line, way.text, answer, answer.query, topics, ends, way.among)

    # --- asking ---------------------------------------------------------------------------------

    def _asked(self, way: Way) -> Answer:
        if way.query is not None:
            return self._run(self.pipeline.refused(way.text, ""), way.query, way.confidence)
        if way.given:
            answer = self.pipeline.ask_given(Question(way.text), way.given, self.options)
        else:
            answer = self.pipeline.ask(way.text, self._options(way))
        if way.change is None or not answer or answer.query is None:
            return answer
        changed = way.change(answer.query)
        if changed is None:
            return replace(answer, abstained=True, text=None, reason="this is not about what was spoken of")
        return answer if changed == answer.query else self._run(answer, changed, answer.confidence)

    def _options(self, way: Way) -> AskOptions:
        if not way.among:
            return self.options
        least = self.pipeline.min_confidence if self.options.min_confidence is None else self.options.min_confidence
        return replace(self.options, min_confidence=min(least, LEAST_OF_THOSE))

    def _run(self, answer: Answer, query: Query, confidence: float) -> Answer:
        """An answer with what another query comes to."""
        pack = self.pipeline.pack
        try:
            result = run(query, pack, Budget(SECONDS))
            found, silent = told(result), unsaid(result)
        except (QueryError, BudgetError) as error:
            return replace(answer, abstained=True, text=None, reason=str(error))
        if isinstance(query, nodes.Some) and isinstance(query.base, nodes.Minus) and result.truth is False:
            silent = f"the graph does not say {verbalise(query, pack)}"  # nobody else is known
        if found.text is None or silent is not None:
            return replace(answer, abstained=True, text=None, entities=(), support=(), reason=silent or found.why_not)
        return replace(
            answer, text=found.text, entities=found.entities, support=found.support, confidence=round(confidence, 4),
            abstained=False, reason=None, died_at=None, kind=found.kind, value=found.value, notes=found.notes,
            derivation=found.derivation, query=query, query_text=found.query, sparql=to_sparql(query, pack).rstrip(),
        )  # fmt: skip

    # --- understanding --------------------------------------------------------------------------

    def _ways(self, line: str) -> Iterator[list[Way]]:
        """The ways to understand a turn, the likeliest first; of several together the surest counts."""
        if not self.turns:
            yield [Way(line)]
            return
        said = form.heard(line)
        text, is_of_those = said.text, form.is_of_those(said.text)
        focus = self._named(said.back_to) if said.back_to else ()
        last = next((one for one in reversed(self.turns) if one.query is not None), None)
        if last is not None and (form.asks_how_many(text) or form.asks_how_many(line)):
            yield [*self._counted(last, text)]
        if form.asks_who_they_are(text):
            if last is not None and isinstance(last.query, nodes.Count):
                yield [Way(text, query=last.query.base, confidence=last.answer.confidence if last.answer else 0.0)]
            return
        if said.corrects or (said.continues and form.is_phrase(text)):
            yield from ([way] for way in self._changed(text, last))
        yield from ([way] for way in self._of_answers(text))
        if not is_of_those:
            yield [*self._meant(text, focus)]
        if last is not None and form.is_bare_question_word(text):
            yield [Way(completed(text, last.understood))]
            yield [*self._about(text, (*last.ends, *last.topics))]
        if last is not None and form.is_phrase(text) and not said.corrects:
            yield from ([way] for way in self._changed(text, last))
            yield [*self._about(f"what is the {text.rstrip('?. ')}", (*last.topics, *last.ends))]
        is_whole = not is_of_those and not (form.is_pronominal(text) and not names_in(self.pipeline.linker, text))
        if is_whole and not (said.corrects and form.is_phrase(text)):
            yield [Way(text if said.back_to else line)]
            if text != line:
                yield [Way(text)]

    def _recent(self) -> Iterator[EntityId]:
        """What was spoken of, the latest first: single answers, then topics."""
        seen: set[EntityId] = set()
        last = self.turns[-1] if self.turns else None
        if last is not None and last.answer is not None and last.answer.abstained:
            # What it would have been about is not known: nothing older is taken for it.
            spoken = {one for turn in self.turns[:-1] for one in (*turn.topics, *turn.ends)}
            yield from (one for one in last.topics if one in spoken)
            return
        for turn in reversed(self.turns[-REMEMBERED:]):
            for entity in (*(turn.ends if len(turn.ends) == 1 else ()), *turn.topics):
                if entity not in seen:
                    seen.add(entity)
                    yield entity

    def _last_set(self) -> Turn | None:
        """The last turn that several answered."""
        return next((turn for turn in reversed(self.turns[-REMEMBERED:]) if len(turn.ends) > 1), None)

    def _label(self, entity: EntityId) -> str:
        return self.pipeline.pack.labels([entity])[0]

    def _counted(self, last: Turn, text: str) -> Iterator[Way]:
        """How many the last answers are."""
        query = last.query
        if isinstance(query, SetNode) and last.answer is not None:
            said = f"{text.rstrip('?. ')} ({verbalise(query, self.pipeline.pack)})?"
            yield Way(said, query=nodes.Count(query), confidence=last.answer.confidence)

    # --- a part of the last answers -------------------------------------------------------------

    def _of_answers(self, text: str) -> Iterator[Way]:
        found, pair = self._last_set(), self._pair() if form.says_two(text) else None
        members = found.ends if found is not None else ()
        if (rank := form.ranked(text)) is not None and -len(members) <= rank[0] < len(members):
            yield self._naming(rank[1], members[rank[0]])
        if (rest := form.others(text)) is not None:
            yield from self._of_others(rest)
        is_latest = found is not None and found is next((one for one in reversed(self.turns) if one.ends), None)
        for several in (members, pair) if is_latest and len(members) > 1 else (pair, members):
            if not several or not self._are_called(several, form.noun_of_those(text)):
                continue
            if form.number_of_those(text) not in (0, len(several)):
                continue
            whole, among = _whole(found, several), self._listed(several)
            for noun in (self._referents.together(several), ""):
                if (asked := form.of_those(text, noun)) is not None:
                    yield Way(asked, change=lambda query, whole=whole: within(query, whole), among=among)  # type: ignore[misc]
        if form.is_plural(text) and found is not None and not form.is_of_those(text) and not form.sex_meant(text):
            yield from self._of_each(text, members, _whole(found, members))

    def _listed(self, members: Sequence[EntityId]) -> str:
        labels = self.pipeline.pack.labels(members[:LISTED])
        more = len(members) - len(labels)
        return ", ".join(labels) + (f" and {more} more" if more else "")

    def _are_called(self, members: Sequence[EntityId], noun: str) -> bool:
        """Whether "the two islands" may mean these, where islands were spoken of."""
        spoken = [one for turn in self.turns for one in (*turn.topics, *turn.ends[:3])]
        return not noun or self._has_kind(members[:3], noun) or not self._has_kind(spoken, noun)

    def _has_kind(self, entities: Sequence[EntityId], noun: str) -> bool:
        kinds = {kind for one in entities for kind in self._referents.called(one)}
        return any(noun in (kind, plural(kind)) for kind in kinds)

    def _pair(self) -> tuple[EntityId, ...] | None:
        """The two things of a kind that were spoken of last."""
        recent = [entity for _, entity in zip(range(MOST_NAMED * 2), self._recent(), strict=False)]
        for entity in recent[1:]:
            if self._referents.alike(recent[0], entity):
                return tuple(sorted((recent[0], entity)))
        return None

    def _of_others(self, text: str) -> Iterator[Way]:
        """What was among the answers before the last ones, less these."""
        sets = [turn for turn in self.turns[-REMEMBERED:] if len(turn.ends) > 1]
        last = next((turn for turn in reversed(self.turns) if turn.ends), None)
        if not sets or last is None:
            return
        rest = tuple(one for one in sets[-1].ends if one not in last.ends)
        if len(rest) == 1:
            yield self._naming(text, rest[0])
        elif rest:
            yield from self._of_each(text.replace("\0", "they"), rest, nodes.Entities(rest))

    def _of_each(self, text: str, members: Sequence[EntityId], whole: SetNode) -> Iterator[Way]:
        """What is asked of several, as it is asked of one of them."""
        for one in members[:2]:
            named = with_name(form.singular(text), one, self._label(one))
            if named is None:
                return
            only = nodes.Entities((one,))
            yield Way(named.text, named.given, lambda query, only=only: instead(query, only, whole))  # type: ignore[misc]

    def _naming(self, text: str, entity: EntityId) -> Way:
        """A text with an entity in the place of its NUL."""
        label, at = self._label(entity), text.index("\0")
        return Way(text.replace("\0", label, 1), ((at, at + len(label), entity),), self._unless_known(text))

    # --- one thing that was spoken of -----------------------------------------------------------

    def _meant(self, text: str, focus: Sequence[EntityId]) -> Iterator[Way]:
        """The text with what its pronouns, or "the country", may mean."""
        every = [*focus, *self._recent()]
        for entity in every:
            for word in self._referents.called(entity):
                found = re.search(
                    rf"\b(?:the|that|this) {re.escape(word)}\b(?!s| of| with| that| in)", text, re.IGNORECASE
                )
                if found is not None and not form.is_pronominal(text):
                    yield self._naming(f"{text[: found.start()]}\0{text[found.end() :]}", entity)
        if not form.is_pronominal(text) or form.is_of_two(text):
            return
        sex = form.sex_meant(text)
        several = self._last_set()
        if sex and form.is_plural(text) and several is not None and len(several.ends) <= MOST_JOINED:
            text = form.with_names(text, self.pipeline.pack.labels(several.ends))
        every = [*focus] or every
        fitting = [entity for entity in every if self._referents.may_be(entity, sex)]
        for rank, entity in enumerate(fitting[:MOST_NAMED]):
            named = with_name(text, entity, self._label(entity))
            if named is not None:
                doubt = LATER * rank + (EARLIER * self._turns_ago(entity) if not focus else 0.0)
                doubt += UNKNOWN_SEX * (sex in ("male", "female") and not self._referents.is_known_as(entity, sex))
                yield Way(named.text, named.given, self._unless_known(text), doubt=doubt, meant=(entity, sex))

    def _turns_ago(self, entity: EntityId) -> int:
        """How many turns were made since something was spoken of."""
        ago = (at for at, turn in enumerate(reversed(self.turns)) if entity in turn.topics or turn.ends == (entity,))
        return next(ago, 0)

    def _unless_known(self, text: str) -> Change | None:
        """Less what was spoken of, where "other" things are asked for."""
        if not form.asks_for_others(text):
            return None
        known = frozenset(self._recent())

        def without(query: Query) -> Query:
            if isinstance(query, nodes.Some | nodes.Count):
                return replace(query, base=less(query.base))
            return less(query) if isinstance(query, SetNode) else query

        def less(every: SetNode) -> SetNode:
            members = run(every, self.pipeline.pack, Budget(SECONDS)).certain.tolist()
            meant = tuple(one for one in members if one in known)
            return nodes.Minus(every, nodes.Entities(meant)) if meant else every

        return without

    def _about(self, text: str, entities: Sequence[EntityId]) -> Iterator[Way]:
        """A phrase asked of one of these."""
        for entity in list(dict.fromkeys(entities))[:2] if self._is_called(text) else ():
            label = self._label(entity)
            asked = f"{text.rstrip('?. ')} of {label}?"
            yield Way(asked, ((len(asked) - 1 - len(label), len(asked) - 1, entity),))

    def _is_called(self, text: str) -> bool:
        """Whether a phrase is what a relation is called; question words are."""
        words = normalise(text.removeprefix("what is the ")).split()
        return form.is_bare_question_word(text) or is_all_called(" ".join(words[-2:]), self._referents.relation_words)

    # --- the last question about something else -------------------------------------------------

    def _changed(self, text: str, last: Turn | None) -> Iterator[Way]:
        """The last question with another name, or another word for order, in the place of its own."""
        if last is None or last.query is None:
            return
        if form.is_pronominal(text):
            text = self._resolved(text) or text
        for new in self._named(text):
            for old in self._place_of(new, last):
                try:
                    query = replaced(last.query, nodes.Entities((old,)), nodes.Entities((new,)))
                except QueryError:
                    continue
                if query != last.query:
                    label, known = self._label(new), self._label(old)
                    said = last.understood.replace(known, label)
                    said = said if said != last.understood else f"{verbalise(query, self.pipeline.pack)}?"
                    sure = last.answer.confidence if last.answer is not None else 0.0
                    yield Way(said, query=query, confidence=sure)
        if (changed := form.reordered(last.understood, text)) is not None:
            yield Way(changed, change=self._as_before(last))

    def _as_before(self, last: Turn) -> Change | None:
        """Within the answers that the last question was asked of."""
        base = next((node.base for node in (last.query.walk() if last.query else ()) if is_ordered(node)), None)
        return None if base is None or isinstance(base, nodes.Class) else lambda query: within(query, base)

    def _resolved(self, text: str) -> str | None:
        """Whom "her husband" is, by asking."""
        for way in self._meant(f"who is {text.rstrip('?. ')}?", ()):
            answer = self._asked(way)
            if answer and len(answer.entities) == 1:
                return answer.entities[0].label
        return None

    def _named(self, text: str) -> tuple[EntityId, ...]:
        """The entities that a text may name, the likeliest first."""
        return tuple(seed.entity for seed in seeds_in(self.pipeline.linker, text)[:MOST_NAMED])

    def _place_of(self, new: EntityId, last: Turn) -> list[EntityId]:
        """What the last question names in the place of another thing: one of its kind, the last of several."""
        named = [entity for node in (last.query.walk() if last.query else ()) for entity in entities_of(node)]
        named = [one for one in dict.fromkeys(named) if one != new and self._referents.is_entity(one)]
        return [one for one in reversed(named) if self._referents.alike(one, new)]


def _whole(turn: Turn | None, members: Sequence[EntityId]) -> SetNode:
    """The members as the query that they came from, where it is one, or as they are."""
    query = turn.query if turn is not None and tuple(turn.ends) == tuple(members) else None
    return query if isinstance(query, SetNode) else nodes.Entities(tuple(members))
