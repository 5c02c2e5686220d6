"""The floor of a cold question: the three libraries, one question, one prompt, nothing else.

Run as a script with the ONNX file, its tokenizer and the GGUF file; it is what
:mod:`kgask.bench.cold_start` measures kgask against. Only the model is loaded through kgask's own function: that of
llama-cpp-python rearranges weights, which ends the process on some machines.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

PROMPT = "who wrote Lady Susan? Lady Susan, author, Jane Austen."


def main(onnx: str, tokenizer: str, gguf: str) -> None:
    """One ONNX run and one prompt through llama.cpp."""
    import llama_cpp
    import numpy as np
    import onnxruntime
    import tokenizers

    encoded = tokenizers.Tokenizer.from_file(tokenizer).encode("who wrote [MASK]?")
    session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    width = next(node.shape[1] for node in session.get_inputs() if node.name == "directed")
    session.run(
        None,
        {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.array([encoded.attention_mask], np.int64),
            "directed": np.zeros((2, width), np.float32),
            "first_mask": np.ones((1, 2), np.float32),
        },
    )
    _read(llama_cpp.llama_cpp, gguf)


def _read(llama: Any, gguf: str) -> None:
    """The prompt through the model, of an encoder or a decoder alike."""
    from kgask.read.gguf.bindings import load_model

    model = load_model(Path(gguf))
    settings = llama.llama_context_default_params()
    settings.n_ctx = settings.n_batch = settings.n_ubatch = 512
    settings.embeddings = True
    context = llama.llama_init_from_model(model, settings)
    room = (llama.llama_token * 512)()
    text = PROMPT.encode()
    count = llama.llama_tokenize(llama.llama_model_get_vocab(model), text, len(text), room, 512, True, False)
    if llama.llama_decode(context, llama.llama_batch_get_one(room, count)) != 0:
        raise SystemExit(f"{gguf}: llama.cpp failed to evaluate {count} tokens")


if __name__ == "__main__":
    main(*sys.argv[1:4])
