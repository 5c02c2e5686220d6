"""Words of a question that stand for all things of a kind: "countries", "noble gases", "employees".

What a pack knows of kinds, from the surest to the least sure:

1. types, the objects of its "instance of" relations, by any of their names, or by the head word that only one of
   them has ("elements" where the pack has chemical elements);
2. what classifies things otherwise (occupation, gender, genre): "physicists" are who has the occupation physicist, and
   any plural of an entity's name stands for what leads to it ("noble gases");
3. relations: "authors" are whom "author" leads to, "members" whom "has member" leads to or who has "member of".

Nothing here scans names: spans are looked up, and types come from the rows of the "instance of" relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from kgask.link.mentions import FUNCTION_WORDS, Word
from kgask.link.plurals import singulars
from kgask.pack.graph import reads_arrays
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit, RelationText
from kgask.pack.store import Pack
from kgask.query.base import SetNode
from kgask.query.nodes import Class, Entities, Follow, Having, Or
from kgask.types import DirectedRelationId, EntityId, RelationId, directed

MAX_WORDS = 4  # of a class's name
MAX_PHRASE = 6  # of a relation's label that is looked for in questions
MAX_CANDIDATES = 4  # of one span
LEAST_OF_TEXT = 2  # things that have a text before it stands for them: "fragments"
MAX_TYPES = 20_000  # whose head words are learnt, those with most instances
TYPE, HEAD, CLASSIFIED, LED_TO, RELATED = 1.0, 0.6, 0.8, 0.5, 0.4  # scores of the ways above
ALIAS = 0.9  # of what is found by another name than its label
SHORTEST = 3  # letters of a word that a relation's label says
FEW = 10_000  # entities of a pack in which the names of all members of a type are looked at
LEAST_ALIKE, MOSTLY = 3, 0.6  # members of a type, and which part of them, that have one word last in their names
MAX_ALIKE = 4  # values that are called by one noun: "tigers" of several sorts
MOST_NAMES = 200  # members of a type whose names are looked at
_SAMPLE = 4096  # triples of an entity that tell which relation leads to it most
_SENSES = {"woman": "female", "man": "male", "girl": "female", "boy": "male", "lady": "female"}  # besides their names
_ASKS_FOR_ONE = frozenset("which what every each any many a an".split())  # before a class word in the singular
_CLASSIFYING_KEYS = ("P106", "P21", "P136", "P413", "P39", "P105", "P641")
_CLASSIFYING = frozenset(
    "occupation profession job gender sex genre category kind role position rank class classification species group "
    "department team level status sort".split()
) | {"sex or gender", "job title", "element category", "element type", "position held", "taxon rank"}
_ABOUT = frozenset(("main subject", "subject", "about", "topic", "depicts"))  # what is about novelists is none
_GOES_TO = re.compile(r"\b(?:go|goes|going|went|gone) to \Z", re.IGNORECASE)
_NO_NAME = re.compile(r"\W*(?:\Z|(?:in|at|with|and|or|as|there)\b)")  # behind a noun that is none of a name
_PREPOSITIONS = frozenset("of in on at to for from by with as into under after about".split())


@dataclass(frozen=True, slots=True)
class ClassSpan:
    """Words that stand for all things of a kind, and the sets that they may mean with scores 0..1, best first."""

    start: int
    end: int
    candidates: tuple[tuple[SetNode, float], ...]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A run of the question's words, with the singulars that it may be the plural of."""

    start: int
    end: int
    norm: str
    singular: tuple[str, ...]
    n_words: int
    asked_for: bool  # "which X", "every X"


def class_spans(text: str, words: Sequence[Word], pack: Pack, taken: Sequence[tuple[int, int]] = ()) -> list[ClassSpan]:
    """The class words of a question in their order; of overlapping ones the longest, then the best.

    ``words`` are the question's (:func:`kgask.link.mentions.split_words`). What touches a span of ``taken`` is no
    class word, unless it is just that span.
    """
    return chosen(class_readings(text, words, pack), taken)


