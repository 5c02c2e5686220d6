"""The alias-renamed test: a pack and its questions with every entity called by an invented name.

A reader that answers from memory fails on the copy; one that answers from the graph does not notice. Aliases and
descriptions are dropped, as they tell the old names; keys that are names are renamed too; literals and the words of
relations stay. Questions whose topics or answers cannot be renamed for sure are left out of the renamed questions
and of the originals alike, so that figures on both are over the same questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kgask.build.writer import BuildReport
from kgask.eval.make_copy import Naming, Tell, aliases_of, copy_pack, in_chunks
from kgask.eval.make_names import InventedNames
from kgask.eval.resolve import WIKIDATA
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic

# Ids that tell nothing about what they name: Wikidata's and Freebase's.
_OPAQUE_KEY = re.compile(r"(?:http://www\.wikidata\.org/entity/)?[QPL]\d+|/[mg]/[0-9a-z_]+")
_NOT_NAMES = frozenset(("yes", "no", "true", "false"))
_NUMBER = re.compile(r"[-+]?\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that is in neither half, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RenamedQuestions:
    """``originals[i]`` and ``renamed[i]`` are the same question."""

    originals: tuple[Gold, ...]
    renamed: tuple[Gold, ...]
    left_out: tuple[LeftOut, ...]


def invent_names(pack: Pack, rng_seed: int) -> Naming:
    """A new name for every entity: none has a word of any name in the pack, no two are alike."""
    labels = in_chunks(pack, pack.labels)
    texts = [*labels, *(alias for _, alias in aliases_of(pack)), *_relation_words(pack)]
    names = InventedNames(rng_seed, {word for text in texts for word in normalise(text).split()})
    new_labels = [names.like(label) for label in labels]
    keys = in_chunks(pack, pack.keys)
    new_keys = [key if _OPAQUE_KEY.fullmatch(key) else new for key, new in zip(keys, new_labels, strict=True)]
    return Naming(new_keys, new_labels, with_other_texts=False)


def _relation_words(pack: Pack) -> Iterable[str]:
    for relation in pack.relations():
        yield from (relation.label, *relation.aliases, relation.inverse_label)


def write_renamed(
    pack: Pack, target: Path, naming: Naming, rng_seed: int, force: bool = False, tell: Tell = lambda _: None
) -> BuildReport:
    """Write the copy of ``pack`` with the names of :func:`invent_names`."""
    note = f"{pack.name} ({pack.content_hash[:12]}) with invented names, seed {rng_seed}"
    return copy_pack(pack, target, naming, note, force=force, tell=tell)


def rename_questions(pack: Pack, naming: Naming, questions: Sequence[Gold]) -> RenamedQuestions:
    """The questions as they are asked of the renamed copy of ``pack``."""
    renamer = _Renamer(pack, naming, questions)
    originals, renamed, left_out = [], [], []
    for gold in questions:
        try:
            new = renamer.rename(gold)
        except _NotSure as error:
            left_out.append(LeftOut(gold.id, str(error)))
        else:
            originals.append(gold)
            renamed.append(new)
    return RenamedQuestions(tuple(originals), tuple(renamed), tuple(left_out))


class _NotSure(Exception):
    """Why a question cannot be renamed; the text is the reason that is counted, so it holds no name."""


class _Renamer:
    def __init__(self, pack: Pack, naming: Naming, questions: Sequence[Gold]) -> None:
        self._pack = pack
        self._naming = naming
        self._first_literal = pack.n_entities - pack.n_literals
        norms = {normalise(name) for gold in questions for name in _names_in(gold)} - {""}
        self._hits = pack.exact(norms) if norms else {}

    def rename(self, gold: Gold) -> Gold:
        """Raises _NotSure."""
        if not gold.topics:
            raise _NotSure("no topic is given")
        topics = [self._entity(topic.key, (topic.name,), "topic") for topic in gold.topics]
        spans = [(name, self._naming.labels[entity]) for entity, name in self._written(gold.topics, topics)]
        return replace(
            gold,
            text=_replaced(gold.text, spans),
            topics=tuple(GoldTopic(self._naming.labels[e], self._key(t.key, e))
                         for t, e in zip(gold.topics, topics, strict=True)),
            answers=tuple(self._answer(answer) for answer in gold.answers),
            triples=tuple((self._end(s), r, self._end(o)) for s, r, o in gold.triples),
            history=tuple(self._turn(turn, spans) for turn in gold.history),
        )  # fmt: skip

    def _entity(self, key: str | None, names: Sequence[str], what: str) -> int:
        """The one entity that is meant; a literal has an id too."""
        if key is not None:
            found = self._pack.find_key(key)
            if found is None and key[:1] == "Q":
                found = self._pack.find_key(WIKIDATA + key)
            if found is None:
                raise _NotSure(f"{what} not in the pack")
            return found
        for name in names:
            hits = [hit for hit in self._hits.get(normalise(name), ()) if not hit.is_alias]
            same = {hit.entity for hit in hits if hit.name == name} or {hit.entity for hit in hits}
            if len(same) > 1:
                raise _NotSure(f"{what} names more than one entity")
            if same:
                return same.pop()
        raise _NotSure(f"{what} not in the pack")

    def _written(self, topics: Sequence[GoldTopic], entities: Sequence[int]) -> list[tuple[int, str]]:
        """(entity, name to look for in the text); a set that gives ids only is looked for by label."""
        if any(entity >= self._first_literal for entity in entities):
            raise _NotSure("topic is a literal")
        labels = self._pack.labels(entities)
        return [(e, t.name or label) for t, e, label in zip(topics, entities, labels, strict=True)]

    def _key(self, old: str | None, entity: int) -> str | None:
        return None if old is None else self._naming.keys[entity]

    def _answer(self, answer: GoldAnswer) -> GoldAnswer:
        if answer.key is None and all(name.lower() in _NOT_NAMES for name in answer.names):
            return answer
        try:
            entity = self._entity(answer.key, answer.names, "answer")
        except _NotSure:
            if answer.key is None and all(_NUMBER.fullmatch(name) for name in answer.names):
                return answer  # a count is in no pack
            raise
        if entity >= self._first_literal:
            return answer
        return GoldAnswer((self._naming.labels[entity],), self._key(answer.key, entity))

    def _end(self, end: str) -> str:
        """An end of a reference triple, by key or name as it was."""
        found = self._pack.find_key(end)
        entity = found if found is not None else self._entity(None, (end,), "end of a reference triple")
        if entity >= self._first_literal:
            return end
        return self._naming.keys[entity] if found is not None else self._naming.labels[entity]

    def _turn(self, turn: tuple[str, str], spans: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """An earlier turn: topics in its question, the names that its answer lists."""
        question, answer = turn
        known = [span for span in spans if _places(question, span[0])]
        names = [self._answer(GoldAnswer((name,))).names[0] for name in _listed(answer)]
        return _replaced(question, known), ", ".join(names)


def _listed(answer: str) -> list[str]:
    return [name for name in answer.split(", ") if name]


def _names_in(gold: Gold) -> Iterable[str]:
    for topic in gold.topics:
        yield topic.name
    for answer in gold.answers:
        yield from answer.names
    for subject, _, obj in gold.triples:
        yield from (subject, obj)
    for _, answer_text in gold.history:
        yield from _listed(answer_text)


def _places(text: str, name: str) -> list[tuple[int, int]]:
    """Where a name stands in a text: as it is written, else in any case."""
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
    found = [match.span() for match in re.finditer(pattern, text)]
    return found or [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _replaced(text: str, spans: Iterable[tuple[str, str]]) -> str:
    """The text with each (old name, new name) replaced where the old one stands; _NotSure where that is not once."""
    edits: list[tuple[int, int, str]] = []
    for old, new in dict.fromkeys(spans):
        places = _places(text, old) if old else []
        if not places:
            raise _NotSure("topic not found in the text")
        if len(places) > 1:
            raise _NotSure("topic stands more than once in the text")
        start, end = places[0]
        written = text[start:end]
        edits.append((start, end, new.lower() if written.islower() and not old.islower() else new))
    edits.sort()
    if any(edit[1] > following[0] for edit, following in zip(edits, edits[1:], strict=False)):
        raise _NotSure("topics overlap in the text")
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text
