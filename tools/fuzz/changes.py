"""Files changed in place, as their kind allows."""

from __future__ import annotations

import os
import random
import shutil
from functools import partial
from pathlib import Path

import graphs
import mutate
from databases import database

TEXTS = (".tsv", ".txt", ".toml", ".yaml", ".ini", ".minisig", ".pub")


few_lines = partial(mutate.lines, most_doubled=20)  # of questions: each of them costs


def change(rng: random.Random, path: Path) -> str:
    """Change a file in place, as its kind allows; at times it becomes no file at all."""
    odd = rng.random()
    if odd < 0.03:
        return replaced(rng, path)
    if path.suffix == ".sqlite" and odd < 0.6:
        return database(rng, path)
    if path.suffix in (".onnx", ".gguf") and odd < 0.7:
        return (graphs.onnx if path.suffix == ".onnx" else graphs.gguf)(rng, path)
    kinds: tuple[mutate.Change, ...] = mutate.BYTES
    if path.suffix == ".npy" and odd < 0.4:
        kinds = (mutate.npy,)
    elif path.suffix == ".json" and odd < 0.7:
        kinds = (mutate.json_value,)
    elif path.suffix == ".jsonl" and odd < 0.7:
        kinds = (mutate.json_line, mutate.json_line, mutate.text, few_lines)
    elif path.suffix in TEXTS and odd < 0.7:
        kinds = (mutate.text, few_lines)
    data = path.read_bytes()
    new, how = rng.choice(kinds)(rng, data or b"\0")
    _write(path, new)
    return how


def _write(path: Path, data: bytes) -> None:
    path.unlink()  # it may be a link to the one that ships
    path.write_bytes(data)


def replaced(rng: random.Random, path: Path) -> str:
    path.unlink()
    kind = rng.choice(["nothing", "folder", "pipe", "device", "loop", "empty"])
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("device", "loop"):
        path.symlink_to("/dev/zero" if kind == "device" else path)
    elif kind == "empty":
        path.touch()
    return f"{kind} in its place"


def linked(source: Path, target: Path, names: list[str]) -> None:
    """A folder of the same files; those named are copies."""
    target.mkdir()
    for path in source.iterdir():
        if path.is_file():
            if path.name in names:
                shutil.copyfile(path, target / path.name)
            else:
                os.link(path, target / path.name)
