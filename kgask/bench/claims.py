"""Claims beside the questions whether they are so, and turns of a conversation beside the same as whole questions."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.bench.timing import in_turn, ms_of
from kgask.chat.session import Chat
from kgask.verify.engines import Engine
from kgask.verify.verifier import Verifier, VerifyOptions

# About the demo pack: a claim, and the question whether it is so.
CLAIMS = {
    "Nairobi is the capital of Kenya.": "Is Nairobi the capital of Kenya?",
    "Osaka is the capital of Japan.": "Is Osaka the capital of Japan?",
    "Gold is denser than silver.": "Is gold denser than silver?",
    "Eight countries border Austria.": "Do eight countries border Austria?",
    "Emma was written by Jane Austen.": "Was Emma written by Jane Austen?",
    "Marie Curie was born in Warsaw.": "Was Marie Curie born in Warsaw?",
    "The Danube does not flow into the North Sea.": "Does the Danube flow into the North Sea?",
    "The author of Emma was born in London.": "Was the author of Emma born in London?",
    "Kenya borders Uganda and Ethiopia.": "Does Kenya border both Uganda and Ethiopia?",
    "Albert Einstein was born before Marie Curie.": "Was Albert Einstein born before Marie Curie?",
}
# What is asked first; a turn that goes on from it, and the same as a whole question.
TURNS = (
    ("Who wrote Emma?", "When was she born?", "When was Jane Austen born?"),
    ("What is the capital of Kenya?", "And of Uganda?", "What is the capital of Uganda?"),
    ("Who directed Jaws?", "Where was he born?", "Where was Steven Spielberg born?"),
    ("Which countries border Kenya?", "How many are there?", "How many countries border Kenya?"),
)
BATCH = 8  # times the claims, and the questions, in one batch


def measure(pack: str | None, engine: Engine, n_rounds: int) -> dict[str, float]:
    """Medians over rounds, ratios within a round: ms of the median claim, question and turn; of batches claims a second
    as a share of questions a second."""
    options = AskOptions(query=False, min_confidence=0.0)
    with Pipeline.open(pack, reader=None) as kg:
        verifier = Verifier(kg, VerifyOptions(engine=engine))
        claims, questions = [*CLAIMS] * BATCH, [*CLAIMS.values()] * BATCH
        ways: dict[str, Callable[[], float]] = {
            "claim": lambda: statistics.median(ms_of(partial(verifier.verify, one)) for one in CLAIMS),
            "question": lambda: statistics.median(ms_of(partial(kg.ask, one, options)) for one in CLAIMS.values()),
            "turn": lambda: statistics.median(_turn(kg, first, turn) for first, turn, _ in TURNS),
            "whole": lambda: statistics.median(ms_of(partial(kg.ask, whole, options)) for _, _, whole in TURNS),
            "claims": lambda: ms_of(partial(verifier.verify_many, claims)),
            "questions": lambda: ms_of(lambda: list(kg.ask_many(questions, options))),
        }
        spent = in_turn(ways, n_rounds)
    figures = {f"{way}_ms": round(statistics.median(spent[way]), 2) for way in ("claim", "question", "turn", "whole")}
    ratios = {"claim_to_question": ("claim", "question"), "turn_to_question": ("turn", "whole")}
    ratios["claims_a_second_to_questions"] = ("questions", "claims")
    for name, (one, other) in ratios.items():
        each = (a / b for a, b in zip(spent[one], spent[other], strict=True))
        figures[name] = round(statistics.median(each), 3)
    return figures


def _turn(kg: Pipeline, first: str, turn: str) -> float:
    chat = Chat(kg)
    chat.ask(first)
    return ms_of(partial(chat.ask, turn))
