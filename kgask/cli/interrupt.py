"""Ctrl-C at any moment: one line, exit 130, never a traceback.

While Python starts and ends there is nothing to clean up, so the process ends
at once. While a command runs, KeyboardInterrupt unwinds it, so that temporary
files go. Libraries lose that exception (a callback from C prints and drops it)
or make another of it (an import that fails), hence the flag and the hook here.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

EXIT_INTERRUPTED = 130
SAME_PRESS_S = 1.0  # a terminal and a wrapper may both pass on one Ctrl-C; a second one must not disturb the clean-up
AGAIN_S = 0.02

_pressed_at: float | None = None


def exit_at_once(*_: object) -> NoReturn:
    """A handler of SIGINT, and what to do where KeyboardInterrupt came before there was one."""
    with suppress(OSError):
        os.write(2, b"kgask: interrupted\n")
    os._exit(EXIT_INTERRUPTED)


def listen(handler: Any) -> Any:
    """Let ``handler`` take SIGINT; returns the one before, or None where SIGINT is not ours to take.

    That is in a thread, in a background job that ignores it, and in a program with a handler of its own.
    """
    before = signal.getsignal(signal.SIGINT)
    if before not in (signal.default_int_handler, exit_at_once, _unwind):
        return None
    try:
        return signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread
        return None


@contextmanager
def unwinding() -> Iterator[None]:
    """A block that Ctrl-C ends in KeyboardInterrupt, whatever libraries make of it on its way."""
    global _pressed_at
    _pressed_at = None
    before, hook = listen(_unwind), sys.unraisablehook
    sys.unraisablehook = _try_again
    try:
        yield
    finally:
        sys.unraisablehook = hook
        if before is not None:
            listen(before)
        if _pressed_at is not None:
            raise KeyboardInterrupt


def taken() -> None:
    """Say that a command took Ctrl-C and goes on: the next one is another press."""
    global _pressed_at
    _pressed_at = None


def _unwind(_signal: int, frame: FrameType | None) -> None:
    global _pressed_at
    if _pressed_at is None:
        if _is_in_hook(frame):  # where an exception would only be printed
            _press_again()
            return
        _pressed_at = time.monotonic()
        raise KeyboardInterrupt
    if time.monotonic() - _pressed_at > SAME_PRESS_S:
        exit_at_once()


def _try_again(lost: sys.UnraisableHookArgs) -> None:
    """What Python calls for an exception that nobody can catch: a lost Ctrl-C comes once more, a moment later."""
    global _pressed_at
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    _pressed_at = None
    _press_again()


def _press_again() -> None:
    def press() -> None:
        time.sleep(AGAIN_S)
        os.kill(os.getpid(), signal.SIGINT)

    _thread.start_new_thread(press, ())  # which waits for nothing; threading's own start waits for the thread


def _is_in_hook(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not _try_again.__code__:
        frame = frame.f_back
    return frame is not None
