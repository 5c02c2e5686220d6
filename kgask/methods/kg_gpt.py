"""KG-GPT (Kim et al. 2023): split the sentence, find each part's relations, gather the triples; the reader infers.

Who splits and who chooses relations is a :class:`Splitter`:

- :class:`ModelSplitter`, the paper's way: the user's own GGUF, with our examples, held to the form by a grammar, or
  parsed tolerantly where it cannot be. A model that writes nothing of use is a ModelError, never a guess.
- :class:`PlannerSegments`, for kgask's own reader, which cannot be prompted: each hop of the plan is a part, and its
  relations are the likeliest of the hop's distribution that the graph has.

Beyond the paper: relations are walked in both directions, a part's unknown entity is what the part before it ended in,
and the evidence is bounded (``Scope.top_k`` triples a part). How far it walks follows from the sentence
(at most four parts); ``Scope.hops`` does not bound it. ``Found.ways`` may lead over several triples: follow it
until a triple has no way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from kgask.methods import listing, splitting
from kgask.methods.ask_model import ModelAsker, Posed
from kgask.methods.base import Found, PerPack, TripleRetriever
from kgask.methods.evidence_graph import EvidenceGraph, Group, Segment
from kgask.methods.protocol import Scope
from kgask.methods.shots import MOST_SHOTS, Kind
from kgask.methods.splitting import quotable
from kgask.methods.type_graph import TypeGraph
from kgask.pack.labels import readable_relation
from kgask.pack.store import Pack
from kgask.read.gguf.model import LanguageModel
from kgask.types import Branch, Question, Seed, undirected

MAX_NAMES = 8  # entities in one prompt, the best linked ones
FEW_RELATIONS = 50  # a graph with no more has 3 relations chosen, a larger one 5 (KG-GPT, appendix C)
IS_TOPIC = 0.5  # probability from which a linked name is taken for a topic of the question
LEAST_PROB = 1e-3  # a relation that the planner holds less probable is not worth a place
PLANNED = "kg-gpt: no language model that can be prompted; the planner's hops stand for the sub-sentences"

Plan = Callable[[Question, Sequence[Seed]], Branch | None]  # the planner's plan from the seeds of one mention


@dataclass(frozen=True, slots=True)
class Split:
    """A sentence in parts, in the order in which they are looked up."""

    segments: tuple[Segment, ...]
    notes: tuple[str, ...]


class Splitter(Protocol):
    """What KG-GPT asks a language model for."""

    def split(self, question: Question, seeds: Sequence[Seed], pack: Pack) -> Split:
        """Raises ModelError where the model does not split it."""
        ...

    def choose(self, segment: Segment, present: np.ndarray, pack: Pack, most: int) -> list[Group]:
        """At most ``most`` relations among ``present`` (bool [2R], some true), the nearest first."""
        ...


class KgGpt(TripleRetriever):
    """See :class:`kgask.methods.protocol.Retriever`. ``top_relations`` is the paper's K; None is the paper's choice."""

    name = "kg-gpt"

    def __init__(self, splitter: Splitter, top_relations: int | None = None):
        self._splitter, self._top_relations = splitter, top_relations
        self._types = PerPack(TypeGraph)

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        """The evidence graph of a question, or of a claim where the splitter was made for claims; empty where the graph
        has nothing around the seeds."""
        if not seeds:
            return Found((), (), {})
        split = self._splitter.split(question, seeds, pack)
        graph = EvidenceGraph(pack, self._types(pack), np.array([seed.entity for seed in seeds]))
        most = self._top_relations or (3 if pack.n_relations <= FEW_RELATIONS else 5)
        notes, whole = list(split.notes), True
        for segment in split.segments:
            place = graph.place(segment)
            groups = self._splitter.choose(segment, place.present, pack, most) if place else []
            whole = place is not None and graph.follow(segment, place, groups) > 0
            if not whole:
                notes.append(f"kg-gpt: the graph has nothing for the sub-sentence: {segment.text}")
        return graph.found(_used(seeds, split.segments), scope.top_k, tuple(notes), whole)


def _used(seeds: Sequence[Seed], segments: Sequence[Segment]) -> tuple[Seed, ...]:
    """The seeds that a segment names; all of them where none does."""
    named = {entity for segment in segments for name in segment.entities for entity in name}
    return tuple(seed for seed in seeds if seed.entity in named) or tuple(seeds)


class ModelSplitter:
    """The user's language model splits and chooses; ``shots`` are at most 12, as in the paper."""

    def __init__(self, model: LanguageModel, kind: Kind = "question", shots: int = MOST_SHOTS):
        self._asker = ModelAsker(model)
        self._kind, self._shots = kind, shots
        self._words = PerPack(lambda pack: [quotable(readable_relation(text.label)) for text in pack.relations()])

    def split(self, question: Question, seeds: Sequence[Seed], pack: Pack) -> Split:
        """Sub-sentences with the entities that they name. Raises ModelError when the model writes none."""
        names = shown_names(seeds, pack)
        listed = list(names)
        task = splitting.split_task(self._kind, self._shots)
        room = self._asker.room(splitting.longest_reply(listed))
        posed = self._asker.pose(task, [splitting.split_case(self._kind, question.text, listed)], room)
        written = self._asker.write(posed, splitting.split_grammar(listed), room).text
        parsed = splitting.parse_split(written, listed)
        if not parsed or not splitting.speaks_of(parsed, question.text):
            raise self._asker.unusable(f"this model does not split the {self._kind} as it is shown", written)
        segments = tuple(Segment(part.text, tuple(names[name] for name in part.names)) for part in parsed)
        said = [f"kg-gpt: {at}. {part.text} [{', '.join(part.names)}]" for at, part in enumerate(parsed, start=1)]
        return Split(segments, (*said, *self._asker.fewer(task, posed)))

    def choose(self, segment: Segment, present: np.ndarray, pack: Pack, most: int) -> list[Group]:
        """Relations by name, each with the directions that are present. Raises ModelError when the model names none."""
        groups = self._named(present, pack)
        names = sorted(groups)
        if len(names) < 2:
            return [groups[name] for name in names]
        listed = [names[at] for at in listing.likeliest(names, segment.text)]
        shorter = [
            [listed[at] for at in listing.likeliest(listed, segment.text, n)] for n in listing.shorter(len(listed))
        ]
        cases = [listing.choose_case(segment.text, part) for part in shorter]
        task = listing.choose_task(most, self._shots)
        posed = self._asker.pose(task, cases, self._asker.room(listing.longest_choice(listed, most)))
        return [groups[name] for name in self._chosen(posed, shorter[posed.case], most)]

    def _chosen(self, posed: Posed, listed: Sequence[str], most: int) -> list[str]:
        if self._asker.constrained:
            order = self._asker.pick(posed, [f'"{name}"' for name in listed], most, listing.NAME_LIST).order
            return [listed[at] for at in order]
        written = self._asker.write(posed, None, self._asker.room(listing.longest_choice(listed, most))).text
        found = listing.parse_names(written, listed)[:most]
        if not found:
            raise self._asker.unusable("this model names none of the relations that it is shown", written)
        return found

    def _named(self, present: np.ndarray, pack: Pack) -> dict[str, Group]:
        """Name -> the present directed relations that have it."""
        words = self._words(pack)
        groups: dict[str, list[int]] = {}
        for directed in np.flatnonzero(present).tolist():
            groups.setdefault(words[undirected(directed, pack.n_relations)[0]], []).append(directed)
        return {name: tuple(directed) for name, directed in groups.items()}


