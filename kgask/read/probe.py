"""Whether llama.cpp can really use a GGUF file: tried in a child process, once a file.

llama.cpp ends the whole process on some files whose header is in order, so
the first load happens where that does no harm. That a file passed is
remembered by its size, time of change and hash, and by the build of llama.cpp.
A file that was added (``kgask models add``) was tried then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import ModelError
from kgask.read.bindings import library_stamp
from kgask.read.card import added_file, file_hash, is_added
from kgask.read.child import ChildDied, in_child
from kgask.read.gguf_header import GgufHeader, check_readable, read_header
from kgask.remembered import recall, remember

PROBE_VERSION = 1
LEAST_SECONDS, SLOWEST_DISK = 60.0, 20e6  # bytes a second
# Reaches every byte of a byte-level vocabulary, and what a sentence-piece vocabulary may not know.
SAMPLE = "Who wrote it? [1] Zoë | né à | Кафка\n" + "".join(map(chr, range(1, 256))) + "漢字 \U0001f600"
SAMPLE_TOKENS = 24  # evaluated in one batch, then one more


@dataclass(frozen=True, slots=True)
class Weights:
    """A file that llama.cpp can use."""

    file: Path
    header: GgufHeader
    hash: str


def usable(path: Path) -> Weights:
    """The weights of a ``.gguf`` file or of a folder that ``kgask models add`` made.

    Raises ModelError, one line, for what is broken, has changed since it was added, or crashes llama.cpp.
    """
    if is_added(path):
        file, hashed, unchanged = added_file(path)
        header = checked_header(file)
    else:
        file, unchanged = path, False
        header = checked_header(file)
        hashed = file_hash(file)
    if not unchanged:
        try_once(header, hashed)
    return Weights(file, header, hashed)


def checked_header(file: Path) -> GgufHeader:
    """The header of a file that can read; raises ModelError."""
    header = read_header(file)
    check_readable(header)
    return header


def try_once(header: GgufHeader, hashed: str) -> None:
    """Try a file unless it is remembered to have passed; raises ModelError."""
    found = header.path.stat()
    key = f"probe {PROBE_VERSION}\0{found.st_size}\0{found.st_mtime_ns}\0{hashed}\0{library_stamp()}"
    if recall(key) is not True:
        try_file(header)
        remember(key, True)


def try_file(header: GgufHeader) -> None:
    """Load the file and evaluate a few tokens, in a child process; raises ModelError with the reason."""
    payload = {"path": str(header.path.absolute()), "encoder_decoder": header.is_encoder_decoder, "own": header.is_own}
    seconds = LEAST_SECONDS + header.file_bytes / SLOWEST_DISK
    try:
        problem = in_child("kgask.read.probe:attempt", payload, seconds=seconds)
    except ChildDied as error:
        raise ModelError(f"{header.path}: llama.cpp cannot use this file: it {error}; use another") from None
    if problem is not None:
        raise ModelError(str(problem))


def attempt(payload: Mapping[str, Any]) -> str | None:
    """In the child: load, tokenise, evaluate; None when all of it worked, else the reason."""
    from kgask.read.encoder_decoder import open_engine
    from kgask.read.encoder_engine import EncoderEngine

    try:
        if payload["own"]:
            own = EncoderEngine(Path(payload["path"]))
            own.hidden_at([*own.frame(), *own.tokenize(SAMPLE)][: own.n_ctx_train], [0])
            return None
        engine = open_engine(Path(payload["path"]), payload["encoder_decoder"], n_threads=None, gpu_layers=0)
        engine.bos_text(), engine.eos_text()
        tokens = engine.tokenize(SAMPLE)
        engine.tokenize(SAMPLE, special=True, add_bos=True)
        for token in {*tokens, *range(0, engine.n_vocab, max(1, engine.n_vocab // 1000))}:
            engine.token_text(token), engine.marks_turns(token)
        if not tokens:
            return f"{payload['path']}: its vocabulary makes no token of a text; use another"
        room = max(1, min(SAMPLE_TOKENS, engine.n_ctx_train - 3))
        prompt = [*tokens[:room], *engine.prompt_end]
        engine.logits_after(prompt)
        engine.logits_after([*prompt, tokens[0]])
    except ModelError as error:
        return str(error)
    return None
