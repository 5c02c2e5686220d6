"""The cards of readers (:mod:`kgask.cards`): of kgask's own, and of a GGUF file that the user added."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.cards import MAGIC, CardFormat, Content, read_json
from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.machine.files import open_regular
from kgask.read.cross_encoder.prompt import PROMPT_FORMAT
from kgask.read.cross_encoder.verdicts import Weights

READER = CardFormat("reader", 1, (), "kgask train reader --help")
# Read by what its header says, not by its card.
ADDED = CardFormat("gguf", 1, (), "kgask models add FILE.gguf", hashed=False)
HASHED_WHOLE_BYTES, HEAD_BYTES = 64 << 20, 8 << 20  # hashing gigabytes would cost more than the answer


@dataclass(frozen=True, slots=True)
class ReaderCard:
    """A checked card. ``content`` is all of it."""

    file: Path
    n_bytes: int
    sha256: str
    content: Content


def has_card(path: Path) -> bool:
    """Whether a path is a folder with a card of its own, not one that ``kgask models add`` made."""
    return (path / MODEL_CARD).is_file() and not is_added(path)


def read_card(folder: Path) -> ReaderCard:
    """Read and check a reader's card; raises ModelError for one that this version cannot use."""
    with READER.reading(folder) as content:
        if content["prompt_format"] != PROMPT_FORMAT:
            again = "install the reader that came with this one"
            raise ModelError(f"{folder / MODEL_CARD}: made for another version of kgask; {again}")
        return _card(folder, content)


def _card(folder: Path, content: Content) -> ReaderCard:
    """Of a folder with one file."""
    ((name, entry),) = content["files"].items()
    return ReaderCard(folder / name, int(entry["bytes"]), str(entry["sha256"]), content)


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
        raise ModelError(f"{card.file.with_name(MODEL_CARD)}: {entry} are not line, scene and bias") from None


def check_file(card: ReaderCard) -> None:
    """SHA-256 of the weights against the card; raises ModelError on a difference.

    Milliseconds for the few megabytes of a reader, and flipped bytes would load silently.
    """
    try:
        with open_regular(card.file) as file:
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
        content = read_json(folder / MODEL_CARD)
    except (OSError, ValueError):
        return False
    return (content.get("magic"), content.get("kind")) == (MAGIC, ADDED.kind)


def read_added(folder: Path) -> ReaderCard:
    """The card of an added file; ModelError for a broken one, or where the file is gone or has another size or head.

    ``sha256`` is of the whole file, ``content["files"]`` holds the hash of its head too.
    """
    try:
        with ADDED.reading(folder) as content:
            card = _card(folder, content)
            if file_hash(card.file) != content["files"][card.file.name]["head_hash"]:
                raise ModelError(f"{card.file}: has changed since it was added")
            return card
    except ModelError as error:
        raise ModelError(f"{error}; kgask models remove {folder.name}, then add it again") from None


def make_added_card(
    about: dict[str, Any], name: str, sha256: str, head_hash: str, found: os.stat_result
) -> dict[str, Any]:
    """The card of an added file, whose hashes were taken while it was copied; ``about`` is for people."""
    entry = {"bytes": found.st_size, "sha256": sha256, "head_hash": head_hash, "mtime_ns": found.st_mtime_ns}
    return ADDED.card(Path(), (), **about) | {"files": {name: entry}}


def make_card(file: Path, about: dict[str, Any]) -> Content:
    """The card of a weights file; ``about`` holds licence, training and scores."""
    return READER.card(file.parent, [file.name], prompt_format=PROMPT_FORMAT, name="reader", **about)
