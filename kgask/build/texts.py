"""Files of labels, aliases, descriptions and relation texts, beside the triples.

TSV, or CSV by the name's ending, the key first::

    labels        key  label
    aliases       key  alias|alias
    descriptions  key  description
    relations     key  label  [alias|alias  [description  [inverse label]]]
    passages      key|key  text

A source may hold far more keys than the triples name: the others are passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO
from typing import Literal as OneOf

from kgask.build.source import Problems, open_source
from kgask.build.tsv import rows
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

TextKind = OneOf["labels", "aliases", "descriptions", "relations", "passages"]
_MOST_FIELDS = {"labels": 2, "aliases": 2, "descriptions": 2, "relations": 5, "passages": 2}


def read_texts(
    name: str,
    kind: TextKind,
    builder: PackBuilder,
    problems: Problems,
    rank: int = 0,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> None:
    """Give the builder the texts of one file; with a lower ``rank`` they win over those of a higher."""
    with open_source(name, on_bytes) as stream:
        read_text_lines(stream, name, kind, builder, problems, rank)


def read_text_lines(
    stream: BinaryIO,
    name: str,
    kind: TextKind,
    builder: PackBuilder,
    problems: Problems,
    rank: int,
    n_before: int = 0,
) -> None:
    """The lines of a file of texts; ``n_before`` come before the stream."""
    quoted, most = ".csv" in name.lower(), _MOST_FIELDS[kind]
    for number, fields in rows(stream, name, problems, "," if quoted else "\t", quoted, n_before):
        if not 2 <= len(fields) <= most:
            expected = "2" if most == 2 else f"2 to {most}"
            problems.broken(name, number, f"{len(fields)} fields, {expected} expected")
        elif any(map(builder.knows, _split(fields[0]) if kind == "passages" else fields[:1])):
            try:
                _give(kind, fields, builder, rank)
            except BuildError as error:
                problems.broken(name, number, str(error))


def _give(kind: TextKind, fields: list[str], builder: PackBuilder, rank: int) -> None:
    key, text = fields[0], fields[1]
    if kind == "labels":
        builder.label(key, text, rank)
    elif kind == "descriptions":
        builder.description(key, text, rank)
    elif kind == "passages":
        builder.passage(_split(key), text)
    elif kind == "aliases":
        for alias in _split(text):
            builder.alias(key, alias)
    else:
        _, label, aliases, description, inverse = fields + [""] * (5 - len(fields))
        builder.relation(key, label, _split(aliases), description, inverse, rank)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]
