"""Small graphs of somebody's own, with questions: people bring such tables, with labels that no training has met."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from kgask.build.recipe import Recipe, build, parse_literal_rules

TRIPLE = "subject,relation,object"
ABOUT = "graphs.yml"  # how each of them is built


# Folders: confidence is calibrated on what is asked in the first two; the judge learns from what the third has.
ASKED, PLAIN, WORDED = "asked", "plain", "worded"


def small_graphs(of: str, out: Path) -> Iterator[tuple[Path, Path]]:
    """The pack of each graph, built in ``out``, with the file of its questions (:mod:`kgask.sets.everyday`)."""
    for recipe, questions in recipes(of, out):
        build(recipe, tell=lambda line: None)
        yield recipe.target, questions


def recipes(of: str, out: Path) -> Iterator[tuple[Recipe, Path]]:
    """How each of them is built in ``out``, with the file of its questions."""
    import yaml  # of those who train or measure, not of those who ask

    folder = worded(of) / "graphs"
    for name, about in yaml.safe_load((folder / ABOUT).read_text(encoding="utf-8")).items():
        yield (
            Recipe(
                sources=(str(folder / f"{name}.csv"),),
                target=out / name,
                columns=tuple(about.get("columns", TRIPLE).split(",")),
                header=True,
                literals=parse_literal_rules(about.get("literals", ())),
                recognise="literals" not in about,
            ),
            folder / f"{name}.yaml",
        )


def claims_of(of: str, pack: str) -> Path:
    """The claims that were worded about a small graph, or about a pack that kgask does not bring (``on/NAME``)."""
    return worded(of) / "claims" / f"{pack}.yaml"


def worded(of: str) -> Path:
    """The folder of what was worded for a purpose: ``world.yaml`` is about the demo pack, ``graphs`` are tables."""
    return Path(str(files("kgask.corpus"))) / of
