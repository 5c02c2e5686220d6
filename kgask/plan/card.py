"""The model folder of a planner: ``model.json`` and the files it lists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.cards import CardFormat, Content

CLOSED_FILE = "closed.npy"  # float32 [2R, D], only where the vocabulary is closed
FILES = ("rigel.onnx", "tokenizer.json", "question_words.txt")
# 2: directed relations as an input; branch scores and answer types as outputs
FORMAT = CardFormat("rigel", 2, FILES, "kgask train rigel --help", magic="kgask-rigel")
MIN_CONFIDENCE = 0.5  # where a card does not say which threshold keeps wrong answers rare
LEAST_TOKENS = 4  # a mask, a word, and what the tokenizer puts around them


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic weights from plan features to the probability that the answer is right."""

    bias: float
    weights: dict[str, float]


# Of queries where a card does not say: what the decoder itself thinks of them.
UNCALIBRATED = Calibration(1.0, {"written": 1.0, "share": 1.0, "link": 0.5, "void": 4.0, "unread": 2.0, "none": 1.0})


@dataclass(frozen=True, slots=True)
class RigelCard:
    folder: Path
    max_tokens: int
    calibration: Calibration
    hash: str  # SHA-256 of rigel.onnx, as the card states it
    closed: tuple[str, ...] | None  # relation keys of a closed vocabulary; None: any relation, by its texts
    linker: dict[str, float] | None  # weights of the link score's features; None: the linker's own
    content: Content
    min_confidence: float = MIN_CONFIDENCE  # what is printed by default when the plan alone answers
    queries: Calibration = UNCALIBRATED  # of queries with operators

    @classmethod
    def load(cls, folder: Path) -> RigelCard:
        """Read and check the card; raises ModelError for what is no planner (:meth:`CardFormat.reading`)."""
        with FORMAT.reading(folder) as content:
            calibration = content["calibration"]
            closed, linker = content.get("closed_vocabulary"), content.get("linker")
            return cls(
                folder,
                _length(content["max_tokens"]),
                _calibration(calibration),
                str(content["files"]["rigel.onnx"]["sha256"]),
                None if closed is None else _keys(closed),
                None if linker is None else _numbers(linker),
                content,
                threshold(content.get("min_confidence", MIN_CONFIDENCE)),
                _calibration(content["query_calibration"]) if "query_calibration" in content else UNCALIBRATED,
            )


def _calibration(content: dict[str, Any]) -> Calibration:
    return Calibration(finite(content["bias"]), _numbers(content["weights"]))


def threshold(value: Any) -> float:
    """A confidence from which answers are printed; ValueError for what is none."""
    number = finite(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"min_confidence {value}")
    return number


def finite(value: Any) -> float:
    """A number of a card; ValueError or TypeError for what is none, infinity among it."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} among its weights")
    return number


def _numbers(weights: dict[str, Any]) -> dict[str, float]:
    return {name: finite(weight) for name, weight in weights.items()}


def _length(value: Any) -> int:
    if int(value) < LEAST_TOKENS:
        raise ValueError(f"max_tokens {value}")
    return int(value)


def _keys(closed: object) -> tuple[str, ...]:
    """Keys of a closed vocabulary: a row of its file belongs to each, so none may stand twice."""
    if not isinstance(closed, list) or len(set(closed)) != len(closed):
        raise ValueError("closed_vocabulary is no list of different keys")
    return tuple(map(str, closed))
