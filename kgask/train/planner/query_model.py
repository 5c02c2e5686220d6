"""Rigel's second decoder: a question with its operands marked -> a query in postfix steps.

The hop decoder (:mod:`kgask.train.planner.model`) says relation paths from one masked topic. This one reads the same
encoder, but for a last layer of its own, and writes one step of :mod:`kgask.query.postfix` after another: each step
scores the operators, the directed relations (by their texts, so any pack will do) and the operands of the question
(pointers to their tokens; Vinyals et al. 2015). The encoder and the hop decoder stay as they are, so relation paths
are planned as before.

Shapes: B questions, L tokens, R relations, M operands, T steps, D width of the encoder, H width of the decoder.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from kgask.corpus.query_examples import KINDS
from kgask.query.postfix import OPERATORS, SPAN_KINDS
from kgask.train.planner.model import NEGATIVE, Rigel, mean_pool

HIDDEN = 256
NO_OPERATOR = len(OPERATORS)  # fed back where the step before was no operator; a row of zeros


@dataclass(frozen=True, slots=True)
class Operands:
    """What of B questions can be pointed at."""

    tokens: (
        Tensor  # float [B, M, L]: the share that each token has in an operand; rows sum to 1, or 0 where there is none
    )
    kinds: Tensor  # int64 [B, M], index into SPAN_KINDS
    mask: Tensor  # float [B, M], 1 where there is one


@dataclass(frozen=True, slots=True)
class StepState:
    """What a decoder carries from one step to the next."""

    state: Tensor  # [B, H]
    context: Tensor  # [B, D], the mean token that was read
    bias: Tensor  # [B, L], added to attention scores: padding, and what was read before


class QueryDecoder(nn.Module):
    """A GRU that attends to the tokens with coverage; it scores operators, relations and operands."""

    def __init__(self, width: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.start = nn.Linear(2 * width, hidden)
        self.attention_query = nn.Linear(hidden, width)
        self.coverage_weight = nn.Parameter(torch.tensor(0.5))
        self.cell = nn.GRUCell(2 * width, hidden)
        self.relation_query = nn.Sequential(nn.Linear(hidden + width, width), nn.GELU(), nn.Linear(width, width))
        self.operand_query = nn.Linear(hidden + width, width)
        self.operand_map = nn.Linear(width, width)
        self.operand_kinds = nn.Embedding(len(SPAN_KINDS), width)
        self.operator_scores = nn.Linear(hidden + width, len(OPERATORS))
        self.operator_vectors = nn.Embedding(NO_OPERATOR + 1, width, padding_idx=NO_OPERATOR)
        self.kind = nn.Sequential(nn.Linear(2 * width, width // 2), nn.GELU(), nn.Linear(width // 2, len(KINDS)))
        self.log_scale = nn.Parameter(torch.tensor(20.0).log())

    def begin(self, tokens: Tensor, mask: Tensor) -> tuple[StepState, Tensor]:
        """The state before the first step, and the logits [B, K] of what kind of question it is."""
        seen = torch.cat([functional.normalize(mean_pool(tokens, mask), dim=-1), tokens[:, 0]], -1)
        state = torch.tanh(self.start(seen))
        bias = (mask == 0) * NEGATIVE
        return StepState(state, tokens[:, 0] * 0, bias.to(tokens.dtype)), self.kind(seen)

    def operands(self, tokens: Tensor, operands: Operands) -> Tensor:
        """Vectors [B, M, D] of what can be pointed at."""
        return self.operand_map(operands.tokens.to(tokens.dtype) @ tokens) + self.operand_kinds(operands.kinds)

    def step(
        self, tokens: Tensor, before: StepState, operator: Tensor, fed: Tensor, directed: Tensor, operands: Tensor
    ) -> tuple[Tensor, StepState, Tensor]:
        """Logits [B, O + 2R + M] of the next step, the state after it, and the attention [B, L].

        The step before is fed back: ``operator`` int64 [B] (NO_OPERATOR for none) and ``fed`` [B, D], the vector of
        the relation or operand, else zeros.
        """
        state = self.cell(torch.cat([fed + self.operator_vectors(operator), before.context], -1), before.state)
        scores = tokens @ self.attention_query(state).unsqueeze(-1) / tokens.shape[-1] ** 0.5
        attention = torch.softmax(scores.squeeze(-1) + before.bias, dim=-1)
        context = (attention.unsqueeze(1) @ tokens).squeeze(1)
        bias = before.bias - functional.softplus(self.coverage_weight) * attention
        seen = torch.cat([state, context], -1)
        wanted = functional.normalize(self.relation_query(seen), dim=-1)
        relations = wanted @ directed.t() * self.log_scale.exp().clamp(max=100.0)
        pointed = (operands @ self.operand_query(seen).unsqueeze(-1)).squeeze(-1) / operands.shape[-1] ** 0.5
        logits = torch.cat([self.operator_scores(seen), relations, pointed], -1)
        return logits, StepState(state, context, bias), attention


class QueryRigel(nn.Module):
    """A planner whose weights stay, the last layer of its encoder once more, and a :class:`QueryDecoder`."""

    def __init__(self, planner: Rigel, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.planner = planner.requires_grad_(False)
        self.layer = copy.deepcopy(planner.encoder.encoder.layer[-1]).requires_grad_(True)
        self.decoder = QueryDecoder(planner.encoder.config.hidden_size, hidden)

    def train(self, mode: bool = True) -> QueryRigel:
        """The planner never drops out: it is only read."""
        super().train(mode)
        self.planner.eval()
        return self

    def below(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Token states [B, L, D] under the planner's last layer."""
        with torch.no_grad():
            return self.planner.read(input_ids, attention_mask)[0]

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Token states [B, L, D] as the query decoder reads them."""
        return self.top(self.below(input_ids, attention_mask), attention_mask)

    def top(self, states: Tensor, attention_mask: Tensor) -> Tensor:
        """The last layer of its own."""
        wide = ((attention_mask == 0) * NEGATIVE).to(states.dtype)[:, None, None, :]
        found = self.layer(states, wide)
        return found[0] if isinstance(found, tuple) else found

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        operands: Operands,
        directed: Tensor,
        steps: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Teacher forcing: logits [B, T, O + 2R + M] and kind logits [B, K]; ``steps`` int64 [B, T], -1 for padding."""
        tokens = self.encode(input_ids, attention_mask)
        state, kinds = self.decoder.begin(tokens, attention_mask)
        vectors = self.decoder.operands(tokens, operands)
        n_operators, n_relations = len(OPERATORS), len(directed)
        rows = torch.arange(len(steps), device=steps.device)
        operator = torch.full_like(steps[:, 0], OPERATORS.index("END"))  # END also begins
        fed = tokens[:, 0] * 0
        found = []
        for at in range(steps.shape[1]):
            logits, state, _ = self.decoder.step(tokens, state, operator, fed, directed, vectors)
            found.append(logits)
            chosen = steps[:, at].clamp(min=0)
            is_operator, is_operand = chosen < n_operators, chosen >= n_operators + n_relations
            operator = torch.where(is_operator, chosen, NO_OPERATOR)
            relation = directed[(chosen - n_operators).clamp(0, n_relations - 1)]
            operand = vectors[rows, (chosen - n_operators - n_relations).clamp(0, vectors.shape[1] - 1)]
            fed = torch.where(is_operand.unsqueeze(-1), operand, relation.to(operand.dtype))
            fed = fed * (~is_operator).unsqueeze(-1)
        logits = torch.stack(found, 1)
        absent = (1.0 - operands.mask).unsqueeze(1) * NEGATIVE
        logits = torch.cat(
            [logits[..., : n_operators + n_relations], logits[..., n_operators + n_relations :] + absent], -1
        )
        return logits, kinds
