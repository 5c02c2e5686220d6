"""What a judge learns from, as arrays: drawn, cut into batches of like length, and made ahead by other processes."""

from __future__ import annotations

import multiprocessing
import random
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from kgask.corpus.judged import JudgedMix, JudgedQuestion
from kgask.methods.query_judge import PromptTokens
from kgask.train.judge.model import MOST_TOKENS
from kgask.verify.verdict import VERDICTS

POOL = 16  # batches that are drawn together and sorted by length, so that little is padding
AHEAD = 2  # pools that are made ahead by each process


@dataclass(frozen=True, slots=True)
class Batch:
    """B questions, L tokens of the longest, Q queries in all."""

    ids: np.ndarray  # int64 [B, L]
    mask: np.ndarray  # int64 [B, L]: 0 where padded
    rows: np.ndarray  # int64 [Q]: question of each query
    columns: np.ndarray  # int64 [Q]: where its number stands
    right: np.ndarray  # float32 [Q]
    counted: np.ndarray  # bool [Q]: whether that is known
    answered: np.ndarray  # float32 [B]: whether a query is right
    verdicts: np.ndarray  # int64 [B]: of a claim, its place in VERDICTS; -1 of a question


def make_batch(questions: Sequence[JudgedQuestion], tokens: PromptTokens) -> Batch:
    """The questions with all of their queries that a prompt has room for."""
    prompts = [_prompt(one, tokens) for one in questions]
    shape = len(prompts), max(len(ids) for ids, _ in prompts)
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, (prompt, _) in enumerate(prompts):
        ids[row, : len(prompt)], mask[row, : len(prompt)] = prompt, 1
    places = [(row, column) for row, (_, columns) in enumerate(prompts) for column in columns]
    seen = [one.queries[: len(columns)] for one, (_, columns) in zip(questions, prompts, strict=True)]
    every = [query.right for queries in seen for query in queries]
    return Batch(
        ids, mask,
        np.array([row for row, _ in places]),
        np.array([column for _, column in places]),
        np.array([bool(right) for right in every], np.float32),
        np.array([right is not None for right in every]),
        np.array([any(query.right for query in queries) for queries in seen], np.float32),
        np.array([-1 if one.verdict is None else VERDICTS.index(one.verdict) for one in questions], np.int64),
    )  # fmt: skip


def _prompt(one: JudgedQuestion, tokens: PromptTokens) -> tuple[list[int], list[int]]:
    told = [(query.words, query.outcome) for query in one.queries]
    ids, places = tokens.encode(one.text, told, one.verdict is not None)
    return ids[:MOST_TOKENS], [place for place in places if place < MOST_TOKENS]


@dataclass(frozen=True, slots=True)
class PoolMaker:
    """Draws the batches of a run, :data:`POOL` at a time; which they are depends on seed and number alone."""

    mix: JudgedMix
    tokenizer: Path
    batch_size: int
    rng_seed: int

    def make(self, number: int, tokens: PromptTokens) -> list[Batch]:
        """The batches of steps ``number * POOL`` and on."""
        rng = random.Random(f"{self.rng_seed} pool {number}")
        drawn = sorted(self.mix.draw(POOL * self.batch_size, rng), key=JudgedQuestion.length)
        groups = [part.tolist() for part in np.array_split(np.array(drawn, object), POOL)]
        rng.shuffle(groups)
        return [make_batch(group, tokens) for group in groups]


class Batches:
    """The batch of each step, in order; with ``workers`` other processes make them ahead."""

    def __init__(self, maker: PoolMaker, workers: int = 0) -> None:
        self._maker, self._workers, self._executor = maker, workers, None
        self._number, self._pool = -1, list[Batch]()
        self._ahead = deque[tuple[int, Future[list[Batch]]]]()
        self.tokens = PromptTokens(Tokenizer.from_file(str(maker.tokenizer)))
        if workers:  # they touch no GPU, which a forked process may not
            self._executor = ProcessPoolExecutor(
                workers, multiprocessing.get_context("fork"), _begin, (maker, self.tokens)
            )
            self._executor.submit(int).result()  # forks all of them

    def of(self, step: int) -> Batch:
        """Steps are asked for one after the other; to begin anywhere is fine."""
        number, at = divmod(step, POOL)
        if number != self._number:
            self._number, self._pool = number, self._make(number)
        return self._pool[at]

    def _make(self, number: int) -> list[Batch]:
        if self._executor is None:
            return self._maker.make(number, self.tokens)
        while self._ahead and self._ahead[0][0] != number:
            self._ahead.popleft()[1].cancel()
        following = self._ahead[-1][0] + 1 if self._ahead else number
        for later in range(following, number + AHEAD * self._workers):
            self._ahead.append((later, self._executor.submit(_made, later)))
        return self._ahead.popleft()[1].result()

    def close(self) -> None:
        """End the processes."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)


_here: tuple[PoolMaker, PromptTokens]  # of a process that makes batches


def _begin(maker: PoolMaker, tokens: PromptTokens) -> None:
    global _here
    _here = maker, tokens


def _made(number: int) -> list[Batch]:
    maker, tokens = _here
    return maker.make(number, tokens)
