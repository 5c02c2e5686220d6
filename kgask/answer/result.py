"""An answer as it is handed out: words, proof and confidence; as JSON, as HTML for notebooks, on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from kgask.pack.literals import clock_text
from kgask.pack.quantities import CLOCK, Quantity, date_of_day
from kgask.types import (
    PLANNED,
    Alternative,
    EntityId,
    Evidence,
    Explanation,
    HopPlan,
    Passage,
    Seed,
    Stage,
    TripleId,
)
from kgask.verbalise import qualifiers_text

if TYPE_CHECKING:
    from kgask.query.nodes import Query

Kind = Literal["set", "value", "truth"]  # of answer: entities or literals, one number or date, yes or no
SHOWN_CHARS = 80  # of a text in repr()
SHOWN_TRIPLES = 20  # in a notebook; to_dict() lists all
PART_ONLY = "this depends on all of what it is about, and only a part was fetched; connect with a greater --most-rows"


@dataclass(frozen=True, slots=True)
class AnswerEntity:
    """An answer: an id in the pack with its words."""

    id: EntityId
    key: str
    label: str


@dataclass(frozen=True, slots=True)
class SupportTriple:
    """A triple of the pack that leads from a seed to an answer, with its words."""

    id: TripleId
    subject: str
    relation: str
    object: str
    hop: int
    score: float
    inverse: bool = False
    qualifiers: tuple[tuple[str, str], ...] = ()  # what it is said with, relation and value, of all its statements


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """One answered (or honestly unanswered) question; false where it is not answered."""

    question: str
    text: str | None  # labels joined by " | ", a bare number or date, yes or no; None where there is no answer
    entities: tuple[AnswerEntity, ...]  # best first
    support: tuple[SupportTriple, ...]  # the proof: what leads from the seeds to every entity
    confidence: float  # 0..1: probability that it is right where the method is calibrated, as ``rigel`` is
    abstained: bool
    reason: str | None = None  # why there is no answer
    seeds: tuple[Seed, ...] = ()  # the topics
    notes: tuple[str, ...] = ()  # ambiguity, typos read: shown on stderr
    evidence: Evidence | None = None  # what the reader saw
    plan: HopPlan | None = None
    alternatives: tuple[Alternative, ...] = ()  # other readings that were looked at, best first, at most five
    died_at: Stage | None = None  # where the question died; None when it is answered
    explanation: Explanation | None = None  # only when asked for
    written: str | None = None  # what a reader wrote freely; None otherwise. Only ``entities`` are checked
    unverified: tuple[str, ...] = ()  # pieces of it that name nothing that was retrieved
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    method: str = PLANNED  # how it was retrieved
    passages: tuple[Passage, ...] = ()  # texts that name an answer which no triple proves
    query: Query | None = None  # what was asked of the graph; None where there is no answer, or no plan behind it
    query_text: str | None = None  # the same in its text form
    sparql: str | None = None  # the same as SPARQL 1.1
    kind: Kind | None = None  # None where there is no answer
    value: Mapping[str, Any] | None = None  # of one number or date: kind, low, high, unit
    derivation: Mapping[str, Any] | None = None  # of a query with operators: how it came to the answer, step by step
    help: tuple[str, ...] = ()  # of a refusal: what was understood, what the pack knows, what could be asked
    parts: tuple[Answer, ...] = ()  # of several questions in one
    free: bool = False  # the reader writes freely
    source: Mapping[str, Any] | None = None  # the endpoint, time and requests, where the graph is elsewhere

    def restored(self, said: Mapping[str, Any]) -> Answer:
        """An answer with what was kept of it: text, confidence and query."""
        text, query = said.get("answer"), said.get("query")
        return replace(
            self, text=str(text) if text is not None else None, confidence=float(said.get("confidence") or 0.0),
            abstained=text is None, reason=None if text is not None else self.reason,
            query_text=str(query) if query else None,
        )  # fmt: skip

    def sourced(self, source: Mapping[str, Any] | None) -> Answer:
        """With where the triples are from, if they are from elsewhere (:attr:`kgask.pack.store.Pack.source`).

        Where not all of them came, what more triples could change is refused, and else the answer says so.
        """
        from kgask.query.growing import holds_of_a_part

        if source is None:
            return self
        if not source["complete"] and self.query is not None and not holds_of_a_part(self.query, self.truth):
            return replace(self.refusing(PART_ONLY), source=source)
        notes = () if source["complete"] else ("only a part of what the graph has on this was fetched",)
        return replace(self, source=source, notes=(*self.notes, *notes))

    def refusing(self, reason: str) -> Answer:
        """No answer, for this reason, to the same question."""
        return replace(
            self, text=None, entities=(), support=(), abstained=True, reason=reason, died_at="retrieve", query=None,
            query_text=None, sparql=None, kind=None, value=None, derivation=None, help=(),
        )  # fmt: skip

    @property
    def truth(self) -> bool | None:
        """Of an answer yes or no; None of others."""
        return self.text == "yes" if self.kind == "truth" else None

    @property
    def with_unit(self) -> str | None:
        """The text as a person reads it: a number with its unit."""
        return text_with_unit(self.text, self.value if self.kind == "value" else None)

    def __bool__(self) -> bool:
        return not self.abstained

    def __repr__(self) -> str:
        """One line: the question, and the answer or why there is none."""
        asked = f"Answer({_shortened(self.question)}"
        if self.text is None:
            return f"{asked}, reason={_shortened(self.reason or '')})"
        return f"{asked}, {_shortened(self.text)}, confidence={self.confidence})"

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values: the object that ``kgask ask --json`` prints, described in ``docs/json.md``.

        ``passages`` is there where the reader was shown any, ``written`` and ``unverified`` where it writes freely.
        """
        content: dict[str, Any] = {
            "question": self.question,
            "answer": self.text,
            "kind": self.kind,
            "value": self.value,
            "entities": entity_dicts(self.entities),
            "support": support_dicts(self.support),
            **{name: getattr(self, name) for name in ("confidence", "abstained", "reason", "died_at")},
            "help": list(self.help),
            "query": self.query_text,
            "sparql": self.sparql,
            "derivation": self.derivation,
            "seeds": [
                _seed(seed) | {"mention": seed.mention, "match": seed.match, "score": round(seed.score, 4)}
                for seed in self.seeds
            ],
            "alternatives": [
                {
                    "seed": _seed(other.seed),
                    "path": list(other.path),
                    "score": round(other.score, 6),
                    "answers": list(other.labels),
                    "n_answers": other.n_answers,
                }
                for other in self.alternatives
            ],
            "notes": list(self.notes),
            "method": self.method,
            "timings_ms": dict(self.timings_ms),
            "hashes": dict(self.hashes),
        }
        if self.evidence is not None and self.evidence.passages:
            content["passages"] = [{"id": passage.id, "text": passage.text} for passage in self.passages]
        if self.source is not None:
            content["source"] = dict(self.source)
        if self.parts:
            content["parts"] = [one.to_dict() for one in self.parts]
        if self.free:
            content |= {"written": self.written, "unverified": list(self.unverified)}
        return content

    def _repr_html_(self) -> str:
        """For notebooks: the answer with its confidence and triples, or why there is none; every text is escaped."""
        from html import escape

        head = f"<div><em>{escape(self.question)}</em><br>"
        if self.text is None:
            body = f"no answer: {escape(self.reason or '')}"
        else:
            body = f"<strong>{escape(self.with_unit or '')}</strong> <small>confidence {self.confidence:.0%}</small>"
        notes = "".join(f"<br><small>{escape(note)}</small>" for note in self.notes)
        return f"{head}{body}{notes}{self._proof_html()}</div>"

    def _proof_html(self) -> str:
        from html import escape

        if not self.support:
            return ""
        columns = ["hop", "subject", "relation", "object"]
        shown = self.support[:SHOWN_TRIPLES]
        rows = [[str(one.hop), one.subject, one.relation, one.object] for one in shown]
        if any(one.qualifiers for one in shown):
            columns.append("qualifiers")
            rows = [[*row, qualifiers_text([one.qualifiers])] for row, one in zip(rows, shown, strict=True)]
        header = "".join(f"<th>{name}</th>" for name in columns)
        lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        left_out = len(self.support) - SHOWN_TRIPLES
        more = f"<small>and {left_out} more triples</small>" if left_out > 0 else ""
        return f"<table><thead><tr>{header}</tr></thead><tbody>{lines}</tbody></table>{more}"


