"""Every printed answer and citation, checked again in the pack by plain SQL and array look-ups.

Nothing here goes through the pack's own reading code: :class:`Witness` opens ``names.sqlite`` and the
``.npy`` arrays itself. An answer holds when

- its text is its entities' labels, and each entity's label and key are what SQL says;
- every supporting triple is row ``id`` of the arrays, with the labels that SQL gives its ends and its relation;
- from the question's seeds, the supporting triples, hop by hop, lead to every entity of the answer.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer, SupportTriple

BATCH = 64
_KEYS = (
    "SELECT e.id, e.label, CASE WHEN e.rest IS NULL THEN e.label ELSE COALESCE(p.prefix, '') || e.rest END"
    " FROM json_each(?) j JOIN entities e ON e.id = j.value LEFT JOIN prefixes p ON p.id = e.prefix"
)


@dataclass(slots=True)
class Checked:
    """Counts over many questions; ``failures`` says what did not hold, one line each."""

    questions: int = 0
    answered: int = 0
    entities: int = 0
    triples: int = 0
    broken: int = 0  # answers of which something does not hold
    failures: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float | int]:
        return {
            "questions": self.questions,
            "answered": self.answered,
            "entities_checked": self.entities,
            "triples_checked": self.triples,
            "broken_answers": self.broken,
            "share_that_holds": round(1.0 - self.broken / max(1, self.answered), 4),
        }


class Witness:
    """A pack seen through SQL and numpy alone."""

    def __init__(self, folder: Path):
        self._db = sqlite3.connect(f"file:{folder.resolve()}/names.sqlite?mode=ro", uri=True)
        self._indptr = np.load(folder / "out_indptr.npy", mmap_mode="r")
        self._relations = np.load(folder / "out_relation.npy", mmap_mode="r")
        self._objects = np.load(folder / "out_object.npy", mmap_mode="r")
        self._relation_labels = dict(self._db.execute("SELECT id, label FROM relations"))
        self._first_literal = len(self._indptr) - 1 - self._db.execute("SELECT COUNT(*) FROM literals").fetchone()[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def names(self, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id -> (label, key), for the ids that exist."""
        rows = self._db.execute(_KEYS, (json.dumps(sorted(set(ids))),))
        return {row[0]: (row[1], row[2]) for row in rows}

    def triple(self, row: int) -> tuple[int, int, int] | None:
        """(subject, relation, object) of a row of the arrays."""
        if not 0 <= row < len(self._objects):
            return None
        subject = int(np.searchsorted(self._indptr, row, side="right")) - 1
        return subject, int(self._relations[row]), int(self._objects[row])

    def faults(self, answer: Answer) -> list[str]:
        """What does not hold of a printed answer; empty when all does."""
        found = self._faults_of_names(answer)
        steps: list[tuple[int, int, int]] = []  # hop, from, to
        rows = {triple.id: self.triple(triple.id) for triple in answer.support}
        ends = self.names(end for row in rows.values() if row for end in (row[0], row[2]))
        for triple in answer.support:
            row = rows[triple.id]
            if row is None:
                found.append(f"triple {triple.id} is not in the pack")
                continue
            found += self._faults_of_triple(triple, row, ends)
            steps.append((triple.hop, row[2], row[0]) if triple.inverse else (triple.hop, row[0], row[2]))
        reached = _reached({seed.entity for seed in answer.seeds}, steps)
        return found + [f"{e.label!r} is not reached by the support" for e in answer.entities if e.id not in reached]

    def _faults_of_names(self, answer: Answer) -> list[str]:
        names = self.names(entity.id for entity in answer.entities)
        found = []
        for entity in answer.entities:
            label, key = names.get(entity.id, (None, None))
            if label != entity.label:
                found.append(f"entity {entity.id} is {label!r}, printed as {entity.label!r}")
            elif entity.id < self._first_literal and key != entity.key:
                found.append(f"entity {entity.id} has the key {key!r}, printed as {entity.key!r}")
        if answer.text != " | ".join(entity.label for entity in answer.entities):
            found.append(f"the text {answer.text!r} is not its entities")
        return found

    def _faults_of_triple(
        self, triple: SupportTriple, row: tuple[int, int, int], ends: dict[int, tuple[str, str]]
    ) -> list[str]:
        subject, relation, obj = row
        there = (ends[subject][0], self._relation_labels.get(relation), ends[obj][0])
        printed = (triple.subject, triple.relation, triple.object)
        return [] if there == printed else [f"triple {triple.id} is {there}, printed as {printed}"]


def _reached(seeds: set[int], steps: Sequence[tuple[int, int, int]]) -> set[int]:
    """Everything that whole ways from the seeds reach, hop by hop."""
    frontier, reached = seeds, set()
    for hop in sorted({step[0] for step in steps}):
        frontier = {end for at, start, end in steps if at == hop and start in frontier}
        reached |= frontier
    return reached


def run(
    pipeline: Pipeline,
    questions: Sequence[str],
    min_confidence: float | None,
    report: Callable[[int], None] = lambda done: None,
) -> Checked:
    """Ask all, check what is answered; by default without a threshold, so that doubtful answers are checked too."""
    checked = Checked()
    options = AskOptions(min_confidence=min_confidence)
    with Witness(Path(pipeline.pack.path)) as witness:
        for start in range(0, len(questions), BATCH):
            for answer in pipeline.ask_many(questions[start : start + BATCH], options):
                _count(checked, answer, witness)
            report(min(start + BATCH, len(questions)))
    return checked


def _count(checked: Checked, answer: Answer, witness: Witness) -> None:
    checked.questions += 1
    if answer.abstained:
        return
    faults = witness.faults(answer)
    checked.answered += 1
    checked.entities += len(answer.entities)
    checked.triples += len(answer.support)
    checked.broken += bool(faults)
    checked.failures += [f"{answer.question!r}: {fault}" for fault in faults]
