"""What a turn names: by the linker, and by what was spoken of before."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from kgask.answer.parts import Given
from kgask.chat.changes import MOST_NAMED
from kgask.chat.memory import Memory
from kgask.chat.turns import Turn
from kgask.link.linker import Linker
from kgask.link.naming import SURELY, seeds_in, whole_seeds_in
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING
from kgask.pack.normalise import normalise
from kgask.query.relation_words import plural
from kgask.types import EntityId, Seed

_ANYTHING = frozenset("that this these those thing stuff bit business one ones matter question again".split())
MOST_PERSONS = 50  # of the last answers, whom a first name may mean
_WORD = re.compile(r"\b[^\W\d_]{3,}(?:-[^\W\d_]+)*\b(?!['\u2019](?!s\b))")
_NAME_BEFORE = re.compile(r"[a-z\u00df-\u00ff,] [A-Z\u00c0-\u00de][\w.]* \Z")  # "and Sofia " of "and Sofia Coppola"
_NAME_BEHIND = re.compile(r",? [A-Z\u00c0-\u00de]|[ -]\d")  # "and trench 4", after "Trench 3"
NAMED = 0.5  # score from which a refused question surely names something


@dataclass(frozen=True, slots=True)
class Names:
    """Finds the entities that a turn names."""

    linker: Linker
    memory: Memory

    def named(self, text: str) -> tuple[EntityId, ...]:
        """The entities that a text may name, the likeliest first; none by a part of a longer name."""
        return tuple(one.entity for one in self.seeds(text))

    def seeds(self, text: str) -> list[Seed]:
        """The same with where they stand."""
        return [*islice(whole_seeds_in(self.linker, text), MOST_NAMED)]

    def spoken_of_first(self, text: str) -> tuple[EntityId, ...]:
        """The same with what was spoken of before all else: "back to Obama"."""
        spoken = self.memory.spoken_of()
        return tuple(sorted(self.named(text), key=lambda one: one not in spoken))

    def in_part(self, text: str) -> tuple[EntityId, ...]:
        """The one thing that was spoken of whose name has all words of a text: "that Founders' Day thing"."""
        words, labels = {*normalise(text).split()} - CARRY_NOTHING - _ANYTHING, self.memory.referents.pack.labels
        spoken = sorted(self.memory.spoken_of())
        found = [one for one, label in zip(spoken, labels(spoken), strict=True) if words <= {*normalise(label).split()}]
        return tuple(found) if words and len(found) == 1 else ()

    def is_name(self, text: str) -> bool:
        """Whether a text is a name and nothing else."""
        return any(seed.span == (0, len(text)) for seed in seeds_in(self.linker, text))

    def in_full(self, text: str) -> str:
        """A text with the whole name of what was spoken of: of a person by one of them, of a work by its subtitle.

        Not where something else than a person is called so, nor where several of those spoken of are.
        """
        text = self._with_whole_titles(text)
        persons = self._persons()
        for found in reversed([*_WORD.finditer(text)]) if persons else ():
            meant = {full for full in persons if found[0].lower() in _ends_of(full)}
            if len(meant) == 1 and (self._is_short(text, found) or meant <= self._just_told(found[0])):
                (full,) = meant
                if full.lower() not in text.lower():
                    text = f"{_without_part(text[: found.start()], full)}{full}{text[found.end() :]}"
        return text

    def alone(self, text: str) -> tuple[EntityId, ...]:
        """What a text names, where it is a name and nothing else, be it in small letters."""
        return tuple(self.named(text)[:1]) if self.is_name(text) else ()

    def _with_whole_titles(self, text: str) -> str:
        """ "The Return of the King" alone is the one that was spoken of, whatever else is called so."""
        for title in self.memory.referents.pack.labels(sorted(self.memory.spoken_of())):
            _, colon, subtitle = title.rpartition(": ")
            found = re.search(rf"\b{re.escape(subtitle)}\b", text, re.IGNORECASE) if colon and " " in subtitle else None
            if found is not None and title.lower() not in text.lower():
                text = f"{text[: found.start()]}{title}{text[found.end() :]}"
        return text

    def _persons(self) -> list[str]:
        """The names of the people who were spoken of, and of the last answers."""
        referents, last = self.memory.referents, self.memory.last_set()
        spoken = [*self.memory.spoken_of(), *(last.ends[:MOST_PERSONS] if last is not None else ())]
        found = [one for one in dict.fromkeys(spoken) if any(referents.may_be(one, sex) for sex in ("male", "female"))]
        return list(dict.fromkeys(self.memory.referents.pack.labels(found)))

    def _just_told(self, word: str) -> set[str]:
        """Names of those of the last answers, of several, whose first name a word is that says no relation: "Elizabeth"
        is none of the cities then."""
        referents, last = self.memory.referents, self.memory.last_set()
        if last is None or normalise(word) in CARRY_NOTHING or normalise(word) in referents.relation_words:
            return set()
        persons = [one for one in last.ends[:MOST_PERSONS] if referents.is_person(one)]
        names = referents.pack.labels(persons)
        return {name for name in names if normalise(name).split()[0] == normalise(word)}

    def _is_short(self, text: str, found: re.Match[str]) -> bool:
        """Whether a word stands for a person's name: no part of another name, and not what something else is called."""
        referents, word = self.memory.referents, normalise(found[0])
        if _NAME_BEFORE.search(text[: found.start()]) or _NAME_BEHIND.match(text[found.end() :]):
            return False
        forms = {word, plural(word), *singulars(word)}  # "does it flower?", of a column "flowers"
        if found[0].islower() and (word in CARRY_NOTHING or not forms.isdisjoint(referents.relation_words)):
            return False
        hits = {hit.entity for hit in referents.pack.exact([word]).get(word, [])}
        return all(referents.is_entity(one) and not referents.kinds(one) or referents.is_person(one) for one in hits)

    def kept(self, seeds: Sequence[Seed], given: Sequence[Given]) -> list[EntityId]:
        """What a question that was refused is about, of what it was linked to: what is given, spoken of or a name.

        None by a name that is only nearly so: "the Rhine" of a graph without it is not the Rhone from then on.
        """
        spoken = {one for turn in self.memory.turns for one in (*turn.topics, *turn.ends)} | {one for *_, one in given}
        named = [one for one in seeds if one.entity in spoken or (_is_name(one) and one.match != "typo")]
        return [
            one.entity for one in named if not (one.mention.islower() and self.memory.referents.is_kind(one.mention))
        ]

    def is_forgotten(self, line: str, asked: str, entities: Collection[EntityId]) -> bool:
        """Whether none of the names that a turn says anew, with a capital, is in the question that was asked, or its
        query: of what was spoken of before, a turn may mean what was said of it."""
        spoken = {one for turn in self.memory.turns for one in (*turn.topics, *turn.ends)}
        seeds, heard = seeds_in(self.linker, line), asked.lower()
        known = {one.span for one in seeds if one.entity in spoken or one.span[0] == 0}
        new = [one for one in seeds if one.span not in known and one.score >= NAMED]
        new = [one for one in new if all(word[0].isupper() for word in one.mention.split())]  # not "the US state"
        return bool(new) and not any(one.entity in entities or one.mention.lower() in heard for one in new)

    def surely_named(self, text: str) -> list[EntityId]:
        """What a question that was refused is about: names with a capital, and what was spoken of before."""
        spoken = {one for turn in self.memory.turns for one in (*turn.topics, *turn.ends)}
        found = [one for one in seeds_in(self.linker, text) if one.score >= NAMED]
        kept = [one for one in found if one.entity in spoken or (one.mention[:1].isupper() and one.span[0] > 0)]
        return [one.entity for one in kept[:MOST_NAMED]]


def _without_part(before: str, name: str) -> str:
    """What stands before the last word of a name, without the word of it that stands there too: "de" of "de Niro"."""
    part = name.split()[-2]
    return before[: -len(part) - 1] if before.lower().endswith(f" {part.lower()} ") else before


def _ends_of(name: str) -> tuple[str, ...]:
    """The first and the last word of a name of several."""
    words = name.lower().split()
    return (words[0], words[-1]) if len(words) > 1 else ()


def _is_name(seed: Seed) -> bool:
    """Whether a mention is a name, as far as it looks like one: "don't" and "latter" are none."""
    return seed.mention[:1].isupper() or (seed.score >= SURELY and seed.mention.replace(" ", "").isalpha())


def called_in(turn: Turn, entity: EntityId, label: str) -> str | None:
    """What a turn calls an entity: its label, or the name that was linked."""
    seeds = turn.answer.seeds if turn.answer is not None else ()
    called = (label, *(seed.mention for seed in seeds if seed.entity == entity))
    return next((one for one in called if one and re.search(rf"{re.escape(one)}\b", turn.understood)), None)
