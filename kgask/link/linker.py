"""Mentions to seed entities: exact names first, close names when nothing exact fits.

The linker proposes; the pipeline decides, because what the plan wants to know
about an entity is the best sign of which entity is meant (Saffari et al. 2021).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kgask.link.adjectives import crafts_of, places_of
from kgask.link.coherent import of_one_kind
from kgask.link.features import HAND, LinkModel, candidate_features
from kgask.link.mentions import (
    NAME,
    Span,
    Word,
    apart,
    inside_of,
    looks_named,
    marked_span,
    spans,
    split_words,
)
from kgask.link.parts import SMALL, Part, PartHit, better_known, part_of, parts
from kgask.link.rulers import rulers_of
from kgask.link.signed import as_signed
from kgask.link.slips import goes_beyond, may_be_misspelt, near_names
from kgask.link.titled import TitledHit, Titles
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit, RelationText
from kgask.pack.store import Pack
from kgask.types import EntityId, Match, Mention, Question, Seed

MOVEMENT = "ism"  # what the name of a movement or faith ends with, in lower case too
_COMPARATIVE = re.compile(r"(?P<stem>[a-z]{3,}?)(?:i?er|i?est)")  # in small letters
MAX_SEEDS = 5  # entities kept per mention
MAX_MENTIONS = 5
MAX_TOLERANT_SPANS = 8
LEAST_KNOWN_PLACE = 5  # triples of a place that an adjective speaks of
PART = 0.9  # of the score of who is called so in part only
BEHIND_EXACT = 0.7  # logits that who is called so in part only stays behind who is called just so
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


_Named = tuple[Span, list[NameHit]]


class Linker:
    """Finds mentions in questions by the names of one pack.

    What the user marked comes first: only when nothing marked is a name of the
    pack is the rest of the question looked at.
    """

    def __init__(self, pack: Pack, question_words: frozenset[str], model: LinkModel = HAND) -> None:
        self.pack = pack
        self._question_words = question_words
        self.model = model
        self._titles = Titles(pack)

    def words(self, question: Question) -> list[Word]:
        """The question's words, each weighed by how much it looks like part of a name.

        What a hyphen joins is apart where only a part of it is a name: "the Kenya-Uganda border".
        """
        return apart(split_words(question.text, self.plain_words), self.plain_words, self.pack.exact)

    def is_rare(self, word: Word) -> bool:
        """Whether no question uses it around names, and no relation says it."""
        return word.norm not in self.plain_words

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """Words that questions use around names: those of the planner, and those that the pack's relations say."""
        said = {word for relation in self.pack.relations() for word in _words_of(relation)}
        return self._question_words | said

    def link(self, question: Question) -> list[Mention]:
        """Mentions whose names stand in the question (case, accents, possessives aside), or a part of them."""
        words = self.words(question)
        found = self._found(marked, question, words) if (marked := _marked(question)) else []
        found = found or self._found(spans(question.text, words), question, words)
        return of_one_kind([as_signed(one, question.text) for one in found], question.text, self.pack)

    def unclear(self, question: Question) -> list[Mention]:
        """Parts of names that several entities share, none of them far better known: what is to be asked back.

        The best connected are the seeds; ``n_same`` says how many share it.
        """
        words = self.words(question)
        return [self._unclear(part) for part in self._every_part(question, words) if not part.clear]

    def _every_part(self, question: Question, words: list[Word]) -> list[Part]:
        found = _marked(question) or spans(question.text, words)
        return self._parts(found, self._exact(found, words), question, words)

    def _unclear(self, part: Part) -> Mention:
        span = part.span
        place = (span.start, span.end)
        shown = part.hits[:MAX_SEEDS]
        seeds = (Seed(hit.entity, place, 1.0 / len(part.hits), span.text, hit.name, "part") for hit in shown)
        return Mention(place, span.text, tuple(seeds), n_same=len(part.hits))

    def link_tolerantly(self, question: Question) -> list[Mention]:
        """Mentions whose names are close to what stands there (typos, missing or swapped letters), beside exact ones.

        None where nothing is close, or where names cover every word that looks like part of one: no word is mended
        that needs it not.
        """
        words = self.words(question)
        marked = _marked(question)
        if self._exact(marked, words):
            return []
        if close := self._close(marked):
            return self._mentions(close, words)
        every = spans(question.text, words)
        exact = self._exact(every, words)
        parts = self._parts(every, exact, question, words)
        known = [span for span, _ in exact if span.wholeness == 1.0] + [part.span for part in parts]
        names = {span.norm for span, _ in exact}
        likely = sorted(
            (
                span
                for span in every
                if span.norm not in names
                and may_be_misspelt(span, words)
                and goes_beyond(span, known, words)
                and not self._compares(span)
            ),
            key=lambda span: (-span.coverage, span.n_words),
        )
        close = self._close(likely[:MAX_TOLERANT_SPANS])
        beside = self._every_name(exact, parts, words)
        beside = [(span, hits) for span, hits in beside if not any(_overlap(span, other) for other, _ in close)]
        return self._mentions(close + beside, words) if close else []

    def _compares(self, span: Span) -> bool:
        """Whether it is how things compare by what a relation says: "denser" is no misspelt Denver."""
        found = _COMPARATIVE.fullmatch(span.text)
        stem = found["stem"] if found is not None else ""
        return bool(stem) and any(word.startswith(stem) for word in self._relation_words)

    @cached_property
    def relation_names(self) -> frozenset[str]:
        """What relations are called, and the last words of their labels: "symbol" of "chemical symbol"."""
        names = {normalise(name) for one in self.pack.relations() for name in one.names}
        return frozenset(names | {normalise(one.label).split(" ")[-1] for one in self.pack.relations()})

    @cached_property
    def _relation_words(self) -> frozenset[str]:
        return frozenset(normalise(" ".join(name for one in self.pack.relations() for name in one.names)).split())

    def _found(self, found: list[Span], question: Question, words: list[Word]) -> list[Mention]:
        """Mentions by names, and by parts of names where a run of words is no name."""
        named = self._exact(found, words)
        return self._mentions(self._every_name(named, self._parts(found, named, question, words), words), words)

    def _every_name(self, named: Sequence[_Named], parts: Sequence[Part], words: list[Word]) -> list[_Named]:
        """Names with what they may mean; of a part that several share, which of them has what is asked will tell."""
        every = [self._with_better_known(span, hits, words) for span, hits in named]
        return every + [(part.span, [*part.hits[: 1 if part.clear else MAX_SEEDS]]) for part in parts]

    def _exact(self, found: list[Span], words: list[Word]) -> list[_Named]:
        places = {span.norm: self._spoken_of(span.norm) for span in found if span.n_words <= 2 and not span.marked}
        norms = {span.norm for span in found}.union(*places.values())
        hits = self.pack.exact(norms) if found else {}
        called = [(span, self._titles.with_titled(hits.get(span.norm, []))) for span in found]
        named = [(span, self._meant(span, meant, words)) for span, meant in called]
        spoken = [(span, meant, self._places(span, places.get(span.norm, ()), hits, meant)) for span, meant in named]
        named = [(span, [*([] if of and self._are_texts(meant) else meant), *of]) for span, meant, of in spoken]
        return [(span, meant) for span, meant in named if meant]

    def _are_texts(self, hits: list[NameHit]) -> bool:
        """Whether only texts are called so: "American" may be what a demonym says, and means the country."""
        return all(hit.entity >= self.pack.n_entities - self.pack.n_literals for hit in hits)

    def _spoken_of(self, norm: str) -> tuple[str, ...]:
        """What an adjective may speak of, and of somebody's own graph what somebody is called after: cellists."""
        return (*places_of(norm), *(crafts_of(norm) if self._is_small else rulers_of(norm, self.pack)))

    @property
    def _is_small(self) -> bool:
        return self.pack.n_entities <= SMALL

    def _places(
        self, span: Span, names: Sequence[str], hits: dict[str, list[NameHit]], called: list[NameHit]
    ) -> list[PartHit]:
        """The best connected place that an adjective may speak of, by the first name that the pack has."""
        own = ([hit for hit in hits.get(name, ()) if not hit.is_alias] for name in names)
        known = next(filter(None, own), [])
        entities = [hit.entity for hit in known]
        if not entities or len(called) >= MAX_SEEDS:
            return []
        degrees = self.pack.prior(entities).tolist()
        best = max(range(len(entities)), key=lambda at: (degrees[at], -entities[at]))
        is_one = self._is_small or normalise(known[0].name).startswith(f"{span.norm} ")  # "Mary I", of England
        if degrees[best] < (1 if is_one else LEAST_KNOWN_PLACE) or entities[best] in {hit.entity for hit in called}:
            return []
        name = next(hit.name for hit in known if hit.entity == entities[best])
        is_place = name[:1].isupper() or name.endswith(MOVEMENT) or normalise(name) in crafts_of(span.norm)
        return [PartHit(entities[best], name, True, 1.0, "alias")] if is_place else []

    def _meant(self, span: Span, hits: list[NameHit], words: list[Word]) -> list[NameHit]:
        """Without those whose surname a common word happens to be: "born" is not Max Born."""
        if not (any(hit.is_alias for hit in hits) and span.text.islower() and _is_common_word(span, words)):
            return hits
        labels = self.pack.labels([hit.entity for hit in hits])
        return [hit for hit, label in zip(hits, labels, strict=True) if not (hit.is_alias and _is_surname(hit, label))]

    def _with_better_known(self, span: Span, hits: list[NameHit], words: list[Word]) -> _Named:
        called = [hit for hit in hits if not isinstance(hit, PartHit)]
        is_plain = span.marked or len(called) < len(hits) or _is_common_word(span, words)
        return span, hits if is_plain else [*hits, *better_known(self.pack, span, hits)]

    def _parts(self, found: list[Span], named: list[_Named], question: Question, words: list[Word]) -> list[Part]:
        """What the runs of words that are no names are parts of; of marked spans, where the user marked some."""
        if found and found[0].marked:
            return [part for span in found if not named if (part := part_of(self.pack, span))]
        return parts(self.pack, question.text, words, [span for span, _ in named], self.plain_words)

    def _close(self, found: list[Span]) -> list[_Named]:
        whole = (span for span in found if span.marked or ", " not in span.text)  # no "denser, gold" is Desert Gold
        near = ((span, near_names(self.pack.fuzzy(span.norm), span.norm, not self._is_small)) for span in whole)
        return [(span, hits) for span, hits in near if hits]

    def seed_for(self, name: str, question: Question) -> Mention:
        """The entity that the user chose (``--entity``: key, ``#id``, label or alias); no seeds when there is none.

        The mention is what the user marked, else where its name stands, else a
        pronoun, else the most name-like span, else nothing (an empty span at the end).
        """
        entities = self._entities_named(name)
        if not entities:
            return Mention((0, 0), name, ())
        best = max(entities, key=lambda entity: int(self.pack.prior([entity])[0]))
        place = self._place_of(best, name, question)
        label = self.pack.labels([best])[0]
        text = question.text[place[0] : place[1]]
        seed = Seed(best, place, 1.0, text, label, "given")
        return Mention(place, text, (seed,), n_same=len(entities))

    def _place_of(self, entity: EntityId, name: str, question: Question) -> tuple[int, int]:
        """Where the question speaks of the entity: by a mark, by name, by pronoun, by what looks like a name."""
        if question.marks:
            return question.marks[0]
        words = self.words(question)
        found = spans(question.text, words)
        names = {normalise(name), normalise(self.pack.labels([entity])[0])}
        for span in found:
            if span.norm in names:
                return span.start, span.end
        for part in self._every_part(question, words):  # "Curie", whoever of them was chosen
            if any(hit.entity == entity for hit in part.hits):
                return part.span.start, part.span.end
        for word in words:
            if word.norm in PRONOUNS:
                return word.start, word.end
        likely = [span for span in found if any(w.weight == NAME for w in inside_of(span, words))]
        best = max(likely, key=lambda span: (span.coverage, -span.n_words), default=None)
        return (best.start, best.end) if best else (len(question.text), len(question.text))

    def _entities_named(self, name: str) -> list[EntityId]:
        by_key = self.pack.find_key(name)
        if by_key is not None:
            return [by_key]
        number = name.removeprefix("#")
        if number != name and number.isdecimal() and len(number) < 20 and int(number) < self.pack.n_entities:
            return [int(number)]
        norm = normalise(name)
        return list(dict.fromkeys(hit.entity for hit in self.pack.exact([norm]).get(norm, ())))

    def _mentions(self, found: list[tuple[Span, list[NameHit]]], words: list[Word]) -> list[Mention]:
        """Highest scores first; of two spans for the same entity the better one stays, unless each says it in a word
        and a place of its own: "drivers born in Germany who are not German"."""
        named = [span for span, _ in found]
        readings = [self._reading(span, _is_nested(span, named), hits, words) for span, hits in found]
        readings = [reading for reading in readings if reading.candidates]
        readings.sort(key=lambda r: (-r.candidates[0].logit, r.span.start - r.span.end))
        kept: list[_Reading] = []
        said: dict[EntityId, list[Span]] = {}
        for reading in readings:
            span = reading.span
            fresh = [
                candidate
                for candidate in reading.candidates
                if not any(one.norm == span.norm or _overlap(one, span) for one in said.get(candidate.hit.entity, ()))
            ]
            if fresh:
                for candidate in fresh:
                    said.setdefault(candidate.hit.entity, []).append(span)
                kept.append(replace(reading, candidates=fresh))
        return [self._mention(reading, kept[0].candidates[0].logit, words) for reading in kept[:MAX_MENTIONS]]

    def _reading(self, span: Span, nested: bool, hits: list[NameHit], words: list[Word]) -> _Reading:
        entities: dict[EntityId, NameHit] = {}
        for hit in hits:
            kept = entities.get(hit.entity)
            if kept is None or (kept.is_alias and not hit.is_alias and kept.similarity <= hit.similarity):
                entities[hit.entity] = hit
        exact = [hit for hit in entities.values() if not isinstance(hit, PartHit)]
        in_part = [hit for hit in entities.values() if isinstance(hit, PartHit)]
        candidates = self._rated(span, nested, exact, words)
        for candidate in self._rated(span, nested, in_part, words):  # who is called just so comes first
            highest = candidates[0].logit - BEHIND_EXACT if candidates else candidate.logit
            candidates.append(replace(candidate, logit=min(candidate.logit, highest)))
        is_title = isinstance(candidates[0].hit, TitledHit) if candidates else False  # and not shared with itself
        n_same = sum(candidate.hit.name == candidates[0].hit.name for candidate in candidates) - is_title
        likely = [c for c in candidates[:MAX_SEEDS] if span.marked or self.model.chance(c.logit) >= self.model.rho]
        return _Reading(span, likely, n_same)

    def _rated(self, span: Span, nested: bool, hits: Sequence[NameHit], words: list[Word]) -> list[_Candidate]:
        """Candidates, best first."""
        if not hits:
            return []
        degrees = self.pack.prior([hit.entity for hit in hits]).tolist()
        rows = candidate_features(span, nested, _is_common_word(span, words), hits, degrees)
        candidates = [_Candidate(hit, row, self.model.logit(row)) for hit, row in zip(hits, rows, strict=True)]
        return sorted(candidates, key=lambda candidate: (-candidate.logit, candidate.hit.entity))

    def _mention(self, reading: _Reading, highest: float, words: list[Word]) -> Mention:
        span = reading.span
        place = (span.start, span.end)
        seeds = []
        for candidate in reading.candidates:
            hit = candidate.hit
            match = _match(hit)
            score = self.model.score(candidate.logit, highest) * (PART if match == "part" else 1.0)
            seeds.append(Seed(hit.entity, place, score, span.text, hit.name, match, candidate.features))
        inside = inside_of(span, words)
        return Mention(
            place,
            span.text,
            tuple(seeds),
            whole=span.wholeness == 1.0,
            unused=tuple(word.text for word in words if looks_named(word) and word not in inside),
            n_same=reading.n_same,
        )


