"""What may import what (setup.cfg), and what a command really loads."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from network import QUESTION

import kgask

ROOT = Path(__file__).parent.parent
PACKAGE = Path(kgask.__file__).parent

# Runs a command and then says on stderr which modules it loaded.
LISTING = """
import sys
from kgask.cli.main import main
try:
    main(prog_name="kgask")
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
HEAVY = {
    "numpy",
    "onnxruntime",
    "llama_cpp",
    "tokenizers",
    "torch",
    "rich",
    "scipy",
    "sqlite3",
    "pyoxigraph",
    "rapidfuzz",
}
TRAINING = {"torch", "transformers", "sentence_transformers", "scipy", "onnx", "gguf"}


def loaded_by(*arguments: str, folder: Path) -> set[str]:
    """Top-level modules that a command of kgask loads; it must exit 0."""
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=True
    )
    return set(done.stderr.split())


def test_the_import_contracts_hold() -> None:
    if not (ROOT / "setup.cfg").is_file():
        pytest.skip("the contracts are in the checkout's setup.cfg")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # the sources beside the contract, not an installed copy
    done = subprocess.run(
        [*command, "--config", str(ROOT / "setup.cfg"), "--no-cache"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
    assert "0 kept" not in done.stdout


def test_every_room_is_in_the_contract() -> None:
    """A new room that setup.cfg does not name would escape the layers."""
    setup = ROOT / "setup.cfg"
    if not setup.is_file():
        pytest.skip("the contracts are in the checkout's setup.cfg")
    text = setup.read_text(encoding="utf-8")
    layers = text.partition("layers =\n")[2].partition("\n\n")[0]
    named = {name.strip() for line in layers.splitlines() for name in line.split("|")}
    rooms = {
        f"kgask.{path.stem}" for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert rooms - {"kgask.__init__", "kgask.__main__"} == named
    packages = text.partition("packages =\n")[2].partition("package_dir")[0].split()
    assert {f"kgask.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")} <= set(packages)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=" ".join)
def test_help_and_version_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    assert loaded_by(*arguments, folder=tmp_path) & HEAVY == set()


def test_a_question_loads_nothing_of_training(tmp_path: Path) -> None:
    loaded = loaded_by(QUESTION, folder=tmp_path)
    assert {"onnxruntime", "llama_cpp"} <= loaded, "the question was not answered by the real parts"
    assert loaded & (TRAINING | {"rich", "pyoxigraph"}) == set()


def test_importing_kgask_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import kgask, sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & HEAVY == set()


def test_every_command_has_a_help_and_loads() -> None:
    """The lazy group names modules as strings: a typo there would only show when the command is used."""
    from click import Context

    from kgask.cli.main import COMMANDS, cli

    for name in COMMANDS:
        command = cli.get_command(Context(cli), name)
        assert command is not None
        assert command.get_short_help_str(), name


def test_no_module_imports_by_star() -> None:
    """A star would hide from readers and from the contract what is used."""
    stars = [
        path
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]
    assert stars == []
