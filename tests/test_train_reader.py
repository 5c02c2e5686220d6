"""Training the reader: scenes that make sense, exact resume, and a GGUF that llama.cpp reads alike."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from click.testing import CliRunner

from kgask.cli.train_reader import reader as train_command
from kgask.errors import BuildError, KgaskError, ModelError, UsageError
from kgask.read.llama_reader import LlamaReader
from kgask.read.prompt import MAX_LINES, control_tokens, number_token, reader_pieces
from kgask.train.export_gguf import export, quantise
from kgask.train.reader_data import (
    Makers,
    batches,
    encode_scene,
    load_makers,
    make_scenes,
)
from kgask.train.reader_loop import (
    Recipe,
    Trainer,
    held_out_accuracy,
    reply_tokens,
    schedule,
)
from kgask.train.reader_model import ReaderConfig, ReaderModel
from kgask.train.reader_relations import is_held_out, load_relations
from kgask.train.reader_scenes import SceneMaker, SceneOptions
from kgask.train.reader_ship import citable_of, logistic_regression, measure

TINY = ReaderConfig(n_vocab=700, n_embd=64, n_layer=2, n_head=2, n_ff=96, n_ctx=2048)
RECIPE = Recipe(
    TINY,
    batch_size=4,
    steps=6,
    warmup_steps=2,
    word_start=False,
    tokenizer_scenes=150,
    check_every=3,
    check_scenes=8,
)
STRINGS = [
    "who wrote Lady Susan?", " Jane Austen", "São Paulo–Zürich", "naïve café", "日本語のテキスト", "Москва 1812",
    "don't they've we'll I'D", "a  b   c", "tabs\tand\nnewlines", "12,345.67 km²", "<|end|> </s> [INST]",
    "emoji 🙂👩\u200d🚀", "", " ", "x" * 300, "¡¿ÀÿĀ", "ﬁ ligature ½", "\xa0no-break", "１２３ fullwidth",
    "é combining",
]  # fmt: skip


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        json.dump(value, file)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in the shape of the public sets, a few lines each."""
    folder = tmp_path_factory.mktemp("data")
    write_json(
        folder / "wikidata_props" / "en1.json",
        {"P50": "author", "P9000": "favourite colour", "P9001": "Some ID"},
    )
    template = {"template_key": {"p": "-P50"}, "templates": [{"left": "which play is by ", "right": " ?"}]}
    write_json(folder / "kgconv" / "template_library.json.gz", [template])
    write_json(
        folder / "entityquestions" / "relation_query_templates.json", {"P50": "Who is the author of [X]?"}
    )
    write_json(
        folder / "wikidata_labels_union.json.gz", {"Q1": "Lady Susan", "Q2": "Amber Harbour", "P50": "author"}
    )
    questions = folder / "simplequestions_wikidata" / "annotated_wd_data_train_answerable.txt.gz"
    questions.parent.mkdir()
    with gzip.open(questions, "wt", encoding="utf-8") as file:
        file.write("Q1\tP50\tQ2\twho is lady susan by\nQ2\tR50\tQ1\tname something amber harbour wrote\n")
    return folder


@pytest.fixture(scope="session")
def makers(data: Path) -> Makers:
    return load_makers(data)


