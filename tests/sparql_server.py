"""A real SPARQL server (oxigraph) over HTTP on loopback, in a process of its own; and servers that answer anyhow."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from kgask.pack.store import Pack
from kgask.query.rdf import n_triples

Answer = Callable[[BaseHTTPRequestHandler], None]
ASKED = "SELECT * { ?s ?p ?o } LIMIT 1"


def program() -> str:
    """The server of the package ``oxigraph``; skips where it is not installed."""
    beside = Path(sys.executable).with_name("oxigraph")
    found = str(beside) if beside.exists() else shutil.which("oxigraph")
    if found is None:
        pytest.skip("the SPARQL server is not installed: pip install oxigraph")
    return found


@contextmanager
def served(data: Path, folder: Path) -> Iterator[str]:
    """The URL of an endpoint that has the triples of a file (.nt or .ttl)."""
    log = folder / "oxigraph.log"
    with log.open("wb") as said:
        load = [program(), "load", "--location", str(folder / "db"), "--file", str(data)]
        subprocess.run(load, check=True, stdout=said, stderr=said, timeout=60)
        for _ in range(5):  # the port may be taken before the server has it
            port = _free_port()
            serve = [program(), "serve-read-only", "--location", str(folder / "db"), "--bind", f"127.0.0.1:{port}"]
            process = subprocess.Popen(serve, stdout=said, stderr=said)
            try:
                if _listens(process, port):
                    yield f"http://127.0.0.1:{port}/query"
                    return
            finally:
                process.terminate()
                process.wait(30)
    raise AssertionError(log.read_text())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.02)
    return False


def as_rdf(pack: Path, target: Path) -> Path:
    """A pack's RDF view as a file."""
    with Pack.open(pack) as opened:
        target.write_bytes(b"".join(n_triples(opened)))
    return target


@contextmanager
def answering(answer: Answer, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The URL of a server that answers every POST by a function; its requests are read whole before."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that has enough goes away

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/sparql"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def sends(body: bytes, status: int = 200, kind: str = "application/sparql-results+json", **headers: str) -> Answer:
    """An answer with a body and headers (``Content_Encoding`` becomes Content-Encoding)."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer
