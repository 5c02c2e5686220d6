"""Where the query decoder's questions come from: every source by name, with what is held out of each."""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.mix import Corpus, Mix, load_corpus
from kgask.corpus.query_examples import Operand, QueryExample
from kgask.corpus.query_mix import Draw
from kgask.corpus.table_questions import wikisql_questions

PATHS = {"simple": 0.1, "simple_found": 0.2, "kgconv": 0.15, "own": 0.15, "wikiweb": 0.04, "off_topic": 0.06,
         "composed2": 0.2, "composed3": 0.1}  # fmt: skip
SHARES = {
    "paths": 0.22, "wikisql_path": 0.06, "wikisql_count": 0.05, "wikisql_value": 0.06, "wikisql_filter": 0.06,
    "wikisql_both": 0.06,
}  # fmt: skip
HELD_OUT = 0.02  # share of the texts of every set
MOST_HELD_OUT = 400  # of a source


@dataclass(frozen=True, slots=True)
class Sources:
    """Questions by source, drawn with a random stream; texts of every relation key; what is held out."""

    draws: Mapping[str, Draw]
    texts: Mapping[str, Sequence[str]]
    held_out: list[QueryExample]


def query_sources(data: Path, rng_seed: int) -> Sources:
    """Read and prepare every source that :data:`SHARES` names."""
    corpus = load_corpus(data, rng_seed, PATHS)
    pools: dict[str, list[QueryExample]] = defaultdict(list)
    held: dict[str, list[QueryExample]] = defaultdict(list)
    for example in _read(data):
        is_held = zlib.crc32(example.text.encode()) % 1000 < HELD_OUT * 1000
        (held if is_held else pools)[example.source].append(example)
    paths = _paths(corpus)
    rng = random.Random(f"held out {rng_seed}")
    found = [one for name in sorted(held) for one in rng.sample(held[name], min(MOST_HELD_OUT, len(held[name])))]
    found += [one for example in corpus.held_out if (one := path_query(example)) is not None][:MOST_HELD_OUT]
    draws: dict[str, Draw] = {name: _choice(pool) for name, pool in sorted(pools.items())}
    return Sources(draws | {"paths": paths}, corpus.texts, found)


def _read(data: Path) -> Iterable[QueryExample]:
    readers: tuple[Callable[[Path], Iterable[QueryExample]], ...] = (wikisql_questions,)
    for read in readers:
        yield from read(data)


def _choice(pool: Sequence[QueryExample]) -> Draw:
    return lambda rng: rng.choice(pool)


def _paths(corpus: Corpus) -> Draw:
    """One-hop wordings of people and composed ones, as queries."""
    mix = Mix(corpus, 0, {}, PATHS, {})

    def draw(rng: random.Random) -> QueryExample:
        while True:
            found = path_query(mix.batch(1, rng)[0])
            if found is not None:
                return found

    return draw


def path_query(example: PathExample) -> QueryExample | None:
    """A relation path as a query; None where nothing says which it is, or its topic is not masked."""
    if example.path is None or (example.path and example.text.count(MASK) != 1):
        return None
    at = example.text.find(MASK)
    operands = (Operand(at, at + len(MASK), "entity"),) if at >= 0 else ()
    steps = (0, *example.path, "END") if example.path else ("NONE",)
    return QueryExample(example.text, operands, steps, "path", example.source)
