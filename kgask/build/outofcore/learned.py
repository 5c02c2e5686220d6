"""What is learned of a graph when it is built (relation kinds, the type graph), and where its literals lie; by SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.outofcore.arrays import ArrayWriter, Direction, sizes
from kgask.build.outofcore.numbering import batched
from kgask.build.outofcore.store import Store
from kgask.build.written import write_array
from kgask.pack.arrays import id_type
from kgask.pack.header import SITELINKS
from kgask.pack.quantities import VALUE_ARRAYS, LiteralValues
from kgask.pack.records import Literal, RelationText
from kgask.pack.relation_kinds import KINDS_ARRAY, RelationCounts, kinds_of, main_classes
from kgask.pack.types import TYPES_ARRAY, type_relations

LITERALS = "SELECT kind, text, num, unit FROM literals ORDER BY id"


def write_learned(store: Store, folder: Path, ways: Sequence[Direction], relations: Sequence[RelationText]) -> int:
    """Relation kinds, and the type graph where there are types: its number of rows."""
    leads = type_relations(relations)
    of_types = f"r IN ({', '.join(map(str, leads)) or 'NULL'})"
    store.make("instances", f"SELECT DISTINCT s, o AS type, r FROM triples WHERE {of_types}")
    outward, inward = ways
    counts = RelationCounts(
        outward.triples,
        np.stack([outward.owners, inward.owners]),
        np.stack([outward.with_one, inward.with_one]),
        *_shares(store, outward.owners),
    )
    kinds = kinds_of(counts, lambda relation: _turned_round(store, relation))
    write_array(folder / f"{KINDS_ARRAY}.npy", kinds)
    return _write_types(store, folder, of_types)


def _shares(store: Store, n_owners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """See :func:`kgask.pack.relation_kinds.main_classes`; only what may be a relation's main class is fetched."""
    types = {"r": "int64", "n": "int64"}
    store.create("owners", types)
    store.append("owners", {"r": np.arange(len(n_owners)), "n": n_owners}, types)
    rows = [*store.stream(
        "WITH pairs AS (SELECT i.type, t.r, count(*) AS n FROM instances i JOIN (SELECT DISTINCT s, r FROM triples "
        "WHERE s IN (SELECT s FROM instances)) t ON t.s = i.s GROUP BY i.type, t.r) "
        "SELECT p.type, p.r, p.n, c.n AS n_members FROM pairs p JOIN owners o ON o.r = p.r "
        "JOIN (SELECT type, count(*) AS n FROM instances GROUP BY type) c ON c.type = p.type "
        "WHERE 2 * p.n >= o.n ORDER BY p.type, p.r"
    )]  # fmt: skip
    table = np.array(rows, np.int64).reshape(-1, 4)
    relations, counts, sizes_of = table[:, 1:].T
    return main_classes(relations, counts, sizes_of, n_owners)


def _turned_round(store: Store, relation: int) -> float:
    """The share of a relation's triples whose two ends are in such a triple the other way round as well."""
    own = f"(SELECT DISTINCT s, o FROM triples WHERE r = {relation})"
    n, n_turned = store.row(f"SELECT count(*), count(b.s) FROM {own} a LEFT JOIN {own} b ON b.s = a.o AND b.o = a.s")
    return float(n_turned / n)


def _write_types(store: Store, folder: Path, of_types: str) -> int:
    has = " UNION ".join(f"SELECT {end} AS e, r FROM triples WHERE NOT {of_types}" for end in "so")
    if not store.row("SELECT count(*) FROM instances")[0]:
        return 0
    rows = store.columns(
        f"SELECT DISTINCT i.type, h.r FROM instances i JOIN ({has}) h ON h.e = i.s ORDER BY i.type, h.r"
    )
    path = folder / f"{TYPES_ARRAY}.npy"
    writer, n_rows = ArrayWriter(path, id_type(sizes(store)[0]), 2), 0
    for types, relations in rows:
        writer.write(np.column_stack([types, relations]))
        n_rows += len(types)
    writer.close()
    if not n_rows:
        path.unlink()
    return n_rows


def write_values(store: Store, folder: Path) -> list[str]:
    """Where each literal lies; the axes, in the order in which literals first lie on them."""
    axes: dict[str, int] = {}
    writers = [ArrayWriter(folder / f"{name}.npy", np.dtype(kind))
               for name, kind in zip(VALUE_ARRAYS, ("<f8", "<f8", "<i2"), strict=True)]  # fmt: skip
    for batch in batched(store.stream(LITERALS), store.rows):
        values = LiteralValues.of(as_literals(batch))
        places = np.array([axes.setdefault(axis, len(axes)) for axis in values.axes] + [-1], np.int16)
        for writer, column in zip(writers, (values.low, values.high, places[values.axis]), strict=True):
            writer.write(column)
    for writer, name in zip(writers, VALUE_ARRAYS, strict=True):
        writer.close()
        if not axes:
            (folder / f"{name}.npy").unlink()
    return [*axes]


def write_sitelinks(store: Store, folder: Path) -> None:
    """Pages about each entity, where any source counted them."""
    counted = "SELECT e.id, max(c.n) AS n FROM sitelinks c JOIN entities e ON e.key = c.key GROUP BY e.id"
    if not store.row(f"SELECT count(*) FROM ({counted}) c")[0]:
        return
    writer, (n_entities, _) = ArrayWriter(folder / f"{SITELINKS}.npy", np.dtype("<i4")), sizes(store)
    n_written = 0
    for (pages,) in store.columns(
        f"SELECT coalesce(c.n, 0) AS n FROM entities e LEFT JOIN ({counted}) c ON c.id = e.id ORDER BY e.id"
    ):
        writer.write(pages)
        n_written += len(pages)
    writer.write(np.zeros(n_entities - n_written, np.int32))  # literals come last
    writer.close()


def as_literals(rows: Iterable[tuple[Any, ...]]) -> Iterator[Literal]:
    """Of rows as :data:`LITERALS` gives them."""
    return (Literal(kind, text, value, unit) for kind, text, value, unit in rows)
