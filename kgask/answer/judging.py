"""Queries judged: which of the things that a question may ask for it does ask for, and how sure that is.

The planner says how likely each of them is, from the question and the names of relations; the judge
(:mod:`kgask.methods.query_judge`) sees question and query together, in words, with what the query comes to. They
compete by a weighted sum of both, and of how alike the words are; the confidence of the winner is a logistic model.
Powers and weights are fitted on questions about graphs that neither was trained on (``kgask train calibrate``), for of
relations that it knows a planner is surer, with more right; they stand in the judge's card.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

import numpy as np

from kgask.answer.choices import SURE_QUERY, comes_to, in_words, is_plain, set_of, with_itself
from kgask.answer.fuse import log_odds
from kgask.answer.misread import asks_other, takes_all
from kgask.answer.surely import surely
from kgask.answer.word import Word
from kgask.methods.doubts import DENIED, DESCRIBED, KIN, LEFT_OUT, LOST
from kgask.methods.protocol import Retrieved
from kgask.methods.query_judge import QueryJudge
from kgask.methods.relation_facts import is_small
from kgask.methods.understand import calibrated
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import form

DOUBTS = (DESCRIBED, DENIED, KIN, *LEFT_OUT)  # what speaks against a query, whoever wrote it
POWERS = ("plan", "judged", "alike", "proposed", "left_out")
AMONG = ("share", "behind", "choices")  # how the winner stands among what was judged
FEATURES = ("plan", "judged", "alike", "any", "margin", "changed", "proposed", "query", *AMONG, *DOUBTS)
MOST_MARGIN = 5.0  # log-odds before the next answer; more says nothing
TAKES_ALL = {LOST: -1.0}  # of what takes all of a kind where some are asked for
BELIEVED = 0.1  # confidence below which a winner says nothing: what the planner read is told of then
FAIRLY_SURE = 0.5  # confidence in a path from which less is judged: with all of it fewer were right
MOST_BESIDE_SURE = 3
SURE_PATH = 0.86  # confidence from which a relation path is the planner's own matter: there it knows better


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the things that a question may ask for, as planner and judge see it."""

    plan: float  # log-odds
    judged: float  # log-odds
    alike: float  # to the question, as its words are
    is_first: bool  # the planner's own choice
    is_proposed: bool
    is_query: bool  # with operators, else a relation path
    comes_to: object = None  # equal for those that answer with the same set; None where that may be chance
    doubts: Mapping[str, float] = field(default_factory=dict)  # of DOUBTS, less one for each

    def score(self, powers: Mapping[str, float]) -> float:
        """Comparable within a question."""
        said = powers["judged"] * self.judged + powers["alike"] * self.alike
        left_out = powers["left_out"] * self.left_out
        return powers["plan"] * self.plan + said + powers["proposed"] * self.is_proposed + left_out

    @property
    def left_out(self) -> float:
        """Less one for each name, value and demand of the question that it leaves out."""
        return sum(self.doubts.get(name, 0.0) for name in LEFT_OUT)


class Judging(Word):
    """What a judge's word counts."""

    __slots__ = ()
    whose, card_key, power_names, feature_names = "judge", "judging", POWERS, FEATURES
    later_names = ("left_out", *AMONG, *DOUBTS)

    def is_asked(self, plan_confidence: float) -> bool:
        """Whether a judge may change what is printed by default; always, where its card does not say.

        Another threshold does not change who is asked: a confidence does not depend on what is printed.
        """
        return self.margin is None or log_odds(plan_confidence) - log_odds(self.min_confidence) <= self.margin

    def choose(self, candidates: Sequence[Candidate], any_does: float) -> tuple[int, float]:
        """The place of the winner, and the probability that it is right; ``any_does``: that one of them is."""
        chosen = best_of(candidates, self.powers)
        return chosen, calibrated(self.confidence, judged_features(candidates, chosen, self.powers, any_does))


class ClaimJudging(Judging):
    """What a judge's word counts on what a claim says, which comes to yes or no."""

    __slots__ = ()
    card_key = "claims"


