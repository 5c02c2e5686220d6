"""Where the query decoder's questions come from: every source by name, with what is held out of each."""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from kgask.corpus.examples import PathExample
from kgask.corpus.fact_questions import converted, kqapro_questions
from kgask.corpus.measures import load_measures
from kgask.corpus.mix import Corpus, Mix, load_corpus
from kgask.corpus.operator_files import Template, load_templates
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.path_queries import path_example
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.query_mix import Draw
from kgask.corpus.sparql_questions import sparql_questions
from kgask.corpus.table_answers import answered_questions
from kgask.corpus.table_questions import wikisql_questions
from kgask.corpus.worded_queries import SOURCE as WORDED
from kgask.corpus.worded_queries import all_worded, drawn
from kgask.sets.gold import Gold
from kgask.sets.kqapro_gold import fact_questions

PATHS = {"simple": 0.1, "simple_found": 0.2, "kgconv": 0.15, "own": 0.15, "wikiweb": 0.04, "off_topic": 0.06,
         "composed2": 0.2, "composed3": 0.1}  # fmt: skip
SHARES = {
    "operators": 0.55, "paths": 0.15, "wikisql_path": 0.04, "wikisql_count": 0.05, "wikisql_value": 0.06,
    "wikisql_filter": 0.06, "wikisql_both": 0.06, "kqapro_qualifier": 0.05, "kqapro_verify": 0.03,
    "kqapro_multihop": 0.02, "qald": 0.02, "tempqa": 0.005, "wikiweb_whole": 0.01,
    "wtq_superlative": 0.02, "wtq_comparison": 0.01, "wtq_difference": 0.005, "wtq_count": 0.01, "wtq_value": 0.005,
}  # fmt: skip
KIND_SHARES = {  # of the composed questions
    "path": 0.06, "count": 0.1, "superlative": 0.11, "ordinal": 0.07, "comparison": 0.11, "yesno": 0.11,
    "filter": 0.11, "qualifier": 0.1, "intersection": 0.08, "union": 0.05, "difference": 0.06, "arithmetic": 0.07,
}  # fmt: skip
QUALIFIER_TEXTS = {  # what packs call what their statements say, besides Wikidata's labels
    "P1352": ("position", "rank", "place", "finishing position", "result", "final position"),
    "P1351": ("points", "goals", "points scored", "score"),
    "kgask:grid": ("grid position", "starting position", "start position", "grid", "place on the grid"),
    "P54": ("constructor", "team driven for"),
}
HELD_OUT = 0.02  # share of the texts of every set
MOST_HELD_OUT = 250  # of a source
HELD_LINES = 12  # one of so many wordings of a template is held out
MOST_DRAWN = 1500  # of these


@dataclass(frozen=True, slots=True)
class Sources:
    """Questions by source, drawn with a random stream; texts of every relation key; what is held out."""

    draws: Mapping[str, Draw]
    texts: Mapping[str, Sequence[str]]
    held_out: list[QueryExample]


def query_sources(
    data: Path, rng_seed: int, wanted: Collection[str] = tuple(SHARES), planner: Path | None = None
) -> Sources:
    """Read and prepare the sources that ``wanted`` names; what goes with them in one file is read too.

    ``planner`` is the folder of the one that is taught, which finds names in our own worded questions.
    """
    corpus = load_corpus(data, rng_seed, PATHS if "paths" in wanted else ())
    pools: dict[str, list[QueryExample]] = defaultdict(list)
    held: dict[str, list[QueryExample]] = defaultdict(list)
    own = all_worded(planner) if planner is not None and WORDED in wanted else ()
    for example in chain(_read(data, wanted), own):
        (held if is_held_out(example.text) else pools)[example.source].append(example)
    rng = random.Random(f"held out {rng_seed}")
    found = [one for name in sorted(held) for one in rng.sample(held[name], min(MOST_HELD_OUT, len(held[name])))]
    found += [one for example in corpus.held_out if (one := path_example(example)) is not None][:MOST_HELD_OUT]
    draws: dict[str, Draw] = {
        name: drawn(pool) if name == WORDED else _choice(pool) for name, pool in sorted(pools.items())
    }
    held_lines, lines = templates(held=True), templates(held=False)
    found += _drawn(OperatorComposer(corpus.wordings, {}, rng, corpus.names, held_lines), rng)
    draws["operators"] = _operators(OperatorComposer(corpus.wordings, {}, rng, corpus.names, lines))
    if "paths" in wanted:
        draws["paths"] = _paths(corpus)
    return Sources(draws, _texts(corpus.texts), found)


