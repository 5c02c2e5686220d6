"""Long-tail entities of a pack: bands of popularity, informative relations, 5 to 100 triples (LTGen, section 3.1)."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from kgask.errors import UsageError
from kgask.eval.make_copy import in_chunks
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets.rows import lines_of

MIN_TRIPLES, MAX_TRIPLES = 5, 100
SHARES_FROM = 20  # triples that a relation needs before its shares say anything
DEGREE_BANDS = "head=50,torso=20,tail=5"
VIEW_BANDS = "I=10000,II=1000,III=100,IV=10"  # LTGen's table 2
MOST_COMMON, ONE_USE = "most-common-object", "one-use-text"


@dataclass(frozen=True, slots=True)
class Band:
    name: str
    at_least: float  # triples, or views


@dataclass(frozen=True, slots=True)
class Rules:
    """Which relations are uninformative."""

    labels: tuple[re.Pattern[str], ...]
    keys: tuple[re.Pattern[str], ...]
    most_common_object: float = 1.0
    one_use_text: float = 1.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Entities to ask about, by band (most popular first), and what was passed over."""

    by_band: dict[str, list[int]]
    kept: np.ndarray  # bool [R]: informative relations
    dropped_relations: tuple[str, ...]  # labels
    ambiguous: int  # entities passed over because another one has the same name


def parse_bands(text: str) -> list[Band]:
    """``head=50,torso=20,tail=5``, most popular first; UsageError for anything else."""
    found = []
    for part in text.split(","):
        name, equals, least = part.strip().partition("=")
        try:
            found.append(Band(name.strip(), float(least)))
        except ValueError:
            equals = ""
        if not equals or not found[-1].name or not math.isfinite(found[-1].at_least):
            raise UsageError(f"bands {text!r}; write NAME=LEAST,NAME=LEAST as in {DEGREE_BANDS}")
    limits = [band.at_least for band in found]
    if limits != sorted(set(limits), reverse=True) or len({band.name for band in found}) != len(found):
        raise UsageError(f"bands {text!r}; each has another name and a lower limit than the one before")
    return found


def read_rules(path: Path | None) -> Rules:
    """A file like ``make_uninformative.txt``, which is read where none is given."""
    if path is None:
        with resources.as_file(resources.files("kgask.eval") / "make_uninformative.txt") as shipped:
            return read_rules(shipped)
    patterns: dict[str, list[re.Pattern[str]]] = {"label": [], "key": []}
    shares = {MOST_COMMON: 1.0, ONE_USE: 1.0}
    for number, line in lines_of(path):
        kind, _, rest = line.strip().partition(" ")
        if not kind or kind.startswith("#"):
            continue
        try:
            if kind in patterns:
                patterns[kind].append(re.compile(rest.strip(), re.IGNORECASE))
            else:
                shares[kind] = _share(rest, known=kind in shares)
        except (re.error, ValueError) as error:
            raise UsageError(f"{path}:{number}: {error}") from None
    return Rules(tuple(patterns["label"]), tuple(patterns["key"]), shares[MOST_COMMON], shares[ONE_USE])


def _share(text: str, known: bool) -> float:
    if not known:
        raise ValueError(f"a line begins with label, key, {MOST_COMMON} or {ONE_USE}")
    share = float(text)
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {text}")
    return share


def informative(pack: Pack, rules: Rules) -> np.ndarray:
    """bool [R]: relations that are worth a question."""
    kept = np.ones(pack.n_relations, bool)
    for number, relation in enumerate(pack.relations()):
        kept[number] = not (
            any(pattern.fullmatch(relation.label) for pattern in rules.labels)
            or any(pattern.fullmatch(relation.key) for pattern in rules.keys)
        )
    order = np.argsort(np.asarray(pack.out_relation), kind="stable")
    bounds = np.searchsorted(np.asarray(pack.out_relation)[order], np.arange(pack.n_relations + 1))
    objects = np.asarray(pack.out_object)
    for number in np.flatnonzero(kept).tolist():
        ends = objects[order[bounds[number] : bounds[number + 1]]]
        if len(ends) >= SHARES_FROM:
            kept[number] = not _says_little(pack, ends, rules)
    return kept


def _says_little(pack: Pack, ends: np.ndarray, rules: Rules) -> bool:
    """Whether a relation with these objects is like a category, or an identifier."""
    distinct, counts = np.unique(ends, return_counts=True)
    if counts.max() > rules.most_common_object * len(ends):
        return True
    once = distinct[(counts == 1) & (distinct >= pack.n_entities - pack.n_literals)]
    if len(once) <= rules.one_use_text * len(ends):
        return False
    literals = pack.literals(once.tolist())
    texts = sum(x is not None and x.kind == "string" and any(map(str.isdigit, x.text)) for x in literals)
    return texts > rules.one_use_text * len(ends)


def read_views(pack: Pack, path: Path) -> np.ndarray:
    """float64 [N] views of each entity from ``key<TAB>count``; 0 for those that the file does not name."""
    views = np.zeros(pack.n_entities)
    for number, line in lines_of(path):
        key, tab, count = line.rpartition("\t")
        try:
            value = float(count)
        except ValueError:
            value = math.nan
        if not tab or not math.isfinite(value) or value < 0:
            raise UsageError(f"{path}:{number}: expected 'key<TAB>number of views'")
        entity = pack.find_key(key)
        if entity is not None:
            views[entity] = value
    return views


def sample(pack: Pack, bands: Sequence[Band], rules: Rules, rng: random.Random, views: np.ndarray | None) -> Sample:
    """Every entity that can be asked about, each band in an order drawn with ``rng``."""
    kept = informative(pack, rules)
    degree = _degree(pack, kept)
    popularity = degree if views is None else views
    n_named = pack.n_entities - pack.n_literals
    right = np.flatnonzero((degree[:n_named] >= MIN_TRIPLES) & (degree[:n_named] <= MAX_TRIPLES)).tolist()
    norms = [normalise(label) for label in in_chunks(pack, pack.labels)]
    times: dict[str, int] = {}
    for norm in norms:
        times[norm] = times.get(norm, 0) + 1
    sure = [entity for entity in right if times[norms[entity]] == 1]
    by_band: dict[str, list[int]] = {band.name: [] for band in bands}
    for entity in sure:
        name = next((band.name for band in bands if popularity[entity] >= band.at_least), None)
        if name is not None:
            by_band[name].append(entity)
    for entities in by_band.values():
        rng.shuffle(entities)
    dropped = tuple(r.label for r, keep in zip(pack.relations(), kept.tolist(), strict=True) if not keep)
    return Sample(by_band, kept, dropped, len(right) - len(sure))


def _degree(pack: Pack, kept: np.ndarray) -> np.ndarray:
    """float64 [N]: informative triples in and out of each entity."""
    out = np.concatenate([[0], np.cumsum(kept[np.asarray(pack.out_relation)])])
    back = np.concatenate([[0], np.cumsum(kept[np.asarray(pack.in_relation)])])
    degree = np.diff(out[np.asarray(pack.out_indptr)]) + np.diff(back[np.asarray(pack.in_indptr)])
    return degree.astype(np.float64)