def answering(candidates: Sequence[Candidate], powers: Mapping[str, float]) -> Sequence[int]:
    """Places of those that may be the answer; none where there is none.

    All, but where the best of them leaves out a name or date of the question those that leave none out: such a one
    competes, and is no answer.
    """
    everywhere = range(len(candidates))
    if not candidates[best_of(candidates, powers)].doubts.get(LOST):
        return everywhere
    return [at for at in everywhere if not candidates[at].doubts.get(LOST)]


def best_of(candidates: Sequence[Candidate], powers: Mapping[str, float]) -> int:
    """The best of those that come to the likeliest answer; the planner's order decides between equals."""
    answers = _answers(candidates, powers)
    likeliest = max(answers.values(), key=lambda answer: answer.score)
    return max(likeliest.places, key=lambda at: candidates[at].score(powers))


@dataclass(frozen=True, slots=True)
class _Answer:
    places: tuple[int, ...]  # of the candidates that come to it
    score: float  # of all of them together


def _answers(candidates: Sequence[Candidate], powers: Mapping[str, float]) -> dict[object, _Answer]:
    """What the candidates come to, in their order: one that stands alone is known by its place."""
    places: dict[object, list[int]] = {}
    for at, one in enumerate(candidates):
        places.setdefault(at if one.comes_to is None else one.comes_to, []).append(at)
    return {
        answer: _Answer(tuple(found), float(np.logaddexp.reduce([candidates[at].score(powers) for at in found])))
        for answer, found in places.items()
    }


def judged_features(
    candidates: Sequence[Candidate], chosen: int, powers: Mapping[str, float], any_does: float
) -> dict[str, float]:
    """What the confidence in a chosen candidate is made of."""
    one, answers = candidates[chosen], _answers(candidates, powers).values()
    same = next(answer for answer in answers if chosen in answer.places)
    score, others = same.score, (answer.score for answer in answers if chosen not in answer.places)
    said = np.array([other.judged for other in candidates])
    return {
        "plan": one.plan,
        "judged": one.judged,
        "alike": one.alike,
        "any": any_does,
        "margin": min(MOST_MARGIN, score - max(others, default=score - MOST_MARGIN)),
        "changed": float(not one.is_first),
        "proposed": float(one.is_proposed),
        "query": float(one.is_query),
        "share": float(np.logaddexp.reduce(said[[*same.places]]) - np.logaddexp.reduce(said)),
        "behind": one.alike - max(other.alike for other in candidates),
        "choices": float(len(candidates)),
        **{name: one.doubts.get(name, 0.0) for name in DOUBTS},
    }


def may_be_judged(found: Retrieved, pack: Pack) -> bool:
    """Whether there is anything to choose from; in a small graph there always is, for its labels are its owner's."""
    is_doubted = any(
        found.features.get(name) for name in ("described", "idle", "unmet", "unread", "elsewhere", "turned")
    )
    is_path = bool(found.hypotheses) and not found.is_query
    is_sure = is_path and not is_doubted and found.confidence >= SURE_PATH and not is_small(pack)
    return found.read_as is not None and not found.failed and not is_sure


def is_needed(judging: Judging, found: Retrieved, question: str, pack: Pack, is_claim: bool) -> bool:
    """Whether its word may change what is printed: of a claim, and in a small graph, always."""
    if is_claim or is_small(pack) or not found.hypotheses:
        return True
    return judging.is_asked(found.confidence) and not is_plain(found, question, pack)


def judged(
    found: Retrieved, question: str, judge: QueryJudge, pack: Pack, thorough: bool = False
) -> tuple[list[Retrieved], list[Candidate], float]:
    """What a question may ask for, the same as judge and planner see it, and that any of them does.

    ``thorough``: all of it, however sure the planner is, as of a claim.
    """
    return _judged(possible(found, question, pack, thorough), found, question, judge, pack, thorough)


