"""A cross-encoder over a question and the queries that it may ask: does this query ask what the question does?

A model folder like the planner's: ``model.json``, ``judge.onnx`` (int8) and ``tokenizer.json``, written by ``kgask
train judge``. All queries of a question are judged together, in words, each with what it comes to::

    [CLS] how many countries border Germany? [SEP] (2) (query) the number of countries that share border with Germany
    (separator) 9 ... [SEP]

The verdict on a query stands at its number, that on all of them at the first token. A claim is judged in the same way
over what the graph says of what it names (:mod:`kgask.verify.evidence`), its verdict too at the first token.

Beside it is said how alike question and query are to the sentence encoder, which was not trained on such questions and
so has forgotten no word (KAPING, Baek et al. 2023, ranks triples in this way). Shapes: Q queries, L tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from kgask import config
from kgask.cards import CardFormat, Content
from kgask.errors import ModelError
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.labels import clean_label
from kgask.plan.batches import side_by_side
from kgask.plan.providers import first_line, fits, open_session, open_tokenizer

GRAPH, TOKENIZER = "judge.onnx", "tokenizer.json"
FORMAT = CardFormat("judge", 1, (GRAPH, TOKENIZER), "kgask train judge --help")
INPUTS, OUTPUT = ["input_ids", "attention_mask"], "verdicts"
MOST_QUERIES = 16
SURELY_JUDGED = 9  # of those that are given: what the planner itself read
DECIDED = 3.0  # log-odds from which the order in which queries stand changes next to nothing
QUESTION_CHARS, WORDS_CHARS, OUTCOME_CHARS, EVIDENCE_CHARS = 300, 200, 60, 110
OF_QUERY, OF_ALL = 0, 1  # what is said of a query, of all of them, of a claim: places in the model's output
OF_CLAIM = slice(2, 5)  # supported, refuted, not enough information
FIRST, LAST, SEPARATOR, QUERY, EVIDENCE = "[CLS]", "[SEP]", "[unused0]", "[unused89]", "[unused90]"
NUMBERS = tuple(f"[unused{29 + number}]" for number in range(MOST_QUERIES))  # places that a BERT vocabulary keeps free
_BRACKETS = str.maketrans("[]", "()")  # no text becomes a control token


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said of the queries that a question may ask, in log-odds."""

    places: tuple[int, ...]  # of the queries that were judged, among those that were given
    queries: tuple[float, ...]  # of each of them, that it asks what the question does
    any: float  # that one of them does
    alike: tuple[float, ...]  # cosine of each with the question, times ten


