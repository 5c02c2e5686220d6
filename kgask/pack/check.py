"""Whether a pack is whole: what opening is too quick to look at.

Every problem is one line of text, so that all of them can be told at once.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import numpy as np

from kgask.config import PACK_MANIFEST
from kgask.errors import PackDamage, PackError
from kgask.pack import schema
from kgask.pack.arrays import distinct
from kgask.pack.blocks import BLOCKS_FILE, block_sums
from kgask.pack.check_index import every_name, names_index_problems, passages_problems
from kgask.pack.content import content_hash, relation_hash
from kgask.pack.csr import POINTERS, build_csr
from kgask.pack.header import ARRAYS, arrays_of, bound_of, is_as_written
from kgask.pack.literals import literal_key, literal_label, parse_literal, parse_typed
from kgask.pack.normalise import normalise
from kgask.pack.qualifiers import QUALIFIER_ARRAYS, Qualifiers, build_qualifiers
from kgask.pack.quantities import AXES_COUNT, LiteralValues
from kgask.pack.records import Literal
from kgask.pack.relation_kinds import relation_kinds
from kgask.pack.store import Pack
from kgask.pack.types import type_table

_CHUNK = 1 << 16
_ELSEWHERE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM)


def check_pack(path: str | Path) -> list[str]:
    """All problems of a pack folder; an empty list means that it is whole.

    Checks the hash of every file and of the manifest, the bounds and order of
    every array, that both directions hold the same triples, that names.sqlite
    is sound and agrees with the counts, and the content hashes. Raises PackError where it cannot be read for a reason
    that is not in it.
    """
    folder = Path(path)
    try:
        pack = Pack.open(folder, connected=True)
    except PackError as error:
        if _is_no_fault_of(error):
            raise
        return [str(error)]
    with pack:
        problems = list(_file_problems(pack))
        try:
            problems += _array_problems(pack)
            problems += _value_problems(pack)
            problems += _names_problems(pack)
            if pack.passages is not None:
                problems += passages_problems(pack.passages, pack.n_entities)
            problems += [] if problems else _type_problems(pack)
            # The hashes of broken content would only repeat that it is broken.
            problems += [] if problems else _content_problems(pack)
        except PackDamage as error:  # which the hash of the file says already, and more plainly
            problems += [] if problems else [str(error)]
        except PackError as error:
            problems.append(str(error))
    return problems


def _is_no_fault_of(error: PackError) -> bool:
    """Whether a pack could not be read for a reason that is not in it: too many open files, rights, memory."""
    cause = error.__cause__
    return isinstance(cause, apsw.CantOpenError) or (isinstance(cause, OSError) and cause.errno in _ELSEWHERE)


def _file_problems(pack: Pack) -> Iterator[str]:
    if not is_as_written(pack.manifest, (pack.path / PACK_MANIFEST).read_bytes()):
        yield f"{PACK_MANIFEST}: changed since it was written (it has no SHA-256 of its own)"
    files, are_whole = pack.manifest["files"], True
    for name, entry in files.items():
        with (pack.path / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry["sha256"]:
                are_whole = False
                yield f"{name}: SHA-256 differs from the manifest's"
    if BLOCKS_FILE in files and are_whole and block_sums(pack.path, files) != (pack.path / BLOCKS_FILE).read_bytes():
        yield f"{BLOCKS_FILE}: not the checksums of the other files"
    for path in sorted(pack.path.iterdir()):
        if path.name not in pack.manifest["files"] and path.name != PACK_MANIFEST:
            yield f"{path.name}: not in the manifest"


def _array_problems(pack: Pack) -> list[str]:
    """Row pointers that go back and ids that are not there; else rows that are not in order."""
    problems, counts = [], pack.manifest["counts"]
    for name in arrays_of(counts):
        values, bound = getattr(pack, name), bound_of(name, counts)
        if name in POINTERS:
            # Every statement has a qualifier, not every entity a triple.
            least = 1 if name in QUALIFIER_ARRAYS else 0
            if values[0] != 0 or values[-1] != bound or (np.diff(values) < least).any():
                problems.append(f"{name}.npy: rows do not follow one another from 0 to {bound}")
        elif len(values) and (values.min() < 0 or values.max() >= bound):
            problems.append(f"{name}.npy: an id outside 0..{bound - 1}")
    return problems or [*_order_problems(pack), *_statement_problems(pack)]


def _order_problems(pack: Pack) -> Iterator[str]:
    """Sort the triples of each direction again: the same arrays must come out."""
    rows, sizes = np.arange(pack.n_entities), (pack.n_entities, pack.n_relations)
    subjects, objects = np.repeat(rows, np.diff(pack.out_indptr)), np.repeat(rows, np.diff(pack.in_indptr))
    forward = build_csr(subjects, pack.out_relation, pack.out_object, *sizes)
    backward = build_csr(pack.in_subject, pack.in_relation, objects, *sizes)
    unsorted = _differing(pack, forward, ARRAYS[:3]) + _differing(pack, backward, ARRAYS[3:])
    if unsorted:
        yield f"{', '.join(unsorted)}: rows are not sorted or hold a triple twice"
    elif _differing(pack, forward, ARRAYS):
        yield "out_*.npy and in_*.npy do not hold the same triples"


def _statement_problems(pack: Pack) -> Iterator[str]:
    """The statements are made again: the same arrays must come out."""
    if not pack.n_statements:
        return
    lengths, sizes = np.diff(pack.qualifier_indptr), (pack.n_triples, pack.n_entities, pack.n_relations)
    built = build_qualifiers(pack.statement_triple, lengths, pack.qualifier_relation, pack.qualifier_value, *sizes)
    unsorted = _differing(pack, built, QUALIFIER_ARRAYS)
    if unsorted:
        yield f"{', '.join(unsorted)}: statements are not sorted or one is there twice"
    if not np.array_equal(pack.path_relations, distinct(pack.out_relation)):
        yield f"{PACK_MANIFEST}: the relations of qualifiers alone are not those that no triple has"


def _differing(pack: Pack, built: Qualifiers, names: Sequence[str]) -> list[str]:
    return [f"{name}.npy" for name in names if not np.array_equal(getattr(built, name), getattr(pack, name))]


def _type_problems(pack: Pack) -> list[str]:
    """The type graph, and what is learned of relations, is what the triples say; older packs have none."""
    leads, problems = pack.type_relations, []
    if pack.types is not None and not np.array_equal(pack.types, type_table(pack, leads, pack.n_relations)):
        problems.append("types.npy: not what the triples say of types")
    if not np.array_equal(pack.relation_kinds, relation_kinds(pack, leads, pack.n_relations)):
        problems.append("relation_kinds.npy: not what the triples say of relations")
    return problems


def _value_problems(pack: Pack) -> list[str]:
    """What literals are compared by is made again from them; older packs store none."""
    values = pack.literal_values  # opening them looks at every bound
    if AXES_COUNT not in pack.manifest["counts"]:
        return []
    for start in range(0, pack.n_literals, _CHUNK):
        stored = slice(start, start + _CHUNK)
        ids = range(pack.n_entities)[pack.n_entities - pack.n_literals :][stored]
        try:
            made = LiteralValues.of(pack.literals(ids))
        except ValueError:  # a text that is no date or number
            return ["names.sqlite: not what the literals' values say"]
        places = [values.axes.index(axis) if axis in values.axes else len(values.axes) for axis in made.axes]
        axis = np.array([*places, -1])[made.axis]  # where there is none, it is -1
        pairs = ((made.low, values.low), (made.high, values.high), (axis, values.axis))
        if not all(np.array_equal(one, other[stored], equal_nan=True) for one, other in pairs):
            return ["literal_*.npy: not what the literals say"]
    return []


def _names_problems(pack: Pack) -> list[str]:
    names, counts = pack.names, pack.manifest["counts"]
    verdict = names.query("PRAGMA integrity_check(1)")[0][0]
    if verdict != "ok":
        return [f"names.sqlite: {verdict}"]
    problems = list(names.problems(counts))
    if len(names.relations()) != counts["relations"]:
        problems.append(
            f"names.sqlite: relations has {len(names.relations())} rows; {counts['relations']} are expected"
        )
    return problems or [
        *_lookup_problems(pack),
        *names_index_problems(names),
        *_key_problems(pack),
        *_literal_problems(pack),
    ]


def _lookup_problems(pack: Pack) -> list[str]:
    """The look-up table holds exactly the hashes of all names."""
    names, found = pack.names, pack.names.looked_up()
    expected = {(names.code(normalise(text)), ref) for ref, texts in every_name(names) for text in texts}
    if set(found) == expected and len(found) == pack.manifest["counts"]["names"]:
        return []
    return [f"names.sqlite: the look-up table has {len(found)} names, and not those of the labels and aliases"]


def _key_problems(pack: Pack) -> Iterator[str]:
    """Keys stand in order (find_key bisects) and none is there twice."""
    last = None
    for start in range(0, pack.names.first_literal, _CHUNK):
        for key in pack.keys(range(start, min(start + _CHUNK, pack.names.first_literal))):
            order = schema.key_order(key)
            if last is not None and order <= last:
                yield f"names.sqlite: key {key!r} is out of order"
                return
            last = order


def _literal_problems(pack: Pack) -> Iterator[str]:
    ids = range(pack.names.first_literal, pack.n_entities)
    for number, literal, label in zip(ids, pack.literals(ids), pack.labels(ids), strict=True):
        if literal is None or not _is_sound(literal, label):
            yield f"names.sqlite: literal {number} ({label[:60]!r}) is not what its text says"
            return


def _is_sound(literal: Literal, label: str) -> bool:
    try:
        parsed = parse_literal(literal.kind, literal.text, literal.unit)
        return parsed == literal == parse_typed(literal_key(literal)) and literal_label(literal) == label
    except ValueError:
        return False


def _content_problems(pack: Pack) -> Iterator[str]:
    if relation_hash(pack.relations()) != pack.relation_hash:
        yield f"{PACK_MANIFEST}: the hash of the relation vocabulary does not hold"
    if content_hash(pack.names, pack) != pack.content_hash:
        yield f"{PACK_MANIFEST}: the content hash does not hold"
