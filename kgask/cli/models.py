"""``kgask models``: list, check, show; what changes them is in :mod:`kgask.cli.models_change`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kgask.cli.models_about import (
    READER,
    gguf_facts,
    load_card,
)
from kgask.cli.models_change import SETTING, add, default, default_of, remove
from kgask.cli.options import PRINTED, Command
from kgask.cli.render import print_json, show_facts, show_found, table
from kgask.config import Found, find, list_found
from kgask.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["checked", "load_card", "models"]


@click.group()
def models() -> None:
    """List, add, check and look into planner and reader models.

    MODEL is the name of a shipped or user model, a folder, or a GGUF file.
    """


@models.command("list", cls=Command)
@PRINTED
def list_models(as_json: bool) -> None:
    """Models that ship with kgask and models of the user, and where they are."""

    defaults = {default_of(role)[0] for role in SETTING}
    entries = [_listed(found) | {"default": found.name in defaults} for found in list_found("model")]
    if not as_json:
        entries = [entry | {"default": "default" if entry["default"] else ""} for entry in entries]
    show_found("model", entries, ("name", "role", "origin", "bytes", "path", "default"), as_json)


@models.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@PRINTED
def check(names: tuple[str, ...], as_json: bool) -> None:
    """Check the card and every hash of the models named, or of all that are found.

    GGUF files are also loaded, in a process of their own.
    """

    chosen = [find("model", name) for name in names] if names else list_found("model")
    if not chosen:
        raise ModelError("no models to check; 'kgask models list' says where they are looked for")
    entries = [checked(found, thorough=True) for found in chosen]
    if as_json:
        print_json(entries)
    else:
        table(("name", "result"), [(entry["name"], entry["problem"] or "ok") for entry in entries])
    broken = [entry["name"] for entry in entries if not entry["ok"]]
    if broken:
        raise ModelError(f"broken: {', '.join(broken)}; install or train again")


@models.command(cls=Command)
@click.argument("name", metavar="MODEL")
@PRINTED
def show(name: str, as_json: bool) -> None:
    """The card of MODEL: files and hashes, licence, training data, scores.

    Of a GGUF file: size, architecture, context, and its chat template.
    """

    found = find("model", name)
    facts = {"path": str(found.path), "origin": found.origin, **_about(found.path)}
    show_facts(facts, as_json)


def _listed(found: Found) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": found.name, "origin": found.origin, "path": str(found.path)}
    try:
        role, content = load_card(found.path)
    except ModelError as error:
        return entry | {"problem": str(error)}
    return entry | {"role": role, "bytes": sum(file["bytes"] for file in content["files"].values())}


def checked(found: Found, thorough: bool = False) -> dict[str, Any]:
    """Whether a model is whole. ``thorough`` also hashes all of an added file, and loads GGUF files."""
    entry: dict[str, Any] = {"name": found.name, "path": str(found.path)}
    try:
        _check(found.path, thorough)
    except ModelError as error:
        return entry | {"ok": False, "problem": str(error)}
    return entry | {"ok": True, "problem": None}


def _check(path: Path, thorough: bool) -> None:
    """Raises :class:`ModelError` that says what is wrong with the model."""
    from kgask.read.files.card import check_file, is_added, read_added, read_card

    if is_added(path):
        added = read_added(path)
        if thorough:
            check_file(added)
        _check_gguf(added.file, thorough)
        return
    if not path.is_dir():
        _check_gguf(path, thorough)
        return
    role, content = load_card(path)
    if role == READER:
        check_file(read_card(path))
    else:
        from kgask.cards import hash_mismatches

        wrong = hash_mismatches(path, content["files"])
        if wrong:
            raise ModelError(f"{path}: content differs from the model card: {', '.join(wrong)}")


def _check_gguf(file: Path, thorough: bool) -> None:
    from kgask.read.files.probe import checked_header, try_file

    header = checked_header(file)
    if thorough:
        try_file(header)


def _about(path: Path) -> dict[str, Any]:
    """The card of a folder; of a bare GGUF file (which has none) what its header says."""
    if path.is_dir():
        role, content = load_card(path)
        return {"role": role, **content}
    from kgask.read.gguf.header import read_header

    return gguf_facts(read_header(path))


for command in (add, remove, default):
    models.add_command(command)
