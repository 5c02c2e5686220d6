"""What a query comes to, in words: the answer, what is unsure of it, and its derivation with triples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kgask.answer.compose import support_in_words
from kgask.answer.result import AnswerEntity, SupportTriple
from kgask.pack.quantities import DATE, NUMBER, Quantity, date_of_day
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.query.text import to_text
from kgask.retrieve.derive import Derivation, derivation
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Coverage, Result
from kgask.retrieve.run import Runner
from kgask.retrieve.shown import in_unit, number_text, quantity_text, unit_of
from kgask.types import EntityId, ScoredTriple, TripleId, undirected

SHOWN = 10  # answers whose derivation is told
TRUTH_WORDS = {True: "yes", False: "no", None: None}

Kind = Literal["set", "value", "truth"]


@dataclass(frozen=True, slots=True)
class Derived:
    """The outcome of one query over one pack, with words for ids."""

    query: str  # text form
    kind: Kind
    text: str | None  # the answer; None: there is none, or it is unknown
    entities: tuple[AnswerEntity, ...] = ()  # of a set, those that surely belong
    perhaps: tuple[AnswerEntity, ...] = ()  # and those that may
    value: dict[str, Any] | None = None  # of a value: low, high, unit, kind
    notes: tuple[str, ...] = ()  # what is missing, undecided or not shown
    support: tuple[SupportTriple, ...] = ()
    derivation: tuple[dict[str, Any], ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """For JSON: docs/json.md, "Queries"."""
        return {
            "query": self.query,
            "kind": self.kind,
            "answer": self.text,
            "entities": [{"id": one.id, "key": one.key, "label": one.label} for one in self.entities],
            "perhaps": [{"id": one.id, "key": one.key, "label": one.label} for one in self.perhaps],
            "value": self.value,
            "support": [
                {"id": one.id, "subject": one.subject, "relation": one.relation, "object": one.object}
                for one in self.support
            ],
            "derivation": list(self.derivation),
            "notes": list(self.notes),
        }


def derived(query: Query, pack: Pack, seconds: float | None = None) -> Derived:
    """Run a query and tell how it came out.

    ``seconds`` bounds the run. Raises what :func:`kgask.retrieve.run.run` raises.
    """
    runner = Runner(pack, Budget(seconds))
    result = runner.result(query)
    answers = _told(query, result)
    steps = [derivation(runner, query, answer) for answer in answers]
    words = _Words(pack, steps, [*result.certain.tolist(), *result.possible.tolist()])
    notes = [words.coverage(one) for one in result.coverage if one.known < one.members or one.undecided]
    notes += _unsure(result)
    n_members = len(result.members.certain) if result.members else 0
    if n_members > len(answers):
        notes.append(f"the derivation tells of {len(answers)} of {n_members} answers")
    entities = words.entities(result.certain.tolist()) if result.members else ()
    return Derived(
        query=to_text(query, pack),
        kind="set" if isinstance(query, SetNode) else "truth" if isinstance(query, TruthNode) else "value",
        text=_text(runner, result, entities, words),
        entities=entities,
        perhaps=words.entities(sorted(set(result.possible.tolist()) - set(result.certain.tolist()))),
        value=_value(runner, result),
        notes=tuple(notes),
        support=support_in_words(pack, _support(steps)),
        derivation=tuple(map(words.step, steps)),
    )


def _told(query: Query, result: Result) -> list[EntityId | None]:
    """The answers whose derivation is told; of a value or truth, its own."""
    if not isinstance(query, SetNode):
        return [None]
    return list(result.certain[:SHOWN].tolist())


def _support(steps: list[Derivation]) -> list[ScoredTriple]:
    triples: dict[TripleId, None] = dict.fromkeys(triple for step in steps for triple in step.all_triples)
    return [ScoredTriple(triple, 1, 1.0, False) for triple in triples]


def _text(runner: Runner, result: Result, entities: tuple[AnswerEntity, ...], words: _Words) -> str | None:
    if result.members is not None:
        return " | ".join(one.label for one in entities) or None
    if isinstance(result.query, TruthNode):
        return TRUTH_WORDS[result.truth]
    if result.quantity is not None:
        return quantity_text(result.quantity, unit_of(runner, result.query, result.quantity.axis))
    # What statements say may be entities: no number, but an answer.
    told = words.entities(dict.fromkeys(result.certain.tolist()))
    return " | ".join(one.label for one in told) or None


def _value(runner: Runner, result: Result) -> dict[str, Any] | None:
    found = result.quantity
    if found is None:
        return None
    if found.axis == DATE:
        low, high = ("{:04}-{:02}-{:02}".format(*date_of_day(int(day))) for day in (found.low, found.high))
        return {"kind": "date", "low": low, "high": high, "unit": ""}
    unit = unit_of(runner, result.query, found.axis)
    return dict(zip(("kind", "low", "high", "unit"), ("number", *in_unit(found, unit), unit), strict=True))


def _unsure(result: Result) -> list[str]:
    notes = []
    if result.members is not None and not result.members.decided:
        n_more = len(result.members.possible) - len(result.members.certain)
        notes.append(f"{n_more} more may belong: what the graph knows does not decide it")
    if isinstance(result.query, TruthNode) and result.truth is None:
        notes.append("unknown: what the graph knows does not decide it")
    return notes


class _Words:
    """Labels of everything that a derivation names, fetched at once."""

    def __init__(self, pack: Pack, steps: list[Derivation], more: list[EntityId]) -> None:
        every = [inner for step in steps for inner in step.steps()]
        named = {step.member for step in every if step.member is not None}
        named |= {judged.literal for step in every for judged in step.judged if judged.literal is not None}
        ids = sorted(named.union(more))
        self._entities = {
            entity: AnswerEntity(entity, key, label)
            for entity, key, label in zip(ids, pack.keys(ids), pack.labels(ids), strict=True)
        }
        self._relations = pack.relation_labels()
        self._n_relations = pack.n_relations

    def entities(self, ids: Any) -> tuple[AnswerEntity, ...]:
        return tuple(self._entities[entity] for entity in ids)

    def step(self, step: Derivation) -> dict[str, Any]:
        """One step with those before it; keys that would be empty are left out."""
        values = [
            self._entities[one.literal].label if one.literal is not None else number_text(one.quantity.low)
            for one in step.judged
        ]
        told = {
            "operator": type(step.node).__name__.lower(),
            "member": None if step.member is None else self._entities[step.member].label,
            "values": values,
            "against": None if step.against is None else quantity_text(step.against, _base_unit(step.against)),
            "triples": list(step.triples),
            "more": step.n_more,
            "parts": [self.step(part) for part in step.parts],
        }
        return {key: value for key, value in told.items() if value not in (None, [], 0)}

    def coverage(self, found: Coverage) -> str:
        """``among 14 of 17 with a known area``."""
        undecided = f", {found.undecided} of them too coarse to decide" if found.undecided else ""
        return f"among {found.known} of {found.members} with a known {self._judged_by(found)}{undecided}"

    def _judged_by(self, found: Coverage) -> str:
        node = found.node
        path = node.by.path if isinstance(node, nodes.Where | nodes.Best) else (node.relation,)
        return " of ".join(self._relations[undirected(one, self._n_relations)[0]] for one in reversed(path))


def _base_unit(quantity: Quantity) -> str:
    return "" if quantity.axis in (DATE, NUMBER) else quantity.axis
