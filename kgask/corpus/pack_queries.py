"""Questions with operators over one pack: the templates of all graphs, filled with this pack's relations and classes.

Relations borrow the wordings of known ones that they are called like (:mod:`kgask.corpus.pack_wordings`); a measure
that is called like none of ``measures.txt`` is spoken of by its label: *with the highest mileage*. Templates that name
relations which the pack has not (ages, prizes) are left out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kgask.corpus.frames import many, plural, singular
from kgask.corpus.measures import load_measures, measure_named
from kgask.corpus.operator_files import SLOT, Entry, Template
from kgask.corpus.operator_slots import UnfitError
from kgask.corpus.operator_voices import labels_of
from kgask.corpus.operator_words import LEXICA, ClassWords, Lexicons
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.pack_wordings import UNKNOWN, PackWordings
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.query_sources import templates
from kgask.corpus.wordings import RelationWordings
from kgask.pack.store import Pack
from kgask.query.postfix import OPERATORS

PACK = "pack"  # the vocabulary of its relation keys
TRIES = 30  # draws after which a template is taken for one that the pack has nothing for
MOST_CLASSES = 200  # those with most members speak for a pack
_LITERAL = "S"


class PackQueries:
    """Draws questions with operators about one pack; the same random stream draws the same ones.

    They teach the steps of queries and have no answers; those of :mod:`kgask.corpus.pack_operators` have.

    ``held`` takes the wordings that no training sees. Without a template that fits, :attr:`templates` is empty.
    """

    def __init__(self, pack: Pack, worded: PackWordings, rng: random.Random, held: bool = False) -> None:
        wordings = worded.by_key
        given: dict[str, Sequence[Entry]] = {name: [] for name in LEXICA}
        given |= {"measures": _measures(wordings), "links": _links(wordings)}
        letters = Counter(letter for w in wordings.values() for letter in (w.domain, w.range) if letter != _LITERAL)
        letters.pop("", None)
        words = _class_words(pack, worded, letters)
        known = [template for template in templates(held) if _is_known(template, wordings)]
        self._composer = OperatorComposer(
            dict(wordings),
            {},
            rng,
            templates=known,
            lexicons=Lexicons(wordings, given),
            words=words,
            letters=letters,
        )
        self.templates = [template for template in known if letters and self._fits(template)]

    def _fits(self, template: Template) -> bool:
        for _ in range(TRIES):
            try:
                self._composer.draw_from(template)
            except UnfitError:
                continue
            return True
        return False

    def draw(self, rng: random.Random) -> QueryExample:
        """One question of a template that fits."""
        self._composer.use(rng)
        weights = [template.weight for template in self.templates]
        while True:
            try:
                made = self._composer.draw_from(rng.choices(self.templates, weights)[0])
            except UnfitError:
                continue
            return replace(made, source=PACK, vocabulary=PACK)


def _is_known(template: Template, wordings: Mapping[str, RelationWordings]) -> bool:
    """Whether all relations that a template itself names are the pack's; plain paths are made elsewhere."""
    named = [step for step in template.steps if not SLOT.search(step) and step not in OPERATORS]
    is_path = any("{path" in step for step in template.steps)
    return not is_path and all(key.removeprefix("^") in wordings for step in named for key in step.split("/"))


def _measures(wordings: Mapping[str, RelationWordings]) -> list[Entry]:
    """What the pack's numbers and dates measure: as known measures of that name, else by their label."""
    known, found = [entry for entry in load_measures() if len(entry.path) == 1], []
    for wording in wordings.values():
        if not wording.literal:
            continue
        letter, path = wording.domain or UNKNOWN, ((wording.key, False),)
        alike = [entry for entry in known if entry.literal == wording.literal and _is_called(entry, wording)]
        alike = [entry for entry in alike if letter in entry.letters] or alike
        alike = alike or [measure_named(path, wording.literal, wording.texts[0], letter)]
        for entry in alike:
            forms = {letter: (), **entry.forms}  # class words of what has it, where the measure has such
            found.append(replace(entry, path=path, letters=letter, forms=forms))
    return found


def _is_called(entry: Entry, wording: RelationWordings) -> bool:
    return entry.key == wording.key or wording.texts[0] in entry.forms["texts"]


def _links(wordings: Mapping[str, RelationWordings]) -> list[Entry]:
    """What can be counted of a thing: what a relation leads to by its label, or what leads here by its frames."""
    found = []
    for wording in wordings.values():
        if wording.literal or _LITERAL in wording.range:
            continue
        ways = (
            (False, wording.domain, wording.range, [singular(label) for label in labels_of(wording)[:2]]),
            (True, wording.range, wording.domain, wording.frames.subjects[:2]),
        )
        for inverse, letter, end, nouns in ways:
            if nouns:
                several = tuple(many(noun) if inverse is False else plural(noun) for noun in nouns)
                forms = {"nouns": several, "noun": tuple(nouns), "verb": ("have",), "to": (end,)}
                found.append(Entry(((wording.key, inverse),), letter or UNKNOWN, "", forms, end))
    return found


def _class_words(pack: Pack, worded: PackWordings, letters: Mapping[str, int]) -> ClassWords:
    """The class words of all graphs with those of the pack's types, by the letter of a member."""
    words = ClassWords()
    for letter in letters:
        words.general.setdefault(letter, ["things"])
        words.special.setdefault(letter, [])
    rows = np.isin(pack.out_relation, pack.type_relations)
    if not rows.any():
        return words
    subjects, _, objects = pack.triples(np.flatnonzero(rows).tolist())
    classes, first, counts = np.unique(objects, return_index=True, return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:MOST_CLASSES].tolist()
    labels = pack.labels(classes[largest].tolist())
    for at, label in zip(largest, labels, strict=True):
        letter = worded.letter(pack, int(subjects[first[at]]))
        if label and letter in letters:
            words.special[letter].append(many(label.lower()))
    return words