class PromptTokens:
    """Questions with queries -> token ids."""

    def __init__(self, tokenizer: Any) -> None:
        """``tokenizer`` is of a BERT vocabulary (tokenizers); raises ModelError for another."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        named = (FIRST, LAST, SEPARATOR, QUERY, EVIDENCE, *NUMBERS)
        self._controls = {name: tokenizer.token_to_id(name) for name in named}
        if None in self._controls.values():
            raise ModelError("not the tokenizer of a judge: it lacks tokens that BERT's vocabulary keeps free")

    def encode(
        self, question: str, queries: Sequence[tuple[str, str]], is_claim: bool = False
    ) -> tuple[list[int], list[int]]:
        """Token ids, and where the queries' numbers stand; ``queries`` are words and outcome of each.

        Of a claim they are what the graph says.
        """
        mark, most = (EVIDENCE, EVIDENCE_CHARS) if is_claim else (QUERY, OUTCOME_CHARS)
        ids = [self._controls[FIRST], *self._text(question, QUESTION_CHARS), self._controls[LAST]]
        places = []
        for number, (words, outcome) in zip(NUMBERS, queries, strict=False):
            places.append(len(ids))
            ids += [self._controls[number], self._controls[mark], *self._text(words, WORDS_CHARS)]
            ids += [self._controls[SEPARATOR], *self._text(outcome, most)]
        return [*ids, self._controls[LAST]], places

    def _text(self, text: str, most: int) -> list[int]:
        clean = clean_label(text, most).translate(_BRACKETS)
        found: list[int] = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return found


def _is_torn(odds: np.ndarray) -> bool:
    """Whether another order may change who wins, or whether it is believed."""
    if len(odds) < 2:
        return False
    second, first = np.sort(odds)[-2:]
    return first > -DECIDED and (first < DECIDED or first - second < DECIDED)


class QueryJudge:
    """A judge's folder; its graph, and the shipped sentence encoder, are opened when it is first asked."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelError for what is no judge's folder."""
        self.folder = folder
        with FORMAT.reading(folder) as content:
            self.card: Content = content
            self.hash = str(content["files"][GRAPH]["sha256"])
            self._most_tokens = int(content["max_tokens"])
        self._before: dict[str, np.ndarray] = {}  # vectors of the last call's texts

    @cached_property
    def _tokens(self) -> PromptTokens:
        return PromptTokens(open_tokenizer(self.folder / TOKENIZER, self._most_tokens))

    @cached_property
    def encoder(self) -> TextEncoder:
        return TextEncoder.load(config.shipped_root("model") / config.DEFAULT_ENCODER)

    @cached_property
    def _session(self) -> Any:
        session, _ = open_session(self.folder / GRAPH)
        names = [node.name for node in session.get_inputs()], [node.name for node in session.get_outputs()]
        if names != (INPUTS, [OUTPUT]):
            raise ModelError(f"{self.folder / GRAPH}: not a judge's graph; make it again: {FORMAT.command}")
        return session

    def judge(self, question: str, queries: Sequence[tuple[str, str]], in_both_orders: bool = False) -> Judged:
        """At most :data:`MOST_QUERIES`: the first :data:`SURELY_JUDGED`, then those most alike to the question.

        Fewer where they are too long together, but one at least. What is said of a query depends on where it stands:
        ``in_both_orders`` takes the mean with what is said of them the other way round, where that may matter. Raises
        ModelError when the session fails.
        """
        compare, shown = partial(self._alike, question, [words for words, _ in queries]), [*range(len(queries))]
        if len(queries) > SURELY_JUDGED:
            alike = compare()
            others = SURELY_JUDGED + np.argsort(-alike[SURELY_JUDGED:], kind="stable")
            shown = [*shown[:SURELY_JUDGED], *others.tolist()][:MOST_QUERIES]
            ids, places = self._fitting(question, queries, shown)
            odds, any_does = self._odds(ids, places)
        else:  # all are shown as they stand, so that neither model waits for the other
            ids, places = self._fitting(question, queries, shown)
            self._session, self.encoder  # noqa: B018 - opened here: two threads must not
            (odds, any_does), alike = side_by_side(partial(self._odds, ids, places), compare)
        shown = shown[: len(places)]
        if in_both_orders and _is_torn(odds):
            turned, said = self._odds(*self._fitting(question, queries, shown[::-1]))
            odds, any_does = (odds + turned[::-1]) / 2, (any_does + said) / 2
        return Judged(tuple(shown), tuple(odds.tolist()), any_does, tuple(alike[shown].tolist()))

    def _odds(self, ids: Sequence[int], places: Sequence[int]) -> tuple[np.ndarray, float]:
        """Of each query of a prompt, float32 [Q], and of any of them."""
        found = self._said(ids)
        return found[places, OF_QUERY], float(found[0, OF_ALL])

    def _fitting(
        self, question: str, queries: Sequence[tuple[str, str]], shown: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """The prompt of as many of the queries at these places as there is room for, one at least."""
        ids, places = self._tokens.encode(question, [queries[at] for at in shown])
        if len(ids) > self._most_tokens and len(shown) > 1:
            return self._fitting(question, queries, shown[:-1])
        return ids, places

    def _alike(self, question: str, words: Sequence[str]) -> np.ndarray:
        """float32 [Q]: the cosine of each with the question, times ten."""
        vectors = self._encoded([question, *words])
        return 10 * vectors[1:] @ vectors[0]

    def _encoded(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [B, D]; what the call before encoded too is not encoded again (a claim's two wordings share most)."""
        known = self._before
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        found = known | dict(zip(unknown, self.encoder.encode(unknown), strict=True))
        self._before = {text: found[text] for text in texts}
        return np.stack([found[text] for text in texts])

    @property
    def tells_kinds(self) -> bool:
        """Whether it was trained with what sort of thing a query comes to before what that is."""
        return bool(self.card.get("tells_kinds"))

    @property
    def judges_claims(self) -> bool:
        """Whether it was trained to."""
        return bool(self.card.get("claims_by_evidence"))

    def judge_claim(self, claim: str, evidence: Sequence[tuple[str, str]]) -> tuple[float, float, float]:
        """Log-probabilities that it is supported, refuted, neither; ``evidence`` is words and outcome of each line.

        Lines for which there is no room are left out. Raises ModelError when the session fails.
        """
        shown = [*evidence][:MOST_QUERIES]
        ids, _ = self._tokens.encode(claim, shown, is_claim=True)
        while len(ids) > self._most_tokens and shown:
            shown.pop()
            ids, _ = self._tokens.encode(claim, shown, is_claim=True)
        odds = self._said(ids)[0, OF_CLAIM].astype(np.float64)
        if len(odds) != OF_CLAIM.stop - OF_CLAIM.start:
            raise ModelError(f"{self.folder / GRAPH}: judges no claims; make it again: {FORMAT.command}")
        supported, refuted, unknown = (odds - np.logaddexp.reduce(odds)).tolist()
        return supported, refuted, unknown

    def _said(self, ids: Sequence[int]) -> np.ndarray:
        """float32 [L, 5] for a prompt."""
        rows = np.array([ids[: self._most_tokens]], np.int64)
        try:
            (verdicts,) = self._session.run([OUTPUT], {INPUTS[0]: rows, INPUTS[1]: np.ones_like(rows)})
        except Exception as error:  # the binding raises many unrelated types
            raise ModelError(f"the judge failed on {len(ids)} tokens ({first_line(error)})") from error
        fits("verdicts", verdicts, *rows.shape, OF_CLAIM.stop)
        return np.nan_to_num(verdicts[0])


def opened_judge(name: str | None, settings: Mapping[str, Any]) -> QueryJudge | None:
    """The judge of this name, of the settings, or the shipped one; None for None."""
    if name is None:
        return None
    return QueryJudge(config.find("model", name or str(settings.get("judge", config.DEFAULT_JUDGE))).path)
