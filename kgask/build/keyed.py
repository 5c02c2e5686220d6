"""Tables that say what the keys of the triples beside them are called: "labels.tsv" (id, label), or "nodes.csv" (id,
label, type).

What is said of "Q1" in one file is said of the "Q1" in another; a table by itself knows no more than its own rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from kgask.build.rows import understood_rows
from kgask.build.source import STDIN, TABLE_FORMATS, Problems
from kgask.build.table_records import records_of
from kgask.build.tables import NAMED_BY, Table, readable
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

LOOKED_AT = 200  # rows of a table
MOST_LINES = 50_000  # of the triples beside it, whose keys are looked for
KNOWN = 0.5  # share of a table's keys that the triples name
_PLAIN = frozenset("node entity item vertex concept label name key id thing".split())  # files so called say no type
_DESCRIBED = ("description", "desc", "comment")


@dataclass(frozen=True, slots=True)
class Keyed:
    """Sources that are about keys of others: files of names, and tables with a row a key."""

    names: tuple[str, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()


def keyed(sources: Sequence[str], formats: Sequence[str], delimiter: str | None) -> Keyed:
    """Which of several sources call the keys of triples by names, or say more of them."""
    perhaps = [one for one, format in zip(sources, formats, strict=True) if format in ("rows", *TABLE_FORMATS)]
    some = {one: _some(one, delimiter, LOOKED_AT) for one in perhaps if one != STDIN}
    triples = [one for one, lines in some.items() if formats[sources.index(one)] != "rows" and len(lines[-1]) > 2]
    tables = [one for one, lines in some.items() if one not in triples and len(lines) > 1]
    keys = {key for one in triples if tables for fields in _some(one, delimiter, MOST_LINES) for key in fields[:3]}
    names, rows = [], []
    for one in tables:
        (_, *below), head = some[one], [*map(readable, some[one][0])]
        if sum(fields[0] in keys for fields in below) < KNOWN * len(below):
            continue
        is_header = formats[sources.index(one)] == "rows"
        if len(head) == 2 and (not is_header or head[1] in NAMED_BY) or (len(head) == 3 and head[2] in _DESCRIBED):
            names.append(one)
        elif is_header and len({fields[0] for fields in below}) == len(below):
            rows.append((one, _of_keys(one, delimiter)))
    return Keyed(tuple(names), tuple(rows))


def read_names(source: str, delimiter: str | None, builder: PackBuilder, problems: Problems) -> None:
    """What keys that the builder knows, of entities and of relations, are called, and perhaps what they are."""
    with records_of(source, delimiter) as records:
        for line, fields in records:
            key, name, *described = fields if len(fields) > 1 else ("", "")
            if not key or not name or not builder.knows(key):
                continue
            try:
                builder.label(key, name)
                builder.relation(key, name)
                for text in filter(None, described[:1]):
                    builder.description(key, text)
            except BuildError as error:
                problems.broken(source, line, str(error))


def _some(source: str, delimiter: str | None, most: int) -> list[list[str]]:
    with records_of(source, delimiter) as records:
        return [fields for _, fields in islice(records, most)] or [[]]


def _of_keys(source: str, delimiter: str | None) -> Table:
    """What a table means whose first column has keys of other files."""
    with records_of(source, delimiter) as records:
        table = understood_rows(records, source)
    first = next(iter(_some(source, delimiter, 1)[0]))
    columns = tuple(one for one in table.columns if one.names != (first,))
    type = "" if readable(Path(source).name.split(".")[0]).rstrip("s") in _PLAIN else table.type
    return replace(table, key=(first,), columns=columns, type=type, also="", is_marked=True)
