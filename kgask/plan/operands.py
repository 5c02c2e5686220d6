"""Operands of a question as a query decoder is given them: where each lies among the tokens.

Shapes: M operands, L tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.types import MASK


def token_shares(
    text: str, offsets: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]], mask_token: str = MASK
) -> np.ndarray:
    """float32 [M, L]: the share that each token has in a span of characters; rows sum to 1, or 0 where none lies in it.

    ``offsets`` are the tokens' characters in ``text`` as the tokenizer read it, each mask written as ``mask_token``.
    """
    longer = len(mask_token) - len(MASK)
    shares = np.zeros((len(spans), len(offsets)), np.float32)
    for row, (start, end) in enumerate(spans):
        first = start + longer * text.count(MASK, 0, start)
        last = end + longer * text.count(MASK, 0, end)
        for at, (begin, stop) in enumerate(offsets):
            shares[row, at] = float(begin < last and first < stop)
    return shares / np.maximum(shares.sum(1, keepdims=True), 1.0)
