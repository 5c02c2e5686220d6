"""Long-tail questions and conversations in LTGen's spirit (Huang et al., section 3): JSON lines with gold triples.

The benchmark's own files name some fields differently from ours; both are read. Everything else is as in
:mod:`kgask.sets.own`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.sets.gold import Gold
from kgask.sets.own import golds_of_line
from kgask.sets.rows import json_lines, one_of_folder, stem

_OTHER_NAMES = {
    "query": "question", "answer": "answers", "gold_triples": "triples", "reference_triples": "triples",
    "level": "band", "entity": "topics", "entities": "topics", "topic": "topics", "relation": "relations",
    "dialogue": "turns", "conversation": "turns",
}  # fmt: skip
_LISTS = ("answers", "topics", "relations")


def load(path: Path, split: str | None) -> list[Gold]:
    """A file of JSON lines, or a folder with one of ``split``; a line is a question or has ``turns``."""
    path = one_of_folder(path, (".jsonl", ".json"), split)
    return [
        gold
        for where, number, row in json_lines(path)
        for gold in golds_of_line(where, f"{stem(path)}:{number}", _ours(where, row))
    ]


def _ours(where: str, row: dict[str, Any]) -> dict[str, Any]:
    """The row with our names of fields; one text where we have a list of them is a list of one."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        ours = _OTHER_NAMES.get(name, name)
        if ours in found:
            raise UsageError(f"{where}: {name!r} and another field both say what {ours!r} is")
        if ours in _LISTS and value is not None and not isinstance(value, list):
            value = [value]
        if ours == "turns" and isinstance(value, list):
            value = [_ours(where, turn) if isinstance(turn, dict) else turn for turn in value]
        found[ours] = value
    return found
