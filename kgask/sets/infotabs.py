"""InfoTabS (Gupta et al. 2020): claims about infoboxes, and all infoboxes as one graph."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.claims import VERDICTS, GoldClaim
from kgask.sets.pack_lines import CLASS, INSTANCE_OF, PackLines, literal
from kgask.sets.rows import fits, in_data, json_lines, lines_of

TABLES = "infotabs/tables.tsv.gz"  # table, category, title, key, value
TRAINING = "infotabs/train.jsonl.gz"
KINDS = {verdict: verdict for verdict in VERDICTS.values()}
MOSTLY = 0.8  # share of a key's values that are numbers or dates from which these are literals
_MONTHS = "january february march april may june july august september october november december".split()
_NUMBER = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+|[+-]?\d+(?:\.\d+)?")
_DATE = re.compile(r"(?:(\d{1,2}) ([A-Z][a-z]+)|([A-Z][a-z]+) (\d{1,2}),?|([A-Z][a-z]+))? ?(\d{4})\b(?: \(.*)?")


def infotabs(data: Path) -> PackLines:
    """Every infobox is an entity; its keys are relations, its category is its class."""
    rows = list(_rows(in_data(data, TABLES)))
    by_key = defaultdict[str, list[str]](list)
    for _, _, _, key, value in rows:
        by_key[key].append(value)
    kinds = {key: _kind(values) for key, values in by_key.items()}
    lines = PackLines()
    for table, category, title, key, value in rows:
        lines.labels[table] = title
        lines.labels[f"{CLASS}{category}"] = category
        lines.add(table, INSTANCE_OF, f"{CLASS}{category}")
        lines.add(table, key, _value(kinds[key], value) or value)
    return lines


def claims(path: Path) -> Iterator[tuple[str, GoldClaim]]:
    """The claims of a file, each with the key of its infobox; they are of no kind, so the verdict stands for it.

    Raises UsageError for what is no such file.
    """
    for where, _, row in json_lines(path):
        with fits(where):
            yield str(row["table"]), GoldClaim(str(row["claim"]), KINDS[row["verdict"]], row["verdict"], None)


def _rows(path: Path) -> Iterator[list[str]]:
    for number, line in lines_of(path):
        row = [" ".join(part.split()) for part in line.split("\t")]
        if len(row) != 5:
            raise UsageError(f"{path}:{number}: expected table, category, title, key and value")
        if all(row):
            yield row


def _kind(values: list[str]) -> str | None:
    for kind in ("number", "date"):
        if sum(_value(kind, value) is not None for value in values) >= MOSTLY * len(values):
            return kind
    return None


def _value(kind: str | None, text: str) -> str | None:
    """A literal as a source writes it; None for a text that is none of this kind."""
    if kind == "number" and _NUMBER.fullmatch(text):
        return literal("number", text.replace(",", ""))
    found = _DATE.fullmatch(text) if kind == "date" else None
    if found is None:
        return None
    day, month = found[1] or found[4], (found[2] or found[3] or found[5] or "").lower()
    if month and month not in _MONTHS:
        return None
    parts = [found[6], *([f"{_MONTHS.index(month) + 1:02}"] if month else []), *([f"{int(day):02}"] if day else [])]
    return literal("date", "-".join(parts))
