"""The reader's vocabulary: its control tokens first, then a byte-level BPE of our own.

The control tokens are not known to the BPE, so no text can ever become one;
:func:`kgask.read.prompt.reader_pieces` says where they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from kgask.errors import ModelError
from kgask.read.prompt import (
    MAX_LINES,
    Piece,
    control_tokens,
    number_token,
    reader_pieces,
)
from kgask.train.reader_scenes import Scene

MIN_BPE_TOKENS = 256  # one for each byte


class ReaderTokens:
    """Text and control tokens <-> ids of the reader's GGUF."""

    def __init__(self, bpe: Tokenizer):
        self.bpe = bpe
        self.controls = {name: index for index, name in enumerate(control_tokens())}
        self.offset = len(self.controls)
        self.number_ids = frozenset(self.controls[number_token(line)] for line in range(1, MAX_LINES + 1))
        self.n_vocab = self.offset + bpe.get_vocab_size()
        self._known: dict[str, list[int]] = {}

    @classmethod
    def train(cls, texts: Iterable[str], n_vocab: int) -> ReaderTokens:
        """Learn the BPE from texts; ``n_vocab`` counts the control tokens too."""
        bpe = Tokenizer(models.BPE())
        # GPT-2's splitting: the one that llama.cpp calls "gpt-2", see export_gguf.
        bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        bpe.decoder = decoders.ByteLevel()
        size = max(MIN_BPE_TOKENS, n_vocab - len(control_tokens()))
        trainer = trainers.BpeTrainer(
            vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        )
        bpe.train_from_iterator(texts, trainer)
        return cls(bpe)

    def save(self, path: Path) -> None:
        self.bpe.save(str(path))

    @classmethod
    def load(cls, path: Path) -> ReaderTokens:
        try:
            return cls(Tokenizer.from_file(str(path)))
        except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
            raise ModelError(f"{path}: not a tokenizer file ({error})") from None

    def encode_text(self, text: str) -> list[int]:
        """Ids of plain text, never a control token. Short texts are remembered: relations come again and
        again."""
        ids = self._known.get(text)
        if ids is None:
            ids = [index + self.offset for index in self.bpe.encode(text, add_special_tokens=False).ids]
            if len(self._known) < 50_000:
                self._known[text] = ids
        return ids

    def encode(self, pieces: Sequence[Piece]) -> list[int]:
        """Ids of a prompt."""
        ids: list[int] = []
        for piece in pieces:
            ids.extend([self.controls[piece.text]] if piece.control else self.encode_text(piece.text))
        return ids

    def judged(self, scene: Scene) -> dict[int, int]:
        """1-based number of each line that may be cited -> its number token, ascending."""
        lines = enumerate(scene.lines, start=1)
        return {
            number: self.controls[number_token(number)]
            for number, line in lines
            if line.answer_ratio is not None
        }

    def token_texts(self) -> list[str]:
        """Every token as the GGUF stores it, index = id."""
        texts = list(self.controls)
        by_id = {index: token for token, index in self.bpe.get_vocab().items()}
        return texts + [by_id[index] for index in range(len(by_id))]


def prompt_texts(scenes: Iterable[Scene]) -> Iterator[str]:
    """What the BPE is trained on: the plain text of prompts."""
    for scene in scenes:
        for piece in reader_pieces(scene.question, scene.lines):
            if not piece.control:
                yield piece.text
