"""Rigel's query decoder at answer time: a question with its operands -> the likeliest queries, by beam search.

The planner's graph gives what the decoder reads of a question (:data:`READ_OUTPUTS`); a second, small graph makes one
step. The grammar of :mod:`kgask.query.postfix` and the relations that an entity has say which step may come next.
Shapes: B questions, L tokens, O operators, R relations, M operands, D and H widths of encoder and decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from kgask.errors import ModelError, QueryError
from kgask.plan.providers import Session, first_line, fits
from kgask.query.nodes import Query
from kgask.query.postfix import OPERATORS, SPAN_KINDS, Pick, Stack, Step

# Kinds of questions, in the order of the planner's kind_probs.
KINDS = (
    "path", "count", "superlative", "ordinal", "comparison", "yesno", "filter", "qualifier", "intersection", "union",
    "difference", "arithmetic",
)  # fmt: skip
KIND_OUTPUT = "kind_probs"
READ_OUTPUTS = ["query_tokens", "query_state", KIND_OUTPUT]
STEP_INPUTS = [
    "tokens", "bias", "state", "context", "operator", "relation", "operand", "operand_means", "operand_kinds",
    "directed",
]  # fmt: skip
STEP_OUTPUTS = ["logits", "next_state", "next_context", "next_bias", "attention"]
BEAM, MAX_STEPS = 6, 20
WIDTH = 5  # steps that a beam goes on with
MOST_LOGIT = 1e3  # more a damaged graph makes, and no sum of two infinities is a number
SLACK = 8.0  # log-odds behind the best at which a way is given up: 1 in 3,000
PADDING_BIAS = -1e4
NO_OPERATOR = len(OPERATORS)
_BEGIN, _END, _NONE = OPERATORS.index("END"), OPERATORS.index("END"), OPERATORS.index("NONE")


@dataclass(frozen=True, slots=True, eq=False)
class QuestionRead:
    """What the planner's graph says of one question."""

    tokens: np.ndarray  # float32 [L, D]
    state: np.ndarray  # float32 [H]


