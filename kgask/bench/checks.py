"""What it costs to look whether files are what was written: blocks of a pack, and the planner's files."""

from __future__ import annotations

import os
import statistics
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.bench.cold_start import QUESTION, whole_process
from kgask.bench.timing import in_turn, ms_of
from kgask.bench.warm import QUESTIONS
from kgask.cards import check_content, hash_mismatches, read_json
from kgask.config import MODEL_CARD, PACK_MANIFEST
from kgask.errors import PackError
from kgask.pack.blocks import BLOCKS_FILE
from kgask.pack.header import dump_manifest, read_manifest
from kgask.pack.store import Pack

_COLD_RUNS = 7


def measure(pack: str | None, n_runs: int) -> dict[str, float]:
    """Medians over runs, without a reader; with checksums and without them in turn, differences and ratios of a turn.

    Raises PackError for a pack that has no checksums.
    """
    checked, options = config.chosen("pack", pack).path, AskOptions(min_confidence=0.0)
    with TemporaryDirectory() as place, ExitStack() as stack:
        folders = {"checked": checked, "unchecked": _without_checksums(checked, Path(place) / "pack")}
        # Models of their own: what one remembers of a question would be given to the other.
        kgs = {way: stack.enter_context(Pipeline.open(str(path), reader=None)) for way, path in folders.items()}
        first = in_turn({way: partial(_first, kg, folders[way], options) for way, kg in kgs.items()}, n_runs)
        warm = in_turn({way: partial(_warm, kg, options) for way, kg in kgs.items()}, n_runs)
    blocks = [one - other for one, other in zip(first["checked"], first["unchecked"], strict=True)]
    ratios = [one / other for one, other in zip(warm["checked"], warm["unchecked"], strict=True)]
    return {
        "first_question_ms": round(statistics.median(first["checked"]), 2),
        "of_it_pack_blocks_ms": round(statistics.median(blocks), 2),
        "warm_question_ms": round(statistics.median(warm["checked"]) / len(QUESTIONS), 2),
        "warm_to_unchecked": round(statistics.median(ratios), 3),
        **_planner_figures(n_runs),
    }


def _planner_figures(n_runs: int) -> dict[str, float]:
    folder = config.chosen("model", None).path
    files = read_json(folder / MODEL_CARD)["files"]
    command = [sys.executable, "-m", "kgask", QUESTION, "--no-reader"]
    cold_ms = 1000 * statistics.median(
        run.wall_s for run in in_turn({"": partial(whole_process, command)}, _COLD_RUNS)[""]
    )
    spent = in_turn(
        {
            "hashed": partial(ms_of, partial(hash_mismatches, folder, files)),
            "remembered": partial(ms_of, partial(check_content, folder, files)),
        },
        n_runs,
    )
    hashed, remembered = (statistics.median(spent[way]) for way in ("hashed", "remembered"))
    return {
        "cold_start_ms": round(cold_ms, 1),
        "planner_hashed_ms": round(hashed, 2),
        "planner_hashed_share": round(hashed / cold_ms, 4),
        "planner_remembered_ms": round(remembered, 3),
        "planner_remembered_share": round(remembered / cold_ms, 5),
    }


def _without_checksums(pack: Path, target: Path) -> Path:
    """The same pack as one that was built before there were checksums, of the same files."""
    manifest = read_manifest(pack)
    if BLOCKS_FILE not in manifest["files"]:
        raise PackError(f"{pack}: has no checksums; give it its own: kgask pack check {pack} --write-checksums")
    target.mkdir()
    del manifest["files"][BLOCKS_FILE]
    for name in manifest["files"]:
        (target / name).symlink_to(os.path.abspath(pack / name))
    (target / PACK_MANIFEST).write_bytes(dump_manifest(manifest))
    return target


def _first(kg: Pipeline, folder: Path, options: AskOptions) -> float:
    """Milliseconds to open a pack anew and to ask it once, with the same models."""

    def ask() -> None:
        opened = Pipeline(Pack.open(folder), kg.planner, None, judge=kg.judge)
        opened.ask(QUESTION, options)
        opened.pack.close()

    return ms_of(ask)


def _warm(kg: Pipeline, options: AskOptions) -> float:
    """Milliseconds of all questions, asked one by one."""
    return ms_of(lambda: [kg.ask(text, options) for text in QUESTIONS])
