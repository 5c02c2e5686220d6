"""pack.json: what a pack folder must hold, and whether the files on disk are that.

Opening compares magic, version, the manifest's own hash, sizes, shapes and dtypes (milliseconds); blocks of files are
compared with their checksums as they are read (:mod:`kgask.pack.blocks`), whole files by ``kgask pack check``
(:mod:`kgask.pack.check`).
"""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import numpy as np

from kgask.config import PACK_MANIFEST
from kgask.errors import PackDamage, PackError
from kgask.machine.files import NO_FILE, open_regular
from kgask.pack.blocks import Bound, checked_array, damage, read_npy
from kgask.pack.qualifiers import QUALIFIER_ARRAYS, QUALIFIERS_COUNT, STATEMENTS_COUNT
from kgask.pack.quantities import AXES_COUNT, VALUE_ARRAYS
from kgask.pack.relation_kinds import KINDS_ARRAY
from kgask.pack.types import TYPES_ARRAY, TYPES_COUNT

MAGIC = "kgask-pack"
FORMAT_MAJOR, FORMAT_MINOR = 2, 0  # what is written
_OLDEST = 1  # what is read
NAMES_FILE = "names.sqlite"
ENDPOINT = "endpoint"  # in the manifest of a graph elsewhere: where it is (kgask.remote)
DEGREES = ("endpoint_out", "endpoint_in")  # triples of each entity there, in either direction
SITELINKS = "sitelinks"  # sitelinks.npy, int32 [N]: pages about each entity, as Wikidata counts them; not in every pack
CHANGE = "change"  # what made this version of an earlier one: command and time
ARRAYS = ("out_indptr", "out_relation", "out_object", "in_indptr", "in_relation", "in_subject")
# Each array's rows, and what its ids are below or its row pointers lead up to: counts of the manifest.
_SIZES = {
    "out_indptr": ("entities", "triples"),
    "out_relation": ("triples", "relations"),
    "out_object": ("triples", "entities"),
    "in_indptr": ("entities", "triples"),
    "in_relation": ("triples", "relations"),
    "in_subject": ("triples", "entities"),
    "statement_triple": (STATEMENTS_COUNT, "triples"),
    "qualifier_indptr": (STATEMENTS_COUNT, QUALIFIERS_COUNT),
    "qualifier_relation": (QUALIFIERS_COUNT, "relations"),
    "qualifier_value": (QUALIFIERS_COUNT, "entities"),
    TYPES_ARRAY: (TYPES_COUNT, "entities"),
    KINDS_ARRAY: ("relations", "relations"),
    **dict.fromkeys(VALUE_ARRAYS, ("literals", "entities")),
    **dict.fromkeys((*DEGREES, SITELINKS), ("entities", "entities")),
}
_NEEDED_COUNTS = ("entities", "literals", "relations", "triples", "names")
_OPTIONAL_COUNTS = (TYPES_COUNT, STATEMENTS_COUNT, QUALIFIERS_COUNT, AXES_COUNT)
_FLOATS = frozenset(VALUE_ARRAYS[:2])
ONLY_QUALIFIERS = "qualifier_only_relations"  # ids, ascending; not there where every relation has triples
MANIFEST_HASH = "manifest_sha256"
MAX_MANIFEST_BYTES = 1 << 20

Manifest = dict[str, Any]


def dump_manifest(manifest: Manifest) -> bytes:
    """The exact bytes of pack.json, its own hash included."""
    body = {key: value for key, value in manifest.items() if key != MANIFEST_HASH}
    text = json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True)
    body[MANIFEST_HASH] = hashlib.sha256(text.encode()).hexdigest()
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def is_as_written(manifest: Manifest, data: bytes) -> bool:
    """Whether these bytes of pack.json are those that were written, by its own hash."""
    try:
        return data == dump_manifest(manifest)
    except (ValueError, RecursionError):  # text that is not Unicode, nesting without end
        return False


def read_manifest(folder: Path) -> Manifest:
    """Read and check pack.json: magic, version and the fields that opening needs.

    Raises :class:`PackError` when there is none, it is broken, or this version
    of kgask does not read its format.
    """
    path = folder / PACK_MANIFEST
    try:
        with open_regular(path) as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except FileNotFoundError:
        raise PackError(f"{folder}: no KG pack here ({PACK_MANIFEST} is missing)") from None
    except NotADirectoryError:
        unpacks = f"; 'kgask pack import {folder}' unpacks one" if folder.suffix == ".kgpack" else ""
        raise PackError(f"{folder}: a KG pack is a folder with a {PACK_MANIFEST} in it{unpacks}") from None
    except OSError as error:
        raise PackError(f"{path}: {error.strerror}") from error
    return parse_manifest(path, data)


def parse_manifest(path: Path, data: bytes) -> Manifest:
    """The checked content of a pack.json; ``path`` is its name in messages."""
    try:
        manifest = json.loads(data) if len(data) <= MAX_MANIFEST_BYTES else None
    except (ValueError, RecursionError):
        raise PackError(f"{path}: not a pack manifest (broken JSON)") from None
    if not isinstance(manifest, dict) or manifest.get("magic") != MAGIC:
        raise PackError(f"{path}: not a pack manifest (no magic {MAGIC!r})")
    _check_version(path, manifest)
    if MANIFEST_HASH in manifest and not is_as_written(manifest, data):
        raise damage(path, "its own SHA-256 does not hold")
    _check_fields(path, manifest)
    return manifest


