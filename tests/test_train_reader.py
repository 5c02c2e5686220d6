"""Training the reader: scenes that make sense, exact resume, and a GGUF that llama.cpp reads alike."""

from __future__ import annotations

import copy
import gzip
import json
import random
import shutil
import signal
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from click.testing import CliRunner, Result
from tiny_gguf import write_qwen2

from kgask.cli.train_reader import SCENES, score_reader
from kgask.cli.train_reader import VARIANTS as SHOWN_VARIANTS
from kgask.cli.train_reader import reader as train_command
from kgask.corpus.scene import SceneOptions
from kgask.corpus.scene_relations import is_held_out, load_relations, same_meaning
from kgask.corpus.scenes import CITE, OTHER, SceneMaker
from kgask.corpus.training_data import (
    ENTITY_LABELS,
    ENTITY_QUESTIONS,
    KGCONV,
    OWN,
    PROPERTY_LABELS,
    SIMPLE,
    base_encoder,
)
from kgask.errors import BuildError, ModelError, UsageError
from kgask.read.cross_encoder.engine import Heads
from kgask.read.cross_encoder.prompt import FIRST, LAST, MAX_LINES, control_tokens, reader_pieces, ways
from kgask.read.cross_encoder.verdicts import Judged, line_log_odds, pooled
from kgask.read.files.card import make_card
from kgask.read.load import load_reader
from kgask.train.pace import cosine
from kgask.train.reader.data import (
    HELD_OUT_SEED,
    VERDICTS,
    Batches,
    Makers,
    encode_scene,
    load_makers,
    make_batch,
    make_scenes,
    moved,
)
from kgask.train.reader.export_gguf import load_weights, quantise, write_gguf
from kgask.train.reader.loop import ReaderTrainer, Recipe, held_out_accuracy, judged
from kgask.train.reader.model import ReaderConfig, ReaderModel
from kgask.train.reader.ship import MEASURED, VARIANTS, citable_of, logistic_regression
from kgask.train.reader.start import Start, find_start
from kgask.train.reader.tokens import ReaderTokens
from kgask.train.trainer import Progress

pytestmark = pytest.mark.slow

