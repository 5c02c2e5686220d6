"""names.sqlite of format 2: texts in blocks, look-ups in buckets (:mod:`kgask.pack.packed`)."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from kgask.pack import packed, schema
from kgask.pack.blocks import damage
from kgask.pack.database import of_ids
from kgask.pack.literals import literal_label, parse_typed
from kgask.pack.names import LAST_CHARACTER, Names, in_parts
from kgask.pack.records import Literal

_MOST_CACHED = 2048  # blocks of a table: 5 MB or so


class BlockNames(Names):
    """One connection to names.sqlite of format 2."""

    def __init__(self, path: Path, n_entities: int, n_literals: int, sums: np.ndarray | None = None) -> None:
        super().__init__(path, n_entities, n_literals, 2, schema.DDL, sums, packed.MAX_BLOCK_BYTES)
        self._cached: dict[str, dict[int, list[str]]] = defaultdict(dict)

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """The number of aliases, and the bits of a bucket."""
        rows = self.typed("ii", "SELECT aliases, bucket_bits FROM sizes")
        if len(rows) != 1 or rows[0][0] < 0 or not 0 <= rows[0][1] <= 32:
            raise damage(self.path, "its sizes are none")
        return rows[0]

    def _labels(self, ids: Collection[int]) -> dict[int, str]:
        found = self._texts("labels", (i for i in ids if i < self.first_literal))
        literals = self._literal_rows([i for i in ids if i >= self.first_literal])
        return found | {i: literal_label(literal) for i, literal in literals.items()}

    def _entity_keys(self, ids: Collection[int]) -> dict[int, str]:
        keys = {i: key for i, key in self._texts("keys", ids).items() if key}
        return self._texts("labels", (i for i in ids if i not in keys)) | keys

    def _descriptions(self, ids: Collection[int]) -> dict[int, str]:
        return self._texts("descriptions", (i for i in ids if i < self.first_literal))

    def _literal_rows(self, ids: Collection[int]) -> dict[int, Literal]:
        first, found = self.first_literal, {}
        for i, text in self._texts("literals", (i - first for i in ids if i >= first)).items():
            try:
                literal = parse_typed(text)
            except ValueError:
                literal = None
            if literal is None:
                raise damage(self.path, "a literal that is none")
            found[i + first] = literal
        return found

    def _aliases(self, numbers: Collection[int]) -> dict[int, tuple[int, str]]:
        found = {}
        for number, text in self._texts("aliases", numbers).items():
            entity, _, name = text.partition(" ")
            if not (entity.isascii() and entity.isdecimal() and len(entity) < 19 and int(entity) < self.n_entities):
                raise damage(self.path, "an alias of no entity")
            found[number] = int(entity), name
        return found

    def aliases_between(self, first: int, last: int) -> list[tuple[int, str]]:
        every = range(self._sizes[0])
        start = bisect_left(every, first, key=self._owner)
        numbers = every[start : bisect_right(every, last, key=self._owner)]
        found = self._aliases(numbers)
        return [found[number] for number in numbers if number in found]

    def _owner(self, alias: int) -> int:
        return self._aliases([alias]).get(alias, (self.n_entities, ""))[0]

    def code(self, norm: str) -> int:
        return packed.bucket_code(schema.name_hash(norm), self._sizes[1])

    def _refs(self, codes: Collection[int]) -> list[tuple[int, int]]:
        rows: list[tuple[int, bytes]] = []
        for some in of_ids(code >> 16 for code in codes):
            sql = "SELECT n.bucket, n.entries FROM json_each(?) j CROSS JOIN names n ON n.bucket = j.value"
            rows += self.typed("ib", sql, json.dumps(some))
        found, refs = self._codes(rows)
        wanted = np.isin(found, np.fromiter(codes, np.int64))
        return list(zip(refs[wanted].tolist(), found[wanted].tolist(), strict=True))

    def looked_up(self) -> list[tuple[int, int]]:
        codes, refs = self._codes(self.typed("ib", "SELECT bucket, entries FROM names ORDER BY bucket"))
        return list(zip(codes.tolist(), refs.tolist(), strict=True))

    def _codes(self, rows: list[tuple[int, bytes]]) -> tuple[np.ndarray, np.ndarray]:
        try:
            return packed.codes_of(rows, self.n_entities + self._sizes[0])
        except ValueError as error:
            raise damage(self.path, str(error)) from None

    def words_beginning(self, start: str, shortest: int, longest: int) -> set[str]:
        return self._words("words", start, shortest, longest)

    def _words(self, table: str, start: str, shortest: int, longest: int) -> set[str]:
        sql = (
            f"SELECT texts FROM {table} WHERE first < ?2"
            f" AND first >= coalesce((SELECT max(first) FROM {table} WHERE first <= ?1), '')"
        )
        blocks = self.typed("b", sql, start, start + LAST_CHARACTER)
        words = (word for (data,) in blocks for word in self._unpacked(data))
        return {word for word in words if word.startswith(start) and shortest <= len(word) <= longest}

    def listed_words(self, table: str) -> Iterator[str]:
        for first, data in self.typed("sb", f"SELECT first, texts FROM {table} ORDER BY first"):
            words = self._unpacked(data)
            if words[0] != first or words != sorted(words):
                raise damage(self.path, f"a block of {table} that is out of order")
            yield from words

    def problems(self, counts: dict[str, int]) -> Iterator[str]:
        n_aliases = counts.get("aliases", 0)
        if self._sizes[0] != n_aliases:
            yield f"names.sqlite: {self._sizes[0]} aliases; {n_aliases} are expected"
        whole = {"labels": self.first_literal, "literals": counts["literals"], "aliases": n_aliases}
        for table, n in (whole | {"keys": self.first_literal, "descriptions": self.first_literal}).items():
            n_found = 0
            for block, data in self.rows(f"SELECT block, texts FROM {table} ORDER BY block"):
                expected = min(packed.TEXTS, n - block * packed.TEXTS) if block >= 0 else 0
                if len(self._unpacked(data)) != expected:
                    yield f"names.sqlite: block {block} of {table} has not the {max(0, expected)} texts that it should"
                n_found += expected
            if table in whole and n_found != n:
                yield f"names.sqlite: {table} has {n_found} rows; {n} are expected"

    def named(self) -> Iterator[tuple[range, list[str], list[str]]]:
        for ids in in_parts(range(self.first_literal)):
            labels = [text for _, text in self._in_turn("labels", ids)]
            keys = [""] * len(ids)
            for entity, key in self._in_turn("keys", ids):
                keys[entity - ids.start] = key
            if len(labels) != len(ids):
                raise damage(self.path, "labels that are not there")
            yield ids, [key or label for key, label in zip(keys, labels, strict=True)], labels
        yield from self._named(range(self.first_literal, self.n_entities))

    def described(self) -> Iterator[tuple[int, str]]:
        for ids in in_parts(range(self.first_literal)):
            yield from ((entity, text) for entity, text in self._in_turn("descriptions", ids) if text)

    def _in_turn(self, table: str, ids: range) -> Iterator[tuple[int, str]]:
        """The texts of a table with their places, block after block; those that are not there are left out."""
        sql = f"SELECT block, texts FROM {table} WHERE block BETWEEN ? AND ? ORDER BY block"
        for block, data in self.typed("ib", sql, ids.start // packed.TEXTS, (ids.stop - 1) // packed.TEXTS):
            first = block * packed.TEXTS
            yield from zip(range(first, ids.stop), self._unpacked(data))  # noqa: B905 - the last block may be short

    def _texts(self, table: str, ids: Iterable[int]) -> dict[int, str]:
        """The texts of a table by their place in it; those that are not there are left out."""
        by_block: dict[int, list[int]] = {}
        for i in ids:
            by_block.setdefault(i // packed.TEXTS, []).append(i)
        blocks = self._blocks(table, by_block)
        return {
            i: texts[i % packed.TEXTS]
            for block, texts in blocks.items()
            for i in by_block[block]
            if i % packed.TEXTS < len(texts)
        }

    def _blocks(self, table: str, wanted: Collection[int]) -> dict[int, list[str]]:
        cached = self._cached[table]
        found = {block: cached[block] for block in wanted if block in cached}
        sql = f"SELECT t.block, t.texts FROM json_each(?) j CROSS JOIN {table} t ON t.block = j.value"
        new: dict[int, list[str]] = {}
        for some in of_ids(block for block in wanted if block not in found):
            new |= {block: self._unpacked(data) for block, data in self.typed("ib", sql, json.dumps(some))}
        if len(cached) + len(new) > _MOST_CACHED:
            cached.clear()
        if len(new) <= _MOST_CACHED:
            cached.update(new)
        return found | new

    def _unpacked(self, data: bytes) -> list[str]:
        try:
            return packed.unpack_texts(data)
        except (ValueError, TypeError) as error:  # a text where a blob should be, among others
            raise damage(self.path, str(error)) from None
