"""Relations meant by other words than their owner's: the phrases, the relation of a sense, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.link.naming import seeds_in
from kgask.methods.lexicon import called_in, lexicon
from kgask.opened import Opened
from kgask.pack.renamed import renamed

DEVICES = """device,vendor,ifaces,commissioned,site
core-01,Cisco,48,2019-04-02,Leeds
core-02,Juniper,24,2021-06-14,Leeds
edge-07,Cisco,8,2021-11-30,York
"""
STAFF = """subject,relation,object
Dana Ruiz,manages,Lee Park
Lee Park,manages,Ana Silva
Lee Park,manages,Tom Webb
Dana Ruiz,located in,Lisbon
Lee Park,located in,Porto
Ana Silva,located in,Porto
Tom Webb,located in,Lisbon
"""


def _opened(folder: Path, text: str) -> Opened:
    (folder / "devices.csv").write_text(text, encoding="utf-8")
    build(Recipe((str(folder / "devices.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("devices"), DEVICES) as found:
        yield found


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("staff"), STAFF) as found:
        yield found


def _called(text: str, opened: Opened) -> dict[str, str]:
    named = [seed for seed in seeds_in(opened.linker, text) if seed.score >= 0.5]
    labels = opened.pack.relation_labels()
    return {labels[relation]: said for relation, said in called_in(text, named, opened.pack).items()}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("when did core-02 go live?", {"commissioned": "go live"}),
        ("Which has more ports: core-01 or core-02?", {"ifaces": "ports"}),
        ("what brand is core-01, and when did it go live?", {"vendor": "brand", "commissioned": "go live"}),
        ("when was core-02 commissioned?", {}),  # its own word
        ("how heavy is core-01?", {}),  # nothing of the sort is told
    ],
)
def test_what_a_question_means(text: str, called: dict[str, str], devices: Opened) -> None:
    assert _called(text, devices) == called


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when did core-02 go live?", "2021-06-14"),
        ("which devices went live in 2021?", "core-02 | edge-07"),
        ("Which has more ports: core-01 or core-02?", "core-01"),
        ("How many ports do core-01 and core-02 have together?", "72"),
        ("when does the warranty of core-01 end?", None),
        ("how much did core-01 cost?", None),
    ],
)
def test_answers(question: str, answer: str | None, devices: Opened) -> None:
    found = devices.ask(question)
    assert (found.text and " | ".join(sorted(found.text.split(" | ")))) == answer


def test_the_graph_s_own_words_are_told_and_what_was_read(devices: Opened) -> None:
    found = devices.ask("when did core-02 go live?")
    assert found.query_text == "follow(<core-02>, <commissioned>)"
    assert [triple.relation for triple in found.support] == ["commissioned"]
    assert "read 'go live' as 'commissioned'" in found.notes


def test_another_threshold_tells_the_same(devices: Opened) -> None:
    asked = "when did core-02 go live?"
    assert devices.ask(asked, min_confidence=0.0).confidence == devices.ask(asked).confidence


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("core-02 went live in 2021", "supported"),
        ("core-02 went live in 2019", "refuted"),
        ("core-02 has more ports than core-01", "refuted"),
        ("the warranty of core-02 ends in 2024", "not enough information"),
    ],
)
def test_claims(claim: str, verdict: str, devices: Opened) -> None:
    found = devices.verify(claim)
    assert found.verdict == verdict
    assert not any(said in str(found.query) for said in ("went live", "|ports"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who reports to Lee Park?", "Ana Silva | Tom Webb"),
        ("Could you tell me everyone who reports directly to Lee Park, please?", "Ana Silva | Tom Webb"),
        ("who does Lee Park report to?", "Dana Ruiz"),
    ],
)
def test_who_reports_to_whom(question: str, answer: str, staff: Opened) -> None:
    found = staff.ask(question)
    assert found.text is not None and " | ".join(sorted(found.text.split(" | "))) == answer


def test_a_renamed_pack_shares_the_triples(devices: Opened) -> None:
    pack = devices.pack
    relation = pack.relation_labels().index("ifaces")
    other = renamed(pack, {relation: "ports"})
    assert other.relation_labels()[relation] == "ports" and pack.relation_labels()[relation] == "ifaces"
    assert other.out_object is pack.out_object


def test_the_lexicon_is_well_formed() -> None:
    """Names and phrases are lower case, without what separates alternatives; each sense is of a known kind."""
    words = lexicon()
    assert {sense.kind for sense in words.senses} <= {"date", "number", "thing", "yes/no"}
    names = {name for sense in words.senses for name in sense.called | sense.called_of} | {*words.said}
    assert all(name and name == name.lower().strip() for name in names)
    assert not any("/" in phrase for phrase in words.said)
