"""The header of a GGUF file, read before llama.cpp sees the file.

llama.cpp hides why it refuses a file, and aborts the process on some. So
magic, version, counts, metadata, tensor table and file size are checked here,
and what cannot be used is refused with one line. Format: ggml's
``docs/gguf.md``. Nothing is allocated by a size that the file claims.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_ITEMS = 1_000_000  # metadata entries or tensors; the largest real files have a few thousand
MAX_STRING_BYTES = 8 << 20
MAX_DIMENSIONS = 4
ENCODER_DECODER = frozenset({"t5", "t5encoder", "bart", "whisper", "mbart", "pegasus", "m2m100"})
NOT_A_TEXT_MODEL = frozenset(
    {
        "bert",
        "nomic-bert",
        "nomic-bert-moe",
        "jina-bert-v2",
        "jina-bert-v3",
        "neo-bert",
        "modern-bert",
        "clip",
        "wavtokenizer-dec",
        "mmproj",
    }
)
_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
# type -> (values in a block, bytes of a block); ggml/src/ggml-common.h. Types not listed are not measured.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 24: (1, 1), 25: (1, 2), 26: (1, 4),
    27: (1, 8), 28: (1, 8), 30: (1, 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a file says about itself. Long arrays (tokens, merges) are counted, not kept."""

    path: Path
    version: int
    metadata: dict[str, Any]
    n_tensors: int
    file_bytes: int

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    @property
    def chat_template(self) -> str | None:
        template = self.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) and template.strip() else None

    @property
    def n_ctx_train(self) -> int:
        value = self.metadata.get(f"{self.architecture}.context_length", 0)
        return value if isinstance(value, int) else 0


class _Broken(Exception):
    """Why the file is not a whole GGUF file."""


def read_header(path: Path) -> GgufHeader:
    """Check a GGUF file and return its header; raises ModelError with one line that says what is wrong."""
    if path.is_dir():
        raise ModelError(f"{path}: a folder, not a .gguf file")
    try:
        size = path.stat().st_size
        if size == 0:
            raise _Broken("the file is empty")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Parser(data, path).header()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except _Broken as error:
        raise ModelError(f"{path}: not a usable GGUF file: {error}") from None


def check_readable(header: GgufHeader) -> None:
    """Raise ModelError for a whole file that cannot answer: encoder-decoders, encoders, no vocabulary."""
    name = header.architecture
    if name in ENCODER_DECODER:
        raise ModelError(
            f"{header.path}: architecture {name!r} is an encoder-decoder; "
            "kgask reads with decoder-only models"
        )
    if name in NOT_A_TEXT_MODEL:
        raise ModelError(
            f"{header.path}: architecture {name!r} does not write text; use a decoder-only model"
        )
    if not header.metadata.get("tokenizer.ggml.tokens") or not header.n_tensors:
        raise ModelError(f"{header.path}: has no vocabulary or no weights; use a whole decoder-only model")


class _Parser:
    """Walks the mapped file; a vocabulary has 100,000 entries and more, so the walk stays plain."""

    def __init__(self, data: mmap.mmap, path: Path):
        self.data, self.path, self.size, self.at = data, path, len(data), 0

    def header(self) -> GgufHeader:
        if self._take(4) != MAGIC:
            raise _Broken("it does not start with GGUF")
        version = self._number("<I")
        if version not in VERSIONS:
            raise _Broken(f"version {version} (2 and 3 are known)")
        n_tensors, n_entries = self._number("<Q"), self._number("<Q")
        if n_tensors > MAX_ITEMS or n_entries > MAX_ITEMS:
            raise _Broken(f"it claims {n_tensors} tensors and {n_entries} metadata entries")
        metadata: dict[str, Any] = {}
        for _ in range(n_entries):
            key = self._string()
            metadata[key] = self._value(self._number("<I"))
        if not isinstance(metadata.get("general.architecture"), str):
            raise _Broken("it names no architecture")
        self._check_tensors(n_tensors, metadata)
        return GgufHeader(self.path, version, metadata, n_tensors, self.size)

    def _check_tensors(self, count: int, metadata: dict[str, Any]) -> None:
        """Every tensor must lie inside the file: a truncated file ends here."""
        furthest = 0
        for _ in range(count):
            name = self._string()
            n_dimensions = self._number("<I")
            if not 1 <= n_dimensions <= MAX_DIMENSIONS:
                raise _Broken(f"tensor {name[:60]!r} claims {n_dimensions} dimensions")
            values = math.prod(self._number("<Q") for _ in range(n_dimensions))
            kind, offset = self._number("<I"), self._number("<Q")
            per_block, block_bytes = _BLOCKS.get(kind, (1, 0))
            furthest = max(furthest, offset + -(-values // per_block) * block_bytes)
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 16:
            raise _Broken("its alignment is not a number that makes sense")
        start = -(-self.at // alignment) * alignment
        if start + furthest > self.size:
            raise _Broken(f"it is cut off: {start + furthest} bytes are needed, {self.size} are there")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind != _ARRAY:
            raise _Broken(f"metadata of unknown type {kind}")
        item_kind, count = self._number("<I"), self._number("<Q")
        if item_kind in _SCALARS:
            self._skip(count * struct.calcsize(_SCALARS[item_kind]))
        elif item_kind == _STRING:
            self._skip_strings(count)
        else:
            raise _Broken(f"a metadata list of unknown type {item_kind}")
        return count

    def _skip_strings(self, count: int) -> None:
        length_of, data, at, last = struct.Struct("<Q").unpack_from, self.data, self.at, self.size - 8
        for _ in range(count):
            if at > last:
                raise _Broken("it is cut off")
            at += 8 + length_of(data, at)[0]
        self.at = at
        self._skip(0)

    def _string(self) -> str:
        length = self._number("<Q")
        if length > MAX_STRING_BYTES:
            raise _Broken(f"it claims a text of {length} bytes")
        return self._take(length).decode("utf-8", errors="replace")

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, count: int) -> bytes:
        data = self.data[self.at : self.at + count]
        self._skip(count)
        return data

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > self.size:
            raise _Broken("it is cut off")
