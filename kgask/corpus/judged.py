"""Questions with queries that they may ask, right and wrong ones: what a reader learns to judge queries from.

One JSON object a line: ``text``, ``source``, and ``queries`` as ``[words, outcome, right]``; ``right`` is null for a
query that comes to what is right, and may do so by chance. A claim with evidence has a ``verdict``, and what the graph
says (:mod:`kgask.verify.evidence`) stands for the queries.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgask.corpus.conditions import with_condition, with_nothing
from kgask.errors import UsageError
from kgask.methods.query_judge import MOST_QUERIES, SURELY_JUDGED
from kgask.sets.rows import lines_of
from kgask.verify.verdict import VERDICTS, Said

COMPOSED, WORDED, CLAIMS, EVIDENCE = "composed", "worded", "claims", "evidence"
# Of what training draws.
SHARES = {
    COMPOSED: 0.06, WORDED: 0.6, CLAIMS: 0.13, EVIDENCE: 0.06, "near": 0.05, "kqapro": 0.03, "wikisql": 0.1,
    "tables": 0.12,
}  # fmt: skip
SHOWN = (1, 2, 3, 4, 5, 6, 8, 12, 16)  # of a question; one of these is drawn
WITHOUT = 0.15  # share of the questions that are shown wrong queries only
KEPT = 0.6  # of the others whose right queries the draw has left out, those that get one back
AS_JUDGED = 0.6  # share of the questions that are shown what a judge is shown, the hardest to tell from what is right
CONDITIONED, CHATTY = 0.08, 0.04  # shares that get a condition which nothing honours, and words that ask for nothing

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """What a query asks for and what it comes to, in words."""

    words: str
    outcome: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question with what it may ask."""

    text: str
    source: str
    queries: tuple[JudgedQuery, ...]
    verdict: Said | None = None  # of a claim with evidence

    def length(self) -> int:
        """In characters."""
        return len(self.text) + sum(len(one.words) + len(one.outcome) for one in self.queries)

    def shown(self, rng: random.Random) -> JudgedQuestion:
        """With some of its queries, in random order, as training shows them; evidence is shown whole."""
        if self.verdict is not None:
            return self
        queries = list({one.words: one for one in self.queries}.values())
        right = [one for one in queries if one.right]
        if right and rng.random() < WITHOUT:
            queries, right = [one for one in queries if one.right is False], []
        n_shown = rng.choice(SHOWN)
        if rng.random() < AS_JUDGED:
            queries, n_shown = self._as_judged(queries), MOST_QUERIES
        rng.shuffle(queries)
        found = queries[:n_shown]
        if found and right and not any(one.right for one in found) and rng.random() < KEPT:
            found[rng.randrange(len(found))] = right[0]
        return replace(self, queries=tuple(found))

    def _as_judged(self, queries: Sequence[JudgedQuery]) -> list[JudgedQuery]:
        """What the planner read, which stands first, and of the rest those that share most words with the question."""
        asked = _words(self.text)
        first, others = queries[:SURELY_JUDGED], queries[SURELY_JUDGED:]
        others = sorted(others, key=lambda one: -len(asked & _words(one.words)))
        return [*first, *others][:MOST_QUERIES]

    def conditioned(self, rng: random.Random) -> JudgedQuestion:
        """As it is, or now and then with a condition that makes every query wrong, or with what asks for nothing."""
        drawn = 1.0 if self.verdict is not None else rng.random()
        if drawn < CONDITIONED and any(one.right for one in self.queries):
            wrong = tuple(replace(one, right=False) for one in self.queries)
            return replace(self, text=with_condition(self.text, rng), queries=wrong)
        if CONDITIONED <= drawn < CONDITIONED + CHATTY:
            return replace(self, text=with_nothing(self.text, rng))
        return self


def _words(text: str) -> set[str]:
    """The beginnings of its words: "countries" and "country" are alike."""
    return {word[:5] for word in _WORD.findall(text.lower())}


def write(path: Path, questions: Iterable[JudgedQuestion]) -> int:
    """Returns how many there were."""
    n = 0
    with path.open("w", encoding="utf-8") as out:
        for n, one in enumerate(questions, 1):  # noqa: B007 - the number of the last one is what is returned
            row = {"text": one.text, "source": one.source}
            row |= {} if one.verdict is None else {"verdict": one.verdict}
            queries = [[query.words, query.outcome, query.right] for query in one.queries]
            out.write(json.dumps(row | {"queries": queries}, ensure_ascii=False) + "\n")
    return n


def read(path: Path) -> Iterator[JudgedQuestion]:
    """Raises UsageError with file and line for anything else than :func:`write` writes."""
    for number, line in lines_of(path):
        try:
            row = json.loads(line)
            queries = tuple(JudgedQuery(str(words), str(said), right) for words, said, right in row["queries"])
            yield JudgedQuestion(str(row["text"]), str(row["source"]), queries, _verdict(row))
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}:{number}: not a line of 'kgask train judge-questions'") from None


def _verdict(row: dict[str, Any]) -> Said | None:
    """ValueError for another word than these."""
    return VERDICTS[VERDICTS.index(row["verdict"])] if "verdict" in row else None


def without_doubles(queries: Sequence[JudgedQuery]) -> tuple[JudgedQuery, ...]:
    """Wrong ones that come to what a right one does are left out: they may not be wrong."""
    good = {one.outcome for one in queries if one.right}
    return tuple(one for one in queries if one.right is not False or one.outcome not in good)


class JudgedMix:
    """Draws questions of several sources by their shares."""

    def __init__(self, questions: Iterable[JudgedQuestion]) -> None:
        """Raises UsageError where there is none, or one of an unknown source."""
        self._by_source: dict[str, list[JudgedQuestion]] = {}
        for one in questions:
            self._by_source.setdefault(one.source, []).append(one)
        unknown = sorted(set(self._by_source) - set(SHARES))
        if unknown or not self._by_source:
            raise UsageError(f"judged questions: {f'unknown source {unknown[0]!r}' if unknown else 'none are given'}")
        self.sources = sorted(self._by_source)

    def draw(self, n: int, rng: random.Random) -> list[JudgedQuestion]:
        """At most ``n`` questions with the queries that are shown of each."""
        names = rng.choices(self.sources, [SHARES[name] for name in self.sources], k=n)
        drawn = (rng.choice(self._by_source[name]).shown(rng).conditioned(rng) for name in names)
        return [one for one in drawn if one.queries]
