"""One SPARQL endpoint: SELECT over HTTP, with a time, a size and a number of tries, and nothing else.

Certificates are checked, proxies and redirects are not followed: no other host than that of the URL is ever asked.
Everything that comes back is untrusted: see :func:`rows_of`.
"""

from __future__ import annotations

import base64
import http.client
import ipaddress
import json
import os
import re
import ssl
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

from kgask.errors import RemoteError, UsageError
from kgask.pack.labels import clean_label
from kgask.version import __version__

OFFLINE = "KGASK_OFFLINE"  # this variable, set to anything: no endpoint is asked
RESULTS = "application/sparql-results+json"
_TYPES = (RESULTS, "application/json")
_TRANSIENT = (429, 502, 503, 504)
TRIES, FIRST_PAUSE_S, LONGEST_PAUSE_S = 3, 0.5, 10.0
CONNECT_S = 10.0  # to connect, and between two pieces of an answer
_CHUNK = 1 << 16
_SAID = 200  # characters of what an endpoint says of an error
_NO_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\\ud800-\udfff]")  # SPARQL's IRIREF, and what is no Unicode text

Cell = dict[str, str]  # type, value, and perhaps datatype and xml:lang
Row = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take."""

    seconds: float = 60.0
    bytes: int = 64 << 20  # unpacked
    rows: int = 200_000


class _TryAgain(Exception):
    """A failure that may pass; ``pause_s`` is what the endpoint asks for."""

    def __init__(self, said: str, pause_s: float | None = None) -> None:
        super().__init__(said)
        self.pause_s = pause_s


def checked_url(url: str) -> str:
    """The URL, if it can be an endpoint's; :class:`~kgask.errors.UsageError` else."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{clean_label(url, 80)!r} is no URL ({error})") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii() or _NO_IRI.search(url):
        raise UsageError(f"{clean_label(url, 80)!r} is no http(s) URL; for example: https://HOST/sparql")
    if parts.username is not None or parts.password is not None:
        raise UsageError("a URL with a password would be written down; put it into a variable: --credentials NAME")
    if parts.fragment:
        raise UsageError(f"{clean_label(url, 80)!r}: an endpoint's URL has no #")
    return url


