"""The worked examples that go into prompts: kgask's own, in TOML files beside this one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Kind = Literal["question", "claim"]
MOST_SHOTS = 12  # KG-GPT, section 3


@dataclass(frozen=True, slots=True)
class Statement:
    """A sub-sentence with the entities that it names."""

    text: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitShot:
    """A sentence, its entities, and how it is split."""

    sentence: str
    entities: tuple[str, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class RelationShot:
    """A sub-sentence, relations, and which of them come near to it, nearest first."""

    statement: str
    relations: tuple[str, ...]
    chosen: tuple[str, ...]


@cache
def split_shots(kind: Kind) -> tuple[SplitShot, ...]:
    """Twelve examples of splitting a question or a claim, simple ones and others by turns."""
    return tuple(
        SplitShot(
            row["sentence"],
            tuple(row["entities"]),
            tuple(Statement(text, tuple(entities)) for text, entities in row["statements"]),
        )
        for row in _rows(f"split_{kind}s.toml")
    )


@cache
def relation_shots() -> tuple[RelationShot, ...]:
    """Twelve examples of choosing relations; a sub-sentence reads the same whatever it was part of."""
    rows = _rows("choose_relations.toml")
    return tuple(RelationShot(row["statement"], tuple(row["relations"]), tuple(row["chosen"])) for row in rows)


def _rows(name: str) -> list[dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["shots"]
