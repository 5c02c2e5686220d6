"""A GGUF model in llama.cpp, as far as reading needs it: tokens in, logits out.

The context holds one sequence and is as large as the longest prompt so far
needs. What a new prompt shares with the one before is not evaluated again.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgask.errors import ModelError
from kgask.read.bindings import load_bindings

SMALLEST_CONTEXT = 512
BATCH_TOKENS = 512
FLASH_ATTENTION_OFF = 0  # measured on two cores with a 3 M model: not faster, and the logits differ a little


def default_threads() -> int:
    """Cores that this process may really use: its affinity, cut by the cgroup's CPU quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, _cgroup_cores(cores)))


def _cgroup_cores(default: int) -> int:
    """Cores of the cgroup's CPU quota (v2, then v1), rounded up; ``default`` when there is none."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            folder = Path("/sys/fs/cgroup/cpu")
            quota = (folder / "cpu.cfs_quota_us").read_text().strip()
            period = (folder / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return default
    if quota in ("max", "-1"):
        return default
    try:
        return max(1, -(-int(quota) // int(period)))
    except (ValueError, ZeroDivisionError):
        return default


class Engine:
    """One loaded model. Not thread-safe. Raises ModelError where llama.cpp refuses."""

    def __init__(self, path: Path, n_threads: int | None = None):
        self.path = path
        self._llama = llama = load_bindings()
        self._context: Any = None
        self._batch: Any = None
        self.n_ctx = 0
        self.n_threads = n_threads or default_threads()
        params = llama.llama_model_default_params()
        params.n_gpu_layers = 0
        self._model = llama.llama_model_load_from_file(str(path).encode(), params)
        if not self._model:
            raise ModelError(f"{path}: llama.cpp cannot load this file")
        self._vocab = llama.llama_model_get_vocab(self._model)
        self.n_vocab = llama.llama_vocab_n_tokens(self._vocab)
        self.n_ctx_train = llama.llama_model_n_ctx_train(self._model)
        self._held: list[int] = []  # tokens that the context holds
        self._rows: dict[
            int, int
        ] = {}  # number of tokens -> row of the last batch with the logits after them

    def close(self) -> None:
        """Free the model; safe to call twice."""
        llama = self._llama
        self._free_context()
        if self._model:
            llama.llama_model_free(self._model)
            self._model = None

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self.close()

    def _free_context(self) -> None:
        if self._batch is not None:
            self._llama.llama_batch_free(self._batch)
            self._batch = None
        if self._context:
            self._llama.llama_free(self._context)
            self._context = None

    def tokenize(self, text: str, *, special: bool = False, add_bos: bool = False) -> list[int]:
        """Token ids; without ``special`` no text becomes a control token."""
        data = text.encode("utf-8", errors="replace")
        room = len(data) + 8
        buffer = (ctypes.c_int32 * room)()
        count = self._llama.llama_tokenize(self._vocab, data, len(data), buffer, room, add_bos, special)
        if count < 0:
            buffer = (ctypes.c_int32 * -count)()
            count = self._llama.llama_tokenize(self._vocab, data, len(data), buffer, -count, add_bos, special)
        return buffer[: max(0, count)]

    def token_text(self, token: int) -> str:
        """How the vocabulary spells a token; empty when there is none."""
        if token < 0:
            return ""
        return (self._llama.llama_vocab_get_text(self._vocab, token) or b"").decode("utf-8", errors="replace")

    def is_control(self, token: int) -> bool:
        """Whether a token is a control token, which no text may become."""
        return bool(self._llama.llama_vocab_is_control(self._vocab, token))

    def bos_text(self) -> str:
        return self.token_text(self._llama.llama_vocab_bos(self._vocab))

    def eos_text(self) -> str:
        return self.token_text(self._llama.llama_vocab_eos(self._vocab))

    def reserve(self, n_tokens: int) -> None:
        """Make a context that holds ``n_tokens``: the next power of two, at most what the model was
        trained for."""
        if n_tokens <= self.n_ctx:
            return
        llama = self._llama
        self._free_context()
        n_ctx = max(SMALLEST_CONTEXT, 1 << (n_tokens - 1).bit_length())
        if self.n_ctx_train >= n_tokens:
            n_ctx = min(n_ctx, self.n_ctx_train)
        params = llama.llama_context_default_params()
        params.n_ctx = n_ctx
        params.n_batch = n_ctx
        params.n_ubatch = min(n_ctx, BATCH_TOKENS)
        params.n_threads = params.n_threads_batch = self.n_threads
        params.flash_attn_type = FLASH_ATTENTION_OFF
        params.offload_kqv = False
        params.no_perf = True
        self._context = llama.llama_init_from_model(self._model, params)
        if not self._context:
            raise ModelError(
                f"{self.path}: llama.cpp cannot make a context of {n_ctx} tokens (too little memory?)"
            )
        self._batch = llama.llama_batch_init(n_ctx, 0, 1)
        self.n_ctx, self._held, self._rows = n_ctx, [], {}

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        """float32 [n_vocab], the logits after ``tokens`` (a view, valid until the next call).

        ``draft`` is evaluated in the same batch, so that the logits after each of its tokens are
        at hand if they turn out to be what follows.
        """
        tokens = list(tokens)
        if self._held[: len(tokens)] != tokens or len(tokens) not in self._rows:
            self._evaluate([*tokens, *draft], range(len(tokens) - 1, len(tokens) + len(draft)))
        return self._row(len(tokens))

    def logits_at(self, tokens: Sequence[int], positions: Sequence[int]) -> list[np.ndarray]:
        """float32 [n_vocab] after the token at each (0-based) position, all from one evaluation."""
        self._evaluate(list(tokens), positions)
        return [self._row(position + 1) for position in positions]

    def _row(self, n_tokens: int) -> np.ndarray:
        pointer = self._llama.llama_get_logits_ith(self._context, self._rows[n_tokens])
        return np.ctypeslib.as_array(pointer, (self.n_vocab,))

    def _evaluate(self, tokens: list[int], positions: Sequence[int]) -> None:
        """Evaluate what the context does not hold yet, and keep the logits at ``positions`` (ascending)."""
        self.reserve(len(tokens))
        shared = 0
        for held, token in zip(
            self._held, tokens[: positions[0]], strict=False
        ):  # a position must be evaluated again
            if held != token:
                break
            shared += 1
        llama = self._llama
        if not llama.llama_memory_seq_rm(llama.llama_get_memory(self._context), 0, shared, -1):
            llama.llama_memory_clear(
                llama.llama_get_memory(self._context), True
            )  # recurrent models cannot cut
            shared = 0
        self._held, self._rows = [], {}
        batch, count, wanted = self._batch, len(tokens) - shared, frozenset(positions)
        batch.n_tokens = count
        for index, token in enumerate(tokens[shared:]):
            position = shared + index
            batch.token[index] = token
            batch.pos[index] = position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = position in wanted
        code = llama.llama_decode(self._context, batch)
        if code != 0:
            raise ModelError(f"{self.path}: llama.cpp failed to evaluate {count} tokens (code {code})")
        self._held = tokens
        self._rows = {position + 1: position - shared for position in positions}
