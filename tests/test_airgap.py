"""``kgask airgap``: the folder is whole or not there, and installs where there is no network."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from network import QUESTION, TRIPLE, has_route, without_network

from kgask.cli import airgap
from kgask.errors import KgaskError, UsageError

ROOT = Path(__file__).parent.parent
# Registers that only AVX-512 has, in the operands of a disassembly.
AVX512 = re.compile(r"%zmm|%[xy]mm(1[6-9]|2[0-9]|3[01])\b|%k[0-7]\b")

pytestmark = pytest.mark.skipif(not (ROOT / "setup.cfg").is_file(), reason="a wheel is built from a checkout")


def run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=1500, check=False
    )


# --- the real folder: downloads and compiles ------------------------------------------------


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the command as typed; a wheel of an earlier test run is put where an earlier run keeps it."""
    if not has_route():
        pytest.skip("the wheels come from the package index, and there is no network")
    target = tmp_path_factory.mktemp("airgap") / "kgask-folder"
    flags = hashlib.sha256(f"{airgap.cmake_arguments()}{airgap.WITHOUT_PROGRAMS}".encode()).hexdigest()[:8]
    kept = Path(request.config.cache.mkdir(f"airgap-{flags}"))
    shutil.copytree(kept, airgap.wheel_cache())
    done = run([sys.executable, "-m", "kgask", "airgap", str(target)], ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    for wheel in target.glob(f"llama_cpp_python-*-{airgap.BUILD_TAG}-*.whl"):
        shutil.copy2(wheel, kept)
    return target


@pytest.mark.slow
def test_the_sums_are_those_of_every_file(folder: Path) -> None:
    lines = (folder / airgap.SUMS).read_text().splitlines()
    stated = {name: digest for digest, name in (line.split("  ") for line in lines)}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    del found[airgap.SUMS]
    assert stated == found
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.slow
def test_the_only_llama_wheel_is_the_portable_one(folder: Path) -> None:
    (wheel,) = folder.glob("llama_cpp_python-*.whl")
    assert f"-{airgap.BUILD_TAG}-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if "libllama-common" in name or "libmtmd" in name] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
def test_the_compiled_libraries_have_avx2_and_no_avx512(folder: Path, tmp_path: Path) -> None:
    (wheel,) = folder.glob("llama_cpp_python-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(r"llama_cpp/lib/lib\w[\w-]*\.so", name)]
        archive.extractall(tmp_path, names)
    assert {"libllama.so", "libggml-cpu.so"} <= {Path(name).name for name in names}
    uses_ymm = False
    for name in names:
        with subprocess.Popen(
            ["objdump", "-d", "--no-show-raw-insn", name], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as dump:
            for line in dump.stdout or ():
                assert not AVX512.search(line), (name, line)
                uses_ymm = uses_ymm or "%ymm" in line
        needed = run(["objdump", "-p", name], tmp_path).stdout
        assert "libgomp" not in needed, "minimal systems have no OpenMP library"
    assert uses_ymm


@pytest.mark.slow
def test_what_the_folder_says_works_without_a_network(folder: Path, tmp_path: Path) -> None:
    """The very lines of INSTALL.txt, in an empty network namespace, with an empty home and no settings of pip."""
    text = (folder / airgap.INSTALL).read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.startswith("  ")]
    assert "kgask-venv/bin/pip install --no-index --find-links . kgask" in lines
    script = "\n".join(["set -e", *lines]).replace("--find-links .", f"--find-links '{folder}'")
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("KGASK_", "PIP_", "PYTHON", "XDG_"))
    }
    python = Path(sys.executable).parent
    clean |= {"HOME": str(tmp_path), "PATH": f"{python}:{clean['PATH']}", "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [*without_network(), "bash", "-c", f"{script} --json"],
        cwd=tmp_path, env=clean, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["question"] == QUESTION
    assert answer["answer"] == "Jane Austen"
    assert TRIPLE in {(t["subject"], t["relation"], t["object"]) for t in answer["support"]}


# --- interruptions and refusals: no pip, no compiler ---------------------------------------


class FakePip:
    """Stands for ``pip wheel``: writes small wheels, and dies at the call it is told to."""

    def __init__(self, dies_at: int | None = None):
        self.calls: list[tuple[str, ...]] = []
        self.dies_at = dies_at

    def __call__(self, *arguments: object, environment: dict[str, str] | None = None) -> None:
        words = tuple(map(str, arguments))
        self.calls.append(words)
        if len(self.calls) == self.dies_at:
            raise KeyboardInterrupt
        out = Path(words[words.index("--wheel-dir") + 1])
        if "--no-binary" in words:
            name, version = words[-1].split("==")
            self._write(out / f"{name.replace('-', '_')}-{version}-{airgap.BUILD_TAG}-py3-none-any.whl", "libllama.so")
        elif "--constraint" in words:
            shutil.copy2(words[-1], out)
            self._write(out / "click-8-py3-none-any.whl", "click.py")
        else:
            self._write(out / "kgask-9.9-py3-none-any.whl", *airgap.CARRIED)

    @staticmethod
    def _write(wheel: Path, *names: str) -> None:
        with zipfile.ZipFile(wheel, "w") as archive:
            for name in names:
                archive.writestr(name, name)


@pytest.fixture(autouse=True)
def empty_cache(request: pytest.FixtureRequest) -> None:
    """No test of an interruption uses what another one compiled."""
    if "folder" not in request.fixturenames:
        request.getfixturevalue("own_cache")


def make(target: Path, pip: FakePip, monkeypatch: pytest.MonkeyPatch, force: bool = False) -> None:
    monkeypatch.setattr(airgap, "_pip_wheel", pip)
    airgap.make_folder(target, ROOT, force)


@pytest.mark.slow
@pytest.mark.parametrize("dies_at", [1, 2, 3])
def test_an_interrupted_run_leaves_nothing_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    target = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        make(target, FakePip(dies_at), monkeypatch)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("dies_at", [2, 3])
def test_what_an_interrupted_run_compiled_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    target = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        make(target, FakePip(dies_at), monkeypatch)
    second = FakePip()
    make(target, second, monkeypatch)
    assert [words for words in second.calls if "--no-binary" in words] == []
    assert sorted(path.name.split("-")[0] for path in target.iterdir()) == [
        "INSTALL.txt", "SHA256SUMS", "click", "kgask", "llama_cpp_python",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_torn_wheel_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    make(target, FakePip(), monkeypatch)
    (wheel,) = airgap.wheel_cache().glob("llama_cpp_python-*.whl")
    wheel.write_bytes(wheel.read_bytes()[:-30])
    second = FakePip()
    make(target, second, monkeypatch, force=True)
    assert "--no-binary" in second.calls[0]


@pytest.mark.slow
def test_an_interrupted_run_leaves_the_old_folder_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    make(target, FakePip(), monkeypatch)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        make(target, FakePip(dies_at=2), monkeypatch, force=True)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.tmp", "out.old.tmp"])
def test_folders_beside_it_stay(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis").write_text("x")
    for force in (False, True):
        make(tmp_path / "out", FakePip(), monkeypatch, force)
    assert (tmp_path / name / "thesis").read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["out", name])


@pytest.mark.slow
def test_only_its_own_folder_is_made_again_and_only_with_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    make(target, FakePip(), monkeypatch)
    with pytest.raises(KgaskError, match="--force replaces it"):
        make(target, FakePip(), monkeypatch)
    (target / "thesis").write_text("x")
    with pytest.raises(KgaskError, match="'thesis'"):
        make(target, FakePip(), monkeypatch, force=True)
    (target / "thesis").unlink()
    make(target, FakePip(), monkeypatch, force=True)


def test_what_others_publish_with_such_names_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / airgap.SUMS).write_text(f"{'0' * 64}  {airgap.INSTALL}\n")
    (tmp_path / airgap.INSTALL).write_text("Run make install.\n")
    with pytest.raises(KgaskError, match="is not a folder that kgask airgap made"):
        make(tmp_path, FakePip(), monkeypatch, force=True)
    assert (tmp_path / airgap.INSTALL).read_text() == "Run make install.\n"


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KgaskError, match="Not a directory|File exists"):
        make(tmp_path / "file" / "out", FakePip(), monkeypatch)


