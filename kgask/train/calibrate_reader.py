"""What a reader's word counts beside the plan's: fitted on questions that neither was trained on.

The questions of :mod:`kgask.train.calibrate_asked` for which a path was chosen; paths of a pack whose relations have
several names are asked once more under other names. Each is planned, followed and read once; then

1. the powers of the reader's log-odds beside the plan's log-probability are the maximum of the likelihood that a right
   route wins (a conditional logit over the routes of each question), and
2. the confidence is a logistic regression of "the winner is right" on what both say.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from kgask.answer.fuse import (
    FEATURES,
    POWERS,
    Weighing,
    best_of,
    weighed_features,
)
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.mix import load_corpus
from kgask.errors import ModelError, UsageError
from kgask.methods.understand import calibrated
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.plan.card import MIN_CONFIDENCE, Calibration, RigelCard
from kgask.sets.rows import lines_of
from kgask.train.calibrate import fit
from kgask.train.calibrate_asked import Seen

RIDGE = 0.02  # on the powers: a few questions must not make a reader almighty


def held_out_examples(data: Path, model: Path) -> list[PathExample]:
    """The questions that the planner in ``model`` kept for measuring; UsageError where its card does not say which."""
    config = RigelCard.load(model).content.get("config")
    try:
        wanted = [name for name, share in (config["shares"] | config["vocabularies"]).items() if share > 0]
        seed = int(config["rng_seed"])
    except (TypeError, KeyError, ValueError):
        raise UsageError(f"{model}: its card does not say what it was trained on; --model rigel does") from None
    return [example for example in load_corpus(data, seed, wanted).held_out if example.vocabulary == "wikidata"]


def read_examples(path: Path) -> list[PathExample]:
    """Questions from a file: ``text with [MASK]<TAB>path``, the path as relation keys with ``-`` where inverse.

    Raises UsageError with file and line for anything else.
    """
    found = []
    for number, line in lines_of(path):
        text, _, path_text = line.partition("\t")
        steps = path_text.split()
        if MASK not in text or not steps:
            raise UsageError(f"{path}:{number}: expected 'text with {MASK}<TAB>P50 -P106' (keys, '-' where inverse)")
        found.append(PathExample(text, tuple((step.lstrip("-"), step.startswith("-")) for step in steps), "file"))
    return found


class RewordedPack(Pack):
    """A pack that calls every relation by another of its names and says nothing else about it.

    A planner has met the usual labels in training; the packs that people bring have labels of their own, and there
    it errs more often. What a reader is worth shows where the plan errs.
    """

    @classmethod
    def of(cls, path: Path, rng_seed: int) -> RewordedPack | None:
        """None where the relations have no other names."""
        pack, rng = cls.open(path), random.Random(rng_seed)
        assert isinstance(pack, RewordedPack)
        if not any(text.aliases for text in pack.relations()):
            pack.close()
            return None
        pack._words = [
            RelationText(text.key, rng.choice(text.aliases or (text.label,)), (), "", "") for text in pack.relations()
        ]
        return pack

    _words: list[RelationText] | None = None

    def relations(self) -> list[RelationText]:
        return super().relations() if self._words is None else self._words

    def relation_labels(self) -> list[str]:
        return [text.label for text in self.relations()]


def fit_weighing(seen: Sequence[Seen], plan: Calibration, weights: np.ndarray) -> Weighing:
    """Powers, then the confidence; ``weights`` [n] of the questions. ModelError when nothing was read."""
    powers = _fit_powers(seen)
    rows, targets, counts = [], [], []
    for one, weight in zip(seen, weights, strict=True):
        if one.standings:
            counts.append(weight)
            chosen = best_of(one.standings, powers)
            values = weighed_features(one.standings, chosen, powers, calibrated(plan, one.features))
            rows.append([values[name] for name in FEATURES])
            targets.append(float(one.right[one.standings.index(chosen)]))
    if not rows:
        raise ModelError("no probe was read: this reader does not judge lines; its card stays as it is")
    confidence, _ = fit(np.array(rows), np.array(targets), FEATURES, np.array(counts))
    return Weighing(powers, confidence, MIN_CONFIDENCE)


def _fit_powers(seen: Sequence[Seen]) -> dict[str, float]:
    """Of the probes where a shown route is right and another is not."""
    telling = [one for one in seen if any(one.right) and not all(one.right)]
    rows = [np.array([[s.best, s.mean] for s in one.standings]) for one in telling]
    plans = [np.array([s.score(dict.fromkeys(POWERS, 0.0)) for s in one.standings]) for one in telling]
    masks = [np.array(one.right) for one in telling]

    def loss(powers: np.ndarray) -> float:
        total = 0.0
        for said, plan, right in zip(rows, plans, masks, strict=True):
            scores = plan + said @ powers
            total += np.logaddexp.reduce(scores) - np.logaddexp.reduce(scores[right])
        return total / max(1, len(rows)) + RIDGE * float((powers**2).sum())

    found = minimize(loss, np.full(len(POWERS), 0.1), method="L-BFGS-B", bounds=[(0.0, 3.0)] * len(POWERS)).x
    return {name: round(float(value), 4) for name, value in zip(POWERS, found, strict=True)}
