"""Whose it is: what her dog did, she did not.

"Where did Ernest Hemingway's dog die?" names him and says a relation that he has, and so it is read as if there were no
dog. A noun between a name and its verb has to be what some step of the query is about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.methods.doubts import relations_in
from kgask.methods.lives import relations_said
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by
from kgask.types import EntityId

ALIKE = 4  # letters that a noun and what a relation is called begin with alike: "holdings" of "holds"
_VERB = (
    r"(?:is|was|were|are|has|had|does|did|die|dies|died|dead|born|lived|won|wrote|made|led|taught|built|became|come|came|"
    r"spoke|went|took|buried|(?!called|named)[a-z]{3,}ed)\b"
)
_OWNED = re.compile(rf"['\u2019]s? (?P<noun>[a-z][a-z-]+) (?:not |never |also )?{_VERB}", re.IGNORECASE)
_OF = re.compile(r"\b(?:the|an?) (?:[a-z]+ )?(?P<noun>[a-z][a-z-]+) of (?:the )?\Z", re.IGNORECASE)
_BEHIND = re.compile(rf"\W+(?:not |never |also )?{_VERB}", re.IGNORECASE)
_WHOSE = re.compile(r"\bwhose ([a-z][a-z-]+) ((?!called|named|based|located)[a-z]{3,}ed)\b", re.IGNORECASE)
_WHOSE_DID = re.compile(
    r"\W*whose ([a-z]+) (?:won|wins|beat|took|got|did|has|had|lost|came|finished|(?!is|was)[a-z]{3,}ed) ", re.I
)
# What a name may itself be: "the city of Paris".
_ITSELF = CARRY_NOTHING | frozenset(
    "city town village state country kingdom empire republic duchy county province region district nation island isle "
    "river lake sea mountain continent planet element people population life body man woman person side part".split()
)
_KIN = (  # what a relation to them is called by
    frozenset("wife husband spouse partner married marries marriage wed".split()),
    frozenset("son daughter child children kid offspring father mother parent parents dad mum".split()),
    frozenset("brother sister sibling siblings parent parents child children father mother".split()),
)
_HER_KIN = re.compile(
    r"\b(?:his|her|their) (?P<noun>wife|husband|spouse|son|daughter|child|father|mother|brother|sister)\b",
    re.IGNORECASE,
)


def passes_over_owned(query: Query, text: str, spans: Mapping[EntityId, tuple[int, int]], pack: Pack) -> bool:
    """Whether a query takes from somebody what the text says of somebody or something else that is hers.

    ``spans`` are the characters of ``text`` that name each entity.
    """
    n = pack.n_relations
    owners = {
        one: noun
        for one in _asked_of(query, n, relations_said(text, pack))
        if one in spans and (noun := _owned(text, *spans[one])) is not None
    }
    kin = _HER_KIN.search(text)
    whose = _WHOSE.search(text)
    did = _WHOSE_DID.match(text) if _is_one_step(query) else None
    if not owners and kin is None and whose is None and did is None:
        return False
    names = [pack.relations()[one % n] for one in relations_in(query)]
    kinds = [node.type for node in query.walk() if isinstance(node, nodes.Class)]
    words = normalise(
        " ".join((*(word for one in names for word in (*one.names, one.inverse_label)), *pack.labels(kinds)))
    ).split()
    if kin is not None and all(kin["noun"].lower() not in of or of.isdisjoint(words) for of in _KIN):
        return True
    is_of_kin = did is not None and any(did[1].lower() in of for of in _KIN)
    if did is not None and not is_of_kin and not any(word.startswith(did[1].lower()[:ALIKE]) for word in words):
        return True  # whose bird won it is not the bird
    if whose is not None and not any(
        word.startswith((whose[1].lower()[:ALIKE], whose[2].lower()[:ALIKE])) for word in words
    ):
        return True  # neither what is hers nor what it did is said of anything
    return any(
        not any(word.startswith(noun[:ALIKE]) for word in words) and not is_all_called(noun, _kinds_of(owner, pack))
        for owner, noun in owners.items()
    )


def _asked_of(query: Query, n_relations: int, of_verbs: Collection[int]) -> Iterator[EntityId]:
    """The entities whose own relation it is that a query ends with, or that the verb says (``of_verbs``): another that
    leads on may be what the noun says."""
    nodes_of = [*query.walk()]
    bases = [node.base for node in nodes_of if isinstance(node, nodes.Follow | nodes.Values)]
    bases += [node.subject for node in nodes_of if isinstance(node, nodes.Holds)]
    for node in nodes_of:
        match node:
            case nodes.Follow(nodes.Entities((one,)), relation) | nodes.Values(nodes.Entities((one,)), relation):
                is_own = relation < n_relations and (node not in bases or relation in of_verbs)
            case nodes.Holds(nodes.Entities((one,)), relation):
                is_own = relation < n_relations
            case nodes.Holds(_, relation, nodes.Entities((one,))):
                is_own = relation >= n_relations
            case _:
                continue
        if is_own:
            yield one


def _is_one_step(query: Query) -> bool:
    return isinstance(query, nodes.Follow) and isinstance(query.base, nodes.Entities)


def _owned(text: str, start: int, end: int) -> str | None:
    """The noun of which the text says something, where it is that of what is named there."""
    found = _OWNED.match(text, end)
    if found is None and _BEHIND.match(text, end) is not None:
        found = _OF.search(text[:start])
    noun = found["noun"].lower() if found is not None else ""
    return noun if noun and noun not in _ITSELF else None


def _kinds_of(entity: EntityId, pack: Pack) -> list[str]:
    """The words of what it is."""
    found = {int(one) for relation in pack.type_relations for one in reached_by(pack, np.array([entity]), relation)}
    return normalise(" ".join(pack.labels(sorted(found)))).split()
