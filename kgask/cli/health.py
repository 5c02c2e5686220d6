"""What ``kgask doctor`` looks at: the machine, the libraries, the models, a pack, and how planner and pack fit.

Every check is a function that yields :class:`Finding` and raises nothing that
it can foresee. Nothing here imports torch; a network is touched by questions to a connected pack, and else by nothing.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from kgask import config
from kgask.cli import health_native as native
from kgask.cli.health_native import Finding, Status, apart, is_opaque, version_of
from kgask.errors import KgaskError
from kgask.machine import homes
from kgask.machine.cores import affine_cores, cpu_quota, usable_cores
from kgask.pack.records import RelationText
from kgask.version import __version__

PYTHONS = ((3, 11), (3, 13))
LEAST_MEMORY = 512 << 20  # bytes; a question peaks at about a quarter of a gigabyte
LIBRARIES = {
    "onnxruntime": ("onnxruntime-gpu", "onnxruntime"),
    "llama_cpp": ("llama-cpp-python",),
    "tokenizers": ("tokenizers",),
    "numpy": ("numpy",),
}


# --- machine ----------------------------------------------------------------------------------


def versions() -> Iterator[Finding]:
    """kgask, Python, and the libraries as they really load."""
    from kgask.read.gguf.bindings import BUILD_AGAIN

    yield Finding("ok", "kgask", __version__ if version_of("kgask") else f"{__version__}, not installed as a package")
    python = platform.python_version()
    if PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        yield Finding("ok", "python", f"{python}, {platform.machine()}, {platform.system()}")
    else:
        yield Finding("warn", "python", python, "kgask is tested with Python 3.11 to 3.13")
    for module, packages in LIBRARIES.items():
        advice = f"pip install --force-reinstall --no-cache-dir {packages[0]}"
        yield from apart(native.library, module, advice, module=module, packages=packages, repair=advice)
    yield from apart(native.llama_build, "llama.cpp", BUILD_AGAIN)
    yield _sqlite()


def _sqlite() -> Finding:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(name)")
    except sqlite3.OperationalError:
        return Finding("fail", "sqlite", f"{sqlite3.sqlite_version} without FTS5", "use a Python whose SQLite has FTS5")
    finally:
        connection.close()
    return Finding("ok", "sqlite", f"{sqlite3.sqlite_version} with FTS5")


def hardware() -> Iterator[Finding]:
    """Threads that may be used, memory that is free, what ONNX Runtime could run on."""
    from kgask.plan.providers import silenced, wanted_providers

    quota = cpu_quota()
    limit = f"cgroup quota {quota}" if quota else "no cgroup quota"
    yield Finding("ok", "threads", f"{usable_cores()} used ({os.cpu_count()} cores, {affine_cores()} allowed, {limit})")
    yield _memory()
    try:
        with silenced():
            import onnxruntime

            available = onnxruntime.get_available_providers()
    except Exception:  # said by versions()
        return
    names = ", ".join(name.removesuffix("ExecutionProvider") for name in available)
    yield Finding("ok", "onnx providers", f"built in: {names}; {wanted_providers(available)[1]}")


def _memory() -> Finding:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        free, total = kib["MemAvailable"] << 10, kib["MemTotal"] << 10
    except (OSError, ValueError, KeyError, IndexError):
        return Finding("ok", "memory", "not known on this system")
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text())
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        free, total = min(free, max(0, limit - used)), min(total, limit)
    except (OSError, ValueError):  # no cgroup, or no limit ("max")
        pass
    found = f"{free >> 20:,} MiB free of {total >> 20:,}"
    if free < LEAST_MEMORY:
        return Finding("warn", "memory", found, "free some memory, or ask with --no-reader")
    return Finding("ok", "memory", found)


def home() -> Iterator[Finding]:
    """The user's data folder, and whether relation matrices can be kept there."""
    folder = homes.data_home()
    origin = "KGASK_HOME" if os.environ.get("KGASK_HOME") else "default"
    there = next((part for part in (folder, *folder.parents) if part.exists()), folder)
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        yield Finding("ok", "home", f"{folder} ({origin}{'' if there == folder else ', made when needed'})")
    else:
        advice = "set KGASK_HOME to a folder that you can write to; until then relations are encoded anew each time"
        yield Finding("warn", "home", f"{folder} ({origin}) cannot be written to", advice)


