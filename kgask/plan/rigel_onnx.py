"""Rigel at answer time: relation distributions per hop from an ONNX graph.

"Knowledge Graph-augmented Language Models for Complex Question Answering",
section 3.1; relations are scored by their texts, so one model serves any pack.
Shapes: B questions, R relations, H hops, D vector width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgask.errors import ModelError
from kgask.machine.files import read_regular
from kgask.pack.labels import relation_phrase
from kgask.pack.records import RelationText
from kgask.plan.batches import Batches
from kgask.plan.card import CLOSED_FILE, RigelCard
from kgask.plan.matrix_cache import cached_matrix, content_of, key_of, read_matrix
from kgask.plan.operands import token_shares
from kgask.plan.providers import (
    CPU_GRAPH,
    CUDA,
    CUDA_GRAPH,
    FULL_GRAPH,
    QUERY_GRAPH,
    Session,
    fits,
    open_on_cpu,
    open_session,
    open_tokenizer,
)
from kgask.plan.query_onnx import KINDS, READ_OUTPUTS, Pointed, QueryWriter, QuestionRead, Sense, Written
from kgask.query.postfix import Pick
from kgask.types import MASK

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MASK_TOKENS = ("[MASK]", "<mask>")  # what the tokenizers of BERT-like and RoBERTa-like encoders call it
PAD_TOKENS = ("[PAD]", "<pad>")
# A relation's vector is the weighted mean of its texts' vectors; the label says most.
LABEL_WEIGHT, ALIAS_WEIGHT = 2.0, 1.0
MAX_ALIASES = 4
_MOST_WORDS = 1 << 24  # bytes of question_words.txt
INPUTS = ["input_ids", "attention_mask", "directed", "first_mask"]
PLAN_OUTPUTS = ["relation_probs", "stop_probs", "branch_scores", "answer_types"]
TEXT_OUTPUTS = ["text_vectors", "inverse_vectors"]


@dataclass(frozen=True, slots=True, eq=False)
class HopDistributions:
    """What the plan says for B questions."""

    relation_probs: np.ndarray  # float32 [B, H, 2R]; the rest to 1 is "no such relation"
    stop_probs: np.ndarray  # float32 [B, H]
    branch_scores: np.ndarray  # float32 [B, 2]: P(the masked span is a topic), P(a further seed narrows the answers)
    answer_types: np.ndarray  # float32 [B, 4]: entity, date, number, yes/no
    kind_probs: np.ndarray | None = None  # float32 [B, K], plan.query_onnx.KINDS; None where it writes no queries


def special_token(tokenizer: Tokenizer, names: Sequence[str]) -> str | None:
    """The first of ``names`` that the tokenizer has."""
    return next((name for name in names if tokenizer.token_to_id(name) is not None), None)


def mask_mention(text: str, span: tuple[int, int]) -> str:
    """The question as the planner reads it: lower case, the mention masked."""
    start, end = span
    return " ".join(f"{text[:start].lower()} {MASK} {text[end:].lower()}".split()).replace(f"{MASK} '", f"{MASK}'")


class RigelPlanner:
    """A loaded planner; not safe to share between threads that close it."""

    def __init__(
        self,
        card: RigelCard,
        session: Session,
        tokenizer: Tokenizer,
        note: str,
        graph: Path | None = None,
        spare: Callable[[], Session] | None = None,
    ) -> None:
        self.card = card
        self._graph = graph  # another graph than the folder's own
        self._session = session
        self._tokenizer = tokenizer
        self._mask_token = special_token(tokenizer, MASK_TOKENS) or MASK
        pad_token = special_token(tokenizer, PAD_TOKENS)
        pad_id = (tokenizer.token_to_id(pad_token) if pad_token else None) or 0
        self._batches = Batches(session, pad_id, spare=spare, note=note)
        has_read = READ_OUTPUTS[0] in {node.name for node in session.get_outputs()}
        self.writes = has_read and QUERY_GRAPH in card.content["files"]  # queries with operators
        self._writer: QueryWriter | None = None  # opened with the first question that needs it
        self._read: dict[str, tuple[QuestionRead, np.ndarray]] = {}  # of the questions planned last, with their kinds

    @property
    def note(self) -> str:
        """What the planner runs on and why, for ``--verbose``; it changes where a GPU fails."""
        return self._batches.note

    @classmethod
    def load(cls, folder: Path, graph: Path | None = None, on_cpu: bool = False) -> RigelPlanner:
        """Open a planner folder (with another graph than its own); :class:`ModelError` when it is not one.

        With ``on_cpu`` a GPU is not looked for.
        """
        card = RigelCard.load(folder)
        tokenizer = open_tokenizer(folder / "tokenizer.json", card.max_tokens)
        if special_token(tokenizer, MASK_TOKENS) is None:
            raise ModelError(f"{folder / 'tokenizer.json'}: has no mask token")
        own = graph or folder / CPU_GRAPH
        for_cuda = [folder / name for name in (CUDA_GRAPH, FULL_GRAPH) if name in card.content["files"]]
        cuda = graph or next(iter(for_cuda), None)
        session, note = (open_on_cpu(own), "planner on the CPU") if on_cpu else open_session(own, cuda)
        check_graph(session, own)
        spare = partial(open_on_cpu, own) if session.get_providers()[0] == CUDA else None
        return cls(card, session, tokenizer, note, graph, spare)

    def is_word(self, word: str) -> bool:
        """Whether a word in lower case is one of the language: the vocabulary has it whole."""
        return self._tokenizer.token_to_id(word) is not None

    def question_words(self) -> frozenset[str]:
        """Words that training questions use around their topics; other words are likely names."""
        path = self.card.folder / "question_words.txt"
        try:
            return frozenset(read_regular(path, _MOST_WORDS).decode().split())
        except UnicodeDecodeError as error:
            raise ModelError(f"{path}: not text; the model is broken") from error
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror}); the model is broken") from error

    def relation_matrix(self, relations: Sequence[RelationText], keep: bool = True) -> np.ndarray:
        """Unit vectors of the directed relations, float32 [2R, D]; cached by the texts encoded and the planner's files,
        unless they are not to be kept.

        A planner with a closed vocabulary looks its relations up by key and
        raises :class:`ModelError` for one that it was not trained on.
        """
        if self.card.closed is not None:
            return self._closed_matrix(self.card.closed, relations)
        texts, owners, weights = weighted_texts(relations)

        def make() -> np.ndarray:
            return mean_directed(self._encode_texts(texts), owners, weights, len(relations))

        if not keep:
            return make()
        key = key_of(self._content(), self.note, texts, owners, weights.ravel().tolist())
        return cached_matrix(key, (2 * len(relations), self._width()), make)

    def _closed_matrix(self, closed: tuple[str, ...], relations: Sequence[RelationText]) -> np.ndarray:
        rows = {key: row for row, key in enumerate(closed)}
        unknown = [relation.key for relation in relations if relation.key not in rows]
        if unknown:
            raise ModelError(
                f"{self.card.folder}: made for one graph, which has no relation {unknown[0]!r}; use another --model"
            )
        matrix = self._closed_file((2 * len(rows), self._width()))
        forward = np.array([rows[relation.key] for relation in relations], np.int64)
        return matrix[np.concatenate([forward, forward + len(rows)])]

    def _closed_file(self, shape: tuple[int, int]) -> np.ndarray:
        """The vectors of the closed vocabulary, both directions; :class:`ModelError` when they do not fit the card."""
        matrix = read_matrix(self.card.folder / CLOSED_FILE, shape)
        if matrix is None:
            raise ModelError(f"{self.card.folder / CLOSED_FILE}: missing or broken; train this planner again")
        return matrix

    def _content(self) -> list[object]:
        """What a text's vector depends on besides the text: files as they are, whatever the card says of them."""
        other = [] if self._graph is None else content_of(self._graph.parent, [self._graph.name])
        return [content_of(self.card.folder, list(self.card.content["files"])), other, self.card.max_tokens]

    def _encode_texts(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors [n, D] of relation texts, followed forward and backward."""
        blank = np.zeros((2, self._width()), np.float32)
        forward, inverse = self._run(texts, blank, np.ones((len(texts), 2), np.float32), TEXT_OUTPUTS)
        return forward, inverse

    def _width(self) -> int:
        return next(node.shape[1] for node in self._session.get_inputs() if node.name == "directed")

    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions:
        """Distributions for masked questions.

        ``directed`` float32 [2R, D] from :meth:`relation_matrix`; ``first_mask``
        [B, 2R], 1 where the topic has the directed relation: what follows hop 1
        is conditioned on those. The distributions themselves are unmasked.
        """
        rows = self._rows(texts)
        outputs = PLAN_OUTPUTS + (READ_OUTPUTS if self.writes else [])
        probs, stops, branches, types, *read = self._batches.run(rows, directed, first_mask, outputs)
        kinds = read.pop() if read else None
        n_hops = probs.shape[1]
        fits("relation_probs", probs, len(texts), n_hops, len(directed) + 1)
        fits("stop_probs", stops, len(texts), n_hops)
        fits("branch_scores", branches, len(texts), 2)
        fits("answer_types", types, len(texts), 4)
        if kinds is not None:
            fits("kind_probs", kinds, len(texts), len(KINDS))
        if kinds is not None:  # a query may be asked for next: what it needs is the same for the same text
            found = zip(rows, *read, strict=True)
            reads = (QuestionRead(tokens[: len(row)], state) for row, tokens, state in found)
            self._read = dict(zip(texts, zip(reads, kinds, strict=True), strict=True))
        return HopDistributions(probs[:, :, :-1], stops, branches, types, kinds)

    def write(
        self, text: str, places: Sequence[tuple[int, int]], kinds: Sequence[str], directed: np.ndarray, pick: Pick,
        sense: Sense,
    ) -> tuple[list[Written], np.ndarray]:  # fmt: skip
        """The likeliest queries of a masked question, best first, and what kind it is, float32 [K].

        ``places`` are the characters of its operands, ``kinds`` their kinds (:data:`kgask.query.postfix.SPAN_KINDS`),
        ``directed`` float32 [2R, D]; ``pick`` and ``sense`` are what the graph says of them.
        """
        encoding = self._tokenizer.encode(text.replace(MASK, self._mask_token))
        read, kind_probs = self._read.get(text) or self._read_one(encoding.ids)
        shares = token_shares(text, encoding.offsets, places, self._mask_token)
        kept = shares.sum(1) > 0  # what is cut off cannot be pointed at
        pointed = Pointed(
            shares, tuple(kind if is_kept else "" for kind, is_kept in zip(kinds, kept, strict=True)), pick
        )
        return self._query_writer().write(read, pointed, directed, sense, encoding.offsets), kind_probs

    def _read_one(self, ids: Sequence[int]) -> tuple[QuestionRead, np.ndarray]:
        """What the query decoder reads of a question, and its kinds, float32 [K]."""
        blank = np.zeros((2, self._width()), np.float32)
        tokens, state, kinds = self._batches.run([ids], blank, np.ones((1, 2), np.float32), READ_OUTPUTS)
        return QuestionRead(tokens[0], state[0]), kinds[0]

    def _query_writer(self) -> QueryWriter:
        if self._writer is None:
            self._writer = QueryWriter(open_on_cpu(self.card.folder / QUERY_GRAPH))
        return self._writer

    def _run(
        self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray, outputs: list[str]
    ) -> list[np.ndarray]:
        return self._batches.run(self._rows(texts), directed, first_mask, outputs)

    def _rows(self, texts: list[str]) -> list[list[int]]:
        """Token ids; one by one, for encode_batch wakes a thread pool, which costs more than a few short texts."""
        return [self._tokenizer.encode(text.replace(MASK, self._mask_token)).ids for text in texts]


def check_graph(session: Session, path: Path) -> None:
    """Raises :class:`ModelError` when the graph lacks an input or output of this format, or says other widths."""
    shapes = {node.name: node.shape for node in (*session.get_inputs(), *session.get_outputs())}
    missing = [name for name in (*INPUTS, *PLAN_OUTPUTS, *TEXT_OUTPUTS) if name not in shapes]
    if missing:
        raise ModelError(f"{path}: not a planner's graph (it has no {missing[0]!r}); train it again")
    width = shapes["directed"][-1:]
    if not all(isinstance(size, int) for size in width) or not width:
        raise ModelError(f"{path}: not a planner's graph (no width of relation vectors)")
    for name, wanted in (("branch_scores", [2]), ("answer_types", [4]), *((name, width) for name in TEXT_OUTPUTS)):
        if shapes[name][-1:] != wanted:
            raise ModelError(f"{path}: not a planner's graph ({name!r} is of shape {shapes[name]})")


def weighted_texts(relations: Sequence[RelationText]) -> tuple[list[str], list[int], np.ndarray]:
    """The texts that relations are known by, the relation of each, and how much each says [n, 1]."""
    texts, owners, weights = [], [], []
    for index, relation in enumerate(relations):
        for position, text in enumerate([relation.label, *relation.aliases[:MAX_ALIASES]]):
            texts.append(relation_phrase(text))
            owners.append(index)
            weights.append(ALIAS_WEIGHT if position else LABEL_WEIGHT)
    return texts, owners, np.asarray(weights, np.float32)[:, None]


def mean_directed(
    directions: tuple[np.ndarray, np.ndarray], owners: list[int], weights: np.ndarray, n_relations: int
) -> np.ndarray:
    """Directed relations [2R, D] from their texts' vectors, followed forward and backward, each [n, D]."""
    parts = []
    for vectors in directions:
        sums = np.zeros((n_relations, vectors.shape[1]), np.float32)
        np.add.at(sums, owners, vectors * weights)
        parts.append(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))
    return np.concatenate(parts)
