"""Losses of graph supervision, and paths by search, on graphs checked by eye or by brute force."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings
from hypothesis import strategies as st
from toy_graph import ToyGraph

from kgask.corpus.questions import GraphQuestion
from kgask.corpus.sampling import follow_path
from kgask.corpus.search_paths import LEAST_F1, shortest_paths, vote_paths
from kgask.retrieve.follow import relations_of
from kgask.train.planner.diff_kg import Neighbourhood
from kgask.train.planner.model import MAX_HOPS, RigelOutput
from kgask.train.planner.supervise import Frontiers, graph_targets, search_loss, weak_loss

pytestmark = pytest.mark.slow

CAST = {
    "dawn": ("ann", ("kit", "lou", "max"), "noir"),
    "dusk": ("ann", ("max", "lou"), "farce"),
    "noon": ("ann", ("kit", "pia"), "noir"),
    "rain": ("bob", ("lou", "pia"), "farce"),
    "snow": ("bob", ("max",), "noir"),
    "fog": ("cid", ("kit", "max", "pia"), "western"),
}
DIRECTED, STARS, GENRE = 0, 1, 2
BACK = 3  # added to a relation: followed from object to subject


@pytest.fixture(scope="module")
def films() -> ToyGraph:
    rows = []
    for film, (director, actors, genre) in CAST.items():
        rows.append((film, "directed by", director))
        rows += [(film, "starred actors", actor) for actor in actors]
        rows.append((film, "has genre", genre))
    return ToyGraph(rows)


def ask(graph: ToyGraph, text: str, topic: str, path: tuple[int, ...], known: bool = True) -> GraphQuestion:
    entity = graph.entity(topic)
    return GraphQuestion(text, entity, follow_path(graph, entity, path), path if known else None)


def output_of(relation_logits: torch.Tensor, hop_logits: torch.Tensor) -> RigelOutput:
    """An output with free logits; STOP has no opinion beyond what the hop logits say."""
    n = len(relation_logits)
    even = torch.log(1.0 / torch.arange(MAX_HOPS - 1, 0, -1.0))  # stick-breaking of equal shares
    stops = torch.cat([even, torch.zeros(1)]).expand(n, -1)
    nulls = torch.full((*relation_logits.shape[:2], 1), -1e4)
    log_probs = torch.log_softmax(torch.cat([relation_logits, nulls], -1), -1)
    return RigelOutput(log_probs, stops, hop_logits, torch.zeros(n, 2), torch.zeros(n, 4))


def sure_of(path: tuple[int, ...], n_directed: int) -> RigelOutput:
    relations, hops = torch.zeros(1, MAX_HOPS, n_directed), torch.full((1, MAX_HOPS), -20.0)
    for hop, relation in enumerate(path):
        relations[0, hop, relation] = 20.0
    hops[0, len(path) - 1] = 20.0
    return output_of(relations, hops)


def around(graph: ToyGraph, questions: list[GraphQuestion]) -> Neighbourhood:
    return Neighbourhood.around(graph, [q.topic for q in questions], MAX_HOPS, 10_000)


# --- answers alone ------------------------------------------------------------------------

ALL, NONE = torch.tensor(True), torch.tensor(False)


def test_the_right_path_costs_nearly_nothing_and_any_other_more(films: ToyGraph) -> None:
    question = ask(films, "", "dawn", (DIRECTED, DIRECTED + BACK, GENRE))
    near = around(films, [question])
    right = float(weak_loss(sure_of(question.path, 6), near, [question], NONE))
    assert right < 1e-3
    for hops in (1, 2, 3):
        for path in itertools.product(range(6), repeat=hops):
            ends = follow_path(films, question.topic, path)
            cost = float(weak_loss(sure_of(path, 6), near, [question], NONE))
            assert cost == pytest.approx(right, abs=1e-3) if ends == question.answers else cost > 0.3, path


def test_the_graph_masks_what_the_frontier_lacks(films: ToyGraph) -> None:
    topic = films.entity("dawn")
    near = Neighbourhood.around(films, [topic], 1, 100)
    logits = torch.log(torch.tensor([[[0.3, 0.5, 0.1, 0.02, 0.02, 0.02, 0.04]]]))
    start = near.rows([[topic]])
    (open_,) = near.masked_hops(start, logits, NONE[None])
    (masked,) = near.masked_hops(start, logits, ALL[None])
    ends = near.local([films.entity(name) for name in ("ann", "kit", "noir")])
    expected = torch.tensor([0.3, 0.5, 0.1])
    torch.testing.assert_close(open_[0, ends], expected)
    torch.testing.assert_close(masked[0, ends], expected / 0.94)  # 0.06 was for relations that a film does not have


def test_a_membership_is_capped_but_keeps_its_gradient(films: ToyGraph) -> None:
    """ "max" is in both other films of the director: one actor, however many triples say so."""
    topic = films.entity("fog")
    path = (STARS, STARS + BACK, STARS)
    near = Neighbourhood.around(films, [topic], MAX_HOPS, 1000)
    logits = torch.zeros(1, MAX_HOPS, 7, requires_grad=True)
    sure = logits + 20.0 * torch.nn.functional.one_hot(torch.tensor(path), 7)
    *_, last = near.masked_hops(near.rows([[topic]]), sure, NONE[None])
    members = follow_path(films, topic, path)
    assert sorted(near.entities[last[0].detach().numpy() > 0.5].tolist()) == sorted(members)
    assert float(last.detach().max()) == pytest.approx(1.0)
    last.sum().backward()
    assert float(logits.grad.abs().sum()) > 0


@pytest.mark.parametrize("masked", [ALL, NONE], ids=["masked", "open"])
def test_gradients_from_answers_alone_find_path_and_hop(films: ToyGraph, masked: torch.Tensor) -> None:
    """Several questions share their logits, as the questions of one wording share a model's."""
    path = (DIRECTED, DIRECTED + BACK, STARS)
    questions = [ask(films, "", topic, path, known=False) for topic in ("dawn", "dusk", "noon", "rain", "snow")]
    near = around(films, questions)
    relations = torch.zeros(1, MAX_HOPS, 6, requires_grad=True)
    hops = torch.zeros(1, MAX_HOPS, requires_grad=True)
    optimizer = torch.optim.Adam([relations, hops], lr=0.1)
    losses = []
    for _ in range(150):
        output = output_of(relations.expand(len(questions), -1, -1), hops.expand(len(questions), -1))
        loss = weak_loss(output, near, questions, masked.expand(len(questions)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.2 * losses[0]
    assert tuple(relations[0].argmax(-1).tolist()) == path
    assert int(hops.argmax()) == 2


def test_a_question_whose_answers_were_cut_away_teaches_nothing(films: ToyGraph) -> None:
    whole, cut = ask(films, "", "dawn", (DIRECTED,)), ask(films, "", "fog", (DIRECTED,))
    near = Neighbourhood.around(films, [whole.topic], 1, 100)
    both = output_of(torch.zeros(2, MAX_HOPS, 6), torch.zeros(2, MAX_HOPS))
    alone = output_of(torch.zeros(1, MAX_HOPS, 6), torch.zeros(1, MAX_HOPS))
    torch.testing.assert_close(weak_loss(both, near, [whole, cut], NONE), weak_loss(alone, near, [whole], NONE))


# --- search -------------------------------------------------------------------------------


def test_search_loss_is_the_log_of_the_weighed_paths() -> None:
    torch.manual_seed(0)
    output = output_of(torch.randn(2, MAX_HOPS, 6), torch.randn(2, MAX_HOPS))
    one, two = (1,), (4, 2)
    probs, hops = output.relation_log_probs.exp(), output.hop_weights
    p_one = float(probs[0, 0, 1] * hops[0, 0])
    p_two = float(probs[0, 0, 4] * probs[0, 1, 2] * hops[0, 1])
    expected = -math.log(0.75 * p_one + 0.25 * p_two)
    assert float(search_loss(output, [{one: 0.75, two: 0.25}, {}])) == pytest.approx(expected, abs=1e-5)


small = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(0, 6)), min_size=3, max_size=20, unique=True
).map(lambda rows: [(f"e{s}", f"r{r}", f"e{o}") for s, r, o in rows])


