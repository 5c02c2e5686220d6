"""The two folders of the user that kgask writes to by itself."""

from __future__ import annotations

import os
from pathlib import Path


def data_home() -> Path:
    """The user's data folder: ``KGASK_HOME``, else the platform's place."""
    home = os.environ.get("KGASK_HOME")
    if home:
        return Path(home).expanduser()
    import platformdirs  # not on the ground floor's import path: used only without KGASK_HOME

    return Path(platformdirs.user_data_dir("kgask", appauthor=False))


def cache_home() -> Path:
    """Where derived files are kept: ``KGASK_CACHE``, else ``cache`` in the user's data folder; safe to delete."""
    cache = os.environ.get("KGASK_CACHE")
    return Path(cache).expanduser() if cache else data_home() / "cache"
