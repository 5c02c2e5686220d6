"""Training questions for the decoder of queries: a question, what can be pointed at in it, and postfix steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kgask.corpus.examples import Step
from kgask.errors import BuildError
from kgask.plan.query_onnx import KINDS
from kgask.query.nodes import Entities, Node, Number
from kgask.query.postfix import OPERATORS, SPAN_KINDS, query_of


@dataclass(frozen=True, slots=True)
class Operand:
    """Characters of a question that a step may point at."""

    start: int
    end: int
    kind: str  # one of postfix.SPAN_KINDS


@dataclass(frozen=True, slots=True)
class QueryExample:
    """A question in lower case with its entities masked, and the steps of the query that it asks for.

    ``operands`` are all that could be pointed at, in the order of the text;
    steps need not use each. A step is an operator's name, a directed relation
    (key, inverse), or the number of an operand. The last is ``END``, or
    ``NONE`` where no relation can say what is asked. ``others`` are, in the
    vocabulary ``table``, the texts of the other relations of the same table.
    """

    text: str
    operands: tuple[Operand, ...]
    steps: tuple[str | Step | int, ...]
    kind: str  # one of KINDS
    source: str
    vocabulary: str = "wikidata"
    others: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()  # relations that the graph lacks

    @property
    def keys(self) -> tuple[str, ...]:
        """The relations of the steps, each once."""
        return tuple(dict.fromkeys(step[0] for step in self.steps if isinstance(step, tuple)))

    def without(self, key: str) -> QueryExample:
        """The same question of a graph that lacks a relation: the steps before it, then NONE."""
        at = next(place for place, step in enumerate(self.steps) if isinstance(step, tuple) and step[0] == key)
        return replace(self, steps=(*self.steps[:at], "NONE"), taken=(key,))


def check(example: QueryExample) -> None:
    """Raises :class:`BuildError` where operands or kinds are not what they say, :class:`QueryError` for bad grammar.

    A query that ends in ``NONE`` is judged up to there: only its operands are.
    """
    if example.kind not in KINDS:
        raise BuildError(f"unknown kind {example.kind!r}: {example.text}")
    end = 0
    for operand in example.operands:
        if operand.kind not in SPAN_KINDS or not end <= operand.start < operand.end <= len(example.text):
            raise BuildError(f"bad operand {operand}: {example.text}")
        said = example.text[operand.start : operand.end]
        if said != said.strip() or (operand.kind == "entity") != (said == "[MASK]"):
            raise BuildError(f"{said!r} is no {operand.kind}: {example.text}")
        end = operand.end
    if any(isinstance(step, str) and step not in OPERATORS for step in example.steps):
        raise BuildError(f"unknown operator in {example.steps}: {example.text}")
    if any(isinstance(step, int) and step >= len(example.operands) for step in example.steps):
        raise BuildError(f"no such operand in {example.steps}: {example.text}")
    if example.steps[-1] != "NONE":
        query(example)


def query(example: QueryExample) -> Node:
    """The query that the steps write, over relations numbered as they come; every operand stands for its number."""
    keys = list(dict.fromkeys(step[0] for step in example.steps if isinstance(step, tuple)))
    n = len(keys)
    steps = [
        ("span", step)
        if isinstance(step, int)
        else keys.index(step[0]) + n * step[1]
        if isinstance(step, tuple)
        else step
        for step in example.steps
    ]
    kinds = [operand.kind for operand in example.operands]

    def pick(span: int | None, relation: int | None) -> Node:
        number = 0 if span is None else span
        return Number(number + 1) if kinds[number] in ("number", "rank", "date") else Entities((number,))

    return query_of(steps, kinds, pick, n)
