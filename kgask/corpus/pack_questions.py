"""Training questions made of one pack: what ``kgask train adapt PACK`` uses where nobody has asked yet.

Relation paths are walked from random triples, so they are paths that the graph
has, as often as it has them; the composer then words each with the wordings
that the pack's relations borrow (``pack_wordings.py``). Deterministic: the
same pack and seed give the same questions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kgask.corpus.compose import Composer
from kgask.corpus.compose_paths import Leg
from kgask.corpus.examples import MASK
from kgask.corpus.pack_wordings import PackWordings, RelationRows, TextVectors, in_voice, word_pack
from kgask.corpus.questions import GraphQuestion
from kgask.corpus.wordings import RelationWordings, load_wordings
from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, all_edges, reached_by
from kgask.types import opposite, undirected

SHARES = (0.4, 0.33, 0.27)  # of one, two and three hops
MAX_EDGES = 200_000  # a frontier with more triples is not followed: nobody asks for all of them
LOOKED_AT = 2_000  # triples of a hub that the next step is chosen among
ROUND_TRIP = 2.5  # how much likelier than another relation the way back is: "films by the same director"
MANY_ANSWERS = 300  # above this a question is kept less often
TRIES = 60


class PackQuestions:
    """Draws questions about one pack; ``held`` takes wordings that are held out, or leaves them out; None: all."""

    def __init__(
        self,
        pack: Pack,
        rng_seed: int,
        vectors: TextVectors | None = None,
        wordings: Mapping[str, RelationWordings] | None = None,
        held: bool | None = None,
    ) -> None:
        self._pack = pack
        self._rng = random.Random(f"pack questions:{rng_seed}")
        worded: PackWordings = word_pack(pack, wordings or load_wordings(), self._rng, vectors)
        self.wordings = worded if held is None else replace(worded, by_key=in_voice(worded.by_key, held))
        self._keys = [relation.key for relation in pack.relations()]
        self._composer = Composer(self.wordings.by_key, {}, self._rng)
        self._rows = RelationRows(pack)
        # The square root lifts rare relations: they have to be learnt too.
        self._weights = np.sqrt(self._rows.counts()).tolist() * 2
        self._letters: dict[int, str] = {}

    def sample(self, n: int) -> list[GraphQuestion]:
        """``n`` questions of one to three hops, or fewer where the pack has too little."""
        hops = self._rng.choices((1, 2, 3), SHARES, k=n)
        return [question for hop in hops if (question := self.draw(hop)) is not None]

    def draw(self, n_hops: int) -> GraphQuestion | None:
        """One question of ``n_hops`` hops; None where the pack seems to have no such path."""
        for _ in range(TRIES):
            walked = self._walk(n_hops)
            if walked is None:
                continue
            entities, path = walked
            answers = self._answers(entities[0], path)
            if answers and self._rng.random() < MANY_ANSWERS / len(answers):
                text = self._composer.render(self._legs(entities, path)).text
                if text.count(MASK) == 1:
                    return GraphQuestion(text, entities[0], answers, tuple(path))
        return None

    # --- walking --------------------------------------------------------------------------

    def _walk(self, n_hops: int) -> tuple[list[int], list[int]] | None:
        """Entities and directed relations of a walk that does not come back to its start."""
        relation = self._rng.choices(range(2 * self._pack.n_relations), self._weights)[0]
        base, inverse = undirected(relation, self._pack.n_relations)
        subjects, _, objects = self._pack.triples(self._rows.draw(base, 1, self._rng))
        ends = [int(subjects[0]), int(objects[0])]
        entities, path = (ends[::-1] if inverse else ends), [relation]
        while len(path) < n_hops:
            step = self._step(entities, path[-1])
            if step is None:
                return None
            path.append(step[0])
            entities.append(step[1])
        return (entities, path) if len(set(entities)) == len(entities) else None

    def _step(self, entities: list[int], came_by: int) -> tuple[int, int] | None:
        """A directed relation of the last entity, each as likely as another, and where it leads."""
        pack, rng = self._pack, self._rng
        edges = [self._edges(entities[-1], inverse) for inverse in (False, True)]
        relations = np.concatenate([edge.relations for edge in edges])
        targets = np.concatenate([edge.targets for edge in edges])
        kept = ~np.isin(targets, entities)
        relations, targets = relations[kept], targets[kept]
        choices = np.unique(relations).tolist()
        back = opposite(came_by, pack.n_relations)
        if entities[-1] >= pack.n_entities - pack.n_literals:
            choices = [choice for choice in choices if choice == back]  # a year leads on to nothing but its films
        if not choices:
            return None
        relation = rng.choices(choices, [ROUND_TRIP if choice == back else 1.0 for choice in choices])[0]
        return relation, int(rng.choice(targets[relations == relation].tolist()))

    def _edges(self, entity: int, inverse: bool) -> Edges:
        edges = all_edges(self._pack, np.array([entity]), inverse)
        if len(edges) <= LOOKED_AT:
            return edges
        keep = np.zeros(len(edges), bool)
        keep[self._rng.sample(range(len(edges)), LOOKED_AT)] = True
        return edges.where(keep)

    def _answers(self, topic: int, path: list[int]) -> frozenset[int]:
        """Where the path leads, never back to the topic; empty where a frontier is too large to follow."""
        frontier = np.array([topic])
        for relation in path:
            if self._pack.degree(frontier).sum() > MAX_EDGES:
                return frozenset()
            targets = reached_by(self._pack, frontier, relation)
            frontier = targets[targets != topic]
        return frozenset(frontier.tolist())

    # --- wording --------------------------------------------------------------------------

    def _legs(self, entities: list[int], path: list[int]) -> list[Leg]:
        letters = [self._letter(entity) for entity in entities]
        legs = []
        for relation, start, end in zip(path, letters, letters[1:], strict=False):
            index, inverse = undirected(relation, self._pack.n_relations)
            legs.append(Leg((self._keys[index], inverse), start, end))
        return legs

    def _letter(self, entity: int) -> str:
        if entity not in self._letters:
            self._letters[entity] = self.wordings.letter(self._pack, entity)
        return self._letters[entity]


def make_questions(
    pack: Pack, n: int, rng_seed: int, vectors: TextVectors | None = None, held: bool | None = None
) -> list[GraphQuestion]:
    """``n`` questions about ``pack``, made of the pack alone; ``held`` as :class:`PackQuestions` takes it."""
    return PackQuestions(pack, rng_seed, vectors, held=held).sample(n)