def number_value(low: float, high: float, unit: str) -> dict[str, Any]:
    """For JSON: docs/json.md, ``value``."""
    return {"kind": "number", "low": low, "high": high, "unit": unit}


def when_value(when: Quantity) -> dict[str, Any]:
    """The first and the last day of a date; the hour and minute of a time of day."""
    if when.axis == CLOCK:
        first, last = (clock_text(round(seconds)) for seconds in (when.low, when.high))
        return {"kind": "time", "low": first, "high": last, "unit": ""}
    first, last = ("{:04}-{:02}-{:02}".format(*date_of_day(int(day))) for day in (when.low, when.high))
    return {"kind": "date", "low": first, "high": last, "unit": ""}


def text_with_unit(text: str | None, value: Mapping[str, Any] | None) -> str | None:
    """A number that stands bare as people read it.

    >>> text_with_unit("41 or 42", {"unit": "years"}), text_with_unit("yes", None)
    ('41 or 42 years', 'yes')
    """
    return f"{text} {value['unit']}" if value and value["unit"] else text


def entity_dicts(entities: Iterable[AnswerEntity]) -> list[dict[str, Any]]:
    """For JSON: docs/json.md, "entities"."""
    return [{"id": one.id, "key": one.key, "label": one.label} for one in entities]


def support_dicts(triples: Iterable[SupportTriple]) -> list[dict[str, Any]]:
    """For JSON: docs/json.md, "support"."""
    return [_triple(one) for one in triples]


def _triple(one: SupportTriple) -> dict[str, Any]:
    said = {name: getattr(one, name) for name in ("id", "subject", "relation", "object", "hop", "score")}
    return said | {"qualifiers": [list(pair) for pair in one.qualifiers]}


def _seed(seed: Seed) -> dict[str, Any]:
    return {"id": seed.entity, "key": seed.key, "label": seed.label}


def _shortened(text: str) -> str:
    """Quoted on one line, whatever it holds."""
    return repr(text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…")
