"""Claims of kin that are more than a step away, decided by who they are: "Nora is one of Patrick's grandchildren".

No relation of a graph says so, and a question for them is answered by definition (:mod:`kgask.methods.whole_kin`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.link.naming import names_in, seeds_in
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.verify.readings import Reading, Readings

_KIN = (
    r"(?P<kin>(?:(?:maternal|paternal) )?(?:grand-?(?:child(?:ren)?|sons?|daughters?|kids?|parents?|fathers?|mothers?)|"
    r"uncles?|aunts?|nephews?|nieces?|cousins?|siblings?|brothers?|sisters?|(?:mother|father|son|daughter)s?-in-law))"
)
_IS_KIN = (
    re.compile(rf"(?P<one>.+?) (?:is|was) (?:one of )?(?P<of>[^,]+?)['\u2019]s? {_KIN}", re.IGNORECASE),
    re.compile(rf"(?P<one>.+?) (?:is|was) (?:an?|the|one of the) {_KIN} of (?P<of>[^,]+)", re.IGNORECASE),
)


def asked_kin(text: str) -> tuple[str, str] | None:
    """Who is claimed to be somebody's kin, and the question for these; None for another text.

    >>> asked_kin("Nora is one of Pat's grandchildren."), asked_kin("Ann is an aunt of Bob"), asked_kin("Ann is old")
    (('Nora', "who are Pat's grandchildren?"), ('Ann', "who are Bob's aunts?"), None)
    """
    found = next((one for form in _IS_KIN if (one := form.fullmatch(text.strip().rstrip(".")))), None)
    if found is None:
        return None
    kin = found["kin"].lower()
    several = kin if kin.endswith(("s", "children", "-in-law")) else kin + ("ren" if kin.endswith("child") else "s")
    return found["one"], f"who are {found['of']}'s {several}?"


class Kinships(NamedTuple):
    """Reads them over the pack of a pipeline."""

    pipeline: Pipeline
    readings: Readings

    def of(self, texts: Sequence[str]) -> list[Reading | None]:
        """Of positive claims; None of those that say no such thing, and where the question has no answer."""
        asked = [asked_kin(text) for text in texts]
        questions = list(dict.fromkeys(one[1] for one in asked if one is not None))
        answers = dict(zip(questions, self.pipeline.ask_many(questions), strict=True))
        return [None if one is None else self._reading(one[0], one[1], answers[one[1]]) for one in asked]

    def _reading(self, name: str, question: str, answer: Answer) -> Reading | None:
        ids = tuple(dict.fromkeys(one.entity for one in seeds_in(self.pipeline.linker, name) if one.span[0] == 0))
        if not ids or not isinstance(answer.query, SetNode):
            return None
        claimed = nodes.Some(nodes.And(nodes.Entities(ids[:1]), answer.query))
        names = names_in(self.pipeline.linker, question)
        return self.readings.decided(question, names, claimed, answer.confidence)
