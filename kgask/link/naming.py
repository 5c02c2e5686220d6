"""What a text names, without a question: for claims and turns of conversations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.types import Seed

SURELY, BESIDE = 0.6, 0.1  # score from which what has no capital is a name, beside another one
_AND = re.compile(r" (?:and|or|nor) (?:the )?")
_PHRASE = re.compile(r"(?:The|An?) [a-z' -]+")  # with the capital of the first word of a text alone


def seeds_in(linker: Linker, text: str) -> list[Seed]:
    """What a text may name, the best first."""
    return sorted((one for found in linker.link(read_marks(text)) for one in found.seeds), key=_by_score)


def whole_seeds_in(linker: Linker, text: str) -> Iterator[Seed]:
    """The same without what only a part of a longer name names: "Isaac" of "Isaac Newton"."""
    found = seeds_in(linker, text)
    return (one for one in found if not any(is_part(one.span, other.span) for other in found))


def names_in(linker: Linker, text: str) -> list[str]:
    """What stands in a text as a name, by its capital; the longest of those that overlap.

    In a text without capitals, and of words that a text begins with ("The man who ..."), what is surely linked; of
    others what stands beside a name ("Neon and argon").
    """
    found, others = list[tuple[int, int]](), list[tuple[int, int]]()
    has_none = text == text.lower()
    for mention in sorted(linker.link(read_marks(text)), key=lambda one: one.span[0] - one.span[1]):
        start, end = mention.span
        is_phrase = start == 0 and _PHRASE.fullmatch(text[:end])
        is_name = text[start].isupper() and not is_phrase
        is_name = is_name or (bool(has_none or is_phrase) and mention.seeds[0].score >= SURELY)
        if all(end <= first or last <= start for first, last in found):
            if is_name:
                found.append((start, end))
            elif mention.seeds[0].score >= BESIDE:
                others.append((start, end))
    for start, end in others:
        joins = (text[last:start] for _, last in found if last <= start), (text[end:first] for first, _ in found)
        if any(_AND.fullmatch(join) for join in chain(*joins)):
            found.append((start, end))
    return [text[start:end].rstrip(".,;:!") for start, end in sorted(found)]


def _by_score(seed: Seed) -> float:
    return -seed.score


def is_part(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether one span lies within another, longer one."""
    return other[0] <= one[0] and one[1] <= other[1] and one != other
