"""People's questions with gold facts as queries (KQA Pro, training part): verified facts, qualifiers, several hops."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kgask.corpus.drafts import values_like, words_at
from kgask.corpus.fact_tree import Fact, FactTree, Steps, Untold, is_variable, kind_of
from kgask.corpus.mentions import name_spans
from kgask.corpus.query_examples import QueryExample
from kgask.sets.kqapro import DATES, NUMBERS
from kgask.sets.kqapro_gold import (
    QUALIFIER_VALUE,
    TRUTH,
    VALUE,
    FactQuestion,
    GoldFact,
    fact_questions,
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


@dataclass(frozen=True, slots=True)
class Converted:
    """An example whose relation keys are the set's own labels, and what each of its operands stands for."""

    gold: FactQuestion
    example: QueryExample
    names: tuple[str, ...]  # a label, "" for an operand that no step uses


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
    """One question."""

    def __init__(self, gold: FactQuestion) -> None:
        self._gold = gold
        told = gold.facts or ()
        class_of = {fact.subject: fact.object for fact in told if fact.relation == INSTANCE_OF}
        facts = [_fact(fact) for fact in told if fact.relation != INSTANCE_OF]
        self._tree = FactTree(gold.question, facts, class_of)
        self._asked_for = next((fact for fact in told if fact.value == QUALIFIER_VALUE), None)

    def result(self) -> Converted | None:
        tree = self._tree
        try:
            self._find()
            steps = self._asked()
        except Untold:
            return None
        kind = "yesno" if self._gold.target == TRUTH else kind_of(steps)
        made = tree.example(steps, kind, _SOURCES[self._gold.kind])
        names = tuple(tree.names.get(number, "") for number in tree.draft.order)
        return Converted(self._gold, made, names) if made else None

    def _find(self) -> None:
        """Points at every name, the longest first, then at class words."""
        tree, question = self._tree, self._gold.question
        ends = {end for fact in tree.facts for end in (fact.subject, fact.object, *(value for _, value in fact.said))}
        values = self._values()
        for name in sorted((end for end in ends if not is_variable(end)), key=lambda name: (-len(name), name)):
            if name in values:
                tree.operands[name] = tree.point(name, values_like(question, name))
            else:
                self._check_name(name)
                tree.operands[name] = tree.point(name, ((*span, "entity") for span in name_spans(question, name)))
        tree.point_at_classes()

    def _values(self) -> set[str]:
        """Numbers and dates that something is compared with: qualifiers' and those of the fact that is verified."""
        facts = self._tree.facts
        said = [pair for fact in facts for pair in fact.said]
        if self._gold.target == TRUTH and facts:
            said.append((facts[-1].relation, facts[-1].object))
        return {value for relation, value in said if relation in DATES | NUMBERS}

    def _check_name(self, name: str) -> None:
        """Refuses a name that stands for two things, and one that is said of a thing without saying that it is one."""
        facts = [fact for fact in self._gold.facts or () if name in (fact.subject, fact.object, fact.value)]
        if len(facts) > 1 and len(words_at(self._gold.question, name)) > 1:
            raise Untold(name)
        if any(fact.subject.lower() == fact.object.lower() for fact in facts):
            raise Untold(name)
        if any(fact.relation in _NAMES for fact in facts) and not _NAMED.search(self._gold.question):
            raise Untold(name)

    def _asked(self) -> Steps:
        """Steps up to what is asked for; the fact that says it is used last."""
        tree, target = self._tree, self._gold.target
        if self._asked_for:
            return tree.asked_of_statement(tree.take(_fact(self._asked_for)), self._asked_for.qualifier)
        if target == VALUE:
            fact = tree.take(next((fact for fact in tree.facts if fact.object == target), None))
            return [*tree.end(fact.subject), (fact.relation, False), *tree.qualified(fact)]
        if target == TRUTH:
            fact = tree.take(tree.facts[-1] if tree.facts else None)
            steps = [*tree.end(fact.subject), (fact.relation, False), *tree.qualified(fact)]
            return [*steps, *tree.end(fact.object), "IN" if fact.relation in DATES | NUMBERS else "HOLDS"]
        return tree.end(target)


def _fact(fact: GoldFact) -> Fact:
    """Without the qualifier that is asked for."""
    is_said = fact.qualifier and fact.value != QUALIFIER_VALUE
    return Fact(fact.subject, fact.relation, fact.object, ((fact.qualifier, fact.value),) if is_said else ())
