"""Torch weights back from the ONNX graph that ships, so that a shipped planner can be trained further.

The graph holds every parameter: as it is, transposed, or as a block of columns
of a fused weight, in float32 or quantised. Where each one lies is found by
value when the graph is exported and noted in the graph's metadata; nothing
else needs to ship.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import numpy_helper
from torch import nn

from kgask.errors import ModelError
from kgask.plan.card import CLOSED_FILE, RigelCard
from kgask.plan.providers import CPU_GRAPH, QUERY_GRAPH
from kgask.train.planner.model import Rigel
from kgask.train.planner.query_model import QueryRigel

METADATA_KEY = "kgask_parameters"
LAYER_KEY = "kgask_query_layer"  # where what the query decoder has in the planner's graph lies
INLINE_MOST = 64  # numbers; a folded constant (the logit scale) is written out, a matrix never is
TOLERANCE = 1e-6
LATER_HEADS = ("decoder.hop_attention.", "decoder.question.")  # came with format 2

Place = dict[str, object]  # {"in": initializer, "t": transposed, "at": first column} or {"is": numbers}


def locate_parameters(model: nn.Module, graph: onnx.ModelProto) -> dict[str, Place]:
    """Where each parameter of ``model`` lies in its float32 ``graph``.

    Raises :class:`ModelError` for a parameter that is nowhere and too large to
    be written out.
    """
    return locate(_unfused(model), graph)


def locate(parameters: Mapping[str, torch.Tensor], graph: onnx.ModelProto) -> dict[str, Place]:
    """Where each of these parameters lies in a float32 ``graph``; raises as :func:`locate_parameters`."""
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    floats = {name: array for name, array in arrays.items() if array.dtype == np.float32 and array.ndim}
    places = {}
    for name, parameter in parameters.items():
        wanted = parameter.detach().numpy()
        place = _find(wanted, floats)
        if place is None and wanted.size > INLINE_MOST:
            raise ModelError(f"parameter {name} is not in the exported graph")
        places[name] = {**(place or {"is": wanted.ravel().tolist()}), "shape": list(wanted.shape)}
    return places


def of_queries(model: QueryRigel, read: bool) -> dict[str, torch.Tensor]:
    """The parameters of a query decoder that lie in the planner's graph (``read``), or in that of a step."""
    return {
        name: value
        for name, value in model.named_parameters()
        if not name.startswith("planner.") and name.startswith(("layer.", "decoder.start.", "decoder.kind.")) == read
    }


def _unfused(model: nn.Module) -> dict[str, torch.Tensor]:
    """Every parameter but the closed vocabulary, which ships as a file of its own."""
    return {name: value for name, value in model.named_parameters() if name != "closed"}


def _find(wanted: np.ndarray, arrays: dict[str, np.ndarray]) -> Place | None:
    for transposed in (False, True) if wanted.ndim == 2 else (False,):
        target = wanted.T if transposed else wanted
        width = target.shape[-1] if target.ndim else 1
        for name, array in arrays.items():
            if array.ndim != target.ndim or array.shape[:-1] != target.shape[:-1] or array.shape[-1] % width:
                continue
            for first in range(0, array.shape[-1], width):
                if np.allclose(array[..., first : first + width], target, rtol=0, atol=TOLERANCE):
                    return {"in": name, "t": transposed, "at": first}
    return None


def start_from(place: Path, encoder: Path) -> Rigel:
    """A model to go on from: that of a planner folder, or of a run's ``checkpoint.pt`` over ``encoder``.

    A checkpoint made before the model had all of today's heads gives what it
    has; the others start afresh. Raises :class:`ModelError` for anything else.
    """
    if place.is_dir():
        return load_torch(place)
    from kgask.train.encoder import load_encoder

    model = Rigel(load_encoder(encoder))
    try:
        state = torch.load(place, map_location="cpu", weights_only=True)["model"]
        missing, unknown = model.load_state_dict(state, strict=False)
    except (OSError, KeyError, TypeError, RuntimeError, UnpicklingError) as error:
        raise ModelError(f"{place}: neither a planner folder nor a checkpoint of one") from error
    if unknown or any(not name.startswith(LATER_HEADS) for name in missing):
        raise ModelError(f"{place}: a checkpoint of another model")
    return model


