"""The retrieval methods by name, and what each is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import UsageError
from kgask.methods.base import Method
from kgask.protocols import Reader
from kgask.types import PLANNED, Branch, Question, Seed

# Name -> what it is, for --help and the README.
METHODS = {
    PLANNED: "the planner says which relations to follow (Rigel + LM); the default",
    "similarity": "the triples around the topic that are most similar to the question (KAPING)",
    "kg-gpt": "sentence segments, each with its relations, chosen by the reader (KG-GPT)",
    "relation-rank": "relations of each linked entity, ranked by the reader (LTGen)",
    "random": "triples drawn from around the topic (baseline)",
    "popular": "triples of the graph's most frequent relations (baseline)",
    "none": "no triples: what the reader knows by itself; only with --free (baseline)",
}


@dataclass(frozen=True, slots=True)
class Parts:
    """What methods are made of. Nothing is opened before a method needs it."""

    encoder: Path  # folder of the sentence encoder
    reader: Reader | None
    plan: Callable[[Question, Sequence[Seed]], Branch | None]  # the planner, for readers that cannot be asked
    shots: int | None = None  # examples that a model is shown; None: as many as the method likes


def _asking(name: str, parts: Parts) -> Method:
    """A method that asks a language model; the planner answers for kgask's own reader, which cannot be asked."""
    from kgask.methods import kg_gpt, relation_rank
    from kgask.read.foreign_reader import ForeignReader

    model = getattr(parts.reader, "model", parts.reader)  # of a reader that writes freely
    asks = isinstance(model, ForeignReader)
    if name == "kg-gpt":
        more = {} if parts.shots is None else {"shots": parts.shots}
        return kg_gpt.KgGpt(kg_gpt.ModelSplitter(model, **more) if asks else kg_gpt.PlannerSegments(parts.plan))
    return relation_rank.RelationRank(
        relation_rank.ModelRanker(model) if asks else relation_rank.PlannerRanks(parts.plan)
    )


def make_method(name: str, parts: Parts) -> Method:
    """Raises UsageError for a name that there is not, ModelError for parts that do not fit."""
    if name not in METHODS or name == PLANNED:
        raise UsageError(f"no method {name!r}; there are {', '.join(METHODS)}")
    if name == "similarity":
        from kgask.methods.similarity import Similarity
        from kgask.methods.text_encoder import TextEncoder

        return Similarity(TextEncoder.load(parts.encoder))
    if name in ("kg-gpt", "relation-rank"):
        return _asking(name, parts)
    from kgask.methods.baselines import NoKnowledge, PopularRelations, RandomTriples

    return {"none": NoKnowledge, "random": RandomTriples, "popular": PopularRelations}[name]()
