"""The wheel and the sdist: what is in them, and that an installed wheel finds its models and its pack."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
import sysconfig
import zipfile
from email.message import Message
from email.parser import Parser
from fnmatch import fnmatch
from pathlib import Path

import pytest
from network import QUESTION
from packaging.requirements import Requirement

from kgask import __version__
from kgask.cli.airgap import clean_copy

ROOT = Path(__file__).parent.parent
SHIPPED = ("models/rigel", "models/judge", "models/reader", "models/encoder", "kg_packs/demo")

pytestmark = pytest.mark.skipif(not (ROOT / "setup.cfg").is_file(), reason="a wheel is built from a checkout")


def run(*command: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("KGASK_", "PYTHON", "XDG_"))}
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder, env=clean | environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def build_wheel(source: Path, out: Path) -> tuple[Path, str]:
    """The wheel made from ``source`` with the setuptools of this environment, and what setuptools said."""
    done = run(
        "-m", "pip", "wheel", "-v", "--no-deps", "--no-index", "--no-build-isolation", "-w", out, source, folder=out
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (wheel,) = out.glob("kgask-*.whl")
    return wheel, done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("wheel")
    return build_wheel(clean_copy(ROOT, folder / "source"), folder)


@pytest.fixture(scope="module")
def installed(built: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel, as in site-packages; its dependencies come from this environment."""
    site = tmp_path_factory.mktemp("installed") / "site-packages"
    done = run("-m", "pip", "install", "--no-deps", "--no-index", "--target", site, built[0], folder=site.parent)
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """What setuptools writes into a wheel's METADATA, without building the wheel."""
    folder = tmp_path_factory.mktemp("metadata")
    source = clean_copy(ROOT, folder / "source")
    ask = "from setuptools.build_meta import prepare_metadata_for_build_wheel as ask"
    done = run("-c", f"{ask}; ask({str(folder)!r})", folder=source)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("kgask-*.dist-info/METADATA")
    return Parser().parsestr(path.read_text(encoding="utf-8"))


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected_names() -> set[str]:
    """What the checkout has: the package, and the shipped folders mapped into it."""
    names = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "kgask").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names |= {f"kgask/{part}/{path.name}" for part in SHIPPED for path in (ROOT / part).iterdir()}
    return names | {"kgask/models/NOTICE", "kgask/kg_packs/NOTICE"}


@pytest.mark.slow
def test_the_wheel_has_the_package_the_models_and_the_pack_and_nothing_else(built: tuple[Path, str]) -> None:
    assert names_in(built[0]) == expected_names()


@pytest.mark.slow
def test_setuptools_has_nothing_to_complain_about(built: tuple[Path, str]) -> None:
    complaints = ("deprecat", "absent from", "is ambiguous", "init file", "missing required")
    assert [line for line in built[1].splitlines() if any(word in line.lower() for word in complaints)] == []


@pytest.mark.slow
def test_the_sdist_makes_the_same_wheel(tmp_path: Path) -> None:
    source = clean_copy(ROOT, tmp_path / "source")
    build = f"from setuptools.build_meta import build_sdist; build_sdist({str(tmp_path)!r})"
    done = run("-c", build, folder=source)
    assert done.returncode == 0, done.stderr
    (sdist,) = tmp_path.glob("kgask-*.tar.gz")
    (tmp_path / "out").mkdir()
    wheel, _ = build_wheel(sdist, tmp_path / "out")
    assert names_in(wheel) == expected_names()


@pytest.mark.slow
def test_an_installed_wheel_answers_from_anywhere(installed: Path, tmp_path: Path) -> None:
    """Not the checkout: kgask, models and pack all come from the installed copy."""
    done = run("-m", "kgask", QUESTION, "--verbose", folder=tmp_path, PYTHONPATH=str(installed), HOME=str(tmp_path))
    assert done.stdout == "Jane Austen\n"
    assert str(installed / "kgask" / "kg_packs" / "demo") in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("group", "folder"), [("pack", "kg_packs"), ("models", "models")])
