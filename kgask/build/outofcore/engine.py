"""A whole build out of core, step by step; each finished step is where a rerun goes on.

The same pack as :func:`kgask.build.recipe.build` makes, with the same content hash, from the same recipe: sources are
read by the same readers (plain tables block by block), the numbering, the sorting and the choosing of texts are SQL,
and the files are written from sorted streams.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.build.folder import check_target, new_folder
from kgask.build.manifest import write_manifest
from kgask.build.names_writer import write_names
from kgask.build.outofcore import arrays, aside, duck, learned, numbering, spark_driver
from kgask.build.outofcore.lines import read_source, read_text_file
from kgask.build.outofcore.stage import Stage, stage_for
from kgask.build.outofcore.staged import StagedBuilder
from kgask.build.outofcore.store import ROWS, Store
from kgask.build.outofcore.texts import StoredLookUp, StoredPassages, StoredTexts, relation_texts
from kgask.build.passages_writer import write_passages
from kgask.build.recipe import BuildOutcome, Recipe, collect, inputs_of
from kgask.build.writer import BuildReport
from kgask.build.written import array_entry
from kgask.errors import BuildError
from kgask.pack import header
from kgask.pack.iris import IRI_PREFIX
from kgask.pack.passages import PASSAGES_FILE
from kgask.pack.qualifiers import QUALIFIERS_COUNT, STATEMENTS_COUNT
from kgask.pack.quantities import AXES_COUNT
from kgask.pack.types import TYPES_COUNT

DISK_A_BYTE = 4  # temporary disk a byte of unpacked sources, the finished pack in it
_SPARK_DISK_A_BYTE = 6  # the same with what Spark passes from part to part
_PACKED_BYTES = 6  # of a packed one
Tell = Callable[[str], None]


@dataclass(slots=True)
class _Job:
    recipe: Recipe
    stage: Stage
    store: Store
    tell: Tell
    on_bytes: Callable[[int], None]

    @property
    def facts(self) -> dict[str, Any]:
        return self.stage.facts

    def path(self, name: str) -> Path:
        return self.stage.pack / name


def build(
    recipe: Recipe,
    memory: int,
    tell: Tell,
    on_bytes: Callable[[int], None] = lambda _: None,
    rows: int = ROWS,
    master: str = "",
) -> BuildOutcome:
    """Build within ``memory`` bytes and temporary disk beside the target; see :func:`kgask.build.recipe.build`.

    DuckDB runs the plan, or Spark on ``master`` where one is given. ``tell`` gets a line a step. After Ctrl-C or a kill
    the same recipe goes on behind the last finished step. ``rows`` is how many are held at a time. Raises UsageError
    where an engine is missing, BuildError as the engine in memory does.
    """
    spark_driver.check_installed(master) if master else duck.check_installed()
    inputs = inputs_of(recipe)
    check_target(recipe.target, recipe.force, sources=inputs)
    with stage_for(recipe, "spark" if master else "duckdb") as stage:
        _tell_disk(inputs, stage, tell, _SPARK_DISK_A_BYTE if master else DISK_A_BYTE)
        store = _store(stage, master, memory, rows, tell)
        is_well = False
        try:
            outcome = _built(_Job(recipe, stage, store, tell, on_bytes), inputs)
            is_well = True
            return outcome
        finally:
            store.close(is_well)


def _store(stage: Stage, master: str, memory: int, rows: int, tell: Tell) -> Store:
    if not master:
        return duck.DuckStore(stage.folder, memory, rows)
    from kgask.build.outofcore.spark import SparkStore

    tell(f"starting Spark on {master}")
    return SparkStore(stage.folder, master, memory, rows)


def _tell_disk(inputs: tuple[str, ...], stage: Stage, tell: Tell, a_byte: int) -> None:
    packed = (".gz", ".bz2", ".xz", ".zst")
    n_bytes = sum(os.path.getsize(name) * (_PACKED_BYTES if name.endswith(packed) else 1) for name in inputs)
    need, free = a_byte * n_bytes / 1e9, shutil.disk_usage(stage.folder).free / 1e9
    if need > free:
        raise BuildError(
            f"{stage.folder.parent}: needs up to {need:.1f} GB of temporary disk, {free:.1f} GB are free; "
            "-o on another disk"
        )
    tell(f"needs up to {need:.1f} GB of temporary disk in {stage.folder} ({free:.1f} GB free)")
    if stage.finished:
        tell(f"goes on behind '{stage.finished[-1]}'")


def _built(job: _Job, inputs: tuple[str, ...]) -> BuildOutcome:
    for at, (step, words, work) in enumerate(_STEPS, 1):
        if step in job.stage.finished:
            continue
        job.tell(f"step {at} of {len(_STEPS) + 1}: {words}")
        began = time.monotonic()
        work(job)
        job.store.settle()
        job.facts.setdefault("seconds", {})[step] = round(time.monotonic() - began, 2)
        job.stage.finish(step)
    job.tell(f"step {len(_STEPS) + 1} of {len(_STEPS) + 1}: hashing")
    recipe, facts = job.recipe, job.facts
    about = {
        "name": recipe.name or recipe.target.name,
        "sources": facts["sources"],
        "licences": facts["licences"],
        **({IRI_PREFIX: facts["iri_prefix"]} if facts["iri_prefix"] else {}),
        **({"axes": facts["axes"]} if facts["axes"] else {}),
    }
    with new_folder(recipe.target, recipe.force, sources=inputs) as folder:
        for file in job.stage.pack.iterdir():
            os.link(file, folder / file.name)
        stated = STATEMENTS_COUNT in facts["counts"]
        written = {file.name: array_entry(file) for file in sorted(folder.glob("*.npy"))}
        manifest = write_manifest(
            folder, arrays.opened(folder, stated), written, facts["counts"], relation_texts(job.store), about,
            facts.get("content"),
        )  # fmt: skip
    report = BuildReport(recipe.target, manifest, facts["duplicates"], facts["unused"], facts["nested"])
    return BuildOutcome(report, facts["broken"])


def _read(job: _Job) -> None:
    builder = StagedBuilder(job.store)
    recipe, n_broken = collect(job.recipe, builder, job.tell, job.on_bytes, read=read_source, read_file=read_text_file)
    if not builder.n_added:
        raise BuildError(f"{', '.join(recipe.sources)}: no triples, so no pack")
    builder.flush()
    job.facts.update({
        "broken": n_broken, "sources": list(recipe.source_notes), "licences": list(recipe.licences),
        "iri_prefix": recipe.iri_prefix,
    })  # fmt: skip


def _number(job: _Job) -> None:
    job.facts["nested"] = numbering.resolve(job.store)
    numbering.number(job.store)


def _encode(job: _Job) -> None:
    numbering.encode(job.store)


def _choose(job: _Job) -> None:
    said = ("plainly", "said", "said_keys", "said_whole", "about_nodes", "qualified", "qualifiers", "statements")
    job.store.drop(*said)
    job.facts["unused"] = numbering.choose_texts(job.store)


def _sort(job: _Job) -> None:
    for left in job.stage.pack.glob("*.npy"):  # by a run that was killed in this step
        left.unlink()
    stated = bool(job.store.row("SELECT count(*) FROM qualifier_ids")[0])
    flagged = bool(job.store.row("SELECT count(row) FROM triples")[0])
    outward = arrays.write_direction(job.store, job.stage.pack, header.ARRAYS[:3], "s, r, o", flagged)
    inward = arrays.write_direction(job.store, job.stage.pack, header.ARRAYS[3:], "o, r, s", False)
    n_plain, (n_entities, n_relations) = outward.n_plain, arrays.sizes(job.store)
    (n_rows,) = job.store.row("SELECT count(*) FROM triples WHERE row IS NULL")
    counts = {
        "entities": n_entities,
        "literals": int(job.store.row("SELECT count(*) FROM literals")[0]),
        "relations": n_relations,
        "triples": outward.n_triples,
    }
    relations = relation_texts(job.store)
    if stated:
        counts |= dict(
            zip((STATEMENTS_COUNT, QUALIFIERS_COUNT), arrays.write_statements(job.store, job.stage.pack), strict=True)
        )
    n_types = learned.write_learned(job.store, job.stage.pack, (outward, inward), relations)
    axes = learned.write_values(job.store, job.stage.pack)
    learned.write_sitelinks(job.store, job.stage.pack)
    counts |= {name: n for name, n in ((TYPES_COUNT, n_types), (AXES_COUNT, len(axes))) if n}
    job.facts.update({"counts": counts, "axes": axes, "duplicates": int(n_rows) - n_plain})


def _name(job: _Job) -> None:
    path = job.path(header.NAMES_FILE)
    path.unlink(missing_ok=True)
    texts = StoredTexts.export(job.store, relation_texts(job.store), job.stage.folder)
    job.facts["counts"]["names"] = _written_names(job, texts, path)
    texts.remove()
    job.facts["counts"]["aliases"] = int(job.store.row("SELECT count(*) FROM aliases")[0])
    passages = StoredPassages(job.store)
    if len(passages):
        job.path(PASSAGES_FILE).unlink(missing_ok=True)
        job.facts["counts"]["passages"] = len(passages)
        write_passages(job.path(PASSAGES_FILE), passages)


def _written_names(job: _Job, texts: StoredTexts, path: Path) -> int:
    """By two processes, where that is worth it: the content hash is known then."""
    look_up = StoredLookUp(job.store)
    if not aside.is_worth_it(texts):
        return write_names(path, texts, look_up)
    stated = STATEMENTS_COUNT in job.facts["counts"]
    with aside.writing(texts, job.stage.pack, stated) as wait:

        def written() -> Path:
            file, job.facts["content"] = wait()
            return file

        return write_names(path, texts, look_up, written)


_STEPS: tuple[tuple[str, str, Callable[[_Job], None]], ...] = (
    ("read", "reading", _read),
    ("number", "numbering what is named", _number),
    ("encode", "triples as numbers", _encode),
    ("choose", "choosing names", _choose),
    ("sort", "sorting both ways", _sort),
    ("name", "names and their index", _name),
)
