"""What an XML parser that others wrote is not asked to judge: whether a document is whole, and whether it is a trap."""

from __future__ import annotations

from typing import BinaryIO
from xml.parsers import expat

MOST_DEPTH = 100
MOST_ATTRIBUTES = 1000  # of an element, and namespaces in force: the parser compares each with all others
MOST_ENTITIES, MOST_ENTITY_CHARS = 1000, 1000  # of namespaces, as OWL abbreviates them


class XmlGuard:
    """A stream of bytes that hands on what it reads, and reads it as XML beside.

    ``read`` raises SyntaxError, as the parser does, where elements are nested too deeply or have too many attributes,
    where entities refer to entities or to files, or are long or many, and at the end of a document that is not whole.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream, self._source = stream, source
        self._n_entities, self._is_done = 0, False
        self._namespaces: list[int] = []  # declared by each open element
        self._n_namespaces = 0
        self._parser = expat.ParserCreate(encoding="utf-8")
        self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        self._parser.EntityDeclHandler = self._entity

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        if data or not self._is_done:
            self._is_done = not data
            try:
                self._parser.Parse(data, not data)
            except expat.ExpatError as error:
                reason = expat.ErrorString(error.code)
                advice = "" if data else "; the file is cut short"
                raise self._error(f"{reason}{advice}", error.lineno) from None
        return data

    def _error(self, why: str, line: int) -> SyntaxError:
        return SyntaxError(why, (self._source, line, None, None))

    def _refuse(self, why: str) -> None:
        raise self._error(why, self._parser.CurrentLineNumber)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._namespaces.append(sum(name.startswith("xmlns") for name in attributes))
        self._n_namespaces += self._namespaces[-1]
        if len(self._namespaces) > MOST_DEPTH:
            self._refuse(f"elements nested more than {MOST_DEPTH} deep")
        if len(attributes) > MOST_ATTRIBUTES or self._n_namespaces > MOST_ATTRIBUTES:
            self._refuse(f"more than {MOST_ATTRIBUTES} attributes or namespaces")

    def _end(self, name: str) -> None:
        self._n_namespaces -= self._namespaces.pop()

    def _entity(
        self, name: str, is_parameter: bool, value: str | None, base: str | None, system: str | None, *_: object
    ) -> None:
        self._n_entities += 1
        if is_parameter or system is not None or value is None or "&" in value:
            self._refuse(f"the entity {name[:40]!r} refers to another one or to a file, which is not followed")
        elif len(value) > MOST_ENTITY_CHARS or self._n_entities > MOST_ENTITIES:
            self._refuse(f"more than {MOST_ENTITIES} entities, or one of more than {MOST_ENTITY_CHARS} characters")
