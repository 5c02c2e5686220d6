"""A pack with a seeded share of its triples: what an incomplete graph costs (the Rigel paper asks half of one)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kgask.build.writer import BuildReport
from kgask.errors import UsageError
from kgask.eval.make_copy import Tell, copy_pack, naming_of
from kgask.pack.store import Pack


def write_half(
    pack: Pack, target: Path, share: float, rng_seed: int, force: bool = False, tell: Tell = lambda _: None
) -> BuildReport:
    """Write ``pack`` with ``share`` of its triples (0 < share <= 1), names kept.

    With the same seed a smaller share is part of a larger one. Entities that are left without a triple are left out.
    """
    kept = draw_triples(pack.n_triples, share, rng_seed)
    note = f"{share:g} of the triples of {pack.name} ({pack.content_hash[:12]}), seed {rng_seed}"
    return copy_pack(pack, target, naming_of(pack), note, kept, force, tell)


def draw_triples(n_triples: int, share: float, rng_seed: int) -> np.ndarray:
    """Triple ids (int64), ``share`` of ``n_triples`` rounded to a whole number, at least one."""
    if not 0 < share <= 1:
        raise UsageError(f"a share of {share:g} of the triples; write one above 0 and up to 1")
    if rng_seed < 0:
        raise UsageError(f"seed {rng_seed}; write 0 or more")
    return np.random.default_rng(rng_seed).permutation(n_triples)[: max(1, round(share * n_triples))]
