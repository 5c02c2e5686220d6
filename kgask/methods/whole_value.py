"""Questions that say what things are and one value of them, and nothing else: "vegan recipes", "Is the dal vegan?".

Where a single relation leads to that value, it is meant, whatever it is called ("tags", "category").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_table
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.retrieve.follow import relations_of
from kgask.types import opposite

_LEAD = r"(?:(?:please )?(?:list|name|show|give|find)(?: me)? )?(?:all )?(?:of )?(?:(?:which|what|the|our) )?"
_COUNTED = "how many "
_TAIL = r"(?: (?:are there|there are|exist|do we have(?: here)?|have we got|please))?"
_MOST_KINDS = 64  # answers whose kinds are looked at


def is_whole_value(found: Hypothesis, query: Query, question: str, pack: Pack) -> bool:
    """Whether a question says no more than a value and what has it, or that one thing has it, as the query does, and
    the graph says it by one relation only. Of what is denied it is not known."""
    asked = normalise(question)
    if isinstance(query, nodes.Count) is not asked.startswith(_COUNTED):
        return False
    query, asked = query.base if isinstance(query, nodes.Count) else query, asked.removeprefix(_COUNTED)
    match query:
        case nodes.Follow(nodes.Entities((value,)), relation) | nodes.And(
            nodes.Class(), nodes.Follow(nodes.Entities((value,)), relation)
        ) if relation >= pack.n_relations:
            topic = None
        case nodes.Holds(nodes.Entities((topic,)), relation, nodes.Entities((value,))) if relation < pack.n_relations:
            relation = opposite(relation, pack.n_relations)
        case _:
            return False
    if not is_table(pack) or np.flatnonzero(relations_of(pack, np.array([value]))).tolist() != [relation]:
        return False
    called = re.escape(normalise(pack.labels([value])[0]))
    if topic is not None:
        is_so = found.outcome is not None and found.outcome.truth is True
        one = re.escape(normalise(pack.labels([topic])[0]))
        return is_so and re.fullmatch(rf"(?:is|are|was|were) (?:the |our )?{one} (?:an? )?{called}", asked) is not None
    assert isinstance(query, SetNode)
    nouns = "|".join(sorted(map(re.escape, _nouns(found, query, pack))))
    forms = (
        rf"{_LEAD}{called} (?:{nouns}){_TAIL}|(?:(?:which|what)(?: of the| of our)? )?(?:{nouns}) (?:are|is) {called}"
    )
    return bool(nouns) and re.fullmatch(forms, asked) is not None


def _nouns(found: Hypothesis, query: SetNode, pack: Pack) -> set[str]:
    """What all that was found is called, in both numbers."""
    kinds: Sequence[int] = [node.type for node in query.walk() if isinstance(node, nodes.Class)]
    if not kinds and found.outcome is not None:
        kinds = found.outcome.runner.types(found.outcome.runner.members(query).possible[:_MOST_KINDS]).tolist()
    return {form for label in map(normalise, pack.labels(list(kinds))) for form in (label, plural(label))}
