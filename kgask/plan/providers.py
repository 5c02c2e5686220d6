"""Which hardware ONNX Runtime uses, decided by us and said aloud, never guessed by it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from kgask.config import shipped_root
from kgask.errors import FallbackWarning, ModelError
from kgask.machine.remembered import content_hash
from kgask.machine.trial import Trial
from kgask.plan.control_flow import control_flow

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Session = Any  # onnxruntime.InferenceSession: the library has no types
CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
CPU_GRAPH = "rigel.onnx"
QUERY_GRAPH = "rigel.query.onnx"  # one step of the query decoder, where the planner has one
CUDA_GRAPH = "rigel.cuda.onnx"  # what a GPU runs: the same integers as float32, with the weights of the CPU's graph
FULL_GRAPH = "rigel.fp32.onnx"  # float32 throughout; what a GPU runs where an older model has no CUDA_GRAPH
HIDES_GPUS = "CUDA_VISIBLE_DEVICES"  # CUDA's own variable: the GPUs that a process may see
CUDA_FAILED = "CUDA failed"  # in the note of a planner that goes on on the CPU
TRIAL_SECONDS, TRIAL_CPU_SECONDS = 120.0, 10
TRIAL_BYTES = 1 << 30  # address space of a trial on the CPU, beside the files
_NO_MEMORY = ("bad_alloc", "allocate memory", "BFCArena")  # in what ONNX Runtime raises
_NVIDIA_NODES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")  # Linux driver, WSL


def wanted_providers(available: list[str]) -> tuple[list[str], str]:
    """Providers to try in order, and a note for ``--verbose``.

    CUDA is tried only where there is an NVIDIA device that this process may see: the library is often built with
    CUDA support on machines that have none.
    """
    if CUDA not in available:
        return [CPU], "planner on the CPU (this onnxruntime has no CUDA support)"
    if sys.platform.startswith("linux") and not _has_nvidia():
        return [CPU], "planner on the CPU (no NVIDIA device)"
    visible = os.environ.get(HIDES_GPUS)
    if visible is not None and visible.split(",")[0].strip() in ("", "-1"):  # CUDA stops at the first that is none
        return [CPU], f"planner on the CPU ({HIDES_GPUS} hides every GPU)"
    return [CUDA, CPU], "planner on CUDA"


def _has_nvidia() -> bool:
    return any(os.path.exists(node) for node in _NVIDIA_NODES)


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Send file descriptors 1 and 2 to nowhere: ONNX Runtime prints there from C++."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stdout.flush()  # what Python printed meanwhile: preload_dlls() says there what it does not find
        sys.stderr.flush()
        for fd, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, fd)
            os.close(saved)
        os.close(nowhere)


def open_session(model: Path, cuda: Path | None = None) -> tuple[Session, str]:
    """An ONNX Runtime session on the best provider that works, and a note that says which.

    ``model`` is the graph for the CPU, ``cuda`` the one for CUDA. An int8 graph is no use there: CUDA has no kernel
    for its products of unsigned by signed numbers, so every one of them would come back to the CPU. Where CUDA fails
    the CPU is used, and a :class:`FallbackWarning` says so. A model that does not ship with kgask is first tried in a
    child process. Raises :class:`ModelError` when the file is not a model, NativeError when it crashes the runtime.
    """
    if not model.resolve().is_relative_to(shipped_root("model").resolve()):
        _trial(model, cuda).pass_once()
    return _open_session(model, cuda)


def _open_session(model: Path, cuda: Path | None) -> tuple[Session, str]:
    with silenced():
        import onnxruntime

        wanted, note = wanted_providers(onnxruntime.get_available_providers())
        failed = ""
        if CUDA in wanted and cuda is None:
            note = f"planner on the CPU (CUDA runs {CUDA_GRAPH}, which this model does not have)"
        elif CUDA in wanted and cuda is not None:
            try:
                return _cuda_session(onnxruntime, cuda), note
            except Exception as error:  # the binding raises many unrelated types
                note = failed = after_cuda(error)
    session = open_on_cpu(model)
    if failed:
        warnings.warn(f"{failed}; to use no GPU: {HIDES_GPUS}=-1", FallbackWarning, stacklevel=2)
    return session, note


def _trial(model: Path, cuda: Path | None) -> Trial:
    spec = importlib.util.find_spec("onnxruntime")
    folders = [Path(place) / "capi" for place in (spec.submodule_search_locations or () if spec else ())]
    libraries = sorted(path for folder in folders for path in folder.glob("*.so*"))
    stamps = [f"{path} {(found := path.stat()).st_size} {found.st_mtime_ns} {found.st_ino}" for path in libraries]
    steps = model.with_name(QUERY_GRAPH)
    files = [model, *([cuda] if cuda else []), *([steps] if steps.is_file() else [])]
    try:
        content = content_hash(*files)
    except OSError as error:
        raise ModelError(f"{error.filename or model}: cannot be read ({error.strerror})") from None
    payload = {"files": [str(path.absolute()) for path in files], "cuda": str(cuda.absolute()) if cuda else None}
    room = None if _has_nvidia() else TRIAL_BYTES + 4 * sum(path.stat().st_size for path in files)
    limits = {"cpu_seconds": TRIAL_CPU_SECONDS, "memory_bytes": room}
    return Trial(str(model), "ONNX Runtime", f"{__name__}:attempt", payload, (*stamps, content), TRIAL_SECONDS, limits)


def attempt(payload: Mapping[str, Any]) -> tuple[str, bool] | None:
    """In a child: open the graphs as they will be opened and run each once. What they raise is said where it is used.

    A graph with a graph within, which may run without end, is not opened: that is the reason which comes back.
    """
    files, cuda = [Path(name) for name in payload["files"]], payload["cuda"]
    for path in files:
        with contextlib.suppress(ValueError, OSError):
            try:
                operator = control_flow(path)
            except OverflowError as error:
                return f"{path}: not a usable ONNX model ({error})", False
            if operator:
                return f"{path}: has {operator}, which may run without end; export it without loops and branches", False
    for path in files:
        try:
            session, _ = _open_session(path, Path(cuda) if cuda and path == files[0] else None)
            session.run(None, {node.name: _ones(node) for node in session.get_inputs()})
        except Exception as error:
            if isinstance(error, MemoryError) or any(word in str(error) for word in _NO_MEMORY):
                return f"{path}: takes more than {TRIAL_BYTES >> 30} GiB of memory beside its weights", False
    return None


def open_on_cpu(model: Path) -> Session:
    """A session of ``model`` on the CPU, whatever else there is. Raises :class:`ModelError`."""
    with silenced():
        import onnxruntime

        try:
            return _cpu_session(onnxruntime, model)
        except Exception as error:
            raise ModelError(f"{model}: not a usable ONNX model ({first_line(error)})") from error


def open_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """A ``tokenizer.json`` that cuts texts to ``max_tokens``; raises :class:`ModelError` for what is none."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelError(f"{path}: not a tokenizer") from error
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def after_cuda(error: BaseException) -> str:
    """The note of a planner that CUDA failed for."""
    return f"planner on the CPU ({CUDA_FAILED}: {first_line(error)})"


