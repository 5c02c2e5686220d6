"""Other ways to retrieve: what is around the seeds, which of it comes first, and that every answer is proved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kgask import config
from kgask.answer.fuse import without_marks
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.cards import file_entry, write_card
from kgask.cli.main import cli
from kgask.errors import ModelError, UsageError
from kgask.eval.recheck import Witness
from kgask.methods.base import best_seeds
from kgask.methods.baselines import PopularRelations, RandomTriples
from kgask.methods.protocol import Scope
from kgask.methods.registry import METHODS
from kgask.methods.similarity import Similarity
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.store import Pack
from kgask.retrieve.around import around
from kgask.types import PLANNED, Mention, Question, Seed
from kgask.verbalise import walked_ends

BASELINES = ("random", "popular")
ENCODER = config.shipped_root("model") / config.DEFAULT_ENCODER


@pytest.fixture(scope="module")
def films(films_path: Path) -> Iterator[Pack]:
    with Pack.open(films_path) as pack:
        yield pack


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return TextEncoder.load(ENCODER)


def entity(pack: Pack, label: str) -> int:
    return next(iter(pack.exact([label.lower()])[label.lower()])).entity


def seed(pack: Pack, label: str) -> Seed:
    return Seed(entity(pack, label), (0, len(label)), 1.0, label, label)


# --- what is around -------------------------------------------------------------------------------


def test_one_hop_is_every_triple_of_the_seed_in_both_directions(films: Pack) -> None:
    near = around(films, np.array([entity(films, "Ann Ray")]), 1)
    labels = films.labels(near.ends.tolist())
    assert sorted(labels) == ["Bob Stone", "Harbour Lights", "Limerick", "Stone Garden", "The Long Wait"]
    assert set(near.hops.tolist()) == {1} and len(set(near.ids.tolist())) == 5 and not near.truncated
    for row in range(len(near)):
        subject, relation, obj = (int(part[0]) for part in films.triples([int(near.ids[row])]))
        inverse = int(near.relations[row]) >= films.n_relations
        assert (subject, obj) == ((near.ends[row], near.starts[row]) if inverse else (near.starts[row], near.ends[row]))
        assert int(near.relations[row]) % films.n_relations == relation


def test_two_hops_are_led_to_and_no_triple_stands_twice(films: Pack) -> None:
    start = entity(films, "Ann Ray")
    near = around(films, np.array([start]), 2)
    assert len(set(near.ids.tolist())) == len(near)
    second = np.flatnonzero(near.hops == 2)
    assert len(second) and (near.via[second] >= 0).all()
    assert (near.ends[near.via[second]] == near.starts[second]).all()
    assert (near.starts[near.via[second]] == start).all()


def test_a_triple_between_two_seeds_stands_once(films: Pack) -> None:
    near = around(films, np.array([entity(films, "Ann Ray"), entity(films, "Bob Stone")]), 1)
    assert len(set(near.ids.tolist())) == len(near)


def test_too_many_triples_are_cut_and_it_is_said(films: Pack) -> None:
    near = around(films, np.array([entity(films, "Ann Ray")]), 2, most=3)
    assert len(near) == 3 and near.truncated
    with pytest.raises(ValueError, match="at least 1"):
        around(films, np.array([0]), 0)


def test_three_hops_reach_everything_once(films: Pack) -> None:
    near = around(films, np.array([entity(films, "Limerick")]), 3)
    assert len(set(near.ids.tolist())) == len(near) and set(near.hops.tolist()) == {1, 2, 3}
    for row in range(len(near)):
        step = row
        for hop in range(int(near.hops[row]), 1, -1):
            assert near.hops[step] == hop and near.ends[near.via[step]] == near.starts[step]
            step = int(near.via[step])
        assert near.hops[step] == 1 and films.labels([int(near.starts[step])]) == ["Limerick"]
    ways = near.ways(np.arange(len(near)), 0.5)
    assert set(ways) == set(near.ids[near.hops > 1].tolist())


# --- methods ----------------------------------------------------------------------------------------


def test_the_same_draw_for_the_same_seed_and_another_for_another(films: Pack) -> None:
    asked, seeds = Question("what did Ann Ray make?"), [seed(films, "Ann Ray")]
    first = RandomTriples().find(asked, seeds, films, Scope(3))
    assert first == RandomTriples().find(asked, seeds, films, Scope(3)) and len(first.triples) == 3
    others = {RandomTriples().find(asked, seeds, films, Scope(3, rng_seed=n)).triples for n in range(8)}
    assert len(others) > 1


def test_popular_triples_are_of_the_most_frequent_relation(films: Pack) -> None:
    found = PopularRelations().find(Question("x"), [seed(films, "The Long Wait")], films, Scope(10))
    counts = np.bincount(films.out_relation[:], minlength=films.n_relations)
    of_each = [int(counts[films.out_relation[triple.triple]]) for triple in found.triples]
    assert of_each == sorted(of_each, reverse=True) and len(set(of_each)) > 1
    assert [triple.score for triple in found.triples] == [1 / n for n in range(1, len(of_each) + 1)]


def test_similarity_puts_the_asked_relation_first(films: Pack, encoder: TextEncoder) -> None:
    method = Similarity(encoder)
    for text, label in (
        ("where was Ann Ray born?", "Limerick"),
        ("who is Ann Ray married to?", "Bob Stone"),
    ):
        found = method.find(Question(text), [seed(films, "Ann Ray")], films, Scope(3))
        ends = walked_ends(found.triples, films)[2].tolist()
        assert films.labels(ends)[0] == label
        scores = [triple.score for triple in found.triples]
        assert scores == sorted(scores, reverse=True) and len(scores) == 3


def test_two_hops_bring_their_ways(films: Pack, encoder: TextEncoder) -> None:
    found = Similarity(encoder).find(
        Question("in which year did the films by Ann Ray come out?"), [seed(films, "Ann Ray")], films, Scope(20, 2)
    )
    second = [triple for triple in found.triples if triple.hop == 2]
    assert second and all(found.ways[triple.triple].hop == 1 for triple in second)


def test_a_large_neighbourhood_is_narrowed_by_its_relations(films: Pack, encoder: TextEncoder) -> None:
    whole = Similarity(encoder).find(Question("where was Ann Ray born?"), [seed(films, "Ann Ray")], films, Scope(1))
    narrow = Similarity(encoder, embedded=2).find(
        Question("where was Ann Ray born?"), [seed(films, "Ann Ray")], films, Scope(1)
    )
    assert narrow.triples[0].triple == whole.triples[0].triple
    assert narrow.notes and not whole.notes
    named = Similarity(encoder, embedded=1).find(
        Question("did Ann Ray make Stone Garden?"), [seed(films, "Ann Ray")], films, Scope(1)
    )
    assert films.labels(walked_ends(named.triples, films)[2].tolist()) == ["Stone Garden"]


def test_vectors_are_unit_and_remembered_ones_are_the_same(encoder: TextEncoder) -> None:
    vectors = encoder.encode(["who wrote it?", "a", "(Lady Susan, author, Jane Austen)"])
    assert vectors.shape == (3, encoder.width) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert encoder.encode([]).shape == (0, encoder.width)


def test_an_encoder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        TextEncoder.load(tmp_path)
    (tmp_path / "model.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ModelError, match="broken model card"):
        TextEncoder.load(tmp_path)
    with pytest.raises(ModelError, match="kgask train encoder"):
        TextEncoder.load(config.shipped_root("model") / config.DEFAULT_READER)
    card = json.loads((ENCODER / "model.json").read_text(encoding="utf-8"))
    for name in card["files"]:
        (tmp_path / name).write_bytes(b"x" * card["files"][name]["bytes"])
        card["files"][name] = file_entry(tmp_path / name)
    write_card(tmp_path, card)
    with pytest.raises(ModelError, match="not a tokenizer"):
        TextEncoder.load(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((ENCODER / "tokenizer.json").read_bytes())
    card["files"]["tokenizer.json"] = file_entry(tmp_path / "tokenizer.json")
    write_card(tmp_path, card)
    with pytest.raises(ModelError, match="not a usable ONNX model"):
        TextEncoder.load(tmp_path)


# --- answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["similarity", *BASELINES])
@pytest.mark.parametrize("reader", ["", None])
@pytest.mark.parametrize("hops", [1, 2])
def test_every_answer_is_proved(films_path: Path, method: str, reader: str | None, hops: int) -> None:
    questions = [
        "where was Ann Ray born?", "which films did Ann Ray direct?", "who starred in The Long Wait?",
        "when did North Road come out?", "who is the spouse of Ann Ray?", "what about Zanzibar Xylophone?",
    ]  # fmt: skip
    with Pipeline.open(str(films_path), reader=reader, method=method) as pipeline:
        answers = pipeline.ask_many(questions, AskOptions(hops=hops, top_k=20))
    assert sum(not answer.abstained for answer in answers) >= (3 if reader is None else 1)
    with Witness(films_path) as witness:
        for answer in answers:
            assert answer.method == method
            assert answer.abstained or not witness.faults(answer), (answer, witness.faults(answer))
    assert answers[-1].abstained and answers[-1].died_at == "link"


def test_without_a_reader_the_best_triple_answers_with_all_of_its_kind(films_path: Path) -> None:
    with Pipeline.open(str(films_path), reader=None, method="similarity") as pipeline:
        answer = pipeline.ask("who are the cast members of The Long Wait?")
        assert {one.label for one in answer.entities} == {"Bob Stone", "Dora Quill"}
        assert {triple.relation for triple in answer.support} == {"cast member"}
        assert 0.0 < answer.confidence <= 1.0


def test_orders_show_the_same_facts(films_path: Path) -> None:
    shown = {}
    with Pipeline.open(str(films_path), method="similarity") as pipeline:
        for order in ("descending", "ascending", "random"):
            shown[order] = pipeline.ask("where was Ann Ray born?", order=order).evidence.triples
    assert shown["ascending"] == shown["descending"][::-1]
    assert set(shown["random"]) == set(shown["descending"])
    with pytest.raises(UsageError, match="descending"):
        AskOptions(order="sideways")


def test_no_knowledge_is_no_answer_for_a_reader_of_facts(films_path: Path) -> None:
    with Pipeline.open(str(films_path), method="none") as pipeline:
        answer = pipeline.ask("where was Ann Ray born?")
    assert answer.abstained and answer.died_at == "retrieve"


def test_the_topic_can_be_given(films_path: Path) -> None:
    with Pipeline.open(str(films_path), reader=None, method="similarity") as pipeline:
        answers = pipeline.ask_many(["where was she born?"] * 2, entities=["Ann Ray", None])
        assert answers[0].text == "Limerick" and answers[1].died_at == "link"
        with pytest.raises(UsageError, match="no such entity"):
            pipeline.ask_many(["where was she born?"], entities=["Nobody At All"])


def test_hops_can_be_given(films_path: Path) -> None:
    """A plan that must stop after the first hop, or after the second."""
    question = "who directed the films that Dora Quill starred in?"
    with Pipeline.open(str(films_path), reader=None) as pipeline:
        answers = pipeline.ask_many([question] * 2, min_confidence=0.0, exact_hops=[1, 2])
    hops = [max(triple.hop for triple in answer.support) for answer in answers]
    assert hops == [1, 2]


def test_only_likely_mentions_are_seeds() -> None:
    def mention(span: tuple[int, int], score: float) -> Mention:
        return Mention(span, "x", (Seed(span[0], span, score),))

    chosen = best_seeds([mention((0, 5), 0.9), mention((3, 8), 0.8), mention((9, 12), 0.05), mention((20, 22), 0.5)])
    assert [one.span for one in chosen] == [(0, 5), (20, 22)]
    assert best_seeds([Mention((0, 1), "x", ())]) == ()


def test_marks_say_nothing_where_nothing_was_planned(films: Pack) -> None:
    found = RandomTriples().find(Question("x"), [seed(films, "Ann Ray")], films, Scope(3))
    evidence = found.evidence(walked_ends(found.triples, films)[2].tolist())
    blind = without_marks(evidence)
    assert {triple.score for triple in blind.triples} == {one.score for one in blind.candidates} == {1.0}
    assert [triple.triple for triple in blind.triples] == [triple.triple for triple in evidence.triples]


# --- the command --------------------------------------------------------------------------------------


def test_methods_are_listed() -> None:
    listed = CliRunner().invoke(cli, ["methods", "--json"])
    assert json.loads(listed.output) == METHODS and PLANNED in METHODS


def test_ask_by_method(films_path: Path) -> None:
    found = CliRunner().invoke(
        cli, ["ask", "--pack", str(films_path), "--method", "similarity", "--json", "where was Ann Ray born?"]
    )
    content = json.loads(found.stdout)
    assert content["answer"] == "Limerick" and content["method"] == "similarity"
    assert content["hashes"]["method"] == TextEncoder.load(ENCODER).card.hash
    typo = CliRunner().invoke(
        cli, ["ask", "--pack", str(films_path), "--method", "similarity", "where was Ann Rayy born?"]
    )
    assert "Limerick" in typo.stdout and "as 'Ann Ray'" in typo.stderr
    wrong = CliRunner().invoke(cli, ["ask", "--pack", str(films_path), "--method", "guess", "where was Ann Ray born?"])
    assert isinstance(wrong.exception, UsageError) and "similarity" in str(wrong.exception)


def test_similarity_imports_no_torch(films_path: Path) -> None:
    script = (
        "import sys, kgask\n"
        f"with kgask.open({str(films_path)!r}, method='similarity') as kg:\n"
        "    assert kg.ask('where was Ann Ray born?').text == 'Limerick'\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
