"""What libraries read from the environment, set before any of them is imported.

Importing kgask, in any way, calls :func:`prepare`; child processes inherit it.
"""

from __future__ import annotations

import os

# No command goes online but those whose purpose it is, so what the user set otherwise does not count here.
OFFLINE = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime 1.31: a device id in ~/.cache, uploads from 9 s of process life
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",  # huggingface_hub, below tokenizers, transformers and sentence-transformers
    "TRANSFORMERS_OFFLINE": "1",
}


def prepare() -> None:
    """Set what keeps libraries offline."""
    os.environ.update(OFFLINE)
