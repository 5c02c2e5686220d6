"""Graphs for two engines, and whether they made the same pack of one."""

from __future__ import annotations

import random
from pathlib import Path

from kgask.build.recipe import BuildOutcome
from kgask.pack.check import check_pack
from kgask.pack.store import Pack


def assert_same(folder: Path, one: BuildOutcome, two: BuildOutcome) -> None:
    """The packs ``memory`` and ``other`` of a folder, array for array and name for name, and what their builds said."""
    first, second = (outcome.report.manifest for outcome in (one, two))
    assert first["counts"] == second["counts"]
    for name in sorted(path.name for path in (folder / "memory").glob("*.npy")):
        assert (folder / "memory" / name).read_bytes() == (folder / "other" / name).read_bytes(), name
    with Pack.open(folder / "memory") as a, Pack.open(folder / "other") as b:
        for table in ("labels", "keys", "literals", "sizes", "aliases", "descriptions", "relations", "names", "words",
                      "reversed_words"):  # fmt: skip
            assert a.names.query(f"SELECT * FROM {table}") == b.names.query(f"SELECT * FROM {table}"), table
        assert a.names.query("SELECT rowid FROM name_words WHERE name_words MATCH 'a'") == b.names.query(
            "SELECT rowid FROM name_words WHERE name_words MATCH 'a'"
        )
    left, right = (
        {k: v for k, v in m.items() if k not in ("name", "files", "manifest_sha256")} for m in (first, second)
    )
    assert left == right
    assert check_pack(folder / "other") == []
    reports = [(x.report.duplicates, x.report.unused_texts, x.report.nested, x.broken) for x in (one, two)]
    assert reports[0] == reports[1]
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


KEYS = [
    "Q1", "Q10", "Q9", "Q007", "http://e.org/a#b", "http://e.org/Lady_Susan", "Ann", "ann", "Ánn", "Q\uff14\uff12",
    "x:1", "x:02", "P3", "ABCD12", "Zoë 1", "a b", "42", "über/7",
]  # fmt: skip
VALUES = [
    '"1811"^^date', '"1811-10-30"^^date', '"12"^^number', '"12"^^number[km]', '"-0"^^number', '"1.2e3"^^number[m]',
    '"text, 1"^^string', '"44 BCE"^^date', '"x"^^string', '"3"^^number[furlong2]',
]  # fmt: skip


def random_tables(folder: Path, seed: int) -> dict[str, object]:
    """Fields of a recipe whose small tables have all that a pack holds."""
    rng = random.Random(seed)
    relations = ["knows", "instance of", "rdf:type", "http://e.org/bornIn", "P31", "P5", "neighbour"]
    lines = []
    for _ in range(rng.randrange(1, 120)):
        fields = [rng.choice(KEYS), rng.choice(relations), rng.choice(KEYS if rng.random() < 0.7 else VALUES)]
        for _ in range(rng.choice([0, 0, 1, 2, 3])):
            fields += [rng.choice(["since", "as", "knows"]), rng.choice(KEYS + VALUES)]
        lines.append("\t".join(fields))
    lines += [f"{a}\tneighbour\t{b}" for a in KEYS[:8] for b in KEYS[:8] if a != b and rng.random() < 0.9]
    (folder / "t.tsv").write_text("\n".join(lines) + "\n")
    texts = {"labels": [], "aliases": [], "descriptions": [], "relations": [], "passages": []}
    for _ in range(60):
        key = rng.choice([*KEYS, *relations, "nobody", "http://e.org/none"])
        texts["labels"].append(f"{key}\t{rng.choice('Ann ann ANN Bob Béa a-b Q1'.split())} {rng.randrange(4)}")
        texts["aliases"].append(f"{key}\tAlias {rng.randrange(3)}|ALIAS {rng.randrange(3)}|Ann {rng.randrange(4)}")
        texts["descriptions"].append(f"{key}\tabout {rng.randrange(9)}")
        texts["relations"].append(
            f"{rng.choice(relations)}\tlabel {rng.randrange(3)}\tr{rng.randrange(5)}\tsays {key}\tinv"
        )
        texts["passages"].append(f"{key}|{rng.choice(KEYS)}\t{'words of it ' * rng.randrange(1, 60)}")
    for kind, rows in texts.items():
        (folder / f"{kind}.tsv").write_text("\n".join(rows) + "\n")
    return {
        "sources": (str(folder / "t.tsv"),),
        "columns": ("subject", "relation", "object", "qualifier", "value", "..."),
        "texts": tuple((kind, str(folder / f"{kind}.tsv")) for kind in texts),
        "source_notes": ("a note",),
    }
