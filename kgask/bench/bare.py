"""The floor of a cold question: the three libraries, one question, one prompt, nothing else.

Run as a script with the ONNX file, its tokenizer and the GGUF file; it is what
:mod:`kgask.bench.cold_start` measures kgask against.
"""

from __future__ import annotations

import sys

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
    reader = llama_cpp.Llama(gguf, n_ctx=512, verbose=False, embedding=True)  # of an encoder or a decoder alike
    reader.embed(PROMPT)


if __name__ == "__main__":
    main(*sys.argv[1:4])
