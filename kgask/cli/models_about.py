"""What a model says about itself, for the commands of ``kgask models``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.errors import ModelError

if TYPE_CHECKING:
    from kgask.read.gguf.header import GgufHeader

PLANNER, READER, ENCODER, AMR, JUDGE = "planner", "reader", "encoder", "amr", "judge"
# Metadata keys of GGUF files that people want to know, and how they are called here.
_SAID = {"general.name": "title", "general.license": "licence", "general.size_label": "size_label"}


def gguf_facts(header: GgufHeader) -> dict[str, Any]:
    """What the header of a GGUF file says, and how kgask will speak to it."""
    from kgask.read.gguf.chat import chat_format

    said = {
        ours: header.metadata[theirs] for theirs, ours in _SAID.items() if isinstance(header.metadata.get(theirs), str)
    }
    if header.is_own:
        spoken = "kgask's own reader"
    else:  # whether a template renders does not depend on these two texts
        spoken = chat_format(header, {"bos_token": "", "eos_token": ""}).origin
    return {
        "role": READER,
        **said,
        "architecture": header.architecture,
        "bytes": header.file_bytes,
        "n_parameters": header.n_parameters,
        "quantisation": header.quantisation,
        "n_ctx_train": header.n_ctx_train,
        "n_vocab": header.metadata.get("tokenizer.ggml.tokens", 0),
        "n_tensors": header.n_tensors,
        "chat_format": spoken,
        "chat_template": header.chat_template,
    }


def role_of(path: Path) -> str:
    """Whether a model folder or GGUF file is a planner, a judge, a reader, ...; raises ModelError for anything else."""
    if path.is_dir():
        return load_card(path)[0]
    from kgask.read.files.probe import usable

    usable(path)
    return READER


def load_card(path: Path) -> tuple[str, dict[str, Any]]:
    """Role and content of a checked card; the magic says which stage it belongs to.

    Raises :class:`ModelError` for a card that no stage reads.
    """
    from kgask.cards import read_json
    from kgask.config import MODEL_CARD
    from kgask.methods.text_encoder import EncoderCard
    from kgask.plan.card import FORMAT, RigelCard
    from kgask.read.files.card import is_added, read_added, read_card

    card = path / MODEL_CARD
    try:
        content = read_json(card)
        whole = all(_names_a_file(name, entry) for name, entry in content["files"].items())
        magic = content["magic"]
    except OSError as error:
        raise ModelError(f"{card}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{card}: not a model card") from None
    if not whole:
        raise ModelError(f"{card}: broken list of files")
    if magic == FORMAT.magic:
        return PLANNER, dict(RigelCard.load(path).content)
    if content.get("kind") == ENCODER:
        return ENCODER, EncoderCard.load(path).content
    if content.get("kind") == AMR:
        from kgask.methods.amr import AmrCard

        return AMR, AmrCard.load(path).content
    if content.get("kind") == JUDGE:
        from kgask.methods.query_judge import QueryJudge

        return JUDGE, QueryJudge(path).card
    if is_added(path):
        return READER, read_added(path).content
    return READER, read_card(path).content


def _names_a_file(name: str, entry: dict[str, Any]) -> bool:
    """Whether a card's entry is a file of its folder, with its size and hash."""
    inside = name not in ("", "..") and "/" not in name and "\\" not in name
    return inside and isinstance(entry["bytes"], int) and isinstance(entry["sha256"], str)
