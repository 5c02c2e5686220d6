"""Passages of the pack that may answer a question: LTGen's other kind of context (section 4).

Found by their words (BM25) among those about the linked entities, in the whole pack where there are none; the
best are ordered anew by sentence vectors, where an encoder is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from kgask.errors import PackError
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.types import Candidate, EntityId, Evidence, Passage, Question, Seed

TOP_PASSAGES = 10  # LTGen, section 4
LOOKED_AT = 50  # the best by their words, which the encoder orders
MAX_NAME_WORDS = 8  # of names that are looked for in a passage


class PassageFinder:
    """Passages of one pack. Raises PackError for a pack that has none."""

    def __init__(self, pack: Pack, encoder: TextEncoder | None, top: int = TOP_PASSAGES) -> None:
        if pack.passages is None:
            raise PackError(f"{pack.path}: has no passages; build it again with: kgask pack build ... --passages FILE")
        self._pack, self._passages, self._encoder, self._top = pack, pack.passages, encoder, top

    def find(self, question: Question, seeds: Sequence[Seed]) -> tuple[Passage, ...]:
        """The best passages, best first."""
        about = [seed.entity for seed in seeds]
        found = self._passages.search(question.text, LOOKED_AT, about) if about else []
        known = {passage.id for passage in found}
        # A question shares no word with many a passage about its topic.
        found += [one for one in self._passages.of(about, LOOKED_AT) if one.id not in known][: LOOKED_AT - len(found)]
        if not found:
            found = self._passages.search(question.text, LOOKED_AT)
        if self._encoder is None or len(found) < 2:
            return tuple(found[: self._top])
        texts = [self._encoder.as_question(question.text), *(self._encoder.as_text(one.text) for one in found)]
        vectors = self._encoder.encode(texts)
        order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[: self._top]
        return tuple(found[row] for row in order.tolist())

    def beside(self, evidence: Evidence, question: Question, seeds: Sequence[Seed], answers: bool) -> Evidence:
        """The evidence with the best passages beside its triples; with ``answers`` what they name may be answered."""
        texts = self.find(question, seeds)
        if not answers:
            return replace(evidence, passages=texts)
        known = {one.entity for one in evidence.candidates}
        more = tuple(Candidate(entity, 0.0) for entity in self.named(texts) if entity not in known)
        return replace(evidence, passages=texts, candidates=evidence.candidates + more)

    def telling(self, passages: Sequence[Passage], entities: Iterable[EntityId]) -> tuple[Passage, ...]:
        """Those of the passages that name any of the entities, in their order."""
        named = self.named(passages)
        wanted = {passage.id for entity in entities for passage in named.get(entity, ())}
        return tuple(passage for passage in passages if passage.id in wanted)

    def named(self, passages: Iterable[Passage]) -> dict[EntityId, list[Passage]]:
        """The entities that the passages are about or name, in their order, each with the passages that do."""
        entities: dict[EntityId, list[Passage]] = {}
        for passage in passages:
            hits = self._pack.exact(phrases(passage.text))
            named = (hit.entity for found in hits.values() for hit in found)
            for entity in dict.fromkeys([*passage.entities, *named]):
                entities.setdefault(entity, []).append(passage)
        return entities


def phrases(text: str) -> list[str]:
    """Every run of up to :data:`MAX_NAME_WORDS` words of a text that begins with a capital or a digit, normalised."""
    words = re.findall(r"\S+", text)
    found: dict[str, None] = {}
    for start, word in enumerate(words):
        if word.lstrip("([\"'")[:1].isupper() or word[:1].isdigit():
            for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1):
                norm = normalise(" ".join(words[start:end]).strip("()[].,;:!?\"'"))
                found[norm] = None
    found.pop("", None)
    return list(found)
