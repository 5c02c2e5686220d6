"""What of ``kgask doctor`` runs compiled code: each piece in a child process, so that a crash there is a finding."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from kgask import config
from kgask.errors import KgaskError, PackError, UsageError
from kgask.machine.child import ChildDied, in_child
from kgask.machine.trial import cpu

Status = Literal["ok", "warn", "fail"]
SECONDS = 120.0  # of one piece
QUESTION = "who wrote Lady Susan?"  # where the pack is the shipped one; of others the doctor asks about their triples
_COMPILERS = rb"GCC: \([^)\0]{0,80}\) [0-9.]+|clang version [0-9.]+"
# What llama.cpp calls a CPU feature, and what Linux does; only those that differ by more than case.
_FLAGS = {"AVX512": "avx512f", "SSE3": "pni", "AVX512_VBMI": "avx512vbmi", "AVX512_BF16": "avx512_bf16"}
_NO_FLAGS = {"LLAMAFILE", "OPENMP", "REPACK", "ACCELERATE"}  # of the build, not of the CPU


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor; ``advice`` is what to type or do next, "" when nothing."""

    status: Status
    check: str
    found: str
    advice: str = ""


def _in_child(check: str, task: Callable[[Any], Any], payload: Any, advice: str) -> Iterator[Finding]:
    """The findings that a task of this module gives in a child, or how the child died."""
    try:
        rows = in_child(f"{__name__}:{task.__name__}", payload, seconds=SECONDS)
    except ChildDied as error:
        yield Finding("fail", check, f"it {error}", advice)
        return
    yield from (Finding(**row) for row in rows)


# --- libraries --------------------------------------------------------------------------------


def library(module: str, packages: tuple[str, ...]) -> Iterator[Finding]:
    """Whether a library loads, and its version."""
    advice = f"pip install --force-reinstall --no-cache-dir {packages[0]}"
    yield from _in_child(module, load_library, {"module": module, "packages": packages, "advice": advice}, advice)


def load_library(payload: dict[str, Any]) -> list[dict[str, str]]:
    """In the child."""
    module = payload["module"]
    try:
        importlib.import_module(module)
    except Exception as error:  # a broken shared library raises nearly anything
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return [asdict(Finding("fail", module, f"does not load: {reason[:160]}", payload["advice"]))]
    return [asdict(Finding("ok", module, version_of(*payload["packages"]) or "found, not as a package"))]


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
    from kgask.read.gguf.bindings import BUILD_AGAIN

    yield from _in_child("llama.cpp", describe_llama, None, BUILD_AGAIN)


def describe_llama(_payload: None) -> list[dict[str, str]]:
    """In the child."""
    from kgask.read.gguf.bindings import BUILD_AGAIN, library_files, load_bindings

    try:
        said = load_bindings().llama_print_system_info().decode(errors="replace")
    except KgaskError as error:
        return [asdict(Finding("fail", "llama.cpp", str(error), BUILD_AGAIN))]
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
    lacking = [name for name in features if name not in _NO_FLAGS and _flag(name) not in flags]
    if lacking and "fpu" in flags:  # the system says what an x86 CPU has
        return [asdict(Finding("fail", "llama.cpp", f"{found}; this CPU has no {' '.join(lacking)}", BUILD_AGAIN))]
    return [asdict(Finding("ok", "llama.cpp", found))]


def _flag(feature: str) -> str:
    return _FLAGS.get(feature, feature.lower())


def compiled_by(files: list[Path]) -> str:
    """The compiler that a library names in itself; "" where it names none."""
    for path in files:
        named = re.search(_COMPILERS, path.read_bytes())
        if named:
            return named.group().decode(errors="replace")
    return ""


# --- questions --------------------------------------------------------------------------------


def planner_test(pack: str, model: str) -> Iterator[Finding]:
    """A few questions about triples of the pack, topic given, through the plan alone."""
    yield from _in_child("planner", ask_planner, {"pack": pack, "model": model}, f"kgask models check {model}")


def ask_planner(payload: dict[str, str]) -> list[dict[str, str]]:
    """In the child."""
    return [asdict(finding) for finding in _asked(payload["pack"], payload["model"])]


