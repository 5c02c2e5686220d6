"""The folder of a run: what decides it, its predictions and their times; a killed run goes on where it was.

``run.json`` comes first, in one rename. Predictions are appended in batches of a fixed size, because an int8 planner
rounds by what it plans together: a batch that is not whole is cut off and asked again, so that a run that was
killed and resumed ends in the same bytes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.eval.records import Prediction, json_line, read_lines, read_predictions
from kgask.machine.files import read_regular, temporary_names, write_whole

RUN_FILE, PREDICTIONS_FILE, TIMINGS_FILE = "run.json", "predictions.jsonl", "timings.jsonl"
FORMAT = 1
_MOST_BYTES = 1 << 24  # of run.json


@dataclass(frozen=True, slots=True)
class Saved:
    """A run that was read back."""

    path: Path
    decides: dict[str, Any]  # everything that the predictions depend on
    about: dict[str, Any]  # the rest: the command, where the questions were
    predictions: list[Prediction]

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    @property
    def n_questions(self) -> int:
        return self.decides["questions"]

    @property
    def finished(self) -> bool:
        return len(self.predictions) == self.n_questions

    @property
    def unfinished_note(self) -> str:
        return (
            f"{self.path}: {len(self.predictions)} of {self.n_questions} questions were asked; "
            "run the same command again to finish"
        )


def load(path: Path) -> Saved:
    """A run, finished or not. Raises :class:`UsageError`, one line, for anything else."""
    settings = read_settings(path)
    predictions = path / PREDICTIONS_FILE
    return Saved(path, settings["decides"], settings["about"], read_predictions(predictions))


def read_settings(path: Path) -> dict[str, Any]:
    """``run.json`` of a run."""
    file = path / RUN_FILE
    try:
        content = json.loads(read_regular(file, _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(f"{path}: not a run of 'kgask eval run' (no {RUN_FILE})") from error
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: not JSON; the run cannot be used") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f"{file}: not of format {FORMAT}; run it again with this version of kgask")
    decides = content.get("decides")
    if not isinstance(decides, dict) or not isinstance(decides.get("questions"), int):
        raise UsageError(f"{file}: what decides the run is missing; run it again")
    if not isinstance(decides.get("default_threshold", 0.0), int | float):
        raise UsageError(f"{file}: its default_threshold is no number; run it again")
    return {"decides": decides, "about": content.get("about") or {}}


def read_timings(path: Path) -> list[dict[str, float]]:
    """Milliseconds per stage of each question of a run, in its order; none where the file is missing."""
    file = path / TIMINGS_FILE
    if not file.exists():
        return []
    found = []
    for line, where in read_lines(file):
        try:
            timings = json.loads(line)["timings_ms"]
            found.append({str(stage): float(spent) for stage, spent in timings.items()})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{where}: not a line of timings") from error
    return found


def run_names(runs: Sequence[Saved]) -> list[str]:
    """Folder names, with their parents' where two are the same."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return names
    return [str(run.path) for run in runs]


# --- writing ------------------------------------------------------------------------------------


class Writer:
    """Appends whole batches; see :func:`opened`."""

    def __init__(self, path: Path, n_done: int) -> None:
        self.n_done = n_done  # questions whose predictions stand
        self._predictions = (path / PREDICTIONS_FILE).open("ab")
        self._timings = (path / TIMINGS_FILE).open("ab")

    def append(self, lines: Sequence[str], timings: Sequence[dict[str, Any]]) -> None:
        """A batch; the times go first, so that a kept prediction always has them."""
        self._timings.write("".join(f"{json_line(row)}\n" for row in timings).encode())
        self._timings.flush()
        for line in lines:
            self._predictions.write(f"{line}\n".encode())
            self._predictions.flush()
        self.n_done += len(lines)

    def close(self) -> None:
        self._predictions.close()
        self._timings.close()


@contextmanager
def opened(
    path: Path, decides: dict[str, Any], about: dict[str, Any], ids: Sequence[str], batch: int
) -> Iterator[Writer]:
    """The folder of a new run, or of one to go on with.

    Raises :class:`UsageError` for a folder that holds something else, a run with other settings, or one that
    another process is writing.
    """
    path.mkdir(parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{path}: another run is writing here; choose another -o") from None
        _claim(path, decides, about)
        writer = Writer(path, _cut(path, ids, batch))
        try:
            yield writer
        finally:
            writer.close()
    finally:
        os.close(lock)


def _claim(path: Path, decides: dict[str, Any], about: dict[str, Any]) -> None:
    if not (path / RUN_FILE).exists():
        left = temporary_names(path / RUN_FILE)  # of a run that was killed in its first moment
        strangers = sorted(each.name for each in path.iterdir() if each not in left)
        if strangers:
            raise UsageError(f"{path}: holds {strangers[0]!r} and is not a run; choose another -o")
        content = {"format": FORMAT, "decides": decides, "about": about}
        write_whole(path / RUN_FILE, json.dumps(content, ensure_ascii=True, indent=1, sort_keys=True) + "\n")
        return
    before = read_settings(path)["decides"]
    for name in (*decides, *before):
        if before.get(name) != decides.get(name):
            was, now = _short(before.get(name)), _short(decides.get(name))
            raise UsageError(f"{path}: was run with {name} {was}, now {now}; go on with the same, or choose another -o")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _cut(path: Path, ids: Sequence[str], batch: int) -> int:
    """Cut both files to whole batches; how many questions stand."""
    files = [path / PREDICTIONS_FILE, path / TIMINGS_FILE]
    ends = [_line_ends(file) for file in files]
    n_whole = min(map(len, ends))
    n_kept = n_whole if n_whole == len(ids) else n_whole - n_whole % batch
    for file, end in zip(files, ends, strict=True):
        if file.exists():
            os.truncate(file, end[n_kept - 1] if n_kept else 0)
    if n_whole > len(ids):
        raise UsageError(f"{files[0]}: has more lines than there are questions; choose another -o")
    found = read_predictions(files[0]) if n_kept else []
    for number, (prediction, wanted) in enumerate(zip(found, ids, strict=False), 1):
        if prediction.id != wanted:
            raise UsageError(f"{files[0]}:{number}: is of another question; choose another -o")
    return n_kept


def _line_ends(file: Path) -> list[int]:
    """Offsets behind every whole line."""
    if not file.exists():
        return []
    ends, at = [], 0
    with file.open("rb") as stream:
        for line in stream:
            at += len(line)
            if line.endswith(b"\n"):
                ends.append(at)
    return ends
