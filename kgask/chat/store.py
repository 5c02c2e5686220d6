"""A conversation on disk: JSON Lines, one turn a line, written as they go; a line that was cut is left out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from kgask.answer.result import Answer
from kgask.chat.session import Chat
from kgask.chat.turns import Turn
from kgask.errors import QueryError, UsageError
from kgask.machine.homes import expanded
from kgask.pack.store import Pack
from kgask.query.nodes import Query
from kgask.query.sparql import to_sparql
from kgask.query.text import parse

MAGIC = "kgask-chat"
RESET = "reset"  # of a line: what stands before it is forgotten


class Log:
    """An open file of a conversation; only one chat may write it at a time."""

    def __init__(self, path: Path, chat: Chat) -> None:
        """Go on with the conversation of a file, or begin one.

        Raises UsageError for a file that is another's, of another pack, or written by another chat right now.
        """
        path = expanded(path)
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: not a file")
        if path.parts[0].startswith("~") and not path.parent.exists():  # of a user who is not there
            raise UsageError(f"{path}: no such folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self._chat = path, chat
        self._file: BinaryIO = path.open("a+b")
        try:
            self._lock()
            chat.turns = list(read(path, chat))
            self._begin()
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # another system than Unix
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(f"{self.path}: another chat is writing this session; choose another --session") from error

    def _begin(self) -> None:
        """Head a new file; end a line that was cut, so that what follows stands by itself. Nothing is overwritten."""
        self._file.seek(0)
        kept = self._file.read()
        if not kept:
            self._write(_head(self._chat))
        elif not kept.endswith(b"\n"):
            self._write("\n")

    def add(self, turn: Turn) -> None:
        """Keep a turn; it is on the disk when this returns."""
        self._write(_turn_line(turn))

    def rewrite(self) -> None:
        """Keep the turns that the chat has now, in the place of all before: after ``/undo`` and the like."""
        self._write(_line({RESET: True}) + "".join(map(_turn_line, self._chat.turns)))

    def _write(self, text: str) -> None:
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def save(path: Path, chat: Chat) -> None:
    """Write the whole conversation to another file, whole or not at all."""
    from kgask.machine.files import write_whole

    write_whole(path, _head(chat) + "".join(map(_turn_line, chat.turns)))


def _head(chat: Chat) -> str:
    return _line({"magic": MAGIC, "pack": chat.pipeline.pack.content_hash})


def read(path: Path, chat: Chat) -> Iterator[Turn]:
    """The turns of a file. Raises UsageError for what is no conversation, or one about another pack."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: not a file")
    try:
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    rows = [row for row in map(_row, lines) if row is not None]
    if not rows:
        if any(line.strip() for line in lines):
            raise UsageError(f"{path}: not a kgask conversation")
        return
    if rows[0].get("magic") != MAGIC:
        raise UsageError(f"{path}: not a kgask conversation")
    if rows[0].get("pack") != chat.pipeline.pack.content_hash:
        raise UsageError(f"{path}: a conversation about another pack")
    last = max((at for at, row in enumerate(rows) if row.get(RESET)), default=0)
    yield from filter(None, (_turn(row, chat) for row in rows[last + 1 :]))


def _row(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _turn_line(turn: Turn) -> str:
    said = {"turn": turn.number, "line": turn.line, "understood": turn.understood, **_kept(turn.answer)}
    read_as = {"reading": _kept(turn.reading)} if turn.reading is not None else {}
    return _line({**said, "topics": list(turn.topics), "ends": list(turn.ends), **read_as})


def _kept(answer: Answer | None) -> dict[str, Any]:
    """What is kept of an answer: :meth:`Answer.restored` takes it."""
    if answer is None:
        return {"answer": None, "confidence": 0.0, "query": None}
    return {"answer": answer.text, "confidence": answer.confidence, "query": answer.query_text}


def _turn(row: dict[str, Any], chat: Chat) -> Turn | None:
    """A turn as it was, without the proof of its answer; None for a row that is none of this pack's."""
    pack = chat.pipeline.pack
    try:
        topics, ends = (
            tuple(int(one) for one in row[name] if 0 <= int(one) < pack.n_entities) for name in ("topics", "ends")
        )
        said = chat.pipeline.refused(str(row["line"]), "from an earlier session")
        answer, query = _restored(said, row, pack)
        reading = None
        if isinstance(row.get("reading"), dict):
            reading, query = _restored(said, row["reading"], pack)
        return Turn(
            int(row["turn"]), str(row["line"]), str(row["understood"]), answer, query, topics, ends, reading=reading
        )
    except (KeyError, TypeError, ValueError, OverflowError, QueryError):
        return None


def _restored(said: Answer, row: dict[str, Any], pack: Pack) -> tuple[Answer, Query | None]:
    """What was kept of an answer, and its query. Raises ValueError for a confidence that is none."""
    if not 0 <= float(row.get("confidence") or 0.0) <= 1:  # NaN is none either
        raise ValueError("no confidence")
    text = row.get("query")
    query = parse(str(text), pack) if text else None
    sparql = to_sparql(query, pack).rstrip() if query is not None else None
    return replace(said.restored(row), sparql=sparql), query
