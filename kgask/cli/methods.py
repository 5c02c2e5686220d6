"""``kgask methods``: the ways in which triples are found."""

from __future__ import annotations

import click

from kgask.cli.options import PRINTED, Command


@click.command(cls=Command)
@PRINTED
def methods(as_json: bool) -> None:
    """List the retrieval methods that `kgask ask --method` and `kgask eval run --method` take."""
    from kgask.cli.render import print_json, table
    from kgask.methods.registry import METHODS

    if as_json:
        print_json(METHODS)
    else:
        table(("method", "what it is"), list(METHODS.items()))
