"""What was collected in the numbers of its arrival, numbered as a pack numbers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from kgask.build.statements import Said, resolved
from kgask.build.terms import Terms
from kgask.errors import BuildError
from kgask.pack.arrays import distinct_rows
from kgask.pack.csr import Csr, build_csr, triple_ids_of
from kgask.pack.qualifiers import build_qualifiers
from kgask.pack.records import Literal
from kgask.pack.schema import key_order

MOST_RELATIONS = 100_000  # the planner reads the words of each before a pack's first question: 0.6 ms


@dataclass(frozen=True, slots=True)
class Settled:
    """Keys, literals and relations in the order of their ids (literals after all keys), and the arrays."""

    keys: list[str]
    literals: list[Literal]
    relation_keys: list[str]
    csr: Csr
    n_duplicates: int  # triples given more than once
    n_nested: int  # statements about statements


def check_relations(keys: Collection[str]) -> None:
    """Raise :class:`BuildError` for more relations than a question can be compared with."""
    if len(keys) > MOST_RELATIONS:
        raise BuildError(
            f"{len(keys):,} relations, of which a pack holds at most {MOST_RELATIONS:,}; does the second column hold "
            f"values ({next(iter(keys))[:40]!r})? --columns says what each column is"
        )


def settled(terms: Terms, given: Said, unit_name: Callable[[str], str], kept: Sequence[int] = ()) -> Settled:
    """Number what is used by its place in sorted lists; ``unit_name`` gives the words for the key of a unit.

    ``kept`` are numbers of entities and literals (negative) that are used whether a triple names them or not.
    """
    said = resolved(given, terms, unit_name)
    (subjects, relations, objects), (rows, lengths, said_by, values) = said.triples, said.qualified()
    if not len(subjects):
        raise BuildError("no triples, so no pack")
    # Literals have negative numbers, and so the last places.
    is_used = np.zeros(len(terms.entities) + len(terms.literals), dtype=bool)
    is_spoken = np.zeros(len(terms.relations), dtype=bool)
    for used in (subjects, objects, values, np.array(kept, np.int64)):
        is_used[used] = True
    for spoken in (relations, said_by):
        is_spoken[spoken] = True
    keys = sorted(compress(terms.entities, is_used), key=key_order)
    literals = sorted(compress(terms.literals, is_used[::-1]), key=lambda x: (x.kind, x.value or 0.0, x.text, x.unit))
    relation_keys = sorted(compress(terms.relations, is_spoken), key=key_order)
    check_relations(relation_keys)
    ids = np.empty(len(is_used), dtype=np.int64)
    ids[[terms.entities[key] for key in keys]] = np.arange(len(keys))
    ids[[~terms.literals[literal] for literal in literals]] = np.arange(len(literals)) + len(keys)
    relation_ids = np.empty(len(is_spoken), dtype=np.int64)
    relation_ids[[terms.relations[key] for key in relation_keys]] = np.arange(len(relation_keys))
    columns = ids[subjects], relation_ids[relations], ids[objects]
    sizes = len(keys) + len(literals), len(relation_keys)
    csr = build_csr(*columns, *sizes)
    n_triples = len(csr.out_relation)
    if len(rows):
        triples = triple_ids_of(csr, *(column[rows] for column in columns))
        qualifiers = build_qualifiers(triples, lengths, relation_ids[said_by], ids[values], n_triples, *sizes)
        csr = replace(csr, **vars(qualifiers))
    n_duplicates = len(subjects) - n_triples
    if said.statements.size:  # a statement is no repetition of its triple
        plain = np.delete(np.stack(columns), said.statements[1, said.statements[1] >= 0], axis=1)
        n_duplicates = plain.shape[1] - len(distinct_rows(*plain)[0])
    return Settled(keys, literals, relation_keys, csr, n_duplicates, said.n_nested)
