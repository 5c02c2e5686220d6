"""A GGUF model in llama.cpp, as far as reading needs it: tokens in, logits out.

The context holds one sequence and is as large as the longest prompt so far
needs. What a new prompt shares with the one before is not evaluated again.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgask.config import AUTO
from kgask.errors import ModelError
from kgask.machine.cores import free_cores, usable_cores
from kgask.read.gguf.bindings import load_bindings, load_model

SMALLEST_CONTEXT = 512
BATCH_TOKENS = 512
TRIED_TOKENS = 24  # evaluated in one batch, then one more
MOMENT_S = 1e-4  # between two looks at what else runs
FLASH_ATTENTION_AUTO, FLASH_ATTENTION_OFF, FLASH_ATTENTION_ON = -1, 0, 1
ALL_LAYERS = 1 << 20
_CONTROL, _USER_DEFINED = 1 << 3, 1 << 4  # llama_token_attr
_MARKUP = frozenset("<>[]{}|#\uff5c")


def layers_on_gpu(wanted: int | str, has_gpu: bool) -> int:
    """How many layers go to a GPU; without a GPU backend in llama.cpp always none."""
    if not has_gpu:
        return 0
    return ALL_LAYERS if wanted == AUTO else int(wanted)


class Engine:
    """One loaded model. Not thread-safe. Raises ModelError where llama.cpp refuses.

    ``gpu_layers`` is how many layers go to a GPU: ``"auto"`` is all of them where this build of llama.cpp
    has a GPU backend, else none. ``extra_buffers``: see :func:`kgask.read.gguf.bindings.load_model`.
    """

    prompt_end: tuple[int, ...] = ()  # tokens that close a prompt, after all that its text gives
    yields = True  # takes fewer threads while other processes use the cores
    # Measured on one core, 450 and 900 tokens, 3 M and 22 M parameters: 1.2 to 1.4 times as fast as without. Its sums
    # depend a little on how many tokens are evaluated at once: the probabilities of all replies, some of them read with
    # the prompt and some after it, summed to 1.0002 on a random model (1.0000000 without it).
    flash_attention = FLASH_ATTENTION_AUTO
    whole_at_once = False  # a text is evaluated in one piece, not by some hundred tokens
    _model: Any = None

    def __init__(
        self, path: Path, n_threads: int | None = None, gpu_layers: int | str = AUTO, extra_buffers: bool = False
    ):
        self.path = path
        self._llama = llama = load_bindings()
        self._context: Any = None
        self._batch: Any = None
        self.n_ctx = 0
        self.n_threads = n_threads or usable_cores()
        self.gpu_layers = layers_on_gpu(gpu_layers, bool(llama.llama_supports_gpu_offload()))
        self._model = load_model(path, self.gpu_layers, extra_buffers)
        self.vocab = llama.llama_model_get_vocab(self._model)
        self.n_vocab = llama.llama_vocab_n_tokens(self.vocab)
        self.n_ctx_train = llama.llama_model_n_ctx_train(self._model)
        self._marking: dict[int, bool] = {}
        self._held: list[int] = []  # tokens that the context holds
        self._rows: dict[int, int] = {}  # number of tokens -> row of the last batch with the logits after them
        self._opened()

    def _opened(self) -> None:
        """What a kind of model needs beside the rest."""

    @property
    def note(self) -> str:
        """On what the model runs, for --verbose."""
        if not self._llama.llama_supports_gpu_offload():
            return f"{self.n_threads} threads (this llama.cpp has no GPU backend)"
        layers = "all" if self.gpu_layers == ALL_LAYERS else str(self.gpu_layers)
        return f"{self.n_threads} threads, {layers} layers on the GPU"

    def close(self) -> None:
        """Free the model; safe to call twice."""
        self._free_context()
        if self._model:
            self._llama.llama_model_free(self._model)
            self._model = None

    def __del__(self) -> None:
        if self._model:
            self.close()

    def _free_context(self) -> None:
        if self._batch is not None:
            self._llama.llama_batch_free(self._batch)
            self._batch = None
        if self._context:
            self._llama.llama_free(self._context)
            self._context = None

    def tokenize(self, text: str, *, special: bool = False, add_bos: bool = False) -> list[int]:
        """Token ids; without ``special`` no text becomes a control token."""
        data = text.encode("utf-8", errors="replace")
        room = len(data) + 8
        buffer = (ctypes.c_int32 * room)()
        count = self._llama.llama_tokenize(self.vocab, data, len(data), buffer, room, add_bos, special)
        if count < 0:
            buffer = (ctypes.c_int32 * -count)()
            count = self._llama.llama_tokenize(self.vocab, data, len(data), buffer, -count, add_bos, special)
        return buffer[: max(0, count)]

    def token_text(self, token: int) -> str:
        """How the vocabulary spells a token; empty when there is none."""
        if token < 0:
            return ""
        return (self._llama.llama_vocab_get_text(self.vocab, token) or b"").decode("utf-8", errors="replace")

    def is_control(self, token: int) -> bool:
        """Whether a token is a control token, which no text may become."""
        return bool(self._llama.llama_vocab_is_control(self.vocab, token))

    def marks_turns(self, token: int) -> bool:
        """Whether a token is one that data must not hold: a control token, or one that a file made from
        a piece of markup (which llama.cpp makes from any text)."""
        marks = self._marking.get(token)
        if marks is None:
            kind = self._llama.llama_vocab_get_attr(self.vocab, token)
            marked = bool(kind & _USER_DEFINED) and not _MARKUP.isdisjoint(self.token_text(token))
            marks = self._marking[token] = bool(kind & _CONTROL) or marked
        return marks

    def bos_text(self) -> str:
        return self.token_text(self._llama.llama_vocab_bos(self.vocab))

    def eos_text(self) -> str:
        return self.token_text(self._llama.llama_vocab_eos(self.vocab))

    def reserve(self, n_tokens: int) -> None:
        """Make a context that holds ``n_tokens``: the next power of two, at most what the model was
        trained for."""
        if n_tokens <= self.n_ctx:
            return
        llama = self._llama
        self._free_context()
        n_ctx = max(SMALLEST_CONTEXT, 1 << (n_tokens - 1).bit_length())
        if self.n_ctx_train >= n_tokens:
            n_ctx = min(n_ctx, self.n_ctx_train)
        params = self._context_params(n_ctx)
        self._context = llama.llama_init_from_model(self._model, params)
        if not self._context:
            raise ModelError(f"{self.path}: llama.cpp cannot make a context of {n_ctx} tokens (too little memory?)")
        self._batch = llama.llama_batch_init(n_ctx, 0, 1)
        self.n_ctx, self._held, self._rows = n_ctx, [], {}

    def _context_params(self, n_ctx: int) -> Any:
        params = self._llama.llama_context_default_params()
        params.n_ctx = n_ctx
        params.n_batch = n_ctx
        params.n_ubatch = n_ctx if self.whole_at_once else min(n_ctx, BATCH_TOKENS)
        params.n_threads = params.n_threads_batch = self.n_threads
        params.flash_attn_type = self.flash_attention
        params.offload_kqv = self.gpu_layers > 0
        params.no_perf = True
        return params

    def _take_free_cores(self) -> None:
        """As many threads for the next evaluation as find a core of their own."""
        if self.yields and self.n_threads > 1:
            free = free_cores()
            if free < self.n_threads:  # one in ten looks meets a task of the system that is gone a moment later
                time.sleep(MOMENT_S)
                free = max(free, free_cores())
            threads = min(self.n_threads, free)
            self._llama.llama_set_n_threads(self._context, threads, threads)

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        """float32 [n_vocab], the logits after ``tokens`` (a view, valid until the next call).

        ``draft`` is evaluated in the same batch, so that the logits after each of its tokens are
        at hand if they turn out to be what follows.
        """
        tokens = list(tokens)
        if self._held[: len(tokens)] != tokens or len(tokens) not in self._rows:
            self._evaluate([*tokens, *draft], range(len(tokens) - 1, len(tokens) + len(draft)))
        pointer = self._llama.llama_get_logits_ith(self._context, self._rows[len(tokens)])
        return np.ctypeslib.as_array(pointer, (self.n_vocab,))

    def _evaluate(self, tokens: list[int], positions: Sequence[int]) -> None:
        """Evaluate what the context does not hold yet, and keep the logits at ``positions`` (ascending)."""
        self.reserve(len(tokens))
        shared = 0
        for held, token in zip(self._held, tokens[: positions[0]], strict=False):  # a position must be evaluated again
            if held != token:
                break
            shared += 1
        llama = self._llama
        if not llama.llama_memory_seq_rm(llama.llama_get_memory(self._context), 0, shared, -1):
            llama.llama_memory_clear(llama.llama_get_memory(self._context), True)  # recurrent models cannot cut
            shared = 0
        self._held, self._rows = [], {}
        self._run(llama.llama_decode, tokens[shared:], shared, frozenset(positions))
        self._held = tokens
        self._rows = {position + 1: position - shared for position in positions}

    def _run(self, function: Any, tokens: Sequence[int], first: int, wanted: Collection[int]) -> None:
        """``llama_decode`` or ``llama_encode`` of tokens that stand at ``first`` and after it, with an output at each
        ``wanted`` position."""
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index] = token, first + index
            batch.n_seq_id[index], batch.seq_id[index][0] = 1, 0
            batch.logits[index] = first + index in wanted
        self._take_free_cores()
        code = function(self._context, batch)
        if code != 0:
            raise ModelError(f"{self.path}: llama.cpp failed to evaluate {len(tokens)} tokens (code {code})")

    def try_out(self, sample: str) -> None:
        """Tokenise and evaluate, every way that reading does; where that ends the process it must be a child's.

        Raises ModelError for a vocabulary that makes no token of a text.
        """
        self.bos_text(), self.eos_text()
        tokens = self.tokenize(sample)
        self.tokenize(sample, special=True, add_bos=True)
        for token in {*tokens, *range(0, self.n_vocab, max(1, self.n_vocab // 1000))}:
            self.token_text(token), self.marks_turns(token)
        if not tokens:
            raise ModelError(f"{self.path}: its vocabulary makes no token of a text; use another")
        prompt = [*tokens[: max(1, min(TRIED_TOKENS, self.n_ctx_train - 3))], *self.prompt_end]
        self.logits_after(prompt)
        self.logits_after([*prompt, tokens[0]])

    # --- writing freely -------------------------------------------------------------------------

    @property
    def end_token(self) -> int | None:
        """The token that ends a turn; None when the vocabulary has none."""
        for find in (self._llama.llama_vocab_eot, self._llama.llama_vocab_eos):
            token: int = find(self.vocab)
            if token >= 0:
                return token
        return None

    def ends(self, token: int) -> bool:
        """Whether a token ends a reply."""
        return bool(self._llama.llama_vocab_is_eog(self.vocab, token))

    def text(self, tokens: Sequence[int]) -> str:
        """Tokens turned back into text, control tokens by their names."""
        return b"".join(self.piece(token, special=True) for token in tokens).decode("utf-8", errors="replace")

    def piece(self, token: int, special: bool = False) -> bytes:
        """What a token adds to the text; nothing for control tokens, unless ``special``. A character may span
        several tokens."""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = self._llama.llama_token_to_piece(self.vocab, token, buffer, room, 0, special)
            if count >= 0:
                return buffer.raw[:count]
            room = -count

    # --- states, for kgask.read.files.prefix_cache ----------------------------------------------------

    @property
    def keeps_states(self) -> bool:
        """Whether the state of the first tokens can be taken out and put back.

        Recurrent and hybrid models have one state for all tokens, encoder-decoders have it elsewhere.
        """
        llama, model = self._llama, self._model
        kinds = (llama.llama_model_is_recurrent, llama.llama_model_is_hybrid, llama.llama_model_has_encoder)
        return not any(kind(model) for kind in kinds)

    def state_key(self) -> str:
        """What else than model and tokens a state depends on: the machine's instruction set, the context."""
        machine = self._llama.llama_print_system_info().decode(errors="replace")
        params = self._context_params(self.n_ctx)
        kinds = (params.type_k, params.type_v, params.flash_attn_type, params.swa_full, params.offload_kqv)
        return f"{machine} {kinds} {self.gpu_layers}"

    def holds(self, tokens: Sequence[int]) -> bool:
        """Whether the context holds these tokens at its start."""
        return bool(tokens) and self._held[: len(tokens)] == list(tokens)

    def hold(self, tokens: Sequence[int]) -> None:
        """Evaluate ``tokens`` alone."""
        self._evaluate(list(tokens), [len(tokens) - 1])

    def state(self) -> bytes:
        """The keys and values of all tokens that the context holds; empty when llama.cpp gives none."""
        size = self._llama.llama_state_seq_get_size(self._context, 0)
        buffer = (ctypes.c_uint8 * size)()
        return ctypes.string_at(buffer, self._llama.llama_state_seq_get_data(self._context, buffer, size, 0))

    def restore(self, tokens: Sequence[int], state: bytes) -> bool:
        """Put back what :meth:`state` gave for ``tokens``; False when llama.cpp does not take it."""
        llama = self._llama
        memory = llama.llama_get_memory(self._context)
        llama.llama_memory_clear(memory, True)
        self._held, self._rows = [], {}
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if llama.llama_state_seq_set_data(self._context, buffer, len(state), 0) != len(state):
            llama.llama_memory_clear(memory, True)
            return False
        self._held = list(tokens)
        return True
