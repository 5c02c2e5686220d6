"""What constraint costs: a reply of candidate names, three ways, beside an unconstrained one of the same length.

All ways get the same prompt and the same candidates, in turn:

- ``unconstrained``: greedy over the whole vocabulary, as many tokens as the constrained reply has;
- ``trie``: what kgask does (:mod:`kgask.read.gguf.decode`): the candidates' tokens as a trie, probabilities
  renormalised over what may follow, forced tokens not evaluated one by one;
- ``grammar``: llama.cpp's own grammar sampler over the whole vocabulary at each token;
- ``sequences``: every candidate scored, as a sequence of its own that shares the prompt's cache, in one batch.

Every call meets another variant of the prompt (the facts in another order), so no call finds
its prompt in the cache; only the instruction in front is shared, as it is between questions.
"""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from kgask.bench.random_gguf import write_random
from kgask.bench.timing import in_turn, ms_of
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.read.gguf.bindings import load_bindings, load_model
from kgask.read.gguf.decode import START, Tokens, decode_reply
from kgask.read.gguf.prompts import NAMED
from kgask.read.gguf.reader import ConstrainedReader
from kgask.read.gguf.replies import LAST, NameReplies, NameVocabulary
from kgask.read.load import load_reader
from kgask.types import ScoredTriple
from kgask.verbalise import Line, verbalise

PROMPT = "kaping"  # names are answered with, not line numbers
QUESTION = "which of these was meant by the one who asked?"
WAYS = ("unconstrained", "trie", "grammar", "sequences")


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians over the runs at one number of candidates."""

    candidates: int
    prompt_tokens: int
    ms: dict[str, float]

    def figures(self) -> dict[str, float]:
        """Milliseconds of each way, and their ratios to the unconstrained reply."""
        row: dict[str, float] = {"candidates": self.candidates, "prompt_tokens": self.prompt_tokens}
        row |= {f"{way}_ms": round(self.ms[way], 2) for way in WAYS}
        return row | {f"{way}_ratio": round(self.ms[way] / self.ms["unconstrained"], 2) for way in WAYS[1:]}


def random_reader(folder: Path, pack: Pack) -> Path:
    """A random qwen2 of about 3 million parameters with a vocabulary learnt from the pack's labels."""
    labels = pack.labels(range(min(4000, pack.n_entities)))
    return write_random(folder / "random.gguf", "qwen2", [*labels, *pack.relation_labels(), NAMED[PROMPT].static])


def measure(
    path: Path, pack: Pack, counts: Sequence[int], n_facts: int, n_runs: int, n_threads: int | None = None
) -> list[Cost]:
    """Costs of the ways at each number of candidates; ModelError where the model is not one that decodes replies."""
    reader = load_reader(path, n_threads=n_threads)
    if not isinstance(reader, ConstrainedReader):
        raise ModelError(f"{path}: kgask's own reader judges lines and writes nothing; give another GGUF")
    reader.use_prompt(NAMED[PROMPT])
    try:
        lines = _lines(pack, max(max(counts), n_facts))
        prompts = _variants(reader, lines[:n_facts])
        return [_measure(reader, prompts, lines[:n], n_runs) for n in counts]
    finally:
        reader.close()