def path_examples(data: Path, rng_seed: int, n: int = 20_000) -> list[PathExample]:
    """Wordings of relation paths in their shares, of training alone; off-topic ones are not among them."""
    shares = {name: share for name, share in PATHS.items() if name != "off_topic"}
    corpus = load_corpus(data, rng_seed, tuple(shares))
    return Mix(corpus, 0, {}, shares, {}).batch(n, random.Random(f"paths {rng_seed}"))


def is_held_out(text: str) -> bool:
    """Whether a masked text is kept from training."""
    return zlib.crc32(text.encode()) % 1000 < HELD_OUT * 1000


def held_out_golds(data: Path, golds: Iterable[Gold]) -> list[Gold]:
    """Of KQA Pro's training questions those that the decoder was not trained on, in proportion."""
    masked = {one.gold.question: one.example.text for one in converted(fact_questions(data))}
    return [gold for gold in golds if is_held_out(masked.get(gold.text, gold.text))]


def _texts(known: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Texts of every relation key, those of what is measured among them; the usual text first."""
    found = {key: list(texts) for key, texts in known.items()}
    for key, texts in QUALIFIER_TEXTS.items():
        found[key] = list(dict.fromkeys([*found.get(key, ()), *texts]))
    for entry in load_measures():
        found[entry.key] = list(dict.fromkeys([*found.get(entry.key, ()), *entry.forms["texts"]]))
    return found


def templates(held: bool) -> list[Template]:
    """The templates with the wordings that are held out, or with the others."""
    every = load_templates()
    weights: dict[str, float] = defaultdict(float)
    for template in every:
        weights[template.kind] += template.weight
    found = []
    for template in every:
        lines = [line for line in template.lines if (zlib.crc32(line.text.encode()) % HELD_LINES == 0) == held]
        if lines:
            weight = KIND_SHARES[template.kind] * template.weight / weights[template.kind]
            found.append(replace(template, lines=lines, weight=weight))
    return found


def _operators(composer: OperatorComposer) -> Draw:
    def draw(rng: random.Random) -> QueryExample:
        composer.use(rng)
        return composer.draw()

    return draw


def _drawn(composer: OperatorComposer, rng: random.Random) -> list[QueryExample]:
    """Questions of the held-out wordings."""
    composer.use(rng)
    return [composer.draw() for _ in range(MOST_DRAWN)]


def _read(data: Path, wanted: Collection[str]) -> Iterable[QueryExample]:
    readers: dict[tuple[str, ...], Callable[[Path], Iterable[QueryExample]]] = {
        ("wikisql_",): wikisql_questions,
        ("kqapro_",): kqapro_questions,
        ("qald", "tempqa", "wikiweb_"): sparql_questions,
        ("wtq_",): answered_questions,
    }
    for names, read in readers.items():
        if any(source.startswith(names) for source in wanted):
            yield from read(data)


def _choice(pool: Sequence[QueryExample]) -> Draw:
    return lambda rng: rng.choice(pool)


def _paths(corpus: Corpus) -> Draw:
    """One-hop wordings of people and composed ones, as queries."""
    mix = Mix(corpus, 0, {}, PATHS, {})

    def draw(rng: random.Random) -> QueryExample:
        while True:
            found = path_example(mix.batch(1, rng)[0])
            if found is not None:
                return found

    return draw