def _asked(pack: str, model: str) -> Iterator[Finding]:
    from kgask.answer.pipeline import Pipeline
    from kgask.answer.request import AskOptions
    from kgask.cli.health import probes
    from kgask.plan.providers import CUDA_FAILED

    try:
        with Pipeline.open(pack, model=model, reader=None, settings={}) as pipeline:
            asked = list(probes(pipeline.pack))
            right, spent_ms = 0, []
            for question, subject, relation in asked:
                answer = pipeline.ask(question, AskOptions(entity=f"#{subject}", min_confidence=0.0))
                right += any(triple.relation == relation for triple in answer.support)
                spent_ms.append(answer.timings_ms.get("plan", 0.0))
            note = pipeline.planner.note  # after the questions: a GPU may fail in the middle of them
            yield Finding("warn" if CUDA_FAILED in note else "ok", "planner", f"{model}: {note}")
    except (PackError, UsageError) as error:
        yield Finding("fail", "self-test", str(error), f"kgask pack check {pack}")
    except KgaskError as error:
        yield Finding("fail", "self-test", str(error), "kgask models check")
    else:
        yield _verdict(asked, right, spent_ms, pack)


def _verdict(asked: list[tuple[str, int, str]], right: int, spent_ms: list[float], pack: str) -> Finding:
    if not asked:
        return Finding("warn", "self-test", "no triple to ask about", f"kgask pack info {pack}")
    example, median_ms = asked[0][0], sorted(spent_ms)[len(spent_ms) // 2]
    found = f"{right} of {len(asked)} one-hop questions planned right, {median_ms:.1f} ms ({example})"
    if right:
        return Finding("ok", "self-test", found)
    return Finding("warn", "self-test", found, f"the planner does not read these relations: kgask train adapt {pack}")


def reader_test(pack: str, model: str, reader: str) -> Iterator[Finding]:
    """The reader as it is used, tried anew whatever is remembered, and then a real question."""
    from kgask.read.files.probe import trial_of
    from kgask.read.gguf.bindings import BUILD_AGAIN

    advice = f"kgask answers from the plan until it works; {BUILD_AGAIN}"
    try:
        trial_of(config.find("model", reader).path).again()
    except KgaskError as error:
        yield Finding("fail", "reader", str(error), advice)
        return
    yield from _in_child("reader", ask_reader, {"pack": pack, "model": model, "reader": reader}, advice)


def ask_reader(payload: dict[str, str]) -> list[dict[str, str]]:
    """In the child."""
    from kgask.answer.pipeline import Pipeline
    from kgask.answer.request import AskOptions
    from kgask.cli.health import probes

    named = {name: payload[name] for name in ("model", "reader")}
    try:
        with Pipeline.open(payload["pack"], **named, settings={}, must_read=True) as pipeline:
            asked = list(probes(pipeline.pack))[:1]
            for question, subject, _ in asked:
                answer = pipeline.ask(question, AskOptions(entity=f"#{subject}", min_confidence=0.0))
                spent = answer.timings_ms.get("read")
                said = "had nothing to read" if spent is None else f"read in {spent:.1f} ms"
                return [asdict(Finding("ok", "reader", f"{payload['reader']}: {said} ({question})"))]
    except KgaskError as error:
        return [asdict(Finding("fail", "reader", str(error), "kgask models check"))]
    return [asdict(Finding("warn", "reader", "no triple to ask about", f"kgask pack info {payload['pack']}"))]


def encoder_test(encoder: str) -> Iterator[Finding]:
    """The sentence encoder of ``--method similarity`` on a question."""
    yield from _in_child("encoder", encode_question, {"encoder": encoder}, f"kgask models check {encoder}")


def encode_question(payload: dict[str, str]) -> list[dict[str, str]]:
    """In the child."""
    from kgask.methods.text_encoder import TextEncoder

    try:
        vectors = TextEncoder.load(config.find("model", payload["encoder"]).path).encode([QUESTION])
    except KgaskError as error:
        return [asdict(Finding("fail", "encoder", str(error), "kgask models check"))]
    return [asdict(Finding("ok", "encoder", f"{payload['encoder']}: {vectors.shape[1]} numbers a text"))]
