"""Warm questions along a path beside ones with operators, and one planner beside another: in turn, in one process."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.bench.timing import in_turn, ms_of
from kgask.bench.warm import QUESTIONS

# About the demo pack, of every kind that a query has operators for.
OPERATORS = (
    "How many countries border Germany?",
    "What is the largest country in Africa?",
    "Is Nairobi the capital of Kenya?",
    "How old was Marie Curie when she died?",
    "Which countries border both Kenya and Ethiopia?",
    "Which countries do not use the euro?",
    "Is gold heavier than silver?",
    "Which rivers in Africa are longer than 2000 km?",
    "Which women won the Nobel Prize in Physics?",
    "Who was born first, Albert Einstein or Marie Curie?",
)
Spent = tuple[float, float]  # milliseconds of a question: median and mean of one round


def measure(
    pack: str | None, model: str | None, beside: str | None, reader: str | None, n_rounds: int
) -> dict[str, float | int]:
    """Medians over rounds; ratios are taken within a round. With ``beside``, that planner takes turns too.

    Of the median question of a round, and ``_mean`` of all of them: a question that nothing is sure of costs more, for
    its names may be misspelt.
    """
    options = AskOptions(query=False, min_confidence=0.0)
    with ExitStack() as stack:
        names = {"": model} | ({"beside_": beside} if beside else {})
        kgs = {name: stack.enter_context(Pipeline.open(pack, model=of, reader=reader)) for name, of in names.items()}
        ways: dict[str, Callable[[], Spent]] = {}
        for name, kg in kgs.items():
            for kind, texts in (("path", QUESTIONS), ("operators", OPERATORS)):
                ways[f"{name}{kind}"] = partial(_asked, kg, texts, options)
        spent = in_turn(ways, n_rounds)
        derived = sum(one.derivation is not None for one in kgs[""].ask_many(OPERATORS, options))
    figures: dict[str, float | int] = {
        f"{way}_ms": round(statistics.median(usual for usual, _ in rounds), 2) for way, rounds in spent.items()
    }
    pairs = [("operators", "path"), *([(kind, f"beside_{kind}") for kind in ("path", "operators")] if beside else [])]
    for one, other in pairs:
        for place, which in enumerate(("", "_mean")):
            ratios = [a[place] / b[place] for a, b in zip(spent[one], spent[other], strict=True)]
            figures[f"{one}_to_{other}{which}"] = round(statistics.median(ratios), 3)
    return figures | {"operator_questions": len(OPERATORS), "derived": derived}


def _asked(kg: Pipeline, texts: Sequence[str], options: AskOptions) -> Spent:
    each = [ms_of(partial(kg.ask, text, options)) for text in texts]
    return statistics.median(each), statistics.fmean(each)
