"""Training the planner: data, targets, exact resume, export. Needs the [train] extra."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import shutil
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from kgask import config  # noqa: E402
from kgask.cards import file_entry, write_card  # noqa: E402
from kgask.corpus import examples as data  # noqa: E402
from kgask.corpus.compose import Composer  # noqa: E402
from kgask.corpus.examples import MASK, PathExample, wikidata_example  # noqa: E402
from kgask.corpus.mix import Corpus, Mix, RelationSet  # noqa: E402
from kgask.corpus.wikiweb import wikiweb_questions  # noqa: E402
from kgask.corpus.wordings import load_wordings  # noqa: E402
from kgask.errors import ModelError, UsageError  # noqa: E402
from kgask.plan.card import CLOSED_FILE, RigelCard  # noqa: E402
from kgask.plan.providers import FULL_GRAPH, open_session  # noqa: E402
from kgask.sets.wikidata import entity_labels  # noqa: E402
from kgask.train.planner.card import build_model_folder  # noqa: E402
from kgask.train.planner.export import INPUTS, OUTPUTS, ExportedRigel, Parity  # noqa: E402
from kgask.train.planner.model import MAX_HOPS, HopDecoder, Rigel  # noqa: E402
from kgask.train.planner.rigel import RigelTrainer  # noqa: E402
from kgask.train.planner.settings import RigelConfig, read_config  # noqa: E402
from kgask.train.planner.targets import IGNORE, WRONG_MASK, path_targets  # noqa: E402
from kgask.train.planner.weights import load_torch  # noqa: E402

pytestmark = pytest.mark.slow

SHARES = {"simple": 0.3, "kgconv": 0.1, "own": 0.2, "composed2": 0.2, "constrained": 0.1, "wrong_mask": 0.1}
TINY = RigelConfig(steps=4, batch_size=8, n_negatives=4, save_every=2, shares=SHARES, vocabularies={})


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in the form of the public sets, with a few rows of our own in each."""
    folder = tmp_path_factory.mktemp("sets")
    _write(folder / "wikidata_props" / "en1.json", {"P50": "author", "P19": "place of birth", "P36": "capital"})
    _write(folder / "wikidata_labels_union.json.gz", {"Q1": "Grey Heron", "Q2": "Old Town"})
    _write(folder / "kgconv" / "preferred_labels.json.gz", {"Q3": "Green Land"})
    templates = [{"template_key": {"p": "-P36"}, "templates": [{"left": "what is ", "right": " the capital of?"}]}]
    _write(folder / "kgconv" / "template_library.json.gz", templates)
    _write(folder / "entityquestions" / "relation_query_templates.json", {"P50": "Who wrote [X]?"})
    rows = "Q1\tP50\tQ9\twho wrote grey heron\nQ2\tR19\tQ9\tname someone born in old town\n"
    _write(folder / "simplequestions_wikidata" / "annotated_wd_data_train.txt.gz", rows)
    chain = "SELECT DISTINCT ?x WHERE { wd:Q3 wdt:P36 ?p. ?x wdt:P19 ?p. }"
    row = {"id": "w0", "utterance": "who was born in the capital of Green Land?", "sparql": chain}
    _write(folder / "wikiwebquestions" / "train.json.gz", [row])
    return folder


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


def test_readers_mask_the_topic_and_keep_the_path(sets: Path) -> None:
    labels = entity_labels(sets)
    assert list(data.simple_questions(sets, labels)) == [
        PathExample(f"who wrote {MASK}", (("P50", False),), "simple", answer_type="entity"),
        PathExample(f"name someone born in {MASK}", (("P19", True),), "simple", answer_type="entity"),
    ]
    assert [e.path for e in data.kgconv_templates(sets)] == [(("P36", True),)]
    assert list(wikiweb_questions(sets, labels)) == [
        PathExample(
            f"who was born in the capital of {MASK}?", (("P36", False), ("P19", True)), "wikiweb", answer_type="entity"
        )
    ]


def test_composed_questions_hold_one_mask_and_repeat_with_the_seed() -> None:
    wordings = load_wordings()

    def drawn() -> list[PathExample]:
        composer = Composer(wordings, {}, random.Random(3))
        return [composer.draw(hops) for hops in (1, 2, 3) for _ in range(200)]

    first = drawn()
    assert first == drawn()
    assert {len(example.path) for example in first} == {1, 2, 3}
    assert all(example.text.count(MASK) == 1 for example in first)
    assert all(key in wordings for example in first for key, _ in example.path)


