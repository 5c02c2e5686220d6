"""``kgask train amr`` without its command line: questions and AMRs in, a model folder out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from kgask.corpus.amr_questions import ExampleMaker, read_gold, split_by_wording
from kgask.methods.amr_inputs import relation_vectors
from kgask.methods.amr_source import AmrFile
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.store import Pack
from kgask.train.amr.export import about_run, export_amr
from kgask.train.amr.loop import Accuracy, AmrConfig, AmrTrainer, accuracy, similarity_accuracy
from kgask.verbalise import directed_words

Show = Callable[[int, str], None]  # steps done, what to say
Bar = Callable[[int], AbstractContextManager[Show]]  # as kgask.cli.render.steps_bar draws them


@dataclass(frozen=True, slots=True)
class AmrJob:
    """What a run reads."""

    amr: Path
    questions: Path
    pack: Path
    encoder: Path

    def sources(self) -> list[Path]:
        return [self.amr, self.questions, self.pack, self.encoder]


@dataclass(frozen=True, slots=True)
class AmrResult:
    held_out: Accuracy
    similarity: Accuracy  # of the same questions, by the sentence encoder alone
    parity: float
    n_parameters: int


def _no_bar(total: int) -> AbstractContextManager[Show]:
    return nullcontext(lambda done, say: None)


def prepare(job: AmrJob, config: AmrConfig, work: Path, bar: Bar = _no_bar) -> tuple[AmrTrainer, int]:
    """The trainer with its questions embedded, and how many the pack does not know; ``bar`` shows the embedding."""
    source, encoder = AmrFile.open(job.amr), TextEncoder.load(job.encoder)
    with Pack.open(job.pack) as pack:
        gold = read_gold(job.questions, pack)
        parts = split_by_wording(gold.questions, config.held_out, config.rng_seed)
        words = directed_words(pack)
        maker = ExampleMaker(pack, encoder, source, words, relation_vectors(encoder, words))
        with bar(len(gold.questions)) as show:
            learnt = maker.make(parts[0], config.n_others, config.rng_seed, lambda done: show(done, ""))
            held = maker.make(parts[1], 0, config.rng_seed, lambda done: show(len(learnt) + done, ""))
    return AmrTrainer(learnt, held, work, config), gold.n_unknown


def finish(trainer: AmrTrainer, job: AmrJob, out: Path, name: str = "") -> AmrResult:
    """Measure and export a model, called ``name`` in its card; raises ModelError when ONNX is not what torch is."""
    held, similarity = accuracy(trainer.model, trainer.held), similarity_accuracy(trainer.held)
    with Pack.open(job.pack) as pack:
        data = {"amr": _hash(job.amr), "questions": _hash(job.questions), "pack": pack.content_hash}
        used = f"{job.questions.name}, questions about the pack {pack.name}, with the AMRs of {job.amr.name}"
    about = about_run(
        trainer.model, trainer.config, TextEncoder.load(job.encoder).card.hash, data,
        {"held_out": held, "held_out_by_similarity": similarity},
    ) | {"name": name or out.name, "training_data": [used] if trainer.step else []}  # fmt: skip
    parity = export_amr(trainer.model, out, trainer.held or trainer.learnt, about)
    return AmrResult(held, similarity, parity, trainer.model.n_parameters())


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
