"""Claims judged by the user's language model over the evidence that it chose: KG-GPT (Kim et al. 2023), section 2.

It splits a claim into sub-sentences, chooses relations for each, and says yes or no to the evidence graph. A model has
no word for what the graph does not say: without evidence, and where it says neither, there is not enough information.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.answer.words import support_in_words
from kgask.verify.lines import of_lines
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN, Verdict

METHOD, PROMPT = "kg-gpt", "kg-gpt-claim"  # what the pipeline is opened with
SAID = "the model says so of this evidence"
_WORD = re.compile(r"\w+")
_TRUTHS = {"yes": True, "true": True, "supported": True, "no": False, "false": False, "refuted": False}


@dataclass(frozen=True, slots=True)
class PromptedVerifier:
    """Judges claims over the pack of a pipeline whose reader writes freely."""

    pipeline: Pipeline

    def verify(self, claim: str) -> Verdict:
        """The verdict on one claim; raises as :meth:`verify_many` does."""
        return self.verify_many([claim])[0]

    def verify_many(self, claims: Sequence[str]) -> list[Verdict]:
        """The verdicts on claims, in order.

        Raises :class:`~kgask.errors.UsageError` for an empty or an overlong claim and
        :class:`~kgask.errors.ModelError` where the model does not write what it is shown.
        """
        texts = [checked_question(claim, "claim") for claim in claims]
        answers = self.pipeline.ask_many(texts, AskOptions(min_confidence=0.0))
        return [self._verdict(text, answer) for text, answer in zip(texts, answers, strict=True)]

    def verify_lines(self, lines: Sequence[str]) -> list[Verdict]:
        """As :meth:`verify_many`; a line that is no claim is judged with the reason."""
        return of_lines(self.verify_many, lines, self.pipeline.hashes())

    def _verdict(self, claim: str, answer: Answer) -> Verdict:
        triples = answer.evidence.triples if answer.evidence is not None else ()
        word, hashes = _WORD.search((answer.written or "").lower()), self.pipeline.hashes()
        truth = _TRUTHS.get(word[0]) if word else None
        if not triples or truth is None:
            reason = "the model says neither yes nor no" if triples else answer.reason or "there is no evidence"
            return Verdict(claim, UNKNOWN, 0.0, reason=reason, hashes=hashes)
        found = support_in_words(self.pipeline.pack, triples)
        told = Verdict(claim, SUPPORTED, answer.confidence, found, rule="evidence", said=SAID, hashes=hashes)
        return told if truth else replace(told, verdict=REFUTED, support=(), counter=found)
