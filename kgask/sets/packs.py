"""Packs of public sets: what their questions are asked over. ``data`` is the folder with the public sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from kgask.build.recipe import BuildOutcome, Recipe, build
from kgask.sets import (
    entityquestions,
    factbench,
    facts,
    fb15k237,
    infotabs,
    kgconv,
    kqapro,
    registry,
    simplequestions,
    wikidata_union,
)
from kgask.sets.freebase_names import freebase_texts
from kgask.sets.pack_lines import Lines, PackLines, written
from kgask.sets.rows import in_data
from kgask.sets.wikidata import entity_labels, property_labels

Tell = Callable[[str], None]


def _metaqa(data: Path, target: Path, _folder: Path) -> Recipe:
    source = str(in_data(data, "metaqa/kb.txt.gz"))
    return Recipe(sources=(source,), target=target, licences=("CC BY 3.0",), source_notes=("MetaQA",))


def _entityquestions(data: Path, target: Path, _folder: Path) -> Recipe:
    """All splits as one graph; keys are the names, as the set has no ids."""
    return Recipe(
        sources=(str(in_data(data, entityquestions.TRIPLES)),),
        target=target,
        columns=("subject", "relation_label", "object", "relation", "_"),
        licences=("MIT",),
        source_notes=("EntityQuestions, facts from T-REx",),
    )


def _fb15k237(data: Path, target: Path, folder: Path) -> Recipe:
    """Mids as keys, with labels, aliases and descriptions; relation names as words."""
    entities = list(fb15k237.named_entities(data))
    names = freebase_texts(sorted({relation for _, relation, _ in fb15k237.triples(data)}))
    lines: Lines = {
        "labels": [f"{entity.mid}\t{entity.label}" for entity in entities],
        "aliases": [f"{entity.mid}\t{'|'.join(entity.aliases)}" for entity in entities if entity.aliases],
        "descriptions": [f"{entity.mid}\t{entity.description}" for entity in entities if entity.description],
        "relations": [f"{relation}\t{texts[0]}\t{'|'.join(texts[1:])}" for relation, texts in names.items()],
    }
    return Recipe(
        sources=(str(in_data(data / fb15k237.FOLDER, fb15k237.TRIPLES)),),
        target=target,
        columns=("subject", "relation", "object", "_"),
        texts=written(folder, lines),
        licences=("Freebase CC BY", "Wikidata CC0"),
        source_notes=("FB15k-237", "labels, descriptions and aliases from Wikidata"),
    )


def _simplequestions(data: Path, target: Path, folder: Path) -> Recipe:
    """The triples behind the training part, labelled where a label is at hand."""
    golds = registry.load("simplequestions", in_data(data, simplequestions.TRAINING))
    rows = sorted({gold.triples[0] for gold in golds})
    source = folder / "triples.tsv"
    source.write_text("".join(f"{s}\t{r}\t{o}\n" for s, r, o in rows), encoding="utf-8")
    lines: Lines = {
        "labels": _labelled(entity_labels(data), {end for s, _, o in rows for end in (s, o)}),
        "relations": _labelled(property_labels(data), {r for _, r, _ in rows}),
    }
    notes = ("SimpleQuestions over Wikidata, training part",)
    texts = written(folder, lines)
    return Recipe((str(source),), target, texts=texts, licences=("CC BY 3.0",), source_notes=notes)


def _labelled(labels: dict[str, str], wanted: set[str]) -> list[str]:
    return [f"{key}\t{' '.join(label.split())}" for key, label in sorted(labels.items()) if key in wanted]


def _of_lines(
    lines: Callable[[Path], PackLines], licences: tuple[str, ...], notes: tuple[str, ...]
) -> Callable[[Path, Path, Path], Recipe]:
    """A recipe whose triples are made line by line."""
    return lambda data, target, folder: lines(data).recipe(target, folder, licences, notes)


RECIPES: dict[str, Callable[[Path, Path, Path], Recipe]] = {
    "metaqa": _metaqa,
    "entityquestions": _entityquestions,
    "fb15k237": _fb15k237,
    "simplequestions": _simplequestions,
    "mondial": _of_lines(facts.mondial, ("CC BY 3.0",), ("Mondial",)),
    "f1": _of_lines(facts.f1, ("CC BY 4.0",), ("F1DB",)),
    "chinook": _of_lines(facts.chinook, ("MIT",), ("Chinook, a music shop",)),
    "openflights": _of_lines(facts.openflights, ("ODbL-1.0",), ("OpenFlights",)),
    "factbench": _of_lines(factbench.factbench, ("MIT",), ("FactBench, what is true of its training part",)),
    "infotabs": _of_lines(infotabs.infotabs, ("Apache-2.0",), ("InfoTabS, its infoboxes",)),
    "kgconv": _of_lines(kgconv.kgconv, ("CC BY 4.0",), ("KGConv, the facts of its conversations",)),
    "kqapro": _of_lines(kqapro.kqapro, ("CC BY-SA 4.0",), ("KQA Pro, the facts of a part of it",)),
    "wikidata-union": _of_lines(wikidata_union.wikidata_union, wikidata_union.LICENCES, wikidata_union.NOTES),
}


def build_pack(name: str, data: Path, target: Path, tell: Tell) -> BuildOutcome:
    """Build one of :data:`RECIPES`."""
    with TemporaryDirectory() as folder:
        return build(RECIPES[name](data, target, Path(folder)), tell)
