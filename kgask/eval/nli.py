"""Entailment of the gold answer by what was answered, judged by any ONNX NLI cross-encoder (LTGen, section 5.2).

The model is the user's: a folder with ``model.onnx``, ``tokenizer.json`` and a ``config.json`` whose ``id2label`` names
entailment, neutral and contradiction (two classes are fine: entailment and the rest).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgask.errors import ModelError
from kgask.eval.metrics import texts_of
from kgask.eval.records import Prediction

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
FILES = ("model.onnx", "tokenizer.json", "config.json")
MAX_TOKENS = 512
BATCH = 16
FED = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}  # input -> encoding's


def judge(
    model: CrossEncoder, predictions: Sequence[Prediction], report: Callable[[int], None]
) -> dict[str, float | int]:
    """Shares of questions by likeliest class: does the answer entail the gold statement, contradict it, or neither?

    An unanswered question says nothing, so it is neutral; those without gold words are left out. E-C is the paper's
    overall score.
    """
    pairs = [statements(prediction) for prediction in predictions]
    counts = dict.fromkeys((ENTAILMENT, NEUTRAL, CONTRADICTION), 0)
    asked = [pair for pair in pairs if pair is not None and pair[0]]
    counts[NEUTRAL] += sum(pair is not None and not pair[0] for pair in pairs)
    for start in range(0, len(asked), BATCH):
        for label in model.labels(asked[start : start + BATCH]):
            counts[label] += 1
        report(min(start + BATCH, len(asked)))
    n = sum(counts.values())
    shares = {label: count / max(1, n) for label, count in counts.items()}
    shares["entailment_minus_contradiction"] = shares[ENTAILMENT] - shares[CONTRADICTION]
    return {name: round(share, 4) for name, share in shares.items()} | {"questions": n}


def statements(prediction: Prediction) -> tuple[str, str] | None:
    """(what was answered, what is right), each behind the question; "" for no answer, None without gold words."""
    names = [next((name for name in gold.names if name), "") for gold in prediction.gold.answers]
    gold = ", ".join(name for name in names if name)
    if prediction.gold.label is not None and not gold:
        gold = "true" if prediction.gold.label else "false"
    if not gold:
        return None
    answered = ", ".join(texts_of(prediction))
    return (f"{prediction.question} {answered}" if answered else "", f"{prediction.question} {gold}")


class CrossEncoder:
    """A loaded model; :meth:`load` checks that it is one."""

    def __init__(self, session: Any, tokenizer: Any, classes: Sequence[str], path: Path) -> None:
        self._session, self._tokenizer, self._classes, self._path = session, tokenizer, classes, path
        self._inputs = [each.name for each in session.get_inputs()]

    @classmethod
    def load(cls, folder: Path) -> CrossEncoder:
        """Raises :class:`ModelError`, one line, for a folder that holds no such model."""
        import onnxruntime
        from tokenizers import Tokenizer

        for name in FILES:
            if not (folder / name).is_file():
                raise ModelError(f"{folder}: no {name}; an NLI model has {', '.join(FILES)}")
        classes = _classes(folder / "config.json")
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the library raises nothing more exact
            raise ModelError(f"{folder / 'tokenizer.json'}: {_first_line(error)}") from error
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"], enable_fallback=0
            )
        except Exception as error:  # onnxruntime's own exceptions share no other base
            raise ModelError(f"{folder / 'model.onnx'}: {_first_line(error)}") from error
        model = cls(session, tokenizer, classes, folder)
        unknown = sorted(set(model._inputs) - set(FED))
        if unknown:
            raise ModelError(f"{folder / 'model.onnx'}: wants an input {unknown[0]!r}; known are {', '.join(FED)}")
        return model

    def labels(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """The likeliest class of each (premise, hypothesis)."""
        encoded = self._tokenizer.encode_batch([(_text(premise), _text(said)) for premise, said in pairs])
        fed = {name: np.array([getattr(each, FED[name]) for each in encoded], dtype=np.int64) for name in self._inputs}
        try:
            logits = self._session.run(None, fed)[0]
        except Exception as error:
            raise ModelError(f"{self._path / 'model.onnx'}: {_first_line(error)}") from error
        if logits.shape != (len(pairs), len(self._classes)):
            wanted = (len(pairs), len(self._classes))
            raise ModelError(f"{self._path / 'model.onnx'}: gives logits of {logits.shape}, expected {wanted}")
        return [self._classes[at] for at in logits.argmax(axis=1).tolist()]


def _classes(file: Path) -> list[str]:
    """Entailment, neutral or contradiction for each output column; what is neither of the ends is neutral."""
    try:
        named = json.loads(file.read_bytes())["id2label"]
        by_column = [str(named[str(at)]).lower() for at in range(len(named))]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file}: has no id2label with a name for each class from 0") from error
    if not any(name == ENTAILMENT for name in by_column):
        raise ModelError(f"{file}: none of its classes is called entailment ({', '.join(by_column)})")
    return [name if name in (ENTAILMENT, CONTRADICTION) else NEUTRAL for name in by_column]


def _text(text: str) -> str:
    """Without lone surrogates, which the tokenizer does not take."""
    return text.encode(errors="replace").decode()


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:200]
