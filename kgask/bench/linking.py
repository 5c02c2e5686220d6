"""The same questions about a small and a large synthetic pack: what a question costs beside what the pack holds.

Names have several words that many names share ("Old Riverton Millford 1234 School"); how often a thing is an object
falls off by a power of its rank, so that there are hubs.
"""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.bench.timing import in_turn, timed
from kgask.build.writer import PackBuilder
from kgask.pack.store import Pack

SEED = 15
N_QUESTIONS = 15  # of each kind, in each pack
TRIPLES_A_NAME = 5
WORDS = [
    first + last
    for first, last in product(
        "North South East West Old New Green Stone River Lake Mill King Queen Black White Red".split(),
        ["", "ern", "field", "ton", "ford", "wood", "bridge", "dale"],
    )
]
KINDS = "School Station Museum Church Park Road Hospital Theatre Company Society Hall Festival".split()
RELATIONS = (
    "located in|owned by|founded by|named after|part of|designed by|member of|director|sponsor|architect|publisher"
).split("|")
Timing = dict[str, tuple[float, float]]  # kind of question -> median milliseconds of all, and of linking


def measure(
    sizes: tuple[int, int], n_rounds: int, tell: Callable[[str], None] = lambda _: None
) -> list[dict[str, str | float]]:
    """A row for each kind of question: medians over ``n_rounds`` in turn, and the ratio of the two packs."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        ways: dict[str, Callable[[], Timing]] = {}
        for name, size in zip(("small", "large"), sizes, strict=True):
            tell(f"building a pack of {size:,} triples")
            synthetic(Path(folder) / name, size)
            kg = stack.enter_context(Pipeline.open(str(Path(folder) / name), reader=None))
            ways[name] = partial(_asked, kg, questions(kg.pack))
        tell("asking")
        spent = in_turn(ways, n_rounds)
    rows: list[dict[str, str | float]] = []
    for kind in spent["small"][0]:
        small, large = ([statistics.median(part) for part in zip(*(one[kind] for one in spent[name]), strict=True)]
                        for name in ("small", "large"))  # fmt: skip
        rows.append({
            "questions": kind, "small ms": round(small[0], 1), "large ms": round(large[0], 1),
            "ratio": round(large[0] / small[0], 2), "link small ms": round(small[1], 1),
            "link large ms": round(large[1], 1),
        })  # fmt: skip
    return rows


def synthetic(path: Path, n_triples: int) -> None:
    """Write a pack of so many triples at most (what is said twice is one), one name to five triples."""
    rng, n_names, builder = np.random.default_rng(SEED), max(200, n_triples // TRIPLES_A_NAME), PackBuilder()
    common, popular = power_law(len(WORDS), 1.0), power_law(n_names, 0.8)
    words = rng.choice(len(WORDS), size=(n_names, 3), p=common)
    kinds, numbers = rng.integers(len(KINDS), size=n_names), rng.integers(1, n_names, size=n_names)
    for name, (parts, kind, number) in enumerate(zip(words.tolist(), kinds.tolist(), numbers.tolist(), strict=True)):
        builder.label(f"Q{name}", f"{' '.join(WORDS[part] for part in parts)} {number} {KINDS[kind]}")
    subjects, relations = rng.integers(n_names, size=n_triples), rng.integers(len(RELATIONS), size=n_triples)
    objects = rng.choice(n_names, size=n_triples, p=popular)
    for subject, relation, obj in zip(subjects.tolist(), relations.tolist(), objects.tolist(), strict=True):
        builder.add(f"Q{subject}", RELATIONS[relation], f"Q{obj}")
    builder.write(path)


def power_law(n: int, power: float) -> np.ndarray:
    """Probabilities of ranks, float [n]."""
    weights = 1 / np.arange(1, n + 1) ** power
    return np.asarray(weights / weights.sum())


def questions(pack: Pack) -> dict[str, list[str]]:
    """About things of the pack: called as they are, in lower case, with a typo, in part, and over two hops."""
    rng = random.Random(SEED)
    found: dict[str, list[str]] = {kind: [] for kind in ("exact", "lower case", "typo", "partial", "two hops")}
    for label in pack.labels([rng.randrange(pack.n_entities) for _ in range(N_QUESTIONS)]):
        asked, further, words = rng.choice(RELATIONS), rng.choice(RELATIONS), label.split()
        mistyped = [*words]
        at, letter = rng.randrange(3), rng.randrange(1, 3)
        mistyped[at] = words[at][:letter] + words[at][letter + 1 :]
        found["exact"].append(f"what is {label} {asked}?")
        found["lower case"].append(f"what is {label.lower()} {asked}?")
        found["typo"].append(f"what is {' '.join(mistyped)} {asked}?")
        found["partial"].append(f"what is {' '.join(words[:-1])} {asked}?")
        found["two hops"].append(f"what is what {label} is {asked} {further}?")
    return found


def _asked(kg: Pipeline, every: dict[str, list[str]]) -> Timing:
    spent: Timing = {}
    for kind, texts in every.items():
        found = [timed(partial(kg.ask, text, AskOptions(query=False))) for text in texts]
        linking = [answer.timings_ms.get("link", 0.0) for _, answer in found]
        spent[kind] = statistics.median(ms for ms, _ in found), statistics.median(linking)
    return spent
