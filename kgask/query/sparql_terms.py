"""Terms, prefixes and comparisons of the SPARQL of a query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kgask.errors import QueryError
from kgask.pack.labels import clean_label
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.query.base import Comparison, Node
from kgask.query.rdf import VOCABULARY, XSD, Iris, midnight, unit_text
from kgask.query.text import entity_ids
from kgask.types import DirectedRelationId, EntityId, RelationId, undirected

MAX_VARIABLES = 4000  # of one query: nested best-of repeats what it chooses from
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]|%[0-9A-F]{2})*", re.ASCII)

# How an interval [l, h] compares with [lo, hi]: when surely, and when perhaps.
SURELY: dict[Comparison, str] = {
    "<": "{h} < {lo}",
    "<=": "{h} <= {lo}",
    ">": "{l} > {hi}",
    ">=": "{l} >= {hi}",
    "in": "{l} >= {lo} && {h} <= {hi}",
    "=": "{l} = {h} && {lo} = {hi} && {l} = {lo}",
}
PERHAPS: dict[Comparison, str] = {
    "<": "{l} < {hi}",
    "<=": "{l} <= {hi}",
    ">": "{h} > {lo}",
    ">=": "{h} >= {lo}",
    "in": "{h} >= {lo} && {l} <= {hi}",
    "=": "{h} >= {lo} && {l} <= {hi}",
}
# The same with a period (see kgask.query.nodes): the whole of [lo, hi].
SURELY_PERIOD = SURELY | {"<=": "{h} <= {hi}", ">=": "{l} >= {lo}", "=": SURELY["in"]}
PERHAPS_PERIOD = PERHAPS | {"<": "{l} < {lo}", ">": "{h} > {hi}"}


class Terms:
    """The words of one query in SPARQL: IRIs behind short prefixes, variables that are used once."""

    def __init__(self, query: Node, pack: Pack) -> None:
        self._pack = pack
        self._iris = Iris(pack)
        self._prefixes = {
            "kg:": VOCABULARY,
            "xsd:": XSD,
            "q:": self._iris.qualifiers,
            "r:": self._iris.relations,
            "e:": self._iris.entities,
        }
        self._used: dict[str, str] = {}  # term of an entity or relation -> its label, in the order of use
        self._variables: Counter[str] = Counter()
        ids = entity_ids(query)
        if ids and ids[-1] >= pack.n_entities:
            raise QueryError(f"no entity {ids[-1]} in this pack")
        self._entities = dict(zip(ids, zip(self._iris.of_entities(ids), pack.labels(ids), strict=True), strict=True))

    def variable(self, stem: str) -> str:
        """A variable that nothing else uses."""
        self._variables[stem] += 1
        if self._variables.total() > MAX_VARIABLES:
            raise QueryError("this query is too long to be written as SPARQL")
        return f"?{stem}{self._variables[stem]}"

    def entity(self, entity: EntityId) -> str:
        """The IRI of an entity that the query names."""
        iri, label = self._entities[entity]
        return self._term(iri, label)

    def relation(self, relation: RelationId) -> str:
        """The IRI of a relation between subject and object."""
        text = self._text(relation)
        return self._term(self._iris.of_relation(text.key), text.label)

    def qualifier(self, relation: RelationId) -> str:
        """The IRI of a relation between a statement and what it says besides."""
        text = self._text(relation)
        return self._term(self._iris.of_qualifier(text.key), text.label)

    def path(self, relations: Iterable[DirectedRelationId]) -> str:
        """A property path: ``r:P50/^r:P31``."""
        steps = []
        for relation in relations:
            plain, inverse = undirected(relation, self._pack.n_relations)
            steps.append(f"{'^' if inverse else ''}{self.relation(plain)}")
        return "/".join(steps)

    def triple(self, start: str, relation: DirectedRelationId, end: str) -> str:
        """The pattern of one hop from ``start`` to ``end``."""
        plain, inverse = undirected(relation, self._pack.n_relations)
        subject, obj = (end, start) if inverse else (start, end)
        return f"{subject} {self.relation(plain)} {obj} ."

    def _text(self, relation: RelationId) -> RelationText:
        if relation >= self._pack.n_relations:
            raise QueryError(f"no relation {relation} in this pack")
        return self._pack.relations()[relation]

    def _term(self, iri: str, label: str) -> str:
        term = f"<{iri}>"
        for prefix in ("q:", "r:", "e:"):
            local = iri.removeprefix(self._prefixes[prefix])
            if local != iri and _LOCAL.fullmatch(local):
                term = f"{prefix}{local}"
                break
        self._used[term] = label
        return term

    def header(self, lines: list[str]) -> list[str]:
        """What stands before ``lines``: the labels of what they name as comments, and the prefixes that they use."""
        body = "\n".join(lines)
        legend = [f"# {term} {text}" for term, label in self._used.items() if (text := comment(label))]
        used = [f"PREFIX {p} <{iri}>" for p, iri in self._prefixes.items() if re.search(rf"(?<!\w){p}\w", body)]
        return legend + used


def comment(label: str) -> str:
    """A label that cannot end a comment: one line, no backslash (SPARQL reads ``\\u000A`` as a line break anywhere)."""
    return clean_label(label.replace("\\", " "))


def double(number: float) -> str:
    """A number as xsd:double: ``3000.0e0``."""
    text = repr(float(number))
    return text if "e" in text else f"{text}e0"


def date_time(day: float) -> str:
    """A day number as xsd:dateTime."""
    return f'"{midnight(day)}"^^xsd:dateTime'


def block(opening: str, lines: Iterable[str], closing: str = "}") -> list[str]:
    """Lines indented between two others."""
    return [opening, *(f"  {line}" for line in lines), closing]


def group(lines: list[str]) -> list[str]:
    """Lines as a group of their own, so that their FILTER, OPTIONAL and MINUS concern nothing else."""
    return block("{", lines)


def ungrouped(lines: list[str]) -> list[str]:
    """The lines within, where all are one group."""
    inner = lines[1:-1]
    is_group = (lines[0], lines[-1]) == ("{", "}") and all(line.startswith("  ") for line in inner)
    return [line.removeprefix("  ") for line in inner] if is_group else lines


def either(*groups: list[str]) -> list[str]:
    """The union of groups."""
    found = group(groups[0])
    for lines in groups[1:]:
        found[-1:] = block("} UNION {", lines)
    return found


@dataclass(frozen=True, slots=True)
class Calendar:
    """Year, month and day as expressions, and the lines that bind what they name."""

    lines: list[str]
    year: str
    month: str
    day: str

    def years_since(self, born: Calendar) -> str:
        """Birthdays from ``born`` to this day."""
        earlier = f"{self.month} = {born.month} && {self.day} < {born.day}"
        before = f"{self.month} < {born.month} || ({earlier})"
        return f"{self.year_less(born)} - IF({before}, 1, 0)"

    def year_less(self, born: Calendar) -> str:
        """This day's year less that of ``born``."""
        return f"{self.year} - {born.year}"


