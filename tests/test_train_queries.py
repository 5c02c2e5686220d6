"""Teaching a planner to write queries, with a tiny random encoder: resume, export, load, ask."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import re
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from click.testing import CliRunner  # noqa: E402
from test_ask_cli import kgask  # noqa: E402

from kgask import config  # noqa: E402
from kgask.cards import hash_mismatches, write_card  # noqa: E402
from kgask.cli.main import cli  # noqa: E402
from kgask.corpus.operator_files import FOLDER  # noqa: E402
from kgask.errors import ModelError, UsageError  # noqa: E402
from kgask.plan.card import FILES, FORMAT, RigelCard  # noqa: E402
from kgask.plan.providers import QUERY_GRAPH  # noqa: E402
from kgask.plan.rigel_onnx import RigelPlanner  # noqa: E402
from kgask.train.encoder import TextBatcher, architecture, load_encoder  # noqa: E402
from kgask.train.planner import queries  # noqa: E402
from kgask.train.planner.card import DEFAULT_CALIBRATION  # noqa: E402
from kgask.train.planner.export import export  # noqa: E402
from kgask.train.planner.model import Rigel  # noqa: E402
from kgask.train.planner.queries import QueriesTrainer, read_query_config  # noqa: E402
from kgask.train.planner.query_parity import same_queries  # noqa: E402
from kgask.train.planner.query_train import QueryConfig, TextVectors, encoded  # noqa: E402
from kgask.train.planner.weights import load_query  # noqa: E402

pytestmark = pytest.mark.slow

SHIPPED = config.shipped_root("model") / "rigel"
TINY = QueryConfig(
    steps=4, batch_size=6, hidden=16, n_negatives=4, save_every=2, validate_every=4,
    shares={"operators": 0.7, "wikisql_count": 0.3},
)  # fmt: skip
INI = "[queries]\nhidden = 16\nn_negatives = 4\nvalidate_every = 4\n[mix]\noperators = 0.7\nwikisql_count = 0.3\n"
CITIES = "Bath Cork Dover Essen Fulda Ghent Haifa Ipswich Jena Kiel".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels and tables in their published forms, with rows of our own."""
    folder = tmp_path_factory.mktemp("data")
    rows = [
        f"How many players are from {city}?\tSELECT COUNT PLAYER_FIELD FROM TABLE WHERE HOME_TOWN_FIELD = {city}\t1-{n}"
        for n, city in enumerate(CITIES)
    ]
    named = {key for file in FOLDER.iterdir() for key in re.findall(r"\bP\d+", file.read_text(encoding="utf-8"))}
    for name, content in (
        ("wikidata_props/en1.json", json.dumps({key: f"relation {key[1:]}" for key in sorted(named)})),
        ("wikidata_labels_union.json.gz", json.dumps({f"Q{n}": city for n, city in enumerate(CITIES)})),
        ("kgconv/preferred_labels.json.gz", "{}"),
        ("wikisql/train.tsv.gz", "".join(f"{row}\n" for row in rows)),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported planner with a tiny random encoder, which writes no queries."""
    encoder, folder = tmp_path_factory.mktemp("encoder"), tmp_path_factory.mktemp("base")
    torch.manual_seed(0)
    settings = transformers.BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=30522
    )
    transformers.BertModel(settings, add_pooling_layer=False).save_pretrained(encoder)
    (encoder / "tokenizer.json").write_bytes((SHIPPED / "tokenizer.json").read_bytes())
    model = Rigel(load_encoder(encoder))
    export(model, encoder, folder, 32, ["who directed [MASK]", "what is [MASK]"], ["director", "spouse"])
    (folder / "question_words.txt").write_text("who\nwhat\nis\n", encoding="utf-8")
    about = {"max_tokens": 32, "architecture": architecture(model.encoder), "calibration": DEFAULT_CALIBRATION}
    write_card(folder, FORMAT.card(folder, FILES, **about))
    return folder


@pytest.fixture(scope="module")
def lenient() -> pytest.MonkeyPatch:
    """Random weights nearly tie between hundreds of relations: int8 turns many of their decisions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "SAME_QUERIES", 0.2)
        patch.setattr("kgask.train.planner.export.AGREEMENT", 0.3)
        patch.setattr(queries, "LOOKED_AT", 50)
        yield patch


@pytest.fixture(scope="module")
def taught(data: Path, base: Path, tmp_path_factory: pytest.TempPathFactory, lenient: pytest.MonkeyPatch) -> Path:
    """What the command writes."""
    folder = tmp_path_factory.mktemp("taught")
    (folder / "mix.ini").write_text(INI)
    given = ["--data", data, "--init", base, "--config", folder / "mix.ini", "-o", folder / "out"]
    small = ["--steps", "2", "--batch-size", "6", "--threads", "1"]
    done = CliRunner().invoke(cli, ["train", "queries", *map(str, given), *small], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "of the held-out queries that torch writes right" in done.output
    return folder / "out"


def test_the_card_lists_the_step_graph_and_what_was_learnt(taught: Path, base: Path, tmp_path: Path) -> None:
    card = RigelCard.load(taught).content
    assert QUERY_GRAPH in card["files"] and not hash_mismatches(taught, card["files"])
    assert card["max_tokens"] == 48
    assert card["queries"]["config"]["shares"] == TINY.shares and card["queries"]["steps"] == 2
    assert {"exact", "count"} <= card["queries"]["scores"].keys()
    assert "WikiSQL, training part (BSD-3-Clause)" in card["training_data"]
    assert card["calibration"] == RigelCard.load(base).content["calibration"]
    damaged = tmp_path / "damaged"
    shutil.copytree(taught, damaged)
    (damaged / QUERY_GRAPH).write_bytes((taught / QUERY_GRAPH).read_bytes()[:-1] + b"\0")
    assert hash_mismatches(damaged, card["files"]) == [QUERY_GRAPH]


def test_a_count_question_is_asked(data: Path, base: Path, taught: Path) -> None:
    assert RigelPlanner.load(taught).writes and not RigelPlanner.load(base).writes
    done = kgask("--model", str(taught), "--no-reader", "how many novels did Jane Austen write?")
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr, done.stderr


def test_the_written_decoder_comes_back(data: Path, base: Path, tmp_path: Path, lenient: pytest.MonkeyPatch) -> None:
    assert load_query(base) is None
    trainer = QueriesTrainer(data, base, tmp_path / "work", TINY)
    trainer.run()
    queries.build_query_folder(trainer, tmp_path / "out")
    again = load_query(tmp_path / "out")
    assert again is not None
    texts = TextBatcher.load(tmp_path / "out", 48)
    part = trainer.data.held_out[:8]
    competing = trainer.data.competing(part, random.Random(0))
    found = []
    for model in (trainer.model.eval(), again.eval()):
        batch = encoded(part, competing, texts, TextVectors(model, texts))
        with torch.no_grad():
            logits, _ = model(batch.input_ids, batch.attention_mask, batch.operands, batch.directed, batch.steps)
        found.append(logits.masked_fill(~batch.allowed.unsqueeze(1), 0.0)[batch.steps >= 0])
    assert float((found[0] - found[1]).abs().max()) < 0.3  # of logits that are scaled by 20
    assert same_queries(again, tmp_path / "out", texts, trainer.data, part).every >= 0.5
    taught_on = QueriesTrainer(
        data, tmp_path / "out", tmp_path / "more", TINY
    )  # goes on from the decoder that is there
    assert torch.equal(taught_on.model.decoder.start.weight, again.decoder.start.weight)


def test_a_run_goes_on_to_the_bit(data: Path, base: Path, tmp_path: Path, lenient: pytest.MonkeyPatch) -> None:
    whole = QueriesTrainer(data, base, tmp_path / "whole", TINY)
    whole.run()
    first = QueriesTrainer(data, base, tmp_path / "parts", TINY)
    first.resume()
    for _ in range(2):
        first.train_step()
    first.save()
    second = QueriesTrainer(data, base, tmp_path / "parts", TINY)
    second.run()
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name
    other = QueriesTrainer(data, base, tmp_path / "parts", dataclasses.replace(TINY, layer_lr=5e-5))
    with pytest.raises(ModelError, match="other settings or data"):
        other.run()


def test_too_many_other_queries_are_refused(
    data: Path, base: Path, tmp_path: Path, lenient: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = QueriesTrainer(data, base, tmp_path / "work", TINY)
    monkeypatch.setattr(queries, "MOST_BYTES", 1000)
    with pytest.raises(ModelError, match="more than the 1,000 that may ship"):
        queries.build_query_folder(trainer, tmp_path / "out")
    monkeypatch.undo()
    monkeypatch.setattr(queries, "SAME_QUERIES", 1.01)
    monkeypatch.setattr("kgask.train.planner.export.AGREEMENT", 0.3)
    with pytest.raises(ModelError, match="of the held-out queries that torch writes right"):
        queries.build_query_folder(trainer, tmp_path / "out")
    assert not (tmp_path / "out" / "model.json").exists()


def test_the_shipped_recipe_is_read_and_slips_are_named(data: Path, base: Path, tmp_path: Path) -> None:
    shipped = read_query_config(SHIPPED / "queries.ini")
    assert shipped.steps >= 4000 and shipped.max_tokens == 48 and set(shipped.wanted()) >= {"operators", "paths"}
    path = tmp_path / "mix.ini"
    for text, said in (("[rigel]\n", r"known: \[queries\], \[mix\]"), ("[queries]\nstep = 2\n", "unknown setting")):
        path.write_text(text)
        with pytest.raises(UsageError, match=said):
            read_query_config(path)
    unknown = dataclasses.replace(TINY, shares={"operators": 0.5, "riddles": 0.5})
    with pytest.raises(UsageError, match="the mix names 'riddles'"):
        QueriesTrainer(data, base, tmp_path / "work", unknown)
