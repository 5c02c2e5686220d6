"""LTGen's ranking: a real model orders an entity's relations by number, and their triples follow in that order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from films import build_films
from reciter import write_reciter
from tiny_gguf import write_qwen2, write_t5

from kgask.build.recipe import Recipe, build
from kgask.errors import ModelError
from kgask.methods import listing
from kgask.methods.base import Found
from kgask.methods.protocol import Scope
from kgask.methods.relation_rank import (
    MAX_ENTITIES,
    MAX_RELATIONS,
    MAX_TRIPLES,
    ModelRanker,
    PlannerRanks,
    RelationRank,
)
from kgask.pack.store import Pack
from kgask.read.load import load_reader
from kgask.retrieve.follow import relations_of
from kgask.types import Branch, Question, Seed, directed
from kgask.verbalise import verbalise, walked_ends

QUESTION = Question("where was Ann Ray born?")
HUB = "".join(f"hub\trelation {n}\tend {n}\n" for n in range(150)) + "".join(f"hub\tmany\tm{n}\n" for n in range(40))


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with Pack.open(build_films(tmp_path_factory.mktemp("packs") / "films")) as pack:
        yield pack


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    """An entity with 151 relations, one of them with 40 triples."""
    folder = tmp_path_factory.mktemp("packs")
    (folder / "hub.tsv").write_text(HUB, encoding="utf-8")
    source, target = folder / "hub.tsv", folder / "hub"
    build(Recipe(sources=(str(source),), target=target, licences=("CC0-1.0",), source_notes=("made up",)), tell=print)
    with Pack.open(target) as pack:
        yield pack


def _seed(pack: Pack, label: str, score: float = 1.0) -> Seed:
    return Seed(pack.labels(range(pack.n_entities)).index(label), (0, len(label)), score, label, label)


def _lines(pack: Pack, found: Found) -> list[str]:
    return [line.text() for line in verbalise(found.triples, pack)]


def test_the_models_order_is_the_order_of_the_triples(tmp_path: Path, films: Pack) -> None:
    """Ann Ray's list: [1] place of birth, [2] spouse, [3] is director of."""
    reader = load_reader(write_reciter(tmp_path / "reciter.gguf", ["[3]", " [1]", " [2]"]), n_threads=1)
    method = RelationRank(ModelRanker(reader.language_model))
    found = method.find(QUESTION, [_seed(films, "Ann Ray")], films, Scope())
    directs = [f"Ann Ray | is director of | {name}" for name in ("Harbour Lights", "Stone Garden", "The Long Wait")]
    assert _lines(films, found) == [*directs, "Ann Ray | place of birth | Limerick", "Ann Ray | spouse | Bob Stone"]
    assert [triple.score for triple in found.triples] == [1.0, 1.0, 1.0, 1 / 2, 1 / 3]
    assert not found.truncated and found.ways == {} and {triple.hop for triple in found.triples} == {1}
    reader.close()


@pytest.mark.parametrize("rng_seed", range(3))
def test_any_model_ranks_only_what_is_listed(tmp_path: Path, films: Pack, rng_seed: int) -> None:
    reader = load_reader(write_qwen2(tmp_path / "random.gguf", rng_seed, n_ctx=2048), n_threads=1)
    method = RelationRank(ModelRanker(reader.language_model))
    seeds = [_seed(films, "Bob Stone", 0.5), _seed(films, "Ann Ray")]
    found = method.find(QUESTION, seeds, films, Scope(top_k=20))
    starts, _, _ = walked_ends(found.triples, films)
    assert set(starts.tolist()) <= {seed.entity for seed in seeds} and found.seeds == (seeds[1], seeds[0])
    scores = [triple.score for triple in found.triples]
    assert scores == sorted(scores, reverse=True) and len({triple.triple for triple in found.triples}) == len(scores)
    assert method.find(QUESTION, seeds, films, Scope(top_k=20)) == found
    reader.close()


def test_a_hub_is_listed_in_part(tmp_path: Path, hub: Pack) -> None:
    reader = load_reader(write_reciter(tmp_path / "reciter.gguf", ["[60]", " [59]"]), n_threads=1)
    ranker, seed = ModelRanker(reader.language_model), _seed(hub, "hub")
    present = relations_of(hub, np.array([seed.entity]))
    ranking = ranker.rank(Question("what are the many relation 149 of hub?"), seed, present, hub)
    assert len(ranking.relations) == MAX_RELATIONS and present[list(ranking.relations)].all()
    words = ranker._words(hub)
    kept = listing.likeliest([words[at] for at in np.flatnonzero(present)], "relation 149 of hub", listing.MAX_LISTED)
    assert "relation 149" in [words[at] for at in np.flatnonzero(present)[kept]]
    reader.close()


