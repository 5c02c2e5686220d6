"""``kgask pack``: the group of its commands, and info, check, list, search, show."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from kgask.cli import pack_import, pack_life, pack_names
from kgask.cli.options import PRINTED, Command
from kgask.cli.pack_build import build
from kgask.cli.pack_connect import connect
from kgask.cli.pack_export import export
from kgask.cli.pack_map import map_tables
from kgask.cli.render import (
    clean,
    flag,
    note,
    print_json,
    shorten,
    show_facts,
    show_found,
    show_rows,
    table,
    with_qualifiers,
)
from kgask.config import DEFAULT_PACK, PACK_MANIFEST, Found, find, list_found, load_settings
from kgask.errors import PackDamage, PackError

if TYPE_CHECKING:
    from kgask.pack.records import NameHit
    from kgask.pack.store import Pack

_COUNTS = ("entities", "literals", "relations", "triples", "statements", "qualifiers", "names")
CHECKED = "of every block, compared as it is read"
UNCHECKED = "of whole files, hashed when they are first opened; kgask pack check --write-checksums adds those of blocks"
NAME_OPTION = click.option("-p", "--pack", "name", metavar="PACK", help="Pack name or path; by default as for ask.")
HIT_COLUMNS = ("id", "key", "label", "alias", "triples", "description")
PACK_ARGUMENT = click.argument("name", metavar="[PACK]", required=False)


@click.group()
def pack() -> None:
    """Build, check, list and look into KG packs.

    PACK is the name of a shipped or user pack, or a path; without one it is
    the pack that questions go to.
    """


pack.add_command(build)
pack.add_command(connect)
pack.add_command(export)
pack.add_command(map_tables)
for _command in (*pack_life.COMMANDS, *pack_names.COMMANDS, *pack_import.COMMANDS):
    pack.add_command(_command)


def _find(name: str | None) -> Found:

    return find("pack", name or str(load_settings().get("pack", DEFAULT_PACK)))


def _open(name: str | None) -> Pack:
    from kgask.remote.folder import open_pack

    return open_pack(_find(name).path)


@pack.command("list", cls=Command)
@PRINTED
def list_packs(as_json: bool) -> None:
    """Packs that ship with kgask and packs of the user, and where they are."""

    columns = ("name", "origin", "default", "entities", "triples", "path")
    chosen = str(load_settings().get("pack", DEFAULT_PACK))
    rows = [_listed(found) | {"default": flag(found.name == chosen, as_json)} for found in list_found("pack")]
    if not as_json:
        rows = [{column: "" if text is None else text for column, text in row.items()} for row in rows]
    show_found("pack", rows, columns, as_json)


def _listed(found: Found) -> dict[str, Any]:
    from kgask.pack.header import ENDPOINT, read_manifest

    entry: dict[str, Any] = {"name": found.name, "origin": found.origin, "path": str(found.path)}
    try:
        manifest = read_manifest(found.path)
    except PackError as error:
        return entry | {"problem": str(error)}
    counts = manifest["counts"]
    triples = counts["triples"] if ENDPOINT not in manifest else None  # how many there are elsewhere is not known
    return entry | {"entities": counts["entities"], "triples": triples}


@pack.command(cls=Command)
@PACK_ARGUMENT
@click.option("--relations", is_flag=True, help="List the relations with their number of triples instead.")
@PRINTED
def info(name: str | None, relations: bool, as_json: bool) -> None:
    """What a pack holds, where it comes from, under which licences."""

    found = _find(name)
    with _open(str(found.path)) as opened:
        if relations:
            from kgask.pack.graph import reads_arrays

            show_rows(
                reads_arrays(_relation_rows)(opened), ("key", "label", "inverse_label", "triples", "learned"), as_json
            )
        else:
            show_facts(_facts(opened, found), as_json)


def _facts(opened: Pack, found: Found) -> dict[str, Any]:
    manifest = opened.manifest
    version = manifest["format"]
    return {
        "name": opened.name,
        "path": str(found.path),
        "origin": found.origin,
        **_about_endpoint(opened),
        **{key: opened.manifest["counts"].get(key, 0) for key in _COUNTS},
        "bytes": sum(entry["bytes"] for entry in manifest["files"].values()),
        "format": f"{version['major']}.{version.get('minor', 0)}",
        "checksums": CHECKED if opened.has_checksums else UNCHECKED,
        "builder": manifest.get("builder", ""),
        "content_sha256": opened.content_hash,
        "relations_sha256": opened.relation_hash,
        "sources": manifest.get("sources", []),
        "licences": manifest.get("licences", []),
    }


def _about_endpoint(opened: Pack) -> dict[str, Any]:
    """Of a graph elsewhere: where it is, and when it was connected; the counts then are those of the folder."""
    from kgask.pack.header import ENDPOINT

    about = opened.manifest.get(ENDPOINT)
    return {"endpoint": about["url"], "connected": about["connected"]} if about else {}


def _relation_rows(opened: Pack) -> list[dict[str, Any]]:
    import numpy as np

    from kgask.pack.relation_kinds import in_words

    counts = np.bincount(opened.out_relation, minlength=opened.n_relations)
    kinds = opened.relation_kinds.reshape(2, -1).T.tolist()
    rows = zip(opened.relations(), counts.tolist(), kinds, strict=True)
    return [asdict(relation) | {"triples": count, "learned": in_words(*learned)} for relation, count, learned in rows]


@pack.command(cls=Command)
@PACK_ARGUMENT
@click.option("--write-checksums", is_flag=True, help="Give a whole pack checksums of its blocks, where it has none.")
@PRINTED
def check(name: str | None, write_checksums: bool, as_json: bool) -> None:
    """Check every hash, every index, the order of rows, both directions and the names.

    Exits with 6 when something is wrong. What a question reads is compared
    with checksums anyway; a pack of kgask before 0.3 has none of blocks, and
    is hashed whole when it is first opened.
    """
    from kgask.pack.check import check_pack
    from kgask.remote.folder import endpoint_of

    path = pack_life.users_pack(name).path if write_checksums and name else _find(name).path
    problems = check_pack(path)
    endpoint = None if problems else endpoint_of(path)
    if endpoint is not None:
        note(f"a connected graph: its folder was looked at, not what {endpoint} has")
    if as_json:
        print_json({"path": str(path), "ok": not problems, "problems": problems, "endpoint": endpoint})
    else:
        for line in problems or ["ok"]:
            click.echo(clean(line))
    if problems:
        error = PackDamage if (path / PACK_MANIFEST).is_file() else PackError
        raise error(f"{path}: {len(problems)} problem{'s' * (len(problems) != 1)}; rebuild the pack")
    if write_checksums:
        from kgask.build.checksums import add_checksums

        note(f"{path}: {'checksums written' if add_checksums(path) else 'has checksums already'}")


@pack.command(cls=Command)
@click.argument("text")
@NAME_OPTION
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most names to list.")
@PRINTED
def search(text: str, name: str | None, limit: int, as_json: bool) -> None:
    """Entities whose names have all the words of TEXT (the last may be a beginning), best connected first."""
    from kgask.pack.normalise import normalise

    with _open(name) as opened:
        hits = opened.search(text, limit)
        if not hits:
            hits = opened.fuzzy(normalise(text), limit)
            if hits:
                note(f"no name has these words; close names for {text!r}:")
        rows = _hit_rows(opened, hits)
    if rows or as_json:
        show_rows(rows, HIT_COLUMNS, as_json)
    if not rows:
        raise PackError(f"no name in {opened.name} is like {text!r}")


def _hit_rows(opened: Pack, hits: list[NameHit]) -> list[dict[str, Any]]:
    ids = [hit.entity for hit in hits]
    aliases = [hit.name if hit.is_alias else "" for hit in hits]
    about = (opened.keys(ids), opened.labels(ids), aliases, opened.degree(ids).tolist(), opened.descriptions(ids))
    return [dict(zip(HIT_COLUMNS, row, strict=True)) for row in zip(ids, *about, strict=True)]


@pack.command(cls=Command)
@click.argument("entity")
@NAME_OPTION
@click.option("--relation", "relations", metavar="RELATION", multiple=True, help="These relations only. Repeatable.")
@click.option("--limit", type=click.IntRange(0), default=50, show_default=True, help="Most triples in each direction.")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Which so many of them.")
@PRINTED
def show(entity: str, name: str | None, relations: tuple[str, ...], limit: int, page: int, as_json: bool) -> None:
    """The triples of ENTITY, a key, a label, or an id (#12), in both directions."""
    from kgask.build.changes import relations_called
    from kgask.cli.pack_triples import triples_of
    from kgask.pack.graph import reads_arrays
    from kgask.verbalise import qualifiers_text

    with _open(name) as opened:
        chosen, others = resolved(opened, entity)
        facts = _hit_rows(opened, [chosen])[0]
        kept = relations_called(opened, relations) if relations else None
        triples, total = opened.complete(lambda: reads_arrays(triples_of)(opened, chosen.entity, kept, limit, page))
        facts = facts | {"kind": opened.kinds([chosen.entity])[0], "n_triples": total, "triples": triples}
    del facts["alias"]
    if others:
        ids = ", ".join(f"#{hit.entity}" for hit in others[:5])
        note(f"{len(others) + 1} entities are called {shorten(entity, 60)}; this is #{chosen.entity}, others: {ids}")
    if as_json:
        print_json(facts)
        return
    columns, texts = ("subject", "relation", "object"), [qualifiers_text(row["statements"]) for row in triples]
    about = (facts["label"], facts["key"], f"#{facts['id']}", facts["description"])
    title = "  ".join(dict.fromkeys(filter(None, about)))  # a key that is the label is told once
    table(*with_qualifiers(columns, [tuple(row[column] for column in columns) for row in triples], texts), title=title)
    if len(triples) < total:
        more = f"--page {page + 1} goes on" if triples else "no more on this page"
        note(f"{len(triples):,} of {total:,} triples; {more}, --limit makes a page longer, --relation picks")


def resolved(opened: Pack, text: str) -> tuple[NameHit, list[NameHit]]:
    """The entity meant by a key, a name or ``#id``, and the other entities of that name."""
    from kgask.pack.normalise import normalise
    from kgask.pack.records import NameHit

    number = text.removeprefix("#")
    is_id = number.isascii() and number.isdigit() and len(number) < 20 and int(number) < opened.n_entities
    if text.startswith("#") and is_id:
        return NameHit(int(number), text, False), []
    entity = opened.find_key(text)
    if entity is not None:
        return NameHit(entity, text, False), []
    norm = normalise(text)
    named = {hit.entity: hit for hit in reversed(opened.exact([norm]).get(norm, []))}
    if named:
        known = dict(zip(named, opened.prior(named).tolist(), strict=True))
        first, *others = sorted(named.values(), key=lambda h: (h.is_alias, -known[h.entity], h.entity))
        return first, others
    if is_id:
        return NameHit(int(number), text, False), []
    close = opened.fuzzy(norm, 1)
    advice = f"; did you mean {close[0].name!r}?" if close else f"; try 'kgask pack search {text}'"
    raise PackError(f"no entity {text!r} in {opened.name}{advice}")
