"""Two things compared by two different relations, though either has both: when one was opened, when the other repaired.

"Was Ann born before Bob died?" says two relations; one word hardly does.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kgask.methods.missing import words_beside
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of


def mixes_relations(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a comparison or difference takes another value of one thing than of the other, and nothing says so.

    ``spans`` are the characters of the question's names by their entities.
    """
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
