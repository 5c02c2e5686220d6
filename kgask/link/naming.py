"""What a text names, without a question: for claims and turns of conversations."""

from __future__ import annotations

from collections.abc import Iterator

from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.types import Seed

SURELY = 0.6  # score from which what has no capital is a name


def seeds_in(linker: Linker, text: str) -> list[Seed]:
    """What a text may name, the best first."""
    return sorted((one for found in linker.link(read_marks(text)) for one in found.seeds), key=_by_score)


def whole_seeds_in(linker: Linker, text: str) -> Iterator[Seed]:
    """The same without what only a part of a longer name names: "Isaac" of "Isaac Newton"."""
    found = seeds_in(linker, text)
    return (one for one in found if not any(is_part(one.span, other.span) for other in found))


def names_in(linker: Linker, text: str) -> list[str]:
    """What stands in a text as a name, by its capital; the longest of those that overlap.

    In a text without capitals, what is surely linked.
    """
    found: list[tuple[int, int]] = []
    has_none = text == text.lower()
    for mention in sorted(linker.link(read_marks(text)), key=lambda one: one.span[0] - one.span[1]):
        start, end = mention.span
        is_name = text[start].isupper() or (has_none and mention.seeds[0].score >= SURELY)
        if is_name and all(end <= first or last <= start for first, last in found):
            found.append((start, end))
    return [text[start:end].rstrip(".,;:!") for start, end in sorted(found)]


def _by_score(seed: Seed) -> float:
    return -seed.score


def is_part(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether one span lies within another, longer one."""
    return other[0] <= one[0] and one[1] <= other[1] and one != other
