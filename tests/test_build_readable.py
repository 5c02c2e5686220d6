"""The examples in docstrings hold, and labels that no source gives are readable."""

from __future__ import annotations

import doctest

import pytest

from kgask.build import readable
from kgask.pack import schema


@pytest.mark.parametrize("module", [readable, schema])
def test_examples(module: object) -> None:
    results = doctest.testmod(module)  # type: ignore[arg-type]
    assert results.attempted and not results.failed


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("http://e/", "e"),
        ("http://e/%FF", "%FF"),
        ("http://e/a#b_c", "b c"),
        ("http://e/%00", "http://e/%00"),
        ("Lady_Susan", "Lady_Susan"),
    ],
)
def test_entity_labels(key: str, label: str) -> None:
    assert readable.entity_label(key) == label


@pytest.mark.parametrize("key", ["", "_", "/", "http://", "a://_"])
def test_a_label_is_never_empty_unless_the_key_is(key: str) -> None:
    assert bool(readable.relation_label(key)) == bool(key)
