"""The differentiable KG against the other two forms of it: the sparse matrices and the frontier walk."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings
from hypothesis import strategies as st
from reified import ReifiedKB
from toy_graph import ToyGraph

from kgask.retrieve.follow import follow, relations_of
from kgask.train.planner.diff_kg import Neighbourhood

pytestmark = pytest.mark.slow

HOPS = 3
MANY = 10_000

triples = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=40, unique=True
).map(lambda rows: [(f"e{s}", f"r{r}", f"e{o}") for s, r, o in rows])


def _random_probs(graph: ToyGraph, n: int, rng: np.random.Generator) -> torch.Tensor:
    return torch.from_numpy(rng.dirichlet(np.ones(2 * graph.n_relations), n))


@given(triples, st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_hops_equal_the_reified_matrices_and_the_frontier_walk(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph, rng = ToyGraph(rows), np.random.default_rng(seed)
    topic = int(rng.integers(graph.n_entities))
    probs = _random_probs(graph, HOPS, rng)
    near = Neighbourhood.around(graph, [topic], HOPS, MANY)
    assert near.is_whole
    matrices = ReifiedKB(np.array(graph.rows), graph.n_entities, graph.n_relations)
    dense = np.eye(graph.n_entities)[topic]
    frontier, weights = np.array([topic]), np.ones(1)
    for hop, found in enumerate(near.hops(near.rows([[topic]]), probs[None])):
        dense = matrices.follow(dense, probs[hop].numpy())
        dense[topic] = 0.0
        frontier, weights, _, _ = follow(graph, frontier, weights, probs[hop].numpy())
        weights = weights[frontier != topic]
        frontier = frontier[frontier != topic]
        whole = np.zeros(graph.n_entities)
        whole[near.entities] = found[0].numpy()
        np.testing.assert_allclose(whole, dense, atol=1e-12)
        np.testing.assert_allclose(whole[frontier], weights, atol=1e-12)
        assert whole.sum() == pytest.approx(weights.sum())


@given(triples, st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_each_triple_within_the_hops_is_there_once(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph = ToyGraph(rows)
    rng = np.random.default_rng(seed)
    topics = rng.integers(graph.n_entities, size=2)
    near = Neighbourhood.around(graph, topics, 2, MANY)
    reached = set(topics.tolist())
    expected = set()
    for _ in range(2):
        touching = {row for row in graph.rows if row[0] in reached or row[2] in reached}
        expected |= touching
        reached |= {end for s, _, o in touching for end in (s, o)}
    subjects, objects = (near.entities[ends.numpy()].tolist() for ends in (near.subjects, near.objects))
    found = list(zip(subjects, near.relations.tolist(), objects, strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_questions_of_a_batch_do_not_mix() -> None:
    graph = ToyGraph([("a", "r", "b"), ("b", "s", "c"), ("d", "r", "c"), ("c", "s", "a")])
    rng = np.random.default_rng(4)
    topics = [graph.entity("a"), graph.entity("d")]
    probs = torch.stack([_random_probs(graph, 2, rng), _random_probs(graph, 2, rng)])
    near = Neighbourhood.around(graph, topics, 2, MANY)
    together = list(near.hops(near.rows([[t] for t in topics]), probs))
    for row, topic in enumerate(topics):
        alone = list(near.hops(near.rows([[topic]]), probs[row : row + 1]))
        for one, both in zip(alone, together, strict=True):
            torch.testing.assert_close(one[0], both[row])


def test_the_relation_distribution_gets_the_gradient_of_the_path() -> None:
    graph = ToyGraph([("film", "directed by", "ann"), ("film", "genre", "noir"), ("ann", "born in", "rome")])
    near = Neighbourhood.around(graph, [graph.entity("film")], 2, MANY)
    logits = torch.zeros(1, 2, 2 * graph.n_relations, requires_grad=True)
    *_, last = near.hops(near.rows([[graph.entity("film")]]), logits.softmax(-1))
    rome = near.local([graph.entity("rome")])[0]
    last[0, rome].backward()
    wanted = [graph.relation_names.index(name) for name in ("directed by", "born in")]
    for hop, relation in enumerate(wanted):
        gradient = logits.grad[0, hop]
        assert gradient[relation] > 0
        assert (gradient[torch.arange(len(gradient)) != relation] < 0).all()


def test_topics_get_gradients_too_so_that_linking_can_be_trained() -> None:
    graph = ToyGraph([("paris, france", "country", "france"), ("paris, texas", "country", "usa")])
    names = [graph.entity("paris, france"), graph.entity("paris, texas")]
    near = Neighbourhood.around(graph, names, 1, MANY)
    scores = torch.zeros(2, requires_grad=True)
    start = torch.zeros(1, len(near.entities)).index_add(
        1, torch.from_numpy(near.local(names)), scores.softmax(0)[None]
    )
    (reached,) = near.hops(start, torch.tensor([[[1.0, 0.0]]]))
    reached[0, near.local([graph.entity("usa")])[0]].backward()
    assert scores.grad[0] < 0 < scores.grad[1]


def test_relations_present_are_those_of_the_frontier() -> None:
    graph = ToyGraph([("a", "r", "b"), ("b", "s", "c"), ("d", "t", "c")])
    near = Neighbourhood.around(graph, [graph.entity("a")], 3, MANY)
    for name in "abcd":
        entity = graph.entity(name)
        present = near.relations_present(near.rows([[entity]]))[0].numpy()
        np.testing.assert_array_equal(present, relations_of(graph, np.array([entity])))


def test_a_cut_neighbourhood_says_so_and_keeps_the_way_to_the_answers() -> None:
    hub = [("topic", "likes", f"x{i}") for i in range(300)] + [(f"x{i}", "in", f"y{i}") for i in range(300)]
    graph = ToyGraph([*hub, ("topic", "knows", "friend"), ("friend", "born in", "town")])
    answers = [graph.entity("town")]
    near = Neighbourhood.around(graph, [graph.entity("topic")], 2, 40, answers)
    assert near.n_triples == 40
    assert not near.is_whole and near.n_left_out >= 301 - 20
    assert len(near.local(answers)) == 1
    same = Neighbourhood.around(graph, [graph.entity("topic")], 2, 40, answers)
    np.testing.assert_array_equal(near.entities, same.entities)
    unaided = [
        Neighbourhood.around(graph, [graph.entity("topic")], 2, 40, rng=np.random.default_rng(seed))
        for seed in range(4)
    ]
    assert any(len(cut.local(answers)) == 0 for cut in unaided)


def test_unknown_entities_are_left_out_of_rows() -> None:
    graph = ToyGraph([("a", "r", "b"), ("c", "r", "d")])
    near = Neighbourhood.around(graph, [graph.entity("a")], 1, MANY)
    assert near.rows([[graph.entity("b"), graph.entity("d")]]).sum() == 1
    assert len(near.local([graph.entity("d"), 10**9])) == 0
