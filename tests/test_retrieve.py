"""Following, walking and tracing: against the reified KB, and on a family checked by eye."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reified import ReifiedKB

import kgask.retrieve.evidence as evidence_module
import kgask.retrieve.follow as follow_module
from kgask import config
from kgask.build.recipe import Recipe, build
from kgask.pack.graph import AllHere
from kgask.pack.store import Pack
from kgask.retrieve.evidence import gather
from kgask.retrieve.follow import all_edges, edges_of, follow, neighbours, relations_of
from kgask.retrieve.hint import beyond_entities, by_kind
from kgask.retrieve.intersect import intersections
from kgask.retrieve.trace import trace, trace_route
from kgask.retrieve.walk import Dropped, routes, walks
from kgask.types import Branch

N_ENTITIES, N_RELATIONS = 9, 3


class ArrayGraph(AllHere):
    """A graph of random triples in the arrays of kgask.pack.graph.Graph."""

    def __init__(self, triples: np.ndarray) -> None:
        self.n_entities, self.n_relations = N_ENTITIES, N_RELATIONS
        self.n_triples = len(triples)
        subject, relation, obj = triples.T
        out = np.lexsort((obj, relation, subject))
        back = np.lexsort((subject, relation, obj))
        self.out_indptr = np.searchsorted(subject[out], np.arange(N_ENTITIES + 1)).astype(np.int32)
        self.out_relation, self.out_object = relation[out].astype(np.int16), obj[out].astype(np.int32)
        self.in_indptr = np.searchsorted(obj[back], np.arange(N_ENTITIES + 1)).astype(np.int32)
        self.in_relation, self.in_subject = relation[back].astype(np.int16), subject[back].astype(np.int32)


graphs = st.sets(
    st.tuples(st.integers(0, N_ENTITIES - 1), st.integers(0, N_RELATIONS - 1), st.integers(0, N_ENTITIES - 1)),
    min_size=1,
    max_size=30,
).map(lambda rows: np.array(sorted(rows)))
weights = st.floats(0, 1, width=32)


@pytest.mark.parametrize("few", [0, follow_module.FEW])
@given(triples=graphs, entities=st.sets(st.integers(0, N_ENTITIES - 1)), inverse=st.booleans())
def test_neighbours_are_the_far_ends_of_all_edges(
    few: int, triples: np.ndarray, entities: set[int], inverse: bool
) -> None:
    graph = ArrayGraph(triples)
    with mock.patch.object(follow_module, "FEW", few):
        found = neighbours(graph, entities, inverse)
    assert found == set(all_edges(graph, np.array(sorted(entities), np.int64), inverse).targets.tolist())


def test_neighbours_of_a_pack_are_the_same_before_and_after_all_blocks_are_known() -> None:
    with Pack.open(config.find("pack", "demo").path) as pack:
        starts = range(0, pack.n_entities - pack.n_literals, 7)
        before = [neighbours(pack, [start], False) for start in starts]
        assert before == [neighbours(pack, [start], False) for start in starts]
        assert before == [set(all_edges(pack, np.array([start]), False).targets.tolist()) for start in starts]


@given(graphs, st.lists(weights, min_size=N_ENTITIES, max_size=N_ENTITIES), st.data())
def test_follow_is_the_reified_product(triples: np.ndarray, entity_weights: list[float], data: st.DataObject) -> None:
    probs = np.array(data.draw(st.lists(weights, min_size=2 * N_RELATIONS, max_size=2 * N_RELATIONS)))
    vector = np.array(entity_weights)
    frontier = np.flatnonzero(vector)
    reached, reached_weights, edges, edge_weights = follow(
        ArrayGraph(triples), frontier[::-1], vector[frontier][::-1], probs
    )
    dense = np.zeros(N_ENTITIES)
    dense[reached] = reached_weights
    expected = ReifiedKB(triples, N_ENTITIES, N_RELATIONS).follow(vector, probs)
    np.testing.assert_allclose(dense, expected, atol=1e-9)
    assert edge_weights.sum() == pytest.approx(expected.sum())
    assert len(edges) == len(edge_weights)


@pytest.mark.parametrize("scanned", [0, follow_module.SCANNED])
@given(triples=graphs, entities=st.sets(st.integers(0, N_ENTITIES - 1), min_size=1))
def test_edges_of_one_relation_are_what_filtering_gives(scanned: int, triples: np.ndarray, entities: set[int]) -> None:
    graph, frontier = ArrayGraph(triples), np.array(sorted(entities))
    for relation in range(2 * N_RELATIONS):
        only = np.eye(2 * N_RELATIONS)[relation]
        with mock.patch.object(follow_module, "SCANNED", scanned):  # both ways of reading a frontier
            _, _, together, _ = follow(graph, frontier, np.ones(len(frontier)), only)
        alone = edges_of(graph, frontier, relation)
        expected = {
            (s, o) if relation < N_RELATIONS else (o, s)
            for s, r, o in triples.tolist()
            if r == relation % N_RELATIONS and (s if relation < N_RELATIONS else o) in entities
        }
        assert set(zip(alone.sources.tolist(), alone.targets.tolist(), strict=True)) == expected
        assert sorted(together.rows.tolist()) == sorted(alone.rows.tolist())
        assert relations_of(graph, frontier)[relation] == bool(expected)


@settings(max_examples=60)
@given(graphs, st.integers(0, N_ENTITIES - 1), st.data())
def test_a_walk_never_comes_back_and_its_edges_connect(triples: np.ndarray, seed: int, data: st.DataObject) -> None:
    rows = st.lists(weights, min_size=2 * N_RELATIONS, max_size=2 * N_RELATIONS)
    probs = np.array(data.draw(st.lists(rows, min_size=3, max_size=3)))
    branch = Branch((), probs, np.array([0.3, 0.5, 0.1]))
    found = walks(ArrayGraph(triples), branch, [seed], max_hops=3)
    assert [walk.prob for walk in found] == sorted((walk.prob for walk in found), reverse=True)
    for walk in found:
        assert seed not in np.concatenate(walk.frontiers[1:])
        for hop, edges in enumerate(walk.edges):
            assert set(edges.sources.tolist()) <= set(walk.frontiers[hop].tolist())
            assert set(edges.targets.tolist()) == set(walk.frontiers[hop + 1].tolist())


# --- the family: 21 triples, answers checked by eye ---------------------------------------------


def _plan(pack: Pack, *relations: str) -> Branch:
    """A plan that is sure of the path; ``-child`` is the inverse of child."""
    labels = pack.relation_labels()
    probs = np.zeros((3, 2 * pack.n_relations), np.float32)
    for hop, name in enumerate(relations):
        index = labels.index(name.lstrip("-"))
        probs[hop, index + (pack.n_relations if name.startswith("-") else 0)] = 1.0
    stops = np.array([float(hop == len(relations) - 1) for hop in range(3)], np.float32)
    return Branch((), probs, stops)


def _answers(pack: Pack, seed: str, *relations: str, keep_seed: bool = False) -> set[str]:
    found = walks(pack, _plan(pack, *relations), [_entity(pack, seed)], 3, keep_seed)
    return set(pack.labels(found[0].answers.tolist())) if found else set()


def _entity(pack: Pack, label: str) -> int:
    return pack.exact([label.lower()])[label.lower()][0].entity


@pytest.mark.parametrize(
    ("seed", "path", "answers"),
    [
        ("George Hill", ["child"], {"Ben Hill", "Cora Reed"}),
        ("Ben Hill", ["-child"], {"George Hill", "Anne Hill"}),
        ("George Hill", ["child", "child"], {"Eve Reed", "Finn Reed"}),
        ("Eve Reed", ["-child", "-child"], {"George Hill", "Anne Hill"}),
        ("Eve Reed", ["-child", "child"], {"Finn Reed"}),  # siblings: never Eve herself
        ("Cora Reed", ["spouse"], {"Dan Reed"}),
        ("Eve Reed", ["sibling", "date of birth"], {"1904"}),
        ("Finn Reed", ["admires"], set()),  # a self loop comes back to its seed
        ("George Hill", ["teacher"], set()),
    ],
)
def test_family_answers(family: Pack, seed: str, path: list[str], answers: set[str]) -> None:
    assert _answers(family, seed, *path) == answers


def test_keep_seed_lets_a_path_come_back(family: Pack) -> None:
    assert _answers(family, "Eve Reed", "-child", "child", keep_seed=True) == {"Eve Reed", "Finn Reed"}
    assert _answers(family, "Finn Reed", "admires", keep_seed=True) == {"Finn Reed"}


def test_trace_lists_every_way_to_an_answer_and_no_other(family: Pack) -> None:
    walk = walks(family, _plan(family, "-child", "-child"), [_entity(family, "Eve Reed")], 3)[0]
    anne = np.array([_entity(family, "Anne Hill")])
    proof = trace(family, walk, anne)
    subjects, _, objects = family.triples([t.triple for t in proof])
    named = list(zip(family.labels(subjects.tolist()), family.labels(objects.tolist()), strict=True))
    assert [t.hop for t in proof] == [1, 2]
    assert named == [("Cora Reed", "Eve Reed"), ("Anne Hill", "Cora Reed")]  # Dan leads to neither grandparent
    assert all(t.inverse for t in proof)


def test_top_k_bounds_what_is_read_but_not_the_answers(family: Pack) -> None:
    ways = walks(family, _plan(family, "child", "child"), [_entity(family, "George Hill")], 3)
    evidence = gather(family, ways, top_k=1)
    per_hop = [sum(t.hop == hop for t in evidence.triples) for hop in (1, 2)]
    assert per_hop == [1, 1]
    assert evidence.truncated
    assert set(family.labels([c.entity for c in evidence.candidates])) == {"Eve Reed", "Finn Reed"}
    whole = gather(family, ways, top_k=10)
    assert not whole.truncated
    assert len(whole.triples) == 3  # George-Cora, Cora-Eve, Cora-Finn


def test_of_equal_answers_the_one_amid_the_seeds_surroundings_comes_first(tmp_path: Path) -> None:
    """Bay lies in Alp and Zed; only Zed is next to what Bay is next to besides."""
    source = tmp_path / "places.tsv"
    triples = ("Alp contains Bay", "Zed contains Bay", "Bay twin Cape", "Zed contains Cape", "Alp twin Moor")
    source.write_text("".join("\t".join(triple.split()) + "\n" for triple in triples), encoding="utf-8")
    build(Recipe(sources=(str(source),), target=tmp_path / "places", licences=("CC0-1.0",)), lambda _: None)
    with Pack.open(tmp_path / "places") as pack:
        ways = walks(pack, _plan(pack, "-contains"), [_entity(pack, "Bay")], 3)
        assert pack.labels(ways[0].answers.tolist()) == ["Alp", "Zed"]  # in pack order
        assert pack.labels([c.entity for c in gather(pack, ways, 10).candidates]) == ["Zed", "Alp"]
        with mock.patch.object(evidence_module, "LOOKED_AT", 1):  # too much to look at: pack order
            assert pack.labels([c.entity for c in gather(pack, ways, 10).candidates]) == ["Alp", "Zed"]


# --- what several seeds share ---------------------------------------------------------------------


def _routes(pack: Pack, seed: str, *relations: str) -> list:
    return routes(walks(pack, _plan(pack, *relations), [_entity(pack, seed)], 3))


def test_an_intersection_keeps_what_both_reach_and_proves_it_from_both(family: Pack) -> None:
    shared = intersections([_routes(family, "George Hill", "child"), _routes(family, "Eve Reed", "-child")])
    assert len(shared) == 1
    cora = _entity(family, "Cora Reed")
    assert shared[0].route.answers.tolist() == [cora]
    assert shared[0].route.prob == pytest.approx(1.0)
    proof = trace_route(family, shared[0].route, np.array([cora]))
    subjects, _, objects = family.triples([t.triple for t in proof])
    told = set(zip(family.labels(subjects.tolist()), family.labels(objects.tolist()), strict=True))
    assert told == {("George Hill", "Cora Reed"), ("Cora Reed", "Eve Reed")}


def test_nothing_in_common_is_no_intersection(family: Pack) -> None:
    assert intersections([_routes(family, "George Hill", "child"), _routes(family, "Eve Reed", "sibling")]) == []


def test_the_probability_of_an_intersection_is_the_geometric_mean(family: Pack) -> None:
    unsure = _plan(family, "-child")
    unsure = Branch((), unsure.relation_probs * 0.25, unsure.stop_probs)
    parts = [_routes(family, "George Hill", "child"), routes(walks(family, unsure, [_entity(family, "Eve Reed")], 3))]
    assert intersections(parts)[0].route.prob == pytest.approx(0.5)


# --- hints and lost paths -------------------------------------------------------------------------


def _hint(column: int, prob: float) -> np.ndarray:
    hint = np.full(4, (1 - prob) / 3, np.float32)
    hint[column] = prob
    return hint


def _two_kinds(family: Pack) -> list:
    """From Eve: her sibling (0.5) a little before her date of birth (0.4)."""
    branch = _plan(family, "sibling")
    labels = family.relation_labels()
    branch.relation_probs[0] *= 0.5
    branch.relation_probs[0, labels.index("date of birth")] = 0.4
    return routes(walks(family, branch, [_entity(family, "Eve Reed")], 1))


def test_the_hinted_kind_of_answer_is_lifted_a_little(family: Pack) -> None:
    found = _two_kinds(family)

    def first(hint: np.ndarray | None) -> str:
        return family.labels(by_kind(family, found, hint)[0].answers.tolist())[0]

    assert first(None) == "Finn Reed"
    assert first(_hint(0, 0.9)) == "Finn Reed"
    assert first(_hint(1, 0.9)) == "1901-05-02"
    assert first(_hint(1, 0.4)) == "Finn Reed"  # too unsure to say anything


def test_a_count_or_a_yes_is_told_apart_from_entities(family: Pack) -> None:
    found = _two_kinds(family)
    assert beyond_entities(family, found, _hint(3, 0.9)) == "yes/no"
    assert beyond_entities(family, found, _hint(2, 0.9)) == "number"
    assert beyond_entities(family, found, _hint(2, 0.7)) is None
    height = _routes(family, "George Hill", "height")
    assert beyond_entities(family, height, _hint(2, 0.9)) is None  # the number is in the graph


def test_the_beam_says_what_it_lost(family: Pack) -> None:
    lost: list[Dropped] = []
    routes(walks(family, _plan(family, "teacher"), [_entity(family, "George Hill")], 3, dropped=lost))
    routes(walks(family, _plan(family, "admires"), [_entity(family, "Finn Reed")], 3, dropped=lost))
    assert [path.why for path in lost] == ["the graph lacks it", "leads back to the topic"]