def settings() -> Iterator[Finding]:
    """Settings in force, and where they come from."""
    try:
        found = config.load_settings()
    except KgaskError as error:
        yield Finding("fail", "settings", str(error), f"correct {homes.data_home() / 'config.toml'} or remove it")
        return
    named = {key for key in ("pack", "model", "reader") if os.environ.get(f"KGASK_{key.upper()}")}
    said = [f"{key} = {value!r} ({'environment' if key in named else 'config.toml'})" for key, value in found.items()]
    yield Finding("ok", "settings", "; ".join(said) or "defaults")


# --- models and packs -------------------------------------------------------------------------


def models(used: list[str]) -> Iterator[Finding]:
    """Every model that is found, and those named; one that is not used may be broken without harm."""
    found, in_use = config.list_found("model"), set()
    for name in used:
        try:
            model = config.find("model", name)
        except KgaskError as error:
            yield Finding("fail", f"model {name}", str(error), "kgask models list")
            continue
        in_use.add(model.path)
        found += [] if any(model.path == other.path for other in found) else [model]
    for model in found:
        yield _model(model, model.path in in_use)


def _model(model: config.Found, in_use: bool) -> Finding:
    from kgask.cli.models import checked, load_card

    entry, check = checked(model), f"model {model.name}"
    if not entry["ok"]:
        advice = "install kgask again" if model.origin == "shipped" else "train it, or copy it here, again"
        return Finding("fail" if in_use else "warn", check, str(entry["problem"]), advice)
    if model.path.is_file():
        return Finding("ok", check, f"GGUF file, readable ({model.path})")
    role, content = load_card(model.path)
    return Finding("ok", check, f"{role}, format {content.get('format_version')}, hashes fit ({model.origin})")


def pack_and_fit(pack: str, model: str, reader: str, encoder: str) -> Iterator[Finding]:
    """The pack's counts, its relations as the planner reads them, and questions through planner and reader."""
    from kgask.pack.store import Pack
    from kgask.remote.folder import endpoint_of

    try:
        path = config.find("pack", pack).path
        with Pack.open(path, connected=True) as opened:
            version = opened.manifest["format"]
            size = sum(entry["bytes"] for entry in opened.manifest["files"].values())
            yield Finding(
                "ok",
                "pack",
                f"{opened.path}, format {version['major']}.{version.get('minor', 0)}, {opened.n_entities:,} entities, "
                f"{opened.n_relations:,} relations, {opened.n_triples:,} triples, {size >> 20:,} MiB",
            )
            if (endpoint := endpoint_of(path)) is not None:
                yield Finding("ok", "endpoint", f"the triples are fetched from {endpoint}; the folder has a sample")
            yield from relation_texts(opened.relations())
    except KgaskError as error:
        yield Finding("fail", "pack", str(error), f"kgask pack check {pack}")
        return
    yield from apart(native.ask_planner, "self-test", f"kgask models check {model}", pack=pack, model=model)
    yield from _reader(pack, model, reader)
    yield from apart(native.encode_question, "encoder", f"kgask models check {encoder}", encoder=encoder)


def _reader(pack: str, model: str, reader: str) -> Iterator[Finding]:
    """The reader tried anew, whatever is remembered, and then a real question."""
    from kgask.read.files.probe import trial_of
    from kgask.read.gguf.bindings import BUILD_AGAIN

    advice = f"kgask answers from the plan until it works; {BUILD_AGAIN}"
    try:
        trial_of(config.find("model", reader).path).again()
    except KgaskError as error:
        yield Finding("fail", "reader", str(error), advice)
        return
    yield from apart(native.ask_reader, "reader", advice, pack=pack, model=model, reader=reader)


def relation_texts(relations: list[RelationText]) -> Iterator[Finding]:
    """Whether relations have words, which is all that the planner knows of them."""
    n = len(relations)
    opaque = [relation.label for relation in relations if is_opaque(relation.label)]
    advice = "rebuild with labels of relations: kgask pack build SOURCE -o DIR --relations FILE"
    if opaque:
        shown = ", ".join(label[:40] for label in opaque[:3])
        status: Status = "fail" if len(opaque) == n else "warn"
        yield Finding(status, "relation labels", f"{len(opaque)} of {n} are ids, not words ({shown})", advice)
    else:
        yield Finding("ok", "relation labels", f"all {n} are words")
    aliased = sum(bool(relation.aliases) for relation in relations)
    hint = "" if aliased else "other names of relations help the planner: kgask pack build --relations FILE"
    found = f"{aliased} of {n} relations have other names ({aliased / max(1, n):.0%})"
    yield Finding("ok", "relation aliases", found, hint)
