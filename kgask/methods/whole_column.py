"""Questions for all that stands in a column of a table: "what teams are there?", "list the sites"."""

from __future__ import annotations

import re

from kgask.link.plurals import singulars
from kgask.methods.relation_facts import is_table
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.types import undirected

_ALL = re.compile(
    r"(?:please )?(?:(?:what|which)(?: are)?(?: all)?(?: (?:the|our|my))? (?P<asked>[a-z][a-z -]*?)"
    r"(?: (?:are there|there are|exist|do we have(?: here)?|have we got|"
    r"are (?:in|on) (?:the|this|our) (?:list|table|data|file)))|"
    r"(?:list|name|show(?: me)?|give me)(?: me)?(?: all)?(?: of)?(?: (?:the|our|my))? (?P<listed>[a-z][a-z -]*?)"
    r"(?: (?:there are|we have|in (?:the|this|our) (?:list|table|data|file)))?)(?:,? please)?\W*",
    re.IGNORECASE,
)


def is_whole_column(query: Query, question: str, pack: Pack) -> bool:
    """Whether a question asks for all that stands in one column, by its name and no other word, and a query for that.

    >>> bool(_ALL.fullmatch("What teams are there?")), bool(_ALL.fullmatch("What teams does Ann lead?"))
    (True, False)
    """
    found = _ALL.fullmatch(question.strip())
    if found is None or not is_table(pack):
        return False
    match query:
        case nodes.Having(relation) if relation >= pack.n_relations:
            pass
        case nodes.Follow(nodes.Class() | nodes.Having(), relation) if relation < pack.n_relations:
            pass
        case _:
            return False
    said = normalise(found["asked"] or found["listed"])
    label = normalise(pack.relation_labels()[undirected(relation, pack.n_relations)[0]])
    return label in (said, *singulars(said))
