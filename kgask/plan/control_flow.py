"""Whether an ONNX graph can run without end: whether an operator has a graph of its own (Loop, Scan, BeamSearch ...).

No model of kgask has one.

Read from the file itself (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), for ONNX Runtime does not say it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from kgask.machine.files import open_regular

_GRAPH, _FUNCTIONS = 7, 25  # of ModelProto
_GRAPH_NODES, _FUNCTION_NODES = 1, 7
_OP_TYPE, _ATTRIBUTE = 4, 5  # of NodeProto
_GRAPHS = (6, 11)  # of AttributeProto
MOST_NUMBERS = 1_000_000  # in one message: of a list of integers, which few models write so; a second's work
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


def control_flow(path: Path) -> str:
    """The first operator with a graph of its own; "" for none.

    ValueError for what is no ONNX file, OverflowError for one that would take long to read and is none either.
    """
    with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for field, start, end in _fields(data, 0, len(data)):
            nodes = {_GRAPH: _GRAPH_NODES, _FUNCTIONS: _FUNCTION_NODES}.get(field)
            for number, first, last in _fields(data, start, end) if nodes else ():
                if number == nodes and (operator := _with_graph(data, first, last)):
                    return operator
    return ""


def _with_graph(data: mmap.mmap, start: int, end: int) -> str:
    """The operator of a node, if one of its attributes is a graph."""
    operator, has_graph = "?", False
    for field, at, to in _fields(data, start, end):
        if field == _OP_TYPE:
            operator = data[at:to].decode(errors="replace")
        elif field == _ATTRIBUTE:
            has_graph = has_graph or any(number in _GRAPHS for number, _, _ in _fields(data, at, to))
    return operator[:40] if has_graph else ""


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(number, start, end) of every field of a message that holds bytes."""
    n_numbers = 0
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _LENGTH:
            length, at = _varint(data, at)
            if at + length > end:
                raise ValueError("a field that ends behind its message")
            yield tag >> 3, at, at + length
            at += length
        elif kind == _VARINT:
            _, at = _varint(data, at)
            n_numbers += 1
            if n_numbers > MOST_NUMBERS:
                raise OverflowError("more numbers than a model has")
        elif kind in (_FIXED32, _FIXED64):
            at += 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"a field of kind {kind}")


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    """A number and where it ends."""
    value = shift = 0
    while shift < 64:
        if at >= len(data):
            raise ValueError("cut short")
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at
    raise ValueError("a number of more than 64 bits")
