"""The static part of a prompt is evaluated once: in memory and on disk, and a broken file never matters."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tiny_gguf import write_qwen2, write_t5
from toy_graph import ToyGraph, evidence_of

from kgask.read.files.prefix_cache import LEAST_TOKENS, PrefixCache
from kgask.read.gguf.encoder_decoder import EncoderDecoder
from kgask.read.gguf.engine import Engine
from kgask.read.load import load_reader
from kgask.types import Question

STATIC, REST = list(range(60, 130)), list(range(30, 90))
TRIPLE = ("Lady Susan", "author", "Jane Austen")
GRAPH = ToyGraph([TRIPLE, ("Lady Susan", "language", "English")])
EVIDENCE = evidence_of(GRAPH, [(TRIPLE, 1, 0.9, False)], {"Jane Austen": 0.9})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_qwen2(tmp_path_factory.mktemp("models") / "foreign.gguf")


class Counting(Engine):
    """Counts the tokens that are really evaluated."""

    evaluated = 0

    def _evaluate(self, tokens: list[int], positions: object) -> None:
        held = self._held
        same = next(
            (at for at, (a, b) in enumerate(zip(held, tokens, strict=False)) if a != b), min(len(held), len(tokens))
        )
        self.evaluated += len(tokens) - same
        super()._evaluate(tokens, positions)


def opened(model: Path, folder: Path, key: str = "model", **options: int) -> tuple[Counting, PrefixCache]:
    engine = Counting(model, 1)
    return engine, PrefixCache(engine, key, folder, **options)


def test_a_second_process_evaluates_only_what_is_new(model: Path, tmp_path: Path) -> None:
    first, cache = opened(model, tmp_path)
    assert cache.warm(STATIC, 200) is False
    expected = first.logits_after(STATIC + REST).copy()
    assert first.evaluated == len(STATIC + REST)
    second, cache = opened(model, tmp_path)
    assert cache.warm(STATIC, 200) is True and second.evaluated == 0
    assert np.array_equal(second.logits_after(STATIC + REST), expected)
    assert second.evaluated == len(REST)


def test_in_memory_nothing_is_read_again(model: Path, tmp_path: Path) -> None:
    engine, cache = opened(model, tmp_path)
    cache.warm(STATIC, 200)
    engine.logits_after(STATIC + REST)
    cache.path(STATIC).unlink()
    assert cache.warm(STATIC, 200) is True
    assert not cache.path(STATIC).exists()
    assert cache.warm(STATIC, 5000) is False, "a larger context begins empty"


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "junk", "magic", "longer", "folder"])
def test_a_broken_file_is_removed_and_made_again(damage: str, model: Path, tmp_path: Path) -> None:
    engine, cache = opened(model, tmp_path)
    cache.warm(STATIC, 200)
    expected = engine.logits_after(STATIC + REST).copy()
    path = cache.path(STATIC)
    whole = path.read_bytes()
    broken = {
        "cut": whole[:-7], "flip": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        "empty": b"", "junk": os.urandom(500),
        "magic": b"X" + whole[1:], "longer": whole + b"x",
    }  # fmt: skip
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(broken[damage])
    again, cache = opened(model, tmp_path)
    assert cache.warm(STATIC, 200) is False
    assert np.array_equal(again.logits_after(STATIC + REST), expected)
    assert path.is_dir() if damage == "folder" else path.read_bytes() == whole


def test_a_whole_file_with_another_state_is_not_taken(model: Path, tmp_path: Path) -> None:
    """llama.cpp itself refuses it (a state of a model with another shape); the tokens are evaluated."""
    import hashlib

    from kgask.read.files.prefix_cache import MAGIC

    engine, cache = opened(model, tmp_path)
    engine.reserve(200)
    wrong = b"\x01" * 64
    cache.path(STATIC).write_bytes(MAGIC + hashlib.sha256(wrong).digest() + wrong)
    assert cache.warm(STATIC, 200) is False
    assert engine.evaluated == len(STATIC)


def test_what_the_key_depends_on(model: Path, tmp_path: Path) -> None:
    engine, cache = opened(model, tmp_path)
    engine.reserve(200)
    paths = {cache.path(STATIC), cache.path(STATIC[:-1]), PrefixCache(engine, "another", tmp_path).path(STATIC)}
    assert len(paths) == 3


def test_the_folder_is_bounded_and_the_least_used_goes_first(model: Path, tmp_path: Path) -> None:
    engine, cache = opened(model, tmp_path)
    cache.warm(STATIC, 200)
    one = cache.path(STATIC).stat().st_size
    engine, cache = opened(model, tmp_path, most_bytes=int(2.5 * one))
    prefixes = [[start, *STATIC[1:]] for start in (10, 11, 12)]
    for number, prefix in enumerate(prefixes):
        cache.warm(prefix, 200)
        os.utime(cache.path(prefix), (number, number))
    kept = [cache.path(prefix).exists() for prefix in [STATIC, *prefixes]]
    assert sum(kept) == 2 and kept[-1] and not kept[1]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2.5 * one
    nothing = PrefixCache(Counting(model, 1), "model", tmp_path / "none", most_bytes=one // 2)
    nothing.warm(STATIC, 200)
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    _, cache = opened(model, tmp_path / "file")
    assert cache.warm(STATIC, 200) is False


def test_only_where_it_pays(model: Path, tmp_path: Path) -> None:
    engine, cache = opened(model, tmp_path)
    assert cache.warm(STATIC[: LEAST_TOKENS - 1], 200) is False
    t5 = EncoderDecoder(write_t5(tmp_path / "t5.gguf"), 1, 0)
    assert not t5.keeps_states
    assert PrefixCache(t5, "t5", tmp_path).warm(STATIC, 200) is False
    assert engine.evaluated == 0 and [path.name for path in tmp_path.iterdir()] == ["t5.gguf"]


def test_a_reader_uses_it(model: Path, own_cache: Path) -> None:
    folder = own_cache / "prefixes"
    question = Question("who wrote Lady Susan?")
    first = load_reader(model, n_threads=1).read(question, EVIDENCE, GRAPH)
    (file,) = folder.glob("*.state")
    used = file.stat().st_mtime_ns
    os.utime(file, ns=(used - 10**9, used - 10**9))
    assert load_reader(model, n_threads=1).read(question, EVIDENCE, GRAPH) == first
    assert file.stat().st_mtime_ns > used - 10**9, "it was read, and that counts as use"
    model.touch()
    assert load_reader(model, n_threads=1).read(question, EVIDENCE, GRAPH) == first
    assert len(list(folder.glob("*.state"))) == 2, "a file that changed is another model"
