"""What a claim may ask of the graph: only what comes to yes or no and makes sense, decided in the open world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from kgask.answer.choices import is_plain
from kgask.answer.request import Settled
from kgask.errors import BudgetError, QueryError
from kgask.methods.accounted import CARRY_NOTHING, RelationWords, is_all_called
from kgask.methods.demands import asks_for_order
from kgask.methods.doubts import DESCRIBED, relations_in
from kgask.methods.events import unmeasured, unmet_event
from kgask.methods.flags import flagged
from kgask.methods.heads import goes_by_tongue
from kgask.methods.lives import swaps_lives
from kgask.methods.mixed import compares_two_events, goes_on_unsaid, passes_over_date, shares_unsaid
from kgask.methods.of_other_sort import goes_by_other_parent
from kgask.methods.protocol import Retrieved
from kgask.methods.reach import is_of_other_scale
from kgask.methods.relation_likeness import RelationLikeness
from kgask.methods.roles import is_the_other_way
from kgask.methods.said_kind import kind_passed_over
from kgask.methods.signs import is_other_way, is_part_of_period, is_period
from kgask.methods.voice import goes_by_unsaid_verb
from kgask.methods.whose import passes_over_owned
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, TruthNode
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId
from kgask.verify.dated import Dated
from kgask.verify.decision import Decision
from kgask.verify.described import goes_beyond, has_capital, is_number_of_name, takes_preposition
from kgask.verify.engines import Engine
from kgask.verify.exactness import as_stated
from kgask.verify.existence import SURE as SURE_OUTRIGHT
from kgask.verify.existence import Existence, other_sex
from kgask.verify.honoured import means_a_third, names_a_kind, strays, unhonoured
from kgask.verify.measured import counts_values, drops_unit, is_unsaid_flag, is_value_of_another, of_said_kind
from kgask.verify.sense import is_alike, is_sensible, mixes_kinds
from kgask.verify.universal import of_all, without_all
from kgask.verify.world import World

DECIDE_SECONDS = 8.0
HELD = 0.15  # of likeness, that two names are in such a relation
MOST_LOOKED_AT = 20  # queries that a claim may ask
NEARLY = 0.35  # of confidence: a contrary reading within it is a doubt
SURE_NAME = 0.6  # score from which a name that no step has is left out
SURE = 0.75  # confidence from which a noun that no relation is called by is another word for it
_OF_SOMETHING = re.compile(
    r"['\u2019]s (?:only |first |own )?([a-z]+)\b|\b[Tt]he ([a-z]+) of\b|\ban? ([a-z]+) (?:about|called|named|titled)\b"
)
_LAST_NOUN = re.compile(r"\b(?:is|are|was|were) [a-z]+(?:ed|en|de|lt|nt|ght) (?:of|with|from|by|in) ([a-z]{4,})\W*\Z")
_TWICE = re.compile(r"\b([A-Z]\w{2,})\b.*\b\1\b", re.DOTALL)  # "Germany borders Germany"
_FROM_TO = re.compile(r"\bfrom [^,]*\d{3,4} (?:to|until|till) [^,]*\d{3,4}\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d{3,}")  # of a number or year that a query has to have
_PLACED = frozenset("lies lie lay stands stand stood sits sit sat located situated".split())  # as "is" says
_NO_NOUNS = CARRY_NOTHING | frozenset("man woman person people side part member end south north east west".split())


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How claims are judged."""

    closed_world: bool = False  # what no triple says is false
    single: frozenset[DirectedRelationId] = frozenset()  # relations that have one end, beside those that it learned
    complete: frozenset[DirectedRelationId] = frozenset()  # relations of which the graph has all ends
    min_confidence: float | None = None  # None: the fitted ones
    engine: Engine = "rigel"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sub-claim may ask, decided."""

    found: Retrieved
    query: TruthNode | None
    decision: Decision | None
    reason: str  # why it is not enough
    is_unknown: bool = False  # since it names what is not in the pack
    is_openly: bool = False  # of what is asked instead: who is so, or of how many it is so

    @property
    def worth(self) -> float:
        """By which readings are chosen."""
        return self.found.confidence if self.query is not None else -1.0


class Readings:
    """Reads sub-claims over one pack."""

    def __init__(self, pack: Pack, options: VerifyOptions, likeness: RelationLikeness | None = None) -> None:
        """``likeness`` tells which of the things that the graph proposes are looked at; without it the first ones."""
        self._pack, self._options, self._words, self._likeness = pack, options, RelationWords(pack), likeness
        self._dated, self._existence = Dated(pack), Existence(pack)

    def as_truth(self, found: Retrieved, text: str) -> Retrieved:
        """Of what a question may ask, that which comes to yes or no and makes sense; no hypotheses where nothing does.

        What leaves nothing of the question out goes before the rest.
        """
        truths = [found] if self._is_plain(found, text) else self.truths(found, text)
        if not truths:
            return replace(found, hypotheses=(), find_alternatives=lambda: iter(()))
        truths = [one for one in truths if not _n_left_out(one) and not self._unsaid(_query(one), text)] or truths
        first = truths[0]
        return replace(
            first, find_alternatives=lambda: iter(truths[1:]), linked=found.linked, candidates=found.candidates,
            read_as=first.read_as or found.read_as,
        )  # fmt: skip

    def _is_plain(self, found: Retrieved, text: str) -> bool:
        """Whether nothing else need be looked for: the planner is sure of a truth that says every word."""
        if not found.hypotheses or not _is_truth(found) or self._is_other_way(found, text):
            return False
        return not _n_left_out(found) and is_plain(found, text, self._pack)

    def truths(self, found: Retrieved, text: str, most: int = MOST_LOOKED_AT) -> list[Retrieved]:
        """Of what a question may ask, that which comes to yes or no and makes sense; at most so many."""
        every = [one for one in chain((found,), found.find_alternatives()) if one.hypotheses]
        proposed = [one for one in every if one.is_proposed]
        if self._likeness is not None and len(every) > most:
            proposed = self._likeliest(proposed, text)
        ranked = chain((one for one in every if not one.is_proposed), proposed)
        kept = list(islice((one for one in ranked if _is_truth(one) and not self._is_other_way(one, text)), most))
        if _FROM_TO.search(text) and any(is_period(_query(one)) for one in kept):
            return [one for one in kept if not is_part_of_period(_query(one))]
        return kept

    def _is_other_way(self, found: Retrieved, text: str) -> bool:
        query = _query(found)
        is_other = is_other_way(query, text, found.seeds, self._pack) or strays(query, text)
        is_other = is_other or goes_beyond(query, text, self._pack) or takes_preposition(query, text, found.seeds)
        spans = {one.entity: one.span for one in found.seeds}
        is_other = is_other or swaps_lives(query, text, spans, self._pack)
        is_other = is_other or is_the_other_way(query, text, spans, self._pack)
        is_other = is_other or passes_over_owned(query, text, spans, self._pack)
        is_other = is_other or compares_two_events(query, text, spans) or _is_of_itself(query)
        is_other = is_other or is_number_of_name(query, text, _without_names(text, found))
        is_other = is_other or counts_values(query, text, self._pack) or shares_unsaid(query, text)
        is_other = is_other or goes_on_unsaid(query, text, self._pack) or goes_by_tongue(query, text, self._pack)
        is_other = is_other or drops_unit(query, text, self._pack, self._words.of(relations_in(query)))
        return is_other or names_a_kind(query, _without_names(text, found)) or means_a_third(query, text, self._pack)

    def _likeliest(self, proposed: Sequence[Retrieved], text: str) -> list[Retrieved]:
        """Those whose relations are alike to what is said of the names before the others; more so what is so."""
        assert self._likeness is not None
        asked = [list(relations_in(query)) for one in proposed if (query := one.hypotheses[0].make_query())]
        places = sorted({seed.span for one in proposed for seed in one.seeds}, reverse=True)
        for start, end in places:
            text = f"{text[:start]}it{text[end:]}"
        alike = self._likeness.of(text, asked)
        worth = [like + HELD * _is_held(one) for like, one in zip(alike, proposed, strict=True)]
        return [proposed[at] for at in np.argsort([-one for one in worth], kind="stable").tolist()]

    def of(self, settled: Settled) -> Reading:
        """What a wording was settled to be, decided."""
        found, text, misnamed = settled.found, settled.text, settled.misnamed
        query = found.hypotheses[0].make_query() if found.hypotheses else None
        outright = None if misnamed else self._existence.of(text, found)
        if outright is not None:
            query, found = outright, replace(found, confidence=max(found.confidence, SURE_OUTRIGHT), unused_words=())
        elif not isinstance(query, TruthNode):
            reason = misnamed or "no query over this graph says what this claims"
            return Reading(found, None, None, reason, settled.is_unknown)
        assert isinstance(query, TruthNode)
        query = flagged(self._pack, as_stated(query, text))
        assert isinstance(query, TruthNode)
        if settled.is_unknown and misnamed is not None:
            return Reading(found, query, None, misnamed, is_unknown=True)
        some = without_all(text)
        whole = of_all(query, text, found, self._pack.n_relations) if some is not None else None
        if outright is None and (doubt := misnamed or self._left_out(found, query, text, is_of_all=whole is not None)):
            return Reading(found, query, None, doubt)
        world = self._world()
        runner = world.runner
        try:
            query = of_said_kind(whole or query, text, runner)
            decision = world.decide(query)
            if decision.truth is False and is_value_of_another(query, runner):
                return Reading(found, query, None, "the graph has this value, of another relation")
            if is_of_other_scale(query, text, runner):
                return Reading(found, query, None, "the graph measures this in another unit")
            if kin := other_sex(query, text, self._dated, runner):
                return Reading(found, query, None, f"what {kin!r} claims is not so of whom it may be")
            named = [(seed.span, seed.entity) for seed in found.seeds]
            if decision.truth and (kind := kind_passed_over(query, text, named, self._pack)):
                return Reading(found, query, None, f"the graph does not say that this is a {kind}")
            if decision.truth is False and (wider := without_half_said(query, text, self._pack)) != query:
                query, decision = wider, world.decide(wider)
            if decision.truth is False and not self._options.closed_world and mixes_kinds(runner, query):
                return Reading(found, query, None, "this graph leads to nothing of the kind that it names")
            if decision.truth is not False and (number := _number_left_out(query, _without_names(text, found))):
                dated = self._dated.of(query, text, runner) if decision.truth else None
                if dated is None:
                    return Reading(found, query, None, f"it does not honour {number!r}")
                query, decision = dated, world.decide(dated)
        except (QueryError, BudgetError) as error:
            return Reading(found, query, None, str(error))
        return Reading(found, query, decision, f"the graph does not say {verbalise(query, self._pack)}")

    def decided(self, text: str, names: Sequence[str], query: TruthNode, confidence: float) -> Reading:
        """A query that says what a text with these names claims, decided."""
        found, plain = Retrieved(confidence=confidence), text
        for name in names:
            plain = plain.replace(name, "_")
        called, known = self._words.of(relations_in(query)), self._known(query)
        word = unhonoured(plain, query, called) or unmet_event(plain, " ".join(sorted(called)))
        if word := word or unmeasured(plain, known):
            return Reading(found, query, None, f"this graph says nothing about {word!r}")
        world = self._world()
        try:
            decision = world.decide(query)
        except (QueryError, BudgetError) as error:
            return Reading(found, query, None, str(error))
        reason = f"the graph does not say {verbalise(query, self._pack)}"
        return Reading(found, query, decision, reason, is_openly=True)

    def _world(self) -> World:
        options = self._options
        return World(Runner(self._pack, Budget(DECIDE_SECONDS)), options.closed_world, options.single, options.complete)

    def _left_out(self, found: Retrieved, query: TruthNode, text: str, is_of_all: bool = False) -> str:
        """What of the claim the query does not honour; a verdict would be on another claim."""
        called, masked = self._words.of(relations_in(query)), _without_names(text, found)
        masked = (without_all(masked) or masked) if is_of_all else masked
        if (found_word := unhonoured(masked, query, called)) is not None:
            return f"what {found_word!r} claims is not looked at"
        if isinstance(query, nodes.Some) and isinstance(query.base, nodes.Follow) and _TWICE.search(text):
            return "it does not honour every name of the claim"
        passed = _PLACED | {"same"} if any(map(is_alike, query.walk())) else _PLACED
        words = [word for word in found.unused_words if not asks_for_order(word) and word.lower() not in passed]
        words = [word for word in words if not _DIGITS.search(word)]  # which is looked at by itself
        if found.confidence < SURE:
            words = words or self._unsaid(query, text) or self._unknown_last(found, query, text)
        event = unmet_event(_without_names(text, found, with_capital=True), " ".join(sorted(called)))
        words = words or ([event] if event is not None else []) or self._unmeasured(found, query, text)
        if words:
            return f"this graph says nothing about {', '.join(map(repr, words))}"
        if passes_over_date(query, text, self._pack):
            return "it compares other dates than the claim does"
        if goes_by_unsaid_verb(query, text, self._pack) or goes_by_other_parent(query, masked, self._pack):
            return "it goes by a verb, or a parent, that the claim does not say"
        if is_unsaid_flag(query, text, self._pack):
            return "no word of it says what the column is about"
        if _is_taken_twice(found, query):
            return "it takes one name for two things"
        is_left_out = found.find_left_out().get("names") or self._leaves_name_out(found, query, text)
        return "it does not honour every name of the claim" if is_left_out else ""

    def _unmeasured(self, found: Retrieved, query: TruthNode, text: str) -> list[str]:
        """What something is said to be the most of that no value which the query orders by is."""
        if not any(isinstance(node, nodes.Best) for node in query.walk()):
            return []
        word = unmeasured(_without_names(text, found), self._known(query))
        return [word] if word is not None else []

    def _known(self, query: TruthNode) -> frozenset[str]:
        """The words of a query's relations and of what it names."""
        named = [entity for node in query.walk() for entity in _entities(node)]
        return self._words.of(relations_in(query)) | set(normalise(" ".join(self._pack.labels(named))).split())

    def _leaves_name_out(self, found: Retrieved, query: TruthNode, text: str) -> bool:
        """Whether something that is surely named, beside what the query names, is in none of its steps."""
        named = {entity for node in query.walk() for entity in _entities(node)}
        used, known = [seed.span for seed in found.seeds if seed.entity in named], self._known(query)
        sure = (one for one in found.linked if has_capital(text, one.span) and one.seeds[0].score >= SURE_NAME)
        return any(
            not any(one.span[0] < end and start < one.span[1] for start, end in used)
            and not named & {seed.entity for seed in one.seeds}
            and not is_all_called(one.text, known)
            for one in sure
        )

    def _unknown_last(self, found: Retrieved, query: TruthNode, text: str) -> list[str]:
        """What something is made of, filled with or infested by, where neither query nor graph says that word."""
        said = _LAST_NOUN.search(_without_names(text, found))
        is_known = said is None or said[1].lower() in _NO_NOUNS or is_all_called(said[1].lower(), self._known(query))
        return [] if is_known or said is None else [said[1]]

    def _unsaid(self, query: TruthNode, text: str) -> list[str]:
        """What one thing is said to be of another ("Kate's mother", "the mayor of Turku", "a book about
        herring") and no step is about."""
        known = self._known(query)
        nouns = [found[1] or found[2] or found[3] for found in _OF_SOMETHING.finditer(text)]
        return [noun for noun in nouns if noun.lower() not in _NO_NOUNS and not is_all_called(noun, known)]