def _lines(pack: Pack, n: int) -> list[Line]:
    """Triples of the pack with ``n`` different ends."""
    found: dict[str, Line] = {}
    step = max(1, pack.n_triples // (4 * n))
    for start in range(step):
        triples = [ScoredTriple(row, 1, 1.0, False) for row in range(start, pack.n_triples, step)]
        for line in verbalise(triples, pack):
            found.setdefault(line.end, line)
            if len(found) == n:
                return list(found.values())
    raise ModelError(f"{pack.name}: has not {n} different ends; use a larger pack")


def _variants(reader: ConstrainedReader, facts: list[Line]) -> Iterator[list[int]]:
    """Tokens of the prompt, its facts rotated by one more each time."""
    for turn in count():
        at = turn % len(facts)
        yield reader.style.prompt(QUESTION, facts[at:] + facts[:at]).tokens


class _OneName(NameReplies):
    """Names without lists: how long a list a random model writes is chance."""

    def choices(self, state: int) -> dict[int | None, Tokens]:
        """Of all choices those that end the reply."""
        every = super().choices(state)
        return every if state != START else {key: every[key] for key in every if key is None or key >= LAST}


class _OneNameVocabulary(NameVocabulary):
    kind = _OneName


def _measure(reader: ConstrainedReader, prompts: Iterator[list[int]], candidates: list[Line], n_runs: int) -> Cost:
    engine, names = reader.engine, _OneNameVocabulary(reader.engine)
    citable = range(1, len(candidates) + 1)
    sequences = Sequences(reader.engine.path, engine.n_threads, len(candidates))
    n_tokens, reply_tokens = 0, 1

    def trie(prompt: list[int]) -> None:
        nonlocal reply_tokens
        replies = names.replies(candidates, citable)
        cited = decode_reply(engine, prompt, replies).lines
        reply_tokens = len(replies.tokens_of(replies.keys_of(cited)))

    def unconstrained(prompt: list[int]) -> None:
        tokens = list(prompt)
        for _ in range(reply_tokens):
            tokens.append(int(engine.logits_after(tokens).argmax()))

    ways: dict[str, Callable[[list[int]], object]] = {
        "trie": trie,
        "unconstrained": unconstrained,
        "grammar": lambda prompt: by_grammar(reader, prompt, [line.end for line in candidates]),
        "sequences": lambda prompt: sequences.score(prompt, [engine.tokenize(line.end) for line in candidates]),
    }

    def timed(way: Callable[[list[int]], object]) -> float:
        nonlocal n_tokens
        prompt = next(prompts)
        n_tokens = len(prompt)
        return ms_of(lambda: way(prompt))

    engine.reserve(len(next(prompts)) + 1024)
    try:
        spent = in_turn({name: partial(timed, way) for name, way in ways.items()}, n_runs)
    finally:
        sequences.close()
    return Cost(len(candidates), n_tokens, {name: statistics.median(times) for name, times in spent.items()})


# --- the other ways -----------------------------------------------------------------------------


def by_grammar(reader: ConstrainedReader, prompt: Sequence[int], names: Sequence[str]) -> str:
    """One of the names by llama.cpp's grammar sampler, greedy."""
    llama, engine = load_bindings(), reader.engine
    vocab = engine.vocab
    text = "root ::= " + " | ".join(_quoted(name) for name in dict.fromkeys(names))
    sampler = llama.llama_sampler_init_grammar(vocab, text.encode(), b"root")
    if not sampler:
        raise ModelError("llama.cpp does not take the grammar of these names")
    data = np.zeros(engine.n_vocab, np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")]))
    pointer = data.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))
    tokens, chosen = list(prompt), list[int]()
    try:
        while True:
            data["id"], data["logit"] = np.arange(engine.n_vocab), engine.logits_after(tokens)
            array = llama.llama_token_data_array(data=pointer, size=engine.n_vocab, selected=-1, sorted=False)
            llama.llama_sampler_apply(sampler, ctypes.byref(array))
            token = int(data["id"][int(data["logit"].argmax())])
            if llama.llama_vocab_is_eog(vocab, token):
                return engine.text(chosen)
            llama.llama_sampler_accept(sampler, token)
            tokens.append(token)
            chosen.append(token)
    finally:
        llama.llama_sampler_free(sampler)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Sequences:
    """Candidates as sequences beside sequence 0, the prompt, whose cache they share."""

    def __init__(self, path: Path, n_threads: int, n_candidates: int, n_ctx: int = 8192):
        self._llama = llama = load_bindings()
        self._model = load_model(path)
        self._n_vocab = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self._model))
        context = llama.llama_context_default_params()
        context.n_ctx = context.n_batch = n_ctx
        context.n_ubatch = 512
        context.n_seq_max, context.kv_unified = n_candidates + 1, True
        context.n_threads = context.n_threads_batch = n_threads
        context.no_perf = True
        self._context: Any = llama.llama_init_from_model(self._model, context)
        if not self._context:
            raise ModelError(f"{path}: llama.cpp cannot hold {n_candidates + 1} sequences")
        self._batch = llama.llama_batch_init(n_ctx, 0, 1)

    def close(self) -> None:
        self._llama.llama_batch_free(self._batch)
        self._llama.llama_free(self._context)
        self._llama.llama_model_free(self._model)

    def score(self, prompt: Sequence[int], candidates: Sequence[Sequence[int]]) -> np.ndarray:
        """Log-probability of each candidate after the prompt, float64 [n]."""
        llama, memory = self._llama, self._llama.llama_get_memory(self._context)
        llama.llama_memory_clear(memory, True)
        self._decode([(token, at, 0, at == len(prompt) - 1) for at, token in enumerate(prompt)])
        first = self._log_probs(len(prompt) - 1).copy()
        scores = np.array([first[candidate[0]] for candidate in candidates], np.float64)
        rows: list[tuple[int, int, int, bool]] = []
        later: list[tuple[int, int, int]] = []  # candidate, row of the batch, the token after it
        for number, candidate in enumerate(candidates):
            llama.llama_memory_seq_cp(memory, 0, number + 1, -1, -1)
            for at, token in enumerate(candidate[:-1]):
                later.append((number, len(rows), candidate[at + 1]))
                rows.append((token, len(prompt) + at, number + 1, True))
        if rows:
            self._decode(rows)
        for number, row, token in later:
            scores[number] += self._log_probs(row)[token]
        return scores

    def _decode(self, rows: Sequence[tuple[int, int, int, bool]]) -> None:
        batch = self._batch
        batch.n_tokens = len(rows)
        for index, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[index], batch.pos[index] = token, position
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, sequence
            batch.logits[index] = wanted
        if self._llama.llama_decode(self._context, batch) != 0:
            raise ModelError("llama.cpp failed to evaluate the candidates")

    def _log_probs(self, row: int) -> np.ndarray:
        logits = np.ctypeslib.as_array(self._llama.llama_get_logits_ith(self._context, row), (self._n_vocab,))
        wide = logits.astype(np.float64) - logits.max()
        return wide - np.log(np.exp(wide).sum())
