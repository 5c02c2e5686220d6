"""Many questions through one planner session: texts of a length together, several runs at a time.

On a GPU inputs and outputs are bound (ONNX Runtime's I/O binding), and the
relation matrix stays there: it is copied once a pack, not once a batch. The CPU
reads numpy's memory as it is; binding there costs 0.2 ms a run and saves nothing.

Shapes: B questions, L tokens, R relations, D vector width.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from kgask.cores import usable_cores
from kgask.errors import ModelError
from kgask.plan.providers import CUDA

# Rows of one run. On the CPU a run has one thread and runs stand side by side; few rows of nearly one length waste
# no work on padding, and more than 8 are not quicker (4 to 32 rows: 2.18, 2.05, 2.09, 2.01 ms a question on AVX2).
# A GPU is one device: it wants few large runs.
CPU_ROWS, CUDA_ROWS = 8, 256


class Batches:
    """Runs token rows through a session, bound on a GPU or where ``bind`` asks for it.

    Answers do not depend on the order of the rows, but an int8 graph scales its
    activations over a run, so they depend slightly on what else is asked.
    """

    def __init__(self, session: object, pad_id: int, bind: bool = False) -> None:
        self._session = session
        self._pad_id = pad_id
        self._device = "cuda" if session.get_providers()[0] == CUDA else "cpu"
        self._binds = bind or self._device == "cuda"
        self._rows = CUDA_ROWS if self._device == "cuda" else CPU_ROWS
        self._threads = 1 if self._device == "cuda" else usable_cores()
        self._kept: tuple[np.ndarray, object] | None = None  # the last relation matrix and its bound value

    def run(
        self, rows: Sequence[Sequence[int]], directed: np.ndarray, first_mask: np.ndarray, outputs: Sequence[str]
    ) -> list[np.ndarray]:
        """The named outputs, each [B, ...], in the order of ``rows``.

        ``rows`` are token ids without padding, ``directed`` float32 [2R, D],
        ``first_mask`` [B, 2R]. Raises :class:`ModelError` when the session fails.
        """
        relations = self._bound(directed) if self._binds else np.ascontiguousarray(directed)
        first_mask = first_mask.astype(np.float32, copy=False)

        def run_chunk(chunk: list[int]) -> list[np.ndarray]:
            return self._run([rows[row] for row in chunk], relations, first_mask[chunk], outputs)

        return in_chunks([len(row) for row in rows], self._rows, self._threads, run_chunk)

    def _bound(self, directed: np.ndarray) -> object:
        """``directed`` on the session's device; the last array is kept there, and must not be written to."""
        if self._kept is None or self._kept[0] is not directed:
            import onnxruntime

            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(directed), self._device, 0)
            self._kept = (directed, value)
        return self._kept[1]

    def _run(
        self, rows: list[Sequence[int]], directed: object, first_mask: np.ndarray, outputs: Sequence[str]
    ) -> list[np.ndarray]:
        input_ids, attention_mask = padded(rows, self._pad_id)
        feeds = {"input_ids": input_ids, "attention_mask": attention_mask, "first_mask": first_mask}
        try:
            if self._binds:
                return self._run_bound(feeds, directed, outputs)
            return self._session.run(outputs, feeds | {"directed": directed})
        except Exception as error:  # the binding raises many unrelated types
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelError(f"the planner failed on {len(rows)} questions ({reason[:160]})") from error

    def _run_bound(self, feeds: dict[str, np.ndarray], directed: object, outputs: Sequence[str]) -> list[np.ndarray]:
        binding = self._session.io_binding()
        for name, array in feeds.items():
            binding.bind_cpu_input(name, np.ascontiguousarray(array))
        binding.bind_ortvalue_input("directed", directed)
        for name in outputs:
            binding.bind_output(name)  # what leaves a GPU is small: copied once, after the run
        self._session.run_with_iobinding(binding)
        return binding.copy_outputs_to_cpu()


def in_chunks(
    lengths: Sequence[int], size: int, threads: int, run: Callable[[list[int]], list[np.ndarray]]
) -> list[np.ndarray]:
    """Run rows of these lengths ``size`` at a time, those of similar length together, ``threads`` runs side by side.

    ``run`` takes row numbers and gives arrays [rows, ...]; returned are whole arrays in the order of the rows.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    if len(chunks) == 1 or threads == 1:
        parts = [run(chunk) for chunk in chunks]
    else:
        parts = list(_pool(threads).map(run, reversed(chunks)))[::-1]  # the longest first: none is waited for alone
    back = np.empty(len(lengths), np.int64)
    back[order] = np.arange(len(lengths))
    return [np.concatenate(part)[back] for part in zip(*parts, strict=True)]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Kept: starting threads for each call costs 3 ms, as much as a question."""
    return ThreadPoolExecutor(threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not come along


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and attention mask, both int64 [B, L], L the longest row."""
    ids = np.full((len(rows), max(map(len, rows))), pad_id, np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask
