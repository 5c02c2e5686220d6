"""Write passages.sqlite (layout: :mod:`kgask.pack.passages`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from kgask.build.database import insert, new_database
from kgask.pack.passages import APPLICATION_ID, DDL, VERSION

PASSAGE_WORDS = 100  # LTGen, section 4: passages of a hundred words


def split_text(text: str, words: int = PASSAGE_WORDS) -> list[str]:
    """Pieces of at most so many words, of nearly one length, so that no piece is a stump.

    >>> split_text("a b c d e", 2)
    ['a b', 'c d', 'e']
    """
    found = text.split()
    n_pieces = max(1, -(-len(found) // words))
    size, longer = divmod(len(found), n_pieces)
    pieces, at = [], 0
    for piece in range(n_pieces):
        end = at + size + (piece < longer)
        pieces.append(" ".join(found[at:end]))
        at = end
    return pieces


def write_passages(path: Path, texts: Iterable[tuple[str, Sequence[int]]]) -> None:
    """Write the file: text and the entities that it is about, in the order of their ids. Raises BuildError.

    ``texts`` is gone through twice.
    """
    with new_database(path, APPLICATION_ID, VERSION, DDL) as conn:
        insert(conn, "passages", 2, enumerate(text for text, _ in texts))
        insert(conn, "about", 2, ((entity, row) for row, (_, entities) in enumerate(texts) for entity in entities))
        conn.execute("INSERT INTO words (words) VALUES ('rebuild')")
