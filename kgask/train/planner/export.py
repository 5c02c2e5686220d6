"""Rigel to ONNX: one graph for questions and relation texts, int8, checked against torch."""

from __future__ import annotations

import copy
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from kgask.errors import ModelError
from kgask.plan.card import CLOSED_FILE
from kgask.plan.providers import CPU_GRAPH, CUDA_GRAPH, FULL_GRAPH, QUERY_GRAPH
from kgask.plan.query_onnx import NO_OPERATOR, READ_OUTPUTS, STEP_INPUTS, STEP_OUTPUTS
from kgask.train.encoder import TextBatcher
from kgask.train.onnx.export import checked, run_graph, write_graph, write_tokenizer
from kgask.train.onnx.quantise import quantise
from kgask.train.onnx.rows import write_cuda_graph
from kgask.train.planner.model import Rigel
from kgask.train.planner.query_model import QueryDecoder, QueryRigel, StepState
from kgask.train.planner.weights import LAYER_KEY, METADATA_KEY, locate, locate_parameters, of_queries

AGREEMENT = 0.95  # least share of questions whose first relation and STOP int8 leaves as they are
PROBE_BATCH = 4
INPUTS = ["input_ids", "attention_mask", "directed", "first_mask"]
OUTPUTS = ["relation_probs", "stop_probs", "branch_scores", "answer_types", "text_vectors", "inverse_vectors"]
SHAPES = ({0: "batch", 1: "length"}, {0: "batch", 1: "length"}, {0: "directed"}, {0: "batch", 1: "directed"})
STEP_SHAPES = (
    {0: "batch", 1: "length"}, {0: "batch", 1: "length"}, {0: "batch"}, {0: "batch"}, {0: "batch"}, {0: "batch"},
    {0: "batch"}, {0: "batch", 1: "operands"}, {0: "batch", 1: "operands"}, {0: "directed"},
)  # fmt: skip
N_PROBS = 4  # the first outputs are probabilities: parity is checked on them


class ExportedRigel(nn.Module):
    """The graph that ships: probabilities instead of logits, and the text vectors.

    A relation text is encoded by the same graph: its vector is ``text_vectors``,
    the other outputs are then ignored. With a query decoder it also gives what that reads of the questions.
    """

    def __init__(self, model: Rigel, query: QueryRigel | None = None) -> None:
        super().__init__()
        self.model, self.query = model, query

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, directed: Tensor, first_mask: Tensor
    ) -> tuple[Tensor, ...]:
        below, tokens, pooled = self.model.read(input_ids, attention_mask)
        output = self.model.decoder(tokens, attention_mask, pooled, directed, first_mask)
        found = (
            output.relation_log_probs.exp(),
            output.stop_probs,
            torch.sigmoid(output.branch_logits),
            torch.softmax(output.type_logits, dim=-1),
            pooled,
            self.model.decoder.inverse(pooled),
        )
        if self.query is None:
            return found
        own = self.query.top(below, attention_mask)
        begun, kinds = self.query.decoder.begin(own, attention_mask)
        return (*found, own, begun.state, torch.softmax(kinds, -1))


