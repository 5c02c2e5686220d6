"""People's questions with gold facts as queries (KQA Pro, training part): verified facts, qualifiers, several hops.

The facts of a question are a tree whose ends are named in it: from what is asked for, each fact is a branch that leads
there. A fact about something named ("Batman (the one that has Jack Palance as a cast member)") narrows it in the same
way.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kgask.corpus.drafts import Draft, Span, values_in, values_like, words_at
from kgask.corpus.examples import Step
from kgask.corpus.mentions import class_spans, name_spans, nouns_in
from kgask.corpus.query_examples import QueryExample
from kgask.sets.kqapro import DATES, NUMBERS
from kgask.sets.kqapro_gold import (
    QUALIFIER_VALUE,
    TRUTH,
    VALUE,
    FactQuestion,
    GoldFact,
    fact_questions,
    is_variable,
)
from kgask.sets.wikidata import property_labels

INSTANCE_OF = "instance of"
CODES_SHARE = 10  # one in so many questions may turn on a code
_OFTEN_DIGITS = 0.3  # share of digits in the values of relations that hold codes
_NAMES = frozenset(
    ("title", "official name", "birth name", "native label", "name", "pseudonym", "nickname", "short name",
     "name in native language")
)  # fmt: skip
_NAMED = re.compile(
    r"\b(title[ds]?|entitled|name[ds]?|nicknamed?|call(?:ed|s)|known|born|pseudonyms?|alias|labell?(?:ed)?|native)\b",
    re.IGNORECASE,
)
_RANGE_ONLY = frozenset(("human",))  # classes whose word merely says what a relation leads to

# Properties under the names that they had when the set was made.
_FORMER = {
    "postal code": "P281", "twinned administrative body": "P190", "CANTIC-ID": "P1273", "local dialing code": "P473",
    "narrative location": "P840", "located at street address": "P6375", "original network": "P449", "partner": "P451",
    "located at street address (DEPRECATED)": "P6375", "number of matches played/races/starts": "P1350",
    "number of points/goals/set scored": "P1351", "distributor": "P750", "notable work": "P800",
    "position played on team / speciality": "P413", "parent organization": "P749", "motto text": "P1451",
    "review score by": "P447", "subsidiary": "P355", "official color": "P6364", "lowest point": "P1589",
    "military conflicts": "P607", "heritage designation": "P1435", "participant of": "P1344", "color": "P462",
    "from fictional universe": "P1080", "license": "P275", "has effect": "P1542", "partially contains": "P4330",
    "professional or sports partner": "P1327", "ISO 639-2 code": "P219", "ISO 639-1 code": "P218",
    "ISO 639-3 code": "P220", "ISO 3166-2 code": "P300",
}  # fmt: skip
_SOURCES = {"verify": "kqapro_verify", "qualifier": "kqapro_qualifier", "multihop": "kqapro_multihop"}

Steps = list[str | Step | int]


@dataclass(frozen=True, slots=True)
class Converted:
    """An example whose relation keys are the set's own labels, and what each of its operands stands for."""

    gold: FactQuestion
    example: QueryExample
    names: tuple[str, ...]  # a label, "" for an operand that no step uses


class _Untold(Exception):
    """A question that does not say what its facts do."""


def kqapro_questions(data: Path) -> Iterator[QueryExample]:
    """Sources kqapro_verify, kqapro_qualifier and kqapro_multihop, over Wikidata's properties."""
    keys = {label: key for key, label in sorted(property_labels(data).items(), reverse=True)} | _FORMER
    golds = list(fact_questions(data))
    codes = _codes(golds)
    for one in converted(golds):
        is_about_codes = any(fact.relation in codes or fact.qualifier in codes for fact in one.gold.facts or ())
        if is_about_codes and zlib.crc32(one.gold.question.encode()) % CODES_SHARE:
            continue
        steps = tuple(
            (keys.get(step[0], ""), step[1]) if isinstance(step, tuple) else step for step in one.example.steps
        )
        if not any(isinstance(step, tuple) and not step[0] for step in steps):
            yield replace(one.example, steps=steps)


def converted(golds: Iterable[FactQuestion]) -> Iterator[Converted]:
    """Those whose names are all found in the question."""
    for gold in golds:
        made = _Conversion(gold).result() if gold.facts else None
        if made:
            yield made


def _codes(golds: Iterable[FactQuestion]) -> set[str]:
    """Relations whose values are codes: strings of digits that a question turns on and nobody knows by heart."""
    shares: dict[str, list[float]] = defaultdict(list)
    for fact in (fact for gold in golds for fact in gold.facts or ()):
        for relation, value in ((fact.relation, fact.object), (fact.qualifier, fact.value)):
            if value and not is_variable(value) and relation not in DATES | NUMBERS:
                shares[relation].append(sum(map(str.isdigit, value)) / len(value))
    return {relation for relation, found in shares.items() if sum(found) >= _OFTEN_DIGITS * len(found)}


