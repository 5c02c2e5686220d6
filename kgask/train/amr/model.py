"""LTGen's AMR ranker in torch (Huang et al. 2024, section 4.2.2, figure 2b), over frozen sentence vectors.

Shapes: P pairs, N nodes of the AMR, D width of the given vectors, W of the model's own, H heads.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from kgask.methods.amr_graph import N_KINDS

MASKED = -1e9  # added to what attention must not see


class GraphAttention(nn.Module):
    """A layer of a graph attention network (Velickovic et al. 2018), with a residual.

    Half of the heads listen along the edges, half against them: a role's node then knows who has the role and who
    fills it.
    """

    def __init__(self, width: int, n_heads: int, dropout: float) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.value = nn.Linear(width, width, bias=False)
        self.sender = nn.Parameter(torch.empty(n_heads, width // n_heads))
        self.receiver = nn.Parameter(torch.empty(n_heads, width // n_heads))
        nn.init.xavier_uniform_(self.sender)
        nn.init.xavier_uniform_(self.receiver)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, nodes: Tensor, links: Tensor) -> Tensor:
        """Nodes [N, W] and links [N, N] (1 from row to column) -> [N, W]."""
        values = self.value(nodes).unflatten(-1, (self.n_heads, -1))  # [N, H, W/H]
        sent = (values * self.sender).sum(-1).T  # [H, N]
        heard = (values * self.receiver).sum(-1).T
        logits = functional.leaky_relu(heard[:, :, None] + sent[:, None, :], 0.2)  # [H, receiver, sender]
        half = self.n_heads // 2
        along, against = links.T.expand(half, -1, -1), links.expand(self.n_heads - half, -1, -1)
        blocked = (1.0 - torch.cat([along, against])) * MASKED
        weights = self.dropout(torch.softmax(logits + blocked, dim=-1))
        mixed = torch.matmul(weights, values.transpose(0, 1))  # [H, N, W/H]
        return self.norm(nodes + functional.elu(mixed.transpose(0, 1).flatten(1)))


class PairAttention(nn.Module):
    """Multi-head attention of pairs over the AMR's nodes: the paper's AMA(Q, K, V)."""

    def __init__(self, width: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, pairs: Tensor, nodes: Tensor) -> Tensor:
        """Pairs [P, W], nodes [N, W] -> [P, W]."""
        query, key, value = (
            layer(states).unflatten(-1, (self.n_heads, -1)).transpose(0, 1)
            for layer, states in ((self.query, pairs), (self.key, nodes), (self.value, nodes))
        )
        weights = torch.softmax(query @ key.transpose(1, 2) / query.shape[-1] ** 0.5, dim=-1)  # [H, P, N]
        return self.out((weights @ value).transpose(0, 1).flatten(1))


class AmrRanker(nn.Module):
    """Inputs as in :class:`kgask.methods.amr_inputs.AmrInputs`; a logit for each pair."""

    def __init__(
        self, vector_width: int, width: int = 96, n_heads: int = 4, n_layers: int = 2, dropout: float = 0.2
    ) -> None:
        super().__init__()
        # One projection for the words of relations and of nodes: what is alike stays alike.
        self.words = nn.Linear(vector_width, width, bias=False)
        self.pair = nn.Linear(2 * vector_width, width)
        self.kind = nn.Embedding(N_KINDS, width)
        self.pair_norm, self.node_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(GraphAttention(width, n_heads, dropout) for _ in range(n_layers))
        self.attention = PairAttention(width, n_heads)
        self.dropout = nn.Dropout(dropout)
        self.hidden, self.score = nn.Linear(3 * width, width), nn.Linear(width, 1)

    def forward(
        self, pairs: Tensor, relations: Tensor, question: Tensor, nodes: Tensor, kinds: Tensor, links: Tensor
    ) -> Tensor:
        """Logits [P]."""
        likeness = question * relations * relations.shape[-1] ** 0.5  # of the size of the vectors themselves
        pairs = self.pair_norm(self.pair(self.dropout(torch.cat([pairs, likeness], dim=-1))) + self.words(relations))
        nodes = self.node_norm(self.words(self.dropout(nodes)) + self.kind(kinds))
        for layer in self.layers:
            nodes = layer(nodes, links)
        heard = self.attention(pairs, nodes)
        joined = self.dropout(torch.cat([pairs, heard, pairs * heard], dim=-1))
        return self.score(functional.gelu(self.hidden(joined))).squeeze(-1)

    def n_parameters(self) -> int:
        return sum(weight.numel() for weight in self.parameters())
