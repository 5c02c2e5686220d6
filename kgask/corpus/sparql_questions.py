"""People's questions with SPARQL as queries: QALD's and WikiWebQuestions' training parts, TempQA-WD's dev part.

Of WikiWebQuestions only what no path says. Properties of DBpedia are their own texts (vocabulary "table"), those of
Wikidata go by their keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgask.corpus.drafts import values_in, values_like
from kgask.corpus.fact_tree import Fact, FactTree, Steps, Untold, is_variable, kind_of
from kgask.corpus.mentions import name_spans
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.table_questions import VOCABULARY
from kgask.sets import wikiwebquestions
from kgask.sets.keys import readable_name
from kgask.sets.rows import fits, in_data, json_lines, text_at
from kgask.sets.sparql_whole import Compared, WholeQuery, whole_query
from kgask.sets.wikidata import entity_labels, property_labels

QALD, TEMPQA = Path("qald/train.jsonl.gz"), Path("tempqa_wd/dev.jsonl.gz")
_SAID = "a value"  # what an operand stands for that is no name; one may be compared with twice
_COMPARISONS = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE", "=": "IN"}
_DURING = {"P580": "LE", "P582": "GE"}  # what lasts until or from a year was so in that year
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_ONTOLOGY = re.compile(r"https?://dbpedia\.org/(?:ontology|property)/([A-Za-z]+)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MORE = re.compile(r"\b(most|more|highest|largest|biggest|longest|tallest|higher|larger|longer)\b", re.IGNORECASE)
_NO_RELATION = re.compile(r"wiki page|rank|\bname\b|\blabel\b")


@dataclass(frozen=True, slots=True)
class SparqlQuestion:
    question: str
    query: WholeQuery
    source: str
    names: Mapping[str, str] = field(default_factory=dict)  # entity -> how the question calls it, where the set says so


def sparql_questions(data: Path) -> Iterator[QueryExample]:
    """Sources qald, tempqa and wikiweb_whole."""
    labels, properties = entity_labels(data), property_labels(data)
    for one in (*_jsonl(data, QALD, "qald"), *_jsonl(data, TEMPQA, "tempqa"), *_wikiweb(data)):
        try:
            made = _Conversion(one, labels, properties).result()
        except Untold:
            continue
        if made and not (one.source == "wikiweb_whole" and _is_path(made)):
            yield made


def _is_path(example: QueryExample) -> bool:
    """One branch, perhaps of a class: the readers of paths have these."""
    named = [step for step in example.steps if isinstance(step, int) and example.operands[step].kind == "entity"]
    told = {step for step in example.steps if isinstance(step, str)}
    return len(named) == 1 and told <= {"AND", "END"}


def _jsonl(data: Path, file: Path, source: str) -> Iterator[SparqlQuestion]:
    for where, _, row in json_lines(in_data(data, file)):
        with fits(where):
            query = whole_query(text_at(row, "sparql"))
            said = {one["WIKIDATAID"].removeprefix("wd:"): one["SURFACEFORM"] for one in row.get("entities") or ()}
            if query:
                yield SparqlQuestion(text_at(row, "question"), query, source, said)


def _wikiweb(data: Path) -> Iterator[SparqlQuestion]:
    for _, question, sparql in wikiwebquestions.rows(in_data(data, wikiwebquestions.TRAINING)):
        query = whole_query(sparql)
        if query:
            yield SparqlQuestion(question, query, "wikiweb_whole")


class _Tree(FactTree):
    """Facts whose ends may be judged: compared with a value, or ordered by one."""

    def __init__(self, question: str, facts: list[Fact], class_of: Mapping[str, str]) -> None:
        super().__init__(question, facts, class_of)
        self.judged: dict[str, Steps] = {}  # end -> steps that narrow it
        self.during: dict[str, Steps] = {}  # variable of a qualifier -> its operand and comparison

    def end(self, name: str) -> Steps:
        return [*super().end(name), *self.judged.pop(name, [])]

    def qualified(self, fact: Fact) -> Steps:
        steps = FactTree.qualified(self, Fact(*_ends(fact), tuple(p for p in fact.said if not is_variable(p[1]))))
        for qualifier, value in fact.said:
            if value in self.during:
                steps += ["QUAL", (qualifier, False), *self.during.pop(value)]
            elif is_variable(value):
                raise Untold(value)
        return steps


def _ends(fact: Fact) -> tuple[str, str, str]:
    return fact.subject, fact.relation, fact.object


class _Conversion:
    def __init__(self, one: SparqlQuestion, labels: Mapping[str, str], properties: Mapping[str, str]) -> None:
        self._one, self._labels, self._properties = one, labels, properties
        self._query = one.query
        said = self._query.triples
        self._vocabulary = VOCABULARY if any(_ONTOLOGY.match(fact.relation) for fact in said) else "wikidata"
        facts = [
            Fact(fact.subject, self._relation(fact.relation), fact.object,
                 tuple((self._relation(name), value) for name, value in fact.said))
            for fact in said
        ]  # fmt: skip
        class_of = {end: self._class(kind) for end, kind in self._query.classes.items()}
        order = self._query.order
        if order and order.counted:
            class_of.pop(order.variable, None)
        self._tree = _Tree(one.question, facts, class_of)

    def _relation(self, key: str) -> str:
        found = _ONTOLOGY.fullmatch(key)
        relation = _HUMP.sub(" ", found[1]).lower() if found else key
        if (not found and key not in self._properties) or _NO_RELATION.search(relation):
            raise Untold(key)
        return relation

    def _class(self, key: str) -> str:
        found = _ONTOLOGY.fullmatch(key)
        label = _HUMP.sub(" ", found[1]).lower() if found else self._labels.get(key, "")
        if not label:
            raise Untold(key)
        return label

    def result(self) -> QueryExample | None:
        self._find()
        self._judge()
        steps = self._asked()
        if self._tree.judged or self._tree.during:
            raise Untold
        if not {"LEAST", "LT"}.isdisjoint(step for step in steps if isinstance(step, str)) and _MORE.search(
            self._one.question
        ):
            raise Untold  # the query says the other way round
        return self._tree.example(steps, self._kind(steps), self._one.source, self._vocabulary)

    # --- what the question says -----------------------------------------------------------------

    def _find(self) -> None:
        """Points at every name, the longest first, then at class words."""
        tree = self._tree
        ends = {end for fact in tree.facts for end in (fact.subject, fact.object, *(value for _, value in fact.said))}
        named = {end: self._name(end) for end in ends | set(tree.class_of) if not is_variable(end)}
        for end, name in sorted(named.items(), key=lambda item: (-len(item[1]), item)):
            tree.operands[end] = tree.point(end, ((*span, "entity") for span in name_spans(self._one.question, name)))
        tree.point_at_classes()

    def _name(self, end: str) -> str:
        name = self._one.names.get(end) or self._labels.get(end) or readable_name(end)
        if not name:
            raise Untold(end)
        return name

    def _operand(self, value: str) -> int:
        """Where the question says a number or date: the only one, or the one that is alike."""
        question = self._one.question
        spans = [span for span in values_in(question) if span[2] in ("number", "date")]
        alike = values_like(question, value) or values_like(question, value[:4])
        return self._tree.point(_SAID, alike if len(spans) > 1 else spans)

    # --- what members are judged by -------------------------------------------------------------

    def _judge(self) -> None:
        """Filters, then the order, as steps that narrow the ends which have the values."""
        compared: dict[str, list[Compared]] = {}
        for one in self._query.compared:
            compared.setdefault(one.left, []).append(one)
        for variable, comparisons in compared.items():
            if self._query.form == "ask" and is_variable(comparisons[0].right):
                continue
            self._judge_by(variable, comparisons)
        if self._query.order:
            self._put_in_order()

    def _judge_by(self, variable: str, comparisons: list[Compared]) -> None:
        first = comparisons[0]
        if len(comparisons) > 2 or any(one.comparison == "!=" for one in comparisons):
            raise Untold(variable)
        qualifier = next((q for fact in self._tree.facts for q, value in fact.said if value == variable), None)
        if qualifier is not None:
            if is_variable(first.right):
                raise Untold(variable)
            wanted = _DURING.get(qualifier) if len(comparisons) == 1 else "IN"
            if wanted is None:
                raise Untold(variable)
            self._tree.during[variable] = [self._operand(first.right), wanted]
            return
        fact = self._value_fact(variable)
        if is_variable(first.right):
            other, comparison = self._value_fact(first.right), first.comparison
            if is_variable(other.subject):
                fact, other, comparison = other, fact, _TURNED[comparison]
            if fact.relation != other.relation or is_variable(other.subject) or not is_variable(fact.subject):
                raise Untold(variable)
            operand = self._tree.operands[other.subject]
        else:
            comparison = "=" if len(comparisons) == 2 else first.comparison
            operand = self._operand(first.right)
            if comparison == ">=" and self._tree.draft.spans[operand][2] == "date":
                comparison = ">"  # "after 1950", whose SPARQL begins with its first day
        self._narrow(fact.subject, ["BY", (fact.relation, False), operand, _COMPARISONS[comparison]])

    def _value_fact(self, variable: str) -> Fact:
        """The fact that leads to a value, used up by this."""
        return self._tree.take(next((fact for fact in self._tree.facts if fact.object == variable), None))

    def _narrow(self, end: str, steps: Steps) -> None:
        """Refuses to judge something named, and by one relation twice."""
        if not is_variable(end) or steps[1] in self._tree.judged.get(end, []):
            raise Untold(end)
        self._tree.judged.setdefault(end, []).extend(steps)

    def _put_in_order(self) -> None:
        order = self._query.order
        assert order is not None
        tree = self._tree
        about = [fact for fact in tree.facts if order.variable in (fact.subject, fact.object) and not fact.said]
        if len(about) != 1 or (order.limit > 1 and order.offset):
            raise Untold(order.variable)
        fact = tree.take(about[0])
        inverse = fact.subject == order.variable
        if inverse and not order.counted:
            raise Untold(order.variable)
        steps: Steps = ["BY", (fact.relation, inverse), *(["SIZE"] if order.counted else []), *self._rank()]
        self._narrow(fact.object if inverse else fact.subject, steps)
        if order.variable == self._query.answer:
            tree.facts.append(fact)

    def _rank(self) -> Steps:
        """A rank or a number where the question says it; "last" turns the order."""
        order = self._query.order
        assert order is not None
        descending = order.descending
        question = self._one.question
        ranks = [span for span in values_in(question) if span[2] == "rank"]
        if order.limit > 1:
            return [self._operand(str(order.limit)), "MOST" if descending else "LEAST"]
        if not ranks:
            if order.offset:
                raise Untold(order.variable)
            return ["MOST" if descending else "LEAST"]
        start, end, _ = ranks[0]
        if question[start:end].lower() == "last":
            descending = not descending
        return [self._tree.point(_SAID, ranks[:1]), "MOST" if descending else "LEAST"]

    # --- what is asked for ----------------------------------------------------------------------

    def _asked(self) -> Steps:
        query, tree = self._query, self._tree
        if query.form == "ask":
            return self._truth()
        if not query.answer:
            raise Untold
        if query.form == "count":
            return [*tree.end(query.answer), "COUNT"]
        for fact in tree.facts:
            asked = [(name, value) for name, value in fact.said if value == query.answer]
            if asked:
                tree.take(fact)
                rest = tuple(pair for pair in fact.said if pair not in asked)
                if rest:
                    raise Untold(query.answer)
                return tree.asked_of_statement(fact, asked[0][0])
        return tree.end(query.answer)

    def _truth(self) -> Steps:
        tree, compared = self._tree, self._query.compared
        if compared:
            if len(compared) > 1 or not is_variable(compared[0].right):
                raise Untold
            left, right = self._value_fact(compared[0].left), self._value_fact(compared[0].right)
            if left.subject == right.subject:
                raise Untold
            pair = sorted((left, right), key=lambda fact: tree.draft.start(tree.operands[fact.subject]))
            comparison = compared[0].comparison if pair[0] is left else _TURNED[compared[0].comparison]
            values = [step for fact in pair for step in (*tree.end(fact.subject), (fact.relation, False))]
            return [*values, _COMPARISONS[comparison]]
        if not tree.facts:
            (name,) = tree.class_of
            return [tree.operands[name], tree.class_operand(name), "HOLDS"]
        held = [fact for fact in tree.facts if not is_variable(fact.object)]
        if held:
            fact = tree.take(held[-1])
            ends = tree.end(fact.subject), tree.qualified(fact), tree.end(fact.object)
            return [*ends[0], (fact.relation, False), *ends[1], *ends[2], "HOLDS"]
        return [*tree.end(tree.facts[-1].object), "SOME"]

    def _kind(self, steps: Steps) -> str:
        query = self._query
        if query.form == "ask":
            return "yesno"
        if query.form == "count":
            return "count"
        if query.order:
            kinds = {operand[2] for operand in self._tree.draft.spans if operand[2] == "rank"}
            return "ordinal" if kinds else "superlative"
        return "filter" if "BY" in steps else kind_of(steps)