def test_targets_stop_at_the_last_hop_and_say_none_when_the_relation_is_away() -> None:
    relations = RelationSet(("P50", "P19"), ("author", "place of birth")).index()
    two_hops = PathExample(f"where was the author of {MASK} born", (("P50", False), ("P19", False)), "own")
    off_topic = PathExample(f"hello {MASK}", (), "off_topic")
    targets = path_targets([two_hops, off_topic], relations, {}, random.Random(0))
    assert targets.relation[0].tolist() == [0, 1, IGNORE]
    assert targets.stop[0].tolist() == [0, 1, IGNORE]
    assert targets.relation[1].tolist() == [4, IGNORE, IGNORE]  # column 2R: none of them
    inverse = PathExample(f"who was born in {MASK}", (("P19", True),), "own")
    drawn = [path_targets([inverse], relations, {}, random.Random(seed)) for seed in range(60)]
    said = {int(t.relation[0, 0]) for t in drawn}
    assert said == {3, 4}  # P19 inverse, or none when it was taken away
    taken = next(t for t in drawn if int(t.relation[0, 0]) == 4)
    assert taken.taken_away[0, 0].tolist() == [False, True, False, True, False]


def test_a_resumed_run_ends_in_the_same_weights(sets: Path, encoder: Path, tmp_path: Path) -> None:
    whole = RigelTrainer(sets, tmp_path / "whole", encoder, TINY)
    whole.run(lambda _: None)

    class Killed(Exception):
        pass

    def kill_after_three(progress: object) -> None:
        if progress.step == 3:
            raise Killed

    broken = RigelTrainer(sets, tmp_path / "broken", encoder, TINY)
    with pytest.raises(Killed):
        broken.run(kill_after_three)
    resumed = RigelTrainer(sets, tmp_path / "broken", encoder, TINY)
    steps: list[int] = []
    resumed.run(lambda progress: steps.append(progress.step))
    assert steps == [3, 4]  # from the checkpoint of step 2
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, resumed.model.state_dict()[name]), name


def test_a_checkpoint_of_another_config_is_refused(sets: Path, encoder: Path, tmp_path: Path) -> None:
    RigelTrainer(sets, tmp_path, encoder, TINY).run(lambda _: None)
    other = RigelTrainer(sets, tmp_path, encoder, dataclasses.replace(TINY, steps=5))
    with pytest.raises(ModelError, match="other settings or data .steps."):
        other.resume()


def test_training_lowers_the_loss(sets: Path, encoder: Path, tmp_path: Path) -> None:
    trainer = RigelTrainer(sets, tmp_path, encoder, dataclasses.replace(TINY, steps=60, batch_size=16, encoder_lr=1e-3))
    losses = [trainer.train_step()["loss"] for _ in range(60)]
    assert np.mean(losses[-10:]) < 0.9 * np.mean(losses[:10])


