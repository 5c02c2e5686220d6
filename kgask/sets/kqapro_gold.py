"""The gold facts of KQA Pro's questions (see :mod:`kgask.sets.kqapro`): what a question says, as triples.

A fact is "subject,relation,object" or "subject,relation,object,qualifier,value"; ``?e`` and ``?e_1`` are what is not
named, ``?pv`` and ``?qpv`` a value and a qualifier's value that are asked for. Names hold commas, so the relations of
the set's facts tell where a name ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.sets.kqapro import FACTS
from kgask.sets.rows import fits, in_data, json_lines, lines_of, text_at

TRAINING, DEV = (Path(f"kqapro_parts/questions_{part}.jsonl.gz") for part in ("train", "dev"))
VALUE, QUALIFIER_VALUE, TRUTH = "?pv", "?qpv", "bool"  # targets; the others are variables


@dataclass(frozen=True, slots=True)
class GoldFact:
    subject: str
    relation: str
    object: str
    qualifier: str = ""  # "" where the fact has none
    value: str = ""


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """``facts`` is None where one of them cannot be told apart."""

    question: str
    kind: str  # "verify", "qualifier" or "multihop"
    target: str
    facts: tuple[GoldFact, ...] | None
    answer: str
    in_graph: bool  # its gold facts give exactly the answer over the set's facts


def relations(data: Path) -> tuple[set[str], set[str]]:
    """Relations and qualifiers of the set's facts."""
    found: set[str] = set()
    said: set[str] = set()
    for _, line in lines_of(in_data(data, FACTS)):
        fields = line.split("\t")
        found.add(fields[2])
        said.update(fields[4::2])
    return found, said


def fact_questions(data: Path, part: Path = TRAINING) -> Iterator[FactQuestion]:
    """Every question of a part, in the order of the file."""
    known, said = relations(data)
    for where, _, row in json_lines(in_data(data, part)):
        with fits(where):
            facts = [gold_fact(text, known, said) for text in row["facts"]]
            told = tuple(fact for fact in facts if fact)
            yield FactQuestion(
                text_at(row, "question"),
                text_at(row, "kind"),
                text_at(row, "target"),
                told if len(told) == len(facts) else None,
                text_at(row, "answer"),
                bool(row["in_graph"]),
            )


def gold_fact(text: str, known: Collection[str], said: Collection[str]) -> GoldFact | None:
    """A fact from its text, with a qualifier where it can be read so; None where no known relation stands in it."""
    found = None
    for subject, relation, rest in _split(text.split(","), {*known, "instance of"}):
        for obj, qualifier, value in _split(rest.split(","), said):
            return GoldFact(subject, relation, obj, qualifier, value)
        found = found or GoldFact(subject, relation, rest)
    return found


def _split(parts: list[str], known: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """What stands before and after each known name between commas, the longest names first."""
    for length in range(len(parts) - 2, 0, -1):
        for start in range(1, len(parts) - length):
            name = ",".join(parts[start : start + length])
            if name in known:
                yield ",".join(parts[:start]), name, ",".join(parts[start + length :])
