"""Rebuild kg_packs/demo from the sources beside this script.

    python kg_packs/sources/demo/rebuild.py [-o FOLDER]

The arrays and the content hash come out the same every time. The arguments
below are those of ``kgask pack build``, and can be typed there as well.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACK = HERE.parents[1] / "demo"
TRIPLES = ("classes", "codex", "countries", "elements", "entityquestions", "gutenberg", "mondial", "nobel")
LICENCES = ("ODbL-1.0",)
SOURCES = (
    "CoDEx-M, a sample of Wikidata (MIT; Wikidata CC0): https://github.com/tsafavi/codex",
    "countries by mledoze (ODbL-1.0): https://github.com/mledoze/countries",
    "Periodic-Table-JSON, facts only (CC BY-SA 3.0): https://github.com/Bowserinator/Periodic-Table-JSON",
    "EntityQuestions, facts of Wikidata through T-REx (MIT): https://github.com/princeton-nlp/EntityQuestions",
    "Project Gutenberg catalogue, facts only: https://www.gutenberg.org/ebooks/offline_catalogs.html",
    "Mondial by Wolfgang May, University of Göttingen (CC BY 3.0): https://www.dbis.informatik.uni-goettingen.de/Mondial",
    "Nobel Prize laureates to 2021: https://api.nobelprize.org",
)


def arguments_of_build(target: Path) -> list[str]:
    """The command line after ``kgask`` that builds the pack in ``target``."""
    arguments = ["pack", "build", *(str(HERE / f"{name}.tsv.gz") for name in TRIPLES)]
    for kind in ("labels", "aliases", "descriptions"):
        arguments += [f"--{kind}", str(HERE / f"{kind}.tsv.gz")]
    # Lines go on with pairs: point in time, affiliation, length, share.
    arguments += ["--columns", "subject,relation,object,qualifier,value,..."]
    arguments += ["--relations", str(HERE / "relations.tsv"), "--name", "demo", "--force"]
    for licence in LICENCES:
        arguments += ["--licence", licence]
    for note in SOURCES:
        arguments += ["--source-note", note]
    return [*arguments, "-o", str(target)]


def main() -> None:
    """Run the build in this process."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=PACK, metavar="FOLDER", help="default: kg_packs/demo")
    target = parser.parse_args().output
    from kgask.cli.main import main as kgask

    sys.argv = ["kgask", *arguments_of_build(target)]
    kgask()


if __name__ == "__main__":
    main()
