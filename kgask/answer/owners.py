"""What a part without a name of its own belongs to, where that is asked for: the machine whose vulnerability it is.

What stands within a thing of a JSON file is called by that thing and a number. Nobody asks for "garnet, vulnerability
3" who does not speak of vulnerabilities.
"""

from __future__ import annotations

import re

import numpy as np

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.plurals import singulars
from kgask.methods.protocol import Request
from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.retrieve.follow import reached_by, relations_of

_PART = re.compile(r"(?P<owner>.+), (?P<kind>[^\W\d_][^,\d]*?) \d+")


def of_owners(request: Request, answer: Answer, pack: Pack) -> Answer:
    """The answer, or, where it tells parts of a kind that the question says nothing of, what these belong to."""
    found = [_PART.fullmatch(one.label) for one in answer.entities]
    query = answer.query
    if not answer or answer.parts or not isinstance(query, SetNode) or not is_small(pack):
        return answer
    if not found or not all(found):
        return answer
    kinds = {normalise(one["kind"]) for one in found if one}
    said = {form for word in normalise(request.question.text).split() for form in (word, *singulars(word))}
    if not said.isdisjoint(word for kind in kinds for word in kind.split()):
        return answer
    ids = [one.id for one in answer.entities]
    owner = next(one["owner"] for one in found if one)
    back = (
        relation
        for relation in np.flatnonzero(relations_of(pack, np.array(ids))).tolist()
        if relation >= pack.n_relations
        and pack.labels(reached_by(pack, np.array(ids[:1]), relation).tolist()) == [owner]
    )
    relation = next(back, None)
    if relation is None:
        return answer
    owners = requeried(answer, nodes.Follow(query, relation), answer.confidence, pack)
    return owners if owners else answer
