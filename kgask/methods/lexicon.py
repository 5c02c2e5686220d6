"""What people call a relation that its owner calls otherwise: "went live" of a column "commissioned".

``lexicon.txt`` beside this module holds senses: what columns are called that tell one thing (``called``, and
``called_of`` of those that lead the other way round), what they hold (``kind``) and how people say it (``said``). Where
a question says such a phrase and a single relation of a small graph has the sense, that relation is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import product
from typing import NamedTuple

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.paraphrases import without_unit
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query.axes import relation_axis
from kgask.query.ends import kind_of_ends
from kgask.retrieve.follow import relations_of
from kgask.types import EntityId, RelationId, Seed

_WRAPPED = re.compile(r"\n  ")
_WORD = re.compile(r"\w[\w'\u2019-]*")
_DATED = re.compile(r"\A(?:date|year|day|time) (?:of )?|(?: (?:date|year|day|on|in|at|dt|yr))+\Z")
_COUNTED = re.compile(r"\A(?:number of|num|no of|nr of|total) ")
_LONGEST = 6  # words of a phrase
_PREPOSITION = re.compile(r" (?:to|by|in|at|on|for|of|from|with|under)\Z")


class Sense(NamedTuple):
    """What relations are called that tell one thing."""

    kind: str  # "date", "number", "thing" or "yes/no"
    called: frozenset[str]
    called_of: frozenset[str]  # of relations that lead the other way round


class Lexicon(NamedTuple):
    """All senses, and the places of those that a phrase has."""

    senses: tuple[Sense, ...]
    said: dict[str, tuple[int, ...]]


def called_in(text: str, named: Sequence[Seed], pack: Pack) -> dict[RelationId, str]:
    """The relations that a text means by other words than their own, each with what it is called there.

    ``named`` are the things that it surely names: of several of a sense, the only relation that such a thing
    has is meant. Empty of a large graph and of one elsewhere.
    """
    if not is_small(pack) or pack.source is not None:
        return {}
    found: dict[RelationId, str] = {}
    plain = f" {normalise(text)} "
    meant, had = _meant(pack), relations_of(pack, np.array([one.entity for one in named], np.int64))
    for phrase in _phrases(text, {one.span for one in named}):
        relations = {one for sense in lexicon().said[phrase] for one in meant.get(sense, ())}
        if len(relations) > 1:
            relations = {one for one in relations if had[one[0]] or had[one[0] + pack.n_relations]}
        if len(relations) != 1:
            continue
        ((relation, is_forward),) = relations
        if _means_other(phrase, relation, pack):
            continue
        own = f" {normalise(readable_relation(pack.relation_labels()[relation]))} "
        if relation not in found and own not in plain and (is_forward or not _PREPOSITION.search(phrase)):
            found[relation] = phrase if is_forward else f"{phrase} of"
    return found


def _phrases(text: str, names: Collection[tuple[int, int]]) -> Iterator[str]:
    """The longest phrases of a text that have a sense, outside of names; none of them overlap."""
    words = [
        (one.group().lower().replace("\u2019", "'"), one.start())
        for one in _WORD.finditer(text)
        if not any(start <= one.start() < end for start, end in names)
    ]
    taken: set[int] = set()
    for n in range(_LONGEST, 0, -1):
        for at in range(len(words) - n + 1):
            phrase = " ".join(word for word, _ in words[at : at + n])
            if phrase in lexicon().said and taken.isdisjoint(range(at, at + n)):
                taken.update(range(at, at + n))
                yield phrase


@lru_cache(maxsize=8)
def _meant(pack: Pack) -> dict[int, tuple[tuple[RelationId, bool], ...]]:
    """For each sense the relations of a pack that have it, and whether they lead the way that is said."""
    found: dict[int, list[tuple[RelationId, bool]]] = {}
    for relation, label in enumerate(pack.relation_labels()):
        if relation in pack.type_relations:
            continue
        axis = relation_axis(pack, relation)
        held = ("thing", "yes/no") if axis is None else ("date",) if axis in WHEN else ("number",)
        name = normalise(readable_relation(label))
        for place, sense in enumerate(lexicon().senses):
            bare = _bare(name, sense.kind)
            if sense.kind in held and (bare in sense.called or bare in sense.called_of):
                found.setdefault(place, []).append((relation, bare in sense.called))
    return {place: tuple(relations) for place, relations in found.items()}


def _means_other(phrase: str, relation: RelationId, pack: Pack) -> bool:
    """Whether a phrase is what the pack calls a relation, or a kind of things that this one does not lead to."""
    words = {phrase, *singulars(phrase)}
    if not words.isdisjoint(normalise(readable_relation(one)) for one in pack.relation_labels()):
        return True
    kinds = [kind for label, kind in _kinds(pack).items() if label in words]
    return bool(kinds) and kind_of_ends(pack, relation) not in kinds


@lru_cache(maxsize=8)
def _kinds(pack: Pack) -> dict[str, EntityId]:
    """The kinds of things of a pack, by what they are called."""
    kinds = [] if pack.types is None else sorted({*pack.types[:, 0].tolist()})
    return dict(zip(map(normalise, pack.labels(kinds)), kinds, strict=True))


@cache
def lexicon() -> Lexicon:
    """As ``lexicon.txt`` has it."""
    text = resources.files(__package__).joinpath("lexicon.txt").read_text("utf-8")
    senses: list[Sense] = []
    said: dict[str, list[int]] = {}
    for block in text.split("\n\n")[1:]:
        kind, *lines = (line for line in block.splitlines() if not line.startswith("#"))
        fields = dict(line.split(": ", 1) for line in _WRAPPED.sub(" ", "\n".join(lines)).splitlines())
        called, called_of = ({_bare(name, kind) for name in _listed(fields, way)} for way in ("called", "of"))
        senses.append(Sense(kind, frozenset(called), frozenset(called_of)))
        for phrase in _spelled_out(_listed(fields, "said")):
            said.setdefault(phrase, []).append(len(senses) - 1)
    return Lexicon(tuple(senses), {phrase: tuple(places) for phrase, places in said.items()})


def _bare(name: str, kind: str) -> str:
    """What a relation is called, less what only says what it holds.

    >>> _bare("approved on", "date"), _bare("year of approval", "date"), _bare("number of ports", "number")
    ('approved', 'approval', 'ports')
    """
    if kind == "date":
        return _DATED.sub("", name) or name
    return _COUNTED.sub("", without_unit(name)) if kind == "number" else name


def _listed(fields: Mapping[str, str], name: str) -> frozenset[str]:
    return frozenset(fields[name].split(", ")) if name in fields else frozenset()


def _spelled_out(phrases: Iterable[str]) -> Iterator[str]:
    """Phrases without the slashes between alternatives of a word.

    >>> sorted(_spelled_out(["go/goes live"]))
    ['go live', 'goes live']
    """
    return (" ".join(words) for one in phrases for words in product(*(word.split("/") for word in one.split())))
