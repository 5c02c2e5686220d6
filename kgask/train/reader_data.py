"""Scenes -> batches of token ids; batch ``i`` is a function of the seed and ``i`` alone.

That makes resuming exact: a checkpoint holds a step number, not a data position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgask.read.prompt import reader_pieces
from kgask.train.reader_names import NameMaker
from kgask.train.reader_relations import RelationBank, load_labels, load_relations
from kgask.train.reader_scenes import Scene, SceneMaker, SceneOptions
from kgask.train.reader_tokens import ReaderTokens

POOL_BATCHES = 16  # this many batches are drawn together and sorted by length, so that little is padding
HELD_OUT_SEED = 7_700


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded token ids and where the reply is. B examples, L longest."""

    ids: np.ndarray  # int64 [B, L]
    rows: np.ndarray  # int64 [K]: example of each reply token
    columns: np.ndarray  # int64 [K]: position whose prediction is that token
    targets: np.ndarray  # int64 [K]
    n_tokens: int  # without padding


@dataclass(frozen=True, slots=True)
class Makers:
    """Scene makers of both sides of the split; they share no wording and no label-only relation."""

    train: SceneMaker
    held_out: SceneMaker


def load_makers(data: Path, tables: Sequence[Path] = (), options: SceneOptions | None = None) -> Makers:
    """Read the sources under ``data`` and packs' relation tables; raises BuildError naming what is missing."""
    relations, names = load_relations(data, tables), NameMaker(load_labels(data))
    return Makers(
        SceneMaker(RelationBank(relations, held_out=False), names, options),
        SceneMaker(RelationBank(relations, held_out=True), names, options),
    )


def make_scenes(maker: SceneMaker, rng_seed: int, start: int, count: int) -> list[Scene]:
    """Scenes ``start .. start + count`` of a seed's endless sequence."""
    return [maker.make(random.Random(rng_seed * 1_000_003 + index)) for index in range(start, start + count)]


def encode_scene(scene: Scene, tokens: ReaderTokens) -> tuple[list[int], list[int]]:
    """Ids of the prompt and of the right reply."""
    return tokens.encode(reader_pieces(scene.question, scene.lines)), tokens.reply_ids(scene)


def make_batch(encoded: Sequence[tuple[list[int], list[int]]]) -> Batch:
    """Prompts with their replies, padded to the longest."""
    longest = max(len(prompt) + len(reply) - 1 for prompt, reply in encoded)
    ids = np.zeros((len(encoded), longest), dtype=np.int64)
    rows, columns, targets = [], [], []
    n_tokens = 0
    for row, (prompt, reply) in enumerate(encoded):
        sequence = prompt + reply[:-1]
        ids[row, : len(sequence)] = sequence
        n_tokens += len(sequence)
        rows.extend([row] * len(reply))
        columns.extend(range(len(prompt) - 1, len(prompt) - 1 + len(reply)))
        targets.extend(reply)
    return Batch(ids, np.array(rows), np.array(columns), np.array(targets), n_tokens)


def batches(
    maker: SceneMaker, tokens: ReaderTokens, rng_seed: int, batch_size: int, start: int = 0
) -> Iterator[Batch]:
    """Endless batches from number ``start`` on."""
    pool, offset = divmod(start, POOL_BATCHES)
    while True:
        scenes = make_scenes(maker, rng_seed, pool * POOL_BATCHES * batch_size, POOL_BATCHES * batch_size)
        encoded = sorted((encode_scene(scene, tokens) for scene in scenes), key=lambda pair: len(pair[0]))
        groups = [encoded[at : at + batch_size] for at in range(0, len(encoded), batch_size)]
        random.Random(rng_seed + pool).shuffle(groups)
        for group in groups[offset:]:
            yield make_batch(group)
        pool, offset = pool + 1, 0
