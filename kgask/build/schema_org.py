"""JSON-LD as pages have it: the context of schema.org, which is named by its URL, is known here and not fetched."""

from __future__ import annotations

import io
import json
import re
from typing import Any, BinaryIO, cast

MOST_BYTES = 64 << 20  # of a document that is read as a whole
_NAMED = re.compile(rb'"https?://(?:www\.)?schema\.org/?(?:docs/jsonldcontext\.json(?:ld)?)?"')
_DATE = {"@type": "http://www.w3.org/2001/XMLSchema#date"}
_DATES = (
    "birthDate", "dateCreated", "dateModified", "datePublished", "deathDate", "dissolutionDate", "endDate",
    "foundingDate", "orderDate", "releaseDate", "startDate", "uploadDate", "validFrom", "validThrough",
)  # fmt: skip
CONTEXT = {"@vocab": "http://schema.org/", "id": "@id", "type": "@type", **dict.fromkeys(_DATES, _DATE)}


def with_context(stream: BinaryIO) -> BinaryIO:
    """The stream, or the document with the context written into it; a long one, or one that is no JSON, as it is."""
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES or not _NAMED.search(data):
        return cast(BinaryIO, _Again(data, stream))
    try:
        return io.BytesIO(json.dumps(_replaced(json.loads(data))).encode())
    except (ValueError, RecursionError):  # the parser says what is wrong
        return io.BytesIO(data)


class _Again(io.RawIOBase):
    """Bytes that were read already, and then what is left of a stream."""

    def __init__(self, data: bytes, rest: BinaryIO) -> None:
        self._data, self._rest = io.BytesIO(data), rest

    def read(self, size: int = -1) -> bytes:
        return self._data.read(size) or self._rest.read(size)


def _replaced(part: Any) -> Any:
    if isinstance(part, list):
        return [_replaced(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {name: _context(value) if name == "@context" else _replaced(value) for name, value in part.items()}


def _context(value: Any) -> Any:
    if isinstance(value, list):
        return [_context(one) for one in value]
    return CONTEXT if isinstance(value, str) and _NAMED.fullmatch(json.dumps(value).encode()) else value
