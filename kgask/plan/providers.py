"""Which hardware ONNX Runtime uses, decided by us and said aloud, never guessed by it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from kgask.errors import ModelError

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
_NVIDIA_NODES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")  # Linux driver, WSL


def cpu_threads() -> int:
    """Cores this process may really use: the affinity mask, capped by the cgroup's CPU quota."""
    try:
        threads = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        threads = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()[:2]
        if quota != "max":
            threads = min(threads, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):
        pass
    return threads


def wanted_providers(available: list[str]) -> tuple[list[str], str]:
    """Providers to try in order, and a note for ``--verbose``.

    CUDA is tried only where there is an NVIDIA device: the library is often
    built with CUDA support on machines that have none.
    """
    if CUDA not in available:
        return [CPU], "planner on the CPU (this onnxruntime has no CUDA support)"
    if sys.platform.startswith("linux") and not any(os.path.exists(node) for node in _NVIDIA_NODES):
        return [CPU], "planner on the CPU (no NVIDIA device)"
    return [CUDA, CPU], "planner on CUDA"


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
        for fd, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, fd)
            os.close(saved)
        os.close(nowhere)


def open_session(model: Path) -> tuple[object, str]:
    """An ONNX Runtime session on the best provider that works, and a note that says which.

    Raises :class:`ModelError` when the file is not a model.
    """
    with silenced():
        import onnxruntime

        wanted, note = wanted_providers(onnxruntime.get_available_providers())
        try:
            return _session(onnxruntime, model, wanted), note
        except Exception as error:  # the binding raises many unrelated types
            if wanted == [CPU]:
                raise ModelError(f"{model}: not a usable ONNX model ({_first_line(error)})") from error
            reason = _first_line(error)
        try:
            return _session(onnxruntime, model, [CPU]), f"planner on the CPU (CUDA failed: {reason})"
        except Exception as error:
            raise ModelError(f"{model}: not a usable ONNX model ({_first_line(error)})") from error


def _session(onnxruntime: object, model: Path, providers: list[str]) -> object:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = cpu_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # fatal only
    # Waiting threads sleep: spinning costs nothing alone, but ten times the answer on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(model), options, providers=providers, enable_fallback=0)
    if providers[0] == CUDA and CUDA not in session.get_providers():
        raise ModelError("the CUDA libraries could not be loaded")
    return session


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
