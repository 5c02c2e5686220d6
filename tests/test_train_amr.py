"""`kgask train amr`: reading its questions, learning from them, going on after a stop, and the exported graph."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from films import build_films

from kgask import config
from kgask.cards import hash_mismatches
from kgask.corpus.amr_questions import GoldQuestion, read_gold, split_by_wording
from kgask.errors import BuildError, MethodError, ModelError, UsageError
from kgask.methods.amr import AmrCard, AmrModel
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.store import Pack
from kgask.retrieve.follow import relations_of

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from kgask.cli.train_amr import amr as command  # noqa: E402
from kgask.corpus.amr_questions import Example  # noqa: E402
from kgask.train.amr.export import export_amr  # noqa: E402
from kgask.train.amr.loop import AmrConfig, AmrTrainer, accuracy, similarity_accuracy, tensors  # noqa: E402
from kgask.train.amr.train import AmrJob, prepare  # noqa: E402

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parent / "fixtures" / "amr"
ENCODER = config.shipped_root("model") / config.DEFAULT_ENCODER
SMALL = AmrConfig(steps=60, width=32, n_others=2, held_out=0.3, save_every=20)


@pytest.fixture(scope="module")
def films_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_films(tmp_path_factory.mktemp("films") / "films")


@pytest.fixture(scope="module")
def examples(films_path: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Example], list[Example]]:
    """The films' questions to learn from and those held out."""
    work = tmp_path_factory.mktemp("work")
    job = AmrJob(FIXTURES / "films.amr", FIXTURES / "films.tsv", films_path, ENCODER)
    trainer, n_unknown = prepare(job, SMALL, work)
    assert n_unknown == 0 and len(trainer.learnt) + len(trainer.held) == 23
    return list(trainer.learnt), list(trainer.held)


# --- questions ----------------------------------------------------------------------------------------


def read(films_path: Path, tmp_path: Path, content: str) -> list[GoldQuestion]:
    path = tmp_path / "gold.tsv"
    path.write_text(content, encoding="utf-8")
    with Pack.open(films_path) as pack:
        return list(read_gold(path, pack).questions)


def test_relations_by_label_and_direction(films_path: Path, tmp_path: Path) -> None:
    rows = "who made [North Road]?\tdirector\nwhat did [Carl Moss] make?\t-director\nby [Carl Moss]?\tis director of\n"
    questions = read(films_path, tmp_path, rows)
    with Pack.open(films_path) as pack:
        director = pack.relation_labels().index("director")
        assert [one.relation for one in questions] == [director, *[director + pack.n_relations] * 2]
        assert pack.labels([one.topic for one in questions]) == ["North Road", "Carl Moss", "Carl Moss"]
    assert questions[0].text == "who made North Road?" and questions[0].wording == "who made"


