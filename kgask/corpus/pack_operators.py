"""Questions with operators about one pack, with the queries that they ask for: what confidence is calibrated on.

The templates of ``operators/`` are filled with what the pack has (:mod:`kgask.corpus.pack_lexicons`): its classes,
entities that have the relations, numbers and dates between the values that stand in it. A question is kept where its
query comes to something definite. Others the pack cannot answer: about its own classes and entities, by a relation
that it does not have, by none that any graph has, or of an entity that lacks it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.corpus.examples import tidy
from kgask.corpus.operator_dress import dressed
from kgask.corpus.operator_files import Template
from kgask.corpus.operator_sets import SetFilling
from kgask.corpus.operator_slots import TYPED, UnfitError, kind_of
from kgask.corpus.operators import LETTERS, OperatorComposer, assembled, with_articles
from kgask.corpus.pack_lexicons import PackLexicons, PackSchema, PackWords
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.sampling import follow_path
from kgask.corpus.wordings import load_wordings
from kgask.errors import BudgetError, QueryError
from kgask.link.values import value_spans
from kgask.methods.query_readings import is_void
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.postfix import Step, query_of
from kgask.retrieve.follow import reached_by
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import run
from kgask.retrieve.statements import said
from kgask.types import EntityId, directed, opposite

ANSWERABLE = 0.6
LACKING = 0.2  # share of the others that the pack has the relation for, and not for this entity
RELATED = 0.7  # share of the names that are chosen so that they go together
TRIES = 12  # ways to fill in names
MOST_DRAWS = 60  # a question
MOST_ALIKE = 0.01  # share of the questions that one wording makes up, besides one
MOST_MEMBERS = 200  # of an answer
SECONDS = 1.0  # a query of a kept question takes at most
CAPITALISED = 0.6  # share of the questions that begin with a capital letter


@dataclass(frozen=True, slots=True, eq=False)
class PackQuestion:
    """A question and what it comes to on its pack; ``gold`` None: the pack cannot answer it."""

    text: str
    kind: str
    wording: str  # the template's line: questions that share it are worded alike
    gold: Result | None


class PackOperators:
    """Draws questions of one pack in the wordings of some templates; the same seed draws the same ones."""

    def __init__(self, pack: Pack, templates: Sequence[Template], rng_seed: int) -> None:
        wordings = load_wordings()
        self.pack, self._rng = pack, random.Random(f"pack operators {rng_seed}")
        self._schema = schema = PackSchema(pack, wordings)
        words = PackWords(schema)
        self._words, self._facts = words, RelationFacts(pack)
        letters = {letter for letter, several in words.special.items() if several}
        names = pack.labels([self._rng.randrange(pack.n_entities - pack.n_literals) for _ in range(300)])
        asked = [one for one in templates if "NONE" not in one.steps and schema.known(_fixed(one))]
        hopeless = [one for one in templates if "NONE" in one.steps]
        missing = [one for one in templates if "NONE" not in one.steps]
        self._has = _Composer(wordings, {}, self._rng, names, asked)
        self._has.over(PackLexicons(schema, words, wordings, schema.has), words, letters)
        self._lacks = _Composer(wordings, {}, self._rng, names, missing)
        self._lacks.over(PackLexicons(schema, words, wordings, lambda keys: not schema.known(keys)), words, letters)
        self._none = _Composer(wordings, {}, self._rng, names, hopeless) if hopeless else None
        if self._none:
            self._none.over(PackLexicons(schema, words, wordings, schema.has), words, letters)

    def draw(self, n: int) -> Iterator[PackQuestion]:
        """``n`` questions, or fewer where little fits the pack; none of the wordings makes up much of them."""
        worded: Counter[str] = Counter()
        for _ in range(n):
            wanted = self._answerable if self._rng.random() < ANSWERABLE else self._unanswerable
            for _ in range(MOST_DRAWS):
                try:
                    found = wanted()
                except UnfitError:
                    continue
                if found is not None and worded[found.wording] <= n * MOST_ALIKE:
                    worded[found.wording] += 1
                    yield found
                    break

    # --- kinds of questions -----------------------------------------------------------------

    def _answerable(self) -> PackQuestion | None:
        drawn = self._has.drawn()
        if not self._schema.known(drawn.example.keys):
            return None
        wanted = self._rng.random() < 0.5  # of what is asked whether it is so
        for _ in range(TRIES):
            bound = self._bound(drawn, related=self._rng.random() < RELATED)
            gold = self._run(drawn, bound) if bound is not None else None
            if gold is not None and _is_definite(gold) and gold.truth in (None, wanted):
                return self._question(drawn, bound or {}, gold)
        return None

    def _unanswerable(self) -> PackQuestion | None:
        draw = self._rng.random()
        if draw < LACKING:
            return self._of_lacking()
        composer = self._none if self._none and draw < 0.4 else self._lacks
        drawn = composer.drawn()
        if drawn.example.steps[-1] != "NONE" and self._schema.known(drawn.example.keys):
            return None
        bound = self._bound(drawn, related=False)
        return self._question(drawn, bound, None) if bound is not None else None

    def _of_lacking(self) -> PackQuestion | None:
        """About an entity that does not have what is asked of it."""
        drawn = self._has.drawn()
        if not self._schema.known(drawn.example.keys):
            return None
        bound = {at: self._any_entity(drawn) for at in _entities(drawn.example)}
        gold = self._run(drawn, bound)
        return self._question(drawn, bound, None) if gold is not None and is_void(gold) else None

    # --- names ------------------------------------------------------------------------------

    def _bound(self, drawn: _Drawn, related: bool) -> dict[int, EntityId] | None:
        """An entity for each name of the question; None where none is found."""
        example, bound = drawn.example, dict[int, EntityId]()
        steps = example.steps
        anchor = self._anchor(drawn) if related else None
        statement = self._statement(example) if related or "QUAL" in steps or "OF" in steps else None
        for at, step in enumerate(steps):
            if not isinstance(step, int) or example.operands[step].kind != "entity" or step in bound:
                continue
            found = None
            path = self._path(steps[at + 1 :])
            if statement and (found := self._of_statement(steps, at, path, statement)) is not None:
                pass
            elif path is None or (
                not path and steps[at + 1] not in ("HOLDS", "GT", "LT", "GE", "LE", "IN", "OR", "OF")
            ):
                found = self._any_entity(drawn)
            elif path:
                found = self._leading_to(path, anchor) if anchor is not None else None
                found = self._holder(path[0], drawn.letter) if found is None else found
            elif steps[at + 1] == "HOLDS":
                found = self._other_end(steps, at, bound)
            else:
                by = self._path(steps[steps.index("BY") + 1 :]) if "BY" in steps else None
                found = self._holder(by[0], drawn.letter) if by else self._any_entity(drawn)
            if found is None:
                return None
            bound[step] = found
        idle = [at for at in _entities(example) if at not in bound]
        bound |= {at: self._any_entity(drawn) for at in idle}
        return bound if len(set(bound.values())) == len(bound) else None

    def _path(self, steps: Sequence[object]) -> list[int] | None:
        """The directed relations that ``steps`` begin with; None where the pack lacks one."""
        found = []
        for step in steps:
            if not isinstance(step, tuple):
                break
            if not self._schema.has([step[0]]):
                return None
            found.append(directed(self._schema.relation_of[step[0]], step[1], self.pack.n_relations))
        return found

    def _anchor(self, drawn: _Drawn) -> EntityId | None:
        """A thing that the answer shall have among what it is chosen from."""
        example = drawn.example
        first = example.steps[0]
        if not isinstance(first, int) or example.operands[first].kind != "class":
            return None
        kind = self._words.types.get(_said(example, first))
        return self._choice(self._schema.members(kind)) if kind is not None else None

    def _leading_to(self, path: Sequence[int], anchor: EntityId) -> EntityId | None:
        """From where a path leads to a thing."""
        here = np.array([anchor])
        for relation in reversed(path):
            here = reached_by(self.pack, here, opposite(relation, self.pack.n_relations))
        return self._choice(here)

    def _holder(self, relation: int, letter: str) -> EntityId | None:
        """Something that has a directed relation; of the type that is asked about, where such have it."""
        every = self._schema.having(relation)
        if relation < self.pack.n_relations:
            kinds = [self._words.types[word] for word in self._words.special[letter]]
            typed = [np.intersect1d(every, self._schema.members(kind)) for kind in kinds]
            every = max(typed, key=len) if any(map(len, typed)) else every
        return self._choice(every)

    def _other_end(self, steps: Sequence[object], at: int, bound: dict[int, EntityId]) -> EntityId | None:
        """What a stated relation leads to, or as often what it leads to from elsewhere."""
        start = max(place for place in range(at) if isinstance(steps[place], int))
        path = self._path(steps[start + 1 : at])
        subject = bound.get(steps[start]) if isinstance(steps[start], int) else None  # type: ignore[call-overload]
        if not path or subject is None:
            return None
        if self._rng.random() < 0.5:
            return self._choice(np.array(sorted(follow_path(self.pack, subject, path)), np.int64))
        return self._choice(self._schema.having(opposite(path[-1], self.pack.n_relations)))

    def _statement(self, example: QueryExample) -> int | None:
        """A statement that says something by a qualifier of the question."""
        marks = [at for at, step in enumerate(example.steps) if step in ("QUAL", "OF")]
        said_by = example.steps[marks[0] + 1] if marks else None
        if not isinstance(said_by, tuple):
            return None
        rows = np.flatnonzero(self.pack.qualifier_relation == self._schema.relation_of.get(said_by[0], -1))
        row = self._choice(rows)
        return None if row is None else int(np.searchsorted(self.pack.qualifier_indptr, row, "right") - 1)

    def _of_statement(
        self, steps: Sequence[object], at: int, path: list[int] | None, statement: int
    ) -> EntityId | None:
        """The part of a statement that a name stands for: its subject, its object, or what a qualifier says."""
        subject, relation, obj = (int(each[0]) for each in self.pack.triples([self.pack.statement_triple[statement]]))
        before = steps[at - 1] if at else None
        if isinstance(before, tuple) and at > 1 and steps[at - 2] == "QUAL":
            _, values = said(self.pack, np.array([statement]), self._schema.relation_of[before[0]])
            return self._choice(values)
        if path == [relation]:
            return subject
        if path == [relation + self.pack.n_relations] or (path == [] and steps[at + 1] == "OF"):
            return obj
        return None

    def _any_entity(self, drawn: _Drawn) -> EntityId:
        """A thing of a type that is asked about, or of any."""
        words = self._words.special[drawn.letter] or self._words.special["*"]
        if words:
            found = self._choice(self._schema.members(self._words.types[self._rng.choice(words)]))
            if found is not None:
                return found
        return self._rng.randrange(self.pack.n_entities - self.pack.n_literals)

    def _choice(self, among: np.ndarray) -> int | None:
        return int(among[self._rng.randrange(len(among))]) if len(among) else None

    # --- queries ----------------------------------------------------------------------------

    def _run(self, drawn: _Drawn, bound: dict[int, EntityId]) -> Result | None:
        """What the question's query comes to; None where it cannot be run."""
        example = drawn.example
        relation_of, n = self._schema.relation_of, self.pack.n_relations
        steps: list[Step] = [
            ("span", step) if isinstance(step, int)
            else directed(relation_of[step[0]], step[1], n) if isinstance(step, tuple) else step
            for step in example.steps
        ]  # fmt: skip

        def pick(span: int | None, relation: int | None) -> Node:
            operand = example.operands[span or 0]
            text = _said(example, span or 0)
            if operand.kind == "entity":
                return nodes.Entities((bound[span or 0],))
            if operand.kind == "class":
                return nodes.Class(self._words.types[text])
            found = value_spans(text, self.pack.manifest.get("axes", ()))
            if len(found) != 1:
                raise QueryError(f"{text!r} is no value")
            options = [nodes.Number(one) if isinstance(one, int) else one for one in found[0].options]
            return self._facts.fitting(options, relation)

        try:
            query = query_of(steps, [operand.kind for operand in example.operands], pick, n)
            return run(query, self.pack, Budget(SECONDS))
        except (QueryError, BudgetError, KeyError):
            return None

    def _question(self, drawn: _Drawn, bound: dict[int, EntityId], gold: Result | None) -> PackQuestion | None:
        """The question in words; None where a name of it rather means something else."""
        labels = dict(zip(bound, self.pack.labels(bound.values()), strict=True))
        if not all(self._is_meant(label, bound[at]) for at, label in labels.items()):
            return None
        text, last = "", 0
        for at, operand in enumerate(drawn.example.operands):
            if operand.kind == "entity":
                text += drawn.example.text[last : operand.start] + labels[at]
                last = operand.end
        text += drawn.example.text[last:]
        if self._rng.random() < CAPITALISED:
            text = text[:1].upper() + text[1:]
        return PackQuestion(text, drawn.example.kind, drawn.wording, gold)

    def _is_meant(self, label: str, entity: EntityId) -> bool:
        """Whether a label names nothing that is better known."""
        hits = self.pack.exact([normalise(label)])
        called = sorted({hit.entity for found in hits.values() for hit in found})
        return len(label) > 1 and bool(called) and called[int(np.argmax(self.pack.degree(called)))] == entity


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """An example with the line of its template, and the type that it is about."""

    example: QueryExample
    wording: str
    letter: str


