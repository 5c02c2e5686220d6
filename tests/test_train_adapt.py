"""Specialising a planner to a pack, with a tiny random encoder and a tiny pack."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from films import build_films  # noqa: E402

from kgask import config  # noqa: E402
from kgask.cards import hash_mismatches, write_card  # noqa: E402
from kgask.corpus.questions import read_questions  # noqa: E402
from kgask.corpus.training_data import OWN, SETS, of_folder, unknown  # noqa: E402
from kgask.errors import ModelError  # noqa: E402
from kgask.pack.store import Pack  # noqa: E402
from kgask.plan.card import FORMAT, RigelCard  # noqa: E402
from kgask.plan.rigel_onnx import RigelPlanner  # noqa: E402
from kgask.train.encoder import architecture, load_encoder  # noqa: E402
from kgask.train.planner import pack_model  # noqa: E402
from kgask.train.planner.adapt import AdaptConfig, AdaptTrainer, adapt, with_paths  # noqa: E402
from kgask.train.planner.card import DEFAULT_CALIBRATION, FILES, files_of  # noqa: E402
from kgask.train.planner.export import export  # noqa: E402
from kgask.train.planner.judge import general_questions  # noqa: E402
from kgask.train.planner.model import Rigel  # noqa: E402
from kgask.train.planner.pack_model import build_pack_model  # noqa: E402
from kgask.train.planner.query_model import QueryRigel  # noqa: E402
from kgask.train.planner.weights import load_query, load_torch, start_from  # noqa: E402

pytestmark = pytest.mark.slow

N_GENERAL = 40  # composed questions over other graphs; all of them take most of these tests' time

TINY = AdaptConfig(
    query_steps=2, steps=4, batch_size=6, n_made=40, frozen_layers=1, validate_every=2, save_every=2, head_lr=1e-3
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported planner with a tiny random encoder."""
    encoder, folder = tmp_path_factory.mktemp("encoder"), tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    settings = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=30522
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(encoder)
    shipped = config.shipped_root("model") / "rigel" / "tokenizer.json"
    (encoder / "tokenizer.json").write_bytes(shipped.read_bytes())
    model = Rigel(load_encoder(encoder))
    export(model, encoder, folder, 32, ["who directed [MASK]", "what is [MASK]"], ["director", "spouse"])
    (folder / "question_words.txt").write_text("who\nwhat\nis\n", encoding="utf-8")
    about = {"max_tokens": 32, "architecture": architecture(model.encoder), "calibration": DEFAULT_CALIBRATION}
    write_card(folder, FORMAT.card(folder, FILES, **about))
    return folder


