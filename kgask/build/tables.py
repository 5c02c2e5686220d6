"""What the tables of a database, or files with a row a thing, mean as a graph; and the file that says it otherwise.

A row is an entity of its table's type, a column a relation to a value, a foreign key one to another row; a table that
only joins two others is a relation between them, whose further columns are qualifiers. The mapping (TOML) has a section
a table::

    [tables.Track]
    type = "track"                 # what a row is; "" for nothing
    label = ["Name"]               # the columns that name a row
    [tables.Track.columns]
    Milliseconds = "length = number[ms]"    # relation, and what its values are: number, number[UNIT], date, text, name
    AlbumId = "album -> Album"              # relation to the rows of another table
    Bytes = ""                              # left out

Of a file also the columns that tell rows apart, ``key = ["id"]``: without any, rows are told apart by what names them.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from kgask.errors import BuildError
from kgask.pack.labels import readable_relation

KINDS = ("number", "date", "text", "name")
_SPEC = re.compile(
    r"(?P<relation>[^=>]*?)\s*(?:->\s*(?P<table>\S.*)|=\s*(?P<kind>\w+)(?:\[(?P<unit>[^\]]+)\])?)?", re.DOTALL
)
_ID = re.compile(r" (?:id|key|no|fk|ref)\Z")
NAMED_BY = ("name", "title", "label", "full name", "display name")
SHORT_NAMES = ("acronym", "short name", "short title", "abbreviation")  # that things have beside a name, or an id alone
GLUED = ("fullname", "displayname", "hostname", "filename")  # which many kinds of things have, where no two the same
# The two names of a person, as columns call them.
_PERSON = (("first name", "forename", "given name", "firstname", "first"),
           ("last name", "surname", "family name", "lastname", "last"))  # fmt: skip
_MOST_BYTES = 1 << 20
# Columns that are called by a unit alone: what they measure, and the unit.
MEASURES = {"milliseconds": ("duration", "ms"), "seconds": ("duration", "s"), "minutes": ("duration", "min"),
            "hours": ("duration", "h")}  # fmt: skip
_PER = re.compile(r"(?<=[^\W\d_]{3}) ?/ ?(?=\w)(?!.*\))")  # "Passengers/day", but neither "L/min" nor "(EUR/night)"
_PRICE = re.compile(r"(?P<money>[€$£¥]|eur|usd|gbp|chf) ?(?:/|per) ?(?P<what>\w+)", re.IGNORECASE)
_TIMES = {"h": "hour", "hr": "hour", "hour": "hour", "d": "day", "day": "day", "wk": "week", "week": "week",
          "mo": "month", "month": "month", "yr": "year", "year": "year", "night": "night"}  # fmt: skip
_WITH = re.compile(r"\bw/ ?(?=\w)", re.IGNORECASE)
_HOW_WRITTEN = re.compile(
    r"\W*\((?:y{2,4}|[dm]{1,2}[./-][dm]{1,2}[./-]y{2,4}|yyyy-mm-dd|y(?:es)?/no?)\)|\?\Z", re.IGNORECASE
)
_PER_WHAT = re.compile(
    r"(?:d(?:ay)?|h(?:ou)?rs?|h|min(?:ute)?|s(?:ec)?|w(?:ee)?k|mo(?:nth)?|y(?:ea)?r|night|trip|unit|each|person|pers|head|"
    r"kg|g|l|litre|km|m|ha|bottle|case|seat|ticket|shift|visit)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column, or the several of one foreign key."""

    names: tuple[str, ...]
    relation: str  # "" leaves it out
    kind: str = ""  # of KINDS; "" for what its values look like
    unit: str = ""
    table: str = ""  # whose rows it names
    ends: tuple[str, ...] = ()  # the columns there that it is equal to

    @property
    def spec(self) -> str:
        """As the mapping file says it."""
        kind = f" = {self.kind}{f'[{self.unit}]' if self.unit else ''}" if self.kind else ""
        return f"{self.relation} -> {self.table}" if self.table and self.relation else f"{self.relation}{kind}"


@dataclass(frozen=True, slots=True)
class Table:
    """What a table means."""

    name: str
    key: tuple[str, ...]  # columns that tell its rows apart, or SQLite's name of the row number
    type: str
    label: tuple[str, ...]
    columns: tuple[Column, ...]
    joins: tuple[Column, ...] = field(default=())  # the two foreign keys of a table that only joins: subject and object
    is_file: bool = False
    also: str = ""  # what a row is besides, as its file is called
    is_numbered: bool = False  # names come again in it, so its rows are told apart by their number
    is_marked: bool = False  # its key is what other files call its rows by ("L-101")

    @property
    def relation(self) -> str:
        """Between the two that it joins."""
        return self.type


