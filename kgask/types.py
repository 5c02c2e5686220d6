"""The values that flow through link, plan, retrieve and read.

Everything here is frozen and carries integer ids; labels are fetched once, at
the edge. Shapes in comments: N entities, R relations, T triples, H hops.

Directed relations: relation ``r`` followed from subject to object is ``r``,
followed from object to subject it is ``r + R``. Only :func:`directed`,
:func:`undirected` and :func:`opposite` know that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # kgask.types is loaded by every command, `kgask --help` too; numpy costs a tenth of a second
    import numpy as np

EntityId = int
RelationId = int
DirectedRelationId = int
TripleId = int  # row number in (subject, relation, object) order
Statement = tuple[tuple[RelationId, EntityId], ...]  # the qualifiers that a triple is said with, in ascending order

# "part": the question says only part of the name; "title": what the graph says it is called
Match = Literal["label", "alias", "part", "title", "typo", "given"]
Stage = Literal["link", "plan", "retrieve", "confidence", "read"]  # where a question can die

MASK = "[MASK]"  # stands for an entity in every planner text
PLANNED = "rigel"  # the method that plans before it retrieves

ANSWER_TYPES = ("entity", "date", "number", "yes/no")  # columns of Branch.answer_types


def directed(relation: RelationId, inverse: bool, n_relations: int) -> DirectedRelationId:
    """Encode a relation and the direction it is followed in."""
    return relation + n_relations if inverse else relation


def undirected(directed_relation: DirectedRelationId, n_relations: int) -> tuple[RelationId, bool]:
    """Decode :func:`directed`: ``(relation, inverse)``."""
    if directed_relation >= n_relations:
        return directed_relation - n_relations, True
    return directed_relation, False


def opposite(directed_relation: DirectedRelationId, n_relations: int) -> DirectedRelationId:
    """The same relation followed in the other direction."""
    return (directed_relation + n_relations) % (2 * n_relations)


@dataclass(frozen=True, slots=True)
class Question:
    text: str  # without the brackets of marked mentions
    history: tuple[str, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()  # character offsets of what the user marked as mentions
    asked: str = ""  # as it was asked, where that differs


@dataclass(frozen=True, slots=True)
class Seed:
    """A topic entity, and the characters of the question that name it."""

    entity: EntityId
    span: tuple[int, int]  # character offsets in the question, end exclusive
    score: float  # 0..1, how well the candidate fits the mention; not a distribution
    mention: str = ""  # what the question says
    name: str = ""  # the label or alias that it was read as
    match: Match = "label"
    features: tuple[float, ...] = ()  # what the score is made of, in the order of link.features.FEATURES
    key: str = ""  # of the entity; filled in when an answer is composed, as is its label
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of the question with every entity that it may name, best first."""

    span: tuple[int, int]
    text: str
    seeds: tuple[Seed, ...]
    whole: bool = True  # the name does not go on beside the span
    unused: tuple[str, ...] = ()  # names and numbers that the question gives besides
    n_same: int = 1  # entities with the best seed's very name

    @property
    def is_shared(self) -> bool:
        """Whether several entities have it as a part of their names, none of them far better known than the others."""
        return len(self.seeds) > 1 and all(seed.match == "part" for seed in self.seeds)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Relation distributions from one set of seeds (Rigel + LM, section 3.1)."""

    seeds: tuple[Seed, ...]
    relation_probs: np.ndarray  # float32 [H, 2R]; what a row lacks to 1 is "no such relation here"
    stop_probs: np.ndarray  # float32 [H]: the path ends after hop h, given that it came so far
    topic_prob: float = 1.0  # the masked span is a topic of the question
    constrained_prob: float = 0.0  # the question names something else that narrows the answers
    answer_types: np.ndarray | None = None  # float32 [4]: see ANSWER_TYPES
    path_prob: float = 1.0  # the question asks for what a path leads to, and nothing else

    @property
    def hop_weights(self) -> np.ndarray:
        """Where the answer lies, a distribution float32 [H]; the last hop takes what is left."""
        weights = self.stop_probs.copy()
        weights[-1] = 1.0
        weights[1:] *= (1.0 - self.stop_probs[:-1]).cumprod()
        return weights


@dataclass(frozen=True, slots=True)
class HopPlan:
    branches: tuple[Branch, ...]
    combine: Literal["union", "intersection"] = "union"


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    triple: TripleId
    hop: int  # 1-based
    score: float
    inverse: bool  # followed from object to subject


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity or literal that may be the answer."""

    entity: EntityId
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with the entities that it is about."""

    id: int
    text: str
    entities: tuple[EntityId, ...]
    score: float = 0.0  # how well it fits what was searched for; comparable within a search


@dataclass(frozen=True, slots=True)
class Evidence:
    triples: tuple[ScoredTriple, ...]  # what the reader sees, in plan order
    candidates: tuple[Candidate, ...]  # the whole answer set of the plan, best first
    truncated: bool  # more triples matched than are listed
    mass: float = 1.0  # probability of the plan's paths that the triples and candidates come from
    passages: tuple[Passage, ...] = ()  # texts beside the triples, best first


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader made of the evidence."""

    text: str
    cited_lines: tuple[int, ...]  # 1-based line numbers of the evidence
    abstained: bool
    entities: tuple[EntityId, ...] = ()  # the candidates that the text names
    prob: float = 1.0  # probability of the reply under the reader and its constraint
    line_probs: Mapping[int, float] = field(default_factory=dict)  # 1-based line -> probability that it answers
    written: str | None = None  # the whole text of a reader that writes freely
    unverified: tuple[str, ...] = ()  # pieces of it that name no candidate


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to understand the question: a seed and a path of the plan from it."""

    seed: Seed
    relations: tuple[DirectedRelationId, ...]
    score: float  # comparable within a question; not a probability
    answers: tuple[EntityId, ...]  # the first few
    n_answers: int
    path: tuple[str, ...] = ()  # labels of the relations, filled in when an answer is composed
    labels: tuple[str, ...] = ()  # of the answers


@dataclass(frozen=True, slots=True)
class BeamPath:
    """A relation path that the search looked at, and what became of it."""

    seed: EntityId
    relations: tuple[DirectedRelationId, ...]
    probs: tuple[float, ...]  # one a hop, of the plan
    prob: float  # of the whole path; with STOP where it was kept as an answer
    fate: str  # "answer", or why it was not followed


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """Words of a question that a step of a query may point at, and what they are read as first."""

    text: str
    kind: str  # entity, class, number, date or rank
    meaning: str


@dataclass(frozen=True, slots=True)
class QueryReading:
    """A query that a question may be, in words."""

    query: str  # text form
    prob: float  # of the query as it was written, with those of its links
    outcome: str  # what it came to
    left_out: tuple[str, ...]  # words of the question that no step is about, or that demand what it does not do


@dataclass(frozen=True, slots=True)
class QueryReadings:
    """What a question may be as a query."""

    spans: tuple[FoundSpan, ...]  # of the best reading
    kinds: tuple[tuple[str, float], ...]  # the likeliest kinds of question with their probabilities, likeliest first
    queries: tuple[QueryReading, ...]  # best first
    none_prob: float  # that the graph has no relation for what is asked


@dataclass(frozen=True, slots=True)
class Explanation:
    """What ``--explain`` shows besides the answer itself."""

    candidates: tuple[Seed, ...] = ()  # every candidate that was looked at, best first
    beam: tuple[BeamPath, ...] = ()  # of the best reading, most probable first
    queries: QueryReadings | None = None  # where the question was read as a query with operators
