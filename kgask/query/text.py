"""The text form of a query: for people to read, and parsed back to the same tree.

An entity is ``<KEY|label>``, a relation ``<KEY|label>``, the other way round ``^<KEY|label>``; the label is for the
reader and not looked at again (``<KEY>`` where the two are the same). White space is free between the parts::

    best(follow(<Q15|Africa>, ^<P30|continent>), value(<P1082|population>), most 1)
    where(class(<Q5|human>), value(<P569|date of birth>) < date(1900))
    qualified(follow(<Q44585|Nobel Prize>, ^<P166|award received>), <P585|point in time> in date(1911))
    qualifier(follow(<Q7186|Marie Curie>, <P166|award received>), <P585|point in time>, <Q38104|Nobel Prize in Physics>)
    compare(values(<Q62|Rome>, <P1082|population>) > values(<Q90|Paris>, <P1082|population>))

Numbers carry their unit in brackets: ``100[km²]``. What would end a key, label or unit is percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any as Anything
from typing import Protocol
from urllib.parse import unquote

from kgask.errors import QueryError
from kgask.pack.records import RelationText
from kgask.query import nodes
from kgask.query.nodes import Node, Query
from kgask.types import directed, undirected

MAX_DEPTH = 60  # of nested parts
MAX_CHARS = 100_000

# How each node is written: its name, then its fields with what stands between them.
_FORMS: dict[type[Node], str] = {
    nodes.Class: "class({type:entity})",
    nodes.Having: "having({relation:directed})",
    nodes.Follow: "follow({base:node}, {relation:directed})",
    nodes.And: "and({left:node}, {right:node})",
    nodes.Or: "or({left:node}, {right:node})",
    nodes.Minus: "minus({left:node}, {right:node})",
    nodes.Where: "where({base:node}, {by:node} {comparison:comparison} {value:node})",
    nodes.Best: "best({base:node}, {by:node}, {most:order} {first:rank} .. {last:rank})",
    nodes.Qualified: "qualified({base:node}, {relation:relation} {comparison:comparison} {value:node})",
    nodes.ValueOf: "value({path:path})",
    nodes.SizeOf: "size({path:path}{among:more})",
    nodes.TotalOf: "total({path:path}{among:more})",
    nodes.SpanOf: "span({path:path}, {until:path})",
    nodes.Range: "range({low:node}, {high:node})",
    nodes.Count: "count({base:node})",
    nodes.Values: "values({base:node}, {relation:directed})",
    nodes.QualifierOf: "qualifier({base:node}, {relation:relation}{ends:more})",
    nodes.Sum: "sum({values:node})",
    nodes.Mean: "mean({values:node})",
    nodes.Min: "min({values:node})",
    nodes.Max: "max({values:node})",
    nodes.Difference: "difference({left:node}, {right:node})",
    nodes.Age: "age({born:node}, {at:node})",
    nodes.YearsBetween: "years({born:node}, {at:node})",
    nodes.Some: "some({base:node})",
    nodes.Holds: "holds({subject:node}, {relation:directed}, {object:node})",
    nodes.Compare: "compare({left:node} {comparison:comparison} {right:node})",
    nodes.Not: "not({truth:node})",
    nodes.All: "all({truths:nodes})",
    nodes.Any: "any({truths:nodes})",
}
_FIELD = re.compile(r"\{(\w+):(\w+)\}")
_BY_NAME = {form.split("(", 1)[0]: (kind, form.split("(", 1)[1]) for kind, form in _FORMS.items()}

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[a-z]+(?=\s*\()")
_REFERENCE = re.compile(r"<([^<>|]+)(?:\|[^<>]*)?>")
_NUMBER = re.compile(r"([+-]?\d[\d.]*(?:e[+-]?\d+)?)(?:\[([^\]]*)\])?", re.ASCII)
_DATE = re.compile(r"date\(\s*([^()]+?)\s*\)")
_COMPARISON = re.compile(r"<=|>=|<|>|=|in\b")
_RANK = re.compile(r"\d{1,9}", re.ASCII)
_ORDER = re.compile(r"most\b|least\b")
_UNSAFE = re.compile(r"[%<>|\]\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Names(Protocol):
    """What a query's ids are called: a pack."""

    n_entities: int
    n_relations: int

    def keys(self, ids: Sequence[int]) -> list[str]: ...

    def labels(self, ids: Sequence[int]) -> list[str]: ...

    def relations(self) -> Sequence[RelationText]: ...

    def find_key(self, key: str) -> int | None: ...


