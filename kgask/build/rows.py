"""Tables with a row a thing, as spreadsheets have them: the first line names the columns, a column is a relation.

A table of triples has lines of three fields, of which the second says how the others belong together. What else people
bring has a first line that is unlike the lines below it, and names that differ from row to row (:func:`likeness`).
Such a table is read as one of a database is (:mod:`kgask.build.tables`): a column ``name`` or ``title``, a person's two
names, or the first column names a row; ``id`` tells rows apart, and ``department_id`` is the row of that id in
``departments.csv``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from kgask.build.cells import parts_of, separator_of, spelt_otherwise
from kgask.build.column_names import of_league
from kgask.build.legends import call_by_legend
from kgask.build.plain_values import Looks, bare_value, is_code, is_date, iso_day, looks_like_value
from kgask.build.row_names import (
    LETTERED,
    NEARLY,
    NO_KINDS,
    NO_NOUNS,
    NOTHING,
    are_marks,
    called_as,
    differs,
    first_name_first,
    is_abbreviated,
    is_id_of,
    is_no_row,
    may_name,
    named_by,
    nearly_named_by,
    titled_by,
)
from kgask.build.said_dates import iso_date
from kgask.build.said_numbers import Convention, written
from kgask.build.said_times import iso_time
from kgask.build.source import STDIN, Problems, display
from kgask.build.table_records import Record, records_in, records_of
from kgask.build.tables import (
    GLUED,
    NAMED_BY,
    SHORT_NAMES,
    Column,
    Table,
    kind_of_records,
    readable,
    relation_of,
    said_by,
    singular,
    space_of,
    type_of,
    understood,
)
from kgask.build.terms import Value
from kgask.build.tsv import is_triple_header
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal

TYPE = "instance of"
_MARKS = frozenset("registration plate number no nr ref reference callsign call sign tag barcode symbol".split())
SURE, PERHAPS, UNLIKE = 2, 1, 0
LOOKED_AT = 200  # rows, before what the columns are is said
_NUMBER = re.compile(r" (?:no|nr|num)\.?\Z")
_OF_MARK = re.compile(r"\W+(?:(?:name|number|no|nr|id|code|ref|reference)\.?|#)\Z|\.\Z")  # "tree number" names trees
_OF_YEAR = re.compile(r"(?:19|20)\d\d(?:\Z|\W+[^\W\d])")
_MOST_NAME = 60  # characters of a column's name
_MOST_SEEN = 1_000_000  # rows whose keys are compared with those before


def likeness(source: str, delimiter: str | None = None) -> int:
    """Whether a file looks like a table with a row a thing: SURE, PERHAPS or UNLIKE."""
    with records_of(source, delimiter) as records:
        (_, names), *below = [*islice(records, 1 + LOOKED_AT)] or [(0, [])]
    return _likeness(names, [fields for _, fields in below])


def are_things(names: list[str], below: list[list[str]]) -> bool:
    """Whether columns whose names are known are not those of triples, by their names and some rows."""
    return not is_triple_header(names) and (len(names) != 3 or _likeness(names, below) == SURE)


def _likeness(names: list[str], below: list[list[str]]) -> int:
    n = len(names)
    named = names[1:] if names and not names[0] else names  # the number of a row has no name in some exports
    is_header = len(named) > 1 and len(set(map(str.lower, named))) == len(named) and all(map(_is_name, named))
    if not is_header or not below or is_triple_header(names):
        return UNLIKE
    below = [fields for fields in below if not is_no_row(fields, n)]
    if not below or sum(len(fields) == n for fields in below) < NEARLY * len(below):
        return UNLIKE
    columns = [*zip(*(fields for fields in below if len(fields) == n), strict=True)]
    if any(name in values for name, values in zip(names, columns, strict=True) if name):
        return UNLIKE
    if sum(readable(name).endswith(" id") for name in names) > 1:  # a table that joins others: who played what in which
        return SURE
    told = sum(_tells(name, values) for name, values in zip(names, columns, strict=True))
    is_again = len(set(columns[0])) < len(columns[0])  # what is said of one thing in several lines are triples
    if n != 3 or sum(map(is_date, columns[0])) >= NEARLY * len(columns[0]):
        is_mark = _is_called(names[1]) or is_code(readable(names[1]))  # "course code" of who takes which course
        of_days = sum(map(is_date, columns[0])) >= NEARLY * len(columns[0])
        if is_again and n > 3 and not is_mark and not of_days and _is_relation(columns[1], True):
            return UNLIKE
        return SURE if told or n > 3 else PERHAPS
    if is_again or not told:
        return UNLIKE
    return SURE if told > 1 and not _is_relation(columns[1], any(map(_is_called, names))) else PERHAPS


def _is_name(text: str) -> bool:
    if _OF_YEAR.match(text) or text in tuple("€$£¥"):  # a column a year: "2021 kg"; what was paid
        return True
    return len(text) <= _MOST_NAME and any(map(str.isalpha, text)) and not looks_like_value(text) and text[0] != '"'


def _tells(name: str, values: Sequence[str]) -> bool:
    """Whether a column's first line is another sort of thing than what stands below it."""
    said = [value for value in values if value not in NOTHING]
    if _is_called(name) or (is_code(readable(name)) and are_marks(said)):
        return True
    enough = NEARLY * len(said)
    is_capital = not name[:1].isupper() and sum(value[0].isupper() for value in said) >= enough
    return bool(said) and (is_capital or sum(map(looks_like_value, said)) >= enough)


