"""Every method answers the README's question over the demo pack, with a real GGUF, and what it says re-checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from reciter import write_reciter
from tiny_gguf import write_qwen2

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.config import shipped_root
from kgask.eval.recheck import Witness
from kgask.methods.registry import METHODS
from kgask.read.gguf.reader import FreeReader, Writing

QUESTION = "who wrote Lady Susan?"
DEMO = shipped_root("pack") / "demo"
FINDS = ("rigel", "similarity", "kg-gpt", "relation-rank")  # without chance, or what a test must bring first (amr)


def sound(answer: Answer) -> bool:
    with Witness(DEMO) as witness:
        return not witness.faults(answer)


def test_no_method_is_forgotten() -> None:
    assert set(METHODS) == {*FINDS, "amr", "random", "popular", "none"}


@pytest.mark.parametrize("method", FINDS)
@pytest.mark.parametrize("reader", ["", None])
def test_with_the_shipped_reader_and_without(method: str, reader: str | None) -> None:
    with Pipeline.open(reader=reader, method=method) as pipeline:
        answer = pipeline.ask(QUESTION)
    # Likeness of words alone puts "Lady Susan, instance of, novel" first, where no reader judges.
    found = {"Jane Austen"} if (method, reader) != ("similarity", None) else {"novel", "book"}
    assert answer.entities[0].label in found and answer.method == method and sound(answer)


@pytest.mark.parametrize("method", ["random", "popular"])
def test_baselines_say_only_what_is_there(method: str) -> None:
    with Pipeline.open(method=method) as pipeline:
        answer = pipeline.ask(QUESTION, top_k=20)
    assert not answer.abstained and sound(answer)


@pytest.mark.parametrize("method", ["rigel", "similarity", "random", "popular"])
def test_with_another_model_that_knows_nothing(method: str, tmp_path: Path) -> None:
    """Random weights: the answer may be wrong, but it is one of what was retrieved."""
    model = write_qwen2(tmp_path / "random.gguf")
    with Pipeline.open(reader=str(model), method=method) as pipeline:
        answer = pipeline.ask(QUESTION, min_confidence=0.0)
    assert answer.abstained or sound(answer)


@pytest.mark.slow
def test_a_model_that_cannot_follow_the_form_is_named_and_nothing_is_made_up(tmp_path: Path) -> None:
    model = write_reciter(tmp_path / "babbler.gguf", ["zq", "xv", "kw"])
    with Pipeline.open(reader=str(model), method="kg-gpt") as pipeline:
        answer = pipeline.ask(QUESTION)
    assert answer.abstained and "use a larger model" in answer.reason and not answer.entities


def test_a_model_that_is_held_to_the_form_ranks_what_there_is(tmp_path: Path) -> None:
    model = write_reciter(tmp_path / "babbler.gguf", ["zq", "xv", "kw"])
    with Pipeline.open(reader=str(model), method="relation-rank") as pipeline:
        answer = pipeline.ask(QUESTION)
    assert answer.evidence.triples and (answer.abstained or sound(answer))


@pytest.mark.slow
def test_by_the_questions_amr(films_path: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from kgask.train.amr.loop import AmrConfig
    from kgask.train.amr.train import AmrJob, finish, prepare

    fixtures = Path(__file__).parent / "fixtures" / "amr"
    encoder = shipped_root("model") / "encoder"
    job = AmrJob(fixtures / "films.amr", fixtures / "films.tsv", films_path, encoder)
    trainer, n_unknown = prepare(
        job, AmrConfig(steps=60, width=32, n_others=0, held_out=0.05, save_every=60), tmp_path / "work"
    )
    trainer.run()
    finish(trainer, job, tmp_path / "ranker")
    (tmp_path / "mine.amr").write_text(
        f"# ::snt {QUESTION}\n(w / write-01 :ARG0 (a / amr-unknown)\n"
        '  :ARG1 (b / book :name (n / name :op1 "Lady" :op2 "Susan")))\n',
        encoding="utf-8",
    )
    ranked = {"amr": str(tmp_path / "mine.amr"), "amr_model": str(tmp_path / "ranker")}
    with Pipeline.open(method="amr", **ranked) as pipeline:
        answer = pipeline.ask(QUESTION)
        unknown = pipeline.ask("who wrote Emma?")
    assert answer.entities[0].label == "Jane Austen" and sound(answer)
    assert unknown.abstained and "no AMR of" in unknown.reason


def test_without_knowledge_what_is_written_is_not_checked(tmp_path: Path) -> None:
    model = write_reciter(tmp_path / "reciter.gguf", ["Jane", " Austen"])
    with Pipeline.open(reader=str(model), method="none", prompt="none") as pipeline:
        pipeline.reader = FreeReader.of(pipeline.reader, Writing())
        answer = pipeline.ask(QUESTION)
    assert answer.abstained and answer.written == "Jane Austen" and answer.unverified == ("Jane Austen",)
