"""Training the link score: the gradient, what answers alone can teach, and the sources of questions."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("torch")

import kgask
from kgask.errors import BuildError, UsageError
from kgask.link.features import FEATURES, LinkModel
from kgask.pack.store import Pack
from kgask.sets.packs import build_pack
from kgask.train.planner import link_questions
from kgask.train.planner.link_scorer import (
    BY_CHANCE,
    COLUMNS,
    Cases,
    LinkQuestion,
    cases,
    fit,
    joined,
    log_loss,
    train_linker,
)

pytestmark = pytest.mark.slow


def random_cases(rng: np.random.Generator, n_questions: int, decisive: str | None = None) -> Cases:
    """Three candidates a question; where ``decisive`` names a column, the candidate highest in it is right."""
    question = np.repeat(np.arange(n_questions), 3)
    columns = rng.normal(size=(len(question), len(COLUMNS)))
    success = rng.uniform(size=len(question))
    if decisive is not None:
        values = columns[:, COLUMNS.index(decisive)].reshape(-1, 3)
        success = np.where(values == values.max(axis=1, keepdims=True), 0.9, 0.0).ravel()
    nothing = np.full(n_questions, BY_CHANCE)
    return Cases(question, columns, success, np.full(len(question), 0.9), nothing)


def test_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    found = random_cases(rng, 20)
    columns = np.column_stack([np.ones(len(found.columns)), found.columns])
    weights = rng.normal(size=columns.shape[1])
    _, gradient = log_loss(found, columns, weights)
    step = 1e-6 * np.eye(len(weights))
    ends = [[log_loss(found, columns, weights + sign * s)[0] for sign in (1, -1)] for s in step]
    numeric = [(above - below) / 2e-6 for above, below in ends]
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


def test_the_loss_is_the_sum_over_candidates_of_prior_times_answers() -> None:
    found = random_cases(np.random.default_rng(1), 1)
    columns = np.column_stack([np.ones(3), found.columns])
    weights = np.linspace(-1, 1, columns.shape[1])
    odds = np.exp([0.0, *(columns @ weights)])  # nothing first
    prior = odds / odds.sum()
    expected = -np.log((prior * [BY_CHANCE, *found.success]).sum())
    assert log_loss(found, columns, weights)[0] == pytest.approx(expected)


@pytest.mark.parametrize("decisive", ["degree", "spelling", "topic_power"])
def test_what_leads_to_the_answers_gains_weight(decisive: str) -> None:
    report = fit(random_cases(np.random.default_rng(2), 300, decisive))
    others = [report.weights[name] for name in ("degree", "spelling", "topic_power") if name != decisive]
    assert report.weights[decisive] > 1.0 + max(others)
    assert report.loss < report.loss_before
    assert report.right > report.right_before


def test_no_better_name_ever_counts_against_a_candidate() -> None:
    found = random_cases(np.random.default_rng(3), 200, "similarity")
    found.columns[:, COLUMNS.index("similarity")] *= -1  # the worst name is right
    assert fit(found).weights["similarity"] == 0.0


# --- from questions, with the shipped planner ------------------------------------------------------


@pytest.fixture(scope="module")
def two_coras(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack where one name means two people, of whom only one ever has what is asked."""
    from kgask.build.recipe import Recipe, build

    folder = tmp_path_factory.mktemp("coras")
    rows, labels = [], []
    for number in range(6):
        name = f"Person{chr(65 + number)} Vale"
        for which in ("known", "bare"):
            labels.append(f"{which}{number}\t{name}")
        rows += [f"known{number}\tspouse\twife{number}", f"known{number}\tplace of birth\ttown{number}"]
        rows += [f"known{number}\tchild\tchild{number}", f"town{number}\tspouse\tbare{number}"]
        labels += [f"wife{number}\tWife{number} Quill", f"town{number}\tTown{number}", f"child{number}\tKid{number}"]
    (folder / "triples.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "labels.tsv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    build(
        Recipe((str(folder / "triples.tsv"),), folder / "pack", texts=(("labels", str(folder / "labels.tsv")),)),
        tell=print,
    )
    return folder / "pack"


def test_answers_alone_teach_which_entity_is_meant(two_coras: Path) -> None:
    with kgask.open(str(two_coras), reader=None, settings={}) as kg:
        questions = [
            LinkQuestion(f"where was Person{chr(65 + n)} Vale born?", frozenset({kg.pack.find_key(f"town{n}")}))
            for n in range(6)
        ]
        report = train_linker(kg, questions)
    assert report.n_questions == 6
    assert report.loss < report.loss_before
    assert report.right == 1.0
    model = LinkModel.of(report.weights)
    assert 0.0 < model.rho <= 0.22
    assert model.link_power == 1.0
    connected = FEATURES.index("degree"), FEATURES.index("share")
    assert sum(model.weights[column] for column in connected) > 0.0  # the known one has more triples


def test_cases_tell_the_right_candidate_from_its_namesake(two_coras: Path) -> None:
    with kgask.open(str(two_coras), reader=None, settings={}) as kg:
        town = frozenset({kg.pack.find_key("town0")})
        bare = kg.pack.find_key("bare0")
        text = "where was PersonA Vale born?"
        weak = cases(kg, [LinkQuestion(text, town)])
        wrong = cases(kg, [LinkQuestion(text, town, frozenset({bare}))])
        lacking = cases(kg, [LinkQuestion(text, frozenset())])
    assert weak.success.max() > 0.5
    assert len(wrong.nothing) == 0  # the namesake never leads there: nothing can be learnt
    with pytest.raises(BuildError, match="no question"):
        fit(wrong)
    assert lacking.nothing.tolist() == [1.0]
    np.testing.assert_allclose(lacking.success, 1.0 - lacking.mass)
    both = joined([weak, lacking])
    assert both.question.max() == 1
    assert len(both.success) == len(weak.success) + len(lacking.success)


# --- sources --------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of public sets in small."""
    eq, sq = tmp_path / "entityquestions", tmp_path / "simplequestions_wikidata"
    (eq / "train").mkdir(parents=True)
    sq.mkdir()
    (tmp_path / "kgconv").mkdir()
    (tmp_path / "wikidata_props").mkdir()
    (eq / "relation_query_templates.json").write_text(json.dumps({"P50": "Who is the author of [X]?"}))
    with gzip.open(eq / "train" / "P50.train.json.gz", "wt") as file:
        json.dump([{"question": "Who is the author of Red Dust?", "answers": ["Ida Moor"]}], file)
    with gzip.open(eq / "triples_named.tsv.gz", "wt") as file:
        file.write("Red Dust\tauthor\tIda Moor\tP50\ttrain\nRed dust\tauthor\tSomeone\tP50\ttrain\n")
    with gzip.open(sq / "annotated_wd_data_train.txt.gz", "wt") as file:
        file.write("Q1\tP19\tQ2\twhere was ida moor born\nQ2\tR19\tQ1\twho was born in lund\n")
        file.write("Q2\tR19\tQ3\tname a lunder\n")
    (tmp_path / "wikidata_labels_union.json").write_text("{}")
    with gzip.open(tmp_path / "wikidata_labels_union.json.gz", "wt") as file:
        json.dump({"Q1": "Ida Moor", "Q2": "Lund"}, file)
    with gzip.open(tmp_path / "kgconv" / "preferred_labels.json.gz", "wt") as file:
        file.write("{}")
    (tmp_path / "wikidata_props" / "en1.json").write_text('{"P19": "place of birth"}')
    return tmp_path


def test_entity_questions_name_their_topic_and_answers(data: Path) -> None:
    build_pack("entityquestions", data, data / "eq", print)
    with Pack.open(data / "eq") as pack:
        (question,) = link_questions.entity_questions(data, pack, 10, random.Random(0))
        assert pack.labels(question.topics) == ["Red Dust"]  # not "Red dust"
        assert pack.labels(question.answers) == ["Ida Moor"]


def test_simple_questions_count_every_triple_that_answers(data: Path) -> None:
    build_pack("simplequestions", data, data / "sq", print)
    with Pack.open(data / "sq") as pack:
        assert pack.relation_labels() == ["place of birth"]
        found = {q.text: q for q in link_questions.simple_questions(data, pack, 10, random.Random(0))}
        assert set(pack.keys(found["who was born in lund"].answers)) == {"Q1", "Q3"}
        assert pack.keys(found["where was ida moor born"].topics) == ["Q1"]


def test_a_folder_without_the_sets_is_one_clear_error(tmp_path: Path, family: Pack) -> None:
    with pytest.raises(UsageError, match="no such file"):
        link_questions.entity_questions(tmp_path, family, 5, random.Random(0))


def test_typos_keep_all_but_one_word() -> None:
    rng = random.Random(0)
    text = "who is the author of Harbour Lights"
    broken = [link_questions.damaged(text, rng) for _ in range(50)]
    changed = [sum(a != b for a, b in zip(text.split(), other.split(), strict=True)) for other in broken]
    assert set(changed) <= {0, 1}
    assert changed.count(1) > 40
    assert link_questions.damaged("who is it", rng) == "who is it"
