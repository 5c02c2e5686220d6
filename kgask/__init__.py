"""Ask a knowledge graph you already have, offline, and get an answer you can check.

>>> import kgask
>>> with kgask.open("demo") as kg:
...     answer = kg.ask("who wrote Lady Susan?")
>>> answer.text
'Jane Austen'

:func:`open` returns a :class:`kgask.answer.pipeline.Pipeline`; its ``ask`` returns a
:class:`kgask.types.Answer`. Importing kgask itself loads no model library.
"""

from __future__ import annotations

from kgask.errors import KgaskError
from kgask.machine import environment
from kgask.version import __version__

TYPE_CHECKING = False  # as in typing, which the command should not wait for before it can answer Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from kgask.answer.pipeline import Pipeline
    from kgask.answer.result import Answer

__all__ = ["Answer", "KgaskError", "__version__", "open"]

environment.prepare()  # before any other import: some libraries look once, while they are imported


def open(pack: str | None = None, **options: Any) -> Pipeline:
    """Open a pack (name or path) with its planner and reader, ready to ask.

    ``options`` are those of :meth:`kgask.answer.pipeline.Pipeline.open`: ``model``,
    ``reader`` (``None`` answers from the plan alone), ``method``, ``encoder``, ``prompt`` and ``settings``.
    """
    from kgask.answer.pipeline import Pipeline

    return Pipeline.open(pack, **options)


def __getattr__(name: str) -> Any:
    if name == "Answer":
        from kgask.answer.result import Answer

        return Answer
    raise AttributeError(f"module 'kgask' has no attribute {name!r}")
