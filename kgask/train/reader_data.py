"""Scenes -> batches of token ids; batch ``i`` is a function of the seed and ``i`` alone.

That makes resuming exact: a checkpoint holds a step number, not a data position.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgask.read.prompt import CITE as CITE_TOKEN
from kgask.read.prompt import SKIP as SKIP_TOKEN
from kgask.read.prompt import reader_pieces
from kgask.train.reader_names import NameMaker
from kgask.train.reader_relations import RelationBank, load_labels, load_relations
from kgask.train.reader_scenes import CITE, OTHER, WAY, Scene, SceneMaker, SceneOptions
from kgask.train.reader_tokens import ReaderTokens

POOL_BATCHES = 16  # this many batches are drawn together and sorted by length, so that little is padding
HELD_OUT_SEED = 7_700
REPLIES = (SKIP_TOKEN, CITE_TOKEN)
VERDICTS = (OTHER, WAY, CITE)  # of a line, in the order of their logits


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded token ids and what is to be said where. B examples, L longest."""

    ids: np.ndarray  # int64 [B, L]
    rows: np.ndarray  # int64 [K]: example of each line that is judged in the reply
    columns: np.ndarray  # int64 [K]: position of its number token there
    targets: np.ndarray  # int64 [K]: index into REPLIES
    line_rows: np.ndarray  # int64 [M]: example of each line
    line_ends: np.ndarray  # int64 [M]: position of the line's last token
    verdicts: np.ndarray  # int64 [M]: index into VERDICTS
    n_tokens: int  # without padding


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of a scene's prompt, the numbers to judge, and what is right."""

    prompt: list[int]
    numbers: list[int]
    targets: list[int]  # of each number, index into REPLIES
    line_ends: list[int]
    verdicts: list[int]


@dataclass(frozen=True, slots=True)
class Makers:
    """Scene makers of both sides of the split; they share no wording and no label-only relation."""

    train: SceneMaker
    held_out: SceneMaker


def load_makers(data: Path, tables: Sequence[Path] = (), options: SceneOptions | None = None) -> Makers:
    """Read the sources under ``data`` and packs' relation tables; raises BuildError naming what is
    missing."""
    relations, names = load_relations(data, tables), NameMaker(load_labels(data))
    return Makers(
        SceneMaker(RelationBank(relations, held_out=False), names, options),
        SceneMaker(RelationBank(relations, held_out=True), names, options),
    )


def make_scenes(maker: SceneMaker, rng_seed: int, start: int, count: int) -> list[Scene]:
    """Scenes ``start .. start + count`` of a seed's endless sequence."""
    return [maker.make(random.Random(rng_seed * 1_000_003 + index)) for index in range(start, start + count)]


def encode_scene(scene: Scene, tokens: ReaderTokens) -> Encoded:
    """Ids of the prompt and of the numbers to judge, and a verdict on every line."""
    prompt = tokens.encode(reader_pieces(scene.question, scene.lines))
    judged = tokens.judged(scene)
    targets = [REPLIES.index(CITE_TOKEN if number in scene.cite else SKIP_TOKEN) for number in judged]
    starts = [at for at, token in enumerate(prompt) if token in tokens.number_ids]
    line_ends = [at - 1 for at in [*starts[1:], len(prompt) - 1]]
    roles = dict.fromkeys(scene.cite, CITE) | dict.fromkeys(scene.way, WAY)
    verdicts = [VERDICTS.index(roles.get(number, OTHER)) for number in range(1, len(starts) + 1)]
    return Encoded(prompt, list(judged.values()), targets, line_ends, verdicts)


def make_batch(group: Sequence[Encoded]) -> Batch:
    """Prompts and the numbers to judge, padded to the longest."""
    longest = max(len(scene.prompt) + len(scene.numbers) for scene in group)
    ids = np.zeros((len(group), longest), dtype=np.int64)
    rows: list[int] = []
    columns: list[int] = []
    n_tokens = 0
    for row, scene in enumerate(group):
        sequence = scene.prompt + scene.numbers
        ids[row, : len(sequence)] = sequence
        n_tokens += len(sequence)
        rows.extend([row] * len(scene.numbers))
        columns.extend(range(len(scene.prompt), len(sequence)))
    targets = [target for scene in group for target in scene.targets]
    line_rows = [row for row, scene in enumerate(group) for _ in scene.line_ends]
    line_ends = [at for scene in group for at in scene.line_ends]
    verdicts = [verdict for scene in group for verdict in scene.verdicts]
    return Batch(
        ids, np.array(rows), np.array(columns), np.array(targets),
        np.array(line_rows), np.array(line_ends), np.array(verdicts), n_tokens,
    )  # fmt: skip


def batches(
    maker: SceneMaker, tokens: ReaderTokens, rng_seed: int, batch_size: int, start: int = 0
) -> Iterator[Batch]:
    """Endless batches from number ``start`` on."""
    pool, offset = divmod(start, POOL_BATCHES)
    while True:
        scenes = make_scenes(maker, rng_seed, pool * POOL_BATCHES * batch_size, POOL_BATCHES * batch_size)
        encoded = sorted(
            (encode_scene(scene, tokens) for scene in scenes), key=lambda scene: len(scene.prompt)
        )
        groups = [encoded[at : at + batch_size] for at in range(0, len(encoded), batch_size)]
        random.Random(rng_seed + pool).shuffle(groups)
        for group in groups[offset:]:
            yield make_batch(group)
        pool, offset = pool + 1, 0
