"""Mentions to seed entities: exact names first, close names when nothing exact fits.

The linker proposes; the pipeline decides, because what the plan wants to know
about an entity is the best sign of which entity is meant (Saffari et al. 2021).
"""

from __future__ import annotations

import math
from dataclasses import replace

from kgask.link.mentions import FUNCTION_WORDS, NAME, Span, Word, looks_named, spans, split_words
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.types import EntityId, Match, Mention, Question, Seed

MAX_SEEDS = 5  # entities kept per mention
MAX_MENTIONS = 5
MAX_TOLERANT_SPANS = 8
LEAST_SIMILARITY = 0.72
LEAST_WORD_SIMILARITY = 0.7
ALIAS_FIT = 0.93  # an alias says a little less than a label
PRIOR_SHARE = 0.25  # how far the degree can move a candidate's score
PRONOUNS = frozenset("he she it they him her them his hers its their".split())
COMMON_WORD_FIT = 0.35  # a single word that questions use anyway is rarely the topic


class Linker:
    """Finds mentions in questions by the names of one pack."""

    def __init__(self, pack: Pack, question_words: frozenset[str]) -> None:
        self._pack = pack
        self._question_words = question_words

    def link(self, question: Question) -> list[Mention]:
        """Mentions whose names stand in the question exactly (case, accents, possessives aside)."""
        words = split_words(question.text, self._question_words)
        found = spans(question.text, words)
        hits = self._pack.exact({span.norm for span in found})
        mentions = [
            self._mention(span, hits[span.norm], "exact", words) for span in found if hits.get(span.norm)
        ]
        return _best(mentions)

    def link_tolerantly(self, question: Question) -> list[Mention]:
        """Mentions whose names are close to what stands there: typos, missing or swapped letters."""
        words = split_words(question.text, self._question_words)
        likely = sorted(
            (span for span in spans(question.text, words) if self._may_be_name(span, words)),
            key=lambda span: (-span.coverage, span.n_words),
        )
        mentions = []
        for span in likely[:MAX_TOLERANT_SPANS]:
            hits = [hit for hit in self._pack.fuzzy(span.norm) if _is_typo(span.norm, hit)]
            if hits:
                mentions.append(self._mention(span, hits, "typo", words))
        return _best(mentions)

    def seed_for(self, name: str, question: Question) -> Mention:
        """The entity that the user chose (``--entity``: key, ``#id``, label or alias); no seeds when there is none.

        The mention is where its name stands in the question, else a pronoun, else
        the most name-like span, else nothing (an empty span at the end).
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
        """Where the question speaks of the entity: by name, by pronoun, by what looks like a name."""
        words = split_words(question.text, self._question_words)
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

    def _mention(self, span: Span, hits: list[NameHit], how: str, words: list[Word]) -> Mention:
        entities: dict[EntityId, NameHit] = {}
        for hit in hits:
            kept = entities.get(hit.entity)
            if kept is None or (kept.is_alias and not hit.is_alias and kept.similarity <= hit.similarity):
                entities[hit.entity] = hit
        degrees = self._pack.degree(list(entities))
        highest = math.log1p(float(degrees.max()))
        fit = span.coverage * span.wholeness * (COMMON_WORD_FIT if _is_common_word(span, words) else 1.0)
        seeds = []
        for hit, degree in zip(entities.values(), degrees.tolist(), strict=True):
            prior = math.log1p(degree) / highest if highest else 1.0
            name_fit = hit.similarity**2 * (ALIAS_FIT if hit.is_alias else 1.0)
            score = fit * name_fit * (1.0 - PRIOR_SHARE + PRIOR_SHARE * prior)
            match: Match = "typo" if how == "typo" and hit.similarity < 1 else "alias" if hit.is_alias else "label"
            seeds.append(Seed(hit.entity, (span.start, span.end), score, span.text, hit.name, match))
        seeds.sort(key=lambda seed: (-seed.score, seed.entity))
        inside = _inside(span, words)
        return Mention(
            (span.start, span.end),
            span.text,
            tuple(seeds[:MAX_SEEDS]),
            whole=span.wholeness == 1.0,
            unused=tuple(word.text for word in words if looks_named(word) and word not in inside),
            n_same=sum(seed.name == seeds[0].name for seed in seeds),
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
    if span.n_words > 1:
        return False
    return next(word for word in words if word.start == span.start).weight < NAME


def _best(mentions: list[Mention]) -> list[Mention]:
    """Highest scores first; of two spans for the same entity the better one stays."""
    ranked = sorted(mentions, key=lambda mention: (-mention.seeds[0].score, mention.span[0] - mention.span[1]))
    kept: list[Mention] = []
    seen: set[EntityId] = set()
    for mention in ranked:
        fresh = tuple(seed for seed in mention.seeds if seed.entity not in seen)
        if fresh:
            seen.update(seed.entity for seed in fresh)
            kept.append(replace(mention, seeds=fresh))
    return kept[:MAX_MENTIONS]
