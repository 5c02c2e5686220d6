"""How a question is asked: its options, and what is no question at all."""

from __future__ import annotations

from dataclasses import dataclass

from kgask.errors import UsageError
from kgask.methods.protocol import MAX_HOPS, Retrieved, Scope

TOP_K = 10
MAX_TOP_K = 20  # three hops of it are what a reader's prompt numbers
MAX_QUESTION_CHARS = 2000
ORDERS = ("descending", "ascending", "random")
CONTEXTS = ("triples", "passages", "both")  # what the reader is shown (LTGen, section 4)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a text is taken to ask."""

    found: Retrieved
    text: str  # as it was read: spans are of it
    misnamed: str | None = None  # why it cannot be that
    is_unknown: bool = False  # for what it names is not in the pack


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How one question is answered; the defaults are those of ``kgask ask``."""

    hops: int | None = None  # None: MAX_HOPS for the planner, one hop around the topic for other methods
    top_k: int = TOP_K
    entity: str | None = None
    min_confidence: float | None = None  # None: what the model cards say (Pipeline.min_confidence)
    keep_seed: bool = False
    explain: bool = False  # keep what --explain shows; costs time
    readings: bool = False  # keep the queries with operators that the question may be (Answer.explanation)
    query: bool = True  # say what was asked of the graph (Answer.query)
    order: str = ORDERS[0]  # of the facts that another method found, for its reader
    rng_seed: int = 0  # of methods that draw

    def scope(self, default_hops: int) -> Scope:
        """How far a retriever goes that looks ``default_hops`` far where nothing is said."""
        hops = self.hops or default_hops
        return Scope(self.top_k, hops, self.rng_seed, self.order, self.keep_seed, self.explain)

    def __post_init__(self) -> None:
        for name, low, high in (("hops", 1, MAX_HOPS), ("top_k", 1, MAX_TOP_K)):
            if not (name == "hops" and self.hops is None):
                _check(name, getattr(self, name), low, high, whole=True)
        if self.min_confidence is not None:
            _check("min_confidence", self.min_confidence, 0, 1, whole=False)
        if self.order not in ORDERS:
            raise UsageError(f"order must be one of {', '.join(ORDERS)}")


def _check(name: str, value: object, low: int, high: int, whole: bool) -> None:
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise UsageError(f"{name} must be a {'whole number' if whole else 'number'} from {low} to {high}")


def checked_question(text: str, what: str = "question") -> str:
    """The question (or ``what`` it is) on one line; :class:`UsageError` when empty, overlong, or not text."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not line:
        raise UsageError(f"the {what} is empty")
    if len(line) > MAX_QUESTION_CHARS:
        raise UsageError(f"the {what} has {len(line)} characters, {MAX_QUESTION_CHARS} is the most")
    return line
