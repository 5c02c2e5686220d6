"""Opens a pack, wherever its triples are; nothing of the network is loaded for one on disk."""

from __future__ import annotations

from pathlib import Path

from kgask.pack.header import ENDPOINT, read_manifest
from kgask.pack.store import Pack


def endpoint_of(path: str | Path) -> str | None:
    """The URL that a folder is connected to; None for a pack on disk. Raises PackError."""
    about = read_manifest(Path(path)).get(ENDPOINT)
    return str(about["url"]) if about else None


def open_pack(path: str | Path) -> Pack:
    """A pack on disk, or the graph elsewhere that a folder is connected to; raises PackError."""
    folder = Path(path)
    if ENDPOINT not in read_manifest(folder):
        return Pack.open(folder)
    from kgask.remote.connected import ConnectedPack

    return ConnectedPack.open(folder, connected=True)
