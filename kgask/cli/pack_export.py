"""``kgask pack export``: a pack as N-Triples, for any SPARQL server."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import click

from kgask.cli.options import Command

EPILOG = """\b
Examples:
  kgask pack export demo -o demo.nt.gz
  kgask pack export my_pack | oxigraph load --location db --format nt
\b
Every triple as it is; keys as IRIs; numbers, dates and texts as nodes with kg:low
and kg:high (base units), kg:unit, kg:earliest and kg:latest (dates), kg:text and
rdfs:label; statements with qualifiers as nodes: docs/query.md tells all of it."""


@click.command("export", cls=Command, epilog=EPILOG, short_help="Write a pack as RDF (N-Triples).")
@click.argument("name", metavar="[PACK]", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="FILE.nt or FILE.nt.gz.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def export(name: str | None, output: Path | None, force: bool) -> None:
    """Write PACK as N-Triples to FILE (whole or not at all; gzipped if it ends in .gz), else to stdout.

    The SPARQL that kgask writes for a query is about these triples.
    """
    from kgask.cli.render import steps_bar
    from kgask.config import DEFAULT_PACK, find, load_settings
    from kgask.machine.files import check_output, whole_file
    from kgask.pack.store import Pack
    from kgask.query.rdf import n_triples

    found = find("pack", name or str(load_settings().get("pack", DEFAULT_PACK)))
    if output is not None:
        check_output(output, force, [found.path])
    with Pack.open(found.path) as pack:
        n_things = pack.n_entities + pack.n_triples + pack.n_statements
        with steps_bar(f"writing {pack.name}", n_things) as bar:
            pieces = n_triples(pack, lambda n_written: bar(n_written, ""))
            if output is None:
                sys.stdout.buffer.writelines(pieces)
                return
            with whole_file(output) as file:
                _write(pieces, file, zipped=output.suffix == ".gz")


def _write(pieces: Iterable[bytes], file: BinaryIO, zipped: bool) -> None:
    if not zipped:
        file.writelines(pieces)
        return
    # Without a name and time, so that the same pack gives the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
        for piece in pieces:
            packed.write(piece)
