"""Cards say what was trained on; the shipped planner's recipe runs from a base encoder to a calibrated planner."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from click.testing import CliRunner  # noqa: E402

from kgask import config  # noqa: E402
from kgask.cards import hash_mismatches  # noqa: E402
from kgask.cli.main import cli  # noqa: E402
from kgask.corpus import training_data as sets  # noqa: E402
from kgask.corpus.mix import Mix, load_corpus  # noqa: E402
from kgask.plan.card import RigelCard  # noqa: E402
from kgask.train.planner import export as export_onnx  # noqa: E402
from kgask.train.planner.queries import read_query_config
from kgask.train.planner.rigel import RigelTrainer  # noqa: E402
from kgask.train.planner.settings import RigelConfig, read_config  # noqa: E402
from kgask.train.reader.start import find_start  # noqa: E402

SHIPPED = config.shipped_root("model") / "rigel"
PHASES = tuple(SHIPPED / f"rigel-{n}.ini" for n in range(4))
BASE = dataclasses.replace(RigelConfig(), steps=2, batch_size=6, n_negatives=3, save_every=1, vocabularies={})
PEOPLE = "Ann Ray|Carl Moss|Dora Quill|Emil Sand|Fay North|Gus Vale|Hedy Lark|Ivo Stern|Jane Holt|Kurt Brand".split("|")
NAMELESS = ("Zoltan Ferrik", "Ymir Quent", "Xara Bloom", "Wim Dorsey", "Vera Knutt", "Ulf Trane", "Tess Opal")
BORN, DIED = ("P19", "where was {} born"), ("P20", "where did {} die")
ASKED = (BORN, DIED, ("P106", "what does {} do"), ("R50", "what did {} write"))


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every set that the shipped recipe names, in its published form, with rows of our own."""
    folder = tmp_path_factory.mktemp("data")
    labels = {f"Q{i}": name for i, name in enumerate(PEOPLE, 1)}
    properties = {"P50": "author", "P19": "place of birth", "P20": "place of death", "P106": "occupation"}
    write(folder / "wikidata_props" / "en1.json", properties | {"P36": "capital"})
    write(folder / "wikidata_labels_union.json.gz", labels | {"Q90": "Green Land"})
    write(folder / "kgconv" / "preferred_labels.json.gz", {})
    kinds = {"where was ": ("P19", " born?"), "when did ": ("P570", " die?"), "who wrote ": ("P50", "?")}
    templates = [
        {"template_key": {"p": key}, "templates": [{"left": left, "right": right}]}
        for left, (key, right) in kinds.items()
    ]
    write(folder / "kgconv" / "template_library.json.gz", templates)
    one_each = {"P50": "Who wrote [X]?", "P36": "Capital of [X]?"}
    write(folder / "entityquestions" / "relation_query_templates.json", one_each)
    rows = [
        f"{key}\t{relation}\tQ99\t{asked.format(name.lower())}\n"
        for key, name in [*labels.items(), *((f"Q5{i}", name) for i, name in enumerate(NAMELESS))]
        for relation, asked in ASKED
    ]
    rows += [f"Q7{i}\tP106\tQ99\twhat work brought in the money at the {word}\n" for i, word in enumerate("abcdef")]
    write(folder / "simplequestions_wikidata" / "annotated_wd_data_train.txt.gz", "".join(rows))
    chain = "SELECT DISTINCT ?x WHERE { wd:Q90 wdt:P36 ?p. ?x wdt:P19 ?p. }"
    asked = [f"{verb} in the capital of Green Land?" for verb in ("who began", "who came")]
    write(
        folder / "wikiwebquestions" / "train.json.gz",
        [{"id": f"w{i}", "utterance": text, "sparql": chain} for i, text in enumerate(asked)],
    )
    mintaka = {"answer": {"answerType": "numerical", "answer": [3]}, "complexityType": "count", "questionEntity": []}
    write(
        folder / "mintaka" / "mintaka_train_500.json",
        [mintaka | {"id": x, "question": f"how many {x}?"} for x in ("a", "b")],
    )
    _freebase(folder)
    return folder


