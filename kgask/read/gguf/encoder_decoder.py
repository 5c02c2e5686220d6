"""An encoder-decoder GGUF (the T5 family: Flan-T5 and T0 are the papers' readers) in llama.cpp.

The prompt goes to the encoder once; the decoder begins with the model's start
token and writes the reply. To callers it is an :class:`Engine`: prompt and
reply come as one sequence of tokens, and since every prompt ends with the
end-of-text token (``prompt_end``), which no text and no reply can hold, the
last of those is where the prompt ends.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.errors import ModelError
from kgask.read.gguf.engine import FLASH_ATTENTION_OFF, Engine


class EncoderDecoder(Engine):
    """A loaded model of the T5 family. Raises ModelError where llama.cpp refuses."""

    # Flash attention would be used where the decoder looks at the encoder, with keys and values rounded to float16:
    # log-probabilities then differ from torch's by 1e-3.
    flash_attention = FLASH_ATTENTION_OFF
    whole_at_once = True  # the encoder sees a prompt at once or not at all

    def _opened(self) -> None:
        llama, path = self._llama, self.path
        if not (llama.llama_model_has_encoder(self._model) and llama.llama_model_has_decoder(self._model)):
            raise ModelError(f"{path}: has no encoder or no decoder; use a whole encoder-decoder model")
        self._end = int(llama.llama_vocab_eos(self.vocab))
        start = int(llama.llama_model_decoder_start_token(self._model))
        self._start = start if start >= 0 else int(llama.llama_vocab_pad(self.vocab))
        if not (0 <= self._end < self.n_vocab and 0 <= self._start < self.n_vocab):
            raise ModelError(f"{path}: names no end-of-text or no decoder start token")
        self.prompt_end = (self._end,)
        self._encoded: list[int] = []  # the prompt that the decoder attends to

    def tokenize(self, text: str, *, special: bool = False, add_bos: bool = False) -> list[int]:
        """Token ids. The vocabulary's automatic tokens (T5's end-of-text) are left out: a prompt is put
        together from parts, and ``prompt_end`` closes it once."""
        return super().tokenize(text, special=special)

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        """float32 [n_vocab], the decoder's logits after the reply that follows the prompt in ``tokens``."""
        prompt, reply = self._parted(tokens)
        self._encode(prompt, 1 + len(reply) + len(draft))
        return super().logits_after([self._start, *reply], draft)

    def _parted(self, tokens: Sequence[int]) -> tuple[list[int], list[int]]:
        """Prompt (with its end) and reply."""
        tokens = list(tokens)
        if self._end not in tokens:
            raise ModelError(f"{self.path}: an encoder-decoder's prompt must end with its end-of-text token")
        n_prompt = len(tokens) - tokens[::-1].index(self._end)
        return tokens[:n_prompt], tokens[n_prompt:]

    def _free_context(self) -> None:
        super()._free_context()
        self._encoded = []

    def _encode(self, prompt: list[int], n_decoded: int) -> None:
        """Run the encoder unless it has just seen this prompt; ``n_decoded`` tokens will be decoded."""
        self.reserve(max(len(prompt), n_decoded))  # not later: a new context has not seen the prompt
        if prompt == self._encoded:
            return
        llama = self._llama
        llama.llama_memory_clear(llama.llama_get_memory(self._context), True)
        self._held, self._rows, self._encoded = [], {}, []
        self._run(llama.llama_encode, prompt, 0, range(len(prompt)))
        self._encoded = prompt
