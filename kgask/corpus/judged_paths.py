"""People's wordings of relation paths, asked of a pack: the right path among those that the topic has as well."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from kgask.answer.readings import answers_in_words
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.judged import JudgedQuery, JudgedQuestion, without_doubles
from kgask.corpus.sampling import follow_path, random_topic
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.words import verbalise
from kgask.retrieve.follow import relations_of
from kgask.types import directed

LACKING = 0.2  # share of the questions about an entity that does not have what is asked
LOWER = 0.3  # share that is asked in lower case
BESIDE, BEYOND = 4, 2  # other relations of the topic, and of what the path leads to, that are shown
MOST_ENDS = 200  # of a path that are looked at
TRIES = 30  # draws of an entity that lacks a relation
SHORTEST = 3  # letters of a name
SOURCE = "near"


def path_questions(pack: Pack, examples: Sequence[PathExample], n: int, rng: random.Random) -> Iterator[JudgedQuestion]:
    """``n`` questions, or fewer where the pack has few of the relations."""
    by_key = {relation.key: index for index, relation in enumerate(pack.relations())}
    usable = [one for one in examples if one.path and MASK in one.text and all(key in by_key for key, _ in one.path)]
    made = 0
    for _ in range(20 * n if usable else 0):
        if made == n:
            return
        example = rng.choice(usable)
        path = [directed(by_key[key], inverse, pack.n_relations) for key, inverse in example.path or ()]
        found = _question(pack, example.text, path, rng)
        if found is not None:
            made += 1
            yield found


def _question(pack: Pack, wording: str, path: list[int], rng: random.Random) -> JudgedQuestion | None:
    lacking = len(path) == 1 and rng.random() < LACKING
    topic = _without(pack, path[0], rng) if lacking else random_topic(pack, path[0], rng)
    if topic is None or bool(follow_path(pack, topic, path)) == lacking:
        return None
    name = pack.labels([topic])[0]
    if len(name) < SHORTEST:
        return None
    ways = _beside(pack, topic, path, rng) + ([] if lacking else _beyond(pack, topic, path, rng))
    queries = [] if lacking else [_query(pack, topic, path, True)]
    queries += [_query(pack, topic, way, False) for way in ways]
    text = wording.replace(MASK, name)
    text = text.lower() if rng.random() < LOWER else text
    found = without_doubles([one for one in queries if one is not None])
    return JudgedQuestion(text, SOURCE, found) if found else None


def _without(pack: Pack, relation: int, rng: random.Random) -> int | None:
    for _ in range(TRIES):
        entity = rng.randrange(pack.n_entities - pack.n_literals)
        has = relations_of(pack, np.array([entity]))
        if has.any() and not has[relation]:
            return entity
    return None


def _beside(pack: Pack, topic: int, path: list[int], rng: random.Random) -> list[list[int]]:
    """Other relations of the topic, and the path cut short."""
    here = [[one] for one in np.flatnonzero(relations_of(pack, np.array([topic]))).tolist() if one != path[0]]
    return rng.sample(here, min(BESIDE, len(here))) + ([path[:-1]] if len(path) > 1 else [])


def _beyond(pack: Pack, topic: int, path: list[int], rng: random.Random) -> list[list[int]]:
    """Paths that end in another relation, or go on for one more."""
    stem = path[:-1] or path
    ends = np.array(sorted(follow_path(pack, topic, stem))[:20])
    more = [one for one in np.flatnonzero(relations_of(pack, ends)).tolist() if [*stem, one] != path]
    return [[*stem, one] for one in rng.sample(more, min(BEYOND, len(more)))]


def _query(pack: Pack, topic: int, path: list[int], right: bool) -> JudgedQuery | None:
    ends = sorted(follow_path(pack, topic, path))[:MOST_ENDS]
    if not ends:
        return None
    start: SetNode = nodes.Entities((topic,))
    query = reduce(lambda base, relation: nodes.Follow(base, relation), path, start)
    return JudgedQuery(verbalise(query, pack), answers_in_words(None, ends, pack), right)
