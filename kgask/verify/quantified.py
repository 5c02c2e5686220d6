"""Claims of all, both or most of some things, decided by whom the question finds that asks which of them are so.

"Most of the services are licensed under MIT" asks "which services are licensed under MIT?"; the query that answers says
which are the services, and which of them are so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.link.classes import class_spans
from kgask.link.naming import names_in
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode, TruthNode
from kgask.query.relation_words import plural
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Question
from kgask.verify.readings import DECIDE_SECONDS, Reading, Readings
from kgask.verify.world import conjuncts

LEAST_STEM = 4  # letters by which a name is found in a claim
_SOME_OF = re.compile(
    r"(?P<how>all|every|each|both|most|the majority|(?:more than|over) half)(?: single)?(?: one)?(?: of)?"
    r"(?: (?:the|these|those|our|my|his|her|their|its))? (?!who\b|that\b|which\b|other\b|else\b|of\b)(?P<what>\S.+)",
    re.IGNORECASE | re.DOTALL,
)
_ALL, _BOTH = frozenset(("all", "every", "each")), "both"


@dataclass(frozen=True, slots=True)
class Quantified:
    """Which are so, as a question, and of how many it is claimed."""

    question: str
    how: str  # "all", "both" or "most"


def quantified(text: str) -> Quantified | None:
    """A positive claim of all, both or most of some things; None for any other.

    >>> quantified("Most of the boats are insured.")
    Quantified(question='Which boats are insured?', how='most')
    >>> quantified("Every child of Ann speaks Lao"), quantified("Most people know Ann and all of them like her")
    (Quantified(question='Which child of Ann speaks Lao?', how='all'), None)
    """
    found = _SOME_OF.fullmatch(text.strip().rstrip("."))
    if found is None or re.search(r"\b(?:all|every|each|most|both)\b", found["what"], re.IGNORECASE):
        return None
    how = found["how"].lower()
    return Quantified(f"Which {found['what']}?", "all" if how in _ALL else how if how == _BOTH else "most")


@dataclass(frozen=True, slots=True)
class Quantities:
    """Reads them over the pack of a pipeline."""

    pipeline: Pipeline
    readings: Readings

    def of(self, texts: Sequence[str]) -> list[Reading | None]:
        """Of positive claims; None of those that say no such thing, and where the question has no answer."""
        asked = [quantified(text) for text in texts]
        questions = list(dict.fromkeys(one.question for one in asked if one is not None))
        answers = dict(zip(questions, self.pipeline.ask_many(questions), strict=True))
        return [None if one is None else self._reading(one, answers[one.question]) for one in asked]

    def _reading(self, asked: Quantified, answer: Answer) -> Reading | None:
        split = _split(answer.query, asked.question, self.pipeline.pack) or self._of_class(answer.query, asked.question)
        if split is None:
            return None
        every, so = split
        claimed: TruthNode = nodes.Not(nodes.Some(nodes.Minus(every, so)))
        if asked.how == "most":
            claimed = nodes.Compare(nodes.Count(nodes.And(every, so)), ">", nodes.Count(nodes.Minus(every, so)))
        elif asked.how == _BOTH:
            claimed = nodes.All((nodes.Compare(nodes.Count(every), "=", nodes.Number(2)), claimed))
        names = names_in(self.pipeline.linker, asked.question)
        return self.readings.decided(asked.question, names, claimed, answer.confidence)

    def _of_class(self, query: Node | None, text: str) -> tuple[SetNode, SetNode] | None:
        """A query that finds none but things of the class that the question asks for, with that class."""
        pack, question = self.pipeline.pack, Question(text)
        found = class_spans(text, self.pipeline.linker.words(question), pack)
        if not isinstance(query, SetNode) or not found or text[: found[0].start].lower().strip() != "which":
            return None
        kind, runner = found[0].candidates[0][0], Runner(pack, Budget(DECIDE_SECONDS))
        is_within = np.isin(runner.members(query).certain, runner.members(kind).certain).all()
        return (kind, query) if is_within and kind != query else None


def _split(query: Node | None, text: str, pack: Pack) -> tuple[SetNode, SetNode] | None:
    """Of whom something is claimed, and who is so, as a query puts them together; None where it does not.

    What is said of them stands last in the text.
    """
    match query:
        case nodes.Where(base):
            return base, query
        case nodes.Minus(base):
            return base, query
        case nodes.And():
            parts = conjuncts(query)
            if len(parts) < 2 or all(isinstance(part, nodes.Class) for part in parts):
                return None
            base, *more, so = sorted(parts, key=lambda part: _place(part, text, pack))
            for part in more:
                base = nodes.And(base, part)
            return base, so
    return None


def _place(part: SetNode, text: str, pack: Pack) -> int:
    """Where a text first names what a part of a query starts from; behind everything where it does not. A class stands
    where it is called by its name last, before everything where it is not."""
    if isinstance(part, nodes.Class):
        label = pack.labels([part.type])[0].lower()
        return max(text.lower().rfind(label), text.lower().rfind(plural(label)))
    ids = [entity for node in part.walk() if isinstance(node, nodes.Entities) for entity in node.ids]
    stems = (re.escape(label[: max(LEAST_STEM, len(label) - 2)]) for label in pack.labels(ids))
    found = (re.search(rf"\b{stem}\w{{0,3}}\b", text, re.IGNORECASE) for stem in stems)
    return min((one.start() for one in found if one is not None), default=len(text))