@given(small, st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_search_finds_what_trying_every_path_finds(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph, rng = ToyGraph(rows), random.Random(seed)
    topic = rng.randrange(graph.n_entities)
    answers = frozenset(rng.sample(range(graph.n_entities), 2))
    tried: dict[tuple[int, ...], float] = {}
    for hops in (1, 2):
        for path in itertools.product(range(2 * graph.n_relations), repeat=hops):
            ends = follow_path(graph, topic, path)
            f1 = 2 * len(ends & answers) / (len(ends) + len(answers))
            if f1 >= LEAST_F1:
                tried[path] = f1
        if any(f1 == 1 for f1 in tried.values()):
            break
    found = {path.relations: path.f1 for path in shortest_paths(graph, topic, answers, 2)}
    assert len(found) == min(len(tried), 40)
    assert all(found[path] == pytest.approx(tried[path]) for path in found)


def test_search_ends_at_the_first_hop_that_gives_the_very_answers(films: ToyGraph) -> None:
    director = frozenset({films.entity("ann")})
    found = shortest_paths(films, films.entity("dawn"), director, 3)
    assert (found[0].relations, found[0].f1) == ((DIRECTED,), 1.0)
    assert all(len(path.relations) == 1 for path in found)


def test_votes_of_the_same_wording_put_spurious_paths_down(films: ToyGraph) -> None:
    """ "Which genres have films by the director of" snow: the film's own genre would do, for others not."""
    text, path = "genres of films by the director of [MASK]", (DIRECTED, DIRECTED + BACK, GENRE)
    questions = [ask(films, text, topic, path, known=False) for topic in ("dawn", "dusk", "rain", "noon", "snow")]
    found = [shortest_paths(films, q.topic, q.answers, 3) for q in questions]
    weights = vote_paths(films, questions, found)
    for question, row in zip(questions, weights, strict=True):
        assert sum(row.values()) == pytest.approx(1.0)
        best = max(row.values())
        assert row[path] == pytest.approx(best)  # several paths may be the same on so small a graph
        spurious = [weight for other, weight in row.items() if len(other) == 1]
        assert all(weight < 0.1 * best for weight in spurious), question.topic


def test_a_question_with_nothing_found_has_no_weights(films: ToyGraph) -> None:
    question = GraphQuestion("[MASK]", films.entity("dawn"), frozenset({films.entity("dawn")}))
    assert shortest_paths(films, question.topic, question.answers, 2) == []
    assert vote_paths(films, [question], [[]]) == [{}]


# --- targets ------------------------------------------------------------------------------


def test_masked_targets_leave_what_the_frontier_has(films: ToyGraph) -> None:
    question = ask(films, "", "dawn", (STARS, STARS + BACK))
    frontiers = Frontiers(films)
    targets = graph_targets(films, [question], [question.path], frontiers, 1.0, random.Random(0))
    kept = ~targets.taken_away[0]
    assert kept[:, -1].all()  # "none of them" always competes
    np.testing.assert_array_equal(kept[0, :-1].numpy(), relations_of(films, np.array([question.topic])))
    actors = np.array([films.entity(name) for name in CAST["dawn"][1]])
    np.testing.assert_array_equal(kept[1, :-1].numpy(), relations_of(films, actors))
    assert targets.relation[0].tolist()[:2] == list(question.path)
    open_ = graph_targets(films, [question], [question.path], frontiers, 0.0, random.Random(0))
    assert not open_.taken_away.any()
