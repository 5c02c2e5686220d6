"""The two folders of the user that kgask writes to by itself."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """With ``~`` as the user's folder; that of a user who is not there stays as it is, and names no file."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def data_home() -> Path:
    """The user's data folder: ``KGASK_HOME``, else the platform's place."""
    home = os.environ.get("KGASK_HOME")
    if home:
        return expanded(home)
    import platformdirs  # not on the ground floor's import path: used only without KGASK_HOME

    return Path(platformdirs.user_data_dir("kgask", appauthor=False))


def cache_home() -> Path:
    """Where derived files are kept: ``KGASK_CACHE``, else ``cache`` in the user's data folder; safe to delete."""
    cache = os.environ.get("KGASK_CACHE")
    return expanded(cache) if cache else data_home() / "cache"
