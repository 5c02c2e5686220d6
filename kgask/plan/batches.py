"""Many questions through one planner session: texts of a length together, several runs at a time.

Inputs and outputs are bound (ONNX Runtime's I/O binding), and the relation
matrix stays where the session computes: on a GPU it is copied there once a
pack, not once a batch. The CPU takes the same way.

Shapes: B questions, L tokens, R relations, D vector width.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from kgask.errors import ModelError
from kgask.plan.providers import CUDA, cpu_threads

# Rows of one run. On the CPU a run has one thread and runs stand side by side; few rows of nearly one length waste
# no work on padding. A GPU is one device: it wants few large runs.
CPU_ROWS, CUDA_ROWS = 16, 256


class Batches:
    """Runs token rows through a session.

    Answers do not depend on the order of the rows, but an int8 graph scales its
    activations over a run, so they depend slightly on what else is asked.
    """

    def __init__(self, session: object, pad_id: int) -> None:
        self._session = session
        self._pad_id = pad_id
        self._device = "cuda" if session.get_providers()[0] == CUDA else "cpu"
        self._rows = CUDA_ROWS if self._device == "cuda" else CPU_ROWS
        self._threads = 1 if self._device == "cuda" else cpu_threads()
        self._kept: tuple[np.ndarray, object] | None = None  # the last relation matrix and its bound value

    def run(
        self, rows: Sequence[Sequence[int]], directed: np.ndarray, first_mask: np.ndarray, outputs: Sequence[str]
    ) -> list[np.ndarray]:
        """The named outputs, each [B, ...], in the order of ``rows``.

        ``rows`` are token ids without padding, ``directed`` float32 [2R, D],
        ``first_mask`` [B, 2R]. Raises :class:`ModelError` when the session fails.
        """
        order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
        chunks = [order[start : start + self._rows] for start in range(0, len(order), self._rows)]
        bound = self._bound(directed)
        first_mask = first_mask.astype(np.float32, copy=False)

        def run_chunk(chunk: list[int]) -> list[np.ndarray]:
            return self._run([rows[row] for row in chunk], bound, first_mask[chunk], outputs)

        if len(chunks) == 1 or self._threads == 1:
            parts = [run_chunk(chunk) for chunk in chunks]
        else:
            with ThreadPoolExecutor(min(self._threads, len(chunks))) as pool:
                parts = list(pool.map(run_chunk, reversed(chunks)))[::-1]  # the longest first: none is waited for alone
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        return [np.concatenate(part)[back] for part in zip(*parts, strict=True)]

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
        binding = self._session.io_binding()
        try:
            binding.bind_cpu_input("input_ids", input_ids)
            binding.bind_cpu_input("attention_mask", attention_mask)
            binding.bind_cpu_input("first_mask", np.ascontiguousarray(first_mask))
            binding.bind_ortvalue_input("directed", directed)
            for name in outputs:
                binding.bind_output(name)  # what leaves a GPU is small: copied once, after the run
            self._session.run_with_iobinding(binding)
            return binding.copy_outputs_to_cpu()
        except Exception as error:  # the binding raises many unrelated types
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ModelError(f"the planner failed on {len(rows)} questions ({reason[:160]})") from error


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and attention mask, both int64 [B, L], L the longest row."""
    ids = np.full((len(rows), max(map(len, rows))), pad_id, np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask
