"""Torch weights back from the ONNX graph that ships, so that a shipped planner can be trained further.

The graph holds every parameter: as it is, transposed, or as a block of columns
of a fused weight, in float32 or quantised. Where each one lies is found by
value when the graph is exported and noted in the graph's metadata; nothing
else needs to ship.
"""

from __future__ import annotations

import json
from pathlib import Path
from pickle import UnpicklingError

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import numpy_helper

from kgask.errors import ModelError
from kgask.plan.card import CLOSED_FILE, RigelCard
from kgask.train.planner.model import Rigel

METADATA_KEY = "kgask_parameters"
INLINE_MOST = 64  # numbers; a folded constant (the logit scale) is written out, a matrix never is
TOLERANCE = 1e-6
LATER_HEADS = ("decoder.hop_attention.", "decoder.question.")  # came with format 2

Place = dict[str, object]  # {"in": initializer, "t": transposed, "at": first column} or {"is": numbers}


def locate_parameters(model: Rigel, graph: onnx.ModelProto) -> dict[str, Place]:
    """Where each parameter of ``model`` lies in its float32 ``graph``.

    Raises :class:`ModelError` for a parameter that is nowhere and too large to
    be written out.
    """
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    floats = {name: array for name, array in arrays.items() if array.dtype == np.float32 and array.ndim}
    places = {}
    for name, parameter in _unfused(model).items():
        wanted = parameter.detach().numpy()
        place = _find(wanted, floats)
        if place is None and wanted.size > INLINE_MOST:
            raise ModelError(f"parameter {name} is not in the exported graph")
        places[name] = place or {"is": wanted.ravel().tolist()}
    return places


def _unfused(model: Rigel) -> dict[str, torch.Tensor]:
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
    try:
        graph = onnx.load(str(folder / "rigel.onnx"))
    except DecodeError as error:
        raise ModelError(f"{folder / 'rigel.onnx'}: not an ONNX graph") from error
    metadata = {entry.key: entry.value for entry in graph.metadata_props}
    if METADATA_KEY not in metadata or "architecture" not in card.content:
        raise ModelError(f"{folder}: this planner cannot be trained further; train one with: kgask train rigel")
    model = Rigel(load_architecture(dict(card.content["architecture"])), len(card.closed or ()) * 2)
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    state = model.state_dict()
    try:
        for name, place in json.loads(metadata[METADATA_KEY]).items():
            state[name] = torch.tensor(_value(place, arrays, tuple(state[name].shape)))
        if card.closed:
            state["closed"] = torch.from_numpy(np.load(folder / CLOSED_FILE, allow_pickle=False))
        model.load_state_dict(state)
    except (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ModelError(f"{folder}: its weights do not fit its architecture ({reason})") from error
    return model


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
