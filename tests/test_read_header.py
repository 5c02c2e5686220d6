"""The header of a GGUF file: what it says, and why a broken one is refused before llama.cpp sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_gguf import ARCHITECTURE, BYTES, U32, U64, gguf_bytes, text
from tiny_gguf import write_header_only, write_qwen2, write_t5

from kgask.errors import ModelError
from kgask.read.gguf.header import check_readable, read_header
from kgask.read.load import load_reader


@pytest.mark.parametrize("name", BYTES)
def test_a_hostile_file_is_refused_with_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(BYTES[name])
    with pytest.raises(ModelError) as caught:
        load_reader(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a folder, not a"):
        load_reader(tmp_path)
    with pytest.raises(ModelError, match="no such reader"):
        load_reader(tmp_path / "none.gguf")


@pytest.mark.parametrize("kept", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_model(kept: float, tmp_path: Path) -> None:
    whole = write_qwen2(tmp_path / "whole.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ModelError, match="cut off"):
        load_reader(cut)


@pytest.mark.parametrize("architecture", ["t5encoder", "bert", "clip"])
def test_models_that_cannot_answer_are_named(architecture: str, tmp_path: Path) -> None:
    path = write_header_only(tmp_path / "model.gguf", architecture)
    assert read_header(path).architecture == architecture
    with pytest.raises(ModelError, match=f"architecture '{architecture}'"):
        load_reader(path)


def test_a_whole_header_without_the_weights_is_refused_by_llama_cpp_in_one_line(tmp_path: Path) -> None:
    path = write_header_only(tmp_path / "model.gguf", "llama")
    check_readable(read_header(path))
    with pytest.raises(ModelError, match="llama.cpp cannot load this file"):
        load_reader(path)


def test_the_header_of_a_real_file(tmp_path: Path) -> None:
    header = read_header(write_qwen2(tmp_path / "model.gguf", n_ctx=777))
    assert header.architecture == "qwen2" and header.n_ctx_train == 777
    assert header.chat_template is not None and "im_start" in header.chat_template
    assert header.metadata["tokenizer.ggml.tokens"] == 262  # counted, not kept
    assert header.quantisation == "F32" and not header.is_encoder_decoder and not header.is_own
    weights = header.file_bytes - 20_000  # the rest is the vocabulary
    assert weights < 4 * header.n_parameters < header.file_bytes


def test_the_header_of_an_encoder_decoder(tmp_path: Path) -> None:
    header = read_header(write_t5(tmp_path / "model.gguf"))
    check_readable(header)
    assert header.is_encoder_decoder and header.n_ctx_train == 512 and header.chat_template is None


def test_texts_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    entries = b"".join(text(f"k{number}") + U32(8) + U64(8 << 20) + bytes(8 << 20) for number in range(9))
    path.write_bytes(gguf_bytes(n_entries=10, rest=ARCHITECTURE + entries))
    with pytest.raises(ModelError, match="texts of more than"):
        read_header(path)