def _is_taken_twice(found: Retrieved, query: TruthNode) -> bool:
    """Whether the same words of a claim are taken for what they name and for a class: "Laos" for those with Lao."""
    nodes_of = set(query.walk())
    named = {entity for node in nodes_of if isinstance(node, nodes.Entities) for entity in node.ids}
    spans = found.read_as.readings[0].spans if found.read_as is not None and found.read_as.readings else ()
    for one in (span for span in spans if span.kind == "class"):
        meant = {seed.entity for other in spans if other.place == one.place for seed in other.seeds} & named
        taken = [node for node in one.nodes if node in nodes_of]  # "solid" may be what has that state itself
        if meant and any(
            meant.isdisjoint(entity for part in node.walk() for entity in _entities(part)) for node in taken
        ):
            return True
    return False


def _is_of_itself(query: TruthNode) -> bool:
    """Whether something is claimed of a thing and itself: "and India too" is no claim that India left India."""
    match query:
        case nodes.Holds(nodes.Entities(ids), _, nodes.Entities(others)):
            return ids == others
    return False


def _number_left_out(query: TruthNode, text: str) -> str:
    """A year or larger number that a claim says, where the query has none."""
    said = _DIGITS.search(text)
    has_one = any(isinstance(one, nodes.Number | nodes.Date) for one in query.walk())
    return said[0] if said is not None and not has_one else ""


