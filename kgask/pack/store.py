"""Pack: a knowledge graph on disk, opened in milliseconds and never changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from kgask.errors import PackDamage, PackError
from kgask.pack.blocks import damage, read_blocks
from kgask.pack.csr import POINTERS, Csr, degree_of, triple_ids_of, triples_of
from kgask.pack.header import (
    ENDPOINT,
    NAMES_FILE,
    ONLY_QUALIFIERS,
    SITELINKS,
    arrays_of,
    axes_of,
    check_sizes,
    open_array,
    read_manifest,
)
from kgask.pack.names import Names
from kgask.pack.names_blocks import BlockNames
from kgask.pack.names_rows import RowNames
from kgask.pack.normalise import normalise
from kgask.pack.passages import PASSAGES_FILE, Passages
from kgask.pack.quantities import AXES_COUNT, VALUE_ARRAYS, LiteralValues
from kgask.pack.records import Literal, NameHit, RelationText
from kgask.pack.relation_kinds import KINDS_ARRAY, relation_kinds
from kgask.pack.types import TYPES_ARRAY, subclass_relations, type_relations

__all__ = ["Literal", "NameHit", "Pack", "RelationText"]

Given = TypeVar("Given")
_MOST_TRIES = 100  # to open a pack that is being replaced
_MAX_MATCHES = 50_000  # names that one search looks at before it ranks them


class Pack(Csr):
    """A KG pack: N entities (literals among them), R relations, T triples, S statements.

    The arrays of :class:`Csr` are read-only memory maps. All files are opened together, so
    that one that is replaced goes on as it was. Entity ids run from 0 in the order of
    their keys; literals have the last ids. A pack that is broken or of a
    format that this version does not read raises :class:`PackError`.
    """

    def __init__(
        self, path: Path, manifest: dict[str, Any], arrays: dict[str, np.ndarray], sums: dict[str, np.ndarray]
    ) -> None:
        super().__init__(**arrays)
        self.path = path
        self.is_renamed = False  # whether its relations are called otherwise for a question
        self._sums = sums
        self.manifest = manifest
        self._read_whole = {
            name: open_array(path, name, manifest, sums.get(f"{name}.npy"))
            for name in (TYPES_ARRAY, KINDS_ARRAY, SITELINKS, *VALUE_ARRAYS)
            if f"{name}.npy" in manifest["files"]
        }
        counts = manifest["counts"]
        self.name: str = str(manifest.get("name") or path.name)
        self.n_entities: int = counts["entities"]
        self.n_literals: int = counts["literals"]
        self.n_relations: int = counts["relations"]
        self.n_triples: int = counts["triples"]
        self.content_hash: str = manifest["content_sha256"]
        self.relation_hash: str = manifest["relations_sha256"]

    @classmethod
    def open(cls, path: str | Path, *, connected: bool = False) -> Self:
        """Open a pack folder; checks magic, version, the manifest's hash, sizes and shapes.

        What is read later is compared with the checksums of its blocks; a pack that has none is hashed whole, once.
        The folder of a graph
        elsewhere (:mod:`kgask.remote`) holds but a sample of its triples, and raises PackError unless it is to be
        opened ``connected``.
        """
        folder = Path(path)
        for _ in range(_MOST_TRIES):
            seen = _identity(folder)
            try:
                pack = cls._opened(folder, connected)
            except PackError:
                if _identity(folder) == seen:
                    raise
                continue  # it was replaced while its files were opened
            if _identity(folder) == seen:
                return pack
            pack.close()
        raise PackError(f"{folder}: is replaced again and again; try again")

    @classmethod
    def _opened(cls, folder: Path, connected: bool) -> Self:
        manifest = read_manifest(folder)
        if ENDPOINT in manifest and not connected:
            raise PackError(f"{folder}: its triples are elsewhere ('kgask pack info' says where); this needs them here")
        check_sizes(folder, manifest)
        try:
            sums = read_blocks(folder, manifest["files"])
        except OSError as error:
            raise PackError(f"{error.filename}: {error.strerror}") from error
        arrays = {
            name: open_array(folder, name, manifest, sums.get(f"{name}.npy")) for name in arrays_of(manifest["counts"])
        }
        # Two numbers an array tell an overwritten row index, which would otherwise answer nothing in silence.
        for name, values in POINTERS.items():
            if name in arrays and arrays[name][[0, -1]].tolist() != [0, len(arrays[values])]:
                raise damage(folder / f"{name}.npy")
        pack = cls(folder, manifest, arrays, sums)
        _ = pack.names, pack.passages
        return pack

    def damaged(self, error: Exception) -> PackError:
        """See :mod:`kgask.pack.graph`."""
        return PackDamage(f"{self.path}: is damaged ({error}); run: kgask pack check {self.path}")

    @property
    def has_checksums(self) -> bool:
        """Whether blocks are compared as they are read; packs of kgask before 0.3 are hashed whole, when opened."""
        return bool(self._sums)

    def _array(self, name: str) -> np.ndarray:
        """An array that is read whole."""
        return np.asarray(self._read_whole[name])

    def complete(self, run: Callable[[], Given]) -> Given:
        """What ``run`` comes to on this pack. Of a graph elsewhere it is run until all that it reads was fetched."""
        return run()

    @property
    def held(self) -> str:
        """In words: how many triples it has, or where they are."""
        return f"{self.n_triples:,} triples"

    @property
    def source(self) -> dict[str, Any] | None:
        """Where the triples were asked for last, when, and in how many requests; None for a pack on disk."""
        return None

    def close(self) -> None:
        """Close the names and passages; the array maps go with their last reference."""
        for name in ("names", "passages"):
            opened = self.__dict__.pop(name, None)
            if opened is not None:
                opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @cached_property
    def names(self) -> Names:
        of_format = RowNames if self.manifest["format"]["major"] == 1 else BlockNames
        return of_format(self.path / NAMES_FILE, self.n_entities, self.n_literals, self._sums.get(NAMES_FILE))

    @cached_property
    def types(self) -> np.ndarray | None:
        """[n, 2]: the relations that instances of each type have (see :mod:`kgask.pack.types`); None without types."""
        if f"{TYPES_ARRAY}.npy" not in self.manifest["files"]:
            return None
        types = self._array(TYPES_ARRAY)
        if ((types < 0) | (types >= (self.n_entities, self.n_relations))).any():
            raise damage(self.path / f"{TYPES_ARRAY}.npy", "types or relations that are not there")
        return types

    @cached_property
    def relation_kinds(self) -> np.ndarray:
        """int8 [2R]: :mod:`kgask.pack.relation_kinds`; learned now where the pack is of an earlier kgask."""
        if f"{KINDS_ARRAY}.npy" not in self.manifest["files"]:
            return relation_kinds(self, self.type_relations, self.n_relations)
        return self._array(KINDS_ARRAY)

    @cached_property
    def literal_values(self) -> LiteralValues:
        """Every literal's place on an axis, in the order of their ids (see :mod:`kgask.pack.quantities`)."""
        if AXES_COUNT not in self.manifest["counts"]:  # a pack of an older format
            return LiteralValues.of(self.literals(range(self.n_entities - self.n_literals, self.n_entities)))
        return self._stored_values()

    def _stored_values(self) -> LiteralValues:
        low, high, axis = map(self._array, VALUE_ARRAYS)
        values = LiteralValues(low, high, axis, axes_of(self.path, self.manifest))
        if problem := values.problem():
            raise damage(self.path / f"{VALUE_ARRAYS[0]}.npy", problem)
        return values

    @cached_property
    def path_relations(self) -> np.ndarray:
        """The relations that triples have, int64, ascending: not those of qualifiers alone."""
        return np.delete(np.arange(self.n_relations), self.manifest.get(ONLY_QUALIFIERS, []))

    @cached_property
    def passages(self) -> Passages | None:
        """The texts about entities; None for a pack without any."""
        if PASSAGES_FILE not in self.manifest["files"]:
            return None
        return Passages(self.path / PASSAGES_FILE, self.n_entities, self._sums.get(PASSAGES_FILE))

    def triples(self, ids: Iterable[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Subjects, relations and objects (int64) of triple ids."""
        return triples_of(self, _as_ids(ids))

    def triple_ids(self, subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray) -> np.ndarray:
        """Triple ids (int64) of triples; :class:`PackError` when one is not in the pack."""
        return triple_ids_of(self, subjects, relations, objects)

    def degree(self, ids: Iterable[int]) -> np.ndarray:
        """Triples in and out of each entity (int64)."""
        return degree_of(self, _as_ids(ids))

    @cached_property
    def sitelinks(self) -> np.ndarray | None:
        """int32 [N]: pages of Wikipedia and its like about each entity; None where no source counted them."""
        return self._array(SITELINKS) if f"{SITELINKS}.npy" in self.manifest["files"] else None

    def prior(self, ids: Iterable[int]) -> np.ndarray:
        """How well known each entity is (int64): its triples, and its sitelinks where they are counted."""
        wanted = _as_ids(ids)
        return self.degree(wanted) + (0 if self.sitelinks is None else np.maximum(self.sitelinks[wanted], 0))

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Display texts, in the order asked; one query."""
        return self.names.labels(ids)

    def keys(self, ids: Iterable[int]) -> list[str]:
        """Wikidata ids, IRIs, or whatever the sources name entities by; literals: see pack.literals."""
        return self.names.keys(ids)

    def descriptions(self, ids: Iterable[int]) -> list[str]:
        """Descriptions, "" where there is none."""
        return self.names.descriptions(ids)

    def kinds(self, ids: Iterable[int]) -> list[str]:
        """'entity', 'number', 'date' or 'string'."""
        return ["entity" if literal is None else literal.kind for literal in self.literals(ids)]

    def literals(self, ids: Iterable[int]) -> list[Literal | None]:
        """The literal behind each id; None for an entity."""
        return self.names.literals(ids)

    @cached_property
    def _relations(self) -> list[RelationText]:
        relations = self.names.relations()
        if len(relations) != self.n_relations:
            raise damage(self.path / NAMES_FILE, f"{len(relations)} relation texts, {self.n_relations} expected")
        return relations

    def relations(self) -> list[RelationText]:
        """The words of every relation; the place in the list is the RelationId."""
        return self._relations

    @cached_property
    def type_relations(self) -> list[int]:
        """The relations that lead from a thing to what kind of thing it is."""
        return type_relations(self._relations)

    @cached_property
    def subclass_relations(self) -> list[int]:
        """The relations that lead from a type to a wider one."""
        return subclass_relations(self._relations)

    def relation_labels(self) -> list[str]:
        return [relation.label for relation in self._relations]

    def find_key(self, key: str) -> int | None:
        """The entity with this key, or None."""
        return self.names.find_key(key)

    def exact(self, norms: Iterable[str]) -> dict[str, list[NameHit]]:
        """Entities and literals called one of ``norms`` (already normalised); absent norms are left out."""
        return self.names.exact(norms)

    def fuzzy(self, norm: str, limit: int = 10) -> list[NameHit]:
        """Names that a mistyped ``norm`` may mean, most similar first, then best connected."""
        from kgask.pack.fuzzy import close_names  # rapidfuzz is needed only when a name is not found

        hits = close_names(self.names, norm)
        return self._ranked(hits, limit)

    def search(self, text: str, limit: int = 20) -> list[NameHit]:
        """Names with all the words of ``text`` (the last may be a beginning).

        Names that are exactly ``text`` come first, then the best connected entities.
        """
        norm = normalise(text)
        hits = [hit for found in self.exact([norm]).values() for hit in found]
        words = [f'"{word}"' for word in norm.split() if any(map(str.isalnum, word))]
        if words:
            refs = self.names.refs_with_words(" AND ".join(words) + " *", _MAX_MATCHES)
            hits += [self._almost(hit) for hit in self._best_refs(refs, limit)]
        return self._ranked(hits, limit)

    def _best_refs(self, refs: list[int], limit: int) -> list[NameHit]:
        """The hits of the best connected entities; texts are fetched for those only."""
        entities = np.asarray(self.names.entities_of(refs), dtype=np.int64)
        # Twice the limit, because an entity may match by its label and by aliases.
        best = np.argsort(-self.prior(entities), kind="stable")[: 2 * limit + 8]
        return list(self.names.hits(refs[i] for i in best).values())

    @staticmethod
    def _almost(hit: NameHit) -> NameHit:
        return NameHit(hit.entity, hit.name, hit.is_alias, 0.5)

    def _ranked(self, hits: list[NameHit], limit: int) -> list[NameHit]:
        """One hit an entity: most similar, label before alias, best known, lowest id."""
        known = dict(zip((h.entity for h in hits), self.prior([h.entity for h in hits]), strict=True))
        best: dict[int, NameHit] = {}
        for hit in sorted(hits, key=lambda h: (-h.similarity, -known[h.entity], h.entity, h.is_alias, h.name)):
            best.setdefault(hit.entity, hit)
        return list(best.values())[:limit]


def _as_ids(ids: Iterable[int]) -> np.ndarray:
    return ids if isinstance(ids, np.ndarray) else np.fromiter(ids, dtype=np.int64)


def _identity(folder: Path) -> tuple[int, ...] | None:
    """What tells a folder from one that is put in its place; None where there is none."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns
