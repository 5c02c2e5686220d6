"""What a reader wrote freely -> the candidates that it names, and the rest, which nothing checked.

A name counts when its normalised words are exactly those of a candidate's label or alias, the longest
name first. It does not count where the text denies it ("not Jane Austen"), or where the name goes on
("Jane Austen Leigh" is someone else). What is neither a name nor filler is given back as unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgask.pack.normalise import normalise
from kgask.read.gguf.neutral import neutral
from kgask.read.protocol import NamedGraph
from kgask.types import Candidate, EntityId

MAX_NAME_WORDS = 16
MAX_CANDIDATES = 5000  # best first; a reader has seen some dozens
MAX_UNVERIFIED_CHARS = 300

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SEPARATOR = re.compile(r"[,;|\u2022\u00b7]|[.!?](?=\s|$)|:(?=\s)|(?:^|(?<=\s))(?:and|or|as well as)(?=\s|$)|&|=>")
_NUMBERING = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*\u2022\u00b7])\s+")  # of the items of a list
_JOINED = re.compile(r"[\s\-\u2010-\u2015'\u2019./]*")  # between two words of one name
_NEGATION = re.compile(
    r"\b(not|no|never|neither|nor|none|cannot|without|except|instead|rather|unlike|false|wrong|incorrect)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    normalise(
        "a an the is are was were be been it its he she they this that these those there here his her their of in "
        "on at by to for from with as so then thus therefore hence also answer answers answered question correct "
        "final follows following yes based according given fact facts triple triples evidence context set provided "
        "knowledge i think believe would which who whom whose what when where how did does do has have had can "
        "could name names named called"
    ).split()
)
_DONT_KNOW = (
    "i don t know", "i do not know", "don t know", "unknown", "i m not sure", "i am not sure", "i cannot", "i can t",
    "no fact", "none of the facts", "the facts do not", "the facts don t", "no answer", "not enough information",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Matched:
    """What a free text names. ``entities`` are in the order of the text."""

    entities: tuple[EntityId, ...]
    unverified: tuple[str, ...]  # pieces of the text that no candidate stands behind
    refused: bool  # the text says that there is no answer, and names none


def match(text: str, question: str, candidates: Sequence[Candidate], graph: NamedGraph) -> Matched:
    """Match a free text back to ``candidates`` (best first)."""
    if normalise(text).startswith(_DONT_KNOW):
        return Matched((), (), True)
    names = _Names(candidates, graph, text)
    known = _FILLER | set(normalise(question).split())
    entities: dict[EntityId, None] = {}
    unverified: list[str] = []
    for line in text.splitlines():
        line = line.strip() if names.entities(line.strip()) else _NUMBERING.sub("", line)
        for segment in [line] if names.entities(line) else _segments(line, names):
            found, rest = _read_segment(segment, names, known)
            entities.update(dict.fromkeys(found))
            unverified += rest
    return Matched(tuple(entities), tuple(dict.fromkeys(unverified)), False)


class _Names:
    """Normalised label or alias -> the candidates that are called so: the best one, and those as good."""

    def __init__(self, candidates: Sequence[Candidate], graph: NamedGraph, text: str):
        self._known: dict[str, list[Candidate]] = {}
        candidates = candidates[:MAX_CANDIDATES]
        labels = graph.labels([candidate.entity for candidate in candidates])
        for candidate, label in zip(candidates, labels, strict=True):
            for name in {normalise(label), normalise(neutral(label))}:
                self._known.setdefault(name, []).append(candidate)
        by_entity = {candidate.entity: candidate for candidate in candidates}
        for norm, hits in graph.exact(_phrases(text)).items():
            for hit in hits:
                if hit.is_alias and hit.entity in by_entity:
                    self._known.setdefault(norm, []).append(by_entity[hit.entity])

    def entities(self, phrase: str) -> list[EntityId]:
        found = self._known.get(normalise(phrase), [])
        best = max((candidate.score for candidate in found), default=0.0)
        return [candidate.entity for candidate in found if candidate.score >= best]

    def find(self, text: str, words: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, list[EntityId]]]:
        """(first word, word after the last, entities) of each name, from the left, the longest first."""
        at = 0
        while at < len(words):
            longest = min(len(words), at + MAX_NAME_WORDS)
            for end in range(longest, at, -1):
                entities = self.entities(text[words[at].start() : words[end - 1].end()])
                if entities:
                    yield at, end, entities
                    at = end
                    break
            else:
                at += 1


def _phrases(text: str) -> set[str]:
    words = list(_WORD.finditer(text))
    ends = ((at, end) for at in range(len(words)) for end in range(at + 1, min(len(words), at + MAX_NAME_WORDS) + 1))
    return {normalise(text[words[at].start() : words[end - 1].end()]) for at, end in ends}


def _segments(text: str, names: _Names) -> list[str]:
    """The items of a list, or of a sentence; separators inside a name ("Crime and Punishment") do not count."""
    words = list(_WORD.finditer(text))
    inside = [(words[at].start(), words[end - 1].end()) for at, end, _ in names.find(text, words)]
    segments, start = [], 0
    for found in _SEPARATOR.finditer(text):
        if any(low < found.end() and found.start() < high for low, high in inside):
            continue
        segments.append(text[start : found.start()])
        start = found.end()
    segments.append(text[start:])
    return [segment for segment in segments if segment.strip()]


def _read_segment(segment: str, names: _Names, known: frozenset[str] | set[str]) -> tuple[list[EntityId], list[str]]:
    """Entities that the segment names, and what else it says."""
    whole = names.entities(segment.strip())
    if whole:  # names of symbols alone ("!!!") too
        return whole, []
    words = list(_WORD.finditer(segment))
    found = list(names.find(segment, words))
    taken = {index for at, end, _ in found for index in range(at, end)}
    if found and _NEGATION.search(_without(segment, words, taken)):
        return [], [_tidy(segment)]
    entities: list[EntityId] = []
    loose: set[int] = {index for index in range(len(words)) if index not in taken}
    for at, end, named in found:
        if _goes_on(segment, words, at, end, taken, known):
            loose |= set(range(at, end))
        else:
            entities += named
    rest = [piece for piece in _pieces(segment, words, loose) if _says_something(piece, known)]
    return entities, rest


def _without(segment: str, words: Sequence[re.Match[str]], taken: set[int]) -> str:
    return " ".join(word.group() for index, word in enumerate(words) if index not in taken)


def _goes_on(
    segment: str, words: Sequence[re.Match[str]], at: int, end: int, taken: set[int], known: frozenset[str] | set[str]
) -> bool:
    """Whether a capitalised word or a number beside the name belongs to a longer one."""
    for beside, near in ((at - 1, at), (end, end - 1)):
        if not 0 <= beside < len(words) or beside in taken:
            continue
        first, second = sorted((beside, near))
        if not _JOINED.fullmatch(segment[words[first].end() : words[second].start()]):
            continue
        word = words[beside].group()
        if (word[0].isupper() or word[0].isdigit()) and normalise(word) not in known:
            return True
    return False


def _pieces(segment: str, words: Sequence[re.Match[str]], loose: set[int]) -> list[str]:
    """Runs of words that no name took, as the text has them."""
    runs: list[list[int]] = []
    for index in sorted(loose):
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [_tidy(segment[words[run[0]].start() : words[run[-1]].end()]) for run in runs]


def _says_something(piece: str, known: frozenset[str] | set[str]) -> bool:
    return any(word not in known for word in normalise(piece).split())


def _tidy(piece: str) -> str:
    return " ".join(piece.split())[:MAX_UNVERIFIED_CHARS]
