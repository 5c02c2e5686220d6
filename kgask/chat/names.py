"""What a turn names: by the linker, and by what was spoken of before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from kgask.answer.parts import Given
from kgask.chat.changes import MOST_NAMED
from kgask.chat.memory import Memory
from kgask.chat.turns import Turn
from kgask.link.linker import Linker
from kgask.link.naming import SURELY, seeds_in, whole_seeds_in
from kgask.types import EntityId, Seed

NAMED = 0.5  # score from which a refused question surely names something


@dataclass(frozen=True, slots=True)
class Names:
    """Finds the entities that a turn names."""

    linker: Linker
    memory: Memory

    def named(self, text: str) -> tuple[EntityId, ...]:
        """The entities that a text may name, the likeliest first; none by a part of a longer name."""
        return tuple(one.entity for one in islice(whole_seeds_in(self.linker, text), MOST_NAMED))

    def spoken_of_first(self, text: str) -> tuple[EntityId, ...]:
        """The same with what was spoken of before all else: "back to Obama"."""
        spoken = self.memory.spoken_of()
        return tuple(sorted(self.named(text), key=lambda one: one not in spoken))

    def is_name(self, text: str) -> bool:
        """Whether a text is a name and nothing else."""
        return any(seed.span == (0, len(text)) for seed in seeds_in(self.linker, text))

    def kept(self, seeds: Sequence[Seed], given: Sequence[Given]) -> list[EntityId]:
        """What a question that was refused is about, of what it was linked to: what is given, spoken of or a name."""
        spoken = {one for turn in self.memory.turns for one in (*turn.topics, *turn.ends)} | {one for *_, one in given}
        return [one.entity for one in seeds if one.entity in spoken or _is_name(one)]

    def surely_named(self, text: str) -> list[EntityId]:
        """What a question that was refused is about: names with a capital, and what was spoken of before."""
        spoken = {one for turn in self.memory.turns for one in (*turn.topics, *turn.ends)}
        found = [one for one in seeds_in(self.linker, text) if one.score >= NAMED]
        kept = [one for one in found if one.entity in spoken or (one.mention[:1].isupper() and one.span[0] > 0)]
        return [one.entity for one in kept[:MOST_NAMED]]


def _is_name(seed: Seed) -> bool:
    """Whether a mention is a name, as far as it looks like one: "don't" and "latter" are none."""
    return seed.mention[:1].isupper() or (seed.score >= SURELY and seed.mention.isalpha())


def called_in(turn: Turn, entity: EntityId, label: str) -> str | None:
    """What a turn calls an entity: its label, or the name that was linked."""
    seeds = turn.answer.seeds if turn.answer is not None else ()
    called = (label, *(seed.mention for seed in seeds if seed.entity == entity))
    return next((one for one in called if one and re.search(rf"{re.escape(one)}\b", turn.understood)), None)