def entity_ids(query: Node) -> list[int]:
    """The entities that a query names, each once, ascending."""
    named: set[int] = set()
    for node in query.walk():
        if isinstance(node, nodes.Entities):
            named.update(node.ids)
        elif isinstance(node, nodes.Class):
            named.add(node.type)
    return sorted(named)


def to_text(query: Query, pack: Names) -> str:
    """The query in its text form, with the keys and labels of ``pack``, on one line.

    Raises :class:`~kgask.errors.QueryError` for ids that the pack does not have.
    """
    return _Writer(query, pack).write(query)


def parse(text: str, pack: Names) -> Query:
    """The query that :func:`to_text` wrote, or a person.

    Raises :class:`~kgask.errors.QueryError` that says where the text cannot be read, or what the pack does not have.
    """
    if len(text) > MAX_CHARS:
        raise QueryError(f"a query has at most {MAX_CHARS} characters")
    return _Parser(text, pack).whole()


class _Writer:
    def __init__(self, query: Node, pack: Names) -> None:
        ids = entity_ids(query)
        if ids and ids[-1] >= pack.n_entities:
            raise QueryError(f"no entity {ids[-1]} in this pack")
        called = zip(pack.keys(ids), pack.labels(ids), strict=True)
        self._entities = {entity: _reference(*names) for entity, names in zip(ids, called, strict=True)}
        self._pack = pack

    def write(self, node: Node) -> str:
        match node:
            case nodes.Entities(ids):
                named = ", ".join(self._entities[entity] for entity in ids)
                return named if len(ids) == 1 else f"entities({named})"
            case nodes.Number(number, unit):
                shown = repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
                return f"{shown}[{_encoded(unit)}]" if unit else shown
            case nodes.Date(text):
                return f"date({text})"
            case nodes.Best(base, by, most, first, last) if first == last:
                return f"best({self.write(base)}, {self.write(by)}, {'most' if most else 'least'} {first})"
        return _FIELD.sub(lambda found: self._field(getattr(node, found[1]), found[2]), _FORMS[type(node)])

    def _field(self, value: Anything, kind: str) -> str:
        match kind:
            case "node":
                return self.write(value)
            case "nodes":
                return ", ".join(map(self.write, value))
            case "more":
                return "" if value is None else f", {self.write(value)}"
            case "entity":
                return self._entities[value]
            case "relation":
                return self._relation(value)
            case "directed":
                return self._directed(value)
            case "path":
                return " / ".join(map(self._directed, value))
            case "order":
                return "most" if value else "least"
        return str(value)

    def _directed(self, relation: int) -> str:
        plain, inverse = undirected(relation, self._pack.n_relations)
        return f"{'^' if inverse else ''}{self._relation(plain)}"

    def _relation(self, relation: int) -> str:
        if relation >= self._pack.n_relations:
            raise QueryError(f"no relation {relation} in this pack")
        text = self._pack.relations()[relation]
        return _reference(text.key, text.label)


def _reference(key: str, label: str) -> str:
    return f"<{_encoded(key)}>" if label == key else f"<{_encoded(key)}|{_encoded(label)}>"


def _encoded(text: str) -> str:
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), text)


def _decoded(text: str) -> str:
    return unquote(text, errors="replace")