class PlannerSegments:
    """The planner in the language model's place: ``plan`` gives a question's branch from the seeds of one mention."""

    def __init__(self, plan: Plan):
        self._plan = plan

    def split(self, question: Question, seeds: Sequence[Seed], pack: Pack) -> Split:
        """Each hop from the best topic as a segment; other topics, a hop away, narrow what is found.

        None where the planner has no plan.
        """
        branches = [branch for branch in (self._plan(question, [seed]) for seed in seeds) if branch is not None]
        branches.sort(key=lambda branch: -branch.topic_prob * branch.seeds[0].score)
        if not branches:
            return Split((), (PLANNED,))
        topics = [branches[0], *(branch for branch in branches[1:] if branch.topic_prob >= IS_TOPIC)]
        chains = sorted(map(_hops, topics), key=lambda chain: -len(chain))
        narrowing = [replace(chain[0], narrows=True) for chain in chains[1:] if len(chain) == 1]
        return Split((*chains[0], *narrowing), (PLANNED,))

    def choose(self, segment: Segment, present: np.ndarray, pack: Pack, most: int) -> list[Group]:
        """The likeliest present directed relations, each alone; the likeliest one at least."""
        assert segment.relation_probs is not None  # its segments are hops of a plan
        probs = np.where(present, segment.relation_probs, -1.0)
        best = np.argsort(-probs, kind="stable")[:most].tolist()
        return [(relation,) for at, relation in enumerate(best) if not at or probs[relation] >= LEAST_PROB]


def _hops(branch: Branch) -> list[Segment]:
    """As many hops as the plan most probably has."""
    n_hops = 1 + int(np.argmax(branch.hop_weights))
    seeds = (tuple(dict.fromkeys(seed.entity for seed in branch.seeds)),)
    return [
        Segment(f"hop {hop + 1} of the plan", () if hop else seeds, relation_probs=branch.relation_probs[hop])
        for hop in range(n_hops)
    ]


def shown_names(seeds: Sequence[Seed], pack: Pack) -> dict[str, tuple[int, ...]]:
    """Labels of the best linked entities as a prompt shows them, each with every entity that has it."""
    ordered = list(dict.fromkeys(seed.entity for seed in sorted(seeds, key=lambda seed: -seed.score)))
    names: dict[str, list[int]] = {}
    for entity, label in zip(ordered, pack.labels(ordered), strict=True):
        name = quotable(label) or f"entity {entity}"
        if name in names or len(names) < MAX_NAMES:
            names.setdefault(name, []).append(entity)
    return {name: tuple(entities) for name, entities in names.items()}
