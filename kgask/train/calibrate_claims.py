"""How sure it is what a claim says: powers and confidence of the judge's word on claims, fitted on worded ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from kgask.answer.judging import ClaimJudging, best_of, judged, judged_features
from kgask.answer.pipeline import Pipeline
from kgask.cards import write_card
from kgask.config import MODEL_CARD
from kgask.corpus.judged_claims import Wanted, wanted_of
from kgask.methods.query_judge import QueryJudge
from kgask.methods.understand import calibrated
from kgask.plan.card import RigelCard
from kgask.sets.claims import GoldClaim
from kgask.train.calibrate_asked import shown_of
from kgask.train.calibrate_judging import Judged, candidates, fit_judging
from kgask.verify.verifier import Verifier

FOLDS = 5


def look(pipeline: Pipeline, golds: Iterable[GoldClaim]) -> Iterator[Judged]:
    """What the judge says of what each sub-claim may say, in both of its wordings."""
    verifier = Verifier(pipeline)
    assert pipeline.judge is not None
    for gold in golds:
        for part, wanted in wanted_of(verifier, gold):
            for text in dict.fromkeys((part.asked, part.positive)):
                found = verifier.narrowed(text)
                every, of_judge, any_does = judged(found, text, pipeline.judge, pipeline.pack, thorough=True)
                shown = shown_of(pipeline, every, of_judge, any_does, partial(Wanted.is_met, wanted))
                if shown is not None:
                    yield shown


def fit_claims(seen: Sequence[Judged], card: RigelCard) -> tuple[ClaimJudging, dict[str, float]]:
    """The fit, and of fits that did not see a fifth of the sub-claims: how often the surest reading is right, and the
    expected calibration error.

    Raises ValueError where there is nothing to fit.
    """
    if not seen:
        raise ValueError("no claims")
    fold = np.arange(len(seen)) * FOLDS // len(seen)
    held = [one for number in range(FOLDS) for one in _held_out(seen, fold, number, card)]
    sure, right = np.array(held).T
    bins = np.minimum((sure * 10).astype(int), 9)
    error = sum(abs(sure[bins == at].mean() - right[bins == at].mean()) * (bins == at).mean() for at in set(bins))
    return _fitted(seen, card), {"right": round(float(right.mean()), 4), "calibration_error": round(float(error), 4)}


def _held_out(seen: Sequence[Judged], fold: np.ndarray, number: int, card: RigelCard) -> Iterator[tuple[float, float]]:
    """Confidence and truth of the winners of a fold, by a fit over the others."""
    judging = _fitted([one for one, of in zip(seen, fold, strict=True) if of != number], card)
    for one in (one for one, of in zip(seen, fold, strict=True) if of == number):
        told = candidates(one, card.calibration, card.queries)
        chosen = best_of(told, judging.powers)
        values = judged_features(told, chosen, judging.powers, one.any_does)
        yield calibrated(judging.confidence, values), float(one.shown[chosen].right)


def _fitted(seen: Sequence[Judged], card: RigelCard) -> ClaimJudging:
    found = fit_judging(seen, np.full(len(seen), 1.0 / len(seen)), card.calibration, card.queries)
    assert found is not None
    return ClaimJudging(found.powers, found.confidence, found.min_confidence)


def write(judge: QueryJudge, planner: str, found: ClaimJudging, scores: dict[str, float], n: int) -> None:
    """Put a fit into the judge's card; ``planner`` is the hash of the one that it was fitted beside."""
    card = json.loads((judge.folder / MODEL_CARD).read_text(encoding="utf-8"))
    told = found.as_card() | {"planner": planner, "scores": scores | {"wordings": n}}
    write_card(judge.folder, card | {found.card_key: told})
