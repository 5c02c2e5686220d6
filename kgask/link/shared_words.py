"""Names that share a word said once: "the Hungarian and the Malaysian Grand Prix", "Hives 1 and 2".

Each is read as the whole name that the pack has: "the Hungarian Grand Prix and ...", "Hive 1 and Hive 2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgask.link.plurals import singulars
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

_WORD = r"[^\W_][\w.'\u2019-]*"
_JOINED = re.compile(r",? (?:and|or|nor|than|vs\.?|versus) (?:(?:in|on|of|to|from|by|for|with|at) )?(?:the )?")
_NUMBERED = re.compile(
    rf"\b(?P<head>{_WORD}) (?P<one>\w{{1,4}}) (?:and|or|nor|than|vs\.?|versus|to) (?P<other>\w{{1,4}})\b"
)
_YEAR = re.compile(r"[12]\d{3}")  # "the 1955 and the 1996 Monaco Grand Prix"
_BEFORE = re.compile(rf"(?:{_WORD} )*{_WORD}\Z")
_BEHIND = re.compile(rf"{_WORD}(?: {_WORD}){{1,4}}")
MOST_BEFORE = 3  # words of what the first name has of its own


class _Shared(NamedTuple):
    """What may be said in other words, where the pack has all of these names."""

    names: tuple[str, ...]
    start: int
    end: int
    said: str


def with_shared_words(text: str, pack: Pack) -> str:
    """The question with each of such names whole, where the pack has something of that name; any other as it is."""
    found = [*_behind(text), *_before(text)]
    if not found:
        return text
    known = pack.exact({normalise(name) for one in found for name in one.names})
    for one in found:
        if all(normalise(name) in known for name in one.names):
            return text[: one.start] + one.said + text[one.end :]
    return text


def _behind(text: str) -> Iterator[_Shared]:
    """ "Hungarian and the Malaysian Grand Prix": what the second name ends with, the longest names first."""
    for joint in _JOINED.finditer(text):
        before, behind = _BEFORE.search(text[: joint.start()]), _BEHIND.match(text[joint.end() :])
        if before is None or behind is None:
            continue
        words, last = before[0].split(" "), behind[0].split(" ")
        is_year = _YEAR.fullmatch(words[-1]) is not None and _YEAR.fullmatch(last[0]) is not None
        if not ((words[-1][0].isalpha() or is_year) and last[-1][0].isalpha()):
            continue  # "drawer 2 or drawer 3"
        for n_last in range(len(last), 1, -1):
            other = " ".join(last[:n_last])
            for n_shared in range(n_last - 1, 0, -1):
                shared = " ".join(last[n_last - n_shared : n_last])
                for n_own in range(1, min(MOST_BEFORE, len(words)) + 1):
                    one = " ".join((*words[-n_own:], shared))
                    yield _Shared((one, other), joint.start(), joint.start(), f" {shared}")


def _before(text: str) -> Iterator[_Shared]:
    """ "Hives 1 and 2": the word before both, in the singular too."""
    for found in _NUMBERED.finditer(text):
        for head in dict.fromkeys((found["head"], *singulars(found["head"]))):
            one, other = f"{head} {found['one']}", f"{head} {found['other']}"
            said = text[found.start() : found.end()].replace(f"{found['head']} {found['one']}", one, 1)
            yield _Shared((one, other), *found.span(), f"{said[: -len(found['other'])]}{other}")