def class_readings(text: str, words: Sequence[Word], pack: Pack) -> list[ClassSpan]:
    """Every run of words that may stand for a class, also where they overlap."""
    phrases = list(_phrases(text, words))
    if not phrases:
        return []
    vocabulary = _vocabulary(pack)
    hits = pack.exact({norm for phrase in phrases for norm in _names_of(phrase)})
    return [
        ClassSpan(phrase.start, phrase.end, candidates)
        for phrase in phrases
        if (candidates := vocabulary.candidates(phrase, hits))
    ]


def chosen(readings: Sequence[ClassSpan], taken: Sequence[tuple[int, int]]) -> list[ClassSpan]:
    """Those of :func:`class_readings` that :func:`class_spans` is about."""
    kept: list[ClassSpan] = []
    free = [one for one in readings if _is_free(one, taken)]
    for span in sorted(free, key=lambda s: (s.start - s.end, -s.candidates[0][1])):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def _phrases(text: str, words: Sequence[Word]) -> Iterator[_Phrase]:
    for first in range(len(words)):
        for last in range(first, min(first + MAX_WORDS, len(words))):
            if last > first and text[words[last - 1].end : words[last].start].strip(" -"):
                break  # a comma, or a possessive: two phrases
            if words[first].norm in FUNCTION_WORDS or words[last].norm in FUNCTION_WORDS:
                continue
            if _is_activity(text, words[first].start, words[last].end):
                continue
            norms = [word.norm for word in words[first : last + 1]]
            before = words[first - 1].norm if first else ""
            start, end = words[first].start, words[last].end - text[: words[last].end].endswith(".")
            yield _Phrase(start, end, " ".join(norms), _singular(norms), len(norms), before in _ASKS_FOR_ONE)


def _is_activity(text: str, start: int, end: int) -> bool:
    """Whether a noun without an article says what is done, rather than where: "go to college", "went to school in"."""
    return _GOES_TO.search(text[:start]) is not None and _NO_NAME.match(text[end:]) is not None


def plural_phrases(text: str, words: Sequence[Word]) -> list[tuple[tuple[int, int], tuple[str, ...]]]:
    """The runs of words that may be a plural: where they stand, and what one such thing may be called."""
    return [((one.start, one.end), one.singular) for one in _phrases(text, words) if one.singular]


def relation_phrases(text: str, words: Sequence[Word], pack: Pack) -> list[tuple[int, int]]:
    """Where the question says a relation's label of several words ("cause of death")."""
    known = _vocabulary(pack).phrases
    longest = min(MAX_PHRASE, max((phrase.count(" ") + 1 for phrase in known), default=0))
    return [
        (words[first].start, words[last].end)
        for first in range(len(words))
        for last in range(first + 1, min(first + longest, len(words)))
        if " ".join(word.norm for word in words[first : last + 1]) in known
    ]


def _is_free(span: ClassSpan, taken: Sequence[tuple[int, int]]) -> bool:
    place = (span.start, span.end)
    return all(place == (start, end) or span.end <= start or end <= span.start for start, end in taken)


def _singular(norms: list[str]) -> tuple[str, ...]:
    """The phrase with its head in the singular: the last word, or the one before "of" ("heads of state")."""
    head = norms.index("of") - 1 if "of" in norms[1:] else len(norms) - 1
    parts = norms[head].split()  # a hyphened word is two
    before, after = norms[:head] + parts[:-1], norms[head + 1 :]
    return tuple(" ".join([*before, word, *after]) for word in singulars(parts[-1]))


def _names_of(phrase: _Phrase) -> tuple[str, ...]:
    """What a thing that the phrase means may be called."""
    one = (phrase.norm, *phrase.singular)
    return (*one, *(_SENSES[word] for word in one if word in _SENSES))


