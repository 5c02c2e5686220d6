"""A query in English, for a person who asks what was understood: exact before elegant, without ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from kgask.errors import QueryError
from kgask.pack.labels import clean_label
from kgask.pack.literals import literal_label, parse_literal
from kgask.pack.quantities import SECONDS, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import by_axis, relation_axis, value_axis
from kgask.query.base import By, Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.query.ends import kind_of_ends, leads_to_likes
from kgask.query.relation_words import (
    OF_DATES,
    OF_NUMBERS,
    RelationWords,
    article,
    counted,
    is_bare_past,
    listed,
    ordinal,
    ordinal_range,
    plural,
    superlative,
)
from kgask.query.text import entity_ids
from kgask.types import EntityId, opposite, undirected

MAX_CHARS = 600
# What an operator does with the parts that are told of below it.
_OPERATORS: dict[type[Node], str] = {
    nodes.And: "in both",
    nodes.Or: "in either",
    nodes.Minus: "in the first, not in the second",
    nodes.Not: "not so",
    nodes.All: "all of these",
    nodes.Any: "one of these",
    nodes.Count: "how many",
    nodes.Sum: "together",
    nodes.Mean: "the average",
    nodes.Min: "the lowest",
    nodes.Max: "the highest",
    nodes.Difference: "the first less the second",
}


def verbalise(query: Node, pack: Pack) -> str:
    """What the query asks for, as a noun phrase, or for a truth "whether ...": "rivers whose continent is Asia".

    Labels are cleaned; at most :data:`MAX_CHARS` characters. Raises :class:`~kgask.errors.QueryError` for ids that the
    pack does not have.
    """
    said = _Words(query, pack).say(query)
    return said if len(said) <= MAX_CHARS else said[: MAX_CHARS - 1].rstrip() + "…"


def steps_in_words(query: Node, pack: Pack) -> Callable[[Node], str]:
    """What says of a part of ``query`` what its operator does: of a path all of it, else without what it works on."""
    return _Words(query, pack).step


def because(
    query: Node, pack: Pack, mentions: Mapping[EntityId, str] | None = None, n_triples: int | None = None
) -> str:
    """One sentence for why an answer is what it is: what names were read as, what was asked for, what proves it.

    ``mentions`` are the words of the question that name an entity of the query.
    """
    mentions = mentions or {}
    ids = [entity for entity in entity_ids(query) if entity in mentions]
    named = zip(ids, pack.labels(ids), pack.descriptions(ids), strict=True)
    parts = [f"read {_read(mentions[entity], label, about)}" for entity, label, about in named]
    parts.append(f"asked for {verbalise(query, pack)}".replace("asked for whether", "asked whether"))
    if n_triples is not None:
        parts.append(f"{n_triples:,} triple{'s' * (n_triples != 1)}")
    return "; ".join(parts)


def _read(mention: str, label: str, about: str) -> str:
    mention, label, about = clean_label(mention), clean_label(label), clean_label(about, 60)
    same = mention.casefold() == label.casefold()
    words = (about if same else f"{label} ({about})") if about else label
    return f"'{mention}' as {words}"


class _Words:
    def __init__(self, query: Node, pack: Pack) -> None:
        ids = entity_ids(query)
        if ids and ids[-1] >= pack.n_entities:
            raise QueryError(f"no entity {ids[-1]} in this pack")
        self._labels = {entity: clean_label(label) for entity, label in zip(ids, pack.labels(ids), strict=True)}
        self._pack = pack

    def say(self, node: Node) -> str:
        """Any query."""
        if isinstance(node, TruthNode):
            return f"whether {self._truth(node)}"
        if isinstance(node, SetNode):
            return self._set(node)
        if isinstance(node, ValueNode):
            return self._value(node)
        raise QueryError("a way to judge is no query by itself: put it into Where or Best")

    def step(self, node: Node) -> str:
        """What an operator does, without what it works on; see :func:`steps_in_words`."""
        match node:
            case nodes.And(nodes.Class(), _) | nodes.And(_, nodes.Class()):
                return self._set(node)
            case nodes.And() | nodes.Or() | nodes.Minus() | nodes.All() | nodes.Any() | nodes.Not():
                return _OPERATORS[type(node)]
            case nodes.Count() | nodes.Sum() | nodes.Mean() | nodes.Min() | nodes.Max() | nodes.Difference():
                return _OPERATORS[type(node)]
            case nodes.Where():
                return self._condition(node)
            case nodes.Best():
                return self._rank(node)
            case nodes.Qualified():
                return f"with {listed(self._said(node), 'and')}"
        words = self.say(node)
        return words if len(words) <= MAX_CHARS else words[: MAX_CHARS - 1].rstrip() + "…"

    def _relation(self, directed: int) -> RelationWords:
        plain, inverse = undirected(directed, self._pack.n_relations)
        if plain >= self._pack.n_relations:
            raise QueryError(f"no relation {plain} in this pack")
        label = self._pack.relations()[plain].label
        return RelationWords(label, inverse, not is_bare_past(label) or leads_to_likes(self._pack, plain))

    def _kind(self, relation: int) -> str | None:
        """What nearly all are that a directed relation leads to."""
        kind = kind_of_ends(self._pack, relation)
        return None if kind is None else clean_label(self._pack.labels([kind])[0])

    def _ends(self, relation: int) -> str:
        """Several of what a relation leads to: "films"; "those" where the pack does not say what they are."""
        kind = self._kind(relation)
        return "those" if kind is None else plural(kind)

    def _those(self, relation: int) -> str:
        """What a relation leads away from."""
        return self._ends(opposite(relation, self._pack.n_relations))

    def _others(self, relation: int) -> str:
        """The ends that are counted of a relation; of what is of their own kind "others"."""
        ends = self._ends(relation)
        return "others" if ends in ("those", self._those(relation)) else ends

    def _counted(self, by: nodes.SizeOf | nodes.TotalOf) -> str:
        """What is counted, or whose numbers are added up."""
        if by.among is not None:
            words = self._part(by.among)
            return f"of {words}" if words.startswith("those ") and isinstance(by, nodes.SizeOf) else words
        return self._others(by.path[-1]) if isinstance(by, nodes.SizeOf) else self._ends(by.path[-2])

    def _something(self, relation: int) -> str:
        """One of what an inverse relation leads to: "a film"."""
        kind = self._kind(relation) if relation >= self._pack.n_relations else None
        return "something" if kind is None else article(kind)

    def _path(self, by: By) -> str:
        """What a path leads to, of one: "area", "capital's population", "time from reign start to reign end"."""
        if isinstance(by, nodes.SpanOf):
            start, end = (self._path(nodes.ValueOf(path)) for path in (by.path, by.until))
            is_time = by_axis(self._pack, by) == SECONDS
            return f"time from {start} to {end}" if is_time else f"{end} less {start}"
        if isinstance(by, nodes.TotalOf):
            of = f" of {self._counted(by)}" if len(by.path) > 1 else ""
            return f"total {self._relation(by.path[-1]).noun}{of}"
        return "'s ".join(self._relation(relation).noun for relation in by.path)

    # --- sets -----------------------------------------------------------------------------------

    def _set(self, node: SetNode) -> str:
        """A set as a plural: "those whose author is Jane Austen"."""
        match node:
            case nodes.Entities(ids):
                return listed([self._labels[entity] for entity in ids], "and")
            case nodes.Class(kind):
                return plural(self._labels[kind])
            case nodes.Having(relation):
                return f"{self._those(relation)} {self._relation(relation).that(self._something(relation))}"
            case nodes.Follow(base, relation):
                words = self._relation(relation)
                if words.event and not words.inverse and relation_axis(self._pack, relation) in WHEN:
                    return f"the {words.event} date of {self._part(base)}"
                return words.of(self._part(base), self._leads_to_several(base, relation), self._ends(relation))
            case nodes.And(nodes.Follow() as left, nodes.Class() as right):
                return f"{self._set(right)} {self._that(left)}"
            case nodes.And(left, right):
                return self._narrowed(left, self._that(right))
            case nodes.Or(left, right):
                return f"{self._part(left)} or {self._part(right)}"
            case nodes.Minus(left, right):
                return f"{self._part(left)} except {self._taken(left, right)}"
            case nodes.Where(nodes.Having(relation), by) if by.path[0] == relation:
                return f"{self._those(relation)} {self._condition(node)}"
            case nodes.Where(base):
                return self._narrowed(base, self._condition(node))
            case nodes.Best():
                return self._best(node)
            case nodes.Qualified():
                return f"{self._set(node.follow)}, with {listed(self._said(node), 'and')}"
        raise QueryError(f"{type(node).__name__} has no words")

    def _part(self, node: SetNode) -> str:
        """A set within another: in brackets where it would not be clear how far it goes."""
        words = self._set(node)
        return f"({words})" if isinstance(node, nodes.Or | nodes.Minus | nodes.Best | nodes.Qualified) else words

    def _narrowed(self, base: SetNode, said: str) -> str:
        words = self._part(base)
        has_said = isinstance(base, nodes.Where | nodes.And | nodes.Having) or words.startswith("what ")
        return f"{words} and {said}" if has_said or self._is_inverse(base) else f"{words} {said}"

    def _is_inverse(self, node: SetNode) -> bool:
        return isinstance(node, nodes.Follow) and node.relation >= self._pack.n_relations

    def _leads_to_several(self, base: SetNode, relation: int) -> bool:
        if not isinstance(base, nodes.Entities):
            return not (isinstance(base, nodes.Best) and base.first == base.last)
        self._pack.need(np.array(base.ids), np.array([relation]))
        plain, inverse = undirected(relation, self._pack.n_relations)
        indptr = self._pack.in_indptr if inverse else self._pack.out_indptr
        relations = self._pack.in_relation if inverse else self._pack.out_relation
        rows = [slice(indptr[entity], indptr[entity + 1]) for entity in base.ids]
        return sum(int((relations[row] == plain).sum()) for row in rows) > 1

    def _that(self, node: SetNode) -> str:
        """A set as what is said of others: "whose continent is Asia"."""
        match node:
            case nodes.Follow(base, relation):
                forward = self._relation(relation)
                return replace(forward, inverse=not forward.inverse).that(self._part(base))
            case nodes.Having(relation):
                return self._relation(relation).that(self._something(relation))
        return f"that are also {self._part(node)}"

    def _taken(self, left: SetNode, right: SetNode) -> str:
        if isinstance(right, nodes.Follow | nodes.Having):
            return f"those {self._that(right)}"
        if isinstance(right, nodes.Where) and right.base == left:
            return f"those {self._condition(right)}"
        return self._part(right)

    def _condition(self, node: nodes.Where) -> str:
        path = [self._relation(relation) for relation in node.by.path]
        if isinstance(node.by, nodes.SizeOf):
            return counted(path, self._compared(node.comparison, node.value, is_date=False), self._counted(node.by))
        if isinstance(node.value, SetNode):
            among = self._among(node.value)
            return path[0].that(among) if len(path) == 1 else f"whose {self._path(node.by)} is {among}"
        is_date = self._is_date(node.value)
        event = path[0].event if is_date and len(path) == 1 else ""
        return f"{event or f'whose {self._path(node.by)} is'} {self._compared(node.comparison, node.value, is_date)}"

    def _among(self, node: SetNode) -> str:
        words = self._part(node)
        if isinstance(node, nodes.Entities) and len(node.ids) == 1:
            return words
        return f"one of the {words}" if isinstance(node, nodes.Class) else f"one of {words}"

    def _best(self, node: nodes.Best) -> str:
        base = self._part(node.base)
        if isinstance(node.base, nodes.Having) and node.by == nodes.ValueOf((node.base.relation,)):
            base = self._those(node.base.relation)  # what has none of a value is never the highest
        return self._rank(node) if base == "those" else f"{base}, {self._rank(node)}"

    def _rank(self, node: nodes.Best) -> str:
        """``the second largest by area``."""
        single = node.first == node.last
        ranks = ("" if node.last == 1 else ordinal(node.last)) if single else ordinal_range(node.first, node.last)
        path = [self._relation(relation) for relation in node.by.path]
        if isinstance(node.by, nodes.SizeOf):
            most = "the most" if node.most else "the fewest"
            best = counted(path, most, self._counted(node.by), many=not single)
        else:
            is_date = by_axis(self._pack, node.by) in WHEN
            is_event = len(path) == 1 and path[0].event and isinstance(node.by, nodes.ValueOf)
            what = path[0].words if is_event else self._path(node.by)
            best = superlative(what, node.most, is_date)
            if isinstance(node.by, nodes.SpanOf) and by_axis(self._pack, node.by) == SECONDS:
                best = f"with the {'longest' if node.most else 'shortest'} {what}"
        who = "one" if single and best.startswith(("with ", "that ")) else ""
        return " ".join(filter(None, ("the", ranks, who, best)))

    def _said(self, node: nodes.Follow | nodes.Qualified) -> list[str]:
        """What the statements must say."""
        if isinstance(node, nodes.Follow):
            return []
        what = self._relation(node.relation).noun
        if isinstance(node.value, SetNode):
            said = self._among(node.value)
        else:
            said = self._compared(node.comparison, node.value, self._is_date(node.value))
        return [*self._said(node.base), f"{what} {said}"]

    # --- values ---------------------------------------------------------------------------------

    def _is_date(self, node: ValueNode) -> bool:
        return value_axis(node, self._pack) in WHEN

    def _compared(self, comparison: Comparison, value: Node, is_date: bool) -> str:
        assert isinstance(value, ValueNode)
        if isinstance(value, nodes.Range) and comparison in ("in", "="):
            return f"between {self._value(value.low)} and {self._value(value.high)}"
        if isinstance(value, nodes.Date) and comparison in ("in", "="):
            return f"{value.preposition} {self._value(value)}"
        return f"{(OF_DATES if is_date else OF_NUMBERS)[comparison]}{self._value(value)}"

    def _value(self, node: ValueNode) -> str:
        match node:
            case nodes.Number(number, unit):
                shown = f"{int(number):,}" if number.is_integer() and abs(number) < 1e15 else f"{number:g}"
                return clean_label(f"{shown} {unit}")
            case nodes.Date(text):
                return literal_label(parse_literal("date", text))
            case nodes.Range(low, high):
                return f"{self._value(low)} to {self._value(high)}"
            case nodes.Count(base):
                return f"the number of {self._set(base)}"
            case nodes.Values(base, relation):
                words = self._relation(relation)
                if words.event and self._is_date(node):
                    return f"the {words.event} date of {self._part(base)}"
                return words.of(self._part(base))
            case nodes.QualifierOf(base, relation, None):
                return f"the {self._relation(relation).noun} stated for {self._set(base)}"
            case nodes.QualifierOf(base, relation, ends):
                assert ends is not None
                return f"the {self._relation(relation).noun} stated for {self._part(ends)} among {self._set(base)}"
            case nodes.Sum(values):
                return self._together("total", values)
            case nodes.Mean(values):
                return self._together("average", values)
            case nodes.Min(values):
                return self._together("earliest" if self._is_date(values) else "lowest", values)
            case nodes.Max(values):
                return self._together("latest" if self._is_date(values) else "highest", values)
            case nodes.Difference(left, right):
                if self._is_date(left):
                    return f"the time from {self._value(right)} to {self._value(left)}"
                return f"{self._value(left)} less {self._value(right)}"
            case nodes.Age(born, at):
                return self._age(born, at, "years" if isinstance(node, nodes.YearsBetween) else "whole years")
        raise QueryError(f"{type(node).__name__} has no words")

    def _together(self, how: str, values: ValueNode) -> str:
        words = self._value(values)
        return f"the {how} {words.removeprefix('the ')}" if words.startswith("the ") else f"the {how} of {words}"

    def _age(self, born: ValueNode, at: ValueNode, years: str) -> str:
        if not (isinstance(born, nodes.Values) and "birth" in self._relation(born.relation).label) or years == "years":
            return f"the {years} from {self._value(born)} to {self._value(at)}"
        whose = f"the age of {self._part(born.base)}"
        if isinstance(at, nodes.Values) and at.base == born.base:
            return f"{whose} at the {self._relation(at.relation).noun}"
        return (
            f"{whose} {self._compared('in', at, True)}"
            if isinstance(at, nodes.Date)
            else f"{whose} at {self._value(at)}"
        )

    # --- truths ---------------------------------------------------------------------------------

    def _truth(self, node: TruthNode) -> str:
        match node:
            case nodes.Some(base):
                return self._any(base)
            case nodes.Holds(subject, relation, obj):
                return self._relation(relation).holds(self._set(subject), self._set(obj))
            case nodes.Compare(left, comparison, right):
                compared = self._compared(comparison, right, self._is_date(left))
                return f"{self._value(left)} is {compared}"
            case nodes.Not(truth):
                return f"it is not so that {self._truth(truth)}"
            case nodes.All(truths):
                return listed([self._truth(one) for one in truths], "and")
            case nodes.Any(truths):
                return listed([self._truth(one) for one in truths], "or")
        raise QueryError(f"{type(node).__name__} has no words")

    def _any(self, base: SetNode) -> str:
        if isinstance(base, nodes.Entities):
            return f"there is {self._set(base)}"
        words = self._set(base)
        if isinstance(base, nodes.Follow):
            words = self._relation(base.relation).of(self._part(base.base), True, self._ends(base.relation))
        if words.startswith("what "):
            return f"there is anything that {words.removeprefix('what ')}"
        return f"there are any {words.removeprefix('the ').removeprefix('those ')}"
