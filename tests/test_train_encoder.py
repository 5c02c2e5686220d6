"""`kgask train encoder`: a sentence-transformers folder becomes an encoder folder that gives the same vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kgask.cli.main import cli
from kgask.cli.models_about import ENCODER, load_card
from kgask.errors import ModelError
from kgask.methods.text_encoder import TextEncoder

torch = pytest.importorskip("torch")
pytest.importorskip("sentence_transformers")
pytest.importorskip("onnx")

pytestmark = pytest.mark.slow

TEXTS = ["who wrote it", "(it, author, she)", "a"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model of random weights, with mean pooling and prompts."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, normalizers, pre_tokenizers
    from tokenizers.models import WordPiece
    from transformers import BertConfig, BertModel, BertTokenizerFast

    bert = tmp_path_factory.mktemp("bert")
    texts = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"(),:?", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    tokenizer = Tokenizer(WordPiece({text: index for index, text in enumerate(texts)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    BertTokenizerFast(tokenizer_object=tokenizer).save_pretrained(str(bert))
    torch.manual_seed(0)
    settings = BertConfig(
        vocab_size=len(texts), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(settings).save_pretrained(str(bert))
    words = Transformer(str(bert), max_seq_length=32)
    pooled = Pooling(words.get_embedding_dimension(), "mean")
    whole = SentenceTransformer(modules=[words, pooled], prompts={"query": "q: ", "document": "d: "}, device="cpu")
    out = tmp_path_factory.mktemp("sentences")
    whole.save(str(out))
    return out


def test_the_exported_encoder_gives_the_same_vectors(folder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    done = CliRunner().invoke(cli, ["train", "encoder", str(folder), "-o", str(tmp_path / "mine")])
    assert done.exit_code == 0, done.output
    encoder = TextEncoder.load(tmp_path / "mine")
    assert (encoder.as_question("x"), encoder.as_text("x")) == ("q: x", "d: x")
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    found = encoder.encode(TEXTS)
    assert ((found * expected).sum(-1) > 0.97).all() and np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
    assert load_card(tmp_path / "mine")[0] == ENCODER


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    from kgask.train.export_encoder import export_encoder

    with pytest.raises(ModelError, match="tokenizer.json"):
        export_encoder(tmp_path, tmp_path / "out", {})
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="not a usable sentence-transformers model"):
        export_encoder(tmp_path, tmp_path / "out", {})
    assert not (tmp_path / "out").exists()
