"""Encoder-decoder GGUFs: a random T5 in llama.cpp against the same weights in torch, and reading with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tiny_gguf import T5_BUCKETS, T5_KEY_SIZE, t5_vocabulary, t5_weights, write_t5
from toy_graph import ToyGraph, evidence_of

from kgask.errors import ModelError
from kgask.read.gguf.encoder_decoder import EncoderDecoder
from kgask.types import Question

TRIPLES = [
    ("Lady Susan", "author", "Jane Austen"),
    ("Lady Susan", "publication date", "1871"),
    ("Lady Susan", "language", "English"),
]
START, END = 0, 1


@pytest.fixture(scope="module", params=[True, False], ids=["gated", "relu"])
def gated(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(scope="module")
def path(gated: bool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_t5(tmp_path_factory.mktemp("t5") / "t5.gguf", gated)


@pytest.fixture(scope="module")
def engine(path: Path) -> EncoderDecoder:
    return EncoderDecoder(path, n_threads=1)


@cache
def torch_t5(gated: bool):
    """transformers' T5 with the weights of :func:`tiny_gguf.write_t5`."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    n_vocab = len(t5_vocabulary())
    config = transformers.T5Config(
        vocab_size=n_vocab, d_model=32, d_kv=T5_KEY_SIZE, d_ff=48, num_layers=2, num_heads=4,
        relative_attention_num_buckets=T5_BUCKETS, layer_norm_epsilon=1e-6, tie_word_embeddings=False,
        feed_forward_proj="gated-gelu" if gated else "relu", decoder_start_token_id=START, dropout_rate=0.0,
    )  # fmt: skip
    model = transformers.T5ForConditionalGeneration(config).eval()
    weights = t5_weights(gated, n_vocab=n_vocab)
    state = {"shared.weight": weights["token_embd.weight"], "lm_head.weight": weights["output.weight"]}
    for side, name in (("enc", "encoder"), ("dec", "decoder")):
        state[f"{name}.embed_tokens.weight"] = weights["token_embd.weight"]
        state[f"{name}.final_layer_norm.weight"] = weights[f"{side}.output_norm.weight"]
        bias = f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        state[bias] = weights[f"{side}.blk.0.attn_rel_b.weight"]
        for layer in range(2):
            gguf_block, block = f"{side}.blk.{layer}.", f"{name}.block.{layer}.layer."
            attentions = [("attn", "0", "SelfAttention"), ("cross_attn", "1", "EncDecAttention")]
            for kind, at, module in attentions[: 1 if side == "enc" else 2]:
                state[f"{block}{at}.layer_norm.weight"] = weights[f"{gguf_block}{kind}_norm.weight"]
                for part in "qkvo":
                    state[f"{block}{at}.{module}.{part}.weight"] = weights[f"{gguf_block}{kind}_{part}.weight"]
            last = f"{block}{1 if side == 'enc' else 2}."
            state[f"{last}layer_norm.weight"] = weights[f"{gguf_block}ffn_norm.weight"]
            names = {"wi_0": "gate", "wi_1": "up", "wo": "down"} if gated else {"wi": "up", "wo": "down"}
            for theirs, ours in names.items():
                state[f"{last}DenseReluDense.{theirs}.weight"] = weights[f"{gguf_block}ffn_{ours}.weight"]
    # Newer versions of transformers tie the output to the embedding in any case: take it apart.
    model.lm_head.weight = torch.nn.Parameter(torch.zeros(n_vocab, 32))
    model.load_state_dict({key: torch.from_numpy(value) for key, value in state.items()}, strict=True)
    assert model.lm_head.weight.data_ptr() != model.shared.weight.data_ptr()
    return model


def log_softmax(logits: np.ndarray) -> np.ndarray:
    wide = logits.astype(np.float64) - logits.max()
    return wide - np.log(np.exp(wide).sum())


def reference(gated: bool, prompt: Sequence[int], reply: Sequence[int]) -> np.ndarray:
    """Log-probabilities [n_vocab] after the reply, from torch."""
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        found = torch_t5(gated)(input_ids=torch.tensor([prompt]), decoder_input_ids=torch.tensor([[START, *reply]]))
    return log_softmax(found.logits[0, -1].numpy())


@pytest.mark.slow
def test_log_probabilities_are_those_of_torch(gated: bool, engine: EncoderDecoder) -> None:
    prompts = ("who wrote it?", "a [1] b " * 12)  # the second is longer than the nearest buckets
    for text in prompts:
        prompt = [*engine.tokenize(text), *engine.prompt_end]
        for reply in ((), (7,), (40, 7, 21, 9)):
            ours = log_softmax(engine.logits_after([*prompt, *reply]))
            # Keys and values are float16 in the cache; builds of llama.cpp round at different places (1.1e-3 seen).
            assert np.abs(ours - reference(gated, prompt, reply)).max() < 4e-3


def test_the_prompt_reaches_the_encoder_and_a_draft_changes_nothing(engine: EncoderDecoder) -> None:
    prompt, other = ([*engine.tokenize(text), END] for text in ("who wrote it?", "where is it?"))
    plain = engine.logits_after([*prompt, 40, 7]).copy()
    assert np.abs(engine.logits_after([*other, 40, 7]) - plain).max() > 0.01
    first = engine.logits_after(prompt, (40, 7, 9)).copy()
    assert np.abs(engine.logits_after([*prompt, 40, 7]) - plain).max() < 1e-4
    assert np.abs(engine.logits_after(prompt) - first).max() < 1e-4


def test_a_context_that_grows_has_seen_the_prompt(path: Path, engine: EncoderDecoder) -> None:
    small, prompt = EncoderDecoder(path, n_threads=1), [*engine.tokenize("who wrote it?"), END]
    reply = [40, 7] * 300  # longer than the first context
    small.logits_after(prompt)
    assert np.abs(small.logits_after([*prompt, *reply]) - engine.logits_after([*prompt, *reply])).max() < 1e-4


def test_a_prompt_without_its_end_is_refused(engine: EncoderDecoder) -> None:
    with pytest.raises(ModelError, match="must end with"):
        engine.logits_after([5, 6])


def test_no_text_ends_the_prompt(engine: EncoderDecoder) -> None:
    assert END not in engine.tokenize("a </s> b <pad> </s>")


def test_reading_with_it(path: Path) -> None:
    from kgask.read.load import load_reader
    from kgask.read.reply import broken_citation

    graph = ToyGraph(TRIPLES)
    steps = [(triple, 1, score, False) for triple, score in zip(TRIPLES, (0.9, 0.07, 0.03), strict=True)]
    evidence = evidence_of(graph, steps, {"Jane Austen": 0.9, "1871": 0.07, "English": 0.03})
    reader = load_reader(path, n_threads=1)
    reading = reader.read(Question("who wrote Lady Susan?"), evidence, graph)
    assert broken_citation(reading, evidence, graph) is None
    assert 0.0 < reading.prob <= 1.0
