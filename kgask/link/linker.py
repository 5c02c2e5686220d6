"""Mentions to seed entities: exact names first, close names when nothing exact fits.

The linker proposes; the pipeline decides, because what the plan wants to know
about an entity is the best sign of which entity is meant (Saffari et al. 2021).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kgask.link.features import HAND, LinkModel, candidate_features
from kgask.link.mentions import FUNCTION_WORDS, NAME, Span, Word, looks_named, marked_span, spans, split_words
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.types import EntityId, Match, Mention, Question, Seed

MAX_SEEDS = 5  # entities kept per mention
MAX_MENTIONS = 5
MAX_TOLERANT_SPANS = 8
LEAST_SIMILARITY = 0.72
LEAST_WORD_SIMILARITY = 0.7
PRONOUNS = frozenset("he she it they him her them his hers its their".split())


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entity that a mention may name, before it is compared with the question's other candidates."""

    hit: NameHit
    features: tuple[float, ...]
    logit: float


@dataclass(frozen=True, slots=True)
class _Reading:
    """A span with what it may name, best first."""

    span: Span
    candidates: list[_Candidate]
    n_same: int


class Linker:
    """Finds mentions in questions by the names of one pack.

    What the user marked comes first: only when nothing marked is a name of the
    pack is the rest of the question looked at.
    """

    def __init__(self, pack: Pack, question_words: frozenset[str], model: LinkModel = HAND) -> None:
        self._pack = pack
        self._question_words = question_words
        self.model = model

    def words(self, question: Question) -> list[Word]:
        """The question's words, each weighed by how much it looks like part of a name."""
        return split_words(question.text, self._question_words)

    def link(self, question: Question) -> list[Mention]:
        """Mentions whose names stand in the question exactly (case, accents, possessives aside)."""
        words = self.words(question)
        return self._exact(_marked(question), words) or self._exact(spans(question.text, words), words)

    def link_tolerantly(self, question: Question) -> list[Mention]:
        """Mentions whose names are close to what stands there: typos, missing or swapped letters."""
        words = self.words(question)
        marked = _marked(question)
        if self._exact(marked, words):
            return []
        likely = sorted(
            (span for span in spans(question.text, words) if self._may_be_name(span, words)),
            key=lambda span: (-span.coverage, span.n_words),
        )
        return self._close(marked, words) or self._close(likely[:MAX_TOLERANT_SPANS], words)

    def _exact(self, found: list[Span], words: list[Word]) -> list[Mention]:
        hits = self._pack.exact({span.norm for span in found}) if found else {}
        return self._mentions([(span, hits[span.norm]) for span in found if hits.get(span.norm)], words)

    def _close(self, found: list[Span], words: list[Word]) -> list[Mention]:
        hits = [(span, [hit for hit in self._pack.fuzzy(span.norm) if _is_typo(span.norm, hit)]) for span in found]
        return self._mentions([(span, close) for span, close in hits if close], words)

    def seed_for(self, name: str, question: Question) -> Mention:
        """The entity that the user chose (``--entity``: key, ``#id``, label or alias); no seeds when there is none.

        The mention is what the user marked, else where its name stands, else a
        pronoun, else the most name-like span, else nothing (an empty span at the end).
        """
        entities = self._entities_named(name)
        if not entities:
            return Mention((0, 0), name, ())
        best = max(entities, key=lambda entity: int(self._pack.degree([entity])[0]))
        place = self._place_of(best, name, question)
        label = self._pack.labels([best])[0]
        text = question.text[place[0] : place[1]]
        seed = Seed(best, place, 1.0, text, label, "given")
        return Mention(place, text, (seed,), n_same=len(entities))

    def _place_of(self, entity: EntityId, name: str, question: Question) -> tuple[int, int]:
        """Where the question speaks of the entity: by a mark, by name, by pronoun, by what looks like a name."""
        if question.marks:
            return question.marks[0]
        words = self.words(question)
        found = spans(question.text, words)
        names = {normalise(name), normalise(self._pack.labels([entity])[0])}
        for span in found:
            if span.norm in names:
                return span.start, span.end
        for word in words:
            if word.norm in PRONOUNS:
                return word.start, word.end
        likely = [span for span in found if any(w.weight == NAME for w in _inside(span, words))]
        best = max(likely, key=lambda span: (span.coverage, -span.n_words), default=None)
        return (best.start, best.end) if best else (len(question.text), len(question.text))

    def _entities_named(self, name: str) -> list[EntityId]:
        by_key = self._pack.find_key(name)
        if by_key is not None:
            return [by_key]
        number = name.removeprefix("#")
        if number != name and number.isdecimal() and int(number) < self._pack.n_entities:
            return [int(number)]
        norm = normalise(name)
        return list(dict.fromkeys(hit.entity for hit in self._pack.exact([norm]).get(norm, ())))

    def _may_be_name(self, span: Span, words: list[Word]) -> bool:
        """Worth a costly tolerant look-up: begins and ends with a word that can be in a name."""
        inside = _inside(span, words)
        edges = (inside[0], inside[-1])
        return (
            span.n_words <= 6
            and any(word.weight == NAME for word in inside)
            and all(word.norm not in FUNCTION_WORDS or word.weight == NAME for word in edges)
        )

    def _mentions(self, found: list[tuple[Span, list[NameHit]]], words: list[Word]) -> list[Mention]:
        """Highest scores first; of two spans for the same entity the better one stays."""
        named = [span for span, _ in found]
        readings = [self._reading(span, _is_nested(span, named), hits, words) for span, hits in found]
        readings = [reading for reading in readings if reading.candidates]
        readings.sort(key=lambda r: (-r.candidates[0].logit, r.span.start - r.span.end))
        kept: list[_Reading] = []
        seen: set[EntityId] = set()
        for reading in readings:
            fresh = [candidate for candidate in reading.candidates if candidate.hit.entity not in seen]
            if fresh:
                seen.update(candidate.hit.entity for candidate in fresh)
                kept.append(replace(reading, candidates=fresh))
        return [self._mention(reading, kept[0].candidates[0].logit, words) for reading in kept[:MAX_MENTIONS]]

    def _reading(self, span: Span, nested: bool, hits: list[NameHit], words: list[Word]) -> _Reading:
        entities: dict[EntityId, NameHit] = {}
        for hit in hits:
            kept = entities.get(hit.entity)
            if kept is None or (kept.is_alias and not hit.is_alias and kept.similarity <= hit.similarity):
                entities[hit.entity] = hit
        degrees = self._pack.degree(list(entities)).tolist()
        rows = candidate_features(span, nested, _is_common_word(span, words), list(entities.values()), degrees)
        candidates = [
            _Candidate(hit, row, self.model.logit(row)) for hit, row in zip(entities.values(), rows, strict=True)
        ]
        candidates.sort(key=lambda candidate: (-candidate.logit, candidate.hit.entity))
        n_same = sum(candidate.hit.name == candidates[0].hit.name for candidate in candidates)
        likely = [c for c in candidates[:MAX_SEEDS] if span.marked or self.model.chance(c.logit) >= self.model.rho]
        return _Reading(span, likely, n_same)

    def _mention(self, reading: _Reading, highest: float, words: list[Word]) -> Mention:
        span = reading.span
        place = (span.start, span.end)
        seeds = []
        for candidate in reading.candidates:
            hit = candidate.hit
            match: Match = "typo" if hit.similarity < 1 else "alias" if hit.is_alias else "label"
            score = self.model.score(candidate.logit, highest)
            seeds.append(Seed(hit.entity, place, score, span.text, hit.name, match, candidate.features))
        inside = _inside(span, words)
        return Mention(
            place,
            span.text,
            tuple(seeds),
            whole=span.wholeness == 1.0,
            unused=tuple(word.text for word in words if looks_named(word) and word not in inside),
            n_same=reading.n_same,
        )


def _is_typo(norm: str, hit: NameHit) -> bool:
    """Close as a whole and word by word: another surname is another person, not a typo."""
    if hit.similarity < LEAST_SIMILARITY:
        return False
    from rapidfuzz.fuzz import ratio  # only when something is looked up tolerantly

    asked, found = norm.split(), normalise(hit.name).split()
    if len(asked) != len(found):
        return True
    return all(ratio(a, b) >= 100 * LEAST_WORD_SIMILARITY for a, b in zip(asked, found, strict=True))


def _inside(span: Span, words: list[Word]) -> list[Word]:
    return [word for word in words if span.start <= word.start and word.end <= span.end]


def _is_common_word(span: Span, words: list[Word]) -> bool:
    if span.n_words > 1 or span.marked:
        return False
    return next(word for word in words if word.start == span.start).weight < NAME


def _is_nested(span: Span, named: list[Span]) -> bool:
    return any(other.n_words > span.n_words and other.start <= span.start and span.end <= other.end for other in named)


def _marked(question: Question) -> list[Span]:
    return [marked_span(question.text, start, end) for start, end in question.marks]
