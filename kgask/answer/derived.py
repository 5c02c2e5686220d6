"""What a query comes to, in words: the answer, what is unsure of it, its proof, and its derivation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kgask.answer.result import (
    AnswerEntity,
    Kind,
    SupportTriple,
    entity_dicts,
    number_value,
    text_with_unit,
    when_value,
)
from kgask.answer.words import support_in_words
from kgask.pack.arrays import distinct
from kgask.pack.quantities import SECONDS, WHEN, Quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import literal_places
from kgask.query.base import SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.query.text import to_text
from kgask.query.words import steps_in_words, verbalise
from kgask.retrieve.derive import Judged, derivation
from kgask.retrieve.facts import each_once
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Coverage, Result
from kgask.retrieve.run import Runner
from kgask.retrieve.shown import in_unit, lasting, number_text, unit_of, value_text
from kgask.retrieve.steps import Step, best_first, steps
from kgask.types import EntityId, ScoredTriple, undirected

SHOWN = 10  # answers whose triples are told
TRUTH_WORDS = {True: "yes", False: "no", None: None}


@dataclass(frozen=True, slots=True)
class Derived:
    """The outcome of one query over one pack, with words for ids."""

    query: str  # text form
    kind: Kind
    text: str | None  # labels joined by " | ", a bare number or date, yes or no; None: there is none, or it is unknown
    entities: tuple[AnswerEntity, ...] = ()  # of a set, those that surely belong, best first where they are ranked
    perhaps: tuple[AnswerEntity, ...] = ()  # and those that may
    value: dict[str, Any] | None = None  # of a value: low, high, unit, kind
    notes: tuple[str, ...] = ()  # what is missing, undecided, tied or not shown
    support: tuple[SupportTriple, ...] = ()  # each fact once
    derivation: dict[str, Any] = field(default_factory=dict)
    why_not: str | None = None  # where ``text`` is None

    @property
    def with_unit(self) -> str | None:
        """The text as a person reads it: a number with its unit."""
        return text_with_unit(self.text, self.value)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: docs/json.md, "Queries"."""
        return {
            "query": self.query,
            "kind": self.kind,
            "answer": self.text,
            "entities": entity_dicts(self.entities),
            "perhaps": entity_dicts(self.perhaps),
            "value": self.value,
            "support": [
                {"id": one.id, "subject": one.subject, "relation": one.relation, "object": one.object}
                for one in self.support
            ],
            "derivation": self.derivation,
            "notes": list(self.notes),
        }


def derived(query: Query, pack: Pack, seconds: float | None = None) -> Derived:
    """Run a query and tell how it came out.

    ``seconds`` bounds the run. Raises what :func:`kgask.retrieve.run.run` raises.
    """
    return told(Runner(pack, Budget(seconds)).result(query))


def told(result: Result) -> Derived:
    """What a query that was run came to."""
    runner, query = result.runner, result.query
    certain = _in_order(runner, result)
    more = sorted(set(result.possible.tolist()) - set(certain)) if result.members else []
    way = steps(runner, query)
    words = _Words(result, way, [*certain, *more])
    entities = words.entities(certain)
    value = _value(runner, result) if len(certain) < 2 else None
    text = " | ".join(one.label for one in entities) or None
    if isinstance(query, TruthNode):
        text = TRUTH_WORDS[result.truth]
    elif value is not None and result.quantity is not None:
        text = value_text(result.quantity, query, value["unit"], bare=True)
    shown = certain[:SHOWN] if isinstance(query, SetNode) else [None]
    found = [derivation(runner, query, answer) for answer in shown]
    triples = each_once(runner.pack, (triple for one in found for triple in one.all_triples))
    notes = [words.coverage(one) for one in result.coverage if one.known < one.members or one.undecided]
    notes += [*words.ties(way), *_unsure(result)]
    if isinstance(query, SetNode) and len(certain) > SHOWN:
        notes.append(f"the facts are those of {SHOWN} of {len(certain):,} answers")
    return Derived(
        query=to_text(query, runner.pack),
        kind="truth" if isinstance(query, TruthNode) else "value" if value is not None else "set",
        text=text,
        entities=entities,
        perhaps=words.entities(more),
        value=value,
        notes=tuple(notes),
        support=support_in_words(runner.pack, [ScoredTriple(triple, 1, 1.0, False) for triple in triples]),
        derivation=words.step(way),
        why_not=_why_not(result) if text is None else None,
    )


def _in_order(runner: Runner, result: Result) -> list[EntityId]:
    """The entities that answer, each once: ranked ones best first, numbers and dates ascending, others by id."""
    certain = distinct(result.certain).tolist()
    if result.values is not None and result.values.axis is not None:
        lows, places = runner.pack.literal_values.low, literal_places(runner.pack, np.array(certain, np.int64))
        return [one for _, one in sorted(zip(lows[places].tolist(), certain, strict=True))]
    if not isinstance(result.query, nodes.Best) or len(certain) < 2:
        return certain
    wanted = set(certain)
    return [one for one in best_first(runner, result.query).tolist() if one in wanted]


