"""Two things that were spoken of one by one: the other film, the first one, the larger island, both, he and she."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgask.chat import form
from kgask.chat.memory import Memory
from kgask.chat.of_answers import OfAnswers
from kgask.chat.turns import Way
from kgask.types import EntityId

_ONE = r"(?P<noun>(?!of\b|than\b|most\b|least\b)[a-z]{3,})(?P<own>['\u2019]s)?\b(?!-)"
_OTHER = re.compile(rf"\bthe other (?!ones\b|two\b|three\b|four\b){_ONE}", re.IGNORECASE)
_RANKED = re.compile(rf"\bthe (?P<rank>first|second|former|latter) {_ONE}", re.IGNORECASE)
_MORE = re.compile(
    rf"\bthe (?P<order>(?!other|former|latter|under|upper|inner|outer)(?:more [a-z]+|[a-z]{{2,}}er)) (?!one\b){_ONE}"
    r"(?! (?:of|than)\b)",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\bboth(?: of)?(?: the| these| those)? (?P<noun>[a-z]{2,}s|people|men|women)\b", re.IGNORECASE)
_THE_TWO = re.compile(r"(?:the|these|those) (?:same )?two (?P<noun>[a-z]{2,}s|people|men|women)", re.IGNORECASE)
_SPOKEN_OF = re.compile(
    r",? (?:that )?(?:we|you|i) (?:just )?(?:talked|spoke|asked|were talking|mentioned|began|started)"
    r"(?: (?:about|of|with))?(?: (?:before|earlier|first))?(?=\W*\Z|[,:])",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\bher\b(?=\s+(?!(?:in|on|at|by|to|for|and|or|than|with|before|after|when|while|first|last|again|too|either|also|"
    r"back|there|for)\b)[a-z])",
    re.IGNORECASE,
)
MOST_KINDS = 2  # of which two were spoken of, that are tried


@dataclass(frozen=True, slots=True)
class Pairs:
    """Understands turns as being about one of two things that were named apart, or both."""

    answers: OfAnswers

    def ways(self, text: str) -> Iterator[Way]:
        """A turn with names for "the other film", "the second one", "both these films", "he" beside "she"."""
        yield from self._of_each_sex(text)
        if found := _BOTH.search(text):
            two = self._pair(found["noun"])
            if two:
                yield self._naming(f"{text[: found.start()]}both \0 and \1{text[found.end() :]}", two)
        is_of_list = self.answers.memory.others() is not None  # "the other one" is of those that were told
        if (found := _OTHER.search(text)) and not (is_of_list and found["noun"].lower() == "one"):
            for two in self._pairs(found["noun"]):
                yield self._of_one(text, found, two[1])
        is_told = self.answers.memory.last_set() is not None
        if (found := _RANKED.search(text)) and not (is_told and found["noun"].lower() == "one"):
            is_first = found["rank"].lower() in ("first", "former")
            for two in self._pairs(found["noun"]):
                yield self._of_one(text, found, self._in_order(two)[0 if is_first else 1])

    def plain(self, text: str) -> tuple[str, str]:
        """A turn that says "the larger one" for "the larger island", where two islands were spoken of, and nothing of
        that they were; and that noun, or ""."""
        text = _SPOKEN_OF.sub("", text)
        found = _MORE.search(text)
        if found is None or not self._pair(found["noun"]):
            return text, ""
        return f"{text[: found.start('noun')]}one{text[found.end('noun') :]}", found["noun"].lower()

    def back_to(self, said: str) -> Memory | None:
        """The memory as it was when the two things were spoken of to which a turn goes back: "the two countries"."""
        found, memory = _THE_TWO.fullmatch(said.strip()), self.answers.memory
        two = self._pair(found["noun"]) if found is not None else ()
        if not two:
            return None
        last = max(turn.number for turn in memory.turns if not {*two}.isdisjoint((*turn.topics, *turn.ends)))
        return Memory([turn for turn in memory.turns if turn.number <= last], memory.referents)

    def phrase(self, text: str) -> str:
        """A phrase with the name of the one of two that it says by what they are: "the first film?"."""
        if re.search(r"\b(?:other|first|second|former|latter) one\b", text, re.IGNORECASE):
            return text
        return next((way.text for way in self.ways(text) if len(way.given) == 1), text)

    def of_first(self, said: str) -> EntityId | None:
        """What a turn goes back to as "the first film" of two."""
        found = _RANKED.fullmatch(_SPOKEN_OF.sub("", said).strip())
        two = self._pair(found["noun"]) if found is not None else ()
        return self._in_order(two)[found["rank"].lower() in ("second", "latter")] if two and found is not None else None

    def _of_each_sex(self, text: str) -> Iterator[Way]:
        """The turn with the man and the woman who were spoken of last for "he" and "she"."""
        if not form.is_of_two(text):
            return
        man, woman = self._known("male", None), self._known("female", None)
        if man is None and woman is None:
            return
        man, woman = man or self._known("male", woman), woman or self._known("female", man)
        if man is None or woman is None or man == woman:
            return
        text = re.sub(r"\b(?:he|him)\b", "\0", text, flags=re.IGNORECASE)
        text = _OWNED.sub("\1's", re.sub(r"\bhis\b", "\0's", text, flags=re.IGNORECASE))
        yield self._naming(re.sub(r"\b(?:she|her|hers)\b", "\1", text, flags=re.IGNORECASE), (man, woman))

    def _known(self, sex: str, other: EntityId | None) -> EntityId | None:
        """Who was spoken of last that is known to be of this sex; or, beside ``other``, may be."""
        memory = self.answers.memory
        is_so = memory.referents.is_known_as if other is None else memory.referents.may_be
        return next((one for one in memory.recent() if one != other and is_so(one, sex)), None)

    def _of_one(self, text: str, found: re.Match[str], one: EntityId) -> Way:
        return self.answers.naming(f"{text[: found.start()]}\0{found['own'] or ''}{text[found.end() :]}", one)

    def _naming(self, text: str, two: tuple[EntityId, ...]) -> Way:
        """A text with one thing in the place of each NUL, the other in that of each control character 1."""
        given, said = [], ""
        for piece in re.split("([\0\1])", text):
            if piece in ("\0", "\1"):
                entity = two[piece == "\1"]
                label = self.answers.label(entity)
                given.append((len(said), len(said) + len(label), entity))
                piece = label
            said += piece
        return Way(said, tuple(given))

    def _pairs(self, noun: str) -> list[tuple[EntityId, ...]]:
        """Pairs of which "the other one" may be one, of each kind one, the latest first."""
        if noun.lower() != "one":
            return [two] if (two := self._pair(noun)) else []
        return self.answers.memory.pairs()[:MOST_KINDS]

    def _pair(self, noun: str) -> tuple[EntityId, ...]:
        """The two things of this kind that were spoken of last, the latest first."""
        return self.answers.memory.pair_of(noun.lower())

    def _in_order(self, two: tuple[EntityId, ...]) -> tuple[EntityId, ...]:
        """Two things as they were named first."""
        spoken = [one for turn in self.answers.memory.turns for one in (*turn.topics, *turn.ends)]
        return tuple(sorted(two, key=spoken.index))