class ClassVocabulary:
    """What one pack knows of kinds; parts are made when they are first needed and kept with the pack."""

    def __init__(self, pack: Pack) -> None:
        relations = pack.relations()
        self._typing = np.array(sorted({*pack.type_relations, *pack.subclass_relations}), np.int64)
        self._instance_of = pack.type_relations
        self._classifying = frozenset(at for at, text in enumerate(relations) if _classifies(text))
        labels = (relation_phrase(text.label) for text in relations)
        self._about = frozenset(at for at, label in enumerate(labels) if label in _ABOUT)
        self._leads_to_literals: dict[RelationId, bool] = {}
        self._pack = pack

    def candidates(self, phrase: _Phrase, hits: dict[str, list[NameHit]]) -> tuple[tuple[SetNode, float], ...]:
        """The sets that a phrase may mean, best first; ``hits`` are the entities by their names."""
        scores: dict[SetNode, float] = {}
        for name in _names_of(phrase):
            for hit in hits.get(name, ()):
                is_meant = name != phrase.norm or phrase.asked_for  # a plural, "which X", "a X"
                for node, score in self._of_entity(hit.entity, is_meant):
                    weighed = score * (ALIAS if hit.is_alias else 1.0)
                    scores[node] = max(weighed, scores.get(node, 0.0))
        is_named = LED_TO in scores.values()  # "gases" are rather what is a gas than noble gases
        for node, score in self._by_words(phrase):
            scores.setdefault(node, min(score, LED_TO - 0.01) if is_named and score == HEAD else score)
        best = sorted(scores.items(), key=lambda item: -item[1])
        return tuple(best[:MAX_CANDIDATES])

    def _of_entity(self, entity: EntityId, is_meant: bool) -> Iterator[tuple[SetNode, float]]:
        counts = _incoming(self._pack, entity)
        if any(relation in counts for relation in self._typing):
            yield Class(entity), TYPE
            return
        counts = {relation: n for relation, n in counts.items() if relation not in self._about}
        leading = sorted(counts, key=lambda relation: (relation not in self._classifying, -counts[relation]))
        for relation in leading[:1]:
            classified = relation in self._classifying
            is_text = entity >= self._pack.n_entities - self._pack.n_literals
            if classified or (is_meant and (not is_text or counts[relation] >= LEAST_OF_TEXT)):
                inverse = directed(relation, True, self._pack.n_relations)
                yield Follow(Entities((entity,)), inverse), CLASSIFIED if classified else LED_TO

    def _by_words(self, phrase: _Phrase) -> Iterator[tuple[SetNode, float]]:
        """By the head word of one type, and by the labels of relations: a plural, or a singular that is asked for."""
        for word in phrase.singular or (phrase.norm,):
            kinds = self._heads.get(word, ()) if phrase.n_words == 1 else ()
            if len(kinds) == 1:
                yield Class(kinds[0]), HEAD
            if phrase.singular and phrase.n_words == 1 and (alike := self._called_by(word)) is not None:
                yield alike, HEAD
            is_meant = phrase.singular or phrase.asked_for
            for relation in self._relation_words.get(word, ()) if is_meant else ():
                if not self._is_of_literals(relation):
                    yield Having(relation), RELATED

    @cached_property
    def _heads(self) -> dict[str, list[EntityId]]:
        """The types that have a word as the head of their label: "element" of "chemical element"."""
        types = _types(self._pack, self._instance_of)
        heads: dict[str, list[EntityId]] = {}
        for entity, label in zip(types, self._pack.labels(types), strict=True):
            words = normalise(label.split("(")[0].split(",")[0]).split()
            places = [at for at, word in enumerate(words) if word in _PREPOSITIONS]
            named = words[: places[0]] if places and places[0] else words
            if len(words) > 1 and named:
                heads.setdefault(named[-1], []).append(entity)
        for entity in types if self._pack.n_entities <= FEW else ():
            if (ending := self._ending(entity)) and entity not in heads.get(ending, ()):
                heads.setdefault(ending, []).append(entity)
        return heads

    def _called_by(self, noun: str) -> SetNode | None:
        """What has one of the values that are called by a noun: tigers of several sorts. Only of what is said to be
        something else, animals: else all may be such, of whatever style the beers are."""
        values = self._value_heads.get(noun, [])[: MAX_ALIKE + 1]
        values = values if all(_have_types(self._pack, value, self._instance_of) for value in values) else []
        sets = [node for value in values for node, _ in self._of_entity(value, True) if isinstance(node, Follow)]
        if not 0 < len(sets) == len(values) <= MAX_ALIKE:
            return None
        either: SetNode = sets[0]
        for one in sets[1:]:
            either = Or(either, one)
        return either

    @cached_property
    def _value_heads(self) -> dict[str, list[EntityId]]:
        """Of somebody's own graph: what nothing is said of, by the last word of its name, where that is no proper one:
        "tiger" of "Sumatran tiger"."""
        n_named = self._pack.n_entities - self._pack.n_literals
        found: dict[str, list[EntityId]] = {}
        if self._pack.n_entities <= FEW:
            values = np.flatnonzero(np.diff(self._pack.out_indptr)[:n_named] == 0).tolist()
            for value, label in zip(values, self._pack.labels(values), strict=True):
                if " " in label and (word := label.split()[-1]).isalpha() and word.islower():
                    found.setdefault(word, []).append(value)
        return found

    def _ending(self, kind: EntityId) -> str:
        """The word that most members of a type have last in their names: "fire" of the Harlow Fire and the others."""
        members = _members(self._pack, kind, self._instance_of)[:MOST_NAMES]
        names = [normalise(label).split() for label in self._pack.labels(members)]
        last = Counter(name[-1] for name in names if len(name) > 1 and name[-1].isalpha()).most_common(1)
        return last[0][0] if last and last[0][1] >= max(LEAST_ALIKE, MOSTLY * len(names)) else ""

    def is_ending(self, word: str) -> bool:
        """Whether a word is what members of a type are called besides their own names."""
        return self._pack.n_entities <= FEW and any(self._ending(kind) == word for kind in self._heads.get(word, ()))

    @cached_property
    def phrases(self) -> frozenset[str]:
        """What relations are called in several words."""
        said = (text for one in self._pack.relations() for text in (*one.names, one.inverse_label) if text)
        return frozenset(phrase for text in said if " " in (phrase := normalise(relation_phrase(text))))

    @cached_property
    def _relation_words(self) -> dict[str, list[DirectedRelationId]]:
        """The directed relations whose domain a word stands for: "author" whatever "author" leads to."""
        n = self._pack.n_relations
        found: dict[str, list[DirectedRelationId]] = {}
        for relation, text in enumerate(self._pack.relations()):
            for inverse, labels in ((False, (text.label, *text.aliases)), (True, (text.inverse_label,))):
                for at, label in enumerate(labels):
                    for word, is_source in _nouns(relation_phrase(label), is_label=at == 0) if label else ():
                        of = directed(relation, inverse == is_source, n)
                        if of not in found.setdefault(word, []):
                            found[word].append(of)
        return found

    def _is_of_literals(self, relation: DirectedRelationId) -> bool:
        """Whether what a ``Having`` stands for are numbers, dates or texts."""
        if relation < self._pack.n_relations:
            return False
        plain = relation - self._pack.n_relations
        if plain not in self._leads_to_literals:
            self._leads_to_literals[plain] = _leads_to_literals(self._pack, plain)
        return self._leads_to_literals[plain]


