"""One file's bytes, changed: as accidents change them, and as an enemy would. Each change says what it was."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable
from typing import Any

Changed = tuple[bytes, str]
Change = Callable[[random.Random, bytes], Changed]
_BLOCK = 512


def flip(rng: random.Random, data: bytes) -> Changed:
    """One to eight bits."""
    changed = bytearray(data)
    places = [(rng.randrange(len(data)), rng.randrange(8)) for _ in range(rng.choice([1, 1, 1, 2, 8]))]
    for at, bit in places:
        changed[at] ^= 1 << bit
    return bytes(changed), f"bits {places} (byte, bit) flipped"


def truncate(rng: random.Random, data: bytes) -> Changed:
    kept = rng.choice([0, rng.randrange(len(data)), max(0, len(data) - rng.randrange(1, 64))])
    return data[:kept], f"cut to {kept} of {len(data)} bytes"


def grow(rng: random.Random, data: bytes) -> Changed:
    more = rng.choice([rng.randbytes(rng.randrange(1, 4000)), bytes(rng.randrange(1, 100_000)), data])
    return data + more, f"{len(more)} bytes added"


def swap(rng: random.Random, data: bytes) -> Changed:
    """Two blocks of the same length change places."""
    size = min(_BLOCK, len(data) // 2) or 1
    first, second = sorted(rng.sample(range(max(2, len(data) // size)), 2))
    one, two = (data[at * size : (at + 1) * size] for at in (first, second))
    rest = data[(first + 1) * size : second * size], data[(second + 1) * size :]
    return data[: first * size] + two + rest[0] + one + rest[1], f"blocks {first} and {second} of {size} bytes swapped"


def blot(rng: random.Random, data: bytes) -> Changed:
    """A stretch becomes zeros, ones or noise."""
    at, size = rng.randrange(len(data)), rng.choice([1, 4, 8, 64, _BLOCK])
    what = rng.choice([bytes(size), b"\xff" * size, rng.randbytes(size)])[: len(data) - at]
    return data[:at] + what + data[at + len(what) :], f"{len(what)} bytes at {at} overwritten with {what[:8].hex()}..."


def remove(rng: random.Random, data: bytes) -> Changed:
    at, size = rng.randrange(len(data)), rng.choice([1, 2, 16, _BLOCK])
    return data[:at] + data[at + size :], f"{size} bytes at {at} removed"


BYTES: tuple[Change, ...] = (flip, flip, flip, truncate, grow, swap, blot, remove)
_HEADERS = (
    "{{'descr': '<i4', 'fortran_order': False, 'shape': ({0},), }}", "{{'descr': '<i4', 'shape': (-1,)}}",
    "{{'descr': '|O', 'fortran_order': False, 'shape': ({0},), }}", "{{'descr': '<f8', 'shape': ({0},), 'x': 1}}",
    "{{'descr': '>i4', 'fortran_order': False, 'shape': ({0},), }}", "[]", "{{'descr': '<i4', 'shape': (9**9**9,)}}",
    "{{'descr': '<i4', 'fortran_order': True, 'shape': (1, {0}), }}", "{{'descr': [('a','<i2'),('b','<i2')], "
    "'fortran_order': False, 'shape': ({0},), }}", "(" * 5000, "{{'descr': '<i4', 'fortran_order': False, 'shape': ()}}"
    ,
)  # fmt: skip


def npy(rng: random.Random, data: bytes) -> Changed:
    """Another header, a zip in its place, or other numbers behind it."""
    kind = rng.randrange(3)
    start = 10 + struct.unpack("<H", data[8:10])[0] if len(data) > 10 else 0
    if kind == 0 and start:
        header = rng.choice(_HEADERS).format((len(data) - start) // 4).encode()
        filled = header.ljust(start - 11 if len(header) < start - 11 else len(header)) + b"\n"
        return data[:8] + struct.pack("<H", len(filled)) + filled + data[start:], f"header {header[:60]!r}"
    if kind == 1:
        return b"PK\x03\x04" + data[4:], "a zip's first bytes"
    number = rng.choice([-1, -(2**31), 2**31 - 1, 2**30, 0, 70_000])
    at = start + 4 * rng.randrange(max(1, (len(data) - start) // 4))
    return data[:at] + struct.pack("<i", number) + data[at + 4 :], f"int32 {number} at byte {at}"


ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1 << 40, 1 << 63, 1 << 70, -(1 << 63), 0.5, 1e308, "", "x", "\x00", "\ud800",
    "\x1b[2J\u202e", "../x",
    "/dev/zero", [], {}, [[]], [None], {"": ""}, [1] * 1000, "y" * 100_000, "10" * 3000, "~nosuch/x", "-1", "é" * 300,
)  # fmt: skip
_RAW = ("Infinity", "-Infinity", "NaN", "1" + "0" * 400, "1e400", "-0", "[" * 100_000, '{"a":' * 20_000,
        '"\\ud800"', '"\\u0000"',
        "9" * 5000, "", '"', "nul", "1.")  # fmt: skip


def json_value(rng: random.Random, data: bytes) -> Changed:
    """A value of a JSON document becomes an odd one, is taken out, or is doubled under another name."""
    try:
        document = json.loads(data)
    except ValueError:
        return flip(rng, data)
    places = list(_places(document))
    owner, key = rng.choice(places) if places else (None, None)
    if owner is None:
        return b"null", "null"
    kind = rng.randrange(4)
    if kind == 0:
        del owner[key]
        return _dumped(document), f"{key!r} taken out"
    if kind == 1:
        mark = "@raw mark@"
        owner[key], raw = mark, rng.choice(_RAW)
        return _dumped(document).replace(f'"{mark}"'.encode(), raw.encode()), f"{key!r} = {raw[:40]}"
    if kind == 2 and isinstance(owner, dict):
        name = rng.choice(["../x", "/etc/passwd", "", "..", "\ud800", "a/b", "x\x00"])
        owner[name] = owner[key]
        return _dumped(document), f"{key!r} also called {name!r}"
    odd = rng.choice(ODD)
    owner[key] = odd
    return _dumped(document), f"{key!r} = {odd!r:.40}"


def json_line(rng: random.Random, data: bytes) -> Changed:
    """As :func:`json_value`, of one line."""
    found = data.splitlines(keepends=True)
    at = rng.randrange(len(found))
    found[at], how = json_value(rng, found[at])
    return b"".join(found[: at + 1]) + b"\n" + b"".join(found[at + 1 :]), f"line {at + 1}: {how}"


def _places(value: Any) -> Any:
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(one)


def _dumped(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=True).encode()


_ODD_TEXTS = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[2J", b"1e400", b"10" * 3000, b"-", b"\"", b"'", b"<", b"\r",
    b"\n\n", b"\t\t",
    b"NaN", b"x" * 70_000, "\u202e".encode(), b"&lt;&#0;", b"%00", b"[[[[", b"]]]]", b"}{", b"\\u0000", b"\\ud800",
    b"\"\"\"",
    b"9999-99-99", b"-9999999999-01-01", b"\xef\xbb\xbf", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<![CDATA[", b"<!--",
    b"_:", b"<>",
    b"@prefix", b"[" * 3000, b"(" * 3000, b"<< " * 500, b"{\"a\":" * 3000, b"<a>" * 3000,
)  # fmt: skip
_NUMBER = re.compile(rb"-?\d+")


def text(rng: random.Random, data: bytes) -> Changed:
    """Something odd within a text, or another number."""
    kind = rng.randrange(3)
    numbers = list(_NUMBER.finditer(data))
    if kind == 0 and numbers:
        found, other = (
            rng.choice(numbers),
            rng.choice([b"-1", b"0", b"9" * 5000, b"1e999", b"2147483648", b"9" * 19, b""]),
        )
        return data[: found.start()] + other + data[found.end() :], f"{found[0]!r} = {other[:20]!r}"
    odd, at = rng.choice(_ODD_TEXTS), rng.randrange(len(data) + 1)
    return data[:at] + odd + data[at:], f"{odd[:20]!r} put in at {at}"


def lines(rng: random.Random, data: bytes, most_doubled: int = 3000) -> Changed:
    """A line is lost, doubled, or changes places with another."""
    found = data.splitlines(keepends=True)
    first, second = rng.randrange(len(found)), rng.randrange(len(found))
    kind = rng.randrange(3)
    if kind == 0:
        del found[first]
    elif kind == 1:
        found[first:first] = [found[second]] * rng.choice([1, 2, most_doubled])
    else:
        found[first], found[second] = found[second], found[first]
    return b"".join(found), f"lines {first + 1}, {second + 1}: {('lost', 'doubled', 'swapped')[kind]}"
