"""A set's gold in a pack: answers, topics, relations and reference triples as ids, by key, else by exact label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgask.errors import PackError
from kgask.eval.records import GoldBlock, GoldEntity
from kgask.pack.normalise import normalise
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.sets.gold import INVERSE, Gold

WIKIDATA = "http://www.wikidata.org/entity/"  # packs built from RDF have whole IRIs as keys


class Resolver:
    """Looks up gold in one pack; names of many questions are looked up together."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._relations = _relation_names(pack)

    def blocks(self, golds: Sequence[Gold]) -> list[GoldBlock]:
        """One for each question, in order."""
        names = {normalise(name) for gold in golds for name in _names(gold)}
        hits = self._pack.exact(names - {""}) if names else {}
        return [self._block(gold, hits) for gold in golds]

    def _block(self, gold: Gold, hits: dict[str, list[NameHit]]) -> GoldBlock:
        answers = tuple(GoldEntity(self._ids(a.key, a.names, hits), a.key, a.names) for a in gold.answers)
        topics = tuple(GoldEntity(self._ids(t.key, (t.name,), hits), t.key, (t.name,)) for t in gold.topics)
        relation_keys = tuple(self._relation_key(relation) for relation in gold.relations)
        triples = tuple(self._triple(triple, hits) for triple in gold.triples)
        return GoldBlock(answers, topics, gold.relations, relation_keys, triples, gold.label)

    def _ids(self, key: str | None, names: Iterable[str], hits: dict[str, list[NameHit]]) -> tuple[int, ...]:
        """The entity with this key, else those whose label is the first name that any has, best connected first."""
        if key:
            found = self._pack.find_key(key)
            if found is None and key[:1] == "Q":
                found = self._pack.find_key(WIKIDATA + key)
            if found is not None:
                return (found,)
        for name in names:
            called = _called(name, hits.get(normalise(name), []))
            if called:
                degrees = self._pack.degree(called).tolist()
                return tuple(each for _, each in sorted(zip(degrees, called, strict=True), key=lambda row: -row[0]))
        return ()

    def _relation(self, name: str) -> int | None:
        found = self._relations.get(name)
        return found if found is not None else self._relations.get(normalise(name))

    def _relation_key(self, name: str) -> str | None:
        relation = self._relation(name.removeprefix(INVERSE))
        if relation is None:
            return None
        key = self._pack.relations()[relation].key
        return INVERSE + key if name.startswith(INVERSE) else key

    def _triple(self, triple: tuple[str, str, str], hits: dict[str, list[NameHit]]) -> int | None:
        """The id of a reference triple; where names have several entities, the first pair that has the relation."""
        relation = self._relation(triple[1])
        if relation is None:
            return None
        subjects, objects = (self._ids(end, (end,), hits) for end in (triple[0], triple[2]))
        for subject in subjects:
            for obj in objects:
                try:
                    return int(self._pack.triple_ids(*(np.array([i]) for i in (subject, relation, obj)))[0])
                except PackError:
                    continue
        return None


def directed_key(pack: Pack, relation: int, inverse: bool) -> str:
    """The key of a relation as records write it."""
    key = pack.relations()[relation].key
    return INVERSE + key if inverse else key


def _names(gold: Gold) -> Iterable[str]:
    for answer in gold.answers:
        yield from answer.names
    for topic in gold.topics:
        yield topic.name
    for subject, _, obj in gold.triples:
        yield from (subject, obj)


def _called(name: str, hits: Sequence[NameHit]) -> tuple[int, ...]:
    """Entities labelled ``name``: letter by letter, else up to case, accents and punctuation. Aliases do not count."""
    labelled = [hit for hit in hits if not hit.is_alias]
    same = [hit.entity for hit in labelled if hit.name == name]
    return tuple(dict.fromkeys(same or [hit.entity for hit in labelled]))


def _relation_names(pack: Pack) -> dict[str, int]:
    """Relation ids by key, by label, and by both normalised; keys go first, then lower ids."""
    found: dict[str, int] = {}
    relations = pack.relations()
    for names in ([r.key for r in relations], [r.label for r in relations]):
        for name in (str, normalise):
            for relation, text in enumerate(names):
                found.setdefault(name(text), relation)
    return found
