"""Where packs, models and settings are found.

Three places, in this order: what ships with kgask, the user's data folder
(``KGASK_HOME``, else the platform's), and a path. Settings come from the
command line, then ``KGASK_*`` environment variables, then ``config.toml`` in
the user's data folder, then defaults.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kgask.errors import ConfigError, ModelError, PackError
from kgask.machine.files import TMP_SUFFIX, read_regular, write_whole
from kgask.machine.homes import data_home, expanded

DEFAULT_PACK = "demo"
DEFAULT_MODEL = "rigel"
DEFAULT_READER = "reader"
DEFAULT_JUDGE = "judge"
DEFAULT_ENCODER = "encoder"
PACK_MANIFEST = "pack.json"
MODEL_CARD = "model.json"

AUTO = "auto"
MAX_GPU_LAYERS = 10_000
_MOST_BYTES = 1 << 20  # of config.toml

Kind = Literal["pack", "model"]
Origin = Literal["shipped", "user", "path", "version"]
_FOLDER = {"pack": "kg_packs", "model": "models"}
_MANIFEST = {"pack": PACK_MANIFEST, "model": MODEL_CARD}
_SETTINGS = (
    "pack", "model", "judge", "reader", "method", "encoder", "prompt", "top_k", "hops", "min_confidence", "gpu_layers",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A pack or model folder and how it was found."""

    name: str
    path: Path
    origin: Origin


def shipped_root(kind: Kind) -> Path:
    """The shipped folder: inside an installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / _FOLDER[kind]
    return installed if installed.is_dir() else package.parent / _FOLDER[kind]


def places(kind: Kind) -> dict[Origin, Path]:
    """Where packs or models are looked for by name, in this order."""
    return {"shipped": shipped_root(kind), "user": data_home() / _FOLDER[kind]}


def list_found(kind: Kind) -> list[Found]:
    """Every pack (or model) in the shipped and the user's folder, shipped first."""
    return list(_iter_found(kind))


def _iter_found(kind: Kind) -> Iterator[Found]:
    for origin, root in places(kind).items():
        if not root.is_dir():
            continue
        for path in sorted(root.iterdir()):
            if (path / _MANIFEST[kind]).is_file() and not path.name.endswith(TMP_SUFFIX):
                yield Found(path.name, path, origin)


def find(kind: Kind, name_or_path: str) -> Found:
    """Resolve a name (shipped, then user), a path, or an earlier version of a pack: NAME@VERSION.

    Raises :class:`PackError` or :class:`ModelError` with what to type next.
    """
    for found in _iter_found(kind):
        if found.name == name_or_path:
            return found
    path = expanded(name_or_path)
    if path.exists():
        return Found(path.name, path, "path")
    base, at, number = name_or_path.rpartition("@")
    if kind == "pack" and at and number.isascii() and number.isdecimal():
        return _version(find("pack", base), base, int(number))
    error = PackError if kind == "pack" else ModelError
    listing = "kgask pack list" if kind == "pack" else "kgask models list"
    raise error(f"no {kind} named or at {name_or_path!r}; '{listing}' shows what there is")


def versions_folder(pack: Path) -> Path:
    """Where the earlier versions of a pack are, each in a folder that its number names."""
    return pack.with_name(f".{pack.name}.kgask-versions")


def _version(found: Found, called: str, number: int) -> Found:
    """A version of a pack; the one in use has the number after the last that is kept."""
    pack = Path(os.path.realpath(found.path))
    kept = {int(path.name): path for path in versions_folder(pack).glob("*") if path.name.isdecimal()}
    path = kept.get(number, pack if number == 1 + max(kept, default=0) else None)
    if path is None:
        raise PackError(f"{called} has no version {number}; 'kgask pack history {called}' lists them")
    base = found.name if found.origin != "path" else found.path.absolute()
    return Found(f"{base}@{number}", path, "version")


def chosen(kind: Kind, name: str | None) -> Found:
    """The pack or planner of that name or path; by default the settings', else the one that ships."""
    return find(kind, name or str(load_settings().get(kind, DEFAULT_PACK if kind == "pack" else DEFAULT_MODEL)))


def gpu_layers(value: object) -> int | str:
    """How many layers of a reader go to a GPU: a number, or "auto"; raises :class:`ConfigError` for anything else."""
    if isinstance(value, str) and (value == AUTO or value.isdecimal()):
        value = value if value == AUTO else int(value)
    if value == AUTO or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_GPU_LAYERS):
        return value
    raise ConfigError(f"gpu_layers is {value!r}; it must be auto or a number from 0")


def load_settings(environ: Mapping[str, str] | None = None) -> dict[str, object]:
    """Settings from the environment and ``config.toml``; only known keys.

    Raises :class:`ConfigError` for a file that does not parse or a key that
    kgask does not know.
    """
    environ = os.environ if environ is None else environ
    settings = _read_config_file(data_home() / "config.toml")
    for key in ("pack", "model", "reader"):
        value = environ.get(f"KGASK_{key.upper()}")
        if value:
            settings[key] = value
    return settings


def _read_config_file(path: Path) -> dict[str, object]:
    try:
        text = read_regular(path, _MOST_BYTES).decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}") from error
    unknown = sorted(set(settings) - set(_SETTINGS))
    if unknown:
        known = ", ".join(_SETTINGS)
        raise ConfigError(f"{path}: unknown setting {unknown[0]!r} (known: {known})")
    return settings


def set_setting(key: str, value: str | None) -> None:
    """Write one setting to ``config.toml`` (None removes it); every other line stays as it is.

    Raises :class:`ConfigError` for a file that does not parse, or is laid out so that one line cannot be changed.
    """
    path = Path(os.path.realpath(data_home() / "config.toml"))  # a link stays a link
    wanted = _read_config_file(path)
    wanted.pop(key, None)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [line for line in lines if not re.match(rf"""\s*["']?{key}["']?\s*=""", line)]
    if value is not None:
        wanted[key] = value
        kept.append(f"{key} = {json.dumps(value)}")
    text = "".join(f"{line}\n" for line in kept)
    try:
        same = tomllib.loads(text) == wanted
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise ConfigError(f"{path}: {key} cannot be changed in this layout; write it by hand")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
