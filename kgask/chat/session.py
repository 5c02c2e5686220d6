"""A conversation: each turn as a question of its own, asked as any other; the query of an earlier turn, changed.

A turn is understood in several ways, the likeliest first: as it stands, with the thing that a pronoun means, about some
of the last answers, as the last question about something else. The first that has an answer is taken, and it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgask.answer.marks import asks_marks, told_by_marks
from kgask.answer.pipeline import Pipeline
from kgask.answer.requeried import requeried
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.chat import form
from kgask.chat.changes import base_of, entities_of, is_of_both_alone, may_be_unsaid
from kgask.chat.heard import asks_yes_or_no, is_thanks, told_before, without_aside
from kgask.chat.memory import Memory
from kgask.chat.names import NAMED, Names
from kgask.chat.of_answers import SECONDS, OfAnswers
from kgask.chat.referents import Referents
from kgask.chat.rewrite import Rewriter
from kgask.chat.turns import Turn, Way
from kgask.chat.ways import Understanding
from kgask.errors import BudgetError, QueryError, UsageError
from kgask.link.asked import without_slips
from kgask.link.naming import seeds_in
from kgask.methods.relation_facts import is_small
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run
from kgask.types import EntityId, Question

NOT_SPOKEN_OF = "it speaks of something that was not spoken of before"
BESIDE = "what was found is not what this asks for"
REPEATED = 0.5  # of confidence, that what was answered already is not asked for again
MOST_COUNTED = 1000  # things that were counted and are remembered
NOTHING_ELSE = 0.3  # that "what else" leaves out what was spoken of
NO_BESIDE = 0.3  # of confidence, that a "no" is less likely meant than what else a turn may say
OF_KIND = 0.05  # of confidence, that answers of the kind that a question says are worth
# Confidence from which a question that was refused is gone on from: of such readings 23 of 26 were right.
LIKELY = 0.6
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
    def _names(self) -> Names:
        return Names(self.pipeline.linker, self._memory)

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
        named = tuple(
            one.entity for one in seeds if one.score >= NAMED and (one.mention[:1].isupper() or line.islower())
        )
        self.turns.append(Turn(len(self.turns) + 1, line, line, None, topics=named))

    def ask(self, line: str) -> Turn:
        """Answer one turn. Raises :class:`~kgask.errors.UsageError` for an empty or an overlong line."""
        line = checked_question(line, "turn")
        if not any(char.isalnum() for char in line):
            raise UsageError("the turn says nothing")
        told, line = told_before(line)
        if told:
            self.hear(told)
        self.turns.append(Turn(len(self.turns) + 1, line, line, None) if is_thanks(line) else self._answered(line))
        return self.turns[-1]

    def _answered(self, line: str) -> Turn:
        refused: tuple[Way, Answer] | None = None
        for ways in self._ways(line):
            asked = [(way, self._heard(line, way)) for way in ways if not self._is_bare_name(line, way)]
            answered = [one for one in asked if one[1]]
            if answered:
                way, answer = max(answered, key=lambda one: self._worth(line, *one) - one[0].doubt)
                told = told_by_marks(answer) if is_small(self.pipeline.pack) and asks_marks(line) else None
                return self._turn(line, way, self._as_sure(way, told or answer))
            refused = refused or max(asked, key=lambda one: one[1].confidence - one[0].doubt, default=None)
        return self._turn(line, *(refused or (Way(line), self.pipeline.refused(line, NOT_SPOKEN_OF))))

    def _is_bare_name(self, line: str, way: Way) -> bool:
        """Whether a way asks nothing, where the turn does: "Constanze Mozart?" for "and his wife?"."""
        is_new = way.query is None and way.change is None and way.text.strip("?. ").lower() not in line.lower()
        return is_new and self._names.is_name(way.text.rstrip("?. "))

    def _heard(self, line: str, way: Way) -> Answer:
        """The answer to a way, where it is one to the turn."""
        answer = self._asked(way)
        return answer.refusing(BESIDE) if answer and self._is_beside(line, way, answer) else answer

    def _is_beside(self, line: str, way: Way, answer: Answer) -> bool:
        """Whether an answer is about something else than all that the turn names ("I meant those of Niger"), or a list
        where yes or no is asked for."""
        if asks_yes_or_no(line) and answer.kind != "truth" and not answer.parts:
            return True
        parts = [*answer.query.walk()] if answer.query is not None else []
        if answer.text in ("0", "no") and any(map(is_of_both_alone, parts)):
            return True
        used = {seed.entity for seed in answer.seeds} | {one.id for one in answer.entities}
        return self._names.is_forgotten(line, way.text, used | {one for node in parts for one in entities_of(node)})

    def _worth(self, line: str, way: Way, answer: Answer) -> float:
        """How sure an answer is; more where it is of the kind that is asked for ("which countries"), less where "other"
        leaves nothing out that was spoken of."""
        ends = [one.id for one in answer.entities[:1] if self._referents.is_entity(one.id)]
        text = way.text.lower()
        is_known = any(answer.query == turn.query for turn in self.turns if turn.query)
        is_of_kind = any(kind in text or plural(kind) in text for kind in self._kinds(ends))
        parts = answer.query.walk() if answer.query is not None else ()
        is_vacuous = form.asks_for_others(line) and not any(isinstance(node, nodes.Minus) for node in parts)
        is_no = answer.kind == "truth" and answer.text == "no"  # of the other that may be meant it may be so
        return (
            answer.confidence
            - NO_BESIDE * is_no
            + OF_KIND * is_of_kind
            - REPEATED * is_known
            - NOTHING_ELSE * is_vacuous
        )

    def _kinds(self, entities: Sequence[EntityId]) -> list[str]:
        return [kind for entity in entities for kind in self._referents.kinds(entity)]

    def _turn(self, line: str, way: Way, answer: Answer) -> Turn:
        is_known = self._referents.is_entity
        parts = [*answer.query.walk()] if answer.query is not None else []
        left_out = {node for part in parts if isinstance(part, nodes.Minus) for node in part.right.walk()}
        named = [entity for node in parts if node not in left_out for entity in entities_of(node)]
        in_order = sorted(answer.seeds, key=lambda seed: seed.span)
        found = self._names.kept(in_order, way.given) if answer.abstained else [seed.entity for seed in in_order]
        seeds = [*found, *(named if way.query is not None else ())]
        if answer.abstained and not seeds:
            seeds = self._names.surely_named(way.text)
        topics = tuple(one for one in dict.fromkeys(seeds) if is_known(one))
        ends = tuple(one.id for one in answer.entities if is_known(one.id)) or self._counted_ones(
            answer, bool(way.among)
        )
        if answer:
            self._referents.learn(way.text, way.meant, topics, ends)
        elif way.meant is not None and way.meant[0] in topics:
            self._referents.take_as(*way.meant)
        reading = self._reading(way, answer) if answer.abstained else None
        if reading is not None:
            ends = tuple(one.id for one in reading.entities if is_known(one.id))
            ends = ends or self._counted_ones(reading, bool(way.among))
        if way.text != line:
            answer = replace(answer, notes=(f"read {line!r} as {way.text!r}", *answer.notes))
        query = (reading or answer).query
        return Turn(len(self.turns) + 1, line, way.said or way.text, answer, query, topics, ends, way.among, reading)

    def _reading(self, way: Way, answer: Answer) -> Answer | None:
        """What a question that was refused likely asks: a later turn may go on from it, and is no surer."""
        if way.query is not None or answer.confidence < LIKELY or self.options.min_confidence is not None:
            return None
        found = self._asked(way, LIKELY)
        return found if found and found.query is not None else None

    def _as_sure(self, way: Way, answer: Answer) -> Answer:
        """An answer, at most as sure as what it goes on from."""
        given, parts = {one for *_, one in way.given}, {*answer.query.walk()} if answer.query is not None else set()
        for turn in self.turns:
            of_it = turn.query in parts or not given.isdisjoint({*turn.ends} - {*turn.topics})
            if turn.reading is not None and of_it and turn.reading.confidence < answer.confidence:
                answer = replace(answer, confidence=turn.reading.confidence)
        return answer

    def _counted_ones(self, answer: Answer, is_among: bool) -> tuple[EntityId, ...]:
        """What was counted, or the one of several of which something is so: a later turn may ask about it."""
        is_any = is_among and isinstance(answer.query, nodes.Some) and answer.text == "yes"
        base = base_of(answer.query) if answer and (is_any or not isinstance(answer.query, nodes.Some)) else None
        if base is None or not (isinstance(answer.query, nodes.Count | nodes.Some) or is_small(self.pipeline.pack)):
            return ()
        try:
            found = run(base, self.pipeline.pack, Budget(SECONDS)).certain.tolist()
        except (QueryError, BudgetError):
            return ()
        return tuple(found) if (len(found) == 1 if is_any else 1 < len(found) <= MOST_COUNTED) else ()

    def _ways(self, line: str) -> Iterator[list[Way]]:
        """The ways to understand a turn, the likeliest first; of several together the surest counts."""
        line = without_slips(line, self.pipeline.linker, self.pipeline.planner.is_word)
        if not self.turns:
            yield [Way(without_aside(line))]
        elif self.rewriter is not None and (written := self.rewriter.question(self.turns, line)) is not None:
            yield [Way(written)]
        else:
            answers = OfAnswers(self.pipeline.pack, self._memory)
            yield from Understanding(answers, self._names, self._asked).ways(line)

    # --- asking ---------------------------------------------------------------------------------

    def _asked(self, way: Way, least: float | None = None) -> Answer:
        """The answer to a way; ``least`` confidence, where another than what is always asked for is enough."""
        if way.query is not None:
            return self._run(self.pipeline.refused(way.text, ""), way.query, way.confidence)
        if way.given:
            answer = self.pipeline.ask_given(Question(way.text), way.given, self._options(least, False))
        else:
            answer = self.pipeline.ask(way.text, self._options(least, bool(way.among)))
        if way.is_whole and self._says_kind(answer):
            return replace(answer.refusing(NOT_SPOKEN_OF), parts=())
        if way.is_whole and not all(map(_is_grounded, answer.parts or (answer,))):
            return replace(answer.refusing(NOT_SPOKEN_OF), parts=())
        if way.change is not None and answer.parts:
            return replace(answer.refusing(NOT_SPOKEN_OF), parts=())
        if way.change is None or not answer or answer.query is None:
            return answer
        changed = way.change(answer.query)
        if changed is None:
            return answer.refusing("this is not about what was spoken of")
        is_some = isinstance(changed, SetNode) and not isinstance(changed, nodes.Best)
        if way.among and is_some and any(changed == turn.query for turn in self.turns):
            return answer.refusing("nothing in it tells them apart")
        return answer if changed == answer.query else self._run(answer, changed, answer.confidence)

    def _says_kind(self, answer: Answer) -> bool:
        """Whether what was linked is "the book" of a text, rather than one that is called so."""
        said = (answer.question[slice(*seed.span)] for seed in answer.seeds if len(answer.seeds) == 1)
        nouns = (found[1] for one in said if (found := re.fullmatch(r"(?:the )?([a-z]+)", one)) is not None)
        return any(re.search(rf"\bthe {noun}\b", answer.question) and self._referents.is_kind(noun) for noun in nouns)

    def _options(self, least: float | None, is_among: bool) -> AskOptions:
        if least is not None:
            return replace(self.options, min_confidence=least)
        if not is_among:
            return self.options
        least = self.pipeline.min_confidence if self.options.min_confidence is None else self.options.min_confidence
        return replace(self.options, min_confidence=min(least, LEAST_OF_THOSE))

    def _run(self, answer: Answer, query: Query, confidence: float) -> Answer:
        """An answer with what another query comes to."""
        pack = self.pipeline.pack
        is_unsaid = may_be_unsaid(query)  # nobody else is known
        silent = f"the graph does not say {verbalise(query, pack)}" if is_unsaid else None
        found = requeried(answer, query, confidence, pack, silent)
        return found if found or found.reason else answer.refusing(NOT_SPOKEN_OF)


def _is_grounded(answer: Answer) -> bool:
    """Whether what is chosen by rank is named: "the largest" alone is of what was spoken of before."""
    ranked = [node for node in (answer.query.walk() if answer.query else ()) if isinstance(node, nodes.Best)]
    return all(any(isinstance(one, nodes.Entities | nodes.Class) for one in node.base.walk()) for node in ranked)
