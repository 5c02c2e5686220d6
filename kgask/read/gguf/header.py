"""The header of a GGUF file, read before llama.cpp sees the file.

llama.cpp hides why it refuses a file, and aborts the process on some. So
magic, version, counts, metadata, tensor table and file size are checked here,
and what cannot be used is refused with one line. Format: ggml's
``docs/gguf.md``. Nothing is allocated by a size that the file claims.
"""

from __future__ import annotations

import math
import mmap
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_ITEMS = 1_000_000  # metadata entries or tensors; the largest real files have a few thousand
MAX_STRING_BYTES = 8 << 20
MAX_METADATA_BYTES = 64 << 20  # of all texts that are kept
MAX_DIMENSIONS = 4
FORMAT_KEY = "kgask.prompt_format"  # metadata of kgask's own readers
ENCODER_DECODER = frozenset({"t5"})
NOT_A_TEXT_MODEL = frozenset(
    {
        "bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "jina-bert-v3", "neo-bert", "modern-bert", "eurobert",
        "clip", "wavtokenizer-dec", "mmproj", "t5encoder", "whisper",
    }
)  # fmt: skip
_SCALARS = {kind: f"<{letter}" for kind, letter in zip((*range(8), 10, 11, 12), "BbHhIif?Qqd", strict=True)}
_STRING, _ARRAY = 8, 9
# type -> (name, values in a block, bytes of a block); ggml/src/ggml-common.h. Types not listed are not measured.
_TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 40), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a file says about itself. Long arrays (tokens, merges) are counted, not kept."""

    path: Path
    version: int
    metadata: dict[str, Any]
    n_tensors: int
    file_bytes: int
    n_parameters: int = 0
    quantisation: str = ""  # type of the tensors that hold most bytes

    @property
    def is_own(self) -> bool:
        """Whether it is one of kgask's own readers."""
        return FORMAT_KEY in self.metadata

    @property
    def is_encoder_decoder(self) -> bool:
        return self.architecture in ENCODER_DECODER

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
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise ModelError(f"{path}: a folder, not a .gguf file")
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for its writer
            raise ModelError(f"{path}: not a file that can be mapped; name a .gguf file")
        if found.st_size == 0:
            raise _Broken("the file is empty")
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Parser(data, path).header()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except _Broken as error:
        raise ModelError(f"{path}: not a usable GGUF file: {error}") from None


def check_readable(header: GgufHeader) -> None:
    """Raise ModelError for a whole file that cannot answer: encoders, no vocabulary."""
    name = header.architecture
    if name in NOT_A_TEXT_MODEL and not header.is_own:
        raise ModelError(
            f"{header.path}: architecture {name!r} does not write text; use a model that does (llama, qwen2, t5, ...)"
        )
    if not header.metadata.get("tokenizer.ggml.tokens") or not header.n_tensors:
        raise ModelError(f"{header.path}: has no vocabulary or no weights; use a whole model")


class _Parser:
    """Walks the mapped file; a vocabulary has 100,000 entries and more, so the walk stays plain."""

    def __init__(self, data: mmap.mmap, path: Path):
        self.data, self.path, self.size, self.at = data, path, len(data), 0
        self.kept_bytes = 0

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
            if self.kept_bytes > MAX_METADATA_BYTES:
                raise _Broken(f"its metadata has texts of more than {MAX_METADATA_BYTES} bytes")
        if not isinstance(metadata.get("general.architecture"), str):
            raise _Broken("it names no architecture")
        n_parameters, quantisation = self._check_tensors(n_tensors, metadata)
        return GgufHeader(self.path, version, metadata, n_tensors, self.size, n_parameters, quantisation)

    def _check_tensors(self, count: int, metadata: dict[str, Any]) -> tuple[int, str]:
        """Every tensor must lie inside the file: a truncated file ends here. Parameters, and their main type."""
        furthest, n_values, type_bytes = 0, 0, dict.fromkeys(("",), 0)
        for _ in range(count):
            name = self._string()
            n_dimensions = self._number("<I")
            if not 1 <= n_dimensions <= MAX_DIMENSIONS:
                raise _Broken(f"tensor {name[:60]!r} claims {n_dimensions} dimensions")
            values = math.prod(self._number("<Q") for _ in range(n_dimensions))
            if not 0 < values < 1 << 63:
                raise _Broken(f"tensor {name[:60]!r} claims {values} values")
            kind, offset = self._number("<I"), self._number("<Q")
            type_name, per_block, block_bytes = _TYPES.get(kind, ("", 1, 0))
            n_bytes = -(-values // per_block) * block_bytes
            furthest, n_values = max(furthest, offset + n_bytes), n_values + values
            type_bytes[type_name] = type_bytes.get(type_name, 0) + n_bytes
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 16:
            raise _Broken("its alignment is not a number that makes sense")
        start = -(-self.at // alignment) * alignment
        if start + furthest > self.size:
            raise _Broken(f"it is cut off: {start + furthest} bytes are needed, {self.size} are there")
        return n_values, max(type_bytes, key=type_bytes.__getitem__)

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
        self.kept_bytes += length
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
