"""Fused and quantised graphs give what torch gives. Needs the [train] extra."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from torch import nn  # noqa: E402

from kgask.plan.providers import open_session  # noqa: E402
from kgask.train.fuse import fuse  # noqa: E402
from kgask.train.quantise import column_scales, gemm_to_matmul, quantise, without_shapes  # noqa: E402

pytestmark = pytest.mark.slow

WIDTH, HEADS, LAYERS = 32, 4, 2
PRODUCTS = ("DynamicQuantizeMatMul", "MatMulIntegerToFloat")


class Pooled(nn.Module):
    """An encoder and a square layer that is used twice, as the decoder's are."""

    def __init__(self) -> None:
        super().__init__()
        settings = transformers.BertConfig(
            hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=64, vocab_size=50
        )
        self.encoder = transformers.BertModel(settings, add_pooling_layer=False)
        self.shared = nn.Linear(WIDTH, WIDTH)
        for layer in self.encoder.encoder.layer:  # sharp attention: an even one would hide how heads are cut
            layer.attention.self.query.weight.data *= 100

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state[:, 0]
        # Unit vectors, times the root of their width: the differences that tests allow stay what they say.
        return torch.nn.functional.normalize(self.shared(torch.tanh(self.shared(states))), dim=-1) * WIDTH**0.5


@pytest.fixture(scope="module")
def exported() -> tuple[Pooled, bytes]:
    torch.manual_seed(0)
    model = Pooled().eval()
    ids = torch.randint(0, 50, (2, 6))
    dims = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    program = torch.onnx.export(
        model,
        (ids, torch.ones_like(ids)),
        input_names=["input_ids", "attention_mask"],
        output_names=["vectors"],
        opset_version=18,
        dynamo=True,
        verbose=False,
        dynamic_shapes=(dims, dims),
    )
    return model, without_shapes(program.model_proto)


def padded() -> tuple[np.ndarray, np.ndarray]:
    """Five texts of 2 to 9 tokens: other sizes than at export."""
    ids = np.random.default_rng(1).integers(0, 50, (5, 9))
    lengths = np.array([9, 2, 5, 7, 3])
    return ids, (np.arange(9) < lengths[:, None]).astype(np.int64)


def run(path: Path) -> np.ndarray:
    session, _ = open_session(path)
    ids, mask = padded()
    return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]


def expected(model: Pooled) -> np.ndarray:
    with torch.no_grad():
        return model(*(torch.from_numpy(array) for array in padded())).numpy()


def prepared(content: bytes) -> onnx.ModelProto:
    graph = onnx.load_from_string(content)
    gemm_to_matmul(graph.graph)
    return graph


def test_a_fused_graph_says_what_torch_says(exported: tuple[Pooled, bytes], tmp_path: Path) -> None:
    model, content = exported
    graph = prepared(content)
    assert fuse(graph, HEADS) == {"MultiHeadAttention": LAYERS, "Gelu": LAYERS, "LpNormalization": 1}
    kinds = Counter(node.op_type for node in graph.graph.node)
    assert {"Erf", "Softmax", "Gemm", "ReduceL2"} & set(kinds) == set()
    path = tmp_path / "fused.onnx"
    path.write_bytes(without_shapes(graph))
    np.testing.assert_allclose(run(path), expected(model), atol=1e-5)


def test_fusing_twice_changes_nothing_more(exported: tuple[Pooled, bytes]) -> None:
    graph = prepared(exported[1])
    fuse(graph, HEADS)
    once = graph.SerializeToString(deterministic=True)
    assert fuse(graph, HEADS) == {"MultiHeadAttention": 0, "Gelu": 0, "LpNormalization": 0}
    assert graph.SerializeToString(deterministic=True) == once


def test_a_wrong_number_of_heads_shows_in_the_answers(exported: tuple[Pooled, bytes], tmp_path: Path) -> None:
    """What the comparison after a fusion rests on: it would notice."""
    model, content = exported
    graph = prepared(content)
    fuse(graph, 2 * HEADS)
    path = tmp_path / "wrong.onnx"
    path.write_bytes(without_shapes(graph))
    assert np.abs(run(path) - expected(model)).max() > 1e-3


def test_shared_square_weights_survive_quantisation(exported: tuple[Pooled, bytes], tmp_path: Path) -> None:
    model, content = exported
    graph = prepared(content)
    fuse(graph, HEADS)
    full, small = tmp_path / "fp32.onnx", tmp_path / "int8.onnx"
    full.write_bytes(without_shapes(graph))
    quantise(full, small)
    quantised = onnx.load(small).graph
    assert sum(node.op_type in PRODUCTS for node in quantised.node) == 4 * LAYERS + 2
    assert sum(list(tensor.dims) == [WIDTH, WIDTH] for tensor in quantised.initializer) == LAYERS + 1
    assert all(tensor.data_type != onnx.TensorProto.FLOAT for tensor in quantised.initializer if len(tensor.dims) == 2)
    wanted = expected(model)
    assert np.abs(run(small) - wanted).max() < 0.1 * np.abs(wanted).max()


def test_scales_leave_room_for_two_products_of_16_bits() -> None:
    """The most that uint8 times any two neighbours of a column can give fits; a large weight alone has 8 bits."""
    weight = np.random.default_rng(3).standard_t(3, (50, 40)).astype(np.float32)
    weight[:, 0], weight[7, 0] = 0.01, 1.0
    weight[:, 1] = 1.0
    rounded = np.rint(weight / column_scales(weight)).astype(int)
    assert np.abs(rounded).max() <= 127
    groups = np.concatenate([rounded, np.zeros((2, 40), int)]).reshape(-1, 4, 40)
    for signed in (groups, -groups):
        two = np.sort(np.maximum(signed, 0), axis=1)[:, -2:].sum(1)
        assert 255 * two.max() <= 2**15
    assert (rounded[7, 0], rounded[0, 1]) == (126, 64)


@pytest.mark.parametrize("rows", [1, 5, 40])
@pytest.mark.parametrize("shared", [False, True])
def test_products_of_the_largest_numbers_do_not_overflow(rows: int, shared: bool, tmp_path: Path) -> None:
    """Where this CPU adds products in 16 bits, full weights and activations would come out too small."""
    weight = np.full((64, 16), 1.0, np.float32)
    weight[:, ::2] *= np.where(np.arange(64) % 4 < 2, 1, -1)[:, None]
    names = ["a", "b"] if shared else ["a"]
    made = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", f"w{name}"], [name]) for name in names],
        "products",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["rows", 64])],
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", 16]) for name in names],
        [onnx.numpy_helper.from_array(weight, f"w{name}") for name in names],
    )
    full, small = tmp_path / "full.onnx", tmp_path / "small.onnx"
    opsets = [onnx.helper.make_opsetid("", 18)]
    full.write_bytes(onnx.helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString())
    quantise(full, small)
    kinds = {node.op_type for node in onnx.load(small).graph.node}
    assert kinds == ({"DynamicQuantizeLinear", PRODUCTS[1]} if shared else {PRODUCTS[0]})
    x = np.where(np.arange(64) % 4 < 2, 2.0, 0.0).astype(np.float32) * np.ones((rows, 1), np.float32)
    for found in open_session(small)[0].run(names, {"x": x}):
        np.testing.assert_allclose(found, x @ weight, rtol=0.02)