_VOCABULARIES: WeakKeyDictionary[Pack, ClassVocabulary] = WeakKeyDictionary()


def is_ending_of_names(word: str, pack: Pack) -> bool:
    """Whether most of some sort of things have a word last in their names, so that it means all of them."""
    return _vocabulary(pack).is_ending(word)


def _vocabulary(pack: Pack) -> ClassVocabulary:
    if pack not in _VOCABULARIES:
        _VOCABULARIES[pack] = ClassVocabulary(pack)
    return _VOCABULARIES[pack]


def _classifies(text: RelationText) -> bool:
    label = relation_phrase(text.label)
    return label in _CLASSIFYING or text.key.rsplit("/", 1)[-1] in _CLASSIFYING_KEYS


def _nouns(phrase: str, is_label: bool = True) -> list[tuple[str, bool]]:
    """What a relation's label (or alias) calls one end of it, and whether it is the end that the relation leaves.

    Of a label also its head word: "official language" leads to languages.

    >>> _nouns("author"), _nouns("has member"), _nouns("member of"), _nouns("born in")
    ([('author', False)], [('member', False)], [('member', True)], [])
    >>> _nouns("starred actors")
    [('starred actor', False), ('actor', False)]
    """
    words = phrase.split()
    is_source = len(words) > 1 and words[-1] == "of"
    named = words[1:] if words and words[0] in ("has", "have", "is") else words
    named = named[:-1] if is_source else named
    inside = [word for word in named if word in FUNCTION_WORDS | _PREPOSITIONS]
    if not named or len(named[-1]) < SHORTEST or (inside and inside != ["of"]) or inside == named[:1]:
        return []
    if inside:  # "head of state"
        return [(" ".join(named), is_source)]
    plural = singulars(named[-1])
    if plural and not (is_label and len(words) > 1):
        return []  # a verb as often as not: "borders", "supplies"
    named = [*named[:-1], *(plural[:1] or named[-1:])]
    heads = named[-1:] if is_label and len(named) > 1 and not is_source else []
    return [(word, is_source) for word in (" ".join(named), *heads)]


