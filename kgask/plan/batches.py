"""Many questions through one planner session: texts of a length together, several runs at a time.

On a GPU inputs and outputs are bound (ONNX Runtime's I/O binding), and the
relation matrix stays there: it is copied once a pack, not once a batch. The CPU
reads numpy's memory as it is; binding there costs 0.2 ms a run and saves nothing.

Shapes: B questions, L tokens, R relations, D vector width.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np

from kgask.errors import FallbackWarning, ModelError
from kgask.machine.cores import usable_cores
from kgask.plan.providers import CUDA, Session, after_cuda, first_line, fits

# Rows of one run. A GPU is one device: it wants few large runs. On the CPU a run has one thread and runs stand side by
# side; each costs what one and a half questions cost, so they are as large as leaves work for all threads.
CUDA_ROWS, CPU_ROWS = 256, 32
FEW_ROWS = 8  # not shared out: a thread that has to be started costs as much as a question
CPU_PADDING = 24  # tokens of padding that cost more than a run of its own
One = TypeVar("One")
Other = TypeVar("Other")


class Batches:
    """Runs token rows through a session, bound on a GPU or where ``bind`` asks for it.

    ``spare`` opens the session that goes on when this one fails; it runs on the CPU. ``note`` says what runs.
    """

    def __init__(
        self,
        session: Session,
        pad_id: int,
        bind: bool = False,
        spare: Callable[[], Session] | None = None,
        note: str = "",
    ) -> None:
        self.note = note
        self._pad_id, self._spare = pad_id, spare
        self._use(session, bind)

    def _use(self, session: Session, bind: bool = False) -> None:
        self._session = session
        self._device = "cuda" if session.get_providers()[0] == CUDA else "cpu"
        self._binds = bind or self._device == "cuda"
        self._kept: tuple[np.ndarray, object] | None = None  # the last relation matrix and its bound value

    def run(
        self, rows: Sequence[Sequence[int]], directed: np.ndarray, first_mask: np.ndarray, outputs: Sequence[str]
    ) -> list[np.ndarray]:
        """The named outputs, each [B, ...], in the order of ``rows``.

        ``rows`` are token ids without padding, ``directed`` float32 [2R, D], ``first_mask`` [B, 2R]. A session that
        fails is replaced by the spare one, for the rows that are left and from then on; a :class:`FallbackWarning`
        says so. Raises :class:`ModelError` when there is none, or it fails too.
        """
        first_mask = first_mask.astype(np.float32, copy=False)

        def run_chunk(chunk: list[int]) -> list[np.ndarray]:
            return self._run([rows[row] for row in chunk], directed, first_mask[chunk], outputs)

        def run_large(chunk: list[int]) -> list[np.ndarray]:
            if self._is_large:
                try:
                    return run_chunk(chunk)
                except ModelError as error:
                    if self._spare is None:
                        raise
                    self._go_on_with_spare(self._spare, error.__cause__ or error)
            return self._on_cpu([len(rows[row]) for row in chunk], lambda part: run_chunk([chunk[i] for i in part]))

        lengths = [len(row) for row in rows]
        if self._is_large:
            return in_chunks(by_length(lengths, CUDA_ROWS), 1, run_large)
        return self._on_cpu(lengths, run_chunk)

    @property
    def _is_large(self) -> bool:
        """Whether runs are large: on a GPU, or where another session waits as beside one."""
        return self._device == "cuda" or self._spare is not None

    def _on_cpu(self, lengths: list[int], run: Callable[[list[int]], list[np.ndarray]]) -> list[np.ndarray]:
        threads = 1 if len(lengths) <= FEW_ROWS else usable_cores()  # to ask for the cores takes a tenth of a plan
        size = max(FEW_ROWS, min(CPU_ROWS, -(-len(lengths) // threads)))
        return in_chunks(by_length(lengths, size, CPU_PADDING), threads, run)

    def _go_on_with_spare(self, spare: Callable[[], Session], cause: BaseException) -> None:
        self.note = after_cuda(cause)
        warnings.warn(self.note, FallbackWarning, stacklevel=2)
        self._spare = None
        self._use(spare())

    def _bound(self, directed: np.ndarray) -> object:
        """``directed`` on the session's device; the last array is kept there, and must not be written to."""
        if self._kept is None or self._kept[0] is not directed:
            import onnxruntime

            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(directed), self._device, 0)
            self._kept = (directed, value)
        return self._kept[1]

    def _run(
        self, rows: list[Sequence[int]], directed: np.ndarray, first_mask: np.ndarray, outputs: Sequence[str]
    ) -> list[np.ndarray]:
        input_ids, attention_mask = padded(rows, self._pad_id)
        feeds = {"input_ids": input_ids, "attention_mask": attention_mask, "first_mask": first_mask}
        try:
            if self._binds:
                found = self._run_bound(feeds, self._bound(directed), outputs)
            else:
                found = self._session.run(outputs, feeds | {"directed": np.ascontiguousarray(directed)})
        except Exception as error:  # the binding raises many unrelated types
            raise ModelError(f"the planner failed on {len(rows)} questions ({first_line(error)})") from error
        for name, array in zip(outputs, found, strict=True):
            fits(name, array, len(rows), *[None] * (array.ndim - 1))
        return found

    def _run_bound(self, feeds: dict[str, np.ndarray], directed: object, outputs: Sequence[str]) -> list[np.ndarray]:
        binding = self._session.io_binding()
        for name, array in feeds.items():
            binding.bind_cpu_input(name, np.ascontiguousarray(array))
        binding.bind_ortvalue_input("directed", directed)
        for name in outputs:
            binding.bind_output(name)  # what leaves a GPU is small: copied once, after the run
        self._session.run_with_iobinding(binding)
        return binding.copy_outputs_to_cpu()


