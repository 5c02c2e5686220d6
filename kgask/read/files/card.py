"""The card of a reader folder: ``model.json`` beside the GGUF file."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.read.cross_encoder.prompt import PROMPT_FORMAT
from kgask.read.cross_encoder.verdicts import Weights

KIND = "reader"
ADDED_KIND = "gguf"  # a file that the user added: read by what its header says, not by its card
MAGIC = "kgask-model"
FORMAT_VERSION = 1
HASHED_WHOLE_BYTES, HEAD_BYTES = 64 << 20, 8 << 20  # hashing gigabytes would cost more than the answer


@dataclass(frozen=True, slots=True)
class ReaderCard:
    """A checked card. ``content`` is all of it."""

    folder: Path
    file: Path
    n_bytes: int
    sha256: str
    content: dict[str, Any]


def read_card(folder: Path) -> ReaderCard:
    """Read and check a reader's card; raises ModelError for one that this version cannot use."""
    path = folder / MODEL_CARD
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        name, entry = next(iter(content["files"].items()))
        card = ReaderCard(folder, folder / name, int(entry["bytes"]), str(entry["sha256"]), content)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        raise ModelError(f"{path}: not a model card; 'kgask models list' shows what there is") from None
    if content.get("magic") != MAGIC or content.get("kind") != KIND:
        raise ModelError(f"{path}: not the card of a reader")
    if Path(name).name != name:
        raise ModelError(f"{path}: names a file outside its folder")
    if content.get("format_version") != FORMAT_VERSION or content.get("prompt_format") != PROMPT_FORMAT:
        raise ModelError(f"{path}: made for another version of kgask; install the reader that came with this one")
    return card


def verdict_weights(card: ReaderCard) -> tuple[Weights, Weights]:
    """How the reader's two verdicts on a line are combined: where a plan marks the lines, and where nothing does."""
    marked = _weights(card, "verdict_weights", Weights())
    return marked, _weights(card, "verdict_weights_unmarked", marked)


def _weights(card: ReaderCard, entry: str, otherwise: Weights) -> Weights:
    if entry not in card.content:
        return otherwise
    try:
        return Weights(**{name: float(value) for name, value in card.content[entry].items()})
    except (TypeError, ValueError, AttributeError):
        raise ModelError(f"{card.folder / MODEL_CARD}: {entry} are not line, scene and bias") from None


def check_file(card: ReaderCard) -> None:
    """Size and SHA-256 of the weights against the card; raises ModelError on a difference.

    Milliseconds for the few megabytes of a reader, and flipped bytes would load silently.
    """
    try:
        size = card.file.stat().st_size
        if size != card.n_bytes:
            raise ModelError(f"{card.file}: {size} bytes, its card says {card.n_bytes}; install it again")
        with open(card.file, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{card.file}: cannot be read: {error.strerror or error}") from None
    if digest != card.sha256:
        raise ModelError(f"{card.file}: its content is not what its card says; install it again")


def file_hash(path: Path) -> str:
    """SHA-256 of a file; of a large one only of its head and size, and the hash says so."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        if size <= HASHED_WHOLE_BYTES:
            return hashlib.file_digest(file, "sha256").hexdigest()
        return f"head-{size}-{hashlib.sha256(file.read(HEAD_BYTES)).hexdigest()}"


def is_added(folder: Path) -> bool:
    """Whether ``kgask models add`` made this folder."""
    try:
        content = json.loads((folder / MODEL_CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("magic") == MAGIC and content.get("kind") == ADDED_KIND


def read_added(folder: Path) -> dict[str, Any]:
    """The card of an added file; raises ModelError for one that this version cannot use."""
    path = folder / MODEL_CARD
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        ((name, entry),) = content["files"].items()
        whole = all(isinstance(entry[key], int) for key in ("bytes", "mtime_ns"))
        whole = whole and all(isinstance(entry[key], str) for key in ("sha256", "head_hash"))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        whole, name = False, ""
    if not whole or content.get("format_version") != FORMAT_VERSION or name in ("", "..") or Path(name).name != name:
        raise ModelError(f"{path}: not a model card of this version; kgask models remove {folder.name}, then add it")
    return content


def added_file(folder: Path) -> tuple[Path, str]:
    """An added model's file and its hash; raises ModelError when it is gone or has another size or head."""
    ((name, entry),) = read_added(folder)["files"].items()
    file, again = folder / name, f"kgask models remove {folder.name}, then add it again"
    try:
        if file.stat().st_size != entry["bytes"] or file_hash(file) != entry["head_hash"]:
            raise ModelError(f"{file}: has changed since it was added; {again}")
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror or error}; {again}") from None
    return file, entry["head_hash"]


def check_added(folder: Path) -> Path:
    """An added model's file after its whole SHA-256 was compared with the card; raises ModelError."""
    ((name, entry),) = read_added(folder)["files"].items()
    check_file(ReaderCard(folder, folder / name, entry["bytes"], entry["sha256"], {}))
    return folder / name


def make_added_card(
    about: dict[str, Any], name: str, sha256: str, head_hash: str, found: os.stat_result
) -> dict[str, Any]:
    """The card of an added file, whose hashes were taken while it was copied; ``about`` is for people."""
    entry = {"bytes": found.st_size, "sha256": sha256, "head_hash": head_hash, "mtime_ns": found.st_mtime_ns}
    return {"magic": MAGIC, "kind": ADDED_KIND, "format_version": FORMAT_VERSION, "files": {name: entry}, **about}


def make_card(file: Path, about: dict[str, Any]) -> dict[str, Any]:
    """The card of a weights file; ``about`` holds licence, training and scores."""
    data = file.read_bytes()
    return {
        "magic": MAGIC,
        "kind": KIND,
        "format_version": FORMAT_VERSION,
        "prompt_format": PROMPT_FORMAT,
        "name": "reader",
        "files": {file.name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}},
        **about,
    }
