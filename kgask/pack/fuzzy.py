"""Names that a mistyped text may mean.

A word with one wrong, missing, extra or swapped letter still has a sound
beginning or a sound end: candidates are the words that share either (both are
range scans), kept when their edit distance is small. The candidates of each
word are combined into whole names and looked up by hash, the best first; only
if no name is made of exactly these words are names searched that have more.
"""

from __future__ import annotations

from rapidfuzz.distance import OSA

from kgask.pack.names import Names
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit

MIN_SIMILARITY = 0.7
_MAX_WORDS = 12  # a longer text is not a name
_MAX_CHARACTERS = 200
_BEAM = 256  # combinations looked up
_WORD_CANDIDATES = 12
_MAX_PARTIAL = 500


def close_names(names: Names, norm: str) -> list[NameHit]:
    """Hits with their similarity (of ``norm`` and the normalised name), in no order.

    ``norm`` is normalised text. Words with digits and words of one or two
    letters must be right: 1811 is not a typo of 1812.
    """
    words = norm.split()
    if not words or len(words) > _MAX_WORDS or len(norm) > _MAX_CHARACTERS:
        return []
    candidates = [_close_words(names, word) for word in words]
    texts = _combine(candidates) + _respaced(words)
    hits = [hit for found in names.exact(texts).values() for hit in found]
    close = _scored(norm, hits)
    if not close and len(words) > 1 and all(candidates):
        close = _scored(norm, _with_more_words(names, candidates))
    return close


def _allowed(word: str) -> int:
    """How many edits a word of this length may have."""
    if len(word) <= 2 or any(map(str.isdigit, word)):
        return 0
    return 1 if len(word) <= 5 else 2


def _close_words(names: Names, word: str) -> list[tuple[int, str]]:
    """(distance, word) of the pack's words near ``word``, nearest first."""
    allowed = _allowed(word)
    if allowed == 0:
        return [(0, word)]
    # One edit (a swap touches two letters) cannot reach both of these ends.
    sound = min((len(word) - 1) // 2, 4)
    found = names.words_beginning(word[:sound]) | names.words_ending(word[-sound:])
    close = [
        (distance, other)
        for other in found
        if abs(len(other) - len(word)) <= allowed
        and (distance := OSA.distance(word, other, score_cutoff=allowed)) <= allowed
    ]
    return sorted(close)[:_WORD_CANDIDATES]


def _combine(candidates: list[list[tuple[int, str]]]) -> list[str]:
    """Whole names from one candidate a word, those with the fewest edits first, at most a beam."""
    beam: list[tuple[int, str]] = [(0, "")]
    for words in candidates:
        longer = [(edits + more, f"{text} {word}") for edits, text in beam for more, word in words]
        beam = sorted(longer)[:_BEAM]
    return [text[1:] for _, text in beam]


def _respaced(words: list[str]) -> list[str]:
    """The same letters with one space less or one more: "new york" for "newyork" and back."""
    joined = [" ".join([*words[:i], words[i] + words[i + 1], *words[i + 2 :]]) for i in range(len(words) - 1)]
    split = [
        " ".join([*words[:i], word[:cut], word[cut:], *words[i + 1 :]])
        for i, word in enumerate(words)
        for cut in range(1, len(word))
    ]
    return joined + split


def _with_more_words(names: Names, candidates: list[list[tuple[int, str]]]) -> list[NameHit]:
    parts = ("(" + " OR ".join(f'"{word}"' for _, word in words) + ")" for words in candidates)
    refs = names.refs_with_words(" AND ".join(parts), _MAX_PARTIAL)
    return list(names.hits(refs).values())


def _scored(norm: str, hits: list[NameHit]) -> list[NameHit]:
    scored = []
    for hit in hits:
        similarity = OSA.normalized_similarity(norm, normalise(hit.name), score_cutoff=MIN_SIMILARITY)
        if similarity >= MIN_SIMILARITY:
            scored.append(NameHit(hit.entity, hit.name, hit.is_alias, similarity))
    return scored
