"""``kgask models add``, ``remove``, ``default``: the commands that change which models there are."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.models_about import (
    ENCODER,
    JUDGE,
    PLANNER,
    READER,
    gguf_facts,
    role_of,
)
from kgask.cli.options import PRINTED, Command
from kgask.cli.render import note, print_json, progress, show_facts, table
from kgask.config import Found, find, list_found, set_setting
from kgask.errors import ConfigError, ModelError, UsageError
from kgask.machine.homes import data_home, expanded

if TYPE_CHECKING:
    from kgask.read.gguf.header import GgufHeader

CHUNK_BYTES = 8 << 20
LARGE_BYTES = 1 << 30  # from here on trying a file takes long enough to say so
SETTING = {PLANNER: "model", JUDGE: "judge", READER: "reader", ENCODER: "encoder"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@click.command(cls=Command)
@click.argument("file", metavar="FILE")
@click.option("--name", metavar="NAME", help="What to call it; the file's own name if not given.")
@click.option("--link", is_flag=True, help="Keep the file where it is instead of copying it.")
@PRINTED
def add(file: str, name: str | None, link: bool, as_json: bool) -> None:
    """Add a GGUF FILE as a reader, after it was checked and tried.

    Its header, its size and a first load (in a process of its own) are
    checked; then it is copied to the user's folder and its hash remembered.
    Ask with it: kgask ask --reader NAME "..."
    """
    from kgask.read.files.probe import checked_header, try_file

    source = expanded(file)
    header = checked_header(source)
    name = free_name(name, source)
    if header.file_bytes >= LARGE_BYTES:
        note(f"trying {source} in llama.cpp; a large file takes a while")
    try_file(header)
    facts = gguf_facts(header)
    target = data_home() / "models" / name
    _place(header, target, link, facts)
    show_facts({"name": name, "path": str(target), **({"linked": link} if as_json else {}), **facts}, as_json)
    if not as_json:
        note(f"added; ask with --reader {name}, or make it the default: kgask models default {name}")


def free_name(name: str | None, source: Path) -> str:
    """The wanted name, or one made from the file's; raises UsageError for one that is not a plain name, ModelError
    for one that is taken."""

    made = name or re.sub(r"[^A-Za-z0-9._-]+", "-", source.stem).strip("-._")[:64] or "model"
    if not _NAME.fullmatch(made) or made.endswith(".tmp"):
        raise UsageError(f"{made!r} cannot be a model's name: letters, digits, '.', '_' and '-', at most 64")
    _sweep(made)
    taken = next((found for found in list_found("model") if found.name == made), None)
    if taken is not None:
        hint = "choose another: --name NAME"
        if taken.origin == "user":
            hint += f"; or first: kgask models remove {made}"
        raise ModelError(f"a model named {made!r} is there already; {hint}")
    if os.path.lexists(data_home() / "models" / made):
        raise ModelError(f"{data_home() / 'models' / made}: is in the way; remove it, or choose another: --name NAME")
    return made


def _place(header: GgufHeader, target: Path, link: bool, facts: dict[str, Any]) -> None:
    """Copy (or link) the file into a new folder with its card; whole or not at all."""
    from kgask.build.folder import MODEL, new_folder
    from kgask.cards import write_card
    from kgask.read.files.card import file_hash, make_added_card

    source = header.path
    if not link:
        _room_for(header.file_bytes, target)
    with new_folder(target, False, MODEL, [source]) as folder:
        placed = folder / (source.name if source.name.endswith(".gguf") else "model.gguf")
        with progress(f"{'hash' if link else 'copy'} {source.name}", header.file_bytes) as advance:
            sha256, n_bytes = _hashed(source, None if link else placed, advance)
        if n_bytes != header.file_bytes:
            raise ModelError(f"{source}: changed while it was read; try again when nothing writes to it")
        if link:
            placed.symlink_to(os.path.abspath(source))
        about = {"name": target.name, "linked": link, "source": os.path.abspath(source), **facts}
        card = make_added_card(about, placed.name, sha256, file_hash(placed), placed.stat())
        write_card(folder, card)


def _room_for(n_bytes: int, target: Path) -> None:
    there = next(part for part in target.parents if part.exists())
    free = shutil.disk_usage(there).free
    if n_bytes > free:
        raise ModelError(f"{there}: {n_bytes >> 20:,} MiB are needed, {free >> 20:,} free; --link does not copy")


def _hashed(source: Path, target: Path | None, advance: Callable[[int], None]) -> tuple[str, int]:
    """SHA-256 and size of ``source``, copied to ``target`` on the way where one is given."""
    digest, n_bytes = hashlib.sha256(), 0
    with open(source, "rb") as read, open(target or os.devnull, "wb") as write:
        while chunk := read.read(CHUNK_BYTES):
            digest.update(chunk)
            write.write(chunk)
            n_bytes += len(chunk)
            advance(len(chunk))
        if target is not None:
            write.flush()
            os.fsync(write.fileno())  # before the card, which says that the file is whole
    return digest.hexdigest(), n_bytes


@click.command(cls=Command)
@click.argument("name", metavar="MODEL")
@click.option("--yes", is_flag=True, help="Do not ask.")
@PRINTED
def remove(name: str, yes: bool, as_json: bool) -> None:
    """Remove a model of the user; of a linked one only the link, never the file."""

    found = user_model(name)
    size = sum(path.lstat().st_size for path in found.path.iterdir() if not path.is_symlink())
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"removing {name!r} needs a yes; type: kgask models remove {name} --yes")
        if not click.confirm(f"Remove {found.path} ({size:,} bytes)?", err=True):
            note("nothing was removed")
            return
    _remove_folder(found.path)
    if as_json:
        print_json({"name": name, "path": str(found.path), "removed": True})
    else:
        note(f"removed {found.path}")
    for role in SETTING:
        used, origin = default_of(role)
        if used == name:
            note(f"it was the default {role} ({origin}); choose another: kgask models default NAME")


def user_model(name: str) -> Found:
    """A model in the user's folder by its name; raises ModelError for any other."""

    _sweep(name)
    named = [found for found in list_found("model") if found.name == name]
    for found in named:
        if found.origin == "user":
            return found
    if named:
        raise ModelError(f"{name!r} ships with kgask and stays; 'kgask models list' shows which are yours")
    raise ModelError(f"no model named {name!r} in {data_home() / 'models'}; 'kgask models list' shows what there is")


