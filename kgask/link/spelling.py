"""Words that are misspelt in a question beside its names: "What's her adress?", "the captial of Kenya".

Names are looked for with their own slips (:meth:`kgask.link.linker.Linker.link_tolerantly`); a word that asks is one
that other questions use, or that the graph's relations are called by. Only what no dictionary has is mended, to the one
such word that a single slip leads to (a letter too much, too few, another or two swapped), and never its first letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from kgask.link.plurals import singulars

LEAST_LETTERS = 5  # of a word that is mended: fewer are alike too often
LEAST_SWAPPED = 4  # of one in which two stand in each other's place
# Whole words in small letters: names begin with a capital where anything does.
_WORD = re.compile(r"(?<![\w'\u2019-])[a-z]+(?![\w'\u2019-])")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "est", "ly")
_NOT = re.compile(r"\b(are|is|was|were|do|does|did|has|have|had|could|would|should)nt\b", re.IGNORECASE)  # "arent"


def mended(
    text: str, named: Callable[[], Sequence[tuple[int, int]]], said: Collection[str], is_word: Callable[[str], bool]
) -> str:
    """The question with its slips mended; ``named`` tells the characters of its names, ``said`` are the words that ask.

    >>> mended("what is the captial of kenia?", lambda: [(23, 28)], {"capital", "what"}, {"is", "the"}.__contains__)
    'what is the capital of kenia?'
    """
    slips = {
        found.span(): meant
        for found in _WORD.finditer(text)
        if len(found[0]) >= LEAST_SWAPPED
        and not _is_known(found[0], said, is_word)
        and len(meant := {one for one in _slips(found[0]) if one in said and _is_enough(found[0], one)}) == 1
    }
    slips |= {found.span(): {f"{found[1]}n't"} for found in _NOT.finditer(text)}
    names = named() if slips else ()
    for (start, end), meant in sorted(slips.items(), reverse=True):
        if all(name[1] <= start or end <= name[0] for name in names):
            text = text[:start] + meant.pop() + text[end:]
    return text


def changed(asked: str, read: str) -> Iterator[tuple[str, str]]:
    """The words of a question that were read as others; the whole of it where it was read as another question."""
    words, others = asked.split(), read.split()
    if len(words) != len(others):
        return iter([(asked, read)])
    return ((one, other) for one, other in zip(words, others, strict=True) if one != other)


def _is_known(word: str, said: Collection[str], is_word: Callable[[str], bool]) -> bool:
    stems = [word, *singulars(word), *(word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))]
    stems += [f"{word.removesuffix('ied')}y"] if word.endswith("ied") else []
    is_stem = any(word + ending in said for ending in _ENDINGS)  # "prune" beside a column "pruned"
    return is_stem or any(stem in said or is_word(stem) or is_word(f"{stem}e") for stem in stems)


def _is_enough(word: str, other: str) -> bool:
    """Whether two words have letters enough to be the same but for a slip."""
    return len(other) >= LEAST_LETTERS <= len(word) or (len(other) == len(word) and sorted(other) == sorted(word))


def _slips(word: str) -> Iterator[str]:
    """What a single slip behind its first letter makes of a word."""
    for at in range(1, len(word) + 1):
        before, behind = word[:at], word[at:]
        yield from (f"{before}{letter}{behind}" for letter in _LETTERS)
        if behind:
            yield before + behind[1:]
            yield from (f"{before}{letter}{behind[1:]}" for letter in _LETTERS)
        if len(behind) > 1:
            yield f"{before}{behind[1]}{behind[0]}{behind[2:]}"
