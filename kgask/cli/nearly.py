"""Words on the command line that are no command: a question, or nearly a command?

A question is quoted or several words. What is one slip away from a command, or is the name of a subcommand, and goes
on as commands do (with a subcommand, an option, a file) is taken for a slip, and what was likely meant is offered.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

# The subcommands of every group, repeated here so that nothing is imported to compare with them.
GROUPS = {
    "pack": "add build check connect default delete diff export history import info keygen list map merge "
    "remove rename rollback search show subset update",
    "models": "add check default list remove show",
    "train": "adapt amr calibrate calibrate-claims domain encoder judge judge-questions queries reader requantise "
    "rigel score-reader",
    "eval": "all compare covered few half make make-claims off-topic oracle parity prepare reading recheck relations "
    "rename report run score table",
    "bench": "ask building busy checks claims cold constrain hops linking operators planning prefix read similarity "
    "size warm",
}
TAKES_QUESTION = ("ask", "prompt")
_TAKES_WORD = {"airgap", "completion"}
_TAKES_NAME = {"add", "check", "default", "info", "remove", "search", "show"}  # "search Bath"
_NAME_WORDS = 3
_FEWEST_LETTERS = 3
# A path, a file name, an id or a key: what a question has no use for as a word of its own.
_NOT_PROSE = re.compile(r".*/.*|.*\.[A-Za-z]\w{0,6}|#\d+|[A-Z]\d+|\d+=.*")


def nearly(word: str, names: Iterable[str]) -> list[str]:
    """Names that are ``word`` but for one letter more, less, other, or two exchanged, or for its case."""
    word = word.lower()
    return [name for name in names if name == word or (len(word) >= _FEWEST_LETTERS and _one_slip(word, name))]


def _one_slip(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    start = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    end = next((i for i in range(shorter - start) if one[-1 - i] != other[-1 - i]), shorter - start)
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def meant(args: Sequence[str], commands: Iterable[str]) -> list[str]:
    """Command lines (from "kgask" on) that were likely meant by ``args``; none for what reads like a question.

    ``args`` begins with a word that is no command and no option.
    """
    first, rest = args[0], _words(args[1:])
    if " " in first.strip():
        return []
    tails = {command: _as_command(command, rest) for command in nearly(first, commands)}
    found = [[command, *tail, *args[1 + len(tail) :]] for command, tail in tails.items() if tail is not None]
    for name in nearly(first, dict.fromkeys(" ".join(GROUPS.values()).split())):
        if rest or name == first.lower():  # "Sun" alone is not "run"
            found += _in_groups(name, args[1:], rest)
    return ["kgask " + shlex.join(line) for line in found]


def _words(args: Sequence[str]) -> list[str]:
    """What stands before the first option."""
    end = next((i for i, word in enumerate(args) if word.startswith("-") and word != "-"), len(args))
    return list(args[:end])


def _as_command(command: str, rest: list[str]) -> list[str] | None:
    """The words to put in place of the first of ``rest`` when they fit ``command``; None when they do not."""
    if not rest:
        return []
    if command in GROUPS:
        return nearly(rest[0], GROUPS[command].split())[:1] or None
    asked = command in TAKES_QUESTION and len(rest) == 1 and " " in rest[0].strip()
    named = command in _TAKES_WORD and len(rest) == 1
    return [] if asked or named or all(map(_NOT_PROSE.fullmatch, rest)) else None


def _in_groups(name: str, args: Sequence[str], rest: list[str]) -> list[list[str]]:
    """``name`` as a subcommand of the groups that have it, when what follows is what it takes."""
    if any("?" in word for word in rest):
        return []
    groups = [group for group, names in GROUPS.items() if name in names.split()]
    if rest and (named := [group for group in nearly(rest[0], groups) if len(rest) == 1]):  # "list packs"
        return [[group, name, *args[1:]] for group in named]
    takes_it = name in _TAKES_NAME and len(rest) == 1 and len(rest[0].split()) <= _NAME_WORDS
    if rest and not takes_it and not any(map(_NOT_PROSE.fullmatch, rest)):
        return []
    return [[group, name, *args] for group in groups]
