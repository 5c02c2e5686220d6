"""What running a query gives: sets, values and truths, with what is unsure of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kgask.pack.quantities import Quantity
from kgask.query import nodes
from kgask.query.nodes import Query

if TYPE_CHECKING:
    from kgask.retrieve.run import Runner

NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """A set: who surely belongs, and who surely or perhaps does; entity ids, int64, ascending."""

    certain: np.ndarray
    possible: np.ndarray

    @classmethod
    def sure(cls, ids: np.ndarray) -> Members:
        return cls(ids, ids)

    @property
    def decided(self) -> bool:
        return len(self.certain) == len(self.possible)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many members of a set have what they were judged by: "14 of 17 with a known area"."""

    node: nodes.Where | nodes.Best | nodes.Values | nodes.Qualified
    members: int
    known: int
    undecided: int = 0  # values too coarse to be compared


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """The values of a :class:`~kgask.query.base.BagNode`: entity ids, repeats kept, surely and perhaps."""

    certain: np.ndarray
    possible: np.ndarray
    axis: str | None  # that they are compared on; None where they are no numbers or dates


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a query comes to; the field of its kind is set."""

    query: Query
    runner: Runner  # that ran it, and kept what its parts came to
    members: Members | None = None
    quantity: Quantity | None = None  # None of a value: unknown
    values: Bag | None = None
    truth: bool | None = None  # None of a truth: unknown
    coverage: tuple[Coverage, ...] = ()

    @property
    def certain(self) -> np.ndarray:
        """The entities that answer: int64; ascending for sets."""
        return self.members.certain if self.members else self.values.certain if self.values else NONE

    @property
    def possible(self) -> np.ndarray:
        """The entities that answer, surely or perhaps."""
        return self.members.possible if self.members else self.values.possible if self.values else NONE

    @property
    def is_idle(self) -> bool:
        """Whether it tells nothing: the first of more than two that are all alike, or an age or difference below 0."""
        if isinstance(self.query, nodes.Age | nodes.Difference):
            return self.quantity is not None and self.quantity.high < 0
        members = self.runner.members
        bests = (node for node in self.query.walk() if isinstance(node, nodes.Best))
        return any(2 < len(members(one.base).possible) == len(members(one).possible) for one in bests)