class Endpoint:
    """Asks one URL. ``credentials`` is the name of an environment variable that holds USER:PASSWORD or a token.

    ``n_requests`` and ``n_bytes`` count what was asked, tries included, and what came back, unpacked.
    """

    def __init__(self, url: str, limits: Limits | None = None, credentials: str = "") -> None:
        self.url = checked_url(url)
        self.limits = limits or Limits()
        self.n_requests = self.n_bytes = 0
        self._credentials = credentials
        self._parts: SplitResult = urlsplit(url)

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query, at most ``limits.rows + 1``: one more says that there are more.

        Raises :class:`~kgask.errors.RemoteError`, one line, for everything that an endpoint and a network can do.
        """
        if os.environ.get(OFFLINE):
            raise RemoteError(f"{OFFLINE} is set, so {self._name} is not asked")
        for attempt in range(1, TRIES + 1):
            try:
                return rows_of(self._post(query), self.limits.rows + 1, self._name)
            except _TryAgain as error:
                if attempt == TRIES:
                    raise RemoteError(f"{self._name} {error} ({TRIES} tries)") from None
                pause_s = FIRST_PAUSE_S * 2 ** (attempt - 1) if error.pause_s is None else error.pause_s
                time.sleep(min(pause_s, LONGEST_PAUSE_S))
        raise AssertionError("unreachable")

    @property
    def _name(self) -> str:
        return f"{self._parts.scheme}://{self._parts.netloc}"

    def _post(self, query: str) -> bytes:
        self.n_requests += 1
        headers = {
            "Accept": RESULTS,
            "Accept-Encoding": "gzip",
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": f"kgask/{__version__}",
        } | self._authorization()
        target = f"{self._parts.path or '/'}{'?' if self._parts.query else ''}{self._parts.query}"
        with self._connected() as connection:
            connection.request("POST", target, urlencode({"query": query}), headers)
            with connection.getresponse() as response:
                return self._body(response)

    @contextmanager
    def _connected(self) -> Iterator[http.client.HTTPConnection]:
        """A connection that is closed after ``limits.seconds``, whatever the other side does."""
        host, port, wait_s = str(self._parts.hostname), self._parts.port, min(CONNECT_S, self.limits.seconds)
        connection = (
            http.client.HTTPSConnection(host, port, timeout=wait_s, context=ssl.create_default_context())
            if self._parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=wait_s)
        )
        is_over = False

        def stop() -> None:
            nonlocal is_over
            is_over = True
            with suppress(OSError):
                sock.shutdown(2)

        clock = Timer(self.limits.seconds, stop)
        clock.daemon = True
        slow = f"{self._name} did not answer within {self.limits.seconds:g} s; ask for less, or raise --seconds"
        try:
            connection.connect()
            sock = connection.sock  # the connection gives it away where the answer ends with it
            # What is waited for may take as long as the whole answer; connecting may not.
            sock.settimeout(self.limits.seconds)
            clock.start()
            yield connection
        except ssl.SSLCertVerificationError as error:
            raise RemoteError(f"{self._name}: its certificate is not to be trusted ({error.verify_message})") from None
        except TimeoutError:
            raise RemoteError(slow if clock.ident else f"{self._name} cannot be reached (no answer)") from None
        except (RemoteError, http.client.HTTPException, OSError, _TryAgain) as error:
            if is_over:  # what was read until then may look like anything
                raise RemoteError(slow) from None
            if isinstance(error, RemoteError | _TryAgain):
                raise
            reason = getattr(error, "strerror", None) or clean_label(str(error), _SAID) or type(error).__name__
            raise _TryAgain(f"cannot be asked: {reason}") from None
        finally:
            clock.cancel()
            connection.close()
        if is_over:
            raise RemoteError(slow)

    def _authorization(self) -> dict[str, str]:
        if not self._credentials:
            return {}
        secret = os.environ.get(self._credentials, "")
        if not secret:
            raise RemoteError(f"{self._name}: the variable {self._credentials} with its credentials is not set")
        if self._parts.scheme == "http" and not _is_this_machine(str(self._parts.hostname)):
            raise RemoteError(f"{self._name}: credentials are not sent over http; use https")
        if not secret.isascii() or not secret.isprintable():
            raise RemoteError(f"{self._name}: the variable {self._credentials} holds no USER:PASSWORD and no token")
        if ":" in secret:
            return {"Authorization": f"Basic {base64.b64encode(secret.encode()).decode()}"}
        return {"Authorization": f"Bearer {secret}"}

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        status = response.status
        if status in _TRANSIENT:
            asked = response.headers.get("Retry-After", "")
            raise _TryAgain(f"answers {status}", float(asked) if asked.isdecimal() and len(asked) < 6 else None)
        if 300 <= status < 400:
            to = clean_label(response.headers.get("Location", ""), 80)
            raise RemoteError(
                f"{self._name} leads elsewhere ({to}), which is not followed; connect to that if you trust it"
            )
        if status in (401, 403):
            raise RemoteError(f"{self._name} wants credentials ({status}); connect with --credentials NAME")
        if status != 200:
            text = response.read(_CHUNK).decode("utf-8", "replace")
            if response.headers.get_content_type() == "text/html":
                raise RemoteError(f"{self._name} answers {status} with a page of HTML; is the URL that of its SPARQL?")
            raise RemoteError(f"{self._name} answers {status}: {clean_label(text, _SAID) or 'nothing more'}")
        kind = response.headers.get_content_type()
        if kind not in _TYPES:
            raise RemoteError(f"{self._name} answers {clean_label(kind, 60)}, not {RESULTS}; is it a SPARQL endpoint?")
        return self._read(response)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        packing = response.headers.get("Content-Encoding", "identity").lower()
        if packing not in ("identity", "gzip"):
            raise RemoteError(f"{self._name} packs its answer as {clean_label(packing, 30)}, which was not asked for")
        unpack = zlib.decompressobj(31) if packing == "gzip" else None
        parts, size = [], 0
        while data := response.read(_CHUNK):
            try:
                piece = unpack.decompress(data, self.limits.bytes + 1) if unpack is not None else data
            except zlib.error:
                raise RemoteError(f"{self._name}: its gzip stream is damaged") from None
            size += len(piece)
            if size > self.limits.bytes:
                raise RemoteError(f"{self._name} sends more than {self.limits.bytes >> 20} MiB; the rest was not read")
            parts.append(piece)
        if response.length:
            raise http.client.IncompleteRead(b"")
        self.n_bytes += size
        return b"".join(parts)


def rows_of(body: bytes, most: int, name: str) -> list[Row]:
    """The first ``most`` rows of a SPARQL JSON result; RemoteError where it is none.

    What stands in a row is checked: a row with a term that is none is left out. Numbers and labels may be anything.
    """
    try:
        content: Any = json.loads(body)
        bindings = content["results"]["bindings"]
        if not isinstance(bindings, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        start = clean_label(body[:60].decode("utf-8", "replace"))
        raise RemoteError(f"{name} sends no SPARQL result in JSON, or half of one ({start!r}...)") from None
    return [row for row in bindings[:most] if isinstance(row, dict) and all(map(_is_term, row.values()))]


def _is_term(cell: object) -> bool:
    if not isinstance(cell, dict) or not all(isinstance(text, str) for text in cell.values()):
        return False
    kind, value = cell.get("type"), cell.get("value")
    if kind == "uri":
        return is_iri(value or "") and ":" in (value or "")
    return kind in ("literal", "typed-literal", "bnode") and value is not None


def is_iri(text: str) -> bool:
    """Whether a text can stand between < and > in a query."""
    return bool(text) and not _NO_IRI.search(text)


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
