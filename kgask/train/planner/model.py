"""Rigel over relation texts: an encoder, a recurrent hop decoder, hop attention.

After "Knowledge Graph-augmented Language Models for Complex Question
Answering", section 3.1 (hop-wise relation distributions from an
encoder-decoder), with one change that removes its main limitation: a relation
is scored by its *text*, so new relations and new graphs need no retraining.

Beside the hops the model says whether the masked span is a topic at all and
whether a second seed narrows the answers (branch scores, after Sen et al. 2021),
and what kind of answer is asked for.

Shapes: B questions, L tokens, R relations, H hops, D width of the encoder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from kgask.corpus.examples import ANSWER_TYPES

MAX_HOPS = 3
NEGATIVE = -1e4  # masks a logit; finite so that a wholly masked row stays a number
N_BRANCH_SCORES = 2  # the masked span is a topic; a further seed narrows the answers


@dataclass(frozen=True, slots=True)
class RigelOutput:
    """What the decoder says of B questions; the last relation column is "no such relation"."""

    relation_log_probs: Tensor  # [B, H, 2R + 1]
    stop_logits: Tensor  # [B, H]: the path ends after hop h, given that it came so far
    hop_logits: Tensor  # [B, H]: hop attention
    branch_logits: Tensor  # [B, 2]: the masked span is a topic; a further seed narrows the answers
    type_logits: Tensor  # [B, 4], one per ANSWER_TYPES

    @property
    def hop_log_weights(self) -> Tensor:
        """Logarithms of :attr:`hop_weights`; products of small numbers stay exact as sums."""
        hops = torch.arange(self.stop_logits.shape[1], device=self.stop_logits.device)
        asked = (hops < hops[-1]).to(self.stop_logits.dtype)  # the last hop is the end, whatever its STOP says
        passed = (hops <= hops.unsqueeze(1)) * asked  # [H, H]: whose STOP weighs in a path of so many hops
        # -softplus(x) is the logarithm of going on, x - softplus(x) that of stopping. Not log-sigmoid: ONNX has
        # softplus as one exact operator, log-sigmoid becomes log(0) there.
        going_on = -(functional.softplus(self.stop_logits).unsqueeze(1) * passed).sum(-1)
        return torch.log_softmax(self.stop_logits * asked + going_on + self.hop_logits, dim=-1)

    @property
    def hop_weights(self) -> Tensor:
        """Where the answer lies, a distribution [B, H] (Rigel + LM, section 3.1: attention over hops).

        The product of STOP, which sees the hops one by one, and of the hop
        attention, which sees them together, scaled to sum to one.
        """
        return self.hop_log_weights.exp()

    @property
    def stop_probs(self) -> Tensor:
        """The hop weights hop by hop [B, H]: the weight of a hop among itself and those after it."""
        hops = torch.arange(self.stop_logits.shape[1], device=self.stop_logits.device)
        log_weights = self.hop_log_weights.unsqueeze(1).masked_fill(hops < hops.unsqueeze(1), -torch.inf)  # [B, H, H]
        return (torch.softmax(log_weights, dim=-1) * (hops == hops.unsqueeze(1))).sum(-1)


def mean_pool(states: Tensor, mask: Tensor) -> Tensor:
    """Mean of the token states [B, L, D] that the mask [B, L] keeps."""
    weights = mask.to(states.dtype).unsqueeze(-1)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


class HopDecoder(nn.Module):
    """From question tokens to one query per hop, each conditioned on the hop before.

    Attention with coverage makes a later hop look at words that earlier hops
    left unread; the recurrent state is fed with the relation that was (expected
    to be) followed.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.start = nn.Linear(width, width)
        self.attention_query = nn.Linear(width, width)
        self.coverage_weight = nn.Parameter(torch.tensor(1.0))
        self.query = nn.Sequential(nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, width))
        self.cell = nn.GRUCell(2 * width, width)
        self.stop = nn.Sequential(nn.Linear(3 * width, width // 2), nn.GELU(), nn.Linear(width // 2, 1))
        self.hop_attention = nn.Sequential(nn.Linear(3 * width, width // 2), nn.GELU(), nn.Linear(width // 2, 1))
        n_scores = N_BRANCH_SCORES + len(ANSWER_TYPES)
        self.question = nn.Sequential(nn.Linear(2 * width, width // 2), nn.GELU(), nn.Linear(width // 2, n_scores))
        self.null = nn.Parameter(torch.randn(width) * 0.02)
        self.null_bias = nn.Parameter(torch.tensor(0.0))
        self.log_scale = nn.Parameter(torch.tensor(20.0).log())
        self.inverse_map = nn.Linear(width, width, bias=False)
        nn.init.normal_(self.inverse_map.weight, std=0.02)
        # Hop attention starts as no opinion, so that STOP alone decides until it has learnt something.
        nn.init.zeros_(self.hop_attention[-1].weight)
        nn.init.zeros_(self.hop_attention[-1].bias)

    def inverse(self, relations: Tensor) -> Tensor:
        """Vectors [R, D] of relations followed from object to subject, from their texts' [R, D]."""
        return functional.normalize(relations + self.inverse_map(relations), dim=-1)

    def read(self, tokens: Tensor, state: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Attention weights [B, L] of the state over the tokens, and the mean token [B, D] under them.

        ``bias`` [B, L] is added to the scores: it takes away padding and what was read before.
        """
        scores = tokens @ self.attention_query(state).unsqueeze(-1) / tokens.shape[-1] ** 0.5
        attention = torch.softmax(scores.squeeze(-1) + bias, dim=-1)
        return attention, (attention.unsqueeze(1) @ tokens).squeeze(1)

    def score(self, query: Tensor, directed: Tensor) -> Tensor:
        """Logits [B, 2R] of a unit query against directed relations."""
        return query @ directed.t() * self.log_scale.exp().clamp(max=100.0)

    def none_of_them(self, queries: Tensor) -> Tensor:
        """Logits [B, H, 1] of "no such relation" for unit queries [B, H, D]."""
        return (queries * self.null).sum(-1, keepdim=True) + self.null_bias

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor,
        pooled: Tensor,
        directed: Tensor,
        first_mask: Tensor,
        followed: Tensor | None = None,
        n_hops: int = MAX_HOPS,
    ) -> RigelOutput:
        """Decode hops.

        ``first_mask`` [B, 2R] is 1 where a seed has the directed relation: the
        state after hop 1 is conditioned on those only. ``followed`` [B, H] gives
        the directed relation fed back after each hop (-1: the expected one), as
        in training; without it the expected relation is fed back.
        """
        state = torch.tanh(self.start(pooled))
        bias = (mask == 0) * NEGATIVE
        attention, context = self.read(tokens, state, bias)
        queries, scores, seen = [], [], []
        for hop in range(n_hops):
            bias = bias - functional.softplus(self.coverage_weight) * attention
            query = functional.normalize(self.query(torch.cat([state, context], -1)), dim=-1)
            logits = self.score(query, directed)
            fed = self._feed_back(logits, directed, first_mask if hop == 0 else None)
            if followed is not None:
                chosen = followed[:, hop]
                gold = directed[chosen.clamp(min=0)]
                fed = torch.where((chosen >= 0).unsqueeze(-1), gold, fed)
            state = self.cell(torch.cat([fed, context], -1), state)
            attention, context = self.read(tokens, state, bias)  # what is left to read: the next hop reads it too
            queries.append(query)
            scores.append(logits)
            seen.append(torch.cat([state, context, pooled], -1))
        # What nothing is fed back from is done for all hops at once: few large products, at answer time too.
        logits = torch.cat([torch.stack(scores, 1), self.none_of_them(torch.stack(queries, 1))], -1)
        read = torch.stack(seen, 1)
        question = self.question(torch.cat([pooled, tokens[:, 0]], -1))
        return RigelOutput(
            torch.log_softmax(logits, dim=-1),
            self.stop(read).squeeze(-1),
            self.hop_attention(read).squeeze(-1),
            question[:, :N_BRANCH_SCORES],
            question[:, N_BRANCH_SCORES:],
        )

    @staticmethod
    def _feed_back(logits: Tensor, directed: Tensor, allowed: Tensor | None) -> Tensor:
        """The expected relation vector [B, D] under the (masked) distribution."""
        if allowed is not None:
            logits = logits + (1.0 - allowed) * NEGATIVE
        return torch.softmax(logits, dim=-1) @ directed


class Rigel(nn.Module):
    """A transformer encoder shared by questions and relation texts, and a :class:`HopDecoder`.

    With ``n_closed`` the relations of one graph are free vectors instead of
    texts, as in the paper: a closed vocabulary of that many directed relations.
    """

    def __init__(self, encoder: nn.Module, n_closed: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = HopDecoder(encoder.config.hidden_size)
        self.closed = nn.Parameter(torch.randn(n_closed, encoder.config.hidden_size)) if n_closed else None

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Token states [B, L, D] and unit text vectors [B, D]."""
        return self.read(input_ids, attention_mask)[1:]

    def read(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As :meth:`encode`, after the token states [B, L, D] below the last layer."""
        layers = self.encoder(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True)
        *_, below, states = layers.hidden_states
        return below, states, functional.normalize(mean_pool(states, attention_mask), dim=-1)

    def text_vectors(
        self, batcher: Callable[[list[str]], tuple[Tensor, Tensor]], texts: list[str], size: int = 128
    ) -> Tensor:
        """Unit vectors [N, D] of N texts, ``size`` at a time."""
        starts = range(0, len(texts), size)
        return torch.cat([self.encode(*batcher(texts[start : start + size]))[1] for start in starts])

    def directed(self, relations: Tensor) -> Tensor:
        """Forward and inverse vectors [2R, D] from encoded relation texts [R, D] (unit length)."""
        return torch.cat([relations, self.decoder.inverse(relations)], dim=0)

    def closed_relations(self) -> Tensor:
        """The unit vectors [2R, D] of a closed vocabulary."""
        return functional.normalize(self.closed, dim=-1)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        directed: Tensor,
        first_mask: Tensor,
        followed: Tensor | None = None,
    ) -> RigelOutput:
        """Plan questions over the directed relations [2R, D]; see :meth:`HopDecoder.forward`."""
        tokens, pooled = self.encode(input_ids, attention_mask)
        return self.decoder(tokens, attention_mask, pooled, directed, first_mask, followed)
