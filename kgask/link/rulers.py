"""Rulers by name and number: "Henry VIII" is who a graph calls "Henry VIII of England", whatever else is called so."""

from __future__ import annotations

import re

from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

_RULER = re.compile(r"[^\W\d_]{3,} (?:[ivx]+)")
_NUMBER = re.compile(r"x{0,2}(?:ix|iv|v?i{0,3})")
_MOST_NAMES = 20  # that have both words; more of them say nothing


def rulers_of(norm: str, pack: Pack) -> tuple[str, ...]:
    """What those are called, normalised, whose name goes on with what they rule behind a name and a Roman number."""
    if _RULER.fullmatch(norm) is None or not _NUMBER.fullmatch(norm.rsplit(" ", 1)[1]):
        return ()
    refs = pack.names.refs_with_words(" AND ".join(f'"{word}"' for word in norm.split()), _MOST_NAMES)
    names = {normalise(hit.name) for hit in pack.names.hits(refs).values()}
    return tuple(sorted(name for name in names if name.startswith(f"{norm} of ") and len(name.split()) < 6))
