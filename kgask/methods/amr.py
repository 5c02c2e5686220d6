"""LTGen's AMR ranker (Huang et al. 2024, section 4.2.2): is this entity-relation pair needed to answer the question?

Each linked entity's relations get a probability from the question's text and its AMR; entities, relations and triples
are then taken as in :mod:`kgask.methods.relation_rank`. The model is trained by ``kgask train amr``: a folder with
``model.json`` and ``ranker.onnx``, used with the sentence encoder that it was trained over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgask.cards import CardFormat, Content
from kgask.errors import ModelError, UsageError
from kgask.methods.amr_graph import N_KINDS, AmrGraph
from kgask.methods.amr_inputs import INPUTS, AmrInputs, amr_inputs, relation_vectors
from kgask.methods.amr_source import PARSER, AmrSource, open_source
from kgask.methods.base import Found, PerPack, TripleRetriever
from kgask.methods.protocol import Scope
from kgask.methods.relation_rank import MAX_ENTITIES, MAX_RELATIONS, MAX_TRIPLES, Ranking, RelationRank
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.labels import clean_label
from kgask.pack.store import Pack
from kgask.plan.providers import first_line, open_session
from kgask.types import DirectedRelationId, EntityId, Question, Seed, directed
from kgask.verbalise import directed_words, walked_ends

GRAPH, OUTPUT = "ranker.onnx", "probs"
FORMAT = CardFormat("amr", 1, (GRAPH,), "kgask train amr --help")
MOST_PAIRS = 200  # of an entity; of more relations those are ranked that are most similar to the question
EVERY = MAX_ENTITIES * MAX_RELATIONS * MAX_TRIPLES


@dataclass(frozen=True, slots=True)
class AmrCard:
    """A checked card."""

    folder: Path
    encoder_hash: str  # SHA-256 of the encoder.onnx that the model was trained over
    hash: str  # SHA-256 of ranker.onnx, as the card states it
    content: Content

    @classmethod
    def load(cls, folder: Path) -> AmrCard:
        """Raises ModelError for what is no such folder."""
        with FORMAT.reading(folder) as content:
            if content["n_kinds"] != N_KINDS:
                raise ValueError(f"{content['n_kinds']} kinds of nodes")
            return cls(folder, str(content["encoder"]), str(content["files"][GRAPH]["sha256"]), content)


class AmrModel:
    """A loaded ranker."""

    def __init__(self, card: AmrCard, session: Any) -> None:
        self.card, self._session = card, session

    @classmethod
    def load(cls, folder: Path, encoder: TextEncoder) -> AmrModel:
        """Open a folder, on the CPU; raises ModelError when it is none, or of another encoder."""
        card = AmrCard.load(folder)
        if card.encoder_hash != encoder.card.hash:
            raise ModelError(
                f"{folder}: trained over another encoder than {encoder.card.folder}; name that one with --encoder, "
                "or train again: kgask train amr --encoder"
            )
        session, _ = open_session(folder / GRAPH)
        names = tuple(node.name for node in session.get_inputs()), [node.name for node in session.get_outputs()]
        if names != (INPUTS, [OUTPUT]):
            raise ModelError(f"{folder / GRAPH}: not an AMR ranker's graph; make it again: kgask train amr")
        return cls(card, session)

    def probs(self, inputs: AmrInputs) -> np.ndarray:
        """float32 [P]: each pair's own probability, not a distribution. Raises ModelError when the session fails."""
        try:
            return self._session.run([OUTPUT], inputs.arrays())[0]
        except Exception as error:  # the binding raises many unrelated types
            raise ModelError(f"{self.card.folder}: the AMR ranker failed ({first_line(error)})") from error


class AmrRank(TripleRetriever):
    """See :class:`kgask.methods.protocol.Retriever`; one hop, as relation-rank."""

    name = "amr"

    def __init__(self, source: AmrSource, model: AmrModel, encoder: TextEncoder) -> None:
        self._source, self._model, self._encoder = source, model, encoder
        self.hash = model.card.hash
        self.of_pack = PerPack(self._of_pack)

    @classmethod
    def open(cls, source: str | None, model: Path | None, encoder: Path) -> AmrRank:
        """``source`` is an AMR file or ``parser``, the others are folders. Raises UsageError or ModelError."""
        if source is None:
            raise UsageError(f"--method amr needs the questions' AMRs: --amr FILE (Penman notation), or --amr {PARSER}")
        if model is None:
            raise UsageError("--method amr needs a ranker: --amr-model FOLDER; make one: kgask train amr --help")
        loaded = TextEncoder.load(encoder)
        return cls(open_source(source), AmrModel.load(model, loaded), loaded)

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        """Triples in order of their pair's probability. Raises MethodError for a question without an AMR."""
        ranker = _PairRanker(self, self._source.graph(question))
        found = RelationRank(ranker).find(question, seeds, pack, replace(scope, top_k=EVERY))
        starts, relations, _ = (array.tolist() for array in walked_ends(found.triples, pack))
        pairs = zip(starts, relations, found.triples, strict=True)
        scored = [
            replace(triple, score=ranker.probs[start, directed(relation, triple.inverse, pack.n_relations)])
            for start, relation, triple in pairs
        ]
        scored.sort(key=lambda triple: -triple.score)
        truncated = found.truncated or len(scored) > scope.top_k
        return replace(found, triples=tuple(scored[: scope.top_k]), truncated=truncated)

    def pair_probs(
        self, question: str, entity: str, names: Sequence[str], relations: np.ndarray, graph: AmrGraph, pack: Pack
    ) -> np.ndarray:
        """float32 [P]: of the entity with each of the directed ``relations``."""
        words, vectors = self.of_pack(pack)
        chosen = [words[relation] for relation in relations.tolist()]
        inputs = amr_inputs(self._encoder, question, entity, chosen, vectors[relations], graph.about(entity, *names))
        return self._model.probs(inputs)

    def likeliest(self, question: str, relations: np.ndarray, pack: Pack) -> np.ndarray:
        """At most :data:`MOST_PAIRS` of the directed relations, ascending: those most similar to the question."""
        if len(relations) <= MOST_PAIRS:
            return relations
        likeness = self.of_pack(pack)[1][relations] @ self._encoder.encode([question])[0]
        return np.sort(relations[np.argsort(-likeness, kind="stable")[:MOST_PAIRS]])

    def _of_pack(self, pack: Pack) -> tuple[list[str], np.ndarray]:
        """Words and vectors of the directed relations."""
        words = directed_words(pack)
        return words, relation_vectors(self._encoder, words)


class _PairRanker:
    """Ranks for one question, and remembers the probabilities; see :class:`kgask.methods.relation_rank.Ranker`."""

    def __init__(self, method: AmrRank, graph: AmrGraph) -> None:
        self._method, self._graph = method, graph
        self.probs: dict[tuple[EntityId, DirectedRelationId], float] = {}

    def rank(self, question: Question, seed: Seed, present: np.ndarray, pack: Pack) -> Ranking:
        relations = self._method.likeliest(question.text, np.flatnonzero(present), pack)
        entity = clean_label(pack.labels([seed.entity])[0])
        names = (seed.mention, seed.name)
        probs = self._method.pair_probs(question.text, entity, names, relations, self._graph, pack)
        best = np.argsort(-probs, kind="stable")[:MAX_RELATIONS]
        ranked = tuple(relations[best].tolist())
        self.probs |= {(seed.entity, relation): float(probs[at]) for relation, at in zip(ranked, best, strict=True)}
        return Ranking(ranked)
