"""``kgask pack connect``: a SPARQL endpoint becomes a pack that questions go to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgask.cli.pack_build import new_pack

EPILOG = """\b
Names, relations with their words, counts and a sample of triples are fetched once
and kept in the folder; the triples of a question are fetched when it is asked, in
batches: one request a hop, and one for what the answers have. Where the folder has
no name for a thing it is not found by that name, but is told by it in answers.
\b
Only the host of URL is ever asked: redirects and proxies are not followed,
certificates are checked. With KGASK_OFFLINE=1 nothing is asked.
\b
Examples:
  kgask pack connect http://localhost:7878/query -n films
  kgask -p films "who directed Inception?"
  kgask pack connect https://query.example.org/sparql -n wd --language en --language de \\
    --class http://www.wikidata.org/entity/Q11424 --credentials WD_TOKEN"""


def _number(name: str, default: int, least: int, text: str) -> Any:
    return click.option(name, type=click.IntRange(least), default=default, show_default=True, help=text)


@click.command(epilog=EPILOG)
@click.argument("url")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the pack.")
@click.option("-n", "--named", metavar="NAME", help="Put it where every command finds it by this name.")
@click.option("--name", default="", help="Name of the pack; by default that of the folder.")
@click.option(
    "--language", multiple=True, metavar="TAG", help="Languages of names, best first. Repeatable; en by default."
)
@click.option("--class", "classes", multiple=True, metavar="IRI", help="Name the instances of these only. Repeatable.")
@_number("--most-names", 500_000, 1, "Things that are named.")
@_number("--most-relations", 2_000, 1, "Relations that are used, the most frequent.")
@_number("--most-rows", 200_000, 5_000, "Rows of one answer of the endpoint.")
@_number("--most-mib", 64, 1, "MiB of one answer.")
@click.option(
    "--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="Time for one answer of the endpoint."
)
@click.option(
    "--credentials", default="", metavar="VARIABLE", help="Environment variable with USER:PASSWORD or a token."
)
@click.option("--iri-prefix", default="", metavar="IRI", help="What IRIs of entities begin with.  [default: found out]")
@click.option("--force", is_flag=True, help="Replace a pack that is there.")
def connect(
    url: str,
    output: Path | None,
    named: str | None,
    language: tuple[str, ...],
    most_rows: int,
    most_mib: int,
    seconds: float,
    **options: Any,
) -> None:
    """Make the SPARQL 1.1 endpoint at URL a pack, without copying its triples."""
    from kgask.cli.render import note, steps_bar
    from kgask.remote.connect import Wish
    from kgask.remote.connect import connect as connect_to
    from kgask.remote.endpoint import Limits

    target = new_pack(output, named)
    limits = Limits(seconds, most_mib << 20, most_rows)
    wish = Wish(url, target, language or ("en",), limits=limits, **options)
    with steps_bar("connect", wish.most_names) as bar:
        found = connect_to(wish, bar)
    for text in found.notes:
        note(text)
    counts = found.report.manifest["counts"]
    note(f"{target}: connected to {url}; {found.n_names:,} things named, {counts['relations']:,} relations")
