"""The source files of the pack: sorted, gzipped without a time stamp: equal facts give equal bytes."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from maker.describe import Describer
from maker.world import World, is_literal, match_key


def write_sources(world: World, folder: Path) -> Counter[str]:
    """Write one file of triples a source, and labels, aliases and descriptions; returns triples by source."""
    by_source: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    used: set[str] = set()
    for (subject, relation, obj), source in world.facts.items():
        statements = world.said.get((subject, relation, obj), [()])
        by_source[source] += [(subject, relation, obj, *qualifiers) for qualifiers in statements]
        used.update((subject,) if is_literal(obj) else (subject, obj))
    for source, rows in by_source.items():
        _write(folder / f"{source}.tsv.gz", rows)
    nodes = [world.nodes[key] for key in used]
    describer = Describer(world)
    _write(folder / "labels.tsv.gz", ((node.key, _clean(node.label)) for node in nodes))
    aliases = ((node.key, _aliases(node.label, node.aliases)) for node in nodes)
    _write(folder / "aliases.tsv.gz", ((key, text) for key, text in aliases if text))
    texts = ((node.key, _clean(describer.describe(node))) for node in nodes)
    _write(folder / "descriptions.tsv.gz", ((key, text) for key, text in texts if text))
    return Counter({source: len(rows) for source, rows in by_source.items()})


def _aliases(label: str, aliases: Iterable[str]) -> str:
    """Aliases that a look-up can tell from the label and from each other, joined by ``|``."""
    seen = {match_key(label)}
    kept = []
    for alias in sorted(aliases):
        if match_key(alias) not in seen:
            seen.add(match_key(alias))
            kept.append(_clean(alias).replace("|", "/"))
    return "|".join(kept)


def _clean(text: str) -> str:
    return " ".join(text.split())


def _write(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    lines = sorted("\t".join(row) + "\n" for row in rows)
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write("".join(lines).encode())
