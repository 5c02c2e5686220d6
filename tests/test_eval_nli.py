"""An NLI model of the user's: any ONNX cross-encoder; a real tiny one is built here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from predicted import gold_of, predicted
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from kgask.errors import ModelError
from kgask.eval.nli import CrossEncoder, judge, statements

WORDS = ["[PAD]", "[UNK]", "[SEP]", "yes", "no", "who", "perhaps"]
LABELS = {"0": "CONTRADICTION", "1": "ENTAILMENT", "2": "NEUTRAL"}


def write_model(
    folder: Path, labels: dict[str, str] = LABELS, columns: int = 3, extra_input: str | None = None
) -> Path:
    """A model that counts words: "yes" speaks for entailment, "no" for contradiction, "perhaps" for neither."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    votes = np.zeros((len(WORDS), columns), np.float32)
    votes[WORDS.index("no"), 0] = votes[WORDS.index("yes"), 1] = votes[WORDS.index("perhaps"), columns - 1] = 1.0
    names = ["input_ids", "attention_mask", *([extra_input] if extra_input else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    nodes = [
        helper.make_node("Gather", ["votes", "input_ids"], ["words"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["words", "wide"], ["shown"]),
        helper.make_node("ReduceSum", ["shown", "middle"], ["logits"], keepdims=0),
    ]
    constants = {"votes": votes, "last": np.array([2]), "middle": np.array([1])}
    graph = helper.make_graph(
        nodes, "nli", inputs, [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", columns])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    return folder


def test_pairs_are_judged_one_by_one_whatever_their_length(tmp_path: Path) -> None:
    model = CrossEncoder.load(write_model(tmp_path))
    pairs = [("yes", "who"), ("no no", "yes"), ("perhaps perhaps perhaps", "yes no"), ("who who who who yes", "yes")]
    assert model.labels(pairs) == ["entailment", "contradiction", "neutral", "entailment"]
    assert [model.labels([pair])[0] for pair in pairs] == model.labels(pairs)


def test_token_types_are_fed_where_the_model_wants_them(tmp_path: Path) -> None:
    model = CrossEncoder.load(write_model(tmp_path, extra_input="token_type_ids"))
    assert model.labels([("yes", "who")]) == ["entailment"]


def test_shares_are_over_all_questions_with_gold_words(tmp_path: Path) -> None:
    gold = gold_of(1, names=[["who"]])
    answered = [predicted([1], gold, question="", written=text) for text in ("yes", "yes", "no", "perhaps")]
    unanswered = predicted([], gold)
    silent = predicted([1], gold_of(1))  # no gold words: there is no statement
    done: list[int] = []
    found = judge(CrossEncoder.load(write_model(tmp_path)), [*answered, unanswered, silent], done.append)
    assert found["questions"] == 5
    assert [found[name] for name in ("entailment", "neutral", "contradiction")] == [0.4, 0.4, 0.2]
    assert found["entailment_minus_contradiction"] == 0.2
    assert done == [4]


def test_statements_put_the_question_before_both_answers() -> None:
    gold = gold_of(1, 2, names=[["Ann", "Annie"], ["Bob"]])
    assert statements(predicted([1, 2], gold, answer_labels=("X", "Y"))) == ("who? X, Y", "who? Ann, Bob")
    claim = replace(predicted(written="no"), gold=gold_of(label=False))
    assert statements(claim) == ("who? no", "who? false")
    assert statements(predicted([1], gold_of(1))) is None


def test_two_classes_are_enough(tmp_path: Path) -> None:
    model = CrossEncoder.load(write_model(tmp_path, {"0": "not_entailment", "1": "entailment"}, columns=2))
    assert model.labels([("yes yes", "who"), ("no", "who")]) == ["entailment", "neutral"]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_what_is_no_model_is_one_clear_line(tmp_path: Path, name: str) -> None:
    folder = write_model(tmp_path)
    (folder / name).write_text("{]", encoding="utf-8")
    with pytest.raises(ModelError, match=name) as broken:
        CrossEncoder.load(folder)
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"no {name}") as missing:
        CrossEncoder.load(folder)
    assert "\n" not in f"{broken.value}{missing.value}"


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"labels": {"0": "good", "1": "bad", "2": "ugly"}}, "none of its classes is called entailment"),
        ({"extra_input": "pixels"}, "wants an input 'pixels'"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, how: dict, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        CrossEncoder.load(write_model(tmp_path, **how))


def test_logits_of_another_shape_are_refused(tmp_path: Path) -> None:
    model = CrossEncoder.load(write_model(tmp_path, LABELS | {"3": "other"}))
    with pytest.raises(ModelError, match="expected"):
        model.labels([("yes", "no")])
