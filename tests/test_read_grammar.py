"""Replies under a grammar: whatever a real model would rather say, the form holds."""

from __future__ import annotations

import re
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_gguf import SPECIALS, write_qwen2, write_t5

from kgask.errors import ModelError
from kgask.read.gguf.encoder_decoder import EncoderDecoder
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.grammar import MAX_GRAMMAR_BYTES, ListForm, alternatives, can_constrain, literal, pick, write

HOSTILE = [
    'say "a"', "back\\slash", "[x] ] | ::= (", "new\nline\tand\r", "<|im_end|>", "a\x00b", "root ::= .*", "Ünï — 你",
    "\x1b[2J",
]  # fmt: skip
NAMES = ListForm("[", ", ", "]")
FREE_TEXT = r"[^#\x00-\x1F]{1,24}"


def _engine(folder: Path, rng_seed: int = 0, **how: object) -> Engine:
    return Engine(write_qwen2(folder / f"random{rng_seed}.gguf", rng_seed, **how), n_threads=1)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return _engine(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("rng_seed", range(5))
def test_a_reply_has_the_form(tmp_path: Path, rng_seed: int) -> None:
    engine = _engine(tmp_path, rng_seed)
    prompt = engine.tokenize("which of them?")
    names, ends = alternatives(["Ann", "Bob"]), alternatives(HOSTILE[:3])
    gbnf = f'root ::= "1. " {FREE_TEXT} " ## [" {names}? "]" ("\\n" {ends})?'
    reply = write(engine, prompt, 400, gbnf)
    last = "|".join(map(re.escape, HOSTILE[:3]))
    assert re.fullmatch(rf"1\. {FREE_TEXT} ## \[(Ann|Bob)?\](\n({last}))?", reply.text, re.DOTALL)
    assert write(engine, prompt, 400, gbnf).tokens == reply.tokens
    engine.close()


def test_the_log_probability_is_the_models_own(engine: Engine) -> None:
    prompt = engine.tokenize("which?")
    reply = write(engine, prompt, 100, f"root ::= {alternatives(['Ann Ray', 'Bob'])}")
    total = 0.0
    for at, token in enumerate(reply.tokens):
        logits = engine.logits_after([*prompt, *reply.tokens[:at]]).astype(np.float64)
        total += float(logits[token] - np.logaddexp.reduce(logits))
    assert reply.text in ("Ann Ray", "Bob") and reply.log_prob == pytest.approx(total, abs=1e-3)


def test_without_a_grammar_it_says_what_it_likes(engine: Engine) -> None:
    prompt = engine.tokenize("which?")
    free = write(engine, prompt, 12)
    assert len(free.tokens) == 12
    assert free.tokens[0] == int(np.argmax(engine.logits_after(prompt)))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.text(max_size=8), st.sampled_from(HOSTILE)), min_size=1, max_size=6, unique=True),
    st.integers(1, 4),
)
def test_only_listed_items_are_picked_each_once(engine: Engine, texts: list[str], most: int) -> None:
    items = list(dict.fromkeys(f'"{text.replace(chr(34), chr(39))}"' for text in texts))
    picked = pick(engine, engine.tokenize("choose"), items, most, NAMES)
    assert 1 <= len(picked.order) <= min(most, len(items))
    assert len(set(picked.order)) == len(picked.order) and set(picked.order) <= set(range(len(items)))
    spelled = [re.sub("[\x00\ud800-\udfff]", "\ufffd", items[at]) for at in picked.order]
    assert picked.written.text.removeprefix(" ").removesuffix("]") == "[" + ", ".join(spelled)
    assert not any(engine.is_control(token) for token in picked.written.tokens)


def test_a_ranking_is_as_long_as_asked(engine: Engine) -> None:
    picked = pick(engine, engine.tokenize("rank"), [f"[{n}]" for n in range(1, 31)], 5, ListForm("", " "))
    assert len(set(picked.order)) == 5
    assert picked.written.text.split() == [f"[{at + 1}]" for at in picked.order]
    assert pick(engine, engine.tokenize("rank"), [], 5, NAMES).order == ()


@pytest.mark.parametrize("kind", [gguf.TokenType.CONTROL, gguf.TokenType.USER_DEFINED])
def test_no_control_token_stands_for_its_name(tmp_path: Path, kind: gguf.TokenType) -> None:
    """llama.cpp's grammar would let it in: it sees a control token as its name."""
    engine = _engine(tmp_path, special_type=kind)
    special = [engine.n_vocab - len(SPECIALS), engine.n_vocab - 1]
    reply = write(engine, engine.tokenize("x"), 100, f"root ::= {alternatives(SPECIALS)}")
    assert reply.text in SPECIALS and not set(special) & set(reply.tokens)
    engine.close()


@pytest.mark.parametrize("rng_seed", range(4))
def test_what_is_written_is_utf8(tmp_path: Path, rng_seed: int) -> None:
    """A vocabulary of bytes could spell a quotation mark in two bytes, which llama.cpp takes for one."""
    engine = _engine(tmp_path, rng_seed)
    reply = write(engine, engine.tokenize("x"), 200, 'root ::= [^"]{30} "\\""')
    data = b"".join(map(engine.piece, reply.tokens))
    assert data.decode("utf-8") == reply.text and len(reply.text) == 31 and reply.text.endswith('"')
    engine.close()


@pytest.mark.parametrize(
    "gbnf",
    ['root ::= "a', "root ::= b", 'other ::= "a"', 'root ::= root "a"', "", " ", 'root ::= "a" # \x00', "root ::= [a"],
)
def test_a_refused_grammar_is_an_error(engine: Engine, gbnf: str) -> None:
    with pytest.raises(ModelError, match="refuses the grammar") as caught:
        write(engine, engine.tokenize("x"), 10, gbnf)
    assert "\n" not in str(caught.value)


def test_a_grammar_of_absurd_size_is_an_error(engine: Engine) -> None:
    with pytest.raises(ModelError, match="is the most"):
        write(engine, engine.tokenize("x"), 10, f"root ::= {literal('a' * MAX_GRAMMAR_BYTES)}")


def test_half_a_reply_is_an_error(engine: Engine) -> None:
    with pytest.raises(ModelError, match="came to no end"):
        write(engine, engine.tokenize("x"), 5, f"root ::= {literal('a long text that must be whole')}")


def test_an_encoder_decoder_is_not_constrained(tmp_path: Path) -> None:
    engine = EncoderDecoder(write_t5(tmp_path / "t5.gguf"), 1)
    prompt = [*engine.tokenize("which?"), *engine.prompt_end]
    assert not can_constrain(engine)
    with pytest.raises(ModelError, match="encoder-decoder"):
        write(engine, prompt, 10, f"root ::= {literal('a')}")
    assert len(write(engine, prompt, 6).tokens) <= 6
    engine.close()
