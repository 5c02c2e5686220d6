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
from kgask.train.onnx.fuse import fuse  # noqa: E402
from kgask.train.onnx.quantise import column_scales, gemm_to_matmul, quantise, without_shapes  # noqa: E402
from kgask.train.onnx.rows import GELU_FLOOR, scale_by_rows, write_cuda_graph  # noqa: E402

pytestmark = pytest.mark.slow

WIDTH, HEADS, LAYERS = 32, 4, 2
PRODUCT = "MatMulIntegerToFloat"


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
    assert sum(node.op_type == PRODUCT for node in quantised.node) == 4 * LAYERS + 2
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
    kinds = Counter(node.op_type for node in onnx.load(small).graph.node)
    assert (kinds[PRODUCT], kinds["QuantizeLinear"]) == (len(names), 1), "products of one source share its rows"
    x = np.where(np.arange(64) % 4 < 2, 2.0, 0.0).astype(np.float32) * np.ones((rows, 1), np.float32)
    for found in open_session(small)[0].run(names, {"x": x}):
        np.testing.assert_allclose(found, x @ weight, rtol=0.02)


WEIGHT, BIAS = np.random.default_rng(5).normal(0, 0.1, (64, 16)).astype(np.float32), np.arange(16, dtype=np.float32)
MAKER = {"Identity": "", "Gelu": "com.microsoft"}


def one_product(kind: str, folder: Path) -> Path:
    """A graph of x -> ``kind``(x) W + b in int8."""
    floats = onnx.TensorProto.FLOAT
    made = onnx.helper.make_graph(
        [
            onnx.helper.make_node(kind, ["x"], ["source"], domain=MAKER[kind]),
            onnx.helper.make_node("MatMul", ["source", "w"], ["product"]),
            onnx.helper.make_node("Add", ["product", "b"], ["y"]),
        ],
        "product",
        [onnx.helper.make_tensor_value_info("x", floats, ["rows", 64])],
        [onnx.helper.make_tensor_value_info("y", floats, ["rows", 16])],
        [onnx.numpy_helper.from_array(WEIGHT, "w"), onnx.numpy_helper.from_array(BIAS, "b")],
    )
    opsets = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("com.microsoft", 1)]
    full, small = folder / "full.onnx", folder / "small.onnx"
    full.write_bytes(onnx.helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString())
    quantise(full, small)
    return small


def rows_of_all_sizes() -> np.ndarray:
    """Rows of which the largest is a million times the smallest; one is zeros."""
    x = np.random.default_rng(7).normal(0, 1, (9, 64)).astype(np.float32)
    return x * np.array([1, 1e3, 1e-3, 0, 30, 0.1, 1, 5, 2], np.float32)[:, None]


@pytest.mark.parametrize("kind", list(MAKER))
def test_a_row_is_the_same_alone_and_beside_others(kind: str, tmp_path: Path) -> None:
    small = one_product(kind, tmp_path)
    write_cuda_graph(small, tmp_path / "cuda.onnx")
    x = rows_of_all_sizes()
    for graph in (small, tmp_path / "cuda.onnx"):
        session, _ = open_session(graph)
        together = session.run(None, {"x": x})[0]
        alone = np.concatenate([session.run(None, {"x": row[None]})[0] for row in x])
        np.testing.assert_array_equal(together, alone)
        np.testing.assert_allclose(together[3], BIAS, rtol=1e-6, err_msg="a row of zeros")


@pytest.mark.parametrize("kind", list(MAKER))
def test_each_row_is_rounded_by_its_own_largest_value(kind: str, tmp_path: Path) -> None:
    from math import erf

    x = rows_of_all_sizes()
    source = x if kind == "Identity" else x * (1 + np.vectorize(erf)(x / 2**0.5)) / 2
    found = open_session(one_product(kind, tmp_path))[0].run(None, {"x": x})[0]
    most = np.abs(source).max(1) if kind == "Identity" else np.maximum(source.max(1), GELU_FLOOR)
    wrong = np.abs(found - (source @ WEIGHT + BIAS)).max(1)
    assert (wrong <= 0.02 * most + 1e-6).all()


@pytest.mark.parametrize("kind", list(MAKER))
def test_the_graph_for_cuda_says_the_same_with_the_weights_of_the_other_file(kind: str, tmp_path: Path) -> None:
    small, cuda = one_product(kind, tmp_path), tmp_path / "cuda.onnx"
    write_cuda_graph(small, cuda)
    graph = onnx.load(str(cuda), load_external_data=False).graph
    assert not {"MatMulIntegerToFloat", "QuantizeLinear", "DequantizeLinear"} & {node.op_type for node in graph.node}
    kept = {tensor.name: {entry.key: entry.value for entry in tensor.external_data} for tensor in graph.initializer}
    assert kept["w_quantized"]["location"] == small.name
    x = rows_of_all_sizes()
    outputs = [open_session(path)[0].run(None, {"x": x})[0] for path in (small, cuda)]
    np.testing.assert_allclose(*outputs, rtol=1e-6, atol=1e-6)
    small.write_bytes(small.read_bytes().replace(bytes.fromhex("01"), bytes.fromhex("02")))
    assert not np.allclose(open_session(cuda)[0].run(None, {"x": x})[0], outputs[1]), "its weights are not shared"


@pytest.mark.parametrize("shared", [False, True])
def test_a_graph_scaled_per_batch_is_changed_and_its_weights_stay(shared: bool, tmp_path: Path) -> None:
    """As graphs were written before: one operator a product, or one rounding for several."""
    scales, x = column_scales(WEIGHT), rows_of_all_sizes()[:3]
    weights = {"w_quantized": np.rint(WEIGHT / scales).astype(np.int8), "w_scale": scales, "b": BIAS}
    contrib = {"domain": "com.microsoft"}
    rounded = ["x_quantized", "x_scale", "x_zero"]
    nodes = (
        [
            onnx.helper.make_node("DynamicQuantizeLinear", ["x"], rounded),
            *(
                onnx.helper.make_node(
                    "MatMulIntegerToFloat",
                    [rounded[0], "w_quantized", rounded[1], "w_scale", rounded[2], "", bias], [name], **contrib,
                )
                for name, bias in (("y", "b"), ("z", ""))
            ),
        ]
        if shared
        else [
            onnx.helper.make_node("DynamicQuantizeMatMul", ["x", "w_quantized", "w_scale", "", "b"], ["y"], **contrib)
        ]
    )  # fmt: skip
    floats, names = onnx.TensorProto.FLOAT, ["y", "z"] if shared else ["y"]
    made = onnx.helper.make_graph(
        nodes,
        "before",
        [onnx.helper.make_tensor_value_info("x", floats, ["rows", 64])],
        [onnx.helper.make_tensor_value_info(name, floats, ["rows", 16]) for name in names],
        [onnx.numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    opsets = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("com.microsoft", 1)]
    old, new = tmp_path / "old.onnx", tmp_path / "new.onnx"
    old.write_bytes(onnx.helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString())
    assert scale_by_rows(old, new) == len(names)
    assert scale_by_rows(new, tmp_path / "again.onnx") == 0
    after = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(str(new)).graph.initializer}
    for name, value in weights.items():
        np.testing.assert_array_equal(after[name], value)
    for name, found in zip(names, open_session(new)[0].run(names, {"x": x}), strict=True):
        exact = x @ (weights["w_quantized"] * scales) + (BIAS if name == "y" else 0)
        assert (np.abs(found - exact).max(1) <= 0.02 * np.abs(x).max(1)).all()
