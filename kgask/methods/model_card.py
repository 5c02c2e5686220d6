"""The card of a method's own model: a folder with ``model.json`` and the files that it lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.plan.card import check_sizes

MAGIC = "kgask-model"
Card = TypeVar("Card")


def read_card(
    folder: Path,
    kind: str,
    version: int,
    needed: Sequence[str],
    command: str,
    made: Callable[[dict[str, Any]], Card],
) -> Card:
    """The card of a model of this kind, as ``made`` makes it of the content; ``command`` writes such a folder.

    Sizes are checked, hashes by ``kgask models check``. Raises ModelError, one line, for what is no such folder;
    ``made`` may raise ValueError, KeyError or TypeError for content that it cannot use.
    """
    path = folder / MODEL_CARD
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["magic"] != MAGIC or content["kind"] != kind:
            raise ModelError(f"{path}: not of kind {kind!r}; make one: {command}")
        if content["format_version"] != version:
            raise ModelError(f"{path}: made for another version of kgask; make it again: {command}")
        check_sizes(folder, content["files"], tuple(needed))
        return made(content)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}); make one: {command}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: broken model card ({error})") from error
