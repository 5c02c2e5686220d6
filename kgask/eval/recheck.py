"""Every printed answer and citation, checked again in the pack by plain SQL, array look-ups and the answer's SPARQL.

:class:`Witness` goes not through the pack's own reading code: it opens ``names.sqlite`` and the ``.npy`` arrays itself.
An answer holds when

- its text is its entities' labels, and each entity's label and key are what SQL says;
- every supporting triple is row ``id`` of the arrays, with the labels that SQL gives its ends and its relation, and
  what is told with it is said by its statements;
- from the question's seeds, the supporting triples, hop by hop, lead to every entity of the answer; of a query with
  operators the triples shown name the entities that they are shown for;
- its SPARQL says the same (:mod:`kgask.eval.rerun`).
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

import numpy as np

from kgask.answer.derived import SHOWN
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer, SupportTriple
from kgask.eval.endpoint import UnansweredError
from kgask.eval.rerun import Rerun
from kgask.pack.literals import literal_label, parse_typed
from kgask.query.nodes import Entities

BATCH = 64
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
_BLOCK = 32  # texts in a row of a pack of format 2
_KEYS = (  # of format 1
    "SELECT e.id, e.label, CASE WHEN e.rest IS NULL THEN e.label ELSE COALESCE(p.prefix, '') || e.rest END"
    " FROM json_each(?) j JOIN entities e ON e.id = j.value LEFT JOIN prefixes p ON p.id = e.prefix"
)


@dataclass(slots=True)
class Checked:
    """Counts over many questions; ``failures`` says what did not hold, one line each."""

    questions: int = 0
    answered: int = 0  # of several questions in one, each part
    derived: int = 0  # of these, by a query with operators
    entities: int = 0
    triples: int = 0
    broken: int = 0  # answers of which something does not hold
    differ: int = 0  # answers whose SPARQL says something else
    timed_out: int = 0  # answers whose SPARQL took too long
    failures: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float | int]:
        return {
            "questions": self.questions,
            "answered": self.answered,
            "derived": self.derived,
            "entities_checked": self.entities,
            "triples_checked": self.triples,
            "broken_answers": self.broken,
            "share_that_holds": round(1.0 - self.broken / max(1, self.answered), 4),
            "sparql_differs": self.differ,
            "sparql_timed_out": self.timed_out,
        }


class Witness:
    """A pack seen through SQL and numpy alone."""

    def __init__(self, folder: Path):
        self._db = sqlite3.connect(f"file:{folder.resolve()}/names.sqlite?mode=ro", uri=True)
        self._indptr = np.load(folder / "out_indptr.npy", mmap_mode="r")
        self._relations = np.load(folder / "out_relation.npy", mmap_mode="r")
        self._objects = np.load(folder / "out_object.npy", mmap_mode="r")
        self._relation_labels = dict(self._db.execute("SELECT id, label FROM relations"))
        qualifiers = ("statement_triple", "qualifier_indptr", "qualifier_relation", "qualifier_value")
        there = [folder / f"{name}.npy" for name in qualifiers if (folder / f"{name}.npy").is_file()]
        self._qualifiers = [np.load(path, mmap_mode="r") for path in there]  # none, or all four
        self._is_old = self._db.execute("PRAGMA user_version").fetchone()[0] == 1
        counts = json.loads((folder / "pack.json").read_bytes())["counts"]
        self._first_literal = len(self._indptr) - 1 - counts["literals"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def names(self, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Id -> (label, key), for the ids that exist."""
        if not self._is_old:
            return {one: named for one in set(ids) if (named := self._name(one)) is not None}
        rows = self._db.execute(_KEYS, (json.dumps(sorted(set(ids))),))
        return {row[0]: (row[1], row[2]) for row in rows}

    def _name(self, one: int) -> tuple[str, str] | None:
        """Label and key of an id in a pack of format 2."""
        if one < self._first_literal:
            label = self._text("labels", one)
            return None if label is None else (label, self._text("keys", one) or label)
        key = self._text("literals", one - self._first_literal)
        literal = parse_typed(key) if key else None
        return None if key is None or literal is None else (literal_label(literal), key)

    def _text(self, table: str, place: int) -> str | None:
        sql = f"SELECT texts FROM {table} WHERE block = ?"
        found = self._db.execute(sql, (place // _BLOCK,)).fetchone()
        texts = zlib.decompress(found[0]).decode().split("\0") if found else []
        return texts[place % _BLOCK] if place % _BLOCK < len(texts) else None

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
            found += self._faults_of_triple(triple, row, ends) + self._faults_of_qualifiers(triple)
            steps.append((triple.hop, row[2], row[0]) if triple.inverse else (triple.hop, row[0], row[2]))
        if answer.derivation is not None:  # its triples are of all steps, those of the first answers
            named = {*ends, *(value for triple in rows for _, value in self._qualified(triple)), *_given(answer)}
            named |= {one.id for one in answer.entities} if len(answer.entities) > SHOWN else set()
            return found + [f"{e.label!r} is in no triple shown" for e in answer.entities if e.id not in named]
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
        if answer.kind == "set" and answer.text != " | ".join(entity.label for entity in answer.entities):
            found.append(f"the text {answer.text!r} is not its entities")
        return found

    def _faults_of_triple(
        self, triple: SupportTriple, row: tuple[int, int, int], ends: dict[int, tuple[str, str]]
    ) -> list[str]:
        subject, relation, obj = row
        there = (ends[subject][0], self._relation_labels.get(relation), ends[obj][0])
        printed = (triple.subject, triple.relation, triple.object)
        return [] if there == printed else [f"triple {triple.id} is {there}, printed as {printed}"]

    def _faults_of_qualifiers(self, triple: SupportTriple) -> list[str]:
        """Of what is told with a triple, in the order of its statements."""
        pairs = self._qualified(triple.id)
        names = self.names(value for _, value in pairs)
        said = [(self._relation_labels[relation], names[value][0]) for relation, value in pairs]
        return [] if said == list(triple.qualifiers) else [f"triple {triple.id} is said with {said}"]

    def _qualified(self, triple: int) -> list[tuple[int, int]]:
        """(relation, value) of all statements of a triple."""
        if not self._qualifiers:
            return []
        of, indptr, relations, values = self._qualifiers
        low, high = (int(indptr[np.searchsorted(of, triple, side)]) for side in _SIDES)
        return list(zip(relations[low:high].tolist(), values[low:high].tolist(), strict=True))


def _given(answer: Answer) -> set[int]:
    """Entities that the query names itself: where it chooses among them, what speaks against others may be shown."""
    parts = answer.query.walk() if answer.query is not None else ()
    return {entity for part in parts if isinstance(part, Entities) for entity in part.ids}


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
    seconds: float,
    report: Callable[[int], None] = lambda done: None,
) -> Checked:
    """Ask all, check what is answered; by default without a threshold, so that doubtful answers are checked too.

    ``seconds`` bounds the SPARQL of each answer.
    """
    checked = Checked()
    options = AskOptions(min_confidence=min_confidence)
    with Witness(Path(pipeline.pack.path)) as witness, Rerun(pipeline.pack, seconds) as rerun:
        for start in range(0, len(questions), BATCH):
            for answer in pipeline.ask_many(questions[start : start + BATCH], options):
                checked.questions += 1
                for part in answer.parts or (answer,):
                    _count(checked, part, witness, rerun)
            report(min(start + BATCH, len(questions)))
    return checked


def _count(checked: Checked, answer: Answer, witness: Witness, rerun: Rerun) -> None:
    if answer.abstained:
        return
    faults = witness.faults(answer)
    checked.answered += 1
    checked.derived += answer.derivation is not None
    checked.entities += len(answer.entities)
    checked.triples += len(answer.support)
    checked.broken += bool(faults)
    try:
        differences = rerun.faults(answer)
    except UnansweredError as error:
        checked.timed_out += 1
        checked.failures.append(f"{answer.question!r}: its SPARQL {error}")
    else:
        checked.differ += bool(differences)
        faults += differences
    checked.failures += [f"{answer.question!r}: {fault}" for fault in faults]
