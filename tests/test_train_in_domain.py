"""Questions of a pack and the training of one model on them, with a tiny random encoder."""

from __future__ import annotations

import dataclasses
import gzip
import random
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from kgask import config
from kgask.build.recipe import Recipe, build
from kgask.corpus.questions import GraphQuestion, read_questions, split_templates
from kgask.corpus.sampling import follow_path
from kgask.corpus.training_data import base_encoder
from kgask.errors import ModelError, UsageError
from kgask.pack.store import Pack
from kgask.plan.card import CLOSED_FILE, FILES, RigelCard
from kgask.plan.providers import CUDA_GRAPH  # noqa: E402
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.train.planner.domain import InDomainConfig, InDomainJob, InDomainTrainer, drop_words, train_in_domain
from kgask.train.planner.pack_model import build_pack_model, torch_pipeline, validate_linked
from kgask.train.planner.weights import load_torch

pytestmark = pytest.mark.slow

FILMS = {
    "Dawn": ("Ann", ("Kit", "Lou", "Max"), "1950"),
    "Dusk": ("Ann", ("Max", "Lou"), "1961"),
    "Noon": ("Ann", ("Kit", "Pia"), "1950"),
    "Rain": ("Bob", ("Lou", "Pia"), "1961"),
    "Snow": ("Bob", ("Max",), "1972"),
    "Fog": ("Cid", ("Kit", "Max", "Pia"), "1972"),
}
WORDINGS = {
    "movie_to_director": ["who directed [{}]", "who is the director of [{}]", "which person directed the film [{}]"],
    "movie_to_actor": ["who acted in [{}]", "who are the actors in [{}]", "which people starred in [{}]"],
    "movie_to_year": ["when was [{}] released", "what is the release year of [{}]", "in which year came [{}] out"],
    "director_to_movie": ["what did [{}] direct", "which films were directed by [{}]", "name a film made by [{}]"],
}
TINY = InDomainConfig(
    steps=4, batch_size=8, save_every=2, validate_every=2, held_out=0.25, dev=0.2, n_dev=8, encoder_lr=1e-3
)


