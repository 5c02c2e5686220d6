"""Runs: predictions line by line, gold resolved in the pack, and the same bytes after any kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from predicted import evidence, gold_of, predicted, topic
from reciter import write_reciter
from tiny_gguf import write_qwen2

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.cli.eval import evaluate
from kgask.errors import UsageError
from kgask.eval import folder, metrics
from kgask.eval.records import from_line, read_predictions, to_line
from kgask.eval.resolve import Resolver
from kgask.eval.run import Asking, ask, run
from kgask.pack.store import Pack
from kgask.read.gguf.reader import FreeReader, Writing
from kgask.read.load import load_reader
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic, sample

FILMS = ("Harbour Lights", "Stone Garden", "The Long Wait", "North Road", "Paper Moonrise")
DIRECTORS = ("Ann Ray", "Ann Ray", "Ann Ray", "Carl Moss", "Carl Moss")
BATCH = 4


def film_questions() -> list[Gold]:
    """Two wordings of who directed each film, one question that cannot be asked, one about nobody."""
    found = []
    for film, director in zip(FILMS, DIRECTORS, strict=True):
        for number, wording in enumerate(("who directed {}", "who is the director of the film {}?")):
            found.append(
                Gold(
                    f"{film}:{number}",
                    wording.format(film),
                    (GoldAnswer((director,)),),
                    (GoldTopic(film),),
                    ("director",),
                    kind="who",
                    hops=1,
                    triples=((film, "director", director),),
                )  # fmt: skip
            )
    right = (GoldAnswer(("Ann Ray",)),)
    nobody = Gold("nobody", "who taught Zebulon Quist?", right, (GoldTopic("Zebulon Quist"),))
    return [*found, Gold("empty", "\u200b", right), nobody]


@pytest.fixture(scope="module")
def reading(films_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    """The shipped planner with the shipped reader."""
    return opened(str(films_path))


@pytest.fixture(scope="module")
def whole(reading: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run from end to end."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    run(reading, film_questions(), Asking(batch=BATCH), out)
    return out


# --- predictions --------------------------------------------------------------------------------


def test_a_prediction_holds_what_was_asked_found_and_right(whole: Path, reading: Pipeline) -> None:
    found = {one.id: one for one in read_predictions(whole / folder.PREDICTIONS_FILE)}
    one, pack = found["North Road:0"], reading.pack
    carl, film = pack.find_key("Carl Moss"), pack.find_key("North Road")
    assert (one.answer, one.answer_ids, one.answer_labels) == ("Carl Moss", (carl,), ("Carl Moss",))
    assert one.gold.answers[0].ids == (carl,)
    assert one.gold.topics[0].ids == one.seeds == (film,)
    assert one.gold.relation_keys == ("director",)
    assert one.gold.triples == one.support
    assert one.support[0] in [triple.id for triple in one.evidence]
    assert "director" in [triple.relation for triple in one.evidence]
    assert one.gold_in_candidates == one.gold_in_evidence == (True,)
    assert set(one.hashes) == {"pack", "model", "judge", "reader"}
    assert metrics.lost(one) == ""
    assert [metrics.PER_QUESTION[name](one) for name in ("support_recall", "pair_recall", "f1")] == [1.0, 1.0, 1.0]


def test_what_cannot_be_asked_stays_in_the_run(whole: Path) -> None:
    found = {one.id: one for one in read_predictions(whole / folder.PREDICTIONS_FILE)}
    assert len(found) == len(film_questions())
    assert found["empty"].abstained
    assert "empty" in found["empty"].reason
    assert metrics.lost(found["nobody"]) == "link"


def test_lines_hold_no_times_and_sorted_keys(whole: Path) -> None:
    lines = (whole / folder.PREDICTIONS_FILE).read_text(encoding="utf-8").splitlines()
    for line in lines:
        keys = list(json.loads(line))
        assert keys == sorted(keys)
        assert "_ms" not in line
    timings = folder.read_timings(whole)
    assert len(timings) == len(lines)
    assert {"link", "plan"} <= set(timings[0])


TEXTS = st.text(st.characters(codec=None, categories=("L", "N", "P", "S", "Z", "C")), max_size=8)


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.lists(st.integers(0, 2**40), max_size=4), st.none() | st.booleans(), st.none() | TEXTS)
def test_lines_are_read_back_as_they_were(text: str, ids: list[int], label: bool | None, written: str | None) -> None:
    gold = gold_of(*ids, names=[[text]], label=label, topics=(topic(1),), triples=(3, None))
    one = predicted(ids, gold, question=text, written=written, evidence=evidence((1, "^P1")), confidence=0.25)
    line = to_line(one)
    assert "\n" not in line
    assert from_line(line.encode().decode(), "x:1") == one


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda row: row.pop("seeds"), "'seeds' is missing"),
        (lambda row: row.update(more=1), "'more' is unknown"),
        (lambda row: row.update(confidence="0.5"), "confidence must be a number"),
        (lambda row: row.update(abstained=0), "abstained must be true or false"),
        (lambda row: row.update(answer_ids=[1, "2"]), r"answer_ids\[1\] must be a whole number"),
        (lambda row: row["gold"].update(triples=[True]), r"gold.triples\[0\] must be a whole number"),
        (lambda row: row["gold"]["answers"][0].pop("ids"), "ids' is missing"),
        (lambda row: row.update(hashes={"pack": 1}), "hashes must be an object of texts"),
    ],
)
def test_a_line_of_another_shape_is_one_clear_error(tmp_path: Path, change: object, says: str) -> None:
    row = json.loads(to_line(predicted([1], gold_of(1))))
    change(row)
    file = tmp_path / "predictions.jsonl"
    file.write_text(f"{to_line(predicted([1]))}\n{json.dumps(row)}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"predictions\.jsonl:2: .*{says}") as raised:
        read_predictions(file)
    assert "\n" not in str(raised.value)


def test_a_line_that_is_no_json_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    file.write_text("{\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"predictions\.jsonl:1: not JSON"):
        read_predictions(file)


# --- gold in the pack ---------------------------------------------------------------------------


def test_gold_is_found_by_key_then_by_exact_label(family: Pack) -> None:
    answers = (("nobody",), "Cora Reed"), (("Mr Nobody", "dan reed"),), (("1904",),), (("X",),)
    gold = Gold(
        "q", "?", tuple(GoldAnswer(*answer) for answer in answers),
        (GoldTopic("George Hill", "no such key"),), ("^child", "spouse", "unheard of"),
        triples=(("George Hill", "child", "Cora Reed"), ("Cora Reed", "child", "George Hill"), ("A", "child", "B")),
    )  # fmt: skip
    block = Resolver(family).blocks([gold])[0]
    labels = [family.labels(answer.ids) for answer in block.answers]
    assert labels == [["Cora Reed"], ["Dan Reed"], ["1904"], []]
    assert family.labels(block.topics[0].ids) == ["George Hill"]
    keys = [relation.key for relation in family.relations()]
    assert block.relation_keys[:2] == (f"^{keys[family.relation_labels().index('child')]}", "spouse")
    assert block.relation_keys[2] is None
    assert block.triples[1:] == (None, None)
    subject, _, obj = family.triples([block.triples[0]])
    assert family.labels([*subject, *obj]) == ["George Hill", "Cora Reed"]


def test_given_topics_and_hops_are_given(films_path: Path) -> None:
    with kgask.open(str(films_path), reader=None, settings={}) as pipeline:
        golds = [
            Gold("a", "who directed it?", topics=(GoldTopic("Nowhere"), GoldTopic("North Road")), hops=1),
            Gold("b", "who directed it?", topics=(GoldTopic("Nowhere"),), hops=1),
            Gold("c", "who directed it?", hops=1),
            Gold("d", "who directed it?", topics=(GoldTopic("North Road"),), hops=7),
        ]
        blocks = Resolver(pipeline.pack).blocks(golds)
        asking = Asking(AskOptions(min_confidence=0.0), given=True, gold_hops=True)
        first, *others = ask(pipeline, golds, blocks, asking)
        assert pipeline.pack.labels([seed.entity for seed in first.seeds]) == ["North Road"]
        assert {triple.hop for triple in first.support} == {1}
    assert [other.abstained for other in others] == [True] * 3
    assert ["Nowhere" in others[0].reason, "no topic" in others[1].reason, "7 hops" in others[2].reason] == [True] * 3


# --- kills --------------------------------------------------------------------------------------


def torn(whole: Path, target: Path, n_bytes: int, n_timing_bytes: int) -> None:
    """What a kill may leave: files that end anywhere."""
    shutil.copytree(whole, target)
    for name, most in ((folder.PREDICTIONS_FILE, n_bytes), (folder.TIMINGS_FILE, n_timing_bytes)):
        os.truncate(target / name, min(most, (target / name).stat().st_size))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.37, 0.5, 0.81, 0.999, 1.0])
def test_a_torn_run_ends_in_the_same_bytes(whole: Path, reading: Pipeline, tmp_path: Path, share: float) -> None:
    wanted = (whole / folder.PREDICTIONS_FILE).read_bytes()
    n_timings = (whole / folder.TIMINGS_FILE).stat().st_size
    torn(whole, tmp_path / "torn", int(share * len(wanted)), int((share + 0.1) * n_timings))
    run(reading, film_questions(), Asking(batch=BATCH), tmp_path / "torn")
    assert (tmp_path / "torn" / folder.PREDICTIONS_FILE).read_bytes() == wanted
    assert len(folder.read_timings(tmp_path / "torn")) == len(film_questions())


def test_ctrl_c_leaves_whole_batches_that_go_on(whole: Path, reading: Pipeline, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done == 2 * BATCH:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(reading, film_questions(), Asking(batch=BATCH), tmp_path / "out", report=stop)
    assert len(folder.load(tmp_path / "out").predictions) == 2 * BATCH
    assert not folder.load(tmp_path / "out").finished
    done: list[int] = []
    run(reading, film_questions(), Asking(batch=BATCH), tmp_path / "out", report=done.append)
    assert done == [8, 12]
    wanted = (whole / folder.PREDICTIONS_FILE).read_bytes()
    assert (tmp_path / "out" / folder.PREDICTIONS_FILE).read_bytes() == wanted


def test_a_finished_run_is_not_asked_again(whole: Path, reading: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pipeline, "ask_many", lambda *_args, **_named: pytest.fail("asked"))
    run(reading, film_questions(), Asking(batch=BATCH), whole)


@pytest.mark.parametrize(
    ("asking", "golds", "says"),
    [
        (Asking(AskOptions(min_confidence=0.0, top_k=3), batch=BATCH), film_questions(), "options"),
        (Asking(given=True, batch=BATCH), film_questions(), "given false, now true"),
        (Asking(batch=BATCH, named={"method": "other"}), film_questions(), 'method null, now "other"'),
        (Asking(batch=BATCH), film_questions()[:5], "questions 12, now 5"),
        (Asking(batch=BATCH), [replace(film_questions()[0], text="why?"), *film_questions()[1:]], "questions_sha256"),
    ],
)
def test_other_settings_are_refused(
    whole: Path, reading: Pipeline, asking: Asking, golds: list[Gold], says: str
) -> None:
    before = (whole / folder.PREDICTIONS_FILE).read_bytes()
    with pytest.raises(UsageError, match=says) as raised:
        run(reading, golds, asking, whole)
    assert "another -o" in str(raised.value)
    assert (whole / folder.PREDICTIONS_FILE).read_bytes() == before


def test_a_folder_with_other_things_is_left_alone(reading: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(UsageError, match=r"letter\.txt.*another -o"):
        run(reading, film_questions(), Asking(), tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]


def test_two_runs_do_not_write_into_one_folder(whole: Path, reading: Pipeline) -> None:
    settings_of = folder.read_settings(whole)["decides"]
    with (
        folder.opened(whole, settings_of, {}, [gold.id for gold in film_questions()], BATCH),
        pytest.raises(UsageError, match="another run is writing"),
    ):
        run(reading, film_questions(), Asking(batch=BATCH), whole)


def test_a_set_needs_questions_with_ids_of_their_own(reading: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no questions"):
        run(reading, [], Asking(), tmp_path / "a")
    with pytest.raises(UsageError, match="'x'"):
        run(reading, [Gold("x", "who?"), Gold("x", "why?")], Asking(), tmp_path / "b")


def test_a_sample_is_seeded_and_in_the_order_of_the_set() -> None:
    golds = [Gold(str(number), "?") for number in range(100)]
    drawn = sample(golds, 10)
    assert drawn == sample(golds, 10)
    assert [int(gold.id) for gold in drawn] == sorted(int(gold.id) for gold in drawn)
    assert len({gold.id for gold in drawn}) == 10
    assert sample(golds, None) == sample(golds, 500) == golds


# --- the command, killed for real ---------------------------------------------------------------

COMMAND = (sys.executable, "-m", "kgask", "eval", "run", "jsonl")


def write_set(path: Path, copies: int) -> Path:
    golds = [replace(gold, id=f"{gold.id}/{copy}") for copy in range(copies) for gold in film_questions()[:10]]
    rows = [
        {"id": gold.id, "question": gold.text, "answers": [gold.answers[0].names[0]], "topics": [gold.topics[0].name]}
        for gold in golds
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def command(questions: Path, films_path: Path, out: Path) -> list[str]:
    return [*COMMAND, str(questions), "--pack", str(films_path), "--no-reader", "-o", str(out)]


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_killed_command_goes_on_with_the_same_bytes(films_path: Path, tmp_path: Path, kill: signal.Signals) -> None:
    questions = write_set(tmp_path / "own.jsonl", 40)
    whole, out = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(questions, films_path, whole), check=True, capture_output=True)
    predictions = out / folder.PREDICTIONS_FILE
    with subprocess.Popen(command(questions, films_path, out), stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (predictions.exists() and predictions.stat().st_size):
            time.sleep(0.01)
        process.send_signal(kill)
        says = process.stderr.read()
    if kill == signal.SIGINT and process.returncode:
        assert process.returncode == 130
        assert "to go on: kgask eval run jsonl" in says
        assert "Traceback" not in says
    again = subprocess.run(command(questions, films_path, out), check=True, capture_output=True, text=True)
    assert "hits_at_1" in again.stdout
    assert predictions.read_bytes() == (whole / folder.PREDICTIONS_FILE).read_bytes()


@pytest.mark.parametrize("free", [False, True])
def test_a_gguf_reader_of_the_users_is_resumed_too(films_path: Path, tmp_path: Path, free: bool) -> None:
    golds, asking = film_questions()[:3], Asking(batch=2)
    file = write_qwen2(tmp_path / "tiny.gguf")
    for name in ("whole", "torn"):
        with kgask.open(str(films_path), reader=None, settings={}) as plain:
            reader = load_reader(file, n_threads=1)  # a new process has no warm cache
            pipeline = Pipeline(plain.pack, plain.planner, FreeReader.of(reader, Writing(2)) if free else reader)
            run(pipeline, golds, asking, tmp_path / name)
        if name == "whole":
            wanted = (tmp_path / "whole" / folder.PREDICTIONS_FILE).read_bytes()
            torn(tmp_path / "whole", tmp_path / "torn", len(wanted) - 9, 10**9)
    assert (tmp_path / "torn" / folder.PREDICTIONS_FILE).read_bytes() == wanted
    first = read_predictions(tmp_path / "torn" / folder.PREDICTIONS_FILE)[0]
    assert "reader" in first.hashes
    assert (first.written is not None) == free


def test_without_knowledge_the_reader_is_asked_alone(films_path: Path, tmp_path: Path) -> None:
    reader = write_qwen2(tmp_path / "tiny.gguf")
    questions = write_set(tmp_path / "own.jsonl", 1)
    args = ["run", "jsonl", str(questions), "--limit", "2", "--pack", str(films_path), "--reader", str(reader)]
    args += ["--method", "none", "--prompt", "none", "--free", "--max-tokens", "2", "--json"]
    args += ["-o", str(tmp_path / "out")]
    found = json.loads(CliRunner().invoke(evaluate, args, catch_exceptions=False).stdout)
    assert found["questions"] == 2
    for one in read_predictions(tmp_path / "out" / folder.PREDICTIONS_FILE):
        assert one.method == "none"
        assert {"prompt", "reader"} <= set(one.hashes)
        assert one.written is not None
        assert not one.evidence
        assert metrics.lost(one) in ("read", "")


def write_claims(path: Path) -> Path:
    claims = [("Ann Ray directed Harbour Lights.", True), ("Carl Moss directed Harbour Lights.", False)]
    path.write_text("".join(json.dumps({"question": text, "label": label}) + "\n" for text, label in claims))
    return path


def claim_run(path: Path, pack: Path, out: Path, *more: str) -> Result:
    args = ["run", "jsonl", str(write_claims(path)), "--pack", str(pack), "--json", "-o", str(out), *more]
    return CliRunner().invoke(evaluate, args)


@pytest.mark.parametrize(("method", "prompt"), [("none", "claim"), ("similarity", "kg-gpt-claim")])
def test_claims_are_judged_by_yes_or_no(method: str, prompt: str, films_path: Path, tmp_path: Path) -> None:
    reader = write_reciter(tmp_path / "yes.gguf", ["Yes", ", it is"])
    out = tmp_path / "out"
    done = claim_run(tmp_path / "c.jsonl", films_path, out, "-r", str(reader), "--free", "--method", method)
    assert done.exit_code == 0, done.output
    assert folder.load(out).decides["prompt"] == prompt
    first, second = read_predictions(out / folder.PREDICTIONS_FILE)
    assert first.written == "Yes, it is" and metrics.claim_right(first) == 1.0 and metrics.claim_right(second) == 0.0
    assert bool(first.evidence) == (method != "none")


@pytest.mark.slow
def test_claims_are_split_as_claims(films_path: Path, tmp_path: Path) -> None:
    noise = write_qwen2(tmp_path / "noise.gguf", 3, n_ctx=8192)
    more = ("-r", str(noise), "--free", "--method", "kg-gpt", "--shots", "1")
    assert claim_run(tmp_path / "c.jsonl", films_path, tmp_path / "out", *more).exit_code == 0
    for one in read_predictions(tmp_path / "out" / folder.PREDICTIONS_FILE):
        assert one.abstained and "does not split the claim" in one.reason


def test_without_free_text_claims_have_no_verdict(films_path: Path, tmp_path: Path) -> None:
    done = claim_run(tmp_path / "c.jsonl", films_path, tmp_path / "out", "--no-reader")
    assert done.exit_code == 0 and "--free" in done.stderr
    noise = str(write_qwen2(tmp_path / "noise.gguf"))
    refused = claim_run(tmp_path / "c.jsonl", films_path, tmp_path / "o2", "-r", noise, "--prompt", "kg-gpt-claim")
    assert isinstance(refused.exception, UsageError) and "yes or no" in str(refused.exception)
