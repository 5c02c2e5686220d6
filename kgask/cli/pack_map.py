"""``kgask pack map``: what the tables of a database mean, as a file to edit."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("map")
@click.argument("database", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE, not to stdout.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def map_tables(database: Path, output: Path | None, force: bool) -> None:
    """Show how DATABASE (SQLite) becomes a graph: its rows, relations and types.

    What is printed is a mapping (TOML) for 'kgask pack build DATABASE
    --mapping FILE': edit it to leave out tables or columns, to call relations
    otherwise, or to say units and dates.
    """
    from kgask.build.sqlite import tables_of
    from kgask.build.tables import to_toml
    from kgask.machine.files import check_output, whole_file

    text = to_toml(tables_of(database), database.name)
    if output is None:
        click.echo(text, nl=False)
        return
    check_output(output, force, [database])
    with whole_file(output) as file:
        file.write(text.encode())
