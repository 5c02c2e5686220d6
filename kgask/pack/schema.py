"""The layout of names.sqlite, for those who write it and those who read it.

Sizes decide the layout (a pack ships inside a wheel, and is carried about):

- entity ids follow the order of keys, so a key is found by bisection and needs no index;
- texts lie in blocks under zlib (:mod:`kgask.pack.packed`), found by their place: labels of entities, keys (empty where
  the key is the label), descriptions, literals as their keys (from which their labels follow), aliases as
  ``ENTITY NAME``;
- names are found by the CRC-32 of their normalised form, in buckets, and then verified, so no text is stored twice;
- FTS5 keeps no content, columns or positions: it lists the names that have a word, for search;
- words are found by their beginning in ``words``, by their end in ``reversed_words``: FTS5's own vocabulary would walk
  all names that have a word to say that there is one.

A *ref* names a name: an entity id for a label (or a literal's text), ``N + alias id`` for an alias.
Literals have the last entity ids, from ``N - counts.literals`` on.

:data:`DDL_1` is format 1: a row a text, a key as a prefix id and a rest (NULL when the key is the label; the digits of
Q42 are an integer), a row a hash and a word. Packs of kgask before 0.3 have no ``words``.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import repeat

import numpy as np

APPLICATION_ID = 0x6B67736B  # "kgsk"

_SHARED = """
CREATE TABLE relations (id INTEGER PRIMARY KEY, key TEXT NOT NULL, label TEXT NOT NULL,
  aliases TEXT NOT NULL, description TEXT NOT NULL, inverse_label TEXT NOT NULL);
CREATE VIRTUAL TABLE name_words USING fts5(name, content='', detail=none, columnsize=0,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* M*'");
"""
DDL = (
    _SHARED
    + """
CREATE TABLE sizes (aliases INTEGER NOT NULL, bucket_bits INTEGER NOT NULL);
CREATE TABLE labels (block INTEGER PRIMARY KEY, texts BLOB NOT NULL);
CREATE TABLE keys (block INTEGER PRIMARY KEY, texts BLOB NOT NULL);
CREATE TABLE descriptions (block INTEGER PRIMARY KEY, texts BLOB NOT NULL);
CREATE TABLE literals (block INTEGER PRIMARY KEY, texts BLOB NOT NULL);
CREATE TABLE aliases (block INTEGER PRIMARY KEY, texts BLOB NOT NULL);
CREATE TABLE names (bucket INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE TABLE words (first TEXT PRIMARY KEY, texts BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE reversed_words (first TEXT PRIMARY KEY, texts BLOB NOT NULL) WITHOUT ROWID;
"""
)
DDL_1 = (
    _SHARED
    + """
CREATE TABLE entities (id INTEGER PRIMARY KEY, label TEXT NOT NULL, prefix INTEGER, rest);
CREATE TABLE literals (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, value REAL, unit TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE prefixes (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL);
CREATE TABLE aliases (id INTEGER PRIMARY KEY, entity INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE descriptions (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE names (hash INTEGER, ref INTEGER, PRIMARY KEY (hash, ref)) WITHOUT ROWID;
CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE reversed_words (word TEXT PRIMARY KEY) WITHOUT ROWID;
"""
)

_PREFIX = re.compile(r"(?s).*[/#:]|[A-Za-z]{1,3}(?=\d+\Z)|")


def name_hash(norm: str) -> int:
    """32 bits of a normalised name, signed so that SQLite stores four bytes."""
    value = zlib.crc32(norm.encode("utf-8", "surrogatepass"))
    return value - (1 << 32) if value >= 1 << 31 else value


def name_hashes(norms: Sequence[str]) -> np.ndarray:
    """The same of many, int64 [n]."""
    encoded = map(str.encode, norms, repeat("utf-8"), repeat("surrogatepass"))
    return np.fromiter(map(zlib.crc32, encoded), np.uint32, len(norms)).view(np.int32).astype(np.int64)


def split_key(key: str) -> tuple[str, str | int]:
    """A key as the prefix that many keys share, and the rest; digits become an integer.

    >>> split_key("Q42"), split_key("http://example.org/Lady_Susan")
    (('Q', 42), ('http://example.org/', 'Lady_Susan'))
    """
    match = _PREFIX.match(key)
    prefix = match[0] if match else ""
    rest = key[len(prefix) :]
    return prefix, int(rest) if _is_plain_integer(rest) else rest


def _is_plain_integer(text: str) -> bool:
    """Digits that come back the same from an integer of 8 bytes."""
    return text.isascii() and text.isdigit() and len(text) <= 18 and (text == "0" or text[0] != "0")


def key_order(key: str) -> tuple[str, bool, int, str]:
    """Where a key stands among the keys of a pack: by prefix, numbers (in their order) before texts."""
    prefix, rest = split_key(key)
    return (prefix, False, rest, "") if isinstance(rest, int) else (prefix, True, 0, rest)