@reads_arrays
def _incoming(pack: Pack, entity: EntityId) -> dict[RelationId, int]:
    """How many triples of each relation lead to an entity; of very many a sample."""
    pack.need_rows(np.array([entity]), inverse=True)
    row = pack.in_relation[pack.in_indptr[entity] : pack.in_indptr[entity + 1]]
    found = np.bincount(row[:: 1 + len(row) // _SAMPLE])
    return {int(relation): int(found[relation]) for relation in np.flatnonzero(found)}


@reads_arrays
def _types(pack: Pack, instance_of: Sequence[RelationId]) -> list[EntityId]:
    """The types of a pack, those with most instances first."""
    places = np.flatnonzero(np.isin(pack.in_relation, instance_of))
    owners = np.searchsorted(pack.in_indptr, places.astype(pack.in_indptr.dtype), side="right") - 1
    types, counts = np.unique(owners, return_counts=True)
    return types[np.argsort(-counts, kind="stable")][:MAX_TYPES].tolist()


@reads_arrays
def _members(pack: Pack, kind: EntityId, instance_of: Sequence[RelationId]) -> list[EntityId]:
    """The things that have a type."""
    row = slice(int(pack.in_indptr[kind]), int(pack.in_indptr[kind + 1]))
    return pack.in_subject[row][np.isin(pack.in_relation[row], instance_of)].tolist()


@reads_arrays
def _have_types(pack: Pack, value: EntityId, instance_of: Sequence[RelationId]) -> bool:
    """Whether the first of the things that lead to a value has a type."""
    first = int(pack.in_subject[int(pack.in_indptr[value])])
    row = slice(int(pack.out_indptr[first]), int(pack.out_indptr[first + 1]))
    return bool(np.isin(pack.out_relation[row], instance_of).any())


@reads_arrays
def _leads_to_literals(pack: Pack, relation: RelationId) -> bool:
    places = np.flatnonzero(pack.out_relation == relation)
    first_literal = pack.n_entities - pack.n_literals
    return bool(len(places)) and bool((pack.out_object[places[:_SAMPLE]] >= first_literal).mean() > 0.5)
