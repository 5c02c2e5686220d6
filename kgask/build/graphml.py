"""GraphML: nodes and edges with typed data, read as they come.

http://graphml.graphdrawing.org/specification.html. Nested graphs and ports are passed over; a document type declaration
is refused, for it could make a short file endless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO
from xml.parsers import expat

from kgask.build.property_graph import RELATED, PropertyGraph, types_of
from kgask.build.source import MAX_LINE_BYTES, Problems, display
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

_KIND = ("label", "type", "relation", "relationship", "kind", "name")  # data of an edge that says what it is
_TYPES = ("labels", "type", "kind", "class")  # data of a node that says what it is
_NUMBERS = ("int", "long", "float", "double")
_DRAWN = ("NodeLabel", "EdgeLabel")  # what yEd writes beside a node or edge; the first one names it
MOST_DEPTH = 50
_BLOCK = 1 << 16


def read_graphml(
    stream: BinaryIO, name: str, builder: PackBuilder, problems: Problems, tell: Callable[[str], None]
) -> None:
    """Add every node and edge. Raises :class:`BuildError` for what is not XML."""
    source = display(name)
    reader = _Reader(source, builder, problems)
    parser = reader.parser
    try:
        while block := stream.read(_BLOCK):
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise BuildError(f"{source}:{error.lineno}: {expat.ErrorString(error.code)}; is the file cut short?") from None
    if reader.n_unkind:
        edges = f"{reader.n_unkind:,} edges do" if reader.n_unkind > 1 else "1 edge does"
        tell(f"{source}: {edges} not say what they are (data 'label' or 'type'): {RELATED!r}")


class _Reader:
    """The handlers of one file, and the node or edge that they are in."""

    def __init__(self, source: str, builder: PackBuilder, problems: Problems) -> None:
        self._source, self._problems, self._graph = source, problems, PropertyGraph(builder)
        self._keys: dict[str, tuple[str, str]] = {}  # id of a key -> name and type of the property
        self._item: dict[str, str] | None = None  # attributes of the node or edge
        self._data: dict[str, object] = {}
        self._key, self._text, self._n_chars, self._depth = "", list[str](), 0, 0
        self.n_unkind = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._declared

    def _where(self) -> str:
        return f"{self._source}:{self.parser.CurrentLineNumber}"

    def _declared(self, *_: object) -> None:
        raise BuildError(f"{self._where()}: a document type declaration, which GraphML does without; take it out")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise BuildError(f"{self._where()}: elements nested more than {MOST_DEPTH} deep")
        name = tag.rpartition(" ")[2]
        if name == "key":
            self._keys[attributes.get("id", "")] = attributes.get("attr.name", ""), attributes.get("attr.type", "")
        elif name in ("node", "edge") and self._item is None:
            self._item, self._data = attributes, {}
        elif name == "data":
            self._key, self._n_chars = attributes.get("key", ""), 0
            self._text.clear()
        elif name in _DRAWN:
            self._text.clear()

    def _characters(self, text: str) -> None:
        if self._key:
            self._n_chars += len(text)
            if self._n_chars > MAX_LINE_BYTES:
                raise BuildError(f"{self._where()}: data longer than {MAX_LINE_BYTES} characters")
            self._text.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        name = tag.rpartition(" ")[2]
        try:
            if name == "data" and self._key:
                self._datum()
            elif name in _DRAWN and self._item is not None:
                if self._key and (text := " ".join("".join(self._text).split())):
                    self._data.setdefault("label", text)
                self._key = ""  # the rest of it is a drawing
            elif name in ("node", "edge") and self._item is not None:
                item, self._item = self._item, None
                self._node(item) if name == "node" else self._edge(item)
        except (BuildError, ValueError) as error:
            self._problems.broken(self._source, self.parser.CurrentLineNumber, str(error))

    def _datum(self) -> None:
        name, type = self._keys.get(self._key, (self._key, ""))
        text, key = "".join(self._text).strip(), self._key
        self._key = ""
        if text and self._item is not None:
            self._data[name or key] = _typed(name or key, type, text)

    def _node(self, item: dict[str, str]) -> None:
        key = _required(item, "id")
        which = next((one for one in (*(("labels",) if "labels" in item else ()), *_TYPES) if one in self._data), "")
        said = str(self._data.pop(which)) if which else item.get("labels", "")
        self._graph.node(key, types_of(said), self._data)

    def _edge(self, item: dict[str, str]) -> None:
        which = next((one for one in _KIND if isinstance(self._data.get(one), str)), "")
        kind = str(self._data.pop(which)) if which else item.get("label", "")
        self.n_unkind += not kind
        self._graph.edge(_required(item, "source"), kind, _required(item, "target"), self._data)


def _required(item: dict[str, str], name: str) -> str:
    if not item.get(name):
        raise BuildError(f"no {name}")
    return item[name]


def _typed(name: str, type: str, text: str) -> object:
    if type not in _NUMBERS:
        return text
    try:
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        raise BuildError(f"{name}: {text[:40]!r} is no {type}") from None
