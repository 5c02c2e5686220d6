"""``kgask bench size``: the bytes of a pack."""

from __future__ import annotations

import click

from kgask.cli.figures import opened_pack, printing
from kgask.cli.options import PACK_OPTION
from kgask.cli.render import note, show_rows


@printing("size")
@PACK_OPTION
@click.option("--pyoxigraph", is_flag=True, help="Load the same into pyoxigraph and measure that too.")
def size(pack: str | None, pyoxigraph: bool, as_json: bool) -> None:
    """Bytes of a pack on disk by part, and beside other stores.

    "Noted" is what HDT, kuzu and pyoxigraph needed for 673,125 triples of public graphs with labels, by the triple:
    a bar for a pack of such triples. A pack's names and search index count.
    """
    from kgask.bench.size import measure

    with opened_pack(pack) as opened:
        rows = measure(opened, pyoxigraph, note)
    show_rows(rows, tuple(rows[0]), as_json)
