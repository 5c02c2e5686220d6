"""A start for the reader's token embeddings that knows words.

Each token's text is encoded by MiniLM on its own and projected to the
reader's width by PCA (the distillation of model2vec: Tulkens and van
Dongen 2024), so that "wrote" starts out near "author". Line numbers start in
order; byte fragments and the other control tokens start at random.
"""

from __future__ import annotations

import numpy as np

from kgask.read.prompt import MAX_LINES, SCORE_FLOORS, number_token
from kgask.train.encoder import default_encoder_folder
from kgask.train.reader_tokens import ReaderTokens

START_STD = 0.04


def word_embeddings(tokens: ReaderTokens, n_embd: int, rng_seed: int) -> np.ndarray:
    """Float32 [n_vocab, n_embd], standard deviation as of a random start."""
    rng = np.random.default_rng(rng_seed)
    table = rng.normal(0.0, START_STD, (tokens.n_vocab, n_embd)).astype(np.float32)
    texts = [tokens.bpe.decode([index]).strip() for index in range(tokens.n_vocab - tokens.offset)]
    chosen = np.array([index for index, text in enumerate(texts) if text.isalnum() and text.isascii()])
    encoded = _encode([texts[index] for index in chosen])
    encoded -= encoded.mean(axis=0)
    _, _, axes = np.linalg.svd(encoded, full_matrices=False)
    projected = encoded @ axes[:n_embd].T
    table[chosen + tokens.offset, : projected.shape[1]] = projected / projected.std() * START_STD
    return table


def ordered_embeddings(tokens: ReaderTokens, n_embd: int) -> dict[int, np.ndarray]:
    """Token id -> start for line numbers and score marks that knows their order.

    Sines and cosines of the number (as positions in Vaswani et al. 2017), so
    that "the next line" is one linear map from the start.
    """
    numbers = [tokens.controls[number_token(line)] for line in range(1, MAX_LINES + 1)]
    scores = [tokens.controls[f"<|score{index}|>"] for index in range(len(SCORE_FLOORS) + 1)]
    start: dict[int, np.ndarray] = {}
    for ids, longest in ((numbers, 4 * MAX_LINES), (scores, 4 * len(scores))):
        waves = 2 * np.pi / np.geomspace(2.0, longest, n_embd // 2)
        angles = np.outer(np.arange(len(ids)), waves)
        rows = (
            START_STD
            * np.sqrt(2)
            * np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(ids), n_embd)
        )
        start.update(zip(ids, rows.astype(np.float32), strict=True))
    return start


def _encode(texts: list[str]) -> np.ndarray:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(default_encoder_folder()), device="cpu")
    return model.encode(texts, batch_size=256, show_progress_bar=False).astype(np.float32)
