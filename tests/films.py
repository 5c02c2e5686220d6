"""A pack of six films for tests of several seeds: directors, actors, years."""

from __future__ import annotations

from pathlib import Path

TRIPLES = """
Harbour Lights\tdirector\tAnn Ray
Stone Garden\tdirector\tAnn Ray
The Long Wait\tdirector\tAnn Ray
North Road\tdirector\tCarl Moss
Paper Moonrise\tdirector\tCarl Moss
Harbour Lights\tcast member\tBob Stone
Stone Garden\tcast member\tDora Quill
North Road\tcast member\tBob Stone
The Long Wait\tcast member\tBob Stone
The Long Wait\tcast member\tDora Quill
Harbour Lights\tpublication year\t"1999"^^date
The Long Wait\tpublication year\t"2004"^^date
North Road\tpublication year\t"1999"^^date
Ann Ray\tspouse\tBob Stone
Ann Ray\tplace of birth\tLimerick
""".lstrip()


def build_films(target: Path) -> Path:
    from kgask.build.recipe import Recipe, build

    source = target.parent / "films.tsv"
    source.write_text(TRIPLES, encoding="utf-8")
    build(Recipe(sources=(str(source),), target=target, licences=("CC0-1.0",), source_notes=("made up",)), tell=print)
    return target
