"""``kgask methods``: the ways in which triples are found."""

from __future__ import annotations

import json

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(as_json: bool) -> None:
    """List the retrieval methods that `kgask ask --method` and `kgask eval run --method` take."""
    from kgask.cli.render import table
    from kgask.methods.registry import METHODS

    if as_json:
        print(json.dumps(METHODS))
    else:
        table(("method", "what it is"), list(METHODS.items()))