def _without_names(text: str, found: Retrieved, with_capital: bool = False) -> str:
    """A claim with what it names left out: "All About Eve" says nothing of all.

    ``with_capital``: what has none is not left out: "never married" says something, though a book is called so.
    """
    for start, end in sorted({seed.span for seed in found.seeds}, reverse=True):
        if with_capital and text[start:end] == text[start:end].lower():
            continue
        text = f"{text[:start]}_{text[end:]}"
    return text


def without_half_said(query: TruthNode, text: str, pack: Pack) -> TruthNode:
    """Without classes of which a claim says a part: "one of Poe's works" is no "musical work"."""
    said = frozenset(word.removesuffix("s") for word in normalise(text).split())
    for node in [*query.walk()]:
        match node:
            case nodes.And(nodes.Class(kind), rest) | nodes.And(rest, nodes.Class(kind)) if _follows(rest):
                words = [word.removesuffix("s") in said for word in normalise(pack.labels([kind])[0]).split()]
                query = replaced(query, node, rest) if any(words) and not all(words) else query
    return query


def _follows(node: Node) -> bool:
    return any(isinstance(one, nodes.Follow) for one in node.walk())


def _is_held(found: Retrieved) -> bool:
    """Whether names are so connected in the graph; of what is compared one way or the other always is."""
    outcome = found.hypotheses[0].outcome
    if outcome is None or any(isinstance(node, nodes.Compare | nodes.Where) for node in outcome.query.walk()):
        return False
    return len(found.seeds) > 1 and outcome.truth is True


