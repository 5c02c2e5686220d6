"""Nothing of a question is lost in silence: the words that no step of its query is about.

A word is accounted for where a step points at it, where it is what a followed relation is called, where it asks for an
operator that the query has, where the decoder paid attention to it, or where it carries nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from kgask.link.mentions import FUNCTION_WORDS
from kgask.link.plurals import singulars
from kgask.link.spans import CandidateSpan
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.query_onnx import Written
from kgask.query.relation_words import is_participle
from kgask.retrieve.follow import reached_by
from kgask.types import MASK

_WORD = re.compile(r"\[MASK\]|[^\W_]+(?:['\u2019&-][^\W_]+)*")
READ = 0.08  # attention from which a step is about a word: of right queries 7 % have a word below, of wrong ones 23 %
HEARD = 0.5  # attention beyond which more says nothing
SAMPLED = 20  # of what a relation leads to, whose class is looked at
ALIKE = 5  # letters that words begin with alike where they mean the same: "founded", "founder"
OPERATOR_WORDS = frozenset(
    "most least fewest more less fewer than between before after since until till during largest smallest biggest "
    "highest lowest greatest first last earliest latest average mean sum combined difference except excluding without "
    "not never larger smaller bigger higher lower earlier later maximum minimum top over "
    "under above below exactly compare compared order rank ranked ranks many frequent frequently".split()
)
CARRY_NOTHING = FUNCTION_WORDS | frozenset(
    "please kindly tell know say want like wonder wondering curious question answer possible exactly actually really "
    "very currently today now ever just even still already so well okay ok hi hey hello thanks thank anyone someone "
    "somebody find look search display enumerate mention provide return get see called named name names known "
    "there were been being one ones thing things kind sort total overall whole entire world earth database graph data "
    "list lists set true false right correct wrong case fact actual following given each every both either neither "
    "whether if but nor only also too as well per let us me could would might do does did count number amount".split()
)


_ONE_OF_SEVERAL = frozenset("first second third fourth last latest earliest current former previous".split())
_SUPERLATIVE = re.compile(  # by what a query may order: "best" says no measure
    r"(?:old|new|young|long|short|tall|high|low|deep|shallow|heavi|light|dens|fast|slow|quick|rich|poor|cheap|dear|prici|"
    r"cold|hott|warm|cool|wid|narrow|strong|weak|hard|soft|thick|thinn|bright|bigg|larg|small|great|near|farth|furth|"
    r"earli|lat|steep|clos|busi)est"
)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_PREPOSITIONS = frozenset("into in on at by of for from to with as under over".split())  # of "flows into"
LIGHT_VERBS = frozenset(
    "share shares shared sharing gain gains gained win wins won hold holds held have has had take takes took make "
    "makes made get gets got receive receives received become becomes became go goes went come comes came give gives "
    "gave".split()
)
# How else words begin that are one with a form of a verb: who won is the winner.
_STEMS = {"won": "win", "wrote": "writ", "written": "writ", "led": "lead", "taught": "teach", "built": "build"}
_STEMS |= {
    "drove": "driv",
    "rode": "rid",
    "sang": "sing",
    "sold": "sell",
    "bought": "buy",
    "made": "mak",
    "held": "hold",
}
_STEMS |= dict.fromkeys(("win", "wins", "winning", "victory", "victories"), "win")
_STEMS |= {"spoke": "speak", "drew": "draw", "chose": "choose", "ran": "run", "grew": "grow", "bred": "breed"}
_PASSED_OVER = (CARRY_NOTHING | OPERATOR_WORDS | LIGHT_VERBS) - _ONE_OF_SEVERAL  # before what a relation says


class RelationWords:
    """The words that the relations of a pack are called by."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._of, self._is_of_kind = lru_cache(None)(self._words), lru_cache(None)(self._of_kind)

    def of(self, relations: Iterable[int]) -> frozenset[str]:
        """Of directed relations, together."""
        return frozenset().union(*(self._of(relation % self.pack.n_relations) for relation in relations))

    def of_ends(self, relations: Iterable[int]) -> frozenset[str]:
        """Of the labels of those that are followed forward: what "religion" leads to are religions."""
        texts, n = self.pack.relations(), self.pack.n_relations
        return _content(" ".join(texts[one].label for one in relations if one < n))

    def called(self, noun: str) -> list[int]:
        """Relations to entities whose label ends with a noun, or with what it is the plural of."""
        return [one for word in (noun.lower(), *singulars(noun.lower())) for one in self._by_end.get(word, ())]

    def said_by(self, text: str, covered: Sequence[tuple[int, int]]) -> list[int]:
        """Relations that words of a question are about, beside the characters that are ``covered``."""
        said = [word for word in free_words(text, covered, ()) if word not in CARRY_NOTHING | OPERATOR_WORDS]
        found = [self._by_word.get(key, ()) for word in said for key in _keys(word)]
        stems = tuple(_STEMS[word] for word in said if word in _STEMS)
        found += [some for key, some in self._by_word.items() if stems and key.startswith(stems)]
        return [*dict.fromkeys(relation for some in found for relation in some)]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for relation in range(self.pack.n_relations):
            for key in {key for word in self._of(relation) for key in _keys(word)}:
                found.setdefault(key, []).append(relation)
        return found

    def elsewhere(self, text: str, covered: Sequence[tuple[int, int]], said: Collection[str]) -> tuple[str, ...]:
        """Words of a question that are what relations are called of which a query has none: "soloist", "budget".

        ``covered`` are the characters of what is accounted for otherwise, ``said`` the words of the query's relations.
        """
        words = free_words(text, covered, said)
        return tuple(word for word in words if not self._labels.isdisjoint((word, *singulars(word))))

    def roles(self, text: str, covered: Sequence[tuple[int, int]], said: Collection[str]) -> tuple[str, ...]:
        """Words of a question for those whom a relation leads to of which a query has none: "champion".

        Its label is what they are of, and this: "driver champion" leads to drivers.
        """
        named = ((word, one) for word in free_words(text, covered, said) for one in (word, *singulars(word)))
        return tuple(word for word, one in named if any(map(self._is_of_kind, self._by_last_word.get(one, ()))))

    @cached_property
    def _by_last_word(self) -> dict[str, list[tuple[int, str]]]:
        """Relations of several words by the last of them, with the others; nobody is the "used" of "language used"."""
        found: dict[str, list[tuple[int, str]]] = {}
        for relation, text in enumerate(self.pack.relations()):
            first, _, last = normalise(relation_phrase(text.label)).rpartition(" ")
            if first and last not in CARRY_NOTHING and not (is_participle(last) or last.endswith("ed")):
                found.setdefault(last, []).append((relation, first))
        return found

    def _of_kind(self, named: tuple[int, str]) -> bool:
        """Whether what a relation leads to is of a class of this name."""
        relation, kind = named
        ends, typing = self.ends(relation)[:SAMPLED], self.pack.type_relations
        kinds = {int(one) for type_relation in typing for one in reached_by(self.pack, ends, type_relation)}
        return kind in map(normalise, self.pack.labels(sorted(kinds)))

    def ends(self, relation: int) -> np.ndarray:
        """What a relation leads to (int64, ascending)."""
        return distinct(np.asarray(self.pack.out_object)[np.asarray(self.pack.out_relation) == relation])

    @cached_property
    def _by_end(self) -> dict[str, list[int]]:
        """Relations to entities by the last word of their labels; "open to visitors" leads to none."""
        found: dict[str, list[int]] = {}
        for relation, text in enumerate(self.pack.relations()):
            *before, last = "", *normalise(relation_phrase(text.label)).split()
            if last in CARRY_NOTHING or not _PREPOSITIONS.isdisjoint(before):
                continue
            if self.pack.kinds(self.ends(relation)[:1].tolist()) == ["entity"]:
                found.setdefault(last, []).append(relation)
        return found

    @cached_property
    def _labels(self) -> frozenset[str]:
        """What says something in labels of which one word does: "soloist" of "soloist at"."""
        labels = (_content(text.label) for text in self.pack.relations())
        return frozenset(word for label in labels if len(label) == 1 for word in label)

    def _words(self, relation: int) -> frozenset[str]:
        text = self.pack.relations()[relation]
        return _content(" ".join((*text.names, text.inverse_label)))


