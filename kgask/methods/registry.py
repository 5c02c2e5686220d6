"""The retrieval methods by name, and what each is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgask import config
from kgask.errors import UsageError
from kgask.methods.base import TripleRetriever
from kgask.read.protocol import Reader
from kgask.types import PLANNED, Branch, Question, Seed

if TYPE_CHECKING:
    from kgask.methods.shots import Kind

NO_TRIPLES = "none"
# Name -> what it is, for --help and the README.
METHODS = {
    PLANNED: "the planner says which relations to follow (Rigel + LM); the default",
    "similarity": "the triples around the topic that are most similar to the question (KAPING)",
    "kg-gpt": "sentence segments, each with its relations, chosen by the reader (KG-GPT)",
    "relation-rank": "relations of each linked entity, ranked by the reader (LTGen)",
    "amr": "relations of each linked entity, ranked by the question's AMR (LTGen)",
    "random": "triples drawn from around the topic (baseline)",
    "popular": "triples of the graph's most frequent relations (baseline)",
    NO_TRIPLES: "no triples: what the reader knows by itself; only with --free (baseline)",
}


Plan = Callable[[Question, Sequence[Seed]], Branch | None]  # the planner, for readers that cannot be asked


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """What methods are told besides the question; models by name or path."""

    encoder: str = config.DEFAULT_ENCODER  # the sentence encoder of similarity, and of passages
    shots: int | None = None  # examples that kg-gpt shows its model; None: as many as it likes
    claims: bool = False  # what is asked are claims: kg-gpt splits them by examples of their own
    amr: str | None = None  # a file with the questions' AMRs, or "parser"
    amr_model: str | None = None  # their ranker

    @classmethod
    def of(cls, settings: Mapping[str, Any], **given: Any) -> MethodOptions:
        """What is given; then what the settings say; then what ships."""
        settled = {name: str(settings[name]) for name in ("encoder",) if name in settings}
        return cls(**settled | {name: value for name, value in given.items() if value is not None})


def _asking(name: str, options: MethodOptions, reader: Reader | None, plan: Plan) -> TripleRetriever:
    """A method that asks a language model; the planner answers for kgask's own reader, which cannot be asked."""
    from kgask.methods import kg_gpt, relation_rank

    model = reader.language_model if reader is not None else None
    if name == "kg-gpt":
        more = {} if options.shots is None else {"shots": options.shots}
        kind: Kind = "claim" if options.claims else "question"
        return kg_gpt.KgGpt(kg_gpt.ModelSplitter(model, kind, **more) if model else kg_gpt.PlannerSegments(plan))
    return relation_rank.RelationRank(relation_rank.ModelRanker(model) if model else relation_rank.PlannerRanks(plan))


def make_method(name: str, options: MethodOptions, reader: Reader | None, plan: Plan) -> TripleRetriever:
    """Nothing is opened that the method does not need.

    Raises UsageError for a name that there is not, ModelError for a model that does not fit.
    """
    if name not in METHODS or name == PLANNED:
        raise UsageError(f"no method {name!r}; there are {', '.join(METHODS)}")
    if name == "similarity":
        from kgask.methods.similarity import Similarity
        from kgask.methods.text_encoder import TextEncoder

        return Similarity(TextEncoder.load(config.find("model", options.encoder).path))
    if name in ("kg-gpt", "relation-rank"):
        return _asking(name, options, reader, plan)
    if name == "amr":
        from kgask.methods.amr import AmrRank

        ranker = config.find("model", options.amr_model).path if options.amr_model else None
        return AmrRank.open(options.amr, ranker, config.find("model", options.encoder).path)
    from kgask.methods.baselines import NoKnowledge, PopularRelations, RandomTriples

    baselines: dict[str, Callable[[], TripleRetriever]] = {
        one.name: one for one in (NoKnowledge, RandomTriples, PopularRelations)
    }
    return baselines[name]()
