"""Texts in blocks, and look-ups in buckets: how names.sqlite of format 2 keeps them small.

A block is :data:`TEXTS` texts, one after another with NUL between them, under zlib: of names in the order of their keys
half of the bytes are left, and one of them costs some microseconds. A bucket holds the names whose hashes begin alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

TEXTS = 32  # texts a block
WORDS = 64  # words a block; they share more, and are read by their beginning
MAX_BLOCK_BYTES = 32 << 20  # what a block of the longest texts has
_NAMES = 16  # about so many names a bucket
_HASH_BITS, _MARK_BITS = 32, 16


def pack_texts(texts: Iterable[str]) -> bytes:
    """A block of texts without NUL."""
    return zlib.compress("\0".join(texts).encode("utf-8", "surrogatepass"))


def unpack_texts(data: bytes) -> list[str]:
    """The texts of a block; ValueError for what is none, or is longer than any may be."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, MAX_BLOCK_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a block of no end")
    return text.decode("utf-8", "surrogatepass").split("\0")


def blocks_of(texts: Iterable[str], size: int = TEXTS) -> Iterator[tuple[int, list[str]]]:
    """(number, texts) of each block; one of empty texts only is left out."""
    every = iter(texts)
    number = 0
    while block := list(islice(every, size)):
        if any(block):
            yield number, block
        number += 1


def bucket_bits(n_names: int) -> int:
    """How many bits of a hash say which bucket it is in."""
    return min(_HASH_BITS, max(0, (n_names // _NAMES).bit_length() - 1))


def bucket_code(hashed: int, bits: int) -> int:
    """Bucket and mark of a name's hash (signed, of 32 bits): what a look-up compares before it compares texts."""
    unsigned = hashed + (1 << _HASH_BITS - 1)
    return unsigned >> (_HASH_BITS - bits) << _MARK_BITS | unsigned & (1 << _MARK_BITS) - 1


def bucket_codes(hashes: np.ndarray, bits: int) -> np.ndarray:
    """The same of many, int64."""
    unsigned = hashes.astype(np.int64) + (1 << _HASH_BITS - 1)
    return unsigned >> (_HASH_BITS - bits) << _MARK_BITS | unsigned & (1 << _MARK_BITS) - 1


def entry_type(n_refs: int) -> np.dtype:
    """An entry of a bucket: the mark, and which name it is."""
    return np.dtype([("mark", "<u2"), ("ref", "<u4" if n_refs <= 1 << 32 else "<u8")])


def buckets_of(
    parts: Iterable[tuple[np.ndarray, np.ndarray]], bits: int, n_refs: int
) -> Iterator[tuple[int, int, bytes]]:
    """(bucket, how many entries, the entries); ``parts`` are hashes and refs, int64 [n] each, by hash, then by ref."""
    dtype = entry_type(n_refs)
    left = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for hashes, refs in parts:
        codes, refs = np.concatenate([left[0], bucket_codes(hashes, bits)]), np.concatenate([left[1], refs])
        last = int(np.searchsorted(codes >> _MARK_BITS, codes[-1] >> _MARK_BITS)) if len(codes) else 0
        yield from _whole_buckets(codes[:last], refs[:last], dtype)
        left = codes[last:], refs[last:]
    yield from _whole_buckets(*left, dtype)


def _whole_buckets(codes: np.ndarray, refs: np.ndarray, dtype: np.dtype) -> Iterator[tuple[int, int, bytes]]:
    if not len(codes):
        return
    order = np.lexsort((refs, codes))
    codes, refs = codes[order], refs[order]
    new = np.append(True, (np.diff(codes) != 0) | (np.diff(refs) != 0))
    entries = np.empty(int(new.sum()), dtype)
    entries["mark"], entries["ref"] = codes[new] & (1 << _MARK_BITS) - 1, refs[new]
    buckets, starts = np.unique(codes[new] >> _MARK_BITS, return_index=True)
    data, ends = entries.tobytes(), [*starts[1:].tolist(), len(entries)]
    for bucket, start, end in zip(buckets.tolist(), starts.tolist(), ends, strict=True):
        yield bucket, end - start, data[start * dtype.itemsize : end * dtype.itemsize]


def codes_of(buckets: Iterable[tuple[int, bytes]], n_refs: int) -> tuple[np.ndarray, np.ndarray]:
    """Code and ref, int64 [n] each, of all names of these buckets; ValueError for what is no bucket."""
    rows = list(buckets)
    dtype = entry_type(n_refs)
    sizes = np.array([len(data) for _, data in rows], np.int64)
    if (sizes % dtype.itemsize).any():
        raise ValueError("a bucket of half a name")
    entries = np.frombuffer(b"".join(data for _, data in rows), dtype)
    of_each = np.repeat(np.array([number for number, _ in rows], np.int64), sizes // dtype.itemsize)
    return of_each << _MARK_BITS | entries["mark"].astype(np.int64), entries["ref"].astype(np.int64)
