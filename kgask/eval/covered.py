"""Which questions of a set a pack can answer, by a rule that knows nothing of planner, linker and reader.

A question is covered when its gold follows from the triples within two hops of its gold topics by the operation that
its kind names. All gold entities must be in the pack, and so must the topics that the operation uses.

- generic, multihop, any other: a path (one or two relations) leads from a topic to all golds, and half of its ends are
  golds. A number or date: what the path leads to says the same.
- intersection, difference: so do the ends of a path that are also (are not) ends of one from another topic, or that
  have a date in a year which the question names; or a path alone.
- superlative, ordinal: among the ends of a path that holds all golds, ordered by a value that the question's words ask
  for, the golds stand at its rank from either end; half of the ends have the value. Where it asks for the most or the
  fewest, ordered also by how many ends a relation has that it names.
- comparative: the topics have such values, and the gold's is the highest or the lowest.
- count, of two or more: a relation that the question names, or whose ends are of a kind that it names, has as many ends
  from a topic; or it leads to that number.
- yes or no: topics with such values. Yes: a triple between two topics. No: a relation that the question names leads
  from one topic elsewhere, and from elsewhere to the other.

"Names": a word of the question and one of the label or an alias begin with the same five letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from kgask.eval.around import Around, Step, beginnings
from kgask.eval.records import GoldBlock
from kgask.eval.resolve import Resolver
from kgask.pack.store import Pack
from kgask.sets.gold import Gold
from kgask.sets.said import NO, YES, says

_LEAST_SHARE = 0.5  # of what is found, that must be gold; of a set, that must have the value
_MOST_RANKED = 3000  # members of a set that is ordered
_ORDINALS = {
    word: at for at, word in enumerate(("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"), 2)
}
_HOW_MANY = frozenset(("most", "more", "fewes", "fewer", "least", "less"))
_LEAST_COUNT = 2  # one of something is found anywhere
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_FIRST = "first last early earlier earliest late later latest recent recently new newer newest old older oldest"
# Words that ask for a value, by the label of the relation that has it.
_ASKED = {
    "date of birth": "old older oldest young younger youngest born birth age first",
    "date of death": "died death dead",
    "publication date": f"{_FIRST} released release debut",
    "inception": f"{_FIRST} founded established start started",
    "start time": f"{_FIRST} before after start began",
    "end time": "ended before after",
    "point in time": f"{_FIRST} before after",
    "population": "population inhabitants people larger bigger smaller",
    "area": "larger bigger smaller area size land",
    "height": "tall taller tallest short shorter shortest height",
    "elevation above sea level": "high higher highest tall taller tallest",
    "length": "long longer longest short shorter shortest length",
    "mass": "heavier heaviest weigh lighter",
    "number of episodes": "episodes",
    "number of seasons": "seasons",
}
_BEGINNINGS = {label: beginnings(words) for label, words in _ASKED.items()}


def covered(pack: Pack, golds: Sequence[Gold], report: Callable[[int], None] = lambda done: None) -> list[Gold]:
    """The covered questions, in their order; ``report`` is given how many were looked at."""
    around = Around(pack)
    found = []
    for done, (gold, block) in enumerate(zip(golds, Resolver(pack).blocks(golds), strict=True), 1):
        if _Question(gold, block, around).is_covered():
            found.append(gold)
        report(done)
    return found


@dataclass
class _Question:
    """A question with its gold as ids of the pack."""

    gold: Gold
    block: GoldBlock
    around: Around

    def is_covered(self) -> bool:
        if not self.topics or not self.block.answers:
            return False
        texts = [name for answer in self.gold.answers for name in answer.names if answer.key is None]
        if texts and all(text.lower() in YES | NO for text in texts):
            return self._truth(texts[0].lower() in YES)
        if texts:
            return self._count(texts[0]) if self.gold.kind == "count" else self._value(texts[0])
        if not all(answer.ids for answer in self.block.answers):
            return False
        rule = _RULES.get(self.gold.kind)
        return self._path() if rule is None else rule(self)

    @cached_property
    def topics(self) -> list[int]:
        return [topic.ids[0] for topic in self.block.topics if topic.key and topic.ids]

    @cached_property
    def wanted(self) -> frozenset[int]:
        return frozenset(answer.ids[0] for answer in self.block.answers)

    @cached_property
    def words(self) -> frozenset[str]:
        return beginnings(self.gold.text)

    def _is_it(self, found: Iterable[int]) -> bool:
        found = frozenset(found)
        return self.wanted <= found and len(self.wanted) >= _LEAST_SHARE * len(found)

    @cached_property
    def _paths(self) -> list[tuple[int, frozenset[int]]]:
        """Each topic with the ends of each path from it to a gold answer."""
        return [(topic, ends) for topic in self.topics for ends in self.around.paths_to(topic, self.wanted)]

    def _path(self) -> bool:
        return any(self._is_it(ends) for _, ends in self._paths)

    # --- operations on sets ---------------------------------------------------------------------

    def _intersection(self) -> bool:
        if self._path() or any(self._is_it(self._of_years(ends)) for _, ends in self._paths):
            return True
        return any(a != b and self._is_it(left & right) for (a, left), (b, right) in combinations(self._paths, 2))

    def _of_years(self, ends: Iterable[int]) -> frozenset[int]:
        """Those with a date in a year that the question names."""
        years = tuple(_YEAR.findall(self.gold.text))
        return frozenset(each for each in ends if any(date.startswith(years) for date in self.around.dates(each)))

    def _difference(self) -> bool:
        """What is taken away is where a relation leads from another topic, or that topic itself."""
        if self._path():
            return True
        for topic, ends in self._paths:
            if not self.wanted <= ends:
                continue
            for other in self.topics:
                taken = self.around.steps(other).values() if other != topic else ()
                if any(self._is_it(ends - away) for away in ({other}, *taken)):
                    return True
        return False

    def _rank(self) -> bool:
        rank = next((at for word, at in _ORDINALS.items() if word in self.gold.text.lower().split()), 1)
        sets = {ends for _, ends in self._paths if self.wanted <= ends and 1 < len(ends) <= _MOST_RANKED}
        return any(self._stands_at(values, rank) for ends in sets for values in self._judged(ends, _LEAST_SHARE))

    def _comparison(self) -> bool:
        members = frozenset(self.topics)
        return self.wanted <= members and any(self._stands_at(found, 1) for found in self._judged(members, 0.0))

    def _stands_at(self, values: dict[int, float], rank: int) -> bool:
        """Whether the golds are what has the value of this rank, from above or from below, of at least two."""
        if len(values) < 2:
            return False
        for ordered in (sorted(set(values.values()))[::-1], sorted(set(values.values()))):
            if rank <= len(ordered) and self._is_it(
                each for each, value in values.items() if value == ordered[rank - 1]
            ):
                return len(ordered) > 1
        return False

    def _judged(self, members: frozenset[int], least_share: float) -> Iterator[dict[int, float]]:
        """Members with a value, for each relation by which the question may judge them."""
        relations = Counter(step for member in members for step in self.around.steps(member))
        for step, n in relations.items():
            if n < max(2, least_share * len(members)):
                continue
            if self._asks_for(step):
                values = {each: self.around.value(each, step) for each in members}
                yield {each: value for each, value in values.items() if value is not None}
            elif not self.words.isdisjoint(_HOW_MANY) and self._names(step):
                yield {each: float(len(self.around.steps(each).get(step, ()))) for each in members}

    # --- values and truths ----------------------------------------------------------------------

    def _value(self, text: str) -> bool:
        return any(
            labels and sum(says(text, label) for label in labels) >= _LEAST_SHARE * len(labels)
            for topic in self.topics
            for labels in self.around.literals_near(topic)
        )

    def _count(self, text: str) -> bool:
        if not text.isdecimal() or int(text) < _LEAST_COUNT:
            return False
        for topic in self.topics:
            for step, ends in self.around.steps(topic).items():
                if len(ends) == int(text) and (self._names(step) or self._names_kind(ends)):
                    return True
                if self._names(step) and any(says(text, label) for label in self.around.literals(ends)):
                    return True
        return False

    def _truth(self, is_yes: bool) -> bool:
        if any(len(values) > 1 for values in self._judged(frozenset(self.topics), 0.0)):
            return True
        return any(self._decided(a, b, is_yes) for a, b in permutations(self.topics, 2))

    def _decided(self, subject: int, obj: int, is_yes: bool) -> bool:
        for (relation, inverse), ends in self.around.steps(subject).items():
            if is_yes and obj in ends:
                return True
            leads_there = (relation, not inverse) in self.around.steps(obj)
            if not is_yes and obj not in ends and leads_there and self._names((relation, inverse)):
                return True
        return False

    # --- words ----------------------------------------------------------------------------------

    def _asks_for(self, step: Step) -> bool:
        asked = _BEGINNINGS.get(self.around.labels[step[0]], frozenset())
        return not step[1] and not self.words.isdisjoint(asked)

    def _names(self, step: Step) -> bool:
        return not self.words.isdisjoint(self.around.relation_words[step[0]])

    def _names_kind(self, ends: Iterable[int]) -> bool:
        """Whether half of the ends are of a kind that the question names."""
        found = [not self.words.isdisjoint(beginnings(" ".join(self.around.kinds(end)))) for end in ends]
        return sum(found) >= _LEAST_SHARE * len(found)


_RULES: dict[str, Callable[[_Question], bool]] = {
    "intersection": _Question._intersection,
    "difference": _Question._difference,
    "superlative": _Question._rank,
    "ordinal": _Question._rank,
    "comparative": _Question._comparison,
}
