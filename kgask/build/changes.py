"""What a pack says as lines, how two packs differ, and a pack with lines added and removed.

A patch is such lines behind ``+`` or ``-``, their fields between tabs::

    +  triple       SUBJECT  RELATION  OBJECT  [QUALIFIER  VALUE]...
    -  label        KEY      TEXT
    +  alias        KEY      TEXT
    +  description  KEY      TEXT
    +  relation     KEY      LABEL  ALIAS|ALIAS  DESCRIPTION  INVERSE LABEL
    +  passage      KEY|KEY  TEXT

Literals are written ``"1811"^^date``; a tab, line break or backslash within a field is ``\\t``, ``\\n`` or ``\\\\``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from kgask.build.from_pack import add_sitelinks
from kgask.build.readable import entity_label
from kgask.build.source import MAX_LINE_BYTES, Problems, display, numbered_lines
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError, PackError
from kgask.pack.arrays import distinct
from kgask.pack.literals import literal_key, parse_typed
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal
from kgask.pack.store import Pack

Line = tuple[str, ...]
_BLOCK = 1 << 16
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_SEPARATOR = re.compile(r"(?<!\\)\|")


def lines_of(pack: Pack) -> Iterator[Line]:
    """Everything that a pack says: a builder that is given it (:func:`give`) writes a pack of the same content hash."""
    relations = [text.key for text in pack.relations()]
    for start in range(0, pack.n_triples, _BLOCK):
        ids = np.arange(start, min(start + _BLOCK, pack.n_triples))
        subjects, paths, objects = pack.triples(ids)
        said = pack.statements(ids.tolist())
        spoken = [value for found in said.values() for one in found for _, value in one]
        wanted = distinct(np.concatenate([subjects, objects, np.array(spoken, np.int64)])).tolist()
        keys = dict(zip(wanted, pack.keys(wanted), strict=True))
        rows = zip(ids.tolist(), subjects.tolist(), paths.tolist(), objects.tolist(), strict=True)
        for triple, subject, path, obj in rows:
            for statement in said.get(triple, ((),)):
                pairs = [part for relation, value in statement for part in (relations[relation], keys[value])]
                yield ("triple", keys[subject], relations[path], keys[obj], *pairs)
    yield from _texts_of(pack)


def _texts_of(pack: Pack) -> Iterator[Line]:
    for start in range(0, pack.n_entities - pack.n_literals, _BLOCK):
        ids = range(start, min(start + _BLOCK, pack.n_entities - pack.n_literals))
        keys = pack.keys(ids)
        for key, label, description in zip(keys, pack.labels(ids), pack.descriptions(ids), strict=True):
            if label != entity_label(key):
                yield "label", key, label
            if description:
                yield "description", key, description
        for number, alias in pack.names.aliases_between(ids[0], ids[-1]):
            yield "alias", keys[number - start], alias
    for text in pack.relations():
        aliases = "|".join(alias.replace("|", "\\|") for alias in text.aliases)
        yield "relation", text.key, text.label, aliases, text.description, text.inverse_label
    for passage in pack.passages.every() if pack.passages is not None else ():
        yield "passage", "|".join(key.replace("|", "\\|") for key in pack.keys(passage.entities)), passage.text


def give(builder: PackBuilder, line: Line) -> None:
    """Add what a line says. Raises :class:`BuildError` (and ValueError for a wrong literal)."""
    kind, key, *rest = line
    if kind == "triple" and len(rest) >= 2 and len(rest) % 2 == 0:
        relation, obj, *more = rest
        pairs = [(path, _value(value)) for path, value in zip(more[::2], more[1::2], strict=True)]
        builder.add(key, relation, _value(obj), pairs)
    elif kind == "label" and len(rest) == 1:
        builder.label(key, rest[0])
    elif kind == "alias" and len(rest) == 1:
        builder.alias(key, rest[0])
    elif kind == "description" and len(rest) == 1:
        builder.description(key, rest[0])
    elif kind == "relation" and len(rest) == 4:
        builder.relation(key, rest[0], _parts(rest[1]), rest[2], rest[3])
    elif kind == "passage" and len(rest) == 1:
        builder.passage(_parts(key), rest[0])
    else:
        raise BuildError(f"{kind[:40]!r} with {len(line) - 1} fields; see docs/pack.md on patches")


def _value(text: str) -> Value:
    return parse_typed(text) or text


def _parts(text: str) -> list[str]:
    return [part.replace("\\|", "|") for part in _SEPARATOR.split(text) if part]


def differences(old: Pack, new: Pack) -> tuple[list[Line], list[Line]]:
    """Lines that only the old pack has, and lines that only the new one has, each in order."""
    before, after = set(lines_of(old)), set(lines_of(new))
    return sorted(before - after), sorted(after - before)


def to_patch(removed: Iterable[Line], added: Iterable[Line]) -> Iterator[str]:
    """The lines of a patch."""
    for sign, lines in (("-", removed), ("+", added)):
        for line in lines:
            yield "\t".join((sign, *("".join(_ESCAPES.get(char, char) for char in field) for field in line)))


def read_patch(stream: BinaryIO, name: str, problems: Problems) -> tuple[set[Line], list[Line]]:
    """The lines that a patch removes, and those that it adds; broken ones go to ``problems``."""
    removed: set[Line] = set()
    added: list[Line] = []
    for number, raw in numbered_lines(stream):
        if raw is not None and (not raw.strip() or raw == b"#" or raw.startswith(b"# ")):
            continue
        try:
            sign, *fields = (raw or b"").decode().split("\t")
            line = tuple(re.sub(r"\\(.)", _unescaped, field) for field in fields)
            if raw is None or sign not in ("+", "-") or len(line) < 3:
                raise BuildError("not + or - and a line of a pack, with tabs between"
                                 if raw is not None else f"longer than {MAX_LINE_BYTES} bytes")  # fmt: skip
            give(PackBuilder(), line)  # says what is wrong with it
        except (BuildError, ValueError) as error:
            problems.broken(display(name), number, str(error))
            continue
        if sign == "+":
            added.append(line)
        else:
            removed.add(_normal(line))
    return removed, added


def _unescaped(found: re.Match[str]) -> str:
    return {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}.get(found[1], found[0])


def _normal(line: Line) -> Line:
    """With literals as a pack writes them."""
    if line[0] != "triple":
        return line
    return tuple(literal_key(value) if isinstance(value := _value(field), Literal) else value for field in line)


def patched(pack: Pack, removed: set[Line], added: Iterable[Line]) -> tuple[PackBuilder, int]:
    """A builder with what a pack says, less and more these lines; and how many of ``removed`` it does not say."""
    builder, n_found = PackBuilder(), 0
    add_sitelinks(pack, builder)
    for line in lines_of(pack):
        if line in removed:
            n_found += 1
        else:
            give(builder, line)
    for line in added:
        give(builder, line)
    return builder, len(removed) - n_found


def found_in(pack: Pack, triples: Iterable[tuple[str, str, Value]]) -> tuple[np.ndarray, int]:
    """Which triples of a pack these are (bool [T]), and how many it does not have.

    What they name by a label that one entity has, or by the text of a literal, is found too.
    """
    is_found, n_missing = np.zeros(pack.n_triples, bool), 0
    relations: dict[str, list[int]] = {}
    for number, text in enumerate(pack.relations()):
        for name in {text.key, text.label}:
            relations.setdefault(name, []).append(number)
    for subject, relation, obj in triples:
        row = _row(pack, subject)
        at = row[np.isin(np.asarray(pack.out_relation)[row], relations.get(relation, []))]
        ends = np.asarray(pack.out_object)[at].tolist()
        chosen = [place for place, is_it in zip(at.tolist(), _are(pack, ends, obj), strict=True) if is_it]
        is_found[chosen] = True
        n_missing += not chosen
    return is_found, n_missing


def _row(pack: Pack, name: str) -> np.ndarray:
    """The triples of the entity with this key, or the one that is called so."""
    entity = pack.find_key(name)
    if entity is None:
        called = {hit.entity for hit in pack.exact([normalise(name)]).get(normalise(name), []) if not hit.is_alias}
        if len(called) != 1:
            return np.zeros(0, np.int64)
        (entity,) = called
    return np.arange(pack.out_indptr[entity], pack.out_indptr[entity + 1])


def _are(pack: Pack, ends: Sequence[int], value: Value) -> list[bool]:
    if isinstance(value, Literal):
        return [literal_key(value) == key for key in pack.keys(ends)]
    told = zip(pack.keys(ends), pack.labels(ends), pack.literals(ends), strict=True)
    return [value in (key, label, literal.text if literal else key) for key, label, literal in told]


def within(pack: Pack, seeds: Sequence[int], n_hops: int, relations: Sequence[str], types: Sequence[str]) -> np.ndarray:
    """bool [T]: the triples at most so many hops from the seeds, of these relations, of subjects of these types.

    What is empty does not restrict. A hop does not lead through a literal. Raises :class:`PackError` for a relation or
    type that the pack does not have.
    """
    subjects = np.repeat(np.arange(pack.n_entities), np.diff(pack.out_indptr))
    objects, paths = np.asarray(pack.out_object), np.asarray(pack.out_relation)
    keep = np.isin(paths, relations_called(pack, relations)) if relations else np.ones(pack.n_triples, bool)
    if types:
        leads = np.isin(paths, pack.type_relations)
        of_type = np.isin(objects, [_entity(pack, one) for one in types]) & leads
        if not of_type.any():
            raise PackError(f"nothing in {pack.name} is of type {', '.join(types)}; see 'kgask pack show'")
        keep &= np.isin(subjects, subjects[of_type])
    if len(seeds):
        reached, near = np.zeros(pack.n_entities, bool), np.zeros(pack.n_triples, bool)
        reached[list(seeds)] = True
        is_thing = np.arange(pack.n_entities) < pack.n_entities - pack.n_literals
        for _ in range(n_hops):
            near = keep & (reached[subjects] | (reached & is_thing)[objects])
            reached[subjects[near]] = reached[objects[near]] = True
        keep = near
    return keep


def relations_called(pack: Pack, names: Sequence[str]) -> list[int]:
    """The relations with these keys or labels; PackError for one that is not there."""
    found: list[int] = []
    for name in names:
        said = [at for at, text in enumerate(pack.relations()) if name in (text.key, text.label)]
        if not said:
            raise PackError(f"no relation {name!r} in {pack.name}; 'kgask pack info --relations' lists them")
        found += said
    return found


def _entity(pack: Pack, name: str) -> int:
    entity = pack.find_key(name)
    if entity is not None:
        return entity
    hits = {hit.entity for hit in pack.exact([normalise(name)]).get(normalise(name), [])}
    if len(hits) != 1:
        raise PackError(f"{len(hits) or 'no'} entities are called {name!r} in {pack.name}; give a key")
    return hits.pop()
