"""Kills each writing command at random moments, and looks what it leaves.

``python tools/kill --number 100 --seed 7 [--what add chat]``: a command runs in a forked child on a small pack and is
killed (SIGKILL): every other time when so much of its time is over, else right before its n-th change of the file
system. Then the old version is whole, or the new one; the same command again finishes, and nothing is left behind.
Moments follow from seed, command and number: ``--only 12`` makes one again, as far as clocks allow. With ``--fail
ENOSPC EIO EINTR`` nothing is killed: the first, second, ... of its writes fails so (this needs gcc), and it has to say
so in one line and an exit code, and to leave nothing. Exit code 1 where something must not be.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenes import Kills

TOOLS = Path(__file__).resolve().parents[1]
SHIM = "failing_writes.so"
sys.path[:0] = [str(Path(__file__).parent), str(TOOLS / "fuzz")]


def main() -> int:
    given = _given()
    if given.fail and SHIM not in os.environ.get("LD_PRELOAD", ""):
        _preload()
    n_bad = 0
    with tempfile.TemporaryDirectory(prefix="kgask-kill-") as place:
        work = Path(place) / "work"
        os.environ |= {"KGASK_HOME": str(work / "home"), "KGASK_CACHE": f"{place}/cache"}
        import children

        import kgask  # noqa: F401 - before the libraries: it sets what they read from the environment

        children.MOST_CPU_SECONDS = children.MOST_SECONDS = 600  # nothing here is meant to take long
        children.warm_up()
        children.share_models()
        from scenes import SCENES, Kills

        print(f"{'':14}kills  too late     old     new    part     bad  seconds")
        for name in given.what:
            began, kills = time.monotonic(), Kills(SCENES[name], Path(place), work)
            found = _failed(name, kills, given) if given.fail else _killed(name, kills, given)
            shown = "".join(f"{found[one]:8}" for one in ("too late", "old", "new", "part", "bad"))
            print(f"{name:14}{found['kills']:5}  {shown}{time.monotonic() - began:9.0f}", flush=True)
            n_bad += found["bad"]
    return int(n_bad > 0)


def _given() -> argparse.Namespace:
    from scenes import SCENES

    parser = argparse.ArgumentParser(prog="python tools/kill", description=__doc__.split("\n\n")[0])
    parser.add_argument("--what", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--number", type=int, help="kills of each command (100), or writes that fail (all of them)")
    parser.add_argument(
        "--fail", nargs="+", choices=("ENOSPC", "EIO", "EINTR"), help="writes fail so, in place of kills"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the one kill of this number")
    parser.add_argument("--keep", type=Path, help="a folder for what a kill left where something must not be")
    return parser.parse_args()


def _preload() -> None:
    """Begin again, with the library that lets writes fail before all others."""
    with tempfile.TemporaryDirectory(prefix="kgask-shim-") as place:
        library = Path(place) / SHIM
        source = TOOLS.parent / "tests" / "failing_writes.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        command = [sys.executable, *sys.argv]
        sys.exit(subprocess.run(command, env=os.environ | {"LD_PRELOAD": str(library)}, check=False).returncode)


def _killed(name: str, kills: Kills, given: argparse.Namespace) -> Counter[str]:
    found = Counter[str]()
    for number in range(given.number or 100) if given.only is None else [given.only]:
        _told(name, number, kills.kill(random.Random(f"{given.seed} {name} {number}"), number), kills, given, found)
    return found


def _failed(name: str, kills: Kills, given: argparse.Namespace) -> Counter[str]:
    """Each write, or ``--number`` of them by chance."""
    found = Counter[str]()
    for word in given.fail:
        numbers = list(range(kills.n_writes))
        if given.number is not None and given.number < len(numbers):
            numbers = sorted(random.Random(f"{given.seed} {name} {word}").sample(numbers, given.number))
        for number in numbers if given.only is None else [given.only]:
            _told(f"{name} {word}", number, kills.fail(number, getattr(errno, word)), kills, given, found)
    return found


def _told(
    name: str, number: int, ended: tuple[str, str], kills: Kills, given: argparse.Namespace, found: Counter[str]
) -> None:
    outcome, why = ended
    found["kills"] += 1
    found["bad" if why else outcome] += 1
    if why or given.only is not None:
        print(f"{name} {number}: {outcome}; {ascii(why) if why else 'as it should be'}", flush=True)
    if why and given.keep is not None:
        shutil.copytree(kills.left, given.keep / f"{name}-{given.seed}-{number}", dirs_exist_ok=True, symlinks=True)


if __name__ == "__main__":
    sys.exit(main())
