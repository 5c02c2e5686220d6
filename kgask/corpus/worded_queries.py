"""Questions that were worded for a pack, with the steps of their gold queries: what the query decoder learns from.

A question is divided into operands as it is when it is asked (:mod:`kgask.link.spans`), so what the linker does not
find is not taught. The relations of a pack are known by their labels (vocabulary "table").
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kgask import config
from kgask.corpus.query_examples import Operand, QueryExample, check
from kgask.corpus.query_mix import COLUMNS, Draw
from kgask.corpus.small_graphs import WORDED, small_graphs, worded
from kgask.corpus.table_questions import VOCABULARY
from kgask.errors import BudgetError, BuildError, QueryError
from kgask.link.features import LinkModel
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.link.spans import CandidateSpan, masked, segmentations
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.sense import PackSense
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.plan.query_onnx import KINDS
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.nodes import Query
from kgask.query.postfix import Pick, Stack, Step
from kgask.query.rewrite import replaced
from kgask.query.steps import steps_of
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.sets import everyday
from kgask.sets.everyday import EverydayQuestion

SOURCE = "worded"
SECONDS = 2.0  # of the graph's say on one question
_KINDS = {"none": "path", "path1": "path", "path2": "path", "path3": "path", "class": "path", "list": "path"}


def all_worded(planner: Path) -> Iterator[QueryExample]:
    """Of every pack that questions were worded for, linked as this planner's folder says; a minute or two."""
    known = RigelPlanner.load(planner)
    words, model = known.question_words(), LinkModel.of(known.card.linker)
    with tempfile.TemporaryDirectory(prefix="kgask-") as folder:
        demo = config.find("pack", config.DEFAULT_PACK).path, worded(WORDED) / "world.yaml"
        for path, file in (demo, *small_graphs(WORDED, Path(folder))):
            with Pack.open(path) as pack:
                yield from worded_queries(pack, Linker(pack, words, model), everyday.load(file))


def drawn(pool: Sequence[QueryExample]) -> Draw:
    """Draws a question with some of its pack's other relations."""

    def draw(rng: random.Random) -> QueryExample:
        one = rng.choice(pool)
        return replace(one, others=tuple(rng.sample(one.others, min(2 * COLUMNS, len(one.others)))))

    return draw


def worded_queries(pack: Pack, linker: Linker, questions: Iterable[EverydayQuestion]) -> Iterator[QueryExample]:
    """Those whose gold can be written over what the question says, as the planner could write it on this pack."""
    maker = _Maker(pack, linker)
    for one in questions:
        if len(one.golds) == 1:
            found = maker.example(one.text, one.kind, parse(one.golds[0], pack))
            if found is not None:
                yield found