def possible(found: Retrieved, question: str, pack: Pack, thorough: bool = False) -> list[Retrieved]:
    """What a question may ask for, as far as its wording rules nothing out."""
    others = found.find_alternatives() if thorough or is_small(pack) else others_of(found)
    every = [one for one in (found, *others) if one.hypotheses]
    if not thorough:
        every = [one for one in every if not asks_other(one, found, question, pack)]
    every = _apart(every)
    if any(map(str.isdigit, question)):  # what each leaves out takes time, and relations are told apart by years only
        every = _not_outdone(every)
    return every


def _judged(
    every: Sequence[Retrieved], found: Retrieved, question: str, judge: QueryJudge, pack: Pack, thorough: bool
) -> tuple[list[Retrieved], list[Candidate], float]:
    """As :func:`judged`, of what is :func:`possible`."""
    told = [(one, words) for one in every if (words := in_words(one, pack, judge.tells_kinds)) is not None]
    if not told:
        return [], [], 0.0
    said = judge.judge(_as_meant(question, found, pack), [words for _, words in told], in_both_orders=not thorough)
    shown = [told[at][0] for at in said.places]
    candidates = [
        Candidate(
            log_odds(one.confidence), odds, alike, one is found, one.is_proposed, one.is_query, set_of(one),
            {**one.find_left_out(), **(TAKES_ALL if not thorough and takes_all(one, found, question, pack) else {})},
        )
        for one, odds, alike in zip(shown, said.queries, said.alike, strict=True)
    ]  # fmt: skip
    return shown, candidates if thorough else _outsaid(shown, candidates, question, pack), said.any


def _outsaid(shown: Sequence[Retrieved], candidates: list[Candidate], question: str, pack: Pack) -> list[Candidate]:
    """The candidates, of which one leaves out a name where the judge likes another as well that has all that it names
    and this: all short trails, where easy ones are asked for that are short."""
    queries = [one.hypotheses[0].make_query() for one in shown]
    every = [node for query in queries if query is not None for node in query.walk()]
    kinds = {node.type for node in every if isinstance(node, nodes.Class)}
    named = [frozenset(_named_in(query, pack)) - kinds for query in queries]
    said = f" {normalise(question)} "
    found = []
    for own, asked, one in zip(named, queries, candidates, strict=True):
        more = {
            entity
            for names, query, other in zip(named, queries, candidates, strict=True)
            if own < names and other.judged >= max(one.judged, 0.0)
            and isinstance(asked, SetNode) is isinstance(query, SetNode)
            for entity in names - own
        }  # fmt: skip
        called = {f" {normalise(label)} " for label in pack.labels([*own])}
        labels = (f" {normalise(label)} " for label in pack.labels([*more]))
        is_less = any(label in said and not any(label in name for name in called) for label in labels)
        found.append(replace(one, doubts={**one.doubts, LOST: -1.0}) if is_less else one)
    return found


def _named_in(query: Query | None, pack: Pack) -> Iterator[int]:
    """The things that a query names, no numbers or dates; of what class the answers are is another matter."""
    for node in query.walk() if query is not None else ():
        if isinstance(node, nodes.Entities):
            yield from (one for one in node.ids if one < pack.n_entities - pack.n_literals)


def _not_outdone(every: Sequence[Retrieved]) -> list[Retrieved]:
    """All but those that lose what the same query of another relation says: in "most honey in 2024" the column "honey
    2023 kg" beside "honey 2024 kg"."""
    queries = [one.hypotheses[0].make_query() for one in every]
    forms = [None if query is None else form(query) for query in queries]
    lost = [bool(one.find_left_out().get(LOST)) for one in every]
    whole = {of for of, is_lost in zip(forms, lost, strict=True) if not is_lost}
    return [one for one, of, is_lost in zip(every, forms, lost, strict=True) if not is_lost or of not in whole]


def _as_meant(question: str, found: Retrieved, pack: Pack) -> str:
    """The question with misspelt names as they are written, and titles as what has them is called: the judge knows
    names by their letters."""
    for seed in sorted(found.seeds, key=lambda seed: -seed.span[0]):
        if seed.match in ("typo", "title"):
            start, end = seed.span
            question = question[:start] + pack.labels([seed.entity])[0] + question[end:]
    return question


