"""Claims of what is the most of its kind, decided by whom the open question finds (:mod:`kgask.verify.openly`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.link.naming import names_in, seeds_in
from kgask.query import nodes
from kgask.query.base import SetNode, TruthNode
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import EntityId
from kgask.verify.openly import Openly, only, openly, says_most, without_only
from kgask.verify.readings import DECIDE_SECONDS, Reading, Readings
from kgask.verify.world import conjuncts

MEANT = 0.1  # of the score of what a name means most, from which it may mean something else
MOST_MEANT = 5


@dataclass(frozen=True, slots=True)
class Superlatives:
    """Reads them over the pack of a pipeline."""

    pipeline: Pipeline
    readings: Readings

    def of(self, texts: Sequence[str]) -> list[Reading | None]:
        """Of positive claims; None of those that say no such thing, and where the question has no answer."""
        asked = [(openly if says_most(text) else only)(text, self._names(text)) for text in texts]
        every = (said for one in asked if one is not None for said in (one.question, one.or_else) if said)
        questions = list(dict.fromkeys(every))
        answers = dict(zip(questions, self.pipeline.ask_many(questions), strict=True))
        return [
            None if one is None else self._reading(text, one, _surer(one, answers))
            for text, one in zip(texts, asked, strict=True)
        ]

    def _names(self, text: str) -> list[str]:
        """Names as they are written, and what begins with a name in lower case: "oldgate is the only one"."""
        names, linker = names_in(self.pipeline.linker, text), self.pipeline.linker
        begins = [one.mention for one in seeds_in(linker, text) if one.span[0] == 0] if text[:1].islower() else []
        return [*dict.fromkeys((*names, *begins))]

    def _reading(self, text: str, asked: Openly, answer: Answer) -> Reading | None:
        query, pack = answer.query, self.pipeline.pack
        if not isinstance(query, SetNode):
            return None
        if not asked.is_only and not any(isinstance(one, nodes.Best) for one in query.walk()):
            return None
        ids = self._named(text, asked.name, query)
        if not ids or any(one.id >= pack.n_entities - pack.n_literals for one in answer.entities):
            return None
        claimed: TruthNode = nodes.Some(nodes.And(nodes.Entities(ids), query))
        if asked.is_only:
            claimed = nodes.All((claimed, nodes.Not(nodes.Some(nodes.Minus(query, nodes.Entities(ids))))))
            text = without_only(text)
        return self.readings.decided(text, names_in(self.pipeline.linker, text), claimed, answer.confidence)

    def _named(self, text: str, name: str, query: SetNode) -> tuple[EntityId, ...]:
        """What a name of a text may mean: of a river as long as any, no country of that name."""
        found = [one for one in seeds_in(self.pipeline.linker, text) if text[slice(*one.span)].rstrip(".,;:!") == name]
        meant = [one.entity for one in found if one.score >= MEANT * found[0].score]
        runner = Runner(self.pipeline.pack, Budget(DECIDE_SECONDS))
        of = conjuncts(query.base if isinstance(query, nodes.Best) else query)
        for kind in (part for part in of if isinstance(part, nodes.Class)):
            meant = [one for one in meant if one in runner.members(kind).possible]
        return tuple(dict.fromkeys(meant[:MOST_MEANT]))


def _surer(asked: Openly, answers: Mapping[str, Answer]) -> Answer:
    """What is answered to a question, or to the same of things."""
    first, second = answers[asked.question], answers.get(asked.or_else)
    return first if first or second is None else second