class _Maker:
    def __init__(self, pack: Pack, linker: Linker) -> None:
        self._pack, self._linker, self._facts = pack, linker, RelationFacts(pack)
        self._labels = [relation_phrase(one.label) for one in pack.relations()]

    def example(self, text: str, kind: str, gold: Query) -> QueryExample | None:
        """None where no division of the question into operands says what the query needs."""
        question = read_marks(text)
        words, mentions = self._linker.words(question), self._linker.link(question)
        for spans in segmentations(question.text, words, mentions, self._pack):
            try:
                return self._made(question.text, kind, spans, self._steps(gold, spans))
            except (QueryError, BuildError, BudgetError):
                continue
        return None

    def _steps(self, gold: Query, spans: Sequence[CandidateSpan]) -> list[Step]:
        """Raises QueryError where graph or grammar would not let the planner write them, or where they come to
        something else than the gold."""
        n, said = self._pack.n_relations, _Said(spans)
        query = _without_unsaid(gold, said)
        steps, runner = steps_of(query, said, n), Runner(self._pack, Budget(SECONDS))
        found = runner.result(self._written(steps, spans, query, runner))
        expected = runner.result(gold)
        if (found.certain.tolist(), found.truth) != (expected.certain.tolist(), expected.truth):
            raise QueryError("the steps come to something else")
        return steps

    def _written(self, steps: Sequence[Step], spans: Sequence[CandidateSpan], query: Query, runner: Runner) -> Query:
        """What the steps write, each of them one that the planner may take here; else QueryError."""
        n, pick = self._pack.n_relations, self._pick(spans, query)
        sense, stack = PackSense(self._facts, spans, runner, pick), Stack(pick)
        for step in steps[:-1]:
            if isinstance(step, tuple):
                kind = spans[step[1]].kind
                if kind not in sense.spans(stack, stack.allowed.spans):
                    raise QueryError("no such operand may stand here")
                stack = stack.span(step[1], kind)
            elif isinstance(step, int):
                if not sense.relations(stack)[step]:
                    raise QueryError("no such relation leads on")
                stack = stack.relation(step, n)
            else:
                if step not in sense.operators(stack, stack.allowed.operators):
                    raise QueryError(f"{step} may not stand here")
                stack = stack.operator(step)
        return stack.node

    def _pick(self, spans: Sequence[CandidateSpan], query: Query) -> Pick:
        """What the query has of all that a span may stand for."""
        of_query = set(query.walk())
        named = {one for node in of_query if isinstance(node, nodes.Entities) for one in node.ids}

        def pick(at: int, relation: int | None) -> Node:
            span = spans[at]
            if span.kind == "entity":
                return nodes.Entities((next(seed.entity for seed in span.seeds if seed.entity in named),))
            wanted = [node for node in span.nodes if node in of_query]
            return self._facts.fitting(wanted or span.nodes, relation)

        return pick

    def _made(self, text: str, kind: str, spans: Sequence[CandidateSpan], steps: Sequence[Step]) -> QueryExample:
        masked_text, places = masked(text, spans)
        n, shown, numbers = self._pack.n_relations, list[Operand](), dict[int, int]()
        for at, (span, (start, end)) in enumerate(zip(spans, places, strict=True)):
            if start < end and not span.plain:
                numbers[at] = len(shown)
                shown.append(Operand(start, end, span.kind))
        written: list[str | tuple[str, bool] | int] = []
        for step in steps:
            if isinstance(step, tuple):
                if step[1] not in numbers:
                    raise QueryError("points at what cannot be pointed at")
                written.append(numbers[step[1]])
            else:
                written.append((self._labels[step % n], step >= n) if isinstance(step, int) else step)
        used = {step[0] for step in written if isinstance(step, tuple)}
        others = tuple(sorted(set(self._labels) - used))
        kind = _KINDS.get(kind, kind)
        found = QueryExample(
            masked_text, tuple(shown), tuple(written), kind if kind in KINDS else _kind_of(steps), SOURCE, VOCABULARY,
            others,
        )  # fmt: skip
        check(found)
        return found


def _kind_of(steps: Sequence[Step]) -> str:
    """Of a query whose kind the set calls otherwise."""
    told = {step for step in steps if isinstance(step, str)}
    for kind, operators in (("qualifier", {"QUAL", "OF"}), ("superlative", {"MOST", "LEAST"}), ("filter", {"BY"})):
        if told & operators:
            return kind
    return "intersection" if "AND" in told else "path"


def _without_unsaid(query: Query, said: _Said) -> Query:
    """The query without the classes that narrow a set of it and that the question does not say."""
    for node in query.walk():
        if isinstance(node, nodes.And) and isinstance(node.left, nodes.Class) and said.set_of(node.left) is None:
            return _without_unsaid(replaced(query, node, node.right), said)
    return query


class _Said:
    """What the spans of a question say (:class:`kgask.query.steps.Operands`)."""

    def __init__(self, spans: Sequence[CandidateSpan]) -> None:
        self._spans = spans

    def entity(self, entity: int) -> int:
        return self._at(("entity",), lambda span: any(seed.entity == entity for seed in span.seeds))

    def set_of(self, node: Node) -> int | None:
        if not isinstance(node, nodes.Class | nodes.Having | nodes.Follow):
            return None
        return next((at for at, one in enumerate(self._spans) if one.kind == "class" and node in one.nodes), None)

    def constant(self, node: Node) -> int:
        alike = _value_of(node)
        return self._at(("number", "date"), lambda span: any(_value_of(one) == alike for one in span.nodes))

    def rank(self, number: int) -> int:
        return self._at(("rank",), lambda span: nodes.Number(number) in span.nodes)

    def number(self, number: int) -> int:
        return self._at(("number",), lambda span: nodes.Number(number) in span.nodes)

    def _at(self, kinds: Sequence[str], says: Callable[[CandidateSpan], bool]) -> int:
        for at, span in enumerate(self._spans):
            if span.kind in kinds and says(span):
                return at
        raise QueryError("the question does not say it")


def _value_of(node: Node) -> object:
    """Equal for numbers alike whatever their units: a question may leave them out."""
    match node:
        case nodes.Number(number):
            return number
        case nodes.Range(nodes.Number(low), nodes.Number(high)):
            return low, high
        case nodes.Range(low, high):
            return low.quantity.low, high.quantity.high
        case nodes.Date():
            return node.quantity.low, node.quantity.high
    return node