@pytest.fixture(scope="session")
def trained(makers: Makers, tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    trainer = Trainer.start(RECIPE, makers, tmp_path_factory.mktemp("run"))
    assert trainer.run()
    return trainer


@pytest.fixture(scope="session")
def exported(trained: Trainer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(trained.folder, tmp_path_factory.mktemp("gguf") / "f16.gguf")


# --- data -------------------------------------------------------------------------------------


def test_sources_are_read_with_their_directions(data: Path, tmp_path: Path) -> None:
    table = tmp_path / "relations.tsv"
    table.write_text(
        "P50\tauthor\tpenned_by|wrote it\twho wrote it\twrote\nmy:rel\town relation\t\t\t\n", encoding="utf-8"
    )
    relations = {relation.key: relation for relation in load_relations(data, [table])}
    author = relations["P50"]
    assert "Who is the author of {x}?" in author.questions["+"] and "who is {x} by" in author.questions["+"]
    assert (
        "which play is by {x}?" in author.questions["-"]
        and "name something {x} wrote" in author.questions["-"]
    )
    assert author.labels[:3] == ["author", "penned by", "wrote it"] and author.inverse_labels == ["wrote"]
    assert (
        relations["P9000"].labels == ["favourite colour"]
        and "P9001" not in relations
        and "my:rel" in relations
    )


def test_broken_sources_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"en1\.json"):
        load_relations(tmp_path)
    table = tmp_path / "relations.tsv"
    table.write_text("P50\tauthor\n", encoding="utf-8")
    with pytest.raises(BuildError, match=r"relations\.tsv:1"):
        load_relations(data, [table])


def test_training_and_held_out_sides_share_no_question(makers: Makers) -> None:
    def questions(maker: SceneMaker) -> set[str]:
        return {
            text for relation in maker.bank.all for texts in relation.questions.values() for text in texts
        }

    train, held_out = questions(makers.train), questions(makers.held_out)
    assert len(train) > 500 and len(held_out) > 50 and not train & held_out
    assert all(is_held_out(text) for text in held_out)


def test_scenes_can_be_answered_from_what_they_show(makers: Makers) -> None:
    scenes = make_scenes(makers.train, 3, 0, 400)
    kinds = {"one": 0, "several": 0, "none": 0}
    for scene in scenes:
        kinds[scene.kind] += 1
        assert 1 <= len(scene.lines) <= MAX_LINES and scene.question
        assert list(scene.cite) == sorted(set(scene.cite))
        cited = [scene.lines[number - 1] for number in scene.cite]
        assert all(line.answer_ratio is not None and 0 <= line.answer_ratio <= 1 + 1e-9 for line in cited)
        assert len({(line.relation, line.hop) for line in cited}) <= 1  # the asked relation, at the last hop
    assert all(count > 40 for count in kinds.values())


def test_the_plan_is_mostly_but_not_always_right(makers: Makers) -> None:
    def top_is_gold(options: SceneOptions) -> float:
        scenes = [
            s
            for s in make_scenes(SceneMaker(makers.train.bank, makers.train.names, options), 4, 0, 300)
            if s.cite
        ]
        best = [max(range(len(s.lines)), key=lambda at: s.lines[at].answer_ratio or 0) + 1 for s in scenes]
        return float(np.mean([line in s.cite for line, s in zip(best, scenes, strict=True)]))

    assert top_is_gold(SceneOptions(wrong_plan=0.0, blind=0.0, shuffled=0.0)) > 0.85
    assert top_is_gold(SceneOptions(wrong_plan=1.0, blind=0.0, shuffled=0.0)) < 0.6


def test_blind_scenes_carry_no_mark(makers: Makers) -> None:
    maker = SceneMaker(makers.train.bank, makers.train.names, SceneOptions(blind=1.0))
    for scene in make_scenes(maker, 5, 0, 50):
        assert {(line.score, line.answer_ratio) for line in scene.lines} == {(1.0, 1.0)}


def test_a_scene_depends_on_its_seed_only(makers: Makers) -> None:
    assert make_scenes(makers.train, 3, 7, 3) == make_scenes(makers.train, 3, 0, 10)[7:]
    assert makers.train.make(random.Random(1)) == makers.train.make(random.Random(1))


def test_batches_can_be_entered_anywhere(makers: Makers, trained: Trainer) -> None:
    def some(start: int) -> list[np.ndarray]:
        source = batches(makers.train, trained.tokens, 1, 4, start)
        return [next(source).ids for _ in range(3)]

    early, late = some(14), some(15)  # across the end of a pool of 16
    assert np.array_equal(early[1], late[0]) and np.array_equal(early[2], late[1])


# --- training ---------------------------------------------------------------------------------


def test_a_stopped_run_ends_with_the_same_weights(makers: Makers, trained: Trainer, tmp_path: Path) -> None:
    first = Trainer.start(RECIPE, makers, tmp_path)
    assert not first.run(until=4)
    second = Trainer.start(RECIPE, makers, tmp_path)
    assert second.step == 4 and second.run()
    for name, weight in trained.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name


def test_training_learns_something(makers: Makers, tmp_path: Path) -> None:
    recipe = Recipe(
        TINY,
        batch_size=8,
        steps=25,
        warmup_steps=3,
        word_start=False,
        tokenizer_scenes=150,
        check_every=5,
        check_scenes=8,
    )
    Trainer.start(recipe, makers, tmp_path).run()
    losses = [
        json.loads(line)["verdict_loss"]
        for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(losses) == 5 and losses[-1] < losses[0] - 0.15


def test_another_recipe_does_not_go_on_a_checkpoint(makers: Makers, trained: Trainer) -> None:
    other = Recipe(TINY, batch_size=5, steps=6, word_start=False)
    with pytest.raises(ModelError, match="batch_size"):
        Trainer.start(other, makers, trained.folder)


def test_a_run_can_start_from_the_weights_of_another(
    makers: Makers, trained: Trainer, tmp_path: Path
) -> None:
    second = Trainer.start(replace(RECIPE, rng_seed=2), makers, tmp_path, earlier=trained.folder)
    assert second.step == 0 and second.tokens.token_texts() == trained.tokens.token_texts()
    for name, weight in trained.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name
    assert not second.run(until=2)
    again = Trainer.start(replace(RECIPE, rng_seed=2), makers, tmp_path, earlier=trained.folder)
    assert again.step == 2 and again.recipe.start_weights == second.recipe.start_weights != ""
    with pytest.raises(ModelError, match="another size"):
        other = replace(RECIPE, model=replace(TINY, n_layer=1))
        Trainer.start(other, makers, tmp_path / "other", earlier=trained.folder)


def test_a_broken_checkpoint(makers: Makers, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="not a reader checkpoint"):
        Trainer.start(RECIPE, makers, tmp_path)


def test_what_is_judged_is_what_may_be_cited(makers: Makers, trained: Trainer) -> None:
    for scene in make_scenes(makers.train, 9, 0, 40):
        encoded = encode_scene(scene, trained.tokens)
        citable = [
            number for number, line in enumerate(scene.lines, start=1) if line.answer_ratio is not None
        ]
        assert encoded.numbers == [trained.tokens.controls[number_token(number)] for number in citable]
        assert [number for number, target in zip(citable, encoded.targets, strict=True) if target] == list(
            scene.cite
        )
        assert len(encoded.line_ends) == len(encoded.verdicts) == len(scene.lines)
        assert (
            encoded.line_ends[-1] == len(encoded.prompt) - 2
        )  # before the token after which the numbers stand


def test_the_schedule_warms_up_and_decays() -> None:
    shares = [schedule(step, RECIPE) for step in range(RECIPE.steps + 1)]
    assert shares[0] < shares[1] == 1.0 and shares[-1] == pytest.approx(0.04) and max(shares) == 1.0


def test_held_out_accuracy_counts_whole_replies(makers: Makers, trained: Trainer) -> None:
    accuracy = held_out_accuracy(trained.model, trained.tokens, makers, 60)
    assert set(accuracy) == {"one", "several", "none"} and all(0 <= share <= 1 for share in accuracy.values())


# --- export -----------------------------------------------------------------------------------


def test_llama_cpp_tokenises_as_tokenizers_does(exported: Path, trained: Trainer, makers: Makers) -> None:
    engine = LlamaReader.load(exported).engine
    texts = list(STRINGS)
    for scene in make_scenes(makers.held_out, 6, 0, 60):
        texts.extend(piece.text for piece in reader_pieces(scene.question, scene.lines) if not piece.control)
    for text in texts:
        assert engine.tokenize(text) == trained.tokens.encode_text(text), text
    for index, name in enumerate(control_tokens()):
        assert engine.token_text(index) == name and engine.is_control(index)


def test_llama_cpp_computes_what_torch_does(exported: Path, trained: Trainer, makers: Makers) -> None:
    reader = LlamaReader.load(exported)
    trained.model.eval()
    scenes = [scene for scene in make_scenes(makers.held_out, 8, 0, 8) if citable_of(scene)]
    assert scenes
    for scene in scenes:
        encoded, citable = encode_scene(scene, trained.tokens), citable_of(scene)
        first, second = reader.verdict_logits(encoded.prompt, citable)
        with torch.inference_mode():
            hidden = trained.model(torch.tensor([encoded.prompt + encoded.numbers]))[0]
            after_lines = trained.model.verdict(hidden[encoded.line_ends]).numpy()
            in_reply = trained.model.logits(
                hidden[len(encoded.prompt) :], reply_tokens(trained.tokens)
            ).numpy()
        for at, line in enumerate(citable):
            assert first[line] == pytest.approx(after_lines[line - 1], abs=0.02)
            assert second[line] == pytest.approx(in_reply[at], abs=0.02)


def test_logistic_regression_finds_the_odds() -> None:
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(0, 2, 4000), rng.normal(0, 2, 4000), np.ones(4000)])
    targets = rng.random(4000) < 1 / (1 + np.exp(-(rows @ [1.0, 0.0, -0.5])))
    assert logistic_regression(rows, targets.astype(float)) == pytest.approx([1.0, 0.0, -0.5], abs=0.15)


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_K"])
def test_quantised_files_are_smaller_and_read(
    kind: str, exported: Path, makers: Makers, tmp_path: Path
) -> None:
    small = quantise(exported, tmp_path / "small.gguf", kind)
    assert small.stat().st_size < exported.stat().st_size
    scores = measure(LlamaReader.load(small), makers, 5)
    assert scores["shuffled, no scores"]["scenes"] == 5


