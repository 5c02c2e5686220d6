"""How a relation is said: as a noun ("author"), as a verb ("shares border with") or as a state ("located in").

Labels are what their makers wrote, so this is a guess by the label's form; what is said stays true to its words.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgask.pack.labels import readable_relation

_PREPOSITIONS = frozenset("in at on from to for with as of into under after by through near over".split())
_VERBS = frozenset(
    "borders manages supplies owns leads employs teaches wrote directed founded created produces uses contains"
    " includes supports plays speaks likes knows loves makes sells buys runs hosts connects follows precedes causes"
    " treats inhibits encodes regulates activates binds needs requires wins won married directs writes stars".split()
)
_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women", "human": "humans"}
_IRREGULAR |= {"foot": "feet", "species": "species", "series": "series"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# The superlative of a relation's value: its label has this word; the highest value, and the lowest.
_SUPERLATIVES = {
    "length": ("longest", "shortest"),
    "height": ("tallest", "shortest"),
    "elevation": ("highest", "lowest"),
    "area": ("largest by area", "smallest by area"),
    "population": ("most populous", "least populous"),
    "depth": ("deepest", "shallowest"),
    "mass": ("heaviest", "lightest"),
    "weight": ("heaviest", "lightest"),
    "density": ("densest", "least dense"),
    "duration": ("longest in duration", "shortest in duration"),
    "speed": ("fastest", "slowest"),
    "date of birth": ("youngest by date of birth", "oldest by date of birth"),
    "date of death": ("last to die", "first to die"),
}


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The words of one directed relation."""

    label: str
    inverse: bool

    @property
    def words(self) -> str:
        """The label as words."""
        return readable_relation(self.label)

    @property
    def is_verb(self) -> bool:
        """``flows through``, ``manages``: it stands between a subject and an object."""
        first, *rest = self.words.split()
        return _is_of_verb(first) if rest and rest[-1] in _PREPOSITIONS else first in _VERBS

    @property
    def is_state(self) -> bool:
        """``located in``, ``part of``: with "is" it stands between a subject and an object."""
        first, *rest = self.words.split()
        return bool(rest) and rest[-1] in _PREPOSITIONS and not _is_of_verb(first)

    @property
    def noun(self) -> str:
        """What the relation leads to, of one: ``author``; an inverse one: ``author (of which)``."""
        words = self.words.removeprefix("has ")
        if self.inverse:
            return f"'is {words} of'" if not (self.is_verb or self.is_state) else f"'{words}' (inverse)"
        return f"'{words}'" if self.is_verb or self.is_state else words

    def of(self, base: str, several: bool = False) -> str:
        """What the relation leads to from ``base``."""
        if self.inverse:
            return f"those {RelationWords(self.label, False).that(base)}"
        if self.is_verb or self.is_state:
            return f"what {base} {'' if self.is_verb else 'is '}{self.words}"
        words = self.words.removeprefix("has ")
        return f"the {plural(words) if several else words} of {base}"

    def that(self, other: str, many: bool = True) -> str:
        """Said of what the relation leaves, where it leads to ``other``: ``whose author is Jane Austen``."""
        if self.is_verb or self.is_state:
            link = self.words if self.is_verb else f"is {self.words}"
            return f"that {other} {link}" if self.inverse else f"that {_plural_verb(link) if many else link} {other}"
        words, is_ = self.words.removeprefix("has "), "are" if many else "is"
        if self.inverse:
            return f"that {is_} the {words} of {other}"
        return (
            f"that {'have' if many else 'has'} {_article(words)}"
            if other == "something"
            else f"whose {words} is {other}"
        )

    def asked(self, name: str) -> str:
        """A question for what the relation leads to from one thing: ``what is the capital of Kenya?``."""
        words = self.words
        if self.is_verb:
            return f"what {words} {name}?" if self.inverse else f"what does {name} {_plural_verb(words)}?"
        if self.is_state:
            return f"what is {words} {name}?" if self.inverse else f"what is {name} {words}?"
        noun = words.removeprefix("has ")
        *before, last = noun.split()
        head = " ".join(before) if before and last.endswith(("ed", "en")) else noun  # languages spoken
        is_ = "are" if plural(head) == head else "is"
        return f"what has {name} as {noun}?" if self.inverse else f"what {is_} the {noun} of {name}?"

    def holds(self, subject: str, obj: str) -> str:
        """That the relation leads from one to the other: ``Tokyo is the capital of Japan``."""
        if self.inverse:
            subject, obj = obj, subject
        if self.is_verb:
            return f"{subject} {self.words} {obj}"
        if self.is_state:
            return f"{subject} is {self.words} {obj}"
        return f"{obj} is the {self.words.removeprefix('has ')} of {subject}"


def counted(path: list[RelationWords], how_many: str, many: bool = True) -> str:
    """Said of what has so many ends: ``with more than 5 children``; ``many``: of several, not of one."""
    last = path[-1]
    if len(path) > 1:
        steps = ", then ".join(f"{step.words}{' (inverse)' if step.inverse else ''}" for step in path)
        return f"with {how_many} ends of the path {steps}"
    if last.inverse or last.is_verb or last.is_state:
        return last.that(f"{how_many} others", many)
    return f"with {how_many} {plural(last.words.removeprefix('has '))}"


def superlative(what: str, most: bool, is_date: bool) -> str:
    """``longest``; without a word for it ``with the highest melting point``."""
    for word, both in _SUPERLATIVES.items():
        if what == word:
            return both[not most]
    if is_date:
        return f"with the {'latest' if most else 'earliest'} {what}"
    return f"with the {'highest' if most else 'lowest'} {what}"


def plural(label: str) -> str:
    """Several of what a label names: ``works of art``, ``countries``."""
    words = label.split()
    head = next((at for at, word in enumerate(words) if word in _PREPOSITIONS), len(words)) - 1
    head -= head > 0 and words[head].endswith("ed")  # awards received
    if head < 0 or not words[head].isalpha():
        return label
    words[head] = _plural_word(words[head])
    return " ".join(words)


def _plural_word(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith(("men", "people")) or (word.endswith("s") and not word.endswith(("ss", "us", "is"))):
        return word
    if word.endswith("man") and word != "human":
        return f"{word[:-2]}en"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _plural_verb(words: str) -> str:
    """Third person to plural: ``shares border with`` -> ``share border with``, ``is part of`` -> ``are part of``."""
    first, _, rest = words.partition(" ")
    if first == "is":
        first = "are"
    elif first.endswith("ies"):
        first = f"{first[:-3]}y"
    elif first.endswith(("ches", "shes", "sses")):
        first = first[:-2]
    elif first.endswith("s"):
        first = first[:-1]
    return f"{first} {rest}".strip()


def _article(words: str) -> str:
    return f"{'an' if words[:1].lower() in tuple('aeiou') else 'a'} {words}"


def ordinal(number: int) -> str:
    """``second``, ``21st``."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _is_of_verb(word: str) -> bool:
    """``flows``, but not ``subclass``."""
    return word.endswith("s") and not word.endswith("ss")
