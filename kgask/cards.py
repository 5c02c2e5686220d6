"""Model cards: ``model.json`` beside a model's files, in one schema for planner, reader, encoder and AMR ranker.

``magic`` and ``kind`` say which stage reads the model, ``format_version`` how; ``files`` lists every file of the folder
with its ``bytes`` and ``sha256``, and ``card_sha256`` is of the card itself: both are compared when a model is loaded.
The rest of a card belongs to its kind.
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
from kgask.errors import ModelDamage, ModelError
from kgask.machine.files import open_regular, read_regular, write_whole
from kgask.machine.remembered import are_as_stated

MAGIC = "kgask-model"
CARD_HASH = "card_sha256"  # not there in cards that people write, and of kgask before 0.3
MOST_BYTES = 64 << 20  # of a card: a closed vocabulary lists all its relations
Content = dict[str, Any]  # a card as its JSON says it


@dataclass(frozen=True, slots=True)
class CardFormat:
    """What a stage expects of the cards that it reads."""

    kind: str
    version: int
    needed: tuple[str, ...]  # files that every model of this kind has
    command: str  # writes such a model: what to type where there is none
    magic: str = MAGIC
    hashed: bool = True  # whether its files are read whole before they are used; once, while they stay the same

    @contextmanager
    def reading(self, folder: Path) -> Iterator[Content]:
        """Yield the content of a folder's card: its magic, kind, version and hash, and its files, are checked.

        Raises ModelDamage where a hash does not hold; ModelError, one line, for what is no such model, and for what
        the block raises over content that it cannot use: ValueError, KeyError, TypeError or AttributeError.
        """
        path = folder / MODEL_CARD
        try:
            content = read_json(path)
            if (content["magic"], content.get("kind", self.kind)) != (self.magic, self.kind):
                raise ModelError(f"{path}: not of kind {self.kind!r}; make one: {self.command}")
            if content["format_version"] > self.version:
                raise ModelError(f"{path}: made for a newer kgask (format {content['format_version']})")
            if content["format_version"] < self.version:
                raise ModelError(f"{path}: of an older format; train it again: {self.command}")
            if content.get(CARD_HASH, "") not in ("", _hash_of(content)):
                raise _damage(path, "its own SHA-256 does not hold")
            check_sizes(folder, content["files"], self.needed)
            if self.hashed:
                check_content(folder, content["files"])
            yield content
        except OSError as error:
            what = f"{path}: cannot be read ({error.strerror})"
            raise ModelError(f"{what}; 'kgask models list' shows what there is; make one: {self.command}") from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(f"{path}: broken model card ({error})") from error

    def card(self, folder: Path, names: Iterable[str], **about: Any) -> Content:
        """A card of the named files as they are in the folder; ``about`` is what the kind adds."""
        stated = {"magic": self.magic, "kind": self.kind, "format_version": self.version}
        return {**stated, "files": {name: file_entry(folder / name) for name in names}, **about}


def write_card(folder: Path, content: Mapping[str, Any]) -> None:
    """Whole or not at all, with its own hash; written last, it makes a folder a model."""
    text = json.dumps({**content, CARD_HASH: _hash_of(content)}, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / MODEL_CARD, text.encode("utf-8", "backslashreplace"))


def read_json(path: Path) -> Content:
    """The JSON object in a card; OSError, and ValueError for whatever is none, nested too deep or too large for one."""
    data = read_regular(path, MOST_BYTES)
    try:
        content = json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


def _hash_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of what a card says, however its text is laid out."""
    said = {key: value for key, value in content.items() if key != CARD_HASH}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _damage(path: Path, reason: str) -> ModelDamage:
    return ModelDamage(f"{path}: is damaged ({reason}); run: kgask models check {path.parent}")


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


def check_content(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Every file is what the card states; :class:`ModelDamage` otherwise, OSError where one cannot be read.

    They are read once; while their sizes, times and inodes stay the same, what they were is remembered.
    """
    if not files or are_as_stated({folder / name: str(files[name]["sha256"]) for name in sorted(files)}):
        return
    for name in hash_mismatches(folder, files):
        raise _damage(folder / name, "its SHA-256 is not the card's")


def hash_mismatches(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of files whose SHA-256 differs from the card's; for ``kgask models check``."""
    found = ((name, folder / name, entry["sha256"]) for name, entry in files.items())
    return [name for name, path, sha256 in found if not path.is_file() or file_entry(path)["sha256"] != sha256]