def test_quantising_fails_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not quantise"):
        quantise(tmp_path / "none.gguf", tmp_path / "out.gguf")
    with pytest.raises(ModelError, match="no quantisation"):
        quantise(tmp_path / "none.gguf", tmp_path / "out.gguf", "Q1")


def test_sizes_that_cannot_be_quantised() -> None:
    with pytest.raises(ValueError, match="divide by 32"):
        ReaderConfig(n_embd=100)
    with pytest.raises(ValueError, match="do not fit"):
        ReaderModel(ReaderConfig(n_vocab=400, n_embd=32, n_layer=1, n_head=1, n_ff=32, n_ctx=8))(
            torch.zeros(1, 9, dtype=torch.long)
        )


# --- the command ------------------------------------------------------------------------------


def test_the_command_trains_stops_goes_on_and_ships(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [
        "--data",
        str(data),
        "--out",
        str(out),
        "--steps",
        "2",
        "--batch-size",
        "2",
        "--size",
        "64x1",
        "--vocabulary",
        "700",
        "--check-every",
        "1",
        "--plain-start",
        "--measure",
        "40",
    ]
    stopped = CliRunner().invoke(train_command, [*command, "--minutes", "0.0000001"], catch_exceptions=False)
    assert "stopped at step" in stopped.stderr and not (out / "reader").exists()
    done = CliRunner().invoke(train_command, command, catch_exceptions=False)
    assert done.stdout.strip() == str(out / "reader") and "left 0.0 min" in done.stderr
    reader = LlamaReader.load(out / "reader")
    assert reader.card["steps"] == 2 and reader.card["licence"] and reader.card["scores"]


@pytest.mark.parametrize(("size", "error"), [("big", UsageError), ("100x2", UsageError)])
def test_the_command_explains_sizes(size: str, error: type[KgaskError], data: Path, tmp_path: Path) -> None:
    with pytest.raises(error, match="--size"):
        CliRunner().invoke(
            train_command,
            ["--data", str(data), "--out", str(tmp_path), "--size", size],
            catch_exceptions=False,
        )
