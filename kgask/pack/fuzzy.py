"""Names that a mistyped text may mean.

A word with one wrong, missing, extra or swapped letter still has a sound
beginning or a sound end: candidates are the words that share either (both are
range scans), kept when their edit distance is small. Whole names made of
candidates are looked up by hash. Three attempts, until one finds names:

1. only words that no name has are changed, or one space is moved;
2. the rarest known words are changed too ("austin" is a word, but not of "Jane Austin");
3. names are searched that have more words than the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from kgask.pack.names import Names
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit

MIN_SIMILARITY = 0.7
_MAX_WORDS = 16  # a longer text is not a name
_MAX_CHARACTERS = 200
_MAX_CHANGED = 3  # known words that are changed, the rarest
_MAX_CANDIDATES = 200  # for one word, when it is the only one changed
_MAX_IN_PAIRS = 12  # for each of two words that are both changed
_MAX_PARTIAL = 500

Candidates = dict[int, list[str]]  # place of a word in the text -> words it may mean, nearest first


def close_names(names: Names, norm: str) -> list[NameHit]:
    """Hits with their similarity (of ``norm`` and the normalised name), in no order.

    ``norm`` is normalised text. Words with digits must be right: 1811 is not a
    typo of 1812.
    """
    words = norm.split()
    if not words or len(words) > _MAX_WORDS or len(norm) > _MAX_CHARACTERS:
        return []
    counts = names.word_counts(set(words))
    unknown = [place for place, word in enumerate(words) if word not in counts]
    candidates = {place: _close_words(names, words[place]) for place in unknown}
    close = _looked_up(names, norm, [*_respaced(words), *_changed(words, candidates, unknown)])
    if close:
        return close
    known = sorted((place for place in range(len(words)) if place not in candidates), key=lambda i: counts[words[i]])
    candidates |= {place: _close_words(names, words[place]) for place in known[:_MAX_CHANGED]}
    close = _looked_up(names, norm, list(_changed(words, candidates, unknown)))
    if close or len(words) == 1:
        return close
    return _scored(norm, _with_more_words(names, words, candidates))


def _looked_up(names: Names, norm: str, texts: list[str]) -> list[NameHit]:
    return _scored(norm, [hit for found in names.exact(texts).values() for hit in found])


def _allowed(word: str) -> int:
    """How many edits a word of this length may have."""
    if len(word) == 1 or any(map(str.isdigit, word)):
        return 0
    return 1 if len(word) <= 5 else 2


def _close_words(names: Names, word: str) -> list[str]:
    """The pack's words near ``word`` (itself not among them), nearest first."""
    allowed = _allowed(word)
    if allowed == 0:
        return []
    # One edit (a swap touches two letters) cannot reach both of these ends.
    sound = max(1, min((len(word) - 1) // 2, 4))
    lengths = (len(word) - allowed, len(word) + allowed)
    found = names.words_beginning(word[:sound], *lengths) | names.words_ending(word[-sound:], *lengths)
    close = extract(word, sorted(found - {word}), scorer=OSA.distance, score_cutoff=allowed, limit=_MAX_CANDIDATES)
    return [other for other, _, _ in close]


def _changed(words: list[str], candidates: Candidates, must: list[int]) -> Iterator[str]:
    """Names with one or two words replaced by candidates; words that are not known must be among them."""
    for count, most in ((1, _MAX_CANDIDATES), (2, _MAX_IN_PAIRS)):
        for places in combinations(sorted(candidates), count):
            if not set(must) <= set(places):
                continue
            for choice in product(*(candidates[place][:most] for place in places)):
                replaced = dict(zip(places, choice, strict=True))
                yield " ".join(replaced.get(i, word) for i, word in enumerate(words))


def _respaced(words: list[str]) -> list[str]:
    """Names with one space less, more, a letter further ("naz iparty"), or in place of a letter."""
    texts = []
    for i in range(len(words) - 1):
        joined = words[i] + words[i + 1]
        cuts = (len(words[i]) - 1, len(words[i]) + 1)
        parts = [joined, *(f"{joined[:cut]} {joined[cut:]}" for cut in cuts if 0 < cut < len(joined))]
        texts += [" ".join([*words[:i], part, *words[i + 2 :]]) for part in parts]
    for i, word in enumerate(words):
        split = [f"{word[:cut]} {word[cut:]}" for cut in range(1, len(word))]
        split += [f"{word[:cut]} {word[cut + 1 :]}" for cut in range(1, len(word) - 1)]
        texts += [" ".join([*words[:i], part, *words[i + 1 :]]) for part in split]
    return texts


def _with_more_words(names: Names, words: list[str], candidates: Candidates) -> list[NameHit]:
    """Names that have every word, or for a word that was changed one of its candidates."""
    parts = []
    for place, word in enumerate(words):
        either = [word, *candidates.get(place, [])[:_MAX_IN_PAIRS]]
        parts.append("(" + " OR ".join(f'"{one}"' for one in either) + ")")
    refs = names.refs_with_words(" AND ".join(parts), _MAX_PARTIAL)
    return list(names.hits(refs).values())


def _scored(norm: str, hits: list[NameHit]) -> list[NameHit]:
    scored = []
    for hit in hits:
        similarity = OSA.normalized_similarity(norm, normalise(hit.name), score_cutoff=MIN_SIMILARITY)
        if similarity >= MIN_SIMILARITY:
            scored.append(NameHit(hit.entity, hit.name, hit.is_alias, similarity))
    return scored
