"""Wikidata's JSON: dumps of an entity a line, and what Special:EntityData gives.

https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html. Of a property's statements those of the best rank
count, as in Wikidata's truthy dumps; with ``all_ranks`` all but the deprecated. Qualifiers stay with their statement.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from kgask.build.jsonl import parsed
from kgask.build.source import Problems, display, numbered_lines
from kgask.build.statements import as_precise
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal

MOST_BYTES = 64 << 20  # of one entity
_LEFT_OUT = ("commonsMedia", "url", "geo-shape", "tabular-data", "entity-schema")
_UNIT = re.compile(r"https?://www\.wikidata\.org/entity/(Q\d+)")
_KEY = re.compile(r"[QPL]\d+")
_TIME = re.compile(r"([+-])(\d{1,12})-(\d\d)-(\d\d)T")
_INVERSE, _UNIT_OF_ONE = "P1696", "1"
_YEAR = 9  # precision

Claims = Mapping[str, Sequence[Mapping[str, Any]]]


def is_wikidata(start: bytes) -> bool:
    """Whether a JSON file begins as Wikidata's do."""
    is_like = re.match(rb'\s*(?:\[\s*)?\{\s*"(?:entities|type|id|pageid|title|ns|lastrevid)"', start)
    return bool(is_like) and re.search(rb'"(?:id|title)"\s*:\s*"[QPL]\d+"|"entities"\s*:', start) is not None


