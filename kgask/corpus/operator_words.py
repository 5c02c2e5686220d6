"""Class words by type letter, and what of the lexicons fits a type."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from kgask.corpus.frames import many, singular
from kgask.corpus.measures import class_words, load_measures
from kgask.corpus.operator_files import Entry, load_lexicon
from kgask.corpus.operator_voices import branch_of, facts_of, labels_of, with_predicates
from kgask.corpus.wordings import RelationWordings

ANY = "*"  # letter of the long list of common nouns
KIND_OF = {
    "I": "L",
    "V": "L",
    "K": "L",
    "J": "L",
    "b": "L",
    "Y": "O",
    "Z": "O",
    "v": "X",
    "r": "X",
}  # relate as these do
WRITTEN = 4  # how much more often a relation is said in the words of its own file than in those made of its label
RARE = 0.2  # share of class words that are drawn from it: a class word is whatever stands where one stands


class ClassWords:
    """Plural and singular nouns for things of a type.

    ``general`` ones name the type itself and say nothing beside a relation that
    leads to that type alone; ``special`` ones always narrow.
    """

    def __init__(self) -> None:
        self.general: dict[str, list[str]] = {}
        self.special: dict[str, list[str]] = {}
        for entry in load_lexicon("classes"):
            self.general[entry.letters] = list(entry.forms.get("general", ()))
            self.special[entry.letters] = list(entry.forms.get("special", ()))
        self.single = class_words(load_measures()) | dict(self._singles())
        typed = {word for table in (self.general, self.special) for key in table if key != ANY for word in table[key]}
        known = sorted({word for many in typed for word in (many, self.one(many))}, key=len, reverse=True)
        self._known = re.compile(rf"(?<![\w'-])(?:{'|'.join(map(re.escape, known))})(?![\w-])")

    def _singles(self) -> list[tuple[str, str]]:
        """Plurals with their singulars; ``mice/mouse`` where no rule gives it."""
        found = []
        for table in (self.general, self.special):
            for letter, words in table.items():
                for at, word in enumerate(words):
                    several, _, one = word.partition("/")
                    table[letter][at] = several
                    found.append((several, one or _singular(several)))
        return found

    def draw(self, letter: str, rng: random.Random) -> tuple[str, str]:
        """A class word for a set that nothing else describes."""
        if rng.random() < RARE:
            return self._pair(rng.choice(self.special[ANY]))
        return self._pair(rng.choice(self.general[letter] + self.special[letter]))

    def noun(self, letter: str, entry: Entry, rng: random.Random) -> tuple[tuple[str, str], bool]:
        """A noun before a branch, and whether it says more than the branch does."""
        if rng.random() < 0.45 and self.special[letter]:
            word = rng.choice(self.special[letter] if rng.random() > RARE else self.special[ANY])
            return self._pair(word), word != (entry.forms.get("noun") or ("",))[0]
        named = entry.forms.get("noun", ())[:1]
        word = rng.choice([*named, *self.general[letter]]) if self.general[letter] or named else "things"
        return self._pair(word), len(entry.letters) > 1 and word != "things" and word not in named

    def idle(self, text: str) -> list[tuple[int, int]]:
        """Class words that stand in a text, as characters: whatever names a type is seen, asked for or not."""
        return [match.span() for match in self._known.finditer(text)]

    def one(self, several: str) -> str:
        return self.single.get(several) or _singular(several)

    def _pair(self, several: str) -> tuple[str, str]:
        return several, self.one(several)


ENDS = ("P", "C", "L", "O")  # types of one thing that a thing has: a director, a capital
LEXICA = ("measures", "links", "branches", "facts", "qualifiers")


def shipped_lexica() -> dict[str, list[Entry]]:
    """The entries of the files, by :data:`LEXICA`."""
    return {name: load_measures() if name == "measures" else load_lexicon(name) for name in LEXICA}


class Lexicons:
    """What fills slots, by type letter."""

    def __init__(
        self, wordings: Mapping[str, RelationWordings], given: Mapping[str, Sequence[Entry]] | None = None
    ) -> None:
        """``given`` are the entries instead of those of the shipped files, by :data:`LEXICA`."""
        files = given if given is not None else shipped_lexica()
        self._by_name = files
        self._leading = [_with_ends(entry, wordings) for entry in files["links"] if "noun" in entry.forms]
        branches = [with_predicates(_with_ends(entry, wordings)) for entry in files["branches"]]
        self._branches = WRITTEN * branches + [made for w in wordings.values() if (made := branch_of(w))]
        self.facts = WRITTEN * list(files["facts"]) + [fact for w in wordings.values() for fact in facts_of(w)]
        led = (_relation(w) for w in wordings.values() if not w.literal and "S" not in w.range)
        self._relations = [relation for relation in led if relation]

    @property
    def qualifiers(self) -> Sequence[Entry]:
        return self._by_name["qualifiers"]

    @cache  # noqa: B019
    def of(self, name: str, letter: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._by_name[name] if letter in entry.letters)

    @cache  # noqa: B019
    def leading(self, letter: str) -> tuple[Entry, ...]:
        """Relations with many ends that lead to things of a type: *children*."""
        return tuple(entry for entry in self._leading if letter in entry.ends)

    @cache  # noqa: B019
    def through(self, letter: str) -> tuple[Entry, ...]:
        """Relations to one thing that more can be said of: *director*, *capital*."""
        return tuple(entry for entry in self.relations(letter) if entry.ends in ENDS and self.branches(entry.ends))

    @cache  # noqa: B019
    def branches(self, letter: str) -> tuple[Entry, ...]:
        own = [entry for entry in self._branches if letter in entry.letters]
        if kind := KIND_OF.get(letter):
            own += [_narrowed(entry, letter) for entry in self._branches if kind in entry.letters and entry not in own]
        return tuple(own)

    @cache  # noqa: B019
    def facts_with(self, forms: frozenset[str]) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.facts if forms <= entry.forms.keys())

    @cache  # noqa: B019
    def relations(self, letter: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._relations if letter in entry.letters)


def _singular(several: str) -> str:
    return several[:-2] if several.endswith(("ches", "shes", "sses", "xes")) else singular(several)


def _with_ends(entry: Entry, wordings: Mapping[str, RelationWordings]) -> Entry:
    """The types of what it leads to: as its file says, or by the wordings of its last relation."""
    key, inverse = entry.path[-1]
    ends = "".join(entry.forms.get("to", ())) or (wordings[key].ends(inverse)[1] if key in wordings else "")
    return replace(entry, ends=ends)


def _narrowed(entry: Entry, letter: str) -> Entry:
    """As it is said of a kind of what it is said of: its own noun says too little."""
    forms = {form: texts for form, texts in entry.forms.items() if form != "noun"}
    return replace(entry, letters=entry.letters + letter, forms=forms)


def _relation(wording: RelationWordings) -> Entry | None:
    """A relation by the singular nouns that name what it leads to; None where it has none."""
    labels = labels_of(wording)
    nouns = tuple(label for label in labels if many(label) != label and " or " not in label)[:4]
    nouns = nouns or tuple(singular(label) for label in labels[:1])
    forms = {"noun": nouns, "nouns": tuple(many(noun) for noun in nouns)}
    return Entry(((wording.key, False),), wording.domain, "", forms, wording.range) if nouns else None