class _Composer(OperatorComposer):
    """Draws over the words of a pack."""

    def over(self, lexicons: PackLexicons, words: PackWords, letters: set[str]) -> None:
        self._lexicons, self._words = lexicons, words
        self._letters = "".join(letter for letter in LETTERS if letter in letters)

    def drawn(self) -> _Drawn:
        """One question; raises :class:`UnfitError` where a draw does not fit together."""
        template = self.rng.choices(self.templates, self._weights)[0]
        line = self.rng.choice(template.lines)
        about = any(kind_of(slot) in TYPED for slot in line.wanted)
        letters = [one for one in (template.letters or LETTERS) if one in self._letters or not about]
        if not letters:
            raise UnfitError("no such things")
        letter = self.rng.choices(letters, [LETTERS[one] for one in letters])[0]
        filling = SetFilling(self._lexicons, self._words, self._paths, self.rng, letter, typed=True)
        text, steps = filling.fill(template, line)
        text = tidy(dressed(with_articles(text, filling.operands), self.rng))
        end = () if steps[-1] == "NONE" else ("END",)
        example = assembled(text, filling.operands, [], (*steps, *end), template.kind)
        return _Drawn(example, line.text, letter)


def _fixed(template: Template) -> list[str]:
    """The relations that a template itself names."""
    return [step.removeprefix("^") for step in template.steps if step.lstrip("^")[0] == "P" or ":" in step]


def _entities(example: QueryExample) -> list[int]:
    return [at for at, operand in enumerate(example.operands) if operand.kind == "entity"]


def _said(example: QueryExample, operand: int) -> str:
    one = example.operands[operand]
    return example.text[one.start : one.end]


def _is_definite(gold: Result) -> bool:
    """Whether it says something, and not that there are none."""
    if is_void(gold):
        return False
    if gold.members is not None:
        return len(gold.members.certain) <= MOST_MEMBERS and not _is_tie(gold)
    if gold.quantity is not None and isinstance(gold.query, nodes.Count):
        return gold.quantity.low == gold.quantity.high > 0
    if gold.quantity is not None and isinstance(gold.query, nodes.Difference):
        return gold.quantity.low >= 0  # nobody says a difference the wrong way round
    return True


def _is_tie(gold: Result) -> bool:
    """Whether of things that are named none is ahead."""
    query = gold.query
    return isinstance(query, nodes.Best) and isinstance(query.base, nodes.Entities) and len(gold.certain) > 1
