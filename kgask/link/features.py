"""What speaks for a candidate, as numbers, and the log-linear score made of them.

Every feature is a logarithm or 0/1, so a weighted sum of them is the logarithm
of a product of powers. The weights come from the planner's card (its
``linker`` section, trained end to end: :mod:`kgask.train.planner.link_scorer`), or are
those of :data:`HAND`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgask.errors import ModelError
from kgask.link.mentions import Span
from kgask.pack.records import NameHit

FEATURES = (
    "similarity",  # log of the name similarity, 0 when the name stands there exactly
    "alias",  # 1 when it is not the entity's label
    "typo",  # 1 when the name was read tolerantly
    "spelling",  # 1 when the question writes the name letter for letter, case and accents too
    "prior",  # log of a mild preference for the best connected of the mention's candidates
    "share",  # log of the candidate's share of all their triples
    "degree",  # log of one plus its triples
    "coverage",  # log of the share of the question's name-like words that the mention holds
    "wholeness",  # log of the mention's wholeness (mentions.Span)
    "nested",  # 1 inside a longer mention that is a name too
    "common",  # 1 for a single word that questions use anyway
    "words",  # log of the number of words
)
POWERS = ("link", "topic", "fit")
PRIOR_SHARE = 0.25  # how far the degree can move a candidate, in the feature "prior"
RHO = 0.22  # least score of a candidate, as in LTGen and TAGME
LEAST = 1e-9  # under every logarithm


@dataclass(frozen=True, slots=True)
class LinkModel:
    """Weights of the candidates' features, and of the link in the score of a (seed, path) pair.

    With a bias the score is the candidate's chance against "nothing is meant";
    without, the bare product of powers.
    """

    weights: tuple[float, ...]  # one a feature
    bias: float | None = None
    rho: float = RHO  # a candidate below is not looked at
    link_power: float = 1.0
    topic_power: float = 1.0  # of P(the masked span is a topic)
    fit_power: float = 0.0  # of the plan's probability of relations that the candidate has

    @classmethod
    def of(cls, linker: Mapping[str, float] | None) -> LinkModel:
        """From a card's ``linker`` section; :class:`ModelError` for a weight that this version does not know."""
        if linker is None:
            return HAND
        powers = [f"{name}_power" for name in POWERS]
        unknown = sorted(set(linker) - {*FEATURES, "bias", "rho", *powers})
        if unknown:
            raise ModelError(f"model.json: the linker of this version does not know {unknown[0]!r}; use a newer kgask")
        rest = {name: linker[name] for name in ("rho", *powers) if name in linker}
        return cls(tuple(linker.get(name, 0.0) for name in FEATURES), linker.get("bias", 0.0), **rest)

    def logit(self, features: Sequence[float]) -> float:
        return (self.bias or 0.0) + sum(weight * x for weight, x in zip(self.weights, features, strict=True))

    def chance(self, logit: float) -> float:
        """The score of a candidate that stands alone, 0..1: what ``rho`` bounds."""
        return math.exp(min(0.0, logit) if self.bias is None else -softplus(-logit))

    def score(self, logit: float, highest: float) -> float:
        """0..1: the best candidate's chance, times how this one compares with it.

        ``highest`` is the largest logit among the question's candidates. So a
        name that many entities share is not a worse name, and ratios between
        candidates stay as they were trained.
        """
        return self.chance(logit) if self.bias is None else math.exp(logit - softplus(highest))

    def pair(self, link: float, topic: float, fit: float) -> float:
        """What a seed weighs in the score of a (seed, path) pair: a product of powers of numbers from 0 to 1."""
        powers = ((link, self.link_power), (topic, self.topic_power), (fit, self.fit_power))
        return math.prod(max(x, LEAST) ** power for x, power in powers)


def softplus(x: float) -> float:
    """log(1 + e**x), for any x."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


_BY_HAND = {
    "similarity": 2.0,
    "alias": math.log(0.93),  # an alias says a little less than a label
    "prior": 1.0,
    "coverage": 1.0,
    "wholeness": 1.0,
    "common": math.log(0.35),  # a word that questions use anyway is rarely the topic
}
HAND = LinkModel(
    tuple(_BY_HAND.get(name, 0.0) for name in FEATURES), rho=0.02, link_power=3.0, topic_power=0.0
)  # for cards without a linker section: their topic scores are not trained either


def candidate_features(
    span: Span, nested: bool, common: bool, hits: Sequence[NameHit], degrees: Sequence[int]
) -> list[tuple[float, ...]]:
    """One row of :data:`FEATURES` for each candidate of a mention."""
    highest = math.log1p(max(degrees))
    total = math.log(sum(degrees) + len(degrees))
    of_span = (_log(span.coverage), _log(span.wholeness), float(nested), float(common), math.log(span.n_words))
    rows: list[tuple[float, ...]] = []
    for hit, degree in zip(hits, degrees, strict=True):
        connected = math.log1p(degree)
        prior = math.log(1.0 - PRIOR_SHARE + PRIOR_SHARE * (connected / highest if highest else 1.0))
        row = (
            _log(hit.similarity),
            float(hit.is_alias),
            float(hit.similarity < 1.0),
            float(hit.name == span.text),
            prior,
            connected - total,
            connected,
        )
        rows.append(row + of_span)
    return rows


def _log(x: float) -> float:
    return math.log(max(x, LEAST))