def test_topics_without_the_relation_are_counted(films_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("who made [North Road]?\tspouse\nwho made [Nothing]?\tdirector\n", encoding="utf-8")
    with Pack.open(films_path) as pack:
        with pytest.raises(BuildError, match="no question whose topic"):
            read_gold(path, pack)
        path.write_text(path.read_text() + "\nwho made [Stone Garden]?\tdirector\n", encoding="utf-8")
        assert read_gold(path, pack).n_unknown == 2


@pytest.mark.parametrize("row", ["no topic\tdirector", "[a] and [b]\tdirector", "who made [North Road]?"])
def test_rows_of_another_form(films_path: Path, tmp_path: Path, row: str) -> None:
    with pytest.raises(UsageError, match=r"gold\.tsv:2: expected 'text with \[topic\]"):
        read(films_path, tmp_path, f"\n{row}\n")
    with pytest.raises(UsageError, match=r"gold\.tsv:1: no relation 'colour'.*kgask pack info --relations"):
        read(films_path, tmp_path, "who made [North Road]?\tcolour\n")


def test_no_wording_is_on_both_sides() -> None:
    questions = [GoldQuestion(f"q{row}", f"wording {row % 7}", "x", row, 0) for row in range(21)]
    learnt, held = split_by_wording(questions, 0.3, 5)
    assert {one.wording for one in learnt}.isdisjoint(one.wording for one in held)
    assert len(learnt) == 15 and len(held) == 6
    assert split_by_wording(questions, 0.3, 5) == (learnt, held)
    assert split_by_wording(questions, 0.3, 6) != (learnt, held)
    with pytest.raises(BuildError, match="too few"):
        split_by_wording(questions[:1], 0.5, 0)


# --- training -------------------------------------------------------------------------------------------


def test_training_helps_on_wordings_that_it_has_not_seen(tmp_path: Path) -> None:
    """Over the demo pack, with the questions whose topics have few relations: they are embedded in seconds."""
    demo = config.shipped_root("pack") / "demo"
    lines = (FIXTURES / "questions.tsv").read_text(encoding="utf-8").splitlines()
    with Pack.open(demo) as pack:
        gold = read_gold(FIXTURES / "questions.tsv", pack).questions
        around = [int(relations_of(pack, np.array([one.topic])).sum()) for one in gold]
    few = [line for line, n_relations in zip(lines, around, strict=True) if n_relations <= 14]
    (tmp_path / "few.tsv").write_text("\n".join(few), encoding="utf-8")
    job = AmrJob(FIXTURES / "questions.amr", tmp_path / "few.tsv", demo, ENCODER)
    settings = AmrConfig(steps=60, width=48, lr=2e-3, n_others=2, held_out=0.25, save_every=60)
    trainer, _ = prepare(job, settings, tmp_path)
    before = accuracy(trainer.model, trainer.held)
    trainer.run()
    after = accuracy(trainer.model, trainer.held)
    assert before.n == after.n >= 20 and after.top_1 > before.top_1 + 0.2
    assert accuracy(trainer.model, trainer.learnt).top_1 > 0.7
    assert similarity_accuracy(trainer.held).top_1 > before.top_1


def test_the_graph_is_looked_at(examples: tuple[list[Example], list[Example]], tmp_path: Path) -> None:
    trainer = AmrTrainer(*examples, tmp_path, SMALL)
    trainer.model.eval()
    one = next(example for example in examples[0] if len(example.inputs.kinds) > 5)
    alone = replace(one, inputs=replace(one.inputs, links=np.eye(len(one.inputs.kinds), dtype=np.float32)))
    turned = replace(one, inputs=replace(one.inputs, links=one.inputs.links.T.copy()))
    with torch.no_grad():
        logits = [trainer.model(*tensors(example)) for example in (one, alone, turned)]
    assert not torch.allclose(logits[0], logits[1]) and not torch.allclose(logits[0], logits[2])


def test_a_stopped_run_ends_with_the_same_weights(
    examples: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    settings = replace(SMALL, steps=12, save_every=5)

    class Stopped(Exception):
        pass

    def stop(progress: object) -> None:
        if progress.step == 8:
            raise Stopped

    whole = AmrTrainer(*examples, tmp_path / "whole", settings)
    whole.run()
    with pytest.raises(Stopped):
        AmrTrainer(*examples, tmp_path / "cut", settings).run(stop)
    again, steps = AmrTrainer(*examples, tmp_path / "cut", settings), []
    again.run(lambda progress: steps.append(progress.step))
    assert steps == list(range(6, 13))
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, again.model.state_dict()[name]), name
    with pytest.raises(ModelError, match=r"other settings or data \(lr\)"):
        AmrTrainer(*examples, tmp_path / "cut", replace(settings, lr=0.1)).run()
    with pytest.raises(ModelError, match=r"other settings or data \(data\)"):
        AmrTrainer(examples[0][1:], examples[1], tmp_path / "cut", settings).run()


def test_onnx_is_torch_for_any_number_of_pairs_and_nodes(
    examples: tuple[list[Example], list[Example]], tmp_path: Path
) -> None:
    trainer = AmrTrainer(*examples, tmp_path, SMALL)
    encoder = TextEncoder.load(ENCODER)
    assert export_amr(trainer.model, tmp_path / "out", examples[0], {"encoder": encoder.card.hash}) <= 1e-4
    model = AmrModel.load(tmp_path / "out", encoder)
    whole = examples[0][0].inputs
    single = replace(
        whole, pairs=whole.pairs[:1], relations=whole.relations[:1], nodes=whole.nodes[:1], kinds=whole.kinds[:1],
        links=whole.links[:1, :1],
    )  # fmt: skip
    for inputs in (whole, single, examples[1][-1].inputs):
        with torch.no_grad():
            logits = trainer.model.eval()(*(torch.from_numpy(array) for array in inputs.arrays().values()))
        assert np.abs(model.probs(inputs) - torch.sigmoid(logits).numpy()).max() < 1e-4


# --- the command ----------------------------------------------------------------------------------------


def test_the_command_writes_a_whole_folder(films_path: Path, tmp_path: Path) -> None:
    given = ["--data", FIXTURES / "films.amr", "--questions", FIXTURES / "films.tsv", "--pack", films_path]
    options = ["--steps", "4", "--held-out", "0.2", "--seed", "3", "--threads", "1"]
    done = CliRunner().invoke(command, [*map(str, given), "-o", str(tmp_path / "mine"), *options])
    assert done.exit_code == 0, done.output
    assert "sentence similarity alone" in done.output and f"--amr-model {tmp_path / 'mine'}" in done.output
    card = AmrCard.load(tmp_path / "mine").content
    assert not hash_mismatches(tmp_path / "mine", card["files"])
    assert card["recipe"]["steps"] == 4 and card["recipe"]["rng_seed"] == 3 and card["parity"] <= 1e-4
    assert card["scores"]["held_out"]["n"] == 5 and set(card["data"]) == {"amr", "questions", "pack"}
    assert json.loads((tmp_path / "mine" / "model.json").read_text(encoding="utf-8")) == card
    assert 100_000 < card["n_parameters"] < 500_000


def test_a_question_without_an_amr_stops_the_command(films_path: Path, tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("who made [North Road]?\tdirector\nmaker of [Stone Garden]\tdirector\n")
    given = ["--data", FIXTURES / "films.amr", "--questions", tmp_path / "own.tsv", "--pack", films_path]
    done = CliRunner().invoke(command, [*map(str, given), "-o", str(tmp_path / "mine")])
    assert isinstance(done.exception, MethodError) and "no AMR of" in str(done.exception)
    assert not (tmp_path / "mine").exists()