def by_length(lengths: Sequence[int], size: int, padding: int | None = None) -> list[list[int]]:
    """Row numbers in chunks of at most ``size``, those of similar length together, the shortest first.

    With ``padding`` no chunk has more tokens of padding than that.
    """
    chunks: list[list[int]] = []
    tokens = 0  # of the last chunk
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[row]
        tokens += length
        full = not chunks or len(chunks[-1]) == size
        if full or (padding is not None and (len(chunks[-1]) + 1) * length - tokens > padding):
            chunks.append([])
            tokens = length
        chunks[-1].append(row)
    return chunks


def in_chunks(chunks: list[list[int]], threads: int, run: Callable[[list[int]], list[np.ndarray]]) -> list[np.ndarray]:
    """Run chunks of row numbers, ``threads`` runs side by side.

    ``run`` takes row numbers and gives arrays [rows, ...]; returned are whole arrays in the order of the rows.
    """
    if len(chunks) == 1 or threads == 1:
        parts = [run(chunk) for chunk in chunks]
    else:
        parts = list(_pool(threads).map(run, reversed(chunks)))[::-1]  # the longest first: none is waited for alone
    order = [row for chunk in chunks for row in chunk]
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return [_stacked(part)[back] for part in zip(*parts, strict=True)]


def side_by_side(one: Callable[[], One], other: Callable[[], Other]) -> tuple[One, Other]:
    """What two runs give, ``one`` of them in a thread of its own where there is a core for it."""
    threads = usable_cores()
    if threads == 1:
        return one(), other()
    waiting = _pool(threads).submit(one)
    found = other()
    return waiting.result(), found


def _stacked(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Rows one after another; what has a column a token ([rows, L, ...]) is filled up with zeros to the longest."""
    if len({part.shape[1:] for part in parts}) == 1:
        return np.concatenate(parts)
    longest = max(part.shape[1] for part in parts)
    fill = [((0, 0), (0, longest - part.shape[1]), *[(0, 0)] * (part.ndim - 2)) for part in parts]
    return np.concatenate([np.pad(part, more) for part, more in zip(parts, fill, strict=True)])


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
