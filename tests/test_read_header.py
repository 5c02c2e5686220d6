"""Broken and hostile model files: each is refused with one line, none reaches llama.cpp."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tiny_gguf import write_header_only, write_qwen2

from kgask.errors import ModelError
from kgask.read.gguf_header import check_readable, read_header
from kgask.read.llama_reader import LlamaReader

U32, U64 = struct.Struct("<I").pack, struct.Struct("<Q").pack


def text(value: str) -> bytes:
    data = value.encode()
    return U64(len(data)) + data


ARCHITECTURE = text("general.architecture") + U32(8) + text("llama")


def gguf_bytes(version: int = 3, n_tensors: int = 0, n_entries: int = 1, rest: bytes = ARCHITECTURE) -> bytes:
    return b"GGUF" + U32(version) + U64(n_tensors) + U64(n_entries) + rest


HOSTILE = {
    "empty": b"",
    "three bytes": b"GGU",
    "only the magic": b"GGUF",
    "text": b"this is not a model\n" * 50,
    "another magic": b"GGML" + bytes(100),
    "big endian": b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + bytes(60),
    "zeros": bytes(4096),
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
    "list of 2^62 numbers": gguf_bytes(
        n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(4) + U64(1 << 62)
    ),
    "list of 2^62 texts": gguf_bytes(
        n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(8) + U64(1 << 62)
    ),
    "list of lists": gguf_bytes(
        n_entries=2, rest=ARCHITECTURE + text("a") + U32(9) + U32(9) + U64(1) + bytes(16)
    ),
    "architecture is a number": gguf_bytes(rest=text("general.architecture") + U32(4) + U32(7)),
    "no architecture": gguf_bytes(rest=text("general.name") + U32(8) + text("x")),
    "alignment of zero": gguf_bytes(
        n_entries=2, rest=ARCHITECTURE + text("general.alignment") + U32(4) + U32(0)
    ),
    "tensor of 200 dimensions": gguf_bytes(n_tensors=1, rest=ARCHITECTURE + text("t") + U32(200) + bytes(64)),
    "tensor of 2^80 values": gguf_bytes(
        n_tensors=1, rest=ARCHITECTURE + text("t") + U32(2) + U64(1 << 40) * 2 + U32(0) + U64(0)
    ),
    "tensor far outside": gguf_bytes(
        n_tensors=1, rest=ARCHITECTURE + text("t") + U32(1) + U64(8) + U32(0) + U64(1 << 50)
    ),
    "no vocabulary, no tensors": gguf_bytes() + bytes(64),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(HOSTILE[name])
    with pytest.raises(ModelError) as caught:
        LlamaReader.load(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a folder, not a"):
        LlamaReader.load(tmp_path)
    with pytest.raises(ModelError, match="No such file"):
        LlamaReader.load(tmp_path / "none.gguf")


@pytest.mark.parametrize("kept", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_model(kept: float, tmp_path: Path) -> None:
    whole = write_qwen2(tmp_path / "whole.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ModelError, match="cut off"):
        LlamaReader.load(cut)


@pytest.mark.parametrize("architecture", ["t5", "t5encoder", "bert"])
def test_models_that_cannot_answer_are_named(architecture: str, tmp_path: Path) -> None:
    path = write_header_only(tmp_path / "model.gguf", architecture)
    assert read_header(path).architecture == architecture
    with pytest.raises(ModelError, match=f"architecture '{architecture}'"):
        LlamaReader.load(path)


def test_a_whole_header_without_the_weights_is_refused_by_llama_cpp_in_one_line(tmp_path: Path) -> None:
    path = write_header_only(tmp_path / "model.gguf", "llama")
    check_readable(read_header(path))
    with pytest.raises(ModelError, match="llama.cpp cannot load this file"):
        LlamaReader.load(path)


def test_the_header_of_a_real_file(tmp_path: Path) -> None:
    header = read_header(write_qwen2(tmp_path / "model.gguf", n_ctx=777))
    assert header.architecture == "qwen2" and header.n_ctx_train == 777
    assert header.chat_template is not None and "im_start" in header.chat_template
    assert header.metadata["tokenizer.ggml.tokens"] == 262  # counted, not kept
