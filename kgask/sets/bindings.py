"""Answers as SPARQL endpoints give them, and as copies of question sets abridge that."""

from __future__ import annotations

import re
from typing import Any

from kgask.sets.gold import GoldAnswer
from kgask.sets.keys import graph_key, readable_name

_ID = re.compile(r"[QP]\d+")


def answers_of(content: Any) -> tuple[GoldAnswer, ...]:
    """Answers in any of these forms; ValueError for another.

    A result (``{"results": {"bindings": [..]}}``), ``{"boolean": true}``, a list of results, texts, IRIs, numbers,
    or objects with a name. Yes and no are words.
    """
    if content is None or content == "":
        return ()
    if isinstance(content, list):
        return tuple(dict.fromkeys(answer for part in content for answer in answers_of(part)))
    if isinstance(content, bool):
        return (GoldAnswer(("yes" if content else "no",)),)
    if isinstance(content, str | int | float):
        return (_of_text(str(content)),)
    if not isinstance(content, dict):
        raise ValueError(f"an answer that is neither text nor a result: {content!r}")
    if "boolean" in content:
        return answers_of(bool(content["boolean"]))
    if "results" in content:
        return tuple(dict.fromkeys(_of_binding(one) for row in _rows(content["results"]) for one in row.values()))
    if "value" in content:
        return (_of_binding(content),)
    if "head" in content:  # a result without rows
        return ()
    raise ValueError(f"an answer without value: {content!r}")


def _rows(results: Any) -> list[dict[str, Any]]:
    """The bindings; an endpoint that found nothing leaves them out."""
    return results.get("bindings") or []


def _of_binding(one: dict[str, Any]) -> GoldAnswer:
    value = str(one["value"])
    return GoldAnswer((value,)) if one.get("type") in ("literal", "typed-literal") else _of_text(value)


def _of_text(value: str) -> GoldAnswer:
    if value.startswith(("http://", "https://")):
        name = readable_name(value)
        return GoldAnswer((name,) if name else (), graph_key(value))
    return GoldAnswer((), value) if _ID.fullmatch(value) else GoldAnswer((value,))
