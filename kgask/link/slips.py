"""Which spans are worth a tolerant look-up, and which names are close enough to be what was meant."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.link.mentions import FUNCTION_WORDS, NAME, Span, Word, inside_of
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit

LEAST_SIMILARITY = 0.72
# Rightly spelt words that are in few names: what is "still out" is no "Stihl".
_ADVERBS = frozenset(
    "still already again always often never maybe perhaps quite rather almost there these those their about after "
    "before since until while where which whose other others every never again today later sooner together".split()
)
SHORTEST_MISSPELT = 5  # letters of a word in lower case
LEAST_WORD_SIMILARITY = 0.7
SLIPS, MOST_SLIPS = ((4, 0), (8, 1), (12, 2)), 3  # up to how many letters of a word how many may be wrong; of more


def may_be_misspelt(span: Span, words: list[Word]) -> bool:
    """Worth a costly tolerant look-up: begins and ends with a word that can be in a name.

    A short word in lower case alone is as likely another word: "soup" is no misspelt "Soap".
    """
    inside = inside_of(span, words)
    edges = (inside[0], inside[-1])
    return (
        span.n_words <= 6
        and not (span.text.islower() and (len(span.text) < SHORTEST_MISSPELT or span.text in _ADVERBS))
        and all(word.norm not in FUNCTION_WORDS or word.weight == NAME for word in edges)
    )


def goes_beyond(span: Span, known: Sequence[Span], words: list[Word]) -> bool:
    """Whether it holds a word that looks like part of a name, and is in none that is known."""
    free = [word for word in words if not any(one.start <= word.start and word.end <= one.end for one in known)]
    return any(word.weight == NAME for word in inside_of(span, free))


def near_names(hits: Sequence[NameHit], norm: str, are_many: bool) -> list[NameHit]:
    """Those close as a whole and word by word: another surname is another person, not a typo.

    ``are_many``: of very many names some are near any word, and no more letters of it may be wrong than are by a slip.
    """
    return [hit for hit in hits if hit.similarity >= LEAST_SIMILARITY and _is_typo(norm, hit, are_many)]


def _is_typo(norm: str, hit: NameHit, are_many: bool) -> bool:
    from rapidfuzz.distance import OSA  # only when something is looked up tolerantly
    from rapidfuzz.fuzz import ratio

    asked, found = norm.split(), normalise(hit.name).split()
    if len(asked) != len(found):
        return True
    pairs = list(zip(asked, found, strict=True))
    if are_many and any(OSA.distance(one, other) > _slips_in(one, other) for one, other in pairs):
        return False
    return all(ratio(one, other) >= 100 * LEAST_WORD_SIMILARITY for one, other in pairs)


def _slips_in(one: str, other: str) -> int:
    """How many letters of a word are wrong at most: none of four, one of eight."""
    return next((most for letters, most in SLIPS if max(len(one), len(other)) <= letters), MOST_SLIPS)