class _Conversion:
    """One question; ``_operands`` are its names by label, ``_classes`` the class words of its variables."""

    def __init__(self, gold: FactQuestion) -> None:
        self._gold = gold
        self._draft = Draft(gold.question)
        self._facts = [fact for fact in gold.facts or () if fact.relation != INSTANCE_OF]
        self._class_of = {fact.subject: fact.object for fact in gold.facts or () if fact.relation == INSTANCE_OF}
        self._operands: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def result(self) -> Converted | None:
        try:
            self._find()
            steps = [*self._asked(), "END"]
        except _Untold:
            return None
        if self._facts:
            return None
        self._draft.distract(values_in(self._gold.question))
        if set(self._class_of) == set(self._classes):
            self._draft.distract(nouns_in(self._gold.question))
        source = _SOURCES[self._gold.kind]
        made = self._draft.example(steps, _kind(steps, self._gold.target), source)
        if made is None:
            return None
        order = self._draft.order
        return Converted(self._gold, made, tuple(self._names.get(number, "") for number in order))

    def _find(self) -> None:
        """Points at every name, the longest first, then at class words."""
        question = self._gold.question
        names = {name for fact in self._facts for name in (fact.subject, fact.object, fact.value)}
        values = self._values()
        for name in sorted(
            (name for name in names if name and not is_variable(name)), key=lambda name: (-len(name), name)
        ):
            if name in values:
                self._operands[name] = self._point(name, values_like(question, name))
            else:
                self._check_name(name)
                self._operands[name] = self._point(name, ((*span, "entity") for span in name_spans(question, name)))
        for variable, label in self._class_of.items():
            try:
                places = ((*span, "class") for span in class_spans(question, label))
                self._classes[variable] = self._point(label, places)
            except _Untold:
                if not is_variable(variable):
                    raise

    def _values(self) -> set[str]:
        """Numbers and dates that something is compared with: qualifiers' and those of the fact that is verified."""
        said = [(fact.qualifier, fact.value) for fact in self._facts]
        if self._gold.target == TRUTH and self._facts:
            said.append((self._facts[-1].relation, self._facts[-1].object))
        return {value for relation, value in said if relation in DATES | NUMBERS}

    def _check_name(self, name: str) -> None:
        """Refuses a name that stands for two things, and one that is said of a thing without saying that it is one."""
        facts = [fact for fact in self._facts if name in (fact.subject, fact.object, fact.value)]
        if len(facts) > 1 and len(words_at(self._gold.question, name)) > 1:
            raise _Untold(name)
        if any(fact.subject.lower() == fact.object.lower() for fact in facts):
            raise _Untold(name)
        if any(fact.relation in _NAMES for fact in facts) and not _NAMED.search(self._gold.question):
            raise _Untold(name)

    def _point(self, name: str, places: Iterable[Span]) -> int:
        for place in places:
            number = self._draft.point(*place)
            if number is not None:
                self._names[number] = name
                return number
        raise _Untold(name)

    def _asked(self) -> Steps:
        """Steps up to what is asked for; the fact that says it is used last."""
        target = self._gold.target
        if target == QUALIFIER_VALUE:
            fact = self._take(next((fact for fact in self._facts if fact.value == target), None))
            subject, obj = self._end(fact.subject), self._end(fact.object)
            if is_variable(fact.object) and isinstance(obj[-1], tuple):
                raise _Untold(fact.object)
            return [*subject, (fact.relation, False), *obj, "OF", (fact.qualifier, False)]
        if target == VALUE:
            fact = self._take(next((fact for fact in self._facts if fact.object == target), None))
            return [*self._end(fact.subject), (fact.relation, False), *self._qualified(fact)]
        if target == TRUTH:
            fact = self._take(self._facts[-1] if self._facts else None)
            steps = [*self._end(fact.subject), (fact.relation, False), *self._qualified(fact)]
            is_value = fact.relation in DATES | NUMBERS
            return [*steps, *self._end(fact.object), "IN" if is_value else "HOLDS"]
        return self._end(target)

    def _take(self, fact: GoldFact | None) -> GoldFact:
        if fact is None:
            raise _Untold
        self._facts.remove(fact)
        return fact

    def _end(self, name: str) -> Steps:
        """What a name or variable stands for: itself or its class, and the branches of the facts about it."""
        about = [fact for fact in self._facts if name in (fact.subject, fact.object)]
        for fact in about:
            self._facts.remove(fact)
        branches = sorted((self._branch(fact, name) for fact in about), key=self._place)
        steps: Steps = []
        if not is_variable(name):
            steps = [self._operands[name]]
        elif name in self._classes and (self._class_of[name] not in _RANGE_ONLY or not branches):
            steps = [self._classes[name]]
        for branch in branches:
            steps += [*branch, *(["AND"] if steps else [])]
        if not steps:
            raise _Untold(name)
        return steps

    def _branch(self, fact: GoldFact, name: str) -> Steps:
        """From the other end of a fact to ``name``."""
        inverse = fact.subject == name
        other = self._end(fact.object if inverse else fact.subject)
        return [*other, (fact.relation, inverse), *self._qualified(fact)]

    def _qualified(self, fact: GoldFact) -> Steps:
        if not fact.qualifier:
            return []
        return ["QUAL", (fact.qualifier, False), *self._end(fact.value), "IN"]

    def _place(self, steps: Steps) -> int:
        return min(self._draft.start(step) for step in steps if isinstance(step, int))


def _kind(steps: Steps, target: str) -> str:
    if target == TRUTH:
        return "yesno"
    if "OF" in steps or "QUAL" in steps:
        return "qualifier"
    return "intersection" if "AND" in steps else "path"
