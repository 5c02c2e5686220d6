"""The reader's vocabulary: an encoder's word pieces, and control tokens in the places that it keeps free.

No text can become a control token: the tokenizer does not know their names;
:func:`kgask.read.cross_encoder.prompt.reader_pieces` says where they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from kgask.errors import ModelError
from kgask.read.cross_encoder.prompt import FIRST, LAST, MAX_LINES, Piece, control_tokens, number_token

FREE = "[unused{}]"  # BERT's vocabularies keep hundreds of these
KNOWN_TEXTS = 50_000


class ReaderTokens:
    """Text and control tokens <-> ids of the reader's GGUF."""

    def __init__(self, tokenizer: Tokenizer):
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._texts = _by_id(tokenizer)
        self.n_vocab = len(self._texts)
        self.controls = _controls(tokenizer)
        self.number_ids = frozenset(self.controls[number_token(line)] for line in range(1, MAX_LINES + 1))
        self._known: dict[str, list[int]] = {}

    def save(self, path: Path) -> None:
        self._tokenizer.save(str(path))

    @classmethod
    def load(cls, path: Path) -> ReaderTokens:
        """Raises ModelError for a file that is no tokenizer, or one without room for the control tokens."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001 - tokenizers raises nothing narrower
            raise ModelError(f"{path}: not a tokenizer file ({error})") from None
        try:
            return cls(tokenizer)
        except KeyError as error:
            raise ModelError(f"{path}: not the tokenizer of a BERT encoder (no token {error})") from None

    def encode_text(self, text: str) -> list[int]:
        """Ids of plain text, never a control token. Short texts are remembered: relations come again and again."""
        ids = self._known.get(text)
        if ids is None:
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids
            if len(self._known) < KNOWN_TEXTS:
                self._known[text] = ids
        return ids

    def encode(self, pieces: Sequence[Piece]) -> list[int]:
        """Ids of a prompt."""
        ids: list[int] = []
        for piece in pieces:
            ids.extend([self.controls[piece.text]] if piece.control else self.encode_text(piece.text))
        return ids

    def token_texts(self) -> list[str]:
        """Every token as the vocabulary spells it, index = id; control tokens by their names."""
        texts = list(self._texts)
        for name, index in self.controls.items():
            texts[index] = name
        return texts

    def id_of(self, token: str) -> int:
        """Raises KeyError for a token that there is not."""
        return self._texts.index(token)


def _by_id(tokenizer: Tokenizer) -> list[str]:
    return [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]


def _controls(tokenizer: Tokenizer) -> dict[str, int]:
    vocabulary = tokenizer.get_vocab()
    names = {name: vocabulary[FREE.format(index)] for index, name in enumerate(control_tokens())}
    return names | {name: vocabulary[name] for name in (FIRST, LAST)}
