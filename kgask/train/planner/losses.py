"""Losses with path supervision: relations hop by hop, where to stop, what kind of question it is."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from kgask.train.planner.model import NEGATIVE, RigelOutput
from kgask.train.planner.targets import IGNORE, Targets

STOP_WEIGHT, HOPS_WEIGHT = 0.5, 0.5
BRANCH_WEIGHT, TYPE_WEIGHT = 0.3, 0.2


def path_loss(output: RigelOutput, targets: Targets) -> tuple[Tensor, float]:
    """The loss of a batch, and the share of its known hops whose relation is ranked first."""
    relation, right = _relation_loss(output, targets)
    stop = _binary(output.stop_logits, targets.stop)
    known = targets.hops != IGNORE
    hops = -output.hop_log_weights.float()[known, targets.hops[known]].mean() if known.any() else stop * 0
    return relation + STOP_WEIGHT * stop + HOPS_WEIGHT * hops + kind_loss(output, targets), right


def kind_loss(output: RigelOutput, targets: Targets) -> Tensor:
    """Branch scores (topic or not, constrained or not) and the answer type."""
    types = functional.cross_entropy(
        output.type_logits.float(), targets.answer_type, ignore_index=IGNORE, reduction="sum"
    ) / (targets.answer_type != IGNORE).sum().clamp(min=1)
    return BRANCH_WEIGHT * _binary(output.branch_logits, targets.branch) + TYPE_WEIGHT * types


def _relation_loss(output: RigelOutput, targets: Targets) -> tuple[Tensor, float]:
    log_probs = output.relation_log_probs.float().masked_fill(targets.taken_away, NEGATIVE)
    log_probs = (log_probs - log_probs.logsumexp(-1, keepdim=True)).flatten(0, 1)
    flat = targets.relation.flatten()
    known = flat != IGNORE
    if not known.any():
        return log_probs.sum() * 0, 0.0
    loss = functional.nll_loss(log_probs, flat, ignore_index=IGNORE)
    return loss, float((log_probs.argmax(-1) == flat)[known].float().mean())


def _binary(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean binary cross-entropy over what is known; 0 when nothing is."""
    known = targets != IGNORE
    losses = functional.binary_cross_entropy_with_logits(logits.float(), targets.clamp(min=0).float(), reduction="none")
    return (losses * known).sum() / known.sum().clamp(min=1)
