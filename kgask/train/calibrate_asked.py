"""What confidence is calibrated on: questions of packs as people ask them, and what planner and reader say of each.

Its sources: paths in held-out wordings (:func:`kgask.train.calibrate.draw_probes`), questions with operators in
held-out wordings (:mod:`kgask.corpus.pack_operators`), and people's own questions: of public sets with gold answers,
worded for a pack with gold queries, and over real tables (:mod:`kgask.corpus.judged_answers`). A third of them, by
weight, cannot be answered, though mostly about what the pack has.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kgask.answer.fuse import Standing, standings
from kgask.answer.judging import Candidate, may_be_judged
from kgask.answer.judging import judged as judged_queries
from kgask.answer.pipeline import READ_FROM, Pipeline
from kgask.answer.request import TOP_K, AskOptions
from kgask.corpus.examples import PathExample
from kgask.corpus.golds import is_gold, is_said, is_some, says_set
from kgask.corpus.judged_answers import gold_of, is_answer
from kgask.corpus.pack_operators import PackOperators
from kgask.corpus.query_sources import templates
from kgask.methods.protocol import Hypothesis, Retrieved, Scope
from kgask.methods.relation_facts import is_table
from kgask.methods.understand import calibrated
from kgask.pack.store import Pack
from kgask.query.own_units import read_query
from kgask.retrieve.run import run
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.gold import Gold
from kgask.sets.wikitablequestions import TableAnswer
from kgask.train.calibrate import ANSWERABLE, draw_probes
from kgask.train.calibrate_judging import Judged, Shown
from kgask.types import Question

PATHS, COMPOSED, PEOPLE, PLAIN, TABLES = "paths", "composed", "people", "plain", "tables"
# Of the mixture, where all of them are there. PEOPLE were asked to vary, and word indirectly what most ask plainly.
SHARES = {PATHS: 0.3, COMPOSED: 0.25, PEOPLE: 0.25, PLAIN: 0.2, TABLES: 0.05}
IsRight = Callable[[Hypothesis], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and whether what comes of it is right."""

    text: str
    source: str
    kind: str
    wording: str  # questions that share it are worded alike
    answerable: bool | None  # None: where any query that is found is right
    is_right: IsRight


@dataclass(frozen=True, slots=True)
class Seen:
    """What planner and reader said of one question."""

    answerable: bool
    features: Mapping[str, float]  # of the plan; empty where it reaches nothing
    plan_right: bool
    standings: tuple[Standing, ...] = ()  # none where nothing was read
    right: tuple[bool, ...] = ()  # of each standing
    judged: Judged | None = None  # where a judge of queries was asked
    is_query: bool = False  # a query with operators was chosen, else a path
    source: str = PATHS
    kind: str = "path"
    wording: str = ""
    pack: str = ""
    is_table: bool = False  # the pack, :func:`kgask.methods.relation_facts.is_table`
    is_refused: bool = False  # whatever the confidence: a name is unclear, a word is not honoured


# --- questions ----------------------------------------------------------------------------------


def path_questions(pack: Pack, examples: list[PathExample], n: int, rng: random.Random) -> list[Asked]:
    """Relation paths: any of the ends is right, as long as nothing else is said."""

    def is_right(answers: frozenset[int], found: Hypothesis) -> bool:
        return found.outcome is None and set(found.answers.tolist()) <= answers or says_set(found, answers)

    return [
        Asked(probe.text, PATHS, "path", probe.wording, bool(probe.answers), partial(is_right, probe.answers))
        for probe in draw_probes(pack, examples, n, rng)
    ]


def composed_questions(pack: Pack, n: int, rng_seed: int) -> list[Asked]:
    """Questions with operators: the whole set, the value or the truth is right."""
    return [
        Asked(one.text, COMPOSED, one.kind, one.wording, one.gold is not None, partial(is_gold, pack, one.gold))
        for one in PackOperators(pack, templates(held=True), rng_seed).draw(n)
    ]


def peoples_questions(pack: Pack, golds: Iterable[Gold]) -> list[Asked]:
    """Questions of a set, all of which the pack can answer: right is what their answers say."""
    return [
        Asked(gold.text, PEOPLE, gold.kind, gold.text, True, partial(is_said, pack, gold))
        for gold in golds
        if gold.answers
    ]


def everyday_questions(pack: Pack, questions: Iterable[EverydayQuestion], source: str = PEOPLE) -> list[Asked]:
    """Questions that were worded for this pack: right is what their gold query comes to. Several in one are left out.

    Raises :class:`~kgask.errors.QueryError` for a gold that cannot be run.
    """
    return [
        Asked(one.text, source, one.kind, one.text, bool(one.golds), partial(is_gold, pack, gold))
        for one in questions
        if len(one.golds) < 2
        for gold in [run(read_query(one.golds[0], pack), pack) if one.golds else None]
    ]


def table_questions(pack: Pack, questions: Iterable[TableAnswer]) -> list[Asked]:
    """Questions over a table whose answers alone are known."""
    return [
        Asked(one.question, TABLES, "table", one.question, None, partial(is_answer, pack, gold_of(one)))
        for one in questions
    ]


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
    about: dict[str, Any] = {"source": asked.source, "kind": asked.kind, "wording": asked.wording}
    pack = (
        TABLES if asked.source == TABLES else pipeline.pack.name
    )  # a few questions each, so they are left out together
    about |= {"pack": pack, "is_table": is_table(pipeline.pack)}
    about |= {"is_refused": pipeline.ask(asked.text, min_confidence=0.0).abstained}
    judged = _judge(pipeline, asked, found)
    right = [_is_right(asked, one) for one in found.hypotheses]
    answerable = asked.answerable
    if answerable is None:
        answerable = any(right) or (judged is not None and any(one.right for one in judged.shown))
    if not found.hypotheses:
        return Seen(answerable, {}, False, judged=judged, **about)
    read, shown = _read(pipeline, asked.text, found, right)
    return Seen(answerable, found.features, right[0], read, shown, judged, found.is_query, **about)


def _is_right(asked: Asked, found: Hypothesis) -> bool:
    return is_some(found) and asked.is_right(found)


def _judge(pipeline: Pipeline, asked: Asked, found: Retrieved) -> Judged | None:
    """What the judge says of all that the question may ask for; None where none is asked."""
    if pipeline.judge is None or not may_be_judged(found, pipeline.pack):
        return None
    every, candidates, any_does = judged_queries(found, asked.text, pipeline.judge, pipeline.pack)
    return shown_of(pipeline, every, candidates, any_does, partial(_is_right, asked))


def shown_of(
    pipeline: Pipeline,
    every: Sequence[Retrieved],
    candidates: Sequence[Candidate],
    any_does: float,
    is_right: Callable[[Hypothesis], bool],
) -> Judged | None:
    """What a judge said of each, as powers are fitted on it; None where it was shown nothing."""
    card = pipeline.planner.card
    shown = []
    for one, candidate in zip(every, candidates, strict=True):
        believed = calibrated(card.queries if one.is_query else card.calibration, one.features)
        share = min(1.0, one.confidence / max(believed, 1e-9))
        right = is_right(one.hypotheses[0])
        shown.append(
            Shown(
                one.features,
                share,
                candidate.judged,
                candidate.alike,
                one.is_query,
                one.is_proposed,
                right,
                candidate.comes_to,
                candidate.doubts,
            )  # fmt: skip
        )
    return Judged(tuple(shown), any_does, candidates[0].is_first) if shown else None


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
