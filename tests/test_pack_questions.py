"""Questions made of a pack alone: paths that it has, real topics, wordings borrowed from known relations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kgask.build.writer import PackBuilder
from kgask.corpus.examples import MASK
from kgask.corpus.pack_questions import PackQuestions, make_questions
from kgask.corpus.pack_wordings import TextVectors, word_pack
from kgask.corpus.wordings import load_wordings
from kgask.pack.store import Pack
from kgask.retrieve.follow import edges_of

FILMS = {
    "Alba": ("Ann Ode", "Bo Reed", "Cy Fox", "1999", "drama"),
    "Brume": ("Ann Ode", "Ann Ode", "Di Lane", "2001", "comedy"),
    "Crest": ("Ed Nash", "Bo Reed", "Cy Fox", "2001", "drama"),
    "Drift": ("Ed Nash", "Flo Kent", "Di Lane", "1999", "drama"),
}
RELATIONS = ("directed_by", "written_by", "starred_actors", "release_year", "glorps_into")


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    """Four films; the last relation has a name that nothing known has."""
    path = tmp_path_factory.mktemp("packs") / "films"
    builder = PackBuilder()
    for film, objects in FILMS.items():
        for relation, obj in zip(RELATIONS, objects, strict=True):
            builder.add(film, relation, obj)
    builder.write(path)
    with Pack.open(path) as pack:
        yield pack


def _relation(pack: Pack, key: str) -> int:
    return [relation.key for relation in pack.relations()].index(key)


def test_a_relation_borrows_the_wordings_of_the_known_one_that_its_neighbours_agree_on(films: Pack) -> None:
    words = word_pack(films, load_wordings(), random.Random(0))
    written = words.by_key["written_by"]
    assert (written.domain, written.range) == ("F", "P")  # a film's writer: a book's has the same name
    assert "who wrote the screenplay of {x}" in written.questions["+"]
    assert "who penned {x}" not in written.questions["+"]
    assert words.by_key["release_year"].literal == "date"
    assert {words.letter(films, films.find_key(film)) for film in FILMS} == {"F"}
    assert words.letter(films, films.find_key("Cy Fox")) == "P"


def test_an_unknown_name_is_worded_from_its_label_and_its_neighbours(films: Pack) -> None:
    words = word_pack(films, load_wordings(), random.Random(0))
    unknown = words.by_key["glorps_into"]
    assert unknown.domain == "F"  # its subjects are directed by people
    assert unknown.texts == ["glorps into"]
    questions = PackQuestions(films, 0)
    asked = {questions.draw(1) for _ in range(200)}
    path = (_relation(films, "glorps_into"),)
    assert any("glorps" in question.text for question in asked if question.path == path)


def test_vectors_lend_wordings_where_no_text_matches(films: Pack) -> None:
    known = list(load_wordings())
    nothing = np.zeros((films.n_relations, len(known)), np.float32)
    vectors = TextVectors(nothing, np.eye(len(known), dtype=np.float32))
    vectors.pack[_relation(films, "glorps_into"), known.index("P136")] = 0.9
    words = word_pack(films, load_wordings(), random.Random(0), vectors)
    assert "which genre is {x} in" in words.by_key["glorps_into"].questions["+"]
    vectors.pack[_relation(films, "glorps_into"), known.index("P136")] = 0.7  # close enough for types, not for words
    words = word_pack(films, load_wordings(), random.Random(0), vectors)
    assert "which genre is {x} in" not in words.by_key["glorps_into"].questions["+"]
    assert words.by_key["glorps_into"].range == "G"


def _follow(pack: Pack, topic: int, path: tuple[int, ...]) -> set[int]:
    found = {topic}
    for relation in path:
        found = {int(end) for entity in found for end in edges_of(pack, np.array([entity]), relation).targets} - {topic}
    return found


def test_every_question_has_a_path_that_the_graph_has(films: Pack) -> None:
    questions = make_questions(films, 300, 3)
    assert len(questions) > 250
    assert {len(question.path) for question in questions} == {1, 2, 3}
    for question in questions:
        assert question.text.count(MASK) == 1 and "{" not in question.text
        assert set(question.answers) == _follow(films, question.topic, question.path) != set()


def test_both_directions_and_round_trips_are_asked(films: Pack) -> None:
    n = films.n_relations
    paths = {question.path for question in make_questions(films, 500, 4)}
    directed_by = _relation(films, "directed_by")
    assert {(directed_by,), (directed_by + n,)} <= paths
    assert (directed_by, directed_by + n) in paths, "films by the same director"
    assert all(relation in {r for path in paths for r in path} for relation in range(2 * n))


def test_the_same_seed_makes_the_same_questions(family: Pack) -> None:
    assert make_questions(family, 60, 5) == make_questions(family, 60, 5)
    assert make_questions(family, 60, 5) != make_questions(family, 60, 6)


def test_inverse_labels_and_literals_are_used(family: Pack) -> None:
    words = word_pack(family, load_wordings(), random.Random(0))
    assert words.by_key["teacher"].ends(True) == ("P", "P")
    assert any("admire" in text for text in words.by_key["admires"].questions["+"])
    assert words.by_key["born"].literal == "date"
    assert words.by_key["height"].literal == "number"
    texts = {question.text for question in make_questions(family, 300, 2) if len(question.path) == 1}
    assert any("taught" in text for text in texts), "an alias lends its known wordings"
    assert any("born" in text for text in texts)


def test_a_graph_that_leads_nowhere_gives_no_questions(tmp_path: Path) -> None:
    builder = PackBuilder()
    builder.add("A", "loops", "A")
    builder.write(tmp_path / "one")
    with Pack.open(tmp_path / "one") as pack:
        assert make_questions(pack, 20, 1) == []
