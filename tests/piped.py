"""Small packs from lines of "subject | relation | object"."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from kgask.build.writer import PackBuilder
from kgask.pack.literals import parse_literal
from kgask.pack.store import Pack


def piped(text: str, numbers: Collection[str] = ()) -> PackBuilder:
    """A builder with the triples of a text; ``numbers`` are the relations whose objects are numbers."""
    builder = PackBuilder()
    for line in text.strip().splitlines():
        subject, relation, end = (part.strip() for part in line.split("|"))
        builder.add(subject, relation, parse_literal("number", end) if relation in numbers else end)
    return builder


@contextmanager
def opened(builder: PackBuilder, folder: Path) -> Iterator[Pack]:
    """The pack that a builder makes, written to a new folder."""
    builder.write(folder / "pack")
    with Pack.open(folder / "pack") as pack:
        yield pack