_ALIKE = re.compile(r"\b(?:species|series|means|news|headquarters|works)\Z", re.IGNORECASE)  # one or several
_IN_S = re.compile(
    r"(?:\b(?:mini|omni|air)?bus|gas|lens|atlas|virus|campus|chorus|bonus|status|circus|octopus|cactus)es\Z"
)


def understood(tables: Iterable[Table]) -> list[Table]:
    """Tables with types, labels and relations by their names, and those that only join two others recognised."""
    every = {table.name: table for table in tables}
    named = {column.table for table in every.values() for column in table.columns}
    return [_understood(table, every, table.name in named) for table in every.values()]


def _understood(table: Table, every: Mapping[str, Table], is_named: bool) -> Table:
    words, ends = readable(table.name), [column for column in table.columns if column.table]
    of_ends = {name for column in ends for name in column.names}
    is_whole = set(table.key) == of_ends or (len(table.key) < 2 and len(table.columns) <= 2)
    if len(ends) == 2 and is_whole and not is_named:
        joined = [readable(column.table) for column in ends]
        between = _without(words, joined)
        columns = tuple(column for column in table.columns if not column.table)
        return replace(table, type=between or singular(joined[1]), columns=columns, joins=(ends[0], ends[1]))
    texts = [column for column in table.columns if not column.table]
    people = [name for part in _PERSON for name in [column.names[0] for column in texts if column.relation in part][:1]]
    names = (*names_of(singular(words)), *GLUED) if len(people) < len(_PERSON) else ()  # a title is no name
    called = (column.names for name in names for column in texts if column.relation == name)
    short = (column.names for column in texts if table.key and column.relation in SHORT_NAMES)
    label = next(called, tuple(people) or next(short, ()))
    columns = tuple(column for column in table.columns if not (len(label) == 1 and column.names == label))
    return replace(table, type=singular(words), label=label, columns=columns)


def names_of(kind: str) -> tuple[str, ...]:
    """Under what the names of things of a kind may stand, the likeliest first: "host name" or "hostname" of hosts."""
    return (*NAMED_BY, f"{kind} name", f"{kind}name")


def _without(words: str, joined: list[str]) -> str:
    """What the name of a joining table says besides the two tables that it joins."""
    left = words
    for one in joined:
        for form in (one, singular(one)):
            left = re.sub(rf"\b{re.escape(form)}s?\b", "", left)
    return " ".join(left.split())


def readable(name: str) -> str:
    """The words of a table's or column's name.

    >>> readable("BirthDate"), readable("employee_ID"), readable("ReportsTo")
    ('birth date', 'employee id', 'reports to')
    >>> readable("Passengers/day"), readable("Hrs/wk"), readable("City/Town")
    ('passengers per day', 'hours per week', 'city or town')
    >>> readable("OK w/ cats"), readable("Planted (yyyy)"), readable("Paid?"), readable("Yield L/min")
    ('ok with cats', 'planted', 'paid', 'yield l/min')
    >>> readable("€/kg"), readable("£/h"), readable("£")
    ('price per kg (€)', 'rate per hour (£)', 'amount (£)')
    """
    if name.strip() in tuple("€$£¥"):
        name = f"amount ({name.strip()})"
    elif priced := _PRICE.fullmatch(name.strip()):
        time = _TIMES.get(priced["what"].lower())
        name = f"rate per {time} ({priced['money']})" if time else f"price per {priced['what']} ({priced['money']})"
    elif not name.startswith("/"):
        name = _WITH.sub("with ", _HOW_WRITTEN.sub("", name.strip()) or name)
        name = _PER.sub(lambda found: " per " if _PER_WHAT.match(name, found.end()) else " or ", name)
    return " ".join(readable_relation(name).replace("-", " ").lower().split())


def relation_of(names: tuple[str, ...]) -> str:
    """What a column is called as a relation.

    >>> relation_of(("AlbumId",)), relation_of(("ReportsTo",)), relation_of(("Id",))
    ('album', 'reports to', 'id')
    """
    return " ".join(_ID.sub("", readable(name)) for name in names)


