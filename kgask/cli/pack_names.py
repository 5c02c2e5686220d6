"""``kgask pack default``, ``rename``, ``delete``: which packs a user has, and which one questions go to."""

from __future__ import annotations

import os
import sys

import click

from kgask.cli.pack_build import named_folder
from kgask.cli.pack_life import users_pack
from kgask.cli.render import note
from kgask.config import DEFAULT_PACK, find, load_settings, set_setting, versions_folder
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
        set_setting("pack", found.name if found.origin != "path" else str(found.path.absolute()))
    click.echo(str(load_settings().get("pack", DEFAULT_PACK)))
    if os.environ.get("KGASK_PACK"):
        note("KGASK_PACK says so, and goes before what is set")


@click.command()
@click.argument("old", metavar="PACK")
@click.argument("new", metavar="NAME")
def rename(old: str, new: str) -> None:
    """Call a pack of the user otherwise, with its earlier versions."""
    from kgask.machine.files import rename_to_nothing

    found = users_pack(old)
    target = named_folder(new) if found.origin == "user" else found.path.with_name(new)
    if target.name != new or os.path.lexists(target) or os.path.lexists(versions_folder(target)):
        raise PackError(f"{target}: is there already; choose another name")
    try:
        rename_to_nothing(found.path, target)
        if versions_folder(found.path).is_dir():
            rename_to_nothing(versions_folder(found.path), versions_folder(target))
    except OSError as error:
        raise PackError(f"{found.path}: {error.strerror}") from error
    note(f"{target}: renamed")
    if load_settings().get("pack") == found.name:
        set_setting("pack", new)


@click.command()
@click.argument("name", metavar="PACK")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(name: str, yes: bool) -> None:
    """Delete a pack of the user, with its earlier versions."""
    from kgask.build.folder import PACK, remove_folder
    from kgask.build.versions import remove_all

    found = users_pack(name)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"deleting {name!r} needs a yes; type: kgask pack delete {name} --yes")
        if not click.confirm(f"Delete {found.path} and its earlier versions?", err=True):
            note("nothing was deleted")
            return
    remove_folder(found.path, PACK)
    remove_all(found.path)
    note(f"deleted {found.path}")
    if load_settings().get("pack") == found.name:
        set_setting("pack", None)
        note(f"questions go to {DEFAULT_PACK!r} again")


COMMANDS = (default, rename, delete)
