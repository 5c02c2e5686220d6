"""What of a question a query leaves out, whoever wrote or proposed it: names, values, and words that demand more.

Unlike what the decoder tells of its own queries (:mod:`kgask.methods.accounted`), it is seen from the query alone, and
so is the same for all that compete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from kgask.link.adjectives import places_of
from kgask.link.spans import CandidateSpan, masked
from kgask.methods.accounted import RelationWords, describing, is_all_called
from kgask.methods.class_words import ANYONE, SURE_CLASS, is_of_other_kind, is_of_other_role
from kgask.methods.demands import Shape, is_denial, unmet
from kgask.methods.events import unmeasured, unmet_event
from kgask.methods.kinship import is_other_kin
from kgask.methods.relation_facts import is_table
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import By, Node
from kgask.query.nodes import Query
from kgask.retrieve.follow import neighbours
from kgask.types import Seed

LEFT_OUT = ("names", "values", "demands")
DESCRIBED = "described"  # words that describe what is asked for
KIN = "kin"  # other kin than is asked for
_SAID_NO = ("no", "n", "false")
LOST = "lost"  # names, dates, roles and kin that nothing may leave out
DENIED = "denied"  # a "no" of two things that the graph has in another relation
MOST = 3  # of each; more add no doubt
SURE_IN_SMALL = 0.7  # score of a word that is a name though it is written small: of 58 below 11 were meant
WHOLE, SURE_NAME = ("label", "alias"), 0.2  # how common words together name an entity, and how surely
VALUES = ("number", "date", "rank")  # kinds of spans
_OPERATORS: dict[type[Node], tuple[str, ...]] = {
    nodes.And: ("AND",), nodes.Or: ("OR",), nodes.Minus: ("MINUS",), nodes.Where: ("BY",), nodes.Best: ("BY",),
    nodes.Qualified: ("QUAL",), nodes.QualifierOf: ("OF",), nodes.Count: ("COUNT",), nodes.Sum: ("SUM",),
    nodes.Mean: ("MEAN",), nodes.Min: ("MIN",), nodes.Max: ("MAX",), nodes.Difference: ("DIFF",), nodes.Age: ("AGE",),
    nodes.YearsBetween: ("AGE",),
    nodes.Some: ("SOME",), nodes.Holds: ("HOLDS",), nodes.Not: ("NOT",), nodes.All: ("AND",), nodes.Any: ("OR",),
}  # fmt: skip
_SIGNS = {">": "GT", "<": "LT", ">=": "GE", "<=": "LE", "in": "IN"}
_OF_PRIZE = re.compile(r"\b(?:laureates?|winners?|prizes?|nobels?) (?:in|for) \Z", re.IGNORECASE)
_AMID = re.compile(r"(?<![\w'])[a-z][\w'-]* \Z")  # behind a word in small letters
SENTENCE_BEGINS = re.compile(r"(?:\A|[.?!:;])[^\w]*\Z")
_APPOSED = re.compile(r"\s*[,(]?\s*(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}")
_NUMBER = re.compile(r"\d\d")  # yes and no without it are of something else; "one of the 3" may be told
_ARTICLE = re.compile(r"(?:the|an?)\b", re.IGNORECASE)
_OF_WHOM = re.compile(r"(?:[Tt]he|[Aa]n?) [a-z]+ of\b")  # "The mother of" is no title there
_LISTED = re.compile(r"(?:,|,? (?:and|or|nor|as well as)) (?:the )?", re.IGNORECASE)
_OR_ELSE = re.compile(r"\s+or\b", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\b(?:other than|besides?|except(?: for)?|apart from|aside from|excluding|not counting|leaving out)\s+"
    r"(?:the\s+)?\Z",
    re.IGNORECASE,
)


def operators_of(query: Query) -> set[str]:
    """The operators of a query, as :data:`kgask.query.postfix.OPERATORS` calls them."""
    return {name for node in query.walk() for name in _of_node(node)}


def _of_node(node: Node) -> Iterator[str]:
    yield from _OPERATORS.get(type(node), ())
    match node:
        case nodes.Where() | nodes.Qualified() | nodes.Compare():
            yield _SIGNS.get(node.comparison, "IN")
        case nodes.Best():
            yield "MOST" if node.most else "LEAST"
        case nodes.Entities(ids) if len(ids) > 1:
            yield "OR"


def left_out_of(
    query: Query, answers: np.ndarray, shape: Shape, text: str, spans: Sequence[CandidateSpan], words: RelationWords
) -> Mapping[str, float]:
    """Of :data:`LEFT_OUT`, :data:`DESCRIBED` and more, less one for each.

    ``answers`` are what the query came to, ``spans`` the question's.
    """
    said, operators, plain = words.of(relations_in(query)), operators_of(query), masked(text, spans)[0]
    of_query = set(query.walk())
    named = {entity for node in of_query if isinstance(node, nodes.Entities) for entity in node.ids}
    named |= {node.type for node in of_query if isinstance(node, nodes.Class)}
    called = words.pack.labels(sorted(named))
    labels = {normalise(label) for label in called}
    said_so = [
        one for one in spans
        if is_name(one, text) or place_of(one, text, words.pack) or _is_listed(one, spans, named, text)
        or _is_of_other_place(one, text, labels, words.pack)
    ]  # fmt: skip
    if is_table(words.pack) and not labels.isdisjoint(_SAID_NO):  # "whose insured is no" denies as well
        operators |= {"MINUS", "NOT"}
    of_names = {word for label in called for word in normalise(label).split()}  # "2019" of "2019 season"
    names = [one for one in said_so if not _is_used(one, named, text, said)]
    is_of_two = isinstance(query, nodes.Difference)  # of values of one thing, what else it has only describes it
    names = [one for one in names if not _is_beside(one, spans, named, text, words.pack, is_of_two)]
    values = [one for one in spans if one.kind in VALUES and not _is_said(one, of_query, text, said | of_names)]
    demands, excepted = unmet(plain, operators, shape, said), kept(text, spans, answers)
    classes = [one.place for one in spans if one.kind == "class"]
    described = describing(text, [one.place for one in spans], classes, said, "BY" in operators)
    kin = is_other_kin(query, plain, words.pack)
    roles = words.roles(text, [one.place for one in spans if not one.plain], said)
    lost = len(roles) + kin + is_of_other_kind(text, spans, query, answers, words.pack)
    used = {one % words.pack.n_relations for one in relations_in(query)}
    lost += is_of_other_role(text, query, used, answers, words)
    lost += any(isinstance(node, nodes.Best) for node in of_query) and _is_by_other(plain, said, named, words.pack)
    lost += sum(_is_surely_meant(one, spans, text, words.pack) for one in (*names, *values))
    lost += shape == "truth" and any(_NUMBER.search(text[one.start : one.end]) is not None for one in values)
    if shape != "truth" and len(answers) != 1:  # of one thing "not" and "German" may just be told
        lost += sum(map(is_denial, demands)) * ("DIFF" not in operators)  # "if I take this and not that"
        lost += sum(_is_place(word, words.pack) and labels.isdisjoint(_places(word)) for word in described)
    found = (len(names), len(values), len(demands) + len(excepted), len(described), kin, lost)
    counts = zip((*LEFT_OUT, DESCRIBED, KIN, LOST), found, strict=True)
    return {name: -float(min(count, MOST)) for name, count in counts}


def _is_by_other(plain: str, said: Collection[str], named: Collection[int], pack: Pack) -> bool:
    """Whether a set is ordered by what no word says: the most expensive city is not the most populous.

    In somebody's own table the words are others, and the judge knows them better.
    """
    if is_table(pack):
        return False
    known = {*said, *normalise(" ".join(pack.labels(sorted(named)))).split()}
    return unmeasured(plain, known) is not None or unmet_event(plain, " ".join(sorted(said))) is not None


def _is_place(word: str, pack: Pack) -> bool:
    """Whether a word describes by a place that the pack knows: "european"."""
    places = _places(word)
    return bool(places) and bool(pack.exact(places))


def _is_of_other_place(span: CandidateSpan, text: str, labels: set[str], pack: Pack) -> bool:
    """Whether a name is an adjective of a place that the pack knows, and nothing is called as either."""
    word = text[span.start : span.end]
    return (
        span.kind == "entity" and word[0].isupper() and _is_place(word, pack)
        and labels.isdisjoint((normalise(word), *_places(word)))
    )  # fmt: skip


def _places(word: str) -> Collection[str]:
    return places_of(normalise(word))


def _is_beside(
    span: CandidateSpan, spans: Sequence[CandidateSpan], named: Collection[int], text: str, pack: Pack, anywhere: bool
) -> bool:
    """Whether a name stands beside one that the query uses (or ``anywhere``), which the graph says something of with
    it: "Moor Hen, 156 438", "the shower curtain of E-38"."""
    if _OR_ELSE.match(text, span.end) is not None:
        return False  # "the capital of Germany Berlin or Bonn"
    others = [one for one in spans if any(seed.entity in named for seed in one.seeds)]
    beside = [
        one
        for one in others
        if anywhere or _APPOSED.fullmatch(text[min(one.end, span.end) : max(one.start, span.start)])
    ]
    used = {seed.entity for one in beside for seed in one.seeds if seed.entity in named}
    if not used:
        return False
    own = [seed.entity for seed in span.seeds]
    return any(not used.isdisjoint(neighbours(pack, own, inverse)) for inverse in (False, True))


def _is_listed(span: CandidateSpan, spans: Sequence[CandidateSpan], named: Collection[int], text: str) -> bool:
    """Whether a common word stands in a list with a name that the query uses: "radium or oxygen"."""
    if span.kind != "entity" or not span.seeds or span.seeds[0].match not in WHOLE:
        return False
    used = (one for one in spans if one is not span and any(seed.entity in named for seed in one.seeds))
    between = (text[min(one.end, span.end) : max(one.start, span.start)] for one in used)
    return any(_LISTED.fullmatch(words) is not None for words in between)


def _is_surely_meant(span: CandidateSpan, spans: Sequence[CandidateSpan], text: str, pack: Pack) -> bool:
    """Whether a name or value that is left out changes what is asked.

    A name that begins with an article may be a phrase in small letters ("the man who ..."), a number or rank may be
    said otherwise.
    """
    article = _ARTICLE.match(text[span.start : span.end])
    is_phrase = (
        article is not None and not text[span.start + article.end() :].lstrip()[:1].isupper()
    )  # "the United States"
    return span.kind == "date" or (
        span.kind == "entity" and not is_phrase and not _is_mere_word(span, spans, text, pack)
    )


def _is_mere_word(span: CandidateSpan, spans: Sequence[CandidateSpan], text: str, pack: Pack) -> bool:
    """Whether a word is hardly a name: one in small letters, or that begins the question, where others are written as
    names: "common" beside France and Germany. An adjective of a place is one, however it is written."""
    word = text[span.start : span.end]
    may_be_small = word[:1].islower() or SENTENCE_BEGINS.search(text[: span.start]) is not None
    is_one = span.seeds[0].score < SURE_IN_SMALL and len(word.split()) == 1 and not _is_place(word, pack)
    others = (one for one in spans if one.kind == "entity" and one is not span)
    return may_be_small and is_one and any(text[one.start].isupper() for one in others)


def relations_in(query: Query) -> Iterator[int]:
    """The directed relations that a query has to do with."""
    for node in query.walk():
        match node:
            case nodes.Follow() | nodes.Having() | nodes.Values() | nodes.Holds():
                yield node.relation
            case nodes.Qualified() | nodes.QualifierOf():
                yield node.relation
            case By():
                yield from node.path


def _is_used(span: CandidateSpan, named: Collection[int], text: str, said: Collection[str]) -> bool:
    return any(seed.entity in named for seed in span.seeds) or is_all_called(text[span.start : span.end], said)


def is_name(span: CandidateSpan, text: str) -> bool:
    """Whether a span names an entity: not just a common word, but two of them may ("south american"), and one that is
    written as a name amid the question ("laureates in Literature"), or that a prize is for ("laureates in physics")."""
    if span.kind != "entity" or not span.seeds or _OF_WHOM.match(text, span.start) is not None:
        return False
    is_whole = span.seeds[0].match in WHOLE and span.seeds[0].score >= SURE_NAME
    is_written_so = text[span.start].isupper() and _AMID.search(text[: span.start]) is not None
    is_written_so = is_written_so or _OF_PRIZE.search(text[: span.start]) is not None
    return not span.plain or (is_whole and (is_written_so or len(text[span.start : span.end].split()) > 1))


def place_of(span: CandidateSpan, text: str, pack: Pack) -> Seed | None:
    """Who is meant if a span is an adjective: Europe by "european", which is no plain word."""
    called = places_of(normalise(text[span.start : span.end])) if span.kind == "entity" else ()
    seeds = [seed for seed in span.seeds if seed.match == "alias"] if called else []
    labels = pack.labels([seed.entity for seed in seeds])
    return next((seed for seed, label in zip(seeds, labels, strict=True) if normalise(label) in called), None)


def is_class_word(span: CandidateSpan, text: str) -> bool:
    """Whether a span surely says a class, and one that narrows anything."""
    is_anyone = text[span.start : span.end].lower() in ANYONE
    return span.kind == "class" and span.scores[0] >= SURE_CLASS and not is_anyone


def _is_said(span: CandidateSpan, of_query: Collection[Node], text: str, said: Collection[str]) -> bool:
    """Whether a number, date or rank stands in the query, or in the name of its relation: "honey 2024", "honey 24"."""
    if span.kind != "rank":
        word = text[span.start : span.end]
        is_called = is_all_called(word, said) or (_YEAR.fullmatch(word) is not None and word[2:] in said)
        return is_called or any(node in of_query for node in span.nodes)
    ranks = {abs(int(node.number)) for node in span.nodes if isinstance(node, nodes.Number)}
    return any(isinstance(node, nodes.Best) and ranks & {node.first, node.last} for node in of_query)


def kept(text: str, spans: Sequence[CandidateSpan], answers: np.ndarray) -> list[int]:
    """Places of the spans whose entity is among the answers though the question excepts it ("other than ...")."""
    excepted = [
        at for at, one in enumerate(spans) if one.kind == "entity" and one.seeds and _EXCEPT.search(text[: one.start])
    ]
    return [at for at in excepted if spans[at].seeds[0].entity in answers]
