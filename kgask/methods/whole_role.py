"""Whose something somebody is: "pupils of Ann Lee" are those of whom "pupil of" says so, not whose pupil she was."""

from __future__ import annotations

import re

from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.relation_words import plural
from kgask.types import EntityId, RelationId

_LEAD = r"(?:(?:please )?(?:list|name|show|give|find)(?: me)? )?(?:who (?:is|are|was|were) )?(?:all )?(?:of )?(?:the )?"
_OWN = re.compile(r"['\u2019]s?(?=\s)")


def is_whole_role(query: Query, question: str, pack: Pack) -> bool:
    """Whether a question asks for those who are somebody's something, by the name of both and no other word."""
    match query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if relation >= pack.n_relations and is_small(pack):
            said = _said(topic, relation - pack.n_relations, pack)
            return said is not None and re.fullmatch(rf"{_LEAD}(?:{said})", _asked(question)) is not None
    return False


def goes_from_role(query: Query, question: str, pack: Pack) -> bool:
    """Whether it goes from somebody to those whose something she is, where a question asks for hers."""
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities((topic,)), relation) if relation < pack.n_relations:
                said = _said(topic, relation, pack)
                if said is not None and re.search(rf"\b(?:{said})\b", _asked(question)) is not None:
                    return True
    return False


def _said(topic: EntityId, relation: RelationId, pack: Pack) -> str | None:
    """A pattern for somebody's pupils, of a relation that is called "pupil of"; None where it is called otherwise."""
    label = normalise(pack.relation_labels()[relation])
    if not label.endswith(" of"):
        return None
    role, name = label.removesuffix(" of"), re.escape(normalise(pack.labels([topic])[0]))
    roles = "|".join(map(re.escape, (role, plural(role))))
    has = rf"(?:how many|which|what) (?:{roles}) (?:do|does|did|has|have|had) {name}"
    has += rf"|{name} ha(?:ve|s|d) (?:any |an? )?(?:{roles})"
    return rf"(?:{roles}) of (?:the )?{name}|{name} whose (?:{roles})|{has}"


def _asked(question: str) -> str:
    """A question as words that are compared, in which "Ann's" is "Ann whose"."""
    return normalise(_OWN.sub(" whose", question))
