"""Fixtures for all tests: packs, pipelines that are opened once, and an empty user's data folder."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from films import build_films

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline

# A shell that starts pytest in the background ignores Ctrl-C for it and for all that it starts; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)

FAMILY = Path(__file__).parent / "fixtures" / "family"


@pytest.fixture(scope="session", autouse=True)
def no_persons_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No fixture of any scope sees the packs, models, settings or cache of the person who runs the tests.

    The cache is one for all tests: what is derived from the shipped models is derived once.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("KGASK_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("person")))
        patch.setenv("KGASK_HOME", str(tmp_path_factory.mktemp("shared-home")))
        patch.setenv("KGASK_CACHE", str(tmp_path_factory.mktemp("shared-cache")))
        yield


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder of its own for every test, empty."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("KGASK_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def one_thread_for_torch() -> None:
    """The models that tests train are tiny: two threads mostly wait for each other, six times the CPU time."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


@pytest.fixture
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, for tests of what is kept there."""
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("KGASK_CACHE", str(cache))
    return cache


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


@pytest.fixture(scope="session")
def films_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the films pack."""
    return build_films(tmp_path_factory.mktemp("packs") / "films")


@pytest.fixture(scope="session")
def opened() -> Iterator[Callable[..., Pipeline]]:
    """``opened(pack, reader, judge)``: a pipeline with the shipped planner, one for each choice; leave it as it was."""
    with ExitStack() as stack:

        @cache
        def open_once(pack: str, reader: str | None = "", judge: str | None = "") -> Pipeline:
            import kgask

            return stack.enter_context(kgask.open(pack, reader=reader, judge=judge, settings={}))

        yield open_once


@pytest.fixture
def family(family_path: Path) -> Iterator[object]:
    """The family pack, open."""
    from kgask.pack.store import Pack

    with Pack.open(family_path) as pack:
        yield pack
