"""Training the planner: data, targets, exact resume, export. Needs the [train] extra."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from kgask import config  # noqa: E402
from kgask.errors import ModelError  # noqa: E402
from kgask.train import data  # noqa: E402
from kgask.train.compose import Composer  # noqa: E402
from kgask.train.data import MASK, PathExample  # noqa: E402
from kgask.train.export_onnx import INPUTS, OUTPUTS, export  # noqa: E402
from kgask.train.loop import IGNORE, RigelConfig, RigelTrainer, hop_targets  # noqa: E402
from kgask.train.mix import RelationSet  # noqa: E402
from kgask.train.model import MAX_HOPS, HopDecoder, Rigel  # noqa: E402
from kgask.train.wikiweb import wikiweb_questions  # noqa: E402
from kgask.train.wordings import load_wordings  # noqa: E402

TINY = RigelConfig(steps=4, batch_size=8, n_negatives=4, save_every=2)


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
    row = {"utterance": "who was born in the capital of Green Land?", "sparql": chain}
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
    labels = data.load_labels(sets)
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
    relations = RelationSet(("P50", "P19"), ("author", "place of birth"))
    two_hops = PathExample(f"where was the author of {MASK} born", (("P50", False), ("P19", False)), "own")
    off_topic = PathExample(f"hello {MASK}", (), "off_topic")
    targets = hop_targets([two_hops, off_topic], relations, {}, random.Random(0))
    assert targets.relation[0].tolist() == [0, 1, IGNORE]
    assert targets.stop[0].tolist() == [0, 1, IGNORE]
    assert targets.relation[1].tolist() == [4, IGNORE, IGNORE]  # column 2R: none of them
    inverse = PathExample(f"who was born in {MASK}", (("P19", True),), "own")
    drawn = [hop_targets([inverse], relations, {}, random.Random(seed)) for seed in range(60)]
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
    RigelTrainer(sets, tmp_path, encoder, TINY).save()
    other = RigelTrainer(sets, tmp_path, encoder, RigelConfig(steps=5, batch_size=8, n_negatives=4))
    with pytest.raises(ModelError, match="another config"):
        other.resume()


def test_training_lowers_the_loss(sets: Path, encoder: Path, tmp_path: Path) -> None:
    trainer = RigelTrainer(sets, tmp_path, encoder, RigelConfig(steps=60, batch_size=16, n_negatives=4, encoder_lr=1e-3))
    losses = [trainer.train_step()[0] for _ in range(60)]
    assert np.mean(losses[-10:]) < 0.9 * np.mean(losses[:10])


def test_export_equals_torch_and_int8_stays_close(sets: Path, encoder: Path, tmp_path: Path) -> None:
    import onnxruntime

    trainer = RigelTrainer(sets, tmp_path / "work", encoder, TINY)
    trainer.run(lambda _: None)
    probe = [f"who wrote {MASK}", f"where was the author of {MASK} born", f"{MASK}"]
    parity = export(trainer.model, encoder, tmp_path / "out", 32, probe, ["author", "place of birth"])
    assert parity.fp32 < 1e-4
    session = onnxruntime.InferenceSession(str(tmp_path / "out" / "rigel.onnx"), providers=["CPUExecutionProvider"])
    assert [node.name for node in session.get_inputs()] == INPUTS
    ids, mask = trainer.texts(probe)
    relations = trainer.model.encode(*trainer.texts(["author", "capital", "area"]))[1].detach()
    first_mask = torch.ones(3, 6)  # another number of relations and questions than at export
    with torch.no_grad():
        expected = trainer.model.eval()(ids, mask, relations, first_mask)
    probs, stops, _ = session.run(
        OUTPUTS,
        {
            "input_ids": ids.numpy(),
            "attention_mask": mask.numpy(),
            "relations": relations.numpy(),
            "first_mask": first_mask.numpy(),
        },
    )
    assert probs.shape == (3, MAX_HOPS, 7)
    np.testing.assert_allclose(probs.sum(-1), 1.0, atol=1e-4)
    np.testing.assert_allclose(probs, expected.relation_log_probs.exp().numpy(), atol=0.05)
    np.testing.assert_allclose(stops, torch.sigmoid(expected.stop_logits).numpy(), atol=0.05)


def test_the_first_mask_changes_only_what_follows() -> None:
    torch.manual_seed(1)
    decoder = HopDecoder(16).eval()
    tokens, mask = torch.randn(1, 5, 16), torch.ones(1, 5, dtype=torch.long)
    directed = decoder.directed_relations(torch.nn.functional.normalize(torch.randn(4, 16), dim=-1))
    with torch.no_grad():
        free = decoder(tokens, mask, tokens.mean(1), directed, torch.ones(1, 8))
        bound = decoder(tokens, mask, tokens.mean(1), directed, torch.eye(8)[:1])
    assert torch.equal(free.relation_log_probs[:, 0], bound.relation_log_probs[:, 0])
    assert not torch.allclose(free.relation_log_probs[:, 1], bound.relation_log_probs[:, 1])


def test_the_model_takes_more_hops_than_it_was_trained_for(encoder: Path) -> None:
    from kgask.train.encoder import load_encoder

    model = Rigel(load_encoder(encoder)).eval()
    directed = model.decoder.directed_relations(torch.randn(3, 32))
    tokens = torch.randn(2, 4, 32)
    output = model.decoder(tokens, torch.ones(2, 4), tokens.mean(1), directed, torch.ones(2, 6), n_hops=5)
    assert output.relation_log_probs.shape == (2, 5, 7)
