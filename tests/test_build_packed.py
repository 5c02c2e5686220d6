"""Packed sources, UTF-16, and fields with line breaks."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from backports import zstd

from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError
from kgask.pack.store import Pack

TABLE = "Emma,author,Jane Austen\nPersuasion,author,Jane Austen\n"
PACKINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    (".gz", gzip.compress),
    (".bz2", bz2.compress),
    (".xz", lzma.compress),
    (".zst", partial(zstd.compress, options={zstd.CompressionParameter.checksum_flag: 1})),  # as its program does
]


def _built(source: Path, **options: object) -> list[tuple[str, ...]]:
    target = source.parent / "pack"
    build(Recipe((str(source),), target, force=True, **options), lambda line: None)  # type: ignore[arg-type]
    with Pack.open(target) as pack:
        subjects, relations, objects = pack.triples(range(pack.n_triples))
        words = pack.relation_labels()
        ends = zip(pack.labels(subjects), relations.tolist(), pack.labels(objects), strict=True)
        return sorted((subject, words[relation], obj) for subject, relation, obj in ends)


def _broken(source: Path) -> str:
    with pytest.raises(BuildError) as caught:
        _built(source)
    return str(caught.value)


EXPECTED = [("Emma", "author", "Jane Austen"), ("Persuasion", "author", "Jane Austen")]


@pytest.mark.parametrize(("ending", "packed"), PACKINGS)
def test_a_packed_source_is_read_by_its_first_bytes(
    tmp_path: Path, ending: str, packed: Callable[[bytes], bytes]
) -> None:
    one, other = (packed(line.encode() + b"\n") for line in TABLE.splitlines())
    source = tmp_path / f"books.csv{ending}"
    source.write_bytes(one + other)  # streams one after another are one
    assert _built(source) == EXPECTED
    hidden = tmp_path / "books.csv"
    hidden.write_bytes(packed(TABLE.encode()))
    assert _built(hidden) == EXPECTED


@pytest.mark.parametrize(("ending", "packed"), PACKINGS)
def test_a_packed_source_that_is_cut_or_damaged_is_refused(
    tmp_path: Path, ending: str, packed: Callable[[bytes], bytes]
) -> None:
    data = packed("".join(f"book {n},author,writer {n * 7919}\n" for n in range(3000)).encode())
    source = tmp_path / f"books.csv{ending}"
    source.write_bytes(data[: len(data) // 2])
    assert "ends early; the file is cut short" in _broken(source)
    middle = len(data) // 2
    source.write_bytes(data[:middle] + bytes(255 - byte for byte in data[middle : middle + 40]) + data[middle + 40 :])
    assert "damaged" in _broken(source)
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_utf_16_and_a_byte_order_mark_are_read(tmp_path: Path, encoding: str) -> None:
    source = tmp_path / "books.csv"
    mark = "\ufeff" if encoding.startswith("utf-16-") else ""
    source.write_bytes((mark + TABLE.replace("Emma", "Émma 😀")).encode(encoding))
    assert _built(source) == [*EXPECTED[1:], ("Émma 😀", "author", "Jane Austen")]


def test_utf_16_that_ends_within_a_character_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "books.csv"
    source.write_bytes(TABLE.encode("utf-16")[:-1])
    assert "not UTF-16" in _broken(source)


def test_a_quoted_field_may_have_line_breaks(tmp_path: Path) -> None:
    source = tmp_path / "books.csv"
    source.write_text('"Sense and\nSensibility",author,"Jane ""J."" Austen"\r\nEmma,author,"Jane\r\nAusten"\n')
    assert _built(source) == [
        ("Emma", "author", "Jane Austen"),
        ("Sense and Sensibility", "author", 'Jane "J." Austen'),
    ]


def test_a_quote_that_is_not_closed_is_told_by_its_line_and_hides_no_other(tmp_path: Path) -> None:
    source = tmp_path / "books.csv"
    source.write_text(f'"Emma,author,Jane Austen\n{TABLE}')
    assert "books.csv:1: CSV: a quote is not closed" in _broken(source)
    assert _built(source, skip_errors=True) == EXPECTED