def _is_called(name: str) -> bool:
    """Whether a column is called as one that tells rows apart."""
    words = readable(name)
    return words == "id" or words.endswith(" id") or words in NAMED_BY


def _is_relation(values: Sequence[str], are_named: bool) -> bool:
    """Whether the middle one of three columns may say how the others belong together: a few words, again and again.

    Words in lower case may, where no column is called as one that names rows (``are_named``).
    """
    different, n = len(set(values)), len(values)
    if sum(map(looks_like_value, values)) >= NEARLY * n:
        return False
    if not are_named and sum(value[:1].islower() for value in values) >= NEARLY * n:
        return True
    is_capital = sum(value[:1].isupper() and not value.isupper() for value in values) >= NEARLY * n
    return different <= n / 2 and not (is_capital and different > 2)


def read_rows(
    stream: BinaryIO,
    name: str,
    builder: PackBuilder,
    problems: Problems,
    delimiter: str | None,
    tell: Callable[[str], None],
    mapped: Table | None = None,
) -> None:
    """Add every row of a table. Raises :class:`BuildError` where it has no names of columns."""
    add_rows(records_in(stream, name, problems, delimiter), name, builder, problems, tell, mapped)


def table_in(source: str, delimiter: str | None) -> Table:
    """What a file means, by the names of its columns and its first rows."""
    with records_of(source, delimiter) as records:
        return understood_rows(records, source)


def understood_rows(records: Iterator[Record], source: str) -> Table:
    """What records mean, the first of which names the columns. Raises :class:`BuildError` where it cannot."""
    names, some = _begun(records, source)
    return _table_of(_columns_of(names, some), source)


def _begun(records: Iterator[Record], source: str) -> tuple[list[str], list[Record]]:
    """The names of the columns, and some records below them."""
    _, names = next(records, (0, []))
    if len(names) < 2:
        raise BuildError(f"{display(source)}: a table needs a first line with the names of two columns at least")
    return names, [*islice(records, LOOKED_AT)]


def _columns_of(names: list[str], some: list[Record]) -> dict[str, list[str]]:
    rows = [fields for _, fields in some if not is_no_row(fields, len(names))]
    return {name: [fields[at] for fields in rows if at < len(fields)] for at, name in enumerate(names)}


def add_rows(
    records: Iterator[Record],
    name: str,
    builder: PackBuilder,
    problems: Problems,
    tell: Callable[[str], None],
    mapped: Table | None = None,
) -> None:
    """Add the rows of a table whose first record is the names of its columns, as it looks or as ``mapped``."""
    source = display(name)
    names, some = _begun(records, name)
    columns = _columns_of(names, some)
    reader = _Reader(columns, names, mapped or _table_of(columns, name), name, builder)
    for line, fields in chain(some, records):
        try:
            reader.take(fields)
        except (BuildError, ValueError) as error:
            problems.broken(source, line, str(error))
    for words in reader.told(call_by_legend(reader.left_out, columns, builder)):
        tell(f"{source}: {words}")


_SIDES = (("home", "home team", "host", "white"), ("away", "away team", "visitor", "guest", "visitors", "black"))


