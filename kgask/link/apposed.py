"""What stands before a name and only says of it what the graph knows: "the German chemist Otto Hahn" is Otto Hahn."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from kgask.link.adjectives import places_of
from kgask.link.linker import Linker
from kgask.link.mentions import FUNCTION_WORDS
from kgask.link.plurals import singulars
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.types import EntityId, Mention, Question, Seed

NAMED = 0.5  # score from which a name surely names
MOST_NEIGHBOURS, MOST_HOMES = 400, 5  # things that something is told by, and places whose own things are looked at
MOST_LOOKED_AT = 10_000  # triples that lead to an occupation, say
_WORD = r"[^\W_]+(?:['\u2019-][^\W_]+)*"
_BEFORE = re.compile(rf"(?:{_WORD} ){{2,5}}\Z")
_OF_EITHER = re.compile(
    rf"\A\W*(?P<which>which|what) (?P<words>(?:{_WORD} ){{1,3}}?)(?=(?:is|was|has|had|lived|died|won) )(?=.*\bor\b)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf", (?:the|an?|that|those) (?P<words>(?:{_WORD} ){{0,3}}{_WORD})(?:,(?= )|(?=\W*\Z))", re.IGNORECASE
)
_SAYS_NOTHING = frozenset("famous great late legendary celebrated renowned well-known wonderful beloved".split())
_THE = ("the", "our")
_HOME = re.compile(r"\b(?:birth|born|located|location|city|town|capital of)\b", re.IGNORECASE)
_YEAR = re.compile(r"1\d{3}|20\d\d")


def without_apposed(text: str, linker: Linker) -> str:
    """The text without adjectives of nations, years, kinds and occupations before a name, where the graph says all of
    what it names first, or tells nothing of the sort; any other as it is. Where it asks which of two is older, of both:
    "which German chemist is older"."""
    pack = linker.pack
    if pack.source is not None or not _has_adjective(text, pack):
        return text
    mentions = [one for one in linker.link(Question(text)) if one.seeds]
    said = _without_either(text, mentions, pack)
    if said != text:
        return said
    for mention in sorted(mentions, key=lambda one: -one.span[0]):
        text = (
            text[: _begin(text, mention, pack)] + text[mention.span[0] : mention.span[1]] + _behind(text, mention, pack)
        )
    return text


def _has_adjective(text: str, pack: Pack) -> bool:
    """Whether it says a year, that something is famous, an adjective of a place of the pack, or what a name is of."""
    words = [normalise(word) for word in re.findall(_WORD, text)]
    places = {place for word in words for place in places_of(word)}
    is_said = any(word in _SAYS_NOTHING or _YEAR.fullmatch(word) for word in words)
    return is_said or _BEHIND.search(text) is not None or any(pack.exact(places).values())


def _begin(text: str, mention: Mention, pack: Pack) -> int:
    """Where what is said of a name before it begins: at the name, where nothing is."""
    start = mention.span[0]
    found = next((found for at in range(start) if (found := _BEFORE.match(text, at, start))), None)
    if found is None:
        return start
    words = found[0].split()
    told: _Told | None = None
    for at, place in enumerate(re.finditer(_WORD, found[0])):
        said = words[at + 1 :] if words[at].lower() in _THE else words[at:] if _is_of_place(words[at], pack) else []
        if len(said) < 2 or not FUNCTION_WORDS.isdisjoint(map(normalise, said)):
            continue  # one word alone is a kind, which says who is meant
        told = told or _Told(mention.seeds[0], pack)
        if told.has_all(said):
            return found.start() + place.start()
    return start


def _is_of_place(word: str, pack: Pack) -> bool:
    return any(pack.exact({*places_of(normalise(word))}).values())


def _behind(text: str, mention: Mention, pack: Pack) -> str:
    """What follows a name, without what only says of it what is known: ", the Norwegian novelist,"."""
    end = mention.span[1]
    found = _BEHIND.match(text, end)
    if found is None or not _Told(mention.seeds[0], pack).has_all(found["words"].split()):
        return text[end:]
    return text[found.end() :]


def _without_either(text: str, mentions: list[Mention], pack: Pack) -> str:
    found = _OF_EITHER.match(text)
    if found is None:
        return text
    words = found["words"].split()
    compared = [one.seeds[0] for one in mentions if one.span[0] >= found.end()]
    told = [_Told(seed, pack) for seed in compared]
    if len(words) < 2 or len(told) < 2 or not all(one.has_all(words) for one in told):
        return text
    return text[: found.start("words")] + text[found.end("words") :]


class _Told:
    """What the graph tells of what a seed names, in words; where that is sure, what it tells nothing of may be so."""

    def __init__(self, seed: Seed, pack: Pack) -> None:
        self.pack, self.openly = pack, seed.score >= NAMED
        relations, ends = _out(seed.entity, pack)
        self._leads, labels = {*relations.tolist()}, pack.relation_labels()
        homes = [at for at in self._leads if _HOME.search(labels[at])]
        places = ends[np.isin(relations, homes)][:MOST_HOMES].tolist()
        further = [_out(place, pack)[1] for place in places]
        self._said = frozenset(self._words(np.concatenate([ends, *further])[:MOST_NEIGHBOURS]))

    def has_all(self, words: list[str]) -> bool:
        """Whether each of the words, or some of them together, is known."""
        if not words:
            return True
        n_words = range(len(words), 0, -1)
        return any(self._has(" ".join(words[:n])) and self.has_all(words[n:]) for n in n_words)

    def _has(self, phrase: str) -> bool:
        norm = normalise(phrase)
        said = {norm, *singulars(norm), *places_of(norm), norm.removesuffix(" born"), norm.removesuffix(" based")}
        return norm in _SAYS_NOTHING or not said.isdisjoint(self._said) or (self.openly and self._is_untold(norm))

    def _is_untold(self, norm: str) -> bool:
        """Whether a word is an occupation, say, of others, and the graph tells none of this."""
        ends = [hit.entity for hit in self.pack.exact([norm]).get(norm, []) if not hit.is_alias]
        if not ends or any(self.pack.exact(places_of(norm)).values()):
            return False
        row = slice(int(self.pack.in_indptr[ends[0]]), int(self.pack.in_indptr[ends[0] + 1]))
        said = {*self.pack.in_relation[row][:MOST_LOOKED_AT].tolist()}
        return bool(said) and self._leads.isdisjoint(said)

    def _words(self, ends: np.ndarray) -> Iterator[str]:
        """What ends are called, and the years of dates."""
        for label in self.pack.labels(ends.tolist()):
            yield normalise(label)
            if (year := re.match(r"\d{4}(?=\Z|-)", label)) is not None:
                yield year[0]


def _out(entity: EntityId, pack: Pack) -> tuple[np.ndarray, np.ndarray]:
    """The relations that leave an entity, and what they lead to."""
    row = slice(int(pack.out_indptr[entity]), int(pack.out_indptr[entity + 1]))
    return pack.out_relation[row], pack.out_object[row]
