"""Broken and hostile model files, made on the spot."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

from tiny_gguf import write_header_only, write_qwen2, write_t5

U32, U64 = struct.Struct("<I").pack, struct.Struct("<Q").pack


def text(value: str) -> bytes:
    """A GGUF string."""
    data = value.encode()
    return U64(len(data)) + data


ARCHITECTURE = text("general.architecture") + U32(8) + text("llama")


def gguf_bytes(version: int = 3, n_tensors: int = 0, n_entries: int = 1, rest: bytes = ARCHITECTURE) -> bytes:
    """A header with what follows it."""
    return b"GGUF" + U32(version) + U64(n_tensors) + U64(n_entries) + rest


def tensor(n_dimensions: int, shape: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    """A header with one tensor."""
    sizes = b"".join(U64(size) for size in shape)
    return gguf_bytes(n_tensors=1, rest=ARCHITECTURE + text("t") + U32(n_dimensions) + sizes + U32(kind) + U64(offset))


BYTES = {
    "empty": b"",
    "three bytes": b"GGU",
    "only the magic": b"GGUF",
    "text": b"this is not a model\n" * 50,
    "another magic": b"GGML" + bytes(100),
    "big endian": b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + bytes(60),
    "zeros": bytes(4096),
    "garbage": random.Random(7).randbytes(20_000),
    "garbage after the magic": b"GGUF" + U32(3) + random.Random(8).randbytes(20_000),
    "version 1": gguf_bytes(version=1),
    "version 99": gguf_bytes(version=99),
    "no metadata": gguf_bytes(n_entries=0, rest=b""),
    "metadata count of 2^63": gguf_bytes(n_entries=1 << 63),
    "tensor count of 2^63": gguf_bytes(n_tensors=1 << 63),
    "more metadata than there is": gguf_bytes(n_entries=5),
    "more tensors than there are": gguf_bytes(n_tensors=3),
    "key of 2^60 bytes": gguf_bytes(rest=U64(1 << 60) + b"x"),
    "value of 2^60 bytes": gguf_bytes(rest=text("general.architecture") + U32(8) + U64(1 << 60)),
    "unknown metadata type": gguf_bytes(rest=text("general.architecture") + U32(77) + bytes(8)),
    "list of 2^62 numbers": gguf_bytes(n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(4) + U64(1 << 62)),
    "list of 2^62 texts": gguf_bytes(n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(8) + U64(1 << 62)),
    "list of lists": gguf_bytes(n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(9) + U64(1) + bytes(16)),
    "architecture is a number": gguf_bytes(rest=text("general.architecture") + U32(4) + U32(7)),
    "architecture is a terminal escape": gguf_bytes(
        rest=text("general.architecture") + U32(8) + text("\x1b]0;x\a\n\x1b[2J")
    ),
    "no architecture": gguf_bytes(rest=text("general.name") + U32(8) + text("x")),
    "alignment of zero": gguf_bytes(n_entries=2, rest=ARCHITECTURE + text("general.alignment") + U32(4) + U32(0)),
    "alignment is a text": gguf_bytes(n_entries=2, rest=ARCHITECTURE + text("general.alignment") + U32(8) + text("x")),
    "tensor of 200 dimensions": tensor(200, (1,) * 8),
    "tensor of 0 dimensions": tensor(0, ()),
    "tensor with a dimension of 0": tensor(2, (8, 0)),
    "tensor of 2^80 values": tensor(2, (1 << 40, 1 << 40)),
    "tensor of 2^64 values": tensor(2, (1 << 32, 1 << 32)),
    "tensor far outside": tensor(1, (8,), offset=1 << 50),
    "tensor of an unknown type": tensor(1, (8,), kind=4_000_000_000) + bytes(4096),
    "no vocabulary, no tensors": gguf_bytes() + bytes(64),
}
# Metadata of an otherwise whole model: the header is in order, llama.cpp refuses it or aborts on it.
METADATA = {
    "a million layers": {"qwen2.block_count": 1_000_000},
    "no heads": {"qwen2.attention.head_count": 0},
    "no key-value heads": {"qwen2.attention.head_count_kv": 0},
    "no context": {"qwen2.context_length": None},
    "other width than its tensors": {"qwen2.embedding_length": 64},
    "width of 2^31": {"qwen2.embedding_length": 1 << 31},
    "width of zero": {"qwen2.embedding_length": 0},
    "width is a text": {"qwen2.embedding_length": "wide"},
    "heads that do not divide the width": {"qwen2.attention.head_count": 5},
    "token types for one token": {"tokenizer.ggml.token_type": [1]},
    "one token": {"tokenizer.ggml.tokens": ["a"]},
    "unknown vocabulary": {"tokenizer.ggml.model": "made up"},
    "no merges": {"tokenizer.ggml.merges": None},
    "no vocabulary": {"tokenizer.ggml.tokens": None},
    "a vocabulary of numbers": {"tokenizer.ggml.tokens": [1, 2, 3]},
    "unknown architecture": {"general.architecture": "made-up"},
    "encoder": {"general.architecture": "bert"},
    "sentence pieces without bytes": {"tokenizer.ggml.model": "llama", "tokenizer.ggml.merges": None},
}
KEPT = (0.001, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.9999)


def write_all(folder: Path) -> dict[str, Path]:
    """Every hostile file, by what is wrong with it."""
    files: dict[str, Path] = {}

    def path(name: str) -> Path:
        files[name] = folder / f"{len(files)}.gguf"
        return files[name]

    for name, content in BYTES.items():
        path(name).write_bytes(content)
    for name, metadata in METADATA.items():
        write_qwen2(path(name), metadata=metadata)
    whole = write_qwen2(folder / "whole").read_bytes()
    for kept in KEPT:
        path(f"cut to {kept}").write_bytes(whole[: int(len(whole) * kept)])
    write_qwen2(path("a tensor is missing"), without="blk.1.ffn_up.weight")
    write_header_only(path("no weights"), "llama")
    write_header_only(path("a T5 without weights"), "t5")
    t5 = write_t5(folder / "t5").read_bytes()
    path("a T5 cut in half").write_bytes(t5[: len(t5) // 2])
    path("a folder").mkdir()
    os.mkfifo(path("a pipe that nobody writes to"))
    loop = path("a link to itself")
    loop.symlink_to(loop)
    path("a link to nowhere").symlink_to(folder / "nowhere")
    path("a device").symlink_to("/dev/zero")
    path("nothing there")
    if os.geteuid() != 0:
        locked = path("no permission")
        locked.write_bytes(whole)
        locked.chmod(0)
    return files