@pytest.mark.slow
def test_compiling_ignores_pips_cache_and_the_shells_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    pip = FakePip()

    def spying(*arguments: object, environment: dict[str, str] | None = None) -> None:
        seen.append(environment or {})
        pip(*arguments, environment=environment)

    monkeypatch.setattr(airgap, "_pip_wheel", spying)
    monkeypatch.setenv("CFLAGS", "-march=native")
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_NATIVE=ON")
    airgap.make_folder(tmp_path / "out", ROOT)
    assert {"--no-cache-dir", "--no-binary"} <= set(pip.calls[0])
    assert "CFLAGS" not in seen[0]
    assert seen[0]["CMAKE_ARGS"].split().count("-DGGML_NATIVE=OFF") == 1
    assert "-DGGML_NATIVE=ON" not in seen[0]["CMAKE_ARGS"]


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(KgaskError, match="is not a folder that kgask airgap made"):
        make(tmp_path, FakePip(), monkeypatch)
    assert (tmp_path / "letters.txt").read_text() == "mine"


def test_a_wheel_without_models_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(airgap, "_pip_wheel", FakePip())
    bare = tmp_path / "source" / "kgask-9.9-py3-none-any.whl"
    bare.parent.mkdir()
    FakePip._write(bare, "kgask/__init__.py")
    monkeypatch.setattr(FakePip, "_write", staticmethod(lambda wheel, *_: shutil.copy2(bare, wheel)))
    with pytest.raises(KgaskError, match="models and pack in place"):
        airgap.make_folder(tmp_path / "out", bare)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a checkout"):
        airgap.clean_copy(tmp_path, tmp_path / "copy")


def test_the_source_is_found_from_the_installation() -> None:
    assert airgap.find_source() == ROOT


def test_what_was_checked_to_stay_offline_is_said_with_versions(tmp_path: Path) -> None:
    kgask_wheel, llama = tmp_path / "kgask-1-py3-none-any.whl", tmp_path / "llama_cpp_python-0.0.1-py3-none-any.whl"
    kgask_wheel.touch(), llama.touch(), (tmp_path / "tokenizers-0.23.3-abi3.whl").touch()
    text = airgap._install_text(kgask_wheel, llama, "folder")
    guide = " ".join((ROOT / "docs" / "guide.md").read_text(encoding="utf-8").split())
    for name, version in airgap.CHECKED.items():
        assert f"{name} {version}" in text and f"{name} {version}" in guide
    assert "Here, and not checked so: llama-cpp-python 0.0.1.\n" in text
    llama.unlink()
    assert "not checked" not in airgap._install_text(kgask_wheel, llama, "folder")
