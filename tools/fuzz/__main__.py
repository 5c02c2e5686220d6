"""Changes packs, models, sources and questions as accidents and enemies do, and looks how kgask takes it.

``python tools/fuzz --what packs sources --number 500 --seed 7``: every case is made from seed, kind and number
alone, so ``--only 123`` makes it again; SIGTERM ends a run with its table, and ``--first`` goes on with it. What must
not be (a wrong answer, a traceback, a hang ...) is kept in ``--keep FOLDER``: the changed file, the command, and what
it said. Exit code 1 where there is any.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
_MOST_KEPT = 1 << 20  # bytes of a file that is kept; a larger one is made again from its number


def main() -> int:
    given = _given()
    with tempfile.TemporaryDirectory(prefix="kgask-fuzz-") as place:
        for name in ("HOME", "CACHE"):
            os.environ[f"KGASK_{name}"] = f"{place}/{name.lower()}"
        import children

        import kgask  # noqa: F401 - before the libraries: it sets what they read from the environment

        children.warm_up()
        children.share_models()
        sums = {what: _fuzzed(what, given, Path(place)) for what in given.what}
    _table(sums)
    from classify import BAD

    return int(any(found[outcome] for found in sums.values() for outcome in BAD))


def _given() -> argparse.Namespace:
    from worlds import WORLDS

    parser = argparse.ArgumentParser(prog="python tools/fuzz", description=__doc__.split("\n\n")[0])
    parser.add_argument("--what", nargs="+", choices=WORLDS, default=["packs", "sources", "inputs"])
    parser.add_argument("--number", type=int, default=100, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case, to go on with a run")
    parser.add_argument("--only", type=int, help="the one case of this number")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop each kind after so long")
    parser.add_argument("--keep", type=Path, help="a folder for what must not be")
    return parser.parse_args()


def _fuzzed(what: str, given: argparse.Namespace, place: Path) -> Counter[str]:
    from classify import BAD
    from worlds import WORLDS

    world, found, stopped = WORLDS[what](place / what), Counter[str](), list[int]()
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))  # the case under way is finished
    began = time.monotonic()
    for number in range(given.first, given.number) if given.only is None else [given.only]:
        if time.monotonic() - began > given.seconds or stopped:
            print(f"{what}: stopped; to go on: --first {number}", flush=True)
            break
        folder = place / "case"
        folder.mkdir()
        case = world.case(random.Random(f"{given.seed} {what} {number}"), folder)
        found["cases"] += 1
        for verdict in case.verdicts:
            found[verdict.outcome] += 1
            if verdict.outcome in BAD or given.only is not None:
                print(f"{what} {number}: {verdict.outcome}: {case.change!r:.300}\n  {_told(verdict.ended)}", flush=True)
                if given.keep is not None:
                    _keep(given.keep / f"{what}-{given.seed}-{number}-{verdict.outcome}", case, verdict.ended)
        shutil.rmtree(folder)
    return found


def _told(ended: object) -> str:
    """Command, exit code and the last of what it said, in one line."""
    words = " ".join(ended.words)[:200]  # type: ignore[attr-defined]
    last = ([*ended.stderr.strip().splitlines(), ""])[-2 if ended.stderr.strip() else -1]  # type: ignore[attr-defined]
    return ascii(f"{words} -> {ended.code}, {ended.seconds:.1f} s: {last[:300]}")  # type: ignore[attr-defined]


def _keep(folder: Path, case: object, ended: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in case.files:  # type: ignore[attr-defined]
        if path.is_file() and path.stat().st_size <= _MOST_KEPT:
            shutil.copyfile(path, folder / path.name)
    text = f"{case.change}\n{_told(ended)}\n\n{ended.stderr[-20_000:]}\n\n{ended.stdout[-20_000:]}"  # type: ignore[attr-defined]
    (folder / "what.txt").write_text(text, errors="backslashreplace")


def _table(sums: dict[str, Counter[str]]) -> None:
    from classify import BAD, FINE

    columns = ["cases", *FINE, *(one for one in BAD if any(found[one] for found in sums.values()))]
    print("\t".join(["", *columns]).expandtabs(12))
    for what, found in sums.items():
        print("\t".join([what, *(str(found[one]) for one in columns)]).expandtabs(12))


if __name__ == "__main__":
    sys.exit(main())
