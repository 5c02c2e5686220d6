"""``kgask bench hops``: two hops on packs of different sizes."""

from __future__ import annotations

import click

from kgask.cli.figures import counted, printing
from kgask.cli.render import note, show_rows


@printing("hops")
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@counted("--starts", 500, "Random things to start from.")
@click.option("--pyoxigraph", is_flag=True, help="The same join in pyoxigraph, with the triples in memory, too.")
def hops(packs: tuple[str, ...], starts: int, pyoxigraph: bool, as_json: bool) -> None:
    """Opening each PACK in a process of its own, and two hops from random things; ratio is to the first.

    pyoxigraph needs some 500 bytes a triple.
    """
    from kgask.bench.hops import measure
    from kgask.config import find

    rows = measure([find("pack", name).path for name in packs], starts, pyoxigraph, note)
    show_rows(rows, tuple(rows[0]), as_json)
