"""Ctrl-C at any moment of a command: real processes, real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from network import QUESTION

import kgask

PACKAGE = Path(kgask.__file__).parent
STOPPED = (130, "kgask: interrupted\n")
# Sends SIGINT at the n-th import after the first of the command's own, so that the moment does not depend on the
# machine's speed; counts all of them where n is none.
SIGNAL_AT_IMPORT = """
import os, signal, sys
wanted, seen = int(os.environ["AT_IMPORT"]), -1

def watch(event, args):
    global seen
    if event == "import" and (seen >= 0 or args[0] == "kgask.cli"):
        seen += 1
        if seen == wanted:
            os.kill(os.getpid(), signal.SIGINT)
        if wanted < 0:
            print(seen, file=sys.stderr)

sys.addaudithook(watch)
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
MODULE = [sys.executable, "-m", "kgask"]
# What the script that pip installs does.
SCRIPT = [sys.executable, "-c", "import sys; from kgask.__main__ import main; sys.exit(main())"]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which Python sends itself the signal."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "sitecustomize.py").write_text(SIGNAL_AT_IMPORT)
    paths = [str(folder), str(PACKAGE.parent)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def stopped_at(number: int, command: list[str], watched: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=watched | {"AT_IMPORT": str(number)}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_ctrl_c_while_anything_is_imported(watched: dict[str, str]) -> None:
    """From the first import of the command to the last of an answer: click, our modules, numpy, onnxruntime, ..."""
    stopped_at(-1, [*MODULE, QUESTION], watched)  # the first time tries the reader, which imports more
    imports = max(map(int, stopped_at(-1, [*MODULE, QUESTION], watched).stderr.split()))
    assert imports > 300
    for number in [0, 1, 2, 5, 12, 30, *range(60, imports, (imports - 60) // 10)]:
        done = stopped_at(number, [*MODULE, QUESTION], watched)
        assert (done.returncode, done.stderr, done.stdout) == (*STOPPED, ""), number


@pytest.mark.parametrize("number", [0, 3, 12])
def test_ctrl_c_in_the_script_that_pip_installs(number: int, watched: dict[str, str]) -> None:
    done = stopped_at(number, [*SCRIPT, "--help"], watched)
    assert (done.returncode, done.stderr, done.stdout) == (*STOPPED, "")
    points = (PACKAGE.parent / "setup.cfg").read_text(encoding="utf-8").partition("console_scripts =")[2]
    assert points.split()[:3] == ["kgask", "=", "kgask.__main__:main"]


def test_nothing_that_takes_time_is_imported_before_ctrl_c_is_ours() -> None:
    code = "import os; before = set(sys.modules); import kgask; print(*sorted(set(sys.modules) - before))"
    path = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
    command = [sys.executable, "-I", "-S", "-c", path + code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    ours = ["kgask", "kgask.errors", "kgask.machine", "kgask.machine.environment", "kgask.version"]
    assert done.stdout.split() == ["__future__", *ours]


@pytest.mark.slow
def test_ctrl_c_after_any_time() -> None:
    """0.02 to 0.6 s after the start, on whatever the process does then."""
    stopped = 0
    for step in range(12):
        process = subprocess.Popen([*MODULE, QUESTION], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.02 + step * 0.053)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if process.returncode == 0:
            assert (out, err) == ("Jane Austen\n", "")
        elif str(PACKAGE / "cli") in err or process.returncode == 130:
            assert (process.returncode, err) == STOPPED
            stopped += 1
        # else Python itself was still starting
    assert stopped


@pytest.mark.parametrize("count", [2, 5])
def test_ctrl_c_twice_at_once_is_one(tmp_path: Path, count: int) -> None:
    """A terminal and a wrapper may both pass it on; what is being cleaned up must still be."""
    script = f"""
import os, signal, sys, time
from tempfile import TemporaryDirectory
signal.signal(signal.SIGINT, signal.default_int_handler)
from kgask.cli import main

def work():
    with TemporaryDirectory(dir={str(tmp_path)!r}):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        finally:
            for _ in range({count - 1}):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

main.cli.callback = work
main.cli.invoke_without_command = True
main.LazyGroup.parse_args = lambda self, ctx, args: []
main.main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == STOPPED
    assert list(tmp_path.iterdir()) == []


LOST = {
    "callback": "import ctypes; ctypes.CFUNCTYPE(None)(stop)()",
    "import error": "try:\n    stop()\nexcept KeyboardInterrupt:\n    raise ImportError('KeyboardInterrupt')",
    "swallowed": "try:\n    stop()\nexcept BaseException:\n    pass",
}


@pytest.mark.parametrize("way", LOST)
@pytest.mark.parametrize("again_s", [0.02, 0.0])  # the second comes back before the first is through
def test_ctrl_c_that_a_library_loses_still_counts(way: str, again_s: float) -> None:
    """Python prints and drops an exception in a callback from C; pybind11 makes an ImportError of it."""
    script = f"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from kgask.cli import interrupt
from kgask.cli.interrupt import unwinding
interrupt.AGAIN_S = {again_s}

def stop():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)

def library():
    exec({LOST[way]!r}, {{"stop": stop}})
    time.sleep(0.5)

try:
    with unwinding():
        library()
except KeyboardInterrupt:
    print("unwound")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("unwound\n", "")


def test_a_background_job_that_ignores_ctrl_c_goes_on() -> None:
    script = f"trap '' INT; {sys.executable} -m kgask '{QUESTION}' --no-reader & sleep 0.3; kill -INT $!; wait $!"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Jane Austen\n", "")


def test_a_handler_of_another_program_is_left_alone() -> None:
    """``import kgask`` and a pipeline are no command: Ctrl-C is the caller's."""
    script = "import signal; signal.signal(signal.SIGINT, print); import kgask.cli.main as m\n" \
        "with m.interrupt.unwinding(): assert signal.getsignal(signal.SIGINT) is print"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
