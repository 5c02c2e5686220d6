"""WebQSP (Yih et al. 2016) and ComplexWebQuestions (Talmor and Berant 2018): questions over Freebase."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.keys import freebase_key
from kgask.sets.rows import fits, json_records, optional_text, text_at
from kgask.sets.sparql import query_facts


def load_webqsp(path: Path, split: str | None) -> list[Gold]:
    """``WebQSP.test.json``, or the folder and ``split``.

    The answers are those of all parses together, as most that is published counts them; topics too. The relations are
    those of the first parse that has a chain. Keys are paths: /m/0c9c0, /people/person/children.
    """
    return [_webqsp(where, row) for _, where, _, row in json_records(path, split, "Questions")]


def _webqsp(where: str, row: dict[str, Any]) -> Gold:
    with fits(where):
        parses = row["Parses"]
        chains = [parse["InferentialChain"] for parse in parses if parse.get("InferentialChain")]
        relations = tuple(freebase_key(name) for name in (chains[0] if chains else ()))
        return Gold(
            id=text_at(row, "QuestionId"),
            text=text_at(row, "RawQuestion", "ProcessedQuestion"),
            answers=_distinct(_webqsp_answer(answer) for parse in parses for answer in parse["Answers"]),
            topics=tuple(dict.fromkeys(
                GoldTopic(optional_text(parse.get("TopicEntityName")), freebase_key(parse["TopicEntityMid"]))
                for parse in parses if parse.get("TopicEntityMid")
            )),
            relations=relations,
            kind=f"{len(relations)}-hop" if relations else "",
            hops=len(relations) or None,
        )  # fmt: skip


def _webqsp_answer(answer: dict[str, Any]) -> GoldAnswer:
    argument = text_at(answer, "AnswerArgument")
    if answer["AnswerType"] != "Entity":
        return GoldAnswer((argument,))
    name = optional_text(answer.get("EntityName"))
    return GoldAnswer((name,) if name else (), freebase_key(argument))


def load_cwq(path: Path, split: str | None) -> list[Gold]:
    """``ComplexWebQuestions_dev.json``, or the folder and ``split``; the test part is published without answers.

    Topics and relations are read from the query.
    """
    return [_cwq(where, row) for _, where, _, row in json_records(path, split)]


def _cwq(where: str, row: dict[str, Any]) -> Gold:
    facts = query_facts(optional_text(row.get("sparql")))
    with fits(where):
        return Gold(
            id=text_at(row, "ID"),
            text=text_at(row, "question"),
            answers=_distinct(_cwq_answer(answer) for answer in row.get("answers") or ()),
            topics=tuple(GoldTopic("", key) for key in facts.topics),
            relations=facts.relations,
            kind=optional_text(row.get("compositionality_type")),
            hops=facts.hops,
        )


def _cwq_answer(answer: dict[str, Any]) -> GoldAnswer:
    names = [optional_text(answer.get("answer")), *map(optional_text, answer.get("aliases") or ())]
    key = optional_text(answer.get("answer_id"))
    return GoldAnswer(tuple(dict.fromkeys(filter(None, names))), freebase_key(key) if key else None)


def _distinct(answers: Iterable[GoldAnswer]) -> tuple[GoldAnswer, ...]:
    return tuple(dict.fromkeys(answers))