class ExportedStep(nn.Module):
    """One step of the query decoder: what :class:`kgask.plan.query_onnx.QueryWriter` runs."""

    def __init__(self, decoder: QueryDecoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(
        self, tokens: Tensor, bias: Tensor, state: Tensor, context: Tensor, operator: Tensor, relation: Tensor,
        operand: Tensor, operand_means: Tensor, operand_kinds: Tensor, directed: Tensor,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        decoder = self.decoder
        vectors = decoder.operand_map(operand_means) + decoder.operand_kinds(operand_kinds)
        chosen = operand.clamp(min=0)[:, None, None].expand(-1, 1, vectors.shape[-1])
        pointed = torch.gather(vectors, 1, chosen).squeeze(1) * (operand >= 0).unsqueeze(-1)
        before = StepState(state, context, bias)
        logits, after, attention = decoder.step(tokens, before, operator, relation + pointed, directed, vectors)
        return logits, after.state, after.context, after.bias, attention


@dataclass(frozen=True, slots=True)
class Parity:
    """How far the exported graphs are from torch, on probe questions."""

    fp32: float  # largest difference of a probability
    int8_agreement: float  # share of questions with the same first relation and the same first STOP decision
    quantised: bool = True  # what was written is the int8 graph


def export(
    model: Rigel,
    encoder: Path,
    out: Path,
    max_tokens: int,
    probe: list[str],
    texts: list[str],
    *,
    keep_full: bool = False,
    full: bool = False,
    least: float | None = None,
    query: QueryRigel | None = None,
) -> Parity:
    """Write ``rigel.onnx`` (int8), its form for CUDA and the tokenizer to ``out``, with ``keep_full`` float32 too.

    ``probe`` are questions and ``texts`` relation texts for the parity check.
    Raises :class:`ModelError` when the fp32 graph differs from torch by more
    than a little, or int8 decides less than ``least`` (:data:`AGREEMENT`) of
    the questions alike; with ``full`` the float32 graph, larger and
    slower, is written as ``rigel.onnx`` instead. With ``query`` its step graph is written too.
    """
    model = copy.deepcopy(model).cpu().eval()
    query = copy.deepcopy(query).cpu().eval() if query is not None else None
    exported = ExportedRigel(model, query).eval()
    outputs = OUTPUTS + (READ_OUTPUTS if query is not None else [])
    out.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        inputs = _inputs(model, TextBatcher.load(encoder, max_tokens), probe, texts)
        wide, small = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        n_heads = model.encoder.config.num_attention_heads
        write_graph(
            exported, inputs, wide, (INPUTS, outputs), SHAPES, n_heads, lambda graph: _notes(model, graph, query)
        )
        quantise(wide, small)
        expected = [tensor.numpy() for tensor in exported(*inputs)]
        difference = checked(_run(wide, inputs)[:N_PROBS], expected[:N_PROBS])
        agreement = _agreement(_run(small, inputs), expected)
        parity = Parity(difference, agreement, quantised=not full)
        if parity.quantised and agreement < (AGREEMENT if least is None else least):
            raise ModelError(f"int8 agrees with torch on {agreement:.1%} of questions, too few to ship")
        shutil.copyfile(wide if full else small, out / CPU_GRAPH)
        write_cuda_graph(out / CPU_GRAPH, out / CUDA_GRAPH)
        (out / FULL_GRAPH).unlink(missing_ok=True)  # an older one would be another planner
        if keep_full:
            shutil.copyfile(wide, out / FULL_GRAPH)
        _write_step(query, out / QUERY_GRAPH)
    write_tokenizer(encoder, out / "tokenizer.json")
    (out / CLOSED_FILE).unlink(missing_ok=True)
    if model.closed is not None:
        np.save(out / CLOSED_FILE, model.closed_relations().detach().numpy(), allow_pickle=False)
    return parity


def _write_step(query: QueryRigel | None, path: Path) -> None:
    """The step graph of a query decoder, int8; an older one goes where there is none."""
    if query is None:
        path.unlink(missing_ok=True)
        return
    width, hidden = query.decoder.operand_map.in_features, query.decoder.cell.hidden_size
    inputs = (
        torch.randn(2, 7, width), torch.zeros(2, 7), torch.randn(2, hidden), torch.randn(2, width),
        torch.tensor([NO_OPERATOR, 1]), torch.randn(2, width), torch.tensor([-1, 1]), torch.randn(2, 3, width),
        torch.tensor([[0, 1, 2], [0, 1, 2]]), torch.randn(10, width),
    )  # fmt: skip
    exported = ExportedStep(query.decoder).eval()
    full = path.with_suffix(".full.onnx")
    write_graph(
        exported, inputs, full, (STEP_INPUTS, STEP_OUTPUTS), STEP_SHAPES, 0,
        lambda graph: {METADATA_KEY: locate(of_queries(query, read=False), graph)},
    )  # fmt: skip
    feeds = dict(zip(STEP_INPUTS, (tensor.numpy() for tensor in inputs), strict=True))
    checked(run_graph(full, [feeds], STEP_OUTPUTS), [tensor.numpy() for tensor in exported(*inputs)])
    quantise(full, path)
    full.unlink()


def _notes(model: Rigel, graph: onnx.ModelProto, query: QueryRigel | None) -> dict[str, Any]:
    notes = {METADATA_KEY: locate_parameters(model, graph)}
    return notes | ({LAYER_KEY: locate(of_queries(query, read=True), graph)} if query is not None else {})


def _inputs(model: Rigel, batcher: TextBatcher, probe: list[str], texts: list[str]) -> tuple[Tensor, ...]:
    ids, mask = batcher(probe)
    directed = model.directed(model.encode(*batcher(texts))[1])
    first_mask = torch.ones(len(probe), len(directed))
    first_mask[0, ::2] = 0.0
    return ids, mask, directed, first_mask


def _run(path: Path, inputs: tuple[Tensor, ...]) -> list[np.ndarray]:
    """The graph on the probes, a few at a time."""
    ids, mask, directed, first_mask = (tensor.numpy() for tensor in inputs)
    batches = (slice(start, start + PROBE_BATCH) for start in range(0, len(ids), PROBE_BATCH))
    feeds = (dict(zip(INPUTS, (ids[rows], mask[rows], directed, first_mask[rows]), strict=True)) for rows in batches)
    return run_graph(path, feeds, OUTPUTS)


def _agreement(outputs: list[np.ndarray], expected: list[np.ndarray]) -> float:
    same_relation = outputs[0][:, 0].argmax(-1) == expected[0][:, 0].argmax(-1)
    same_stop = (outputs[1][:, 0] > 0.5) == (expected[1][:, 0] > 0.5)
    return float((same_relation & same_stop).mean())
