"""A question with what its set knows about it: the one form that every loader gives and `kgask eval` takes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

SAMPLE_SEED = 0
INVERSE = "^"  # before the key of a relation that is walked from object to subject


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """One right answer. ``key`` is an id of the set's graph (Wikidata, Freebase, an IRI), None for words only."""

    names: tuple[str, ...]  # label first, then aliases; may be empty where there is a key
    key: str | None = None


@dataclass(frozen=True, slots=True)
class GoldTopic:
    """A topic entity as the set names it; ``span`` is where the question does, [start, end) of its characters."""

    name: str
    key: str | None = None
    span: tuple[int, int] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Gold:
    """One question. What a set does not say is empty or None; no field is ever guessed."""

    id: str  # unique within the set, stable from run to run
    text: str  # as a user would type it: no brackets
    answers: tuple[GoldAnswer, ...] = ()  # any of them is right on top; all of them are the answer set
    topics: tuple[GoldTopic, ...] = ()
    relations: tuple[
        str, ...
    ] = ()  # the gold path: relation labels or keys, "^" before one walked from object to subject
    kind: str = ""  # the set's own type of question: "count", "1-hop", "P50", ...
    hops: int | None = None
    triples: tuple[tuple[str, str, str], ...] = ()  # reference triples, by key where the set has keys, else by name
    band: str = ""  # long-tail level, most popular first: "head", "torso", "tail", or what the set calls it
    label: bool | None = None  # of a claim: supported or refuted
    history: tuple[tuple[str, str], ...] = ()  # earlier (question, answer) turns of a conversation
    answer_type: str = field(default="", compare=False)  # "entity", "number", "date" or "yesno", where the set says it


Question = TypeVar("Question")  # of whatever form a set has


def sample(golds: Sequence[Question], limit: int | None, rng_seed: int = SAMPLE_SEED) -> list[Question]:
    """At most ``limit`` of the questions, drawn with a fixed seed, in the order of the set."""
    if limit is None or limit >= len(golds):
        return list(golds)
    return [golds[row] for row in sorted(random.Random(rng_seed).sample(range(len(golds)), limit))]
