"""Native code and a model file, tried together in a child process before they are used here.

A compiled library may not fit this machine's CPU, and some files end the process that loads them. What a trial showed
is remembered for all that it depends on: the task, the library, the CPU, the file, the settings.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import Any

from kgask.errors import ModelError, NativeError
from kgask.machine.remembered import recall, remember

VERSION = 3  # of what the tasks try; another one tries everything again
_X86_KEYS = ("vendor_id", "cpu family", "model", "stepping", "model name", "flags")
_CPU_KEYS = (*_X86_KEYS, "CPU implementer", "CPU part", "Features")  # the last three are Arm's


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried, and what the verdict depends on beside this machine's CPU."""

    file: str
    library: str  # for messages: "llama.cpp"
    task: str  # "module:function" of kgask: the payload to None, or to (reason, whether it is the library's)
    payload: dict[str, Any]
    depends_on: Sequence[str]  # hashes of library and file, settings
    seconds: float  # the trial's longest time
    limits: dict[str, int | None] = field(default_factory=dict)  # cpu_seconds, memory_bytes (machine.child.in_child)

    def pass_once(self) -> str:
        """Try it, unless it is remembered to have passed; a note for ``--verbose``, "" where nothing was tried.

        Raises :class:`NativeError` where the child dies (a fault is remembered too), :class:`ModelError` with the
        reason that the task gave.
        """
        known = recall(self._key())
        if isinstance(known, str) and known:
            raise self._died(known)
        return "" if known == "" else self.again()

    def again(self) -> str:
        """Try it whatever is remembered, and remember the verdict; as :meth:`pass_once` otherwise."""
        try:
            self.run()
        except Crash as error:
            if error.fault:
                remember(self._key(), error.how)
            raise
        kept = remember(self._key(), "")
        return f"tried in a process of its own{'' if kept else ', as each time: the cache cannot be written'}"

    def _key(self) -> str:
        return "\0".join([f"trial {VERSION}", self.task, cpu(), *self.depends_on])

    def run(self) -> None:
        """Try it, with nothing remembered; raises as :meth:`pass_once` does."""
        from kgask.machine.child import ChildDied, in_child  # seldom needed: a question pays for every import

        try:
            problem = in_child(self.task, self.payload, seconds=self.seconds, **self.limits)
        except ChildDied as error:
            raise self._died(str(error), error.fault) from None
        if problem is not None:
            reason, native = problem
            raise (NativeError if native else ModelError)(reason)

    def _died(self, how: str, fault: bool = True) -> Crash:
        return Crash(f"{self.file}: {self.library} cannot use this file: it {how}", how, fault)


class Crash(NativeError):
    """A child died; ``how`` completes "it ...", ``fault`` says that it would again."""

    def __init__(self, message: str, how: str, fault: bool):
        super().__init__(message)
        self.how, self.fault = how, fault


@cache
def cpu() -> str:
    """Which CPU this is and what it can do, as the system says; the same text on the same machine."""
    found = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in takewhile(str.strip, file):  # the first core: asking for all takes long on large machines
                key, _, value = line.partition(":")
                found[key.strip()] = value.strip()
    except OSError:
        import platform

        return f"{platform.machine()} {platform.processor()}"
    return " ".join([os.uname().machine, str(os.cpu_count()), *(found.get(key, "") for key in _CPU_KEYS)])
