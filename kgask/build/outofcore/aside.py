"""Names written by two processes: one packs texts and hashes what the pack says, while the other indexes them.

Both take about as long, and each keeps one core busy. What the second process reads lies in Arrow files of the stage.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kgask.build.names_writer import write_texts
from kgask.build.outofcore import arrays
from kgask.build.outofcore.numbering import batched
from kgask.build.outofcore.store import ROWS
from kgask.build.outofcore.texts import StoredTexts
from kgask.errors import BuildError
from kgask.machine.child import ChildDied, in_child
from kgask.machine.cores import usable_cores
from kgask.pack.content import content_hash
from kgask.pack.literals import literal_key, literal_label
from kgask.pack.records import RelationText

LEAST = 1 << 19  # entities from which a second process is worth its start
_TASK = "kgask.build.outofcore.aside:write"
_SECONDS = 86_400.0
_FILE = "texts.sqlite"


def is_worth_it(texts: StoredTexts) -> bool:
    """Whether there is enough to write, and a core for it."""
    return texts.first_literal >= LEAST and usable_cores() > 1


@contextmanager
def writing(texts: StoredTexts, pack: Path, stated: bool) -> Iterator[Callable[[], Any]]:
    """While the texts are written: what waits for them, and returns their file and the content hash of the pack.

    ``pack`` has the arrays, those of statements too where ``stated``. Raises BuildError for what is not written.
    """
    stage = texts.folder
    payload = {
        "stage": str(stage), "pack": str(pack), "stated": stated, "n_literals": texts.n_literals,
        "first_literal": texts.first_literal, "relations": [asdict(one) for one in texts.relations],
    }  # fmt: skip
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(in_child, _TASK, payload, seconds=_SECONDS)
        yield lambda: _result(waiting.result, stage / _FILE)
    (stage / _FILE).unlink(missing_ok=True)


def _result(wait: Callable[[], Any], file: Path) -> tuple[Path, str]:
    try:
        found = wait()
    except ChildDied as error:
        raise BuildError(f"the process that writes names {error}") from None
    if "error" in found:
        raise BuildError(found["error"])
    return file, str(found["content"])


@dataclass(frozen=True, slots=True)
class _Exported:
    """See :class:`kgask.pack.content.Said`: from the files that the texts are written from."""

    texts: StoredTexts

    def named(self) -> Iterator[tuple[range, list[str], list[str]]]:
        first = 0
        for labels, keys in self.texts.named():
            yield (
                range(first, first + len(labels)),
                [key or label for key, label in zip(keys, labels, strict=True)],
                labels,
            )
            first += len(labels)
        for some in batched(self.texts.literals(), ROWS):
            yield range(first, first + len(some)), [*map(literal_key, some)], [*map(literal_label, some)]
            first += len(some)

    def every_alias(self) -> Iterable[tuple[int, str]]:
        return self.texts.aliases()

    def described(self) -> Iterator[tuple[int, str]]:
        return self.texts.described()

    def relations(self) -> Sequence[RelationText]:
        return self.texts.relations


def write(payload: dict[str, Any]) -> dict[str, str]:
    """In the second process: the file of texts, and the content hash."""
    stage, first, n_literals = Path(payload["stage"]), payload["first_literal"], payload["n_literals"]
    path = stage / _FILE
    path.unlink(missing_ok=True)
    relations = [RelationText(**{**one, "aliases": tuple(one["aliases"])}) for one in payload["relations"]]
    try:
        texts = StoredTexts(stage, first, n_literals, relations, os.getppid())
        write_texts(path, texts)
        csr = arrays.opened(Path(payload["pack"]), payload["stated"])
        return {"content": content_hash(_Exported(texts), csr)}
    except (BuildError, OSError) as error:
        return {"error": str(error)}
