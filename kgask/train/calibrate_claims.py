"""How sure it is what a claim says, and its verdict: the judge's words on claims, fitted on worded ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np
from scipy.optimize import minimize

from kgask.answer.judging import AMONG, FEATURES, ClaimJudging, best_of, judged, judged_features
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
from kgask.verify.fusion import CARD_KEY, Fusion, features, softmax
from kgask.verify.verdict import VERDICTS
from kgask.verify.verifier import Verifier, VerifyOptions

FOLDS = 5
# How the winner stands among the others is left out: with it 62 instead of 67 % of FactBench's claims were decided.
OF_CLAIMS = tuple(name for name in FEATURES if name not in AMONG)
RIDGE = 1e-3
MOST_WRONG = {"true_refuted": 0.02, "false_supported": 0.03, "unknown_decided": 0.03}


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
    weights = np.full(len(seen), 1.0 / len(seen))
    found = fit_judging(seen, weights, card.calibration, card.queries, OF_CLAIMS, is_claim=True)
    assert found is not None
    return ClaimJudging(found.powers, found.confidence, found.min_confidence)


def look_at_evidence(pipeline: Pipeline, golds: Sequence[GoldClaim]) -> Iterator[tuple[np.ndarray, int]]:
    """What speaks for each verdict on each claim (:func:`kgask.verify.fusion.features`), and which is right."""
    queries, reader = Verifier(pipeline), Verifier(pipeline, VerifyOptions(engine="reader"))
    for one, found in zip(golds, queries.by_query([gold.text for gold in golds]), strict=True):
        yield features(found, reader.by_evidence(one.text).odds), [*VERDICTS].index(one.verdict)


def fit_fusion(seen: Sequence[tuple[np.ndarray, int]]) -> tuple[Fusion, dict[str, float]]:
    """The fit, and what fits that did not see a fifth of the claims would say of it.

    The least probabilities are those with the most right verdicts of them that keep both errors that matter within
    :data:`MOST_WRONG` there.
    """
    rows, right = np.array([row for row, _ in seen]), np.array([at for _, at in seen])
    fold = np.arange(len(seen)) * FOLDS // len(seen)
    held = np.zeros((len(seen), len(VERDICTS)))
    for number in range(FOLDS):
        weights = _fusion_weights(rows[fold != number], right[fold != number])
        held[fold == number] = softmax(rows[fold == number] @ weights)
    grid = np.round(np.arange(0.34, 0.96, 0.02), 2).tolist()
    every = [(_told(held, right, leasts), leasts) for leasts in product(grid, grid)]
    kept = [one for one in every if all(one[0][name] <= most for name, most in MOST_WRONG.items())] or every[-1:]
    scores, leasts = max(kept, key=lambda one: (one[0]["right"], one[1]))
    weights = _fusion_weights(rows, right)
    return Fusion(*weights.tolist(), *leasts), scores


def _fusion_weights(rows: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Of a conditional logit, float [F]; ``rows`` float [n, 3, F], ``right`` int [n]."""

    def loss(weights: np.ndarray) -> float:
        odds = rows @ weights
        chosen = np.take_along_axis(odds, right[:, None], axis=1)[:, 0]
        return float((np.logaddexp.reduce(odds, axis=1) - chosen).mean() + RIDGE * weights @ weights)

    found: np.ndarray = minimize(loss, np.zeros(rows.shape[2])).x
    return found


def _told(shares: np.ndarray, right: np.ndarray, leasts: tuple[float, float]) -> dict[str, float]:
    """What comes of least probabilities: the share of right verdicts, and of wrong ones among those of each sort."""
    likelier = shares[:, :2].argmax(axis=1)
    said = np.where(shares[:, :2].max(axis=1) >= np.array(leasts)[likelier], likelier, 2)
    figures = {
        "right": (said == right).mean(),
        "true_refuted": (said[right == 0] == 1).mean(),
        "false_supported": (said[right == 1] == 0).mean(),
        "unknown_decided": (said[right == 2] < 2).mean(),
    }
    return {name: round(float(value), 4) for name, value in figures.items()}


def write_fusion(judge: QueryJudge, found: Fusion, scores: dict[str, float], n: int) -> None:
    """Put a fit into the judge's card."""
    card = json.loads((judge.folder / MODEL_CARD).read_text(encoding="utf-8"))
    write_card(judge.folder, card | {CARD_KEY: found.as_card() | {"scores": scores | {"claims": n}}})


def write(judge: QueryJudge, planner: str, found: ClaimJudging, scores: dict[str, float], n: int) -> None:
    """Put a fit into the judge's card; ``planner`` is the hash of the one that it was fitted beside."""
    card = json.loads((judge.folder / MODEL_CARD).read_text(encoding="utf-8"))
    told = found.as_card() | {"planner": planner, "scores": scores | {"wordings": n}}
    write_card(judge.folder, card | {found.card_key: told})
