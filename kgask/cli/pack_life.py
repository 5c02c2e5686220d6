"""``kgask pack add``, ``remove``, ``update``, ``merge``, ``subset``, ``diff``, ``history``, ``rollback``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.options import PRINTED, Command
from kgask.cli.pack_build import BUILD_EPILOG, new_pack, reads_sources, recipe_of
from kgask.cli.render import clean, flag, note, print_json, show_rows
from kgask.config import Found, find
from kgask.errors import PackError

if TYPE_CHECKING:
    from kgask.build.changes import Line
    from kgask.build.life import Changed

KEEP = click.option(
    "--keep", "n_kept", type=click.IntRange(0), default=3, show_default=True, help="Earlier versions that are kept."
)
HISTORY_COLUMNS = ("version", "current", "time", "command", "triples", "entities", "content_sha256")
_FORCE = click.option("--force", is_flag=True, help="Replace a pack that is there.")
_OUTPUT = click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the new pack.")
_NAMED = click.option("-n", "--named", metavar="NAME", help="Put it where every command finds it by this name.")


def users_pack(name: str) -> Found:
    """The pack of this name or path; PackError for one that ships with kgask, which stays as it is."""
    found = find("pack", name)
    if found.origin == "shipped":
        raise PackError(f"{name!r} ships with kgask and stays as it is; copy it: kgask pack build {name} -n my-{name}")
    if found.origin == "version":
        base, _, number = name.rpartition("@")
        raise PackError(f"{name}: a version stays as it is; 'kgask pack rollback {base} {number}' puts it in use again")
    return found


def _tell(changed: Changed) -> None:
    counts, path = changed.report.manifest["counts"], changed.report.path
    missing = f"; {changed.n_missing:,} of what was to be removed not there" if changed.n_missing else ""
    note(f"{path}: {counts['triples']:,} triples, {counts['entities']:,} entities{missing}")
    note(f"'kgask pack rollback {path.name}' takes it back")


@click.command(epilog=BUILD_EPILOG.partition("\b\nExamples")[0])
@reads_sources
@click.option("--to", "name", required=True, metavar="PACK", help="Name or path of the pack.")
@KEEP
def add(sources: tuple[str, ...], name: str, n_kept: int, **options: Any) -> None:
    """Add the triples and texts of sources to a pack, as a new version."""
    from kgask.build.life import add as add_to

    found = users_pack(name)
    recipe = recipe_of(sources, found.path, options)
    _tell(add_to(found.path, recipe, _command("add", *sources), note, n_kept))


@click.command(epilog=BUILD_EPILOG.partition("\b\nExamples")[0])
@reads_sources
@click.option("--from", "name", required=True, metavar="PACK", help="Name or path of the pack.")
@KEEP
def remove(sources: tuple[str, ...], name: str, n_kept: int, **options: Any) -> None:
    """Remove the triples that sources list from a pack, as a new version.

    What is said of them goes too, and what nothing names then. Subjects and
    objects may be told by keys, or by labels that one entity has.
    """
    from kgask.build.life import remove as remove_from

    found = users_pack(name)
    recipe = recipe_of(sources, found.path, options)
    _tell(remove_from(found.path, recipe, _command("remove", *sources), note, n_kept))


@click.command()
@click.argument("patch")
@click.argument("name", metavar="PACK")
@click.option("--skip-errors", is_flag=True, help="Go on without broken lines and say how many there were.")
@KEEP
def update(patch: str, name: str, skip_errors: bool, n_kept: int) -> None:
    """Apply a PATCH, as 'kgask pack diff --patch' writes it, to a pack."""
    from kgask.build.life import update as apply

    changed = apply(users_pack(name).path, patch, _command("update", patch), note, skip_errors, n_kept)
    _tell(changed)


@click.command()
@click.argument("packs", nargs=-1, required=True, metavar="PACK PACK...")
@_OUTPUT
@_NAMED
@_FORCE
def merge(packs: tuple[str, ...], output: Path | None, named: str | None, force: bool) -> None:
    """Make a pack of all that several packs say; PACK may be an earlier version, NAME@VERSION."""
    from kgask.build.recipe import Recipe, build

    if len(packs) < 2:
        raise click.UsageError("name at least two packs")
    paths = tuple(str(find("pack", name).path) for name in packs)
    target = new_pack(output, named)
    counts = build(Recipe(paths, target, force=force), note).report.manifest["counts"]
    note(f"{target}: {counts['triples']:,} triples, {counts['entities']:,} entities")


@click.command()
@click.argument("name", metavar="PACK")
@_OUTPUT
@_NAMED
@click.option("--seed", "seeds", multiple=True, metavar="ENTITY", help="A key, a label or #id. Repeatable.")
@click.option("--hops", type=click.IntRange(1), default=1, show_default=True, help="How far from the seeds.")
@click.option("--relation", "relations", multiple=True, metavar="RELATION", help="Keep these only. Repeatable.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Keep triples of such subjects. Repeatable.")
@_FORCE
def subset(
    name: str,
    output: Path | None,
    named: str | None,
    seeds: tuple[str, ...],
    hops: int,
    relations: tuple[str, ...],
    types: tuple[str, ...],
    force: bool,
) -> None:
    """Make a pack of some triples of PACK: near the seeds, of relations, of types; all that is given must hold."""
    from kgask.build.changes import within
    from kgask.build.life import subset as cut
    from kgask.cli.pack import resolved
    from kgask.pack.store import Pack

    if not (seeds or relations or types):
        raise click.UsageError("say what to keep: --seed, --relation or --type")
    target = new_pack(output, named)
    with Pack.open(find("pack", name).path) as pack:
        ids = [resolved(pack, seed)[0].entity for seed in seeds]
        keep = within(pack, ids, hops, relations, types)
        counts = cut(pack, target, keep, _command("subset", name), force).manifest["counts"]
    note(f"{target}: {counts['triples']:,} triples, {counts['entities']:,} entities")


@click.command(cls=Command)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--patch", "as_patch", is_flag=True, help="Print a patch for 'kgask pack update'.")
@click.option("--limit", type=click.IntRange(0), default=50, show_default=True, help="Most lines of each sort to show.")
@PRINTED
def diff(old: str, new: str, as_patch: bool, limit: int, as_json: bool) -> None:
    """What NEW says that OLD does not, and the other way round.

    OLD and NEW are packs, or earlier versions of one: NAME@VERSION.
    """
    from kgask.build.changes import differences, to_patch
    from kgask.pack.store import Pack

    with Pack.open(find("pack", old).path) as before, Pack.open(find("pack", new).path) as after:
        same = before.content_hash == after.content_hash
        nothing: tuple[list[Line], list[Line]] = [], []
        removed, added = nothing if same else differences(before, after)
    if as_patch:
        for text in to_patch(removed, added):
            click.echo(text)
    elif as_json:
        print_json({"same": same, "n_removed": len(removed), "n_added": len(added),
                    "removed": removed[:limit], "added": added[:limit]})  # fmt: skip
    else:
        for line in removed[:limit]:
            click.echo(clean(f"- {_as_words(line)}"))
        for line in added[:limit]:
            click.echo(clean(f"+ {_as_words(line)}"))
        note(f"{len(removed):,} removed, {len(added):,} added")


def _as_words(line: Line) -> str:
    kind, *fields = line
    return " | ".join(fields) if kind == "triple" else f"{kind}: {' | '.join(fields)}"


@click.command(cls=Command)
@click.argument("name", metavar="PACK")
@PRINTED
def history(name: str, as_json: bool) -> None:
    """The versions of a pack: what made them, and what they hold."""
    from kgask.build.versions import history as versions_of

    rows = [
        {
            "version": version.number,
            "current": flag(version.is_current, as_json),
            "time": version.change.get("time", ""),
            "command": version.change.get("command", "built"),
            "triples": version.manifest["counts"]["triples"],
            "entities": version.manifest["counts"]["entities"],
            "content_sha256": version.manifest["content_sha256"],
        }
        for version in versions_of(find("pack", name).path)
    ]
    show_rows(rows, HISTORY_COLUMNS, as_json)


@click.command()
@click.argument("name", metavar="PACK")
@click.argument("version", type=click.IntRange(1), required=False)
@KEEP
def rollback(name: str, version: int | None, n_kept: int) -> None:
    """Go back to an earlier version of a pack, the last one if none is named."""
    from kgask.build.versions import roll_back

    chosen = roll_back(users_pack(name).path, version, n_kept)
    counts = chosen.manifest["counts"]
    note(f"{name}: version {chosen.number} again, {counts['triples']:,} triples, {counts['entities']:,} entities")


def _command(*words: str) -> str:
    return " ".join(("pack", *words))


COMMANDS = (add, remove, update, merge, subset, diff, history, rollback)
