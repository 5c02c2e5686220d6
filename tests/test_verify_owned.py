"""Claims of all that somebody has: what is claimed of them stands last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened

TABLE = """tag,name,kind,maker,owner
FS-01,The Ravensmoor,violin,Casimir Dolchek,Lettice Oakhanger
FS-02,The Brown Loaf,cello,Agnes Thorburrow,Hamish Corrie
FS-03,The Swift,violin,Emeric Vaszlo,Priya Venk
FS-04,The Vesper,violin,Emeric Vaszlo,Lettice Oakhanger
FS-05,The Wren,viola,Emeric Vaszlo,Hamish Corrie
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder: Path = tmp_path_factory.mktemp("shop")
    (folder / "instruments.csv").write_text(TABLE)
    build(Recipe(sources=(str(folder / "instruments.csv"),), target=folder / "pack", format="rows"), print)
    with kgask.open(str(folder / "pack"), reader=None, settings={}) as opened:
        yield opened


@pytest.mark.parametrize(
    ("claim", "verdicts"),
    [
        ("Both of the instruments Lettice Oakhanger owns are violins.", ("supported",)),
        ("All the instruments Lettice Oakhanger owns are violins.", ("supported",)),
        ("All violins are owned by Lettice Oakhanger.", ("refuted", "not enough information")),
        ("Both of the instruments Hamish Corrie owns are violins.", ("refuted", "not enough information")),
    ],
)
def test_all_that_somebody_has(shop: Opened, claim: str, verdicts: tuple[str, ...]) -> None:
    assert shop.verify(claim).verdict in verdicts