def free_words(text: str, covered: Sequence[tuple[int, int]], said: Collection[str]) -> list[str]:
    """Words in lower case that are neither accounted for nor what a query's relations are called."""
    words = (match[0].lower() for match in _WORD.finditer(text) if not is_within_any(match.span(), covered))
    return [word for word in words if not _is_called(word, said)]


def _content(names: str) -> frozenset[str]:
    return frozenset(normalise(relation_phrase(names)).split()) - CARRY_NOTHING


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a query leaves out of a question: ``words`` and names, and the least attention that any word got."""

    words: tuple[str, ...]
    least_heard: float  # at most HEARD


def left_out(
    text: str,
    spans: Sequence[CandidateSpan],
    places: Sequence[tuple[int, int]],
    written: Written,
    said: Collection[str] = (),
) -> LeftOut:
    """Content words, and spans, of a masked question that the query leaves out, in the order of the text.

    ``places`` are the characters of the ``spans`` in ``text``; an entity is told by the words that name it. ``said``
    are the words of the relations that are used.
    """
    used = {step[1] for step in written.steps if isinstance(step, tuple)}
    pointed = [places[at] for at in sorted(used)]
    left = [
        at for at, span in enumerate(spans)
        if at not in used and span.kind != "class" and not is_within_any(places[at], pointed)
    ]  # fmt: skip
    called = [_named(spans[at], text, places[at]) for at in left]
    found = [(places[at][0], name) for at, name in zip(left, called, strict=True) if not is_all_called(name, said)]
    heard = HEARD
    covered = [*pointed, *(places[at] for at in left)]
    for match in _WORD.finditer(text):
        word = match[0].removesuffix("'s")
        if word in CARRY_NOTHING or word == MASK or is_within_any(match.span(), covered):
            continue
        if _is_operator(word) or _is_called(word, said):
            continue
        attention = written.attention(*match.span())
        heard = min(heard, attention)
        if attention < READ:
            found.append((match.start(), word))
    return LeftOut(tuple(name for _, name in sorted(found)), heard)


def describing(
    text: str,
    spans: Sequence[tuple[int, int]],
    classes: Sequence[tuple[int, int]],
    said: frozenset[str],
    is_ordered: bool = False,
) -> tuple[str, ...]:
    """Words of a question that describe what a class word or a relation says, and that nothing honours.

    "red-haired" of "which red-haired actors played in Titanic?". ``spans`` are the characters of all that is accounted
    for otherwise, ``classes`` those of class words, ``said`` the words of the relations that are used;
    ``is_ordered``: the query chooses by rank ("her first husband").
    """
    found = []
    for word, noun in pairwise(_WORD.finditer(text)):
        lower = word[0].lower().removesuffix("'s").removesuffix("\u2019s")
        is_noun = is_within_any(noun.span(), classes) or _is_called(noun[0].lower(), said - _PREPOSITIONS)
        if not is_noun or _is_called(lower, said):
            continue
        if (is_ordered and (lower in _ONE_OF_SEVERAL or _SUPERLATIVE.fullmatch(lower))) or lower in _PASSED_OVER:
            continue
        if lower.endswith("er") and _THAN.search(text):  # "a greater area than"
            continue
        if not is_within_any((word.start(), word.start() + len(lower)), (*spans, *classes)):  # the name of "Kenya's"
            found.append(lower)
    return tuple(found)


def unsaid_words(text: str, words: str) -> list[str]:
    """The words of a question that carry something and that ``words`` do not say, up to how words end.

    "both" and "not" carry nothing here: whether the operator is there is for :func:`kgask.methods.demands.unmet`, and
    numbers are for :mod:`kgask.methods.doubts`.
    """
    said = frozenset(normalise(words).split())
    asked = dict.fromkeys(match[0].lower().removesuffix("'s") for match in _WORD.finditer(text))
    carrying = [word for word in asked if word not in CARRY_NOTHING | LIGHT_VERBS and not word.isdigit()]
    return [word for word in carrying if not _is_called(word, said)]


def _keys(word: str) -> tuple[str, ...]:
    """Equal for words that are one up to how they end."""
    return (word.removesuffix("s"), word[:ALIKE]) if len(word) >= ALIKE else (word.removesuffix("s"),)


def _is_called(word: str, said: Collection[str]) -> bool:
    """Whether a relation is called so, up to how words end."""
    if word in said or f"{word}s" in said or word.removesuffix("s") in said:
        return True
    if (stem := _STEMS.get(word)) is not None and any(other.startswith(stem) for other in said):
        return True
    if any(word.startswith(_STEMS[other]) for other in said if other in _STEMS):  # "build" of "year built"
        return True
    return len(word) >= ALIKE and any(other.startswith(word[:ALIKE]) for other in said)


def is_all_called(name: str, said: Collection[str]) -> bool:
    """Whether a name is in truth what a relation is called: "population" may be a thing, too."""
    return bool(said) and all(_is_called(word, said) for word in normalise(name).split())


def _is_operator(word: str) -> bool:
    """Whether it asks for an operator: whether the query has one is for :func:`kgask.methods.demands.unmet`."""
    return word in OPERATOR_WORDS


def _named(span: CandidateSpan, text: str, place: tuple[int, int]) -> str:
    return span.seeds[0].mention if span.seeds else text[place[0] : place[1]]


def is_within_any(place: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in others)