def _n_left_out(found: Retrieved) -> float:
    """How much of a claim a query leaves out: names, words that describe, and what the planner says."""
    doubts = found.find_left_out()
    return -doubts.get("names", 0.0) - doubts.get(DESCRIBED, 0.0) + len(found.unused_words)


def is_contrary(best: Reading, other: Reading) -> bool:
    """Whether another reading that is nearly as sure says the contrary."""
    truths = {one.decision.truth for one in (best, other) if one.decision is not None}
    return truths == {True, False} and best.worth - other.worth < NEARLY


def _query(found: Retrieved) -> TruthNode:
    query = found.hypotheses[0].make_query()
    assert isinstance(query, TruthNode)
    return query


def _entities(node: Node) -> tuple[int, ...]:
    match node:
        case nodes.Entities(ids):
            return ids
        case nodes.Class(kind):
            return (kind,)
    return ()


def _is_truth(found: Retrieved) -> bool:
    outcome = found.hypotheses[0].outcome if found.hypotheses else None
    if outcome is None or not isinstance(outcome.query, TruthNode):
        return False
    outcome.runner.budget = Budget(DECIDE_SECONDS)  # of this claim alone: others of the batch were read since
    try:
        return is_sensible(outcome.runner, outcome.query)
    except (QueryError, BudgetError):
        return False
