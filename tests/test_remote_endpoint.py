"""What an endpoint may do to us over HTTP: every misbehaviour is one line and exit code 7, soon."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import ssl
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from sparql_server import ASKED, Answer, answering, sends

from kgask.errors import EXIT_REMOTE, RemoteError, UsageError
from kgask.remote import endpoint
from kgask.remote.endpoint import Endpoint, Limits, checked_url

ROW = {"s": {"type": "uri", "value": "http://x.org/1"}, "o": {"type": "literal", "value": "one"}}
GOOD = json.dumps({"head": {"vars": ["s", "o"]}, "results": {"bindings": [ROW]}}).encode()
QUICK = Limits(seconds=2.0, bytes=1 << 20, rows=10)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(endpoint, "LONGEST_PAUSE_S", 0.02)


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", endpoint.RESULTS)
    handler.end_headers()
    handler.wfile.write(b'{"head":{"vars":["s"]},"results":{"bindings":[')
    while True:
        handler.wfile.write(json.dumps(ROW).encode() + b"," * 1000)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", endpoint.RESULTS)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def silent(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(8)


def slow_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(200):
        handler.wfile.write(f"X-{number}: y\r\n".encode())
        time.sleep(0.1)


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", endpoint.RESULTS)
    handler.send_header("Content-Length", str(len(GOOD) + 100))
    handler.end_headers()
    handler.wfile.write(GOOD)
    handler.close_connection = True


def no_http(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\x01\x02 SSH-2.0\r\n\r\n")
    handler.close_connection = True


BOMB = gzip.compress(b" " * (4 << 20))
HOSTILE: dict[str, tuple[Answer, str]] = {
    "endless": (endless, "sends more than 1 MiB"),
    "bomb": (sends(BOMB, Content_Encoding="gzip"), "sends more than 1 MiB"),
    "dripping": (dripping, "did not answer within 2 s"),
    "silent": (silent, "did not answer within 2 s"),
    "slow headers": (slow_headers, "did not answer within 2 s"),
    "cut short": (cut_short, "(3 tries)"),
    "no http": (no_http, "(3 tries)"),
    "html": (sends(b"<html>hello</html>", kind="text/html"), "text/html"),
    "no json": (sends(b"<html>hello</html>"), "sends no SPARQL result in JSON"),
    "half of json": (sends(GOOD[:-9]), "or half of one"),
    "nested": (sends(b"[" * 100_000), "sends no SPARQL result"),
    "another json": (sends(b'{"results": [1, 2]}'), "sends no SPARQL result"),
    "a yes": (sends(b'{"head": {}, "boolean": true}'), "sends no SPARQL result"),
    "damaged gzip": (sends(b"\x1f\x8b\x08garbage", Content_Encoding="gzip"), "gzip stream is damaged"),
    "another packing": (sends(GOOD, Content_Encoding="br"), "which was not asked for"),
    "500": (sends(b"out of \x1b[31mluck\r\n" * 9, status=500, kind="text/plain"), "answers 500: out of [31mluck"),
    "503": (sends(b"", status=503), "answers 503 (3 tries)"),
    "400": (sends(b"MALFORMED QUERY", status=400, kind="text/plain"), "answers 400: MALFORMED QUERY"),
    "404": (sends(b"<html>not here</html>", status=404, kind="text/html"), "answers 404 with a page of HTML"),
    "401": (sends(b"", status=401), "--credentials"),
    "elsewhere": (sends(b"", status=302, Location="http://169.254.169.254/x"), "leads elsewhere"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_misbehaviour_is_one_line_soon(name: str) -> None:
    answer, said = HOSTILE[name]
    began = time.monotonic()
    with answering(answer) as url, pytest.raises(RemoteError) as failure:
        Endpoint(url, QUICK).select(ASKED)
    assert said in str(failure.value) and str(failure.value).isprintable(), str(failure.value)
    assert failure.value.exit_code == EXIT_REMOTE
    assert time.monotonic() - began < 7


def test_nobody_listens() -> None:
    with answering(sends(GOOD)) as url:
        pass
    with pytest.raises(RemoteError, match=r"cannot be asked: .*refused.*3 tries"):
        Endpoint(url, QUICK).select(ASKED)


def test_a_good_answer_packed_or_not() -> None:
    for answer in (sends(GOOD), sends(gzip.compress(GOOD), Content_Encoding="gzip")):
        with answering(answer) as url:
            asked = Endpoint(url, QUICK)
            assert asked.select(ASKED) == [ROW]
            assert (asked.n_requests, asked.n_bytes) == (1, len(GOOD))


def test_what_may_pass_is_tried_again() -> None:
    left = [503, 429]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        sends(GOOD, status=left.pop() if left else 200, Retry_After="9999")(handler)

    with answering(answer) as url:
        asked = Endpoint(url, QUICK)
        assert asked.select(ASKED) == [ROW]
    assert asked.n_requests == 3


def test_rows_beyond_the_limit_are_not_taken_and_terms_that_are_none_are_left_out() -> None:
    terms = [
        {"type": "uri", "value": "http://x.org/a b"},
        {"type": "uri", "value": "http://x.org/> } DELETE"},
        {"type": "uri", "value": "no-iri"},
        {"type": "uri", "value": "http://x.org/\ud800"},
        {"type": "uri"},
        {"type": "what", "value": "x"},
        {"type": "literal", "value": 7},
        "text",
    ]
    bad = [{"s": term} for term in terms]
    for bindings, n_rows in ((bad, 0), ([ROW] * 50, 11)):
        body = json.dumps({"results": {"bindings": bindings}}).encode()
        with answering(sends(body)) as url:
            assert len(Endpoint(url, QUICK).select(ASKED)) == n_rows


@pytest.mark.parametrize(
    "url",
    ["ftp://x.org/", "file:///etc/passwd", "x.org", "http://", "http://a b/", "http://me:secret@x.org/", "http://x:99999/",
     "http://x.org/\r\nHost: y", "http://x.org/#part"],
)  # fmt: skip
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(UsageError) as failure:
        checked_url(url)
    assert "secret" not in str(failure.value)


def test_credentials_are_of_the_environment_and_go_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        heard.append(handler.headers["Authorization"])
        sends(GOOD)(handler)

    with answering(answer) as url:
        with pytest.raises(RemoteError, match="the variable MINE with its credentials is not set"):
            Endpoint(url, QUICK, "MINE").select(ASKED)
        for secret in ("me:open sesame", "token123"):
            monkeypatch.setenv("MINE", secret)
            Endpoint(url, QUICK, "MINE").select(ASKED)
        Endpoint(url, QUICK).select(ASKED)
        monkeypatch.setenv("MINE", "a\r\nHost: y")
        with pytest.raises(RemoteError, match="no USER:PASSWORD"):
            Endpoint(url, QUICK, "MINE").select(ASKED)
    assert heard == ["Basic bWU6b3BlbiBzZXNhbWU=", "Bearer token123", None]
    monkeypatch.setenv("MINE", "token123")
    with pytest.raises(RemoteError, match="not sent over http"):
        Endpoint("http://192.0.2.1/sparql", QUICK, "MINE").select(ASKED)


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with answering(sends(GOOD)) as url:
        assert Endpoint(url, QUICK).select(ASKED) == [ROW]


def test_offline_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(endpoint.OFFLINE, "1")
    with answering(sends(GOOD)) as url, pytest.raises(RemoteError, match="KGASK_OFFLINE is set"):
        Endpoint(url, QUICK).select(ASKED)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_certificates_are_checked(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(make, check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    script = "import sys; from kgask.remote.endpoint import Endpoint; print(len(Endpoint(sys.argv[1]).select('x')))"
    with answering(sends(GOOD), context) as url:
        port = url.split(":")[2].split("/")[0]
        for trusted, host, works in (
            (False, "localhost", False),
            (True, "localhost", True),
            (True, "127.0.0.1", False),
        ):
            environment = os.environ | ({"SSL_CERT_FILE": str(certificate)} if trusted else {})
            done = subprocess.run(
                [sys.executable, "-c", script, f"https://{host}:{port}/sparql"],
                env=environment, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert (done.stdout == "1\n") is works, done.stderr
            assert works or "its certificate is not to be trusted" in done.stderr
