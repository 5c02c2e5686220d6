"""The last file of a pack: what its files hold, and their hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.written import entry_of, write_bytes
from kgask.config import PACK_MANIFEST
from kgask.pack import header
from kgask.pack.blocks import BLOCKS_FILE, block_sums
from kgask.pack.content import content_hash, relation_hash
from kgask.pack.csr import Csr
from kgask.pack.names_blocks import BlockNames
from kgask.pack.passages import PASSAGES_FILE
from kgask.pack.records import RelationText
from kgask.version import __version__


def write_manifest(
    folder: Path,
    csr: Csr,
    arrays: Mapping[str, dict[str, Any]],
    counts: dict[str, int],
    relations: Sequence[RelationText],
    about: dict[str, Any],
    content: str | None = None,
) -> dict[str, Any]:
    """The last file of a pack, once names.sqlite and what else ``counts`` tell of are in the folder.

    ``arrays`` are its files of arrays, each with what the manifest says of it; ``content`` is the content hash, where
    that is known.
    """
    only_said = np.setdiff1d(csr.qualifier_relation, csr.out_relation).tolist()
    if only_said:
        about = about | {header.ONLY_QUALIFIERS: only_said}
    files: dict[str, dict[str, Any]] = {header.NAMES_FILE: {}}
    if "passages" in counts:
        files[PASSAGES_FILE] = {}
    for name in files:
        files[name] = entry_of(folder / name)
    files |= arrays
    files[BLOCKS_FILE] = write_bytes(folder / BLOCKS_FILE, block_sums(folder, files))
    if content is None:
        with closing(BlockNames(folder / header.NAMES_FILE, counts["entities"], counts["literals"])) as names:
            content = content_hash(names, csr)
    manifest = {
        "magic": header.MAGIC,
        "format": {"major": header.FORMAT_MAJOR, "minor": header.FORMAT_MINOR},
        **about,
        "builder": f"kgask {__version__}",
        "counts": counts,
        "files": files,
        "content_sha256": content,
        "relations_sha256": relation_hash(relations),
    }
    write_bytes(folder / PACK_MANIFEST, header.dump_manifest(manifest))
    return manifest
