"""Ask a knowledge graph you already have, offline, and get an answer you can check.

>>> import kgask
>>> with kgask.open("demo") as kg:
...     answer = kg.ask("who wrote Lady Susan?")
...     others = kg.ask_many(["What is the capital of Kenya?", "who wrote The Moons of Zarbulon Seven?"])
>>> answer.text
'Jane Austen'
>>> [other.text for other in others if other]  # a refusal is false; its ``reason`` says why
['Nairobi']
>>> with kgask.open("demo") as kg:
...     kg.verify("Osaka is the capital of Japan").verdict
'refuted'

An :class:`Answer` has its ``entities`` and ``support`` (the triples that prove it), its ``confidence``, and the
``query`` that was asked of the graph; :meth:`Answer.to_dict` is what ``kgask ask --json`` prints, and notebooks show
answer, confidence and triples. What cannot be done raises a :class:`KgaskError` with one line that says what to do.

Importing kgask loads no model library; :func:`open` does.
"""

from __future__ import annotations

from kgask.errors import KgaskError, UsageError
from kgask.machine import environment
from kgask.version import __version__

TYPE_CHECKING = False  # as in typing, which the command should not wait for before it can answer Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from kgask.answer.pipeline import Pipeline
    from kgask.answer.request import AskOptions
    from kgask.answer.result import Answer
    from kgask.opened import Opened

__all__ = ["Answer", "AskOptions", "KgaskError", "Pipeline", "UsageError", "__version__", "open"]
_LATER = {"Answer": "result", "AskOptions": "request", "Pipeline": "pipeline"}  # imported when first asked for

environment.prepare()  # before any other import: some libraries look once, while they are imported


def open(
    pack: str | None = None,
    *,
    model: str | None = None,
    reader: str | None = "",
    method: str | None = None,
    prompt: str | None = None,
    context: str = "triples",
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> Opened:
    """Open a pack (name or path) with its planner and reader, ready to ask; use it in a ``with`` block.

    What is not given comes from the user's settings, then what ships. ``reader=None`` answers without reading;
    ``method`` is another way to find triples (``kgask methods`` lists them), ``prompt`` what another reader than
    kgask's is told, ``context`` whether it sees triples, passages, or both; ``settings={}`` leaves the user's settings
    out. ``options`` are fields of :class:`kgask.methods.registry.MethodOptions`, ``encoder`` among them.
    Raises :class:`KgaskError` for what is not there or cannot be used.
    """
    from kgask.opened import Opened

    return Opened.open(
        pack, model=model, reader=reader, method=method, prompt=prompt, context=context, settings=settings, **options
    )


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return vars(import_module(f"kgask.answer.{_LATER[name]}"))[name]
    raise AttributeError(f"module 'kgask' has no attribute {name!r}")
