"""Teaching a planner to write queries (``kgask train queries``): what it learns from, and what is written."""

from __future__ import annotations

import hashlib
import random
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from kgask.cards import write_card
from kgask.corpus.examples import MASK
from kgask.corpus.mix import similar_relations
from kgask.corpus.query_mix import TABLE, QueryMix
from kgask.corpus.query_sources import PATHS, Sources, query_sources
from kgask.corpus.training_data import ENTITY_LABELS, PROPERTY_LABELS, merged, of_folder, sets_of
from kgask.errors import ModelError, UsageError
from kgask.plan.card import FORMAT, RigelCard
from kgask.train.encoder import TextBatcher
from kgask.train.planner.card import N_PARITY, QUESTION_WORDS, files_of
from kgask.train.planner.export import Parity, export
from kgask.train.planner.query_model import QueryRigel
from kgask.train.planner.query_parity import SameQueries, same_queries
from kgask.train.planner.query_train import QueryConfig, QueryTrainer
from kgask.train.planner.settings import read_settings
from kgask.train.planner.weights import load_query, load_torch

LOOKED_AT = 3000  # questions of each source that show which relations are asked for
SAME_QUERIES = 0.98  # least share of the held-out queries that torch writes right and int8 too
N_COMPARED = 1000  # held-out questions that this is measured on
MOST_BYTES = 30_000_000  # of all ONNX files of a model together
STALE = ("magic", "kind", "format_version", "files", "query_calibration")  # of the card that training began with


def read_query_config(path: Path) -> QueryConfig:
    """The settings of an INI file: ``[queries]`` numbers, ``[mix]`` the shares by source. Raises UsageError."""
    return read_settings(path, QueryConfig, "queries", {"mix": "shares"})


class QueriesTrainer(QueryTrainer):
    """A run over public sets and composed questions; it goes on from the last checkpoint in ``work``.

    ``start`` is a planner's folder: its encoder and hop decoder stay, its query decoder is gone on from where it has
    one. Raises ModelError for a planner of a closed vocabulary, UsageError for a source that the data has not.
    """

    data: QueryMix

    def __init__(self, data: Path, start: Path, work: Path, config: QueryConfig, device: str = "cpu") -> None:
        self.start = RigelCard.load(start)
        if self.start.closed is not None:
            raise ModelError(f"{start}: a planner of a closed vocabulary knows no relations by their texts")
        torch.manual_seed(config.rng_seed)
        texts = TextBatcher.load(start, config.max_tokens, device)
        model = (load_query(start) or QueryRigel(load_torch(start), config.hidden)).to(device)
        sources = query_sources(data, config.rng_seed, config.wanted(), start)
        missing = [name for name in config.wanted() if name not in sources.draws]
        if missing:
            raise UsageError(f"the mix names {missing[0]!r}, but the data has no such questions")
        super().__init__(model, texts, _mix(sources, model, texts, config), work, config, device)
        self.training_data = merged(of_folder(start), _drawn_from(config))

    def data_mark(self) -> str:
        """Of the planner that is taught, and of what is held out."""
        found = hashlib.sha256(self.start.hash.encode())
        for example in self.data.held_out:
            found.update(f"{example.text}\t{example.steps}\n".encode())
        return found.hexdigest()


def _mix(sources: Sources, model: QueryRigel, texts: TextBatcher, config: QueryConfig) -> QueryMix:
    """Questions drawn by their shares; relations that are asked for compete, look-alikes more often."""
    asked = _asked_for(sources, config)
    similar = {}
    if asked:
        with torch.no_grad():
            vectors = model.planner.text_vectors(texts, [sources.texts[key][0] for key in asked]).cpu().numpy()
        similar = similar_relations(dict(zip(asked, vectors, strict=True)))
    shares = {name: config.shares[name] for name in config.wanted()}
    return QueryMix(
        sources.draws, shares, sources.texts, similar, sources.held_out, asked, config.n_negatives, config.label_share
    )


