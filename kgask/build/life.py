"""A pack changed: triples added, removed, patched; each change is a new version (:mod:`kgask.build.versions`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.changes import found_in, patched, read_patch
from kgask.build.from_pack import add_pack
from kgask.build.recipe import Recipe, collect
from kgask.build.source import Problems, open_source
from kgask.build.versions import KEPT, changing
from kgask.build.writer import BuildReport, PackBuilder
from kgask.errors import BuildError
from kgask.pack.arrays import distinct
from kgask.pack.iris import IRI_PREFIX
from kgask.pack.records import LiteralKind
from kgask.pack.store import Pack

_LOOKED_AT = 1000  # literals of a relation
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change wrote; ``n_missing`` of what was to be removed was not there."""

    report: BuildReport
    n_missing: int = 0


def add(path: Path, recipe: Recipe, command: str, tell: Tell, n_kept: int = KEPT) -> Changed:
    """Add what a recipe reads to the pack at ``path``. Raises :class:`BuildError`."""
    with changing(path, n_kept):
        builder = PackBuilder()
        with Pack.open(path) as pack:
            add_pack(pack, builder)
            about, (named, known) = _about(pack), _kinds_of(pack)
        n_before = builder.n_added
        recipe, _ = collect(recipe, builder, tell, given=named, known=known)
        if builder.n_added == n_before and not recipe.texts:
            raise BuildError(f"{', '.join(recipe.sources)}: no triples, so nothing to add")
        about["sources"] = [*dict.fromkeys((*about["sources"], *recipe.source_notes))]
        about["licences"] = [*dict.fromkeys((*about["licences"], *recipe.licences))]
        return Changed(_written(builder, path, about, command))


def remove(path: Path, recipe: Recipe, command: str, tell: Tell, n_kept: int = KEPT) -> Changed:
    """Remove the triples that a recipe reads from the pack at ``path``, with what is said of them."""
    with changing(path, n_kept):
        builder, listed = PackBuilder(), PackBuilder()
        with Pack.open(path) as pack:
            every = {name for text in pack.relations() for name in (text.key, text.label)}
            collect(recipe, listed, tell, given=every)  # values are compared as they are written
            is_found, n_missing = found_in(pack, listed.triples())
            if not is_found.any():
                raise BuildError(f"none of these {n_missing:,} triples is in {pack.name}, so it stays as it is")
            add_pack(pack, builder, np.logical_not(is_found))
            about = _about(pack)
        return Changed(_written(builder, path, about, command), n_missing)


def update(path: Path, patch: str, command: str, tell: Tell, skip_errors: bool = False, n_kept: int = KEPT) -> Changed:
    """Apply a patch (:mod:`kgask.build.changes`) to the pack at ``path``."""
    problems = Problems(skip_errors, tell)
    with open_source(patch) as stream:
        removed, added = read_patch(stream, patch, problems)
    problems.settle()
    if not removed and not added:
        raise BuildError(f"{patch}: no lines, so {path.name} stays as it is")
    with changing(path, n_kept):
        with Pack.open(path) as pack:
            builder, n_missing = patched(pack, removed, added)
            about = _about(pack)
        return Changed(_written(builder, path, about, command), n_missing)


def subset(pack: Pack, target: Path, keep: np.ndarray, command: str, force: bool = False) -> BuildReport:
    """Write a new pack of the triples that a mask (bool [T]) keeps."""
    if not keep.any():
        raise BuildError(f"no triple of {pack.name} is kept, so no pack")
    builder = PackBuilder()
    add_pack(pack, builder, keep)
    return builder.write(
        target, force=force, made_from=[pack.path], change=_change(command), **_about(pack) | {"name": target.name}
    )


def _about(pack: Pack) -> dict[str, Any]:
    """What a pack's manifest says that its triples do not."""
    told = {name: list(map(str, pack.manifest.get(name, ()))) for name in ("sources", "licences")}
    return {"name": pack.name, "iri_prefix": str(pack.manifest.get(IRI_PREFIX, "")), **told}


def _kinds_of(pack: Pack) -> tuple[set[str], dict[str, tuple[LiteralKind, str]]]:
    """Keys of relations that lead to names, and of those that lead to numbers or dates their kind and unit."""
    named, known = set[str](), dict[str, tuple[LiteralKind, str]]()
    objects, first_literal = np.asarray(pack.out_object), pack.n_entities - pack.n_literals
    for relation, text in enumerate(pack.relations()):
        ends = distinct(objects[np.asarray(pack.out_relation) == relation])
        literals = pack.literals(ends[ends >= first_literal][:_LOOKED_AT].tolist())
        kinds = {(one.kind, one.unit) for one in literals if one is not None}
        if len(kinds) == 1 and 2 * np.count_nonzero(ends >= first_literal) > len(ends):
            (kind,) = kinds
            known |= {text.key: kind} if kind[0] != "string" else {}
        elif len(ends):
            named.add(text.key)
    return named, known


def _written(builder: PackBuilder, path: Path, about: dict[str, Any], command: str) -> BuildReport:
    if not builder.n_added:
        raise BuildError(f"nothing is left of {path.name}, so it stays as it is; 'kgask pack delete' removes a pack")
    return builder.write(path, force=True, change=_change(command), **about)


def _change(command: str) -> dict[str, str]:
    return {"command": command, "time": datetime.now(UTC).isoformat(timespec="seconds")}
