"""Names that differ in a sign that no word has: "6a" and "6a+", "C" and "C#"."""

from __future__ import annotations

import re
from dataclasses import replace

from kgask.types import Mention

_SIGN = re.compile(r"[+#*]+|[-\u2212](?![\w])")
_ENDS_IN_SIGN = re.compile(r"\w[+#*\u2212-]+\Z")


def as_signed(mention: Mention, text: str) -> Mention:
    """A mention with those whose names have the sign that stands behind it; without one, with those that have none."""
    sign = _SIGN.match(text, mention.span[1])
    if sign is not None:
        told = tuple(seed for seed in mention.seeds if seed.name.endswith(sign[0]))
    else:
        told = tuple(seed for seed in mention.seeds if _ENDS_IN_SIGN.search(seed.name) is None)
    if not told or len(told) == len(mention.seeds):
        return mention
    return replace(mention, seeds=told, n_same=min(mention.n_same, len(told)))
