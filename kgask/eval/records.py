"""One asked question with its gold and what came back: a line of ``predictions.jsonl``.

A line holds no times, so that the same run gives the same bytes. Its keys are sorted; ids are those of the run's pack.
Reading is strict: a line of any other shape is an error that names file and line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from kgask.errors import UsageError
from kgask.machine.files import open_regular


@dataclass(frozen=True, slots=True)
class GoldEntity:
    """A gold answer or topic; ``ids`` is empty where the pack has no such entity."""

    ids: tuple[int, ...]
    key: str | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldBlock:
    """What the set says about a question, resolved in the pack."""

    answers: tuple[GoldEntity, ...]
    topics: tuple[GoldEntity, ...]
    relations: tuple[str, ...]  # as the set gives them
    relation_keys: tuple[str | None, ...]  # the same by the pack's keys, "^" before inverse ones; None: not in the pack
    triples: tuple[int | None, ...]  # reference triples; None: not in the pack
    label: bool | None  # of a claim


@dataclass(frozen=True, slots=True)
class EvidenceTriple:
    id: int
    relation: str  # key, "^" before one that is walked from object to subject


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one question came to. ``answer_*`` and ``gold_in_*`` are parallel to the answers and to the gold answers."""

    id: str
    question: str
    kind: str
    hops: int | None
    band: str
    gold: GoldBlock
    answer: str | None
    answer_ids: tuple[int, ...]  # best first
    answer_keys: tuple[str, ...]
    answer_labels: tuple[str, ...]
    support: tuple[int, ...]
    evidence: tuple[EvidenceTriple, ...]  # in the order that the reader saw
    gold_in_candidates: tuple[bool, ...]  # of each gold answer: whether the reader could choose it
    gold_in_evidence: tuple[bool, ...]  # of each gold answer: whether it ends an evidence triple
    seeds: tuple[int, ...]
    confidence: float
    abstained: bool
    died_at: str | None
    reason: str | None
    written: str | None  # whole text of a reader that writes freely
    unverified: tuple[str, ...]
    method: str
    hashes: dict[str, str]

    def shown(self) -> str:
        """What was answered, or why nothing was, with the confidence."""
        more = f" and {len(self.answer_labels) - 3} more" if len(self.answer_labels) > 3 else ""
        return f"{' | '.join(self.answer_labels[:3]) or self.reason}{more} ({self.confidence:.2f})"


def to_line(prediction: Prediction) -> str:
    """One line of JSON without its end, keys sorted; what does not print is escaped."""
    return json_line(asdict(prediction))


def json_line(content: dict[str, Any]) -> str:
    """Sorted JSON on one line that is valid UTF-8 whatever the texts hold (lone surrogates are escaped)."""
    line = json.dumps(content, ensure_ascii=False, sort_keys=True, allow_nan=False)
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)


def from_line(line: str, where: str) -> Prediction:
    """Raises :class:`UsageError`, one line that begins with ``where``."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({str(error)[:80]})") from error
    return _value(Prediction, content, where, "")


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """(text, ``file:line``) of every line of a file. Raises :class:`UsageError` for bytes that are no text.

    What a kill left of a last line is passed over: it has no end and is no JSON.
    """
    try:
        with TextIOWrapper(open_regular(path), encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(stream, 1):
                if line.endswith("\n") or _is_json(line):
                    yield line.removesuffix("\n"), f"{path}:{number}"
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file; 'kgask eval run' writes it") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason})") from error


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def read_predictions(path: Path) -> list[Prediction]:
    """Every prediction of a file, in its order. Raises :class:`UsageError` naming file and line."""
    return [from_line(line, where) for line, where in read_lines(path)]


# --- strict reading -----------------------------------------------------------------------------


@cache
def _forms(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _value(form: Any, value: Any, where: str, name: str) -> Any:
    """``value`` as ``form`` (a dataclass, tuple[X, ...], dict[str, str], X | None, or a plain type), or an error."""
    if isinstance(form, type) and is_dataclass(form):
        return _object(form, value, where, name)
    origin = get_origin(form)
    if origin in (Union, UnionType):
        return None if value is None else _value(get_args(form)[0], value, where, name)
    if origin is tuple:
        return _tuple(get_args(form)[0], value, where, name)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise UsageError(f"{where}: {name} must be an object of texts")
        return value
    if form is float and type(value) is int:
        value = float(value)
    if type(value) is not form or (form is float and not math.isfinite(value)):
        raise UsageError(f"{where}: {name} must be {_WORDS[form]}")
    return value


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _object(kind: type, value: Any, where: str, name: str) -> Any:
    forms = _forms(kind)
    if not isinstance(value, dict):
        raise UsageError(f"{where}: {name or 'a line'} must be a JSON object")
    for key in (*forms, *value):
        if (key in forms) != (key in value):
            problem = "is missing" if key in forms else "is unknown"
            raise UsageError(f"{where}: {_joined(name, key)!r} {problem}")
    return kind(**{key: _value(form, value[key], where, _joined(name, key)) for key, form in forms.items()})


def _tuple(form: Any, value: Any, where: str, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{where}: {name} must be a list")
    if form in (int, str, bool) and all(type(item) is form for item in value):
        return tuple(value)
    return tuple(_value(form, item, where, f"{name}[{at}]") for at, item in enumerate(value))


def _joined(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key
