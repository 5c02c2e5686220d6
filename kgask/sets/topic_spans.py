"""Which words of a one-entity question name its topic, learnt without labels.

A question is wording, name, wording: a hidden semi-Markov model with three
segments. The wording on either side follows a bigram model of its relation,
backed off to one of all relations; the name follows a unigram model of name
words. Both are counted over what little is known: the questions whose topic
has a label, and a list of names. Counting again over the model's own guesses
(hard EM) makes it worse: names found exactly fall from 80 to 78 % in a round.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[int, int]  # word offsets, end exclusive
EDGE = "\0"  # stands before the first word, between wording and name, after the last word
MAX_NAME_WORDS = 10
# How much the wording model of all relations, and the unigram model of all wordings, count as seen evidence.
BACKOFF, UNIGRAM_BACKOFF = 3.0, 4.0
UNSEEN_NAME, UNSEEN_WORDING = 3e-6, 1e-6  # probability of a word that neither model has seen
KNOWN_NAME, ONE_WORD = 6.0, 0.3  # log-odds that a span in the list of names is the name; share of it for one word
# A name at an edge rarely begins or ends with one of these; inside it they are fine.
LOOSE = frozenset("a an and by did do does from has have in is of on or that to was were what where which who".split())
LOOSE_COST = 1.5


@dataclass(slots=True)
class _Counts:
    """What stands in the questions whose span is known."""

    bigrams: Counter[tuple[str, str, str]]  # (relation, previous word, word), "" for all relations
    contexts: Counter[tuple[str, str]]  # (relation, previous word)
    wording: Counter[str]
    names: dict[str, float]
    n_wording: int
    n_names: float


_WORD = re.compile(r"(?:(?!'s(?!\w))\S)+|'s")  # a genitive is a word of its own


def words_of(question: str) -> list[tuple[str, Span]]:
    """Words in lower case with their character offsets, without the punctuation at the end of the text."""
    text = question.rstrip("?. !")
    return [(match[0].lower().strip(',"') or match[0], match.span()) for match in _WORD.finditer(text)]


def label_span(question: str, label: str | None) -> Span | None:
    """The words of the question that are the label; None when it is not there or is all there is."""
    words, wanted = ([word.strip("?,.'\"!") for word, _ in words_of(text)] for text in (question, label or ""))
    if not wanted or len(wanted) >= len(words):
        return None
    starts = range(len(words) - len(wanted) + 1)
    return next(((i, i + len(wanted)) for i in starts if words[i : i + len(wanted)] == wanted), None)


class SpanModel:
    """Finds the topic's words; fitted once to a whole set."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = {name.lower() for name in names}
        self._prior = Counter(word for name in self._known for word in name.split())

    def fit(
        self, questions: Sequence[tuple[str, str]], known: Sequence[Span | None]
    ) -> list[tuple[Span | None, float]]:
        """(relation, question) pairs with the spans of words that are sure.

        Returns a span for each and by how much its log-probability exceeds the
        next one's: infinite for the sure ones, 0 where there is no choice.
        """
        texts = [[word for word, _ in words_of(question)] for _, question in questions]
        self._counts = _counted(self._prior, questions, texts, known)
        return [
            (sure, math.inf) if sure else self._best(relation, words)
            for sure, (relation, _), words in zip(known, questions, texts, strict=True)
        ]

    def _best(self, relation: str, words: list[str]) -> tuple[Span | None, float]:
        """The likeliest span and its lead over the next one."""
        n = len(words)
        left = self._prefix_scores(relation, words)
        right = self._suffix_scores(relation, words)
        name = [self._name(word) for word in words]
        ranked = []
        for start in range(n):
            score = left[start]
            for end in range(start + 1, min(n, start + MAX_NAME_WORDS) + 1):
                if end - start == n:
                    continue
                score += name[end - 1]
                ranked.append((score + right[end] + self._shape(words, start, end), (start, end)))
        best = heapq.nlargest(2, ranked)
        if len(best) < 2:
            return (best[0][1] if best else None), 0.0
        return best[0][1], best[0][0] - best[1][0]

    def _shape(self, words: list[str], start: int, end: int) -> float:
        known = KNOWN_NAME if " ".join(words[start:end]) in self._known else 0.0
        known *= ONE_WORD if end - start == 1 else 1.0
        return known - LOOSE_COST * ((words[start] in LOOSE) + (words[end - 1] in LOOSE))

    def _prefix_scores(self, relation: str, words: list[str]) -> list[float]:
        """Log-probability of words[:i] as the wording before a name, for every i."""
        scores, at, before = [], 0.0, EDGE
        for word in [*words, EDGE]:
            scores.append(at + self._wording(relation, before, EDGE))
            at += self._wording(relation, before, word)
            before = word
        return scores

    def _suffix_scores(self, relation: str, words: list[str]) -> list[float]:
        """Log-probability of words[i:] as the wording after a name, for every i."""
        scores = [self._wording(relation, EDGE + EDGE, EDGE)]
        at, after = 0.0, EDGE
        for word in reversed(words):
            at += self._wording(relation, word, after)
            scores.append(at + self._wording(relation, EDGE + EDGE, word))
            after = word
        return scores[::-1]

    def _wording(self, relation: str, before: str, word: str) -> float:
        counts = self._counts
        unigram = counts.wording[word] / (counts.n_wording + 1) + UNSEEN_WORDING
        both = self._smoothed("", before, word, unigram, UNIGRAM_BACKOFF)
        return math.log(self._smoothed(relation, before, word, both, BACKOFF))

    def _smoothed(self, relation: str, before: str, word: str, prior: float, weight: float) -> float:
        counts = self._counts
        return (counts.bigrams[relation, before, word] + weight * prior) / (counts.contexts[relation, before] + weight)

    def _name(self, word: str) -> float:
        return math.log(self._counts.names.get(word, 0) / (self._counts.n_names + 1) + UNSEEN_NAME)


def _counted(
    prior: Counter[str],
    questions: Sequence[tuple[str, str]],
    texts: list[list[str]],
    spans: Sequence[Span | None],
) -> _Counts:
    """What stands in the questions whose span is known; ``prior`` are the words of known names."""
    bigrams: Counter[tuple[str, str, str]] = Counter()
    wording: Counter[str] = Counter()
    names: dict[str, float] = defaultdict(float)
    for (relation, _), words, span in zip(questions, texts, spans, strict=True):
        if span is None:
            continue
        for word in words[span[0] : span[1]]:
            names[word] += 1
        for side in _sides(words, span):
            wording.update(side[1:])
            for before, word in zip(side, side[1:], strict=False):
                bigrams[relation, before, word] += 1
                bigrams["", before, word] += 1
    contexts: Counter[tuple[str, str]] = Counter()
    for (relation, before, _), count in bigrams.items():
        contexts[relation, before] += count
    for word, count in prior.items():
        names[word] += math.sqrt(count)
    return _Counts(bigrams, contexts, wording, names, wording.total(), sum(names.values()))


def _sides(words: list[str], span: Span) -> tuple[list[str], list[str]]:
    """The wording before and after the name, each with its edges."""
    return [EDGE, *words[: span[0]], EDGE], [EDGE + EDGE, *words[span[1] :], EDGE]
