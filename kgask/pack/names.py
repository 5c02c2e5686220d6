"""names.sqlite, read-only: what entities and relations are called, and which entity a name means."""

from __future__ import annotations

import json
import unicodedata
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kgask.errors import PackError
from kgask.pack import schema
from kgask.pack.blocks import damage
from kgask.pack.database import MAX_TEXT_BYTES, ReadOnly
from kgask.pack.literals import literal_key, parse_typed
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal, NameHit, RelationText

LAST_CHARACTER = "\U0010ffff"
MOST_COUNTED = 2000  # names that have a word: more is common, however many
_PART = 1 << 18  # ids


def in_parts(every: range) -> Iterator[range]:
    """Ids, some at a time."""
    return (every[start : start + _PART] for start in range(0, len(every), _PART))


class Names(ReadOnly):
    """One connection to names.sqlite; how the texts lie in it is told by the classes of both formats.

    :class:`kgask.pack.names_blocks.BlockNames` is format 2, :class:`kgask.pack.names_rows.RowNames` is format 1.
    Aliases are numbered from 0 on; a ref is an entity, or ``n_entities`` and the number of an alias.
    """

    def __init__(
        self,
        path: Path,
        n_entities: int,
        n_literals: int,
        version: int,
        ddl: str,
        sums: np.ndarray | None,
        longest: int = MAX_TEXT_BYTES,
    ) -> None:
        super().__init__(path, schema.APPLICATION_ID, version, "names", ddl, sums, longest)
        self.n_entities = n_entities
        self.first_literal = n_entities - n_literals

    # --- of each format -----------------------------------------------------------------------

    @abstractmethod
    def _labels(self, ids: Collection[int]) -> dict[int, str]:
        """Labels of entities and literals by id; ids that are not there are left out, here and below."""

    @abstractmethod
    def _entity_keys(self, ids: Collection[int]) -> dict[int, str]:
        """Keys of entities."""

    @abstractmethod
    def _descriptions(self, ids: Collection[int]) -> dict[int, str]:
        """Descriptions of those that have one."""

    @abstractmethod
    def _literal_rows(self, ids: Collection[int]) -> dict[int, Literal]:
        """The literals among ``ids``."""

    @abstractmethod
    def _aliases(self, numbers: Collection[int]) -> dict[int, tuple[int, str]]:
        """(entity, name) of aliases by their numbers."""

    @abstractmethod
    def aliases_between(self, first: int, last: int) -> list[tuple[int, str]]:
        """(entity, alias) of the entities from ``first`` to ``last``, in the order of their numbers."""

    @abstractmethod
    def code(self, norm: str) -> int:
        """Where the look-up has a normalised name; others may share it."""

    @abstractmethod
    def _refs(self, codes: Collection[int]) -> list[tuple[int, int]]:
        """(ref, code) of every name whose code is one of ``codes``."""

    @abstractmethod
    def looked_up(self) -> list[tuple[int, int]]:
        """(code, ref) of all names."""

    @abstractmethod
    def words_beginning(self, start: str, shortest: int, longest: int) -> set[str]:
        """Words of names that begin with ``start``, of ``shortest`` to ``longest`` characters."""

    @abstractmethod
    def _words(self, table: str, start: str, shortest: int, longest: int) -> set[str]:
        """The same of one of the tables ``words`` and ``reversed_words``."""

    @abstractmethod
    def listed_words(self, table: str) -> Iterator[str]:
        """All words of one of them."""

    @abstractmethod
    def problems(self, counts: dict[str, int]) -> Iterator[str]:
        """Texts that are not there, or too many, a line each; ``counts`` are the manifest's."""

    # --- of both ------------------------------------------------------------------------------

    @property
    def has_words(self) -> bool:
        """Whether the table ``words`` is there."""
        return True

    def labels(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        return self._in_order(self._labels(ids), ids)

    def _in_order(self, found: dict[int, str], ids: Sequence[int]) -> list[str]:
        for entity in ids:
            if entity not in found:
                raise PackError(f"no entity {entity} in this pack of {self.n_entities}")
        return [found[i] for i in ids]

    def keys(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        keys = self._entity_keys([i for i in ids if i < self.first_literal])
        literals = self._literal_rows(ids)
        return self._in_order(keys | {i: literal_key(literal) for i, literal in literals.items()}, ids)

    def descriptions(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        found = self._descriptions(ids)
        return [found.get(i, "") for i in ids]

    def named(self) -> Iterator[tuple[range, list[str], list[str]]]:
        """Ids, keys and labels of all entities and literals, in order, some at a time."""
        return self._named(range(self.n_entities))

    def _named(self, every: range) -> Iterator[tuple[range, list[str], list[str]]]:
        return ((ids, self.keys(ids), self.labels(ids)) for ids in in_parts(every))

    def every_alias(self) -> Iterator[tuple[int, str]]:
        """Entity and other name, in the order of both."""
        for ids in in_parts(range(self.n_entities)):
            yield from sorted(self.aliases_between(ids[0], ids[-1]))

    def described(self) -> Iterator[tuple[int, str]]:
        """Entities that have a description, in order."""
        for ids in in_parts(range(self.n_entities)):
            yield from ((entity, text) for entity, text in zip(ids, self.descriptions(ids), strict=True) if text)

    def literals(self, ids: Iterable[int]) -> list[Literal | None]:
        ids = list(map(int, ids))
        found = self._literal_rows(ids)
        return [found.get(i) for i in ids]

    def relations(self) -> list[RelationText]:
        sql = "SELECT key, label, aliases, description, inverse_label FROM relations ORDER BY id"
        rows = self.typed("sssss", sql)
        return [RelationText(key, label, self._other_names(aliases), *texts) for key, label, aliases, *texts in rows]

    def _other_names(self, text: str) -> tuple[str, ...]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, list) or not all(isinstance(alias, str) for alias in found):
            raise damage(self.path, "other names of a relation that are none")
        return tuple(found)

    def find_key(self, key: str) -> int | None:
        """The entity with this key, by bisection over the ids (they are in the order of keys)."""
        try:
            literal = parse_typed(key)
        except ValueError:
            return None
        if literal is not None:
            return self._find_literal(literal)
        wanted = schema.key_order(key)
        low, high = 0, self.first_literal
        while low < high:
            middle = (low + high) // 2
            found = self.keys([middle])[0]
            if found == key:
                return middle
            if schema.key_order(found) < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def _find_literal(self, literal: Literal) -> int | None:
        key = literal_key(literal)
        refs = self._refs([self.code(normalise(literal.text))])
        ids = [ref for ref, _ in refs if self.first_literal <= ref < self.n_entities]
        return next((i for i, found in zip(ids, self.keys(ids), strict=True) if found == key), None)

    def hits(self, refs: Iterable[int]) -> dict[int, NameHit]:
        """The name and entity behind each ref."""
        refs = set(refs)
        labels = self._labels([r for r in refs if r < self.n_entities])
        aliases = self._aliases([r - self.n_entities for r in refs if r >= self.n_entities])
        hits = {ref: NameHit(ref, label, False) for ref, label in labels.items()}
        for alias, (entity, name) in aliases.items():
            hits[alias + self.n_entities] = NameHit(entity, name, True)
        if not self._are_entities(hit.entity for hit in hits.values()):
            raise damage(self.path, "a name of what is not there")
        return hits

    def exact(self, norms: Iterable[str]) -> dict[str, list[NameHit]]:
        """Names whose normalised form is one of ``norms``; only norms that are found are in the answer.

        Labels come before aliases, lower ids first.
        """
        by_code: dict[int, list[str]] = {}
        for norm in set(norms):
            by_code.setdefault(self.code(norm), []).append(norm)
        refs = self._refs(by_code) if by_code else []
        hits = self.hits(ref for ref, _ in refs)
        literals = self._literal_rows([ref for ref, _ in refs if ref < self.n_entities])
        found: dict[str, list[NameHit]] = {}
        for ref, code in sorted(refs):
            hit = hits.get(ref)
            if hit is None:
                raise damage(self.path, "a name without an entity")
            forms = {normalise(hit.name)}
            if ref in literals:
                forms.add(normalise(literals[ref].text))
            for norm in by_code[code]:
                if norm in forms:
                    found.setdefault(norm, []).append(hit)
        return found

    def refs_with_words(self, expression: str, limit: int) -> list[int]:
        """Refs of the names that match an FTS5 expression."""
        rows = self.query("SELECT rowid FROM name_words WHERE name_words MATCH ? LIMIT ?", expression, limit)
        return [row[0] for row in rows]

    def entities_of(self, refs: Iterable[int]) -> list[int]:
        """The entity that each ref names, in the order of ``refs``."""
        refs = list(refs)
        owners = self._aliases([r - self.n_entities for r in refs if r >= self.n_entities])
        found = [ref if ref < self.n_entities else owners.get(ref - self.n_entities, (-1,))[0] for ref in refs]
        if not self._are_entities(found):
            raise damage(self.path, "a name of what is not there")
        return found

    def _are_entities(self, ids: Iterable[int]) -> bool:
        return all(0 <= one < self.n_entities for one in ids)

    def word_counts(self, words: Iterable[str]) -> dict[str, int]:
        """How many names have each word, :data:`MOST_COUNTED` at most; words that no name has are left out."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM name_words WHERE name_words MATCH ? LIMIT {MOST_COUNTED})"
        counts = {word: self.query(sql, f'"{word}"')[0][0] for word in words if _is_token(word)}
        return {word: count for word, count in counts.items() if count}

    def words_ending(self, end: str, shortest: int, longest: int) -> set[str]:
        """Words of names that end with ``end``, of ``shortest`` to ``longest`` characters."""
        backwards = self._words("reversed_words", end[::-1], shortest, longest)
        return {word[::-1] for word in backwards}


def _is_token(word: str) -> bool:
    """Whether FTS5 takes the word as it is (see the tokenizer in :mod:`kgask.pack.schema`)."""
    return all(unicodedata.category(char)[0] in "LNM" for char in word)