def _freebase(folder: Path) -> None:
    rows = ["mid\twikidata_id\tlabel\tdescription\taliases"]
    rows += [f"/m/{i}\tQ{i}\t{name}\t\t{name} X" for i, name in enumerate(PEOPLE)]
    write(folder / "fb15k237" / "entities_named.tsv.gz", "\n".join(rows) + "\n")
    spouse = "/people/person/spouse_s./people/marriage/spouse"
    write(folder / "fb15k237" / "triples_mid.tsv.gz", f"/m/0\t{spouse}\t/m/1\ttrain\n/m/2\t{spouse}\t/m/3\ttrain\n")
    asked = [("w0", "who is ann ray married to?", "Carl Moss", "ann_ray")]
    asked += [("w1", "who is the wife of dora quill?", "Emil Sand", "dora_quill")]
    web = folder / "webquestions"
    write(web / "main" / "trainmodel.json.gz", [{"qId": i, "qText": t, "answers": [a]} for i, t, a, _ in asked])
    write(web / "d-freebase" / "trainmodel.json.gz", [{"qId": i, "freebaseKey": key} for i, _, _, key in asked])
    for kind in ("mids", "rp", "brp"):
        write(web / f"d-freebase-{kind}" / "trainmodel.json.gz", [])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random encoder with the shipped tokenizer."""
    folder = tmp_path_factory.mktemp("small") / "small-encoder"
    torch.manual_seed(0)
    settings = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=3, num_attention_heads=2, intermediate_size=64, vocab_size=30522
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((SHIPPED / "tokenizer.json").read_bytes())
    return folder


def settings(**shares: float) -> RigelConfig:
    return dataclasses.replace(BASE, shares=shares)


ALWAYS = [sets.ENTITY_LABELS, sets.PROPERTY_LABELS]


@pytest.mark.parametrize(
    ("shares", "listed"),
    [
        ({"own": 1.0}, [sets.OWN]),
        ({"own": 0.5, "wikiweb": 0.0, "off_topic": 0.5}, [sets.OWN, sets.SETS["off_topic"]]),
        ({"wikiweb": 0.5, "entityquestions": 0.5}, [sets.ENTITY_QUESTIONS, sets.SETS["wikiweb"]]),
        ({"mintaka": 0.5, "composed2": 0.5}, [sets.SETS["mintaka"], sets.OWN]),
        ({"kgconv": 0.5, "wrong_mask": 0.5}, [sets.KGCONV]),
    ],
)
def test_the_sets_with_a_share_are_listed_and_no_other(
    shares: dict[str, float], listed: list[str], data: Path, encoder: Path, tmp_path: Path
) -> None:
    trainer = RigelTrainer(data, tmp_path, encoder, settings(**shares))
    assert trainer.training_data == [sets.base_encoder("small-encoder"), *listed, *ALWAYS]


def test_another_vocabulary_is_listed_where_it_has_a_share(data: Path, encoder: Path, tmp_path: Path) -> None:
    found = {
        share: RigelTrainer(
            data, tmp_path, encoder, dataclasses.replace(settings(own=1.0), vocabularies={"freebase": share})
        ).training_data
        for share in (0.0, 0.3)
    }
    assert sets.WEBQUESTIONS in found[0.3] and sets.WEBQUESTIONS not in found[0.0]


def test_a_phase_lists_what_its_start_was_trained_on(data: Path, encoder: Path, tmp_path: Path) -> None:
    first = RigelTrainer(data, tmp_path / "first", encoder, settings(wikiweb=1.0))
    first.run(lambda _: None)
    second = RigelTrainer(data, tmp_path / "second", encoder, settings(own=1.0), init=first.checkpoint)
    assert second.training_data == [*first.training_data[:2], *ALWAYS, sets.OWN]
    state = torch.load(first.checkpoint, weights_only=True)
    del state["training_data"]
    torch.save(state, tmp_path / "old.pt")
    third = RigelTrainer(data, tmp_path / "third", encoder, settings(own=1.0), init=tmp_path / "old.pt")
    assert third.training_data == ["what old.pt was trained on, which it does not say", sets.OWN, *ALWAYS]


def test_the_shipped_cards_list_what_their_recipes_draw_from(data: Path) -> None:
    listed = RigelCard.load(SHIPPED).content["training_data"]
    drawn: set[str] = set()
    for phase in PHASES:
        read = read_config(phase)
        drawn |= Mix(load_corpus(data, read.rng_seed, read.wanted()), 5, {}, read.shares, read.vocabularies).sources()
    phases = [read_query_config(SHIPPED / name).wanted() for name in ("queries.ini", "worded.ini")]
    queries = set().union(*phases) - {"paths"}
    more = [sets.base_encoder("all-MiniLM-L6-v2"), sets.ENTITY_QUESTION_NAMES, *ALWAYS]
    assert set(listed) == {*sets.sets_of(drawn | queries), *more}
    reader = sets.of_folder(config.shipped_root("model") / "reader")
    # The reader began with the planner before it was taught to write queries.
    assert set(reader) == {*sets.sets_of(drawn), *more, "the relation table demo/relations.tsv"}


@pytest.mark.slow
def test_the_recipe_runs_from_the_encoder_to_a_calibrated_planner(
    data: Path, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Random weights nearly tie between hundreds of relations: int8 turns more of their plans than of a trained one's.
    monkeypatch.setattr(export_onnx, "AGREEMENT", 0.5)
    small = ["--steps", "2", "--batch-size", "8", "--probes", "20", "--threads", "1"]
    folder: Path | None = None
    for n, phase in enumerate(PHASES):
        start = ["--init", str(folder)] if folder else []
        before = set(RigelCard.load(folder).content["training_data"]) if folder else set()
        folder = tmp_path / f"rigel{n}"
        given = ["--config", phase, "--data", data, "--encoder", encoder, "--out", folder]
        done = CliRunner().invoke(cli, ["train", "rigel", *map(str, given), *start, *small], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        card = RigelCard.load(folder).content
        assert set(card["training_data"]) >= before and card["encoder"] == "small-encoder"
        assert card["linker"] and card["linker_data"] == [sets.SIMPLE] and card["parity"]["quantised"]
    assert {sets.WEBQUESTIONS, sets.SETS["mintaka"], sets.SIMPLE, sets.KGCONV} <= set(card["training_data"])
    given = ["--data", data, "--model", folder, "--no-reader", "--probes", "50"]
    done = CliRunner().invoke(cli, ["train", "calibrate", *map(str, given)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    calibrated = RigelCard.load(folder).content
    assert calibrated["calibration_scores"]["packs"] == ["demo"]
    assert calibrated["training_data"] == card["training_data"]
    assert not hash_mismatches(folder, calibrated["files"])
    assert find_start(folder).training_data == tuple(card["training_data"])  # what a reader that starts from it carries
