"""Hashes of what a pack says, whatever its files look like.

Two packs with the same entities, names, literals, relations, triples and
statements have the same content hash, also when SQLite or numpy lays their bytes out in another way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from kgask.pack.csr import Csr
from kgask.pack.qualifiers import QUALIFIER_ARRAYS
from kgask.pack.records import RelationText

_CHUNK = 1 << 18
_encoded = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes an encoder a call
_quoted = json.encoder.encode_basestring  # what that makes of a text, an order of magnitude sooner


class Said(Protocol):
    """What is said of things in words; :class:`kgask.pack.names.Names` is one."""

    def named(self) -> Iterable[tuple[range, list[str], list[str]]]:
        """Ids, keys and labels of all entities and literals, in order, some at a time."""

    def every_alias(self) -> Iterable[tuple[int, str]]:
        """Entity and other name, in the order of both."""

    def described(self) -> Iterable[tuple[int, str]]: ...

    def relations(self) -> Sequence[RelationText]: ...


def content_hash(names: Said, csr: Csr) -> str:
    """SHA-256 (hex) over entities with their names, relations, triples in (s, r, o) order, and statements."""
    digest = hashlib.sha256()
    for line in _lines(names):
        digest.update(line)
    digest.update(relation_hash(names.relations()).encode())
    arrays = [csr.out_indptr, csr.out_relation, csr.out_object]
    if csr.n_statements:
        arrays += [getattr(csr, name) for name in QUALIFIER_ARRAYS]
    for array in arrays:
        for start in range(0, len(array), _CHUNK):
            digest.update(np.ascontiguousarray(array[start : start + _CHUNK], dtype="<i8").data)
    return digest.hexdigest()


def relation_hash(relations: Sequence[RelationText]) -> str:
    """SHA-256 (hex) over the relation vocabulary, in the order of relation ids."""
    rows = ([r.key, r.label, list(r.aliases), r.description, r.inverse_label] for r in relations)
    return hashlib.sha256(b"".join(_json_lines(rows))).hexdigest()


def _lines(names: Said) -> Iterator[bytes]:
    # The key of a literal holds its kind, text and unit, and these give its value.
    for ids, keys, labels in names.named():
        rows = zip(ids, map(_quoted, keys), map(_quoted, labels), strict=True)
        yield "".join([f"[{entity}, {key}, {label}]\n" for entity, key, label in rows]).encode("utf-8", "surrogatepass")
    yield from _json_lines(names.every_alias())
    yield from _json_lines(names.described())


def _json_lines(rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    for row in rows:
        yield _encoded(row).encode("utf-8", "surrogatepass") + b"\n"
