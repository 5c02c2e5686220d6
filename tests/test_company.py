"""An answer does not depend on the questions that are asked beside it: 300 questions, confidences within 0.001."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer

ALIKE = 0.001  # of a confidence
N_QUESTIONS = 300
WORDINGS = (
    "what is the {r} of {s}?", "{s}'s {r}?", "tell me the {r} of {s}", "which {r} does {s} have?", "{r} {s}",
    "who or what is {r} of the {other} of {s}?", "do you happen to know what the {r} of {s} is, or the {other}?",
)  # fmt: skip
WRITTEN = yaml.safe_load((Path(__file__).parent / "questions.yaml").read_text(encoding="utf-8"))


def questions(kg: Pipeline) -> list[str]:
    """The fifty that are written down, the others made from the pack's own triples in several wordings and lengths."""
    rng = random.Random(5)
    found = [gold["q"] for part in ("answerable", "unanswerable") for gold in WRITTEN[part]]
    labels = kg.pack.relation_labels()
    while len(found) < N_QUESTIONS:
        subject, relation, _ = (int(column[0]) for column in kg.pack.triples([rng.randrange(kg.pack.n_triples)]))
        names = {"s": kg.pack.labels([subject])[0], "r": labels[relation], "other": rng.choice(labels)}
        found.append(rng.choice(WORDINGS).format(**names))
    return found


def said(answer: Answer) -> tuple[str | None, bool, tuple[int, ...]]:
    return answer.text, answer.abstained, tuple(entity.id for entity in answer.entities)


@pytest.mark.slow
@pytest.mark.parametrize("reader", [None, ""], ids=["plan alone", "reader"])
def test_alone_and_in_two_shuffled_batches(reader: str | None) -> None:
    with kgask.open("demo", reader=reader, settings={}) as kg:
        texts = questions(kg)
        alone = [kg.ask(text) for text in texts]
        assert len({answer.text for answer in alone}) > N_QUESTIONS / 3, "answers that are all alike would hide it"
        for seed in (1, 2):
            order = random.Random(seed).sample(range(N_QUESTIONS), N_QUESTIONS)
            for row, answer in zip(order, kg.ask_many([texts[row] for row in order]), strict=True):
                assert said(answer) == said(alone[row]), texts[row]
                assert abs(answer.confidence - alone[row].confidence) <= ALIKE, texts[row]