def test_ten_triples_of_a_pair_drawn_by_seed(hub: Pack) -> None:
    many = hub.relation_labels().index("many")
    probs = np.zeros((1, 2 * hub.n_relations), np.float32)
    probs[0, many] = 0.9
    method = RelationRank(PlannerRanks(lambda question, seeds: Branch(tuple(seeds), probs, np.ones(1, np.float32))))
    found = method.find(QUESTION, [_seed(hub, "hub")], hub, Scope(top_k=20))
    of_many = [line for line in _lines(hub, found) if "| many |" in line]
    assert len(of_many) == MAX_TRIPLES and found.truncated and _lines(hub, found)[:MAX_TRIPLES] == of_many
    assert len(found.triples) == MAX_TRIPLES + MAX_RELATIONS - 1 and "planner" in found.notes[0]
    assert method.find(QUESTION, [_seed(hub, "hub")], hub, Scope(top_k=20)) == found
    other = method.find(QUESTION, [_seed(hub, "hub")], hub, Scope(top_k=20, rng_seed=1))
    assert _lines(hub, other) != _lines(hub, found)
    assert len(method.find(QUESTION, [_seed(hub, "hub")], hub, Scope(top_k=3)).triples) == 3


def test_the_planner_ranks_what_the_entity_has(films: Pack) -> None:
    labels, n = films.relation_labels(), films.n_relations
    probs = np.zeros((2, 2 * n), np.float32)
    probs[0, labels.index("publication year")] = 0.6  # no person has one
    probs[0, directed(labels.index("director"), True, n)] = 0.3
    method = RelationRank(PlannerRanks(lambda question, seeds: Branch(tuple(seeds), probs, np.zeros(2, np.float32))))
    found = method.find(QUESTION, [_seed(films, "Ann Ray")], films, Scope())
    assert _lines(films, found)[0] == "Ann Ray | is director of | Harbour Lights"


def test_at_most_five_entities_and_none_at_all(films: Pack) -> None:
    names = ["Ann Ray", "Bob Stone", "Carl Moss", "Dora Quill", "Limerick", "North Road", "Stone Garden"]
    seeds = [_seed(films, name, 1 - at / 10) for at, name in enumerate(names)]
    probs = np.full((1, 2 * films.n_relations), 0.1, np.float32)
    method = RelationRank(PlannerRanks(lambda question, seeds: Branch(tuple(seeds), probs, np.ones(1, np.float32))))
    found = method.find(QUESTION, [*reversed(seeds), *seeds], films, Scope(top_k=20))
    assert found.seeds == tuple(seeds[:MAX_ENTITIES])
    assert method.find(QUESTION, [], films, Scope()).triples == ()
    without = RelationRank(PlannerRanks(lambda question, seeds: None))
    assert without.find(QUESTION, seeds, films, Scope()).triples == ()


def test_a_model_without_constraint_is_parsed_or_refused(tmp_path: Path, films: Pack) -> None:
    reader = load_reader(write_t5(tmp_path / "t5.gguf", n_ctx=2048), n_threads=1)
    with pytest.raises(ModelError, match="ranks none of the relations.*it wrote") as caught:
        RelationRank(ModelRanker(reader.language_model)).find(QUESTION, [_seed(films, "Ann Ray")], films, Scope())
    assert "\n" not in str(caught.value)
    reader.close()


def test_a_context_that_is_too_small_is_an_error(tmp_path: Path, films: Pack) -> None:
    reader = load_reader(write_qwen2(tmp_path / "small.gguf", n_ctx=256), n_threads=1)
    with pytest.raises(ModelError, match="context of 256 tokens is too small for ranking"):
        RelationRank(ModelRanker(reader.language_model)).find(QUESTION, [_seed(films, "Ann Ray")], films, Scope())
    reader.close()


@pytest.mark.parametrize(
    ("written", "places"),
    [
        ("[3] > [1] > [3]", [2, 0]),
        ("3, 1", [2, 0]),
        ("1. cast member\n2. director", [1, 0]),
        ("The most helpful is Director, then 2.", [0]),
        ("Ranking: 2 3 1.", [1, 2, 0]),
        ("[99] [0]", []),
        ("3\n1\n", [2, 0]),
        ("since 1999, 5.5", []),
        ("W3 x{ 1 }", []),
        ("", []),
    ],
)
def test_messy_rankings(written: str, places: list[int]) -> None:
    assert listing.parse_ranks(written, ["director", "cast member", "year"]) == places
