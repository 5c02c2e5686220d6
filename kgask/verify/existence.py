"""Claims that say outright that something has anything of a relation: "Lake Baikal has tributaries"."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.kinship import KIN_WORDS
from kgask.methods.protocol import Retrieved
from kgask.methods.restrictors import KIN_SEX
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId, EntityId, directed, opposite
from kgask.verify.dated import Dated

SURE = 0.9  # of what is said by a relation's own name
SURELY = 0.95  # score from which one of several of a name is meant
_HAS = re.compile(
    r"(?:(?:does|did|do)\s+(?P<asked>.+?)\s+have|(?P<said>.+?)\s+(?:(?:does|did|do)\s+)?(?:has|have|had))\s+"
    r"(?:(?:an?|any|some|several|its own|his own|her own|their own)\s+)*(?P<what>[^\d,]+?)\??",
    re.IGNORECASE,
)
_WAS = re.compile(  # what relations are called that end in such a word ("married to")
    r"(?:(?:is|was|were)\s+(?P<asked>.+?)|(?P<said>.+?)\s+(?:is|was|were))\s+(?:ever\s+)?(?P<what>[a-z]+)\??",
    re.IGNORECASE,
)
_HAS_WITH = re.compile(r"(?:shares?|has|have) (?P<what>.+) with")  # "shares border with": something has a border
_DONE = re.compile(r"(?P<word>[a-z]+(?:ed|en|wn)|born|built|made|sung|won) (?:by|in|to|at|on|from|for|with)")
_BOTH_WAYS = frozenset(("spouse", "sibling"))  # said of one it is so of the other
_OF_ANYBODY = _BOTH_WAYS | {"child", "parent", "kid", "offspring"}  # kin words that do not tell who is a man


def other_sex(query: TruthNode, text: str, known: Dated, runner: Runner) -> str | None:
    """A word for kin in a claim that something has any, where the graph says that all of it are of the other sex.

    Raises as running a query does.
    """
    word = next((word for word in re.findall(r"[a-z]+", text.lower()) if word in KIN_SEX), None)
    if word is None or not isinstance(query, nodes.Some) or not isinstance(query.base, nodes.Follow):
        return None
    sexes = known.facts.sexes_of(runner.members(query.base).certain)
    return word if sexes and KIN_SEX[word] not in sexes else None


class Existence:
    """Reads such claims over one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    @cached_property
    def _called(self) -> dict[str, list[DirectedRelationId]]:
        """Directed relations by what they and their other names are called, normalised."""
        found: dict[str, list[DirectedRelationId]] = {}
        for at, text in enumerate(self._pack.relations()):
            back = directed(at, True, self._pack.n_relations)
            named = [*((name, at) for name in text.names), (text.inverse_label, back)]
            phrases = [(normalise(relation_phrase(name)), one) for name, one in named if name]
            phrases += [(said["what"], one) for phrase, one in phrases if (said := _HAS_WITH.fullmatch(phrase))]
            for phrase, one in dict.fromkeys(phrases):
                found.setdefault(phrase, []).append(one)
        return found

    @cached_property
    def _done(self) -> dict[str, list[DirectedRelationId]]:
        """The same by a participle: of "written by" those that are called "written"."""
        found: dict[str, list[DirectedRelationId]] = {}
        for phrase, relations in self._called.items():
            if done := _DONE.fullmatch(phrase):
                found.setdefault(done["word"], []).extend(relations)
        return found

    def of(self, text: str, found: Retrieved) -> nodes.Some | None:
        """Whether what a text names has anything of the relation that it says; None where it says anything else.

        So it is where several things or relations may be meant, and of kin that is a man or a woman.
        """
        said = _HAS.fullmatch(text) or _WAS.fullmatch(text)
        if said is None:
            return None
        name = "asked" if said["asked"] is not None else "said"
        places = {said.span(name), (said.start(name) + len("the "), said.end(name))}
        sure = (one for one in found.linked if one.n_same == 1 or one.seeds[0].score >= SURELY)
        named = [one for one in sure if one.span in places]
        if not named:
            return None
        entity = named[0].seeds[0].entity
        relation = self._done_to(said["what"], entity) if said.re is _WAS else self._relation(said["what"], entity)
        return None if relation is None else nodes.Some(nodes.Follow(nodes.Entities((entity,)), relation))

    def _relation(self, what: str, entity: EntityId) -> DirectedRelationId | None:
        """The relation that is called so; of several the only one that the entity has."""
        *before, last = normalise(what).split() or [""]
        phrases = [" ".join((*before, word)) for word in (last, *singulars(last))]
        if _OF_ANYBODY.isdisjoint(phrases) and not KIN_WORDS.keys().isdisjoint(phrases):
            return None
        called = [*dict.fromkeys(one for phrase in phrases for one in self._called.get(phrase, ()))]
        is_both_ways = not _BOTH_WAYS.isdisjoint(phrases)
        ways = [*called, *(opposite(one, self._pack.n_relations) for one in called if is_both_ways)]
        has = relations_of(self._pack, np.array([entity]))
        had = [one for one in ways if has[one]]
        is_one = len({one % self._pack.n_relations for one in called}) == 1  # which may be called so both ways
        return had[0] if had else called[0] if is_one else None

    def _done_to(self, what: str, entity: EntityId) -> DirectedRelationId | None:
        """A relation of the entity that is called so: "Radium was discovered"."""
        has = relations_of(self._pack, np.array([entity]))
        known = [one for one in self._done.get(normalise(what), ()) if has[one]]
        return known[0] if known else None
