"""Packs that the benches ask, from the public sets: text files beside the triples, and the build itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from kgask.build.recipe import BuildOutcome, Recipe, build
from kgask.errors import UsageError
from kgask.sets import entityquestions
from kgask.sets.fb15k237 import named_entities, triples
from kgask.sets.freebase_names import freebase_texts

Tell = Callable[[str], None]


def _metaqa(data: Path, target: Path, tell: Tell) -> BuildOutcome:
    source = _existing(data / "metaqa" / "kb.txt.gz")
    return build(Recipe(sources=(source,), target=target, licences=("CC BY 3.0",), source_notes=("MetaQA",)), tell)


def _entityquestions(data: Path, target: Path, tell: Tell) -> BuildOutcome:
    _existing(data / entityquestions.TRIPLES)
    return build(entityquestions.pack_recipe(data, target), tell)


def _fb15k237(data: Path, target: Path, tell: Tell) -> BuildOutcome:
    """Mids as keys, with labels, aliases and descriptions; relation names as words."""
    with TemporaryDirectory() as folder:
        texts = _write_fb15k237_texts(data, Path(folder))
        recipe = Recipe(
            sources=(_existing(data / "fb15k237" / "triples_mid.tsv.gz"),),
            target=target,
            columns=("subject", "relation", "object", "_"),
            texts=texts,
            licences=("Freebase CC BY", "Wikidata CC0"),
            source_notes=("FB15k-237", "labels, descriptions and aliases from Wikidata"),
        )
        return build(recipe, tell)


PACKS = {"metaqa": _metaqa, "entityquestions": _entityquestions, "fb15k237": _fb15k237}


def prepare(name: str, data: Path, target: Path, tell: Tell) -> BuildOutcome:
    """Build one of :data:`PACKS` from the folder with the public sets."""
    return PACKS[name](data, target, tell)


def _write_fb15k237_texts(data: Path, folder: Path) -> tuple[tuple[str, str], ...]:
    """Text files for ``kgask pack build``: (kind, file) pairs."""
    lines: dict[str, list[str]] = {"labels": [], "aliases": [], "descriptions": [], "relations": []}
    for entity in named_entities(data):
        lines["labels"].append(f"{entity.mid}\t{entity.label}")
        if entity.aliases:
            lines["aliases"].append(f"{entity.mid}\t{'|'.join(entity.aliases)}")
        if entity.description:
            lines["descriptions"].append(f"{entity.mid}\t{entity.description}")
    for relation, texts in freebase_texts(sorted({relation for _, relation, _ in triples(data)})).items():
        lines["relations"].append(f"{relation}\t{texts[0]}\t{'|'.join(texts[1:])}")
    found = []
    for kind, rows in lines.items():
        path = folder / f"{kind}.tsv"
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        found.append((kind, str(path)))
    return tuple(found)


def _existing(path: Path) -> str:
    if not path.is_file():
        raise UsageError(f"{path}: no such file; DATA names the folder with the public sets")
    return str(path)
