"""How a relation is said: as a noun ("author"), as a verb ("shares border with") or as a state ("located in").

Labels are what their makers wrote, so this is a guess by the label's form; what is said stays true to its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kgask.pack.labels import readable_relation
from kgask.query.base import Comparison

OF_NUMBERS: dict[Comparison, str] = {
    "<": "less than ", "<=": "at most ", "=": "", ">=": "at least ", ">": "more than ", "in": "within ",
}  # fmt: skip
OF_DATES: dict[Comparison, str] = {
    "<": "before ", "<=": "not after ", "=": "the same as ", ">=": "not before ", ">": "after ", "in": "in ",
}  # fmt: skip
PREPOSITIONS = frozenset(
    "in at on from to for with as of into under after by through near over onto off about via above below behind"
    " against across along around beside between within until since past out up".split()
)
_BEFORE_KINDS = frozenset("in on at of for with".split())
_PLACED = frozenset("above below behind beside under near inside over between against".split())
_UNITS_BEHIND = frozenset("m cm mm km ft kg g nm min h s l ml kw mw gb mb eur usd gbp chf".split())
_VERBS = frozenset(
    "borders manages supplies owns leads employs teaches wrote directed founded created produces uses contains"
    " includes supports plays speaks likes knows loves makes sells buys runs hosts connects follows precedes causes"
    " treats inhibits encodes regulates activates binds needs requires wins won married directs writes stars"
    " supervises advises mentors hires lends eats drinks feeds grows keeps carries drives operates serves orbits"
    " drains separates depicts represents commemorates replaces supersedes extends cites affects threatens insures"
    " proposes attends learns beats sings conducts composes edits translates publishes hates dislikes trusts marries"
    " gives takes sponsors delivers maintains holds joins overlooks wields assists instructs honours climbs reads"
    " composed painted invented discovered killed defeated taught mentored edited translated hired employed"
    " kept drew led drove rode chose beat fought flew sang".split()
)
_STATES = frozenset(  # what a thing is, and what it has
    "named titled related located used armed gilded married divorced engaged retired limited advanced united naked"
    " launched founded established published released opened closed created shed sled bred".split()
)
_PAST = re.compile(r"[a-z]{2,}(?<!e)ed")
_WITH_PLACES = frozenset(  # verbs that come with a preposition: "flows through lake", and never nouns there
    "flows belongs lies rises applies appears lives works plays runs stands sits comes goes leads depends".split()
)
_WITHOUT_OBJECT = frozenset(  # verbs before a preposition that do not end with "s", never what a thing is
    "lay lie stood stand sat sit ran run went go came come lived live worked work studied study died played play"
    " served serve starred appeared appear resided moved belonged belong acted act stayed trained competed graduated"
    " emigrated travelled traveled arrived departed fell rose sailed swam slept reported report depended depend"
    " performed participated danced raced voted ruled reigned sank descended descend".split()
)
_EVENT = re.compile(r"(?:was )?(\w+)((?: up| off| out)?)(?: on| in| at| since| date| dt| year| yr)?")
_AUXILIARIES = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PARTICIPLES = frozenset(
    "born made built held written taught won kept sold grown sung set found led sent given known shown drawn bought"
    " brought seen worn bound fed hung laid lent lit meant met paid read run said spoken spent split spun struck thrown"
    " told torn understood woven driven eaten flown taken chosen hidden broken stolen".split()
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
    "age": ("oldest by age", "youngest by age"),
    "size": ("largest by size", "smallest by size"),
    "width": ("widest", "narrowest"),
    "price": ("most expensive by price", "cheapest by price"),
    "cost": ("most expensive by cost", "cheapest by cost"),
    "salary": ("best paid by salary", "worst paid by salary"),
    "wage": ("best paid by wage", "worst paid by wage"),
    "temperature": ("hottest by temperature", "coldest by temperature"),
    "distance": ("farthest by distance", "nearest by distance"),
    "date of birth": ("youngest by date of birth", "oldest by date of birth"),
    "date of death": ("last to die", "first to die"),
}


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The words of one directed relation."""

    label: str
    inverse: bool
    acts: bool = True  # a bare past ("sued") is what the subject did; "borrowed" of a drill is by whom

    @property
    def words(self) -> str:
        """The label as words; "Reports To" is no name, and what "in county" leads to is a county."""
        return self._placed[1]

    @property
    def _placed(self) -> tuple[str, str]:
        """The preposition before what the relation leads to, if that is all that the label says, and its words."""
        words = readable_relation(self.label)
        words = words.lower() if words.istitle() else words
        before, _, rest = words.partition(" ")
        is_kind = before.lower() in _BEFORE_KINDS and rest.split(" ")[-1].lower() not in PREPOSITIONS
        return (before, rest) if rest and is_kind else ("", words)

    @property
    def is_verb(self) -> bool:
        """``flows through``, ``manages``: it stands between a subject and an object."""
        first, *rest = self.words.lower().split()
        if first in _AUXILIARIES:
            return bool(rest) and (first != "has" or rest[-1] in PREPOSITIONS)
        if rest and first in _WITHOUT_OBJECT:
            return rest[0] in PREPOSITIONS or rest[-1] in PREPOSITIONS
        if rest and rest[-1] in PREPOSITIONS:
            return _is_of_verb(first)
        if is_bare_past(self.label):
            return self.acts  # "sued", whose values are things; those that are dates are told of as events
        return first in _VERBS or (first in _WITH_PLACES and bool(rest) and rest[0] in PREPOSITIONS)

    @property
    def is_state(self) -> bool:
        """``located in``, ``part of``, ``located on island``: with "is" it stands between a subject and an object."""
        first, *rest = self.words.lower().split()
        if not rest and first in _PLACED:
            return True
        if not rest or _is_of_verb(first) or self.is_verb:
            return False
        return rest[-1] in PREPOSITIONS or (is_participle(first) and rest[0] in PREPOSITIONS)

    @property
    def event(self) -> str:
        """What a label says that names a date by what happened: ``opened`` of "was opened on"; else nothing."""
        found = _EVENT.fullmatch(self.words.lower())
        return f"{found[1]}{found[2]}" if found and is_participle(found[1]) else ""

    @property
    def kind(self) -> str:
        """What a verb or a state says of its object: ``island`` of ``located on island``; else nothing."""
        _, *rest = self.words.split()
        if (self.is_verb or self.is_state) and len(rest) > 1 and rest[0].lower() in PREPOSITIONS:
            return " ".join(rest[1:]) if rest[-1].lower() not in PREPOSITIONS else ""
        return ""

    @property
    def noun(self) -> str:
        """What the relation leads to, of one: ``author``; an inverse one: ``author (of which)``."""
        words = self.words.removeprefix("has ")
        if self.inverse:
            return f"'is {words} of'" if not (self.is_verb or self.is_state) else f"'{words}' (inverse)"
        return f"'{words}'" if self.is_verb or self.is_state else words

    def of(self, base: str, several: bool = False, those: str = "those") -> str:
        """What the relation leads to from ``base``; an inverse one to ``those``."""
        if self.inverse:
            return f"{those} {replace(self, inverse=False).that(base)}"
        if self.is_verb or self.is_state:
            what, link = f"the {self.kind} that" if self.kind else "what", self.words.removesuffix(f" {self.kind}")
            return f"{what} {base} {'' if self.is_verb else 'is '}{link}"
        preposition, words = self._placed
        if preposition and not base.startswith(("what ", "the ", "those ")):
            return f"the {words} that {base} is {preposition}"
        words = words.removeprefix("has ")
        return f"the {plural(words) if several else words} of {base}"

    def that(self, other: str, many: bool = True) -> str:
        """Said of what the relation leaves, where it leads to ``other``: ``whose author is Jane Austen``."""
        if self.is_verb or self.is_state:
            link = self.words if self.is_verb else f"is {self.words}"
            if other == "something" and self.kind and not self.inverse:
                other, link = article(self.kind), link.removesuffix(f" {self.kind}")
            return f"that {other} {link}" if self.inverse else f"that {_plural_verb(link) if many else link} {other}"
        words, is_ = self.words.removeprefix("has "), "are" if many else "is"
        if self._placed[0] and not self.inverse and other != "something":
            return f"that {is_} {self._placed[0]} {words} {other}"
        if self.inverse:
            return f"that {is_} the {words} of {other}"
        return (
            f"that {'have' if many else 'has'} {words if plural(words) == words else article(words)}"
            if other == "something"
            else f"whose {words} is {other}"
        )

    def asked(self, name: str) -> str:
        """A question for what the relation leads to from one thing: ``what is the capital of Kenya?``."""
        words, what = self.words, f"what {self.kind}".strip()
        link = words if self.inverse else words.removesuffix(f" {self.kind}")
        first, _, rest = link.partition(" ")
        if self.is_state or first in ("is", "was", "has"):
            is_, rest = ("is", link) if self.is_state else (first, rest)
            return f"what {is_} {rest} {name}?" if self.inverse else f"{what} {is_} {name} {rest}?"
        if self.is_verb and not self.inverse and not first.endswith("s"):  # past tense
            return f"what is it that {name} {link}?"
        if self.is_verb:
            return f"what {link} {name}?" if self.inverse else f"{what} does {name} {_plural_verb(link)}?"
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


