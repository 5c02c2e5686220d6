"""The model folder of a planner: ``model.json`` and the files it lists."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

from kgask.config import MODEL_CARD
from kgask.errors import ModelError

MAGIC = "kgask-rigel"
FORMAT_VERSION = 2  # 2: directed relations as an input; branch scores and answer types as outputs
CLOSED_FILE = "closed.npy"  # float32 [2R, D], only where the vocabulary is closed
FILES = ("rigel.onnx", "tokenizer.json", "question_words.txt")
MIN_CONFIDENCE = 0.5  # where a card does not say which threshold keeps wrong answers rare
LEAST_TOKENS = 4  # a mask, a word, and what the tokenizer puts around them


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic weights from plan features to the probability that the answer is right."""

    bias: float
    weights: dict[str, float]


@dataclass(frozen=True, slots=True)
class RigelCard:
    folder: Path
    max_tokens: int
    calibration: Calibration
    hash: str  # SHA-256 of rigel.onnx, as the card states it
    closed: tuple[str, ...] | None  # relation keys of a closed vocabulary; None: any relation, by its texts
    linker: dict[str, float] | None  # weights of the link score's features; None: the linker's own
    content: dict[str, object]
    min_confidence: float = MIN_CONFIDENCE  # what is printed by default when the plan alone answers

    @classmethod
    def load(cls, folder: Path) -> RigelCard:
        """Read and check the card; sizes only, hashing is ``kgask models check``.

        Raises :class:`ModelError` when the folder is not a planner that this
        version reads.
        """
        path = folder / MODEL_CARD
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["magic"] != MAGIC:
                raise ModelError(f"{path}: not a planner (magic {content['magic']!r})")
            if content["format_version"] > FORMAT_VERSION:
                raise ModelError(f"{path}: made for a newer kgask (format {content['format_version']})")
            if content["format_version"] < FORMAT_VERSION:
                raise ModelError(f"{path}: of an older format; train it again: kgask train rigel --help")
            check_sizes(folder, content["files"])
            calibration = content["calibration"]
            closed, linker = content.get("closed_vocabulary"), content.get("linker")
            return cls(
                folder,
                _length(content["max_tokens"]),
                Calibration(_number(calibration["bias"]), _numbers(calibration["weights"])),
                str(content["files"]["rigel.onnx"]["sha256"]),
                None if closed is None else _keys(closed),
                None if linker is None else _numbers(linker),
                content,
                threshold(content.get("min_confidence", MIN_CONFIDENCE)),
            )
        except OSError as error:
            what = f"{path}: cannot be read ({error.strerror})"
            raise ModelError(f"{what}; 'kgask models list' shows what there is") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path}: broken model card ({error})") from error


def threshold(value: object) -> float:
    """A confidence from which answers are printed; ValueError for what is none."""
    number = _number(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"min_confidence {value}")
    return number


def _number(value: object) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} among its weights")
    return number


def _numbers(weights: dict[str, object]) -> dict[str, float]:
    return {name: _number(weight) for name, weight in weights.items()}


def _length(value: object) -> int:
    if int(value) < LEAST_TOKENS:
        raise ValueError(f"max_tokens {value}")
    return int(value)


def _keys(closed: object) -> tuple[str, ...]:
    """Keys of a closed vocabulary: a row of its file belongs to each, so none may stand twice."""
    if not isinstance(closed, list) or len(set(closed)) != len(closed):
        raise ValueError("closed_vocabulary is no list of different keys")
    return tuple(map(str, closed))


def check_sizes(folder: Path, files: dict[str, dict[str, object]], needed: tuple[str, ...] = FILES) -> None:
    """Every file is there, the ``needed`` ones among them, in the folder itself, with the size that the card states."""
    for name in dict.fromkeys([*needed, *files]):
        if name in ("", "..") or "/" in name or "\\" in name:
            raise ModelError(f"{folder / MODEL_CARD}: {name!r} is not a file of this folder")
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{path}: missing")
        if path.stat().st_size != files[name]["bytes"]:
            raise ModelError(f"{path}: size differs from the model card; the model is broken")


def hash_mismatches(folder: Path, files: dict[str, dict[str, object]]) -> list[str]:
    """Names of files whose SHA-256 differs from the card's; for ``kgask models check``."""
    wrong = []
    for name, entry in files.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
            wrong.append(name)
    return wrong
