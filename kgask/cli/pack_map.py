"""``kgask pack map``: what the tables of databases and files mean, as a file to edit."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("map")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE, not to stdout.")
@click.option("--delimiter", metavar="CHAR", help="Delimiter of a table, one character (\\t for a tab).")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def map_tables(sources: tuple[str, ...], output: Path | None, delimiter: str | None, force: bool) -> None:
    """Show how databases (SQLite) and tables with a row a thing become a graph.

    What is printed is a mapping (TOML) for 'kgask pack build SOURCE...
    --mapping FILE': edit it to leave out tables or columns, to call relations
    otherwise, to say units and dates, or which rows a column names.
    """
    from kgask.build.mapping import tables_of
    from kgask.build.recipe import Recipe, format_of
    from kgask.build.tables import to_toml
    from kgask.machine.files import check_output, whole_file

    delimiter = "\t" if delimiter == "\\t" else delimiter
    recipe = Recipe(sources, Path(), delimiter=delimiter, recognise=True, mapping=Path())
    tables = [
        table
        for source in sources
        for table in tables_of(source, format_of(source, recipe, lambda _: None), recipe.delimiter)
    ]
    text = to_toml(tables, " ".join(Path(source).name for source in sources))
    if output is None:
        click.echo(text, nl=False)
        return
    check_output(output, force, [Path(source) for source in sources])
    with whole_file(output) as file:
        file.write(text.encode())
