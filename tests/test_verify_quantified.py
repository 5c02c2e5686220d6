"""Claims of all, both, most and of one alone, over graphs of somebody's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_cli import kgask

from kgask import open as open_pack
from kgask.verify.openly import only
from kgask.verify.quantified import quantified
from kgask.verify.verifier import Verifier

MODULES = """subject,relation,object
lark,kind,library
lark-core,kind,library
tinyjwt,kind,library
lark,licence,MIT
lark-core,licence,MIT
tinyjwt,licence,Apache-2.0
lark-fmt,kind,plugin
lark-deploy,kind,plugin
lark-fmt,dependsOn,lark
lark-deploy,dependsOn,lark
lark-fmt,licence,MIT
lark-fmt,writtenIn,Rust
lark,writtenIn,Python
lark-core,writtenIn,Python
tinyjwt,writtenIn,Python
lark,maintainedBy,Signe Holm
lark,maintainedBy,Wei Zhang
tinyjwt,maintainedBy,Wei Zhang
pulse,kind,service
pulse,licence,Apache-2.0
stash,kind,service
stash,licence,MIT
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "modules.csv").write_text(MODULES, encoding="utf-8")
    made = kgask("pack", "build", str(folder / "modules.csv"), "-o", str(folder / "pack"))
    assert made.returncode == 0, made.stderr
    return folder / "pack"


CLAIMS = {
    "Most of the libraries are licensed under MIT.": "supported",
    "Every library is licensed under MIT.": "refuted",
    "All libraries are written in Python.": "supported",
    "Both plugins depend on lark.": "supported",
    "Both libraries are licensed under MIT.": "not enough information",  # there are three
    "Most of the plugins are licensed under MIT.": "not enough information",  # of one of the two nothing is said
    "lark-fmt is the only module written in Rust.": "supported",
    "lark is maintained by Signe Holm alone.": "refuted",
    "tinyjwt is maintained by Wei Zhang alone.": "supported",  # as far as the graph has it
}


def test_verdicts(modules: Path) -> None:
    with open_pack(modules, reader=None, settings={}) as pipeline:
        found = {one.claim: one.verdict for one in Verifier(pipeline).verify_many([*CLAIMS])}
    assert found == CLAIMS


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("Most of the services are licensed under MIT.", ("Which services are licensed under MIT?", "most")),
        ("More than half of the trials have ended", ("Which trials have ended?", "most")),
        ("Each child of Ann speaks Lao", ("Which child of Ann speaks Lao?", "all")),
        ("Both plugins depend on lark", ("Which plugins depend on lark?", "both")),
        ("All who sleep here are maids", None),
        ("Every dog likes every cat", None),
        ("Ann likes all dogs", None),
    ],
)
def test_what_is_asked_of_how_many(claim: str, asked: tuple[str, str] | None) -> None:
    found = quantified(claim)
    assert (found and (found.question, found.how)) == asked


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("The only climber bred by Duroc is Thistledown", "Which climber is bred by Duroc?"),
        ("Thistledown is the only rose that Duroc bred", "Which rose Duroc bred?"),
        ("Duroc is owned only by Thistledown", "Who is Duroc owned by?"),
        ("Thistledown grows only here", None),
    ],
)
def test_what_is_asked_of_one_alone(claim: str, asked: str | None) -> None:
    found = only(claim, ["Thistledown"])
    assert (found and found.question) == asked