def _cpu_session(onnxruntime: ModuleType, model: Path) -> Session:
    """One thread a run; :mod:`kgask.plan.batches` puts runs side by side.

    Measured with MiniLM in int8 on two busy cores: a question takes 3.4 ms with
    one thread and 4.9 ms with two that sleep while they wait for each other;
    threads that spin are quicker alone, but take ten times as long beside others.
    """
    options = _options(onnxruntime)
    options.intra_op_num_threads = 1
    # Planning which tensors share memory takes as long as all else of opening a graph of 500 nodes (90 ms, 50 without);
    # what is no longer used goes back to the arena all the same: a run takes no longer, and 1 MiB more.
    options.enable_mem_reuse = False
    return onnxruntime.InferenceSession(
        str(model),
        options,
        providers=[CPU],
        enable_fallback=0,
        # The fused form takes several times as long on the CPU as the addition and LayerNormalization it is made of.
        disabled_optimizers=["SkipLayerNormFusion"],
    )


def _cuda_session(onnxruntime: ModuleType, model: Path) -> Session:
    """A session on the first GPU that has answered once; raises what the binding raises."""
    with contextlib.suppress(Exception):  # CUDA that came as Python packages is found only so
        onnxruntime.preload_dlls()
    # TF32 would round what is compared with relations to 10 bits: other decisions than the CPU's.
    cuda = (CUDA, {"use_tf32": "0"})
    session = onnxruntime.InferenceSession(str(model), _options(onnxruntime), providers=[cuda, CPU], enable_fallback=0)
    if CUDA not in session.get_providers():
        raise ModelError("the CUDA libraries could not be loaded")
    # A GPU that this onnxruntime has no code for is noticed only when something runs.
    session.run(None, {node.name: _ones(node) for node in session.get_inputs()})
    return session


def _ones(node: Any) -> np.ndarray:
    """A small input that fits: 2 wherever the graph leaves a size open."""
    shape = [size if isinstance(size, int) else 2 for size in node.shape]
    return np.ones(shape, np.int64 if "int64" in node.type else np.float32)


def _options(onnxruntime: ModuleType) -> Any:
    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # fatal only
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def fits(name: str, found: np.ndarray, *sizes: int | None) -> None:
    """Raises :class:`ModelError` where an output has another shape than it should; None is any size from 1.

    What a graph declares of its outputs is not what it gives: sizes without a name may come to anything.
    """
    if len(sizes) != found.ndim or any(
        size < 1 if wanted is None else size != wanted for size, wanted in zip(found.shape, sizes, strict=True)
    ):
        raise ModelError(
            f"the model is broken: its {name} are of shape {found.shape}, not of {sizes}".replace("None", "n")
        )


def first_line(error: BaseException) -> str:
    """What an exception of a binding says first, at most 200 characters."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