TINY = ReaderConfig(n_layer=2, n_ctx=1536)
RECIPE = Recipe(TINY, batch_size=4, steps=6, warmup_steps=2, check_every=3, check_scenes=8)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = "who wrote which is the of in a what was by name author place birth".split()
STRINGS = [
    "who wrote Lady Susan?", " Jane Austen", "São Paulo–Zürich", "naïve café", "日本語のテキスト", "Москва 1812",
    "don't they've we'll I'D", "a  b   c", "tabs\tand\nnewlines", "12,345.67 km²", "<|end|> </s> [INST]",
    "emoji 🙂👩\u200d🚀", "", " ", "x" * 90, "¡¿ÀÿĀ", "ﬁ ligature ½", "\xa0no-break", "１２３ fullwidth",
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
    write_json(folder / "entityquestions" / "relation_query_templates.json", {"P50": "Who is the author of [X]?"})
    write_json(folder / "wikidata_labels_union.json.gz", {"Q1": "Lady Susan", "Q2": "Amber Harbour", "P50": "author"})
    questions = folder / "simplequestions_wikidata" / "annotated_wd_data_train_answerable.txt.gz"
    questions.parent.mkdir()
    with gzip.open(questions, "wt", encoding="utf-8") as file:
        file.write("Q1\tP50\tQ2\twho is lady susan by\nQ2\tR50\tQ1\tname something amber harbour wrote\n")
    return folder


@pytest.fixture(scope="session")
def makers(data: Path) -> Makers:
    return load_makers(data)


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT encoder in the files of Hugging Face: random weights, letters and a few words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    free = [f"[unused{index}]" for index in range(len(control_tokens()) + 1)]
    marks = list("?.,'-|#&!:()[]<>/")
    vocabulary = ["[PAD]", *free, "[UNK]", FIRST, LAST, "[MASK]", *marks, *LETTERS]
    vocabulary += [*(f"##{letter}" for letter in LETTERS), *(word for word in WORDS if len(word) > 1)]
    ids = {token: index for index, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    torch.manual_seed(3)
    settings = BertConfig(
        vocab_size=len(ids), hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=100,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("encoder")
    BertModel(settings, add_pooling_layer=False).save_pretrained(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="session")
def start(encoder_folder: Path) -> Start:
    return find_start(encoder_folder)


@pytest.fixture(scope="session")
def trained(makers: Makers, start: Start, tmp_path_factory: pytest.TempPathFactory) -> ReaderTrainer:
    trainer = ReaderTrainer(RECIPE, makers, tmp_path_factory.mktemp("run"), start)
    assert trainer.run()
    return trainer


@pytest.fixture(scope="session")
def exported(trained: ReaderTrainer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "f16.gguf"
    write_gguf(trained.model, trained.tokens, path)
    return path


def ctrl_c_at(step: int) -> Callable[[Progress], None]:
    """A report that presses Ctrl-C."""

    def report(progress: Progress) -> None:
        if progress.step == step:
            signal.raise_signal(signal.SIGINT)

    return report


# --- data -------------------------------------------------------------------------------------


def test_sources_are_read_with_their_directions(data: Path, tmp_path: Path) -> None:
    table = tmp_path / "relations.tsv"
    table.write_text(
        "P50\tauthor\tpenned_by|wrote it\twho wrote it\twrote\nmy:rel\town relation\t\t\t\n", encoding="utf-8"
    )
    relations = {relation.key: relation for relation in load_relations(data, [table])}
    author = relations["P50"]
    assert "Who is the author of {x}?" in author.questions["+"] and "who is {x} by" in author.questions["+"]
    assert "which play is by {x}?" in author.questions["-"] and "name something {x} wrote" in author.questions["-"]
    assert author.labels[:3] == ["author", "penned by", "wrote it"] and author.inverse_labels == ["wrote"]
    assert relations["P9000"].labels == ["favourite colour"] and "P9001" not in relations and "my:rel" in relations


def test_the_sets_that_scenes_are_made_of_are_known(data: Path, tmp_path: Path) -> None:
    only = tmp_path / "data"
    shutil.copytree(data, only)
    write_json(only / "kgconv" / "template_library.json.gz", [])
    table = tmp_path / "mine" / "relations.tsv"
    table.parent.mkdir()
    table.write_text("kgask:muse\tmuse\tinspiration\t\tmuse of\n", encoding="utf-8")
    found = {share: {name for one in load_relations(share, (table,)) for name in one.sets()} for share in (data, only)}
    assert found[data] - found[only] == {KGCONV}
    assert {"the relation table mine/relations.tsv", OWN, PROPERTY_LABELS, ENTITY_QUESTIONS, SIMPLE} == found[only]


def test_broken_sources_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"en1\.json"):
        load_relations(tmp_path)
    table = tmp_path / "relations.tsv"
    table.write_text("P50\tauthor\n", encoding="utf-8")
    with pytest.raises(BuildError, match=r"relations\.tsv:1"):
        load_relations(data, [table])


def test_training_and_held_out_sides_share_no_question(makers: Makers) -> None:
    def questions(maker: SceneMaker) -> set[str]:
        return {text for relation in maker.bank.all for texts in relation.questions.values() for text in texts}

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
            s for s in make_scenes(SceneMaker(makers.train.bank, makers.train.names, options), 4, 0, 300) if s.cite
        ]
        best = [max(range(len(s.lines)), key=lambda at: s.lines[at].answer_ratio or 0) + 1 for s in scenes]
        return float(np.mean([line in s.cite for line, s in zip(best, scenes, strict=True)]))

    assert top_is_gold(SceneOptions(wrong_plan=0.0, blind=0.0, shuffled=0.0)) > 0.85
    assert top_is_gold(SceneOptions(wrong_plan=1.0, blind=0.0, shuffled=0.0)) < 0.6


def test_blind_scenes_carry_no_mark(makers: Makers) -> None:
    maker = SceneMaker(makers.train.bank, makers.train.names, SceneOptions(blind=1.0))
    for scene in make_scenes(maker, 5, 0, 50):
        assert {(line.score, line.answer_ratio) for line in scene.lines} == {(1.0, 1.0)}


def test_crowded_scenes_have_as_many_other_lines_as_asked_for(makers: Makers) -> None:
    options = SceneOptions(distractors=10, wrong_plan=0.0, blind=0.0, shuffled=0.0, astray=0.0)
    for scene in make_scenes(SceneMaker(makers.train.bank, makers.train.names, options), 5, 0, 60):
        others = [line for number, line in enumerate(scene.lines, 1) if number not in scene.cite]
        seed = next(line.subject for line in scene.lines if line.hop == 1)
        assert len(others) == 10 and sum(line.subject == seed for line in others) == 5
        assert all(scene.lines[number - 1].subject == seed for number in scene.cite) and scene.hops == 1
        assert all(line.answer_ratio is not None for line in scene.lines)


def test_what_says_the_same_is_no_distractor(makers: Makers) -> None:
    assert same_meaning("P40", "+") >= {("P40", "+"), ("P22", "-"), ("kgask:son", "+"), ("kgask:parents", "-")}
    assert same_meaning("P26", "+") >= {("P26", "-"), ("kgask:wife", "+")}
    assert ("P40", "-") not in same_meaning("P40", "+")
    bank = makers.train.bank
    by_key = {relation.key: relation for relation in bank.all}
    spouse, wife = by_key["P26"], by_key["kgask:wife"]
    assert ("P26", "+") in bank.same_meaning(wife, "+") and ("kgask:wife", "+") in bank.same_meaning(spouse, "+")
    written, screenplay = by_key["P50"], by_key["P58"]  # both are called "written by"
    assert ("P58", "-") in bank.same_meaning(written, "-") and ("P50", "+") in bank.same_meaning(screenplay, "+")


def test_a_scene_depends_on_its_seed_only(makers: Makers) -> None:
    assert make_scenes(makers.train, 3, 7, 3) == make_scenes(makers.train, 3, 0, 10)[7:]
    assert makers.train.make(random.Random(1)) == makers.train.make(random.Random(1))


def test_batches_can_be_entered_anywhere(makers: Makers, trained: ReaderTrainer) -> None:
    def some(start: int) -> list[np.ndarray]:
        batches = Batches(makers.train, trained.tokens, 1, 4, TINY.n_ctx)
        return [batches(number).positions for number in range(start, start + 3)]

    early, late = some(14), some(15)  # across the end of a pool of 16
    assert np.array_equal(early[1], late[0]) and np.array_equal(early[2], late[1])


def test_long_scenes_are_left_out(makers: Makers, trained: ReaderTrainer) -> None:
    batches = Batches(makers.train, trained.tokens, 1, 4, 300)
    shown = [batches(number) for number in range(20)]
    assert all(batch.ids.shape[1] <= 300 and batch.positions.max() < 300 for batch in shown)


# --- training ---------------------------------------------------------------------------------


def test_the_start_knows_the_encoder(start: Start, trained: ReaderTrainer) -> None:
    model = start.model(TINY)
    ids, base = torch.tensor([trained.tokens.encode_text("who wrote it")]), start.encoder
    with torch.inference_mode():
        whole = base(input_ids=ids, output_hidden_states=True).hidden_states[TINY.n_layer]
        found = model.eval()(ids, torch.ones_like(ids), torch.arange(ids.shape[1])[None])
    assert torch.allclose(found, whole, atol=1e-5)
    positions = model.encoder.embeddings.position_embeddings.weight
    assert torch.equal(positions[100], positions[99]) and torch.equal(positions[200], positions[0])


def test_a_stopped_run_ends_with_the_same_weights(
    makers: Makers, start: Start, trained: ReaderTrainer, tmp_path: Path
) -> None:
    first = ReaderTrainer(RECIPE, makers, tmp_path, start)
    with pytest.raises(KeyboardInterrupt):
        first.run(ctrl_c_at(4))
    second, steps = ReaderTrainer(RECIPE, makers, tmp_path, start), []
    assert second.run(lambda progress: steps.append(progress.step)) and steps == [5, 6]
    for name, weight in trained.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name


def test_training_learns_something(makers: Makers, start: Start, tmp_path: Path) -> None:
    recipe = Recipe(TINY, batch_size=8, steps=25, warmup_steps=3, learning_rate=1e-3, check_every=5, check_scenes=8)
    ReaderTrainer(recipe, makers, tmp_path, start).run()
    losses = [json.loads(line)["loss"] for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(losses) == 5 and losses[-1] < losses[0] - 0.15


def test_another_recipe_does_not_go_on_a_checkpoint(makers: Makers, start: Start, trained: ReaderTrainer) -> None:
    other = Recipe(TINY, batch_size=5, steps=6)
    with pytest.raises(ModelError, match="batch_size"):
        ReaderTrainer(other, makers, trained.work, start).resume()


def test_a_run_can_start_from_the_weights_of_another(
    makers: Makers, encoder_folder: Path, trained: ReaderTrainer, tmp_path: Path
) -> None:
    later = find_start(encoder_folder, trained.work)
    second = ReaderTrainer(replace(RECIPE, rng_seed=2), makers, tmp_path, later)
    assert second.step == 0 and second.tokens.token_texts() == trained.tokens.token_texts()
    assert second.training_data == trained.training_data == list(later.training_data)
    for name, weight in trained.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name
    with pytest.raises(KeyboardInterrupt):
        second.run(ctrl_c_at(2))
    again = ReaderTrainer(replace(RECIPE, rng_seed=2), makers, tmp_path, later)
    again.resume()
    assert again.step == 2 and again.config.start_weights == second.config.start_weights != ""
    with pytest.raises(ModelError, match="another size"):
        other = replace(RECIPE, model=replace(TINY, n_layer=1))
        ReaderTrainer(other, makers, tmp_path / "other", later)


def test_a_broken_checkpoint(makers: Makers, start: Start, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="not a checkpoint"):
        ReaderTrainer(RECIPE, makers, tmp_path, start).resume()


def test_an_encoder_that_is_none(tmp_path: Path, trained: ReaderTrainer) -> None:
    with pytest.raises(ModelError, match="no config"):
        find_start(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="not a tokenizer file"):
        ReaderTokens.load(tmp_path / "tokenizer.json")


def test_every_line_has_a_verdict_at_its_number(makers: Makers, trained: ReaderTrainer) -> None:
    rng = random.Random(1)
    for scene in make_scenes(makers.train, 9, 0, 40):
        encoded = encode_scene(scene, trained.tokens)
        assert [encoded.prompt[at] in trained.tokens.number_ids for at in encoded.numbers] == [True] * len(scene.lines)
        cited = [at for at, verdict in enumerate(encoded.verdicts, 1) if VERDICTS[verdict] == CITE]
        assert cited == list(scene.cite)
        assert [at for at, citable in enumerate(encoded.citable, 1) if citable] == citable_of(scene)
        positions = moved(encoded, rng, TINY.n_ctx).positions()
        assert positions[: encoded.numbers[0]] == list(range(encoded.numbers[0])) and max(positions) < TINY.n_ctx


def test_padding_changes_nothing(makers: Makers, trained: ReaderTrainer) -> None:
    encoded = [encode_scene(scene, trained.tokens) for scene in make_scenes(makers.train, 9, 0, 4)]
    trained.model.eval()
    with torch.inference_mode():
        together = judged(trained.model, make_batch(encoded))[0]
        alone = torch.cat([judged(trained.model, make_batch([one]))[0] for one in encoded])
    assert torch.allclose(together, alone, atol=1e-4)


def test_the_schedule_warms_up_and_decays() -> None:
    shares = [cosine(RECIPE.steps, RECIPE.warmup_steps)(step) for step in range(RECIPE.steps + 1)]
    assert shares[0] < shares[1] == 1.0 and shares[-1] == pytest.approx(0.04) and max(shares) == 1.0


def test_held_out_accuracy_counts_whole_replies(makers: Makers, trained: ReaderTrainer) -> None:
    """A model that cites no line is right where nothing is to be cited, one that cites all where all are."""
    model = copy.deepcopy(trained.model)
    torch.nn.init.zeros_(model.line_head.weight)
    for verdict, cited in ((OTHER, lambda _: []), (CITE, citable_of)):
        with torch.no_grad():
            model.line_head.bias.copy_(torch.tensor([9.0 * (one == verdict) for one in VERDICTS]))
        right: dict[str, list[bool]] = defaultdict(list)
        for kind, maker in (("", makers.held_out), ("blind ", makers.blind)):
            for scene in make_scenes(maker, HELD_OUT_SEED, 0, 60):
                right[kind + scene.kind].append(list(scene.cite) == cited(scene))
        expected = {kind: pytest.approx(np.mean(found), abs=1e-3) for kind, found in right.items()}
        assert held_out_accuracy(model, trained.tokens, makers, 60) == expected
        assert any(map(any, right.values())) and not all(map(all, right.values()))


# --- export -----------------------------------------------------------------------------------


def test_llama_cpp_tokenises_as_tokenizers_does(exported: Path, trained: ReaderTrainer, makers: Makers) -> None:
    engine = load_reader(exported).engine
    texts = list(STRINGS)
    for scene in make_scenes(makers.held_out, 6, 0, 60):
        texts.extend(piece.text for piece in reader_pieces(scene.question, scene.lines) if not piece.control)
    for text in texts:
        assert engine.tokenize(text) == trained.tokens.encode_text(text), text
    for name, index in trained.tokens.controls.items():
        assert engine.token_text(index) == name and engine.is_control(index)


def test_llama_cpp_computes_what_torch_does(exported: Path, trained: ReaderTrainer, makers: Makers) -> None:
    reader = load_reader(exported)
    trained.model.eval()
    scenes = [scene for scene in make_scenes(makers.held_out, 8, 0, 8) if citable_of(scene)]
    assert scenes
    for scene in scenes:
        encoded, citable = encode_scene(scene, trained.tokens), citable_of(scene)
        assert reader.prompt_tokens(scene.question, list(scene.lines)) == encoded.prompt
        found = reader.judged(encoded.prompt, scene.lines, citable)
        with torch.inference_mode():
            lines, answered = judged(trained.model, make_batch([encoded]))
        alone = Judged({line: line_log_odds(lines[line - 1].numpy()) for line in citable}, 0.0)
        expected = pooled(alone, ways(scene.lines))
        assert found.lines == pytest.approx(expected.lines, abs=0.05)
        assert found.scene == pytest.approx(float(answered[0]), abs=0.02)


def test_heads_survive_as_text() -> None:
    rng = np.random.default_rng(1)
    heads = Heads(rng.normal(size=(4, 6)).astype(np.float32), rng.normal(size=4).astype(np.float32))
    again = Heads.unpacked(heads.packed(), 6)
    assert np.array_equal(again.weight, heads.weight) and np.array_equal(again.bias, heads.bias)
    hidden = rng.normal(size=(3, 6))
    assert again(hidden) == pytest.approx(hidden @ heads.weight.T + heads.bias)
    for text in ("", "%%%", heads.packed()[:-8], Heads(heads.weight * np.nan, heads.bias).packed()):
        with pytest.raises(ValueError):
            Heads.unpacked(text, 6)


def test_logistic_regression_finds_the_odds() -> None:
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.normal(0, 2, 4000), rng.normal(0, 2, 4000), np.ones(4000)])
    targets = rng.random(4000) < 1 / (1 + np.exp(-(rows @ [1.0, 0.0, -0.5])))
    assert logistic_regression(rows, targets.astype(float)) == pytest.approx([1.0, 0.0, -0.5], abs=0.15)


@pytest.mark.parametrize(("kind", "embeddings"), [("Q8_0", None), ("Q8_0", "Q5_1"), ("Q4_K", "Q4_0")])
def test_quantised_files_are_smaller_and_judge_alike(
    kind: str, embeddings: str | None, exported: Path, makers: Makers, tmp_path: Path
) -> None:
    file = quantise(exported, tmp_path / "small.gguf", kind, embeddings)
    assert file.stat().st_size < exported.stat().st_size
    whole, small = load_reader(exported), load_reader(file)
    for scene in (scene for scene in make_scenes(makers.held_out, 8, 0, 8) if citable_of(scene)):
        tokens = whole.prompt_tokens(scene.question, list(scene.lines))
        assert small.prompt_tokens(scene.question, list(scene.lines)) == tokens
        found, wanted = (reader.judged(tokens, scene.lines, citable_of(scene)).lines for reader in (small, whole))
        assert found == pytest.approx(wanted, abs=0.05)  # they lie 0.5 apart; 0.001 (8 bits) to 0.015 (4) measured


def test_quantising_fails_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not quantise"):
        quantise(tmp_path / "none.gguf", tmp_path / "out.gguf")
    with pytest.raises(ModelError, match="no quantisation"):
        quantise(tmp_path / "none.gguf", tmp_path / "out.gguf", "Q1")


def test_more_tokens_than_positions(start: Start) -> None:
    model = start.model(ReaderConfig(n_layer=1, n_ctx=8))
    ids = torch.zeros(1, 9, dtype=torch.long)
    with pytest.raises(ValueError, match="do not fit"):
        model(ids, torch.ones_like(ids), torch.arange(9)[None])


def test_only_a_bert_encoder_will_do() -> None:
    from transformers import DistilBertConfig, DistilBertModel

    other = DistilBertModel(DistilBertConfig(vocab_size=50, dim=32, n_layers=1, n_heads=2, hidden_dim=32))
    with pytest.raises(ModelError, match="BERT"):
        ReaderModel(other, TINY)


# --- the command ------------------------------------------------------------------------------


def test_the_command_trains_stops_goes_on_and_ships(data: Path, encoder_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = {
        "data": data, "out": out, "encoder": encoder_folder, "steps": 2, "batch-size": 2, "layers": 1,
        "positions": 2048, "check-every": 1, "measure": 12,
    }  # fmt: skip
    command = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    stopped = CliRunner().invoke(train_command, [*command, "--minutes", "0.0000001"], catch_exceptions=False)
    assert "stopped at step" in stopped.stderr and not (out / "reader").exists()
    done = CliRunner().invoke(train_command, [*command, "--compare"], catch_exceptions=False)
    assert done.stdout.strip() == str(out / "reader") and "0.0 min left" in done.stderr
    reader = load_reader(out / "reader")
    assert reader.card["training_data"] == [
        base_encoder(encoder_folder.name), *load_makers(data).train.bank.sets, ENTITY_LABELS,
    ]  # fmt: skip
    assert reader.card["steps"] == 2 and reader.card["licence"] and set(reader.card["scores"]) == set(MEASURED)
    fitted = reader.card["verdict_weights"], reader.card["verdict_weights_unmarked"]
    assert fitted[0] != fitted[1] and all(set(weights) == {"line", "scene", "bias"} for weights in fitted)
    sizes = {name: figures["bytes"] for name, figures in reader.card["quantisations"].items()}
    assert set(sizes) == set(VARIANTS) == set(SHOWN_VARIANTS) and sizes["Q8_0-Q5_1"] == reader.card["bytes"]


def test_score_reader_measures_the_shipped_one(data: Path, tmp_path: Path) -> None:
    def scored(*more: str) -> Result:
        return CliRunner().invoke(score_reader, ["--data", str(data), "--number", "40", "--json", *more])

    done = scored()
    assert done.exit_code == 0, done.output
    scores = json.loads(done.stdout)
    assert set(scores) == set(SCENES) < set(MEASURED)
    with_plan, without = (scores[sort] for sort in SCENES)
    assert with_plan["one"] > 0.7 and with_plan["several"] > 0.7 and with_plan["none"] > 0.5 and without["one"] > 0.4
    assert json.loads(scored().stdout) == scores != json.loads(scored("--seed", "2").stdout)
    foreign = scored("-r", str(write_qwen2(tmp_path / "other.gguf")))
    assert isinstance(foreign.exception, UsageError) and "eval reading" in str(foreign.exception)


def test_a_run_can_start_from_a_finished_reader(
    trained: ReaderTrainer, makers: Makers, encoder_folder: Path, tmp_path: Path
) -> None:
    """The weights come back from the GGUF: exactly from F16 as far as 16 bits go, nearly from 8 bits."""
    exported = tmp_path / "reader" / "reader.gguf"
    exported.parent.mkdir()
    write_gguf(trained.model, trained.tokens, exported)
    card = make_card(exported, {"architecture": "bert"})
    (exported.parent / "model.json").write_text(json.dumps(card), encoding="utf-8")
    start = find_start(encoder_folder, exported.parent)
    again = ReaderTrainer(replace(RECIPE, rng_seed=5), makers, tmp_path / "run", start)
    for name, weight in trained.model.state_dict().items():
        if weight.is_floating_point():
            assert torch.allclose(weight, again.model.state_dict()[name], atol=1e-3), name
    (exported.parent / "other.gguf").write_bytes(b"GGUF nothing")
    with pytest.raises(ModelError, match="not the GGUF of a kgask reader"):
        load_weights(exported.parent / "other.gguf")
