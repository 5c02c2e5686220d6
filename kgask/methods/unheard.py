"""Rare words that nothing of a query is about: museums, where "How many museums does Paris have?" counts all it holds.

Of the words that questions use around names the planner has learned what they ask for. A word that it never met may be
another way to say what a relation does; but not where it goes on a name ("who is nolan ryan married to?" asks of no
other Nolan), is a name itself, or says what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from kgask.errors import BudgetError
from kgask.link.mentions import HONORIFICS, Word, is_joined, may_be_named
from kgask.link.numerals import numeral_at
from kgask.link.parts import MAX_NAMES, SMALL
from kgask.link.plurals import singulars
from kgask.link.units import unit_at
from kgask.methods.accounted import CARRY_NOTHING, OPERATOR_WORDS, RelationWords, is_all_called, is_within_any
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Retrieved
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.follow import neighbours
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Seed

SAMPLED = 50  # of what a query goes through, whose labels are looked at
LOOK_SECONDS = 0.5
_COUNTED = re.compile(
    r"\b(?:how many|which|what(?: (?:kind|sort|type)s? of)?|(?:is|are|was|were) there (?:an?|any)) "
    r"(?-i:[A-Z][\w.&-]* )?\Z",
    re.IGNORECASE,
)
_MOST = re.compile(r"\bthe (?:second |third )?\w{2,}est \Z", re.IGNORECASE)
_PLAYED = re.compile(r"\b(?:play(?:s|ed|ing)?|voice[sd]?|portray(?:s|ed)?) (?:[a-z]+ )?\Z", re.IGNORECASE)
_ASKED = re.compile(r"\b(?:do|does|did|is|are|was|were|has|have|had|when|where|why|how|can) \Z", re.IGNORECASE)
_COMPARES = re.compile(r"[a-z]{2,}(?:er|est)")
_PEOPLE = frozenset(
    "folks ppl peeps guys inhabitants dwellers souls persons humans states nations territories kinda".split()
)
_SAY_NO_MORE = CARRY_NOTHING | OPERATOR_WORDS | HONORIFICS | _PEOPLE | {"plus", "minus"}


def unheard(text: str, words: Sequence[Word], found: Retrieved, pack: Pack) -> tuple[str, ...]:
    """The rare words of a question that go on a name of its best query, are names or are what is counted, and that
    neither the query nor what it goes through has anything to do with.

    In a small graph, where few things can be meant and people have words of their own, only names before a class word
    that is taken whole: "the Philosophy department" is none of all departments.
    """
    query = found.hypotheses[0].make_query() if found.hypotheses else None
    rare = [at for at, word in enumerate(words) if may_be_named(word)] if query is not None else []
    if query is None or not rare:
        return ()
    named = {entity for node in query.walk() if isinstance(node, nodes.Entities) for entity in node.ids}
    classes = {node.type for node in query.walk() if isinstance(node, nodes.Class)}
    orders = any(isinstance(node, nodes.Best | nodes.Where | nodes.Compare) for node in query.walk())
    seeds = [seed for one in found.linked for seed in one.seeds if seed.entity in named]
    seeds += [seed for seed in found.seeds if seed.entity in named]
    covered = [*(seed.span for seed in seeds), *found.pointed]
    said = RelationWords(pack).of(relations_in(query)) | label_words(sorted(named | classes), pack)
    left = [
        at for at in rare
        if not is_within_any((words[at].start, words[at].end), covered) and not _is_said(words[at].norm, said)
        and not (orders and _COMPARES.fullmatch(words[at].norm))
    ]  # fmt: skip
    if pack.n_entities <= SMALL:
        called = label_words(sorted(classes), pack)
        left = [at for at in left if _is_name_or_counted(text, words, at) and _is_before(text, words, at, called)]
    left = [at for at in left if _is_name_or_counted(text, words, at) or _goes_on(text, words, at, seeds, pack)]
    met = _met(query, found.hypotheses[0].answers, pack) if left else frozenset()
    return tuple(words[at].text.strip(".").lower() for at in left if not _is_said(words[at].norm, met))


def _is_said(word: str, said: Collection[str]) -> bool:
    """Whether a word carries nothing, or is one of those ``said``."""
    return word in _SAY_NO_MORE or _is_said_of(word, said)


def _is_name_or_counted(text: str, words: Sequence[Word], at: int) -> bool:
    """Whether it is written as a name within a sentence, is who was played, or is what is asked for: "which beer"."""
    word, before = words[at], text[: words[at].start]
    if numeral_at(text, word.start) is not None or unit_at(text, word.start, True, {}) is not None:
        return False
    if word.text[0].isupper():
        is_within = at > 0 and words[at - 1].text[0].islower() and "'" not in word.text
        return is_within and before.rstrip().endswith(words[at - 1].text)
    is_last = at + 1 < len(words) and is_joined(text, word, words[at + 1]) and may_be_named(words[at + 1])
    if "'" in word.text or "\u2019" in word.text:  # "which don't"
        return False
    is_counted = _COUNTED.search(before) is not None and not is_last and not word.text.endswith(("ed", "ing"))
    return is_counted or _MOST.search(before) is not None or (_PLAYED.search(before) is not None and text.islower())


def _is_before(text: str, words: Sequence[Word], at: int, called: Collection[str]) -> bool:
    """Whether a word written as a name stands right before a word that a class is ``called`` by."""
    after = words[at + 1 : at + 2]
    is_name = words[at].text[0].isupper() and not words[at].text.isupper()
    return is_name and bool(after) and is_joined(text, words[at], after[0]) and _is_said_of(after[0].norm, called)


def _is_said_of(word: str, called: Collection[str]) -> bool:
    return any(is_all_called(one, called) for one in (word, *singulars(word)))


def _goes_on(text: str, words: Sequence[Word], at: int, seeds: Sequence[Seed], pack: Pack) -> bool:
    """Whether the name of a topic goes on with this word, in the same case: another Nolan, a town of that country."""
    word = words[at]
    for seed in seeds:
        start, end = seed.span
        is_behind = end <= word.start
        between = text[end : word.start] if is_behind else text[word.end : start]
        label = normalise(pack.labels([seed.entity])[0])
        is_first = label.startswith(f"{normalise(seed.mention)} ")  # of a person by her first name: "Keith flint"
        if (
            between.strip(" -") or len(between) != 1 or word.norm in label.replace(" ", "")
        ):  # "jrr" of "J. R. R. Tolkien"
            continue
        if text[start:end].islower() != word.text.islower() and not (is_first and is_behind):
            continue
        is_asked = is_behind and not is_first and _ASKED.search(text[:start]) is not None
        if seed.match == "typo" or (_is_part(seed, label) and not is_asked):
            return True
        if word.norm.isalnum() and _names_beside(word.norm, seed.entity, pack):
            return True
    return False


def _is_part(seed: Seed, label: str) -> bool:
    """Whether somebody is named by one word of a longer name."""
    return " " in label and normalise(seed.mention) in label.split()


def _names_beside(word: str, topic: int, pack: Pack) -> bool:
    """Whether a word is the name of what the topic has to do with, or in longer names of what is of its kind."""
    runner = Runner(pack, Budget(LOOK_SECONDS))
    hits = pack.names.hits(pack.names.refs_with_words(f'"{word}"', MAX_NAMES)).values()
    exactly = {hit.entity for hit in hits if normalise(hit.name) == word}
    if exactly & (neighbours(pack, [topic], inverse=False) | neighbours(pack, [topic], inverse=True)):
        return True
    longer = [hit.entity for hit in hits if " " in hit.name and not hit.name.islower()]
    kinds = runner.types(np.array([topic], dtype=np.int64))
    return bool(np.isin(runner.types(np.array(sorted({*longer}), dtype=np.int64)), kinds).any())


def _met(query: Query, answers: np.ndarray, pack: Pack) -> frozenset[str]:
    """The words of what the answers are and have, and of what a statement is about."""
    runner, found = Runner(pack, Budget(LOOK_SECONDS)), [answers[:SAMPLED]]
    try:
        found += [runner.members(node).possible[:SAMPLED] for node in _gone_through(query)]
        entities = np.unique(np.concatenate(found)).astype(np.int64)
        had = neighbours(pack, entities.tolist(), inverse=False)
        return label_words([*entities.tolist(), *runner.types(entities).tolist(), *sorted(had)[:SAMPLED]], pack)
    except BudgetError:
        return frozenset()


def _gone_through(query: Query) -> Iterator[nodes.Follow]:
    """What is counted, and what statements with qualifiers lead to: "his Nobel Prize" is the one in Physics."""
    with_base = nodes.Qualified | nodes.QualifierOf | nodes.Count | nodes.Some
    every = (node.base for node in query.walk() if isinstance(node, with_base))
    yield from (one for one in every if isinstance(one, nodes.Follow))


def label_words(entities: Iterable[int], pack: Pack) -> frozenset[str]:
    """The words of the labels of entities, normalised."""
    return frozenset(word for label in pack.labels([*map(int, entities)]) for word in normalise(label).split())
