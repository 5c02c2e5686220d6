"""What the reader's word counts: fits that find what is in the probes, cards that come back, the command."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("torch")

from click.testing import CliRunner

from kgask.answer.fuse import Standing, Weighing
from kgask.answer.judging import Judging
from kgask.cli.train_calibrate import calibrate
from kgask.config import shipped_root
from kgask.errors import UsageError
from kgask.methods.protocol import Hypothesis
from kgask.plan.card import RigelCard
from kgask.train import calibrate_fit as fitting
from kgask.train import calibrate_reader
from kgask.train.calibrate import FEATURES
from kgask.train.calibrate_asked import COMPOSED, SHARES, Seen, weights_of
from kgask.train.calibrate_fit import Outcome
from kgask.train.calibrate_judging import Judged, Shown

pytestmark = pytest.mark.slow


def probes(n: int, reader_knows: bool, rng_seed: int = 1) -> list[Seen]:
    """The plan is right four times in five, and less sure when it is not; a reader that knows says so."""
    rng = random.Random(rng_seed)
    found = []
    for at in range(n):
        answerable = rng.random() < 0.8
        plan_right = answerable and rng.random() < 0.8
        mass = rng.gauss(-0.3 if plan_right else -1.5, 0.5)
        odds = [rng.gauss(3.0 if right else -3.0, 1.0) if reader_knows else rng.gauss(0, 3) for right in
                (plan_right, answerable and not plan_right)]  # fmt: skip
        standings = tuple(
            Standing(Hypothesis(prob, np.empty(0, np.int64), frozenset(), lambda _: []), at == 0, odd, odd)
            for at, (prob, odd) in enumerate(zip((0.7, 0.2), odds, strict=True))
        )
        values = dict.fromkeys(FEATURES, 0.0) | {"mass": mass}
        right = (plan_right, answerable and not plan_right)
        found.append(Seen(answerable, values, plan_right, standings, right, wording=f"wording {at}"))
    return found


def test_a_reader_that_knows_gets_power_and_repairs_what_the_plan_got_wrong() -> None:
    fitted = fitting.fit_all(probes(400, reader_knows=True), with_reader=True)
    assert sum(fitted.confidences.weighing.powers.values()) > 0.2
    assert fitted.reader.repaired > 20 and fitted.reader.spoiled <= 2
    assert fitted.reader.kept.hits_at_1 > fitted.plan.kept.hits_at_1 + 0.1
    assert fitted.reader.kept.brier < fitted.plan.kept.brier / 2
    assert fitted.reader.kept.wrong_of_all <= fitting.MOST_WRONG and fitted.reader.kept.coverage > 0.9


def test_a_reader_that_guesses_gets_next_to_none_and_spoils_nothing() -> None:
    fitted = fitting.fit_all(probes(400, reader_knows=False), with_reader=True)
    assert sum(fitted.confidences.weighing.powers.values()) < 0.1
    assert fitted.reader.spoiled <= 4
    assert fitted.reader.kept.hits_at_1 >= fitted.plan.kept.hits_at_1 - 0.02


def judged(n: int, judge_knows: bool, rng_seed: int = 1) -> list[Seen]:
    """As :func:`probes`, of two queries each, the second of them right where the plan is wrong."""
    rng = random.Random(rng_seed)
    found = []
    for seen in probes(n, reader_knows=False, rng_seed=rng_seed):
        right = (seen.plan_right, seen.answerable and not seen.plan_right)
        odds = [rng.gauss(2.0 if one else -2.0, 1.0) if judge_knows else rng.gauss(0, 2) for one in right]
        features = [seen.features, dict(seen.features) | {"mass": -3.0}]
        shown = [
            Shown(values, 1.0, odd, 5.0, False, False, one)
            for values, odd, one in zip(features, odds, right, strict=True)
        ]
        found.append(replace(seen, standings=(), right=(), judged=Judged(tuple(shown), 0.0, True)))
    return found


def test_a_judge_that_knows_repairs_what_the_plan_got_wrong() -> None:
    fitted = fitting.fit_all(judged(400, judge_knows=True), with_reader=False)
    assert fitted.judge.repaired > 20 and fitted.judge.spoiled <= 2
    assert fitted.judge.kept.coverage > fitted.plan.kept.coverage + 0.1
    assert fitted.confidences.judging.margin is not None


def test_a_judge_that_guesses_spoils_nothing() -> None:
    fitted = fitting.fit_all(judged(400, judge_knows=False), with_reader=False)
    assert fitted.judge.spoiled <= 6
    assert fitted.judge.kept.hits_at_1 >= fitted.plan.kept.hits_at_1 - 0.03


def test_a_judges_word_is_fitted_on_graphs_of_others() -> None:
    others = [
        replace(one, is_table=True, pack=f"mine {at % 7}") for at, one in enumerate(judged(300, judge_knows=True))
    ]
    known = judged(400, judge_knows=False)
    fitted = fitting.fit_all([*known, *others], with_reader=False)
    alone, without = fitting.fit_confidences(others), fitting.fit_confidences(known)
    assert fitted.confidences.judging is not None and alone.judging is not None and without.judging is not None
    assert fitted.confidences.judging.powers["judged"] > 2 * without.judging.powers["judged"]
    assert fitted.confidences.judging.powers == pytest.approx(alone.judging.powers, abs=0.2)


def asked(n: int, sure: float, right: bool, answerable: bool = True, **about: str) -> list[Outcome]:
    seen = Seen(answerable, {"mass": 0.0}, right, **about)
    return [Outcome(seen, sure, sure, right)] * n


def test_the_default_threshold_is_the_least_that_keeps_wrong_answers_rare() -> None:
    kept = fitting.at_default([*asked(90, 0.95, True), *asked(10, 0.65, False), *asked(50, 0.3, False, False)])
    assert kept.threshold == 0.66 and kept.wrong == 0.0
    assert kept.coverage == pytest.approx(0.9)
    never = fitting.at_default([*asked(30, 0.8, True), *asked(20, 0.8, False), *asked(50, 0.3, False, False)])
    assert never.threshold == fitting.THRESHOLDS[-1] and never.coverage == 0.0


def test_sources_have_their_shares_and_a_third_cannot_be_answered() -> None:
    seen = [one.seen for one in (
        *asked(10, 0.5, True), *asked(90, 0.5, True, source=COMPOSED), *asked(300, 0.5, False, False, source=COMPOSED)
    )]  # fmt: skip
    weights = weights_of(seen)
    assert weights.sum() == pytest.approx(1.0) and weights[100:].sum() == pytest.approx(1 / 3)
    assert weights[:10].sum() / weights[10:100].sum() == pytest.approx(SHARES["paths"] / SHARES[COMPOSED])


def test_figures_say_how_far_confidence_is_from_what_is_right() -> None:
    honest = [*asked(80, 0.8, True), *asked(20, 0.8, False)]
    assert fitting.kept(honest, 0.5).error == pytest.approx(0.0, abs=1e-3)
    boastful = [*asked(50, 0.95, True), *asked(50, 0.95, False)]
    at = fitting.kept(boastful, 0.5)
    assert at.error == pytest.approx(0.45) and at.wrong == pytest.approx(0.5)
    assert fitting.reliability(boastful) == [(0.95, 0.5, 1.0)]


def test_a_file_of_questions_names_its_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.tsv"
    path.write_text("who wrote [MASK]?\tP50\nwhat did [MASK] write?\t-P50 P136\n")
    first, second = calibrate_reader.read_examples(path)
    assert (first.path, second.path) == ((("P50", False),), (("P50", True), ("P136", False)))
    path.write_text("who wrote [MASK]?\tP50\nno mask\tP50\n")
    with pytest.raises(UsageError, match=r"questions\.tsv:2"):
        calibrate_reader.read_examples(path)


def test_a_reworded_pack_says_other_words_of_the_same_relations(family_path: Path) -> None:
    pack = calibrate_reader.RewordedPack.of(family_path, 3)
    assert pack is not None
    with pack, calibrate_reader.Pack.open(family_path) as plain:
        assert [text.key for text in pack.relations()] == [text.key for text in plain.relations()]
        assert pack.relation_labels() != plain.relation_labels()
        for text, usual in zip(pack.relations(), plain.relations(), strict=True):
            assert text.label in (usual.aliases or (usual.label,))


def test_the_command_writes_all_cards(tmp_path: Path, family_path: Path) -> None:
    """With copies of the shipped models, on the demo pack."""
    for name in ("rigel", "judge", "reader"):
        shutil.copytree(shipped_root("model") / name, tmp_path / name)
    questions = tmp_path / "questions.tsv"
    wordings = ["who wrote [MASK]?\tP50", "where was [MASK] born?\tP19", "what genre is [MASK]?\tP136"]
    wordings.append("who are the authors of the books in the genre [MASK]?\t-P136 P50")
    questions.write_text("\n".join(wordings) + "\n")
    people = Path(__file__).parent.parent / "kgask" / "corpus" / "asked" / "people.yaml"
    arguments = ["--questions", str(questions), "--probes", "60", "--composed", "60", "--no-graphs"]
    arguments += ["--asked", "everyday", str(people), "demo"]
    for name, folder in (("--model", "rigel"), ("--judge", "judge"), ("--reader", "reader")):
        arguments += [name, str(tmp_path / folder)]
    done = CliRunner().invoke(calibrate, arguments)
    assert done.exit_code == 0, done.output
    assert "of the printed wrong" in done.stderr
    card = RigelCard.load(tmp_path / "rigel")
    assert set(card.calibration.weights) == set(FEATURES) and 0.5 <= card.min_confidence <= 1
    reader_card = json.loads((tmp_path / "reader" / "model.json").read_text())
    weighing = Weighing.of(reader_card)
    assert weighing is not None and weighing.min_confidence == reader_card["weighing"]["scores"]["threshold"]
    assert reader_card["weighing"]["planner"] == card.hash
    judge_card = json.loads((tmp_path / "judge" / "model.json").read_text())
    judging = Judging.of(judge_card)
    assert judging is not None and judging.min_confidence == judge_card["judging"]["scores"]["threshold"]
    assert judge_card["judging"]["planner"] == card.hash


def test_questions_come_from_one_place() -> None:
    done = CliRunner().invoke(calibrate, [])
    assert isinstance(done.exception, UsageError) or done.exit_code == 2
