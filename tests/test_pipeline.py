"""The order of things: readings of one seed and of several, marked mentions, batches, where a question dies."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hostile_pack import forget_checksums
from toy_graph import ToyGraph

import kgask
from kgask.answer.compose import Composer
from kgask.answer.fuse import Verdict
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.errors import PackError
from kgask.link.features import HAND
from kgask.link.linker import Linker
from kgask.methods.baselines import RandomTriples
from kgask.methods.protocol import Request, Retrieved, Scope
from kgask.methods.rigel import route_query
from kgask.methods.understand import Linked, Understanding, choose, features
from kgask.pack.store import Pack
from kgask.retrieve.follow import edges_of, follow, relations_of
from kgask.retrieve.trace import trace_route
from kgask.types import Branch, Mention, Question

WORDS = frozenset("which films did direct that stars with and came out in by star the of".split())


@pytest.fixture
def films(films_path: Path) -> Iterator[Pack]:
    with Pack.open(films_path) as pack:
        yield pack


def linked(pack: Pack, mention: Mention, relations: dict[str, float], constrained: float, topic: float = 1.0) -> Linked:
    """A mention with a one-hop plan; ``-name`` is followed backward."""
    labels = pack.relation_labels()
    probs = np.zeros((3, 2 * pack.n_relations), np.float32)
    for name, prob in relations.items():
        probs[0, labels.index(name.lstrip("-")) + (pack.n_relations if name.startswith("-") else 0)] = prob
    branch = Branch(mention.seeds, probs, np.array([1.0, 0.0, 0.0], np.float32), topic, constrained)
    present = np.stack([relations_of(pack, np.array([seed.entity])) for seed in mention.seeds])
    return Linked(mention, branch, present)


def mentions(pack: Pack, text: str) -> dict[str, Mention]:
    return {mention.text: mention for mention in Linker(pack, WORDS).link(Question(text))}


def read(
    pack: Pack, text: str, plans: dict[str, dict[str, float]], constrained: float, everything: bool = False
) -> Understanding:
    found = mentions(pack, text)
    rows = [linked(pack, found[name], relations, constrained) for name, relations in plans.items()]
    return choose(pack, HAND, rows, Scope(hops=3, explain=everything))


def answers(pack: Pack, reached: Understanding) -> set[str]:
    return set(pack.labels(reached.routes[0].answers.tolist()))


# --- several seeds ------------------------------------------------------------------------------

TWO = "which films did Ann Ray direct that stars Bob Stone"
PLANS = {"Ann Ray": {"-director": 0.9}, "Bob Stone": {"-cast member": 0.8}}


def test_answers_of_two_seeds_intersect(films: Pack) -> None:
    reached = read(films, TWO, PLANS, constrained=0.9)
    assert answers(films, reached) == {"Harbour Lights", "The Long Wait"}
    assert {part.mention.text for part in reached.parts} == {"Ann Ray", "Bob Stone"}


def test_without_the_planners_word_for_it_one_seed_answers(films: Pack) -> None:
    reached = read(films, TWO, PLANS, constrained=0.0)
    assert answers(films, reached) == {"Harbour Lights", "Stone Garden", "The Long Wait"}
    assert reached.parts == ()


def test_an_empty_intersection_leaves_the_surer_single_reading(films: Pack) -> None:
    plans = {"Carl Moss": {"-director": 0.9}, "Dora Quill": {"-cast member": 0.8}}
    reached = read(films, "which films by Carl Moss star Dora Quill", plans, constrained=0.9)
    assert answers(films, reached) == {"North Road", "Paper Moonrise"}
    assert reached.parts == ()


def test_an_unlikely_second_branch_does_not_narrow(films: Pack) -> None:
    plans = {"Ann Ray": {"-director": 0.9}, "Bob Stone": {"-cast member": 0.01}}
    assert read(films, TWO, plans, constrained=0.9).parts == ()


def test_three_seeds_with_a_year_among_them(films: Pack) -> None:
    text = "which films by Ann Ray with Bob Stone came out in 1999"
    plans = PLANS | {"1999": {"-publication year": 0.7}}
    reached = read(films, text, plans, constrained=0.9)
    assert answers(films, reached) == {"Harbour Lights"}
    assert len(reached.parts) == 3
    year = next(part.seed for part in reached.parts if part.mention.text == "1999")
    assert films.kinds([year.entity]) == ["date"]


def test_the_proof_and_the_confidence_are_of_every_branch(films: Pack) -> None:
    reached = read(films, TWO, PLANS, constrained=0.9)
    route = reached.routes[0]
    proof = trace_route(films, route, route.answers)
    found = Retrieved(tuple(part.seed for part in reached.readings), understood=reached)
    composer = Composer(films, Request(Question(TWO)), "rigel", {}, 0.5, found)
    answers_found = tuple(route.answers.tolist())
    answer = composer.compose(Verdict(0.9, answers_found, tuple(proof), lambda: route_query(films, route)))
    told = {(t.subject, t.relation, t.object) for t in answer.support}
    for film in ("Harbour Lights", "The Long Wait"):
        assert {(film, "director", "Ann Ray"), (film, "cast member", "Bob Stone")} <= told
    assert not any("Stone Garden" in triple for triple in told)
    assert answer.plan.combine == "intersection"
    assert [seed.mention for seed in answer.seeds] == ["Ann Ray", "Bob Stone"]
    assert answer.query_text.startswith("and(follow(<") and answer.query_text.count("Bob Stone") == 1
    assert not any("does not use" in note for note in answer.notes)
    least = min(features(part)["mass"] for part in reached.parts)
    assert features(reached)["mass"] == pytest.approx(least)


# --- link and plan together ---------------------------------------------------------------------


def test_a_surer_topic_wins_when_its_power_says_so(films: Pack) -> None:
    found = mentions(films, "Ann Ray and Carl Moss")
    rows = [
        linked(films, found["Ann Ray"], {"-director": 0.9}, 0.0, topic=0.1),
        linked(films, found["Carl Moss"], {"-director": 0.8}, 0.0, topic=0.9),
    ]
    weighed = HAND.__class__(HAND.weights, rho=0.0, link_power=3.0, topic_power=1.0)
    assert choose(films, HAND, rows, Scope(hops=3)).mention.text == "Ann Ray"
    assert choose(films, weighed, rows, Scope(hops=3)).mention.text == "Carl Moss"


def test_alternatives_are_other_routes_and_other_seeds(films: Pack) -> None:
    plans = {"Ann Ray": {"-director": 0.6, "spouse": 0.3}, "Bob Stone": {"-cast member": 0.1}}
    reached = read(films, TWO, plans, constrained=0.0, everything=True)
    scores = [other.score for other in reached.alternatives]
    assert scores == sorted(scores, reverse=True)
    others = [(other.seed.mention, other.n_answers) for other in reached.alternatives]
    assert others == [("Ann Ray", 1), ("Bob Stone", 3)]
    assert reached.rival == pytest.approx(scores[1])


# --- the whole pipeline, shipped planner ---------------------------------------------------------


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


def test_only_what_is_marked_is_linked(kg: Pipeline) -> None:
    free = kg.ask("who is married to Cora Reed?")
    marked = kg.ask("who is married to [Cora Reed]?")
    assert (free.text, marked.text) == ("Dan Reed", "Dan Reed")
    assert marked.question == "who is married to [Cora Reed]?"
    both = kg.ask("Who are the children of [George Hill] and Cora Reed?", min_confidence=0.0)
    assert {seed.mention for seed in both.seeds} == {"George Hill"}


def test_a_mark_around_no_name_is_as_if_it_were_not_there(kg: Pipeline) -> None:
    assert kg.ask("who is [married] to Cora Reed?").text == "Dan Reed"
    typo = kg.ask("who is married to [Cora Red]?")
    assert typo.text == "Dan Reed"
    assert kg.ask("who is married to [Zebulon Quist]?").died_at == "link"


def test_many_are_answered_as_one_by_one(kg: Pipeline) -> None:
    asked = [
        "Who is married to Cora Reed?",
        "Who are the children of the wife of George Hill?",
        "when was Eve Reed born?",
        "who taught Cora Red?",
        "what is the capital of Nowhere?",
        "Who is the sibling of [Eve Reed]?",
    ]
    together = kg.ask_many(asked)
    assert [answer.question for answer in together] == asked
    assert [answer.text for answer in together] == [kg.ask(text).text for text in asked]
    confidences = [kg.ask(text).confidence for text in asked]
    assert [answer.confidence for answer in together] == pytest.approx(confidences, abs=0.05)  # int8 over a batch
    found = kg.understand_many([Question(text) for text in asked[:3]], AskOptions())
    ends = kg.pack.labels([int(one.hypotheses[0].answers[0]) for one in found])
    assert ends == ["Dan Reed", "Ben Hill", "1901-05-02"]


def test_a_chunk_is_planned_in_one_call_when_names_are_exact(kg: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    plan = kg.planner.plan
    monkeypatch.setattr(kg.planner, "plan", lambda texts, *rest: sizes.append(len(texts)) or plan(texts, *rest))
    kg.ask_many(["Who is married to Cora Reed?", "who is the sibling of Eve Reed?", "who taught Cora Reed?"])
    assert len(sizes) == 1
    assert sizes[0] >= 3


def test_a_bad_line_among_many_is_said_before_any_is_answered(kg: Pipeline) -> None:
    with pytest.raises(kgask.KgaskError, match="empty"):
        kg.ask_many(["who taught Cora Reed?", "   "])


@pytest.mark.parametrize(
    ("question", "stages"),
    [
        ("who is the mother of Zebulon Quist?", {"link"}),
        ("Who is the sibling of George Hill?", {"retrieve", "plan"}),
        ("What is the capital of Ben Hill?", {"plan"}),
    ],
)
def test_a_question_that_dies_says_where(kg: Pipeline, question: str, stages: set[str]) -> None:
    answer = kg.ask(question)
    assert answer.abstained
    assert answer.died_at in stages, answer.reason


def test_an_answer_did_not_die(kg: Pipeline) -> None:
    assert kg.ask("Who is married to Cora Reed?").died_at is None


@pytest.mark.parametrize("read", [edges_of, follow, relations_of, Pack.degree])
def test_what_fails_where_arrays_are_read_is_called_damage(read: Callable[..., object], films: Pack) -> None:
    beyond = np.array([films.n_entities + 7])
    rest = {"edges_of": (0,), "follow": (np.ones(1), np.ones(2 * films.n_relations))}.get(read.__name__, ())
    with pytest.raises(PackError, match="damaged.*kgask pack check"):
        read(films, beyond, *rest)


@pytest.mark.parametrize("method", [None, RandomTriples()])
@pytest.mark.parametrize(
    "array", ["out_indptr", "out_relation", "out_object", "in_indptr", "in_relation", "in_subject"]
)
def test_whatever_an_array_holds_is_an_answer_a_refusal_or_damage(
    array: str, method: RandomTriples | None, kg: Pipeline, family_path: Path, tmp_path: Path
) -> None:
    """Values out of range, below zero, in another order, each in a part of the array: sizes and ends stay."""
    folder, said = Path(shutil.copytree(family_path, tmp_path / "damaged")), 0
    forget_checksums(folder)  # which would tell
    whole, rng = np.load(folder / f"{array}.npy"), np.random.default_rng(5)
    for trial in range(12):
        values = whole.copy()
        part = rng.random(len(values)) < rng.choice([0.05, 0.3, 1.0])
        part[[0, -1]] = False  # opening looks at these
        wrong = [np.iinfo(values.dtype).max, -7, len(whole) + 3, *rng.permutation(values)[:5]]
        values[part] = rng.choice(wrong, int(part.sum()))
        np.save(folder / f"{array}.npy", values)
        for text in ("Who is married to Cora Reed?", "Who are the children of the wife of George Hill?"):
            try:
                with Pack.open(folder) as pack:
                    damaged = Pipeline(pack, kg.planner, None, retriever=method)
                    damaged.ask(text, hops=2, min_confidence=0.0, explain=bool(trial % 2))
            except PackError as error:
                said += "kgask pack check" in str(error) or "no triple" in str(error) or "no entity" in str(error)
    assert said or array.startswith("in_") or array == "out_relation"


def test_arrays_in_memory_have_no_pack_to_be_checked(films: Pack) -> None:
    with pytest.raises(IndexError):
        edges_of(ToyGraph([("a", "r", "b")]), np.array([7]), 0)


def test_a_word_for_the_relation_is_no_second_topic(opened: Callable[..., Pipeline]) -> None:
    """A sure path needs no query written: "capital" is an entity's name too, and here what is asked for."""
    kg = opened("demo", None)
    asked, other = (kg.ask(f"What is the {word} of Kenya?") for word in ("capital", "capital in the Nile"))
    assert asked.text == "Nairobi" and "operators" not in asked.timings_ms
    assert "operators" in other.timings_ms
