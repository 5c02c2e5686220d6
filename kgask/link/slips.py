"""Which spans are worth a tolerant look-up, and which names are close enough to be what was meant."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.link.mentions import FUNCTION_WORDS, NAME, Span, Word, inside_of
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit

LEAST_SIMILARITY = 0.72
SHORTEST_MISSPELT = 5  # letters of a word in lower case
LEAST_WORD_SIMILARITY = 0.7


def may_be_misspelt(span: Span, words: list[Word]) -> bool:
    """Worth a costly tolerant look-up: begins and ends with a word that can be in a name.

    A short word in lower case alone is as likely another word: "soup" is no misspelt "Soap".
    """
    inside = inside_of(span, words)
    edges = (inside[0], inside[-1])
    return (
        span.n_words <= 6
        and not (span.text.islower() and len(span.text) < SHORTEST_MISSPELT)
        and all(word.norm not in FUNCTION_WORDS or word.weight == NAME for word in edges)
    )


def goes_beyond(span: Span, known: Sequence[Span], words: list[Word]) -> bool:
    """Whether it holds a word that looks like part of a name, and is in none that is known."""
    free = [word for word in words if not any(one.start <= word.start and word.end <= one.end for one in known)]
    return any(word.weight == NAME for word in inside_of(span, free))


def is_typo(norm: str, hit: NameHit) -> bool:
    """Close as a whole and word by word: another surname is another person, not a typo."""
    if hit.similarity < LEAST_SIMILARITY:
        return False
    from rapidfuzz.fuzz import ratio  # only when something is looked up tolerantly

    asked, found = norm.split(), normalise(hit.name).split()
    if len(asked) != len(found):
        return True
    return all(ratio(a, b) >= 100 * LEAST_WORD_SIMILARITY for a, b in zip(asked, found, strict=True))
