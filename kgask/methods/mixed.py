"""Two relations where one is said: when one was opened and the other repaired, whom one taught or who the other.

"Was Ann born before Bob died?" says two; one word hardly does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kgask.methods.missing import words_beside
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of
from kgask.types import opposite


def mixes_relations(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a comparison or difference takes another value of one thing than of the other, and nothing says so, or
    what one leads to is put together with what leads to the other.

    ``spans`` are the characters of the question's names by their entities.
    """
    if any(isinstance(node, nodes.Or) and _is_both_ways(node, pack) for node in query.walk()):
        return True
    match query:
        case nodes.Compare(nodes.Values(left, one), _, nodes.Values(right, other)):
            pass
        case nodes.Difference(nodes.Values(left, one), nodes.Values(right, other)):
            pass
        case nodes.Age(nodes.Values(left, one), nodes.Values(right, other)):
            pass
        case _:
            return False
    match left, right:
        case nodes.Entities((first,)), nodes.Entities((second,)) if first != second and one != other:
            both = (relations_of(pack, np.array([entity])) for entity in (first, second))
            return all(has[one] and has[other] for has in both) and len(words_beside(question, spans)) < 2
    return False


def _is_both_ways(node: nodes.Or, pack: Pack) -> bool:
    match node.left, node.right:
        case nodes.Follow(nodes.Entities(), one), nodes.Follow(nodes.Entities(), other):
            return one == opposite(other, pack.n_relations)
    return False
