"""Scenes -> batches of token ids; batch ``i`` is a function of the seed and ``i`` alone.

That makes resuming exact: a checkpoint holds a step number, not a data position.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kgask.corpus.names import NameMaker
from kgask.corpus.scene import Scene, SceneOptions
from kgask.corpus.scene_relations import RelationBank, load_relations
from kgask.corpus.scenes import CITE, OTHER, WAY, SceneMaker
from kgask.corpus.training_data import ENTITY_LABELS
from kgask.errors import UsageError
from kgask.read.cross_encoder.prompt import reader_pieces
from kgask.sets.wikidata import entity_names
from kgask.train.reader.tokens import ReaderTokens

POOL_BATCHES = 16  # this many batches are drawn together and sorted by length, so that little is padding
HELD_OUT_SEED = 7_700
VERDICTS = (OTHER, WAY, CITE)  # of a line, in the order of their logits
MOVED = 0.2  # share of the scenes whose lines stand further back, so that every position is trained


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded token ids and what is to be said where. B examples, L longest, M lines in all."""

    ids: np.ndarray  # int64 [B, L]
    mask: np.ndarray  # int64 [B, L]: 0 where padded
    positions: np.ndarray  # int64 [B, L]
    line_rows: np.ndarray  # int64 [M]: example of each line
    line_columns: np.ndarray  # int64 [M]: position of the line's number token
    verdicts: np.ndarray  # int64 [M]: index into VERDICTS
    citable: np.ndarray  # bool [M]: the line ends in one of the plan's answers
    answered: np.ndarray  # float32 [B]: whether a line answers


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of a scene's prompt, where its lines' numbers stand, and what is right."""

    prompt: list[int]
    numbers: list[int]  # columns of the number tokens
    verdicts: list[int]
    citable: list[bool]
    jump: int = 0  # how much further back the lines stand than they need to

    def positions(self) -> list[int]:
        first = self.numbers[0] if self.numbers else len(self.prompt)
        return [at if at < first else at + self.jump for at in range(len(self.prompt))]


@dataclass(frozen=True, slots=True)
class Makers:
    """Scene makers of both sides of the split; they share no wording and no label-only relation."""

    train: SceneMaker
    held_out: SceneMaker
    blind: SceneMaker  # held out, without marks

    def training_data(self) -> list[str]:
        """The sets that training scenes are made of."""
        return [*self.train.bank.sets, ENTITY_LABELS]


def load_makers(data: Path, tables: Sequence[Path] = (), options: SceneOptions | None = None) -> Makers:
    """Read the sources under ``data`` and packs' relation tables; raises BuildError naming what is
    missing."""
    relations, names = load_relations(data, tables), NameMaker(entity_names(data))
    held_out = RelationBank(relations, held_out=True)
    return Makers(
        SceneMaker(RelationBank(relations, held_out=False), names, options),
        SceneMaker(held_out, names, SceneOptions(wrong_plan=0.0, blind=0.0, shuffled=0.0, astray=0.0)),
        SceneMaker(held_out, names, SceneOptions(blind=1.0, astray=0.0)),
    )


def make_scenes(maker: SceneMaker, rng_seed: int, start: int, count: int) -> list[Scene]:
    """Scenes ``start .. start + count`` of a seed's endless sequence."""
    return [maker.make(random.Random(rng_seed * 1_000_003 + index)) for index in range(start, start + count)]


def encode_scene(scene: Scene, tokens: ReaderTokens) -> Encoded:
    """Ids of the prompt, and a verdict on every line."""
    prompt = tokens.encode(reader_pieces(scene.question, scene.lines))
    numbers = [at for at, token in enumerate(prompt) if token in tokens.number_ids]
    roles = dict.fromkeys(scene.cite, CITE) | dict.fromkeys(scene.way, WAY)
    verdicts = [VERDICTS.index(roles.get(number, OTHER)) for number in range(1, len(numbers) + 1)]
    citable = [line.answer_ratio is not None for line in scene.lines[: len(numbers)]]
    return Encoded(prompt, numbers, verdicts, citable)


def moved(scene: Encoded, rng: random.Random, n_ctx: int) -> Encoded:
    """Now and then the same scene with its lines at later positions."""
    room = n_ctx - len(scene.prompt)
    return replace(scene, jump=rng.randrange(room)) if room > 0 and rng.random() < MOVED else scene


def make_batch(group: Sequence[Encoded]) -> Batch:
    """Prompts padded to the longest."""
    shape = len(group), max(len(scene.prompt) for scene in group)
    ids, mask, positions = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for row, scene in enumerate(group):
        length = len(scene.prompt)
        ids[row, :length], mask[row, :length], positions[row, :length] = scene.prompt, 1, scene.positions()
    return Batch(
        ids, mask, positions,
        np.array([row for row, scene in enumerate(group) for _ in scene.numbers]),
        np.array([at for scene in group for at in scene.numbers]),
        np.array([verdict for scene in group for verdict in scene.verdicts]),
        np.array([citable for scene in group for citable in scene.citable]),
        np.array([VERDICTS.index(CITE) in scene.verdicts for scene in group], np.float32),
    )  # fmt: skip


class Batches:
    """Batch ``i`` of a seed's endless sequence; scenes longer than ``n_ctx`` tokens are left out."""

    def __init__(self, maker: SceneMaker, tokens: ReaderTokens, rng_seed: int, batch_size: int, n_ctx: int) -> None:
        self._maker, self._tokens = maker, tokens
        self._rng_seed, self._batch_size, self._n_ctx = rng_seed, batch_size, n_ctx
        self._pool, self._groups = -1, list[list[Encoded]]()

    def __call__(self, number: int) -> Batch:
        pool, offset = divmod(number, POOL_BATCHES)
        if pool != self._pool:
            self._pool, self._groups = pool, self._drawn(pool)
        return make_batch(self._groups[offset % len(self._groups)])

    def _drawn(self, pool: int) -> list[list[Encoded]]:
        """The batches of a pool: scenes of about one length together."""
        size = POOL_BATCHES * self._batch_size
        scenes = make_scenes(self._maker, self._rng_seed, pool * size, size)
        rng = random.Random(self._rng_seed + pool)
        encoded = [moved(encode_scene(scene, self._tokens), rng, self._n_ctx) for scene in scenes]
        encoded = sorted((one for one in encoded if len(one.prompt) <= self._n_ctx), key=lambda one: len(one.prompt))
        if not encoded:
            raise UsageError(f"no scene fits {self._n_ctx} positions; give more")
        groups = [encoded[at : at + self._batch_size] for at in range(0, len(encoded), self._batch_size)]
        rng.shuffle(groups)
        return groups
