"""Checksums of blocks for a pack that was made without them."""

from __future__ import annotations

import os
from pathlib import Path

from kgask.build.folder import new_folder
from kgask.build.versions import changing, link_files
from kgask.build.written import write_bytes
from kgask.config import PACK_MANIFEST
from kgask.pack.blocks import BLOCKS_FILE, block_sums
from kgask.pack.header import dump_manifest, read_manifest


def add_checksums(pack: Path) -> bool:
    """Put a pack of the same files, with checksums of what they hold now, in place of one; False where it has them.

    Look first whether it is whole (:func:`kgask.pack.check.check_pack`): what is damaged would be taken for right.
    Raises BuildError.
    """
    pack = Path(os.path.realpath(pack))
    manifest = read_manifest(pack)
    files = manifest["files"]
    if BLOCKS_FILE in files:
        return False
    with changing(pack), new_folder(pack, True) as folder:
        link_files(pack, folder, files)
        entry = write_bytes(folder / BLOCKS_FILE, block_sums(folder, files))
        write_bytes(folder / PACK_MANIFEST, dump_manifest(manifest | {"files": files | {BLOCKS_FILE: entry}}))
    return True