class _Parser:
    """Reads one text from the left; ``_at`` is the character that comes next."""

    def __init__(self, text: str, pack: Names) -> None:
        self._text, self._pack, self._at, self._depth = text, pack, 0, 0
        self._keys: dict[str, int] | None = None

    def whole(self) -> Query:
        query = self._node()
        self._take(_SPACE)
        if self._at < len(self._text):
            raise self._wrong("nothing more")
        if not isinstance(query, Query):
            raise QueryError("a way to judge is no query by itself: put it into where(...) or best(...)")
        return query

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        if pattern is not _SPACE:
            self._take(_SPACE)
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def _need(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        found = self._take(pattern)
        if found is None:
            raise self._wrong(expected)
        return found

    def _literal(self, text: str) -> None:
        for mark in text.split():
            self._need(re.compile(re.escape(mark)), f"'{mark}'")

    def _wrong(self, expected: str) -> QueryError:
        rest = self._text[self._at : self._at + 20]
        return QueryError(f"query, character {self._at + 1}: expected {expected}, found {rest!r}")

    def _node(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError(f"a query nests at most {MAX_DEPTH} deep")
        node = self._plain() or self._named()
        self._depth -= 1
        return node

    def _plain(self) -> Node | None:
        self._take(_SPACE)
        if self._text.startswith("<", self._at):
            return nodes.Entities((self._entity(),))
        if found := self._take(_DATE):
            return nodes.Date(found[1])
        if found := self._take(_NUMBER):
            try:
                return nodes.Number(float(found[1]), _decoded(found[2] or ""))
            except ValueError:
                raise self._wrong("a number") from None
        return None

    def _named(self) -> Node:
        name = self._need(_NAME, "a query")[0]
        self._literal("(")
        if name == "entities":
            node: Node = nodes.Entities(tuple(self._list(self._entity)))
        elif name in _BY_NAME:
            kind, form = _BY_NAME[name]
            node = kind(**dict(self._fields(form[:-1])))
        else:
            raise QueryError(f"query: no operator {name!r}; there are {', '.join(sorted([*_BY_NAME, 'entities']))}")
        self._literal(")")
        return node

    def _fields(self, form: str) -> Iterator[tuple[str, Anything]]:
        between = _FIELD.split(form)  # text, name, kind, text, name, kind, ..., text
        value: Anything = None
        for text, name, kind in zip(between[::3], between[1::3], between[2::3], strict=False):
            if name == "last" and not self._take(re.compile(r"\.\.")):
                yield name, value  # one rank is both the first and the last
                return
            self._literal(text if name != "last" else "")
            value = self._field(kind)
            yield name, value

    def _field(self, kind: str) -> Anything:
        readers: dict[str, Callable[[], Anything]] = {
            "node": self._node,
            "nodes": lambda: tuple(self._list(self._node)),
            "more": lambda: self._node() if self._take(re.compile(",")) else None,
            "entity": self._entity,
            "relation": self._relation,
            "directed": self._directed,
            "path": lambda: tuple(self._list(self._directed, "/")),
            "comparison": lambda: self._need(_COMPARISON, "a comparison")[0],
            "order": lambda: self._need(_ORDER, "most or least")[0] == "most",
            "rank": lambda: int(self._need(_RANK, "a rank")[0]),
        }
        return readers[kind]()

    def _list(self, read: Callable[[], Anything], separator: str = ",") -> Iterator[Anything]:
        yield read()
        while self._take(re.compile(re.escape(separator))):
            yield read()

    def _entity(self) -> int:
        key = _decoded(self._need(_REFERENCE, "an entity: <KEY|label>")[1])
        entity = self._pack.find_key(key)
        if entity is None:
            raise QueryError(f"query: no entity with the key {key} in this pack; try: kgask pack search")
        return entity

    def _relation(self) -> int:
        key = _decoded(self._need(_REFERENCE, "a relation: <KEY|label>")[1])
        if self._keys is None:
            self._keys = {text.key: place for place, text in enumerate(self._pack.relations())}
        if key not in self._keys:
            raise QueryError(f"query: no relation with the key {key} in this pack; try: kgask pack show ENTITY")
        return self._keys[key]

    def _directed(self) -> int:
        inverse = self._take(re.compile(r"\^")) is not None
        return directed(self._relation(), inverse, self._pack.n_relations)