def space_of(source: str) -> str:
    """What stands before the ids of the things of a file, which others may have too.

    >>> space_of("data/departments.csv.gz"), space_of("-")
    ('department', 'row')
    """
    return singular(readable(PurePath(source).name.split(".")[0])) if source != "-" else "row"


_SAYS_NOTHING = re.compile(
    r"\A(?:(?:my|our|all|the) )+|\W*\(\d+\)|"
    r"(?: (?:export|exported|list|data|dataset|table|dump|sheet|file|register|catalogue|catalog|inventory|log|overview|"
    r"final|new|copy|latest|(?:v|ver|version) ?\d+|(?:19|20)\d\d(?: ?\d\d?){0,2}|\d\d|q[1-4]|h[12]|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|ober)?|"
    r"to|and|spring|summer|autumn|winter|week|month|year))+\Z"
)


def said_by(stem: str) -> str:
    """What the name of a file says its things are, without its year, version, and that it is a list.

    >>> said_by("members list FINAL"), said_by("music_cupboard (1)"), said_by("Jobs 2024"), said_by("sales jan-jun")
    ('members', 'music cupboard', 'jobs', 'sales')
    """
    return _SAYS_NOTHING.sub("", readable(stem))


def type_of(stem: str) -> str:
    """What the things of a file are, if it is called by a plural.

    >>> type_of("pistes"), type_of("Media_Types"), type_of("export 2024"), type_of("stock")
    ('piste', 'media type', '', '')
    >>> type_of("contracts_export"), type_of("my_cameras"), type_of("invoices_2023"), type_of("price list")
    ('contract', 'camera', 'invoice', '')
    """
    words = said_by(stem)
    is_plural = singular(words) != words or _ALIKE.search(words) is not None
    return singular(words) if is_plural and not any(map(str.isdigit, words)) else ""


_NO_KIND = re.compile(
    r"(?:export|data|dataset|table|sheet|list|file|dump|log|output|results?|untitled|new|test|book|workbook|database|db|"
    r"csv|tsv|main|all|misc|other|notes?|records?|rows?|entries|entry|items?|info|final|copy|download|report)(?: .*)?"
)


def kind_of_records(stem: str) -> str:
    """What rows without a name are, if a file is called by a word or two: "Income", and not "Sheet1".

    >>> kind_of_records("Income"), kind_of_records("sales data"), kind_of_records("Sheet1"), kind_of_records("my log")
    ('income', 'sales', '', '')
    """
    words = said_by(stem)
    return words if re.fullmatch(r"[^\W\d_]{3,}(?: [^\W\d_]{3,})?", words) and not _NO_KIND.fullmatch(words) else ""


def singular(words: str) -> str:
    """
    >>> singular("employees"), singular("media types"), singular("categories"), singular("address"), singular("bus")
    ('employee', 'media type', 'category', 'address', 'bus')
    >>> singular("school buses"), singular("houses"), singular("causes"), singular("lenses")
    ('school bus', 'house', 'cause', 'lens')
    >>> singular("people"), singular("species"), singular("movies")
    ('person', 'species', 'movie')
    """
    if (one := re.sub(r"\bpeople\Z", "person", words)) != words:
        return one
    if _ALIKE.search(words):
        return words
    if words.endswith("ies") and len(words) > 4:
        return words[:-1] if words.endswith(("movies", "cookies", "calories")) else f"{words[:-3]}y"
    if words.endswith(("sses", "shes", "ches", "xes")) or _IN_S.search(words):
        return words[:-2]
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us", "is")) else words


def to_toml(tables: Iterable[Table], source: str) -> str:
    """The mapping file that says what is done without one."""
    lines = [
        f"# What 'kgask pack build {source} --mapping THIS_FILE -o NAME' makes of each table; edit it.",
        '# A column: "relation", "relation = number[km]" (or number, date, text, name), "relation -> Table", or "" to',
        "# leave it out. A table: what its rows are (type), and the columns that name them (label). Delete what you do",
        "# not want to be read: a table or column that is not here is left out.",
    ]
    for table in tables:
        lines += ["", f"[tables.{_key(table.name)}]"]
        if table.joins:
            first, second = (column.table for column in table.joins)
            lines.append(f"relation = {_quoted(table.relation)}  # from {_plain(first)} to {_plain(second)}")
        else:
            lines += [f"type = {_quoted(table.type)}", f"label = {json.dumps(table.label, ensure_ascii=False)}"]
        if table.is_file:
            lines.append(f"key = {json.dumps(table.key, ensure_ascii=False)}")
        if table.columns:
            lines.append(f"[tables.{_key(table.name)}.columns]")
            lines += [f"{_key(','.join(column.names))} = {_quoted(column.spec)}" for column in table.columns]
    return "\n".join(lines) + "\n"


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _quoted(text)


