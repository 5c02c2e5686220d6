"""Names written by two processes: one packs texts and hashes what the pack says, while the other indexes them.

Both take about as long, and each keeps one core busy. What the second process reads lies in Arrow files of the stage.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.build.names_writer import Alias, NamesPart, write_texts
from kgask.build.outofcore import arrays
from kgask.build.outofcore.learned import LITERALS, as_literals
from kgask.build.outofcore.store import Store
from kgask.build.outofcore.texts import StoredTexts
from kgask.errors import BuildError
from kgask.machine.child import ChildDied, in_child
from kgask.machine.cores import usable_cores
from kgask.pack.content import content_hash
from kgask.pack.names_blocks import BlockNames
from kgask.pack.records import Literal, RelationText

if TYPE_CHECKING:
    import pyarrow

LEAST = 1 << 19  # entities from which a second process is worth its start
_TASK = "kgask.build.outofcore.aside:write"
_SECONDS = 86_400.0
_FILE = "texts.sqlite"
_TABLES = {
    "named": "SELECT label, key FROM named ORDER BY id",
    "described": "SELECT id, text FROM descriptions WHERE text <> '' ORDER BY id",
    "literals": LITERALS,
    "aliases": "SELECT entity, name FROM aliases ORDER BY id",
}


def is_worth_it(texts: StoredTexts) -> bool:
    """Whether there is enough to write, and a core for it."""
    return texts.first_literal >= LEAST and usable_cores() > 1


@contextmanager
def writing(store: Store, texts: StoredTexts, stage: Path, pack: Path, stated: bool) -> Iterator[Callable[[], Any]]:
    """While the texts are written: what waits for them, and returns their file and the content hash of the pack.

    ``pack`` has the arrays, those of statements too where ``stated``. Raises BuildError for what is not written.
    """
    for name, query in _TABLES.items():
        _export(stage / f"{name}.arrow", store.batches(query))
    payload = {
        "stage": str(stage), "pack": str(pack), "stated": stated, "n_literals": texts.n_literals,
        "first_literal": texts.first_literal, "relations": [asdict(one) for one in texts.relations],
    }  # fmt: skip
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(in_child, _TASK, payload, seconds=_SECONDS)
        yield lambda: _result(waiting.result, stage / _FILE)
    for left in (stage / _FILE, *(stage / f"{name}.arrow" for name in _TABLES)):
        left.unlink(missing_ok=True)


def _result(wait: Callable[[], Any], file: Path) -> tuple[Path, str]:
    try:
        found = wait()
    except ChildDied as error:
        raise BuildError(f"the process that writes names {error}") from None
    if "error" in found:
        raise BuildError(found["error"])
    return file, str(found["content"])


def _export(path: Path, batches: Iterable[pyarrow.RecordBatch]) -> None:
    import pyarrow

    path.unlink(missing_ok=True)
    writer = None
    with pyarrow.OSFile(str(path), "wb") as file:
        for batch in batches:
            writer = writer or pyarrow.ipc.new_stream(file, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()


class _ExportedTexts:
    """See :class:`kgask.build.names_writer.Texts`."""

    def __init__(self, folder: Path, first_literal: int, relations: Sequence[RelationText]) -> None:
        self.first_literal, self.relations = first_literal, relations
        self._folder, self._parent = folder, os.getppid()

    def labels(self) -> Iterator[str]:
        return (label for (label,) in self._rows("named", 0))

    def keys(self) -> Iterator[str]:
        return (key for (key,) in self._rows("named", 1))

    def described(self) -> Iterator[tuple[int, str]]:
        return ((entity, text) for entity, text in self._rows("described"))

    def literals(self) -> Iterator[Literal]:
        return as_literals(self._rows("literals"))

    def aliases(self) -> Iterator[Alias]:
        return (Alias(*row) for row in self._rows("aliases"))

    def names(self) -> Iterator[NamesPart]:
        raise NotImplementedError("names are indexed by the other process")

    def _rows(self, table: str, *columns: int) -> Iterator[tuple[Any, ...]]:
        import pyarrow

        path = self._folder / f"{table}.arrow"
        if not path.stat().st_size:
            return
        with pyarrow.memory_map(str(path)) as file:
            for batch in pyarrow.ipc.open_stream(file):
                if os.getppid() != self._parent:
                    raise SystemExit(1)  # it was killed, and somebody else may go on in its folder
                wanted = [batch.column(at) for at in columns] or batch.columns
                yield from zip(*(column.to_pylist() for column in wanted), strict=True)


def write(payload: dict[str, Any]) -> dict[str, str]:
    """In the second process: the file of texts, and the content hash."""
    stage, first, n_literals = Path(payload["stage"]), payload["first_literal"], payload["n_literals"]
    path = stage / _FILE
    path.unlink(missing_ok=True)
    relations = [RelationText(**{**one, "aliases": tuple(one["aliases"])}) for one in payload["relations"]]
    try:
        write_texts(path, _ExportedTexts(stage, first, relations))
        csr = arrays.opened(Path(payload["pack"]), payload["stated"])
        with closing(BlockNames(path, first + n_literals, n_literals)) as names:
            return {"content": content_hash(names, csr)}
    except (BuildError, OSError) as error:
        return {"error": str(error)}
