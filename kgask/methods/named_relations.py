"""The names of a question with the relations that they have, likeliest first: what queries are put together from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from kgask.link.classes import ClassSpan
from kgask.methods.relation_facts import RelationFacts, is_small
from kgask.methods.understand import Linked
from kgask.query import nodes
from kgask.retrieve.follow import reached_by, relations_of
from kgask.types import Seed, opposite

MOST_NAMES = 2
IN_PLURAL = 0.9  # score of a thing that is named in the plural
NAMESAKE, MOST_NAMESAKES = 0.3, 2  # share of the first one's score from which another is meant as well
ASKED, MOST_ASKED, MOST_THROUGH = 0.2, 2, 3  # probability of what is asked for, of how many, by how many ways
GONE_ON, MOST_LONG = 4, 8  # relations of a name that another is put behind, and how many such paths


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """One of a question's names, with its relations, likeliest first."""

    seed: Seed
    relations: tuple[int, ...]
    probs: np.ndarray  # float [H, 2R]: of the planner, hop by hop
    others: tuple[Seed, ...] = ()  # of that name, nearly as likely

    @property
    def node(self) -> nodes.Entities:
        return nodes.Entities((self.seed.entity,))


class NamedRelations:
    """Finds them over one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts, self._pack, self._n = facts, facts.pack, facts.n_relations

    def of(self, linked: Sequence[Linked], most: int = MOST_NAMES) -> list[Named]:
        """The surest of mentions apart, in the question's order."""
        kept: list[Linked] = []
        for one in sorted(linked, key=lambda one: -one.mention.seeds[0].score):
            start, end = one.mention.span
            if all(end <= other.mention.span[0] or other.mention.span[1] <= start for other in kept):
                kept.append(one)
        return [self._named(one) for one in sorted(kept[:most], key=lambda one: one.mention.span)]

    def _named(self, one: Linked) -> Named:
        relations = np.flatnonzero(one.present[0] & self._facts.paths)
        probs = np.asarray(one.branch.relation_probs)
        likeliest = relations[np.argsort(-probs[0][relations], kind="stable")]
        first, *rest = one.mention.seeds
        others = tuple(seed for seed in rest if seed.score >= NAMESAKE * first.score)[:MOST_NAMESAKES]
        return Named(first, tuple(likeliest.tolist()), probs, others)

    def namesakes(self, one: Named) -> Iterator[Named]:
        """Others of that name, with what the planner says of it."""
        for seed in one.others:
            relations = np.flatnonzero(self._facts.of_entity(seed.entity) & self._facts.paths)
            likeliest = relations[np.argsort(-one.probs[0][relations], kind="stable")]
            yield Named(seed, tuple(likeliest.tolist()), one.probs)

    def unplanned(self, seed: Seed) -> Named:
        """What no plan was made for: none of its relations is likelier than another."""
        relations = np.flatnonzero(self._facts.of_entity(seed.entity) & self._facts.paths)
        return Named(seed, tuple(relations.tolist()), np.full((1, 2 * self._n), 1.0 / (2 * self._n)))

    def meant(self, linked: Sequence[Linked], classes: Sequence[ClassSpan]) -> list[Named]:
        """The surest of mentions apart; where nothing is named, what is said in the plural."""
        return self.of(linked) or self._in_plural(classes)

    def _in_plural(self, classes: Sequence[ClassSpan]) -> list[Named]:
        """Things that are said in the plural, in a small graph: of "battery packs" what has to do with one is asked, or
        it is itself."""
        found = []
        for one in classes if is_small(self._pack) else ():
            match one.candidates[0][0]:
                case nodes.Follow(nodes.Entities((entity,)), relation) if relation >= self._n:
                    found.append(self.unplanned(Seed(entity, (one.start, one.end), IN_PLURAL)))
        return found

    def ends(self, one: Named, relation: int) -> np.ndarray:
        """What a name's directed relation leads to, int64."""
        return reached_by(self._pack, np.array([one.seed.entity]), relation)

    def onward(self, ends: np.ndarray) -> np.ndarray:
        """The directed relations that things (int64) have and paths may go by, bool [2R]."""
        return relations_of(self._pack, ends) & self._facts.paths

    def is_value(self, relation: int) -> bool:
        """Whether a directed relation leads to numbers or dates."""
        return relation < self._n and self._facts.of(relation)[0] is not None

    def two_steps(
        self, one: Named, may_end: Callable[[int], bool] = lambda _: True, firsts: int = GONE_ON, most: int = MOST_LONG
    ) -> Iterator[tuple[int, int]]:
        """The likeliest two relations behind one another, by the planner: of the ``firsts`` likeliest first ones."""
        hops = one.probs[0], one.probs[min(1, len(one.probs) - 1)]
        found: list[tuple[float, int, int]] = []
        for first in [relation for relation in one.relations if not self.is_value(relation)][:firsts]:
            onward = self.onward(self.ends(one, first))
            onward[opposite(first, self._n)] = False
            seconds = [relation for relation in np.flatnonzero(onward).tolist() if may_end(relation)]
            found += [(float(hops[0][first] * hops[1][second]), first, second) for second in seconds]
        yield from ((first, second) for _, first, second in sorted(found, key=lambda path: -path[0])[:most])

    def through(self, one: Named) -> Iterator[tuple[int, int]]:
        """Ways over what belongs to a name to what is asked for and it lacks: "born in Hungary" is in a city of it."""
        asked = np.flatnonzero((one.probs[0] >= ASKED) & self._facts.paths)
        lacked = [second for second in asked[np.argsort(-one.probs[0][asked])].tolist() if second not in one.relations]
        firsts = [first for first in one.relations if not self.is_value(first)]
        for second in lacked[:MOST_ASKED]:
            has = (first for first in firsts if relations_of(self._pack, self.ends(one, first))[second])
            yield from ((first, second) for first in islice(has, MOST_THROUGH))
