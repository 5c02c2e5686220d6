"""The facts that a question states, as steps: a tree whose ends are named in the question.

From what is asked for, each fact is a branch that leads there from its other end. A fact about something named ("Batman
(the one that has Jack Palance as a cast member)") narrows it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgask.corpus.drafts import Draft, Span, values_in
from kgask.corpus.examples import Step
from kgask.corpus.mentions import class_spans, nouns_in
from kgask.corpus.query_examples import QueryExample

RANGE_ONLY = frozenset(("human", "person", "agent"))  # classes whose word merely says what a relation leads to

Steps = list[str | Step | int]


@dataclass(frozen=True, slots=True)
class Fact:
    subject: str
    relation: str
    object: str
    said: tuple[tuple[str, str], ...] = ()  # qualifier and value


class Untold(Exception):
    """A question that does not say what its facts do."""


def is_variable(name: str) -> bool:
    return name.startswith("?")


class FactTree:
    """One question; facts are used up as steps are made of them."""

    def __init__(self, question: str, facts: Iterable[Fact], class_of: Mapping[str, str]) -> None:
        self.draft = Draft(question)
        self.facts = list(facts)
        self.class_of = class_of  # of a variable or a name, the class by its label
        self.operands: dict[str, int] = {}
        self.names: dict[int, str] = {}  # operand -> what it stands for
        self._classes: dict[str, int] = {}

    def point(self, name: str, places: Iterable[Span]) -> int:
        """The operand of a name, at the first of the places that is free and no other name's."""
        for place in places:
            number = self.draft.point(*place)
            if number is not None and self.names.get(number, name) == name:
                self.names[number] = name
                return number
        raise Untold(name)

    def point_at_classes(self) -> None:
        """A variable whose class is not said is known by its facts alone."""
        for name, label in self.class_of.items():
            try:
                places = ((*span, "class") for span in class_spans(self.draft.question, label))
                operand = self.point(label, places)
                if operand in self._classes.values():  # one word is not said of two
                    raise Untold(name)
                self._classes[name] = operand
            except Untold:
                if not is_variable(name):
                    raise

    def class_operand(self, name: str) -> int:
        if name not in self._classes:
            raise Untold(name)
        return self._classes[name]

    def take(self, fact: Fact | None) -> Fact:
        if fact is None:
            raise Untold
        self.facts.remove(fact)
        return fact

    def end(self, name: str) -> Steps:
        """What a name or variable stands for: itself or its class, and the branches of the facts about it."""
        about = [fact for fact in self.facts if name in (fact.subject, fact.object)]
        for fact in about:
            self.facts.remove(fact)
        branches = sorted((self._branch(fact, name) for fact in about), key=self._place)
        steps: Steps = []
        if not is_variable(name):
            steps = [self.operands[name]]
        elif name in self._classes and (self.class_of[name] not in RANGE_ONLY or not branches):
            steps = [self._classes[name]]
        for branch in branches:
            steps += [*branch, *(["AND"] if steps else [])]
        if not steps:
            raise Untold(name)
        return steps

    def _branch(self, fact: Fact, name: str) -> Steps:
        """From the other end of a fact to ``name``."""
        inverse = fact.subject == name
        other = self.end(fact.object if inverse else fact.subject)
        return [*other, (fact.relation, inverse), *self.qualified(fact)]

    def qualified(self, fact: Fact) -> Steps:
        """What the statement of a fact says."""
        steps: Steps = []
        for qualifier, value in fact.said:
            steps += ["QUAL", (qualifier, False), *self.end(value), "IN"]
        return steps

    def asked_of_statement(self, fact: Fact, qualifier: str) -> Steps:
        """What the statement of a fact says by a qualifier that is asked for."""
        subject, obj = self.end(fact.subject), self.end(fact.object)
        if is_variable(fact.object) and isinstance(obj[-1], tuple):
            raise Untold(fact.object)
        return [*subject, (fact.relation, False), *obj, "OF", (qualifier, False)]

    def _place(self, steps: Steps) -> int:
        return min((self.draft.start(step) for step in steps if isinstance(step, int)), default=0)

    def example(
        self, steps: Sequence[str | Step | int], kind: str, source: str, vocabulary: str = "wikidata"
    ) -> QueryExample | None:
        """The whole question; None where a fact was of no use."""
        if self.facts:
            return None
        self.draft.distract(values_in(self.draft.question))
        if set(self.class_of) == set(self._classes):
            self.draft.distract(nouns_in(self.draft.question))
        return self.draft.example([*steps, "END"], kind, source, vocabulary)


def kind_of(steps: Sequence[str | Step | int]) -> str:
    """The kind of a query that leads to entities or asks for a qualifier."""
    if "OF" in steps or "QUAL" in steps:
        return "qualifier"
    return "intersection" if "AND" in steps else "path"