def load_torch(folder: Path) -> Rigel:
    """The planner of a model folder as a trainable :class:`Rigel`, float32.

    Quantised weights come back rounded. Raises :class:`ModelError` when the
    folder is no planner of this format.
    """
    from kgask.train.encoder import load_architecture

    card = RigelCard.load(folder)
    graph = _Graph.load(folder / CPU_GRAPH)
    if METADATA_KEY not in graph.notes or "architecture" not in card.content:
        raise ModelError(f"{folder}: this planner cannot be trained further; train one with: kgask train rigel")
    model = Rigel(load_architecture(dict(card.content["architecture"])), len(card.closed or ()) * 2)
    with _fitting(folder):
        closed = torch.from_numpy(np.load(folder / CLOSED_FILE, allow_pickle=False)) if card.closed else None
        graph.fill(model, METADATA_KEY, {"closed": closed} if closed is not None else {})
    return model


def load_state(path: Path, name: str) -> dict[str, torch.Tensor]:
    """The weights that an ONNX file notes the places of and the shapes. Raises ModelError, naming the model."""
    graph = _Graph.load(path)
    if METADATA_KEY not in graph.notes:
        raise ModelError(f"{name}: it does not say where its weights are, and cannot be trained further")
    with _fitting(path):
        places = json.loads(graph.notes[METADATA_KEY])
        return {key: torch.tensor(_value(place, graph.arrays, tuple(place["shape"]))) for key, place in places.items()}


def load_query(folder: Path) -> QueryRigel | None:
    """The planner of a model folder with its query decoder, trainable; None where it has none. Raises ModelError."""
    planner = load_torch(folder)
    graph = _Graph.load(folder / CPU_GRAPH)
    if LAYER_KEY not in graph.notes or QUERY_GRAPH not in RigelCard.load(folder).content["files"]:
        return None
    step = _Graph.load(folder / QUERY_GRAPH)
    with _fitting(folder):
        model = QueryRigel(planner, step.hidden)
        graph.fill(model, LAYER_KEY)
        step.fill(model, METADATA_KEY)
    return model


@contextmanager
def _fitting(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder}: its weights do not fit its architecture ({reason})") from error


@dataclass(frozen=True, slots=True)
class _Graph:
    """The arrays of an ONNX file, and what its metadata says of them."""

    arrays: dict[str, np.ndarray]
    notes: dict[str, str]

    @classmethod
    def load(cls, path: Path) -> _Graph:
        try:
            graph = onnx.load(str(path))
        except (DecodeError, OSError) as error:
            raise ModelError(f"{path}: not an ONNX graph") from error
        arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
        return cls(arrays, {entry.key: entry.value for entry in graph.metadata_props})

    @property
    def hidden(self) -> int:
        """The width of a query decoder's state."""
        place = json.loads(self.notes[METADATA_KEY])["decoder.cell.bias_hh"]
        return len(self.arrays[str(place["in"])]) // 3

    def fill(self, model: nn.Module, key: str, rest: Mapping[str, torch.Tensor] | None = None) -> None:
        """Give a model the weights that the metadata tells the places of, and the ``rest``."""
        state = model.state_dict() | dict(rest or {})
        for name, place in json.loads(self.notes[key]).items():
            state[name] = torch.tensor(_value(place, self.arrays, tuple(state[name].shape)))
        model.load_state_dict(state)


def _value(place: Place, arrays: dict[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    if "is" in place:
        return np.asarray(place["is"], np.float32).reshape(shape)
    array = _dequantised(str(place["in"]), arrays)
    transposed = bool(place["t"])
    width = (shape[0] if transposed else shape[-1]) if shape else 1
    first = int(place["at"])
    block = array[..., first : first + width]
    return np.ascontiguousarray((block.T if transposed else block).reshape(shape), dtype=np.float32)


def _dequantised(name: str, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """An initializer in float32: ``(q - zero point) * scale``, per column where the scale is a vector."""
    if name in arrays:
        return arrays[name]
    quantised = arrays[f"{name}_quantized"].astype(np.float32)
    zero = arrays.get(f"{name}_zero_point", np.zeros((), np.int8))  # without one: symmetric
    return (quantised - zero.astype(np.float32)) * arrays[f"{name}_scale"]