def is_bare_past(label: str) -> bool:
    """Whether a label is a verb in the past alone, of which it says nothing who did it to whom."""
    first, *rest = readable_relation(label).lower().split() or [""]
    return not rest and _PAST.fullmatch(first) is not None and first not in _STATES and first not in _VERBS


def counted(path: list[RelationWords], how_many: str, others: str = "others", many: bool = True) -> str:
    """Said of what has so many ends: ``with more than 5 children``, ``that are the author of the most books``.

    ``others`` is what the ends are; ``many``: of several, not of one.
    """
    last = path[-1]
    if len(path) > 1:
        steps = ", then ".join(f"{step.words}{' (inverse)' if step.inverse else ''}" for step in path)
        return f"with {how_many} ends of the path {steps}"
    if last.inverse or last.is_verb or last.is_state:
        return last.that(f"{how_many} {others}", many)
    return f"with {how_many} {plural(last.words.removeprefix('has '))}"


def superlative(what: str, most: bool, is_date: bool) -> str:
    """``longest``; without a word for it ``with the highest melting point``."""
    for word, both in _SUPERLATIVES.items():
        if what == word:
            return both[not most]
    if is_date and (event := RelationWords(what, False).event):
        return f"{'latest' if most else 'earliest'} {event}"
    if is_date:
        return f"with the {'latest' if most else 'earliest'} {what}"
    return f"with the {'highest' if most else 'lowest'} {what}"