@pytest.fixture(scope="module")
def pack_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("films")
    rows = []
    for film, (director, actors, year) in FILMS.items():
        rows += [(film, "directed_by", director), (film, "release_year", year)]
        rows += [(film, "starred_actors", actor) for actor in actors]
    (folder / "films.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    build(Recipe(sources=(str(folder / "films.tsv"),), target=folder / "pack"), tell=lambda _: None)
    return folder / "pack"


@pytest.fixture(scope="module")
def pack(pack_path: Path) -> Pack:
    return Pack.open(pack_path)


def metaqa_lines() -> list[tuple[str, str]]:
    """Question lines with their types."""
    directors = {}
    for film, (director, _, _) in FILMS.items():
        directors.setdefault(director, []).append(film)
    lines = []
    for kind, wordings in WORDINGS.items():
        for wording in wordings:
            if kind == "director_to_movie":
                lines += [(f"{wording.format(name)}\t{'|'.join(films)}", kind) for name, films in directors.items()]
                continue
            for film, (director, actors, year) in FILMS.items():
                answers = {"director": [director], "actor": actors, "year": [year]}[kind.split("_")[-1]]
                lines.append((f"{wording.format(film)}\t{'|'.join(answers)}", kind))
    return lines


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "qa_dev.txt.gz"
    lines = metaqa_lines()
    path.write_bytes(gzip.compress("".join(line + "\n" for line, _ in lines).encode()))
    types = path.with_name("qa_dev_qtype.txt.gz")
    types.write_bytes(gzip.compress("".join(kind + "\n" for _, kind in lines).encode()))
    return path


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random encoder with the shipped tokenizer."""
    folder = tmp_path_factory.mktemp("encoder")
    torch.manual_seed(0)
    settings = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=30522
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(folder)
    shipped = config.shipped_root("model") / "rigel" / "tokenizer.json"
    (folder / "tokenizer.json").write_bytes(shipped.read_bytes())
    return folder


@pytest.fixture
def job(pack_path: Path, questions: Path, encoder: Path, tmp_path: Path) -> InDomainJob:
    return InDomainJob(pack_path, (questions,), tmp_path / "work", encoder)


# --- questions ----------------------------------------------------------------------------


def test_questions_are_masked_and_their_paths_give_their_answers(pack: Pack, questions: Path) -> None:
    found = read_questions(pack, questions)
    assert found.n_unknown == 0 and len(found.questions) == len(metaqa_lines())
    first = found.questions[0]
    assert (first.text, first.asked) == ("who directed [MASK]", "who directed Dawn")
    assert pack.labels([first.topic]) == ["Dawn"] and pack.labels(first.answers) == ["Ann"]
    assert all(follow_path(pack, q.topic, q.path) == q.answers for q in found.questions)


def test_a_third_column_gives_the_path_and_unknown_names_are_counted(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(
        "who else worked with the director of [Dawn]?\tPia|Kit\tdirected_by -directed_by starred_actors\n"
        "who directed [Mist]\tAnn\n"
        "who directed [Snow]\tBob|Zoe\n",
        encoding="utf-8",
    )
    found = read_questions(pack, path)
    keys = [relation.key for relation in pack.relations()]
    director, stars = keys.index("directed_by"), keys.index("starred_actors")
    assert found.questions[0].path == (director, director + len(keys), stars)
    assert found.n_unknown == 1
    assert pack.labels(found.questions[1].answers) == ["Bob"] and found.questions[1].path is None


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("who directed Dawn\tAnn", "mine.txt:1: expected"),
        ("who directed [Dawn]", "mine.txt:1: expected"),
        ("who directed [Dawn]\tAnn\tmade_by", "mine.txt:1: the pack has no relation 'made_by'"),
    ],
)
def test_what_is_no_question_is_refused_with_its_line(pack: Pack, tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "mine.txt").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        read_questions(pack, tmp_path / "mine.txt")
    with pytest.raises(UsageError, match="no such file"):
        read_questions(pack, tmp_path / "other.txt")


def test_question_types_that_end_early_or_are_not_metaqas_are_refused(pack: Pack, tmp_path: Path) -> None:
    path, types = tmp_path / "qa.txt", tmp_path / "qa_qtype.txt"
    path.write_text("who directed [Dawn]\tAnn\nwho directed [Snow]\tBob\n", encoding="utf-8")
    types.write_text("movie_to_director\n", encoding="utf-8")
    with pytest.raises(UsageError, match="qa.txt:2"):
        read_questions(pack, path)
    types.write_text("movie_to_director\nmovie_to_smell\n", encoding="utf-8")
    with pytest.raises(UsageError, match="qa.txt:2: unknown type of question 'movie_to_smell'"):
        read_questions(pack, path)


def test_a_split_by_template_shares_no_text(pack: Pack, questions: Path) -> None:
    all_ = read_questions(pack, questions).questions
    train, held_out = split_templates(all_, 0.25, 3)
    assert len(train) + len(held_out) == len(all_)
    assert {q.text for q in train}.isdisjoint({q.text for q in held_out})
    assert len({q.text for q in held_out}) == 3
    assert split_templates(list(reversed(all_)), 0.25, 3)[1] == list(reversed(held_out))
    assert {q.text for q in split_templates(all_, 0.25, 4)[1]} != {q.text for q in held_out}


def test_dropped_words_never_include_the_mask() -> None:
    text = "who is the director of [MASK]'s film"
    drawn = {drop_words(text, 0.5, random.Random(seed)) for seed in range(200)}
    assert len(drawn) > 20
    assert all("[MASK]" in short and set(short.split()) <= set(text.split()) for short in drawn)
    assert drop_words(text, 0.0, random.Random(0)) == text


# --- training -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"supervision": "path", "max_relations": 1},
        {"supervision": "search"},
        {"supervision": "weak"},
        {"supervision": "mix", "closed": True},
    ],
    ids=str,
)
def test_training_answers_what_it_was_trained_on(job: InDomainJob, changes: dict[str, object]) -> None:
    """Words alone tell the four kinds of question apart; before, a relation is right by chance."""
    settings = dataclasses.replace(
        TINY, steps=90, batch_size=12, word_dropout=0.0, encoder_lr=4e-3, head_lr=4e-3, validate_every=90, dev=0.0
    )
    trainer = InDomainTrainer(job, dataclasses.replace(settings, **changes))
    seen = [question for template in trainer.templates for question in template]
    before = trainer.validate(seen).hits_at_1
    trainer.run(lambda _: None)
    after = trainer.validate(seen).hits_at_1
    assert before < 0.6
    assert after >= 0.8


def test_a_resumed_run_ends_in_the_same_weights(job: InDomainJob, tmp_path: Path) -> None:
    settings = dataclasses.replace(TINY, supervision="mix", max_relations=1)
    whole, _ = train_in_domain(dataclasses.replace(job, work=tmp_path / "whole"), settings, lambda _: None)

    class Killed(Exception):
        pass

    def kill_after_three(progress: object) -> None:
        if progress.step == 3:
            raise Killed

    with pytest.raises(Killed):
        train_in_domain(job, settings, kill_after_three)
    steps: list[int] = []
    resumed, result = train_in_domain(job, settings, lambda progress: steps.append(progress.step))
    assert steps == [3, 4]
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, resumed.model.state_dict()[name]), name
    assert result.n_held_out == 3 and sum(score.n for score in result.held_out.values()) == len(resumed.held_out)


def test_files_whose_questions_teach_are_listed(job: InDomainJob, tmp_path: Path) -> None:
    useless = tmp_path / "useless.txt"
    useless.write_text("who sings like [Nobody Here]\tNobody There\n", encoding="utf-8")
    trainer = InDomainTrainer(dataclasses.replace(job, questions=(*job.questions, useless)), TINY)
    files = [f"{job.questions[0].name}, questions about the pack pack"]
    assert trainer.training_data() == [base_encoder(job.encoder.name), *files]


def test_a_checkpoint_of_another_config_is_refused(job: InDomainJob) -> None:
    InDomainTrainer(job, TINY).run(lambda _: None)
    with pytest.raises(ModelError, match="other settings or data .steps."):
        InDomainTrainer(job, dataclasses.replace(TINY, steps=6)).resume()


def test_path_supervision_needs_paths(job: InDomainJob, tmp_path: Path) -> None:
    path = tmp_path / "answers_only.txt"
    path.write_text("\n".join(line for line, _ in metaqa_lines()) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no question has a path"):
        InDomainTrainer(dataclasses.replace(job, questions=(path,)), TINY)
    searched = dataclasses.replace(TINY, supervision="search")
    trainer = InDomainTrainer(dataclasses.replace(job, questions=(path,)), searched)
    known: dict[str, GraphQuestion] = {q.asked: q for q in read_questions(trainer.pack, job.questions[0]).questions}
    assert trainer.paths
    for question, weights in trainer.paths.items():
        assert max(weights, key=weights.__getitem__) == known[question.asked].path


def test_questions_about_another_graph_are_refused(job: InDomainJob, tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("who founded [Carthage]\tDido\n", encoding="utf-8")
    with pytest.raises(UsageError, match="none of the questions"):
        InDomainTrainer(dataclasses.replace(job, questions=(path,)), TINY)


def test_a_planner_folder_for_one_graph_answers_as_torch_does(job: InDomainJob, tmp_path: Path) -> None:
    settings = dataclasses.replace(TINY, steps=30, closed=True, max_tokens=16)
    trainer, _ = train_in_domain(job, settings, lambda _: None)
    build_pack_model(trainer, tmp_path / "model", 60, {"held_out": 0.5})
    card = RigelCard.load(tmp_path / "model")
    assert card.closed == tuple(relation.key for relation in trainer.pack.relations())
    assert sorted(card.content["files"]) == sorted([*FILES, CUDA_GRAPH, CLOSED_FILE])
    assert card.content["scores"]["held_out"] == 0.5 and card.content["scores"]["probes"] == 60
    planner = RigelPlanner.load(tmp_path / "model")
    relations = trainer.pack.relations()
    matrix = planner.relation_matrix(relations)
    assert np.array_equal(matrix, trainer.planner().relation_matrix(relations))
    texts = ["who directed [MASK]", "what did [MASK] direct"]
    allowed = np.ones((2, len(matrix)))
    exported, torch_ = (p.plan(texts, matrix, allowed) for p in (planner, trainer.planner()))
    np.testing.assert_allclose(exported.relation_probs, torch_.relation_probs, atol=0.1)
    words = planner.question_words()
    assert {"who", "directed"} <= words and "dawn" not in words
    _goes_on_from_the_folder_and_stays_near_it(dataclasses.replace(job, init=tmp_path / "model", work=tmp_path / "on"))
    other = [dataclasses.replace(relations[0], key="made by another graph")]
    with pytest.raises(ModelError, match="made for one graph"):
        planner.relation_matrix(other)


def _goes_on_from_the_folder_and_stays_near_it(job: InDomainJob) -> None:
    start = load_torch(job.init).state_dict()
    ends = {}
    for share in (0.0, 0.25, 1.0):
        settings = dataclasses.replace(TINY, closed=True, of_base=share, max_tokens=16)
        ends[share] = train_in_domain(dataclasses.replace(job, work=job.work / str(share)), settings, lambda _: None)[
            0
        ].model.state_dict()
    name = "decoder.start.weight"
    torch.testing.assert_close(ends[1.0][name], start[name])
    assert not torch.allclose(ends[0.0][name], start[name])
    torch.testing.assert_close(ends[0.25][name], 0.75 * ends[0.0][name] + 0.25 * start[name])


def test_linked_validation_finds_the_topic_by_its_name(job: InDomainJob) -> None:
    """With every question answered right when the topic is given, a name that the pack lacks is what fails."""
    trainer = InDomainTrainer(job, dataclasses.replace(TINY, dev=0.0))
    question = read_questions(trainer.pack, job.questions[0]).questions[0]
    pipeline = torch_pipeline(trainer)
    given = trainer.validate([question])
    linked = validate_linked(pipeline, [question, dataclasses.replace(question, asked="who directed Zyx Qrm")])
    assert linked.right == (given.right[0], False)
