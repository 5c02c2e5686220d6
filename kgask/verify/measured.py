"""What a claim counts or measures, where a query may count or measure something else."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from kgask.link.plurals import singulars
from kgask.link.units import own_units, unit_at
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.methods.flags import begin_alike, flags_of
from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.normalise import normalise
from kgask.pack.quantities import axis_of
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import TruthNode
from kgask.query.rewrite import replaced
from kgask.retrieve.run import Runner

_MEASURED = re.compile(
    r"\b(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty) "
    r"(?=[a-z°%€£$])",
    re.IGNORECASE,
)
MOST_LOOKED_AT = 200  # things that are counted, of which the kinds are looked at


def of_said_kind(query: TruthNode, text: str, runner: Runner) -> TruthNode:
    """A query that counts things of several kinds, of the one that is said: "four stations" counts no eruptions."""
    said = {form for word in normalise(text).split() for form in (word, *singulars(word))}
    for node in [*query.walk()]:
        if not isinstance(node, nodes.Count):
            continue
        members = runner.members(node.base).certain[:MOST_LOOKED_AT]
        for kind in distinct(runner.types(members)).tolist():
            label, is_of = normalise(runner.pack.labels([kind])[0]), runner.members(nodes.Class(kind)).possible
            if label in said and not np.isin(members, is_of).all():
                return replaced(query, node, nodes.Count(nodes.And(nodes.Class(kind), node.base)))
    return query


def drops_unit(query: TruthNode, text: str, pack: Pack, called: Collection[str]) -> bool:
    """Whether a claim measures ("12 days"), something else in the graph is measured so, and the query compares a number
    without any unit, by a relation that is not called by that word (``called``: the words of its relations)."""
    has_bare = any(isinstance(node, nodes.Number) and not node.unit for node in query.walk())
    if not has_bare or any(isinstance(node, nodes.Number) and node.unit for node in query.walk()):
        return False
    own = own_units(pack.manifest.get("axes", ()))
    for found in _MEASURED.finditer(text):
        unit = unit_at(text, found.end(), False, own)
        word = re.match(r"[a-z]+", text[found.end() :], re.IGNORECASE)
        if unit is None or (word is not None and is_all_called(word[0].lower(), called)):
            continue
        if any(relation_axis(pack, one) == axis_of(unit[1]) for one in range(pack.n_relations)):
            return True
    return False


def counts_values(query: TruthNode, text: str, pack: Pack) -> bool:
    """Whether a query counts numbers or names of something where the claim says one of them: "you dial +33"."""
    match query:
        case nodes.Compare(nodes.Count(nodes.Follow(nodes.Entities(), relation)), _, nodes.Number(number)):
            is_coded = re.search(rf"[+#]{number:g}\b", text) is not None
            return is_coded or (relation < pack.n_relations and relation_axis(pack, relation) is not None)
    return False


def is_value_of_another(query: TruthNode, runner: Runner) -> bool:
    """Whether a table has a value of something by another relation than the one by which it does not.

    Of a day that is not when the dog arrived it may be said that it left then.
    """
    if not is_table(runner.pack):
        return False
    match query:
        case nodes.Compare(nodes.Values(nodes.Entities() as base, relation), "=", value):
            pass
        case _:
            return False
    axis = relation_axis(runner.pack, relation)
    others = (one for one in range(runner.pack.n_relations) if one != relation)
    alike = (one for one in others if axis is not None and relation_axis(runner.pack, one) == axis)
    return any(runner.truth(nodes.Compare(nodes.Values(base, one), "=", value)) is True for one in alike)


def is_unsaid_flag(query: TruthNode, text: str, pack: Pack) -> bool:
    """Whether a query is about a "yes" or "no" of a table, in a column of which the claim says no word."""
    said = {form for word in normalise(text).split() for form in (word, *singulars(word))}
    for node in query.walk():
        match node:
            case nodes.Holds(_, relation, nodes.Entities((end,))) if end in flags_of(pack, relation).values():
                words = {*normalise(pack.relation_labels()[relation]).split()} - CARRY_NOTHING
                if words and not any(begin_alike(word, other) for word in words for other in said):
                    return True
    return False
