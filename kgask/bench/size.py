"""Where the bytes of a pack go, beside what other stores need for the same triples and labels."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from kgask.pack.header import NAMES_FILE
from kgask.pack.store import Pack
from kgask.query.rdf import n_triples

# For the 673,125 triples and 287,841 names of FB15k-237, MetaQA and EntityQuestions; each measured once, elsewhere.
_N_NOTED = 673_125
NOTED = {"HDT with index and labels": 15_100_000, "kuzu": 42_000_000, "pyoxigraph": 68_000_000}
ALLOWED = {"HDT with index and labels": 1.3, "kuzu": 0.5, "pyoxigraph": 0.5}
_PARTS = {
    "name_words": "search index",
    "names": "look-up of names",
    "words": "words",
    "reversed_words": "words backwards",
}
Row = dict[str, str | int | float]


def measure(pack: Pack, with_pyoxigraph: bool, tell: Callable[[str], None]) -> list[Row]:
    """Bytes of each part, of all, and of others: what was noted of them (by the triple), or pyoxigraph measured now."""
    files = {name: entry["bytes"] for name, entry in pack.manifest["files"].items()}
    parts = {name: n_bytes for name, n_bytes in files.items() if name != NAMES_FILE}
    parts |= _of_names(pack.path / NAMES_FILE)
    total = sum(parts.values())
    rows = [_row(name, n_bytes, pack) for name, n_bytes in sorted(parts.items(), key=lambda part: -part[1])]
    rows.append(_row("all", total, pack))
    others = {f"{name}, noted": n_bytes / _N_NOTED * pack.n_triples for name, n_bytes in NOTED.items()}
    if with_pyoxigraph:
        tell("loading the same triples and labels into pyoxigraph")
        others["pyoxigraph, measured"] = _bytes_of_pyoxigraph(pack)
    for name, n_bytes in others.items():
        allowed = next(share for other, share in ALLOWED.items() if name.startswith(other))
        rows.append(_row(name, int(n_bytes), pack) | {"pack / it": round(total / n_bytes, 3), "at most": allowed})
    return rows


def _row(name: str, n_bytes: int, pack: Pack) -> Row:
    by_triple = round(n_bytes / pack.n_triples, 2)
    return {"part": name, "bytes": n_bytes, "bytes a triple": by_triple, "pack / it": "", "at most": ""}


def _of_names(path: Path) -> dict[str, int]:
    """Bytes of the pages of each table; those of an index count to its table, small tables together."""
    found: dict[str, int] = {}
    with closing(sqlite3.connect(f"file:{path.resolve()}?mode=ro&immutable=1", uri=True)) as db:
        for table, n_bytes in db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            table = "name_words" if table.startswith("name_words") else table
            name = f"names: {_PARTS.get(table, table)}"
            found[name] = found.get(name, 0) + n_bytes
    rest = path.stat().st_size - sum(found.values())
    return found | ({"names: free pages": rest} if rest else {})


def _bytes_of_pyoxigraph(pack: Pack) -> int:
    from pyoxigraph import RdfFormat, Store

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "pack.nt", Path(folder) / "store"
        with source.open("wb") as file:
            file.writelines(n_triples(pack))
        store = Store(str(target))
        store.bulk_load(path=str(source), format=RdfFormat.N_TRIPLES)
        store.optimize()
        store.flush()
        del store
        return sum(path.stat().st_size for path in target.iterdir() if path.suffix == ".sst")
