"""What an outcome is, beside that of the run where nothing was changed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from children import Ended

RIGHT = "right"
TOLD = "told"  # it goes on, and says what is wrong
ERROR = "clear error"
REFUSED = "refused"  # no answer, with a reason
OTHER = "other"  # what was changed is said; nothing could tell that it was something else
FINE = (RIGHT, TOLD, ERROR, REFUSED, OTHER)
WRONG = "WRONG"
MISSED = "MISSED"  # by a command whose purpose it is to find it
SILENT = "SILENT"  # it fails without a word, or goes on without saying what it left out
UNCLEAR = "UNCLEAR"  # stderr has what kgask did not write
LEAK = "LEAK"  # control characters on a terminal
FAULT = "FAULT"  # what nothing foresaw: a line with a code to report, in place of a traceback
TRACEBACK, SIGNAL, HANG, MEMORY = "TRACEBACK", "SIGNAL", "HANG", "MEMORY"
BAD = (WRONG, MISSED, SILENT, UNCLEAR, LEAK, FAULT, TRACEBACK, SIGNAL, HANG, MEMORY)
_FAULT = "a fault of kgask itself"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One command of one case."""

    outcome: str
    ended: Ended


def broken(ended: Ended, as_json: bool = False) -> str:
    """What no command may do, whatever it is given; "" for none of it."""
    if ended.stopped:
        return HANG if ended.stopped == "hang" else MEMORY
    if ended.code < 0:
        return SIGNAL
    if ended.code in (98, 99) or "Traceback (most recent call last)" in ended.stderr:
        return TRACEBACK
    if _FAULT in ended.stderr:
        return FAULT
    lines = ended.stderr.splitlines()
    if "--explain" not in ended.words and any(not line.startswith("kgask: ") and line.strip() for line in lines):
        return UNCLEAR
    if _CONTROL.search(ended.stderr) or (not as_json and _CONTROL.search(ended.stdout)):
        return LEAK
    return SILENT if ended.code in (1, 2) and not lines else ""


def of_answers(base: Ended, ended: Ended, is_another: bool) -> str:
    """Of lines of JSON answers. ``is_another``: the data were made to fit, so an other answer is no lie."""
    if found := broken(ended, as_json=True):
        return found
    outcomes = [RIGHT]
    for before, now in zip(base.stdout.splitlines(), ended.stdout.splitlines(), strict=False):
        outcomes.append(_of_answer(json.loads(before), json.loads(now)))
    if WRONG in outcomes:
        return OTHER if is_another else WRONG
    if ended.code == base.code:
        if len(ended.stdout.splitlines()) != len(base.stdout.splitlines()):
            return SILENT
        return REFUSED if REFUSED in outcomes else TOLD if ended.stderr != base.stderr else RIGHT
    return ERROR if ended.stderr else SILENT


def _of_answer(before: dict[str, Any], now: dict[str, Any]) -> str:
    if now["abstained"]:
        return RIGHT if before["abstained"] else REFUSED
    said = [(one["answer"], sorted(str(end["label"]) for end in one["entities"])) for one in (before, now)]
    return RIGHT if said[0] == said[1] else WRONG


def of_text(base: Ended, ended: Ended, is_another: bool) -> str:
    """Of a command whose whole output counts."""
    if found := broken(ended):
        return found
    if (ended.code, ended.stdout) == (base.code, base.stdout):
        return RIGHT if ended.stderr == base.stderr else TOLD
    if ended.code:
        return ERROR if ended.stderr else SILENT
    return OTHER if is_another else WRONG


def of_check(ended: Ended, is_another: bool) -> str:
    """Of a check that has to find what was changed."""
    return broken(ended) or (ERROR if ended.code else OTHER if is_another else MISSED)


def of_build(whole: str | None, built: str | None, ended: Ended, is_cut: bool) -> str:
    """Of a build: content hashes of the packs; ``is_cut`` where a source ends in the middle of what it says."""
    if found := broken(ended):
        return found
    if ended.code:
        return ERROR if built is None and ended.stderr.strip() else SILENT
    if built is None:
        return SILENT
    if built == whole:
        return RIGHT
    if len(ended.stderr.splitlines()) > 1:  # the last line says what was built
        return TOLD
    return SILENT if is_cut else OTHER
