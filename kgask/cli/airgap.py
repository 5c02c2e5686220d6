"""``kgask airgap DIR``: a folder from which pip installs kgask on a machine without a network.

The only command that uses the network: it runs pip. Everything is gathered
beside DIR, checksums last, and one rename makes it DIR: a killed run never
leaves a folder that looks whole. The compiled wheel is kept in the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import click

from kgask.build.folder import Kind, new_folder
from kgask.cli.render import note
from kgask.errors import KgaskError, UsageError
from kgask.machine.files import whole_file
from kgask.machine.homes import cache_home, expanded

SUMS, INSTALL = "SHA256SUMS", "INSTALL.txt"
SOURCE_PARTS = ("kgask", "models", "kg_packs", "setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
# What the wheel of kgask must have inside to answer on the other machine.
CARRIED = (
    "kgask/models/rigel/model.json", "kgask/models/judge/model.json", "kgask/models/reader/model.json",
    "kgask/kg_packs/demo/pack.json",
)  # fmt: skip
LLAMA = "llama-cpp-python"
# A build tag in the wheel's name tells our portable build from one compiled for this machine only.
BUILD_TAG = "1avx2"
PORTABLE = ("-DGGML_NATIVE=OFF",)
# OpenMP is off because minimal systems have no libgomp; llama.cpp then uses threads of its own.
# Pictures and sound (LLAVA) are not read by kgask.
LEAN = ("-DGGML_OPENMP=OFF", "-DLLAVA_BUILD=OFF")
# llama.cpp's library for its own programs is nearly half of the compilation and no part of what Python loads.
# llama-cpp-python turns it on in CMake's cache; a variable of llama.cpp's own folder (CMAKE_PROJECT_<name>_INCLUDE)
# stands before that.
WITHOUT_PROGRAMS = "set(LLAMA_BUILD_COMMON OFF)\n"
AVX2_AND_NO_MORE = (
    *(f"-DGGML_{name}=ON" for name in ("SSE42", "AVX", "AVX2", "FMA", "F16C", "BMI2")),
    *(f"-DGGML_{name}=OFF" for name in ("AVX_VNNI", "AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16", "AMX_TILE")),
)
# Compiler and CMake settings of this shell would end in the libraries.
LEAKING = ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_ARGS", "CMAKE_GENERATOR", "SKBUILD_CMAKE_ARGS")

INSTALL_TEXT = """\
kgask {version}: everything to install it without a network, with its models and its demo pack.

For Python {python} on {system} {machine}{glibc}.

  python3 -m venv kgask-venv
  kgask-venv/bin/pip install --no-index --find-links . kgask
  kgask-venv/bin/kgask "who wrote Lady Susan?"

(run in this folder; elsewhere name it: --find-links {name})

The planner, the judge, the reader and the demo pack are inside the kgask wheel.
{llama} was compiled from source {target}.
To check that the folder arrived whole: sha256sum -c {sums}