def others_of(found: Retrieved) -> Iterator[Retrieved]:
    """What else it may ask for: where the planner is sure enough, and leaves nothing out, the next that it read."""
    others = found.find_alternatives()
    is_sure = found.confidence >= (SURE_QUERY if found.is_query else FAIRLY_SURE)
    if not is_sure or any(found.find_left_out().values()):
        return others
    return islice(takewhile(lambda one: not one.is_proposed, others), MOST_BESIDE_SURE)


def _apart(every: Sequence[Retrieved]) -> list[Retrieved]:
    """Of those that differ only in whether a topic is among its own answers, the relation path, else the likeliest.

    A path that comes back to its topic leaves it out: whether it is meant the planner knows, never the judge.
    """
    likeliest: dict[object, Retrieved] = {}
    for one in every:
        query = one.hypotheses[0].make_query()
        key = id(one) if query is None else with_itself(query)
        if key not in likeliest or _rank(one) > _rank(likeliest[key]):
            likeliest[key] = one
    paths = [one for one in likeliest.values() if not one.is_query]
    return [one for one in likeliest.values() if not any(_is_with_topic(one, path) for path in paths)]


def _is_with_topic(one: Retrieved, path: Retrieved) -> bool:
    """Whether a query comes to what a path does, and to its topic besides."""
    topics = [seed.entity for seed in path.seeds]
    if not one.is_query or len(topics) != 1 or topics[0] in path.hypotheses[0].answers:
        return False
    more = np.append(path.hypotheses[0].answers, topics[0])
    return one.seeds == path.seeds and np.array_equal(np.sort(one.hypotheses[0].answers), np.sort(more))


def _rank(found: Retrieved) -> tuple[bool, float]:
    return not found.is_query, found.confidence


def settled(
    found: Retrieved, question: str, judge: QueryJudge, judging: Judging, pack: Pack, thorough: bool = False
) -> Retrieved:
    """What is answered with after the judge was asked, if its word may change anything, with the confidence in it."""
    if not is_needed(judging, found, question, pack, thorough):
        return found
    every = possible(found, question, pack, thorough)
    sure = None if thorough else surely(every, found, question, pack)
    if sure is not None:
        return _answered_with(sure.found, found, sure.confidence)
    every, candidates, any_does = _judged(every, found, question, judge, pack, thorough)
    if not candidates:
        return found
    places = range(len(candidates)) if thorough else answering(candidates, judging.powers)
    every, candidates = [every[at] for at in places], [candidates[at] for at in places]
    if not candidates:
        return replace(found, confidence=0.0, is_judged=True)
    chosen, confidence = judging.choose(candidates, any_does)
    if not thorough and every[chosen] is found and found.features.get("unmet"):  # no surer than the judge of all
        confidence = min(confidence, 1.0 / (1.0 + math.exp(-any_does)))
    if confidence < BELIEVED:
        return replace(found, confidence=confidence, is_judged=True)
    if thorough:  # a claim: what is false by one reading is unknown by another
        return _answered_with(every[chosen], found, confidence)
    said, about = comes_to(every[chosen]), _about(every[chosen])
    # Of those that answer the same, and are about no less of the question, the planner's.
    one = next(other for other in every if comes_to(other) == said and about <= _about(other))
    return _answered_with(one, found, confidence)


def _about(found: Retrieved) -> set[tuple[int, int]]:
    """Characters of the question that it starts from."""
    return {*(seed.span for seed in found.seeds), *found.pointed}


def _answered_with(one: Retrieved, found: Retrieved, confidence: float) -> Retrieved:
    """One of what a question may ask for, in place of what the planner chose."""
    return replace(
        one,
        confidence=confidence,
        linked=found.linked,
        candidates=found.candidates,
        notes=found.notes,
        is_judged=True,
    )
