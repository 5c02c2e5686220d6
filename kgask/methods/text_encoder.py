"""Texts -> unit vectors, by an ONNX graph: the sentence encoder of the similarity method.

A model folder like the planner's: ``model.json``, ``encoder.onnx`` (int8) and ``tokenizer.json``, written by
``kgask train encoder`` from any sentence-transformers model on this machine. Shapes: B texts, D vector width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgask.cards import CardFormat, Content
from kgask.errors import ModelError
from kgask.machine.cores import usable_cores
from kgask.plan.batches import CPU_PADDING, FEW_ROWS, by_length, in_chunks, padded
from kgask.plan.matrix_cache import content_of
from kgask.plan.providers import first_line, fits, open_session, open_tokenizer

GRAPH, TOKENIZER = "encoder.onnx", "tokenizer.json"
FORMAT = CardFormat("encoder", 1, (GRAPH, TOKENIZER), "kgask train encoder FOLDER -o OUT")
MOST_ROWS = 16  # of one run; more are not quicker on a CPU
INPUTS, OUTPUT = ["input_ids", "attention_mask"], "vectors"


@dataclass(frozen=True, slots=True)
class EncoderCard:
    """A checked card. The prefixes are what the model was trained to see before a question and before a text."""

    folder: Path
    max_tokens: int
    pad_token: str
    question_prefix: str
    text_prefix: str
    hash: str  # SHA-256 of encoder.onnx, as the card states it
    content: Content

    @classmethod
    def load(cls, folder: Path) -> EncoderCard:
        """Raises ModelError for what is no encoder folder."""
        with FORMAT.reading(folder) as content:
            prefixes = content.get("prefixes", {})
            return cls(
                folder, int(content["max_tokens"]), str(content["pad_token"]), str(prefixes.get("question", "")),
                str(prefixes.get("text", "")), str(content["files"][GRAPH]["sha256"]), content,
            )  # fmt: skip


class TextEncoder:
    """A loaded encoder."""

    def __init__(self, card: EncoderCard, session: Any, tokenizer: Any) -> None:
        self.card = card
        self._session, self._tokenizer = session, tokenizer
        self._pad_id = tokenizer.token_to_id(card.pad_token) or 0

    @classmethod
    def load(cls, folder: Path) -> TextEncoder:
        """Open an encoder folder, on the CPU; raises ModelError when it is not one."""
        card = EncoderCard.load(folder)
        tokenizer = open_tokenizer(folder / TOKENIZER, card.max_tokens)
        session, _ = open_session(folder / GRAPH)
        names = [node.name for node in session.get_inputs()], [node.name for node in session.get_outputs()]
        if names != (INPUTS, [OUTPUT]):
            raise ModelError(f"{folder / GRAPH}: not an encoder's graph; make it again: kgask train encoder")
        return cls(card, session, tokenizer)

    @property
    def width(self) -> int:
        return int(self._session.get_outputs()[0].shape[1])

    def content(self) -> list[object]:
        """What a text's vector depends on besides the text, as it is on the disk, whatever the card says of it."""
        return [content_of(self.card.folder, list(self.card.content["files"])), self.card.max_tokens]

    def as_question(self, text: str) -> str:
        """The text as the model wants to see a question."""
        return self.card.question_prefix + text

    def as_text(self, text: str) -> str:
        """The text as the model wants to see what may answer a question."""
        return self.card.text_prefix + text

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """float32 [B, D]: unit vectors. Raises ModelError when the session fails.

        Where an int8 graph scales its activations per batch, as one of kgask 0.1 does, vectors depend slightly on what
        else is encoded; the shipped one scales them per row.
        """
        if not texts:
            return np.empty((0, self.width), np.float32)
        is_few = len(texts) <= FEW_ROWS  # other threads that have to be woken cost more than they save
        tokenizer = self._tokenizer
        encoded = map(tokenizer.encode, texts) if is_few else tokenizer.encode_batch(list(texts))
        rows = [encoding.ids for encoding in encoded]

        def run(chunk: list[int]) -> list[np.ndarray]:
            feeds = dict(zip(INPUTS, padded([rows[row] for row in chunk], self._pad_id), strict=True))
            try:
                (vectors,) = self._session.run([OUTPUT], feeds)
            except Exception as error:  # the binding raises many unrelated types
                raise ModelError(f"the encoder failed on {len(chunk)} texts ({first_line(error)})") from error
            fits(OUTPUT, vectors, len(chunk), self.width)
            return [vectors]

        threads = 1 if is_few else usable_cores()
        size = min(MOST_ROWS, -(-len(rows) // threads))
        return in_chunks(by_length([len(row) for row in rows], size, CPU_PADDING), threads, run)[0]
