"""Model cards: ``model.json`` beside a model's files, in one schema for planner, reader, encoder and AMR ranker.

``magic`` and ``kind`` say which stage reads the model, ``format_version`` how; ``files`` lists every file of the folder
with its ``bytes`` and ``sha256``. The rest of a card belongs to its kind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.machine.files import open_regular, read_regular, write_whole

MAGIC = "kgask-model"
MOST_BYTES = 1 << 24  # of a card
Content = dict[str, Any]  # a card as its JSON says it


def read_content(folder: Path) -> Any:
    """The JSON of a folder's card. OSError where there is no file of at most 16 MiB, ValueError for what is no JSON."""
    try:
        return json.loads(read_regular(folder / MODEL_CARD, MOST_BYTES))
    except RecursionError:
        raise ValueError("nested too deeply") from None


@dataclass(frozen=True, slots=True)
class CardFormat:
    """What a stage expects of the cards that it reads."""

    kind: str
    version: int
    needed: tuple[str, ...]  # files that every model of this kind has
    command: str  # writes such a model: what to type where there is none
    magic: str = MAGIC

    @contextmanager
    def reading(self, folder: Path) -> Iterator[Content]:
        """Yield the content of a folder's card, its magic, kind, version and the sizes of its files checked.

        Comparing hashes is ``kgask models check``. Raises ModelError, one line, for what is no such model, and for what
        the block raises over content that it cannot use: ValueError, KeyError, TypeError or AttributeError.
        """
        path = folder / MODEL_CARD
        try:
            content = read_content(folder)
            if (content["magic"], content.get("kind", self.kind)) != (self.magic, self.kind):
                raise ModelError(f"{path}: not of kind {self.kind!r}; make one: {self.command}")
            if content["format_version"] > self.version:
                raise ModelError(f"{path}: made for a newer kgask (format {content['format_version']})")
            if content["format_version"] < self.version:
                raise ModelError(f"{path}: of an older format; train it again: {self.command}")
            check_sizes(folder, content["files"], self.needed)
            yield content
        except OSError as error:
            what = f"{path}: cannot be read ({error.strerror})"
            raise ModelError(f"{what}; 'kgask models list' shows what there is; make one: {self.command}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path}: broken model card ({error})") from error

    def card(self, folder: Path, names: Iterable[str], **about: Any) -> Content:
        """A card of the named files as they are in the folder; ``about`` is what the kind adds."""
        stated = {"magic": self.magic, "kind": self.kind, "format_version": self.version}
        return {**stated, "files": {name: file_entry(folder / name) for name in names}, **about}


def write_card(folder: Path, content: Mapping[str, Any]) -> None:
    """Whole or not at all; written last, it makes a folder a model."""
    write_whole(folder / MODEL_CARD, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def file_entry(path: Path) -> Content:
    """Size and SHA-256 of a model's file, as its card lists them."""
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": digest}


def check_sizes(folder: Path, files: Mapping[str, Mapping[str, Any]], needed: Iterable[str]) -> None:
    """Every file is there, the ``needed`` ones among them, in the folder itself, with the size that the card states."""
    for name in dict.fromkeys([*needed, *files]):
        if name in ("", "..") or "/" in name or "\\" in name:
            raise ModelError(f"{folder / MODEL_CARD}: {name!r} is not a file of this folder")
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{path}: missing")
        if path.stat().st_size != files[name]["bytes"]:
            raise ModelError(f"{path}: size differs from the model card; the model is broken")


def hash_mismatches(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of files whose SHA-256 differs from the card's; for ``kgask models check``."""
    found = ((name, folder / name, entry["sha256"]) for name, entry in files.items())
    return [name for name, path, sha256 in found if not path.is_file() or file_entry(path)["sha256"] != sha256]