def test_lists_show_where_the_installed_things_are(installed: Path, tmp_path: Path, group: str, folder: str) -> None:
    done = run("-m", "kgask", group, "list", folder=tmp_path, PYTHONPATH=str(installed), HOME=str(tmp_path))
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows
    place = str(installed / "kgask" / folder)
    assert all("shipped" in row and any(str(Path(cell).parent) == place for cell in row) for row in rows)


@pytest.mark.slow
def test_a_checkout_that_is_not_installed_knows_its_version(tmp_path: Path) -> None:
    """Every library as installed here, but nothing that tells importlib.metadata of kgask."""
    libraries = [path for path in Path(sysconfig.get_path("purelib")).iterdir() if "kgask" not in path.name]
    for path in (ROOT / "kgask", ROOT / "models", ROOT / "kg_packs", *libraries):
        (tmp_path / path.name).symlink_to(path)

    def says(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-S", "-m", "kgask", *words], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        return done.stdout

    assert says("--version") == says("version") == f"kgask {__version__}\n"
    assert says("doctor").startswith(f"ok\tkgask\t{__version__}, not installed as a package")


def test_the_wheel_has_the_version_of_the_code(metadata: Message) -> None:
    assert metadata["Version"] == __version__


def requirements(metadata: Message) -> list[Requirement]:
    return [Requirement(text) for text in metadata.get_all("Requires-Dist")]


def test_the_versions_of_python(metadata: Message) -> None:
    assert metadata["Requires-Python"] == "<3.14,>=3.11"


@pytest.mark.parametrize(
    ("system", "machine", "runtime"),
    [
        ("Linux", "x86_64", "onnxruntime-gpu"),
        ("Windows", "AMD64", "onnxruntime-gpu"),
        ("Linux", "aarch64", "onnxruntime-gpu"),
        ("Linux", "riscv64", "onnxruntime"),
        ("Windows", "ARM64", "onnxruntime"),
        ("Darwin", "arm64", "onnxruntime"),
        ("Darwin", "x86_64", "onnxruntime"),
    ],
)
def test_exactly_one_onnx_runtime_for_each_machine(metadata: Message, system: str, machine: str, runtime: str) -> None:
    """The two cannot be installed side by side."""
    environment = {"platform_system": system, "platform_machine": machine, "extra": ""}
    chosen = [r.name for r in requirements(metadata) if r.marker is None or r.marker.evaluate(environment)]
    assert [name for name in chosen if name.startswith("onnxruntime")] == [runtime]


def test_only_the_train_extra_asks_for_torch(metadata: Message) -> None:
    wanting = {
        str(r.marker) for r in requirements(metadata) if r.name in ("torch", "transformers", "sentence-transformers")
    }
    assert wanting == {'extra == "train"'}


def test_every_data_file_is_declared() -> None:
    """A file of the package that setup.cfg does not name would be missing in the wheel; so would its room."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    declared = {room: patterns.replace(",", " ").split() for room, patterns in parser["options.package_data"].items()}
    packages = parser["options"]["packages"].split()
    for path in (ROOT / "kgask").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            parent = next(
                one
                for one in path.parents
                if path.suffix not in (".csv", ".txt", ".yaml", ".yml") or (one / "__init__.py").is_file()
            )
            room = ".".join(parent.relative_to(ROOT).parts)
            assert room in packages, path
            inside = path.relative_to(parent).as_posix()
            assert path.suffix == ".py" or any(fnmatch(inside, pattern) for pattern in declared.get(room, [])), path


def test_ci_types_what_the_readme_says() -> None:
    """Both commands of the README, to the letter and in its order, then the linters and the slow tests."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    steps = [
        line.removeprefix("step ")
        for line in (ROOT / ".ci" / "run").read_text().splitlines()
        if line.startswith("step ")
    ]
    *commands, lint, slow = [step.strip()[1:-1] for step in steps]
    assert len(commands) == 2 and lint == ".venv/bin/python tools/check.py --lint"
    assert all(f"```sh\n{command}\n```" in readme for command in commands)
    assert readme.index(commands[0]) < readme.index(commands[1])
    assert f"`{slow}`" in readme