kgask opens no internet socket and writes only where it is told to and in its own folders, whatever its libraries do.
That was checked with {checked}:
every command ran for 25 seconds, or to its end, under strace in an empty network namespace.{others}
"""
# With these versions tests/test_offline_long.py passed; docs/guide.md says the same.
CHECKED = {"onnxruntime-gpu": "1.31.1", "llama-cpp-python": "0.3.36", "tokenizers": "0.23.3"}


@click.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="The folder to make.")
@click.option(
    "--source", metavar="PATH", type=click.Path(path_type=Path, exists=True), help="Checkout or wheel of kgask."
)
@click.option("--force", is_flag=True, help="Make a DIR of an earlier run again.")
def airgap(folder: Path | None, output: Path | None, source: Path | None, force: bool) -> None:
    """Make DIR: every wheel that kgask needs, to install without a network.

    Downloads the wheels for this Python and this system with pip, builds kgask's
    own (models and demo pack are inside) and compiles llama-cpp-python for any
    x86-64 machine with AVX2, which takes some minutes; what was compiled is kept
    in the cache for a later run. DIR/INSTALL.txt says how to install.

    The source is the checkout that kgask was installed from, or the current
    folder, or --source.
    """
    if (named := output or folder) is None or (output and folder):
        raise UsageError("name one folder to make: kgask airgap -o DIR")
    target = expanded(named).absolute()
    make_folder(target, expanded(source).absolute() if source else find_source(), force)
    wheels = sorted(target.glob("*.whl"))
    size_mb = sum(path.stat().st_size for path in wheels) / 1e6
    note(f"{target}: {len(wheels)} wheels, {size_mb:.0f} MB; {INSTALL} there says how to install")


def make_folder(target: Path, source: Path, force: bool = False) -> None:
    """Make ``target`` from a checkout or a wheel of kgask, whole or not at all.

    ``force`` replaces a folder that an earlier run made. Raises :class:`UsageError`
    for a source that will not do, :class:`KgaskError` for a target that may not be
    replaced and when pip fails.
    """
    try:
        with (
            new_folder(target, force, AIRGAP, [source]) as gathered,
            tempfile.TemporaryDirectory(prefix="kgask-airgap-") as scratch,
        ):
            _gather(source, gathered, Path(scratch), target.name)
    except OSError as error:
        raise KgaskError(f"{error.filename or target}: {error.strerror or error}") from error


def find_source() -> Path:
    """The checkout that this kgask was installed from, else the current folder.

    Raises :class:`UsageError` when neither is one.
    """
    for folder in (_installed_from(), Path.cwd()):
        if folder is not None and _is_checkout(folder):
            return folder
    raise UsageError("no checkout of kgask here; name one, or a kgask wheel, with --source")


def _installed_from() -> Path | None:
    """The local folder that pip notes for an install from one (PEP 610)."""
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        url = json.loads(distribution("kgask").read_text("direct_url.json") or "{}").get("url", "")
    except (PackageNotFoundError, ValueError):
        return None
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _is_checkout(folder: Path) -> bool:
    try:
        return "name = kgask" in (folder / "setup.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False


def _files_of(folder: Path) -> set[str] | None:
    """The files of a folder that an earlier run made, as its checksums list them; None for another folder."""
    try:
        if INSTALL_TEXT.partition(": ")[2].partition("\n")[0] not in (folder / INSTALL).read_text(encoding="utf-8"):
            return None
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = [match for line in lines if (match := re.fullmatch(r"[0-9a-f]{64}  (.+)", line))]
    return {SUMS, *(match[1] for match in found)} if len(found) == len(lines) else None


AIRGAP = Kind("folder that kgask airgap made", _files_of)


def wheel_cache() -> Path:
    """Where compiled wheels are kept, apart for other settings of the compilation."""
    return cache_home() / "airgap" / hashlib.sha256(cmake_arguments().encode()).hexdigest()[:12]


def _reusable(folder: Path) -> Path | None:
    """A whole portable llama-cpp-python wheel of the wanted version that an earlier run kept."""
    wanted = f"llama_cpp_python-{_llama_version()}-{BUILD_TAG}-*.whl"
    return next((path for path in sorted(folder.glob(wanted)) if _is_whole(path)), None)


def _is_whole(wheel: Path) -> bool:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False


def _llama_version() -> str:
    """The version that is installed here, so that the other machine runs what this one does."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(LLAMA)
    except PackageNotFoundError:
        raise KgaskError(f"{LLAMA} is not installed in this Python; type: pip install {LLAMA}") from None


