"""The mix that the query decoder learns from: which question comes next, and against which relations.

As :mod:`kgask.corpus.mix`; a question's relations compete with those of the batch that are of its vocabulary.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kgask.corpus.query_examples import QueryExample

TABLE = "table"  # a vocabulary whose keys are themselves texts
TAKEN_AWAY = 0.1  # share of the questions that lose a relation: the query then ends in NONE
NEAR = 3  # look-alikes of a relation that compete with it
NEAR_SHARE = 0.5
COLUMNS = 8  # of other tables, that compete with a table's own
Draw = Callable[[random.Random], QueryExample]


@dataclass(frozen=True, slots=True)
class Competing:
    """The relations that a batch competes over: texts [R], and which of them each question may mean."""

    texts: tuple[str, ...]
    rows: tuple[dict[str, int], ...]  # of each question: relation key -> row of ``texts``


class QueryMix:
    """Draws batches of questions with queries; the same random stream draws the same ones.

    ``draws`` gives a question of each source, ``shares`` how often; ``texts`` the texts of every relation key (the
    usual one first), ``similar`` its look-alikes, ``others`` the keys that compete with those of every batch.
    """

    def __init__(
        self,
        draws: Mapping[str, Draw],
        shares: Mapping[str, float],
        texts: Mapping[str, Sequence[str]],
        similar: Mapping[str, Sequence[str]],
        held_out: list[QueryExample],
        others: Sequence[str],
        n_negatives: int = 80,
        label_share: float = 0.5,
    ) -> None:
        self.held_out = held_out
        self._draws, self._texts, self._similar = draws, texts, similar
        self._names = [name for name, share in shares.items() if share > 0]
        self._weights = [shares[name] for name in self._names]
        self._others, self._n_negatives, self._label_share = others, n_negatives, label_share

    def batch(self, size: int, rng: random.Random) -> list[QueryExample]:
        """Questions of all sources; some lose a relation."""
        names = rng.choices(self._names, weights=self._weights, k=size)
        return [self.perhaps_without(self._draws[name](rng), rng) for name in names]

    @staticmethod
    def perhaps_without(example: QueryExample, rng: random.Random) -> QueryExample:
        """Now and then a question whose relation the graph lacks: the steps up to it, then NONE."""
        if not example.keys or rng.random() >= TAKEN_AWAY:
            return example
        return example.without(rng.choice(example.keys))

    def competing(self, batch: Sequence[QueryExample], rng: random.Random) -> Competing:
        """Gold relations, their look-alikes and others; for tables their own columns and some of another's."""
        shared = self._shared(batch, rng)
        texts: dict[str, int] = {}
        rows = []
        columns = sorted({key for example in batch if example.vocabulary == TABLE for key in example.keys})
        for example in batch:
            if example.vocabulary == TABLE:
                others = rng.sample(columns, min(COLUMNS, len(columns)))
                chosen = {key: key for key in (*example.keys, *example.others, *others) if key not in example.taken}
            else:
                hidden = {other for key in example.taken for other in (key, *self._similar.get(key, ()))} - set(
                    example.keys
                )
                chosen = {key: text for key, text in shared.items() if key not in hidden}
            rows.append({key: texts.setdefault(text, len(texts)) for key, text in chosen.items()})
        return Competing(tuple(texts) or ("",), tuple(rows))

    def _shared(self, batch: Sequence[QueryExample], rng: random.Random) -> dict[str, str]:
        """The relations of all questions but those over tables, each by one of its texts; no text stands twice."""
        gold = {key for example in batch if example.vocabulary != TABLE for key in example.keys}
        near = [k for key in sorted(gold) for k in self._similar.get(key, ())[:NEAR] if rng.random() < NEAR_SHARE]
        rest = rng.sample(self._others, min(self._n_negatives, len(self._others)))
        chosen: dict[str, str] = {}
        used: set[str] = set()
        for key in dict.fromkeys([*sorted(gold), *near, *rest]):
            options = [text for text in self._texts[key] if text not in used]
            if not options and key not in gold:
                continue
            options = options or [self._texts[key][0]]
            chosen[key] = options[0] if rng.random() < self._label_share else rng.choice(options)
            used.add(chosen[key])
        return chosen
