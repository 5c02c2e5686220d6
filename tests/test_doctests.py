"""The examples in docstrings are what the code does; training is left out, for it imports torch."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import kgask

PACKAGE = Path(kgask.__file__).parent
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and "train" not in path.relative_to(PACKAGE).parts
]


def test_there_are_examples() -> None:
    assert len(MODULES) >= 8


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of(name: str) -> None:
    failed, attempted = doctest.testmod(import_module(name))
    assert (failed, attempted > 0) == (0, True)
