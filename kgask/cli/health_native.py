"""What of ``kgask doctor`` runs compiled code: each piece in a child process, so that a crash there is a finding."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kgask import config
from kgask.errors import KgaskError, NativeError, PackError, UsageError
from kgask.machine.child import ChildDied, in_child
from kgask.machine.trial import cpu

if TYPE_CHECKING:
    from kgask.answer.result import Answer
    from kgask.pack.store import Pack

Status = Literal["ok", "warn", "fail"]
SECONDS = 120.0  # of one piece
QUESTION = "who wrote Lady Susan?"  # where the pack is the shipped one; of others the doctor asks about their triples
SELF_TEST_QUESTIONS = 5
_COMPILERS = rb"GCC: \([^)\0]{0,80}\) [0-9.]+|clang version [0-9.]+"
# What llama.cpp calls a CPU feature, and what Linux does; only those that differ by more than case.
_FLAGS = {"AVX512": "avx512f", "SSE3": "pni", "AVX512_VBMI": "avx512vbmi", "AVX512_BF16": "avx512_bf16"}
_NO_FLAGS = {"LLAMAFILE", "OPENMP", "REPACK", "ACCELERATE"}  # of the build, not of the CPU
# A label that says nothing: Wikidata and Freebase ids, numbered names, hashes, bare IRIs.
_OPAQUE = re.compile(
    r"/?[mg][./](?=[a-z_]*\d)[0-9a-z_]+|[a-z]{0,4}[-_:.]?\d+|(?=[0-9a-f-]*\d)[0-9a-f-]{8,}|[a-z][a-z0-9+.-]*://.*|[^a-z]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor; ``advice`` is what to type or do next, "" when nothing."""

    status: Status
    check: str
    found: str
    advice: str = ""


def apart(look: Callable[..., Iterator[Finding]], check: str, advice: str, **given: Any) -> Iterator[Finding]:
    """The findings of a function of this module in a child; how the child died, with ``advice``, otherwise."""
    message = {"look": look.__name__, "check": check, "advice": advice, "given": given}
    try:
        rows = in_child(f"{__name__}:in_a_child", message, seconds=SECONDS)
    except ChildDied as error:
        yield Finding("fail", check, f"it {error}", advice)
        return
    yield from (Finding(**row) for row in rows)


def in_a_child(message: dict[str, Any]) -> list[dict[str, str]]:
    """What one of :data:`LOOKS` finds; a KgaskError is a finding with what to type next."""
    found: list[Finding] = []
    given = message["given"]
    try:
        found += LOOKS[message["look"]](**given)
    except KgaskError as error:
        advice = "kgask models check"
        if isinstance(error, NativeError):
            advice = message["advice"]
        elif isinstance(error, PackError | UsageError):
            advice = f"kgask pack check {given['pack']}"
        found.append(Finding("fail", message["check"], str(error), advice))
    return [asdict(finding) for finding in found]


# --- libraries --------------------------------------------------------------------------------


def library(module: str, packages: list[str], repair: str) -> Iterator[Finding]:
    """Whether a library loads, and its version."""
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken shared library raises nearly anything
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        yield Finding("fail", module, f"does not load: {reason[:160]}", repair)
    else:
        yield Finding("ok", module, version_of(*packages) or "found, not as a package")


def version_of(*packages: str) -> str | None:
    """The version of the first package that is installed."""
    from importlib.metadata import PackageNotFoundError, version

    for package in packages:
        try:
            return f"{version(package)} ({package})" if len(packages) > 1 else version(package)
        except PackageNotFoundError:
            continue
    return None


def llama_build() -> Iterator[Finding]:
    """What llama.cpp was compiled for and by, and whether this CPU has it."""
    from kgask.read.gguf.bindings import BUILD_AGAIN, library_files, load_bindings

    said = load_bindings().llama_print_system_info().decode(errors="replace")
    features = re.findall(r"(\w+) = 1\b", said)
    backends = [name for name in re.findall(r"(\w+) : ", said) if name != "CPU"]
    compiler = compiled_by(library_files())
    parts = [
        f"compiled for {' '.join(features)}",
        f"by {compiler}" if compiler else "",
        f"GPU backends: {', '.join(backends) or 'none'}",
        "AMX is compiled in and not used" if any(name.startswith("AMX") for name in features) else "",
    ]
    found = "; ".join(filter(None, parts))
    flags = set(cpu().lower().split())
    lacking = [name for name in features if name not in _NO_FLAGS and _FLAGS.get(name, name.lower()) not in flags]
    if lacking and "fpu" in flags:  # the system says what an x86 CPU has
        yield Finding("fail", "llama.cpp", f"{found}; this CPU has no {' '.join(lacking)}", BUILD_AGAIN)
    else:
        yield Finding("ok", "llama.cpp", found)


