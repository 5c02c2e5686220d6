"""From a trained Rigel to the folder that ships: export, question words, calibration, card."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.cards import write_card
from kgask.corpus.examples import MASK
from kgask.corpus.mix import WIKIDATA, Corpus
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.card import CLOSED_FILE, FILES, FORMAT
from kgask.plan.providers import CUDA_GRAPH, FULL_GRAPH, QUERY_GRAPH
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.train.calibrate import CalibrationReport, calibrate, draw_probes
from kgask.train.encoder import DEFAULT_ENCODER, architecture, encoder_name
from kgask.train.onnx.export import OPSET
from kgask.train.planner.base import PlannerTrainer
from kgask.train.planner.export import Parity, export
from kgask.train.planner.link_stage import link_data, train_link_stage
from kgask.train.planner.model import MAX_HOPS
from kgask.train.planner.rigel import RigelTrainer
from kgask.train.planner.torch_planner import UNCALIBRATED

# Words of public questions count when several of them use them: rarer ones are names that masking missed.
LEAST_TEXTS = {"simple": 25, "simple_found": 25, "kgconv": 4, "wikiweb": 6, "webquestions": 6, "mintaka": 6}
UNMASKED = ("simple_unmasked", "webquestions_unmasked")  # sources whose texts hold names
QUESTION_WORDS = "question_words.txt"
DEFAULT_CALIBRATION = asdict(UNCALIBRATED)
N_PARITY = 200  # held-out questions that the exported graphs are compared on
LICENCE = "Apache-2.0 (weights; the base encoder all-MiniLM-L6-v2 is Apache-2.0)"
OTHER_LICENCE = "Apache-2.0, and that of the base encoder {}"


def question_words(corpus: Corpus) -> list[str]:
    """Words that questions use around their topics, sorted."""
    words: set[str] = set()
    for source, examples in corpus.train.items():
        if source in UNMASKED:
            continue
        counts: Counter[str] = Counter()
        for text in {example.text for example in examples}:
            counts.update(set(normalise(text.replace(MASK, " ")).split()))
        least = LEAST_TEXTS.get(source, 1)
        words.update(word for word, count in counts.items() if count >= least)
    for wording in corpus.wordings.values():
        for text in [*wording.texts, *wording.phrases["+"], *wording.phrases["-"]]:
            words.update(normalise(text.replace("{x}", " ")).split())
    return sorted(words)


def build_model_folder(
    trainer: RigelTrainer,
    out: Path,
    pack: Path,
    n_probes: int,
    report: Callable[[int, int], None],
    keep_full: bool = False,
) -> tuple[Parity, CalibrationReport]:
    """Export, link weights, calibration: a whole planner folder in ``out``; the card is written last.

    With ``keep_full`` the float32 graph is written too.
    Calibration comes after the link weights, which its features depend on, and
    on other probes.
    """
    corpus = trainer.corpus
    asked = [example for example in corpus.held_out if example.path and example.vocabulary == WIKIDATA]
    probes = random.Random(0).sample(asked, min(N_PARITY, len(asked)))
    probe_texts = [example.text for example in probes]
    # Among relations that hold the right one: elsewhere the best of many wrong ones is chance.
    keys = {key for example in probes for key, _ in example.path} | set(corpus.wordings)
    relation_texts = [corpus.texts[key][0] for key in sorted(keys)]
    n_tokens = trainer.config.max_tokens
    parity = export(
        trainer.model, trainer.encoder_folder, out, n_tokens, probe_texts, relation_texts, keep_full=keep_full
    )
    (out / QUESTION_WORDS).write_text("\n".join(question_words(corpus)) + "\n", encoding="utf-8")
    card = _card(trainer, out, parity)
    write_card(out, card)
    rng = random.Random(trainer.config.rng_seed + 90_001)
    with Pack.open(pack) as opened:
        linking, calibrating = (draw_probes(opened, corpus.held_out, n, rng) for n in (n_probes // 2, n_probes))
        links = train_link_stage(RigelPlanner.load(out), opened, linking, trainer.data, trainer.config.rng_seed)
        card["linker"] = links.weights
        card["linker_data"] = link_data(trainer.data)
        write_card(out, card)
        result = calibrate(Pipeline(opened, RigelPlanner.load(out), None), calibrating, report)
        card["calibration"] = asdict(result.calibration)
        card["scores"] |= {
            "link_questions": links.n_questions,
            "links_right": round(links.right, 4),
            "links_right_by_hand_weights": round(links.right_before, 4),
            "calibration_pack": {"name": opened.name, "content_hash": opened.content_hash},
            "probes": result.n_probes,
            "probes_answerable": result.n_answerable,
            "probe_hits_at_1": round(result.hits_at_1, 4),
            "brier": round(result.brier, 4),
        }
    write_card(out, card)
    return parity, result


def _card(trainer: RigelTrainer, out: Path, parity: Parity) -> dict[str, object]:
    name = encoder_name(trainer.start if trainer.start and trainer.start.is_dir() else trainer.encoder_folder)
    about = {
        "recipe": _recipe(trainer),
        "training_data": trainer.training_data,
        "licence": LICENCE if name == DEFAULT_ENCODER else OTHER_LICENCE.format(name),
        "scores": {},
    }
    return planner_card(out, trainer, parity, name, about)


def planner_card(
    out: Path, trainer: PlannerTrainer[Any, Any], parity: Parity, encoder: str, about: dict[str, Any]
) -> dict[str, Any]:
    """The card of an exported planner, not calibrated yet; ``about`` is what the kind of training adds."""
    common = {
        "encoder": encoder,
        "architecture": architecture(trainer.model.encoder),
        "max_tokens": trainer.config.max_tokens,
        "max_hops": MAX_HOPS,
        "opset": OPSET,
        "quantisation": "int8, scales per row" if parity.quantised else "none: int8 changed too many plans",
        "parity": asdict(parity),
        "config": asdict(trainer.config),
        "calibration": DEFAULT_CALIBRATION,
    }
    return FORMAT.card(out, files_of(out), **common | about)


def files_of(folder: Path) -> list[str]:
    """What a planner's card lists: the files that all have, and of the others those that this one has."""
    optional = (CUDA_GRAPH, QUERY_GRAPH, FULL_GRAPH, CLOSED_FILE)
    return [*FILES, *(name for name in optional if (folder / name).is_file())]


def _recipe(trainer: RigelTrainer) -> str:
    start = f" --init {trainer.start.name}" if trainer.start else ""
    return f"kgask train rigel --data DATA --out OUT{start}, with the settings of 'config' in a --config file"
