"""What judges a claim: evidence in lines, both words together, and the user's language model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask
from reciter import write_reciter
from tiny_gguf import write_qwen2

import kgask as api
from kgask.answer.pipeline import Pipeline
from kgask.errors import ModelError
from kgask.methods.relation_likeness import RelationLikeness
from kgask.verify.engines import Engine
from kgask.verify.evidence import Evidence
from kgask.verify.fusion import EVIDENCE_ALONE, Fusion, features
from kgask.verify.prompted import PromptedVerifier
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN, Verdict
from kgask.verify.verifier import Verifier, VerifyOptions

# --- evidence -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    pipeline = api.open("demo", reader=None)
    assert pipeline.judge is not None
    return Evidence(pipeline.pack, pipeline.linker, RelationLikeness(pipeline.judge.encoder, pipeline.pack))


def test_evidence_is_what_the_graph_says_of_the_names(evidence: Evidence) -> None:
    lines = evidence.of("Marie Curie received the Nobel Prize in Physics in 1903")
    assert lines[0].words == "the awards received of Marie Curie"
    assert "Nobel Prize in Physics (point in time: 1903)" in lines[0].outcome  # with what qualifies it
    assert len(lines) == len({line.words for line in lines}) <= 12


def test_what_leads_from_one_name_to_another_is_not_cut_off(evidence: Evidence) -> None:
    lines = evidence.of("Slovenia is one of the neighbours of Austria")
    shared = next(line for line in lines if line.words == "what Austria shares border with")
    assert shared.outcome.startswith("8: ") and "Slovenia" in shared.outcome
    assert len(evidence.triples(shared)) == 5


def test_evidence_goes_two_steps(evidence: Evidence) -> None:
    lines = evidence.of("The author of Lady Susan was born in Steventon")
    paths = {len(line.relations): line for line in lines}
    assert set(paths) == {1, 2} and all(evidence.triples(line) for line in lines)


def test_a_claim_that_names_nothing_has_no_evidence(evidence: Evidence) -> None:
    assert evidence.of("it is raining again") == []
    assert evidence.of("it is raining again", (0,))  # unless it is said what it is about


# --- both together ------------------------------------------------------------------------------

BOTH = Fusion(1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.6, 0.8)


@pytest.mark.parametrize(
    ("by_query", "by_evidence", "said"),
    [
        (Verdict("c", SUPPORTED, 0.9), (0.4, 0.3, 0.3), SUPPORTED),
        (Verdict("c", SUPPORTED, 0.3), (0.01, 0.95, 0.04), REFUTED),  # what is unsure gives way
        (Verdict("c", UNKNOWN, 0.0), (0.7, 0.1, 0.2), SUPPORTED),
        (Verdict("c", UNKNOWN, 0.0), (0.1, 0.7, 0.2), UNKNOWN),  # not likely enough
        (Verdict("c", UNKNOWN, 0.9, rule="silent"), (0.7, 0.1, 0.2), UNKNOWN),  # the graph is silent on what it asks
    ],
)
def test_both_words_decide(by_query: Verdict, by_evidence: tuple[float, ...], said: str) -> None:
    shares = BOTH.probabilities(by_query, np.log(by_evidence).tolist())
    assert shares.sum() == pytest.approx(1.0) and BOTH.said(shares) == said


def test_evidence_alone_takes_no_word_of_a_query() -> None:
    odds = np.log((0.2, 0.7, 0.1)).tolist()
    shares = EVIDENCE_ALONE.probabilities(Verdict("c", SUPPORTED, 0.99), odds)
    assert shares == pytest.approx((0.2, 0.7, 0.1)) and EVIDENCE_ALONE.said(shares, 0.8) == UNKNOWN


def test_a_fusion_is_kept_in_a_card() -> None:
    assert Fusion.of_card({"verdicts": BOTH.as_card() | {"scores": {}}}) == BOTH and Fusion.of_card({}) is None
    assert features(Verdict("c", UNKNOWN, 0.0), (0, 0, 0)).shape == (3, 6)
    with pytest.raises(ModelError, match="calibrate-claims"):
        Fusion.of_card({"verdicts": {"reader": "much"}})


TRUE = (
    "Emma was written by Jane Austen.", "Tokyo is the capital of Japan.", "Kenya borders Uganda.",
    "Marie Curie was born in Warsaw.", "Jaws was directed by Steven Spielberg.",
)  # fmt: skip


@pytest.mark.parametrize("engine", ["reader", "both"])
def test_an_engine_tells_the_triples_or_why_not(engine: Engine) -> None:
    with api.open("demo", reader=None, settings={}) as kg:
        verifier = Verifier(kg, VerifyOptions(engine=engine))
        *asked, unknown = verifier.verify_many([*TRUE, "It is raining again."])
    known = next(one for one in asked if one.verdict == SUPPORTED)
    assert known.support and known.rule and known.hashes and known.reason is None
    assert unknown.verdict == UNKNOWN and unknown.reason and unknown.hashes and not unknown.support


# --- a language model ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "said"), [(["Yes", ", it is"], SUPPORTED), (["No", ".."], REFUTED), (["Ha", "ha"], UNKNOWN)]
)
def test_a_language_model_says_yes_or_no_to_the_evidence(
    pieces: list[str], said: str, films_path: Path, tmp_path: Path
) -> None:
    from kgask.cli.asked_with import not_asked_for, open_pipeline

    reader = str(write_reciter(tmp_path / "says.gguf", pieces))
    options = not_asked_for() | {"pack": str(films_path), "reader": reader, "free": True, "prompt": "kg-gpt-claim"}
    pipeline: Pipeline = open_pipeline(options | {"method": "similarity"}, {})
    with pipeline:
        verdict, line, empty = PromptedVerifier(pipeline).verify_lines(["Ann Ray directed films.", "Dora Quill", " "])
    assert verdict.verdict == said and line.verdict == said
    assert bool(verdict.support) is (said == SUPPORTED) and bool(verdict.counter) is (said == REFUTED)
    assert (verdict.rule is None) is (said == UNKNOWN) and (verdict.reason is None) is (said != UNKNOWN)
    assert empty.verdict == UNKNOWN and "empty" in str(empty.reason)


def test_a_model_that_does_not_split_claims_says_so(films_path: Path, tmp_path: Path) -> None:
    noise = str(write_qwen2(tmp_path / "noise.gguf", 3, n_ctx=8192))
    done = kgask(
        "verify", "Ann Ray directed films", "--pack", str(films_path), "--engine", "kg-gpt", "-r", noise, "--shots", "1"
    )
    assert done.returncode == 3 and done.stdout == "not enough information\n"
    assert "does not split the claim" in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--engine", "kg-gpt"], "--reader FILE.gguf"),
        (["--engine", "kg-gpt", "-r", "x.gguf", "--closed-world"], "leave --closed-world out"),
        (["-r", "x.gguf"], "for --engine kg-gpt"),
        (["--engine", "reader", "--no-judge"], "judges no claims"),
    ],
)
def test_options_of_another_engine_are_refused(args: list[str], said: str) -> None:
    done = kgask("verify", "Emma is a novel", *args)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
