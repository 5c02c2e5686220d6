"""From a model trained on one graph's questions to a planner folder, and how it does with linked topics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
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
from kgask.train.planner.pack_decoder import Taught, teach_decoder
from kgask.train.planner.validate import Validation, planned
from kgask.train.trainer import Report
from kgask.types import Question, undirected

SAME_ANSWERS = 0.98  # least share of held-out questions that the written graph answers as torch does


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


@dataclass(frozen=True, slots=True)
class PackExport:
    """What was written."""

    parity: Parity
    same_answers: float  # share of the held-out questions that the written planner answers as torch does
    taught: Taught | None  # the query decoder, where the planner writes queries
    calibration: CalibrationReport | None


def build_pack_model(
    trainer: InDomainTrainer,
    out: Path,
    n_probes: int,
    scores: dict[str, object],
    report: Callable[[int, int], None] = lambda done, n: None,
    full: bool = False,
    teaching: Report = lambda _: None,
) -> PackExport:
    """Write a planner folder; the card is written last.

    Where training began with a planner that writes queries its decoder is taught over the relations as they are now.
    Raises :class:`ModelError` where int8 answers more than 2 % of the held-out questions otherwise than torch; with
    ``full`` the float32 graph is written then.

    Confidence is calibrated on held-out questions with paths; where there are
    none, or none leads anywhere, what the planner it began with had is kept.
    ``scores`` go into the card as they are.
    """
    pack = trainer.pack
    taught = teach_decoder(trainer, trainer.job.init, teaching) if trainer.job.init and trainer.writes_queries else None
    out.mkdir(parents=True, exist_ok=True)
    (out / QUESTION_WORDS).write_text("\n".join(sorted(question_words(trainer))) + "\n", encoding="utf-8")
    parity, same = _exported(trainer, out, taught, full)
    scores = scores | {"same_answers": round(same, 4)}
    if taught is not None:
        scores |= {"queries_before": round(taught.before, 4), "queries": round(taught.after, 4)}
    card = _card(trainer, out, parity, scores)
    write_card(out, card)
    examples = as_examples(pack, trainer.held_out)
    if not examples:
        return PackExport(parity, same, taught, None)
    pipeline = Pipeline(pack, RigelPlanner.load(out), None)
    drawn = draw_probes(pack, examples, n_probes, random.Random(trainer.config.rng_seed + 90_001))
    try:
        result = calibrate(pipeline, drawn, report)
    except ModelError:  # no probe led anywhere
        return PackExport(parity, same, taught, None)
    card["calibration"] = asdict(result.calibration)
    card.pop("min_confidence", None)  # it was that of another calibration
    card["scores"] |= {"probes": result.n_probes, "brier": round(result.brier, 4)}
    write_card(out, card)
    return PackExport(parity, same, taught, result)


def _exported(trainer: InDomainTrainer, out: Path, taught: Taught | None, full: bool) -> tuple[Parity, float]:
    """Write the graphs; how often the written planner answers held-out questions as torch does."""
    pack, judged = trainer.pack, trainer.held_out or trainer.dev or [one for t in trainer.templates for one in t[:1]]
    texts = sorted({question.text for question in judged})
    probes = random.Random(0).sample(texts, min(N_PARITY, len(texts)))
    relation_texts = [relation_phrase(relation.label) for relation in pack.relations()]
    expected = planned(trainer.planner(), pack, judged)

    def written(is_full: bool) -> tuple[Parity, float]:
        parity = export(
            trainer.model, trainer.job.encoder, out, _n_tokens(trainer), probes, relation_texts,
            full=is_full, least=0.0, query=taught.model if taught else None,
        )  # fmt: skip
        write_card(out, _card(trainer, out, parity, {}))
        found = planned(RigelPlanner.load(out, on_cpu=True), pack, judged)
        return parity, sum(one == other for one, other in zip(found, expected, strict=True)) / len(judged)

    parity, same = written(False)
    if same < SAME_ANSWERS and full:
        parity, same = written(True)
    if same < SAME_ANSWERS:
        raise ModelError(
            f"int8 answers {1 - same:.1%} of {len(judged)} held-out questions otherwise than torch; nothing was "
            "written. --float32 writes a larger and slower graph instead"
        )
    return parity, same


def _n_tokens(trainer: InDomainTrainer) -> int:
    """The longest question: as long as the planner that training began with could read."""
    known = RigelCard.load(trainer.job.init).max_tokens if trainer.job.init else 0
    return max(trainer.config.max_tokens, known)


def _card(trainer: InDomainTrainer, out: Path, parity: Parity, scores: dict[str, object]) -> dict[str, object]:
    base = RigelCard.load(trainer.job.init).content if trainer.job.init else {}
    about: dict[str, Any] = {
        "made_for": {"pack": trainer.pack.name, "content_hash": trainer.pack.content_hash},
        "training_data": trainer.training_data(),
        "licence": base.get("licence", "that of the base encoder and of the questions"),
        "scores": dict(scores),
    }
    about["max_tokens"] = _n_tokens(trainer)
    if trainer.config.closed:
        about["closed_vocabulary"] = list(trainer.closed_keys() or ())
    kept = ("calibration", "linker", "linker_data", "min_confidence", "query_calibration", "queries")
    about |= {name: base[name] for name in kept if name in base}
    return planner_card(out, trainer, parity, encoder_name(trainer.job.encoder), about)
