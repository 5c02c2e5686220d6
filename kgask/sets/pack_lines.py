"""What a pack of a public set is built from: lines of triples with qualifiers, and words, as ``kgask pack build`` reads
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kgask.build.recipe import Recipe
from kgask.build.texts import TextKind
from kgask.pack.literals import literal_key, parse_literal
from kgask.pack.records import LiteralKind

Lines = Mapping[TextKind, Iterable[str]]  # kind of text file -> its lines
Pairs = Sequence[tuple[str, str]]  # qualifiers: relation and value
COLUMNS = ("subject", "relation", "object", "qualifier", "value", "...")
INSTANCE_OF = "instance of"
CLASS = "class/"  # before the name of a kind of things, where entities have no ids


def literal(kind: LiteralKind, text: str, unit: str = "") -> str:
    """A value as a source writes it; ValueError for a text that is not of the kind."""
    return literal_key(parse_literal(kind, text, unit))


def one_line(text: str) -> str:
    return " ".join(text.split())


@dataclass(slots=True)
class PackLines:
    """Triples by key, and words for keys. Lines given twice are written once."""

    triples: dict[str, None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    relations: dict[str, str] = field(default_factory=dict)  # key -> "label" or "label<TAB>alias|alias"

    def add(self, subject: str, relation: str, value: str, qualifiers: Pairs = ()) -> None:
        said = (part for pair in qualifiers for part in pair)
        self.triples["\t".join((subject, relation, value, *said))] = None

    def alias(self, key: str, text: str) -> None:
        self.aliases.setdefault(key, {})[one_line(text.replace("|", " "))] = None

    def recipe(self, target: Path, folder: Path, licences: tuple[str, ...], notes: tuple[str, ...]) -> Recipe:
        """Writes the files into ``folder``, which must last until the pack is built."""
        source = folder / "triples.tsv"
        source.write_text("".join(f"{line}\n" for line in self.triples), encoding="utf-8")
        words: Lines = {
            "labels": [f"{key}\t{one_line(label)}" for key, label in self.labels.items()],
            "aliases": [f"{key}\t{'|'.join(names)}" for key, names in self.aliases.items()],
            "descriptions": [f"{key}\t{one_line(text)}" for key, text in self.descriptions.items()],
            "relations": [f"{key}\t{text}" for key, text in self.relations.items()],
        }
        return Recipe(
            (str(source),), target, columns=COLUMNS, texts=written(folder, words), licences=licences, source_notes=notes
        )


def written(folder: Path, lines: Lines) -> tuple[tuple[TextKind, str], ...]:
    """Text files as ``kgask pack build`` reads them: (kind, file) pairs."""
    found: list[tuple[TextKind, str]] = []
    for kind, rows in lines.items():
        path = folder / f"{kind}.tsv"
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        found.append((kind, str(path)))
    return tuple(found)