def _quoted(text: str) -> str:
    """A basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """For a comment."""
    return "".join(char if char.isprintable() else " " for char in text)


def from_toml(data: bytes, source: str, tables: Iterable[Table]) -> list[Table]:
    """The tables as a mapping file says; :class:`BuildError` for what the database does not have."""
    if len(data) > _MOST_BYTES:
        raise BuildError(f"{source}: longer than {_MOST_BYTES} bytes, so no mapping")
    try:
        content = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BuildError(f"{source}: not TOML ({error}); 'kgask pack map SOURCE' writes a mapping") from None
    every = {table.name: table for table in tables}
    _known(content, ("tables",), "section", source)
    found = [
        _mapped(every[_near(name, every, "table", source)], said, every, f"{source}: {name}")
        for name, said in _section(content.get("tables", {}), source).items()
    ]
    meant = {space_of(column.table) for table in found for column in table.columns if column.table}
    return [replace(table, is_marked=table.is_marked and space_of(table.name) not in meant) for table in found]


def _mapped(table: Table, said: Any, every: Mapping[str, Table], where: str) -> Table:
    said = _section(said, where)
    settings = ("relation", "columns") if table.joins else ("type", "label", "columns", *table.is_file * ("key",))
    _known(said, settings, "setting", where)
    what, label, key = said.get("relation" if table.joins else "type", ""), said.get("label", []), said.get("key", [])
    lists = all(isinstance(names, list) and all(isinstance(one, str) for one in names) for names in (label, key))
    if not isinstance(what, str) or not lists:
        raise BuildError(f"{where}: type and relation are texts, label is a list of columns, and so is key")
    if table.joins and not what.strip():
        raise BuildError(f"{where}: relation is empty; delete the table's section to leave it out")
    columns = {",".join(column.names): column for column in table.columns}
    others = (*table.label, *table.is_file * table.key)
    columns |= {name: Column((name,), relation_of((name,))) for name in others if name not in columns}
    mapped = (
        _specified(columns[_near(name, columns, "column", where)], spec, every, f"{where}.{name}")
        for name, spec in _section(said.get("columns", {}), where).items()
    )
    named = tuple(_near(name, columns, "column", where) for name in label)
    keys = tuple(_near(name, columns, "column", where) for name in key) if table.is_file else table.key
    kept = tuple(one for one in mapped if one.relation)
    also, is_marked = (table.also if what == table.type else ""), table.is_marked and keys == table.key
    is_numbered = table.is_numbered and named == table.label
    return replace(
        table, key=keys, type=what, label=named, columns=kept, also=also, is_marked=is_marked, is_numbered=is_numbered
    )


def _specified(column: Column, spec: Any, every: Mapping[str, Table], where: str) -> Column:
    found = _SPEC.fullmatch(spec.strip()) if isinstance(spec, str) else None
    if found is None:
        raise BuildError(f'{where}: write "relation", "relation = number[km]", "relation -> Table" or ""')
    kind, unit, table = found["kind"] or "", found["unit"] or "", (found["table"] or "").strip()
    if kind:
        _near(kind, KINDS, "kind", where)
    if unit and kind != "number":
        raise BuildError(f"{where}: only a number has a unit")
    if table and table != column.table:
        _near(table, every, "table", where)
        if len(column.names) != len(every[table].key):
            raise BuildError(f"{where}: rows of {table} are told apart by {', '.join(every[table].key) or 'no column'}")
    ends = column.ends if table == column.table else every[table].key if table else ()
    return replace(column, relation=found["relation"], kind=kind, unit=unit, table=table, ends=ends)


def _section(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BuildError(f"{where}: must be a section")
    return value


def _known(said: Mapping[str, Any], known: tuple[str, ...], what: str, where: str) -> None:
    for name in said:
        _near(name, known, what, where)


def _near(name: str, known: Iterable[str], what: str, where: str) -> str:
    """The name, if it is known; else BuildError with one that is near."""
    names = [*known]
    if name not in names:
        close = get_close_matches(name, names, 1)
        advice = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(map(repr, names[:8])) or 'none'}"
        raise BuildError(f"{where}: no {what} {name!r} ({advice})")
    return name
