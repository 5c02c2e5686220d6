"""``kgask pack default``, ``rename``, ``delete``: which packs a user has, and which one questions go to."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from kgask.cli.pack_build import named_folder
from kgask.cli.pack_life import users_pack
from kgask.cli.render import note
from kgask.config import DEFAULT_PACK, Found, find, load_settings, places, set_setting, versions_folder
from kgask.errors import PackError, UsageError


@click.command()
@click.argument("name", metavar="[PACK]", required=False)
@click.option("--unset", is_flag=True, help="Go back to the one that ships with kgask.")
def default(name: str | None, unset: bool) -> None:
    """Show which pack questions go to when none is named, or make PACK the one."""
    if name and unset:
        raise UsageError("PACK and --unset exclude each other")
    if unset:
        set_setting("pack", None)
    elif name:
        found = find("pack", name)
        set_setting("pack", _setting(found, found.path))
    click.echo(str(load_settings().get("pack", DEFAULT_PACK)))
    if os.environ.get("KGASK_PACK"):
        note("KGASK_PACK says so, and goes before what is set")


@click.command()
@click.argument("old", metavar="PACK")
@click.argument("new", metavar="NAME")
def rename(old: str, new: str) -> None:
    """Call a pack of the user otherwise, with its earlier versions."""
    from kgask.build.versions import are_of
    from kgask.machine.files import rename_to_nothing
    from kgask.pack.header import read_manifest

    found = _own(old)
    path = Path(os.path.abspath(found.path))
    read_manifest(path)  # what is no pack keeps its name
    target = named_folder(new) if found.origin == "user" else path.parent / new
    if target.name != new:
        raise UsageError(f"{new!r} cannot be the name of a folder; 'kgask pack export' and 'import' take it elsewhere")
    kept, moved = versions_folder(path), versions_folder(target)
    is_cut = moved.is_dir() and not kept.is_dir() and are_of(path, moved)  # the same command was killed
    if os.path.lexists(target) or (os.path.lexists(moved) and not is_cut):
        raise PackError(f"{target}: is there already; choose another name")
    try:
        with ExitStack() as undone:
            if load_settings().get("pack") == _setting(found, path):
                undone.callback(set_setting, "pack", _setting(found, path))
                set_setting("pack", _setting(found, target))
            if kept.is_dir():
                rename_to_nothing(kept, moved)
                undone.callback(rename_to_nothing, moved, kept)
            rename_to_nothing(path, target)  # last, so that the same command finishes what was killed
            undone.pop_all()
    except OSError as error:
        raise PackError(f"{path}: {error.strerror}") from error
    note(f"{target}: renamed")


def _own(name: str) -> Found:
    """As :func:`users_pack`. Where there is none, what killed commands left of it is removed."""
    try:
        return users_pack(name)
    except PackError:
        from kgask.build.folder import remove_leftovers

        for folder in (places("pack")["user"] / name, Path(os.path.abspath(name))):
            remove_leftovers(folder)
        raise


def _setting(found: Found, path: Path) -> str:
    """How the settings name a pack that is at ``path``, found by name or by path."""
    if found.origin == "version":
        return found.name
    return str(path.absolute()) if found.origin == "path" else path.name


@click.command()
@click.argument("name", metavar="PACK")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(name: str, yes: bool) -> None:
    """Delete a pack of the user, with its earlier versions."""
    from kgask.build.folder import PACK, check_removable, remove_folder
    from kgask.build.versions import remove_all

    found = _own(name)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"deleting {name!r} needs a yes; type: kgask pack delete {name} --yes")
        if not click.confirm(f"Delete {found.path} and its earlier versions?", err=True):
            note("nothing was deleted")
            return
    check_removable(found.path, PACK)
    is_default = load_settings().get("pack") == _setting(found, found.path)
    if is_default:
        set_setting("pack", None)
    remove_all(found.path)
    remove_folder(found.path, PACK)  # last, so that the same command finishes what was killed
    note(f"deleted {found.path}")
    if is_default:
        note(f"questions go to {DEFAULT_PACK!r} again")


COMMANDS = (default, rename, delete)