@dataclass(frozen=True, slots=True, eq=False)
class Pointed:
    """What can be pointed at in a question, and what each stands for."""

    shares: np.ndarray  # float32 [M, L], of each token (kgask.plan.operands)
    kinds: tuple[str, ...]  # of SPAN_KINDS; empty for what cannot be pointed at
    pick: Pick


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A query that the decoder wrote."""

    query: Query | None  # None: the graph has no relation for what is asked
    steps: tuple[Step, ...]
    log_probs: tuple[float, ...]  # of each step, among those that the grammar allows
    read: np.ndarray  # float32 [L]: the most attention that any step paid to a token
    offsets: Sequence[tuple[int, int]]  # of each token, the characters of the masked question

    @property
    def log_prob(self) -> float:
        return sum(self.log_probs)

    def attention(self, start: int, end: int) -> float:
        """What the characters of the masked question got at most; 1 for what the tokenizer cut off."""
        found = [self.read[at] for at, (first, last) in enumerate(self.offsets) if first < end and start < last]
        return float(max(found, default=1.0))


@dataclass(slots=True, eq=False)
class _Beam:
    stack: Stack
    steps: tuple[Step, ...]
    log_probs: tuple[float, ...]
    read: np.ndarray
    row: int = 0  # of the arrays that the step graph gave

    @property
    def score(self) -> float:
        return sum(self.log_probs)


class Sense(Protocol):
    """What the graph says of the steps that may come next."""

    def relations(self, stack: Stack) -> np.ndarray:
        """bool [2R]: the directed relations that lead on."""
        ...

    def operators(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        """Those of the grammar's operators that can come to something."""
        ...

    def spans(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        """Those of the grammar's kinds of operands that can."""
        ...


class QueryWriter:
    """The step graph of a planner."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def write(
        self, question: QuestionRead, pointed: Pointed, directed: np.ndarray, sense: Sense,
        offsets: Sequence[tuple[int, int]], beam: int = BEAM,
    ) -> list[Written]:  # fmt: skip
        """The likeliest queries, best first, over the directed relations float32 [2R, D]."""
        n_tokens = len(question.tokens)
        shares = pointed.shares if len(pointed.kinds) else np.zeros((1, n_tokens), np.float32)
        means = shares @ question.tokens
        kinds = np.array([SPAN_KINDS.index(kind) if kind else 0 for kind in pointed.kinds] or [0], np.int64)
        beams = [_Beam(Stack(pointed.pick), (), (), np.zeros(n_tokens, np.float32))]
        carried = (question.state[None], np.zeros_like(question.tokens[:1]), np.zeros((1, n_tokens), np.float32))
        done: list[Written] = []
        for _ in range(MAX_STEPS):
            outputs = self._step(question, carried, beams, means, kinds, directed)
            logits, state, context, bias, attention = outputs
            ways = [
                (one, row, allowed_steps(logits[row], one.stack, pointed.kinds, len(directed), sense))
                for row, one in enumerate(beams)
            ]
            grown = _grown(ways, attention, pointed, len(directed) // 2, offsets, done, beam)
            best = sorted(done, key=lambda one: -one.log_prob)[:beam]
            least = max([one.score for one in grown] + [one.log_prob for one in best[:1]], default=0.0) - SLACK
            beams = [one for one in grown if one.score >= least]
            if not beams or (len(best) == beam and best[-1].log_prob >= beams[0].score):
                break
            rows = [one.row for one in beams]
            carried = (state[rows], context[rows], bias[rows])
        return sorted(done, key=lambda one: -one.log_prob)[:beam]

    def _step(
        self, question: QuestionRead, carried: tuple[np.ndarray, ...], beams: Sequence[_Beam], means: np.ndarray,
        kinds: np.ndarray, directed: np.ndarray,
    ) -> list[np.ndarray]:  # fmt: skip
        n = len(beams)
        operator = np.full(n, NO_OPERATOR, np.int64)
        operand = np.full(n, -1, np.int64)
        relation = np.zeros((n, directed.shape[1]), np.float32)
        for row, one in enumerate(beams):
            last = one.steps[-1] if one.steps else None
            if last is None:
                operator[row] = _BEGIN
            elif isinstance(last, str):
                operator[row] = OPERATORS.index(last)
            elif isinstance(last, tuple):
                operand[row] = last[1]
            else:
                relation[row] = directed[last]
        state, context, bias = carried
        arrays = (
            np.repeat(question.tokens[None], n, 0), bias, state, context, operator, relation, operand,
            np.repeat(means[None], n, 0), np.repeat(kinds[None], n, 0), directed,
        )  # fmt: skip
        feeds = dict(zip(STEP_INPUTS, arrays, strict=True))
        try:
            found = self._session.run(STEP_OUTPUTS, feeds)
        except Exception as error:  # the binding raises many unrelated types
            raise ModelError(f"the planner failed on a step of a query ({first_line(error)})") from error
        n_steps = len(OPERATORS) + len(directed) + len(kinds)
        wanted = ((n, n_steps), state.shape, context.shape, bias.shape, (n, len(question.tokens)))
        for name, array, sizes in zip(STEP_OUTPUTS, found, wanted, strict=True):
            fits(name, array, *sizes)
        return found


def allowed_steps(logits: np.ndarray, stack: Stack, kinds: Sequence[str], n_directed: int, sense: Sense) -> np.ndarray:
    """Log-probabilities [O + 2R + M] of the steps that the grammar and the graph allow."""
    may = stack.allowed
    end = len(OPERATORS) + n_directed
    if not np.isfinite(logits).all():
        logits = np.nan_to_num(logits, nan=-MOST_LOGIT, posinf=MOST_LOGIT, neginf=-MOST_LOGIT)
    of_relations = logits[len(OPERATORS) : end]
    spans = sense.spans(stack, may.spans)
    mask = np.zeros(len(logits), bool)
    mask[: len(OPERATORS)] = _mask_of(sense.operators(stack, may.operators))
    mask[end : end + len(kinds)] = [bool(kind) and kind in spans for kind in kinds]
    others = logits[mask].max(initial=-np.inf)
    # What leaves a set is looked up where a relation may well come next.
    if may.relations and _log_sum(of_relations) > others - SLACK:
        mask[len(OPERATORS) : end] = sense.relations(stack)
    found = np.where(mask, logits, -np.inf)
    return found if found.max() == -np.inf else found - _log_sum(found)  # -inf: nothing may come


@cache
def _mask_of(operators: frozenset[str]) -> np.ndarray:
    """bool [O]: which of :data:`OPERATORS` these are."""
    return np.array([name in operators for name in OPERATORS])


def _log_sum(logits: np.ndarray) -> float:
    most = logits.max()
    return float(most + np.log(np.exp(logits - most).sum()))


def _grown(
    ways: Sequence[tuple[_Beam, int, np.ndarray]], attention: np.ndarray, pointed: Pointed, n_relations: int,
    offsets: Sequence[tuple[int, int]], done: list[Written], most: int,
) -> list[_Beam]:  # fmt: skip
    """The likeliest beams after one more step, best first; those that end are put into ``done``.

    ``ways``: each beam with its row and the log-probabilities of its steps.
    """
    steps = [
        (one.score + float(log_probs[at]), place, at)
        for place, (one, _, log_probs) in enumerate(ways)
        for at in np.argsort(-log_probs)[:WIDTH].tolist()
        if log_probs[at] >= -SLACK
    ]
    found: list[_Beam] = []
    for _, place, at in sorted(steps, key=lambda step: -step[0]):
        one, row, log_probs = ways[place]
        is_last = at in (_END, _NONE)
        if not is_last and len(found) == most:
            continue
        logs, read = (*one.log_probs, float(log_probs[at])), np.maximum(one.read, attention[row])
        try:
            if is_last:
                query = one.stack.node if at == _END else None
                done.append(Written(query, (*one.steps, OPERATORS[at]), logs, read, offsets))
                continue
            step, stack = _taken(one.stack, at, pointed.kinds, n_relations)
        except QueryError:  # what the grammar does not see: a rank that is none, a value of another kind
            continue
        found.append(_Beam(stack, (*one.steps, step), logs, read, row))
    return found


def _taken(stack: Stack, at: int, kinds: Sequence[str], n_relations: int) -> tuple[Step, Stack]:
    if at < len(OPERATORS):
        return OPERATORS[at], stack.operator(OPERATORS[at])
    at -= len(OPERATORS)
    if at < 2 * n_relations:
        return at, stack.relation(at, n_relations)
    at -= 2 * n_relations
    return ("span", at), stack.span(at, kinds[at])