def calendar_of_date(date: str) -> Calendar:
    """Of an xsd:dateTime."""
    return Calendar([], f"YEAR({date})", f"MONTH({date})", f"DAY({date})")


def calendar_of_day(number: str, variable: Callable[[str], str]) -> Calendar:
    """Of days since 1970-01-01, which SPARQL 1.1 cannot make a date of: :func:`kgask.pack.quantities.date_of_day`."""
    stems = ("days", "cycle", "left", "of", "since", "shifted", "day", "month", "year")
    days, cycle, left, of, since, shifted, day, month, year = map(variable, stems)
    bound = {
        days: f"FLOOR({number}) + 719468",  # since 0000-03-01
        cycle: f"FLOOR({days} / 146097)",  # of 400 years
        left: f"{days} - 146097 * {cycle}",
        of: f"FLOOR(({left} - FLOOR({left} / 1460) + FLOOR({left} / 36524) - FLOOR({left} / 146096)) / 365)",
        since: f"{left} - (365 * {of} + FLOOR({of} / 4) - FLOOR({of} / 100))",
        shifted: f"FLOOR((5 * {since} + 2) / 153)",
        day: f"{since} - FLOOR((153 * {shifted} + 2) / 5) + 1",
        month: f"IF({shifted} < 10, {shifted} + 3, {shifted} - 9)",
        year: f"{of} + 400 * {cycle} + IF({month} <= 2, 1, 0)",
    }
    return Calendar([f"BIND({words} AS {name})" for name, words in bound.items()], year, month, day)


def on_axis(value: str, axis: str, low: str, high: str) -> str:
    """The pattern of a literal's bounds on an axis."""
    bounds = f"kg:low {low}" if low == high else f"kg:low {low} ; kg:high {high}"
    return f'{value} kg:unit "{unit_text(axis)}" ; {bounds} .'


def select(words: str, lines: list[str], after: str = "") -> list[str]:
    """A query within the query; ``after`` are its GROUP BY and HAVING."""
    return block(f"{{ SELECT {words} WHERE {{", lines, f"}} {after} }}" if after else "} }")


def nothing(x: str) -> list[str]:
    """The pattern that has no solution for ``x``."""
    return [f"VALUES {x} {{ }}"]