def read_wikidata(
    stream: BinaryIO,
    name: str,
    builder: PackBuilder,
    problems: Problems,
    languages: Sequence[str],
    all_ranks: bool = False,
    external_ids: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> None:
    """Add the statements and texts of every entity. Raises :class:`BuildError`."""
    source = display(name)
    reader = _Reader(builder, languages, all_ranks, external_ids)
    for number, line in numbered_lines(stream, MOST_BYTES):
        if line is None:
            problems.broken(source, number, f"an entity longer than {MOST_BYTES >> 20} MiB")
            continue
        text = line.removeprefix(b"\xef\xbb\xbf").strip().rstrip(b",")
        if text in (b"", b"[", b"]"):
            continue
        try:
            content = parsed(text.removeprefix(b"[").removesuffix(b"]"))
            entities = content.get("entities")
            for entity in entities.values() if isinstance(entities, dict) else [content]:
                reader.take(entity)
        except (BuildError, ValueError) as error:
            problems.broken(source, number, str(error))
        except (KeyError, TypeError, AttributeError, IndexError):
            problems.broken(source, number, "not as Wikidata writes an entity")
    reader.settle()
    for words in reader.told():
        tell(f"{source}: {words}")


class _Reader:
    def __init__(self, builder: PackBuilder, languages: Sequence[str], all_ranks: bool, external_ids: bool) -> None:
        self._builder, self._languages = builder, (*languages, "mul")
        self._all_ranks, self._external_ids = all_ranks, external_ids
        self._left_out: Counter[str] = Counter()
        self._properties: set[str] = set()  # that have an entity of their own
        self._used: set[str] = set()
        self._inverses: dict[str, str] = {}
        self._labels_of: dict[str, str] = {}  # of what may be a unit or an inverse: units have no triples of their own
        # Quantities with a unit wait until its label is known.
        self._waiting: list[tuple[str, str, Any, list[tuple[str, Any]]]] = []

    def take(self, entity: Mapping[str, Any]) -> None:
        """One entity, if it is an item, property or lexeme."""
        key = entity["id"]
        if not isinstance(key, str) or _KEY.fullmatch(key) is None:
            raise BuildError(f"no id of Wikidata's: {str(key)[:40]!r}")
        is_property = key.startswith("P")
        self._texts(key, entity, is_property)
        for relation, statements in _claims(entity).items():
            for statement in self._best(statements):
                self._statement(key, relation, statement, is_property)

    def _texts(self, key: str, entity: Mapping[str, Any], is_property: bool) -> None:
        label = self._text(entity.get("labels"))
        description = self._text(entity.get("descriptions"))
        aliases = [text for language in self._languages for text in _aliases(entity, language)]
        if label:
            self._labels_of[key] = label
        if is_property:
            self._properties.add(key)
            self._builder.relation(key, label, aliases, description)
            return
        if label:
            self._builder.label(key, label)
        if description:
            self._builder.description(key, description)
        if isinstance(pages := entity.get("sitelinks"), dict) and pages:
            self._builder.sitelinks(key, len(pages))
        for alias in aliases:
            self._builder.alias(key, alias)

    def _text(self, texts: Any) -> str:
        """In the first of the languages that there is; "" in none."""
        found = texts if isinstance(texts, dict) else {}
        return next((str(found[one]["value"]) for one in self._languages if one in found), "")

    def _best(self, statements: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        kept = [one for one in statements if one.get("rank") != "deprecated"]
        preferred = [one for one in kept if one.get("rank") == "preferred"]
        yield from kept if self._all_ranks else preferred or kept

    def _statement(self, key: str, relation: str, statement: Mapping[str, Any], is_property: bool) -> None:
        main = statement["mainsnak"]
        if not self._is_read(main):
            return
        if is_property:
            if relation == _INVERSE:
                self._inverses[key] = str(main["datavalue"]["value"]["id"])
            return  # what is said of relations is no triple
        qualifiers = [
            (path, snak["datavalue"])
            for path, snaks in statement.get("qualifiers", {}).items()
            for snak in snaks
            if self._is_read(snak)
        ]
        self._used.update((relation, *(path for path, _ in qualifiers)))
        values = [main["datavalue"], *(value for _, value in qualifiers)]
        if any(_unit_of(value) for value in values):
            self._waiting.append((key, relation, main["datavalue"], qualifiers))
        else:
            self._add(key, relation, main["datavalue"], qualifiers)

    def _is_read(self, snak: Mapping[str, Any]) -> bool:
        """Whether a value is one that a pack can hold; others are counted."""
        kind = snak.get("datatype", "")
        if snak["snaktype"] != "value":
            self._left_out["values that are unknown or none"] += 1
        elif kind == "external-id" and not self._external_ids:
            self._left_out["external ids (--external-ids keeps them)"] += 1
        elif kind in _LEFT_OUT:
            self._left_out["files and addresses"] += 1
        else:
            return True
        return False

    def _add(self, key: str, relation: str, value: Any, qualifiers: list[tuple[str, Any]]) -> None:
        pairs = [(path, self._value(said)) for path, said in qualifiers]
        self._builder.add(key, relation, self._value(value), pairs)

    def _value(self, value: Mapping[str, Any]) -> Value:
        said, kind = value["value"], value["type"]
        if kind == "wikibase-entityid":
            return str(said.get("id") or f"Q{said['numeric-id']}")
        if kind == "time":
            return _time(said)
        if kind == "quantity":
            unit = _unit_of(value)
            words = self._labels_of.get(unit, unit).replace("]", ")") if unit else ""
            return parse_literal("number", str(said["amount"]).removeprefix("+"), words)
        if kind == "globecoordinate":
            return parse_literal("string", f"{said['latitude']:.6g}, {said['longitude']:.6g}")
        return parse_literal("string", str(said["text"] if kind == "monolingualtext" else said))

    def settle(self) -> None:
        """What waited for the labels of others, when all is read."""
        for row in self._waiting:
            self._add(*row)
        for key, inverse in self._inverses.items():
            if label := self._labels_of.get(inverse):
                self._builder.relation(key, inverse_label=label)

    def told(self) -> Iterator[str]:
        """What was left out, and relations without words."""
        for what, count in self._left_out.items():
            yield f"{count:,} {what} left out"
        if unnamed := len(self._used - self._properties):
            yield f"{unnamed:,} properties have no label here and are called by their ids; --relations FILE names them"


def _claims(entity: Mapping[str, Any]) -> Claims:
    claims = entity.get("claims") or {}  # an empty one is a list in some dumps
    if not isinstance(claims, dict):
        raise BuildError("claims that are no object")
    return claims


def _aliases(entity: Mapping[str, Any], language: str) -> list[str]:
    found = entity.get("aliases") or {}
    return [str(one["value"]) for one in found.get(language, [])]


def _unit_of(value: Mapping[str, Any]) -> str:
    """The key of a quantity's unit; "" for another value or a bare number."""
    if value.get("type") != "quantity":
        return ""
    unit = str(value["value"].get("unit", _UNIT_OF_ONE))
    found = _UNIT.fullmatch(unit)
    return found[1] if found else ""


def _time(said: Mapping[str, Any]) -> Value:
    """A day, month or year by its precision; a decade, century or millennium is text."""
    found = _TIME.match(said["time"])
    if found is None:
        raise BuildError(f"not a time of Wikidata's: {str(said['time'])[:40]!r}")
    sign, year, month, day = found[1], int(found[2]), found[3], found[4]
    astronomical = year if sign == "+" else 1 - year  # -0044 is 44 BCE here
    precision = int(said.get("precision", 11))
    text = f"{'-' if astronomical < 0 else ''}{abs(astronomical):04}"
    if precision > _YEAR and month != "00":
        text += f"-{month}" + (f"-{day}" if precision > _YEAR + 1 and day != "00" else "")
    whole = text if precision >= _YEAR else f"{text}-01-01"
    return as_precise(parse_literal("date", whole), min(precision, 11) if precision < _YEAR else 11)
