"""The last stage of a planner's training: the link score's weights, from public questions over packs made for it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from kgask.answer.pipeline import Pipeline
from kgask.corpus.training_data import LINKING
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.sets import entityquestions, packs, simplequestions
from kgask.train.calibrate import Probe
from kgask.train.planner.link_questions import (
    entity_questions,
    from_probes,
    simple_questions,
    varied,
)
from kgask.train.planner.link_scorer import LinkQuestion, LinkReport, train_linker

N_QUESTIONS = 1500  # of each public set
Source = tuple[str, Callable[..., list[LinkQuestion]]]  # name of its pack, and its questions
SOURCES: dict[str, Source] = {  # by a file that each needs: of a set, some have only what the planner learns from
    str(entityquestions.TRIPLES): ("entityquestions", entity_questions),
    str(simplequestions.TRAINING): ("simplequestions", simple_questions),
}


def link_data(data: Path) -> list[str]:
    """What of ``data`` the link weights are fitted on, as a card lists it."""
    return [LINKING[Path(name).parent.name] for name in SOURCES if (data / name).is_file()]


def train_link_stage(
    planner: RigelPlanner,
    pack: Pack,
    probes: Sequence[Probe],
    data: Path,
    rng_seed: int,
    report: Callable[[int, int], None] = lambda done, n: None,
) -> LinkReport:
    """Weights for ``planner`` from probes over ``pack`` and the public sets that are in ``data``."""
    rng = random.Random(f"links:{rng_seed}")
    with TemporaryDirectory() as folder, ExitStack() as opened:
        others = []
        for name, (pack_name, questions) in SOURCES.items():
            if not (data / name).is_file():
                continue
            target = Path(folder) / Path(name).parent
            packs.build_pack(pack_name, data, target, lambda _: None)
            public = opened.enter_context(Pack.open(target))
            asked = varied(questions(data, public, N_QUESTIONS, rng), rng)
            others.append((Pipeline(public, planner, None), asked))
        return train_linker(Pipeline(pack, planner, None), from_probes(probes), others, report)
