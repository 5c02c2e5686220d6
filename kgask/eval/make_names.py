"""Invented names: they look like names, and no word of them stands in the pack."""

from __future__ import annotations

import random
from collections.abc import Iterable

_BEGINNINGS = (
    "b", "br", "c", "d", "dr", "f", "g", "gl", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "r", "s", "sh", "st", "t",
    "th", "tr", "v", "vr", "w", "y", "z",
)  # fmt: skip
_MIDDLES = ("a", "e", "i", "o", "u", "ae", "ei", "ia", "ou")
_ENDINGS = ("", "", "l", "m", "n", "nd", "r", "rk", "s", "st", "th", "x")
MAX_WORDS = 4
TRIES = 1_000  # of drawing a word that is new, before a syllable is added


class InventedNames:
    """Draws names that are all different, deterministic by seed."""

    def __init__(self, rng_seed: int, taken_words: Iterable[str]) -> None:
        """``taken_words`` are the words, in lower case, that no name may have."""
        self._rng = random.Random(f"invented names:{rng_seed}")
        self._taken = set(taken_words)
        self._names: set[str] = set()

    def like(self, label: str) -> str:
        """A new name with as many words as ``label`` (four at most), capital letters where it begins with one."""
        words = label.split() or [label]
        capital = any(word[:1].isupper() for word in words) or not any(map(str.isalpha, label))
        for more in range(TRIES):
            n_syllables = 2 + (more >= 20) + (more >= 200)
            name = " ".join(self._word(n_syllables, capital) for _ in words[:MAX_WORDS])
            if name.lower() not in self._names:
                break
        self._names.add(name.lower())
        return name

    def _word(self, n_syllables: int, capital: bool) -> str:
        for tried in range(TRIES):
            word = "".join(self._syllable() for _ in range(n_syllables + tried // 50)) + self._rng.choice(_ENDINGS)
            if word not in self._taken:
                break
        return word.capitalize() if capital else word

    def _syllable(self) -> str:
        return self._rng.choice(_BEGINNINGS) + self._rng.choice(_MIDDLES)