def _sweep(name: str) -> None:
    """Remove what killed commands left of a model of the user."""
    from kgask.build.folder import remove_leftovers

    remove_leftovers(data_home() / "models" / name)


def _remove_folder(folder: Path) -> None:
    """Out of sight in one step, then deleted: a kill in between leaves no half model. Raises BuildError for a folder
    that holds anything but the model."""
    from kgask.build.folder import MODEL, remove_folder

    if folder.is_symlink():
        folder.unlink()
    else:
        remove_folder(folder, MODEL)


@click.command(cls=Command)
@click.argument("name", metavar="[MODEL]", required=False)
@click.option("--unset", type=click.Choice(list(SETTING)), help="Go back to the one that ships with kgask.")
@PRINTED
def default(name: str | None, unset: str | None, as_json: bool) -> None:
    """Show which planner, reader and encoder are used when none is named, or make MODEL the one.

    It is written to config.toml in the user's folder. KGASK_MODEL and
    KGASK_READER, and the options of a command, go before it.
    """

    if name and unset:
        raise UsageError("MODEL and --unset exclude each other")
    if unset:
        set_setting(SETTING[unset], None)
    elif name:
        _make_default(name)
    rows = [(role, *default_of(role)) for role in SETTING]
    if as_json:
        print_json({role: {"name": used, "from": origin} for role, used, origin in rows})
    else:
        table(("role", "name", "from"), rows)


def _make_default(name: str) -> None:

    found = find("model", name)
    role = role_of(found.path)
    if role not in SETTING:
        raise UsageError(f"{name}: an AMR ranker has no default; name it with --amr-model")
    value = os.path.abspath(found.path) if found.origin == "path" else name
    set_setting(SETTING[role], value)
    used, origin = default_of(role)
    if used != value:
        note(f"{origin} still names {used!r}; {data_home() / 'config.toml'} names {value!r}")


def default_of(role: str) -> tuple[str, str]:
    """(name or path, where that is said) of the model that is used in this role when none is named."""
    from kgask import config

    key = SETTING[role]
    if os.environ.get(f"KGASK_{key.upper()}"):
        return os.environ[f"KGASK_{key.upper()}"], f"KGASK_{key.upper()}"
    try:
        chosen = config.load_settings({}).get(key)
    except ConfigError:
        chosen = None
    if chosen:
        return str(chosen), "config.toml"
    defaults = (config.DEFAULT_MODEL, config.DEFAULT_JUDGE, config.DEFAULT_READER, config.DEFAULT_ENCODER)
    return dict(zip(SETTING, defaults, strict=True))[role], "shipped"