def _value(runner: Runner, result: Result) -> dict[str, Any] | None:
    found = result.quantity
    if found is None:
        return None
    if found.axis in WHEN:
        return when_value(found)
    unit = unit_of(runner, result.query, found.axis)
    return number_value(*in_unit(found, unit), unit)


def _unsure(result: Result) -> list[str]:
    n_more = len(result.possible) - len(result.certain)
    return [f"{n_more:,} more may belong: what the graph knows does not decide it"] if n_more else []


def _why_not(result: Result) -> str:
    said = verbalise(result.query, result.runner.pack)
    if isinstance(result.query, TruthNode):
        return f"the graph does not decide {said}"
    if len(result.possible):
        return f"the graph does not decide who or what belongs to {said}"
    return f"the graph knows nothing for {said}"


class _Words:
    """Labels of everything that a derivation names, fetched at once."""

    def __init__(self, result: Result, way: Step, more: Sequence[EntityId]) -> None:
        pack, self._runner = result.runner.pack, result.runner
        ids = sorted({*_named(way), *more})
        self._entities = {
            entity: AnswerEntity(entity, key, label)
            for entity, key, label in zip(ids, pack.keys(ids), pack.labels(ids), strict=True)
        }
        self._say = steps_in_words(result.query, pack)
        self._relations = pack.relation_labels()
        self._n_relations = pack.n_relations

    def entities(self, ids: Iterable[EntityId]) -> tuple[AnswerEntity, ...]:
        return tuple(self._entities[entity] for entity in ids)

    def _labels(self, ids: Iterable[EntityId]) -> list[str]:
        return [self._entities[entity].label for entity in ids]

    def step(self, step: Step) -> dict[str, Any]:
        """One step with those before it: docs/json.md, "derivation". What would be empty is left out."""
        rows = [
            {
                "of": self._entities[row.member].label,
                "value": ", ".join(map(self._judged, row.judged)) or "-",
                "triples": list(row.triples),
            }
            for row in step.rows
        ]
        content = {
            "operator": type(step.node).__name__.lower(),
            "words": self._say(step.node),
            "perhaps": step.n_perhaps or None,
            "members": self._labels(step.members),
            "values": rows,
            "tied": self._labels(step.tied),
            "value": self._quantity(step),
            "truth": TRUTH_WORDS[step.truth],
            "triples": list(step.triples),
            "parts": [self.step(part) for part in step.parts],
        }
        if step.coverage is not None:
            content |= {"known": step.coverage.known, "of": step.coverage.members}
        kept = {key: value for key, value in content.items() if value not in (None, [])}
        return kept if step.n is None else kept | {"n": step.n}

    def _judged(self, judged: Judged) -> str:
        if judged.literal is not None:
            return self._entities[judged.literal].label
        if judged.quantity.axis == SECONDS:
            return lasting(judged.quantity)
        return number_text(judged.quantity.low)

    def _quantity(self, step: Step) -> str | None:
        if step.quantity is None:
            return None
        return value_text(step.quantity, step.node, _unit(self._runner, step.node, step.quantity))

    def ties(self, step: Step) -> list[str]:
        """``tied: Brook and Volta``."""
        said = [f"tied: {' and '.join(self._labels(step.tied[:SHOWN]))}"] if step.tied else []
        return [*said, *(text for part in step.parts for text in self.ties(part))]

    def coverage(self, found: Coverage) -> str:
        """``among 14 of 17 with a known area``."""
        undecided = f", {found.undecided} of them too coarse to decide" if found.undecided else ""
        return f"among {found.known} of {found.members} with a known {self._judged_by(found)}{undecided}"

    def _judged_by(self, found: Coverage) -> str:
        node = found.node
        path = node.by.path if isinstance(node, nodes.Where | nodes.Best) else (node.relation,)
        said = " of ".join(self._relations[undirected(one, self._n_relations)[0]] for one in reversed(path))
        is_span = isinstance(node, nodes.Where | nodes.Best) and isinstance(node.by, nodes.SpanOf)
        until = self._relations[undirected(node.by.until[-1], self._n_relations)[0]] if is_span else ""  # type: ignore[union-attr]
        return f"{said} and {until}" if until else said


def _named(step: Step) -> Iterable[EntityId]:
    yield from step.members
    yield from step.tied
    for row in step.rows:
        yield row.member
        yield from (judged.literal for judged in row.judged if judged.literal is not None)
    for part in step.parts:
        yield from _named(part)


def _unit(runner: Runner, node: Any, quantity: Quantity) -> str:
    return "" if quantity.axis in WHEN else unit_of(runner, node, quantity.axis)