def _words_of(relation: RelationText) -> Iterator[str]:
    """The words of a relation's texts, also as verbs: "manage", "manages", "managed", "managing"."""
    for text in (*relation.names, relation.inverse_label):
        for word in relation_phrase(text).split() if text else ():
            stem = word.removesuffix("s").removesuffix("e")
            yield from (word, f"{stem}s", f"{stem}es", f"{stem}ed", f"{stem}ing", stem, f"{stem}e")


def _match(hit: NameHit) -> Match:
    if isinstance(hit, PartHit):
        return hit.match
    if isinstance(hit, TitledHit):
        return "title"
    return "typo" if hit.similarity < 1 else "alias" if hit.is_alias else "label"


def _is_surname(hit: NameHit, label: str) -> bool:
    """Whether an alias is a word of a longer proper name."""
    words = label.split()
    return len(words) > 1 and hit.name in words and all(word[0].isupper() for word in words)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _is_common_word(span: Span, words: list[Word]) -> bool:
    if span.n_words > 1 or span.marked:
        return False
    return next(word for word in words if word.start == span.start).weight < NAME


def _is_nested(span: Span, named: list[Span]) -> bool:
    return any(other.n_words > span.n_words and other.start <= span.start and span.end <= other.end for other in named)


def _marked(question: Question) -> list[Span]:
    return [marked_span(question.text, start, end) for start, end in question.marks]
