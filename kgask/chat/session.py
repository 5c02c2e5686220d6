"""A conversation: each turn as a question of its own, asked as any other; the query of an earlier turn, changed.

A turn is understood in several ways, the likeliest first: as it stands, with the thing that a pronoun means, about some
of the last answers, as the last question about something else. The first that has an answer is taken, and it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from kgask.answer.derived import told
from kgask.answer.ellipsis import completed
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.answer.unsaid import unsaid
from kgask.chat import form, shorts
from kgask.chat.again import Again
from kgask.chat.changes import entities_of, may_be_unsaid
from kgask.chat.heard import Heard, heard, is_thanks, without_aside
from kgask.chat.lists import list_meant
from kgask.chat.memory import Memory
from kgask.chat.names import NAMED, Names
from kgask.chat.narrower import narrower, speaks_of_list
from kgask.chat.narrowing import Narrowing
from kgask.chat.of_answers import SECONDS, OfAnswers
from kgask.chat.pronouns import Pronouns
from kgask.chat.referents import Referents
from kgask.chat.rewrite import Rewriter
from kgask.chat.turns import Turn, Way
from kgask.errors import BudgetError, QueryError, UsageError
from kgask.link.naming import names_in, seeds_in
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.query.sparql import to_sparql
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run
from kgask.types import EntityId, Question

NOT_SPOKEN_OF = "it speaks of something that was not spoken of before"
REPEATED = 0.5  # of confidence, that what was answered already is not asked for again
MOST_COUNTED = 1000  # things that were counted and are remembered
OF_KIND = 0.05  # of confidence, that answers of the kind that a question says are worth
LEAST_OF_THOSE = 0.45  # confidence that is enough for a question about some of the last answers: less can be meant


@dataclass(slots=True)
class Chat:
    """A conversation over the pack of a pipeline; not safe to share between threads."""

    pipeline: Pipeline
    options: AskOptions = field(default_factory=AskOptions)
    turns: list[Turn] = field(default_factory=list)
    rewriter: Rewriter | None = None  # writes turns as questions of their own, in the place of the rules here
    _referents: Referents = field(init=False)

    def __post_init__(self) -> None:
        self._referents = Referents(self.pipeline.pack)

    @property
    def _memory(self) -> Memory:
        return Memory(self.turns, self._referents)

    @property
    def _answers(self) -> OfAnswers:
        return OfAnswers(self.pipeline.pack, self._memory)

    @property
    def _narrowing(self) -> Narrowing:
        return Narrowing(self._answers)

    @property
    def _names(self) -> Names:
        return Names(self.pipeline.linker, self._memory)

    @property
    def _again(self) -> Again:
        return Again(self._answers, self._names)

    @property
    def _pronouns(self) -> Pronouns:
        return Pronouns(self._answers, self.pipeline.linker)

    def reset(self) -> None:
        """Forget the turns."""
        self.turns.clear()
        self._referents.forget()

    def undo(self) -> Turn | None:
        """Forget the last turn, and give it."""
        return self.turns.pop() if self.turns else None

    def hear(self, line: str) -> None:
        """Take a line as said without asking anything: later turns may mean what it names."""
        seeds = seeds_in(self.pipeline.linker, line)
        named = tuple(one.entity for one in seeds if one.score >= NAMED and one.mention[:1].isupper())
        self.turns.append(Turn(len(self.turns) + 1, line, line, None, topics=named))

    def ask(self, line: str) -> Turn:
        """Answer one turn. Raises :class:`~kgask.errors.UsageError` for an empty or an overlong line."""
        line = checked_question(line, "turn")
        if not any(char.isalnum() for char in line):
            raise UsageError("the turn says nothing")
        self.turns.append(Turn(len(self.turns) + 1, line, line, None) if is_thanks(line) else self._answered(line))
        return self.turns[-1]

    def _answered(self, line: str) -> Turn:
        refused: tuple[Way, Answer] | None = None
        for ways in self._ways(line):
            asked = [(way, self._asked(way)) for way in ways]
            answered = [one for one in asked if one[1]]
            if answered:
                return self._turn(line, *max(answered, key=lambda one: self._worth(*one) - one[0].doubt))
            refused = refused or max(asked, key=lambda one: one[1].confidence - one[0].doubt, default=None)
        return self._turn(line, *(refused or (Way(line), self.pipeline.refused(line, NOT_SPOKEN_OF))))

    def _worth(self, way: Way, answer: Answer) -> float:
        """How sure an answer is; more where it is of the kind that is asked for ("which countries")."""
        ends = [one.id for one in answer.entities[:1] if self._referents.is_entity(one.id)]
        text = way.text.lower()
        is_known = any(answer.query == turn.query for turn in self.turns if turn.query)
        is_of_kind = any(kind in text or plural(kind) in text for kind in self._kinds(ends))
        return answer.confidence + OF_KIND * is_of_kind - REPEATED * is_known

    def _kinds(self, entities: Sequence[EntityId]) -> list[str]:
        return [kind for entity in entities for kind in self._referents.kinds(entity)]

    def _turn(self, line: str, way: Way, answer: Answer) -> Turn:
        is_known = self._referents.is_entity
        named = [entity for node in (answer.query.walk() if answer.query else ()) for entity in entities_of(node)]
        in_order = sorted(answer.seeds, key=lambda seed: seed.span)
        found = self._names.kept(in_order, way.given) if answer.abstained else [seed.entity for seed in in_order]
        seeds = [*found, *(named if way.query is not None else ())]
        if answer.abstained and not seeds:
            seeds = self._names.surely_named(way.text)
        topics = tuple(one for one in dict.fromkeys(seeds) if is_known(one))
        ends = tuple(one.id for one in answer.entities if is_known(one.id)) or self._counted_ones(answer)
        if answer:
            self._referents.learn(way.text, way.meant, topics, ends)
        if way.text != line:
            answer = replace(answer, notes=(f"read {line!r} as {way.text!r}", *answer.notes))
        return Turn(len(self.turns) + 1, line, way.said or way.text, answer, answer.query, topics, ends, way.among)

    def _counted_ones(self, answer: Answer) -> tuple[EntityId, ...]:
        """What was counted, for a later turn may ask about it."""
        if not answer or not isinstance(answer.query, nodes.Count):
            return ()
        try:
            found = run(answer.query.base, self.pipeline.pack, Budget(SECONDS)).certain.tolist()
        except (QueryError, BudgetError):
            return ()
        return tuple(found) if 1 < len(found) <= MOST_COUNTED else ()

    # --- asking ---------------------------------------------------------------------------------

    def _asked(self, way: Way) -> Answer:
        if way.query is not None:
            return self._run(self.pipeline.refused(way.text, ""), way.query, way.confidence)
        if way.given:
            answer = self.pipeline.ask_given(Question(way.text), way.given, self.options)
        else:
            answer = self.pipeline.ask(way.text, self._options(way))
        if way.is_whole and self._says_kind(answer):
            return replace(answer, abstained=True, text=None, parts=(), reason=NOT_SPOKEN_OF)
        if way.is_whole and not all(map(_is_grounded, answer.parts or (answer,))):
            return replace(answer, abstained=True, text=None, parts=(), reason=NOT_SPOKEN_OF)
        if way.change is not None and answer.parts:
            return replace(answer, abstained=True, text=None, parts=(), reason=NOT_SPOKEN_OF)
        if way.change is None or not answer or answer.query is None:
            return answer
        changed = way.change(answer.query)
        if changed is None:
            return replace(answer, abstained=True, text=None, reason="this is not about what was spoken of")
        return answer if changed == answer.query else self._run(answer, changed, answer.confidence)

    def _says_kind(self, answer: Answer) -> bool:
        """Whether what was linked is "the book" of a text, rather than one that is called so."""
        said = (answer.question[slice(*seed.span)] for seed in answer.seeds if len(answer.seeds) == 1)
        nouns = (found[1] for one in said if (found := re.fullmatch(r"(?:the )?([a-z]+)", one)) is not None)
        return any(re.search(rf"\bthe {noun}\b", answer.question) and self._referents.is_kind(noun) for noun in nouns)

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
        if result.truth is False and may_be_unsaid(query):
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
            yield [Way(without_aside(line))]
            return
        if self.rewriter is not None and (written := self.rewriter.question(self.turns, line)) is not None:
            yield [Way(written)]
            return
        line = self._names.in_full(line)
        said = heard(self._answers.with_those(without_aside(line)))
        if (dated := shorts.in_that_year(said.text, self._memory.years_said())) is not None:
            yield [Way(dated)] if dated else []
            return
        names = names_in(self.pipeline.linker, said.text)
        text = shorts.with_own_place(form.of_named(said.text) if len(names) > 1 else said.text, names)
        is_of_those = form.is_of_those(text) and (len(names) < 2 or (form.says_those(text) and text == said.text))
        if (listed := list_meant(text)) is not None and (found := self._memory.set_meant(listed)) is not None:
            yield from self._of_list(listed.of_them(found[1]), found[0])
            return
        focus = self._names.spoken_of_first(said.back_to) if said.back_to else ()
        asked = self._memory.last_asked()
        last = asked if asked is not None and asked.query is not None and not asked.is_refused else None
        if last is not None and (shorts.asks_how_many(text) or shorts.asks_how_many(line)):
            yield [*self._answers.counted(last, text)]
        if last is not None:
            yield [*self._again.at_rank(text, last)]
            yield [way for one in self._names.named(text)[:1] for way in self._answers.compared(text, last, one)]
        if shorts.asks_by_how_much(text):
            yield from ([way] for way in (self._answers.apart(last, text) if last is not None else ()))
            return
        if (other := shorts.what_differs(text)) is not None:
            if last is not None:
                yield [*self._answers.apart_from(last, text, self._names.named(other))]
            return
        if (one := shorts.is_one_of(text)) is not None:
            yield [*self._answers.is_among(self._names.named(one)[:1])]
        if (asked_of := shorts.of_what(text)) is not None:
            yield from ([self._answers.naming(asked_of, one)] for one in islice(self._memory.recent(), 2))
        if shorts.asks_who_they_are(text):
            if last is not None and isinstance(last.query, nodes.Count):
                yield [Way(text, query=last.query.base, confidence=last.answer.confidence if last.answer else 0.0)]
            return
        if asked is not None and said.continues:
            name = shorts.name_behind(text, asked.understood)
            text = name if self._names.is_name(form.bare_noun(name)) else text
        if (year := self._memory.of_year(text)) is not None:
            yield [Way(year)]
        if asked is not None and said.corrects:
            yield from ([way] for way in self._of_kind(text, asked))
        if said.corrects or (said.continues and form.is_phrase(text)):
            yield from ([way] for way in self._answers.ranked(text, last))
            yield from ([way] for way in self._changed(text, last))
            yield from ([way] for way in self._again.asked(text, asked))
            before = self._memory.answered_before(last) if last is not None and not self._again.fits(text, last) else ()
            yield from ([way] for earlier in before for way in self._changed(text, earlier))
        yield from ([way] for way in self._answers.both(text))
        yield from ([way] for way in self._narrowing.ways(text, said.continues, said.corrects))
        if is_of_those or len(names) < 2:
            yield from ([way] for way in self._answers.ways(text))
        if not is_of_those:
            yield from ([way] for way in self._of_the_best(text))
            yield from ([way] for way in self._of_whose(text))
            yield [*self._pronouns.meant(text, focus)]
            if focus and not form.is_pronominal(text):
                yield [*self._answers.behind(text, focus[:1])]
        elif said.continues and names:
            yield [*self._answers.of_their_kind(text)]
        if asked is not None and form.is_bare_question_word(text):
            yield [Way(completed(text, asked.understood))]
            yield [*self._about(text, (*asked.ends, *asked.topics))]
        if asked is not None and form.is_phrase(text):
            if not said.corrects:
                yield from ([way] for way in self._changed(text, last))
                if self._names.is_name(form.bare_noun(form.LEAD_IN.sub("", text))):
                    yield from ([way] for way in self._again.asked(text, asked))
            noun = form.bare_noun(text)
            noun = noun[:1].lower() + noun[1:] if noun[1:2].islower() else noun  # "Atomic number?"
            if len(asked.ends) > 1 and noun.endswith("s") and self._is_called(noun):
                yield [*self._answers.ways(f"what are their {noun}?")]
            if not form.is_compared(text):
                yield [*self._about(f"what is the {noun}", (*asked.topics, *asked.ends))]
        if not is_of_those and self._may_be_whole(text, names, said):
            less = self._answers.unless_known(text)
            yield [Way(text if said.back_to else line, change=less, is_whole=True)]
            if text != line:
                yield [Way(text, change=less, is_whole=True)]

    def _of_list(self, text: str, memory: Memory) -> Iterator[list[Way]]:
        """A question about a list that was told before, as it would have been understood then."""
        answers = OfAnswers(self.pipeline.pack, memory)
        yield from ([way] for way in Narrowing(answers).ways(text, False, False))
        yield from ([way] for way in answers.ways(text))

    def _may_be_whole(self, text: str, names: Sequence[str], said: Heard) -> bool:
        """Whether a turn may be a question of its own, which speaks of nothing that was said before."""
        named = [name for name in names if not self._is_called(name)]
        if form.is_among_them(text) or form.says_pronoun_first(text, named):
            return False
        if form.is_bare_question_word(text) or form.says_ones(text) or form.others(text) is not None:
            return False
        if speaks_of_list(text) or self._memory.was_said(form.several_meant(text)):
            return False
        some = narrower(text, said.continues)
        if some is not None and (some.is_said or self._memory.had_several()) and len(names) < 2:
            return False
        if form.of_the_best(text) is not None and self._memory.last_set() is not None:
            return False
        is_name = said.continues and self._names.is_name(form.bare_noun(text))
        is_noun = form.is_phrase(text) and all(map(self._is_called, (form.bare_noun(text), *names)))
        return not (is_name or is_noun or (said.corrects and form.is_phrase(text)))

    def _of_kind(self, text: str, asked: Turn) -> Iterator[Way]:
        """The last question about what has the same name and is of another kind: "no, the US state"."""
        for old in asked.topics:
            label = self._answers.label(old)
            at = asked.understood.find(label)
            for other in self._referents.namesakes(label, text) if at >= 0 else ():
                if other != old:
                    yield Way(asked.understood, ((at, at + len(label), other),))

    def _of_the_best(self, text: str) -> Iterator[Way]:
        """A question about "the highest one" of the last answers."""
        found = form.of_the_best(text)
        for way in self._answers.ways(f"which of them is the {found[0]}?") if found is not None else ():
            answer = self._asked(way)
            if found is not None and answer and len(answer.entities) == 1:
                yield self._answers.naming(found[1], answer.entities[0].id)
                return

    # --- one thing that was spoken of -----------------------------------------------------------

    def _of_whose(self, text: str) -> Iterator[Way]:
        """A question about "her father", with his name."""
        found = form.whose(text)
        if found is None or not self._is_called(found[0].split(maxsplit=1)[1]):
            return
        whose = self._resolved(found[0])
        if whose is not None:
            yield self._answers.naming(found[1], whose)

    def _about(self, text: str, entities: Sequence[EntityId]) -> Iterator[Way]:
        """A phrase asked of one of these."""
        for entity in list(dict.fromkeys(entities))[:2] if self._is_called(text) else ():
            label = self._answers.label(entity)
            asked = f"{text.rstrip('?. ')} of {label}?"
            yield Way(asked, ((len(asked) - 1 - len(label), len(asked) - 1, entity),))

    def _is_called(self, text: str) -> bool:
        """Whether a phrase is what a relation is called; question words are."""
        words = [word for word in normalise(text.removeprefix("what is the ")).split() if word not in CARRY_NOTHING]
        is_all = bool(words) and is_all_called(" ".join(words[-2:]), self._referents.relation_words)
        return is_all or form.is_bare_question_word(text)

    # --- the last question about something else -------------------------------------------------

    def _changed(self, text: str, last: Turn | None) -> Iterator[Way]:
        """The last question with another name, or whom a pronoun means, in the place of its own."""
        if last is None or last.query is None:
            return
        whose = self._resolved(text) if form.is_pronominal(text) else None
        yield from self._again.changed(self._answers.label(whose) if whose is not None else text, last)

    def _resolved(self, text: str) -> EntityId | None:
        """Whom "he" is, or "her husband", by asking."""
        if form.is_bare_pronoun(text):
            return next(
                (way.meant[0] for way in self._pronouns.meant(f"who is {text}", ()) if way.meant is not None), None
            )
        for way in self._pronouns.meant(f"who is {text.rstrip('?. ')}?", ()):
            answer = self._asked(way)
            if answer and len(answer.entities) == 1 and self._referents.is_entity(answer.entities[0].id):
                return answer.entities[0].id
        return None


def _is_grounded(answer: Answer) -> bool:
    """Whether what is chosen by rank is named: "the largest" alone is of what was spoken of before."""
    ranked = [node for node in (answer.query.walk() if answer.query else ()) if isinstance(node, nodes.Best)]
    return all(any(isinstance(one, nodes.Entities | nodes.Class) for one in node.base.walk()) for node in ranked)
