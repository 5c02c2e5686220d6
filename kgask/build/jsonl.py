"""JSON Lines: a triple, a thing, or a node or edge as Neo4j's APOC writes them, on each line, or in a list.

::

    {"subject": "Emma", "relation": "author", "object": "Jane Austen", "qualifiers": {"point in time": "1815"}}
    {"name": "Ann", "born": 1964, "city": "Bonn"}
    {"type": "node", "id": "0", "labels": ["Person"], "properties": {"name": "Ann", "born": 1964}}
    {"type": "relationship", "label": "KNOWS", "start": {"id": "0"}, "end": {"id": "1"}, "properties": {"since": 1993}}

An object that holds several things, in place of the lines, is a document (:mod:`kgask.build.json_document`).
What stands for a triple's parts may be called otherwise (``CALLED`` there), and be an object with an id and a label.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from math import isfinite
from pathlib import PurePath
from typing import Any, BinaryIO, NoReturn

from kgask.build.json_document import CALLED, IDS, called_part, has_part, own_of, parts_of
from kgask.build.json_within import (
    LABELS,
    MOST_DEPTH,
    NOTHING,
    Outer,
    Place,
    Within,
    codes_of,
    is_id,
    kind_of,
    mark,
    measured,
    name_of,
    own_within,
    telling,
    ungrouped,
)
from kgask.build.plain_values import bare_value
from kgask.build.property_graph import TYPE, PropertyGraph
from kgask.build.source import MAX_LINE_BYTES, STDIN, Problems, display, numbered_lines
from kgask.build.tables import GLUED, NAMED_BY, names_of, readable, space_of, type_of
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

MOST_LISTED = 64 << 20  # bytes of a list of objects
MOST_MARK = 24  # characters of an id that is a name
MOST_SAID = 100_000  # qualifiers of a line, for each of its objects
_QUALIFIERS = ("qualifiers", "properties", "attributes")


def read_jsonl(stream: BinaryIO, name: str, builder: PackBuilder, problems: Problems, recognise: bool = False) -> None:
    """Add what every line says, or every object of a list.

    ``recognise``: things are of the kind that the file is called by, if that is a plural.
    """
    kind = type_of(PurePath(name).name.split(".")[0]) if recognise and name != STDIN else ""
    source, reader = display(name), _Reader(builder, space_of(name), kind, recognise)
    start = stream.peek(1 << 10) if isinstance(stream, io.BufferedReader) else b""
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        every = _listed(stream, source)
        reader.within = Within.of(every)
        reader.look_at(every)
        for number, said in enumerate(every, start=1):
            try:
                reader.take(_object(said))
            except BuildError as error:
                problems.broken(f"{source}, object {number}", None, str(error))
        return
    reader.look_at(known := _first_lines(start), are_all=False)
    reader.within = replace(Within.of(known), names=frozenset())  # which all of them would tell
    lines = numbered_lines(stream)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        first = stream.readline(MOST_LISTED + 1)
        if (document := _document(first, stream, PurePath(name))) is not None:
            _read_document(document, source, reader, problems)
            return
        lines = chain([(1, first.rstrip(b"\r\n"))], ((number + 1, line) for number, line in lines))
    for number, line in lines:
        if line is None:
            problems.broken(source, number, f"line longer than {MAX_LINE_BYTES} bytes")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            continue
        try:
            reader.take(parsed(line))
        except BuildError as error:
            problems.broken(source, number, str(error))


def _first_lines(start: bytes) -> list[dict[str, Any]]:
    """What the first lines say, as many as are at hand."""
    known = []
    for line in start.splitlines():  # the last one may be cut off
        with suppress(BuildError):
            known.append(parsed(line))
    return known


def _document(first: bytes, stream: BinaryIO, path: PurePath) -> dict[str, Any] | None:
    """The one object of a file that is called as JSON and no JSON Lines; None of another file, and where the first line
    is an object and others follow."""
    if ".json" not in path.suffixes:
        return None
    rest = b""
    try:
        parsed(first)
    except BuildError:
        rest = stream.read(MOST_LISTED + 1)
        if len(first) + len(rest) > MOST_LISTED:
            raise BuildError(f"{path}: an object longer than {MOST_LISTED >> 20} MiB") from None
    else:
        if isinstance(stream, io.BufferedReader) and stream.peek(1).strip():
            return None
    try:
        return parsed((first + rest).removeprefix(b"\xef\xbb\xbf"))
    except BuildError as error:
        raise BuildError(f"{path}: {error}") from None


def _read_document(document: dict[str, Any], source: str, reader: _Reader, problems: Problems) -> None:
    """All that a document says of things, and of the one that they belong to."""
    reader.within = Within.of(document)
    readers, members = dict[str, _Reader](), dict[str, list[str]]()
    parts = [*parts_of(document)]
    for number, part in enumerate(parts, start=1):
        if part.kind not in readers:
            readers[part.kind] = reader.of_kind(part.kind)
            readers[part.kind].look_at([one.said for one in parts if one.kind == part.kind])
        own = readers[part.kind]
        try:
            key = own.take(part.said)
        except BuildError as error:
            problems.broken(f"{source}, object {number}", None, str(error))
        else:
            members.setdefault(part.under, []).extend([key] if key else [])
    if (found := own_of(document)) is not None:
        kind, said = found
        lists = {under: keys for under, keys in members.items() if under}
        # What is in several lists would be joined by what they all belong to.
        reader.of_kind(kind).take({**said, **(lists if len(lists) == 1 else {})})


def _listed(stream: BinaryIO, source: str) -> list[Any]:
    """The objects of a list, which is read as a whole."""
    text = stream.read(MOST_LISTED + 1)
    if len(text) > MOST_LISTED:
        raise BuildError(f"{source}: a list longer than {MOST_LISTED >> 20} MiB; jq -c '.[]' makes lines of it")
    try:
        found = _json(text.removeprefix(b"\xef\xbb\xbf"))
    except BuildError as error:
        raise BuildError(f"{source}: {error}") from None
    return found if isinstance(found, list) else [found]


def parsed(line: bytes) -> dict[str, Any]:
    """The object of one line; :class:`BuildError` for anything else."""
    return _object(_json(line))


def _object(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise BuildError("not a JSON object")
    return found


def _json(text: bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BuildError(f"not JSON ({' '.join(str(error).split())[:100]})") from None


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _finite(text: str) -> float:
    return number if isfinite(number := float(text)) else _refused(text)


class _Reader:
    def __init__(self, builder: PackBuilder, space: str, kind: str, types: bool) -> None:
        self._builder, self._graph, self._kind = builder, PropertyGraph(builder), kind
        self._types = types  # whether things are said to be of kinds
        self._space, self._n = space, 0  # of ids of things, and how many there were
        self._names = set[str]()  # of things that are called by what they are
        self.codes: tuple[str, ...] = ()  # the property by which things are told apart that have no id
        self.called: tuple[str, ...] = ()  # the property that names them, where it is called by no kind of theirs
        self.within = Within()
        self._has_triples = False

    def of_kind(self, kind: str) -> _Reader:
        """The same of things of another kind; without one, itself."""
        if not kind:
            return self
        other = _Reader(self._builder, kind, kind if self._types else "", self._types)
        other.within = self.within
        return other

    def look_at(self, every: Sequence[Any], are_all: bool = True) -> None:
        """Finds by what things are told apart, and called: those of a list, or the first of many."""
        objects = [one for one in every if isinstance(one, dict)]
        self.codes, self.called = codes_of(objects, self._space, are_all), telling(GLUED, objects)

    def take(self, said: Mapping[str, Any]) -> str | None:
        """One line's object; the key of a thing."""
        kind = said.get("type")
        if kind == "node" and "id" in said:
            types = [str(one) for one in _list(said.get("labels", []))]
            self._graph.node(_node_key(said), types, _mapping(said.get("properties", {})))
        elif kind == "relationship" and "start" in said and "end" in said:
            start, end = (_node_key(_mapping(said[which])) for which in ("start", "end"))
            self._graph.edge(start, str(said.get("label", "")), end, _mapping(said.get("properties", {})))
        elif not self._is_triple(said):
            return self._thing(said)
        else:
            self._triple(said)
        return None

    def _is_triple(self, said: Mapping[str, Any]) -> bool:
        """Whether two of a triple's parts are there, or one among lines that are triples: a department has a head."""
        n_parts = sum(has_part(said, names[:4]) for names in CALLED)
        return n_parts > (0 if self._has_triples else 1) or all(has_part(said, names) for names in CALLED)

    def _thing(self, said: Mapping[str, Any]) -> str:
        """A thing with its properties, told apart by its id, its name or its number."""
        self._n += 1
        codes = [*self.codes, *(path for path in said if is_id(path, self._kind))]
        number = next((said[name] for name in (*IDS, *codes) if said.get(name) not in (None, "")), None)
        paths = {readable(path): path for path, value in said.items() if value}
        named = next((paths[one] for one in (*names_of(self._kind), *self.called) if one in paths), "")
        name = str(said[named]).strip() if named else ""
        if number is None and not name and (own := self._own_name(said)):
            name, said = str(said[own]).strip(), {key: value for key, value in said.items() if key != own}
        key = f"{self._space}/{self._n}" if number is None else f"{self._space}/{self._key(number)}"
        key = name if number is None and name else key
        called = name or (mark(self._space, self._key(number)) if number is not None else key)
        if number is not None and not name:
            self._builder.label(key, called)
        elif number is not None and (not said.keys().isdisjoint(codes) or _is_mark(number)):
            self._builder.alias(key, self._key(number))
        if name and readable(named) not in NAMED_BY:
            self._builder.label(key, name)
            said = {path: one for path, one in said.items() if path != named}
        said = {path: one for path, one in said.items() if path not in codes or one != number}
        self._node(key, called, dict(measured(said)), 0)
        if self._kind and self._kind not in map(readable, said):  # what has a city is none
            self._builder.add(key, TYPE, self._kind)
        return key

    def _own_name(self, said: Mapping[str, Any]) -> str:
        """The property that is called as the things are, where it tells this one apart: ``foray`` of forays."""
        kinds = {self._kind, self._kind.split(" ")[-1]} - {""}
        found = next((key for key, value in said.items() if readable(key) in kinds and isinstance(value, str)), "")
        if not found or not said[found].strip() or said[found] in self._names:
            return ""
        self._names.add(said[found])
        return found

    def _node(self, key: str, called: str, said: Mapping[str, Any], depth: int, outer: Outer = NOTHING) -> None:
        """What a thing says; the things within it belong to those of ``outer`` too, and have its numbers."""
        if depth > MOST_DEPTH:
            raise BuildError(f"objects nested more than {MOST_DEPTH} deep")
        properties, within = dict[str, Any](), dict[str, list[str]]()
        for path, value in ungrouped(said):
            if path not in IDS:
                own = Place(key, f"{key}/{path}", f"{called}, {kind_of(path)}", path, depth, outer.owners)
                flat, things = self._flat(own, value)
                if path == outer.text and isinstance(value, str) and value.strip():
                    things = [value.strip()]
                properties[path] = [*_list(properties[path]), *_list(flat)] if path in properties else flat
                within.setdefault(path, []).extend(things)
        self._graph.node(key, (), properties)
        for owner in outer.owners:
            self._graph.node(owner, (), within)
        for thing in chain.from_iterable(within.values()) if outer.held else ():
            self._graph.node(thing, (), outer.held)

    def _flat(self, at: Place, value: Any) -> tuple[Any, list[str]]:
        """A value in which things that are told within the thing are their keys; and these keys.

        One without an id or a name is known by its place and called by what it belongs to.
        """
        if isinstance(value, list):
            several = [self._flat(at.member(number), one) for number, one in enumerate(value, 1)]
            return [flat for flat, _ in several], [thing for _, things in several for thing in things]
        if not isinstance(value, dict):
            return value, []
        key, called = self._key_within(at, value)
        if called != key:
            self._builder.label(key, called)
        link = self.within.of_link(at.relation, value) if name_of(value) else frozenset()
        is_named = name_of(value) or value.get(own_within(at.relation, value)) in self.within.names
        if is_named and self._types and (kind := kind_of(at.relation)) not in map(readable, value):
            self._builder.add(key, TYPE, kind)
        outer, named = self._outer(at, value), at.names(value, called, self.within.title(at.relation, value))
        said = {path: one for path, one in value.items() if path not in (*link, *named, *outer.held)}
        self._node(key, called, dict(measured(said)), at.depth + 1, outer)
        if not link:
            return key, [key]
        linked = [
            (readable(path), one) for path, one in measured({path: value[path] for path in value if path in link})
        ]
        pairs = [(path, found) for path, one in linked if (found := bare_value(path, one)) is not None]
        self._builder.add(at.owner, readable(at.relation), key, pairs)
        return None, [key]

    def _key_within(self, at: Place, value: Mapping[str, Any]) -> tuple[str, str]:
        """The key of a thing within a thing, and what it is called."""
        number = next((value[name] for name in IDS if value.get(name) not in (None, "")), None)
        name = next((str(value[name]) for name in LABELS if value.get(name)), "")
        if number is not None:
            kind = kind_of(at.relation)
            return f"{kind}/{self._key(number)}", name or mark(kind, self._key(number))
        if not name and value.get(own := own_within(at.relation, value)) in self.within.names:
            return at.place, value[own]
        if not name and (title := self.within.title(at.relation, value)):
            return at.place, value[title].strip()
        return name or at.place, name or at.called

    def _outer(self, at: Place, value: Mapping[str, Any]) -> Outer:
        """To what the things within a thing belong besides it: where it stands within several, or has no name."""
        name = name_of(value)
        if name:
            is_shared = (kind_of(at.relation), name) in self.within.shared
            return Outer((at.owner, *at.owners)) if is_shared else NOTHING
        is_called = value.get(own_within(at.relation, value)) in self.within.names
        if is_called or self.within.title(at.relation, value):
            return NOTHING
        held, text = self.within.of_held(at.relation, value), self.within.text_held(at.relation, value)
        return Outer((at.owner, *at.owners), held, text)

    def _triple(self, said: Mapping[str, Any]) -> None:
        subject, relation, obj = (called_part(said, names) for names in CALLED)
        self._has_triples = True
        name = self._key(relation, is_relation=True)
        qualifiers = next((_mapping(said[key]) for key in _QUALIFIERS if key in said), {})
        pairs = [(path, value) for path, values in qualifiers.items() for value in self._values(path, values)]
        found = list(self._values(name, obj))
        if len(found) * len(pairs) > MOST_SAID:
            raise BuildError(
                f"{len(found):,} objects with {len(pairs):,} qualifiers each; at most {MOST_SAID:,} in all"
            )
        for value in found:
            self._builder.add(self._key(subject), name, value, pairs)

    def _values(self, relation: str, value: object) -> Iterator[Value]:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield self._key(one)
            elif isinstance(one, list):
                raise BuildError(f"a list within a list, of {relation!r}")
            elif (found := bare_value(relation, one)) is not None:
                yield found

    def _key(self, part: object, is_relation: bool = False) -> str:
        """The key of a subject or relation, which may be an object that labels it."""
        if isinstance(part, dict):
            key = next((part[name] for name in ("id", "key", "uri", "iri", "@id") if name in part), None)
            label = next((str(part[name]) for name in LABELS if part.get(name)), "")
            if key is None:
                key = label
            key = self._key(key)
            if label and label != key:
                (self._builder.relation if is_relation else self._builder.label)(key, label)
            return key
        if isinstance(part, bool) or not isinstance(part, str | int | float):
            raise BuildError("a subject or relation that is no text")
        return str(part).strip()


def _is_mark(number: object) -> bool:
    """Whether an id is something that people call the thing by, too: "LRD-118", "jdube", but no 17."""
    return (
        isinstance(number, str) and len(number) <= MOST_MARK and re.fullmatch(r"(?!\d+\Z)[\w.@-]+", number) is not None
    )


def _node_key(said: Mapping[str, Any]) -> str:
    return f"node/{said.get('id', '')}"


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BuildError("properties and qualifiers are objects")
    return value


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]
