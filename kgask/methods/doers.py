"""Who did something most often, or so many times: "who won the most races?", "drivers with more than 50 wins"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kgask.methods.cues import Asked
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import By, Comparison, SetNode
from kgask.query.ends import kind_of_ends
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.types import opposite, undirected

ORDERED = {"superlative", "ordinal"}
MOST_DONE = 2  # relations that a question says, of which it may ask who did it most
SIGNS: tuple[Comparison, ...] = (">", "<", ">=", "<=", "=")
_WHO = re.compile(r"\W*(?:and )?(?:who|whom|everybody|everyone|anybody|anyone|people|persons)\b", re.IGNORECASE)
_STEMS_OF_DOERS = {"winner": "won|win|victor", "author": "wrote|writ|author", "champion": "won|win|champion"}


def of_doers(
    kinds: Sequence[SetNode], asked: Asked, is_value: Callable[[int], bool], pack: Pack
) -> Iterator[nodes.Query]:
    """Queries for who did most often, or so many times, what the question says, by relations that lead to ``kinds``."""
    said = [relation for relation in asked.said if not is_value(relation)][:MOST_DONE]
    for relation in (way for one in said for way in (opposite(one, pack.n_relations), one)):
        end = kind_of_ends(pack, relation)
        if any(end is None or kind != nodes.Class(end) for kind in kinds):
            continue
        base, by = nodes.Having(relation), nodes.SizeOf((relation,))
        if asked.kinds & ORDERED:
            yield from ordered(base, by, asked)
        for number in asked.counts if "filter" in asked.kinds else ():
            yield from where(base, by, number)


def ordered(base: SetNode, by: By, asked: Asked) -> Iterator[nodes.Query]:
    """From either end, at the places that are asked for."""
    for first, last in asked.ranks:
        yield from (nodes.Best(base, by, most, first, last) for most in (True, False))


def where(base: SetNode, by: By, limit: nodes.Constant) -> Iterator[nodes.Query]:
    """What lies in a range; on either side of a number or date, or just there."""
    signs = SIGNS[-1:] if isinstance(limit, nodes.Range) else SIGNS
    yield from (nodes.Where(base, by, sign, limit) for sign in signs)


def whoever_does(query: Query, pack: Pack) -> Query:
    """The query with whoever does something in the place of those whose occupation is called so: of directors by how
    many films they directed, occupations tell only some."""
    for node in query.walk():
        match node:
            case nodes.Best(
                nodes.Follow(nodes.Entities((called,)), relation) as base, nodes.SizeOf((done,))
            ) | nodes.Where(nodes.Follow(nodes.Entities((called,)), relation) as base, nodes.SizeOf((done,))) if (
                min(relation, done) >= pack.n_relations and relation != done
            ):
                names = pack.relations()[done - pack.n_relations].names
                if pack.labels([called])[0].lower() in map(str.lower, names):
                    return replaced(query, base, nodes.Having(done))
    return query


def counts_doers(query: Query, question: str, pack: Pack) -> bool:
    """Whether "who has won the second most races?" comes to what has so many winners, rather than to who won."""
    if (
        not isinstance(query, nodes.Best | nodes.Where)
        or not isinstance(query.by, nodes.SizeOf)
        or not _WHO.match(question)
    ):
        return False
    relation = query.by.path[-1]
    label = normalise(pack.relations()[undirected(relation, pack.n_relations)[0]].label).split(" ")[-1]
    stem = _STEMS_OF_DOERS.get(label, label[:-2] if label.endswith(("er", "or")) else "")
    done = re.search(rf"\b(?:{stem})\w*", question, re.IGNORECASE) if len(stem) > 2 else None
    return relation < pack.n_relations and done is not None and done[0].lower().rstrip("s") != label
