"""Many processes ask a pack while it is replaced, again and again; each answer is of one version, and says which.

``python tools/replaced.py --processes 16 --rounds 50``: two versions of a pack answer the same questions otherwise. One
process puts one after the other in place (by build, and by import); the others ask: some with a new ``kgask ask`` each
time, some in one ``kgask chat`` that goes on. Every answer must be what its version, which its hash names, answers when
nobody replaces anything. Exit code 1 where one is not, or a command fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS / "fuzz"))
_QUESTIONS = ("who directed Harbour Lights?", "where was Ann Ray born?", "what is the height of Bob Stone?",
              "how many films did Ann Ray direct?", "who are the cast members of The Long Wait?")  # fmt: skip
_OTHER = {"Ann Ray": "Dora Quill", "Limerick": "Sligo", '"160': '"171', '"167': '"181'}
_OPTIONS = ("-p", "pack", "--no-reader", "--json")


def main() -> int:
    given = _given()
    with tempfile.TemporaryDirectory(prefix="kgask-replaced-") as place:
        for name in ("HOME", "CACHE"):
            os.environ[f"KGASK_{name}"] = f"{place}/{name.lower()}"
        import children

        import kgask  # noqa: F401 - before the libraries: it sets what they read from the environment

        children.MOST_CPU_SECONDS = children.MOST_SECONDS = 600  # nothing here is meant to take long
        children.warm_up()
        return _played(Path(place), given)


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tools/replaced.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--processes", type=int, default=16, help="that ask; every fourth is a chat that goes on")
    parser.add_argument("--rounds", type=int, default=50, help="times that the pack is replaced")
    return parser.parse_args()


def _played(place: Path, given: argparse.Namespace) -> int:
    (place / "asked.txt").write_text("".join(f"{text}\n" for text in _QUESTIONS))
    expected = _two_versions(place)
    spawn = get_context("fork")
    is_over, told = spawn.Event(), spawn.Queue()
    work = [_ask_on if number % 4 else _chat_on for number in range(given.processes)]
    asking = [spawn.Process(target=one, args=(place, is_over, told)) for one in work]
    for process in asking:
        process.start()
    began = time.monotonic()
    failed = [said for turn in range(given.rounds) if (said := _replace(place, turn))]
    spent = time.monotonic() - began
    is_over.set()
    found = [told.get(timeout=300) for _ in asking]
    for process in asking:
        process.join()
    answers = [row for rows, _ in found for row in rows]
    wrong = [row for row in answers if expected.get(row[0], {}).get(row[1], "") != row[2]]
    failed += [said for _, faults in found for said in faults]
    for line in [*map(str, wrong[:10]), *failed[:10]]:
        print(ascii(line))
    versions = Counter(row[0][:8] for row in answers)
    print(
        f"{given.rounds} replacements in {spent:.0f} s; {len(answers)} answers of {given.processes} processes "
        f"({', '.join(f'{count} of {name}' for name, count in versions.items())}): "
        f"{len(wrong)} wrong, {len(failed)} failed"
    )
    return int(bool(wrong or failed or len(versions) < min(2, given.rounds)))


def _two_versions(place: Path) -> dict[str, dict[str, str | None]]:
    """Build both, each packed too, and put the first in place; by hash what each answers."""
    from samples import GRAPH

    other = GRAPH
    for old, new in _OTHER.items():
        other = other.replace(f"\t{old}", f"\t{new}")
    expected = {}
    for number, rows in enumerate((GRAPH, other)):
        lines = [row for row in rows.splitlines() if row.count("\t") == 2]
        (place / f"{number}.tsv").write_text("".join(f"{line}\n" for line in lines))
        for words in (("build", f"{number}.tsv", "-o", "pack", "--force"), ("export", "pack", f"{number}.kgpack")):
            if said := _kgask(place, "pack", *words):
                raise SystemExit(said)
        answers = [_row(line) for line in _asked(place)[0].splitlines()]
        expected |= {answers[0][0]: {question: answer for _, question, answer in answers}}
    first, second = expected.values()
    if not all(first[question] != second[question] for question in _QUESTIONS[:3]):
        raise SystemExit(f"the two versions answer alike: {expected}")
    return expected


def _replace(place: Path, turn: int) -> str:
    version = turn % 2
    words = (
        ("build", f"{version}.tsv", "-o", "pack", "--force")
        if turn % 4 < 2
        else ("import", f"{version}.kgpack", "-o", "pack", "--force")
    )
    return _kgask(place, "pack", *words)


def _kgask(place: Path, *words: str) -> str:
    """Run a command; "" where it went well, else what it said."""
    from children import run

    ended = run(words, place)
    return f"{' '.join(words)}: exit {ended.code} {ended.stopped}: {ended.stderr[-300:]}" if ended.code else ""


def _row(line: str) -> tuple[str, str, str | None]:
    answer: dict[str, Any] = json.loads(line)
    return answer["hashes"]["pack"], answer["question"], answer["answer"]


def _asked(place: Path) -> tuple[str, str]:
    """What a command answers to all questions, and what it said where it failed."""
    from children import run

    ended = run(("ask", *_OPTIONS), place, (place / "asked.txt").read_bytes())
    return ended.stdout, f"ask: exit {ended.code} {ended.stopped}: {ended.stderr[-300:]}" if ended.code not in (
        0,
        3,
    ) else ""


def _ask_on(place: Path, is_over: Any, told: Any) -> None:
    rows, faults = [], []
    while True:
        out, fault = _asked(place)
        rows += [_row(line) for line in out.splitlines()]
        faults += [fault] if fault else []
        if is_over.is_set():
            break
    told.put((rows, faults))


def _chat_on(place: Path, is_over: Any, told: Any) -> None:
    """One chat that goes on over all replacements: all its answers are of the version that it opened."""
    rows, faults = [], []
    command = [sys.executable, "-m", "kgask", "chat", *_OPTIONS]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=place, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as chat:
        assert chat.stdin is not None and chat.stdout is not None
        while not is_over.is_set() or not rows:
            for question in _QUESTIONS:
                print(f"/reset\n{question}", file=chat.stdin, flush=True)
                line = chat.stdout.readline()
                if not line:
                    break
                rows.append((*_row(line)[:1], question, json.loads(line)["answer"]))
            else:
                continue
            break
        chat.stdin.close()
    if chat.returncode not in (0, 3):
        faults.append(f"chat: exit {chat.returncode}")
    if len({row[0] for row in rows}) > 1:
        faults.append("chat: answers of two versions")
    told.put((rows, faults))


if __name__ == "__main__":
    sys.exit(main())
