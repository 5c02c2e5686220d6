"""A pack's RDF view in pyoxigraph, in a process of its own, so that a query that takes too long can be stopped."""

from __future__ import annotations

import multiprocessing
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kgask.errors import KgaskError

if TYPE_CHECKING:
    from pyoxigraph import Store

LOADING_SECONDS = 600.0
Rows = list[dict[str, str]]


class UnansweredError(Exception):
    """Why a query has no answer: it takes too long, or it ended the process."""


class Endpoint:
    """Answers SPARQL over the triples of one pack (:mod:`kgask.query.rdf`); loaded with the first query."""

    def __init__(self, pack: Path, seconds: float) -> None:
        """``seconds`` bounds each query."""
        self._pack, self._seconds = pack, seconds
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, sparql: str) -> bool | Rows:
        """What ASK says, else one row a solution: the text of each variable that is bound.

        Raises :class:`UnansweredError`, and :class:`~kgask.errors.KgaskError` for what is no SPARQL and where the pack
        cannot be loaded.
        """
        if self._connection is None:
            self._start()
        assert self._connection is not None
        try:
            self._connection.send(sparql)
            if not self._connection.poll(self._seconds):
                raise UnansweredError(f"takes longer than {self._seconds:g} s")
            found = self._connection.recv()
        except (EOFError, OSError) as error:
            self._stop()
            raise UnansweredError("ended the process that ran it") from error
        except UnansweredError:
            self._stop()  # the next query gets a new process
            raise
        if isinstance(found, str):
            raise KgaskError(f"pyoxigraph: {found}")
        assert isinstance(found, bool | list)
        return found

    def _start(self) -> None:
        fresh = multiprocessing.get_context("spawn")  # a fork would share the threads of the models
        self._connection, theirs = fresh.Pipe()
        self._process = fresh.Process(target=_serve, args=(self._pack, theirs), daemon=True)
        self._process.start()
        theirs.close()
        try:
            loaded = self._connection.poll(LOADING_SECONDS) and self._connection.recv()
        except EOFError:
            loaded = False
        if not loaded:
            self._stop()
            raise KgaskError(f"{self._pack}: its triples could not be loaded into pyoxigraph")

    def _stop(self) -> None:
        if self._connection is not None and self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
        self._connection = self._process = None


def _serve(pack: Path, connection: Connection) -> None:
    """In the child: load the triples, say so, and answer until the other end is gone."""
    store = _loaded(pack)
    connection.send(True)
    while True:
        try:
            sparql = connection.recv()
        except EOFError:
            return
        try:
            connection.send(_answered(store, sparql))
        except (SyntaxError, ValueError) as error:  # no SPARQL, or none that it can run
            connection.send(" ".join(str(error).split()))


def _loaded(pack: Path) -> Store:
    """The view, by way of a file: in memory its text would be as large as the store."""
    from pyoxigraph import RdfFormat, Store

    from kgask.pack.store import Pack
    from kgask.query.rdf import n_triples

    store = Store()
    with tempfile.TemporaryDirectory() as folder, Pack.open(pack) as opened:
        path = Path(folder) / "pack.nt"
        with path.open("wb") as file:
            file.writelines(n_triples(opened))
        store.bulk_load(path=path, format=RdfFormat.N_TRIPLES)
    return store


def _answered(store: Store, sparql: str) -> bool | Rows:
    from pyoxigraph import QueryBoolean, QuerySolutions

    found = store.query(sparql)
    if isinstance(found, QueryBoolean):
        return bool(found)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    return [{name: term.value for name, term in zip(names, row, strict=True) if term is not None} for row in found]
