"""Choose and merge the facts of the demo pack; needed only to change what is in it.

    python kg_packs/sources/demo/make_sources.py --data FOLDER

FOLDER holds the original data sets (codex, countries, elements,
entityquestions, literature, mondial, nobel, wikidata_labels_union.json.gz; where they
come from: kg_packs/NOTICE). The files beside this script are written anew;
``rebuild.py`` makes the pack from them and needs no data folder.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from maker.classes import add_classes
from maker.codex import read_codex
from maker.countries import read_countries
from maker.describe import add_surnames
from maker.elements import read_elements
from maker.entityquestions import read_entityquestions
from maker.geography.read import read_mondial
from maker.gutenberg import read_gutenberg
from maker.merge import merge_same
from maker.nobel import read_nobel
from maker.prune import prune
from maker.world import World
from maker.write import write_sources

HERE = Path(__file__).resolve().parent
N_WORKS = 20_000  # of the catalogue's 80,000: what keeps the pack near 12 MB
LEAST_USES = 2  # a name of EntityQuestions that occurs once leads nowhere


def merged_world(data: Path) -> World:
    """All sources in one graph; the order matters, later ones are merged onto earlier ones."""
    world = World()
    read_codex(world, data)
    countries = read_countries(world, data)
    read_nobel(world, data, countries)
    read_elements(world, data)
    read_gutenberg(world, data, N_WORKS)
    read_entityquestions(world, data, LEAST_USES)
    read_mondial(world, data)
    prune(world)
    merge_same(world)
    add_classes(world)
    world.notes["surnames given as aliases"] = add_surnames(world)
    return world


def main() -> None:
    """Write the sources and say on stderr what went into them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="folder of the original data sets")
    parser.add_argument("--out", type=Path, default=HERE, metavar="FOLDER", help="where to write (default: here)")
    arguments = parser.parse_args()
    world = merged_world(arguments.data)
    for source, count in sorted(write_sources(world, arguments.out).items()):
        print(f"{count:8,} triples from {source}", file=sys.stderr)
    for note, count in sorted(world.notes.items()):
        print(f"{count:8,} {note}", file=sys.stderr)


if __name__ == "__main__":
    main()
