"""What lies within two hops of an entity, read straight from a pack's arrays: for judging questions, not answering."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

Step = tuple[int, bool]  # relation, whether it is walked from object to subject
MAX_MIDDLE = 3000  # entities that a two-hop path may pass through
_MAX_MIDDLE_OF_VALUES = 100
_CACHED = 200_000
_LETTERS = 5


def beginnings(text: str) -> frozenset[str]:
    """The first five letters of each word of at least three.

    >>> sorted(beginnings("The oldest awards"))
    ['award', 'oldes', 'the']
    """
    return frozenset(word[:_LETTERS] for word in normalise(text).split() if len(word) > 2)


class Around:
    """Steps from entities, with the words of relations; remembers what was looked at."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self.labels = pack.relation_labels()
        self.relation_words = [beginnings(" ".join((one.label, *one.aliases))) for one in pack.relations()]
        self._types = set(pack.type_relations)
        self._first_literal = pack.n_entities - pack.n_literals
        self.steps = lru_cache(_CACHED)(self._steps)

    def _steps(self, entity: int) -> dict[Step, frozenset[int]]:
        """Where each relation leads from an entity, in either direction."""
        found: dict[Step, set[int]] = {}
        pack = self._pack
        rows = (
            (pack.out_indptr, pack.out_relation, pack.out_object, False),
            (pack.in_indptr, pack.in_relation, pack.in_subject, True),
        )
        for pointers, relations, ends, inverse in rows:
            row = slice(int(pointers[entity]), int(pointers[entity + 1]))
            for relation, end in zip(relations[row].tolist(), ends[row].tolist(), strict=True):
                found.setdefault((relation, inverse), set()).add(end)
        return {step: frozenset(ends) for step, ends in found.items()}

    def paths_to(self, topic: int, targets: frozenset[int]) -> Iterator[frozenset[int]]:
        """The ends, without the topic, of each path of one or two steps that ends at a target."""
        leads_in: dict[int, set[Step]] = {}  # the last step to a target, by where it leaves
        for target in targets - {topic}:
            for (relation, inverse), ends in self.steps(target).items():
                for end in ends:
                    leads_in.setdefault(end, set()).add((relation, not inverse))
        for step in leads_in.get(topic, ()):
            yield self.steps(topic)[step] - {topic}
        for middle in self.steps(topic).values():
            if len(middle) <= MAX_MIDDLE:
                for last in {step for at in middle if at != topic for step in leads_in.get(at, ())}:
                    yield frozenset().union(*(self.steps(at).get(last, ()) for at in middle)) - {topic}

    def value(self, entity: int, step: Step) -> float | None:
        """The number or day that a relation leads to, in base units: the highest of several."""
        values = self._pack.literal_values
        places = [end - self._first_literal for end in self.steps(entity).get(step, ()) if end >= self._first_literal]
        known = [float(values.low[place]) for place in places if values.axis[place] >= 0]
        return max(known, default=None)

    def dates(self, entity: int) -> list[str]:
        """Dates that relations lead to, as texts."""
        ends = {end for (_, inverse), ends in self.steps(entity).items() if not inverse for end in ends}
        literals = self._pack.literals(end for end in ends if end >= self._first_literal)
        return [literal.text for literal in literals if literal is not None and literal.kind == "date"]

    def literals_near(self, topic: int) -> Iterator[list[str]]:
        """The literals, as their labels, at the ends of each path of one or two steps; none at most of them."""
        for ends in self.steps(topic).values():
            yield self.literals(ends)
            if len(ends) <= _MAX_MIDDLE_OF_VALUES:
                for last in {last for end in ends if end != topic for last in self.steps(end)}:
                    yield self.literals(frozenset().union(*(self.steps(end).get(last, ()) for end in ends)))

    def literals(self, ends: frozenset[int]) -> list[str]:
        """The labels of those that are literals."""
        return self._pack.labels(sorted(end for end in ends if end >= self._first_literal))

    def kinds(self, entity: int) -> list[str]:
        """Labels of the types of an entity."""
        steps = self.steps(entity)
        return self._pack.labels(sorted({end for relation in self._types for end in steps.get((relation, False), ())}))
