"""What of the operator corpus' words a pack has: relations by key or by text, class words by its types, real values.

:class:`PackLexicons` and :class:`PackWords` stand where :class:`~kgask.corpus.operator_words.Lexicons` and
:class:`~kgask.corpus.operator_words.ClassWords` do, so that whatever is composed can be asked of the pack.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from kgask.corpus.measures import load_measures, several
from kgask.corpus.operator_files import Entry
from kgask.corpus.operator_slots import UnfitError
from kgask.corpus.operator_words import ANY, ClassWords, Lexicons
from kgask.corpus.wordings import RelationWordings
from kgask.pack.literals import date_parts
from kgask.pack.normalise import normalise
from kgask.pack.quantities import DATE
from kgask.pack.store import Pack
from kgask.query.nodes import Class
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import EntityId, RelationId

LEAST_MEMBERS = 3  # of a class that questions are about
QUANTILES = (0.05, 0.95)  # of a relation's values: what questions compare with lies between
SAMPLED = 2000  # literals of a relation that tell its values
_CALLED = {"human": "person"}  # types that nobody asks for by their label


class PackSchema:
    """Which of the corpus' relation keys a pack has, its classes, and what has which relation."""

    def __init__(self, pack: Pack, wordings: Mapping[str, RelationWordings]) -> None:
        self.pack = pack
        self._runner = Runner(pack, Budget())
        texts: dict[str, list[str]] = {key: list(wording.texts) for key, wording in wordings.items()}
        for entry in load_measures():
            texts.setdefault(entry.key, []).extend(entry.forms["texts"])
        relations = pack.relations()
        by_key = {one.key: at for at, one in enumerate(relations)}
        by_text: dict[str, RelationId] = {}
        for at, one in reversed([*enumerate(relations)]):
            by_text |= {normalise(text): at for text in (*one.aliases, one.label)}
        called = {key: [by_text[name] for text in said if (name := normalise(text)) in by_text]
                  for key, said in texts.items()}  # fmt: skip
        self.relation_of = {key: found[0] for key, found in called.items() if found} | by_key
        self._followed = frozenset(pack.path_relations.tolist()) - frozenset(pack.type_relations)
        self.qualifiers = frozenset(np.unique(pack.qualifier_relation).tolist())

    def has(self, keys: Iterable[str]) -> bool:
        """Whether triples of the pack have all these relations."""
        return all(self.relation_of.get(key, -1) in self._followed for key in keys)

    def known(self, keys: Iterable[str]) -> bool:
        """Whether triples or statements have them."""
        return all(self.relation_of.get(key, -1) in self._followed | self.qualifiers for key in keys)

    @cached_property
    def classes(self) -> dict[str, EntityId]:
        """Types with enough members, by their labels; what is no plain noun is left out."""
        pack = self.pack
        triples = np.flatnonzero(np.isin(pack.out_relation, pack.type_relations))
        types, counts = np.unique(pack.out_object[triples], return_counts=True)
        found = types[counts >= LEAST_MEMBERS].tolist()
        named = dict(zip(reversed(pack.labels(found)), reversed(found), strict=True))
        return {label: kind for label, kind in named.items() if label == label.lower() and label.isascii()}

    def members(self, kind: EntityId) -> np.ndarray:
        """Instances of a type, int64 ascending."""
        return self._runner.members(Class(kind)).certain

    def having(self, relation: int) -> np.ndarray:
        """What the directed relation leaves, int64 ascending."""
        if relation not in self._having:
            pack, n = self.pack, self.pack.n_relations
            triples = np.flatnonzero(pack.out_relation == relation % n)
            subjects, _, objects = pack.triples(triples)
            self._having[relation] = np.unique(objects if relation >= n else subjects)
        return self._having[relation]

    @cached_property
    def _having(self) -> dict[int, np.ndarray]:
        return {}

    def values(self, relation: RelationId, literal: str) -> tuple[float, float] | None:
        """Two quantiles of a relation's numbers, or of its dates as years; None where it has no such values."""
        pack = self.pack
        objects = np.unique(pack.out_object[pack.out_relation == relation])
        objects = objects[objects >= pack.n_entities - pack.n_literals]
        step = 1 + len(objects) // SAMPLED
        known = [one for one in pack.literals(objects[::step].tolist()) if one is not None and one.kind == literal]
        if len(known) < LEAST_MEMBERS:
            return None
        numbers = [date_parts(one.text)[0] if literal == DATE else float(one.text) for one in known]
        low, high = np.quantile(numbers, QUANTILES).tolist()
        return (low, high) if low < high else None


