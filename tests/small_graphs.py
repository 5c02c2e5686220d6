"""Ten small graphs of different fields, 20 questions each: ``python tests/small_graphs.py OUT`` builds and asks them.

The packs and each graph's outcomes are kept in OUT; the figures over all ten are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import yaml

from kgask.build.recipe import Recipe, build, parse_literal_rules

FOLDER = Path(__file__).parent / "data" / "small_graphs"
PACKS: dict[str, dict[str, str | list[str]]] = yaml.safe_load((FOLDER / "packs.yaml").read_text(encoding="utf-8"))


def build_small(name: str, target: Path) -> Path:
    """The pack of a graph, as ``kgask pack build NAME.csv --header --columns ... --literal ...`` makes it."""
    about = PACKS[name]
    recipe = Recipe(
        sources=(str(FOLDER / f"{name}.csv"),),
        target=target,
        columns=tuple(str(about.get("columns", "subject,relation,object")).split(",")),
        header=True,
        literals=parse_literal_rules(about["literals"]),
        force=True,
    )
    build(recipe, tell=lambda line: print(line, file=sys.stderr))
    return target


def main(out: Path) -> None:
    import kgask
    from kgask.answer.request import AskOptions
    from kgask.eval.everyday import Outcome, ask, counts, figures
    from kgask.sets.everyday import load

    outcomes: list[Outcome] = []
    for name in PACKS:
        with kgask.open(str(build_small(name, out / name))) as pipeline:
            found = list(ask(pipeline, load(FOLDER / f"{name}.yaml"), AskOptions()))
        lines = (json.dumps(one.to_dict(), ensure_ascii=False) for one in found)
        (out / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(json.dumps({"graph": name, **counts(found)[-1]}), file=sys.stderr)
        outcomes += found
    print(json.dumps({"kinds": counts(outcomes), **figures(outcomes)}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