def _asked_for(sources: Sources, config: QueryConfig) -> list[str]:
    """Relation keys that questions are about, sorted; columns of tables are not among them."""
    rng, found = random.Random(1), set()
    for name in config.wanted():
        for example in (sources.draws[name](rng) for _ in range(LOOKED_AT)):
            if example.vocabulary != TABLE:
                found.update(example.keys)
    return sorted(key for key in found if key in sources.texts)


def _drawn_from(config: QueryConfig) -> list[str]:
    """The sets that the questions, names and relations are from."""
    found = set(config.wanted()) - {"paths"}
    if "paths" in config.wanted():
        found |= {name for name in PATHS if not name.startswith("composed")}
    if "operators" in found:
        found.add("own")  # paths inside of them
    return [*sets_of(found), ENTITY_LABELS, PROPERTY_LABELS]


# --- the folder that is written -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryExport:
    """What was written."""

    parity: Parity  # of the planner's own outputs
    same: SameQueries  # int8 beside torch
    onnx_bytes: int  # of all graphs
    scores: dict[str, float]  # of the held-out questions, "exact" over all, then by kind


def build_query_folder(trainer: QueriesTrainer, out: Path) -> QueryExport:
    """Write a planner folder with a query decoder, its card last.

    What the start was calibrated to for relation paths stays; how sure queries are is fitted again by ``kgask train
    calibrate``. Raises ModelError where int8 writes too many queries otherwise, or the graphs are too large to ship.
    """
    scores = {name: round(value, 4) for name, value in trainer.measure().items()}
    model, start = trainer.model.cpu().eval(), trainer.start
    n_tokens = max(trainer.config.max_tokens, start.max_tokens)
    probes, relations = _probes(trainer.data)
    parity = export(model.planner, start.folder, out, n_tokens, probes, relations, query=model)
    shutil.copyfile(start.folder / QUESTION_WORDS, out / QUESTION_WORDS)
    n_bytes = sum(path.stat().st_size for path in out.glob("*.onnx"))
    if n_bytes > MOST_BYTES:
        raise ModelError(f"its graphs take {n_bytes:,} bytes together, more than the {MOST_BYTES:,} that may ship")
    held_out = trainer.data.held_out
    compared = random.Random(0).sample(held_out, min(N_COMPARED, len(held_out)))
    same = same_queries(model, out, TextBatcher.load(out, n_tokens), trainer.data, compared)
    if same.right < SAME_QUERIES:
        raise ModelError(
            f"int8 writes {same.right:.1%} of the held-out queries that torch writes right, too few to ship"
        )
    found = QueryExport(parity, same, n_bytes, scores)
    kept = {name: value for name, value in start.content.items() if name not in STALE}
    kept |= {"max_tokens": n_tokens, "parity": asdict(parity), "training_data": trainer.training_data}
    write_card(out, FORMAT.card(out, files_of(out), **kept | {"queries": _about(trainer, found)}))
    return found


def _probes(data: QueryMix) -> tuple[list[str], list[str]]:
    """Held-out questions for the planner's own parity, of relation paths where there are enough, and relation texts."""
    rng = random.Random(0)
    named = [example for example in data.held_out if example.vocabulary != TABLE and MASK in example.text]
    paths = [example for example in named if example.kind == "path" and example.keys]
    chosen = paths if len(paths) >= N_PARITY else named
    chosen = rng.sample(chosen, min(N_PARITY, len(chosen)))
    return [example.text for example in chosen], list(data.competing(chosen, rng).texts)


def _about(trainer: QueriesTrainer, found: QueryExport) -> dict[str, Any]:
    """What the card says of how queries were learnt."""
    recipe = f"kgask train queries --data DATA --init {trainer.start.folder.name} -o OUT"
    return {
        "recipe": f"{recipe}, with the settings of 'config' in a --config file",
        "config": asdict(trainer.config),
        "steps": trainer.step,
        "same_queries": {name: round(share, 4) for name, share in asdict(found.same).items()},
        "held_out": len(trainer.data.held_out),
        "scores": found.scores,
    }