class _Reader:
    """Rows of one table, given to the builder."""

    def __init__(
        self, columns: dict[str, list[str]], names: list[str], table: Table, source: str, builder: PackBuilder
    ) -> None:
        self._builder, self._names, self._table, self._space = builder, names, table, space_of(source)
        self._key = [names.index(name) for name in table.key]
        self._label = [names.index(name) for name in table.label]
        named = " ".join(map(readable, table.key))  # of ids nobody asks as of "part no."
        self._numbered = "" if named.endswith(("id", "key")) else _NUMBER.sub(" number", named)
        self._is_named = any(readable(name) in NAMED_BY for name in table.label)
        sides = [[at for at, name in enumerate(names) if readable(name) in side] for side in _SIDES]
        self._sides = [at for side in sides for at in side[:1]] if all(sides) else []
        self._values = [
            (names.index(one.names[0]), one, _convention_of(columns[one.names[0]])) for one in table.columns
        ]
        titles = {text for name in (*table.label, *table.key) for text in columns[name]}
        plain = {one.relation: columns[one.names[0]] for one in table.columns if not one.kind}
        self._separators = {relation: separator_of(values, titles) for relation, values in plain.items()}
        self._spellings = {relation: spelt_otherwise(values) for relation, values in plain.items()}
        builder.as_told.update(one.relation for one in table.columns if one.kind)
        self._n, self._n_again, self.left_out, self._seen = 0, 0, list[str](), set[int]()

    def take(self, row: list[str]) -> None:
        """Add one row, unless it adds up others or is a note; BuildError says what is wrong with it."""
        if is_no_row(row, len(self._names)):
            self.left_out.append(", ".join(filter(None, row)))
            return
        if len(row) != len(self._names):
            raise BuildError(
                f"{len(row)} field{'s' * (len(row) != 1)}, {len(self._names)} expected as in the first line"
            )
        self._n += 1
        label = " ".join(row[at] for at in self._label if row[at])
        key = self._key_of(row, label)
        kind = self._table.type or self._space
        label = f"{kind} {label}" if self._label == self._key and label.isdecimal() else label
        if not label and self._sides and all(row[at] for at in self._sides):
            label = " v ".join(row[at] for at in self._sides)
        for type in filter(None, (self._table.type, self._table.also)):
            self._builder.add(key, TYPE, type)
        for at, column, convention in self._values:
            text = row[at]
            if text in NOTHING:
                continue
            if column.relation in SHORT_NAMES:
                self._builder.alias(key, text)
            for said in parts_of(text, self._separators.get(column.relation, "")):
                part = self._spellings.get(column.relation, {}).get(said, said)
                value = f"{space_of(column.table)}/{part}" if column.table else _value_of(column, part, convention)
                if value is not None:
                    self._builder.add(key, column.relation, value)
        if self._is_named and (turned := first_name_first(label)):
            self._builder.alias(key, turned)
        if label and label != key:
            self._builder.label(key, label)
            mark = key.removeprefix(f"{self._space}/")
            if self._key and mark != label and not mark.isdecimal():
                self._builder.alias(key, mark)
                if self._numbered:
                    self._builder.add(key, self._numbered, parse_literal("string", mark))

    def _key_of(self, row: list[str], label: str) -> str:
        """What a row is known by: its id, its name, or its number."""
        if self._key:
            for at in self._key:
                if not row[at]:
                    raise BuildError(f"an empty {self._names[at]!r}")
            said = ",".join(row[at] for at in self._key)
            key = said if self._table.is_marked else f"{self._space}/{said}"
        elif self._label and not self._table.is_numbered:
            if not label:
                raise BuildError(f"an empty {self._names[self._label[0]]!r}, by which the row is called")
            key = label
        else:
            return f"{self._space}/{self._n}"
        if self._n <= _MOST_SEEN:
            self._n_again += hash(key) in self._seen
            self._seen.add(hash(key))
        return key

    def told(self, n_codes: int) -> Iterator[str]:
        """What the table was taken for, and how many codes notes below it explain."""
        called = (
            ", ".join(map(repr, self._table.label or self._table.key)) or "its number (a column 'name' would name it)"
        )
        kind = f", of type {self._table.type!r}" if self._table.type else ""
        said = ", ".join(column.relation for column in self._table.columns)
        yield f"a row a thing, called by {called}{kind}; relations: {said} (--text takes lines for triples)"
        for relation, separator in self._separators.items():
            if separator:
                yield f"{relation}: several things in a cell, divided by {separator.strip()!r}"
        if self.left_out:
            codes = f"; codes that they explain: {n_codes:,}" if n_codes else ""
            yield f"rows of totals or notes, left out: {len(self.left_out):,}{codes}"
        if self._n_again:
            yield f"rows about the thing of an earlier row: {self._n_again:,}; a column 'id' would tell them apart"


