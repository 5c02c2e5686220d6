"""The plan: what is said, in texts, becomes rows of ids. Plain SQL, one table after another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, pairwise
from typing import TypeVar

from kgask.build.outofcore.staged import ALIAS, DESCRIPTION, LABEL
from kgask.build.outofcore.store import Store
from kgask.build.readable import entity_label
from kgask.errors import BuildError
from kgask.pack.normalise import normalise
from kgask.pack.schema import key_order

Row = TypeVar("Row")


def resolve(store: Store) -> int:
    """What is said of a node that stands for a triple is said with that triple; how many statements are of others.

    Makes ``qualified``: statement, row of its triple, relation, value.
    """
    value = "q.r, q.v, q.kind, q.unit, q.num"
    store.make("nodes", "SELECT DISTINCT owner FROM statements WHERE owner IS NOT NULL")
    n_nested = 0
    if store.row("SELECT count(*) FROM nodes")[0]:
        store.make("about_nodes", "SELECT * FROM said WHERE s IN (SELECT owner FROM nodes)")
        (n_nested,) = store.row("SELECT count(*) FROM statements WHERE row IN (SELECT row FROM about_nodes)")
        store.make("plainly", "SELECT * FROM said t WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.owner = t.s)")
    else:
        store.make("about_nodes", "SELECT * FROM said LIMIT 0")
        store.view("plainly", "SELECT * FROM said")
    store.make("kept", "SELECT row FROM plainly WHERE row IS NOT NULL")
    store.make(
        "qualified",
        f"SELECT t.statement, t.row, {value} FROM statements t JOIN qualifiers q ON t.own = q.own "
        f"WHERE t.row IN (SELECT row FROM kept) UNION ALL "
        f"SELECT t.statement, t.row, {value} FROM statements t JOIN about_nodes q ON t.owner = q.s "
        f"WHERE t.row IN (SELECT row FROM kept)",
    )
    return int(n_nested)


def number(store: Store) -> None:
    """Entities, literals and relations by id, in the order of their keys."""
    rest = "substr(key, length(prefix) + 1)"
    whole = r"'^(0|[1-9][0-9]{0,17})\z'"
    store.number(
        "entities",
        f"SELECT key, prefix FROM (SELECT key, {prefix_of('key')} AS prefix FROM ("
        "SELECT s AS key FROM plainly UNION SELECT v FROM plainly WHERE kind IS NULL "
        "UNION SELECT v FROM qualified WHERE kind IS NULL))",
        f"prefix, CASE WHEN regexp_like({rest}, {whole}) THEN ({rest})::BIGINT END NULLS LAST, {rest}",
    )
    (n_things,) = store.row("SELECT count(*) FROM entities")
    literal = "SELECT kind, num, v AS text, unit"
    store.number(
        "literals",
        f"SELECT kind, min(num) AS num, text, unit FROM ({literal} FROM plainly WHERE kind IS NOT NULL "
        f"UNION ALL {literal} FROM qualified WHERE kind IS NOT NULL) GROUP BY kind, text, unit",
        "kind, coalesce(num, 0.0) + 0.0, text, unit",
        n_things,
    )
    found = store.stream("SELECT r FROM plainly UNION SELECT r FROM qualified")
    keys = sorted((key for (key,) in found), key=key_order)
    if not keys:
        raise BuildError("no triples, so no pack")
    types = {"id": "int64", "key": "string"}
    store.create("relations", types)
    store.append("relations", {"id": range(len(keys)), "key": keys}, types)


def encode(store: Store) -> None:
    """``triples`` of ids with the row that statements name them by, and ``qualifier_ids``."""
    ids = "SELECT a.id::INTEGER AS s, r.id::INTEGER AS r, b.id::INTEGER AS o, t.row"
    store.make(
        "triples",
        f"{ids} FROM plainly t JOIN entities a ON a.key = t.s JOIN relations r ON r.key = t.r "
        "JOIN entities b ON b.key = t.v WHERE t.kind IS NULL",
    )
    of_literal = "b.kind = t.kind AND b.text = t.v AND b.unit = t.unit"
    store.add(
        "triples",
        f"{ids} FROM plainly t JOIN entities a ON a.key = t.s "
        f"JOIN relations r ON r.key = t.r JOIN literals b ON {of_literal} WHERE t.kind IS NOT NULL",
    )
    ids = "SELECT t.statement, t.row, r.id AS r, b.id AS v FROM qualified t JOIN relations r ON r.key = t.r"
    store.make("qualifier_ids", f"{ids} JOIN entities b ON b.key = t.v WHERE t.kind IS NULL")
    store.add("qualifier_ids", f"{ids} JOIN literals b ON {of_literal} WHERE t.kind IS NOT NULL")


def choose_texts(store: Store) -> int:
    """``labels``, ``descriptions`` and ``aliases`` of entities by id; how many keys have texts and are not there."""
    store.make("of_entities", "SELECT e.id, t.what, t.text, t.rank FROM texts t JOIN entities e ON e.key = t.key")
    for table, what in (("labels", LABEL), ("descriptions", DESCRIPTION)):
        _choose(store, table, f"(SELECT id, text, rank FROM of_entities WHERE what = {what})")
    unnamed = store.stream(
        "SELECT id, key FROM entities e WHERE contains(key, '://') "
        "AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.id = e.id)"
    )
    _fill(store, "labels", (("id", "int64"), ("text", "string"), ("rank", "int64")),
          ((number, entity_label(key), 0) for number, key in unnamed))  # fmt: skip
    columns = (("id", "int64"), ("entity", "int64"), ("name", "string"))
    store.create("aliases", dict(columns))
    _fill(store, "aliases", columns, _aliases(store))
    (n_unused,) = store.row(
        "SELECT count(DISTINCT key) FROM texts t WHERE NOT EXISTS (SELECT 1 FROM entities e WHERE e.key = t.key) "
        "AND NOT EXISTS (SELECT 1 FROM relations r WHERE r.key = t.key) "
        "AND (NOT in_file OR key IN (SELECT owner FROM nodes))"
    )
    return int(n_unused)


def _choose(store: Store, table: str, said: str) -> None:
    """Of each entity's texts the first of the least rank; nothing is grouped where each has one."""
    facts = "count(*), count(DISTINCT id), min(rank), max(rank)"
    n, n_entities, lowest, highest = store.row(f"SELECT {facts} FROM {said} t")
    if n == n_entities:
        store.make(table, f"SELECT * FROM {said} t")
        return
    if lowest != highest:
        best = f"(SELECT id AS of, min(rank) AS least FROM {said} t GROUP BY id)"
        said = f"(SELECT t.id, t.text, t.rank FROM {said} t JOIN {best} b ON b.of = t.id AND b.least = t.rank)"
    store.make(table, f"SELECT id, min(text) AS text, min(rank) AS rank FROM {said} t GROUP BY id")