@pytest.fixture(scope="module")
def writer(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same planner with a query decoder that has learnt nothing yet."""
    folder = tmp_path_factory.mktemp("writer")
    torch.manual_seed(1)
    query = QueryRigel(load_torch(base), 16)
    probe = ["who directed [MASK]", "what is [MASK]"]
    export(query.planner, base, folder, 48, probe, ["director", "spouse"], least=0.0, query=query)
    (folder / "question_words.txt").write_text("who\nwhat\nis\n", encoding="utf-8")
    card = RigelCard.load(base).content | {"max_tokens": 48}
    about = {name: value for name, value in card.items() if name not in ("magic", "kind", "format_version", "files")}
    write_card(folder, FORMAT.card(folder, files_of(folder), **about))
    return folder


@pytest.fixture(autouse=True)
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights nearly tie between relations: int8 turns many of their decisions."""
    monkeypatch.setattr(pack_model, "SAME_ANSWERS", 0.1)
    monkeypatch.setattr("kgask.train.planner.pack_decoder.N_HELD_OUT", 10)
    monkeypatch.setattr("kgask.train.planner.judge.N_GENERAL", N_GENERAL)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_films(tmp_path_factory.mktemp("films") / "pack")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("who made [Harbour Lights]\tAnn Ray\nwhat was shot by [Carl Moss]\tNorth Road|Paper Moonrise\n")
    return path


def test_a_pack_alone_is_enough(base: Path, pack: Path, tmp_path: Path) -> None:
    trainer = AdaptTrainer(base, pack, [], tmp_path / "work", TINY, "cpu")
    assert trainer.templates and trainer.held_out
    result = adapt(trainer, lambda progress: None)
    assert result.pack.n == len(trainer.held_out) and result.general.n == N_GENERAL
    trainer.kept = True  # whichever was better
    build_pack_model(trainer, tmp_path / "out", 20, {})
    listed = of_folder(tmp_path / "out")
    assert listed == [*unknown(base.name), "questions made of the pack pack", OWN, SETS["off_topic"]]
    planner = RigelPlanner.load(tmp_path / "out")
    with Pack.open(pack) as opened:
        assert planner.relation_matrix(opened.relations()).shape == (2 * opened.n_relations, 32)


def test_a_planner_that_writes_queries_goes_on_writing_them(writer: Path, pack: Path, tmp_path: Path) -> None:
    trainer = AdaptTrainer(writer, pack, [], tmp_path / "work", TINY, "cpu")
    start = load_query(writer)
    adapt(trainer, lambda progress: None)
    found = build_pack_model(trainer, tmp_path / "out", 20, {})
    assert found.taught is not None and found.taught.after >= found.taught.before
    again = load_query(tmp_path / "out")
    assert again is not None and start is not None
    assert RigelPlanner.load(tmp_path / "out").writes
    assert RigelCard.load(tmp_path / "out").max_tokens == 48  # questions with operators are longer than paths
    for name, weight in trainer.model.encoder.state_dict().items():
        kept = name.startswith(("embeddings.", "encoder.layer.0."))  # what the query decoder reads is below the last
        assert torch.equal(weight, start.planner.encoder.state_dict()[name]) == kept, name
    assert not hash_mismatches(tmp_path / "out", RigelCard.load(tmp_path / "out").content["files"])


def test_a_graph_that_answers_otherwise_than_torch_is_refused(
    base: Path, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = AdaptTrainer(base, pack, [], tmp_path / "work", TINY, "cpu")
    monkeypatch.setattr(pack_model, "SAME_ANSWERS", 1.01)
    with pytest.raises(ModelError, match="otherwise than torch; nothing was written. --float32"):
        build_pack_model(trainer, tmp_path / "out", 20, {}, full=True)
    assert RigelCard.load(tmp_path / "out").content["parity"]["quantised"] is False  # the last that was tried


def test_own_questions_are_in_every_batch(base: Path, pack: Path, own: Path, tmp_path: Path) -> None:
    import random

    trainer = AdaptTrainer(base, pack, [own], tmp_path / "work", TINY, "cpu")
    batch = trainer.draw(random.Random(1))
    asked = [question for question in batch if question.asked]
    assert len(asked) == 2 and len(batch) == 6
    assert all(question.path for question in asked)
    assert not any(question.asked for question in trainer.held_out)  # few own questions: all of them teach
    assert f"{own.name}, questions about the pack pack" in trainer.training_data()


def test_own_questions_without_a_path_get_one_by_search(pack: Path, own: Path) -> None:
    with Pack.open(pack) as opened:
        keys = [relation.key for relation in opened.relations()]
        made, shot = with_paths(opened, list(read_questions(opened, own).questions))
        assert made.path == (keys.index("director"),)
        assert shot.path == (keys.index("director") + opened.n_relations,)


def test_worse_weights_are_not_kept(base: Path, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = AdaptTrainer(base, pack, [], tmp_path / "work", TINY, "cpu")
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    found = iter([((True,) * 9, (True,), ()), ((False,) * 9, (True,), ())])
    monkeypatch.setattr(trainer, "judged", lambda general: next(found))
    result = adapt(trainer, lambda progress: None)
    assert not result.verdict.kept and "it is worse (100.0% before, 0.0% now" in result.verdict.why
    assert trainer.training_data() == unknown(base.name)
    assert all(torch.equal(weight, before[name]) for name, weight in trainer.model.state_dict().items())


def test_questions_to_judge_by_are_never_learnt(base: Path, pack: Path, own: Path, tmp_path: Path) -> None:
    trainer = AdaptTrainer(base, pack, [own], tmp_path / "work", TINY, "cpu", [own])
    assert [question.asked for question in trainer.held_out] == [
        "who made Harbour Lights",
        "what was shot by Carl Moss",
    ]
    assert not any(template[0].asked for template in trainer.templates)
    assert own.name not in " ".join(trainer.training_data())


def test_what_is_judged_is_in_wordings_that_were_not_learnt(base: Path, pack: Path, tmp_path: Path) -> None:
    trainer = AdaptTrainer(base, pack, [], tmp_path / "work", dataclasses.replace(TINY, n_made=400), "cpu")
    learnt = {template[0].text for template in trainer.templates} | {question.text for question in trainer.dev}
    assert len(trainer.held_out) >= 50 and not learnt & {question.text for question in trainer.held_out}
    pack_right, general_right, own_right = trainer.judged(general_questions(1))
    assert (len(pack_right), len(general_right), own_right) == (len(trainer.held_out), N_GENERAL, ())


def test_a_run_starts_from_a_checkpoint_that_lacks_later_heads(base: Path, tmp_path: Path) -> None:
    from kgask.train.planner.weights import load_torch

    model = load_torch(base)
    state = {name: weight for name, weight in model.state_dict().items() if "question" not in name}
    encoder = tmp_path / "encoder"
    model.encoder.save_pretrained(encoder)
    torch.save({"model": state}, tmp_path / "checkpoint.pt")
    again = start_from(tmp_path / "checkpoint.pt", encoder)
    assert torch.equal(again.decoder.start.weight, model.decoder.start.weight)
    torch.save({"model": {"other": torch.zeros(1)}}, tmp_path / "other.pt")
    with pytest.raises(ModelError, match="another model"):
        start_from(tmp_path / "other.pt", encoder)
    (tmp_path / "text.pt").write_text("no checkpoint")
    with pytest.raises(ModelError, match="neither"):
        start_from(tmp_path / "text.pt", encoder)
