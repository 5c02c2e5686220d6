"""The floor of a build: DuckDB reads a table, numbers what is named, drops what is said twice and sorts both ways.

Run as a script with the table, a folder to work in, and the memory in MiB; it is what :mod:`kgask.bench.building`
measures kgask against.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(table: str, folder: str, mebibytes: str) -> None:
    """Ids are places among the sorted keys, as in a pack."""
    import duckdb

    db = duckdb.connect(
        str(Path(folder) / "bare.duckdb"),
        config={
            "memory_limit": f"{mebibytes}MiB",
            "temp_directory": str(Path(folder) / "spill"),
            "preserve_insertion_order": "false",
        },
    )
    for statement in (
        f"CREATE TABLE said AS SELECT * FROM read_csv('{table}', delim='\t', header=false, quote='', "
        "columns={'s': 'VARCHAR', 'r': 'VARCHAR', 'o': 'VARCHAR'})",
        "CREATE TABLE entities AS SELECT (row_number() OVER ()) - 1 AS id, key FROM "
        "(SELECT key FROM (SELECT s AS key FROM said UNION SELECT o FROM said) ORDER BY key)",
        "CREATE TABLE relations AS SELECT (row_number() OVER ()) - 1 AS id, r FROM "
        "(SELECT DISTINCT r FROM said ORDER BY r)",
        "CREATE TABLE triples AS SELECT DISTINCT a.id::INTEGER AS s, r.id::INTEGER AS r, b.id::INTEGER AS o "
        "FROM said t JOIN entities a ON a.key = t.s JOIN entities b ON b.key = t.o JOIN relations r ON r.r = t.r",
        "CREATE TABLE outward AS SELECT * FROM triples ORDER BY s, r, o",
        "CREATE TABLE inward AS SELECT * FROM triples ORDER BY o, r, s",
    ):
        db.execute(statement).fetchall()
    db.close()


if __name__ == "__main__":
    main(*sys.argv[1:4])