def _aliases(store: Store) -> Iterator[tuple[int, int, str]]:
    """Other names, and labels that another one was chosen before; not what normalises as a name before it does."""
    found = store.stream(
        "SELECT DISTINCT e.id, coalesce(l.text, e.key) AS label, t.text FROM of_entities t "
        "JOIN entities e ON e.id = t.id LEFT JOIN labels l ON l.id = t.id "
        f"WHERE t.what = {ALIAS} OR (t.what = {LABEL} AND t.rank = l.rank AND t.text <> l.text) ORDER BY e.id, t.text"
    )
    n_aliases, known, last = 0, set[str](), -1
    for entity, label, text in found:
        if entity != last:
            known, last = {normalise(label)}, entity
        norm = normalise(text)
        if norm not in known:
            known.add(norm)
            yield n_aliases, entity, text
            n_aliases += 1


def _fill(store: Store, table: str, columns: tuple[tuple[str, str], ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Rows to a table, a batch at a time."""
    for batch in batched(rows, store.rows):
        names = [name for name, _ in columns]
        store.append(table, dict(zip(names, zip(*batch, strict=True), strict=True)), dict(columns))


def batched(rows: Iterable[Row], most: int) -> Iterator[list[Row]]:
    """Lists of at most so many rows."""
    rows = iter(rows)
    while batch := list(islice(rows, most)):
        yield batch


def prefix_of(column: str) -> str:
    """SQL for the first part of :func:`kgask.pack.schema.split_key`."""
    return (
        f"CASE WHEN regexp_like({column}, '[/#:]') THEN regexp_extract({column}, '(?s)^.*[/#:]', 0) "
        f"WHEN regexp_like({column}, '^[A-Za-z]{{1,3}}[{_digits()}]+\\z') "
        f"THEN regexp_extract({column}, '^[A-Za-z]+', 0) ELSE '' END"
    )


@cache
def _digits() -> str:
    r"""What Python's \d means, as ranges of a character class."""
    every = [code for code in range(sys.maxunicode + 1) if chr(code).isdecimal()]
    starts = [every[0], *(after for before, after in pairwise(every) if after != before + 1)]
    ends = [*(before for before, after in pairwise(every) if after != before + 1), every[-1]]
    return "".join(f"\\x{{{start:X}}}-\\x{{{end:X}}}" for start, end in zip(starts, ends, strict=True))
