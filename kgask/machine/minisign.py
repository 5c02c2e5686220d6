"""Ed25519 signatures of files, in the formats of minisign (https://jedisct1.github.io/minisign/).

Keys and signatures are lines of base64 under a line of comment. A signature is of a file's BLAKE2b-512 ("ED", what
minisign and kgask write) or of the file itself ("Ed", of older programs), and a second one holds it together with its
trusted comment. Secret keys are plain, or hidden by a key stream that scrypt makes of a passphrase.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import mmap
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from kgask.errors import SignatureError, UsageError
from kgask.machine.files import open_regular, write_whole

SIGNATURE_SUFFIX = ".minisig"
_OF_HASH, _OF_FILE = b"ED", b"Ed"
_SCRYPT, _PLAIN, _CHECK = b"Sc", b"\0\0", b"B2"
_SECRET = struct.Struct("<2s2s2s32sQQ104s")  # algorithms; salt, operations, bytes of memory; what the passphrase hides
_OPERATIONS, _MEMORY = 1 << 22, 1 << 27  # N = 2^17, r = 8, p = 1, as OWASP recommends: 128 MiB, half a second
_MOST_MEMORY = (1 << 30) + (1 << 20)  # what minisign's own keys need, and no more for any other
_MAX_TEXT = 1 << 16
_MAX_COMMENT = 1024
_TRUSTED, _UNTRUSTED = "trusted comment: ", "untrusted comment: "


@dataclass(frozen=True, slots=True)
class PublicKey:
    """``number`` (8 bytes) tells keys apart, ``key`` (32 bytes) checks."""

    number: bytes
    key: bytes

    @property
    def text(self) -> str:
        """The line that others need to check signatures."""
        return base64.b64encode(_OF_FILE + self.number + self.key).decode()

    @property
    def name(self) -> str:
        """The number as minisign writes it."""
        return f"{int.from_bytes(self.number, 'little'):016X}"


@dataclass(frozen=True, slots=True, repr=False)
class SecretKey:
    """``seed`` (32 bytes) signs."""

    public: PublicKey
    seed: bytes


def new_hash() -> Any:
    """What a file is fed to before its signature is made or checked."""
    return hashlib.blake2b()


def make_keys(secret: Path, public: Path, passphrase: str) -> PublicKey:
    """Write a new pair of keys, the secret one readable to its owner only, plain for an empty ``passphrase``.

    Raises :class:`UsageError` when one of the files is there.
    """
    for path in (secret, public):
        if os.path.lexists(path):
            raise UsageError(f"{path}: exists; a key is never replaced, so choose another name")
    seed, number = os.urandom(32), os.urandom(8)
    key = PublicKey(number, _public_of(seed))
    kind, salt = (_SCRYPT, os.urandom(32)) if passphrase else (_PLAIN, bytes(32))
    hidden = number + seed + key.key
    hidden += hashlib.blake2b(_OF_FILE + hidden, digest_size=32).digest()
    cost = (_OPERATIONS, _MEMORY) if passphrase else (0, 0)
    hidden = _hidden(hidden, passphrase, salt, *cost) if passphrase else hidden
    packed = _SECRET.pack(_OF_FILE, kind, _CHECK, salt, *cost, hidden)
    text = f"{_UNTRUSTED}minisign secret key {key.name}\n{base64.b64encode(packed).decode()}\n"
    with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(text)
    write_whole(public, f"{_UNTRUSTED}minisign public key {key.name}\n{key.text}\n", replace=False)
    return key


def read_public(text_or_path: str) -> PublicKey:
    """A public key, as its line of base64 or in a file. Raises :class:`SignatureError`."""
    path = Path(text_or_path)
    lines = _lines(path, 1) if os.path.lexists(path) else [text_or_path]
    data = _decoded(lines[-1])
    if len(data) != 42 or data[:2] != _OF_FILE:
        raise SignatureError(
            f"{text_or_path!r} is no public key: neither a file of minisign's nor a line that begins RW"
        )
    return PublicKey(data[2:10], data[10:])


def read_secret(path: Path, passphrase: Callable[[], str]) -> SecretKey:
    """A secret key; ``passphrase`` is called for one that is hidden. Raises :class:`SignatureError`."""
    try:
        algorithm, kind, check, salt, operations, memory, hidden = _SECRET.unpack(_decoded(_lines(path, 1)[-1]))
    except struct.error:
        algorithm, kind, check = b"", b"", b""
    if algorithm != _OF_FILE or kind not in (_SCRYPT, _PLAIN) or check != _CHECK:
        raise SignatureError(f"{path}: no secret key; 'kgask pack keygen' or 'minisign -G' makes one")
    if kind == _SCRYPT:
        if memory > _MOST_MEMORY or operations > memory:
            raise SignatureError(f"{path}: to open this key takes more memory than minisign asks for")
        hidden = _hidden(hidden, passphrase(), salt, operations, memory)
    number, seed, public = hidden[:8], hidden[8:40], hidden[40:72]
    if _public_of(seed) != public:  # minisign leaves the checksum of a plain key out
        raise SignatureError(f"{path}: {'the passphrase is wrong' if kind == _SCRYPT else 'the key is damaged'}")
    return SecretKey(PublicKey(number, public), seed)


def signature_text(secret: SecretKey, digest: bytes, comment: str) -> str:
    """What stands in a signature file: of a :func:`new_hash` digest, with a comment that is signed too."""
    comment = "".join(char if char.isprintable() else " " for char in comment).strip()[:_MAX_COMMENT]
    private = _ed25519().Ed25519PrivateKey.from_private_bytes(secret.seed)
    signed = private.sign(digest)
    both = private.sign(signed + comment.encode())
    first = base64.b64encode(_OF_HASH + secret.public.number + signed).decode()
    head = f"{_UNTRUSTED}signature from kgask's secret key {secret.public.name}"
    return f"{head}\n{first}\n{_TRUSTED}{comment}\n{base64.b64encode(both).decode()}\n"


def verify(public: PublicKey, signature: Path, file: BinaryIO) -> tuple[str, bytes]:
    """The trusted comment and the :func:`new_hash` digest of ``file`` (a regular one, read from its start).

    Raises :class:`SignatureError` when the signature is missing, of another key, or does not hold.
    """
    first, comment, second = _lines(signature, 3)
    kind, number, signed = (data := _decoded(first))[:2], data[2:10], data[10:]
    if len(signed) != 64 or kind not in (_OF_HASH, _OF_FILE) or not comment.startswith(_TRUSTED):
        raise SignatureError(f"{signature}: not a signature of minisign")
    if number != public.number:
        other = PublicKey(number, b"").name
        raise SignatureError(f"{signature}: made with key {other}, not with {public.name}, so nothing was read")
    comment = comment.removeprefix(_TRUSTED)
    file.seek(0)
    digest = new_hash()
    while data := file.read(1 << 20):
        digest.update(data)
    key = _ed25519().Ed25519PublicKey.from_public_bytes(public.key)
    try:
        if kind == _OF_HASH:
            key.verify(signed, digest.digest())
        else:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                key.verify(signed, mapped)
        key.verify(_decoded(second), signed + comment.encode())
    except (_invalid(), ValueError):
        raise SignatureError(f"{signature}: the signature does not hold, so nothing was read") from None
    return comment, digest.digest()


def _public_of(seed: bytes) -> bytes:
    return bytes(_ed25519().Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())


def _hidden(data: bytes, passphrase: str, salt: bytes, operations: int, memory: int) -> bytes:
    """``data`` (104 bytes) under, or from under, the key stream of a passphrase."""
    n, p = _scrypt_cost(operations, memory)
    most = 128 * 8 * (n + p + 2)
    stream = hashlib.scrypt(passphrase.encode(), salt=salt, n=n, r=8, p=p, maxmem=most, dklen=len(data))
    return bytes(one ^ other for one, other in zip(data, stream, strict=True))


def _scrypt_cost(operations: int, memory: int) -> tuple[int, int]:
    """scrypt's N and p for r = 8, of libsodium's limits (pickparams of crypto_pwhash_scryptsalsa208sha256)."""
    operations = max(operations, 1 << 15)
    is_bound_by_time = operations < memory // 32
    most = operations // 32 if is_bound_by_time else memory // 1024
    log = next(log for log in range(1, 64) if 1 << log > most // 2)
    return 1 << log, 1 if is_bound_by_time else max(1, (operations // 4 >> log) // 8)


def _lines(path: Path, n: int) -> list[str]:
    """The ``n`` lines under the first, which is a comment."""
    try:
        with open_regular(path) as file:
            text = file.read(_MAX_TEXT).decode()
    except OSError as error:
        raise SignatureError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        text = ""
    lines = text.split("\n")
    if len(lines) <= n or not lines[0].startswith(_UNTRUSTED):
        raise SignatureError(f"{path}: neither a key nor a signature of minisign")
    return [line.removesuffix("\r") for line in lines[1 : n + 1]]


def _decoded(line: str) -> bytes:
    try:
        return base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise UsageError("signatures need one more package: pip install 'kgask[sign]'") from None
    return ed25519


def _invalid() -> type[Exception]:
    from cryptography.exceptions import InvalidSignature

    return InvalidSignature
