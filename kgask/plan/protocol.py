"""What a planner is: masked questions in, distributions over directed relations out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kgask.pack.records import RelationText
from kgask.plan.card import Calibration

if TYPE_CHECKING:
    from kgask.plan.query_onnx import Sense, Written
    from kgask.plan.rigel_onnx import HopDistributions
    from kgask.query.postfix import Pick


class PlannerCard(Protocol):
    """What answering needs of a planner's card."""

    @property
    def calibration(self) -> Calibration: ...

    @property
    def queries(self) -> Calibration: ...

    @property
    def linker(self) -> Mapping[str, float] | None: ...

    @property
    def hash(self) -> str: ...

    @property
    def min_confidence(self) -> float: ...


class Planner(Protocol):
    """See :class:`kgask.plan.rigel_onnx.RigelPlanner`; shapes as there."""

    @property
    def card(self) -> PlannerCard: ...

    @property
    def note(self) -> str:
        """What it runs on and why, for --verbose."""
        ...

    def question_words(self) -> frozenset[str]:
        """Words that questions use around their topics."""
        ...

    def is_word(self, word: str) -> bool:
        """Whether a word in lower case is one of the language."""
        ...

    def relation_matrix(self, relations: Sequence[RelationText], keep: bool = True) -> np.ndarray:
        """Unit vectors of the directed relations, float32 [2R, D]; ``keep``: in the cache, for the next time."""
        ...

    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions:
        """Distributions for masked questions."""
        ...

    @property
    def writes(self) -> bool:
        """Whether it writes queries with operators too."""
        ...

    def write(
        self,
        text: str,
        places: Sequence[tuple[int, int]],
        kinds: Sequence[str],
        directed: np.ndarray,
        pick: Pick,
        sense: Sense,
    ) -> tuple[list[Written], np.ndarray]:
        """The likeliest queries of a masked question, and what kind it is."""
        ...
