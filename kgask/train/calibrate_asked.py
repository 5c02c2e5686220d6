"""What confidence is calibrated on: questions of packs as people ask them, and what planner and reader say of each.

Three sources: paths in held-out wordings (:func:`kgask.train.calibrate.draw_probes`), questions with operators in
held-out wordings (:mod:`kgask.corpus.pack_operators`), and people's own questions, of public sets with gold answers or
worded for a pack with gold queries. A third of them, by weight, cannot be answered, though mostly about what the pack
has.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kgask.answer.fuse import Standing, standings
from kgask.answer.pipeline import READ_FROM, Pipeline
from kgask.answer.request import TOP_K, AskOptions
from kgask.corpus.examples import PathExample
from kgask.corpus.pack_operators import PackOperators
from kgask.corpus.query_sources import templates
from kgask.methods.protocol import Hypothesis, Retrieved, Scope
from kgask.pack.normalise import normalise
from kgask.pack.quantities import Quantity, quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.text import parse
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import run
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.gold import Gold
from kgask.sets.said import NO, YES, says
from kgask.train.calibrate import ANSWERABLE, draw_probes
from kgask.types import Question

PATHS, COMPOSED, PEOPLE = "paths", "composed", "people"
SHARES = {PATHS: 0.3, COMPOSED: 0.25, PEOPLE: 0.45}  # of the mixture, where all of them are there
CLOSE = 1e-6  # of numbers, as a share
LEAST_SHARE = 0.5  # of an answer's entities that must be gold, where a gold of people's may lack some
IsRight = Callable[[Hypothesis], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and whether what comes of it is right."""

    text: str
    source: str
    kind: str
    wording: str  # questions that share it are worded alike
    answerable: bool
    is_right: IsRight


@dataclass(frozen=True, slots=True)
class Seen:
    """What planner and reader said of one question."""

    answerable: bool
    features: Mapping[str, float]  # of the plan; empty where it reaches nothing
    plan_right: bool
    standings: tuple[Standing, ...] = ()  # none where nothing was read
    right: tuple[bool, ...] = ()  # of each standing
    is_query: bool = False  # a query with operators was chosen, else a path
    source: str = PATHS
    kind: str = "path"
    wording: str = ""
    pack: str = ""


# --- questions ----------------------------------------------------------------------------------


def path_questions(pack: Pack, examples: list[PathExample], n: int, rng: random.Random) -> list[Asked]:
    """Relation paths: any of the ends is right, as long as nothing else is said."""

    def is_right(answers: frozenset[int], found: Hypothesis) -> bool:
        return found.outcome is None and set(found.answers.tolist()) <= answers or _says_set(found, answers)

    return [
        Asked(probe.text, PATHS, "path", probe.wording, bool(probe.answers), partial(is_right, probe.answers))
        for probe in draw_probes(pack, examples, n, rng)
    ]


def composed_questions(pack: Pack, n: int, rng_seed: int) -> list[Asked]:
    """Questions with operators: the whole set, the value or the truth is right."""
    return [
        Asked(one.text, COMPOSED, one.kind, one.wording, one.gold is not None, partial(_is_gold, pack, one.gold))
        for one in PackOperators(pack, templates(held=True), rng_seed).draw(n)
    ]


def peoples_questions(pack: Pack, golds: Iterable[Gold]) -> list[Asked]:
    """Questions of a set, all of which the pack can answer: right is what their answers say."""
    return [
        Asked(gold.text, PEOPLE, gold.kind, gold.text, True, partial(_is_said, pack, gold))
        for gold in golds
        if gold.answers
    ]


def everyday_questions(pack: Pack, questions: Iterable[EverydayQuestion]) -> list[Asked]:
    """Questions that were worded for this pack: right is what their gold query comes to. Several in one are left out.

    Raises :class:`~kgask.errors.QueryError` for a gold that cannot be run.
    """
    return [
        Asked(one.text, PEOPLE, one.kind, one.text, bool(one.golds), partial(_is_gold, pack, gold))
        for one in questions
        if len(one.golds) < 2
        for gold in [run(parse(one.golds[0], pack), pack) if one.golds else None]
    ]


# --- right or wrong -----------------------------------------------------------------------------


def _says_set(found: Hypothesis, answers: frozenset[int]) -> bool:
    """Whether it is this set, none left out."""
    return bool(answers) and frozenset(_ends(found)) == answers


def _is_gold(pack: Pack, gold: Result | None, found: Hypothesis) -> bool:
    if gold is None:
        return False
    if gold.truth is not None:
        return found.outcome is not None and found.outcome.truth is gold.truth
    if not isinstance(gold.query, nodes.Count) and _says_set(found, frozenset(gold.certain.tolist())):
        return True
    if gold.quantity is None:
        return False
    said = _value_of(pack, found)
    return said is not None and _alike(said, gold.quantity)


