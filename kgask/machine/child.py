"""Work that may end the process that does it, done in a child: it may die, hang or eat memory without harm.

llama.cpp aborts the whole process on some files (a failed GGML_ASSERT), compiled code may not fit this machine's
CPU, and a file's chat template is a program. The child gets its task as JSON on stdin and gives its result as
JSON; whatever else it prints is dropped.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

# llama.cpp would start a debugger to print where it failed, which takes seconds.
_ENVIRONMENT = {"GGML_NO_BACKTRACE": "1"}
_START = "import sys; from kgask.machine.child import serve; serve(sys.argv[1])"
# A program fault; other ends (killed, too much time) say something about the moment, not about the code.
_FAULTS = frozenset({"SIGSEGV", "SIGABRT", "SIGILL", "SIGBUS", "SIGFPE", "SIGSYS", "SIGTRAP"})


class ChildDied(Exception):
    """Why there is no result: ``str(error)`` completes "it ...". ``fault``: it would die so again."""

    def __init__(self, how: str, fault: bool = False):
        super().__init__(how)
        self.fault = fault


def in_child(
    task: str, payload: Any, *, seconds: float, cpu_seconds: int | None = None, memory_bytes: int | None = None
) -> Any:
    """The result of ``task`` ("module:function" of kgask, JSON in and out) in a process of its own.

    ``seconds`` bounds its wall time, ``cpu_seconds`` and ``memory_bytes`` (address space) what it may use.
    Raises :class:`ChildDied`.
    """
    message = {"payload": payload, "cpu_seconds": cpu_seconds, "memory_bytes": memory_bytes}
    paths = os.pathsep.join(path for path in sys.path if path)
    # -P: a module in the current folder must not shadow one that the child imports.
    command = [sys.executable, "-P", "-c", _START, task]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(message).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _ENVIRONMENT | {"PYTHONPATH": paths},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ChildDied(f"takes longer than {seconds:.0f} s") from None
    except OSError as error:
        raise ChildDied(f"cannot be tried: {error.strerror or error}") from None
    if done.returncode < 0:
        raise _death(-done.returncode)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise ChildDied("fails without a word") from None


def _death(number: int) -> ChildDied:
    if number == signal.SIGXCPU:
        return ChildDied("takes too much time", fault=True)
    if number == signal.SIGKILL:
        return ChildDied("was killed (too little memory?)")
    with contextlib.suppress(ValueError):
        name = signal.Signals(number).name
        return ChildDied(f"crashes ({name})", name in _FAULTS)
    return ChildDied(f"crashes (signal {number})")


def serve(task: str) -> None:
    """In the child: read the payload, do the task, write its result to what was stdout."""
    result_file = os.dup(1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # llama.cpp may print; only the result leaves through the pipe
    message = json.loads(sys.stdin.buffer.read())
    _limit(message["cpu_seconds"], message["memory_bytes"])
    module, name = task.split(":")
    function: Callable[[Any], Any] = getattr(importlib.import_module(module), name)
    with open(result_file, "wb") as file:
        file.write(json.dumps(function(message["payload"])).encode())


def _limit(cpu_seconds: int | None, memory_bytes: int | None) -> None:
    """No core dump; the child is the first to go when memory runs out; and the given bounds."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    try:
        import resource
    except ImportError:  # no such limits on this system: the wall time still bounds it
        return
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: cpu_seconds, resource.RLIMIT_AS: memory_bytes}
    for limit, value in wanted.items():
        if value is not None:
            most = value + (limit == resource.RLIMIT_CPU)  # at once with SIGXCPU SIGKILL would come, which says less
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (value, most))
