"""``kgask pack export``: a pack as one file to carry, or as N-Triples for any SPARQL server."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import click

from kgask.cli.options import Command
from kgask.errors import PackError, UsageError

EPILOG = """\b
Examples:
  kgask pack export mine mine.kgpack                   # 'kgask pack import' reads it
  kgask pack export mine mine.kgpack --sign my.key     # and mine.kgpack.minisig
  kgask pack export demo demo.nt.gz
  kgask pack export mine | oxigraph load --location db --format nt
\b
FILE.kgpack is a tar archive under zstd; the same pack gives the same bytes. Keys and
signatures are minisign's ('kgask pack keygen' makes a pair; KGASK_PASSPHRASE, or
what is typed, opens a secret one).
\b
N-Triples: every triple as it is; keys as IRIs; numbers, dates and texts as nodes with kg:low
and kg:high (base units), kg:unit, kg:earliest and kg:latest (dates), kg:text and
rdfs:label; statements with qualifiers as nodes: docs/query.md tells all of it."""


@click.command("export", cls=Command, epilog=EPILOG, short_help="Write a pack as one file, or as RDF (N-Triples).")
@click.argument("name", metavar="[PACK]", required=False)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="The same as FILE.")
@click.option("--sign", type=click.Path(path_type=Path), metavar="KEY", help="Sign FILE.kgpack with this secret key.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def export(name: str | None, file: Path | None, output: Path | None, sign: Path | None, force: bool) -> None:
    """Write PACK to FILE, whole or not at all.

    As one file to carry to another machine where FILE ends in .kgpack, else as
    N-Triples (gzipped if it ends in .gz), without FILE to stdout. The SPARQL
    that kgask writes for a query is about these triples.
    """
    from kgask.build.archive import SUFFIX
    from kgask.config import DEFAULT_PACK, find, load_settings
    from kgask.machine.files import check_output

    if file is not None and output is not None:
        raise UsageError("FILE and --output are the same; name one")
    target = file or output
    is_packed = target is not None and target.suffix == SUFFIX
    if sign is not None and not is_packed:
        raise UsageError(f"--sign is for a FILE that ends in {SUFFIX}")
    found = find("pack", name or str(load_settings().get("pack", DEFAULT_PACK)))
    if target is not None:
        check_output(target, force, [found.path])
    if target is not None and is_packed:
        _write_packed(found.path, target, sign, force)
    else:
        _write_triples(found.path, target)


def _write_packed(pack: Path, target: Path, sign: Path | None, force: bool) -> None:
    from kgask.build.archive import HashedFile, write_archive
    from kgask.cli.render import note, progress
    from kgask.machine.files import check_output, whole_file, write_whole
    from kgask.machine.minisign import SIGNATURE_SUFFIX, read_secret, signature_text
    from kgask.pack.header import ENDPOINT, read_manifest

    manifest, signature = read_manifest(pack), target.with_name(target.name + SIGNATURE_SUFFIX)
    if ENDPOINT in manifest:
        raise PackError(
            f"{pack.name}: its triples are elsewhere; where you want it: kgask pack connect URL -n {pack.name}"
        )
    secret = None
    if sign is not None:
        check_output(signature, force, [pack, sign])
        secret = read_secret(sign, lambda: passphrase(f"Passphrase of {sign}"))
    total = sum(entry["bytes"] for entry in manifest["files"].values())
    with progress("Packing", total) as on_bytes, whole_file(target) as file:
        hashed = HashedFile(file)
        write_archive(pack, hashed, on_bytes)
    if secret is not None:
        comment = f"kgask pack {manifest.get('name')}, content {manifest['content_sha256']}"
        write_whole(signature, signature_text(secret, hashed.digest.digest(), comment))
        note(f"{signature}: signed with key {secret.public.name}")
    note(f"{target}: {target.stat().st_size:,} bytes of {total:,}")


def passphrase(what: str, again: bool = False) -> str:
    """KGASK_PASSPHRASE, else what is typed on the terminal; UsageError without one."""
    given = os.environ.get("KGASK_PASSPHRASE")
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise UsageError(f"{what}: type it on a terminal, or set KGASK_PASSPHRASE")
    return str(click.prompt(what, hide_input=True, confirmation_prompt=again, err=True))


def _write_triples(pack_path: Path, target: Path | None) -> None:
    from kgask.cli.render import steps_bar
    from kgask.machine.files import whole_file
    from kgask.pack.store import Pack
    from kgask.query.rdf import n_triples

    with Pack.open(pack_path) as pack:
        n_things = pack.n_entities + pack.n_triples + pack.n_statements
        with steps_bar(f"writing {pack.name}", n_things) as bar:
            pieces = n_triples(pack, lambda n_written: bar(n_written, ""))
            if target is None:
                sys.stdout.buffer.writelines(pieces)
                return
            with whole_file(target) as file:
                _write(pieces, file, zipped=target.suffix == ".gz")


def _write(pieces: Iterable[bytes], file: BinaryIO, zipped: bool) -> None:
    if not zipped:
        file.writelines(pieces)
        return
    # Without a name and time, so that the same pack gives the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
        for piece in pieces:
            packed.write(piece)