def _ends(found: Hypothesis) -> list[int]:
    """The entities and literals that it comes to; of what is asked of statements, what they say."""
    return (found.answers if found.outcome is None else found.outcome.certain).tolist()


def _value_of(pack: Pack, found: Hypothesis) -> Quantity | None:
    """The one number or date that a hypothesis comes to."""
    if found.outcome is not None and found.outcome.quantity is not None:
        return found.outcome.quantity
    literals = pack.literals(found.answers.tolist()) if len(found.answers) == 1 else []
    return quantity(literals[0]) if literals and literals[0] is not None else None


def _alike(said: Quantity, gold: Quantity) -> bool:
    slack = CLOSE * max(1.0, abs(gold.low), abs(gold.high))
    return said.axis == gold.axis and gold.low - slack <= said.low and said.high <= gold.high + slack


def _is_said(pack: Pack, gold: Gold, found: Hypothesis) -> bool:
    """Whether it names the golds and not much else; people's golds may lack some of a set."""
    texts = [name.lower() for answer in gold.answers for name in answer.names if answer.key is None]
    truth = found.outcome.truth if found.outcome is not None else None
    if truth is not None:
        return bool(texts) and texts[0] in (YES if truth else NO)
    if found.outcome is not None and found.outcome.members is None and isinstance(found.outcome.query, nodes.Count):
        count = found.outcome.quantity
        return bool(texts) and count is not None and count.low == count.high and says(texts[0], f"{count.low:g}")
    ends = _ends(found)
    if not ends:
        return _says_value(pack, texts, found)
    called = list(zip(pack.keys(ends), pack.labels(ends), strict=True))
    named = [[_names(answer.key, answer.names, key, label) for key, label in called] for answer in gold.answers]
    hit = sum(any(row[at] for row in named) for at in range(len(called)))
    return all(map(any, named)) and hit >= LEAST_SHARE * len(called)


def _says_value(pack: Pack, texts: Sequence[str], found: Hypothesis) -> bool:
    said = _value_of(pack, found)
    return said is not None and said.low == said.high and bool(texts) and says(texts[0], f"{said.low:g}")


def _names(key: str | None, names: Sequence[str], found_key: str, label: str) -> bool:
    if key is not None and key == found_key:
        return True
    return any(normalise(name) == normalise(label) or says(name, label) for name in names)


# --- asking -------------------------------------------------------------------------------------


def look(pipeline: Pipeline, asked: Sequence[Asked], report: Callable[[int], None] = lambda done: None) -> list[Seen]:
    """Plan, follow and (where the pipeline has a reader) read every question, without a threshold."""
    found = []
    for done, one in enumerate(asked, 1):
        found.append(_look_at(pipeline, one))
        report(done)
    return found


def _look_at(pipeline: Pipeline, asked: Asked) -> Seen:
    found = pipeline.understand(Question(asked.text), AskOptions())
    about = {"source": asked.source, "kind": asked.kind, "wording": asked.wording, "pack": pipeline.pack.name}
    if not found.hypotheses:
        return Seen(asked.answerable, {}, False, **about)
    right = [_is_some(one) and asked.is_right(one) for one in found.hypotheses]
    judged, shown = _read(pipeline, asked.text, found, right)
    return Seen(asked.answerable, found.features, right[0], judged, shown, found.is_derived, **about)


def _is_some(found: Hypothesis) -> bool:
    return found.outcome is not None or bool(len(found.answers))


def _read(
    pipeline: Pipeline, text: str, found: Retrieved, right: Sequence[bool]
) -> tuple[tuple[Standing, ...], tuple[bool, ...]]:
    """What the reader says of each route, and which of them are right; nothing of queries."""
    if pipeline.reader is None or found.is_derived or found.confidence < READ_FROM:
        return (), ()
    evidence = pipeline.retriever.evidence(found, pipeline.pack, Scope(TOP_K))
    reading = pipeline.reader.read(Question(text), evidence, pipeline.pack)
    judged = standings(found.hypotheses, evidence, reading.line_probs, pipeline.pack)
    is_right = {id(one): whether for one, whether in zip(found.hypotheses, right, strict=True)}
    return tuple(judged), tuple(is_right[id(standing.hypothesis)] for standing in judged)


def weights_of(seen: Sequence[Seen]) -> np.ndarray:
    """float [n], sum 1: each source has its share, and of all of it :data:`ANSWERABLE` can be answered."""
    counts = Counter((one.source, one.answerable) for one in seen)
    shares = {cell: SHARES.get(cell[0], 1.0) for cell in counts}
    for answerable, share in ((True, ANSWERABLE), (False, 1.0 - ANSWERABLE)):
        total = sum(value for cell, value in shares.items() if cell[1] is answerable)
        shares |= {cell: share * value / total for cell, value in shares.items() if cell[1] is answerable}
    weights = np.array([shares[one.source, one.answerable] / counts[one.source, one.answerable] for one in seen])
    return weights / max(weights.sum(), 1e-12)
