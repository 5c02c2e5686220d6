"""Asking a question set through a pipeline, in fixed batches, into a folder that can be resumed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kgask import config
from kgask.answer.pipeline import CHUNK, Pipeline
from kgask.answer.request import MAX_HOPS, AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.errors import UsageError
from kgask.eval import folder
from kgask.eval.predict import prediction
from kgask.eval.records import GoldBlock, json_line, to_line
from kgask.eval.resolve import Resolver
from kgask.sets.gold import Gold

BATCH = CHUNK  # what the pipeline plans in one call


@dataclass(frozen=True, slots=True)
class Asking:
    """How a run asks; ``named`` is what the user chose besides (reader, method, prompt), as far as it decides."""

    options: AskOptions = field(default_factory=lambda: AskOptions(min_confidence=0.0))
    given: bool = False  # the topic is given, not linked
    gold_hops: bool = False  # the number of hops is given, not predicted
    batch: int = BATCH  # questions that are asked together
    named: Mapping[str, Any] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)  # beside those that the pipeline knows: the prompt's


def questions_hash(golds: Sequence[Gold]) -> str:
    """SHA-256 (hex) over the questions with all that their set says about them, in order."""
    digest = hashlib.sha256()
    for gold in golds:
        said = asdict(gold)
        del said["answer_type"]
        for topic in said["topics"]:  # where it stands in the text decides nothing
            del topic["span"]
        digest.update(f"{json_line(said)}\n".encode())
    return digest.hexdigest()


def text_hash(text: str) -> str:
    """SHA-256 (hex) of a prompt."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def what_decides(pipeline: Pipeline, golds: Sequence[Gold], asking: Asking) -> dict[str, Any]:
    """Everything that the predictions depend on; two runs in which it is the same give the same bytes."""
    options = asdict(asking.options)
    return {
        "questions": len(golds),
        "questions_sha256": questions_hash(golds),
        "batch": asking.batch,
        "given": asking.given,
        "gold_hops": asking.gold_hops,
        "options": options,
        "default_threshold": pipeline.min_confidence,
        "pack": pipeline.pack.name,
        "hashes": pipeline.hashes() | dict(asking.hashes),
        "runs_on": list(pipeline.notes),
        **asking.named,
    }


def run(
    pipeline: Pipeline,
    golds: Sequence[Gold],
    asking: Asking,
    out: Path,
    about: Mapping[str, Any] | None = None,
    report: Callable[[int], None] = lambda _done: None,
) -> None:
    """Ask every question that ``out`` has no prediction of yet; ``report`` is given how many are done.

    Raises :class:`UsageError` for a set without questions or with one id twice, and as
    :func:`kgask.eval.folder.opened` does. Ctrl-C and kills leave a folder that the same call finishes.
    """
    ids = [gold.id for gold in golds]
    if not ids:
        raise UsageError("the set has no questions")
    if len(set(ids)) < len(ids):
        twice = next(one for at, one in enumerate(ids) if one in ids[:at])
        raise UsageError(f"two questions of the set have the id {twice!r}")
    decides = what_decides(pipeline, golds, asking)
    resolver = Resolver(pipeline.pack)
    with folder.opened(out, decides, dict(about or {}), ids, asking.batch) as writer:
        report(writer.n_done)
        for start in range(writer.n_done, len(golds), asking.batch):
            # What a method remembers of earlier questions (vectors, batched with others) may round otherwise.
            pipeline.retriever.forget()
            writer.append(*_batch(pipeline, resolver, golds[start : start + asking.batch], asking))
            report(writer.n_done)


def _batch(
    pipeline: Pipeline, resolver: Resolver, golds: Sequence[Gold], asking: Asking
) -> tuple[list[str], list[dict[str, Any]]]:
    """Lines of predictions, and rows of times."""
    blocks = resolver.blocks(golds)
    began = time.perf_counter()
    answers = ask(pipeline, golds, blocks, asking)
    spent_ms = round(1000 * (time.perf_counter() - began) / len(golds), 3)
    lines = [
        to_line(prediction(gold, block, answer, answer.method, pipeline.pack, asking.hashes))
        for gold, block, answer in zip(golds, blocks, answers, strict=True)
    ]
    rows = [
        {"id": gold.id, "timings_ms": dict(answer.timings_ms), "share_of_batch_ms": spent_ms}
        for gold, answer in zip(golds, answers, strict=True)
    ]
    return lines, rows


def ask(pipeline: Pipeline, golds: Sequence[Gold], blocks: Sequence[GoldBlock], asking: Asking) -> list[Answer]:
    """One answer each, in order; what cannot be asked is unanswered, with the reason."""
    reasons = [_why_not(gold, block, asking) for gold, block in zip(golds, blocks, strict=True)]
    rows = [row for row, reason in enumerate(reasons) if reason is None]
    answers = [_unasked(pipeline, gold, reason) for gold, reason in zip(golds, reasons, strict=True)]
    found = pipeline.ask_many(
        [golds[row].text for row in rows],
        asking.options,
        entities=[_topic(blocks[row]) if asking.given else None for row in rows],
        exact_hops=[golds[row].hops if asking.gold_hops else None for row in rows],
    )
    for row, answer in zip(rows, found, strict=True):
        answers[row] = answer
    return answers


def _unasked(pipeline: Pipeline, gold: Gold, reason: str | None) -> Answer:
    return pipeline.refused(gold.text, reason or "", "link")


def _why_not(gold: Gold, block: GoldBlock, asking: Asking) -> str | None:
    """Why a question cannot be asked as the run asks; None when it can."""
    try:
        checked_question(gold.text)
    except UsageError as error:
        return str(error)
    if asking.given and not block.topics:
        return "the set names no topic entity for this question"
    if asking.given and _topic(block) is None:
        return f"the given topic is not in this pack: {block.topics[0].names[0] or block.topics[0].key}"
    if asking.gold_hops and gold.hops is not None and not 1 <= gold.hops <= MAX_HOPS:
        return f"the set says {gold.hops} hops, and a plan has 1 to {MAX_HOPS}"
    return None


def _topic(block: GoldBlock) -> str | None:
    """The first gold topic that the pack has, by id, as ``--entity`` takes it."""
    return next((f"#{topic.ids[0]}" for topic in block.topics if topic.ids), None)


def named_models(
    pack: str | None, model: str | None, judge: str | None, reader: str | None, settings: Mapping[str, Any]
) -> dict[str, str]:
    """Names for the tables: what was given, else the settings', else what ships; None stands for no judge or reader."""
    return {
        "pack_name": pack or str(settings.get("pack", config.DEFAULT_PACK)),
        "model_name": model or str(settings.get("model", config.DEFAULT_MODEL)),
        "judge_name": "none" if judge is None else judge or str(settings.get("judge", config.DEFAULT_JUDGE)),
        "reader_name": "none" if reader is None else reader or str(settings.get("reader", config.DEFAULT_READER)),
    }
