"""Statement nodes become qualifiers: RDF 1.2 reifiers, and the nodes that Wikidata describes its statements by.

Both are triples about a node that stands for a triple. What a source says of such a node is a qualifier, wherever in
the sources it stands; so nodes are resolved when all is read, on columns of numbers (:mod:`kgask.build.terms`).

Wikidata: an entity leads by ``p:P39`` to a statement node, that by ``ps:P39`` to the value and by ``pq:P580`` to the
value of a qualifier; ``psv:`` and ``pqv:`` lead to a value node with a time and its precision, or an amount and its
unit. Deprecated statements are left out.
https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from kgask.build.terms import Terms
from kgask.pack.arrays import spans
from kgask.pack.literals import parse_literal
from kgask.pack.records import Literal

_ONTOLOGY = "http://wikiba.se/ontology#"
_DEPRECATED = f"{_ONTOLOGY}DeprecatedRank"
_PROPERTY = re.compile(
    r"https?://www\.wikidata\.org/prop/(statement/|statement/value/|qualifier/|qualifier/value/|)(P\d+)"
)
_NOTHING = np.iinfo(np.int64).min
_NO_UNIT = "Q199"  # Wikidata's 1


class Role(IntEnum):
    """What a relation says about a statement; most say nothing and make triples."""

    PLAIN = 0
    CLAIM = 1
    VALUE = 2
    FULL_VALUE = 3
    QUALIFIER = 4
    FULL_QUALIFIER = 5
    RANK = 6
    AMOUNT = 7
    DETAIL = 8


_BY_PREFIX = {
    "": Role.CLAIM,
    "statement/": Role.VALUE,
    "statement/value/": Role.FULL_VALUE,
    "qualifier/": Role.QUALIFIER,
    "qualifier/value/": Role.FULL_QUALIFIER,
}
_BY_KEY = {
    f"{_ONTOLOGY}rank": Role.RANK,
    f"{_ONTOLOGY}timeValue": Role.AMOUNT,
    f"{_ONTOLOGY}quantityAmount": Role.AMOUNT,
    f"{_ONTOLOGY}timePrecision": Role.DETAIL,
    f"{_ONTOLOGY}quantityUnit": Role.DETAIL,
}


def role_of(relation: str) -> tuple[Role, str]:
    """The role of a relation, and the key of the relation that it is about."""
    found = _PROPERTY.fullmatch(relation)
    return (_BY_PREFIX[found[1]], found[2]) if found else (_BY_KEY.get(relation, Role.PLAIN), relation)


@dataclass(frozen=True, slots=True)
class Said:
    """What the sources say, int64 columns. A statement node is an entity's number, or a negative one."""

    triples: np.ndarray  # [3, A]: subject, relation, value
    statements: np.ndarray  # [2, S]: node and the row of its triple, -1 where a pack cannot hold that
    qualifiers: np.ndarray  # [3, Q]: node, relation, value

    n_nested: int = 0  # statements whose triple turned out to be about a statement

    def without(self, dropped: np.ndarray) -> Said:
        """Without the triples of a mask, bool [A]."""
        places = np.where(dropped, -1, np.cumsum(~dropped) - 1)
        nodes, rows = self.statements
        kept = np.where(rows < 0, -1, places[rows])
        n_lost = int(np.count_nonzero((rows >= 0) & (kept < 0)))
        return replace(
            self,
            triples=self.triples[:, ~dropped],
            statements=np.stack([nodes, kept]),
            n_nested=self.n_nested + n_lost,
        )

    def qualified(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Each statement that has qualifiers: row of its triple, number of its qualifiers [S']; these, [Q'] each."""
        nodes, relations, values = self.qualifiers[:, np.argsort(self.qualifiers[0], kind="stable")]
        owners, rows = self.statements[:, self.statements[1] >= 0]
        first, last = (np.searchsorted(nodes, owners, side) for side in ("left", "right"))
        has_any = last > first
        lengths = (last - first)[has_any]
        places = spans(first[has_any], lengths)
        return rows[has_any], lengths, relations[places], values[places]


def resolved(said: Said, terms: Terms, unit_name: Callable[[str], str]) -> Said:
    """The triples that stand for themselves, and of all others the statements that they describe.

    ``unit_name`` gives the words for the key of a unit.
    """
    found = [role_of(key) for key in terms.relations]
    if any(role for role, _ in found):
        roles, about = (
            np.array(column) for column in zip(*((r, terms.relation(key)) for r, key in found), strict=True)
        )
        said = _of_wikidata(said, roles[said.triples[1]], about, terms, unit_name)
    if not said.statements.size:
        return said
    is_node = np.isin(said.triples[0], said.statements[0])
    qualifiers = np.hstack([said.qualifiers, said.triples[:, is_node]])
    return replace(said.without(is_node), qualifiers=qualifiers)


def _of_wikidata(
    said: Said, roles: np.ndarray, about: np.ndarray, terms: Terms, unit_name: Callable[[str], str]
) -> Said:
    """Triples and statements of Wikidata's nodes; ``roles`` int [A] of the triples, ``about`` int [R] as numbers."""
    rows = {role: said.triples[:, roles == role] for role in Role if role}
    for role in (Role.CLAIM, Role.VALUE, Role.FULL_VALUE, Role.QUALIFIER, Role.FULL_QUALIFIER):
        rows[role][1] = about[rows[role][1]]
    raw, exact = _value_nodes(rows[Role.AMOUNT], rows[Role.DETAIL], terms, unit_name)
    claims = rows[Role.CLAIM][:, rows[Role.CLAIM][2] >= 0]
    subjects, relations = (np.full(len(terms.entities), -1) for _ in range(2))
    subjects[claims[2]], relations[claims[2]] = claims[0], claims[1]
    ranks = rows[Role.RANK]
    subjects[ranks[0, ranks[2] == terms.entities.get(_DEPRECATED, -1)]] = -1

    def claimed(role: Role) -> np.ndarray:
        nodes, relation, _ = found = rows[role]
        return found[:, (subjects[nodes] >= 0) & (relations[nodes] == relation)]

    values, replaced = _exactly(claimed(Role.VALUE), claimed(Role.FULL_VALUE), raw, exact)
    qualifiers, _ = _exactly(rows[Role.QUALIFIER], rows[Role.FULL_QUALIFIER], raw, exact)
    # The plain triple of a date of which only the year is known gives a day all the same.
    replaced[0] = subjects[replaced[0]]
    said = said.without((roles != Role.PLAIN) | _among(said.triples, replaced))
    new_rows = np.arange(values.shape[1]) + said.triples.shape[1]
    statements = np.hstack([said.statements, np.stack([values[0], new_rows])])
    values[0] = subjects[values[0]]
    return replace(
        said,
        triples=np.hstack([said.triples, values]),
        statements=statements,
        qualifiers=np.hstack([said.qualifiers, qualifiers]),
    )


def _value_nodes(
    amounts: np.ndarray, details: np.ndarray, terms: Terms, unit_name: Callable[[str], str]
) -> tuple[np.ndarray, np.ndarray]:
    """For every entity the literal of its time or amount, without and with precision and unit; else _NOTHING."""
    raw, exact = (np.full(len(terms.entities), _NOTHING) for _ in range(2))
    amounts = amounts[:, amounts[2] < 0]
    raw[amounts[0]] = amounts[2]
    detail_of = dict(zip(details[0].tolist(), details[2].tolist(), strict=True))
    keys, literals = list(terms.entities), list(terms.literals)
    for node, number in zip(amounts[0].tolist(), amounts[2].tolist(), strict=True):
        literal, detail = literals[~number], detail_of.get(node, _NOTHING)
        if literal.kind == "number":
            unit = keys[detail] if detail >= 0 else _NO_UNIT
            words = "" if unit == _NO_UNIT else unit_name(unit).replace("]", ")")
            literal = parse_literal("number", literal.text, words)
        elif literal.kind == "date" and _NOTHING < detail < 0:
            literal = as_precise(literal, int(literals[~detail].value or 0))
        exact[node] = terms.value(literal)
    return raw, exact


def as_precise(date: Literal, precision: int) -> Literal:
    """A day, a month (precision 10) or a year (9); a decade, century or millennium (8, 7, 6) is text."""
    found = re.fullmatch(r"(-?\d+)-(\d\d)-\d\d", date.text)
    if found is None or precision >= 11:
        return date
    if precision >= 9:
        return parse_literal("date", found[1] if precision == 9 else f"{found[1]}-{found[2]}")
    year = int(found[1])
    era, year = (" BCE", 1 - year) if year <= 0 else ("", year)
    if precision == 8:
        return Literal("string", f"{year // 10 * 10}s{era}")
    size, word = (100, "century") if precision == 7 else (1000, "millennium")
    number = (year + size - 1) // size
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return Literal("string", f"{number}{ending} {word}{era}")


def _exactly(plain: np.ndarray, full: np.ndarray, raw: np.ndarray, exact: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with the literals of value nodes in place of the plain ones; and the plain rows that these replace."""
    full = full[:, full[2] >= 0]
    full = full[:, raw[full[2]] != _NOTHING]
    replaced = np.stack([full[0], full[1], raw[full[2]]])
    return np.hstack([plain[:, ~_among(plain, replaced)], np.stack([full[0], full[1], exact[full[2]]])]), replaced


def _among(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which of the rows, int64 [3, n], are among the others, [3, m]: bool [n]."""
    if not others.shape[1]:
        return np.zeros(rows.shape[1], dtype=bool)
    both = np.hstack([rows, others])
    order = np.lexsort(both)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(both[:, order], axis=1) != 0).any(axis=0)
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(new)
    return np.isin(numbers[: rows.shape[1]], numbers[rows.shape[1] :])