def _convention_of(values: Sequence[str]) -> Convention:
    """Whether numbers of a column have decimal commas, by some of them."""
    looks = Looks("")
    looks.see(values)
    return looks.convention(Convention.POINT)


def _value_of(column: Column, text: str, convention: Convention) -> Value | None:
    """A value as the mapping says it, else as it looks; ValueError where it is not what is said."""
    if not column.kind:
        return bare_value(column.relation, text)
    if column.kind == "name":
        return text
    if column.kind == "number" and (number := written(text, convention)) is not None:
        return parse_literal("number", number.text, column.unit or number.unit)
    if column.kind == "date":
        return parse_literal("date", iso_date(text) or iso_time(text) or iso_day(text))
    return parse_literal("string" if column.kind == "text" else column.kind, text, column.unit)


def _table_of(columns: dict[str, list[str]], source: str) -> Table:
    """What the columns mean, by their names and some of their values."""
    stem = "row" if source == STDIN else Path(source).name.split(".")[0]
    names, kind = [*columns], singular(said_by(stem))
    ids = [name for name in names if readable(name) in ("id", "key", f"{kind} id")]
    ids += [name for name in names[:1] if is_id_of(name, columns[name], kind)]
    key = tuple(ids[:1]) if ids and differs(columns[ids[0]]) else ()
    results = of_league(names)
    plain = [_column(results.get(name, name), columns[name], name) for name in names if name and name not in key]
    table = understood([Table(stem, key, "", (), tuple(plain))])[0]
    is_glued = table.label[:1] and readable(table.label[0]) in GLUED
    if len(table.label) == 1 and (not key or is_glued) and not may_name(table.label[0], columns):
        table = replace(table, label=())
    label = table.label or (key and called_as(kind, columns)) or named_by(columns, key, kind)
    if not key and not label:
        label = nearly_named_by(columns)
    first = next((name for name in names if name), "")
    if not key and first not in label and are_marks(columns.get(first, [])):
        key = (first,)
    if key and not label:
        label = key
    titled = () if table.label or kind in map(readable, label) else titled_by(columns, key or label)
    if titled:
        key, label = key or label, titled
    said = tuple(one for one in plain if one.names not in (label, key))
    type = _type_of(label, stem)
    is_said = any(one.relation == type for one in said)  # what has a city is none
    of_file = type_of(stem)
    if not type and not of_file and kind == readable(first):  # the "Cust." of cust.csv
        type = kind
    also = of_file if of_file != type and not any(one.relation == of_file for one in said) else ""
    is_marked = len(key) == 1 and not readable(key[0]).endswith(("id", "key"))  # an id may be one of other things too
    type = "" if is_said else type
    is_again = (
        not key
        and bool(label)
        and not differs(["".join(row) for row in zip(*(columns[one] for one in label), strict=True)])
    )
    return replace(
        table, key=key, label=label, columns=said, type=type, also=also, is_file=True, is_marked=is_marked,
        is_numbered=is_again and not table.label and not named_by(columns, key, kind),
    )  # fmt: skip


def _column(name: str, values: Sequence[str], written: str) -> Column:
    """A column ``department_id`` holds ids of rows of another table, "Flat no." marks like "A-02" of flats; ``written``
    is how its name stands there."""
    relation, said = relation_of((name,)), [value for value in values if value not in NOTHING]
    if relation.endswith(" number") and said and all(map(LETTERED.fullmatch, said)):
        relation = relation.removesuffix(" number")
    is_foreign = readable(name) != relation and readable(name).endswith(" id")
    return Column((written,), relation, table=singular(relation) if is_foreign else "")


def _type_of(label: tuple[str, ...], stem: str) -> str:
    """What rows are: as the column is called that names them ("company"), else as the file is, if that is a plural.

    Of a mark by which they are told apart ("registration") it is the file that says what they are.
    """
    named = _OF_MARK.sub("", readable(label[0])) if len(label) == 1 else ""
    of_file = type_of(stem)
    is_mark = named in _MARKS or is_code(named)
    is_kind = named and named not in (*NAMED_BY, *GLUED, *NO_KINDS) and not is_abbreviated(label[0])  # "Inc. No."
    of_file = of_file or (kind_of_records(stem) if not label or named in NO_NOUNS else "")
    return singular(named) if is_kind and not (is_mark and of_file) else of_file