def plural(label: str) -> str:
    """Several of what a label names: ``works of art``, ``countries``."""
    words = label.split()
    head = next((at for at, word in enumerate(words) if word in PREPOSITIONS), len(words)) - 1
    head -= head > 0 and (words[head].endswith("ed") or words[head] in _UNITS_BEHIND)  # awards received, height m
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
    if first in _AUXILIARIES:
        first = _AUXILIARIES[first]
    elif first.endswith("ies"):
        first = f"{first[:-3]}y"
    elif first.endswith(("ches", "shes", "sses", "oes")):
        first = first[:-2]
    elif first.endswith("s"):
        first = first[:-1]
    return f"{first} {rest}".strip()


def article(words: str) -> str:
    """``a film``, ``an album``."""
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


def is_participle(word: str) -> bool:
    """Whether a word may be one: ``located``, ``built``, but not ``seed``."""
    return (word.endswith("ed") and not word.endswith("eed") and len(word) > 4) or word in _PARTICIPLES


def listed(words: list[str], joined: str) -> str:
    """``a, b and c``."""
    return f" {joined} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def ordinal_range(first: int, last: int) -> str:
    """``three`` for 1 to 3, ``second to fifth`` for 2 to 5."""
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    if first == 1:
        return words[last - 2] if last <= 10 else f"{last:,}"
    return f"{ordinal(first)} to {ordinal(last)}"
