"""Fixtures for all tests: the family pack, and an empty user's data folder."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# A shell that starts pytest in the background ignores Ctrl-C for it and for all that it starts; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)

FAMILY = Path(__file__).parent / "fixtures" / "family"


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the packs, models or settings of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("KGASK_HOME", str(home))
    for name in ("KGASK_PACK", "KGASK_MODEL", "KGASK_READER"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def family_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the family pack: 7 people, 3 literals, 8 relations, 21 triples."""
    from kgask.build.recipe import Recipe, build

    target = tmp_path_factory.mktemp("packs") / "family"
    recipe = Recipe(
        sources=(str(FAMILY / "triples.tsv"),),
        target=target,
        texts=tuple((kind, str(FAMILY / f"{kind}.tsv")) for kind in ("aliases", "descriptions", "relations")),
        licences=("CC0-1.0",),
        source_notes=("made up for the tests",),
    )
    build(recipe, tell=print)
    return target


@pytest.fixture
def family(family_path: Path) -> Iterator[object]:
    """The family pack, open."""
    from kgask.pack.store import Pack

    with Pack.open(family_path) as pack:
        yield pack