def _gather(source: Path, folder: Path, scratch: Path, name: str) -> None:
    """Fill ``folder``, which will be called ``name``, with wheels, INSTALL.txt and, last, SHA256SUMS."""
    kept = _reusable(wheel_cache())
    if kept is None:
        llama = _compile_llama(folder, scratch)
        _keep(llama)
    else:
        llama = Path(shutil.copy2(kept, folder))
        note(f"{llama.name} of an earlier run is used again")
    note(f"building kgask from {source}")
    _pip_wheel("--no-deps", "--wheel-dir", scratch, clean_copy(source, scratch / "source"))
    kgask_wheel = next(scratch.glob("kgask-*.whl"))
    _check_carries_models(kgask_wheel)
    note("gathering the other wheels")
    pinned = scratch / "constraints.txt"
    pinned.write_text(f"{LLAMA} @ {(folder / llama.name).as_uri()}\n", encoding="utf-8")
    _pip_wheel("--wheel-dir", folder, "--constraint", pinned, kgask_wheel)
    (folder / INSTALL).write_text(_install_text(kgask_wheel, llama, name), encoding="utf-8")
    lines = [f"{_sha256(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def _compile_llama(folder: Path, scratch: Path) -> Path:
    """Compile for more machines than this one; never from pip's cache, which holds builds for this one."""
    note(f"compiling {LLAMA} {_llama_version()} {_target()}; this takes some minutes")
    environment = {key: value for key, value in os.environ.items() if key not in LEAKING}
    include = scratch / "llama.cmake"
    include.write_text(WITHOUT_PROGRAMS, encoding="utf-8")
    option = shlex.quote(f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={include.as_posix()}")
    environment["CMAKE_ARGS"] = f"{cmake_arguments()} {option}"
    _pip_wheel(
        "--no-deps", "--no-cache-dir", "--no-binary", LLAMA, "--config-settings", f"wheel.build-tag={BUILD_TAG}",
        "--wheel-dir", folder, f"{LLAMA}=={_llama_version()}", environment=environment,
    )  # fmt: skip
    return next(folder.glob(f"llama_cpp_python-*-{BUILD_TAG}-*.whl"))


def _keep(wheel: Path) -> None:
    """Best effort: where the cache cannot be written the next run compiles again."""
    with contextlib.suppress(OSError):
        wheel_cache().mkdir(parents=True, exist_ok=True)
        with open(wheel, "rb") as compiled, whole_file(wheel_cache() / wheel.name) as file:
            shutil.copyfileobj(compiled, file)


def cmake_arguments() -> str:
    """The CMake options of a build that runs on more machines than this one."""
    return " ".join(PORTABLE + (AVX2_AND_NO_MORE if _is_x86() else ()) + LEAN)


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def _target() -> str:
    return "for any x86-64 machine with AVX2" if _is_x86() else f"for any {platform.machine()} machine"


def clean_copy(source: Path, target: Path) -> Path:
    """The parts of a checkout that a wheel is built from: no stale build folder, nothing written to the checkout.

    A wheel is its own source.
    """
    if source.is_file():
        return source
    if not _is_checkout(source):
        raise UsageError(f"{source}: not a checkout of kgask")
    target.mkdir()
    for part in SOURCE_PARTS:
        path = source / part
        if path.is_dir():
            shutil.copytree(path, target / part, ignore=shutil.ignore_patterns("__pycache__", "*.tmp", ".*"))
        elif path.is_file():
            shutil.copy2(path, target / part)
    return target


def _check_carries_models(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for name in CARRIED:
        if name not in names:
            raise KgaskError(f"{wheel.name} has no {name}; build from a checkout with models and pack in place")


def _pip_wheel(*arguments: object, environment: dict[str, str] | None = None) -> None:
    """Run ``pip wheel``; what it says goes to stderr, for stdout is data."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    if subprocess.run(command, stdout=sys.stderr, env=environment, check=False).returncode:
        raise KgaskError("pip could not make a wheel (its own words are above); nothing was changed")


def _install_text(kgask_wheel: Path, llama: Path, folder_name: str) -> str:
    others = _not_checked(llama.parent)
    name, version = platform.libc_ver()
    return INSTALL_TEXT.format(
        version=kgask_wheel.name.split("-")[1],
        python=".".join(map(str, sys.version_info[:2])),
        system=platform.system(),
        machine=platform.machine(),
        glibc=f" with {name} {version} or newer" if version else "",
        name=folder_name,
        llama=llama.name,
        target=_target(),
        sums=SUMS,
        checked=", ".join(f"{name} {version}" for name, version in CHECKED.items()),
        others=f"\nHere, and not checked so: {', '.join(others)}." if others else "",
    )


def _not_checked(folder: Path) -> list[str]:
    """The gathered wheels of :data:`CHECKED` that have another version."""
    wheels = [path.name.split("-")[:2] for path in folder.glob("*.whl")]
    named = {name.replace("_", "-").lower(): version for name, version in wheels}
    return [f"{name} {named[name]}" for name, version in CHECKED.items() if named.get(name, version) != version]


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
