"""Whether a search index holds the words of its texts: it is made again, and the two are read side by side.

SQLite's own check of an FTS5 index sees whether it is sound, not whether it is the index of these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

import apsw

from kgask.pack import schema
from kgask.pack.database import ReadOnly
from kgask.pack.names import Names
from kgask.pack.normalise import normalise
from kgask.pack.passages import DDL, PASSAGES_FILE, Passages

_AT_ONCE = 1 << 14  # names read at a time
_STATEMENT = re.compile(r"CREATE VIRTUAL TABLE [^;]*")
_CONTENT = re.compile(r"content='\w*'(, content_rowid='\w*')?")


def names_index_problems(names: Names) -> Iterator[str]:
    """The words of labels, aliases and literals in the search index and in both lists of words."""
    words: set[str] = set()

    def rows() -> Iterator[tuple[int, str]]:
        for ref, texts in every_name(names):
            norms = list(dict.fromkeys(map(normalise, texts)))
            words.update(word for norm in norms for word in norm.split() if not any(map(str.isdigit, word)))
            yield ref, " ".join(norms)

    if not is_index_of(names, "name_words", schema.DDL, rows()):
        yield "names.sqlite: the search index does not hold the words of the names"
    lists = {"reversed_words": {word[::-1] for word in words}} | ({"words": words} if names.has_words else {})
    for table, expected in lists.items():
        if set(names.listed_words(table)) != expected:
            yield f"names.sqlite: {table} does not list the words of the names"


def passages_problems(passages: Passages, n_entities: int) -> list[str]:
    """What is wrong with passages.sqlite; an empty list means nothing. Raises PackError."""
    verdict = passages.query("PRAGMA integrity_check(1)")[0][0]
    if verdict != "ok":
        return [f"{PASSAGES_FILE}: {verdict}"]
    strays = passages.query(
        "SELECT count(*) FROM about WHERE NOT entity BETWEEN 0 AND ? OR passage NOT IN (SELECT id FROM passages)",
        n_entities - 1,
    )[0][0]
    if strays:
        return [f"{PASSAGES_FILE}: {strays} links to entities or passages that are not there"]
    texts = ((passage.id, passage.text) for passage in passages.every())
    if not is_index_of(passages, "words", DDL, texts):
        return [f"{PASSAGES_FILE}: the search index does not hold the words of the passages"]
    return []


def is_index_of(database: ReadOnly, table: str, ddl: str, texts: Iterable[tuple[int, str]]) -> bool:
    """Whether an FTS5 table of ``ddl`` holds just the words of ``texts``, (rowid, text) each."""
    match = _STATEMENT.search(ddl)
    assert match is not None, "a schema without an index"
    made = apsw.Connection("")  # a file that SQLite makes and removes by itself
    try:
        made.execute(_CONTENT.sub("content=''", match[0]))
        column = "name" if "fts5(name" in match[0] else "text"
        with made:
            made.executemany(f"INSERT INTO {table} (rowid, {column}) VALUES (?, ?)", texts)
        made.execute(f"CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, {table}, instance)")
        database.temporary(f"CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, {table}, instance)")
        sql = "SELECT term, doc, offset FROM temp.instances"
        return all(ours == theirs for ours, theirs in zip_longest(made.execute(sql), database.rows(sql)))
    finally:
        made.close()


def every_name(names: Names) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every name by its ref, a literal's with its text too."""
    for start in range(0, names.n_entities, _AT_ONCE):
        ids = range(start, min(start + _AT_ONCE, names.n_entities))
        for id, label, literal in zip(ids, names.labels(ids), names.literals(ids), strict=True):
            yield id, (label,) if literal is None else (label, literal.text)
    for number, (_, name) in enumerate(names.aliases_between(0, names.n_entities - 1)):
        yield names.n_entities + number, (name,)