def compiled_by(files: list[Path]) -> str:
    """The compiler that a library names in itself; "" where it names none."""
    for path in files:
        named = re.search(_COMPILERS, path.read_bytes())
        if named:
            return named.group().decode(errors="replace")
    return ""


# --- questions --------------------------------------------------------------------------------


def is_opaque(label: str) -> bool:
    """Whether a relation's label is an id rather than words.

    >>> [is_opaque(label) for label in ("P57", "m.0abc", "rel_12", "http://x.org/p/9", "place of birth")]
    [True, True, True, True, False]
    """
    if any(ord(char) > 127 and char.isalpha() for char in label):
        return False
    return _OPAQUE.fullmatch(label.strip()) is not None


def probes(pack: Pack) -> Iterator[tuple[str, int, str]]:
    """(question, subject, relation label) of one triple each of a few relations with words, spread over the pack."""
    import numpy as np

    labels = pack.relation_labels()
    relations, firsts = np.unique(np.asarray(pack.out_relation), return_index=True)
    usable = [(r, t) for r, t in zip(relations.tolist(), firsts.tolist(), strict=True) if not is_opaque(labels[r])]
    for relation, triple in usable[:: max(1, len(usable) // SELF_TEST_QUESTIONS)][:SELF_TEST_QUESTIONS]:
        subject = int(pack.triples([triple])[0][0])
        name = " ".join(pack.labels([subject])[0].split())
        yield f"What is the {labels[relation]} of {name}?"[:500], subject, labels[relation]


def _answered(pack: str, model: str, reader: str | None, most: int) -> tuple[list[tuple[str, str, Answer]], str]:
    """(question, wanted relation, answer) of the first probes, topic given; and what the planner ran on.

    The note is asked for after the questions: a GPU may fail in the middle of them.
    """
    from kgask.answer.pipeline import Pipeline
    from kgask.answer.request import AskOptions

    with Pipeline.open(pack, model=model, reader=reader, settings={}, must_read=reader is not None) as pipeline:
        pipeline.read_always()
        asked = list(probes(pipeline.pack))[:most]
        answers = [
            (question, relation, pipeline.ask(question, AskOptions(entity=f"#{subject}", min_confidence=0.0)))
            for question, subject, relation in asked
        ]
        return answers, pipeline.planner.note


def ask_planner(pack: str, model: str) -> Iterator[Finding]:
    """A few questions about triples of the pack through the plan alone."""
    from kgask.plan.providers import CUDA_FAILED

    answers, note = _answered(pack, model, None, SELF_TEST_QUESTIONS)
    yield Finding("warn" if CUDA_FAILED in note else "ok", "planner", f"{model}: {note}")
    if not answers:
        yield Finding("warn", "self-test", "no triple to ask about", f"kgask pack info {pack}")
        return
    right = sum(any(triple.relation == wanted for triple in answer.support) for _, wanted, answer in answers)
    spent_ms = sorted(answer.timings_ms.get("plan", 0.0) for _, _, answer in answers)[len(answers) // 2]
    found = f"{right} of {len(answers)} one-hop questions planned right, {spent_ms:.1f} ms ({answers[0][0]})"
    advice = "" if right else f"the planner does not read these relations: kgask train adapt {pack}"
    yield Finding("ok" if right else "warn", "self-test", found, advice)


def ask_reader(pack: str, model: str, reader: str) -> Iterator[Finding]:
    """The reader as it is used, tried anew whatever is remembered, and then a real question."""
    answers, _ = _answered(pack, model, reader, 1)
    for question, _, answer in answers:
        spent = answer.timings_ms.get("read")
        said = "had nothing to read" if spent is None else f"read in {spent:.1f} ms"
        yield Finding("ok", "reader", f"{reader}: {said} ({question})")
    if not answers:
        yield Finding("warn", "reader", "no triple to ask about", f"kgask pack info {pack}")


def encode_question(encoder: str) -> Iterator[Finding]:
    """The sentence encoder of ``--method similarity`` on a question."""
    from kgask.methods.text_encoder import TextEncoder

    vectors = TextEncoder.load(config.find("model", encoder).path).encode([QUESTION])
    yield Finding("ok", "encoder", f"{encoder}: {vectors.shape[1]} numbers a text")


LOOKS = {look.__name__: look for look in (library, llama_build, ask_planner, ask_reader, encode_question)}
