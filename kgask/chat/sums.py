"""What several things that were spoken of come to together: "how long are all three added together?", "on average?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgask.answer.parts import with_name
from kgask.chat.changes import entities_of, value_of
from kgask.chat.form import number_of_those
from kgask.chat.of_answers import OfAnswers, whole_of
from kgask.chat.order import NUMBER
from kgask.chat.turns import Way
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.words import verbalise

_TOGETHER = re.compile(
    r",?\s+(?:(?:all )?(?:added|put|taken) (?:up |all )?together|altogether|in (?:total|all|sum)|combined|together|"
    r"on average)(?=\W*\Z)",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:and )?(?:(?:both|all|put|taken) )?(?:together|combined|in total|altogether|in all)\W*", re.IGNORECASE
)
_TOTAL = re.compile(r"\b(?:total|combined|joint|summed|average|mean) (?=[a-z])", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_ALL = re.compile(
    rf"\b(?:all (?:of )?(?:them|those|these|the {NUMBER}|{NUMBER})|(?:those|these) {NUMBER}|they(?: all)?|"
    r"those|these)\b",
    re.IGNORECASE,
)
_ARE, _DO = re.compile(r"\b(?:are|were)\b", re.I), re.compile(r"\bdo\b", re.I)


@dataclass(frozen=True, slots=True)
class Sums:
    """Understands turns as asking for a sum or mean over the last answers."""

    answers: OfAnswers

    def ways(self, text: str) -> Iterator[Way]:
        """The question about one of them, its value put together over all; of two asked about in turn both values."""
        if _ALONE.fullmatch(text):
            yield from self._of_two_told()
            return
        found = self.answers.memory.last_set()
        bare = _of_one(text)
        if found is None or bare is None or number_of_those(text) not in (0, len(found.ends)):
            return
        one, label = found.ends[0], self.answers.label(found.ends[0])
        named = with_name(bare, one, label)
        if named is None:
            return
        whole, kind = whole_of(found, found.ends), nodes.Mean if _MEAN.search(text) else nodes.Sum

        def change(query: Query) -> Query | None:
            value = value_of(query)
            return None if value is None else kind(nodes.Values(whole, value.relation))

        listed = self.answers.listed(found.ends)
        yield Way(named.text, named.given, change, said=f"{text.rstrip('?. ')} ({listed})?")

    def _of_two_told(self) -> Iterator[Way]:
        """The sum of the last value that was told and the one of the same sort before it: "together?"."""
        turns = [turn for turn in self.answers.memory.turns[::-1] if turn.answer]
        value = value_of(turns[0].query) if turns else None
        for before in turns[1:] if value is not None else ():
            other = value_of(before.query)
            if value is not None and other is not None and other != value and other.relation == value.relation:
                both = nodes.Entities((*entities_of(other.base), *entities_of(value.base)))
                query = nodes.Sum(nodes.Values(both, value.relation))
                sure = min(one.answer.confidence for one in (turns[0], before) if one.answer is not None)
                yield Way(f"{verbalise(query, self.answers.pack)}?", query=query, confidence=sure)
                return


def _of_one(text: str) -> str | None:
    """A turn that asks for a sum as the question about one of the things, with "it"; None where it asks for none.

    >>> _of_one("how long are all three added together?"), _of_one("what is their total length?")
    ('how long is it?', 'what is its length?')
    >>> _of_one("what is their length?") is None
    True
    """
    bare = _TOTAL.sub("", _TOGETHER.sub("", text))
    if bare == text:
        return None
    bare = re.sub(r"\btheir\b", "its", _ALL.sub("it", bare), flags=re.IGNORECASE)
    bare = _DO.sub("does", _ARE.sub("is", bare))
    return bare if re.search(r"\bits?\b", bare) else None
