"""What is fuzzed, and how each command took a case of it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from children import Ended, run
from classify import Verdict
from samples import GRAPH, TEXTS, wikidata


@dataclass(slots=True)
class Case:
    """One changed file (or input), and how each command took it."""

    change: str
    verdicts: list[Verdict] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)  # what was changed


class World:
    """A kind of thing to fuzz. ``folder`` is its own; a case is made in a new folder and removed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def case(self, rng: random.Random, place: Path) -> Case:
        raise NotImplementedError

    def lines(self, name: str, lines: tuple[str, ...]) -> str:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def said(self, *words: str, stdin: bytes = b"") -> Ended:
        """A command where nothing is changed, which has to go well."""
        ended = run(words, self.folder, stdin)
        if ended.code or ended.stopped:
            raise SystemExit(f"{' '.join(words)}: exit {ended.code}\n{ended.stderr}")
        return ended


def build_sample(folder: Path) -> Path:
    """The small pack: about 250 triples of all kinds, with texts, passages, and counts of pages (Wikidata's)."""
    from kgask.build.recipe import Recipe, build

    (folder / "graph.tsv").write_text(GRAPH, encoding="utf-8")
    texts = []
    for kind, content in TEXTS.items():
        (folder / f"{kind}.tsv").write_text(content, encoding="utf-8")
        texts.append((kind, str(folder / f"{kind}.tsv")))
    columns = ("subject", "relation", "object", "qualifier", "value", "...")
    (folder / "pages.json").write_text(wikidata(), encoding="utf-8")
    sources = (str(folder / "graph.tsv"), str(folder / "pages.json"))
    recipe = Recipe(sources, folder / "sample", columns=columns, texts=tuple(texts))  # type: ignore[arg-type]
    build(recipe, print)
    return folder / "sample"