def _check_version(path: Path, manifest: Manifest) -> None:
    major = _dict(manifest.get("format")).get("major")
    if not isinstance(major, int):
        raise PackError(f"{path}: no format version")
    if not _OLDEST <= major <= FORMAT_MAJOR:
        age = "newer" if major > FORMAT_MAJOR else "older"
        raise PackError(
            f"{path}: pack format {major} is {age} than this kgask reads ({FORMAT_MAJOR}); rebuild it with "
            f"'kgask pack build SOURCE... -o {path.parent} --force', or use the kgask that wrote it"
        )


def _check_fields(path: Path, manifest: Manifest) -> None:
    counts, files = _dict(manifest.get("counts")), _dict(manifest.get("files"))
    needed = {*_NEEDED_COUNTS, *(one for name in arrays_of(counts) for one in _SIZES[name])}
    counted = [*map(counts.get, needed), *(counts.get(name, 0) for name in _OPTIONAL_COUNTS)]
    if not all(map(_is_count, counted)) or counts["literals"] > counts["entities"]:
        raise PackError(f"{path}: counts are missing or wrong")
    # A later minor version may add files, but none outside the folder.
    names = {*(f"{name}.npy" for name in arrays_of(counts)), NAMES_FILE, *files}
    are_plain = all(name.isprintable() and Path(name).name == name not in ("", "..") for name in names)
    if not are_plain or not all(_is_file_entry(files.get(name)) for name in names):
        raise PackError(f"{path}: the list of files is missing or wrong")
    if not all(map(_is_text, map(manifest.get, ("content_sha256", "relations_sha256")))):
        raise PackError(f"{path}: content hashes are missing")
    only_said = manifest.get(ONLY_QUALIFIERS, [])
    if not isinstance(only_said, list) or not all(_is_count(one) and one < counts["relations"] for one in only_said):
        raise PackError(f"{path}: {ONLY_QUALIFIERS} is wrong")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40


def _is_file_entry(entry: object) -> bool:
    return _is_count(_dict(entry).get("bytes")) and _is_text(_dict(entry).get("sha256"))


def arrays_of(counts: dict[str, int]) -> tuple[str, ...]:
    """The arrays that every opened pack of these counts has: triples, and statements where there are any."""
    return ARRAYS + (QUALIFIER_ARRAYS if STATEMENTS_COUNT in counts else ())


def axes_of(path: Path, manifest: Manifest) -> tuple[str, ...]:
    """The axes of the pack's literals; PackError when they are not those that were counted."""
    axes = manifest.get("axes")
    if not isinstance(axes, list) or len(axes) != manifest["counts"][AXES_COUNT] or not all(_is_text(x) for x in axes):
        raise PackError(f"{path / PACK_MANIFEST}: the axes of literals are missing or wrong")
    return tuple(axes)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def array_shape(name: str, counts: dict[str, int]) -> tuple[int, ...]:
    """One dimension, and two columns for the type graph; a row pointer ends where the last row ends."""
    rows = counts.get(_SIZES[name][0], 0) * (1 + (name == KINDS_ARRAY)) + name.endswith("indptr")
    return (rows, 2) if name == TYPES_ARRAY else (rows,)


def bound_of(name: str, counts: dict[str, int]) -> int:
    """What the ids of an array are below, or where its row pointers end."""
    return counts[_SIZES[name][1]]


def check_sizes(folder: Path, manifest: Manifest) -> None:
    """Every listed file is there with the listed size; :class:`PackError` otherwise."""
    for name, entry in manifest["files"].items():
        path = folder / name
        try:
            found = path.stat()
        except OSError as error:
            raise PackError(f"{path}: {error.strerror}; the pack is incomplete") from error
        if not stat.S_ISREG(found.st_mode):
            raise PackError(f"{path}: {NO_FILE}; the pack is broken")
        if (size := found.st_size) != entry["bytes"]:
            raise PackDamage(f"{path}: {size} bytes, {entry['bytes']} expected; run: kgask pack check {folder}")


def open_array(folder: Path, name: str, manifest: Manifest, sums: np.ndarray | None = None) -> np.ndarray:
    """Map one array read-only; its dtype (signed integer; float for bounds) and shape must be the manifest's.

    As its blocks are read they are compared with their checksums ``sums``, where there are any, and its ids and row
    pointers with the counts (:mod:`kgask.pack.blocks`).
    """
    path = folder / f"{name}.npy"
    try:
        raw, array, start = read_npy(path)
    except OSError as error:
        raise PackError(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # numpy reads the header with Python's tokenizer: damage raises almost anything
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PackDamage(f"{path}: not a readable array ({reason}); run: kgask pack check {folder}") from error
    entry = manifest["files"][f"{name}.npy"]
    if not _is_text(entry.get("dtype")):
        raise PackError(f"{folder / PACK_MANIFEST}: the dtype of {path.name} is missing")
    shape = array_shape(name, manifest["counts"])
    if (
        array.shape != shape
        or array.dtype.kind != ("f" if name in _FLOATS else "i")
        or array.dtype.str != entry.get("dtype")
    ):
        raise PackDamage(f"{path}: {array.dtype} {array.shape}, {entry.get('dtype')} {shape} expected")
    return checked_array(path, raw, array, start, sums, _bound_within(name, manifest["counts"]))


def _bound_within(name: str, counts: dict[str, int]) -> Bound | None:
    """What the values of an array of rows may be; None for the others, which are read whole and looked at then."""
    if name not in (*ARRAYS, *QUALIFIER_ARRAYS):
        return None
    is_pointer = name.endswith("indptr")
    return Bound(bound_of(name, counts) - (not is_pointer), is_pointer)
