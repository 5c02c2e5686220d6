"""Everything that a change must pass, in one command: ``python tools/check.py`` (``--lint``: all but the tests).

Style, types, layers and sizes first, for they take seconds; then the quick tests, among them the doctests of the code
and the commands of the documentation, with every warning an error. Further words go to pytest: ``check.py -k airgap``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_LINES = 400  # of a file: what is longer does more than one thing

PYTHON = (sys.executable, "-m")
LINTERS = {
    "ruff check": (*PYTHON, "ruff", "check", "--quiet", "."),
    "ruff format": (*PYTHON, "ruff", "format", "--check", "--quiet", "."),
    "mypy": (*PYTHON, "mypy"),
    "import-linter": (sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"),
}


def long_files() -> list[str]:
    """Files of the package with more lines than :data:`MOST_LINES`."""
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "kgask").rglob("*.py")}
    return [f"{path.relative_to(ROOT)}: {n} lines" for path, n in sorted(sizes.items()) if n > MOST_LINES]


def main(words: list[str]) -> int:
    failed = []
    for name, command in LINTERS.items():
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    if too_long := long_files():
        print(*too_long, sep="\n")
        failed.append(f"files of at most {MOST_LINES} lines")
    tests = [] if "--lint" in words else [*PYTHON, "pytest", *words]
    if tests and subprocess.run(tests, cwd=ROOT, check=False).returncode:
        failed.append("pytest")
    print(f"failed: {', '.join(failed)}" if failed else "all is well")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
