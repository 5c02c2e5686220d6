"""A planner on torch weights: the same methods as the ONNX planner, for validation while training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from kgask.pack.records import RelationText
from kgask.plan.card import MIN_CONFIDENCE, Calibration
from kgask.plan.card import UNCALIBRATED as UNCALIBRATED_QUERIES
from kgask.plan.rigel_onnx import HopDistributions, mean_directed, weighted_texts
from kgask.train.encoder import TextBatcher
from kgask.train.planner.model import Rigel

# Confidence before it is calibrated: the plan's own probability.
UNCALIBRATED = Calibration(4.0, {"mass": 2.0, "share": 0.5, "link": 1.0})


@dataclass(frozen=True, slots=True)
class TorchCard:
    """What the pipeline reads of a model card; without calibration, confidence is the plan's own probability."""

    calibration: Calibration = UNCALIBRATED
    closed: tuple[str, ...] | None = None
    linker: dict[str, float] | None = None
    hash: str = "in training"
    min_confidence: float = MIN_CONFIDENCE
    queries: Calibration = UNCALIBRATED_QUERIES


class TorchPlanner:
    """A :class:`Rigel` in eval mode behind the methods of :class:`~kgask.plan.rigel_onnx.RigelPlanner`."""

    note = "planner on torch"
    writes = False  # queries are not validated so

    def __init__(
        self,
        model: Rigel,
        texts: TextBatcher,
        question_words: frozenset[str] = frozenset(),
        card: TorchCard | None = None,
    ) -> None:
        self.card = card or TorchCard()
        self._model, self._texts, self._words = model, texts, question_words

    def is_word(self, word: str) -> bool:
        """Nothing is taken for misspelt."""
        return True

    def question_words(self) -> frozenset[str]:
        return self._words

    @torch.no_grad()
    def relation_matrix(self, relations: Sequence[RelationText], keep: bool = True) -> np.ndarray:
        """Unit vectors of the directed relations, float32 [2R, D]; never cached, the weights change."""
        if self.card.closed is not None:
            rows = {key: row for row, key in enumerate(self.card.closed)}
            forward = np.array([rows[relation.key] for relation in relations])
            return self._model.closed_relations().cpu().numpy()[np.concatenate([forward, forward + len(rows)])]
        texts, owners, weights = weighted_texts(relations)
        self._model.eval()
        forward = self._model.text_vectors(self._texts, texts)
        both = (forward.cpu().numpy(), self._model.decoder.inverse(forward).cpu().numpy())
        return mean_directed(both, owners, weights, len(relations))

    @torch.no_grad()
    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions:
        """As the ONNX planner's; in float32."""
        self._model.eval()
        ids, mask = self._texts(texts)
        others = (torch.from_numpy(array).to(ids.device) for array in (directed, first_mask.astype(np.float32)))
        output = self._model(ids, mask, *others)
        return HopDistributions(
            output.relation_log_probs.exp()[:, :, :-1].cpu().numpy(),
            output.stop_probs.cpu().numpy(),
            torch.sigmoid(output.branch_logits).cpu().numpy(),
            torch.softmax(output.type_logits, -1).cpu().numpy(),
        )
