"""``kgask bench busy``: questions beside other work."""

from __future__ import annotations

import json

import click

from kgask.cli.render import table


@click.command("busy", short_help="Questions beside busy processes, and on an idle machine.")
@click.option("-r", "--reader", metavar="GGUF", help="Reader name, folder or GGUF.  [default: reader]")
@click.option("--questions", type=click.IntRange(1), default=60, show_default=True, help="Questions of each run.")
@click.option("--neighbours", type=click.IntRange(0), default=2, show_default=True, help="Busy processes beside it.")
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Runs of each kind, in turn.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def busy(reader: str | None, questions: int, neighbours: int, rounds: int, as_json: bool) -> None:
    """The same questions on the machine as it is and beside busy processes; as kgask asks, and with all threads always.

    Four processes a round, in turn. Without other work beside it: beside_to_idle says what the neighbours cost,
    idle_to_idle_all_threads what it costs to look for free cores.
    """
    from kgask.bench.busy import measure

    found = measure(reader, questions, neighbours, rounds)
    if as_json:
        print(json.dumps(found))
    else:
        table(("figure", "median"), [(name, f"{value:.2f}") for name, value in found.items()])
