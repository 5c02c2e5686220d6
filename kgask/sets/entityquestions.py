"""EntityQuestions' triples (Sciavolino et al. 2021) as a pack."""

from __future__ import annotations

from pathlib import Path

from kgask.build.recipe import Recipe

TRIPLES = Path("entityquestions") / "triples_named.tsv.gz"


def pack_recipe(data: Path, target: Path) -> Recipe:
    """All splits as one graph; keys are the names, as the set has no ids. ``data`` holds the public sets."""
    return Recipe(
        sources=(str(data / TRIPLES),),
        target=target,
        columns=("subject", "relation_label", "object", "relation", "_"),
        licences=("MIT",),
        source_notes=("EntityQuestions, facts from T-REx",),
    )