@pytest.fixture(scope="module")
def exported(sets: Path, encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[RigelTrainer, Path, Parity]:
    """A run of a few steps and its model folder: exporting takes most of the time of these tests, so once."""
    trainer = RigelTrainer(sets, tmp_path_factory.mktemp("work"), encoder, TINY)
    trainer.run(lambda _: None)
    out = tmp_path_factory.mktemp("exported")
    pack = config.find("pack", "demo").path
    parity, _ = build_model_folder(trainer, out, pack, 20, lambda done, n: None, keep_full=True)
    trainer.model.eval()
    return trainer, out, parity


def test_export_equals_torch_and_int8_stays_close(exported: tuple[RigelTrainer, Path, Parity]) -> None:
    trainer, out, parity = exported
    assert parity.fp32 < 1e-4
    ids, mask = trainer.texts([f"who wrote {MASK}", f"where was the author of {MASK} born", f"{MASK}"])
    with torch.no_grad():
        directed = trainer.model.directed(trainer.model.encode(*trainer.texts(["author", "capital", "area"]))[1])
        inputs = (ids, mask, directed, torch.ones(3, 6))  # another number of relations and questions than at export
        expected = [tensor.numpy() for tensor in ExportedRigel(trainer.model)(*inputs)]
    for name, tolerance in ((FULL_GRAPH, 1e-4), ("rigel.onnx", 0.05)):
        session, _ = open_session(out / name)
        assert [node.name for node in session.get_inputs()] == INPUTS
        found = session.run(OUTPUTS, {key: tensor.numpy() for key, tensor in zip(INPUTS, inputs, strict=True)})
        for key, array, wanted in zip(OUTPUTS, found, expected, strict=True):
            np.testing.assert_allclose(array, wanted, atol=tolerance, err_msg=f"{name}: {key}")
        probs, _, _, types, _, inverse = found
        assert probs.shape == (3, MAX_HOPS, 7)
        np.testing.assert_allclose(probs.sum(-1), 1.0, atol=1e-4)
        np.testing.assert_allclose(types.sum(-1), 1.0, atol=1e-4)
        np.testing.assert_allclose(np.linalg.norm(inverse, axis=1), 1.0, atol=1e-4)


def test_the_card_lists_the_full_graph(exported: tuple[RigelTrainer, Path, Parity]) -> None:
    _, out, _ = exported
    assert RigelCard.load(out).content["files"][FULL_GRAPH] == file_entry(out / FULL_GRAPH)


def test_shipped_weights_come_back_to_torch(exported: tuple[RigelTrainer, Path, Parity]) -> None:
    trainer, out, _ = exported
    again = load_torch(out)
    for name, weight in trainer.model.state_dict().items():
        scale = float(weight.abs().max()) + 1e-4  # weights are found by value, to 1e-6
        np.testing.assert_allclose(again.state_dict()[name].numpy(), weight.numpy(), atol=0.02 * scale, err_msg=name)


def test_a_closed_vocabulary_is_bound_to_its_graph(exported: tuple[RigelTrainer, Path, Parity], tmp_path: Path) -> None:
    """Its rows are found by key; tests of ``train domain`` export one."""
    from kgask.pack.records import RelationText
    from kgask.plan.rigel_onnx import RigelPlanner

    shutil.copytree(exported[1], tmp_path, dirs_exist_ok=True)
    closed = np.random.default_rng(0).standard_normal((4, 32)).astype(np.float32)
    np.save(tmp_path / CLOSED_FILE, closed)
    card = json.loads((tmp_path / "model.json").read_text())
    card["files"][CLOSED_FILE] = file_entry(tmp_path / CLOSED_FILE)
    write_card(tmp_path, card | {"closed_vocabulary": ["a", "b"]})
    planner = RigelPlanner.load(tmp_path)
    relations = [RelationText(key, key, (), "", "") for key in ("b", "a")]
    np.testing.assert_array_equal(planner.relation_matrix(relations), closed[[1, 0, 3, 2]])
    with pytest.raises(ModelError, match="no relation 'c'"):
        planner.relation_matrix([RelationText("c", "c", (), "", "")])


def test_the_mask_is_the_tokenizers_own(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    from kgask.train.encoder import TextBatcher

    words = Tokenizer(models.WordLevel({"<pad>": 0, "<unk>": 1, "<mask>": 2, "who": 3}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.add_special_tokens(["<pad>", "<unk>", "<mask>"])
    words.save(str(tmp_path / "tokenizer.json"))
    ids, mask = TextBatcher.load(tmp_path, 8)([f"who {MASK}", "who"])
    assert ids.tolist() == [[3, 2], [3, 0]]
    assert mask.tolist() == [[1, 1], [1, 0]]
    words = Tokenizer(models.WordLevel({"<pad>": 0}, unk_token="<pad>"))
    words.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ModelError, match="mask token"):
        TextBatcher.load(tmp_path, 8)


def test_kinds_of_questions_have_targets() -> None:
    wrong = PathExample(f"who {MASK} emma", None, WRONG_MASK)
    plain = PathExample(f"who wrote {MASK}", (("P50", False),), "own", answer_type="entity")
    two = PathExample(f"books by {MASK} from 1811", (("P50", True),), "constrained", constrained=True)
    targets = path_targets([wrong, plain, two], {"P50": 0}, {}, random.Random(1))
    assert targets.branch.tolist() == [[0, IGNORE], [1, 0], [1, 1]]
    assert targets.answer_type.tolist() == [IGNORE, 0, IGNORE]
    assert targets.relation[0].tolist() == [IGNORE] * MAX_HOPS


def test_hop_weights_are_a_distribution_that_stop_probs_unfold() -> None:
    from kgask.train.planner.model import RigelOutput
    from kgask.types import Branch

    torch.manual_seed(0)
    stops, hops = 8 * torch.randn(5, 3), torch.randn(5, 3)
    output = RigelOutput(torch.zeros(5, 3, 3), stops, hops, torch.zeros(5, 2), torch.zeros(5, 4))
    np.testing.assert_allclose(output.hop_weights.sum(1).numpy(), 1.0, rtol=1e-5)
    for weights, stops in zip(output.hop_weights.numpy(), output.stop_probs.numpy(), strict=True):
        np.testing.assert_allclose(Branch((), np.zeros((3, 2)), stops).hop_weights, weights, atol=1e-5)


def test_a_config_file_sets_every_kind_of_setting(tmp_path: Path) -> None:
    path = tmp_path / "rigel.ini"
    path.write_text("[rigel]\nsteps = 9\nencoder_lr = 2e-5\n[mix]\nsimple = 0.4\n[vocabularies]\n")
    found = read_config(path)
    assert (found.steps, found.encoder_lr, found.shares, found.vocabularies) == (9, 2e-5, {"simple": 0.4}, {})
    for text, message in (
        ("[rigel]\nstep = 9\n", "unknown setting 'step'"),
        ("[rigel]\nsteps = many\n", "many"),
        ("[mix]\nsimple = 2\n", "from 0 to 1"),
        ("[rigel]\nvalidate_every = 0\n", "validate_every = 0 is out of bounds"),
        ("[rigel]\nhead_lr = nan\n", "head_lr = nan is out of bounds"),
        ("[rigel]\nof_base = 1.5\n", "of_base = 1.5 is out of bounds; a share is"),
        ("[mix]\nsimple = 0\n", "all shares are 0"),
        ("[other]\n", "unknown section"),
        ("steps = 9\n", "not an INI file"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=message):
            read_config(path)


def test_shown_labels_are_a_share(sets: Path) -> None:
    texts = {"P50": ["author", "writer", "written by"], "P19": ["place of birth", "born in"]}
    batch = [wikidata_example(f"who wrote {MASK}", (("P50", False),), "simple")]
    train = {"simple": [*batch, wikidata_example(f"where was {MASK} born", (("P19", False),), "simple")]}
    corpus = Corpus(train, [], texts, {}, [])
    for share, shown in ((1.0, {"author"}), (0.0, {"author", "writer", "written by"})):
        mix = Mix(corpus, 9, {}, {"simple": 1.0}, {}, share)
        drawn = [mix.relations(batch, random.Random(seed)) for seed in range(40)]
        assert {relations.keys for relations in drawn} == {("P50", "P19")}
        assert {relations.texts[0] for relations in drawn} == shown


def test_the_example_of_one_data_set_is_a_config() -> None:
    example = read_config(Path(str(resources.files("kgask.train") / "simplequestions.ini")))
    assert set(example.shares) == {"simple_as_asked", "simple_unmasked_as_asked"}
    assert example.validate_every == example.steps  # the last weights are kept


def test_a_share_without_questions_is_refused(sets: Path, encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="names 'poetry'"):
        RigelTrainer(sets, tmp_path, encoder, dataclasses.replace(TINY, shares={"poetry": 1.0}))


def test_validation_keeps_the_best_weights(sets: Path, encoder: Path, tmp_path: Path) -> None:
    settings = dataclasses.replace(TINY, steps=6, validate_every=2, patience=1)
    packs = [config.find("pack", "demo").path]
    trainer = RigelTrainer(sets, tmp_path, encoder, settings, packs=packs)
    seen: list[dict[str, float]] = []
    trainer.run(lambda progress: seen.append(progress.figures))
    assert trainer.best.score == max(figures["Hits@1"] for figures in seen if figures)
    best = torch.load(tmp_path / "best.pt", weights_only=True)
    assert all(torch.equal(weight, best[name]) for name, weight in trainer.model.state_dict().items())


def test_the_first_mask_changes_only_what_follows() -> None:
    torch.manual_seed(1)
    decoder = HopDecoder(16).eval()
    tokens, mask = torch.randn(1, 5, 16), torch.ones(1, 5, dtype=torch.long)
    forward = torch.nn.functional.normalize(torch.randn(4, 16), dim=-1)
    directed = torch.cat([forward, decoder.inverse(forward)])
    with torch.no_grad():
        free = decoder(tokens, mask, tokens.mean(1), directed, torch.ones(1, 8))
        bound = decoder(tokens, mask, tokens.mean(1), directed, torch.eye(8)[:1])
    assert torch.equal(free.relation_log_probs[:, 0], bound.relation_log_probs[:, 0])
    assert not torch.allclose(free.relation_log_probs[:, 1], bound.relation_log_probs[:, 1])


def test_the_model_takes_more_hops_than_it_was_trained_for(encoder: Path) -> None:
    from kgask.train.encoder import load_encoder

    model = Rigel(load_encoder(encoder)).eval()
    directed = model.directed(torch.randn(3, 32))
    tokens = torch.randn(2, 4, 32)
    output = model.decoder(tokens, torch.ones(2, 4), tokens.mean(1), directed, torch.ones(2, 6), n_hops=5)
    assert output.relation_log_probs.shape == (2, 5, 7)
