"""Packs that somebody has changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from kgask.pack.blocks import BLOCKS_FILE, block_sums
from kgask.pack.header import dump_manifest


def accept_hashes(folder: Path) -> None:
    """Make manifest and checksums agree with the files, as an enemy would, or a builder with a bug."""
    manifest = json.loads((folder / "pack.json").read_bytes())
    if BLOCKS_FILE in manifest["files"]:
        (folder / BLOCKS_FILE).write_bytes(block_sums(folder, manifest["files"]))
    for name, entry in manifest["files"].items():
        data = (folder / name).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "pack.json").write_bytes(dump_manifest(manifest))


def flip(path: Path, byte: int, bit: int) -> None:
    """Change one bit of a file where it is."""
    with open(path, "r+b") as file:
        file.seek(byte)
        value = file.read(1)[0]
        file.seek(byte)
        file.write(bytes([value ^ (1 << bit)]))


def forget_checksums(folder: Path) -> None:
    """As a kgask before 0.3 wrote it."""
    manifest = json.loads((folder / "pack.json").read_bytes())
    del manifest["files"][BLOCKS_FILE]
    (folder / BLOCKS_FILE).unlink()
    (folder / "pack.json").write_bytes(dump_manifest(manifest))
