"""From a model trained on one graph's questions to a planner folder, and how it does with linked topics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.cards import write_card
from kgask.corpus.examples import PathExample
from kgask.corpus.questions import GraphQuestion, by_template
from kgask.errors import ModelError
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.card import RigelCard
from kgask.plan.rigel_onnx import MASK, RigelPlanner
from kgask.train.calibrate import CalibrationReport, calibrate, draw_probes
from kgask.train.encoder import encoder_name
from kgask.train.planner.card import N_PARITY, QUESTION_WORDS, planner_card
from kgask.train.planner.domain import InDomainTrainer
from kgask.train.planner.export import Parity, export
from kgask.train.planner.validate import Validation
from kgask.types import Question, undirected


def question_words(trainer: InDomainTrainer) -> frozenset[str]:
    """Words around the topics of the training questions, and those that the planner it began with knows."""
    words = {word for template in trainer.templates for word in normalise(template[0].text.replace(MASK, " ")).split()}
    known = trainer.job.init / QUESTION_WORDS if trainer.job.init else None
    if known is not None and known.is_file():
        words.update(known.read_text(encoding="utf-8").split())
    return frozenset(words)


def torch_pipeline(trainer: InDomainTrainer) -> Pipeline:
    """The whole pipeline without a reader on the weights as they are."""
    return Pipeline(trainer.pack, trainer.planner(question_words(trainer)), None)


def validate_linked(
    pipeline: Pipeline, questions: Sequence[GraphQuestion], report: Callable[[int], None] = lambda done: None
) -> Validation:
    """As :func:`kgask.train.planner.validate.validate`, but from the question as it was asked: kgask finds the topic.

    Without a threshold, so that every question counts.
    """
    right, exact = [], 0
    options = AskOptions(min_confidence=0.0)
    for done, question in enumerate(questions, 1):
        found = pipeline.understand(Question(question.asked), options)
        ends = found.hypotheses[0].answers.tolist() if found.hypotheses else []
        right.append(bool(ends) and ends[0] in question.answers)
        exact += set(ends) == question.answers
        report(done)
    n = max(1, len(questions))
    return Validation(len(questions), sum(right) / n, exact / n, tuple(right))


def as_examples(pack: Pack, questions: Iterable[GraphQuestion]) -> list[PathExample]:
    """One example a template with a known path, by relation keys: what calibration fills with entities."""
    keys = [relation.key for relation in pack.relations()]
    found = []
    for text, template in by_template(questions).items():
        path = next((question.path for question in template if question.path), None)
        if path is not None:
            steps = (undirected(relation, pack.n_relations) for relation in path)
            found.append(PathExample(text, tuple((keys[r], inverse) for r, inverse in steps), "own"))
    return found


def build_pack_model(
    trainer: InDomainTrainer,
    out: Path,
    n_probes: int,
    scores: dict[str, object],
    report: Callable[[int, int], None] = lambda done, n: None,
) -> tuple[Parity, CalibrationReport | None]:
    """Write a planner folder; the card is written last.

    Confidence is calibrated on held-out questions with paths; where there are
    none, or none leads anywhere, what the planner it began with had is kept.
    ``scores`` go into the card as they are.
    """
    pack, config = trainer.pack, trainer.config
    asked = {question.text for question in trainer.held_out or trainer.dev}
    texts = sorted(asked or {template[0].text for template in trainer.templates})
    probes = random.Random(0).sample(texts, min(N_PARITY, len(texts)))
    relation_texts = [relation_phrase(relation.label) for relation in pack.relations()]
    parity = export(trainer.model, trainer.job.encoder, out, config.max_tokens, probes, relation_texts, or_full=True)
    (out / QUESTION_WORDS).write_text("\n".join(sorted(question_words(trainer))) + "\n", encoding="utf-8")
    card = _card(trainer, out, parity, scores)
    write_card(out, card)
    examples = as_examples(pack, trainer.held_out)
    if not examples:
        return parity, None
    pipeline = Pipeline(pack, RigelPlanner.load(out), None)
    drawn = draw_probes(pack, examples, n_probes, random.Random(config.rng_seed + 90_001))
    try:
        result = calibrate(pipeline, drawn, report)
    except ModelError:  # no probe led anywhere
        return parity, None
    card["calibration"] = asdict(result.calibration)
    card.pop("min_confidence", None)  # it was that of another calibration
    card["scores"] |= {"probes": result.n_probes, "brier": round(result.brier, 4)}
    write_card(out, card)
    return parity, result


def _card(trainer: InDomainTrainer, out: Path, parity: Parity, scores: dict[str, object]) -> dict[str, object]:
    base = RigelCard.load(trainer.job.init).content if trainer.job.init else {}
    about: dict[str, Any] = {
        "made_for": {"pack": trainer.pack.name, "content_hash": trainer.pack.content_hash},
        "training_data": trainer.training_data(),
        "licence": base.get("licence", "that of the base encoder and of the questions"),
        "scores": dict(scores),
    }
    if trainer.config.closed:
        about["closed_vocabulary"] = list(trainer.closed_keys() or ())
    kept = ("calibration", "linker", "linker_data", "min_confidence")
    about |= {name: base[name] for name in kept if name in base}
    return planner_card(out, trainer, parity, encoder_name(trainer.job.encoder), about)
