"""Training the judge: exact resume, an ONNX file that says what torch does, and the command."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from click.testing import CliRunner

from kgask.answer.judging import POWERS
from kgask.answer.pipeline import Pipeline
from kgask.cli.main import cli
from kgask.config import shipped_root
from kgask.corpus.judged import JudgedMix, JudgedQuery, JudgedQuestion, read, write
from kgask.corpus.judged_claims import claims
from kgask.methods.query_judge import QueryJudge
from kgask.plan.card import RigelCard
from kgask.sets.claims import load_claims
from kgask.train.calibrate_claims import fit_claims, look
from kgask.train.judge.batches import POOL, make_batch
from kgask.train.judge.train import JudgeTrainer, Recipe, area_under_curve, finish, ranking_loss
from kgask.train.reader.start import find_start
from kgask.train.trainer import CHECKPOINT
from kgask.verify.verdict import VERDICTS

pytestmark = pytest.mark.slow

THINGS = ("author", "capital", "river", "mother", "grade", "owner")
SMALL = Recipe(n_layer=1, batch_size=4, steps=6, warmup_steps=2, check_every=3, check_questions=8)


def questions(n: int, rng_seed: int) -> list[JudgedQuestion]:
    rng, found = random.Random(rng_seed), []
    for at in range(n):
        right, *wrong = rng.sample(THINGS, 4)
        queries = [JudgedQuery(f"the {thing} of X{at}", f"Y{thing}", thing == right) for thing in (right, *wrong)]
        found.append(
            JudgedQuestion(f"who or what is the {right} of X{at}?", rng.choice(("near", "composed")), tuple(queries))
        )
    return found


def trainer(folder: Path, recipe: Recipe = SMALL) -> JudgeTrainer:
    return JudgeTrainer(recipe, JudgedMix(questions(40, 1)), questions(8, 2), folder, find_start())


def test_a_run_that_was_stopped_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole = trainer(tmp_path / "whole")
    assert whole.run()
    begun = trainer(tmp_path / "parts")
    begun.run(lambda progress: None, minutes=1e-9)
    rest = trainer(tmp_path / "parts")
    assert rest.run()
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, rest.model.state_dict()[name]), name


def test_the_exported_judge_says_what_torch_does(tmp_path: Path) -> None:
    recipe, reader = replace(SMALL, n_layer=4, steps=12), shipped_root("model") / "reader"
    start = find_start(None, reader)  # int8 is fitted to weights as training leaves them: one layer alone loses more
    run = JudgeTrainer(recipe, JudgedMix(questions(40, 1)), questions(8, 2), tmp_path / "run", start)
    run.run()
    judge = QueryJudge(finish(run, questions(40, 2)))
    assert judge.card["training_data"] == run.training_data and judge.card["steps"] == recipe.steps
    one = questions(1, 3)[0]
    said = judge.judge(one.text, [(query.words, query.outcome) for query in one.queries])
    ids, places = run.batches.tokens.encode(one.text, [(query.words, query.outcome) for query in one.queries])
    with torch.no_grad():
        expected = run.model.eval()(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long))[0].numpy()
    assert np.allclose(said.queries, expected[places, 0], atol=0.3)
    assert said.any == pytest.approx(float(expected[0, 1]), abs=0.3)


def test_another_runs_weights_are_taken_in_by_their_share(tmp_path: Path) -> None:
    one, other = trainer(tmp_path / "one"), trainer(tmp_path / "other", replace(SMALL, rng_seed=9))
    one.run(), other.run()
    own, others = ({name: weight.clone() for name, weight in run.model.state_dict().items()} for run in (one, other))
    one.average(find_start(None, tmp_path / "other"), 0.25)
    for name, weight in one.model.state_dict().items():
        assert torch.allclose(weight, 0.75 * own[name] + 0.25 * others[name], atol=1e-6), name
    assert one.averaged is not None and one.averaged["share_of_another_run"] == 0.25


def test_claims_are_learnt_beside_questions(tmp_path: Path) -> None:
    lines = (JudgedQuery("the author of X", "Y", None),)
    claims = [JudgedQuestion("Y wrote X", "evidence", lines, verdict) for verdict in VERDICTS] * 4
    run = JudgeTrainer(SMALL, JudgedMix(questions(40, 1) + claims), claims, tmp_path / "run", find_start())
    assert run.judges_claims and run.run()
    batch = make_batch([*claims[:3], *questions(1, 2)], run.batches.tokens)
    assert batch.verdicts.tolist() == [0, 1, 2, -1] and not batch.counted[:3].any()
    _, told = run.loss(batch, random.Random(1))
    assert set(told) == {"query loss", "claim loss"} and 0 <= run.measure()["held-out verdicts"] <= 1


def test_a_batch_counts_what_is_known_alone(tmp_path: Path) -> None:
    run = trainer(tmp_path / "run")
    unknown = JudgedQuestion("who?", "near", (JudgedQuery("a", "b", None), JudgedQuery("c", "d", False)))
    batch = make_batch([unknown] * 20, run.batches.tokens)
    assert not batch.right.any() and not batch.answered.any()
    assert batch.counted.tolist() == [False, True] * 20


def test_what_a_prompt_has_no_room_for_is_not_learnt(tmp_path: Path) -> None:
    run, long = trainer(tmp_path / "run"), "word " * 60
    many = JudgedQuestion("who?", "near", tuple(JudgedQuery(f"{at} {long}", "y", True) for at in range(16)))
    batch = make_batch([many], run.batches.tokens)
    assert batch.ids.shape == (1, 512) and len(batch.right) == len(batch.columns) < 16 and batch.columns.max() < 512


def test_a_run_goes_on_from_the_weights_of_another(tmp_path: Path) -> None:
    first = trainer(tmp_path / "first")
    first.run()
    second = JudgeTrainer(SMALL, JudgedMix(questions(40, 1)), questions(8, 2), tmp_path / "second",
                          find_start(None, tmp_path / "first"))  # fmt: skip
    assert all(
        torch.equal(weight, second.model.state_dict()[name]) for name, weight in first.model.state_dict().items()
    )
    assert second.earlier_recipe["steps"] == SMALL.steps and set(first.training_data) <= set(second.training_data)


def test_other_processes_make_the_same_batches(tmp_path: Path) -> None:
    start, mix = find_start(), JudgedMix(questions(40, 1))
    alone, helped = (JudgeTrainer(SMALL, mix, (), tmp_path / str(n), start, workers=n) for n in (0, 2))
    try:
        for step in (0, 1, POOL, 3 * POOL, 2):  # in order, ahead, and back
            one, other = alone.batches.of(step), helped.batches.of(step)
            assert np.array_equal(one.ids, other.ids) and np.array_equal(one.right, other.right), step
    finally:
        helped.batches.close()


def test_the_ranking_loss_asks_which_query_of_each_question_is_right() -> None:
    odds = torch.tensor([2.0, 0.0, 5.0, 1.0, 3.0])
    right = torch.tensor([1.0, 0.0, 0.0, 0.0, 1.0])
    rows = torch.tensor([0, 0, 1, 1, 2])  # the second has none that is right, the third none that is wrong
    expected = -torch.log_softmax(odds[:2], 0)[0]
    assert torch.allclose(ranking_loss(odds, right, rows, 3), expected)
    assert ranking_loss(odds[2:4], right[2:4], rows[2:4], 3) == 0


def test_the_area_under_the_curve_is_how_often_a_right_one_is_surer() -> None:
    assert area_under_curve(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, False, True, False])) == 1.0
    assert area_under_curve(np.array([0.0, 1.0, 2.0, 3.0]), np.array([True, False, True, False])) == 0.25
    assert np.isnan(area_under_curve(np.array([1.0]), np.array([True])))


def test_the_commands_make_questions_and_a_judge(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    write(path, questions(30, 5))
    arguments = ["train", "judge", "--questions", path, "--held-out", path, "-o", tmp_path / "run", "--steps", 2]
    arguments += ["--batch-size", 4, "--start", shipped_root("model") / "reader"]
    done = CliRunner().invoke(cli, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    finished = Path(done.stdout.strip())
    assert QueryJudge(finished).card["recipe"]["n_layer"] == 4
    onward = find_start(None, finished)
    weights = torch.load(tmp_path / "run" / CHECKPOINT, weights_only=True)["model"]
    assert onward.earlier is not None and onward.earlier.keys() == weights.keys()
    for name, weight in weights.items():  # as int8 rounds them
        assert torch.allclose(onward.earlier[name], weight, atol=0.05), name
    assert len(list(read(path))) == 30
    again = CliRunner().invoke(cli, list(map(str, arguments)))
    assert again.exit_code != 0 and "--force" in str(again.exception)


def test_claims_are_questions_for_the_judge(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    rows = [
        '{claim: "Kenya borders Uganda.", kind: one-hop, verdict: supported, gold: "holds(<Q114>, <P47>, <Q1036>)"}',
        '{claim: "Kenya smells of roses.", kind: one-hop, verdict: nei, gold: null}',
    ]
    path.write_text("".join(f"- {row}\n" for row in rows), encoding="utf-8")
    with Pipeline.open("demo", reader=None, settings={}) as pipeline:
        made = list(claims(pipeline, load_claims(path)))
        assert {one.text for one in made} >= {"Kenya borders Uganda", "Kenya smells of roses"}
        assert all(any(query.right for query in one.queries) for one in made if "Uganda" in one.text)
        assert not any(query.right for one in made if "roses" in one.text for query in one.queries)
        found, scores = fit_claims(
            [*look(pipeline, load_claims(path) * 5)], RigelCard.load(shipped_root("model") / "rigel")
        )
    assert 0.0 <= scores["right"] <= 1.0 and set(found.powers) == set(POWERS)