class PackWords(ClassWords):
    """The class words of a pack's types, by the letters that the corpus has for them; all of them narrow."""

    def __init__(self, schema: PackSchema) -> None:
        super().__init__()
        letters = _letters(self)
        self.types: dict[str, EntityId] = {}  # word, of one or of several -> type
        self.general, self.special = defaultdict(list), defaultdict(list)
        for label, kind in schema.classes.items():
            label = _CALLED.get(label, label)
            many = several(label)
            self.types |= {label: kind, many: kind}
            self.single[many] = label
            for letter in letters.get(label) or letters.get(label.split()[-1]) or ():
                self.special[letter].append(many)
            self.special[ANY].append(many)

    def draw(self, letter: str, rng: random.Random) -> tuple[str, str]:
        if not self.special[letter]:
            raise UnfitError("the pack has no such class")
        return self._pair(rng.choice(self.special[letter]))

    def noun(self, letter: str, entry: Entry, rng: random.Random) -> tuple[tuple[str, str], bool]:
        words = self.special[letter]
        return (self._pair(rng.choice(words)), True) if words else (("things", "thing"), False)

    def idle(self, text: str) -> list[tuple[int, int]]:
        return []


def _letters(words: ClassWords) -> dict[str, set[str]]:
    """The types of class words in the singular: those that they name, or have measures of; else those they narrow."""
    named: dict[str, set[str]] = defaultdict(set)
    narrowed: dict[str, set[str]] = defaultdict(set)
    for table, found in ((words.general, named), (words.special, narrowed)):
        for letter, several_of in table.items():
            for word in several_of if letter != ANY else ():
                found[words.one(word)].add(letter)
    for entry in load_measures():
        for letter in entry.letters:
            for noun in entry.forms[letter]:
                named[noun].add(letter)
    return narrowed | named


class PackLexicons(Lexicons):
    """Entries over relations for which ``fits`` is true; what measures has classes of the pack and its values."""

    def __init__(
        self, schema: PackSchema, words: PackWords, wordings: Mapping[str, RelationWordings],
        fits: Callable[[Sequence[str]], bool],
    ) -> None:  # fmt: skip
        super().__init__({key: one for key, one in wordings.items() if fits((key,))})
        self._schema, self._classes = schema, words

        def kept(entries: Iterable[Entry]) -> list[Entry]:
            return [entry for entry in entries if fits([key for key, _ in entry.path])]

        measures = [found for entry in kept(self._by_name["measures"]) if (found := self._measured(entry))]
        qualifiers = self._by_name["qualifiers"]
        self._by_name = {"measures": measures, "links": kept(self._by_name["links"]), "qualifiers": qualifiers}
        self._leading, self._branches = kept(self._leading), kept(self._branches)
        self.facts, self._relations = kept(self.facts), kept(self._relations)

    def _measured(self, entry: Entry) -> Entry | None:
        """A measure of what the pack has: its classes, and its own values where the relation is there."""
        holders = {letter: self._held(entry, letter) for letter in entry.letters}
        holders = {letter: nouns for letter, nouns in holders.items() if nouns}
        forms = {name: texts for name, texts in entry.forms.items() if name not in entry.letters} | holders
        if self._schema.has([entry.key]):
            values = self._schema.values(self._schema.relation_of[entry.key], entry.literal)
            if values is None:
                return None
            forms["values"] = ("{:.6g} {:.6g}".format(*values),)
        return replace(entry, letters="".join(holders), forms=forms) if holders else None

    def _held(self, entry: Entry, letter: str) -> tuple[str, ...]:
        """Of the class words of what has the measure those that are types whose members have it, where any could."""
        relation = self._schema.relation_of.get(entry.key) if self._schema.has([entry.key]) else None
        found = []
        for noun in entry.forms[letter]:
            kind = self._classes.types.get(noun)
            if kind is None:
                continue
            if relation is not None:
                members = self._schema.members(kind)
                if len(np.intersect1d(members, self._schema.having(relation))) < LEAST_MEMBERS:
                    continue
            found.append(noun)
        return tuple(found)
