"""``kgask models``: list, check, show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kgask.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from kgask.config import Found

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
PLANNER, READER = "planner", "reader"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def models() -> None:
    """List, check and look into planner and reader models.

    MODEL is the name of a shipped or user model, a folder, or a GGUF file.
    """


@models.command("list")
@JSON_OPTION
def list_models(as_json: bool) -> None:
    """Models that ship with kgask and models of the user, and where they are."""
    from kgask.cli.render import note, table
    from kgask.config import data_home, list_found, shipped_root

    entries = [_listed(found) for found in list_found("model")]
    if as_json:
        _print_json(entries)
        return
    columns = ("name", "role", "origin", "bytes", "path")
    table(columns, [[entry.get(column, "") for column in columns] for entry in entries])
    for entry in entries:
        if "problem" in entry:
            note(entry["problem"])
    if not entries:
        note(f"no models in {shipped_root('model')} or {data_home() / 'models'}; install kgask again")


@models.command()
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@JSON_OPTION
def check(names: tuple[str, ...], as_json: bool) -> None:
    """Check the card and every hash of the models named, or of all that are found."""
    from kgask.cli.render import table
    from kgask.config import find, list_found

    chosen = [find("model", name) for name in names] if names else list_found("model")
    if not chosen:
        raise ModelError("no models to check; 'kgask models list' says where they are looked for")
    entries = [checked(found) for found in chosen]
    if as_json:
        _print_json(entries)
    else:
        table(("name", "result"), [(entry["name"], entry["problem"] or "ok") for entry in entries])
    broken = [entry["name"] for entry in entries if not entry["ok"]]
    if broken:
        raise ModelError(f"broken: {', '.join(broken)}; install or train again")


@models.command()
@click.argument("name", metavar="MODEL")
@JSON_OPTION
def show(name: str, as_json: bool) -> None:
    """The card of MODEL: files and hashes, licence, training data, scores."""
    from kgask.cli.render import table
    from kgask.config import find

    found = find("model", name)
    facts = {"path": str(found.path), "origin": found.origin, **_about(found.path)}
    if as_json:
        _print_json(facts)
    else:
        table(("", ""), [row for key, value in facts.items() for row in _rows(key, value)])


def _listed(found: Found) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": found.name, "origin": found.origin, "path": str(found.path)}
    try:
        role, content = load_card(found.path)
    except ModelError as error:
        return entry | {"problem": str(error)}
    return entry | {"role": role, "bytes": sum(file["bytes"] for file in content["files"].values())}


def checked(found: Found) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": found.name, "path": str(found.path)}
    try:
        _check(found.path)
    except ModelError as error:
        return entry | {"ok": False, "problem": str(error)}
    return entry | {"ok": True, "problem": None}


def _check(path: Path) -> None:
    """Raises :class:`ModelError` that says what is wrong with the model."""
    if path.is_file():
        from kgask.read.gguf_header import check_readable, read_header

        check_readable(read_header(path))
        return
    role, content = load_card(path)
    if role == READER:
        from kgask.read.card import check_file, read_card

        check_file(read_card(path))
    else:
        from kgask.plan.card import hash_mismatches

        wrong = hash_mismatches(path, content["files"])
        if wrong:
            raise ModelError(f"{path}: content differs from the model card: {', '.join(wrong)}")


def _about(path: Path) -> dict[str, Any]:
    """The card of a folder; of a bare GGUF file (which has none) what its header says."""
    if not path.is_file():
        role, content = load_card(path)
        return {"role": role, **content}
    from kgask.read.gguf_header import read_header

    header = read_header(path)
    return {
        "role": READER,
        "architecture": header.architecture,
        "bytes": header.file_bytes,
        "n_ctx_train": header.n_ctx_train,
        "n_tensors": header.n_tensors,
        "chat_template": header.chat_template is not None,
    }


def load_card(path: Path) -> tuple[str, dict[str, Any]]:
    """Role and content of a checked card; the magic says which stage it belongs to.

    Raises :class:`ModelError` for a card that neither stage reads.
    """
    from kgask.config import MODEL_CARD
    from kgask.plan.card import MAGIC, RigelCard
    from kgask.read.card import read_card

    card = path / MODEL_CARD
    try:
        content = json.loads(card.read_text(encoding="utf-8"))
        whole = all(_names_a_file(name, entry) for name, entry in content["files"].items())
        magic = content["magic"]
    except OSError as error:
        raise ModelError(f"{card}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{card}: not a model card") from None
    if not whole:
        raise ModelError(f"{card}: broken list of files")
    if magic == MAGIC:
        return PLANNER, dict(RigelCard.load(path).content)
    return READER, read_card(path).content


def _names_a_file(name: str, entry: dict[str, Any]) -> bool:
    """Whether a card's entry is a file of its folder, with its size and hash."""
    inside = name not in ("", "..") and "/" not in name and "\\" not in name
    return inside and isinstance(entry["bytes"], int) and isinstance(entry["sha256"], str)


def _rows(key: str, value: object) -> list[tuple[str, object]]:
    """A card's value as table rows: nested keys are joined by dots, lists give a row each."""
    if isinstance(value, dict):
        return [row for inner, item in value.items() for row in _rows(f"{key}.{inner}", item)]
    if isinstance(value, list):
        return [(key, item) for item in value]
    return [(key, value)]


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
