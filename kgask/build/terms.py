"""Keys and literals as numbers, given in the order in which they are first named."""

from __future__ import annotations

from kgask.errors import BuildError
from kgask.pack.literals import parse_literal, parse_typed
from kgask.pack.records import Literal

MOST_CHARS = 1 << 20  # of a key, a name, a literal or a relation, as of a line of a table
Value = str | Literal  # what stands at the right of a relation: a key or a literal


class Terms:
    """Numbers of entities and relations, from 0; a literal has ``~number``, so that one column holds both.

    Every method raises :class:`BuildError` for what a pack cannot hold.
    """

    def __init__(self) -> None:
        self.entities: dict[str, int] = {}
        self.literals: dict[Literal, int] = {}
        self.relations: dict[str, int] = {}

    def entity(self, key: str) -> int:
        number = self.entities.get(key)
        if number is None:
            number = self.entities[_checked_key(key)] = len(self.entities)
        return number

    def relation(self, key: str) -> int:
        number = self.relations.get(key)
        if number is None:
            number = self.relations[checked(key, "relation")] = len(self.relations)
        return number

    def value(self, value: Value) -> int:
        if isinstance(value, str):
            return self.entity(value)
        number = self.literals.get(value)
        if number is None:
            try:
                parsed = parse_literal(value.kind, value.text, value.unit)
            except ValueError as error:
                raise BuildError(str(error)) from None
            checked(parsed.text + parsed.unit, "literal")
            number = self.literals.setdefault(parsed, len(self.literals))
        return ~number


def checked(text: str, what: str) -> str:
    """The text, if a pack can hold it."""
    if not text or text.isspace():
        raise BuildError(f"empty {what}")
    if len(text) > MOST_CHARS:
        raise BuildError(f"a {what} longer than {MOST_CHARS:,} characters ({text[:40]!r} ...)")
    if "\0" in text:
        raise BuildError(f"NUL byte in a {what}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BuildError(f"a {what} that is not Unicode text (lone surrogate)") from None
    return text


def _checked_key(key: str) -> str:
    try:
        is_literal = key.startswith('"') and parse_typed(key) is not None
    except ValueError:
        is_literal = True
    if is_literal:
        raise BuildError("a literal stands only at the right of a triple")
    return checked(key, "key")
